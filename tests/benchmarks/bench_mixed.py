"""Measure calls at tables with wires, a pod and phones: `python -m tests.benchmarks mixed`.

Two players press, some time apart, through the shipped code and simulated links (tests/page/phone_network.py). A
verdict that is not grey must be right. Printed: how many are grey, by the link to the phones, the gap between the
presses, and their sources; and how long after the first press the verdict came. Then touches of phones that break an
assumption: how many are outside their bound, and of how many the device notices that. `PAIRS=N` in the environment
changes the number.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, permutations, product
from pathlib import Path
from random import Random

from referee.core.phases.verdict import judged_in
from referee.core.presses.arbiter import Verdict
from referee.core.units import MS, S
from referee.core.values import replace
from tests.benchmarks.figures import Figure, at_most, quantile
from tests.page.phone_network import (
    LINKS,
    PHONES,
    POD,
    STATIONS,
    WIRES,
    Phone,
    SimulatedLoop,
    jittery,
    race,
    simulated,
    until,
)

PAIRS = int(os.environ.get("PAIRS", "10000"))
A_TABLE = 100
"""Pairs at one table, whose phones and links stay the same."""
W_NS = 20 * MS
BROKEN_PHONES, BROKEN_TOUCHES = 9, 20
BINS_MS = (0, 10, 20, 30, 40, 60, 80, 120, 200)
KIND = dict.fromkeys(WIRES, "wire") | {POD: "pod"} | dict.fromkeys(PHONES, "phone")

TITLES = {"lan": "LAN", "wifi": "Wi-Fi", "power_save": "power save", "jittery": "0–40 ms"}

MIXED = [(one, other) for one, other in permutations(STATIONS, 2) if KIND[one] != KIND[other] or KIND[one] == "phone"]
"""All pairs of stations but the two wires."""


class Calls:
    """What was measured: grey verdicts by link, sources and gap, wrong ones, and the time to each verdict by link."""

    def __init__(self) -> None:
        self.grey: dict[str, dict[tuple[str, int], list[bool]]] = defaultdict(lambda: defaultdict(list))
        self.waits_ms: dict[str, list[float]] = defaultdict(list)
        self.old: dict[str, list[bool]] = defaultdict(list)
        self.wrong = self.late = 0

    def note(self, link: str, pair: tuple[str, str], gap_ns: int, verdict: Verdict) -> None:
        """Add the verdict on two presses, of which the first station's was gap_ns earlier.

        `verdict` lists what came later, too. A late press is shown and can open a contest.
        """
        truth = {pair[0]} if gap_ns > W_NS else {*pair}
        self.late += bool(verdict.late)
        self.old[link] += [p.old for p in verdict.presses if KIND[p.station] == "phone"]
        self.wrong += not verdict.grey and not verdict.late and {*verdict.callers} != truth
        least_ms = max(ms for ms in BINS_MS if ms <= gap_ns // MS)
        self.grey[link][" and ".join(sorted(KIND[s] for s in pair)), least_ms].append(verdict.grey)

    def curve(self) -> Iterator[str]:
        """Yield the lines of a table: the share of grey verdicts by link, gap and sources."""
        kinds = sorted({kind for by_kind in self.grey.values() for kind, _ in by_kind})
        yield f"| link | gap in ms | {' | '.join(kinds)} |"
        yield "|---|---|" + "---|" * len(kinds)
        for (link, grey), (least, most) in product(self.grey.items(), pairwise(BINS_MS)):
            cells = [grey.get((kind, least), []) for kind in kinds]
            shares = [f"{100 * sum(cell) / len(cell):.0f} %" if cell else "–" for cell in cells]
            yield f"| {TITLES[link]} | {least} to {most} | {' | '.join(shares)} |"


async def calls_at_one_table(calls: Calls, seed: int, folder: Path, loop: SimulatedLoop) -> None:
    dice = Random(seed)
    kind = (*LINKS, jittery)[seed % (len(LINKS) + 1)]
    table, phones = await race(loop, folder, dice, [kind(dice) for _ in PHONES])
    playing = table.state
    for _ in range(A_TABLE):
        one, other = pair = dice.choice(MIXED)
        gap_ns = dice.randrange(200 * MS) if dice.random() < 0.5 else dice.randrange(60 * MS)
        at_ns = loop.now_ns() + 200 * MS
        for station, t_ns in ((one, at_ns), (other, at_ns + gap_ns)):
            if KIND[station] == "phone":
                next(phone for phone in phones if phone.station == station).touch(t_ns)
            elif station == POD:
                table.pod(station, t_ns)
            else:
                table.wire(station, t_ns)
        await until(loop, at_ns + gap_ns + 900 * MS)
        (ruled,) = table.verdicts()
        judged = judged_in(table.now().phase)
        assert judged is not None
        calls.note(kind.__name__, pair, gap_ns, judged.ruling)
        calls.waits_ms[kind.__name__].append((ruled.at_ns - at_ns) / MS)
        table.engine.state = replace(table.state, phase=playing.phase, undo=playing.undo, menu=None, holds=())
        await until(loop, loop.now_ns() + 100 * MS)


# -- assumptions that do not hold ------------------------------------------------------------------------------------


def slow_touch(phone: Phone) -> None:
    phone.touch_ns = 60 * MS, 100 * MS


def coarse_clock(phone: Phone) -> None:
    phone.clock.step_ns = 100 * MS


def suspended(phone: Phone) -> None:
    """The phone sleeps for 3 s; its clock stops meanwhile."""
    phone.asleep = True
    phone.table.loop.at(phone.table.loop.now_ns() + 3 * S, partial(_wake, phone))


def _wake(phone: Phone) -> None:
    phone.asleep = False
    phone.clock.offset_ns -= 3 * S


def one_sided(phone: Phone) -> None:
    phone.link.back.usual_ns = 80 * MS


BROKEN: Sequence[tuple[str, Callable[[Phone], None]]] = (
    ("touch of 60 to 100 ms", slow_touch),
    ("clock whose step grows to 100 ms", coarse_clock),
    ("suspended for 3 s before the touch", suspended),
    ("link that turns one-sided before the touch", one_sided),
)


async def broken_touches(
    found: list[tuple[bool, bool]], breaks: Callable[[Phone], None], seed: int, folder: Path, loop: SimulatedLoop
) -> None:
    """Add of one phone's touches whether each is outside its bound, and whether the device notices that."""
    dice = Random(seed)
    table, phones = await race(loop, folder, dice, [LINKS[seed % len(LINKS)](dice) for _ in PHONES])
    playing, phone = table.state, phones[0]
    for n in range(BROKEN_TOUCHES):
        if not n or breaks is suspended:
            breaks(phone)
        forgotten = phone.forgotten
        at_ns = loop.now_ns() + 3 * S + dice.randrange(300 * MS)
        phone.touch(at_ns)
        await until(loop, at_ns + 2 * S)
        ruled, refused = table.verdicts(), len(phone.refused)
        phone.refused.clear()
        press = ruled[0].verdict.presses[0] if ruled else None
        outside = press is not None and abs(press.t_ns - at_ns) > press.err_ns
        found.append((outside, bool(refused) or phone.forgotten > forgotten))
        table.engine.state = replace(table.state, phase=playing.phase, undo=playing.undo, menu=None, holds=())


