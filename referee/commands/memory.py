"""What `history`, `export`, `import` and `forget` share: every match that is remembered, and how it is shown."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.drivers.journal.past import PastListed as ListedMatch
from referee.drivers.journal.past import files, list_matches

if TYPE_CHECKING:
    from referee.core.documents.record import Record

__all__ = ["ListedMatch", "add_state", "files", "instant", "list_matches", "match_called", "table_language"]


def add_state(parser: Any) -> None:
    """Declare the options that all of them have."""
    parser.add_argument("--state", type=Path, default=Path("state"), metavar="DIR", help="where the journal is kept")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(owned=True)


def match_called(state: Path, number: str) -> Record:
    """The match that commands call so. ValueError in one sentence."""
    from referee.core.reading import allowed_text

    found = list_matches(state)
    entry = next((entry for entry in found if entry.number == number), None)
    if entry is None:
        held = allowed_text([entry.number for entry in found]) if found else "no match has been played yet"
        raise ValueError(f"{state} has no match {number!r}; {held}")
    record = entry.record
    if record is None:
        raise ValueError(f"match {number} {entry.trouble}")
    return record


def instant(seconds: int | None) -> str | None:
    """Unix seconds as ISO 8601 in UTC."""
    from datetime import UTC, datetime

    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def table_language(state: Path) -> str:
    """The language that the table was set to last; English where the journal does not say."""
    from referee.core.model.events import Adjusted, Opened
    from referee.drivers.journal.read import JournalError, recover
    from referee.language.catalogue import ENGLISH, LANGUAGES

    language = ENGLISH
    with suppress(JournalError):
        for _, event in recover(state / "journal.db").rows:
            if isinstance(event, Opened):
                language = str(event.setup.get("language", ENGLISH))
            elif isinstance(event, Adjusted) and event.setting == "language":
                language = str(event.value)
    return language if language in LANGUAGES else ENGLISH
