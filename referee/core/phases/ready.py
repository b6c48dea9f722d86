"""READY is the standings too: each who has dealt taps, and the last release of a button leads to the start."""

from __future__ import annotations

from dataclasses import replace

from referee.core.games.registry import game_of
from referee.core.phases.common import stay, wink, within
from referee.core.phases.start import start
from referee.core.signals import Pressed, Released
from referee.core.state import Ready, State, Step, fresh, seats_of
from referee.core.transitions import Row
from referee.core.units import S

STANDINGS_NS = 4 * S


def ready(state: State, at_ns: int) -> Ready:
    """The ready check of the coming hand; after a hand its first 4 s show the standings."""
    playing = game_of(state.table).next_players(state.table)
    return Ready(at_ns, playing, frozenset(), at_ns + STANDINGS_NS if state.table.hands else None)


def on_pressed(state: State, pressed: Pressed) -> Step:
    """The first edge answers, whatever it becomes; mashing cannot un-ready."""
    phase, station = state.phase, pressed.press.station
    assert isinstance(phase, Ready)
    if not fresh(phase, pressed.press.t_ns) or station not in seats_of(state.table, phase.playing):
        return stay(state)
    if station in phase.ready:
        return stay(state)
    return within(wink(state, station, 1), replace(phase, ready=phase.ready | {station}))


def on_released(state: State, released: Released) -> Step:
    """All have tapped and nobody leans on a button: the start. A held button's owner could not call."""
    phase = state.phase
    assert isinstance(phase, Ready)
    if waiting(state, phase) or blocking(state, phase):
        return stay(state)
    return start(state, phase.playing)


def waiting(state: State, phase: Ready) -> tuple[str, ...]:
    """The stations that have not tapped yet, in seat order."""
    return tuple(s for s in seats_of(state.table, phase.playing) if s not in phase.ready)


def blocking(state: State, phase: Ready) -> tuple[str, ...]:
    """The stations of this hand whose button is down."""
    held = {h.press.station for h in state.holds} | {c.station for c in state.contacts if c.closed}
    return tuple(s for s in seats_of(state.table, phase.playing) if s in held)


ROWS = (
    Row(Ready, Pressed, on_pressed, ("READY",), "tap: ready"),
    Row(Ready, Released, on_released, ("READY", "STARTING"), "all ready, no button down"),
)
