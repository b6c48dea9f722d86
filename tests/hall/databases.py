"""Databases for tests: a file of SQLite, and a PostgreSQL server of this machine that runs for the tests only."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

SERVERS = Path("/usr/lib/postgresql")


@cache
def programs() -> Path | None:
    """Return the folder of PostgreSQL's newest server programs; None if it is not installed."""
    found = sorted(SERVERS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def postgresql() -> Iterator[str]:
    """Yield the URL of an empty database. The server does not run as root, because it refuses that."""
    bin_ = programs()
    assert bin_ is not None
    folder = Path(tempfile.mkdtemp(prefix="hall-pg-"))
    is_root = os.getuid() == 0
    user = ["runuser", "-u", "nobody", "--"] if is_root else []
    try:
        if is_root:
            shutil.chown(folder, "nobody")
        data = folder / "data"
        fast = "-c fsync=off -c shared_buffers=16MB -c max_connections=40"
        _run([*user, str(bin_ / "initdb"), "-D", str(data), "-U", "hall", "-A", "trust", "--no-sync", "-E", "UTF8"])
        options = f"-k {folder} -h '' {fast}"
        _run([*user, str(bin_ / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start"])
        try:
            yield f"postgresql://hall@/postgres?host={folder}"
        finally:
            _run([*user, str(bin_ / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(url: str) -> str:
    """Create a database at the server of this URL, and return its URL."""
    import psycopg

    name = f"hall_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return url.replace("/postgres?", f"/{name}?")


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd="/")
