"""Offer and install a newer version: the lobby asks, and holding the knob installs it.

Lobby ─ a signed file ─► OFFER ─ the knob is held ─► UPDATE: input is ignored until the program starts again
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Resumed, Turned
from referee.core.model.lamps import Times
from referee.core.model.state import Phase, State, Step
from referee.core.model.transitions import Row, Transition
from referee.core.model.triggers import Due, KnobHeld, KnobPushed, Update
from referee.core.model.view import Screen
from referee.core.phases.common import return_to, stay, to
from referee.core.phases.lobby import Lobby, after_boot, on_pressed, on_resumed
from referee.core.presses.signals import Contact, Pressed
from referee.core.units import S
from referee.core.values import Value

UPDATE_NS = 1500 * S
"""Time in ns without a report after which an update counts as failed.

referee-update.service may take 20 minutes, and 5 more to put the old version back.
"""


KINDS = (
    *("not_package", "unsigned", "signer", "no_key", "huge", "link", "unreadable", "architecture", "same", "older"),
    *("space", "read_only", "failed", "broken", "cut", "installed"),
)
"""Kinds of reports that have a message: faults of a file, and results of an update."""
VERSION_LETTERS = 10


class Said(Value):
    """A report of the update program.

    boot: the boot ID at that time. at: makes each report unique.
    """

    kind: str
    version: str
    boot: str
    at: int

    @property
    def offered(self) -> str:
        """Return the version that can be installed, shortened; "" if none."""
        return self.version[:VERSION_LETTERS] if self.kind == "offer" else ""

    @property
    def note(self) -> Msg | None:
        """Return the message about a file or an update; None if this kind of report has none."""
        return msg(f"toast.update_{self.kind}", version=self.version[:VERSION_LETTERS]) if self.kind in KINDS else None


class OfferScreen(Screen):
    """A newer version can be installed."""

    version: str


class UpdateScreen(Screen):
    """A newer version is being installed."""

    version: str


class Offer(Phase, tag="offer"):
    """A newer version can be installed. `inner`: the lobby, to which the table returns."""

    name: ClassVar[str] = "OFFER"
    slow_knob: ClassVar[bool] = True
    version: str = ""
    inner: Lobby = Lobby(0)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return OfferScreen(self.version)


class Updating(Phase, tag="updating"):
    """A newer version is being installed; input is ignored.

    `inner`: the lobby, to which the table returns.
    """

    name: ClassVar[str] = "UPDATE"
    version: str = ""
    inner: Lobby = Lobby(0)

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.asked_at_ns + UPDATE_NS

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return UpdateScreen(self.version)


def offer(state: State, phase: Lobby, event: Update) -> Step:
    """Offer the version, unless the menu is open or a name is being chosen."""
    if not event.version or state.menu or phase.naming:
        return stay(state)
    return to(state, Offer(state.now_ns, version=event.version, inner=phase), Cue("asked", state.now_ns))


def later(state: State, phase: Offer | Updating, trigger: Turned | Due | Update) -> Step:
    """Return to the lobby."""
    return to(state, return_to(state, phase, phase.inner))


def another(state: State, phase: Offer, event: Update) -> Step:
    """Offer another version, or return to the lobby if there is none."""
    back = behind_offer(state)
    assert isinstance(back.phase, Lobby)
    return offer(back, back.phase, event)


def behind_offer(state: State) -> State:
    """Return the state with the lobby in place of an offer; unchanged in other phases."""
    phase = state.phase
    return to(state, return_to(state, phase, phase.inner)).state if isinstance(phase, Offer) else state


def join(state: State, phase: Offer, pressed: Pressed) -> Step:
    """Return to the lobby, which handles the press."""
    back = behind_offer(state)
    assert isinstance(back.phase, Lobby)
    return on_pressed(back, back.phase, pressed)


def install(state: State, phase: Offer, held: KnobHeld) -> Step:
    return to(state, Updating(state.now_ns, version=phase.version, inner=phase.inner))


def is_busy(state: State, phase: Updating, pushed: KnobPushed) -> Step:
    """Ignore the knob: there is no menu."""
    return stay(state)


def on_resumed_offer(state: State, phase: Offer, event: Resumed) -> Step:
    return on_resumed(state, phase.inner, event)


def on_resumed_updating(state: State, phase: Updating, event: Resumed) -> Step:
    """Restore the lobby without a message about a power cut, because the update was the cause."""
    return to(state, after_boot(phase.inner, event))


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Offer, Resumed, on_resumed_offer, ("LOBBY",), "the power is back"),
    Row(Updating, Resumed, on_resumed_updating, ("LOBBY",), "the program starts again"),
    Row(Lobby, Update, offer, ("OFFER",), "a newer version"),
    Row(Offer, Update, another, ("LOBBY",), "another version"),
    Row(Offer, KnobHeld, install, ("UPDATE",), "the knob is held: install it"),
    Row(Offer, Turned, later, ("LOBBY",), "the knob turns: later"),
    Row(Offer, Pressed, join, ("LOBBY",), "tap: later, and in"),
    Row(Updating, Update, later, ("LOBBY",), "it could not be installed"),
    Row(Updating, Due, later, ("LOBBY",), "nothing is heard of it"),
    Row(Updating, KnobPushed, is_busy, (), "nothing is heard any more"),
)
