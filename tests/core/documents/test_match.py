"""Match documents: an example, every option of a score, and every impossible document."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.match import DocumentError, account, score_document, score_text

EXAMPLE: dict[str, Any] = {
    "preset": "nna",
    "options": {"bonus": 10, "target": 150},
    "teams": ["Red", "Blue"],
    "hands": [{"end": "call", "callers": ["Red"], "counts": {"Red": [28, 0], "Blue": [15, 4]}}],
}


def match(*hands: dict[str, Any], preset: str = "nna", teams: str = "ABC", **keys: Any) -> dict[str, Any]:
    """Return a document of teams with one letter each. `keys` are options, except `joined`."""
    joined = {"joined": keys.pop("joined")} if "joined" in keys else {}
    return {"preset": preset, "options": keys, "teams": list(teams), "hands": list(hands), **joined}


def hand(callers: str = "", more: dict[str, Any] | None = None, **counts: Any) -> dict[str, Any]:
    """Return a hand that ended with a call, or stuck without callers."""
    called = {"callers": list(callers)} if callers else {}
    return {"end": "call" if callers else "stuck", **called, "counts": counts, **(more or {})}


def refusal(document: object) -> str:
    with pytest.raises(DocumentError) as caught:
        score_document(document)
    sentence = str(caught.value)
    assert sentence.isprintable()
    assert len(sentence) < 400
    return sentence


# -- possible documents ---------------------------------------------------------------------------------------------


def test_example_gives_its_result() -> None:
    expected = (
        '{"hands": [{"scores": {"Red": 38, "Blue": 7}}], "totals": {"Red": 38, "Blue": 7}, '
        '"ranks": {"Red": 1, "Blue": 2}, "over": false, "winners": [], "tiebreak": [], "settlement": {}}'
    )
    assert json.dumps(score_text(json.dumps(EXAMPLE))) == expected
    assert json.dumps(score_document(EXAMPLE)) == expected


def test_a_record_of_an_export_is_read_as_the_match_in_it() -> None:
    record = {"format": "match record", "version": 1, "match": EXAMPLE, "days": 3}
    assert score_document(record) == score_document(EXAMPLE)
    assert account(record) == account(EXAMPLE)
    assert account(EXAMPLE).totals == {"Red": 38, "Blue": 7}
    for part in ("format", "match"):
        assert refusal({part: record[part]}).startswith("the document: the key preset is missing, needed is the name")


def test_shares_are_the_table_s_division() -> None:
    shares = {"shares": {"A": 2.5, "B": 7.5}}
    result = score_document(match(hand("ABC", shares, A=[20, 0], B=[10, 0], C=[1, 0]), bonus=10))
    assert result["totals"] == {"A": 22.5, "B": 17.5, "C": 1}
    empty: dict[str, Any] = {"shares": {}, "callers": []}
    assert score_document(match(hand(more=empty, A=[2, 0], B=[1, 0]), bonus=10))["totals"] == {"A": 2, "B": 1, "C": 0}


def test_without_shares_the_first_callers_get_the_larger_parts() -> None:
    """A document's own default is the most equal division; a record without shares is of an older release."""
    tied = match(hand("ABC", {"callers": ["C", "A", "B"]}, A=[20, 0], B=[20, 0], C=[20, 0]), bonus=10)
    assert score_document(tied)["totals"] == {"A": 23.5, "B": 23, "C": 23.5}
    record = {"format": "referee-match", "match": tied}
    assert score_document(record)["totals"] == {"A": 23, "B": 23, "C": 24}
    three = match(hand("ABC", A=[20, 0], B=[20, 0], C=[20, 0]), bonus=9)
    assert score_document(three) == score_document({**record, "match": three})


def test_an_abandoned_hand_needs_no_counts_and_scores_nothing() -> None:
    cases: tuple[dict[str, Any], ...] = (
        {},
        {"counts": {}},
        {"counts": {"A": [5, 5]}},
        {"counts": {"A": [5, 5], "B": [6, 1]}},
    )
    for counts in cases:
        result = score_document(match({"end": "abandoned", **counts}, preset="racing-demon"))
        assert result["hands"] == [{"scores": {}}]
        assert result["totals"] == {"A": 0, "B": 0, "C": 0}


