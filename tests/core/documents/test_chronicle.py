"""A match's record: it agrees with what the table announced and with its counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from referee.core.documents.chronicle import matches_of, record_of, records, records_with_rows
from referee.core.documents.course import summarize
from referee.core.documents.match import score_document
from referee.core.documents.past import entry
from referee.core.documents.record import (
    PlayerRecord,
    Record,
    RecordError,
    columns,
    forget_person,
    from_document,
    names_in,
    neutral_in,
    renamed_event,
    table,
    to_document,
)
from referee.core.documents.statistics import Statistics, distinct, statistics
from referee.core.documents.summary import ListedMatch, result
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Began, Joined, JoinedLate, Named, Opened, Rematched, Sealed, Tick
from referee.core.model.table import Setup
from referee.core.presses.signals import KNOB
from referee.core.stored import decode, encode
from referee.core.stored import from_document as event_of
from referee.core.stored import to_document as document_of
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.evenings import at_table, counted, only, played, remembered
from tests.core.sitting import BREATH_NS, Sitting

few = settings(max_examples=2, deadline=None, phases=(Phase.explicit, Phase.generate))
"""Whole evenings are slow: a few of them, and no shrinking."""
evenings = st.builds(
    played,
    st.integers(2, 4),
    st.integers(0, 10**6),
    st.just(1),
    st.sampled_from([(), (("bonus", 5),), (("target", 40),)]),
)


@cache
def record() -> Record:
    """Return the first match of the usual evening: Max and Ben tie in its first hand, Ben wins."""
    found = records(played(), {})[0]
    assert found is not None
    return found


def as_json(document: object) -> Any:
    """Return the document after a round trip through text."""
    return json.loads(json.dumps(document))


# -- records from rows ---------------------------------------------------------------------------------------------


@few
@example(played())
@given(evenings)
def test_a_record_says_what_follows_from_its_counts(rows: tuple[JournalRow, ...]) -> None:
    for found in records(rows, {}):
        assert found is not None
        result = score_document(as_json(found.match))
        assert found.totals == result["totals"]
        assert list(found.winners) == result["winners"]
        assert [hand.scores for hand in found.hands] == [hand["scores"] for hand in result["hands"]]
        assert [row[13] for row in table("1", found)][-len(found.teams) :] == list(found.totals.values())


@pytest.mark.no_cover
@few
@example(played())
@given(evenings)
def test_a_record_comes_back_from_its_document(rows: tuple[JournalRow, ...]) -> None:
    for found in records(rows, {seq: seq for seq, _ in rows}):
        assert found is not None
        document = to_document(found)
        assert from_document(as_json(document)) == found
        assert to_document(from_document(as_json(document))) == document


def test_an_evening_of_two_matches_is_two_records() -> None:
    first, second = records(played(), {seq: 1_000 + seq for seq, _ in played()})
    assert first is not None
    assert second is not None
    assert first.id != second.id
    assert [team.players for team in first.teams] == [
        (PlayerRecord(n, name),) for n, name in ((1, "Anna"), (2, "Ben"), (3, "Max"))
    ]
    assert (first.begun_s or 0) < (first.ended_s or 0) < (second.begun_s or 0) < (second.ended_s or 0)
    assert first.winners == ("Ben",)
    assert second.winners == ("Anna",)
    assert [hand.counted_s for hand in first.hands][-1] == first.ended_s
    kinds = {kind: [1_000 + seq for seq, event in played() if isinstance(event, kind)] for kind in (Began, Rematched)}
    assert [[first.begun_s], [second.begun_s]] == [kinds[Began], kinds[Rematched]]
    assert first.ended_s in [1_000 + seq for seq, event in played() if isinstance(event, Sealed)]


def test_a_hand_is_told_with_its_verdict_its_lead_and_its_clock() -> None:
    match = at_table("1", "2", "3").choose("Start").wait(BREATH_NS).playing("1", "2", "3")
    go_ns = match.engine.state.phase.go_at_ns  # type: ignore[attr-defined]
    called_ns = match.now_ns
    match.edges(("2", True, 0), ("3", True, 120 * MS)).wait(200 * MS).open("2", "3").wait(5 * S).wait(BREATH_NS)
    match.count("2", 0, 20, caller=True).count("1", 3, 10).count("3", 0, 12).wait(8 * S)
    found = only(match)
    (hand,) = found.hands
    assert hand.verdict is not None
    assert (hand.verdict.kind, hand.verdict.first, hand.verdict.gap_ns) == ("clear", "Ben", 120 * MS)
    assert hand.played_ms == (called_ns - go_ns) // MS
    assert found.played == [
        {"end": "call", "callers": ["Ben"], "counts": {"Anna": [10, 3], "Ben": [20, 0], "Max": [12, 0]}}
    ]
    assert hand.scores == {"Anna": 4, "Ben": 20, "Max": 12}


def test_an_undone_count_is_gone_and_a_redone_one_is_back_with_its_story() -> None:
    match = counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 30, "2")
    before = only(match)
    match.choose("Undo: count")
    assert remembered(match) == []
    match.choose("Redo: count")
    assert only(match) == before
    assert before.hands[0].played_ms is not None


def test_a_match_before_its_first_hand_has_no_record() -> None:
    match = at_table("1", "2").choose("Start").wait(BREATH_NS)
    assert [state.table.begun for state in matches_of(match.rows).values()] == [match.engine.state.table.begun]
    assert record_of(match.engine.state, {}) is None
    assert matches_of(match.choose("Undo: start").rows) == {}


def test_an_undone_rematch_leaves_the_match_before_as_it_was() -> None:
    setup = Setup(stations=("1", "2"), options=(("target", 20),))
    match = counted(Sitting(setup).playing("1", "2"), "1", 30, "2").wait(BREATH_NS)
    won = only(match)
    match.tap("1", "2").wait(BREATH_NS)
    ids = [*matches_of(match.rows)]
    assert len(ids) == 2
    match.choose("Undo: rematch")
    assert [*matches_of(match.rows)] == ids[:1]
    assert remembered(match) == [won]
    match.choose("Redo: rematch")
    assert [*matches_of(match.rows)] == ids
    counted(match.wait(BREATH_NS).playing("1", "2"), "2", 12, "1")
    first, second = remembered(match)
    assert (first, [first.id, second.id]) == (won, ids)
    assert second.totals == {"Red": 10, "Blue": 12}


def test_a_pair_is_a_team_of_both_and_both_are_people() -> None:
    match = Sitting(Setup(stations=("1", "2", "3"), names=(("1", "Anna"), ("2", "Ben"), ("3", "Max"))))
    match.press("1", "2", ns=900 * MS).tap("3").choose("Start").wait(BREATH_NS).playing("1", "2", "3")
    found = only(counted(match, "3", 20, "1"))
    assert [team.name for team in found.teams] == ["Anna & Ben", "Max"]
    assert found.people == {"Anna": "Anna & Ben", "Ben": "Anna & Ben", "Max": "Max"}


def test_a_newcomer_starts_where_the_table_let_them_in() -> None:
    match = counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 30, "2").wait(BREATH_NS)
    match.tap("4").choose("4 joins").wait(BREATH_NS).tap("1", "2", "4").wait(4 * S)
    counted(match, "4", 25, "1", "2")
    found = only(match)
    assert match.decisions(JoinedLate)
    assert found.match["joined"] == {"Lea": 10}
    assert found.totals == {"Anna": 40, "Ben": 20, "Lea": 35}
    assert found.hands[1].scores == {"Anna": 10, "Ben": 10, "Lea": 25}
    assert from_document(as_json(to_document(found))) == found
    assert [row[13] for row in table("1", found) if row[5] == "Lea"] == [35]
    assert forget_person(found, "Lea").match["joined"] == {"Player 4": 10}


def test_a_lead_is_over_those_who_came_later() -> None:
    """Late evidence does not change a lead. A press that was too late to count does."""
    from referee.core.documents import chronicle
    from referee.core.presses.arbiter import CalledPress, Verdict

    first, earlier, later = CalledPress("1", "1", 100, 0), CalledPress("2", "2", 40, 0), CalledPress("3", "3", 170, 0)
    ruling = Verdict("clear", False, ("1",), "1", 20, 200, (first,), ((earlier, True),), (later,))
    assert chronicle._gap_ns(ruling) == 70
    assert chronicle._gap_ns(replace(ruling, ignored=())) is None


def test_a_call_that_the_table_gave_to_another_is_no_lead_of_theirs() -> None:
    found = record()
    (hand,) = [h for h, p in zip(found.hands, found.played, strict=True) if p["callers"] == ["Anna"]]
    assert hand.verdict is not None
    assert statistics("Anna", [summarize(found)]).closest_call_ns == hand.verdict.gap_ns
    other = replace(hand, verdict=replace(hand.verdict, first="Ben"))
    hands = tuple(other if h is hand else h for h in found.hands)
    assert statistics("Anna", [summarize(replace(found, hands=hands))]).closest_call_ns is None


def test_a_stuck_hand_has_no_verdict_and_its_clock() -> None:
    for preset, end in (("ligretto", "stuck"), ("racing-demon", "abandoned")):
        match = Sitting(Setup(preset, stations=("1", "2", "3"))).playing("1", "2", "3")
        match.press(KNOB, ns=400 * MS).choose("Stuck").wait(5 * S).wait(BREATH_NS).tap("1", "2", "3")
        match.wait(BREATH_NS).tap("1", "2", "3").wait(BREATH_NS)
        for station in ("1", "2", "3") if end == "stuck" else ():
            match.count(station, 1, 10)
        found = only(match.wait(8 * S))
        assert found.played[0]["end"] == end
        assert (found.hands[0].verdict, bool(found.hands[0].scores)) == (None, end == "stuck")
        assert (found.hands[0].played_ms or 0) > 0
        assert from_document(as_json(to_document(found))) == found


def test_a_match_that_goes_on_in_another_evening_is_one_record() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    before, table = only(table), table.reopened()
    table.rows = table.chapter
    assert only(table) == replace(before, begun_s=None, ended_s=None, hands=only(table).hands)
    assert replace(only(table).hands[0], counted_s=before.ended_s) == before.hands[0]
    counted(table.wait(BREATH_NS).playing("1", "2"), "2", 30, "1")
    assert only(table).id == before.id
    assert [hand.verdict and hand.verdict.first for hand in only(table).hands] == ["Anna", "Ben"]


def test_a_match_that_only_the_lobby_knew_of_is_one_record_when_it_goes_on() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    before, table = only(table), table.power_cut(away_s=20_000).reopened()
    table.rows = table.chapter
    assert remembered(table) == []
    counted(table.choose("Resume").wait(BREATH_NS).playing("1", "2"), "2", 30, "1")
    assert (only(table).id, only(table).hands[0].verdict) == (before.id, before.hands[0].verdict)


@pytest.mark.parametrize("kept", [False, True])
def test_a_renamed_match_is_a_record_of_its_own(kept: bool) -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    before = only(table)
    if kept:
        table.power_cut(away_s=20_000)
    table.reopened(renamed=True)
    table.rows = table.chapter
    if kept:
        table.choose("Resume")
    assert only(table).id != before.id
    assert only(table).hands[0].verdict == before.hands[0].verdict


def test_a_table_without_a_match_is_not_renamed() -> None:
    table = at_table("1", "2").reopened(renamed=True)
    assert table.engine.state.table.match == ""


def test_a_decision_that_the_power_cut_off_counts_for_its_record() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    sealed = next(at for at, (_, event) in enumerate(table.rows) if isinstance(event, Sealed))
    (record,) = records(table.rows[:sealed], {})
    assert record.hands[0].scores == only(table).hands[0].scores


def test_rows_without_a_beginning_are_no_evening() -> None:
    for rows in ([], [(1, Tick(0))]):
        with pytest.raises(ValueError, match="begins with the event Opened"):
            records(rows, {})


def test_a_name_that_cannot_be_shown_is_the_seats() -> None:
    match = Sitting(Setup(stations=("1", "2"), names=(("1", "  "), ("2", "a\x1bb")))).playing("1", "2")
    assert list(only(counted(match, "1", 20, "2")).people) == ["Seat 1", "Seat 2"]


# -- the document --------------------------------------------------------------------------------------------------


def broken(**changes: Any) -> Any:
    """Return the usual record's document with these fields changed."""
    return {**as_json(to_document(record())), **changes}


