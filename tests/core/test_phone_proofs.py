"""A verdict that proofs of phones bring early is the one that would have come after the longest wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clocks.fit import Instant
from referee.core.clocks.touch import within
from referee.core.match.engine import Engine
from referee.core.model.events import Fact, RowsKnown, Ruled
from referee.core.model.table import PHONE_LAG_NS
from referee.core.model.view import PhotoScreen, VerdictScreen
from referee.core.phases.call import call_proof_ns, proof_wanted_ns
from referee.core.presses.arbiter import AGE_NS, Verdict
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from tests.core.sitting import ERR_NS, Sitting
from tests.core.test_phone_buttons import playing, touched

WIRED, PHONES = ("1", "2"), ("3", "4")
W_NS, C_NS = 20 * MS, 10 * MS
Outcome = tuple[set[str], bool]


@cache
def race() -> Sitting:
    """Four players in a race; two have their button on a phone."""
    return playing(*PHONES, stations=(*WIRED, *PHONES))


def known(sitting: Sitting, station: str, ago_ns: int) -> Sitting:
    """Let a phone prove that none of its rows from before that time is still on its way."""
    sitting.engine.intake([RowsKnown(sitting.now_ns, station, sitting.now_ns - ago_ns)], sitting.now_ns)
    return sitting


def touching(sitting: Sitting, station: str, ago_ns: int, err_ns: int = 18 * MS) -> Sitting:
    """Let the first row of a touch arrive now."""
    row = Edge(station, True, sitting.now_ns - ago_ns, err_ns, sitting.now_ns, f"phone:{station}", err_ns)
    sitting.engine.intake([row], sitting.now_ns)
    return sitting


def test_the_verdict_comes_once_each_phone_has_proved_its_time_beyond_the_window() -> None:
    sitting = playing("2", "3").press("1", ns=30 * MS)  # 82 ms in all
    assert known(sitting, "2", 40 * MS).phase == "CALLED"
    assert known(sitting, "3", 65 * MS).phase == "CALLED"  # not yet beyond W
    assert known(sitting, "3", 50 * MS).phase == "VERDICT"
    assert not sitting.screen(VerdictScreen).grey


def test_an_open_call_says_up_to_when_phones_must_prove_their_touches() -> None:
    sitting = playing("2")
    assert call_proof_ns(sitting.engine.state) == 0
    (press,) = sitting.press("1", ns=30 * MS).engine.state.phase.armed.presses  # type: ignore[attr-defined]
    assert call_proof_ns(sitting.engine.state) == press.t_ns + press.err_ns + W_NS


def test_a_phone_that_has_called_is_not_waited_for() -> None:
    sitting = touched(playing("2", "3"), "2", 60 * MS)
    assert sitting.phase == "CALLED"
    assert known(sitting.wait(70 * MS), "3", 60 * MS).phase == "VERDICT"


def test_a_proof_makes_a_touch_certain() -> None:
    sitting = touching(playing("2"), "2", 60 * MS)
    assert known(sitting, "2", 70 * MS).phase == "PLAYING"
    assert known(sitting.wait(MS), "2", 50 * MS).phase in ("CALLED", "VERDICT")


def test_the_verdict_waits_for_no_touch_that_began_after_the_window() -> None:
    sitting = known(playing("2", "3").press("1", ns=30 * MS), "2", 50 * MS)
    assert touching(sitting, "2", 20 * MS).phase == "CALLED"
    assert known(sitting, "3", 50 * MS).phase == "VERDICT"


def test_a_touch_from_before_the_phone_s_own_proof_is_late_evidence() -> None:
    sitting = playing("2", "3").press("1", ns=30 * MS)
    assert known(sitting, "2", 40 * MS).phase == "CALLED"
    touched(sitting, "2", 120 * MS)
    assert known(sitting, "3", 40 * MS).phase == "VERDICT"
    screen = sitting.wait(20 * MS).screen(VerdictScreen)
    assert [label.numbers for label in screen.callers] == [(1,)]
    assert [label.numbers for label, _ in screen.late] == [(2,)]


@pytest.mark.parametrize("ago_ns", [-MS, S])
def test_a_proof_of_the_future_or_of_less_than_before_is_refused(ago_ns: int) -> None:
    sitting = known(playing("2"), "2", 100 * MS)
    contact = sitting.engine.state.contacts[1]
    assert known(sitting, "2", ago_ns).engine.state.contacts[1] == contact


def test_the_photo_finish_shows_the_bound_of_each_press() -> None:
    sitting = touched(playing("2", "3").press("1", ns=30 * MS), "2", 70 * MS)
    assert known(sitting, "3", 40 * MS).phase == "VERDICT"
    lines = sitting.turn(1).screen(PhotoScreen).lines
    assert [(line.label.numbers, line.err_ns, line.caller) for line in lines] == [
        ((1,), ERR_NS, True),
        ((2,), 18 * MS, True),
    ]


def test_a_touch_that_contradicts_its_bounds_keeps_them() -> None:
    assert within(Instant(50, 10), 70, 90) == Instant(50, 10)


def test_a_press_after_an_early_verdict_is_listed_as_ignored() -> None:
    sitting = known(playing("2").press("1", ns=30 * MS), "2", 40 * MS)
    verdict = sitting.press("3").engine.state.phase.ruling  # type: ignore[attr-defined]
    assert [[p.station for p in some] for some in (verdict.presses, verdict.ignored)] == [["1"], ["3"]]
    assert verdict.late == ()


# -- calls of which every order of arrival is drawn -------------------------------------------------------------------


@dataclass
class Sent:
    """What a phone sends: a touch with its bounds, or (without a level) an answer that proves `t_ns`."""

    t_ns: int
    err_ns: int
    level: bool | None
    arrived_ns: int


@st.composite
def streams(draw: st.DrawFn) -> list[Sent]:
    """Draw a phone's messages, as an ordered link delivers them. Its clock and touch have any honest bound."""
    err_ns = draw(st.sampled_from([2, 11, 18, 60, 140])) * MS
    finger_ns = draw(st.integers(0, 90)) * MS
    t_ns = finger_ns + draw(st.integers(-err_ns, err_ns))
    left_ns = finger_ns + draw(st.integers(10, 60)) * MS
    touches = [Sent(t_ns, err_ns, True, left_ns), Sent(t_ns + 20 * MS, err_ns, True, left_ns + 20 * MS)]
    if draw(st.integers(0, 4)) == 0:
        touches = []
    asked = draw(st.lists(st.integers(0, 400 * MS), max_size=6)) + draw(st.sampled_from([[], [left_ns - 1]])) + [S // 4]
    answers = [Sent(sent_ns, 0, None, sent_ns) for sent_ns in asked]
    items = sorted((*touches, *answers), key=lambda item: item.arrived_ns)
    late_ns, known_ns = 0, -S
    for n, item in enumerate(items):
        longest_ns = finger_ns + PHONE_LAG_NS - item.arrived_ns if item.level is not None else 150 * MS
        late_ns = max(late_ns, item.arrived_ns + draw(st.integers(0, min(150 * MS, longest_ns))))
        item.arrived_ns = late_ns
        if item.level is None:
            later = [touch.t_ns - touch.err_ns for touch in items[n:] if touch.level is not None]
            known_ns = max(known_ns, min((item.t_ns - draw(st.sampled_from([0, 20, 80])) * MS, *later)))
            item.t_ns = known_ns
    return items


@st.composite
def calls(draw: st.DrawFn) -> list[Fact]:
    """Draw the facts of a call, in order of arrival, from S/2 after the race began."""
    at_ns, facts = race().now_ns + S // 2, list[Fact]()
    for station in WIRED:
        if draw(st.booleans()):
            facts.append(Edge(station, True, at_ns + draw(st.integers(0, 90 * MS)), ERR_NS))
    for station in PHONES:
        for item in draw(streams()):
            t_ns, came_ns, err_ns = at_ns + item.t_ns, at_ns + item.arrived_ns, item.err_ns
            if item.level is None:
                facts.append(RowsKnown(came_ns, station, t_ns))
            else:
                facts.append(Edge(station, True, t_ns, err_ns, came_ns, f"phone:{station}", err_ns))
    return sorted(facts, key=arrival)


def arrival(fact: Fact) -> int:
    return fact.arrived_ns if isinstance(fact, Edge) else fact.at_ns


def ruled(facts: Sequence[Fact], *, asked: bool = False) -> Iterator[Ruled]:
    """Yield the verdict on a call. asked: take a proof only if the table wants it, as the device does."""
    engine: Engine = copy(race().engine)
    engine.take()
    for fact in facts:
        engine.intake([], arrival(fact) - 1)
        if isinstance(fact, RowsKnown) and asked:
            wanted_ns = proof_wanted_ns(engine.state, fact.station)
            if wanted_ns is None or fact.until_ns < wanted_ns:
                continue
        engine.intake([fact], arrival(fact))
    engine.intake([], race().now_ns + 3 * S)
    yield from (event for _, event in engine.take().rows if isinstance(event, Ruled))


def outcome(verdict: Verdict) -> Outcome:
    return set(verdict.callers), verdict.grey


def by_the_rules(facts: Sequence[Fact]) -> Outcome | None:
    """Return the callers and whether the verdict is in doubt, straight from the rules; None without a press."""
    first = {fact.station: fact for fact in reversed(facts) if isinstance(fact, Edge)}
    if not first:
        return None
    old = {p.station for p in first.values() if p.arrived_ns - p.t_ns + p.err_ns > AGE_NS}
    counts = {p.station: p.arrived_ns if p.station in old else p.t_ns for p in first.values()}
    callers, doubt = set(), False
    for p in first.values():
        others, counts_ns = [q for q in first.values() if q is not p], counts[p.station]
        if all(counts_ns - min(p.err_ns, C_NS) <= counts[q.station] + q.err_ns + W_NS for q in others):
            callers.add(p.station)
        surely = all(counts_ns + p.err_ns <= q.t_ns - q.err_ns + W_NS for q in others)
        surely_not = any(p.t_ns - p.err_ns > counts[q.station] + q.err_ns + W_NS for q in others)
        doubt = doubt or not (surely or surely_not)
    return callers, doubt


@given(calls(), st.booleans())
def test_an_early_verdict_is_the_one_after_the_longest_wait(facts: list[Fact], asked: bool) -> None:
    early, late = list(ruled(facts, asked=asked)), list(ruled([f for f in facts if isinstance(f, Edge)]))
    truth = by_the_rules(facts)
    assert [outcome(one.verdict) for one in early] == [outcome(one.verdict) for one in late]
    assert [outcome(one.verdict) for one in early] == ([] if truth is None else [truth])
    assert all(one.at_ns <= other.at_ns for one, other in zip(early, late, strict=True))
