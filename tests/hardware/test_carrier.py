"""The test of a bare carrier board, on pins that are simulated from the schematic: each fault is a sentence.

The board's resistors and the lamp driver's outputs are a network of conductances; a pin reads its node's voltage. So
the test's own measurements, and not only its words, must fit the circuit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hardware.make import netlist
from hardware.make.catalogue import HARDWARE
from hardware.make.skew import ohms
from referee.bench.carrier import Carrier, check
from referee.cli import main
from referee.config import Config, ConfigError
from referee.device import assembly
from referee.drivers.lamps import ShiftLamps
from referee.drivers.pins import pinmap
from referee.drivers.pins.lint import HEADER

NETS = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
WIRING = pinmap.profile("full8")
SINK = "an output that is on"
FIXED_V = {"GND": 0.0, "+3V3": 3.3, "+5V": 5.0, "+5V_LAMP": 5.0, SINK: 0.8}
OWN_PULL_OHM, DRIVER_OHM, BOARD_PULL_OHM = 50_000, 30, 1800
SINK_OHM = 10.0
"""With 0.8 V: a ULN2803A's output that is on, at small currents."""
THRESHOLD_V = 1.3
OUTPUTS = ("15", "1", "2", "3", "4", "5", "6", "7")
"""The register's outputs QA to QH."""


def _gauss(rows: list[list[float]]) -> list[float]:
    """Return the solution of linear equations, the right side last in each row."""
    for n, row in enumerate(rows):
        row[:] = [value / row[n] for value in row]
        for other in rows:
            if other is not row:
                factor = other[n]
                other[:] = [a - factor * b for a, b in zip(other, row, strict=True)]
    return [row[-1] for row in rows]


@dataclass
class Board:
    """A simulated board. `out`: parts left out; `dry`: pins without solder; `bridges`: joined nets."""

    out: set[str] = field(default_factory=set)
    dry: set[tuple[str, str]] = field(default_factory=set)
    bridges: list[tuple[str, str]] = field(default_factory=list)
    pulls: dict[int, str] = field(default_factory=dict)
    driven: dict[int, int] = field(default_factory=dict)
    lit: set[int] = field(default_factory=set)
    _known: dict[tuple[object, ...], float] = field(default_factory=dict)

    def net(self, ref: str, pin: str) -> str:
        """Return the net at a pin; a dry pin is alone."""
        return f"{ref}.{pin}" if (ref, pin) in self.dry else NETS.net(ref, pin)

    def level(self, gpio: int) -> int:
        """Return what a pin reads."""
        return int(self.volts(NETS.net("J10", str(HEADER[gpio]))) > THRESHOLD_V)

    def volts(self, net: str) -> float:
        """Return a net's voltage: Kirchhoff's law in its neighbourhood."""
        state = (net, *self.pulls.items(), *self.driven.items(), *self.bridges, *sorted(self.lit))
        if state not in self._known:
            self._known[state] = self._solve(net)
        return self._known[state]

    def _solve(self, net: str) -> float:
        joined = defaultdict(list)
        for one, other, ohm in self._resistances():
            joined[one].append((other, 1 / ohm))
            joined[other].append((one, 1 / ohm))
        nodes = [net]
        for node in nodes:
            nodes += {other for other, _ in joined[node]} - {*nodes, *FIXED_V} if node not in FIXED_V else ()
        rows = []
        for node in nodes:
            row = [sum(g for o, g in joined[node] if o == other) * -1 for other in nodes] + [0.0]
            row[nodes.index(node)] = sum(g for _, g in joined[node]) + 1e-9
            row[-1] = sum(g * FIXED_V[o] for o, g in joined[node] if o in FIXED_V)
            rows.append(row)
        return FIXED_V[net] if net in FIXED_V else _gauss(rows)[0]

    def _resistances(self) -> Iterable[tuple[str, str, float]]:
        for ref, part in NETS.components.items():
            if ref[0] == "R" and ref not in self.out:
                yield self.net(ref, "1"), self.net(ref, "2"), ohms(part.value)
        yield from ((one, other, 1.0) for one, other in self.bridges)
        for gpio, way in self.pulls.items():
            yield NETS.net("J10", str(HEADER[gpio])), "+3V3" if way == "up" else "GND", OWN_PULL_OHM
        for gpio, level in self.driven.items():
            yield NETS.net("J10", str(HEADER[gpio])), "+3V3" if level else "GND", DRIVER_OHM
        for gpio in (2, 3):
            yield NETS.net("J10", str(HEADER[gpio])), "+3V3", BOARD_PULL_OHM
        for place in self.lit:
            wire = self.net("U1", OUTPUTS[place])
            for number in range(1, 9):
                if self.net("U2", str(number)) == wire:
                    yield self.net("U2", str(19 - number)), SINK, SINK_OHM

    # -- the pins' factory, the lamps' bus, and the person with the wire -----------------------------------------------

    def pin(self, gpio: int) -> Pin:
        """Return a pin, as gpiozero's factories do."""
        return Pin(self, gpio)

    def writebytes(self, data: list[int]) -> None:
        """Take the register's byte."""
        self.lit = {place for place in range(8) if data[0] >> place & 1}

    def close(self) -> None:
        """Close the bus."""

    def tell(self, text: str) -> None:
        """Bridge what the test asks for, or take the wire off."""
        if asked := re.fullmatch(r"Bridge pins (\d) and (\d) of (J\d+)\.", text):
            one, other, plug = asked.groups()
            self.bridges.append((self.net(plug, one), self.net(plug, other)))
        else:
            assert text == "Off."
            self.bridges.pop()

    def ask(self, question: str) -> str | None:
        """Answer nothing: the test has no questions."""
        raise AssertionError(question)