def test_a_team_may_call_falsely_and_then_rightly() -> None:
    """Play continued for the team.

    Under `zero` it was out of the hand and cannot have called again.
    """
    twice = hand("A", more={"false_calls": ["A"]}, A=[20, 0], B=[10, 1])
    assert score_document(match(twice, false_call="points:3", bonus=10))["totals"]["A"] == 27
    with pytest.raises(
        DocumentError,
        match=r"hands\[0\].false_calls\[0\]: .* is a team that is not among the callers, because a false call",
    ):
        score_document(match(twice, false_call="zero"))


def test_a_newcomer_starts_where_joined_says() -> None:
    first, second = hand("A", A=[20, 0], B=[10, 1]), hand("C", A=[3, 3], B=[2, 2], C=[9, 0])
    expected = {"A": 17, "B": 6, "C": 17.5}
    assert score_document(match(first, second, joined={"C": 8.5}))["totals"] == expected
    assert score_document(match(first, {**second, "joined": {"C": 8.5}}))["totals"] == expected


def test_a_handicap_s_sizes_bound_the_counts() -> None:
    first = hand("A", A=[20, 0], B=[10, 1])
    assert score_document(match(first, hand(A=[9, 14], B=[9, 13]), handicap="winner"))["totals"]["A"] == 1
    assert "hands[1].counts.B: [9, 14] is given" in refusal(match(first, hand(A=[9, 1], B=[9, 14]), handicap="winner"))
    own = hand(more={"reserves": {"B": 15}}, A=[9, 13], B=[9, 15])
    assert score_document(match(first, own))["totals"]["B"] == 8 + 9 - 30
    small = hand(more={"reserves": {"B": 5}}, A=[9, 13], B=[9, 6])
    assert "at most 5 left" in refusal(match(first, small))


def test_a_tie_leads_to_a_hand_of_the_tied_and_then_on() -> None:
    first = hand("AB", A=[30, 0], B=[30, 0], C=[25, 1])
    tied = score_document(match(first, target=30))
    assert (tied["over"], tied["tiebreak"], tied["ranks"]) == (False, ["A", "B"], {"A": 1, "B": 1, "C": 3})
    dropped = score_document(match(first, hand(A=[0, 5], B=[0, 3]), target=30))
    assert (dropped["over"], dropped["tiebreak"], dropped["totals"]) == (False, [], {"A": 20, "B": 24, "C": 23})
    again = score_document(match(first, {"end": "abandoned"}, hand("B", A=[5, 5], B=[9, 0]), target=30))
    assert (again["over"], again["winners"], again["tiebreak"]) == (True, ["B"], [])


# -- impossible documents -------------------------------------------------------------------------------------------

OK = hand("A", A=[20, 0], B=[10, 1])


def edit(path: str, value: object) -> dict[str, Any]:
    """Return the example with one place changed. `...` deletes the key."""
    document = copy.deepcopy(EXAMPLE)
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    place: Any = document
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