def first_hand(**changes: Any) -> list[Any]:
    """Return the usual record's hands with the first one changed."""
    hands = as_json(to_document(record()))["hands"]
    return [{**hands[0], **changes}, *hands[1:]]


SPELLED = json.loads(json.dumps(broken()["match"]).replace('"callers": ["Ben"', '"callers": ["ben"'))
NO_SEAT = [{"name": n, "players": [{"seat": 1, "name": n}]} for n in ("Anna", "Ben", "Max")]
VERDICT = {"kind": "tie", "grey": False, "first": "Ben", "gap_ns": 1}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ([], 'it is no record of a match, which has "format": "referee-match"'),
        (broken(format="x"), 'it is no record of a match, which has "format": "referee-match"'),
        (broken(version=2), "its version is 2, this referee reads 1"),
        (broken(more=1), "Record: unknown field 'more'"),
        (broken(totals={}), "its totals are {}, but its counts give {'Anna': 97, 'Ben': 129, 'Max': 112}"),
        (broken(winners=["Anna"]), "its winners are ['Anna'], but its counts give ['Ben']"),
        (broken(hands=[]), "its scores are [], but its counts give [{'Anna': 4, "),
        (broken(teams=[]), "its teams are [], but its counts give ['Anna', 'Ben', 'Max']"),
        (broken(match={"preset": "nna"}), "the document: the key teams is missing"),
        (broken(begun_s=-1), "Record: begun_s and ended_s must be from 0 to 253402214400, got -1"),
        (broken(hands=first_hand(played_ms=-1)), "Record.hands[0]: played_ms must be 0 or more, got -1"),
        (
            broken(hands=first_hand(verdict=VERDICT | {"kind": "x"})),
            'Record.hands[0].verdict: the kind must be "clear" or "tie", and the gap 0 ns or more, got \'x\' and 1',
        ),
        (broken(hands=first_hand(verdict=VERDICT | {"first": "Zoe"})), "a verdict names 'Zoe', which is no team of"),
        (broken(match=SPELLED), "its match names 'ben', which is not among its teams in this spelling"),
        (broken(teams=NO_SEAT), "a team has no players, or two players have one seat"),
        (broken(agreed={"preset": "nna", "bonus": [[]]}), "Record.agreed[...]: must be "),
    ],
)
def test_a_document_that_cannot_be_is_one_sentence(document: object, sentence: str) -> None:
    with pytest.raises(RecordError) as caught:
        from_document(document)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def first_call(**changes: Any) -> list[Any]:
    """Return the usual hands with these fields changed in the first press of the first call."""
    press = {"seat": 1, "press_ns": 0, "err_ns": 5, "closed": [], "caller": True}
    return first_hand(calls=[{"window_ns": 0, "span_ns": 1, "presses": [press], **changes}])


