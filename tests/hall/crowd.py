"""Measure halls with many live tables and onlookers: CPU time, delay of verdicts, bytes.

    python -m tests.hall.crowd --tables 200 --onlookers 2000 --halls 3

Theory of operation. Processes of their own are: Mosquitto, PostgreSQL, `referee hall` (several on one database), the
tables (`tests.hall.tapes`) and the onlookers (`tests.hall.onlookers`). At first the database holds `--held` matches
of each table. All tables play in the first round of an event. After a warm-up, it measures for `--seconds`. CPU time
is from /proc: other work on the machine changes it little, while it does change the delays.
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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from referee.core.documents.delivery import Result, decode
from referee.hall.decide import draw
from referee.hall.model import Closed, Entered, Format, Game, Opened
from referee.hall.store import Store
from tests.hall.brokers import Mosquitto, free_port
from tests.hall.databases import postgresql
from tests.hall.tapes import BOOT, RAMP_S, Cast, Tapes, record

TAPES = 8
"""Number of different tapes. More tables than that play them with other names, and begin elsewhere."""
PRESET = "nna"
PATHS = ("/", "/standings", "/pairings", "/wall", "/events")
GET_S = 0.25
WARM_S = 15.0


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


def fill(url: str, tables: Sequence[str], held: int, folder: Path, seed: int) -> tuple[Tapes, int]:
    """Record tapes and prepare the database. Return the tapes and the event's ID."""
    print("recording tapes", flush=True)
    made = tuple(record(folder / f"tape-{at}", PRESET, seed + at) for at in range(min(TAPES, len(tables))))
    store = Store(url)
    for table in tables:
        store.invite(table)
    past = store.open(Opened("Past season", Format(), Game(PRESET), seed))
    store.append(past, Closed(), 1)
    number = store.open(Opened("Final", Format(), Game(PRESET), seed))
    event = store.append(number, [Entered(at, (f"Alexandra {at}",)) for at in range(1, 4 * len(tables) + 1)], 1)
    event = store.append(number, draw(event, tables, seed), len(event.decisions))
    store.close()
    last = decode(Result, next(one for one in reversed(made[0]) if one.part == "result").content)
    _hold(url, held, past, msgspec.json.encode(last.record).decode())
    casts = []
    for at, seats in enumerate(event.rounds[0]):
        people = tuple(f"Alexandra {entry}" for entry in seats.entries)
        casts.append(Cast(seats.table, at % len(made), people))
    return Tapes(made, tuple(casts)), number


def _hold(url: str, held: int, past: int, text: str) -> None:
    """Store past matches of all tables, which belong to a closed event."""
    import psycopg

    match = "'past-1006178484999-' || n"
    with psycopg.connect(url) as connection:
        connection.execute(
            "INSERT INTO matches (card_table, match, evening, number, results, since, record, refused, odd_time, event,"
            f" received_s) SELECT name, {match}, n, 4691, 7, 1, replace(%s, %s, {match}), '', false, %s, n"
            " FROM card_tables, generate_series(1, %s) n",
            (text, re.search(f'"({BOOT}-[^"]*)"', text)[1], past, held),  # type: ignore[index]
        )


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
        self._broker = Mosquitto(folder)
        assert self._broker._process is not None
        server = next(Path(re.split("host=", url)[1]).glob("data/postmaster.pid")).read_text().split()[0]
        self.measured = [
            Process("Mosquitto", self._broker._process.pid),
            Process("PostgreSQL", int(server), family=True),
        ]
        tables = [f"table-{number}" for number in range(1, args.tables + 1)]
        tapes, _ = fill(url, tables, args.held, folder, args.seed)
        (folder / "tapes.json").write_bytes(msgspec.json.encode(tapes))
        self.ports = [free_port() for _ in range(args.halls)]
        self.log = (folder / "halls.log").open("wb")
        self.halls = [self._hall(url, port) for port in self.ports]
        self.measured += [Process(f"hall {at}", hall.pid) for at, hall in enumerate(self.halls, 1)]
        self.helpers: list[subprocess.Popen[str]] = []

    def _hall(self, url: str, port: int) -> subprocess.Popen[bytes]:
        options = ["--database", url, "--broker", self._broker.url, "--listen", f"127.0.0.1:{port}"]
        command = [sys.executable, "-m", "referee", "hall", *options]
        if self._args.profile:
            profile = str(self._folder / f"{port}.profile")
            command[1:3] = ["-m", "cProfile", "-o", profile, "-m", "referee"]
        return subprocess.Popen(command, stdout=self.log, stderr=self.log)

    async def run(self) -> dict[str, Any]:
        """Measure, and return the figures."""
        args = self._args
        for port in self.ports:
            await _until(lambda port=port: get(port, "/"))  # type: ignore[misc]
        pace = ["--pace", str(args.pace), "--port", str(self._broker.port)]
        tables = self._help("tapes", "--tapes", str(self._folder / "tapes.json"), *pace)
        begun_s = time.monotonic()
        ports = ",".join(map(str, self.ports))
        onlookers = self._help("onlookers", "--ports", ports, "--count", str(args.onlookers))
        assert onlookers.stdout is not None
        await asyncio.to_thread(onlookers.stdout.readline)
        await asyncio.sleep(max(RAMP_S - (time.monotonic() - begun_s), 0) + WARM_S)
        helpers = [Process("(tables)", tables.pid), Process("(onlookers)", onlookers.pid)]
        for one in (*self.measured, *helpers):
            one.begin()
        for helper in self.helpers:
            _say(helper, "begin")
        begun_s = time.monotonic()
        gets = await self._get_pages(begun_s + args.seconds)
        took_s = time.monotonic() - begun_s
        processes = {one.name: (one.cpu_s(), one.memory_mb()) for one in (*self.measured, *helpers)}
        figures = []
        for helper in self.helpers:
            _say(helper, "end")
            assert helper.stdout is not None
            figures.append(json.loads(await asyncio.to_thread(helper.stdout.readline)))
        return {"took_s": took_s, "processes": processes, "gets": gets, "tables": figures[0], "onlookers": figures[1]}

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
        self._broker.kill()


