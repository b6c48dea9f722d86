"""Measure the clock fit over simulated hours: `python -m tests.benchmarks clock`, or this module with numbers of seeds.

Pods of different crystals with an emulated pod's delays (link.py), an exchange per second, a press per second at any
moment, placed when its frame arrives, by the exchanges until then. An hour each under usual conditions, with a host
that is held up, with a board that is warmed and cooled, with a longer way back, and with a way back that changes. Then
hours with a sync wire; pairs of presses across two pods and the Pi's own pins, ruled by the arbiter; and faulty links.
Presses outside their bound are counted from the first press on, errors from half a minute after the start.

A bound is as tight as a link can prove. A link that is slower one way errs by half the difference, and no exchange can
show it; one that is equally slow both ways errs much less, but cannot prove it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from referee.core import values
from referee.core.clocks.fit import Clockfit, Exchange, Instant, Steering
from referee.core.units import MS, US, S
from tests.benchmarks.figures import Figure, at_most, quantile
from tests.benchmarks.link import HOUR_S, Link, Pod, phone, usb
from tests.benchmarks.pairs import SETTLE_S, fairness

SEEDS = (1, 2, 3)
PAIRS = 100_000
MOST_US = 1000
"""Limit of the CPU time of a feeding or a placing, in µs."""


@dataclass
class Errors:
    """Errors and bounds of placed presses, in ns."""

    off: list[int] = field(default_factory=list)
    bound: list[int] = field(default_factory=list)
    outside: int = 0

    def note(self, instant: Instant | None, true_ns: int) -> None:
        """Add one press."""
        assert instant is not None
        self.off.append(abs(instant.t_ns - true_ns))
        self.bound.append(instant.err_ns)
        self.outside += self.off[-1] > instant.err_ns

    @property
    def p99_us(self) -> float:
        return quantile(self.off, 0.99) / US

    @property
    def bound_us(self) -> float:
        return quantile(self.bound, 0.5) / US


@dataclass
class Hour:
    """The results of one pod's hour."""

    name: str
    fit: Errors = field(default_factory=Errors)
    starting: Errors = field(default_factory=Errors)

    @property
    def outside(self) -> int:
        return self.fit.outside + self.starting.outside

    def line(self) -> str:
        fit = self.fit
        return (
            f"{self.name:<24} {quantile(fit.off, 0.5) / US:6.1f} {fit.p99_us:7.1f} {max(fit.off) / US:7.1f}"
            f" {fit.bound_us:7.1f} {quantile(fit.bound, 0.99) / US:7.1f} {self.outside:8}"
        )


HEADING = f"{'us':<24} {'p50':>6} {'p99':>7} {'worst':>7} {'bound':>7} {'b. p99':>7} {'outside':>8}"
"""Columns: error of the instant; bound, median and p99."""


def hour(name: str, link: Link, dice: Random, wired: bool = False, seconds: int = HOUR_S) -> Hour:
    """Simulate an exchange per second, a pulse per second with a wire, and a press per second."""
    result = Hour(name)
    fit = Clockfit()
    for second in range(1, seconds):
        asked_ns = second * S + dice.randrange(20 * MS)
        for exchange in link.ask(asked_ns):
            fit = fit.with_exchange(exchange)
        if wired:
            fit = fit.with_pulse(*link.pulse(asked_ns + 30 * MS))
        if not fit.exchanges:
            continue
        pressed_ns = asked_ns + dice.randrange(60 * MS, 950 * MS)
        stamp = link.clock.stamp(pressed_ns)
        (result.fit if second > SETTLE_S else result.starting).note(fit.to_host(stamp), pressed_ns)
    return result


