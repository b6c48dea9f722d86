"""POWER_BACK: the device has restarted, and clocks are stopped until all players tap.

A hand that was being played continues after a countdown.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import msg
from referee.core.model.events import Cleared, Resumed, Voided
from referee.core.model.labels import answer_lamps, labels
from referee.core.model.lamps import Shown, Times
from referee.core.model.state import (
    BetweenHands,
    Phase,
    State,
    Step,
    down_among,
    fresh,
    play_of,
    playing_of,
    shift_instants,
)
from referee.core.model.table import seats_of
from referee.core.model.transitions import BEGINS, INTERRUPTED, RESUMES, Row, Transition
from referee.core.model.triggers import Freed
from referee.core.model.view import PowerBackScreen, Screen
from referee.core.phases.common import stay, to, toast, wink, within
from referee.core.phases.lobby import OtherTable, back_tone, lobby_again, on_cleared, other
from referee.core.phases.pause import TimeOut
from referee.core.phases.ready import on_voided
from referee.core.phases.start import GoOn, Starting, Stopped, start
from referee.core.phases.vote import VoidHand, ask_void
from referee.core.presses.signals import Pressed, Released, standing
from referee.core.values import replace

ANOTHER_EVENING_S = 3 * 3600
"""Power-off time in s between two hands after which the match waits in the lobby.

By then other people may be at the table.
"""


class PowerBack(Phase, tag="power_back"):
    """The device has restarted; clocks are stopped until all players have tapped.

    inner: the interrupted phase.
    """

    name: ClassVar[str] = "POWER_BACK"
    guarded: ClassVar[bool] = True
    faults: ClassVar[bool] = True
    inner: Phase = Phase(0)
    ready: frozenset[str] = frozenset()
    away_s: int | None = None

    def after_waiting(self, since_ns: int, now_ns: int) -> Phase:
        return shift_instants(self, now_ns - self.asked_at_ns)  # clocks have been stopped since the question appeared

    def under_undo(self, now_ns: int) -> Phase:
        left = self.as_it_was_left(now_ns)
        if isinstance(left, Starting):  # a countdown must not start before the players have tapped
            return Stopped(now_ns, left.playing, (), left.play, by_knob=True)
        return left

    def as_it_was_left(self, now_ns: int) -> Phase:
        """Return the interrupted phase, its deadlines shifted by the time since the restart."""
        return shift_instants(self.inner, now_ns - self.asked_at_ns)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        missing = tuple(s for s in players(state, self) if s not in self.ready)
        played = getattr(play_of(self.inner), "played_ns", None)  # only a game that times its hands has this field
        hand = len(state.table.hands) + 1
        return PowerBackScreen(self.away_s, hand, played, self.inner.name, labels(state.table, missing))

    def lamps(self, state: State) -> Shown:
        return answer_lamps(players(state, self), self.ready, self.asked_at_ns)


def begin_boot(state: State, event: Resumed) -> State:
    """Return the state after a restart. The match stays as it was.

    Contacts get the levels found at the restart. The phase's instants are shifted: the time of the last event
    before the restart becomes `event.at_ns`.
    """
    return replace(
        state,
        now_ns=event.at_ns,
        boot=event.boot,
        touched_at_ns=event.at_ns,
        phase=shift_instants(state.phase, event.at_ns - state.now_ns),
        contacts=tuple(standing(c.station, c.station in event.closed, event.at_ns) for c in state.contacts),
        away=tuple(sorted(state.table.setup.remote)),
        table=replace(state.table, phone_buttons=()),
        address=None,
        wifi=False,
        clock_s=None,
        holds=(),
        winks=(),
        blinked_at_ns=None,
        menu=None,
        toast=None,
    )


def on_resumed(state: State, phase: Phase, event: Resumed) -> Step:
    """Ask all players to tap to continue. Decide an open call from the presses received so far."""
    open_call, play = phase.cut_off(state), phase.play_at_pause(event.at_ns)
    left = phase.after_cut()
    if play is not None and open_call is None:
        left = TimeOut(event.at_ns, play.playing, play)
    step = to(state, PowerBack(event.at_ns, left, frozenset(), event.away_s), back_tone(event))
    return step if open_call is None else replace(step, decisions=(open_call,))


def on_resumed_between(state: State, phase: BetweenHands, event: Resumed) -> Step:
    """Ask all to tap again; after a long time without power, return to the lobby."""
    state = toast(state, msg("toast.power_was_off"))
    if event.asks or (event.away_s or 0) >= ANOTHER_EVENING_S:
        return replace(lobby_again(state, event.at_ns), cues=(back_tone(event),))
    return to(state, replace(phase.after_cut(), asked_at_ns=event.at_ns), back_tone(event))


def on_resumed_again(state: State, phase: PowerBack, event: Resumed) -> Step:
    """Ask all players to tap again: the device restarted while it waited for their taps."""
    inner = phase.as_it_was_left(event.at_ns)
    return to(state, PowerBack(event.at_ns, inner, frozenset(), event.away_s), back_tone(event))


def players(state: State, phase: PowerBack) -> tuple[str, ...]:
    """Return the stations that must tap: those of the hand's teams."""
    return tuple(seats_of(state.table, _playing(state, phase)))