def print_broken() -> None:
    print("| broken assumption | touches outside their bound | noticed |")
    print("|---|---|---|")
    for name, breaks in BROKEN:
        found: list[tuple[bool, bool]] = []
        for seed in range(BROKEN_PHONES):
            with tempfile.TemporaryDirectory() as folder:
                simulated(partial(broken_touches, found, breaks, seed, Path(folder)))
        outside, noticed = (sum(one[n] for one in found) / len(found) for n in (0, 1))
        print(f"| {name} | {100 * outside:.0f} % | {100 * noticed:.0f} % |")


def main() -> list[Figure]:
    print_broken()
    calls = Calls()
    for seed in range(-(-PAIRS // A_TABLE)):
        with tempfile.TemporaryDirectory() as folder:
            simulated(partial(calls_at_one_table, calls, seed, Path(folder)))
    print("\n".join(calls.curve()))
    figures = [at_most(f"pairs of mixed sources, of {PAIRS:,}: wrong and not grey", calls.wrong, 0, "")]
    for link, waits_ms in calls.waits_ms.items():
        median, p95 = quantile(waits_ms, 0.5), quantile(waits_ms, 0.95)
        print(f"verdict after the first press, {link}: median {median:.0f} ms, 95 of 100 within {p95:.0f} ms")
    for link, old in calls.old.items():
        print(f"touches older than A at their arrival, {link}: {100 * sum(old) / len(old):.1f} %")
    print(f"calls with a press that came after the deadline: {calls.late}")
    return figures
