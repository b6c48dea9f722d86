"""Presses that come when the verdict has fallen: listed, shown, and never a reversal by themselves.

A wired press is late only by being slow. One on a link may have been kept through an unplug and come with its true
time when the table counts already; it is told, and the contest is at the knob until the counts are sealed.
"""

from __future__ import annotations

from dataclasses import replace

from referee.core.arbiter import press as into_court
from referee.core.arbiter import rule
from referee.core.games.nertz import contest
from referee.core.games.nertz.phases import Judged
from referee.core.labels import number
from referee.core.phases.common import stay, toast, within
from referee.core.signals import Press, Pressed
from referee.core.state import Counting, State, Step
from referee.core.transitions import Row


def listed(judged: Judged, press: Press) -> tuple[Judged, bool]:
    """The verdict with one more press in its lists, and whether that is late evidence."""
    assert judged.court is not None
    assert judged.verdict is not None
    court = into_court(judged.court, press)
    fresh = rule(court)
    verdict = replace(judged.verdict, late=fresh.late, ignored=fresh.ignored)
    return replace(judged, court=court, verdict=verdict), len(fresh.late) > len(judged.verdict.late)


def _heard(state: State, judged: Judged, press: Press) -> bool:
    assert judged.court is not None
    return judged.boot == state.boot and press.station in judged.court.team_of


def on_judged_pressed(state: State, pressed: Pressed) -> Step:
    """A later press is listed; late evidence is shown and never reverses the verdict."""
    phase = state.phase
    assert isinstance(phase, Judged)
    if not _heard(state, phase, pressed.press):
        return stay(state)
    phase, late = listed(phase, pressed.press)
    if not late:
        return within(state, phase)
    return stay(contest.offer_late(replace(state, phase=replace(phase, photo=False)), pressed.press.station))


def on_counted_pressed(state: State, pressed: Pressed) -> Step:
    """Evidence that comes while the table counts: kept with the verdict and said, and the contest opens."""
    phase, press = state.phase, pressed.press
    assert isinstance(phase, Counting)
    inner = phase.inner
    if not isinstance(inner, Judged) or not _heard(state, inner, press):
        return stay(state)
    judged, late = listed(inner, press)
    if not late:
        return stay(state)
    said = toast(state, f"LATE PRESS {number(state.table, press.station)}")
    return stay(contest.offer_late(replace(said, phase=replace(phase, inner=judged)), press.station))


ROWS = (
    Row(Judged, Pressed, on_judged_pressed, ("VERDICT",), "a later press is listed"),
    Row(Counting, Pressed, on_counted_pressed, ("COUNTING",), "late evidence opens the contest"),
)
