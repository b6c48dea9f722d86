"""CALLED: a call has stopped play. The verdict comes when no further press can change it.

docs/glossary.md explains the terms of calls, such as tie window and lockout.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import msg
from referee.core.model import lamps
from referee.core.model.events import Cue, Ruled
from referee.core.model.labels import labels, said, seat_label
from referee.core.model.lamps import Shown, Times
from referee.core.model.registry import pile_game
from referee.core.model.state import Phase, Play, State, Step
from referee.core.model.table import seats_of
from referee.core.model.transitions import Row, Transition
from referee.core.model.triggers import Due
from referee.core.model.view import Screen, StopScreen
from referee.core.phases.armed import verdict_of
from referee.core.phases.common import decide, stay, to, toast, within
from referee.core.phases.race import Race
from referee.core.phases.start import LEAD_NS, Stopped, early
from referee.core.presses.arbiter import ArmedSpan, proof_wanted, settled_by, verdict_due_ns, with_press
from referee.core.presses.signals import Contact, Pressed, next_ns
from referee.core.units import S
from referee.core.values import field, replace


class Called(Phase, tag="called"):
    """A call stopped play at `asked_at_ns`. The phase ends when no press can change the verdict."""

    name: ClassVar[str] = "CALLED"
    play: Race = Race(0)
    armed: ArmedSpan = field(default=ArmedSpan(), name="court")

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return verdict_due_ns(self.armed, contacts)

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.asked_at_ns, self.asked_at_ns + 3_600 * S

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return StopScreen(labels(state.table, self.missing))

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the stations that have not pressed, in a game in which all must press; else none."""
        pressed = {press.station for press in self.armed.presses}
        return () if self.armed.rules.limit_ns is None else tuple(s for s in self.armed.team_of if s not in pressed)

    def lamps(self, state: State) -> Shown:
        """Return all lamps lit. If all must press, the lamps of those who have not pressed blink."""
        slow = dict.fromkeys(self.missing, (lamps.SLOW, self.asked_at_ns))
        return dict.fromkeys(seats_of(state.table, self.play.playing), (lamps.ALL_ON, 0)) | slow

    def play_at_pause(self, at_ns: int) -> Play | None:
        return self.play.play_at_pause(self.asked_at_ns)

    def cut_off(self, state: State) -> Ruled:
        return Ruled(state.now_ns, verdict_of(settled_by(self.armed, state.contacts), state.contacts))


def call_proof_ns(state: State) -> int:
    """Return the instant that phones must prove for an early verdict on a call; 0 for none."""
    return proof_wanted(state.phase.armed)[1] if isinstance(state.phase, Called) else 0


def proof_wanted_ns(state: State, station: str) -> int | None:
    """Return the instant up to which this station's phone must prove its rows; None: no need.

    The proof says that all touches up to this instant have arrived. It is needed while a press of the phone's button
    is not certain yet, and while the verdict on a call waits for the phone.
    """
    contact = next(contact for contact in state.contacts if contact.station == station)
    wanted = [due for due in (next_ns(contact),) if due is not None]
    if isinstance(state.phase, Called):
        phones, until_ns = proof_wanted(state.phase.armed)
        wanted += [until_ns + 1] if station in phones else []
    return min((ns for ns in wanted if ns > contact.known_ns), default=None)


def called_from(state: State, play: Race, pressed: Pressed) -> Step:
    """Stop play at a press that is a call. Ignore presses of seats that may not call.

    If the player has given a head start and may not play yet, only show a message.
    """
    if pressed.press.station not in play.armed.team_of:
        return stay(state)
    if play.armed.is_before_go(pressed.press):
        return stay(toast(state, said("toast.not_yet", seat_label(state.table, pressed.press.station))))
    called = Called(state.now_ns, play, with_press(play.armed, pressed.press))
    return to(state, called, Cue("call", state.now_ns, urgent=True, cancels=True))


def on_pressed(state: State, phase: Race, pressed: Pressed) -> Step:
    """Take a press as a call. If it began before calls were possible, it may stop the countdown."""
    press = pressed.press
    if press.t_ns > phase.armed_at_ns or press.station not in phase.armed.team_of:
        return called_from(state, phase, pressed)
    game = pile_game(state.table)
    if game is None:
        return stay(state)  # no countdown to stop: the press answered an earlier question
    if press.t_ns < phase.go_at_ns - LEAD_NS or phase.armed.rules.is_old(press):
        return Step(toast(state, msg("toast.too_late")))  # arrived late: neither a call nor a stop
    if game.start(state.table).noted:
        return stay(early(state, press.station))
    play = phase.play_at_pause(state.now_ns) if phase.resumed else None
    stopped = Stopped(state.now_ns, phase.playing, (press.station,), play)
    return to(state, stopped, Cue("stop_start", state.now_ns, cancels=True))


def on_called_pressed(state: State, phase: Called, pressed: Pressed) -> Step:
    """Add another press to the open call. The verdict will judge all its presses together."""
    if pressed.press.station not in phase.armed.team_of:
        return stay(state)
    return within(state, replace(phase, armed=with_press(phase.armed, pressed.press)))


def on_called_due(state: State, phase: Called, due: Due) -> Step:
    """Record the verdict on the call: no further press can change the verdict now."""
    return decide(state, phase.cut_off(state))


ROWS: tuple[Transition, ...] = (
    Row(Race, Pressed, on_pressed, ("CALLED", "STOPPED"), "a press: the call"),
    Row(Called, Pressed, on_called_pressed, (), "another press"),
    Row(Called, Due, on_called_due, (), "the verdict can fall"),
)
