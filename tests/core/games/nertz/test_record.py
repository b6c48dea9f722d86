"""A hand and a match of the Nertz family in documents."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.match import score_document
from referee.core.games.nertz.document import DOCUMENTS, hand_document
from referee.core.games.nertz.scoring import NertzCount, NertzHand
from referee.core.model.paper import renamed_match
from referee.core.model.table import Adjustment, Seat, Setup, Table, Team

NAMES = {"1": "Anna", "2": "Ben", "3": "Max"}
TEAMS = tuple(Team(seat, (seat,)) for seat in NAMES)


def counted(anna: int, ben: int, max_: int | None, *corrected: str, caller: str = "1") -> NertzHand:
    """Return a called hand with these cards in the middle and none left.

    None: the player sat out.
    """
    cards = {"1": anna, "2": ben, "3": max_}
    counts = {team: NertzCount(count, 0) for team, count in cards.items() if count is not None}
    return NertzHand("call", (caller,), counts, corrected=corrected)


def table(*hands: NertzHand, adjustments: tuple[Adjustment, ...] = (), **options: object) -> Table:
    """Return a match of three to 50 points, with a tie-break hand of the tied teams."""
    setup = Setup("nna", tuple(({"target": 50, "tiebreak": "hand"} | options).items()), tuple(NAMES))
    seats = tuple(Seat(seat, name) for seat, name in NAMES.items())
    return Table(setup, seats, TEAMS, hands, adjustments=adjustments)


FINE = Adjustment(1, "3", Fraction(1))
OVER, NEXT = counted(50, 20, 0), counted(1, 2, 3)
TIED, BROKEN = counted(50, 50, 0), counted(5, 9, None)


@pytest.mark.parametrize(
    ("match", "played_on"),
    [
        (table(NEXT, OVER), False),
        (table(counted(50, 20, 0, "1")), False),
        (table(counted(50, 20, 0, "1"), NEXT), True),
        (table(NEXT, counted(50, 20, 0, "1"), NEXT), True),
        (table(TIED, BROKEN), False),
        (table(counted(50, 50, 0, "1", "2", "3"), NEXT), True),
        (table(TIED, NEXT, adjustments=(FINE,)), True),
        (table(counted(9, 9, 9, "1"), NEXT), False),
    ],
)
def test_a_match_that_went_on_because_nobody_knew_better_says_so(match: Table, played_on: bool) -> None:
    """A correction or points came later, so the document has hands after its end."""
    document = DOCUMENTS.match_document(match, NAMES)
    assert document.get("played_on", False) == played_on
    assert score_document(document)["totals"].keys() == {*NAMES.values()}


HANDS: list[tuple[NertzHand, dict[str, object], dict[str, Any]]] = [
    (
        NertzHand("call", ("1",), {"1": NertzCount(20, 0, 2), "2": NertzCount(8, 3, 1)}),
        {"king_bonus": 5},
        {"end": "call", "callers": ["Anna"], "counts": {"Anna": [20, 0, 2], "Ben": [8, 3, 1]}},
    ),
    (
        NertzHand("stuck", (), {"1": NertzCount(4, 5), "2": NertzCount(9, 4)}, ("2",)),
        {},
        {"end": "stuck", "counts": {"Anna": [4, 5], "Ben": [9, 4]}, "false_calls": ["Ben"]},
    ),
    (
        NertzHand("call", ("2",), {"2": NertzCount(9, 0)}, ("2", "1")),
        {},
        {"end": "call", "callers": ["Ben"], "counts": {"Ben": [9, 0]}, "false_calls": ["Anna"]},
    ),
    (
        NertzHand("call", ("2",), {"2": NertzCount(9, 0)}, ("2", "1")),
        {"false_call": "points:5"},
        {"end": "call", "callers": ["Ben"], "counts": {"Ben": [9, 0]}, "false_calls": ["Ben", "Anna"]},
    ),
    (
        NertzHand(
            "call",
            ("1", "2"),
            {"1": NertzCount(9, 0), "2": NertzCount(9, 0)},
            shares={"1": Fraction(5, 2), "2": Fraction(7)},
            reserves={"2": 12},
            corrected=("2",),
        ),
        {"bonus": 10},
        {
            "end": "call",
            "callers": ["Anna", "Ben"],
            "counts": {"Anna": [9, 0], "Ben": [9, 0]},
            "shares": {"Anna": 2.5, "Ben": 7},
            "corrected": ["Ben"],
            "reserves": {"Ben": 12},
        },
    ),
    (NertzHand("abandoned", (), {}), {}, {"end": "abandoned"}),
]


@pytest.mark.parametrize(("hand", "options", "document"), HANDS)
def test_a_hand_is_written_with_what_it_has(
    hand: NertzHand, options: dict[str, object], document: dict[str, Any]
) -> None:
    assert hand_document(Setup("nna", tuple(options.items())), hand, NAMES) == document


def test_what_people_ask_of_a_written_hand() -> None:
    assert DOCUMENTS.columns() == ("foundation", "reserve", "kings")
    hand = {"end": "call", "callers": ["Anna"], "counts": {"Anna": [20, 0, 2], "Ben": [8, 3]}}
    assert DOCUMENTS.ending(hand) == ("call", ("Anna",))
    assert DOCUMENTS.ending({"end": "stuck", "counts": {}}) == ("stuck", ())
    assert (DOCUMENTS.counts_of(hand, "Anna"), DOCUMENTS.counts_of(hand, "Ben")) == ((20, 0, 2), (8, 3, None))


COUNT = st.tuples(st.integers(9, 30), st.integers(0, 5))


@given(
    st.sampled_from(("play-on", "points:5", "zero")),
    st.sampled_from((0, 10, 25)),
    st.lists(st.sampled_from("ABCD"), max_size=4, unique=True),
    st.lists(st.sampled_from("ABCD"), max_size=3),
    st.fixed_dictionaries(dict.fromkeys("ABCD", COUNT)),
    st.booleans(),
)
def test_the_columns_of_a_hand_explain_its_scores(
    false_call: str, bonus: int, callers: list[str], false: list[str], counts: dict[str, Any], divided: bool
) -> None:
    """Foundation cards, reserve cards at 2 each, the share of the bonus, false calls at their price."""
    false_calls = [team for team in false if false_call != "zero" or team not in callers]
    counted = {team: [cards, 0 if team in callers else left] for team, (cards, left) in counts.items()}
    hand: dict[str, Any] = {"end": "call" if callers else "stuck", "counts": counted, "false_calls": false_calls}
    hand |= {"callers": callers} if callers else {}
    hand |= {"shares": {callers[-1]: bonus}} if callers and divided else {}
    match = {
        "preset": "nna",
        "options": {"bonus": bonus, "false_call": false_call},
        "teams": [*counts],
        "hands": [hand],
    }
    (scored,) = score_document(match)["hands"]
    price = {"play-on": 0, "points:5": 5, "zero": 0}[false_call]
    for team, score in scored["scores"].items():
        cards, left, _ = DOCUMENTS.counts_of(hand, team)
        share, false_count = DOCUMENTS.called_of(match, hand, team)
        assert false_count == false_calls.count(team)
        explained = cards - 2 * left + share - price * false_count  # type: ignore[operator]
        assert score == (0 if false_call == "zero" and false_count else explained)


def test_a_match_is_written_with_newcomers_its_end_and_its_rules() -> None:
    setup = Setup("nna", (("target", 150),), tuple(NAMES))
    bare = Table(setup, (), TEAMS, (NEXT,))
    assert DOCUMENTS.match_document(bare, NAMES).keys() == {"preset", "options", "teams", "hands"}
    whole = Table(setup, (), TEAMS, (NEXT,), joined=(("3", Fraction(5, 2)),), ended=True)
    document = DOCUMENTS.match_document(whole, NAMES)
    assert (document["preset"], document["options"]) == ("nna", {"target": 150})
    assert (document["teams"], document["joined"], document["ended"]) == (["Anna", "Ben", "Max"], {"Max": 2.5}, True)


def test_a_renamed_match_names_nobody_as_before() -> None:
    match = {"preset": "nna", "teams": ["Anna", "Ben"], "joined": {"Ben": 3}, "ended": True, "hands": [HANDS[4][2]]}
    named = json.dumps(match).replace("Anna", "A").replace("Ben", "B")
    assert renamed_match(match, {"Anna": "A", "Ben": "B"}) == json.loads(named)
    assert "joined" not in renamed_match({"teams": ["Anna"], "hands": []}, {"Anna": "A"})
