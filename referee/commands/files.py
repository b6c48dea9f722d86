"""Files of commands: an output is written whole or not at all; how a command finds a recorded match."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from referee.commands.owner import as_caller
from referee.commands.terminal import UsageError
from referee.core.documents.record import Record
from referee.core.reading import allowed_text
from referee.language.words import ENGLISH, LANGUAGES
from referee.storage.evenings.folder import evenings_in, find_latest
from referee.storage.files import Folder
from referee.storage.records.store import Records


def check_place(asked: str, path: Path) -> None:
    """Raise UsageError if the file cannot be written. For use before long work starts.

    asked: command and option, such as "referee simulate: --plot", for the error's message.
    """
    write_whole(asked, path, None)


@as_caller()
def write_whole(asked: str, path: Path, data: bytes | None) -> None:
    """Write the whole file. If `data` is None, only check that it can be written.

    If it cannot be written, raise UsageError and change nothing. Terminals, pipes and devices are written to directly.
    """
    try:
        if not path.parent.is_dir():
            raise UsageError(f"{asked} {path}: the directory {path.parent} does not exist")
        if path.is_dir():
            raise UsageError(f"{asked} {path}: is a directory, allowed is a file that can be written")
        if path.exists() and not path.is_file():
            path.write_bytes(data or b"")
        else:
            with Folder(path.parent, follow=True) as folder:
                folder.write(path.name, data)
    except OSError as error:
        raise UsageError(f"{asked} {path}: cannot be written ({error.strerror or error})") from None


@as_caller()
def write_in(asked: str, folder: Folder, name: str, data: bytes) -> None:
    """Write a file into an open folder, in place of a file of that name.

    If it cannot be written, raise UsageError and change nothing.
    """
    path = folder.path / name
    if folder.is_directory(name):
        raise UsageError(f"{asked} {path}: is a directory, allowed is a file that can be written")
    try:
        folder.write(name, data)
    except OSError as error:
        raise UsageError(f"{asked} {path}: cannot be written ({error.strerror or error})") from None


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
