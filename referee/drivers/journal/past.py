"""Every match that this device remembers: the journal's own, and behind them those that were imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.core.values import Value

if TYPE_CHECKING:
    from referee.core.documents.record import PastMatch, Record


class PastListed(Value):
    """A match: what commands call it ("3"; "A1" when it was imported), and what lists show, or why there is nothing.

    read: gives the whole record.
    """

    number: str
    begun_s: int | None
    shown: dict[str, Any] | None
    trouble: str = ""
    read: Callable[[], Record] | None = None
    id: str = ""

    @property
    def imported(self) -> bool:
        """Whether it came from a file."""
        return self.number.startswith("A")

    @property
    def record(self) -> Record | None:
        """The whole record; None where there is none."""
        return self.read() if self.read else None


def files(state: Path) -> tuple[Path, Path]:
    """The journal and the archive. ValueError when there is neither."""
    journal, archive = state / "journal.db", state / "archive.db"
    if not journal.exists() and not archive.exists():
        raise ValueError(f"{journal}: there is no journal; name its directory with --state DIR")
    return journal, archive


def list_matches(state: Path) -> list[PastListed]:
    """Every match of the journal, then every imported one; oldest first. ValueError for files that cannot be read."""
    from referee.core.documents.record import RecordError, from_document, summary
    from referee.drivers.journal.archive import imported_records
    from referee.drivers.journal.remember import remember

    journal, archive = files(state)
    found = [
        PastListed(
            str(match.number),
            match.begun_s,
            match.shown,
            match.trouble,
            match.record if match.shown else None,
            match.id,
        )
        for match in remember(journal)
    ]
    for number, document in imported_records(archive):
        try:
            record = from_document(document)
            known = PastListed(f"A{number}", record.begun_s, summary(record), "", lambda r=record: r, record.id)  # type: ignore[misc]
            found.append(known)
        except RecordError as error:
            found.append(PastListed(f"A{number}", None, None, str(error)))
    return found


def keep(state: Path, record: Record) -> tuple[str, bool]:
    """Keep a record from elsewhere: what the match is called here, and whether it is new. ValueError, OSError."""
    from referee.core.documents.record import to_document
    from referee.drivers.journal.archive import add

    number = _number_of(state, record)
    if number is None:
        state.mkdir(parents=True, exist_ok=True)
        added = add(state / "archive.db", record.id, to_document(record))
        if added is not None:
            return f"A{added}", True
        number = _number_of(state, record)  # somebody else has kept it meanwhile
    return number or "", False


def _number_of(state: Path, record: Record) -> str | None:
    """What the match is called here already, None when it is not here."""
    if not any((state / name).exists() for name in ("journal.db", "archive.db")):
        return None
    return next((match.number for match in list_matches(state) if match.id == record.id), None)


def past(state: Path) -> Iterator[PastMatch]:
    """The same with their records read, oldest first. ValueError for files that cannot be read."""
    from referee.core.documents.record import PastMatch

    for match in list_matches(state):
        try:
            yield PastMatch(match.number, match.begun_s, match.record, match.trouble)
        except ValueError as error:  # one record that cannot be read costs no other
            yield PastMatch(match.number, match.begun_s, None, f"cannot be read: {error}")
