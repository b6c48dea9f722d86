"""Break a hall of simulated tables at random, and check that no result is lost, doubled or out of order.

    python -m tests.hall.faults --seed 1 --faults 200 --tables 20

Theory of operation. Real parts run in processes of their own: Mosquitto without a disk (or a cluster of three NATS
servers), `referee hall` (or several on one database), and tables with real engines, journals and publishers, several in
each process. Each connection to a broker goes through a proxy. Faults come in groups: a broker, a hall or a process of
tables is killed, links are cut or stop for a while, a table's clock jumps by years. The tables play on meanwhile; some
faults mend themselves. Then the tables pause, and everything is mended, except that one server of the cluster or one of
several halls may stay away until the hall is compared. What the hall must then hold follows from the evenings' files
alone. Measured is the time from the last connection, and from mending, until it holds that.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random

from sqlalchemy import create_engine, make_url, text

from referee.core.documents.chronicle import records
from referee.core.documents.delivery import Row
from referee.core.documents.match import account
from referee.core.documents.record import Record
from referee.core.values import replace
from referee.drivers.evenings.folder import evenings_in, names, path_of, read_evening
from referee.drivers.mqtt.outbox import EveningResults
from referee.hall.decide import draw, standings
from referee.hall.model import Entered, Event, Format, Game, Opened, Outcome
from referee.hall.store import Store
from tests.hall.brokers import Broker, Mosquitto, cluster, free_port
from tests.hall.databases import postgresql

IN_A_PROCESS = 5
PATIENCE_S = 180.0
LOOK_S = 0.025
CALM_S = 0.6
"""How long nothing must have changed in the database before it is compared with the files, in s."""
TARGET_S = 1.0
Mend = Callable[[], Awaitable[None]]
Held = dict[tuple[str, str], Row]
"""(table, match) -> its last row."""


class WrongError(Exception):
    """The hall does not hold what it must."""


class Proxy:
    """Passes the bytes of one client to the brokers. `ports`: one for each broker."""

    def __init__(self, targets: Sequence[int]) -> None:
        self.ports: list[int] = []
        self._targets = targets
        self._servers: list[asyncio.Server] = []
        self._cut, self._flows = False, asyncio.Event()
        self._flows.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._newest: asyncio.StreamWriter | None = None
        self.up_s: float | None = None
        """When the broker answered on the current connection; None without one."""

    async def start(self) -> None:
        """Listen on free ports."""
        for target in self._targets:
            server = await asyncio.start_server(partial(self._serve, target), "127.0.0.1", 0)
            self._servers.append(server)
            self.ports.append(server.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Close the ports and all connections."""
        for server in self._servers:
            server.close()
        self.cut()

    def cut(self) -> None:
        """Close all connections and refuse others."""
        self._cut = True
        for writer in self._writers:
            writer.transport.abort()

    def stall(self) -> None:
        """Pass nothing on until `mend`, but keep connections."""
        self._flows.clear()

    async def mend(self) -> None:
        """Pass everything on again."""
        self._cut = False
        self._flows.set()

    async def _serve(self, target: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        try:
            far_reader, far = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            writer.transport.abort()
            return
        self._newest, self.up_s = writer, None
        pair = {writer, far}
        self._writers |= pair
        flows = self._pass(reader, far, None), self._pass(far_reader, writer, far)
        try:
            await asyncio.wait(map(asyncio.ensure_future, flows), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            return
        finally:
            for one in pair:
                one.transport.abort()
            self._writers -= pair
            if self._newest is writer:
                self.up_s = None

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, far: object) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
                if far is not None and self.up_s is None and self._newest is writer:
                    self.up_s = time.monotonic()


class Fleet:
    """A process of tables. `ports`: table -> the ports of its proxy."""

    def __init__(self, ports: dict[str, list[int]], state: Path, seed: int, preset: str, speed: float) -> None:
        self.tables = tuple(ports)
        self._command = [sys.executable, "-m", "tests.hall.fleet", "--state", str(state), "--seed", str(seed)]
        self._command += ["--preset", preset, "--speed", str(speed), "--friendly"]
        self._command += ["--tables", ",".join(":".join(map(str, [name, *own])) for name, own in ports.items())]
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process; the tables are paused from the second time on."""
        pipe = asyncio.subprocess.PIPE
        again = ["--paused"] if self._process is not None else []
        self._process = await asyncio.create_subprocess_exec(*self._command, *again, stdin=pipe, stdout=pipe)

    async def kill(self) -> None:
        """Kill the process."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()

    def say(self, line: str) -> None:
        """Send a command."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    async def pause(self) -> None:
        """Let the tables pause, and wait until all their rows are saved."""
        self.say("pause")
        assert self._process is not None
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            if not await self._process.stdout.readline():
                raise WrongError("a process of tables has ended by itself")


class HallProcess:
    """The process `referee hall`."""

    def __init__(self, folder: Path, database: str) -> None:
        self._command = [sys.executable, "-m", "referee", "hall", "--database", database]
        self._command += ["--listen", f"127.0.0.1:{free_port()}"]
        self._log = folder / "hall.log"
        self._process: asyncio.subprocess.Process | None = None

    def connect_to(self, ports: Sequence[int]) -> None:
        """Set the brokers' ports."""
        for port in ports:
            self._command += ["--broker", f"mqtt://127.0.0.1:{port}"]

    async def start(self) -> None:
        """Start the hall."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(*self._command, stdout=log, stderr=log)

    async def kill(self) -> None:
        """Kill the hall."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()


class Files:
    """What follows from the evenings' files of all tables."""

    def __init__(self, state: Path, tables: Sequence[str]) -> None:
        self._state, self._tables = state, tables
        self._evenings: dict[tuple[str, str], EveningResults] = {}
        self._written_ns: dict[tuple[str, str], int] = {}
        self._records: dict[Path, tuple[int, tuple[Record, ...]]] = {}

    def rows(self) -> Held:
        """Return the last row of each match."""
        held: Held = {}
        for table in self._tables:
            folder = self._state / table
            for name in names(evenings_in(folder)):
                results = self._evenings.setdefault((table, name), EveningResults(folder, name, {}))
                written_ns = path_of(evenings_in(folder), name).stat().st_mtime_ns
                if self._written_ns.get((table, name)) != written_ns:
                    results.read()
                    self._written_ns[table, name] = written_ns
                held |= {(table, match): (results.id, last.seq) for match, last in results.last.items()}
        return held

    def every_row(self) -> dict[tuple[str, str], list[Row]]:
        """Return all rows of each match."""
        found: dict[tuple[str, str], list[Row]] = {}
        self.rows()
        for (table, _), results in self._evenings.items():
            for result in results.results:
                found.setdefault((table, result.match), []).append(result.row)
        return found

    def records(self) -> dict[tuple[str, str], Record]:
        """Return the record of each match, computed without the publisher's code."""
        found: dict[tuple[str, str], Record] = {}
        for table in self._tables:
            folder = evenings_in(self._state / table)
            for path in (path_of(folder, name) for name in names(folder)):
                written_ns = path.stat().st_mtime_ns
                if self._records.get(path, (0, ()))[0] != written_ns:
                    tape = read_evening(path)
                    made = records(tape.rows, tape.walls, tape.aside)
                    self._records[path] = written_ns, tuple(map(untimed, made))
                found |= {(table, record.id): record for record in self._records[path][1]}
        return found


def untimed(record: Record) -> Record:
    """Return a record without times, which a table corrects when its clock is set."""
    hands = tuple(replace(hand, counted_s=None) for hand in record.hands)
    return replace(record, begun_s=None, ended_s=None, hands=hands)


class Campaign:
    """Halls with tables, and what is done to them. database: "" for a file of SQLite."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        tables: int,
        speed: float,
        database: str = "",
        halls: int = 1,
        clustered: bool = False,
    ) -> None:
        self._rng = Random(seed)
        self._folder, self._seed, self._preset, self._speed = folder, seed, "reflex-duel", speed
        self.tables = [f"t{n:02}" for n in range(1, tables + 1)]
        self._database = database or f"sqlite:///{folder / 'hall.db'}"
        self.store = Store(self._database)
        self._eye = create_engine(make_url(self._database).set(drivername=_driver(self._database)))
        self._files = Files(folder, self.tables)
        self._brokers: Sequence[Broker] = cluster(folder) if clustered else [Mosquitto(folder)]
        self._halls = {f"hall-{number}": HallProcess(folder, self._database) for number in range(1, halls + 1)}
        targets = [broker.port for broker in self._brokers]
        self._proxies = {name: Proxy(targets) for name in (*self.tables, *self._halls)}
        self._fleets: list[Fleet] = []
        self._late: Mend | None = None
        self._away = ""
        """What mends the server or hall that stays away, and the hall's name if it is one."""
        self.compared_without: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.latencies_s: list[float] = []
        self.since_mended_s: list[float] = []

    async def start(self) -> None:
        """Start everything, and draw the first round."""
        for proxy in self._proxies.values():
            await proxy.start()
        for table in self.tables:
            self.store.invite(table)
        self._event = self._open_event()
        for name, hall in self._halls.items():
            hall.connect_to(self._proxies[name].ports)
            await hall.start()
        for at in range(0, len(self.tables), IN_A_PROCESS):
            ports = {name: self._proxies[name].ports for name in self.tables[at : at + IN_A_PROCESS]}
            self._fleets.append(Fleet(ports, self._folder, self._seed, self._preset, self._speed))
            await self._fleets[-1].start()
        await self._until_connected()

    @property
    def log(self) -> str:
        """Return the halls' log."""
        return (self._folder / "hall.log").read_text()

    async def stop(self) -> None:
        """End everything."""
        for broker in self._brokers:
            broker.kill()
        processes: list[Fleet | HallProcess] = [*self._fleets, *self._halls.values()]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                await process.kill()
        for proxy in self._proxies.values():
            proxy.close()
        await asyncio.sleep(0.1)  # the connections end
        self._eye.dispose()
        self.store.close()

    async def run(self, faults: int) -> None:
        """Play, with this many faults. Raises WrongError."""
        while self.done.total() < faults:
            for fleet in self._fleets:
                fleet.say("go")
            if self._late is not None:
                await self._late()
                self._late, self._away = None, ""
            await asyncio.sleep(self._rng.uniform(0.5, 2))
            group = min(self._rng.choice((1, 1, 2, 3, 5, 8)), faults - self.done.total())
            self._broken: set[object] = set()
            before = self.done.copy()
            mends = await asyncio.gather(*[self._fault() for _ in range(group)])
            self._told = dict(self.done - before)
            await asyncio.gather(*[fleet.pause() for fleet in self._fleets if fleet not in self._broken])
            await asyncio.gather(*[mend() for mend in mends if mend is not None])
            await self._measure()
            self._direct()
            told = f"{self.done.total()} faults, {self.latencies_s[-1]:.3f} s, round {self.event.round}: {self._told}"
            print(told, file=sys.stderr, flush=True)
        self.check()
        self.outcomes = self.event.outcomes

    # -- faults ----------------------------------------------------------------------------------------------------

    async def _fault(self) -> Mend | None:
        """Do a fault that is possible now. Return what mends it, unless it mends itself while the tables play."""
        kind = self._rng.choice(["broker", "hall", "tables", "link", "link", "stall", "clock"])
        fleet, name = self._rng.choice(self._fleets), self._rng.choice(list(self._proxies))
        years_s = self._rng.choice((-1, 1)) * self._rng.randrange(10**5, 10**8)
        begin_s, down_s, early = self._rng.uniform(0, 1.5), self._rng.uniform(0.05, 2.5), self._rng.random() < 0.3
        await asyncio.sleep(begin_s)
        hall = self._rng.choice(list(self._halls))
        whom: object = {"tables": fleet, "hall": hall, "link": name, "stall": name}.get(kind, kind)
        if whom in self._broken:
            kind = "clock"
        self.done[kind] += 1
        if kind == "clock":
            for one in [one for one in self._fleets if one not in self._broken][:1]:
                one.say(f"clock {self._rng.choice(one.tables)} {years_s}")
            return None
        self._broken.add(whom)
        mend = await self._break(kind, fleet if kind == "tables" else self._halls[hall], self._proxies[name])
        await asyncio.sleep(down_s)
        has_spare = {"broker": len(self._brokers) > 1, "hall": len(self._halls) > 1}.get(kind, False)
        if not early and has_spare and self._late is None and self._rng.random() < 0.5:
            self._late, self._away = mend, hall if kind == "hall" else ""
            self.compared_without[kind] += 1
            return None
        if not early or kind == "tables":
            return mend
        await mend()
        return None

    async def _break(self, kind: str, process: Fleet | HallProcess, proxy: Proxy) -> Mend:
        """Break something, and return what mends it."""
        if kind == "broker":
            broker = self._rng.choice(self._brokers)
            broker.kill()
            return partial(asyncio.to_thread, broker.start)
        if kind in ("hall", "tables"):
            await process.kill()
            return process.start
        proxy.cut() if kind == "link" else proxy.stall()
        return proxy.mend

    async def _until_connected(self) -> float:
        """Wait until all clients that are not away are connected; return when the last one was."""
        proxies = [proxy for name, proxy in self._proxies.items() if name != self._away]
        async with asyncio.timeout(PATIENCE_S):
            while any(proxy.up_s is None for proxy in proxies):
                await asyncio.sleep(LOOK_S / 2)
        return max(proxy.up_s or 0 for proxy in proxies)

    # -- what the hall holds ---------------------------------------------------------------------------------------

    async def _measure(self) -> None:
        """Note how long the hall needs, once all is mended, to hold what the files say. Raises WrongError."""
        mended_s = time.monotonic()
        connected_s = max(await self._until_connected(), mended_s)
        seen: list[tuple[float, Held]] = []
        due: Held | None = None
        while True:
            held = self._held()
            if not seen or held != seen[-1][1]:
                seen.append((time.monotonic(), held))
            if due is None and time.monotonic() - max(connected_s, seen[-1][0]) > CALM_S:
                due = self._files.rows()
            if due is not None and held == due:
                break
            if time.monotonic() - connected_s > PATIENCE_S:
                missing = {key: (row, held.get(key)) for key, row in (due or {}).items() if held.get(key) != row}
                raise WrongError(f"the hall does not get (table, match) -> (row, held): {missing}")
            await asyncio.sleep(LOOK_S)
        right_s = next(at for at, held in seen if held == due)
        up = [proxy.up_s or 0 for proxy in self._proxies.values()]  # a client may give up a stalled connection late
        connected_s = max([connected_s, *(s for s in up if s <= right_s)])
        self.latencies_s.append(max(right_s - connected_s, 0.0))
        self.since_mended_s.append(max(right_s - mended_s, 0.0))
        self._check_standings()

    def _held(self) -> Held:
        with self._eye.connect() as connection:
            rows = connection.execute(text("SELECT card_table, match, evening, number FROM matches"))
            return {(table, match): (evening, number) for table, match, evening, number in rows}

    def check(self) -> None:
        """Compare all that the hall holds with the evenings' files. Raises WrongError."""
        with self._eye.connect() as connection:
            query = 'SELECT card_table, match, evening, number FROM results ORDER BY card_table, match, "order"'
            stored: dict[tuple[str, str], list[Row]] = {}
            for table, match, evening, number in connection.execute(text(query)):
                stored.setdefault((table, match), []).append((evening, number))
        expected = self._files.every_row()
        self.results = sum(map(len, expected.values()))
        self.lost = sum(len(set(rows) - set(stored.get(key, []))) for key, rows in expected.items())
        self.doubled = sum(len(rows) - len(set(rows)) for rows in stored.values())
        self.unordered = sum(rows != sorted(rows) for rows in stored.values())
        strange = sum(len(set(rows) - set(expected.get(key, []))) for key, rows in stored.items())
        held = {(one.table, one.match): one.record for one in self.store.matches(most=10**6) if one.record is not None}
        wrong = [key for key, record in self._files.records().items() if untimed(held[key]) != record]
        if self.lost or self.doubled or self.unordered or strange or wrong or len(held) != len(self._files.records()):
            raise WrongError(
                f"{self.lost} lost, {self.doubled} doubled, {self.unordered} unordered, {strange} strange, {wrong}"
            )

    # -- the event -------------------------------------------------------------------------------------------------

    @property
    def event(self) -> Event:
        """Return the event as the hall has it."""
        return self.store.event(self._event)

    def _open_event(self) -> int:
        game = Game(self._preset)
        id_ = self.store.open(Opened("Faults", Format("swiss", rounds=200), game, self._seed))
        for number in range(1, 4 * len(self.tables) + 1):
            self.store.append(id_, Entered(number, (f"Person {number}",)), number)
        self._event = id_
        self._direct()
        return id_

    def _direct(self) -> None:
        """Draw the next round once the last one has all results."""
        event = self.event
        if not event.round or not event.open_tables(event.round):
            self.store.append(self._event, draw(event, self.tables, self._rng.randrange(10**6)), len(event.decisions))

    def _check_standings(self) -> None:
        """Raise WrongError unless the event's outcomes and standings follow from the files."""
        event, over = self.event, dict[tuple[str, frozenset[str]], list[Record]]()
        for (table, _), record in self._files.records().items():
            if record.winners:
                over.setdefault((table, frozenset(record.people)), []).append(record)
        outcomes = tuple(_outcomes(event, over))
        if standings(replace(event, outcomes=outcomes)) != standings(event) or len(outcomes) != len(event.outcomes):
            raise WrongError(f"the standings are wrong: {outcomes} and not {event.outcomes}")


def _outcomes(event: Event, over: dict[tuple[str, frozenset[str]], list[Record]]) -> Iterator[Outcome]:
    """Yield the outcome of each drawn table that has played: the people who sat there, their totals and ranks."""
    used = set[str]()
    ids = {outcome.match for outcome in event.outcomes}
    for seats in (seats for drawn in event.rounds for seats in drawn):
        entries = {entry.name: entry.number for n in seats.entries if (entry := event.entry(n))}
        played = [one for one in over.get((seats.table, frozenset(entries)), []) if one.id not in used]
        if not played:
            continue
        record = next((one for one in played if one.id in ids), played[0])
        used.add(record.id)
        told, teams = account(record.match), {team.name: entries[team.players[0].name] for team in record.teams}
        points = {teams[team]: Fraction(total).limit_denominator(1000) for team, total in told.totals.items()}
        yield Outcome(seats.round, seats.table, record.id, points, {teams[t]: told.ranks[t] for t in teams})


def _driver(database: str) -> str:
    return "sqlite" if database.startswith("sqlite") else "postgresql+psycopg"


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that this percentage of the values does not exceed."""
    return sorted(values)[min(len(values) * percent // 100, len(values) - 1)]


async def run(
    seed: int, faults: int, tables: int, speed: float, database: str = "", halls: int = 1, clustered: bool = False
) -> Campaign:
    """Run a campaign in a directory for it. Raises WrongError."""
    with tempfile.TemporaryDirectory(prefix="hall-faults-") as folder:
        campaign = Campaign(Path(folder), seed, tables, speed, database, halls, clustered)
        try:
            await campaign.start()
            await campaign.run(faults)
        finally:
            await campaign.stop()
    return campaign


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--speed", type=float, default=12, help="seconds at the tables in a second")
    parser.add_argument(
        "--database", default="", help='an empty database, or "postgresql": a new server (default: a file of SQLite)'
    )
    parser.add_argument("--halls", type=int, default=1, help="halls that share the database")
    parser.add_argument("--cluster", action="store_true", help="a cluster of three NATS servers, not one Mosquitto")
    args = parser.parse_args()
    os.environ["PYTHONUNBUFFERED"] = "1"
    begun_s = time.monotonic()
    with postgresql() if args.database == "postgresql" else contextlib.nullcontext(args.database) as database:
        campaign = asyncio.run(run(args.seed, args.faults, args.tables, args.speed, database, args.halls, args.cluster))
    matches = sum(outcome.match != "" for outcome in campaign.outcomes)
    print(f"{campaign.done.total()} faults: {', '.join(f'{n} {kind}' for kind, n in sorted(campaign.done.items()))}")
    print(f"{campaign.results} results of {args.tables} tables, {matches} outcomes")
    print(f"{campaign.lost} lost, {campaign.doubled} doubled, {campaign.unordered} out of order within a match")
    if campaign.compared_without:
        print(", ".join(f"{n} times compared without a {kind}" for kind, n in campaign.compared_without.items()))
    print(f"standings right after reconnection: {_spread(campaign.latencies_s)}")
    print(f"standings right after mending: {_spread(campaign.since_mended_s)}")
    print(f"{time.monotonic() - begun_s:.0f} s")
    return int(percentile(campaign.latencies_s, 95) > TARGET_S)


def _spread(values: Sequence[float]) -> str:
    p50, p95, most = (percentile(values, percent) for percent in (50, 95, 100))
    return f"median {p50:.3f} s, p95 {p95:.3f} s, max {most:.3f} s"


if __name__ == "__main__":
    sys.exit(main())
