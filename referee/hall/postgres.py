"""Connections to PostgreSQL, on one server or on several of which one accepts writes.

Theory of operation. The standby of a failed primary is promoted by an administrator's tools. Each promotion raises the
server's timeline. A connection goes to the server that accepts writes. If several do, an old primary has come back: the
highest timeline wins.

A server that hangs cannot time out by itself, so the client gives up a connection without an answer. No
`statement_timeout` is set, because it would also end a commit's wait for the standby, and report success.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Engine, create_engine, event

CONNECT_S = 3
ANSWER_S = 5.0
"""Maximum time in s for the answer to a statement."""
POOL = 10
"""Maximum connections of a hall, which are kept. A new one takes time if a server hangs."""
OPTIONS = "-c lock_timeout=4s -c idle_in_transaction_session_timeout=10s"
"""Limits by the server: a hall that hangs in a transaction must not stop others."""
TIMELINE = "SELECT ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int"


class Connection(psycopg.Connection[Any]):
    """A connection that is closed if the server does not answer in time."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait until a statement has been executed. Raises OperationalError."""
        try:
            return super().wait(gen, interval, timeout or ANSWER_S)
        except psycopg.errors._WaitTimeout:
            self.close()
            raise psycopg.OperationalError(f"it has not answered for {ANSWER_S:.0f} s") from None


class Servers:
    """The servers of a URL. Use it on any thread."""

    def __init__(self, url: str) -> None:
        """Raises psycopg.Error for an invalid URL."""
        given = conninfo_to_dict(url)
        hosts, ports = (str(given.get(name) or "").split(",") for name in ("host", "port"))
        self._servers = [
            given | {"host": host or None, "port": ports[min(at, len(ports) - 1)] or None}
            for at, host in enumerate(hosts)
        ]
        self._newest = 0
        """The highest timeline so far."""

    def connect(self, **options: Any) -> Connection:
        """Connect to the primary. Raises psycopg.OperationalError with one sentence."""
        found: Connection | None = None
        problems = []
        for server in self._servers:
            name = f"{server['host'] or 'localhost'}:{server['port'] or 5432}"
            try:
                made, timeline = _open(server, options)
            except psycopg.OperationalError as error:
                problems.append(f"{name}: {str(error).strip().splitlines()[0].rpartition('failed: ')[2]}")
                continue
            if timeline < self._newest:
                made.close()
                problems.append(f"{name}: it is an old primary")
                continue
            if found is not None:
                found.close()
            found, self._newest = made, timeline
        if found is None:
            raise psycopg.OperationalError(f"no server of the database accepts changes ({'; '.join(problems)})")
        return found


def _open(server: dict[str, Any], options: dict[str, Any]) -> tuple[Connection, int]:
    own = {"target_session_attrs": "read-write", "connect_timeout": CONNECT_S, "options": OPTIONS}
    made = Connection.connect(**server | own | options, autocommit=True)
    (timeline,) = made.execute(TIMELINE).fetchone() or (0,)
    made.autocommit = False
    return made, timeline


def engine(url: str) -> Engine:
    """Return an engine for the servers of a URL. Raises psycopg.Error."""
    servers = Servers(url)
    made = create_engine(
        "postgresql+psycopg://", pool_size=POOL, max_overflow=0, pool_pre_ping=True, pool_timeout=ANSWER_S
    )
    event.listen(made, "do_connect", lambda dialect, record, given, options: servers.connect(**options))
    return made
