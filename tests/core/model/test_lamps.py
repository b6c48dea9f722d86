"""Lamp patterns in time: when each lamp is on, and for how long."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.model import lamps
from referee.core.model.lamps import Pattern, Wink, changes_ns, is_lit, wink, wink_ends_ns
from referee.core.model.table import Setup
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting

LOOK_NS = 10 * MS
"""The interval of looks. Spans are precise to it."""
Spans = list[tuple[int, int]]


def lit(table: Sitting, station: str, since_ns: int, ns: int) -> Spans:
    """Return the spans in which the lamp is on, in ms from `since_ns` (which may be past)."""
    index = table.setup.stations.index(station)
    looks = [(at // MS, table.engine.view(since_ns + at).lamps[index].lit) for at in range(0, ns + 1, LOOK_NS)]
    edges = [(at, now) for (_, before), (at, now) in pairwise([(0, False), *looks]) if now is not before]
    return [(on, off) for (on, up), (off, _) in pairwise([*edges, (ns // MS, False)]) if up]


def test_with_the_verdict_the_caller_s_lamp_stands_and_the_others_pulse_three_times() -> None:
    table = Sitting().playing("1", "2", "3").close("2")
    assert [lamp.lit for lamp in table.view.lamps] == [True, True, True, False]
    table.wait(100 * MS)
    ruled_ns = table.engine.state.phase.asked_at_ns
    assert lit(table, "2", ruled_ns, 3 * S) == [(0, 3_000)]
    pulses = lit(table, "1", ruled_ns, 3 * S)
    assert len(pulses) == 3
    assert pulses[-1][1] <= 1_200
    assert lit(table, "3", ruled_ns, 3 * S) == pulses


def test_a_lamp_blinks_once_a_second_while_it_waits_and_twice_for_who_has_the_reserve() -> None:
    options = (("pile_control", "alternate"),)
    table = Sitting(Setup("nna", options, ("1", "2", "3"))).press("1", "2", ns=900 * MS).tap("3").wait(2 * S)
    table.choose("Start")
    answers_ns = table.engine.state.phase.asked_at_ns + 700 * MS
    table.wait(3 * S)
    assert lit(table, "2", answers_ns, 900 * MS) == [(0, 500)]
    assert lit(table, "2", answers_ns, 1_900 * MS) == [(0, 500), (1_000, 1_500)]
    twice = lit(table, "1", answers_ns, 1_300 * MS)
    assert len(twice) == 2
    assert twice[1][1] <= 500
    assert lit(table, "1", answers_ns - 700 * MS, 690 * MS) == []
    table.tap("3").wait(2 * S)
    assert lit(table, "3", table.now_ns, S) == [(0, 1_000)]


def test_a_button_that_lies_blips_once_in_three_seconds_and_never_in_play() -> None:
    table = Sitting().tap("1", "2").close("1").wait(13 * S)
    blips = lit(table, "1", table.now_ns, 9 * S)
    assert len(blips) == 3
    assert {after[0] - before[0] for before, after in pairwise(blips)} == {3_000}
    assert all(off - on <= 100 for on, off in blips)
    table = Sitting().playing("1", "2").press("1").wait(4 * S).choose("False call").wait(BREATH_NS).tap("1")
    table.wait(3_200 * MS).close("3").wait(13 * S)
    assert table.phase == "PLAYING"
    assert not any(lamp.lit for lamp in table.view.lamps)


# -- patterns, to the nanosecond -----------------------------------------------------------------------------------


def spans_of(pattern: Pattern, since_ns: int = 0, until_ns: int = 6 * S) -> Spans:
    """Return the spans in ms in which the pattern is on, by asking for its next change."""
    edges, now_ns, lit_before = [], since_ns - 1, False
    while now_ns < until_ns:
        if is_lit(pattern, since_ns, now_ns) is not lit_before:
            lit_before = not lit_before
            edges.append(now_ns / MS)
        change_ns = changes_ns(pattern, since_ns, now_ns)
        now_ns = until_ns if change_ns is None else min(change_ns, until_ns)
    return list(zip(edges[::2], [*edges[1::2], until_ns / MS][: len(edges[::2])], strict=True))  # type: ignore[arg-type]


def every(period: int, *spans: tuple[int, int], until: int = 6_000) -> Spans:
    """Return the spans repeated with that period."""
    return [(at + on, min(at + off, until)) for at in range(0, until, period) for on, off in spans if at + on < until]


SHOWN: dict[str, tuple[Pattern, Spans]] = {
    "dark": (lamps.DARK, []),
    "steady": (lamps.STEADY, [(0, 6_000)]),
    "all_on": (lamps.ALL_ON, [(0, 6_000)]),
    "slow": (lamps.SLOW, every(1_000, (0, 500))),
    "double": (lamps.DOUBLE, every(1_400, (0, 150), (350, 500))),
    "pulse3": (lamps.PULSE3, [(0, 200), (400, 600), (800, 1_000)]),
    "alternate": (lamps.ALTERNATE[0], every(1_000, (0, 500))),
    "alternate, the other": (lamps.ALTERNATE[1], every(1_000, (500, 1_000))),
    "fault": (lamps.FAULT, every(3_000, (0, 100))),
    "beat": (lamps.beats((1 * S, 2 * S), 3 * S), [(1_000, 1_150), (2_000, 2_150), (3_000, 3_500)]),
    "wink": (wink(Wink("1", 0, 1)), [(100, 200)]),
    "wink, of a hold": (wink(Wink("1", 0, 2)), [(100, 200), (440, 540)]),
}
"""Name of a pattern (for pages and phones) -> the pattern, and the spans in ms in which it is on.