def hours(seeds: Sequence[int]) -> list[Figure]:
    """Simulate the same pods without and with a wire, one of them in trouble, and a phone."""
    print(HEADING)
    steady = [hour(f"steady, pod {seed}", usb(seed, HOUR_S), Random(-seed)) for seed in seeds]
    wired = [hour(f"sync wire, pod {seed}", usb(seed, HOUR_S), Random(-seed), wired=True) for seed in seeds]
    others = [hour(name, link, Random(0)) for name, link in in_trouble(seeds[0])]
    for one in (*steady, *others, *wired):
        print(one.line())
    return [
        *steady_figures(steady),
        at_most("clock: presses outside, links in trouble", sum(one.outside for one in others), 0, ""),
        *wire_figures(wired),
    ]


def in_trouble(seed: int) -> list[tuple[str, Link]]:
    """Simulate hours under unusual conditions, all within the fit's model."""
    usual = usb(seed, HOUR_S)
    return [
        ("held up, 5 to 100 ms", HeldUp(usual.dice, usual.clock)),
        ("ramps of 20 ppm in 5 min", replace(usual, clock=usual.clock.ramped(20, 300))),
        ("way back 1 ms longer", replace(usual, back_ns=1 * MS)),
        ("way back steps by 2 ms", Stepping(usual.dice, usual.clock, step_ns=2 * MS)),
        ("a phone", phone(seed, HOUR_S)),
    ]


def steady_figures(found: Sequence[Hour]) -> list[Figure]:
    """Return the worst of some hours with round trips alone."""
    return [
        at_most("clock: presses outside their bound", sum(one.outside for one in found), 0, ""),
        at_most("clock: median bound", max(one.fit.bound_us for one in found), 500, "us"),
        at_most("clock: error, p99", max(one.fit.p99_us for one in found), 200, "us"),
    ]


def wire_figures(found: Sequence[Hour]) -> list[Figure]:
    """Return the worst of some hours with a sync wire."""
    return [
        at_most("sync wire: presses outside", sum(one.outside for one in found), 0, ""),
        at_most("sync wire: error, p99", max(one.fit.p99_us for one in found), 20, "us"),
        at_most("sync wire: median bound", max(one.fit.bound_us for one in found), 20, "us"),
    ]


def pairs() -> list[Figure]:
    """Measure which press was first, over a day."""
    found = fairness(PAIRS)
    print(
        f"\n{found.pairs} pairs: {found.grey} grey, none farther than {found.widest_grey_ns / US:.0f} us from W's edge"
    )
    return [
        at_most(f"fairness: wrong of {found.pairs - found.grey} not grey", found.wrong, 0, "pairs"),
        at_most(f"fairness: not clear of {found.far} beyond W and bounds", found.dull, 0, "pairs"),
    ]


# -- faulty links ------------------------------------------------------------------------------------------------------

SPAN_S = 600
"""Seconds of each part: usual, trouble, usual."""


@dataclass
class Stepping(Pod):
    """A way back that is longer in every second period of five minutes."""

    step_ns: int = 0

    def ask(self, at_ns: int) -> list[Exchange]:
        self.back_ns = at_ns // (300 * S) % 2 * self.step_ns
        return super().ask(at_ns)


@dataclass
class HeldUp(Pod):
    """A busy host: up to 50 ms pass before it sends, and 5 to 50 ms before it reads the answer."""

    def ask(self, at_ns: int) -> list[Exchange]:
        out_ns, back_ns = self.dice.randrange(50 * MS), self.dice.randrange(5 * MS, 50 * MS)
        return [
            values.replace(answer, sent_ns=at_ns, received_ns=answer.received_ns + back_ns)
            for answer in super().ask(at_ns + out_ns)
        ]


