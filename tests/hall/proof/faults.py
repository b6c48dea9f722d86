"""The kinds of faults. Each breaks a part, and returns what mends it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from random import Random

from tests.hall.proof import parts
from tests.hall.proof.stage import Stage

Mend = Callable[[], Awaitable[object]]
YEARS_S = 20 * 365 * 24 * 3600
"""How far a clock jumps at most."""


class Faults:
    """Does faults at random. draw: draws a round early.

    done: how many of each kind. lost_rows: rows that power cuts took back. taken_back: for each failover, the numbers
    of results and decisions that the promoted standby lacked.
    """

    def __init__(self, stage: Stage, rng: Random, draw: Callable[[], object], only: Sequence[str] = ()) -> None:
        self._stage, self._rng, self._draw = stage, rng, draw
        self.done: Counter[str] = Counter()
        self.compared_without: Counter[str] = Counter()
        self.lost_rows = 0
        self.taken_back: list[tuple[int, int]] = []
        self.broken: set[Hashable] = set()
        self.away = ""
        self._late: Mend | None = None
        self._file = asyncio.Lock()
        plan = stage.plan
        self._kinds: dict[str, int] = {
            "broker killed": 2,
            "broker killed, disk lost": 2,
            "broker killed, old disk restored": 0 if plan.clustered else 2,
            "hall killed": 2,
            "hall killed, old database restored": 1 if stage.file and plan.halls == 1 else 0,
            "hall's disk full": 1 if stage.file and plan.network else 0,
            "hall's clock set": 2,
            "tables killed": 2,
            "tables' power cut": 2,
            "tables' disk full": 2 if plan.network else 0,
            "table's clock set": 3,
            "database failed over": 2 if plan.pair else 0,
            "servers apart": 2 if plan.clustered and plan.network else 0,
            **{f"link: {fault}": 4 for fault in stage.links.faults},
        }
        if only:
            self._kinds = {kind: weight for kind, weight in self._kinds.items() if any(one in kind for one in only)}

    async def batch(self, count: int) -> list[Mend]:
        """Do faults while tables play; return what mends those that have not ended."""
        self.broken = set()
        mends = await asyncio.gather(*[self._fault() for _ in range(count)])
        return [mend for mend in mends if mend is not None]

    async def mend_late(self) -> None:
        """Mend what stayed away while the hall was compared."""
        late, self._late, self.away = self._late, None, ""
        if late is not None:
            await late()

    def _choose(self) -> tuple[str, Hashable]:
        """Return a kind of fault, and whom it breaks: something that is not broken."""
        kinds, weights = zip(*self._kinds.items(), strict=True)
        for _ in range(20):
            kind = self._rng.choices(kinds, weights)[0]
            subject = kind.partition(":")[0].partition(" ")[0]
            whom: Hashable
            if "clock" in kind:
                return kind, self._rng.choice(list(self._stage.halls if subject == "hall's" else self._stage.tables))
            if subject in ("broker", "servers"):
                whom = "broker"
            elif subject == "database":
                whom = subject
            elif subject in ("hall", "hall's"):
                whom = self._rng.choice(list(self._stage.halls))
            elif subject == "link":
                whom = ("link", self._rng.choice(self._stage.names))
            else:
                whom = self._rng.choice(list(self._stage.groups))
            if whom not in self.broken:
                return kind, whom
        return "table's clock set", self._rng.choice(self._stage.tables)

    async def _fault(self) -> Mend | None:
        """Do a fault. Return what mends it, unless it mends itself while the tables play."""
        rng = self._rng
        begin_s, down_s, early = rng.uniform(0, 1.5), rng.uniform(0.05, 2.5), rng.random() < 0.3
        await asyncio.sleep(begin_s)
        kind, whom = self._choose()
        self.done[kind] += 1
        if "clock" in kind:
            self._set_clock(str(whom), rng.randint(-YEARS_S, YEARS_S))
            return None
        self.broken.add(whom)
        mend = await self._break(kind, whom)
        await asyncio.sleep(down_s)
        has_spare = {"broker": len(self._stage.brokers) > 1, "hall": len(self._stage.halls) > 1}.get(kind[:6].strip())
        if has_spare and not early and self._late is None and rng.random() < 0.5:
            self._late, self.away = mend, str(whom) if whom in self._stage.halls else ""
            self.compared_without[kind.partition(" ")[0]] += 1
            return None
        if not early or isinstance(whom, int):
            return mend
        await mend()
        return None

    def _set_clock(self, name: str, by_s: int) -> None:
        stage = self._stage
        if name in stage.halls:
            stage.halls[name].set_clock(by_s)
            return
        for number, group in stage.groups.items():
            if name in group.names and number not in self.broken:
                group.say(f"clock {name} {by_s}")

    async def _break(self, kind: str, whom: Hashable) -> Mend:
        """Break something, and return what mends it."""
        if isinstance(whom, int):
            return await self._break_tables(kind, whom)
        if isinstance(whom, tuple):
            return self._break_link(str(whom[1]), kind.removeprefix("link: "))
        if kind == "servers apart":
            return self._break_link(f"server {self._rng.randint(1, 3)}", "partition")
        if whom == "database":
            return await self._fail_over()
        return await (self._break_broker(kind) if whom == "broker" else self._break_hall(kind, str(whom)))

    def _break_link(self, name: str, fault: str) -> Mend:
        self._stage.links.spoil(name, fault, self._rng)

        async def mend() -> None:
            self._stage.links.mend(name)

        return mend

    async def _break_broker(self, kind: str) -> Mend:
        server = self._rng.choice(self._stage.brokers)
        await server.kill()
        if "lost" in kind:
            server.lose_disk()
        elif "old" in kind:
            server.restore_disk()
        return server.start

    async def _break_hall(self, kind: str, name: str) -> Mend:
        stage, hall = self._stage, self._stage.halls[name]
        if "full" in kind:
            stage.desk.fill()

            async def free() -> None:
                stage.desk.free()

            return free
        await hall.kill()
        stage.links.lose(name)
        if "old" in kind and stage.file is not None and stage.copy.exists():
            async with self._file:
                with stage.closed():
                    parts.restore_database(stage.copy, stage.file)
        return hall.start

    async def _fail_over(self) -> Mend:
        """Kill the primary, or let it hang, and promote its standby, which may lack the last moments.

        Raises WrongError if a synchronous standby lacks something.
        """
        pair, rng = self._stage.plan.pair, self._rng
        async with self._file:
            if rng.random() < 0.7:
                await asyncio.to_thread(pair.hold)
                if not pair.synchronous:  # the director draws a round that the failover takes back
                    self._draw()
                await asyncio.sleep(rng.uniform(0.5, 2.5))
            before = await asyncio.to_thread(pair.rows, pair.primary)
            await asyncio.to_thread(pair.stall_primary if rng.random() < 0.3 else pair.kill_primary)
            await asyncio.sleep(rng.uniform(0, 1))
            there = await asyncio.to_thread(pair.rows, 1 - pair.primary)
            results, decisions = (len(had - has) for had, has in zip(before, there, strict=True))
            self.taken_back.append((results, decisions))
            if pair.synchronous and results + decisions:
                raise parts.WrongError(f"the synchronous standby lacks {results} results and {decisions} decisions")
            with self._stage.closed():
                await asyncio.to_thread(pair.promote)
        return partial(asyncio.to_thread, pair.rebuild)

    async def _break_tables(self, kind: str, number: int) -> Mend:
        stage, group = self._stage, self._stage.groups[number]
        if "full" in kind:
            stage.disks[number].fill()

            async def free() -> None:
                stage.disks[number].free()
                await group.pause()

            return free
        await group.kill()
        for name in group.names:
            stage.links.lose(name)
        if "power" in kind:
            self.lost_rows += group.cut_files(self._rng)
            async with self._file:
                await asyncio.to_thread(stage.judge.check_durable, group.names)
        return group.start
