"""The figures of a device's matches: sums, duels, records, courses and evenings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.course import course, lead_changes, summarize, until
from referee.core.documents.figures import PAUSE_S, Duel, Numbered, duels, evenings, figures
from referee.core.documents.match import account
from referee.core.documents.past import with_summaries
from referee.core.documents.record import HandRecord, PlayerRecord, Record, TeamRecord, VerdictRecord
from referee.core.documents.statistics import statistics
from referee.core.documents.summary import ListedMatch
from referee.core.values import Json, replace

PEOPLE = ("Anna", "Ben", "Max", "Lea")
OVER: Json = {"target": 40}
"""A target that the matches of these tests reach."""


def a_match(
    people: Sequence[str], hands: Sequence[Json], number: int = 1, begun_s: int | None = None, **told: Json
) -> Record:
    """Return the record of a match of NNA in which everybody plays alone."""
    match = {"preset": "nna", "teams": list(people), "hands": list(hands), **told}
    found = account(match)
    verdicts = [
        VerdictRecord("clear", False, hand["callers"][0], 10 * n) if hand.get("callers") else None
        for n, hand in enumerate(hands)
    ]
    return Record(
        id=str(number),
        begun_s=begun_s,
        ended_s=None if begun_s is None else begun_s + 600,
        teams=tuple(TeamRecord(name, (PlayerRecord(n, name),)) for n, name in enumerate(people, 1)),
        hands=tuple(
            HandRecord(dict(scores), 1000 * n, verdict)
            for n, (scores, verdict) in enumerate(zip(found.hands, verdicts, strict=True), 20)
        ),
        totals=dict(found.totals),
        winners=found.winners,
        match=match,
    )


def numbered(*found: Record) -> list[Numbered]:
    """Return the matches as they are listed, numbered from 1."""
    return [(str(n), summarize(record)) for n, record in enumerate(found, 1)]


@st.composite
def matches(draw: st.DrawFn, number: int = 1) -> Record:
    """Draw any match of NNA of two to four players, finished or not."""
    people = draw(st.permutations(PEOPLE))[: draw(st.integers(2, 4))]
    hands: list[Json] = []
    for _ in range(draw(st.integers(0, 6))):
        counts: Json = {name: [draw(st.integers(0, 12)), draw(st.integers(1, 13))] for name in people}
        callers = draw(st.permutations(people))[: draw(st.integers(1, 2))]
        counts |= {name: [draw(st.integers(0, 12)), 0] for name in callers}
        hands.append({"end": "call", "callers": list(callers), "counts": counts})
        match = {"preset": "nna", "teams": list(people), "hands": hands, "options": {"target": 25}}
        if account(match).winners or account(match).ahead != "Not over yet.":
            break
    begun_s = draw(st.none() | st.integers(0, 10**6))
    return a_match(people, hands, number, begun_s, options={"target": 25})


@settings(max_examples=30)
@given(st.lists(matches(), max_size=6))
def test_sums_are_those_of_the_hands(found: list[Record]) -> None:
    told = numbered(*found)
    counted = [record for record in found if record.hands]
    (of_game,) = figures(told) or (None,)
    if of_game is None:
        assert counted == []
        return
    assert of_game.matches == len(counted)
    assert of_game.hands == sum(len(record.hands) for record in counted)
    assert sum(one.matches for one in of_game.people) == sum(len(record.people) for record in counted)
    order = [(-one.matches, -one.wins) for one in of_game.people]
    assert order == sorted(order)
    assert sum(one.wins for one in of_game.people) == sum(len(record.winners) for record in counted)
    callers = [callers for record in counted for callers in record.ended_by]
    assert (of_game.calls, of_game.ties) == (len(callers), sum(len(by) > 1 for by in callers))
    assert sum(one.calls for one in of_game.people) == sum(len(by) for by in callers)
    points = sum(Fraction(one.mean_score or 0).limit_denominator(1000) * one.hands for one in of_game.people)
    assert sorted(of_game.leads_ns) == list(of_game.leads_ns)
    assert (
        len(of_game.leads_ns) == sum(len(summarize(record).leads) for record in counted) <= of_game.calls - of_game.ties
    )
    scores: Json = [score for record in counted for hand in record.hands for score in hand.scores.values()]
    assert points == sum(map(Fraction, scores))
    over: Json = [
        score for record in counted if record.winners for hand in record.hands for score in hand.scores.values()
    ]
    assert [one.value for one in of_game.records[:1]] == ([max(over)] if over else [])
    assert of_game.typical_lead_ns == (of_game.leads_ns[(len(of_game.leads_ns) - 1) // 2] if of_game.leads_ns else None)
    for record in of_game.records:
        assert record.match in {number for number, _ in told}


@settings(max_examples=30)
@given(st.lists(matches(), max_size=6))
def test_duels_count_each_match_that_is_over_once_for_each_two(found: list[Record]) -> None:
    met = list(duels(list(map(summarize, found))))
    assert len({(duel.one, duel.other) for duel in met}) == len(met)
    for duel in met:
        both = [record for record in found if record.winners and {duel.one, duel.other} <= {*record.people}]
        assert duel.matches == len(both)
        ranks = [account(record.match).ranks for record in both]
        assert duel.better == sum(rank[duel.one] < rank[duel.other] for rank in ranks)
        assert duel.worse == sum(rank[duel.one] > rank[duel.other] for rank in ranks)
        assert duel.level == sum(rank[duel.one] == rank[duel.other] for rank in ranks)


@settings(max_examples=40)
@given(matches())
def test_a_course_begins_at_nought_and_ends_at_the_totals(record: Record) -> None:
    told = course(record)
    assert len(told) == len(record.hands) + 1
    assert dict(told[-1].totals) == record.totals
    for before, after, hand in zip(told, told[1:], record.hands, strict=False):
        gained = {team: after.totals[team] - before.totals[team] for team in after.totals}
        assert gained == {team: hand.scores.get(team, 0) for team in gained}
    assert 0 <= lead_changes(told) < max(len(told), 2)


def test_partners_are_no_rivals() -> None:
    record = a_match(("Anna", "Ben"), [call("Anna", 52, Ben=10), call("Anna", 52, Ben=10)])
    pair = TeamRecord("Anna", (PlayerRecord(1, "Anna"), PlayerRecord(3, "Max")))
    paired = replace(record, teams=(pair, record.teams[1]))
    assert list(duels([summarize(paired)])) == [Duel("Anna", "Ben", 1, 1, 0), Duel("Ben", "Max", 1, 0, 1)]


def call(caller: str, foundation: int, **others: int) -> Json:
    """Return a hand with this caller; each other player has one card left."""
    counts = {caller: [foundation, 0], **{name: [cards, 1] for name, cards in others.items()}}
    return {"end": "call", "callers": [caller], "counts": counts}


def test_the_lead_changes_when_somebody_else_leads_alone() -> None:
    record = a_match(("Anna", "Ben"), [call("Anna", 20, Ben=5), call("Ben", 30, Anna=5), call("Anna", 40, Ben=5)])
    assert lead_changes(course(record)) == 2
    same = a_match(("Anna", "Ben"), [call("Anna", 20, Ben=5), call("Anna", 10, Ben=5)])
    assert lead_changes(course(same)) == 0


def test_a_device_tells_games_apart_and_leaves_out_what_it_cannot_read() -> None:
    one = a_match(("Anna", "Ben"), [call("Anna", 20, Ben=5)])
    hand = {"knocker": "Anna", "values": {"Anna": 20, "Ben": 9}}
    lives: Json = {
        "preset": "31",
        "players": ["Anna", "Ben"],
        "hands": [hand],
    }
    found = account(lives)
    other = replace(one, match=lives, hands=(HandRecord(dict(found.hands[0])),), totals=dict(found.totals), winners=())
    empty = replace(one, hands=(), match={**one.match, "hands": []}, totals={"Anna": 0, "Ben": 0})
    told = [ListedMatch(*found) for found in numbered(one, other, empty)] + [ListedMatch("4", None, "is damaged")]
    found_ = figures(with_summaries(told))
    assert [(of.game, of.matches, of.typical_lead_ns) for of in found_] == [("Nertz", 1, 0), ("31", 1, None)]
    assert figures([]) == ()


def test_adjustments_count_from_their_hand_on() -> None:
    hands = [call("Anna", 20, Ben=5), call("Ben", 20, Anna=5)]
    adjusted = [{"after": 1, "team": "Anna", "points": -5, "reason": "penalty"}]
    match = {"preset": "nna", "teams": ["Anna", "Ben"], "hands": hands, "ended": True, "adjustments": adjusted}
    assert until(match, 0) == {"preset": "nna", "teams": ["Anna", "Ben"], "hands": []}
    assert until(match, 1)["adjustments"] == adjusted
    assert "timeouts" not in until({**match, "timeouts": {"Anna": 1}}, 0)


@settings(max_examples=30)
@given(st.lists(matches(), max_size=8))
def test_every_match_is_in_one_evening(found: list[Record]) -> None:
    told = numbered(*found)
    sat = evenings(told)
    assert sorted(number for evening in sat for number, _ in evening.matches) == sorted(number for number, _ in told)
    ends = [(evening.begun_s, evening.matches[-1][1].ended_s) for evening in sat if evening.begun_s is not None]
    for (_, ended), (begun, _) in itertools.pairwise(ends):
        assert begun is not None
        assert ended is not None
        assert begun - ended > PAUSE_S
    for evening in sat:
        assert evening.number == evening.matches[0][0]
        assert len(evening.matches) == 1 or evening.begun_s is not None
        assert sum(evening.wins_of(who) for who in evening.people) == sum(len(r.winners) for _, r in evening.matches)


def test_the_closest_call_is_the_least_lead() -> None:
    hands = [call("Ben", 20, Anna=5), call("Anna", 30, Ben=5), call("Anna", 30, Ben=5)]
    over = a_match(("Anna", "Ben"), hands, options=OVER)
    (found,) = figures(numbered(over, over))
    best = {one.what: (one.who, one.value, one.match) for one in found.records}
    assert best == {
        "hand": (("Anna",), 30, "1"),
        "total": (("Anna",), 63, "1"),
        "quickest": (("Ben",), 20_000, "1"),
        "closest": (("Ben",), 0, "1"),
        "longest_hand": ((), 22_000, "1"),
        "longest_match": ((), 3, "1"),
    }
    assert all(isinstance(one.value, int) for one in found.records)


def test_running_match_holds_no_record() -> None:
    hands = [call("Ben", 20, Anna=5), call("Anna", 30, Ben=5)]
    (found,) = figures(numbered(a_match(("Anna", "Ben"), hands), a_match(("Anna", "Ben"), hands[:1], options=OVER)))
    assert found.records == ()
    (found,) = figures(numbered(a_match(("Anna", "Ben"), [*hands, call("Ben", 9, Anna=5)]), over_match()))
    assert {one.match for one in found.records} == {"2"}


@pytest.mark.parametrize("back", ["Red", "Blau", "Verde"])
def test_bots_hold_no_record(back: str) -> None:
    """They and other players without a name are called by the back of their deck.

    A bot's better result in the same match does not hide a person's.
    """
    hands = [call(back, 38, Anna=5), call("Anna", 37, **{back: 1})]
    (found,) = figures(numbered(a_match(("Anna", back), hands, options=OVER)))
    best = {one.what: (one.who, one.value) for one in found.records}
    assert {who for who, _ in best.values()} == {("Anna",), ()}
    assert (best["total"], best["hand"]) == ((("Anna",), 40), (("Anna",), 37))
    assert (best["quickest"], best["closest"]) == ((("Anna",), 21_000), (("Anna",), 10))


def over_match() -> Record:
    return a_match(("Anna", "Ben"), [call("Ben", 40, Anna=5)], options={"target": 30})


def test_a_hand_without_a_clock_is_no_record_of_time() -> None:
    record = a_match(("Anna", "Ben"), [call("Ben", 20, Anna=5), call("Ben", 30, Anna=5)], options=OVER)
    (found,) = figures(numbered(replace(record, hands=(replace(record.hands[0], played_ms=None), record.hands[1]))))
    best = {one.what: one.value for one in found.records}
    assert (best["quickest"], best["longest_hand"], best["hand"]) == (21_000, 21_000, 30)


def test_a_person_s_best_is_taken_from_all_hands_of_all_matches() -> None:
    one = [call("Ben", 20, Anna=5), call("Anna", 30, Ben=5), call("Anna", 25, Ben=5)]
    other = [call("Anna", 11, Ben=5), call("Anna", 12, Ben=5), call("Ben", 12, Anna=5)]
    matches_ = [summarize(a_match(("Anna", "Ben"), hands)) for hands in (one, other)]
    for told, (best, quickest_ms, closest_ns) in (
        (matches_, (30, 20_000, 0)),
        (matches_[:1], (30, 21_000, 10)),
        (matches_[::-1], (30, 20_000, 0)),
    ):
        anna = statistics("Anna", told)
        assert (anna.best_hand, anna.quickest_call_ms, anna.closest_call_ns) == (best, quickest_ms, closest_ns)
    assert (statistics("Anna", matches_).calls, statistics("Anna", matches_).hands) == (4, 6)
    assert statistics("Anna", matches_).mean_score == (3 + 30 + 25 + 11 + 12 + 3) / 6
