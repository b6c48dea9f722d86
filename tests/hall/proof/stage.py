"""All parts of a hall with simulated tables."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from referee.core.values import Value
from referee.hall.store import Store
from tests.hall.proof import parts
from tests.hall.proof.files import Files
from tests.hall.proof.judge import Judge
from tests.hall.proof.links import Links, Network, Proxies
from tests.hall.proof.page import PROXY, Page

PRESET = "reflex-duel"
TOGETHER = 5


class Plan(Value):
    """What to build.

    together: tables in a process. speed: simulated seconds in a second. database: URL; "" for a file of SQLite.
    pair: the `Pair` of that URL. network: namespaces and packets instead of proxies.
    """

    seed: int = 1
    tables: int = 20
    together: int = TOGETHER
    speed: float = 12
    database: str = ""
    pair: Any = None
    halls: int = 1
    clustered: bool = False
    network: bool = False


class Stage:
    """Brokers, halls and tables with the links between them, in a folder."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan, self._folder = plan, folder
        self.tables = [f"t{n:03}" for n in range(1, plan.tables + 1)]
        groups = [self.tables[at : at + plan.together] for at in range(0, plan.tables, plan.together)]
        hall_names = [f"hall-{number}" for number in range(1, plan.halls + 1)]
        self.names = [*self.tables, *hall_names]
        servers = 3 if plan.clustered else 1
        self.links: Links = (
            Network(self.names, servers, len(groups), plan.seed) if plan.network else Proxies(self.names, servers)
        )
        self._groups = groups
        self.desk = parts.Disk(folder / "desk", 256 * plan.network)
        self.file = None if plan.database else folder / "desk" / "hall.db"
        self.copy = folder / "hall-old.db"
        self.database = plan.database or f"sqlite:///{self.file}"
        self.disks = {n: parts.Disk(folder / f"group-{n}", 128 * plan.network) for n in range(1, len(groups) + 1)}
        self.store = Store(self.database)
        folders = {name: folder / f"group-{n}" / name for n, group in enumerate(groups, 1) for name in group}
        self.files = Files(folders)
        self.judge = Judge(self.database, self.store, self.files)
        self.brokers: list[parts.Server] = []
        self.halls: dict[str, parts.Hall] = {}
        self.groups: dict[int, parts.Tables] = {}
        self.page: Page | None = None

    async def start(self) -> None:
        """Start everything but the tables."""
        await self.links.start()
        self.brokers = (parts.cluster if self.plan.clustered else parts.mosquitto)(self._folder, self.links)
        await asyncio.gather(*[broker.start() for broker in self.brokers])
        for name in self.names[len(self.tables) :]:
            self.halls[name] = parts.Hall(name, self._folder, self.database, self.links.addresses(name))
            await self.halls[name].start()
        if len(self.halls) > 1 and PROXY is not None:
            self.page = Page(self._folder, [hall.port for hall in self.halls.values()])
            await self.page.start()
        options = ["--seed", str(self.plan.seed), "--preset", PRESET, "--speed", str(self.plan.speed), "--friendly"]
        for number, names in enumerate(self._groups, 1):
            addresses = {name: self.links.addresses(name) for name in names}
            folder, within = self._folder / f"group-{number}", self.links.within(10 + number)
            self.groups[number] = parts.Tables(addresses, folder, within, options)
            await self.groups[number].start()
        async with asyncio.timeout(parts.PATIENCE_S):
            while not all(group.have_met_a_hall() for group in self.groups.values()):
                await asyncio.sleep(0.1)

    async def stop(self) -> None:
        """End everything."""
        for part in (*self.groups.values(), *self.halls.values(), *self.brokers, *filter(None, [self.page])):
            await part.kill()
        await self.links.stop()
        self.judge.close()
        self.store.close()
        self.files.close()
        for disk in (self.desk, *self.disks.values()):
            disk.remove()

    def play(self, rng: Random, share: float) -> None:
        """Let a share of the tables play."""
        for group in self.groups.values():
            group.say(" ".join(["go", *[name for name in group.names if rng.random() < share]]))

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Close the campaign's own connections to the database while its file is replaced."""
        self.judge.close()
        self.store.close()
        yield
        self.store = Store(self.database)
        self.judge = Judge(self.database, self.store, self.files)

    @property
    def log(self) -> str:
        """Return what all processes have logged."""
        logs = sorted(self._folder.glob("*.log"))
        return "".join(f"== {path.name}\n{path.read_text(errors='replace')[-20000:]}" for path in logs)

    async def until_connected(self, away: str) -> float:
        """Wait until all clients but one that is away are connected; return when the last one was."""
        names = [name for name in self.names if name != away]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(parts.PATIENCE_S):
                while any(self.links.up_s(name) is None for name in names):
                    await asyncio.sleep(0.01)
        if missing := [name for name in names if self.links.up_s(name) is None]:
            raise parts.WrongError(f"not connected again: {missing}")
        return max(self.links.up_s(name) or 0.0 for name in names)
