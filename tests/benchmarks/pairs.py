"""Pairs of presses across two pods and the Pi's own pins, placed by their clocks and ruled by the arbiter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from referee.core.clocks.fit import Clockfit
from referee.core.presses.arbiter import CallRules, Verdict, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS, US, S
from referee.drivers.buttons import GPIO_ERR_NS
from tests.benchmarks.link import DAY_S, Link, usb

SOURCES = ("pod A", "pod B", "pin")
RULES = CallRules()
SETTLE_S = 30


@dataclass
class Fairness:
    """Counts of pairs. `far`: stamps beyond W and both bounds.

    `dull`: those of them not ruled clear.
    """

    pairs: int = 0
    grey: int = 0
    wrong: int = 0
    far: int = 0
    dull: int = 0
    widest_grey_ns: int = 0

    def note(self, rows: list[Edge], gap_ns: int, verdict: Verdict) -> None:
        """Add one pair, the earlier press's row first, really gap_ns apart."""
        first, second = rows
        truth = {first.station} if gap_ns > RULES.tie_ns else {first.station, second.station}
        self.pairs += 1
        self.grey += verdict.grey
        self.wrong += not verdict.grey and set(verdict.callers) != truth
        if verdict.grey:
            self.widest_grey_ns = max(self.widest_grey_ns, abs(gap_ns - RULES.tie_ns))
        if second.t_ns - first.t_ns > RULES.tie_ns + first.err_ns + second.err_ns:
            self.far += 1
            self.dull += verdict.grey or verdict.kind != "clear" or verdict.first != first.station


def fairness(count: int, seed: int = 7, seconds: int = DAY_S) -> Fairness:
    """Measure pairs spread over a day or less.

    Half of the gaps are within 2 ms of the tie window's edge.
    """
    dice = Random(seed)
    links = {"pod A": usb(seed, seconds), "pod B": usb(seed + 1, seconds)}
    fits = dict.fromkeys(links, Clockfit())
    result = Fairness()
    for second in range(1, seconds):
        for name, link in links.items():
            for exchange in link.ask(second * S + dice.randrange(20 * MS)):
                fits[name] = fits[name].with_exchange(exchange)
        while second > SETTLE_S and result.pairs < count * (second - SETTLE_S) // (seconds - SETTLE_S - 1):
            gap_ns = dice.randrange(60 * MS) if dice.random() < 0.5 else RULES.tie_ns + dice.randrange(-2 * MS, 2 * MS)
            pressed_ns = second * S + dice.randrange(60 * MS, 880 * MS)
            rows = list(pressed(links, fits, dice, (pressed_ns, pressed_ns + gap_ns)))
            (verdict,) = arbitrate(sorted(rows, key=lambda row: row.arrived_ns), RULES)
            result.note(rows, gap_ns, verdict)
    return result


def pressed(
    links: Mapping[str, Link], fits: Mapping[str, Clockfit], dice: Random, times: tuple[int, int]
) -> Iterator[Edge]:
    """Yield one row from each of two sources."""
    for source, at_ns in zip(dice.sample(SOURCES, 2), times, strict=True):
        if source == "pin":
            late_ns = min(round(dice.expovariate(1 / (30 * US))), GPIO_ERR_NS)
            yield Edge(source, True, at_ns + late_ns, GPIO_ERR_NS)
        else:
            instant = fits[source].to_host(links[source].clock.stamp(at_ns))
            assert instant is not None
            yield Edge(source, True, instant.t_ns, instant.err_ns, at_ns + dice.randrange(500 * US, 8 * MS))
