"""Takes the messages of tables: checks them, stores them, and notes what a director should see.

A record that cannot be read is stored as refused, so that the table goes on. Everything else that cannot be stored is
not acknowledged, and the table keeps it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from referee.core.documents.delivery import DeliveryError, Forgotten, Result, decode
from referee.core.documents.record import RecordError, from_document
from referee.core.names import name_of
from referee.core.units import S
from referee.hall.store import Reading, Store, Taken

ODD_S = 30 * 24 * 3600
"""A record whose times differ this much from the hall's clock is marked, in s."""
SEEN_S = 60
"""Time in s after which a message of an unknown table is noted again."""
LAST_ROW = 1 << 62


class Intake:
    """Takes messages. now: returns Unix seconds. Use it on one thread; it waits for the database."""

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store, self._now = store, now
        self._seen: dict[str, int] = {}

    def take(self, messages: Sequence[tuple[str, str, bytes]]) -> None:
        """Take messages in one transaction. Each is (table, "result" or "forgotten", content)."""
        with self._store.together():
            for table, part, content in messages:
                if part == "result":
                    self.result(table, content)
                else:
                    self.forgotten(table, content)

    def result(self, table: str, content: bytes) -> Taken | None:
        """Store a result, and return what happened to it; None if it cannot be read."""
        try:
            result = decode(Result, content)
            if not result.match.isprintable() or not max(result.row) < LAST_ROW or min(*result.row, *result.after) < 0:
                raise DeliveryError(f"a result's match or row is not allowed: {result.match!r} {list(result.row)}")
        except DeliveryError as error:
            self._note(table, "", "unreadable", str(error))
            return None
        taken = self._store.take(table, result, self._read)
        if taken == "uninvited":
            self.see(table)
        elif taken == "changed":
            said = f"row {list(result.row)} differs from the one that the hall holds, which stays"
            self._store.note(table, result.match, taken, said)
        elif taken == "full":
            self._store.note(table, result.match, taken, "the hall holds as many matches of the table as it can")
        return taken

    def forgotten(self, table: str, content: bytes) -> bool:
        """Remove a person's name; return whether anything was done."""
        try:
            forgotten = decode(Forgotten, content)
            if name_of(forgotten.name) is None:
                raise DeliveryError("a name to be removed is not allowed")
        except DeliveryError as error:
            self._note(table, "", "unreadable", str(error))
            return False
        return self._store.forget(table, forgotten)

    def see(self, table: str) -> None:
        """Note that a table that is not invited has published."""
        now_s = time.monotonic_ns() // S
        if table not in self._seen or now_s - self._seen[table] > SEEN_S:
            self._seen = {} if len(self._seen) > 1000 else self._seen
            self._seen[table] = now_s
            self._store.see(table)

    def _note(self, table: str, match: str, kind: str, sentence: str) -> None:
        """Note something about a table that is invited; another one is listed as such."""
        if self._store.received(table) is None:
            self.see(table)
        else:
            self._store.note(table, match, kind, sentence)

    def _read(self, result: Result) -> Reading:
        if result.record is None:
            return Reading(None)
        try:
            record = from_document(result.record)
        except RecordError as error:
            return Reading(None, str(error))
        if record.id != result.match:
            return Reading(None, f"the record is of match {record.id!r}")
        times = (record.begun_s, record.ended_s)
        return Reading(record, odd=any(abs(s - self._now()) > ODD_S for s in times if s is not None))
