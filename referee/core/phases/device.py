"""The device's functions in the lobby: test of the buttons, web address, Wi-Fi, power off.

Device ─ Off ─► SWITCH OFF? ─ push again ─► OFF: input is ignored until the program ends
"""

from __future__ import annotations

from typing import ClassVar, Literal

from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Resumed, Turned
from referee.core.model.labels import answer_lamps, number
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import Back, MenuAction, MenuLine
from referee.core.model.state import GUARD_NS, Phase, State, Step
from referee.core.model.transitions import MenuPlace, Row, Transition
from referee.core.model.triggers import Due, KnobPushed
from referee.core.model.view import Screen
from referee.core.phases.common import BACK, open_list, return_to, stay, to, toast, within
from referee.core.phases.lobby import Lobby, after_boot, on_resumed
from referee.core.phases.phones import ShowPhones, show_code
from referee.core.presses.signals import Contact, Pressed
from referee.core.units import S
from referee.core.values import replace

CHECK_NS = 60 * S
"""Time in ns without input after which the test ends and the lobby returns."""
UNPLUG_S = 15
"""Time in s until the machine has stopped and can be unplugged.

The service may take 10 s to end (systemd/referee.service); the rest is short.
"""


class CheckScreen(Screen):
    """The test of the buttons: each seat's number and whether it was pressed.

    turned: the knob's steps so far.
    """

    seats: tuple[tuple[int, bool], ...]
    turned: int = 0


class OffScreen(Screen):
    """The device is switching off. It may be unplugged after `unplug_s` seconds."""

    unplug_s: int


class Checking(Phase, tag="device_check"):
    """The test of the buttons and the knob. `inner`: the lobby, to which the table returns."""

    name: ClassVar[str] = "CHECK"
    pressed: tuple[str, ...] = ()
    turned: int = 0
    closes_at_ns: int = 0
    inner: Lobby = Lobby(0)

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.closes_at_ns

    def after_cut(self) -> Lobby:
        return self.inner

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        seats = tuple((number(state.table, s), s in self.pressed) for s in state.table.setup.stations)
        return CheckScreen(seats, self.turned)

    def lamps(self, state: State) -> Shown:
        return answer_lamps(state.table.setup.stations, self.pressed, self.asked_at_ns - GUARD_NS)


class Off(Phase, tag="off"):
    """The device is switching off; input is ignored.

    inner: the lobby to restore at the next start.
    """

    name: ClassVar[str] = "OFF"
    inner: Lobby = Lobby(0)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return OffScreen(UNPLUG_S)


class ShowDevice(MenuAction):
    """List the device's functions: test, address, Wi-Fi, power off."""


class CheckButtons(MenuAction):
    """Test every button with its lamp and a tone, and the knob."""


class ShowAddress(MenuAction):
    """Show the web page's address, if there is a page."""


class ShowWifi(MenuAction):
    """List the choices for the Wi-Fi."""


class SetWifi(MenuAction):
    """Open the device's own Wi-Fi network, return to the home network, or switch the Wi-Fi off."""

    choice: Literal["own", "home", "off"]


class RevokePhones(MenuAction):
    """Unpair all phones. `sure`: the question was confirmed."""

    upsets: ClassVar[bool] = True
    sure: bool = False


class SwitchOff(MenuAction):
    """Switch the device off. `sure`: the question was confirmed."""

    upsets: ClassVar[bool] = True
    sure: bool = False


def device(state: State, phase: Lobby, action: ShowDevice) -> Step:
    lines = [MenuLine(CheckButtons(), msg("item.check"))]
    if state.address:
        lines += [MenuLine(ShowAddress(), msg("item.address")), MenuLine(RevokePhones(), msg("item.revoke"))]
    if state.wifi:
        lines.append(MenuLine(ShowWifi(), msg("item.wifi"), msg("about.wifi")))
    return stay(open_list(state, (*lines, MenuLine(SwitchOff(), msg("item.off")), BACK)))


def address(state: State, phase: Lobby, action: ShowAddress) -> Step:
    """List the web page's hosts, the best first, and the port."""
    places = [place.rstrip("/").rpartition(":") for place in (state.address or "").split()]
    hosts = [host.rpartition("/")[2] for host, _, _ in places]
    lines: tuple[str | Msg, ...] = (*hosts, *(msg("item.port", port=port) for _, _, port in places[:1]))
    return stay(open_list(state, tuple(MenuLine(Back(), line) for line in lines)))


