"""Seven bots at the table, and how late the verdict's picture is: `python -m tests.benchmarks bots`.

The table of `bench_latency` with eight seats; a visitor calls at the first. Hand by hand in turn the other seven are
bots, whose cards are told to a page as `referee run --simulate` does, or nobody: both see the same minute of the same
machine. What is compared is the panel's picture, from the verdict's deadline.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from referee.core.messages import Msg
from referee.core.units import MS
from referee.core.values import Document
from referee.drivers.pins.pinmap import profile
from referee.live import Live
from referee.simulated import BotOutput, Fingers
from referee.web.wire import LyingCards, pack
from tests.benchmarks.bench_latency import Clock, Table, come_first
from tests.benchmarks.figures import Figure, at_most, quantile
from tests.core.sitting import Sitting

CALLS = 120
"""With bots, and as many without."""
TIMES = 1.1
SEATS = tuple(map(str, range(1, 9)))
BOTS = 7
MEMORY = Path("/dev/shm")
"""As in bench_page: no bot touches the disk."""


class BotTable(Table):
    """The same device; at every other hand bots sit round it."""

    bots: BotOutput | None = None
    told = 0
    """Bytes about cards."""

    def _lay(self, felt: Document | None, lesson: tuple[Msg, ...]) -> None:
        self.told += len(pack(LyingCards(felt, lesson)))

    def seat(self, sitting: Sitting) -> BotOutput:
        """Bots at all seats but the first, where a visitor has pressed."""
        hands = Fingers(self._factory, profile("full8", {}))
        hands.count, hands.last = 1, "1"
        table = lambda: sitting.engine.state.table  # noqa: E731
        return BotOutput(BOTS, hands, self._wake, Clock, table, bool, self._lay)

    def _wake(self) -> None:
        if self._live is not None:
            self._live.step()

    def _lively(self, sitting: Sitting, buzzer: Any) -> Live:
        self.bots = self.seat(sitting) if self.seated else None
        self._further = [] if self.bots is None else [self.bots]
        return super()._lively(sitting, buzzer)

    seated = False

    def _drain(self) -> None:
        if self.bots is not None:
            self.bots.deliver()
        super()._drain()


async def measured(count: int) -> tuple[list[int], list[int], int]:
    """Without and with bots, ns; and how many bytes were told of their cards."""
    found: dict[bool, list[int]] = {False: [], True: []}
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        table = BotTable(Path(folder), None, players=SEATS)
        try:
            for n in range(2 * count):
                table.seated = bool(n % 2)
                call = await table.call("1")
                found[table.seated].append(call.drawn_ns)
                if table.bots is not None:
                    table.bots.close()
        finally:
            table.close()
    return found[False], found[True], table.told


def main() -> list[Figure]:
    """In turn."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    print(come_first())
    try:
        alone, bots, told = asyncio.run(measured(CALLS))
    finally:
        os.sched_setscheduler(0, *before)
    for name, values in (("nobody", alone), (f"{BOTS} bots", bots)):
        p95 = quantile(values, 0.95) / MS
        print(f"verdict due to panel, {name}: median {median(values) / MS:.2f}, p95 {p95:.2f} ms")
    print(f"{told / CALLS / 1000:.1f} kB of cards told a hand")
    return [at_most(f"verdict due to panel, {BOTS} bots (median)", median(bots) / median(alone), TIMES, "x", "no bots")]


if __name__ == "__main__":
    main()
