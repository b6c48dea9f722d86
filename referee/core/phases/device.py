"""The device itself, from the lobby: every button tried with its lamp and the piezo; the page's address; off.

Device ─ Off ─► SWITCH OFF? ─ push again ─► OFF: nothing is heard any more, whoever runs the device ends it
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.events import Cue, Turned
from referee.core.labels import Shown, Times, asked, number
from referee.core.phases.common import opened, stay, to, toast, within
from referee.core.phases.lobby import Lobby
from referee.core.signals import Contact, Pressed
from referee.core.state import GUARD_NS, Due, KnobPushed, Phase, State, Step
from referee.core.transitions import Item, Row
from referee.core.units import S
from referee.core.values import replace, stored
from referee.core.view import CheckScreen, OffScreen, Screen

CHECK_NS = 60 * S
"""So long after the last touch the lobby comes back."""
UNPLUG_S = 15
"""Until the machine has come to rest: the service may take 10 s to end (systemd/referee.service), the rest is short."""
_BACK = ("back", "Back")


@stored("device_check")
class Checking(Phase):
    """The device's buttons are tried: which were pressed, by how much the knob was turned. `inner` is the lobby."""

    name: ClassVar[str] = "CHECK"
    pressed: tuple[str, ...] = ()
    turned: int = 0
    closes_at_ns: int = 0
    inner: Phase = Phase(0)

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.closes_at_ns

    def without_unsaved(self) -> Phase:
        return self.inner

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        seats = tuple((number(state.table, s), s in self.pressed) for s in state.table.setup.stations)
        return CheckScreen(seats, self.turned)

    def lamps(self, state: State) -> Shown:
        return asked(state.table.setup.stations, self.pressed, self.asked_at_ns - GUARD_NS)


@stored("off")
class Off(Phase):
    """The table has switched the device off; nothing is heard any more. `inner` is the lobby that a new start finds."""

    name: ClassVar[str] = "OFF"
    inner: Phase = Phase(0)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return OffScreen(UNPLUG_S)


def _device_text(state: State) -> str | None:
    return "Device"


def _address_text(state: State) -> str | None:
    return "Address" if state.address else None


def device(state: State, argument: str = "") -> Step:
    """What the device can say of itself."""
    address = _address_text(state)
    page = [("address", address)] if address else []
    return stay(opened(state, (("check", "Check"), *page, ("off", "Off"), _BACK)))


def address(state: State, argument: str = "") -> Step:
    """Where the page is: host and port in a line each."""
    host, _, port = (state.address or "").rpartition(":")
    lines = (host.rpartition("/")[2], f"Port {port.strip('/')}")
    return stay(opened(state, tuple(("back", line) for line in lines)))


def off(state: State, sure: str = "") -> Step:
    """Shall the device be switched off? A second push says so; from then on the plug may be pulled soon."""
    if not sure:
        return stay(opened(state, (("off:sure", "Switch off"), _BACK), "SWITCH OFF?"))
    return to(state, Off(state.now_ns, inner=state.phase), Cue("hush", state.now_ns, cancels=True))


def is_off(state: State, pushed: KnobPushed) -> Step:
    """There is no list any more."""
    return stay(state)


def check(state: State, argument: str = "") -> Step:
    """Every button blinks until it has been pressed."""
    return to(state, Checking(state.now_ns, closes_at_ns=state.now_ns + CHECK_NS, inner=state.phase))


def on_pressed(state: State, pressed: Pressed) -> Step:
    """Its lamp stands from now on, and the piezo is heard."""
    phase, station = state.phase, pressed.press.station
    assert isinstance(phase, Checking)
    done = (*(s for s in phase.pressed if s != station), station)
    phase = replace(phase, pressed=done, closes_at_ns=state.now_ns + CHECK_NS)
    return within(state, phase, Cue("beat", state.now_ns))


def on_turned(state: State, turned: Turned) -> Step:
    """The knob's steps are counted."""
    phase = state.phase
    assert isinstance(phase, Checking)
    return within(state, replace(phase, turned=phase.turned + turned.steps, closes_at_ns=state.now_ns + CHECK_NS))


def leave(state: State, trigger: KnobPushed | Due) -> Step:
    """Back to the lobby, with what was found."""
    phase = state.phase
    assert isinstance(phase, Checking)
    every = len(state.table.setup.stations)
    found = toast(state, "ALL BUTTONS WORK") if len(phase.pressed) == every else state
    return to(found, replace(phase.inner, asked_at_ns=state.now_ns))


def _hidden(state: State) -> str | None:
    return None


ITEMS = (
    Item(Lobby, "device", _device_text, device),
    Item(Lobby, "check", _hidden, check, ("CHECK",)),
    Item(Lobby, "address", _hidden, address),
    Item(Lobby, "off", _hidden, off, ("OFF",)),
)
ROWS = (
    Row(Checking, Pressed, on_pressed, (), "a button works"),
    Row(Checking, Turned, on_turned, (), "the knob turns"),
    Row(Checking, KnobPushed, leave, ("LOBBY",), "push: done"),
    Row(Checking, Due, leave, ("LOBBY",), "a minute without a touch"),
    Row(Off, KnobPushed, is_off, (), "nothing is heard any more"),
)