@dataclass
class Pin:
    """A pin of the simulated board."""

    board: Board
    gpio: int

    @property
    def state(self) -> int:
        return self.board.level(self.gpio)

    def input_with_pull(self, way: str) -> None:
        """Become an input."""
        self.board.driven.pop(self.gpio, None)
        self.board.pulls[self.gpio] = way

    def output_with_state(self, level: int) -> None:
        """Drive the pin."""
        self.board.pulls.pop(self.gpio, None)
        self.board.driven[self.gpio] = level


def faults(board: Board) -> list[str]:
    """Return the sentences about faults."""
    lamps = ShiftLamps(lambda: board)
    tested: Any = board
    found = list(check(Carrier(WIRING, tested, lamps, lambda: 0, lambda _: None), board))
    assert found
    return [finding.sentence for finding in found if not finding.ok]


def line(seat: int) -> str:
    """Return the net of a station's line."""
    return NETS.net(f"J{seat}", "1")


def test_a_sound_board_has_no_fault() -> None:
    assert faults(Board()) == []


@pytest.mark.parametrize(
    ("board", "said"),
    [
        (Board(out={"R11"}), "P1_BTN follows its own pull-down: R11 or R12 is missing, dry or wrong."),
        (Board(out={"R82"}), "P8_BTN follows its own pull-down: R81 or R82 is missing, dry or wrong."),
        (Board(dry={("R31", "1")}), "P3_BTN follows its own pull-down: R31 or R32 is missing, dry or wrong."),
        (Board(out={"R92"}), "ENC_A follows its own pull-down: R91 or R92 is missing, dry or wrong."),
        (Board(out={"R94"}), "ENC_B follows its own pull-down: R93 or R94 is missing, dry or wrong."),
        (Board(out={"R8"}), "AMP_ON follows its own pull-up: R8 is missing or dry, so the amplifier would pop."),
        (
            Board(bridges=[("P4_BTN", "GND")]),
            "P4_BTN reads low with nothing connected: look for a solder bridge at J4, D41 or C41.",
        ),
        (
            Board(bridges=[("P5_BTN", "P6_BTN")]),
            "P5_BTN pulls P6_BTN low: look for a solder bridge between their pins.",
        ),
        (Board(dry={("J3", "1")}), "P3_BTN does not close by pins 1 and 2 of J3: a dry joint there."),
        (Board(dry={("J2", "2")}), "P2_BTN does not close by pins 1 and 2 of J2: a dry joint there."),
        (
            Board(bridges=[(line(1), line(2))]),
            "By pins 1 and 2 of J1 P1_BTN and P2_BTN close: a solder bridge between plugs.",
        ),
        (Board(dry={("J7", "4")}), "J7: pin 4 does not sink with all lamps lit: U1, U2 or a joint of theirs."),
        (Board(dry={("U2", "3")}), "J3: pin 4 does not sink with all lamps lit: U1, U2 or a joint of theirs."),
        (Board(dry={("U1", "15")}), "J1: pin 4 does not sink with all lamps lit: U1, U2 or a joint of theirs."),
        (
            Board(bridges=[("P6_LAMP", "P7_LAMP")]),
            "J6: its pin 4 follows another lamp, or is always on: bridges at U1 and U2.",
        ),
        (Board(dry={("J12", "4")}), "ENC_SW does not close by pins 4 and 5 of J12: a dry joint there."),
    ],
)  # fmt: skip
def test_a_fault_is_a_sentence(board: Board, said: str) -> None:
    assert said in faults(board)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--simulate"], "--carrier needs a real device, so it cannot go with --simulate"),
        (["--config", "direct4"], "--carrier needs a profile with a lamp register, such as full8, not direct4"),
    ],
)
def test_another_table_than_a_carriers_is_bad_usage(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "direct4"
    settings.write_text('[pins]\nprofile = "direct4"\n', encoding="utf-8")
    given = [str(settings) if word == "direct4" else word for word in arguments]
    assert main(["doctor", "--carrier", *given]) == 2
    assert said in capsys.readouterr().err


def test_no_pins_are_a_fault(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def none(simulate: bool, config: Config) -> Any:
        raise ConfigError("there are no pins here")

    monkeypatch.setattr(assembly, "pin_factory", none)
    assert main(["doctor", "--carrier"]) == 1
    assert "FAULT  carrier   there are no pins here." in capsys.readouterr().out
