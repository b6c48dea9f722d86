"""Measure halls with many live tables and onlookers: CPU time, delay of verdicts, bytes.

    python -m tests.hall.crowd --tables 200 --onlookers 2000 --halls 3
    python -m tests.hall.crowd --halls 1 --onlookers 1000,2000,3000,4000
    python -m tests.hall.crowd --halls 1 --onlookers 20 --parts result --pace 5,10,20,40,80 --database sqlite

Theory of operation. Processes of their own are: the broker's, PostgreSQL, `referee hall` (several on one database), the
tables (`tests.hall.tapes`) and the onlookers (`tests.hall.onlookers`). At first the database holds `--held` matches
of each table. All tables play in the first round of an event. With lists, the load rises in steps until a delay is
above its limit or readers are lost. After a warm-up, it measures each step for `--seconds`. CPU time is from /proc:
other work on the machine changes it little, while it does change the delays: such steps are marked as NOISY, and
another one follows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import text

from referee.core.documents.delivery import Result, decode
from referee.hall.decide import draw
from referee.hall.model import Closed, Entered, Format, Game, Opened
from referee.hall.schema import Database
from referee.hall.store import Store
from tests.hall.brokers import Broker, Mosquitto, cluster, exit_on_signals, free_port
from tests.hall.databases import postgresql
from tests.hall.tapes import BOOT, PARTS, RAMP_S, Cast, Tapes, record

TAPES = 8
"""Number of different tapes. More tables than that play them with other names, and begin elsewhere."""
PRESET = "nna"
PATHS = ("/", "/standings", "/pairings", "/wall", "/events")
GET_S = 0.25
WARM_S, SETTLE_S = 15.0, 4.0
"""Times in s before measuring: the first time, and after more load."""
VERDICT_S, RESULT_S = 0.5, 1.0
"""Limits in s of 95 % of the delays: until a verdict is on a page, and until a result is acknowledged."""
NOISE = 0.15
"""Share of a core that other programs use, above which delays are too long."""
MOST_DRAWN = 250
"""Maximum number of tables in an event: it has at most 1,000 entries."""


class Process:
    """A program that is measured. family: count its children, too."""

    def __init__(self, name: str, number: int, *, family: bool = False) -> None:
        self.name, self._number, self._family = name, number, family
        self._cpu_s = 0.0

    def begin(self) -> None:
        """Measure from now on."""
        self._cpu_s = self._used_s()

    def cpu_s(self) -> float:
        """Return the CPU time since `begin` in s."""
        return self._used_s() - self._cpu_s

    def memory_mb(self) -> float:
        """Return the memory in MB; shared pages count in parts."""
        texts = (_text(f"/proc/{number}/smaps_rollup") for number in self._numbers())
        return sum(int(found[1]) for text in texts if (found := re.search(r"Pss: +(\d+)", text))) / 1024

    def _used_s(self) -> float:
        total = 0
        for number in self._numbers():
            if fields := _text(f"/proc/{number}/stat").rpartition(")")[2].split():
                total += sum(map(int, fields[11:15] if self._family else fields[11:13]))  # with ended children
        return total / os.sysconf("SC_CLK_TCK")

    def _numbers(self) -> list[int]:
        found = [self._number]
        if self._family:
            children = _text(f"/proc/{self._number}/task/{self._number}/children")
            found += map(int, children.split())
        return found


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


class Meter:
    """Measures what processes use, and all others together."""

    def __init__(self, processes: Sequence[Process]) -> None:
        """Begin to measure."""
        self._processes, self._begun_s, self._busy_s = processes, time.monotonic(), _busy_s()
        for one in processes:
            one.begin()

    def read(self) -> dict[str, Any]:
        """Return the figures until now. others: number of cores that other programs use."""
        took_s, busy_s = time.monotonic() - self._begun_s, _busy_s() - self._busy_s
        processes = {one.name: (one.cpu_s(), one.memory_mb()) for one in self._processes}
        others = (busy_s - sum(cpu_s for cpu_s, _ in processes.values())) / took_s
        return {"took_s": took_s, "processes": processes, "others": others}


def meter_lines(figures: dict[str, Any]) -> list[str]:
    """Return the figures of `Meter` as lines of text."""
    took_s, others = figures["took_s"], figures["others"]
    noisy = "; NOISY: delays are too long" if others > NOISE else ""
    lines = [f"{took_s:.0f} s; other programs used {100 * others:.0f} % of a core{noisy}"]
    for name, (cpu_s, memory_mb) in figures["processes"].items():
        lines.append(f"{name:12} {cpu_s:7.2f} s CPU  {100 * cpu_s / took_s:6.1f} % of a core  {memory_mb:6.0f} MB")
    return lines


def _busy_s() -> float:
    """Return the time in s for which the machine's cores have been busy since it started."""
    user, nice, system, _idle, _wait, *others = map(int, _text("/proc/stat").split()[1:8])
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


