"""What commands about recorded matches share: arguments, and how they find a match."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from referee.core.documents.record import Record
from referee.core.reading import allowed_text
from referee.language.words import ENGLISH, LANGUAGES
from referee.storage.evenings.folder import evenings_in, find_latest
from referee.storage.records.store import Records


def add_state(parser: Any, *, owned: bool = True) -> None:
    """Add the options `--state` and `--json` to a command's parser.

    `owned`: run the command as the user who owns the state directory.
    """
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("state"),
        metavar="DIR",
        help="directory of evenings and records (default: ./state)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    if owned:
        parser.set_defaults(owned=True)


def records_in(state: Path) -> Records:
    """Return the records in a state directory.

    Raises ValueError if it has neither evenings nor records.
    """
    if not any((state / name).exists() for name in ("evenings", "records")):
        raise ValueError(f"{state}: there are no evenings and no records; name their directory with --state DIR")
    return Records(state)


def match_called(state: Path, number: str) -> Record:
    """Return the match with this number. Raises ValueError."""
    records = records_in(state)
    try:
        return records.read(number)
    except FileNotFoundError:
        found = [entry.number for entry in records.list()]
        held = allowed_text(found) if found else "no match has been played yet"
        raise ValueError(f"{state} has no match {number!r}; {held}") from None
    except ValueError as error:
        raise ValueError(f"match {number} {error}") from None


def instant(seconds: int | None) -> str | None:
    """Format Unix seconds as ISO 8601 in UTC."""

    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def table_language(state: Path) -> str:
    """Return the language that was last set at the table; English if that is unknown."""
    from referee.core.match.engine import Engine

    tape, language = find_latest(evenings_in(state)).tape, ENGLISH
    with suppress(LookupError, ValueError):
        language = Engine.restored(tape.rows, tape.aside).state.table.setup.language
    return language if language in LANGUAGES else ENGLISH
