"""What `history`, `export`, `import` and `forget` share: every match that the house remembers, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.core.record import Record
    from referee.drivers.journal_read import Evening


@dataclass(frozen=True, slots=True)
class Entry:
    """A match: what commands call it ("3"; "A1" when it was imported), and its record or the reason for none."""

    number: str
    begun_s: int | None
    record: Record | None
    trouble: str = ""

    @property
    def imported(self) -> bool:
        """Whether it came from a file."""
        return self.number.startswith("A")


def add_state(parser: Any) -> None:
    """Declare the options that all of them have."""
    parser.add_argument("--state", type=Path, default=Path("state"), metavar="DIR", help="where the journal is kept")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def files(state: Path) -> tuple[Path, Path]:
    """The journal and the archive. ValueError when there is neither."""
    journal, archive = state / "journal.db", state / "archive.db"
    if not journal.exists() and not archive.exists():
        raise ValueError(f"{journal}: there is no journal; name its directory with --state DIR")
    return journal, archive


def remembered(state: Path) -> list[Entry]:
    """Every match of the journal, then every imported one; oldest first. ValueError for files that cannot be read."""
    from referee.core.record import RecordError, from_document
    from referee.drivers.archive import imported
    from referee.drivers.journal_read import evenings

    journal, archive = files(state)
    found = [entry for evening in (evenings(journal) if journal.exists() else ()) for entry in _played(evening)]
    for number, document in imported(archive):
        try:
            record = from_document(document)
            found.append(Entry(f"A{number}", record.begun_s, record))
        except RecordError as error:
            found.append(Entry(f"A{number}", None, None, str(error)))
    return found


def _played(evening: Evening) -> Iterator[Entry]:
    from referee.core.chronicle import records

    trouble = "undone before its first hand"
    try:
        found = records(evening.rows, evening.walls)
    except Exception as error:  # whatever an older or a newer referee has written: the other evenings are shown
        found, trouble = [None] * len(evening.matches), f"cannot be read: {str(error) or type(error).__name__}"
    for match, record in zip(evening.matches, found, strict=True):
        begun_s = match.wall_s if record is None else record.begun_s
        yield Entry(str(match.number), begun_s, record, "" if record else trouble)


def chosen(state: Path, number: str) -> Record:
    """The match that commands call so. ValueError in one sentence."""
    found = remembered(state)
    entry = next((entry for entry in found if entry.number == number), None)
    if entry is None:
        held = ", ".join(entry.number for entry in found) or "none: no match has been played yet"
        raise ValueError(f"{state} has no match {number!r}; allowed are {held}")
    if entry.record is None:
        raise ValueError(f"match {number} {entry.trouble}")
    return entry.record


def result(record: Record) -> str:
    """The totals, the best first: "Anna 104 : Ben 98*", "Anna 2 : Ben county"; the star: a count was corrected."""
    from referee.commands.score import text
    from referee.core.matchdoc import account

    told = account(record.match)
    stars = {team: "*" for hand in record.played for team in hand.get("corrected", ())}
    best = sorted(told.totals, key=told.ranks.__getitem__)
    return " : ".join(f"{t} {told.shown.get(t) or text(told.totals[t])}{stars.get(t, '')}" for t in best)


def instant(seconds: int | None) -> str | None:
    """Unix seconds as ISO 8601 in UTC."""
    from datetime import UTC, datetime

    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
