"""PostgreSQL servers of this machine that run for tests only: a single one, and a pair of primary and standby.

They run with fsync=off. So they survive a killed process (the kernel has their pages), but not a power cut.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.hall.brokers import free_port

SERVERS = Path("/usr/lib/postgresql")
FAST = "-c fsync=off -c shared_buffers=16MB -c max_connections=60 -c dynamic_shared_memory_type=mmap"
WAIT_S = 60.0
REPLAY_S = 1.0
"""How long a standby must not have moved before it has replayed all that it got."""


@cache
def programs() -> Path | None:
    """Return the folder of PostgreSQL's newest server programs; None if it is not installed."""
    found = sorted(SERVERS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def postgresql() -> Iterator[str]:
    """Yield the URL of an empty database."""
    with _folder() as folder:
        server = Server(folder, "data", f"-k {folder} -h '' {FAST}")
        server.run("initdb", *_INIT, "-A", "trust")
        server.start()
        try:
            yield f"postgresql://hall@/postgres?host={folder}"
        finally:
            server.kill()


def new_database(url: str) -> str:
    """Create a database at the server of this URL, and return its URL."""
    import psycopg

    name = f"hall_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return url.replace("/postgres?", f"/{name}?")


class Server:
    """A server with its own data. It does not run as root, because PostgreSQL refuses that."""

    def __init__(self, folder: Path, name: str, options: str) -> None:
        self.data, self._options, self._log = folder / name, options, folder / f"{name}.log"

    def run(self, program: str, *options: str) -> None:
        """Run a program of PostgreSQL on the server's data."""
        bin_ = programs()
        assert bin_ is not None
        user = ["runuser", "-u", "nobody", "--"] if os.getuid() == 0 else []
        command = [*user, str(bin_ / program), "-D", str(self.data), *options]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        done = subprocess.run(
            command, check=False, stdout=pipe, stderr=subprocess.STDOUT, stdin=null, cwd="/", text=True
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}")

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with suppress(FileNotFoundError):  # a killed server has left it
            (self.data / "postmaster.pid").unlink()
        self.run("pg_ctl", "-w", "-s", "-l", str(self._log), "-o", self._options, "start")

    def kill(self) -> None:
        """Kill all processes of the server."""
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send a signal to all processes of the server. SIGSTOP makes it hang, SIGCONT go on."""
        with suppress(FileNotFoundError):
            main = int((self.data / "postmaster.pid").read_text().split()[0])
            for pid in (main, *_children(main)):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)


class Pair:
    """A primary and its standby, which change roles.

    url: of both, for clients that write. synchronous: whether a commit waits for the standby.
    """

    def __init__(self, folder: Path, *, synchronous: bool) -> None:
        self.synchronous, self._password = synchronous, secrets.token_hex(16)
        self._ports = [free_port(), free_port()]
        self._servers = [Server(folder, f"data-{port}", f"-h 127.0.0.1 -k '' -p {port} {FAST}") for port in self._ports]
        self.primary = 0
        """Which server is the primary: 0 or 1, in the order of the URL."""
        self.whole = False
        """Whether the standby follows the primary, as far as is known here."""
        secret = folder / "password"
        secret.write_text(self._password)
        if os.getuid() == 0:
            shutil.chown(secret, "nobody")
        self._servers[0].run("initdb", *_INIT, "-A", "scram-sha-256", "--pwfile", str(secret))
        self._servers[0].start()
        self.rebuild()

    @property
    def url(self) -> str:
        """Return the URL of both servers."""
        ports = ",".join(map(str, self._ports))
        query = f"host=127.0.0.1,127.0.0.1&port={ports}&target_session_attrs=read-write"
        return f"postgresql://hall:{self._password}@/postgres?{query}"

    def url_of(self, server: int) -> str:
        """Return the URL of one server."""
        return f"postgresql://hall:{self._password}@127.0.0.1:{self._ports[server]}/postgres"

    def kill_primary(self) -> None:
        """Kill the primary with all its processes."""
        self._servers[self.primary].kill()
        self.whole = False

    def stall_primary(self) -> None:
        """Make the primary hang: its connections stay open, but nothing answers."""
        self._servers[self.primary].signal(signal.SIGSTOP)

    def stall_standby(self) -> None:
        """Make the standby hang."""
        self._servers[1 - self.primary].signal(signal.SIGSTOP)

    def catch_up(self) -> None:
        """Wait until the standby has all that the primary has committed."""
        self._until(self.primary, "SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication")

    def hold(self) -> None:
        """Let the standby receive nothing more, so that it lacks what the primary commits from now on."""
        self.whole = False
        self.execute(1 - self.primary, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
        self._until(self.primary, "SELECT count(*) = 0 FROM pg_stat_replication")

    def rows(self, server: int) -> tuple[set[Any], set[Any]]:
        """Return the results and the decisions that a server has."""
        import psycopg

        replayed, since_s = None, time.monotonic()
        while server != self.primary and time.monotonic() < since_s + REPLAY_S:  # its last record may be incomplete
            if replayed != (replayed := self.execute(server, "SELECT pg_last_wal_replay_lsn()::text")):
                since_s = time.monotonic()
            time.sleep(0.1)
        with psycopg.connect(self.url_of(server)) as connection:
            results = connection.execute("SELECT card_table, match, evening, number FROM results").fetchall()
            return set(results), set(connection.execute("SELECT event, number, line FROM decisions").fetchall())

    def promote(self) -> None:
        """Make the standby the primary. The other server stays as it is."""
        self.primary, self.whole = 1 - self.primary, False
        self.execute(self.primary, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
        self._servers[self.primary].run("pg_ctl", "-w", "-s", "promote")

    def start_primary(self) -> None:
        """Start the killed primary again."""
        self._servers[self.primary].start()

    def start_old(self) -> None:
        """Start the old primary again as it was: it takes itself for the primary."""
        self._servers[1 - self.primary].kill()
        self._servers[1 - self.primary].start()

    def rebuild(self) -> None:
        """Make a standby in place of the other server, and wait until it follows the primary."""
        standby = self._servers[1 - self.primary]
        standby.kill()
        shutil.rmtree(standby.data, ignore_errors=True)
        conninfo = f"{self.url_of(self.primary)}?application_name=standby"
        self.execute(
            self.primary,
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active",
        )
        standby.run("pg_basebackup", "-d", conninfo, "-R", "-X", "stream", "-c", "fast", "-C", "-S", "standby", "-N")
        standby.start()
        if self.synchronous:
            self.execute(
                self.primary, "ALTER SYSTEM SET synchronous_standby_names = 'standby'", "SELECT pg_reload_conf()"
            )
        self.whole = True
        state = "sync" if self.synchronous else "async"
        self._until(
            self.primary,
            f"SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '{state}'",
        )

    def execute(self, server: int, *statements: str) -> object:
        """Execute statements at one server, and return the first value of the last one."""
        import psycopg

        with psycopg.connect(self.url_of(server), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            found = cursor.fetchone() if cursor.description else None
        return found and found[0]

    def close(self) -> None:
        """Kill both servers."""
        for server in self._servers:
            server.kill()

    def _until(self, server: int, query: str) -> None:
        until_s = time.monotonic() + WAIT_S
        while not self.execute(server, query):
            if time.monotonic() > until_s:
                raise TimeoutError(query)
            time.sleep(0.02)


@contextmanager
def replicated(*, synchronous: bool = True) -> Iterator[Pair]:
    """Yield a primary with an empty database and its standby.

    A synchronous standby has all that the primary has confirmed. An asynchronous one may lack the last transactions. A
    promoted standby does not wait for another one until `Pair.rebuild`.
    """
    with _folder() as folder:
        pair: Pair | None = None
        try:
            pair = Pair(folder, synchronous=synchronous)
            yield pair
        finally:
            if pair is not None:
                pair.close()


_INIT = ("-U", "hall", "--no-sync", "-E", "UTF8", "--locale=C")


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="hall-pg-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, "nobody")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _children(pid: int) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                yield int(path.parent.name)