WIFI_NOTES = {
    "home": msg("note.wifi_home"),
    "off": msg("note.wifi_off"),
    "no_radio": msg("note.wifi_no_radio"),
    "blocked": msg("note.wifi_blocked"),
    "no_manager": msg("note.wifi_no_manager"),
    "no_home": msg("note.wifi_no_home"),
    "not_near": msg("note.wifi_not_near"),
    "not_up": msg("note.wifi_not_up"),
    "no_answer": msg("note.wifi_no_answer"),
}
"""Result of a choice for the Wi-Fi (systemd/debian/wifi) -> note on the `WifiScreen`."""
WIFI_LINES = (
    MenuLine(SetWifi("own"), msg("item.wifi_own"), msg("about.wifi_own")),
    MenuLine(SetWifi("home"), msg("item.wifi_home"), msg("about.wifi_home")),
    MenuLine(SetWifi("off"), msg("item.wifi_off"), msg("about.wifi_off")),
    BACK,
)


def wifi(state: State, phase: Lobby, action: ShowWifi) -> Step:
    return stay(open_list(state, WIFI_LINES))


def set_wifi(state: State, phase: Lobby, action: SetWifi) -> Step:
    """Show the choice's screen, upon which the runtime carries it out.

    On the own network's screen, a push shows how to pair a phone.
    """
    pairs = action.choice == "own" and state.address
    return show_code(state, action.choice, MenuLine(ShowPhones(), msg("item.phones")) if pairs else BACK)


def revoke(state: State, phase: Lobby, action: RevokePhones) -> Step:
    """Unpair all phones after a second push. Names and counts stay."""
    if not action.sure:
        lines = (MenuLine(RevokePhones(sure=True), msg("item.revoke_all")), BACK)
        return stay(open_list(state, lines, msg("title.revoke")))
    return stay(toast(replace(state, phones=(), revoked=state.seq), msg("toast.revoked")))


def off(state: State, phase: Lobby, action: SwitchOff) -> Step:
    """Switch the device off after a second push."""
    if not action.sure:
        lines = (MenuLine(SwitchOff(sure=True), msg("item.switch_off")), BACK)
        return stay(open_list(state, lines, msg("title.switch_off")))
    return to(state, Off(state.now_ns, inner=phase), Cue("hush", state.now_ns, cancels=True))


def is_off(state: State, phase: Off, pushed: KnobPushed) -> Step:
    """Ignore the knob: a device that is off has no menu."""
    return stay(state)


def check(state: State, phase: Lobby, action: CheckButtons) -> Step:
    """Begin the test of the buttons: every lamp blinks until its button has been pressed."""
    return to(state, Checking(state.now_ns, closes_at_ns=state.now_ns + CHECK_NS, inner=phase))


def on_pressed(state: State, phase: Checking, pressed: Pressed) -> Step:
    """Light the button's lamp and sound a tone."""
    station = pressed.press.station
    done = (*(s for s in phase.pressed if s != station), station)
    phase = replace(phase, pressed=done, closes_at_ns=state.now_ns + CHECK_NS)
    return within(state, phase, Cue("beat", state.now_ns))


def on_turned(state: State, phase: Checking, turned: Turned) -> Step:
    return within(state, replace(phase, turned=phase.turned + turned.steps, closes_at_ns=state.now_ns + CHECK_NS))


def leave(state: State, phase: Checking, trigger: KnobPushed | Due) -> Step:
    """Return to the lobby. If every button was pressed, say that all work."""
    every = len(state.table.setup.stations)
    found = toast(state, msg("toast.all_work")) if len(phase.pressed) == every else state
    return to(found, return_to(state, phase, phase.inner))


def on_resumed_checking(state: State, phase: Checking, event: Resumed) -> Step:
    return on_resumed(state, phase.after_cut(), event)


def on_resumed_off(state: State, phase: Off, event: Resumed) -> Step:
    """Restore the lobby, without a message about lost power: the players switched it off."""
    return to(state, after_boot(phase.inner, event))


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Checking, Resumed, on_resumed_checking, ("LOBBY",), "the power is back"),
    Row(Off, Resumed, on_resumed_off, ("LOBBY",), "the device is switched on"),
    Row(Checking, Pressed, on_pressed, (), "a button works"),
    Row(Checking, Turned, on_turned, (), "the knob turns"),
    Row(Checking, KnobPushed, leave, ("LOBBY",), "push: done"),
    Row(Checking, Due, leave, ("LOBBY",), "a minute without a touch"),
    Row(Lobby, ShowDevice, device, (), "the knob: the device", msg("item.device"), MenuPlace.LAST),
    Row(Lobby, CheckButtons, check, ("CHECK",), "the knob: buttons are tried"),
    Row(Lobby, ShowAddress, address, (), "the knob: where the page is"),
    Row(Lobby, ShowWifi, wifi, (), "the knob: the Wi-Fi"),
    Row(Lobby, SetWifi, set_wifi, (), "the knob: own network, home network or off"),
    Row(Lobby, RevokePhones, revoke, (), "the knob: every phone is forgotten"),
    Row(Lobby, SwitchOff, off, ("OFF",), "the knob: off"),
    Row(Off, KnobPushed, is_off, (), "nothing is heard any more"),
)