def _say(helper: subprocess.Popen[str], line: str) -> None:
    assert helper.stdin is not None
    helper.stdin.write(f"{line}\n")
    helper.stdin.flush()


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


def shown(figures: dict[str, Any], args: argparse.Namespace) -> str:
    """Return the figures as text."""
    took_s = figures["took_s"]
    lines = [f"{args.tables} tables, {args.onlookers} onlookers, {args.halls} halls, {args.held} matches held of each"
             f" table, pace {args.pace:g}; {took_s:.0f} s, load {os.getloadavg()[0]:.1f}"]  # fmt: skip
    for name, (cpu_s, memory_mb) in figures["processes"].items():
        lines.append(f"{name:12} {cpu_s:7.2f} s CPU  {100 * cpu_s / took_s:6.1f} % of a core  {memory_mb:6.0f} MB")
    halls = sum(cpu_s for name, (cpu_s, _) in figures["processes"].items() if name.startswith("hall"))
    lines.append(f"{'all halls':12} {halls:7.2f} s CPU  {100 * halls / took_s:6.1f} % of a core")
    sent = figures["tables"]["sent"]
    lines.append("tables sent: " + ", ".join(f"{count / took_s:.1f} {part}/s" for part, count in sorted(sent.items())))
    lines.append(f"tables received: {figures['tables']['received_bytes'] / took_s:.0f} bytes/s")
    lines.append(f"result to acknowledgement: {_spread(figures['tables']['acknowledged_s'])};"
                 f" {figures['tables']['unacknowledged']} unacknowledged")  # fmt: skip
    seen = figures["onlookers"]
    for page, latencies in sorted(seen["latencies_s"].items()):
        lines.append(f"verdict to {page}: {_spread(latencies)}")
    lines.append(f"verdict to all: {_spread([s for some in seen['latencies_s'].values() for s in some])}")
    for page, received in sorted(seen["bytes"].items()):
        count = seen["readers"][page] * took_s
        lines.append(f"{page}: {received / count:.0f} bytes/s, {seen['messages'].get(page, 0) / count:.2f} messages/s"
                     f" for each of {seen['readers'][page]}")  # fmt: skip
    lines.append(f"onlookers lost: {seen['lost']}")
    for path, gets in figures["gets"].items():
        lines.append(f"GET {path}: {_spread([s for s, _ in gets])}, {gets[-1][1] if gets else 0} bytes")
    return "\n".join(lines)


def _spread(seconds: Sequence[float]) -> str:
    if len(seconds) < 2:
        return f"{len(seconds)} times"
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * len(ordered))]
    return (f"{1000 * statistics.median(ordered):.0f} ms median, {1000 * p95:.0f} p95, {1000 * ordered[-1]:.0f} max"
            f" of {len(ordered)}")  # fmt: skip


def main() -> None:
    """Measure once and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--onlookers", type=int, default=2000)
    parser.add_argument("--halls", type=int, default=3)
    parser.add_argument("--held", type=int, default=200, help="matches that the hall holds of each table before")
    parser.add_argument("--pace", type=float, default=1.0, help="speed of the tables; 1: real time")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", type=Path, help="folder for profiles of the halls (cProfile)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crowd-") as name, postgresql() as url:
        crowd = Crowd(Path(name), url, args)
        try:
            print(shown(asyncio.run(crowd.run()), args), flush=True)
        finally:
            crowd.stop()
            print((Path(name) / "halls.log").read_text()[-2000:], file=sys.stderr)
            if args.profile:
                args.profile.mkdir(exist_ok=True)
                for path in Path(name).glob("*.profile"):
                    path.rename(args.profile / path.name)


if __name__ == "__main__":
    main()