def fill(url: str, tables: Sequence[str], held: int, folder: Path, seed: int) -> Tapes:
    """Record tapes and prepare the database. Return the tapes."""
    print("recording tapes", flush=True)
    made = tuple(record(folder / f"tape-{at}", PRESET, seed + at) for at in range(min(TAPES, len(tables))))
    store = Store(url)
    for table in tables:
        store.invite(table)
    past = store.open(Opened("Past season", Format(), Game(PRESET), seed))
    store.append(past, Closed(), 1)
    casts: list[Cast] = []
    for first in range(0, len(tables), MOST_DRAWN):
        some = tables[first : first + MOST_DRAWN]
        names = {at: f"Alexandra {4 * first + at}" for at in range(1, 4 * len(some) + 1)}
        number = store.open(Opened(f"Final {first}", Format(), Game(PRESET), seed))
        event = store.append(number, [Entered(at, (name,)) for at, name in names.items()], 1)
        event = store.append(number, draw(event, some, seed), len(event.decisions))
        for seats in event.rounds[0]:
            people = tuple(names[entry] for entry in seats.entries)
            casts.append(Cast(seats.table, len(casts) % len(made), people))
    store.close()
    last = decode(Result, next(one for one in reversed(made[0]) if one.part == "result").content)
    _hold(url, held, past, msgspec.json.encode(last.record).decode())
    return Tapes(made, tuple(casts))


def _hold(url: str, held: int, past: int, record: str) -> None:
    """Store past matches of all tables, which belong to a closed event."""
    match = "'past-1006178484999-' || n"
    found = re.search(f'"({BOOT}-[^"]*)"', record)
    assert found is not None
    database = Database(url)
    with database.transaction() as connection:
        connection.execute(
            text(
                "INSERT INTO matches (card_table, match, evening, number, results, since, record, refused, odd_time,"
                " event, received_s) WITH RECURSIVE numbers(n) AS"
                " (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :held)"
                f" SELECT name, {match}, n, 4691, 7, 1, replace(:record, :old, {match}), '', false, :past, n"
                " FROM card_tables, numbers"
            ),
            {"held": held, "record": record, "old": found[1], "past": past},
        )
    database.close()


async def get(port: int, path: str) -> tuple[float, int]:
    """Get a page over a new connection; return the time in s and the body's bytes."""
    begun_s = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read(-1)
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    return time.monotonic() - begun_s, len(answer.partition(b"\r\n\r\n")[2])


