"""Making a damaged record again from its evening."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from referee.drivers.evenings.folder import evenings_in, path_of, read_evening

if TYPE_CHECKING:
    from referee.core.documents.record import Record


def rebuild_from(state: Path) -> Callable[[str, str], Record | None]:
    """Return what makes the record of a match again: (evening, id of the match) -> its record.

    The record is None where the evening is damaged or has no such match. OSError, ValueError: it cannot be read.
    """

    def rebuild(evening: str, id_: str) -> Record | None:
        from referee.core.documents.chronicle import matches_of, record_of

        tape = read_evening(path_of(evenings_in(state), evening))
        if tape.damaged:
            return None
        match = matches_of(tape.rows, tape.aside).get(id_)
        return record_of(match, tape.walls) if match else None

    return rebuild
