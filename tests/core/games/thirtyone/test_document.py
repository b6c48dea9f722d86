"""Match documents of 31: their results, compared with a simple model, and their refusals."""

from __future__ import annotations

import contextlib
import json
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.match import DocumentError, account, score_document
from referee.core.games.thirtyone.rules import OPTIONS, PRESETS, with_options
from referee.core.games.thirtyone.scoring import shortage
from tests.core.games.thirtyone.model import PACK, Lives, Points, worth

VALUES = st.integers(10, 28)
"""Nine hands of any of these values can come from one pack."""
KNOCKER = ("knocker_tied", "knocker_after_31", "knocker_not_highest")


def match(*hands: dict[str, Any], preset: str = "31", players: str = "AB", **keys: Any) -> dict[str, Any]:
    """Return a document of players with one letter each.

    `keys` are options or keys of the match.
    """
    own: dict[str, Any] = {key: keys.pop(key) for key in ("joined", "played_on", "ended") if key in keys}
    return {"preset": preset, "options": keys, "players": list(players), "hands": list(hands), **own}


def knock(who: str, **values: Any) -> dict[str, Any]:
    """Return a hand that a knock ended."""
    return {"knocker": who, "values": values}


def scored(*hands: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return score_document(match(*hands, **keys))


# -- possible documents --------------------------------------------------------------------------------------------


def test_example_gives_its_result() -> None:
    result = scored(knock("A", A=27, B=30), {"thirtyone": ["B"]}, lives=3)
    assert json.dumps(result) == '{"lives": {"A": 0, "B": 3}, "county": ["A"], "out": [], "over": false, "winners": []}'


@st.composite
def matches(draw: st.DrawFn, preset: str) -> dict[str, Any]:
    """Draw any legal sequence of hands, up to the end of the match or a dozen hands."""
    names = list("ABCDEFGHI")[: draw(st.integers(2, 9))]
    keys: dict[str, Any] = {}
    if preset == "31":
        keys["lives"] = draw(st.integers(1, 5))
        keys["county"] = draw(st.booleans())
    if preset == "ride-the-bus":
        keys["levels"] = draw(st.integers(0, 6))
    if preset != "31-quebec":
        keys |= draw(st.fixed_dictionaries({name: st.sampled_from(OPTIONS[name].choices) for name in KNOCKER}))
    if preset == "31-quebec" and draw(st.booleans()):
        keys["end"] = "31-points"
    model = _model(preset, names, keys)
    hands: list[dict[str, Any]] = []
    while not model.winner and len(hands) < 12:
        hands.append(draw(_hands(names, getattr(model, "gone", []))))
        if preset == "ride-the-bus" and (more := draw(st.integers(0, 2))):
            added = keys["levels"] + sum(hand.get("levels", 0) for hand in hands)
            hands[-1] |= {"levels": more} if added + more <= 6 else {}
        model.play(hands[-1])
    return match(*hands, preset=preset, players="".join(names), **keys)


def _model(preset: str, names: list[str], keys: dict[str, Any]) -> Lives | Points:
    if preset == "31-quebec":
        return Points(names, keys.get("end") == "31-points")
    return Lives(names, keys["lives"] if preset == "31" else 3 + keys["levels"], keys)


@st.composite
def _hands(draw: st.DrawFn, names: list[str], gone: list[str]) -> dict[str, Any]:
    inside = [name for name in names if name not in gone]
    dealt = draw(st.sampled_from((inside, inside, draw(st.permutations(inside))[: max(2, len(inside) - 1)])))
    players = [name for name in inside if name in dealt]
    hand: dict[str, Any] = {} if players == inside else {"players": players}
    if draw(st.integers(0, 3)) == 0:
        declared = draw(st.permutations(players))[: draw(st.integers(1, min(4, len(players))))]
        knocked = {"knocker": draw(st.sampled_from(players))} if draw(st.booleans()) else {}
        return {**hand, **knocked, "thirtyone": list(declared)}
    few = draw(st.sampled_from((VALUES, st.integers(20, 22))))  # ties are rare among thirty values
    return {**hand, "knocker": draw(st.sampled_from(players)), "values": {name: draw(few) for name in players}}


@given(matches("31"))
def test_any_hands_end_with_the_lives_of_the_model(document: dict[str, Any]) -> None:
    model = Lives(document["players"], document["options"]["lives"], document["options"])
    for hand in document["hands"]:
        model.play(hand)
    result = score_document(document)
    assert result["lives"] == model.left
    assert set(result["out"]) == set(model.gone)
    assert set(result["county"]) == {n for n in model.names if model.left[n] == 0 and n not in model.gone}
    assert (result["over"], result["winners"]) == (bool(model.winner), model.winner)
    told = account(document)
    assert all(len(hand) >= 2 for hand in told.hands)
    assert min(told.ranks.values()) == 1
    assert [name for name in told.ranks if told.ranks[name] == 1] == model.winner or not model.winner


@given(matches("ride-the-bus"))
def test_any_hands_end_at_the_places_of_the_model(document: dict[str, Any]) -> None:
    model = Lives(document["players"], 3 + document["options"]["levels"], document["options"])
    levels = document["options"]["levels"] + sum(hand.get("levels", 0) for hand in document["hands"])
    for hand in document["hands"]:
        model.play(hand)
    result = score_document(document)
    seats, steps = ["back", "middle", "front"], ["steps", "second step", *(f"step {n}" for n in range(3, levels + 1))]
    names = [*seats, *steps[:levels], "asks the driver"] if levels > 1 else [*seats, *steps[: 1 + levels]]
    assert result["places"] == {n: "off" if n in model.gone else names[::-1][model.left[n]] for n in model.names}
    assert result["lives"] == model.left
    assert result["winners"] == model.winner


@given(matches("31-quebec"))
def test_any_hands_end_with_the_points_of_the_model(document: dict[str, Any]) -> None:
    model = Points(document["players"], document["options"].get("end") == "31-points")
    for hand in document["hands"]:
        model.play(hand)
    result = score_document(document)
    assert result["points"] == model.points
    assert (result["over"], result["winners"]) == (model.done, model.winner)
    assert "lives" not in result
    assert result["county"] == result["out"] == []


SHORT = [
    ({}, [2, 2], "2 hands of 2 or less"),
    ({"three_of_a_kind": "30"}, [2, 20], "1 hand of 2 or less"),
    ({}, [29] * 9 + [30], "9 hands of 29 or more"),
]


@pytest.mark.parametrize(("house", "values", "which"), SHORT)
def test_hands_that_one_pack_cannot_deal_are_refused(house: dict[str, Any], values: list[int], which: str) -> None:
    names = "ABCDEFGHIJKLM"[: len(values)]
    document = match(knock("A", **dict(zip(names, values, strict=True))), players=names, **house)
    with pytest.raises(DocumentError) as caught:
        score_document(document)
    assert str(caught.value).endswith(f"allowed is hands of one pack, which cannot give {which} at once")


@settings(max_examples=200)
@given(st.permutations(PACK), st.integers(2, 16), st.sampled_from(("none", "30", "30.5")), st.booleans(), st.booleans())
def test_hands_of_one_pack_are_never_refused(
    pack: list[str], players: int, trips: str, flush: bool, sort: bool
) -> None:
    if sort:
        ranks = {rank: place for place, rank in enumerate(("A", "10", "J", "Q", "K", *map(str, range(9, 1, -1))))}
        suits = sorted(pack, key=lambda card: (pack.index(f"A{card[-1]}"), ranks[card[:-1]]))
        low = sorted(pack, key=lambda card: ranks[card[:-1]], reverse=True)[: 3 * (players // 3)]
        pack = [*low, *(card for card in suits if card not in low)]
    rules = with_options(PRESETS["31"], {"three_of_a_kind": trips, "straight_flush": flush})
    values = [Fraction(worth(pack[3 * n : 3 * n + 3], trips=trips, flush=flush)) for n in range(players)]
    assert shortage(rules, [value for value in values if value < 31]) is None


def test_who_go_out_together_as_the_last_ones_share_the_win() -> None:
    result = scored(knock("A", A=20, B=20), lives=1, county=False, knocker_tied="loses-one")
    assert (result["over"], result["winners"], result["out"]) == (True, ["A", "B"], ["A", "B"])


def test_without_a_county_a_newcomer_has_a_life() -> None:
    hand = {"players": ["A", "B"], **knock("A", A=30, B=20)}
    assert scored(hand, players="ABC", joined={"C": 0}, county=False)["lives"]["C"] == 1
    assert scored(hand, players="ABC", joined={"C": 0})["lives"]["C"] == 0


@pytest.mark.parametrize(
    ("cards", "value"),
    [
        (["AH", "KH", "4C"], 21),
        (["2H", "7D", "9C"], 9),
        (["7H", "7D", "7C"], 30.5),
        (["AS", "2S", "3S"], 30),
        (["KD", "AD", "2D"], 23),
        (["TD", "9d", "8D"], 30),
    ],
)
def test_what_three_cards_are_worth(cards: list[str], value: float) -> None:
    least: dict[str, Any] = {"minimum_knock": int(value), "three_of_a_kind": "30.5", "straight_flush": True}
    assert scored(knock("A", A=cards, B=3), **least)["lives"] == {"A": 3, "B": 2}
    if value < 30:
        with pytest.raises(DocumentError, match=f"{int(value) + 1} or more"):
            scored(knock("A", A=cards, B=3), **(least | {"minimum_knock": int(value) + 1}))


def test_a_newcomer_starts_where_the_document_says() -> None:
    first = {"players": ["A", "B"], "thirtyone": ["A"]}
    assert scored(first, {"thirtyone": ["C"]}, players="ABC", joined={"C": 2})["lives"] == {"A": 2, "B": 1, "C": 2}
    quebec = scored(first, players="ABC", preset="31-quebec", joined={"C": 4}, end="31-points")
    assert quebec["points"] == {"A": 1, "B": 0, "C": 4}


def test_a_table_may_end_its_match_early_or_play_on_after_a_correction() -> None:
    assert scored({"thirtyone": ["B"]}, ended=True)["winners"] == ["B"]
    last = [{"thirtyone": ["B"]}] * 4
    assert scored(*last)["winners"] == ["B"]
    on = {"players": ["A", "B"], "thirtyone": ["A"], "corrected": ["A"]}
    result = scored(*last, on, played_on=True)
    assert (result["winners"], result["lives"]) == (["B"], {"A": 0, "B": 2})


def test_in_a_match_that_is_played_on_nobody_who_is_out_is_dealt_in_unsaid() -> None:
    gone = [knock("A", A=10, B=20, C=20)] * 3
    assert scored(*gone, players="ABC")["lives"]["A"] == 0
    with pytest.raises(DocumentError, match=re.escape('hands[3].knocker: "A" is given, allowed is one of the players')):
        scored(*gone, knock("A", A=10, B=20, C=20), players="ABC", played_on=True)
    back = {**knock("A", A=10, B=20, C=20), "players": ["A", "B", "C"]}
    assert scored(*gone, back, players="ABC", played_on=True)["lives"]["A"] == 0


def test_the_match_is_told_with_lives_counties_places_and_points() -> None:
    lost = [{"thirtyone": ["B"]}] * 3
    assert account(match(*lost)).shown == {"A": "county"}
    assert account(match(*lost, {"thirtyone": ["B"]})).shown == {"A": "out"}
    assert account(match(*lost, preset="ride-the-bus")).shown == {"A": "steps", "B": "back"}
    assert account(match(*lost[:1], preset="31-quebec")).shown == {}
    beside = {
        "adjustments": [{"after": 1, "team": "A", "points": 2, "reason": "penalty"}],
        "timeouts": [{"hand": 1, "team": "B", "why": "tidy"}],
    }
    remarks = account(match(*lost[:1], preset="31-quebec") | beside).remarks
    assert remarks == ("A gets 2 after hand 1: penalty", "Time out in hand 1: B, tidy")
    told = account(match(*lost))
    assert (told.hands[0], told.totals, told.ranks) == ({"A": -1, "B": 0}, {"A": 0, "B": 3}, {"A": 2, "B": 1})


# -- impossible documents ------------------------------------------------------------------------------------------

GIVEN = {"after": 0, "team": "A", "points": 1}
WHOLE = match(knock("A", A=27, B=30))
REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"preset": "31", "players": ["A", "B"]}, "the key hands is missing, needed are preset, players, hands"),
    (match() | {"teams": []}, "teams: the key is unknown, allowed are preset, players, hands, options, joined"),
    (match(players="A"), "allowed is a list of 2 to 16 names, for one pack deals to no more"),
    (match(players="AA"), 'players[1]: "A" is given, allowed is a name that no other player has'),
    (match(lives=0), "options.lives: 0 is given, allowed is a whole number from 1 to 9"),
    (match({}), "hands[0]: the key knocker is missing; only a hand with a 31 may lack it"),
    (match({"knocker": "A"}), "hands[0]: the key values is missing; only a hand with a 31 may lack it"),
    (match(knock("C", A=3, B=4)), 'hands[0].knocker: "C" is given, allowed is one of the players who are dealt in'),
    (match(knock("A", A=3)), 'values: {"A": 3} is given, allowed is a value for each player who is dealt in'),
    (match(knock("A", A=3, B=4, C=5)), 'hands[0].values.C: "C" is given, allowed are the players who are dealt in'),
    (match(knock("A", A=31, B=4)), "31 is given, allowed is three cards, or a whole number from 2 to 30; a 31 is"),
    (match(knock("A", A=20.5, B=4), three_of_a_kind="30.5"), "to 30, or 30.5; a 31 is declared in thirtyone"),
    (match(knock("A", A=["AH", "KH"], B=4)), 'hands[0].values.A: ["AH", "KH"] is given, allowed is three cards'),
    (match(knock("A", A=["AH", "KH", "1C"], B=4)), 'values.A[2]: "1C" is given, allowed is a card such as AH'),
    (match(knock("A", A=["AH", "KH", "2C"], B=["10S", "TS", "2D"])), '"10S" is given twice, a pack has one of each'),
    (match(knock("A", A=["AH", "KH", "10H"], B=4)), "any three cards but a 31, which is declared in thirtyone"),
    (match(knock("A", A=16, B=4), minimum_knock=17), "values.A: 16 is given, allowed is 17 or more for the"),
    (match({"thirtyone": ["C"]}), 'thirtyone[0]: "C" is given, allowed is one of the players who are dealt in'),
    (match({"thirtyone": ["A", "A"]}), 'thirtyone[1]: "A" is given, allowed is a name that no other declarer has'),
    (match({"thirtyone": list("ABCDE")}, players="ABCDEF"), "allowed is at most 4 players, because each 31 has an ace"),
    (match({"thirtyone": ["A"], "values": {"A": 30}}), "values.A: 30 is given, allowed is none for a player who has"),
    (match({"thirtyone": ["A"], "players": ["A"]}), 'players: ["A"] is given, allowed is a list of two or more'),
    (match({"thirtyone": ["A"], "players": ["A", "C"]}), '[1]: "C" is given, allowed is a player who is still in'),
    (match({"thirtyone": ["A"], "corrected": ["B", "B"]}), "a name that no other player of the list has"),
    (match({"thirtyone": ["A"], "corrected": ["C"]}), 'corrected[0]: "C" is given, allowed is one of the players'),
    (match({"thirtyone": ["A"], "levels": 1}), "levels: 1 is given, allowed is none in 31, which has no bus"),
    (
        match({"thirtyone": ["A"], "levels": 6}, preset="ride-the-bus", levels=1),
        "levels: 6 is given, allowed is a whole number from 0 to 5",
    ),
    (match(*[{"thirtyone": ["A"]}] * 5), 'hands[4]: no hand may follow the end of the match (won by "A")'),
    (match(joined={"C": 1}), 'joined.C: "C" is given, allowed are the players of the match: "A", "B"'),
    (match(joined={"A": 10}), "joined.A: 10 is given, allowed is a whole number from 0 to 9"),
    (match(joined={"A": 1001}, preset="31-quebec"), "1001 is given, allowed is a whole number from 0 to 1000"),
    (match({"thirtyone": ["A"]}, joined={"B": 1}), "joined.B: 1 is given, allowed is a start only for a player whom"),
    (
        match({"thirtyone": ["A"], "players": ["A", "C"]}, joined={"B": 1}),
        'hands[0].players[1]: "C" is given, allowed is one of the players of the match',
    ),
    (match(played_on=1), "played_on: 1 is given, allowed is true or false"),
    (match(ended="yes"), 'ended: "yes" is given, allowed is true or false'),
    (match() | {"adjustments": [GIVEN]}, "allowed is none in 31, which counts lives: only points can be"),
    (match(preset="ride-the-bus") | {"adjustments": [GIVEN]}, "in ride-the-bus, which counts places of the bus"),
    (match(knock("A", A=27, B=30) | {"end": "call"}), "hands[0].end: the key is unknown, allowed are knocker, values"),
)


@pytest.mark.parametrize(
    ("document", "sentence"), REFUSED, ids=lambda value: value[:60] if isinstance(value, str) else ""
)
def test_an_impossible_document_is_refused_in_one_sentence(document: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        score_document(document)
    assert sentence in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


@given(st.recursive(st.none() | st.integers(-3, 33) | st.text(max_size=3) | st.floats(), st.lists))
def test_nonsense_in_any_place_is_refused_and_never_a_traceback(nonsense: object) -> None:
    for key in ("players", "hands", "options", "joined"):
        _refused_or_scored(WHOLE | {key: nonsense})
    for key in ("knocker", "values", "thirtyone", "players", "levels", "corrected"):
        _refused_or_scored(WHOLE | {"hands": [WHOLE["hands"][0] | {key: nonsense}]})
    _refused_or_scored(match(knock("A", A=nonsense, B=30)))


def _refused_or_scored(document: dict[str, Any]) -> None:
    with contextlib.suppress(DocumentError):
        score_document(document)
