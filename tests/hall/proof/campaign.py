"""Breaks a hall of simulated tables in batches of faults, and compares after each batch.

Theory of operation. Real parts run in processes of their own: Mosquitto (or a cluster of three NATS servers), `referee
hall` (or several on one database), and tables with real engines, journals and publishers, many in each process. While
tables play, faults happen, and some mend themselves. Then the tables pause, and everything is mended, except that one
server of the cluster or one of several halls may stay away. What the hall must then hold follows from the evenings'
files alone. Measured is the time from the last connection, and from mending, until it holds that.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from referee.core.documents.delivery import Row
from referee.hall.decide import draw
from referee.hall.model import Entered, Event, EventError, Format, Game, Opened
from referee.hall.schema import Database
from tests.hall.proof.faults import Faults
from tests.hall.proof.parts import PATIENCE_S, WrongError, copy_database
from tests.hall.proof.stage import PRESET, Plan, Stage

LOOK_S = 0.025
CALM_S = 0.6
"""How long nothing must have changed in the database before it is compared with the files, in s."""
BATCHES = (1, 2, 3, 5, 8, 13, 20, 30)
SEATED = 50
"""Maximum number of tables that play in the event. The others play with guests."""


class Campaign:
    """A hall with tables, and what is done to it. share: of the tables that play at a time."""

    def __init__(self, folder: Path, plan: Plan, only: Sequence[str] = (), share: float = 1.0) -> None:
        self.stage, self._rng = Stage(folder, plan), Random(plan.seed)
        self.faults = Faults(self.stage, self._rng, self._direct, only)
        self._share = share
        self.latencies_s: list[float] = []
        self.since_mended_s: list[float] = []

    async def start(self) -> None:
        """Start everything, and draw the first round."""
        stage = self.stage
        for table in stage.tables:
            stage.store.invite(table)
        self._seated = stage.tables[:SEATED]
        self._event = stage.store.open(Opened("Faults", Format("swiss", rounds=200), Game(PRESET), stage.plan.seed))
        for number in range(1, 4 * len(self._seated) + 1):
            stage.store.append(self._event, Entered(number, (f"Person {number}",)), number)
        self._direct()
        await stage.start()
        await stage.until_connected("")

    async def run(self, faults: int) -> None:
        """Play, with this many faults. Raises WrongError."""
        stage, done = self.stage, self.faults.done
        while done.total() < faults:
            begun_s = time.monotonic()
            stage.play(self._rng, self._share)
            await self.faults.mend_late()
            await self._keep_old()
            await asyncio.sleep(self._rng.uniform(0.2, 1.5))
            before = done.copy()
            size = min(self._rng.choice(BATCHES), max(2, len(stage.tables) // 2), faults - done.total())
            mends = await self.faults.batch(size)
            sound = [group for number, group in stage.groups.items() if number not in self.faults.broken]
            await asyncio.gather(*[group.pause() for group in sound])
            await asyncio.gather(*[mend() for mend in mends])
            await self._measure()
            if stage.page is not None:
                await stage.page.check(self.event)
            if not self.event.open_tables(self.event.round):
                self._direct()
            told = f"{done.total()} faults, {self.latencies_s[-1]:.3f} s, round {self.event.round}, "
            told += f"{time.monotonic() - begun_s:.0f} s: {dict(done - before)}"
            print(told, file=sys.stderr, flush=True)
        stage.judge.check_results()
        self.matches = sum(outcome.match != "" for outcome in self.event.outcomes)

    async def _keep_old(self) -> None:
        """Sometimes keep copies of disks, which faults restore later."""
        stage = self.stage
        if stage.file is not None and (self._rng.random() < 0.3 or not stage.copy.exists()):
            await asyncio.to_thread(copy_database, stage.file, stage.copy)
        if not stage.plan.clustered and self._rng.random() < 0.3:
            await stage.brokers[0].save()

    async def _measure(self) -> None:
        """Note how long the hall needs, once all is mended, to hold what the files say. Raises WrongError."""
        stage, mended_s = self.stage, time.monotonic()
        due = asyncio.create_task(asyncio.to_thread(stage.files.rows))
        connected_s = max(await stage.until_connected(self.faults.away), mended_s)
        changed_s, told_s, held = time.monotonic(), 0.0, dict[tuple[str, str], Row]()
        while True:
            now = await asyncio.to_thread(stage.judge.held)
            if now != held:
                changed_s, held = time.monotonic(), now
            elif due.done() and time.monotonic() - max(connected_s, changed_s) > CALM_S:
                late = {key: row for key, row in due.result().items() if held.get(key) != row}
                if not late and len(held) == len(due.result()):
                    break
                if time.monotonic() - connected_s > PATIENCE_S:
                    raise WrongError(f"the hall does not get all: {late}")
                if changed_s != told_s:
                    told_s, such = changed_s, {key: (row, held.get(key)) for key, row in sorted(late.items())[:3]}
                    print(f"late: {len(late)} matches, such as (due, held) {such}", file=sys.stderr)
                due = asyncio.create_task(asyncio.to_thread(stage.files.rows))
            await asyncio.sleep(LOOK_S)
        up = [stage.links.up_s(name) or 0 for name in stage.names]  # a client may give up a connection late
        connected_s = max([connected_s, *(s for s in up if s <= changed_s)])
        self.latencies_s.append(max(changed_s - connected_s, 0.0))
        self.since_mended_s.append(max(changed_s - mended_s, 0.0))
        stage.judge.check_standings(self.event)

    # -- the event -------------------------------------------------------------------------------------------------

    @property
    def event(self) -> Event:
        """Return the event as the hall has it."""
        return self.stage.store.event(self._event)

    def _direct(self) -> None:
        """Draw the next round, unless halls decide something or keep the database busy at the same time."""
        event = self.event
        drawn = draw(event, self._seated, self._rng.randrange(10**6))
        with contextlib.suppress(EventError, Database.lost):
            self.stage.store.append(self._event, drawn, len(event.decisions))


async def run(plan: Plan, faults: int, only: Sequence[str] = (), share: float = 1.0) -> Campaign:
    """Run a campaign in a directory for it. After an error, keep a copy. Raises WrongError."""
    folder = Path(tempfile.mkdtemp(prefix="hall-proof-"))
    campaign = Campaign(folder, plan, only, share)
    try:
        await campaign.start()
        await campaign.run(faults)
    except BaseException:
        print(campaign.stage.log, file=sys.stderr)
        kept = shutil.copytree(folder, f"{folder}-kept")
        print(f"all files are kept in {kept}", file=sys.stderr)
        raise
    finally:
        await campaign.stage.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return campaign