RED = "hands/0/counts/Red"
TIED = hand("AB", A=[30, 0], B=[30, 0], C=[1, 1])
TWICE = hand("A", more={"joined": {"C": 2}}, A=[2, 0], C=[1, 1])
IMPOSSIBLE: list[tuple[object, str]] = [
    (None, "the document: null is given, allowed is an object"),
    ({}, "the document: the key preset is missing"),
    (edit("preset", "bridge"), 'preset: "bridge" is given, allowed is one of nna, nna150, pagat'),
    (edit("teams", ...), "the document: the key teams is missing, needed are preset, teams, hands"),
    (edit("winner", "Red"), "winner: the key is unknown, allowed are preset, teams, hands, options, joined"),
    (edit("options/target", 0), "options.target: 0 is given, allowed is a whole number from 1"),
    (edit("options/to do", 5), 'options["to do"]: there is no such option'),
    (edit("teams", ["Red"]), 'teams: ["Red"] is given, allowed is a list of two or more names'),
    (edit("teams/1", "Red"), 'teams[1]: "Red" is given, allowed is a name that no other team has'),
    (edit("teams/1", 7), "teams[1]: 7 is given, allowed is a name"),
    (edit("teams/1", "a\nb"), 'teams[1]: "a\\nb" is given, allowed is a name of printable characters'),
    (edit("joined", {"Gold": 12}), 'joined.Gold: "Gold" is given, allowed are the teams of the match: "Red", "Blue"'),
    (edit("joined", {"Red": 0.25}), "joined.Red: 0.25 is given, allowed is a whole number or a half from -1000000"),
    (edit("hands/0/end", ...), "hands[0]: the key end is missing"),
    (edit("hands/0/end", "won"), 'hands[0].end: "won" is given, allowed is one of call, stuck, abandoned'),
    (edit("hands/0/caller", "Red"), "hands[0].caller: the key is unknown, allowed are end, callers, counts"),
    (edit("hands/0/callers", ...), "hands[0]: the key callers is missing"),
    (edit("hands/0/callers", []), "hands[0].callers: [] is given, allowed is one or more teams, each once"),
    (edit("hands/0/callers", ["Red", "Red"]), 'hands[0].callers: ["Red", "Red"] is given, allowed is one or more'),
    (edit("hands/0/callers", ["Gold"]), 'hands[0].callers[0]: "Gold" is given, allowed is one of the teams that'),
    (edit("hands/0/end", "stuck"), 'hands[0].callers: ["Red"] is given, allowed is none in a hand that ended stuck'),
    (edit("hands/0/counts", ...), "hands[0]: the key counts is missing; only an abandoned hand may lack it"),
    (edit("hands/0/counts", {"Red": [1, 0]}), "hands[0].counts: {"),
    (edit("hands/0/counts/Gold", [1, 0]), 'hands[0].counts.Gold: "Gold" is given, allowed are the teams of the match'),
    (edit(RED, [45]), "hands[0].counts.Red: [45] is given, allowed is [foundation cards, reserve cards left]"),
    (edit(RED, [10**5000, 0]), "hands[0].counts.Red[0]: a huge number is given, allowed is a whole number"),
    (edit("hands/0/false_calls", ["Gold"]), 'hands[0].false_calls[0]: "Gold" is given, allowed is one of the teams'),
    (edit("hands/0/corrected", ["Gold"]), 'hands[0].corrected[0]: "Gold" is given, allowed is one of the teams'),
    (edit("hands/0/shares", {"Red": 9}), 'hands[0].shares: {"Red": 9} is given, allowed is shares that sum to the'),
    (edit("hands/0/shares", {}), "hands[0].shares: {} is given, allowed is shares that sum to the bonus of 10"),
    (edit("hands/0/shares", {"Red": 11}), "hands[0].shares.Red: 11 is given, allowed is a whole number or a half from"),
    (edit("hands/0/shares", {"Blue": 10}), 'hands[0].shares.Blue: "Blue" is given, allowed are the callers: "Red"'),
    (edit("hands/0/reserves", {"Red": 2}), "hands[0].reserves.Red: 2 is given, allowed is a whole number from 3 to 48"),
    (edit("hands/0/reserves", {"Gold": 13}), 'hands[0].reserves.Gold: "Gold" is given, allowed are the teams that'),
    (match(hand("A", A=[20, 0], C=[1, 1]), TWICE), "hands[1].joined.C: 2 is given, allowed is a start only for a team"),
    (match(OK, TWICE, joined={"C": 2}), "hands[1].joined.C: the team joins for the second time, allowed is once"),
    (
        match(hand(A=[1, 1], B=[2, 2]), preset="racing-demon"),
        'hands[0].end: "stuck" is given, allowed is call or abandoned, because these rules abandon a stuck hand',
    ),
    (match(hand(more={"shares": {"A": 1}}, A=[1, 1], B=[2, 2]), bonus=9), "hands[0].shares.A: "),
    (match(OK, OK, target=20), 'hands[1]: no hand may follow the end of the match (won by "A")'),
    (match(OK, {"end": "abandoned"}, target=20), "hands[1]: no hand may follow the end of the match"),
    (
        match(TIED, hand(A=[1, 1], B=[1, 1], C=[1, 1]), target=30),
        'hands[1].counts: counts of "A", "B", "C" are given, needed are the tie-break hand\'s teams "A", "B"',
    ),
    (match(TIED, hand(A=[1, 1], C=[1, 1]), target=30), 'hands[1].counts: counts of "A", "C" are given, needed are'),
]


