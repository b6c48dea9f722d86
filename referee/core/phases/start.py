"""STARTING and RESUMING: the beats to Go, and the one gesture that stops them.

    last ready, 1 s, READY, 1 s, SET, 1 s, GO          a resume: 3, 1 s, 2, 1 s, 1, 1 s, GO

Every instant is known from the beginning, so lamps, sound and picture can be prepared for it. A press from the first
beat to Go + 100 ms stops the start: a false start seen, dropped cards, somebody not ready.
"""

from __future__ import annotations

from typing import Any

from referee.core.events import Cue
from referee.core.games.registry import game_of
from referee.core.labels import seat_label
from referee.core.phases.common import stay, to, toast, wink, within
from referee.core.signals import Pressed, Released
from referee.core.state import (
    Due,
    Freed,
    KnobHeld,
    Phase,
    Ready,
    Resuming,
    Starting,
    State,
    Step,
    Stopped,
    TimeOut,
    down_among,
    fresh,
    seats_of,
)
from referee.core.transitions import BEGINS, RESUMES, Item, Row
from referee.core.units import MS, S
from referee.core.values import replace

BEAT_NS = 1 * S
LEAD_NS = 3 * BEAT_NS
"""From the beginning of a start or a resume to Go."""
STOP_NS = 100 * MS
"""A press this soon after Go is faster than anybody can play a card: it stops the start."""


def start(state: State, playing: tuple[str, ...], play: Any = None) -> Step:
    """Into STARTING, or with a kept `play` into RESUMING; the sounds of the beats and of Go are ordered with it.

    A game without beats is played at once.
    """
    now, game = state.now_ns, game_of(state.table)
    if not game.counts_down:
        return to(
            state, game.begin(state, playing, now, now) if play is None else game.resumed(state.table, play, now, now)
        )
    go = now + LEAD_NS
    armed = go if game.start_noted(state.table) else go + STOP_NS
    if play is None:
        phase = Starting(now, playing, (now + BEAT_NS, now + 2 * BEAT_NS), go, armed)
    else:
        phase = Resuming(now, playing, (now, now + BEAT_NS, now + 2 * BEAT_NS), go, armed, True, play)
    return to(state, phase, *(Cue("beat", beat) for beat in phase.beats_at_ns), Cue("go", phase.go_at_ns))


def on_due(state: State, due: Due) -> Step:
    """The lead-in is over, or the hand has begun."""
    phase = state.phase
    assert isinstance(phase, Starting)
    if not phase.counting:
        return _first_beat(state, phase)
    game = game_of(state.table)
    if phase.play is not None:
        return to(state, game.resumed(state.table, phase.play, phase.go_at_ns, phase.armed_at_ns))
    return to(state, game.begin(state, phase.playing, phase.go_at_ns, phase.armed_at_ns))


def _first_beat(state: State, phase: Starting) -> Step:
    if down_among(state, phase.playing):
        back = Ready(phase.asked_at_ns, phase.playing, frozenset(seats_of(state.table, phase.playing)))
        return to(state, back, Cue("hush", state.now_ns, cancels=True))
    return within(state, replace(phase, counting=True))


def on_pressed(state: State, pressed: Pressed) -> Step:
    """From the first beat on a press stops the start; before it, it is one more "ready"."""
    phase, press = state.phase, pressed.press
    assert isinstance(phase, Starting)
    if press.station not in seats_of(state.table, phase.playing):
        return stay(state)
    if press.t_ns < phase.beats_at_ns[0]:
        return stay(state)
    if game_of(state.table).start_noted(state.table):
        return stay(early(state, press.station))
    return stop(state, phase, press.station)


def early(state: State, station: str) -> State:
    """A press before its time is said; its rows are in the journal."""
    label = seat_label(state.table, station)
    return toast(state, f"{label.numbers[0]} {label.name} EARLY".upper())


def stop(state: State, phase: Starting, station: str) -> Step:
    """The start is stopped, said, and counted again once its stopper has tapped."""
    stopped = Stopped(state.now_ns, phase.playing, (station,), phase.play)
    return to(wink(state, station, 2), stopped, Cue("stop_start", state.now_ns, cancels=True))


def on_stopper(state: State, pressed: Pressed) -> Step:
    """A stopper taps again; whoever pressed together with the first one has stopped it too."""
    phase, station = state.phase, pressed.press.station
    assert isinstance(phase, Stopped)
    if station not in seats_of(state.table, phase.playing):
        return stay(state)
    if fresh(phase, pressed.press.t_ns):
        left = tuple(s for s in phase.stoppers if s != station)
        return within(wink(state, station, 1), replace(phase, stoppers=left))
    if station not in phase.stoppers:
        return within(state, replace(phase, stoppers=(*phase.stoppers, station)))
    return stay(state)


def on_stopper_released(state: State, released: Released | Freed) -> Step:
    """Nobody is waited for and no button is down: the beats repeat."""
    phase = state.phase
    assert isinstance(phase, Stopped)
    waits = phase.stoppers or phase.by_knob or down_among(state, phase.playing)
    return stay(state) if waits else start(state, phase.playing, phase.play)


def again(state: State, argument: str = "") -> Step:
    """The knob repeats the beats, for a stopper who cannot."""
    phase = state.phase
    assert isinstance(phase, Stopped | TimeOut)
    held = down_among(state, phase.playing)
    if held:
        waiting = replace(phase, by_knob=False) if isinstance(phase, Stopped) else phase
        return within(toast(state, f"LET GO {held[0]}"), waiting, Cue("refused", state.now_ns))
    return start(state, phase.playing, phase.play)


def on_knob_held(state: State, held: KnobHeld) -> Step:
    """The knob stops a start as a button does; nobody need tap again for it. A push that began it does not end it."""
    phase = state.phase
    assert isinstance(phase, Starting)
    if held.t_ns < phase.asked_at_ns:
        return stay(state)
    stopped: Phase = Stopped(state.now_ns, phase.playing, (), phase.play, by_knob=True)
    if phase.play is not None:
        stopped = TimeOut(state.now_ns, phase.playing, phase.play)
    return to(state, stopped, Cue("stop_start", state.now_ns, cancels=True))


def _again_text(state: State) -> str:
    return "Go on"


ROWS = (
    Row(Starting, Due, on_due, ("READY", "PLAYING"), "the first beat; Go + 100 ms"),
    Row(Starting, Pressed, on_pressed, ("STOPPED",), "any press: stop the start"),
    Row(Starting, KnobHeld, on_knob_held, ("STOPPED",), "the knob: stop the start"),
    Row(Stopped, Pressed, on_stopper, (), "the stopper taps again"),
    Row(Stopped, Released, on_stopper_released, ("STARTING", "RESUMING"), "all have tapped again"),
    Row(Stopped, Freed, on_stopper_released, (BEGINS, RESUMES), "all have tapped again"),
    *(
        Row(Resuming, trigger, handler, targets, meaning)
        for trigger, handler, targets, meaning in (
            (Due, on_due, ("PLAYING",), "Go + 100 ms"),
            (Pressed, on_pressed, ("STOPPED",), "any press: wait"),
            (KnobHeld, on_knob_held, ("TIMEOUT",), "the knob: time out again"),
        )
    ),
)
ITEMS = (
    Item(Stopped, "again", _again_text, again, (BEGINS, RESUMES)),
    Item(TimeOut, "go_on", _again_text, again, (RESUMES,)),
)