def _playing(state: State, phase: PowerBack) -> tuple[str, ...]:
    return playing_of(phase.inner) or tuple(team.id for team in state.table.teams)


def on_tap_back(state: State, phase: PowerBack, pressed: Pressed) -> Step:
    """Count a tap to continue. Ignore presses that began within the guard time."""
    station = pressed.press.station
    if station not in players(state, phase) or not fresh(phase, pressed.press.t_ns) or station in phase.ready:
        return stay(state)
    return within(wink(state, station, 1), replace(phase, ready=phase.ready | {station}))


def on_released_back(state: State, phase: PowerBack, released: Released | Freed) -> Step:
    """Continue when all have tapped and no button is down.

    Play continues after a countdown. A count or a verdict continues at once.
    """
    if set(players(state, phase)) - phase.ready or down_among(state, _playing(state, phase)):
        return stay(state)
    return go_on(state, phase, GoOn())


def go_on(state: State, phase: PowerBack, action: GoOn) -> Step:
    """Continue from POWER_BACK, when all have tapped or by the knob's menu."""
    inner = phase.as_it_was_left(state.now_ns)
    if isinstance(inner, TimeOut | Starting | Stopped):
        return start(state, inner.playing, inner.play)
    return to(state, replace(inner, asked_at_ns=state.now_ns))


def void(state: State, phase: PowerBack, action: VoidHand) -> Step:
    """Ask whether to deal again, because players may not know any more where the cards were."""
    return ask_void(state, _playing(state, phase))


_ON = (BEGINS, RESUMES, INTERRUPTED)
SHARED_ROWS: tuple[Transition, ...] = (
    Row(PowerBack, Pressed, on_tap_back, (), "tap: go on"),
    Row(PowerBack, Voided, on_voided, ("READY",), "the hand is void"),
    Row(PowerBack, Cleared, on_cleared, ("LOBBY",), "another table"),
    Row(PowerBack, Released, on_released_back, _ON, "all have tapped"),
    Row(PowerBack, Freed, on_released_back, _ON, "all have tapped"),
    Row(PowerBack, GoOn, go_on, _ON, "the knob: without waiting for all", msg("item.go_on")),
    Row(PowerBack, VoidHand, void, ("VOTE",), "the knob: shall the hand be dealt again?", msg("item.void_hand")),
    Row(PowerBack, Resumed, on_resumed_again, (), "the power is back once more"),
    Row(BetweenHands, Resumed, on_resumed_between, ("LOBBY",), "the power is back: is the same table here?"),
    Row(Phase, Resumed, on_resumed, ("POWER_BACK",), "the power is back: shall it go on?"),
    Row(PowerBack, OtherTable, other, (), "the knob: other people", msg("item.other_table")),
)
