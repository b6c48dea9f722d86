"""POWER_BACK: the device came back, clocks stand. Play that was cut off is resumed by its beats."""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import msg
from referee.core.model.events import Cleared, Cue, Resumed, Voided
from referee.core.model.labels import Shown, Times, asked, labels
from referee.core.model.state import (
    BetweenHands,
    Freed,
    Phase,
    State,
    Step,
    down_among,
    fresh,
    play_of,
    playing_of,
    seats_of,
    shifted,
)
from referee.core.model.transitions import BEGINS, INTERRUPTED, RESUMES, Row, Transition
from referee.core.model.view import PowerBackScreen, Screen
from referee.core.phases.common import stay, to, toast, wink, within
from referee.core.phases.device import Off
from referee.core.phases.lobby import Lobby, OtherTable, lobby_again, on_cleared, other
from referee.core.phases.pause import TimeOut
from referee.core.phases.start import GoOn, Starting, Stopped, start
from referee.core.phases.void import VoidHand, on_voided
from referee.core.phases.void import void as ask_void
from referee.core.presses.signals import Pressed, Released, standing
from referee.core.values import replace, stored

ANOTHER_EVENING_S = 3 * 3600
"""Off for so long between two hands, and the lobby asks whether the same people are at the table."""


@stored("power_back")
class PowerBack(Phase):
    """The device came back; clocks stand until everybody has tapped. `inner` is the phase that it came back to."""

    name: ClassVar[str] = "POWER_BACK"
    guarded: ClassVar[bool] = True
    faults: ClassVar[bool] = True
    inner: Phase = Phase(0)
    ready: frozenset[str] = frozenset()
    away_s: int | None = None

    def waited(self, since_ns: int, now_ns: int) -> Phase:
        return shifted(self, now_ns - self.asked_at_ns)  # its clocks stand since it asked

    def under_undo(self) -> Phase:
        return self.inner

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        missing = tuple(s for s in players(state, self) if s not in self.ready)
        played = getattr(play_of(self.inner), "played_ns", None)  # a game whose hands have a clock keeps it so
        hand = len(state.table.hands) + 1
        return PowerBackScreen(self.away_s, hand, played, self.inner.name, labels(state.table, missing))

    def lamps(self, state: State) -> Shown:
        return asked(players(state, self), self.ready, self.asked_at_ns)


def back(state: State, event: Resumed) -> Step:
    """A new boot: contacts and clocks start again, the match stands where it stood and asks."""
    by_ns = event.at_ns - state.now_ns
    phase = shifted(state.phase, by_ns)
    state = replace(
        state,
        now_ns=event.at_ns,
        boot=event.boot,
        touched_at_ns=event.at_ns,
        contacts=tuple(standing(c.station, c.station in event.closed, event.at_ns) for c in state.contacts),
        away=tuple(sorted(state.table.setup.remote)),
        address=None,
        holds=(),
        winks=(),
        blinked_at_ns=None,
        menu=None,
        toast=None,
    )
    return _asking(state, phase, event)


def _asking(state: State, phase: Phase, event: Resumed) -> Step:
    cue = Cue("power_back", event.at_ns, cancels=True)
    if isinstance(phase, Off):  # by the table's own will
        return to(state, _lobby(phase.inner, event))
    phase = phase.after_cut()
    if isinstance(phase, BetweenHands) and (event.asks or (event.away_s or 0) >= ANOTHER_EVENING_S):
        step = lobby_again(toast(state, msg("toast.power_was_off")), event.at_ns)
        return replace(step, cues=(cue,))
    phase = _lobby(phase, event)
    if isinstance(phase, Lobby | BetweenHands):
        return to(toast(state, msg("toast.power_was_off")), replace(phase, asked_at_ns=event.at_ns), cue)
    if isinstance(phase, PowerBack):
        return to(state, replace(phase, asked_at_ns=event.at_ns, ready=frozenset(), away_s=event.away_s), cue)
    open_call = phase.cut_off(state)
    play = phase.stopped(event.at_ns)
    if play is not None and open_call is None:
        phase = TimeOut(event.at_ns, play.playing, play)
    step = to(state, PowerBack(event.at_ns, phase, frozenset(), event.away_s), cue)
    return step if open_call is None else replace(step, decisions=(open_call,))


def _lobby(phase: Phase, event: Resumed) -> Phase:
    """A lobby that asks can be cleared."""
    again = isinstance(phase, Lobby) and (phase.again or event.asks)
    phase = replace(phase, asked_at_ns=event.at_ns)
    return replace(phase, again=again) if isinstance(phase, Lobby) else phase


def players(state: State, phase: PowerBack) -> tuple[str, ...]:
    """The stations that are asked: those of the hand's teams."""
    return tuple(seats_of(state.table, _playing(state, phase)))


def _playing(state: State, phase: PowerBack) -> tuple[str, ...]:
    return playing_of(phase.inner) or tuple(team.id for team in state.table.teams)


def on_tap_back(state: State, phase: PowerBack, pressed: Pressed) -> Step:
    """Each tap says "go on"."""
    station = pressed.press.station
    if station not in players(state, phase) or not fresh(phase, pressed.press.t_ns) or station in phase.ready:
        return stay(state)
    return within(wink(state, station, 1), replace(phase, ready=phase.ready | {station}))


def on_released_back(state: State, phase: PowerBack, released: Released | Freed) -> Step:
    """All have tapped: play is resumed by its beats, a count or a verdict simply goes on."""
    if set(players(state, phase)) - phase.ready or down_among(state, _playing(state, phase)):
        return stay(state)
    return go_on(state, phase, GoOn())


def go_on(state: State, phase: PowerBack, action: GoOn) -> Step:
    """Out of POWER_BACK (the knob's way, too)."""
    inner = shifted(phase.inner, state.now_ns - phase.asked_at_ns)
    if isinstance(inner, TimeOut | Starting | Stopped):
        return start(state, inner.playing, inner.play)
    return to(state, replace(inner, asked_at_ns=state.now_ns))


def void(state: State, phase: PowerBack, action: VoidHand) -> Step:
    """Nobody remembers how the cards lay: shall the hand be dealt again?"""
    return ask_void(state, _playing(state, phase))


_ON = (BEGINS, RESUMES, INTERRUPTED)
ROWS: tuple[Transition, ...] = (
    Row(PowerBack, Pressed, on_tap_back, (), "tap: go on"),
    Row(PowerBack, Voided, on_voided, ("READY",), "the hand is void"),
    Row(PowerBack, Cleared, on_cleared, ("LOBBY",), "another table"),
    Row(PowerBack, Released, on_released_back, _ON, "all have tapped"),
    Row(PowerBack, Freed, on_released_back, _ON, "all have tapped"),
    Row(PowerBack, GoOn, go_on, _ON, "the knob: without waiting for all", msg("item.go_on")),
    Row(PowerBack, VoidHand, void, ("VOTE",), "the knob: shall the hand be dealt again?", msg("item.void_hand")),
    Row(PowerBack, OtherTable, other, (), "the knob: other people", msg("item.other_table")),
)