def trouble() -> list[Figure]:
    """Return each kind of trouble for ten minutes, in the middle of half an hour."""
    print(f"\n{'us: before | in | after':<34} {'p50 and worst error':^50} {'median bound':^32} outside")
    usual = usb(11, 3 * SPAN_S)
    held = HeldUp(usual.dice, usual.clock)
    restarted = replace(usual, clock=usual.clock.restarted(SPAN_S * S))
    outside = [
        troubled("host held up for 5 to 100 ms", (usual, held, usual)),
        troubled("way back 5 ms longer", (usual, replace(usual, back_ns=usual.back_ns + 5 * MS), usual)),
        troubled("nine of ten answers lost", (usual, replace(usual, lost=0.9), usual)),
        troubled("no answer at all", (usual, replace(usual, lost=1.0), usual)),
        troubled("the pod restarts, unannounced", (usual, restarted, restarted)),
    ]
    slewed = replace(usual, clock=usual.clock.slewed(SPAN_S, 2 * SPAN_S, -100))
    outside.append(troubled("host slewed by 100 ppm, and sees it", (slewed, slewed, slewed), steered_ppm=100))
    troubled("the same unseen: not in the model", (slewed, slewed, slewed))
    return [at_most("clock in trouble: presses outside", sum(outside), 0, "")]


def troubled(name: str, links: Sequence[Link], steered_ppm: int = 0) -> int:
    """Use one link after the other; count the presses outside their bound.

    steered_ppm: the rate that the host sees its time service add to its clock during the trouble.
    """
    dice, fit, steering, spans = Random(3), Clockfit(), Steering(), []

    def watched(fit: Clockfit, at_ns: int) -> Clockfit:
        nonlocal steering
        added_ns = steered_ppm * min(max(at_ns - SPAN_S * S, 0), SPAN_S * S) // 10**6
        steering = steering.read(at_ns - added_ns, added_ns + dice.randrange(300))
        return fit.after_steering() if steering.bent else fit

    for phase, link in enumerate(links):
        errors, answered = Errors(), link.clock.started_ns == links[phase - 1].clock.started_ns
        for second in range(phase * SPAN_S + 1, (phase + 1) * SPAN_S):
            answers = link.ask(second * S + dice.randrange(20 * MS))
            for exchange in answers:
                fit = watched(fit, exchange.received_ns).with_exchange(exchange)
            answered = answered or bool(answers)
            pressed_ns = second * S + dice.randrange(150 * MS, 950 * MS)
            fit = watched(fit, pressed_ns + 3 * MS)
            if answered and fit.exchanges:
                errors.note(fit.to_host(link.clock.stamp(pressed_ns)), pressed_ns)
        spans.append(errors)
    worst = " | ".join(f"{quantile(e.off, 0.5) / US:.0f} {max(e.off) / US:.0f}" for e in spans)
    bounds = " | ".join(f"{e.bound_us:.0f}" for e in spans)
    outside = sum(e.outside for e in spans)
    print(f"{name:<34} {worst:^50} {bounds:^32} {outside:7}")
    return outside


# -- costs -------------------------------------------------------------------------------------------------------------


def cost(exchanges: int = 2000, edges: int = 300) -> list[Figure]:
    """Return the CPU time of feeding an exchange, and of placing a present edge and one a quarter of an hour old."""
    link, fit = usb(5, exchanges + 1), Clockfit()
    answers = [answer for second in range(1, exchanges) for answer in link.ask(second * S)]
    began = time.process_time()
    for answer in answers:
        fit = fit.with_exchange(answer)
    feeding_us = (time.process_time() - began) / len(answers) * 1e6
    figures = [at_most("clock: feeding an exchange", feeding_us, MOST_US, "us CPU")]
    for name, back_s in (("now", 0), ("a quarter hour ago", 900)):
        began = time.process_time()
        for edge in range(edges):
            fit.to_host(answers[-1].foreign_ns - back_s * S + edge * MS)
        figures.append(
            at_most(f"clock: placing an edge of {name}", (time.process_time() - began) / edges * 1e6, MOST_US, "us CPU")
        )
    return figures


def main(seeds: Sequence[int] = SEEDS) -> list[Figure]:
    figures = cost() + hours(seeds) + pairs() + trouble()
    print()
    return figures


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]] or SEEDS)
