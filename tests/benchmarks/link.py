"""Simulate a foreign clock behind a link, for `bench_clock` and the tests of the clock fit.

The crystal is off by up to ±100 ppm, wanders slightly and follows the temperature, which changes with the day and
sometimes steps by some degrees; a board takes a minute or more to follow. A button pod's answers take as long as those
of the whole firmware on an emulated Pico (record_delays.py), at rest and while players press. The host's share is a
model: a thread that wakes some 40 µs late, sometimes by milliseconds; an answer that is lost, or comes twice. A phone's
delays are a guess.
"""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass, field
from itertools import accumulate
from math import exp, pi, sin
from pathlib import Path
from random import Random

from referee.core.clocks.fit import Exchange
from referee.core.units import MS, US, S

DAY_S, HOUR_S = 86_400, 3_600
DELAYS = Path(__file__).with_name("pod_delays.json")
PRESSED = 0.1
"""The share of a pod's answers given while players press."""


@dataclass
class Crystal:
    """A foreign clock over a day, from the host's zero, with its offset for every second.

    drift_ppm: how much faster than the host's it runs; ppm_per_degree: its slope in temperature; lag_s: how long its
    board takes to follow a step; started_ns: its reading at the host's zero.
    """

    dice: Random
    seconds: int = DAY_S
    drift_ppm: float = 0.0
    ppm_per_degree: float = 0.3
    lag_s: float = 90.0
    started_ns: int = 0
    _ahead_ns: list[float] = field(default_factory=list)
    _rate_ppm: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        room, board, own, ahead = 0.0, 0.0, 0.0, 0.0
        for second in range(self.seconds + 2):
            if self.dice.random() < 1 / 1800:  # a window, a lamp, the heating
                room = self.dice.uniform(-5, 5)
            board += (room - board) * (1 - exp(-1 / self.lag_s))
            own += self.dice.gauss(0, 0.0005)
            day = 2 * sin(2 * pi * second / DAY_S)
            self._rate_ppm.append(self.drift_ppm + self.ppm_per_degree * (board + day) + own)
            self._ahead_ns.append(ahead)
            ahead += self._rate_ppm[-1] * 1000

    def restarted(self, at_ns: int) -> Crystal:
        """Return the same crystal; its clock begins at zero at a host's time."""
        other = copy(self)
        other.started_ns = self.started_ns - self.stamp(at_ns)
        return other

    def ramped(self, ppm: float, seconds: int) -> Crystal:
        """Return the same on a board that is repeatedly warmed and cooled: faster by `ppm` in `seconds`, and back."""
        return self._faster([ppm * abs((n / seconds + 1) % 2 - 1) for n in range(len(self._rate_ppm))])

    def slewed(self, since_s: int, until_s: int, ppm: float) -> Crystal:
        """Return the same as seen by a host whose time service slows it by `ppm` in a span.

        Outside the fit's model.
        """
        return self._faster([ppm * (since_s <= n < until_s) for n in range(len(self._rate_ppm))])

    def _faster(self, by_ppm: list[float]) -> Crystal:
        other = copy(self)
        other._rate_ppm = [rate + by for rate, by in zip(self._rate_ppm, by_ppm, strict=True)]
        other._ahead_ns = [0.0, *(rate * 1000 for rate in other._rate_ppm[:-1])]
        other._ahead_ns = list(accumulate(other._ahead_ns))
        return other

    def stamp(self, host_ns: int) -> int:
        """Return its reading at a host's time, in whole microseconds."""
        second, rest = divmod(host_ns, S)
        ahead = self._ahead_ns[second] + self._rate_ppm[second] * rest / 1e6
        return (self.started_ns + host_ns + round(ahead)) // US * US


@dataclass
class Link:
    """A way to a foreign clock and back. Delays in ns; shares of 1."""

    dice: Random
    clock: Crystal
    out_ns: int = 0
    back_ns: int = 0
    read_ns: int = 1
    """Interval at which the other side reads a question."""
    wake_ns: int = 40 * US
    """A thread's usual delay."""
    held_up: float = 0.02
    held_up_ns: int = 20 * MS
    lost: float = 0.01
    doubled: float = 0.01

    def ask(self, at_ns: int) -> list[Exchange]:
        """Ask at a time: one answer, two equal ones of which the second is later, or none."""
        if self.dice.random() < self.lost:
            return []
        out_ns, stay_ns, back_ns = self._delays()
        came_ns = at_ns + self._wake() + out_ns
        left_ns = came_ns + stay_ns
        received_ns = left_ns + back_ns + self._wake()
        came, left = self.clock.stamp(came_ns), self.clock.stamp(left_ns)
        answers = [Exchange(at_ns, came, received_ns, left)]
        if self.dice.random() < self.doubled:
            answers.append(Exchange(at_ns, came, received_ns + 1 * MS, left))
        return answers

    def _delays(self) -> tuple[int, int, int]:
        """Return the delays of one exchange: out, between the two stamps, back."""
        return self.out_ns + self.dice.randrange(self.read_ns), 0, self.back_ns

    def pulse(self, at_ns: int) -> tuple[int, int, int]:
        """Return a sync wire's pulse: its host time and error from before and after the write, and the stamp."""
        before, after = round(self.dice.expovariate(1 / (4 * US))), 2 * US + self._wake() // 8
        edge_ns = at_ns + before
        err_ns = (before + after + 1) // 2
        return at_ns + err_ns, self.clock.stamp(edge_ns), err_ns

    def _wake(self) -> int:
        """Return the scheduler's delay."""
        if self.dice.random() < self.held_up:
            return self.dice.randrange(self.held_up_ns)
        return round(self.dice.expovariate(1 / self.wake_ns))


@dataclass
class Pod(Link):
    """A button pod, with the emulated one's delays plus out_ns and back_ns."""

    recorded: dict[str, list[tuple[int, int, int]]] = field(
        default_factory=lambda: json.loads(DELAYS.read_text(encoding="utf-8"))
    )
    """At rest and pressed: µs until the question came, between the two stamps, and until the answer arrived."""

    def _delays(self) -> tuple[int, int, int]:
        kind = "pressed" if self.dice.random() < PRESSED else "at_rest"
        out, stay, back = self.dice.choice(self.recorded[kind])
        return self.out_ns + out * US, stay * US, self.back_ns + back * US


def usb(seed: int, seconds: int = DAY_S) -> Pod:
    """Return a pod with drawn drift, slope and lag."""
    dice = Random(seed)
    clock = Crystal(
        dice,
        seconds,
        drift_ppm=dice.uniform(-100, 100),
        ppm_per_degree=dice.choice((-1, 1)) * dice.uniform(0.05, 0.5),
        lag_s=dice.uniform(60, 180),
        started_ns=dice.randrange(10**15),
    )
    return Pod(dice, clock)


def phone(seed: int, seconds: int = 3 * 3600) -> Link:
    """Return a phone on the table's Wi-Fi: little polling, milliseconds either way, and a radio that sleeps."""
    dice = Random(seed)
    clock = Crystal(
        dice, seconds, drift_ppm=dice.uniform(-50, 50), ppm_per_degree=0.1, started_ns=dice.randrange(10**13)
    )
    ways = {"out_ns": dice.randrange(1, 3) * MS, "back_ns": dice.randrange(1, 3) * MS, "wake_ns": 4 * MS}
    return Link(dice, clock, **ways, read_ns=5 * MS, held_up=0.1, held_up_ns=200 * MS, lost=0.0)
