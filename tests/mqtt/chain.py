"""All results of an evening, derived from its events without the code of records."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from referee.core.documents.chronicle import record_of
from referee.core.documents.delivery import NO_ROW, Result
from referee.core.documents.record import Record, to_document
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Event
from referee.core.model.state import State
from referee.core.values import replace


def untimed(record: Record) -> Record:
    """Return a record without times, which a table corrects when its clock is set."""
    hands = tuple(replace(hand, counted_s=None) for hand in record.hands)
    return replace(record, begun_s=None, ended_s=None, hands=hands)


def chain(rows: Sequence[JournalRow], skip: Collection[int] = (), evening: int = 1) -> list[Result]:
    """Return a result for each event that changes a record. evening: its ID."""
    found, last = list[Result](), dict[str, tuple[Record | None, int]]()

    def note(seq: int, event: Event, before: State, after: State) -> None:
        match = after.table.match
        if after.table is before.table and match in last:
            return
        record = record_of(after, {})
        known, before_seq = last.get(match, (None, 0))
        if record != known:
            after_row = (evening, before_seq) if match in last else NO_ROW
            found.append(Result(match, (evening, seq), after_row, None if record is None else to_document(record)))
            last[match] = record, seq

    Engine.restored(rows, skip, watch=note)
    return found