def limits() -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield changes of the usual record, and whether each is allowed."""
    anna, *others = broken()["teams"]
    for seat in (0, 1, 99, 100):
        yield {"teams": [{**anna, "players": [{"seat": seat, "name": "Anna"}]}, *others]}, 1 <= seat <= 99
    for time_s in (-1, 0, 253_402_214_400, 253_402_214_401):
        for key in ("begun_s", "ended_s"):
            yield {key: time_s}, 0 <= time_s <= 253_402_214_400
    for figure in (-1, 0):
        yield {"hands": first_hand(played_ms=figure)}, figure == 0
        yield {"hands": first_hand(verdict=VERDICT | {"gap_ns": figure})}, figure == 0
        yield {"hands": first_call(window_ns=figure)}, figure == 0
    for span_ns in (0, 1, 3600 * S, 3600 * S + 1):
        yield {"hands": first_call(span_ns=span_ns)}, 0 < span_ns <= 3600 * S
    yield {"hands": first_hand(played_ms=None)}, True
    yield {"hands": first_call(presses=[])}, False


def test_a_figure_at_its_limit_is_read_and_one_beyond_it_is_refused() -> None:
    for changes, allowed in limits():
        if allowed:
            assert from_document(broken(**changes))
        else:
            with pytest.raises(RecordError, match=" must "):
                from_document(broken(**changes))


def test_a_press_of_an_earlier_release_was_in_time_and_its_clock_was_its_own() -> None:
    """Its document lacks these keys, so each press is in time and shares no clock."""
    (call,) = from_document(broken(hands=first_call())).hands[0].calls
    (press,) = call.presses
    assert (press.late, press.common_ns, call.last) == (False, 0, False)


# -- the table -----------------------------------------------------------------------------------------------------


def test_the_table_has_a_row_a_hand_and_team() -> None:
    rows = [dict(zip(columns(record()), row, strict=True)) for row in table("7", record())]
    assert len(rows) == 12
    assert rows[1] == {
        "match": "7", "begun_s": None, "preset": "nna", "hand": 1, "end": "call", "team": "Ben", "players": "Ben",
        "caller": 1, "callers": 2, "foundation": 36, "reserve": 0, "kings": None, "score": 36, "total": 36,
        "played_ms": 24931, "gap_ms": 19.350579, "reason": None, "bonus": 0, "false_calls": 0,
    }  # fmt: skip
    assert rows[-1]["total"] == 112
    part = replace(record(), hands=(replace(record().hands[0], scores={"Ben": 36}, verdict=None), *record().hands[1:]))
    assert next(table("7", part))[5] == "Ben"
    assert dict(zip(columns(part), next(table("7", part)), strict=True))["gap_ms"] is None


# -- a player ------------------------------------------------------------------------------------------------------


def test_statistics_are_of_the_hands_that_somebody_played() -> None:
    found = [each for each in records(played(), {}) if each]
    hands = [(h, p) for each in found for h, p in zip(each.hands, each.played, strict=True)]
    scores: list[Any] = [h.scores["Ben"] for h, _ in hands]
    calls = [(h, p) for h, p in hands if "Ben" in p["callers"]]
    leads = [
        h.verdict.gap_ns for h, p in calls if p["callers"] == ["Ben"] and h.verdict and h.verdict.gap_ns is not None
    ]
    assert statistics("Ben", map(summarize, found)) == Statistics(
        "Ben",
        matches=2,
        wins=1,
        hands=8,
        calls=len(calls),
        ties=sum(len(p["callers"]) > 1 for _, p in calls),
        mean_score=sum(scores) / len(scores),
        best_hand=max(scores),
        quickest_call_ms=min(h.played_ms or 0 for h, _ in calls),
        closest_call_ns=min(leads, default=None),
    )
    assert distinct(name for each in found for name in each.people) == ["Anna", "Ben", "Max"]


# -- forgetting ----------------------------------------------------------------------------------------------------


@few
@example(played(), "Anna")
@given(evenings, st.sampled_from(["Anna", "Ben", "Max", "Lea"]))
def test_a_forgotten_person_is_nowhere_and_everything_still_adds_up(rows: tuple[JournalRow, ...], person: str) -> None:
    documents = [as_json(document_of(event)) for _, event in rows]
    neutral = neutral_in(documents, person)
    renamed = [renamed_event(document, {person: neutral})[0] for document in documents]
    assert person not in json.dumps(renamed)
    again = [(seq, event_of(document)) for (seq, _), document in zip(rows, renamed, strict=True)]
    Engine.restored(again)
    for before, after in zip(records(rows, {}), records(again, {}), strict=True):
        assert before is not None
        assert after == forget_person(before, person)
        assert person not in json.dumps(to_document(after))
        assert from_document(as_json(to_document(after))) == after
        assert list(after.totals.values()) == list(before.totals.values())


def test_one_name_an_evening_that_nobody_else_has() -> None:
    opened = {"setup": {"stations": ["1", "2", "3"], "names": {"1": "Ben", "3": "Anna"}}}
    assert neutral_in([opened], "Anna") == "Player 3"
    assert neutral_in([opened, {"station": "2", "name": "Anna"}], "Anna") == "Player 2"
    assert neutral_in([opened, {"seats": [{"seat": {"station": "2", "name": "Anna"}}]}], "Anna") == "Player 2"
    assert neutral_in([opened, {"station": "2", "name": "Player 3"}], "Anna") == "Player 13"
    assert neutral_in([{"station": "9", "name": "Anna"}], "Anna") == "Player 1"
    assert names_in(opened) == {"Anna", "Ben"}
    assert names_in({"name": 5, "names": 6}) == set()


def test_a_journal_that_begins_in_the_middle_forgets_a_person_too() -> None:
    table = at_table("1", "2", "3").playing("1", "2", "3").reopened()
    document = document_of(table.chapter[0][1])
    neutral = neutral_in([document], "Max")
    renamed, places = renamed_event(document, {"Max": neutral})
    assert (neutral, places) == ("Player 3", 4)
    assert "Max" not in json.dumps(renamed)
    assert names_in(renamed) == names_in(document) - {"Max"} | {neutral}
    opened = event_of(renamed)
    assert isinstance(opened, Opened)
    assert Engine(opened).state.table.seats[2].name == neutral


def test_names_are_renamed_where_people_stand_and_nowhere_else() -> None:
    names = {"nna": "Player 1"}
    for event, places in (
        (Joined(1, "1", "nna"), 1),
        (Named(1, "1", "Ben"), 0),
        (Opened(1, "nna", Setup(names=(("1", "nna"), ("2", "nna"))).document()), 2),
    ):
        text = encode(event)
        document = json.loads(text)
        renamed, found = renamed_event(document, names)
        assert found == places
        assert decode(json.dumps(document)) == event
        assert renamed.get("boot") == document.get("boot")
        assert renamed.get("setup", {}).get("preset") == document.get("setup", {}).get("preset")
        assert ("nna" in names_in(renamed)) is False
    assert renamed_event({"name": 5, "x": [1]}, names) == ({"name": 5, "x": [1]}, 0)


# -- BG Stats ------------------------------------------------------------------------------------------------------


def test_what_lists_show_of_a_match() -> None:
    found = records(played(), {})[0]
    assert found is not None
    match = summarize(replace(found, ended_s=5, agreed={"preset": "nna"}))
    assert (match.ended_s, match.preset, match.game, match.hands) == (5, "nna", "Nertz", 4)
    assert list(match.people) == ["Anna", "Ben", "Max"]
    assert (match.totals, match.winners) == ({"Anna": 97, "Ben": 129, "Max": 112}, ("Ben",))
    assert (result(match), match.agreed) == ("Ben 129 : Max 112 : Anna 97", {"preset": "nna"})
    noted = {"adjustments": [{"after": 1, "team": "Ben", "points": 2}], "timeouts": [{"hand": 1, "why": "tidy"}]}
    more = summarize(replace(found, match={**found.match, **noted, "options": {"target": 110}}))
    assert (more.options, more.adjustments, more.timeouts) == ({"target": 110}, *noted.values())
    listed = entry(ListedMatch("A1", more))
    assert noted.items() <= listed.items()
    assert (listed["result"], listed["people"]) == ("Ben 131 : Max 112 : Anna 97", ["Anna", "Ben", "Max"])
    assert entry(ListedMatch("2", None, "is damaged")) == {"match": "2", "begun_s": None, "trouble": "is damaged"}


# -- one name in several spellings -----------------------------------------------------------------------------------


def two_annas() -> Record:
    match = Sitting(Setup(stations=("1", "2"), names=(("1", "Anna"), ("2", "anna"))))
    return only(counted(match.playing("1", "2"), "1", 20, "2"))


def test_two_at_one_table_with_one_name_are_told_apart_by_their_seats() -> None:
    record = two_annas()
    assert [team.name for team in record.teams] == ["Anna", "2 anna"]
    assert [player.name for team in record.teams for player in team.players] == ["Anna", "anna"]
    assert from_document(as_json(to_document(record))) == record


def test_every_spelling_of_a_person_is_counted_and_forgotten() -> None:
    record = two_annas()
    assert distinct(record.people) == ["Anna"]
    assert statistics("ANNA ", [summarize(record)]).hands == 2
    assert list(forget_person(record, "anna").people) == ["Player 1", "Player 2"]
    assert forget_person(record, "Ann") is record


def test_a_record_s_row_is_the_last_event_that_changed_it() -> None:
    rows = list(played())
    found = records_with_rows(rows, {})
    assert [record for record, _ in found.values()] == records(rows, {})
    for id_, (record, row) in found.items():
        assert record_of(matches_of([one for one in rows if one[0] <= row])[id_], {}) == record
        before = matches_of([one for one in rows if one[0] < row]).get(id_)
        assert before is None or record_of(before, {}) != record


def test_a_match_that_an_evening_only_carries_on_has_no_row_in_it() -> None:
    engine = Engine.restored(played())
    engine.take()
    engine.reopen()
    carried = records_with_rows(engine.take().rows, {})
    assert [row for _, row in carried.values()] == [0]
