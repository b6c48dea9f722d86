"""Give rows to the records that earlier versions wrote.

These versions replayed evenings to find a record's row, and noted the rows of past evenings in `mqtt.json`. A hall has
these rows, so each record must get the same one.
"""

from __future__ import annotations

from functools import cache
from operator import itemgetter
from pathlib import Path

from referee.core.documents.chronicle import records_with_rows
from referee.core.documents.delivery import NO_ROW, Row
from referee.core.values import Document
from referee.storage.evenings.folder import evenings_in, path_of, read_evening
from referee.storage.files import Folder, read_small
from referee.storage.records.index import Index
from referee.storage.records.removed_names import INDEX
from referee.storage.records.store import LOG, Records


def add_rows(state: Path) -> None:
    """Give a row to each record without one. Raises OSError if records cannot be read or written."""
    records = Records(state)
    if not records.list():
        return
    noted: Document = read_small(state / INDEX, Document()).get("evenings", {})
    ordered = sorted(noted.values(), key=itemgetter("id"))
    known = {match: (one["id"], last["seq"]) for one in ordered for match, last in one["last"].items()}

    @cache
    def rows_in(evening: str) -> dict[str, Row]:
        return known if evening in noted else known | _found(state, evening, known)

    with Folder(records.path) as folder:
        due = [line for line in Index(folder).lines.values() if line.evening and line.row == NO_ROW]
    for line in due:
        if line.summary.id in rows_in(line.evening):
            records.add_row(line.name, rows_in(line.evening)[line.summary.id])


def _found(state: Path, evening: str, known: dict[str, Row]) -> dict[str, Row]:
    """Return the rows of an evening's matches. A match of an earlier evening keeps its row until it changes."""
    try:
        tape = read_evening(path_of(evenings_in(state), evening))
        made = records_with_rows(tape.rows, {}, tape.aside)
    except Exception as error:  # rows of another release can raise any error
        LOG.warning("the records of evening %s stay without rows (%s)", evening, error)
        return {}
    return {match: (tape.id, seq) for match, (_, seq) in made.items() if seq or match not in known}
