"""What lamps do in time, looked at as people do: when each goes on, and for how long."""

from __future__ import annotations

from itertools import pairwise

from referee.core.model.table import Setup
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting

LOOK_NS = 10 * MS
"""So often somebody looks: spans are told to that."""
Spans = list[tuple[int, int]]


def lit(table: Sitting, station: str, since_ns: int, ns: int) -> Spans:
    """From when until when that lamp is on within `ns` from `since_ns` (which may be past), in ms from there."""
    index = table.setup.stations.index(station)
    looks = [(at // MS, table.engine.view(since_ns + at).lamps[index].lit) for at in range(0, ns + 1, LOOK_NS)]
    edges = [(at, now) for (_, before), (at, now) in pairwise([(0, False), *looks]) if now is not before]
    return [(on, off) for (on, up), (off, _) in pairwise([*edges, (ns // MS, False)]) if up]


def test_lamps_flash_on_each_beat_and_stand_for_half_a_second_at_go() -> None:
    """READY, SET, GO a second apart, then dark: from there on a press is the call."""
    table = Sitting().seated("1", "2").tap("1", "2")
    go_ns = table.view.go_ns
    assert go_ns is not None
    beats = lit(table, "1", go_ns - 3 * S, 2_900 * MS)
    table.until(go_ns + 200 * MS)
    assert (beats, lit(table, "2", go_ns, 4 * S)) == ([(1_000, 1_150), (2_000, 2_150)], [(0, 500)])
    assert not any(lamp.lit for lamp in table.view.lamps[2:])


def test_with_the_verdict_the_caller_s_lamp_stands_and_the_others_pulse_three_times() -> None:
    """Within 1.2 s; all are on from the stop to it, and those of nobody are dark."""
    table = Sitting().playing("1", "2", "3").close("2")
    assert [lamp.lit for lamp in table.view.lamps] == [True, True, True, False]
    table.wait(100 * MS)
    ruled_ns = table.engine.state.phase.asked_at_ns
    assert lit(table, "2", ruled_ns, 3 * S) == [(0, 3_000)]
    pulses = lit(table, "1", ruled_ns, 3 * S)
    assert len(pulses) == 3
    assert pulses[-1][1] <= 1_200
    assert lit(table, "3", ruled_ns, 3 * S) == pulses


def test_lamps_of_tied_callers_take_turns_each_second() -> None:
    """One is on for half a second, then the other."""
    table = Sitting().playing("1", "2", "3").edges(("1", True, 0), ("2", True, 5 * MS)).wait(100 * MS)
    ruled_ns = table.engine.state.phase.asked_at_ns
    assert lit(table, "1", ruled_ns, 1_900 * MS) == [(0, 500), (1_000, 1_500)]
    assert lit(table, "2", ruled_ns, 1_900 * MS) == [(500, 1_000), (1_500, 1_900)]


def test_a_lamp_blinks_once_a_second_while_it_waits_and_twice_for_who_has_the_reserve() -> None:
    """From when an answer counts; steady once it has been given."""
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
    """In the lobby something lies on it; while cards move no lamp says so."""
    table = Sitting().tap("1", "2").close("1").wait(13 * S)
    blips = lit(table, "1", table.now_ns, 9 * S)
    assert len(blips) == 3
    assert {after[0] - before[0] for before, after in pairwise(blips)} == {3_000}
    assert all(off - on <= 100 for on, off in blips)
    table = Sitting().playing("1", "2").press("1").wait(4 * S).choose("False call").wait(BREATH_NS).tap("1")
    table.wait(3_200 * MS).close("3").wait(13 * S)
    assert table.phase == "PLAYING"
    assert not any(lamp.lit for lamp in table.view.lamps)
