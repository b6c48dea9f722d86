"""The processes of a campaign, which can be killed: brokers, halls, and groups of tables; and their disks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from referee.storage.evenings.folder import PADDING, PLAIN, evenings_in
from referee.storage.records.removed_names import INDEX
from tests.hall.brokers import CLUSTER_PROGRAM, PROGRAM, free_port
from tests.hall.proof.links import Links

PATIENCE_S = 180.0
AGAIN_S = 0.5
"""Pause in s before a hall that has ended is started again."""


class WrongError(Exception):
    """The hall does not hold what it must."""


class Part:
    """A process. log: file for its output."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._command, self._log = list(command), log
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(*self._command, stdout=log, stderr=log)

    async def kill(self) -> None:
        """Kill the process, if it runs."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


class Server(Part):
    """A broker with a disk. place: where it listens."""

    def __init__(self, command: Sequence[str], log: Path, disk: Path, place: tuple[str, int]) -> None:
        super().__init__(command, log)
        self._disk, self._place, self._old = disk, place, disk.with_name(f"{disk.name}-old")
        disk.mkdir()

    async def start(self) -> None:
        """Start the server, and wait until it answers."""
        await super().start()
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection(*self._place)
                    writer.close()
                    return
                await asyncio.sleep(0.02)

    async def save(self) -> None:
        """Let Mosquitto write its memory to its disk, and keep a copy."""
        assert self._process is not None
        self._process.send_signal(signal.SIGUSR1)
        await asyncio.sleep(0.3)
        shutil.copytree(self._disk, self._old, dirs_exist_ok=True)

    def lose_disk(self) -> None:
        """Empty the disk."""
        shutil.rmtree(self._disk)
        self._disk.mkdir()

    def restore_disk(self) -> None:
        """Put the copy back."""
        if self._old.exists():
            shutil.copytree(self._old, self._disk, dirs_exist_ok=True)


def mosquitto(folder: Path, links: Links) -> list[Server]:
    """Return a Mosquitto that writes to its disk only when `Server.save` tells it."""
    assert PROGRAM is not None
    disk, config, (host, port) = folder / "mosquitto", folder / "mosquitto.conf", links.place(1)
    config.write_text(
        f"listener {port} {'127.0.0.1' if host == '127.0.0.1' else '0.0.0.0'}\nallow_anonymous true\nuser root\n"
        f"persistence true\npersistence_location {disk}/\nautosave_interval 100000\nlog_type error\n"
        f"max_queued_messages 10000\n"
    )
    return [Server([*links.within(1), PROGRAM, "-c", str(config)], folder / "mosquitto.log", disk, (host, port))]


def cluster(folder: Path, links: Links) -> list[Server]:
    """Return three NATS servers that keep each message on the disks of all three."""
    assert CLUSTER_PROGRAM is not None
    servers = []
    for one in (1, 2, 3):
        place, (own_host, own_port) = links.place(one), links.peer(one, one)
        listen = "127.0.0.1" if own_host == "127.0.0.1" else "0.0.0.0"
        peers = [links.peer(other, one) for other in (1, 2, 3) if other != one]
        routes = ", ".join(f'"nats://{host}:{port}"' for host, port in peers)
        disk, config = folder / f"server-{one}", folder / f"server-{one}.conf"
        config.write_text(
            f"server_name: server-{one}\nlisten: 127.0.0.1:{free_port()}\nmax_payload: 2MB\n"
            f'jetstream {{ store_dir: "{disk}" }}\n'
            f"cluster {{ name: hall, listen: {listen}:{own_port}, routes: [{routes}] }}\n"
            f"mqtt {{ listen: {listen}:{place[1]}, stream_replicas: 3 }}\n"
        )
        command = [*links.within(one), CLUSTER_PROGRAM, "-c", str(config)]
        servers.append(Server(command, folder / f"server-{one}.log", disk, place))
    return servers


class Hall(Part):
    """The process `referee hall`, with a clock that can be set. If it ends by itself, it is started again."""

    def __init__(self, name: str, folder: Path, database: str, brokers: Sequence[tuple[str, int]]) -> None:
        self._clock = folder / f"{name}.clock"
        command = [sys.executable, "-m", "tests.hall.proof.hall", str(self._clock), "--database", database]
        self.port = free_port()
        """Where its pages are."""
        command += ["--listen", f"127.0.0.1:{self.port}"]
        for host, port in brokers:
            command += ["--broker", f"mqtt://{host}:{port}"]
        super().__init__(command, folder / "hall.log")
        self._keeper: asyncio.Task[None] | None = None
        self.set_clock(0)

    async def start(self) -> None:
        await super().start()
        self._keeper = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        while self._process is not None:
            await self._process.wait()
            await asyncio.sleep(AGAIN_S)
            await super().start()

    async def kill(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
        await super().kill()

    def set_clock(self, by_s: int) -> None:
        """Set how far the hall's clock is ahead."""
        self._clock.write_bytes(by_s.to_bytes(8, "little", signed=True))


