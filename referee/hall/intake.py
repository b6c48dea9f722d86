"""Check and store the messages of tables, and note problems for a director.

An unreadable record is stored as refused, so that the table can send the next ones. Other messages that cannot be
stored are not acknowledged, so the table keeps them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from referee.core.documents.delivery import DeliveryError, Forgotten, Result, decode
from referee.core.documents.record import RecordError, from_document
from referee.core.names import name_of
from referee.core.reading import short_sentence
from referee.core.units import S
from referee.hall.model import Text
from referee.hall.store import Reading, Store, Taken

ODD_S = 30 * 24 * 3600
"""Difference in s to the hall's clock above which a record's times are marked as odd."""
SEEN_S = 60
"""Minimum time in s between two notes about a table that is not invited."""
LAST_ROW = 1 << 62


class Intake:
    """The entry for messages of tables. Use it on one thread; it waits for the database.

    now: returns Unix seconds.
    """

    def __init__(self, store: Store, now: Callable[[], float] = time.time) -> None:
        self._store, self._now = store, now
        self._seen: dict[str, int] = {}

    def take(self, messages: Sequence[tuple[str, str, bytes]]) -> set[str]:
        """Store messages in one transaction. Each is (table, "result" or "forgotten", content).

        Return the tables of which only results came that are stored already.
        """
        known, new = set[str](), set[str]()
        with self._store.together():
            for table, part, content in messages:
                if part == "result":
                    (known if self.result(table, content) == "repeated" else new).add(table)
                else:
                    self.forgotten(table, content)
                    new.add(table)
        return known - new

    def result(self, table: str, content: bytes) -> Taken | None:
        """Store a result and return what happened to it; None if it cannot be read."""
        try:
            result = decode(Result, content)
            numbers = [*result.after, *result.row]
            if not result.match.isprintable() or not 0 <= min(numbers) <= max(numbers) < LAST_ROW:
                raise DeliveryError(f"a result's match or row is not allowed: {result.match!r} {list(result.row)}")
        except DeliveryError as error:
            self._note_unreadable(table, error)
            return None
        taken = self._store.take(table, result, self._read)
        if taken == "uninvited":
            self.see(table)
        elif taken == "changed":
            self._store.note(table, result.match, taken, Text("changed", {"row": result.row[1]}))
        elif taken == "full":
            self._store.note(table, result.match, taken, Text("many_matches"))
        return taken

    def forgotten(self, table: str, content: bytes) -> bool:
        """Remove a person's name. Return False if the message cannot be read or is not the next one."""
        try:
            forgotten = decode(Forgotten, content)
            if name_of(forgotten.name) is None:
                raise DeliveryError("a name to be removed is not allowed")
        except DeliveryError as error:
            self._note_unreadable(table, error)
            return False
        return self._store.forget(table, forgotten)

    def see(self, table: str) -> None:
        """Note that a table that is not invited has published."""
        now_s = time.monotonic_ns() // S
        if table not in self._seen or now_s - self._seen[table] > SEEN_S:
            self._seen = {} if len(self._seen) > 1000 else self._seen
            self._seen[table] = now_s
            self._store.see(table)

    def _note_unreadable(self, table: str, error: DeliveryError) -> None:
        """Note an error for an invited table. For any other table, only note that it has published."""
        if self._store.received(table) is None:
            self.see(table)
        else:
            self._store.note(table, "", "unreadable", Text("message_unreadable", {"error": short_sentence(str(error))}))

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
