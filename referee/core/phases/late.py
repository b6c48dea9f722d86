"""Presses that arrive after the verdict: listed and shown, but they never reverse it alone.

A wired press is late only if it is slow. A wireless pod may keep a press while unplugged and deliver it with its
true time during the count. It is shown, and the knob offers the contest until the counts are sealed.
"""

from __future__ import annotations

from referee.core.model.labels import said, seat_label
from referee.core.model.state import State, Step
from referee.core.model.transitions import Row, Transition
from referee.core.phases import call, contest, race, verdict
from referee.core.phases.armed import in_call
from referee.core.phases.common import blink, stay, toast, within
from referee.core.phases.counting import Counting
from referee.core.phases.verdict import Judged
from referee.core.presses.arbiter import rule, with_press
from referee.core.presses.signals import Doubted, Press, Pressed
from referee.core.values import replace


def list_late(judged: Judged, press: Press) -> tuple[Judged, bool]:
    """Return the verdict with one more press listed, and whether that press is late evidence."""
    assert judged.armed is not None
    assert judged.verdict is not None
    armed, verdict = with_press(judged.armed, press), judged.verdict
    fresh = rule(armed, verdict.refuted if verdict.standing else ())
    listed = replace(verdict, late=fresh.late, ignored=fresh.ignored)
    return replace(judged, armed=armed, verdict=listed), len(fresh.late) > len(verdict.late)


def _is_heard(state: State, judged: Judged, station: str) -> bool:
    assert judged.armed is not None
    return judged.boot == state.boot and station in judged.armed.team_of


def on_judged_pressed(state: State, phase: Judged, pressed: Pressed) -> Step:
    """List a later press. Show late evidence without reversing the verdict."""
    if not _is_heard(state, phase, pressed.press.station):
        return stay(state)
    if phase.asks and pressed.press.t_ns < phase.answers_from_ns:
        state = blink(state)  # too early to be an answer: show the player that
    phase, late = list_late(phase, pressed.press)
    if not late:
        return within(state, phase)
    return stay(contest.offer_late(replace(state, phase=phase), pressed.press.station))


def on_counted_pressed(state: State, phase: Counting, pressed: Pressed) -> Step:
    """Keep a late press during the count with the verdict, show it and offer the contest."""
    inner, press = phase.inner, pressed.press
    if not isinstance(inner, Judged) or not _is_heard(state, inner, press.station):
        return stay(state)
    judged, late = list_late(inner, press)
    if not late:
        return stay(state)
    return stay(_announce_late(replace(state, phase=replace(phase, inner=judged)), press.station))


def _announce_late(state: State, station: str) -> State:
    late = toast(state, said("toast.late_press", seat_label(state.table, station)))
    return contest.offer_late(late, station)


def on_judged_doubted(state: State, phase: Judged, doubted: Doubted) -> Step:
    """Offer the contest if a press in the call was decided too early. The verdict stays."""
    if not _doubts(state, phase, doubted):
        return stay(state)
    return stay(contest.offer_late(state, doubted.station))


def on_counted_doubted(state: State, phase: Counting, doubted: Doubted) -> Step:
    """Offer the contest for a doubted press during the count."""
    inner = phase.inner
    if not isinstance(inner, Judged) or not _doubts(state, inner, doubted):
        return stay(state)
    return stay(_announce_late(state, doubted.station))


def _doubts(state: State, judged: Judged, doubted: Doubted) -> bool:
    assert judged.verdict is not None
    return _is_heard(state, judged, doubted.station) and in_call(judged.verdict, doubted.t_ns)


ROWS: tuple[Transition, ...] = (
    Row(Judged, Pressed, on_judged_pressed, (), "a later press is listed"),
    Row(Judged, Doubted, on_judged_doubted, (), "late evidence opens the contest"),
)
CLAIM_ROWS: tuple[Transition, ...] = (
    *race.ROWS,
    *call.ROWS,
    *verdict.ROWS,
    *ROWS,
    *contest.ROWS,
    *contest.PHOTO_AND_VOID,
)
"""The rows of a call, for a game whose hands are not counted."""
COUNT_ROWS: tuple[Transition, ...] = (
    Row(Counting, Pressed, on_counted_pressed, (), "late evidence opens the contest"),
    Row(Counting, Doubted, on_counted_doubted, (), "late evidence opens the contest"),
)