class Disk:
    """A folder, which with `megabytes` is a small disk of its own (a tmpfs) that can be full.

    A tmpfs needs root and a private mount namespace.
    """

    def __init__(self, folder: Path, megabytes: int = 0) -> None:
        folder.mkdir()
        self._filler = folder / "filler"
        if megabytes:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True)

    def remove(self) -> None:
        """Unmount the disk, so that its folder can be removed."""
        if os.path.ismount(self._filler.parent):
            subprocess.run(["umount", "-l", str(self._filler.parent)], check=True)

    def fill(self) -> None:
        """Leave no byte free."""
        with contextlib.suppress(OSError), self._filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
        with contextlib.suppress(OSError), self._filler.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))

    def free(self) -> None:
        """Give the space back."""
        self._filler.unlink(missing_ok=True)


class Tables(Part):
    """A process of tables. addresses: table -> host and port of each broker."""

    def __init__(
        self,
        addresses: dict[str, list[tuple[str, int]]],
        folder: Path,
        within: Sequence[str],
        options: Sequence[str],
    ) -> None:
        self.names, self.folder = tuple(addresses), folder
        self._synced = folder.with_name(f"{folder.name}-synced")
        command = [*within, sys.executable, "-m", "tests.hall.fleet", "--state", str(folder), *options]
        command += ["--synced", str(self._synced), "--tables"]
        told = {name: [f"{host}/{port}" for host, port in places] for name, places in addresses.items()}
        command.append(",".join(":".join([name, *places]) for name, places in told.items()))
        super().__init__(command, folder.with_name(f"{folder.name}.log"))

    async def start(self) -> None:
        """Start the process; the tables are paused from the second time on."""
        pipe = asyncio.subprocess.PIPE
        again = ["--paused"] if self._process is not None else []
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, *again, stdin=pipe, stdout=pipe, stderr=log
            )

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

    def cut_files(self, rng: Random) -> int:
        """Take back what a power cut takes: bytes of evenings that were not synced. Return the number of lost rows."""
        lost = 0
        for name in self.names:
            for path in evenings_in(self.folder / name).glob(f"*{PLAIN}"):
                note = self._synced / name / path.name
                synced = int(note.read_text()) if note.exists() else 0
                content = path.read_bytes().rstrip(PADDING)
                end = rng.randint(synced, max(synced, len(content)))
                lost += content[end:].count(b"\n")
                os.truncate(path, end)
        return lost

    def have_met_a_hall(self) -> bool:
        """Return whether all tables have noted which results their hall gets."""
        indexes = [self.folder / name / INDEX for name in self.names]
        return all(path.exists() and b'"halls":{"' in path.read_bytes() for path in indexes)


def copy_database(path: Path, to: Path) -> None:
    """Copy a database of SQLite that may be in use."""
    to.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(to)) as target:
        source.backup(target)


def restore_database(copy: Path, to: Path) -> None:
    """Replace a database of SQLite that is not in use."""
    for ending in ("-wal", "-shm"):
        to.with_name(to.name + ending).unlink(missing_ok=True)
    shutil.copy(copy, to)