class Crowd:
    """All processes of a measurement."""

    def __init__(self, folder: Path, url: str, args: argparse.Namespace) -> None:
        self._folder, self._args = folder, args
        self._brokers: list[Broker] = cluster(folder) if args.broker == "cluster" else [Mosquitto(folder)]
        self.measured = []
        for at, broker in enumerate(self._brokers, 1):
            self.measured.append(Process(f"broker {at}", broker.number))
        if "host=" in url:
            server = (Path(url.rpartition("host=")[2]) / "data/postmaster.pid").read_text().split()[0]
            self.measured.append(Process("PostgreSQL", int(server), family=True))
        tables = [f"table-{number}" for number in range(1, args.tables + 1)]
        tapes = fill(url, tables, args.held, folder, args.seed)
        (folder / "tapes.json").write_bytes(msgspec.json.encode(tapes))
        self.ports = [free_port() for _ in range(args.halls)]
        self.log = (folder / "halls.log").open("wb")
        self.halls = [self._hall(url, port) for port in self.ports]
        self.measured += [Process(f"hall {at}", hall.pid) for at, hall in enumerate(self.halls, 1)]
        self.helpers: list[subprocess.Popen[str]] = []

    def _hall(self, url: str, port: int) -> subprocess.Popen[bytes]:
        brokers = [word for broker in self._brokers for word in ("--broker", broker.url)]
        options = ["--database", url, *brokers, "--listen", f"127.0.0.1:{port}"]
        command = [sys.executable, "-m", "referee", "hall", *options]
        if self._args.profile:
            profile = str(self._folder / f"{port}.profile")
            command[1:3] = ["-m", "cProfile", "-o", profile, "-m", "referee"]
        return subprocess.Popen(command, stdout=self.log, stderr=self.log)

    async def run(self, steps: Sequence[tuple[float, int]]) -> None:
        """Measure at each pace with so many onlookers, and print the figures, until something breaks."""
        for port in self.ports:
            await _until(lambda port=port: get(port, "/"))  # type: ignore[misc]
        ports = ",".join(str(broker.port) for broker in self._brokers)
        options = ["--pace", str(steps[0][0]), "--parts", self._args.parts, "--ports", ports]
        tables = self._help("tapes", "--tapes", str(self._folder / "tapes.json"), *options)
        onlookers = self._help("onlookers", "--ports", ",".join(map(str, self.ports)))
        self.measured += [Process("(tables)", tables.pid), Process("(onlookers)", onlookers.pid)]
        self.measured += [Process("(this)", os.getpid())]
        begun_s, wait_s = time.monotonic(), RAMP_S + WARM_S
        for pace, count in steps:
            _say(tables, f"pace {pace}")
            await asyncio.to_thread(_ask, onlookers, f"count {count}")
            await asyncio.sleep(max(begun_s + wait_s - time.monotonic(), SETTLE_S))
            figures = await self._measure()
            print(shown(figures, pace, count, self._args), flush=True)
            if troubles := broken(figures):
                name, (cpu_s, _) = max(figures["processes"].items(), key=lambda item: item[1][0])
                share = 100 * cpu_s / figures["took_s"]
                print(f"BROKEN: {'; '.join(troubles)}. Busiest: {name}, {share:.0f} % of a core", flush=True)
                if figures["others"] <= NOISE:
                    return

    async def _measure(self) -> dict[str, Any]:
        for helper in self.helpers:
            _say(helper, "begin")
        meter = Meter(self.measured)
        gets = await self._get_pages(time.monotonic() + self._args.seconds)
        figures = meter.read()
        tables, onlookers = [json.loads(await asyncio.to_thread(_ask, helper, "end")) for helper in self.helpers]
        return figures | {"gets": gets, "tables": tables, "onlookers": onlookers}

    async def _get_pages(self, until_s: float) -> dict[str, list[tuple[float, int]]]:
        gets: dict[str, list[tuple[float, int]]] = {path: [] for path in PATHS}
        at = 0
        while time.monotonic() < until_s:
            path = PATHS[at % len(PATHS)]
            gets[path].append(await get(self.ports[at % len(self.ports)], path))
            at += 1
            await asyncio.sleep(GET_S)
        return gets

    def _help(self, module: str, *options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", f"tests.hall.{module}", *options]
        pipe = subprocess.PIPE
        self.helpers.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
        return self.helpers[-1]

    def stop(self) -> None:
        """End all processes."""
        processes: list[subprocess.Popen[Any]] = [*self.helpers, *self.halls]
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
        for broker in self._brokers:
            broker.kill()


def _say(helper: subprocess.Popen[str], line: str) -> None:
    assert helper.stdin is not None
    helper.stdin.write(f"{line}\n")
    helper.stdin.flush()


def _ask(helper: subprocess.Popen[str], line: str) -> str:
    _say(helper, line)
    assert helper.stdout is not None
    return helper.stdout.readline()


async def _until(do: Callable[[], Any]) -> None:
    until_s = time.monotonic() + 60
    while True:
        try:
            await do()
            return
        except OSError:
            if time.monotonic() > until_s:
                raise
            await asyncio.sleep(0.1)


def broken(figures: dict[str, Any]) -> list[str]:
    """Return what is not as it must be."""
    tables, onlookers = figures["tables"], figures["onlookers"]
    acknowledged, seen = tables["acknowledged_s"], [s for some in onlookers["latencies_s"].values() for s in some]
    troubles = []
    if acknowledged and p95(acknowledged) > RESULT_S:
        troubles.append(f"results are acknowledged after {p95(acknowledged):.1f} s (p95)")
    if tables["unacknowledged"] > 5 + 2 * RESULT_S * tables["sent"].get("result", 0) / figures["took_s"]:
        troubles.append(f"{tables['unacknowledged']} results wait")
    if seen and p95(seen) > VERDICT_S:
        troubles.append(f"verdicts are shown after {p95(seen):.1f} s (p95)")
    if onlookers["lost"]:
        troubles.append(f"{onlookers['lost']} onlookers are lost")
    return troubles


def shown(figures: dict[str, Any], pace: float, onlookers: int, args: argparse.Namespace) -> str:
    """Return the figures as text."""
    took_s = figures["took_s"]
    lines = [f"\n{args.tables} tables, {onlookers} onlookers, {args.halls} halls, {args.held} matches held of each"
             f" table, pace {pace:g}, {args.broker}, {args.database}", *meter_lines(figures)]  # fmt: skip
    halls = sum(cpu_s for name, (cpu_s, _) in figures["processes"].items() if name.startswith("hall"))
    lines.append(f"{'all halls':12} {halls:7.2f} s CPU  {100 * halls / took_s:6.1f} % of a core")
    sent = figures["tables"]["sent"]
    lines.append("tables sent: " + ", ".join(f"{count / took_s:.1f} {part}/s" for part, count in sorted(sent.items())))
    lines.append(f"tables received: {figures['tables']['received_bytes'] / took_s:.0f} bytes/s")
    acknowledged_s = figures["tables"]["acknowledged_s"]
    lines.append(f"{len(acknowledged_s) / took_s:.1f} results/s acknowledged, after {spread(acknowledged_s)};"
                 f" {figures['tables']['unacknowledged']} wait")  # fmt: skip
    seen = figures["onlookers"]
    for page, latencies in sorted(seen["latencies_s"].items()):
        lines.append(f"verdict to {page}: {spread(latencies)}")
    lines.append(f"verdict to all: {spread([s for some in seen['latencies_s'].values() for s in some])}")
    for page, received in sorted(seen["bytes"].items()):
        count = seen["readers"][page] * took_s
        lines.append(f"{page}: {received / count:.0f} bytes/s, {seen['messages'].get(page, 0) / count:.2f} messages/s"
                     f" for each of {seen['readers'][page]}")  # fmt: skip
    lines.append(f"onlookers lost: {seen['lost']}")
    for path, gets in figures["gets"].items():
        lines.append(f"GET {path}: {spread([s for s, _ in gets])}, {gets[-1][1] if gets else 0} bytes")
    return "\n".join(lines)


def spread(seconds: Sequence[float]) -> str:
    """Return delays as text."""
    if len(seconds) < 2:
        return f"{len(seconds)} times"
    ordered = sorted(seconds)
    return (f"{1000 * statistics.median(ordered):.0f} ms median, {1000 * p95(ordered):.0f} p95,"
            f" {1000 * ordered[-1]:.0f} max of {len(ordered)}")  # fmt: skip


def p95(values: Sequence[float]) -> float:
    """Return the value below which 95 % of the values are."""
    return sorted(values)[int(0.95 * len(values))]


@contextmanager
def _database(kind: str, folder: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder}/hall.db"
    else:
        with postgresql() as url:
            yield url


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--onlookers", default="2000", help="number, or several with commas: a step each")
    parser.add_argument("--halls", type=int, default=3)
    parser.add_argument("--held", type=int, default=200, help="matches that the hall holds of each table before")
    parser.add_argument(
        "--pace", default="1", help="speed of the tables, 1: real time; several with commas: a step each"
    )
    parser.add_argument("--parts", default=",".join(PARTS), help="what tables send")
    parser.add_argument("--broker", choices=("mosquitto", "cluster"), default="mosquitto")
    parser.add_argument("--database", choices=("postgresql", "sqlite"), default="postgresql")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", type=Path, help="folder for profiles of the halls (cProfile)")
    args = parser.parse_args()
    exit_on_signals()
    paces, counts = [float(one) for one in args.pace.split(",")], [int(one) for one in args.onlookers.split(",")]
    most = max(len(paces), len(counts))
    steps = list(zip(*([*some, *some[-1:] * (most - len(some))] for some in (paces, counts)), strict=True))
    with tempfile.TemporaryDirectory(prefix="crowd-") as name, _database(args.database, name) as url:
        crowd = Crowd(Path(name), url, args)
        try:
            asyncio.run(crowd.run(steps))
        finally:
            crowd.stop()
            print((Path(name) / "halls.log").read_text()[-2000:], file=sys.stderr)
            if args.profile:
                args.profile.mkdir(exist_ok=True)
                for path in Path(name).glob("*.profile"):
                    path.rename(args.profile / path.name)


if __name__ == "__main__":
    main()
