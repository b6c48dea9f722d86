"""The document module of the family: presets, options and counts."""

from __future__ import annotations

import pytest

from referee.core.documents.match import account
from referee.core.games.nertz.document import DOCUMENTS
from referee.core.games.nertz.rules import PRESETS
from referee.core.reading import DocumentError, Part


@pytest.mark.parametrize("preset", PRESETS)
def test_every_option_of_a_preset_has_a_value_and_a_source(preset: str) -> None:
    values = DOCUMENTS.preset_values(preset)
    assert set(values) == {option.name for option in DOCUMENTS.OPTIONS}
    assert all(source for _, source in values.values())


MISCOUNTS: list[tuple[str, dict[str, object], dict[str, list[int]], str]] = [
    ("nna", {}, {"Red": [20, 0], "Blue": [-1, 3]}, "Blue: [-1, 3] is given, allowed is no number below 0"),
    (
        "nna",
        {},
        {"Red": [20, 1], "Blue": [9, 3]},
        "Red: [20, 1] is given, allowed is no card left in the reserve of a team whose call stands",
    ),
    (
        "nna",
        {},
        {"Red": [20, 0], "Blue": [9, 14]},
        "Blue: [9, 14] is given, allowed is at most 13 left, the size of its reserve",
    ),
    (
        "nna",
        {},
        {"Red": [20, 0], "Blue": [40, 13]},
        "Blue: [40, 13] is given, allowed is at most 52 cards in all, not 40 + 13",
    ),
    (
        "nna",
        {"king_bonus": 5},
        {"Red": [20, 0, 0], "Blue": [40, 3, 5]},
        "Blue: [40, 3, 5] is given, allowed is at most 4 kings",
    ),
    (
        "nna",
        {"king_bonus": 5},
        {"Red": [20, 0, 0], "Blue": [9, 3]},
        "Blue: [9, 3] is given, allowed is [foundation cards, reserve cards left, kings]",
    ),
    (
        "nna",
        {},
        {"Red": [20, 0], "Blue": [9, 3, 0]},
        "Blue: [9, 3, 0] is given, allowed is [foundation cards, reserve cards left]",
    ),
    (
        "ligretto",
        {},
        {"Red": [9, 0], "Blue": [9, 3]},
        "Red: [9, 0] is given, allowed is at least 10 foundation cards, for the reserve's had no other place",
    ),
]


@pytest.mark.parametrize(("preset", "options", "counts", "sentence"), MISCOUNTS)
def test_a_count_that_cannot_be_is_refused_with_what_could(
    preset: str, options: dict[str, object], counts: dict[str, list[int]], sentence: str
) -> None:
    hand = {"end": "call", "callers": ["Red"], "counts": counts}
    match = {"preset": preset, "options": options, "teams": ["Red", "Blue"], "hands": [hand]}
    with pytest.raises(DocumentError) as caught:
        DOCUMENTS.score_match(Part(match))
    assert str(caught.value) == f"hands[0].counts.{sentence}"


def hand_of(caller: str, **cards: int) -> dict[str, object]:
    """Return a hand that was called, with no reserve cards left."""
    return {"end": "call", "callers": [caller], "counts": {team: [count, 0] for team, count in cards.items()}}


def test_a_match_is_told_by_its_hands_totals_and_places_and_what_is_ahead() -> None:
    match = {"preset": "pagat", "options": {"target": 50}, "teams": ["Red", "Blue", "Gold"]}
    first = hand_of("Red", Red=30, Blue=20, Gold=20)
    told = account({**match, "hands": [first]})
    assert (told.hands, told.totals) == (({"Red": 30, "Blue": 20, "Gold": 20},), {"Red": 30, "Blue": 20, "Gold": 20})
    assert (told.ranks, told.winners, told.ahead) == ({"Red": 1, "Blue": 2, "Gold": 2}, (), "Not over yet.")
    tie = {**match, "options": {"target": 50, "tiebreak": "hand"}, "hands": [hand_of("Red", Red=50, Blue=50, Gold=9)]}
    assert account(tie).ahead == "A tie-break hand for Red and Blue."
    over = account(
        {
            **match,
            "hands": [first, hand_of("Red", Red=30, Blue=20, Gold=20)],
            "adjustments": [{"after": 1, "team": "Gold", "points": 2.5, "reason": "penalty"}],
            "timeouts": [{"hand": 1, "team": "Blue", "why": "tidy"}],
        }
    )
    assert over.winners == ("Red",)
    assert over.totals == {"Red": 60, "Blue": 40, "Gold": 42.5}
    assert over.remarks[0] == "Gold gets 2½ after hand 1: penalty"
    assert over.remarks[2:] == ("Red gets 37½", "Blue pays 20", "Gold pays 17½")
    assert account({**match, "hands": [first], "ended": True}).winners == ("Red",)


def test_a_pack_and_a_reserve_have_the_cards_of_the_rules() -> None:
    assert DOCUMENTS.cards("nna", {}) == (52, 13)
    assert DOCUMENTS.cards("nna", {"jokers": 2, "reserve": 11}) == (54, 11)
    assert DOCUMENTS.cards("ligretto", {}) == (40, 10)


def test_a_tie_break_hand_s_counts_are_those_of_the_tied_or_of_all() -> None:
    tied = {"end": "call", "callers": ["Red"], "counts": {"Red": [20, 0], "Blue": [20, 0], "Gold": [9, 2]}}
    for teams, names in (("tied", ("Red", "Blue")), ("all", ("Red", "Blue", "Gold")), ("all", ("Red", "Gold"))):
        last = {"end": "call", "callers": ["Red"], "counts": {name: [20, 0] for name in names}}
        options = {"target": 20, "tiebreak": "hand", "tiebreak_teams": teams}
        match = {"preset": "nna", "options": options, "teams": ["Red", "Blue", "Gold"], "hands": [tied, last]}
        assert DOCUMENTS.score_match(Part(match))["totals"]["Red"] == 40
    match["options"] = options | {"tiebreak_teams": "tied"}
    with pytest.raises(DocumentError, match="needed are the tie-break hand's teams"):
        DOCUMENTS.score_match(Part(match))


def test_kings_that_the_table_cannot_have_are_refused() -> None:
    """Twelve cards lie under each king, of any team."""
    counts = {"Red": [26, 0, 2], "Blue": [10, 3, 2]}
    hand = {"end": "call", "callers": ["Red"], "counts": counts}
    match = {"preset": "nna", "options": {"king_bonus": 5}, "teams": ["Red", "Blue"], "hands": [hand]}
    with pytest.raises(DocumentError, match="52 foundation cards in all, not 36"):
        DOCUMENTS.score_match(Part(match))
    hand["counts"] = counts | {"Blue": [26, 3, 2]}
    assert DOCUMENTS.score_match(Part(match))["totals"] == {"Red": 36, "Blue": 30}
