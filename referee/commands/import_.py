"""`referee import FILE`: a match that `referee export` wrote, kept beside the own ones and marked as imported.

A folder is read as `referee backup` writes it: each file in it whose name begins with "match-".
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.commands.memory import add_state
from referee.drivers.journal.past import keep

if TYPE_CHECKING:
    from referee.core.documents.record import Record


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("import", help="keep a match that was exported", description=__doc__)
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a match as `referee export` writes it, or a folder of them; - reads standard input",
    )
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Keep it, unless it is here already."""
    if args.file != "-" and Path(args.file).is_dir():
        return _folder(args)
    record = _record(args.file)
    number, new = keep(args.state, record)
    if args.json:
        print(json.dumps({"match": number, "new": new}))
    else:
        print(_import_sentence(number, record, new))
    return 0


def _folder(args: argparse.Namespace) -> int:
    """Every match of a folder; 1 when one of the files is none, which is said and changes nothing."""
    from referee.cli import UsageError

    paths = sorted(Path(args.file).glob("match-*.json"))
    if not paths:
        raise UsageError(f"referee import: {args.file}: no file in this folder is called match-....json")
    matches, left = [], []
    for path in paths:
        try:
            record = _record(str(path))
        except UsageError as exc:
            left.append(str(exc).removeprefix("referee import: "))
            continue
        number, new = keep(args.state, record)
        matches.append({"file": str(path), "match": number, "new": new})
        if not args.json:
            print(_import_sentence(number, record, new))
    if args.json:
        print(json.dumps({"matches": matches, "left": left}))
    for sentence in () if args.json else left:
        print(f"Left out: {sentence}")
    return 1 if left else 0


def _import_sentence(number: str, record: Record, new: bool) -> str:
    from referee.commands.score import plain
    from referee.core.documents.record import result

    if new:
        return plain(f"Imported as match {number}: {result(record)}")
    return f"This match is here already, as match {number}; nothing was changed."


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
