"""`referee doctor --carrier`: test a bare carrier board on a Pi, with nothing in its plugs.

Theory of operation. A pin's own pull of about 50 kohm is weak against a station's pull-up of 2.2 kohm and against the
amplifier's pull-down of 10 kohm, so a pin that follows its own pull lacks its resistors. A pin that is driven low
must move no other. A bridge from a station's line to its lamp's output makes the input follow the lamp, and so
measures the register, its driver, and the plug. Supplies and the 5 V side are for a meter (hardware/README.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from referee.bench.findings import Finding, fault, fine
from referee.bench.walk import PATIENCE_S, Tester
from referee.drivers.lamps import Lamps
from referee.drivers.pins.pinmap import Profile

SETTLE_S = 0.01
"""Wait after a change, in seconds: ten times the slowest filter, 50 kohm and 10 nF."""
POLL_S = 0.02
KNOB_PARTS = {"ENC_A": "R91 or R92", "ENC_B": "R93 or R94"}
"""The resistors at the knob's contacts."""
KNOB_PLUG = (("ENC_A", 1, 2), ("ENC_B", 3, 2), ("ENC_SW", 4, 5))
"""A contact of the knob, and the pins of J12 that close it."""


@dataclass
class Carrier:
    """The carrier board to be tested, without buttons or knob.

    `factory`: any gpiozero pin factory; `lamps`: the driver of the board's lamp register.
    """

    wiring: Profile
    factory: Any
    lamps: Lamps
    clock: Callable[[], int]
    sleep: Callable[[float], None]

    @property
    def contacts(self) -> dict[str, int]:
        """Return the inputs for contacts, net (signal) -> BCM number, without the power button."""
        stations = [pin.net for pin in self.wiring.stations().values()]
        return {net: self.wiring.gpio(net) for net in (*stations, *(net for net, _, _ in KNOB_PLUG))}

    def pull(self, net: str, way: str) -> bool:
        """Pull the net's pin `way` ("up" or "down"), and return whether the pin then reads high."""
        pin = self.factory.pin(self.wiring.gpio(net))
        pin.input_with_pull(way)
        self.sleep(SETTLE_S)
        return bool(pin.state)

    def closed(self) -> set[str]:
        """Return the nets (signals) of the contacts that are closed, so that their pins read low."""
        return {net for net, gpio in self.contacts.items() if not self.factory.pin(gpio).state}

    def light(self, *stations: str) -> None:
        """Light the lamps of exactly these stations."""
        self.lamps.show(stations, self.clock())
        self.sleep(SETTLE_S)

    def await_closed(self, wanted: bool) -> set[str]:
        """Wait until contacts close or open. Return the nets of the contacts that are closed then.

        With `wanted`, wait until at least one contact is closed, else until all are open; at most PATIENCE_S.
        """
        for _ in range(round(PATIENCE_S / POLL_S)):
            if bool(self.closed()) is wanted:
                break
            self.sleep(POLL_S)
        self.sleep(SETTLE_S)
        return self.closed()


def check(board: Carrier, person: Tester) -> Iterator[Finding]:
    """Test the board: first alone, then each plug while a person bridges its pins."""
    found = list(_alone(board))
    yield from found
    if found:
        return  # a plug's test would only repeat it
    yield fine("carrier", "Every input rests high against its own pull-down, alone; the amplifier is off.")
    for station in board.wiring.stations():
        yield from _plug(board, person, station)
    for net, one, other in KNOB_PLUG:
        yield _contact(board, person, f"pins {one} and {other} of J12", net)
    board.light()


def _alone(board: Carrier) -> Iterator[Finding]:
    """Test the inputs and the amplifier's switch with nothing connected."""
    for net in board.contacts:
        if not board.pull(net, "up"):
            yield fault(
                "carrier", f"{net} reads low with nothing connected: look for a solder bridge at {_parts(net)}."
            )
    for net in board.contacts:
        if net != "ENC_SW" and not board.pull(net, "down"):
            yield fault("carrier", f"{net} follows its own pull-down: {_resistors(net)} is missing, dry or wrong.")
        board.pull(net, "up")
    if board.wiring.find("AMP_ON") and board.pull("AMP_ON", "up"):
        yield fault("carrier", "AMP_ON follows its own pull-up: R8 is missing or dry, so the amplifier would pop.")
    for net in board.contacts:
        pin = board.factory.pin(board.wiring.gpio(net))
        before = board.closed()
        pin.output_with_state(0)
        board.sleep(SETTLE_S)
        moved = board.closed() - before - {net}
        board.pull(net, "up")
        for other in sorted(moved):
            yield fault("carrier", f"{net} pulls {other} low: look for a solder bridge between their pins.")


def _parts(net: str) -> str:
    return f"J{net[1]}, D{net[1]}1 or C{net[1]}1" if net.startswith("P") else "J12 or its capacitors"


def _resistors(net: str) -> str:
    return f"R{net[1]}1 or R{net[1]}2" if net.startswith("P") else KNOB_PARTS[net]


def _plug(board: Carrier, person: Tester, station: str) -> Iterator[Finding]:
    """Test a station's plug: its contact, then its lamp output.

    For the second test, the person connects the lamp's pin to the contact's pin: a lit lamp then closes the contact.
    """
    net = f"P{station}_BTN"
    board.light()
    yield _contact(board, person, f"pins 1 and 2 of J{station}", net)
    board.light(*board.wiring.stations())
    person.tell(f"Bridge pins 1 and 4 of J{station}.")
    if board.await_closed(True) != {net}:
        yield fault("carrier", f"J{station}: pin 4 does not sink with all lamps lit: U1, U2 or a joint of theirs.")
    else:
        board.light(station)
        alone = board.closed() == {net}
        board.light(*(board.wiring.stations().keys() - {station}))
        dark = not board.closed()
        if alone and dark:
            yield fine("carrier", f"J{station}: its lamp is switched.")
        else:
            yield fault(
                "carrier", f"J{station}: its pin 4 follows another lamp, or is always on: bridges at U1 and U2."
            )
    board.light()
    person.tell("Off.")
    board.await_closed(False)


def _contact(board: Carrier, person: Tester, where: str, net: str) -> Finding:
    """Ask the person to bridge two pins. Check that only the contact of `net` then closes.

    where: the two pins, in words.
    """
    person.tell(f"Bridge {where}.")
    closed = board.await_closed(True)
    person.tell("Off.")
    left = board.await_closed(False)
    if not closed:
        return fault("carrier", f"{net} does not close by {where}: a dry joint there.")
    if closed != {net}:
        return fault("carrier", f"By {where} {' and '.join(sorted(closed))} close: a solder bridge between plugs.")
    if left:
        return fault("carrier", f"{net} stays closed after {where}: a solder bridge, or something is left in the plug.")
    return fine("carrier", f"{net} closes by {where}.")