Two winks are 0.34 s apart.
"""


@pytest.mark.parametrize("name", SHOWN)
def test_a_pattern_is_on_at_these_times_and_called_by_its_name(name: str) -> None:
    pattern, shown = SHOWN[name]
    assert pattern.name == name.partition(",")[0]
    assert spans_of(pattern) == shown
    assert spans_of(pattern, 700 * MS, 6_700 * MS) == [(on + 700, off + 700) for on, off in shown]


@given(
    st.lists(st.integers(0, 40), min_size=2, max_size=8, unique=True).map(sorted),
    st.integers(0, 20),
    st.integers(0, 30),
    st.integers(0, 200),
)
def test_a_lamp_says_when_it_changes_next_whatever_its_pattern(
    edges: list[int], dark: int, since: int, now: int
) -> None:
    spans = tuple(zip(edges[::2], edges[1::2], strict=False))
    for period in (0, spans[-1][1] + dark):
        pattern = Pattern("any", spans, period)
        lit = [is_lit(pattern, since, at) for at in range(now, now + 200)]
        changes = [at for at, (before, after) in enumerate(pairwise(lit), now + 1) if before is not after]
        told = changes_ns(pattern, since, now)
        assert told is not None if period else True
        assert not changes or (told is not None and now < told <= changes[0])


@pytest.mark.parametrize(("lit_since_ms", "flashes"), [(0, 0), (1, 0), (50, 0), (239, 0), (240, 1), (400, 1)])
def test_a_lamp_that_lit_up_in_the_last_240_ms_answers_by_going_dark(lit_since_ms: int, flashes: int) -> None:
    for begun_ms in (0, 7_000):  # in its first second, or after several
        assert len(wink(Wink("1", (begun_ms + lit_since_ms) * MS, 1), lamps.SLOW).spans_ns) == flashes
    assert len(wink(Wink("1", 550 * MS, 1), lamps.SLOW).spans_ns) == 1


@pytest.mark.parametrize(
    ("times", "under", "ms"),
    [(1, lamps.DARK, 440), (2, lamps.STEADY, 780), (1, lamps.SLOW, 1_100), (2, lamps.SLOW, 1_440)],
)
def test_a_lamp_goes_back_to_its_pattern_when_that_adds_no_fourth_flash(times: int, under: Pattern, ms: int) -> None:
    """A steady lamp returns 0.34 s after the last flash began, a blinking one after 1 s."""
    assert wink_ends_ns(Wink("1", 5 * S, times), under) == 5 * S + ms * MS
