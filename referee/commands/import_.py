"""`referee import FILE`: a match that `referee export` wrote, kept beside the own ones and marked as imported."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.commands.memory import add_state, remembered

if TYPE_CHECKING:
    from referee.core.documents.record import Record


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("import", help="keep a match that was exported", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="a match as `referee export` writes it; - reads standard input")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Keep it, unless it is here already."""
    from referee.commands.score import plain
    from referee.core.documents.record import result, to_document
    from referee.drivers.journal.archive import add as keep

    record = _record(args.file)
    number = _held(args.state, record)
    new = number is None
    if number is None:
        args.state.mkdir(parents=True, exist_ok=True)
        number = f"A{keep(args.state / 'archive.db', record.id, to_document(record))}"
    if args.json:
        print(json.dumps({"match": number, "new": new}))
    elif new:
        print(plain(f"Imported as match {number}: {result(record)}"))
    else:
        print(f"This match is here already, as match {number}; nothing was changed.")
    return 0


def _held(state: Path, record: Record) -> str | None:
    """What the match is called here already, None when it is not."""
    if not any((state / name).exists() for name in ("journal.db", "archive.db")):
        return None
    found = remembered(state)
    return next((entry.number for entry in found if entry.id == record.id), None)


def _record(name: str) -> Record:
    from referee.cli import UsageError
    from referee.commands.score import read
    from referee.core.documents.record import RecordError, from_document
    from referee.core.reading import DocumentError, parse

    shown = "standard input" if name == "-" else name
    try:
        return from_document(parse(read(name)))
    except OSError as exc:
        raise UsageError(f"referee import: {shown}: cannot be read ({exc.strerror or exc})") from exc
    except UnicodeDecodeError as exc:
        raise UsageError(f"referee import: {shown}: byte {exc.start} is given, allowed is UTF-8 text") from exc
    except (DocumentError, RecordError) as exc:
        raise UsageError(f"referee import: {shown}: {exc}") from exc
