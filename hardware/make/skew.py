"""The lateness of a button's stamp and the skew between two players, from the schematic.

The delay from the contact to the stamp consists of the cable, the resistor and capacitor at the pin up to the level
that the pin takes for low, and the kernel. Pressing closes the contact, so the capacitor discharges through the
series resistor alone: v(t) = V * exp(-t / RC). Levels, tolerances and the supply are at their worst at once. The
sum, rounded up, is the default error that the GPIO source states (`gpio_err_us` in referee/config.py; a test
compares).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from hardware.make import bounce
from hardware.make.catalogue import Catalogue
from hardware.make.netlist import Netlist

SUPPLY_V = (3.3 * 0.95, 3.3 * 1.05)
"""3.3 V, 5 % either way."""
FALLING_V = (0.8, 2.0)
"""Range of a pin's threshold for low: nothing above V_IH = 2.0 V, surely at V_IL = 0.8 V (Compute Module 4 data sheet;
the Compute Module 3's are narrower). Two pins of one chip are much closer together; the budget does not rely on it.
"""
CABLE_M = 10.0
CABLE_NS_PER_M = 5.1
"""Cat5e: 0.65 of the speed of light (the category's standard allows 5.3 to 5.7 ns per metre at most)."""
KERNEL_US = 250.0
"""Worst time from the edge at the pin to the stamp: interrupts held off, and a bounce that overwrites the stamp until
the interrupt's thread has run. An assumption: public cyclictest figures for a Pi 3 or 4 with the usual kernel under
load are of this order at worst (?), tens as a rule. `referee doctor --fixture` measures it on a device.
"""
TRACK_F_PER_MM = 0.15e-12
TRACK_US_PER_MM = 7e-6
"""A track of 0.3 mm over ground on 1.6 mm of FR-4: 0.1 pF and 6 ps a millimetre by the usual formulas, and half more
for vias and pads (?)."""
COPPER_MOST_US = 0.1
"""Maximum skew by tracks of unequal length: a hundredth of the filter tolerances' skew."""
STEP_US = 50
"""Step to which the stated error is rounded up."""


@dataclass(frozen=True)
class Input:
    """A station's input: series resistor, pull-up and capacitor with their tolerances."""

    series_ohm: float
    series_tolerance: float
    pull_ohm: float
    farad: float
    farad_tolerance: float


@dataclass(frozen=True)
class Budget:
    """All in microseconds, at worst.

    `swallowed_us`: an opening shorter than this does not reach the pin.
    """

    cable_us: float
    filter_least_us: float
    filter_most_us: float
    kernel_us: float
    swallowed_us: float
    slowest: Input
    copper_us: float = 0.0

    @property
    def late_us(self) -> float:
        """The worst lateness of a stamp."""
        return self.cable_us + self.filter_most_us + self.kernel_us

    @property
    def skew_us(self) -> float:
        """The skew of two players with everything against one of them, without kernel load."""
        return self.cable_us + self.copper_us + self.filter_most_us - self.filter_least_us

    def bouncing(self, kind: str) -> bounce.Lateness:
        """The lateness of presses whose contacts bounce in that way, at the slowest input."""
        return bounce.lateness(self.slowest, kind, SUPPLY_V, FALLING_V, self.kernel_us, self.stated_us)

    @property
    def stated_us(self) -> int:
        """The error that the source states: the lateness, rounded up."""
        return math.ceil(self.late_us / STEP_US) * STEP_US


def station_input(nets: Netlist, parts: Catalogue, number: str) -> Input:
    """The values of one station's input, as drawn."""
    series, pull, shunt = (nets.components[ref] for ref in (f"R{number}2", f"R{number}1", f"C{number}1"))
    return Input(
        ohms(series.value),
        parts[series.key].tolerance,
        ohms(pull.value),
        farads(shunt.value),
        parts[shunt.key].tolerance,
    )


def ohms(value: str) -> float:
    """A resistor's printed value. Raises ValueError for an invalid one.

    >>> ohms("2k2"), ohms("330"), ohms("10k")
    (2200.0, 330.0, 10000.0)
    """
    if not re.fullmatch(r"\d+(?:\.\d+)?|\d+[kM]\d*", value):
        raise ValueError(f"{value} is no resistor's value: it is a number like 330, 10k or 2k2.")
    for letter, factor in (("k", 1e3), ("M", 1e6)):
        if letter in value:
            whole, _, part = value.partition(letter)
            return float(f"{whole}.{part or 0}") * factor
    return float(value)


def farads(value: str) -> float:
    """A capacitor's printed value. Raises ValueError for an invalid one.

    >>> farads("10n C0G"), farads("1u")
    (1e-08, 1e-06)
    """
    number = value.split()[0]
    if number[-1] not in "pnu":
        raise ValueError(f"{value} is no capacitor's value: it ends with p, n or u.")
    return float(f"{number[:-1]}e{ {'p': -12, 'n': -9, 'u': -6}[number[-1]] }")


def fall_us(one: Input, sign: int) -> float:
    """The time until the pin is low after closing: the latest (`sign` 1) or the earliest (-1)."""
    tau = one.series_ohm * (1 + sign * one.series_tolerance) * one.farad * (1 + sign * one.farad_tolerance)
    from_v, to_v = (SUPPLY_V[1], FALLING_V[0]) if sign > 0 else (SUPPLY_V[0], FALLING_V[1])
    return tau * math.log(from_v / to_v) * 1e6


def swallowed_us(one: Input) -> float:
    """The longest opening of a bounce that never reaches the level of a high."""
    tau = (one.series_ohm + one.pull_ohm) * 0.99 * one.farad * (1 - one.farad_tolerance)
    return tau * math.log(SUPPLY_V[1] / (SUPPLY_V[1] - FALLING_V[0])) * 1e6


def copper_us(lengths_mm: Iterable[float], one: Input) -> float:
    """The delay between the longest and the shortest track, by capacitance and by length."""
    longer = (lambda every: max(every) - min(every))(list(lengths_mm))
    return longer * (TRACK_F_PER_MM * one.series_ohm * math.log(SUPPLY_V[1] / FALLING_V[0]) * 1e6 + TRACK_US_PER_MM)


def budget(inputs: Iterable[Input], lengths_mm: Iterable[float] = ()) -> Budget:
    """The budget of all stations: the latest of the slowest, the earliest of the fastest.

    `lengths_mm`: of their tracks.
    """
    every = list(inputs)
    return Budget(
        cable_us=CABLE_M * CABLE_NS_PER_M / 1000,
        filter_least_us=min(fall_us(one, -1) for one in every),
        filter_most_us=max(fall_us(one, 1) for one in every),
        kernel_us=KERNEL_US,
        swallowed_us=min(swallowed_us(one) for one in every),
        slowest=(slowest := max(every, key=lambda one: fall_us(one, 1))),
        copper_us=copper_us(lengths_mm or [0.0], slowest),
    )


def document(budgets: dict[str, Budget]) -> str:
    """The budget as a page."""
    names = list(budgets)
    rows = [
        ("cable, 10 m", [f"{budgets[name].cable_us:.2f}" for name in names]),
        ("the carrier's tracks, longest against shortest", [f"{budgets[name].copper_us:.3f}" for name in names]),
        ("1 kohm and 10 nF, contact closed to pin low, earliest", [f"{budgets[n].filter_least_us:.1f}" for n in names]),
        ("the same, latest", [f"{budgets[name].filter_most_us:.1f}" for name in names]),
        ("kernel, at worst (assumed, not measured)", [f"{budgets[name].kernel_us:.0f}" for name in names]),
        (
            "**late by at most, if the first touch lasts as long as the filter takes**",
            [f"**{budgets[name].late_us:.1f}**" for name in names],
        ),
        ("**stated by the source: `gpio_err_us`**", [f"**{budgets[name].stated_us}**" for name in names]),
        ("between two players, kernel at rest", [f"{budgets[name].skew_us:.1f}" for name in names]),
        (
            "an opening shorter than this is swallowed, the contact having rested",
            [f"{budgets[name].swallowed_us:.1f}" for name in names],
        ),
    ]
    for kind, told in (("usual", "usual contacts"), ("harsh", "harsh contacts")):
        late = [budgets[name].bouncing(kind) for name in names]
        rows += [
            (f"{told}: half of all presses are late by no more than", [f"{one.half_us:.0f}" for one in late]),
            (f"{told}: 99 of 100", [f"{one.most_us:.0f}" for one in late]),
            (f"{told}: 999 of 1000", [f"{one.nearly_all_us:.0f}" for one in late]),
            (f"{told}: presses within what is stated", [f"{one.within * 100:.1f} %" for one in late]),
        ]
    lines = [
        "# Skew budget",
        "",
        "Made from the schematics' values by `make hardware`; `hardware/make/skew.py` explains the arithmetic.",
        "Microseconds, everything at its worst at once: 1 % resistors, 5 % capacitors, 3.3 V ± 5 %,",
        f"a pin that turns to low anywhere between {FALLING_V[0]} V and {FALLING_V[1]} V.",
        "",
        f"| | {' | '.join(names)} |",
        f"|---|{'--:|' * len(names)}",
        *(f"| {what} | {' | '.join(values)} |" for what, values in rows),
        "",
        "The kernel's share is assumed until `referee doctor --fixture` has measured it on a real device; its finding",
        "goes into `[arbiter] gpio_err_us`. With 20 % capacitors the filter's share grows by a seventh, with 100 nF",
        "tenfold.",
        "",
        f"The lower rows simulate {bounce.PRESSES} bouncing presses (`hardware/make/bounce.py`); lateness counts",
        "from the very first touch. The pin does not see a first touch shorter than the filter takes, and the gap",
        "after it is added to the stamp: closed for 5 us, then open for 300, a press is stamped after some 320.",
        "Usual contacts touch for 100 us and more; the stated bound holds for them. Harsh contacts touch for 1 us",
        "as often as for 100; for them state the figure of 99 of 100, or better, change the buttons. `referee",
        "doctor --walk` shows how a button bounces. Only a bounce's whole length bounds every press of every",
        f"contact: {bounce.WORST_BOUNCE_US:g} us.",
        "",
    ]
    return "\n".join(lines)