@pytest.mark.parametrize(("document", "sentence"), IMPOSSIBLE, ids=[sentence[:50] for _, sentence in IMPOSSIBLE])
def test_an_impossible_document_is_refused_in_one_sentence(document: object, sentence: str) -> None:
    assert refusal(document).startswith(sentence)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[28, 0]", "[NaN, 0]", "hands[0].counts.Red[0]: NaN is given, allowed is a whole number"),
        ("[28, 0]", f"[{'9' * 5000}, 0]", "hands[0].counts.Red[0]: 99999"),
        ('"Blue": [15, 4]', '"Red": [15, 4]', "hands[0].counts.Red: the key is given twice, allowed is once"),
        ('"options"', '"preset"', "preset: the key is given twice, allowed is once"),
        ("150", "Infinity", "options.target: Infinity is given, allowed is a whole number from 0 to 10000"),
        ("150", '{"a": 1, "a": 2}', 'options.target: {"a": 2} is given'),
        ('"hands"', '"hands', "line 1, column "),
    ],
)
def test_what_json_lets_through_is_refused_where_it_stands(old: str, new: str, sentence: str) -> None:
    text = json.dumps(EXAMPLE)
    assert old in text
    with pytest.raises(DocumentError) as caught:
        score_text(text.replace(old, new, 1))
    assert str(caught.value).startswith(sentence)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(("Red", "call")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("Red", "Blue", "x")), inner),
    max_leaves=4,
)
PLACES = (
    *("preset", "options", "options/bonus", "options/tie_ms", "teams", "teams/0", "hands", "hands/0", "joined"),
    *(f"hands/0/{key}" for key in ("end", "callers", "callers/0", "counts", "counts/Red", "counts/Blue/1")),
    *(f"hands/0/{key}" for key in ("shares", "reserves", "false_calls", "joined")),
)


@given(st.sampled_from(PLACES), JSON)
def test_any_value_anywhere_is_scored_or_refused(place: str, value: object) -> None:
    document = edit(place, value)
    try:
        text = json.dumps(score_document(document))
    except DocumentError as exc:
        text = str(exc)
    assert "\n" not in text


@given(st.permutations(("A", "B", "C", "D")), st.lists(st.tuples(*[st.integers(0, 9)] * 4), max_size=6))
def test_the_order_of_keys_and_teams_changes_no_number(order: list[str], scores: list[tuple[int, ...]]) -> None:
    hands: list[dict[str, Any]] = [dict(zip("ABCD", ([s, 0] for s in row), strict=True)) for row in scores]
    one = score_document(match(*(hand(**row) for row in hands), teams="ABCD", target=9999))
    turned = [hand(**dict[str, Any]((team, row[team]) for team in order)) for row in hands]
    other = score_document(match(*turned, teams="".join(order), target=9999))
    assert one == other
    assert list(other["totals"]) == order


# -- decisions of a table --------------------------------------------------------------------------------------------


def test_a_match_that_was_played_on_goes_on() -> None:
    over = match(
        hand("A", A=[52, 0], B=[0, 0]), hand("A", A=[52, 0], B=[0, 0]), hand("B", A=[0, 0], B=[5, 0]), teams="AB"
    )
    assert "follow the end of the match" in refusal(over)
    result = score_document(over | {"played_on": True})
    assert (result["over"], result["winners"], result["totals"]) == (True, ["A"], {"A": 104, "B": 5})
    assert "played_on" in refusal(over | {"played_on": 1})


def test_a_tie_that_was_no_tie_when_it_was_played_over() -> None:
    tied = match(
        hand("A", A=[50, 0], B=[50, 0], C=[2, 0]), hand("A", A=[4, 0], B=[3, 0], C=[2, 0]), target=50, tiebreak="hand"
    )
    assert "tie-break" in refusal(tied)
    assert score_document(tied | {"played_on": True})["winners"] == ["A"]


# -- spellings of one name -----------------------------------------------------------------------------------------


def test_other_spellings_of_a_team_are_that_team() -> None:
    hand = {"end": "call", "callers": ["RED "], "counts": {"red": [28, 0], "Jose\u0301": [15, 4]}}
    told = score_document({"preset": "nna", "teams": ["Red", "Jos\u00e9"], "hands": [hand]})
    assert told["totals"] == {"Red": 28, "Jos\u00e9": 7}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"teams": ["Anna", "anna "]}, 'teams[1]: "anna " is given, allowed is a name that no other team has'),
        (
            {"hands": [{"end": "stuck", "counts": {"Red": [1, 2], "red": [1, 2]}}]},
            "hands[0].counts.red: the key is given twice, allowed is once",
        ),
    ],
)
def test_two_spellings_are_no_two_names(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(DocumentError) as told:
        score_document({"preset": "nna", "teams": ["Red", "Blue"], "hands": []} | change)
    assert str(told.value) == sentence
