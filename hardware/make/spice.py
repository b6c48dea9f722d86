"""Simulates parts of a console with ngspice (Debian package `ngspice`), from the netlist that was read back.

Theory of operation. `parts` writes the schematic's resistors, capacitors, suppressors and transistors that join the
named nets; a scene adds what is outside: contact, cable, a charged person, a supply that dips. `run` returns the
voltages at equal steps. Worst values come from `scale`, which multiplies the parts of a kind.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hardware.make.netlist import Netlist
from hardware.make.skew import farads, ohms
from hardware.make.tools import ToolMissingError

PI_PULL_UP_OHM = 50_000
CABLE_OHM, CABLE_H, CABLE_F = 0.19, 1.05e-6, 104e-12
"""2 m of Cat5e, both wires of the contact (0.188 ohm a pair of 1 m, 525 nH/m, 52 pF/m: the category's usual values)."""
MODELS = """
.model clamp D(is=1e-14 rs=2 n=1)
.model esd D(is=1e-15 rs=0.35 bv=6.2 ibv=1m cjo=70p)
.model nmos NMOS(level=1 vto=1.2 kp=0.2 lambda=0.01)
.subckt tvs a b
D1 m a esd
D2 m b esd
.ends
"""
"""Pads' protective diodes; PESD5V0S1BA: breakdown from 5.5 V, 14 V at 12 A, 35 pF; BSS138 (data sheets)."""
HBM_F, HBM_OHM = 100e-12, 1500.0
"""A charged person: the human body model (ANSI/ESDA/JEDEC JS-001)."""
_LONG = 120


@dataclass(frozen=True)
class Waves:
    """Voltages at equal steps of time."""

    step_s: float
    volts: Mapping[str, list[float]]

    def crosses_s(self, net: str, level_v: float, *, after_s: float = 0.0) -> float:
        """The first time after which a net has passed a level; `math.inf` if never."""
        seen = self.volts[net]
        start = int(after_s / self.step_s)
        above = seen[start] > level_v
        for number in range(start, len(seen)):
            if (seen[number] > level_v) != above:
                return number * self.step_s
        return math.inf


def is_here() -> bool:
    """Whether ngspice is installed."""
    return shutil.which("ngspice") is not None


def parts(nets: Netlist, joined: Iterable[str], scale: Mapping[str, float] | None = None) -> list[str]:
    """The lines of all parts with two or three known pins on one of these nets, except through a supply alone."""
    wanted, scale = set(joined), scale or {}
    lines = []
    for ref, part in sorted(nets.components.items()):
        ends = [node(nets.net(ref, number)) for number in "123" if (ref, number) in nets.pin_names]
        if not {nets.net(ref, number) for number in "123" if (ref, number) in nets.pin_names} & wanted:
            continue
        factor = scale.get(part.symbol, 1.0)
        if part.symbol == "R":
            lines.append(f"{ref} {ends[0]} {ends[1]} {ohms(part.value) * factor}")
        elif part.symbol in ("C", "CP"):
            lines.append(f"C{ref} {ends[0]} {ends[1]} {farads(part.value) * factor}")
        elif part.symbol == "TVS":
            lines.append(f"X{ref} {ends[0]} {ends[1]} tvs")
        elif part.symbol == "NMOS":  # pins: gate, source, drain
            lines.append(f"M{ref} {ends[2]} {ends[0]} {ends[1]} {ends[1]} nmos l=1u w=10u")
    return lines


def node(net: str) -> str:
    """A net's name in a deck.

    >>> node("GND"), node("+3V3"), node("~J1.1")
    ('0', 'p3v3', 'n_j1_1')
    """
    if net == "GND":
        return "0"
    return re.sub(r"\W", "_", net.replace("+", "p").replace("~", "n_")).lower()


def pad(net: str) -> list[str]:
    """A Pi's input on a net: pull-up and protective diodes."""
    return [
        f"Rpad {node(net)} p3v3 {PI_PULL_UP_OHM}",
        f"Dup {node(net)} p3v3 clamp",
        f"Ddown 0 {node(net)} clamp",
    ]


def supply(name: str, volts: str) -> str:
    """A supply; `volts`: a number or a source's function."""
    return f"V{node(name)} {node(name)} 0 {volts}"


def run(lines: Iterable[str], nets: Iterable[str], until_s: float, step_s: float) -> Waves:
    """Simulate; return the voltages of these nets. Raises ToolMissingError, ValueError for a deck that does not run."""
    if not is_here():
        raise ToolMissingError("ngspice is not installed; it is a Debian package.")
    names = [node(net) for net in nets]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "out.txt"
        deck = Path(folder) / "deck.cir"
        control = f"tran {step_s:g} {until_s:g} 0 {step_s:g}\nset wr_singlescale\n"
        shown = " ".join(f"v({name})" for name in names)
        text = "\n".join(["* a console's part", MODELS, *lines, ".options reltol=1e-4"])
        deck.write_text(f"{text}\n.control\n{control}wrdata {table} {shown}\nquit\n.endc\n.end\n", encoding="utf-8")
        done = subprocess.run(["ngspice", "-b", str(deck)], capture_output=True, text=True, timeout=_LONG, check=False)
        if not table.is_file():
            raise ValueError(f"ngspice does not run the deck: {(done.stderr or done.stdout).strip()[-300:]}")
        rows = [list(map(float, line.split())) for line in table.read_text(encoding="utf-8").splitlines()]
    times, *columns = zip(*rows, strict=True)
    return Waves(step_s, {net: _even(times, column, step_s) for net, column in zip(nets, columns, strict=True)})


def _even(times: Sequence[float], volts: Sequence[float], step_s: float) -> list[float]:
    """Interpolate to equal steps of time."""
    found, number = [], 0
    for count in range(int(times[-1] / step_s) + 1):
        now = count * step_s
        while number + 2 < len(times) and times[number + 1] < now:
            number += 1
        a, b = times[number], times[number + 1]
        share = (now - a) / (b - a) if b > a else 0.0
        found.append(volts[number] + share * (volts[number + 1] - volts[number]))
    return found
