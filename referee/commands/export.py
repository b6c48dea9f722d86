"""`referee export MATCH`: one match as JSON (which `import` and `score` read), as CSV, or for the app BG Stats."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.commands.memory import add_state, chosen

if TYPE_CHECKING:
    from referee.core.documents.record import Record

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so is a formula to spreadsheets; a name is none, and gets an apostrophe before it."""


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("export", help="a match as JSON, CSV or for BG Stats", description=__doc__)
    parser.add_argument("match", metavar="MATCH", help="its number in `referee history`")
    parser.add_argument("--format", choices=tuple(_WRITERS), default="json", help="what to write (json)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there (default: standard output)")
    parser.add_argument("--location", default="Home", metavar="NAME", help="where it was played, for BG Stats (Home)")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Write the match."""
    from referee.cli import UsageError
    from referee.commands.score import plain

    if args.json and args.format != "json":
        raise UsageError(f"referee export: --json is given with --format {args.format}, allowed is one of them")
    text = _WRITERS[args.format](args.match, chosen(args.state, args.match), args.location)
    if args.output is None:
        print(plain(text), end="")
    else:
        save(args.output, text)
    return 0


def save(path: Path, text: str) -> None:
    """The whole file or none of it."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _as_json(number: str, record: Record, location: str) -> str:
    from referee.core.documents.record import to_document

    return json.dumps(to_document(record), indent=1) + "\n"


def _as_csv(number: str, record: Record, location: str) -> str:
    import csv
    import io

    from referee.core.documents.record import columns, table

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns(record))
    writer.writerows([[_cell(value) for value in row] for row in table(number, record)])
    return out.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _as_bgstats(number: str, record: Record, location: str) -> str:
    from uuid import NAMESPACE_OID, uuid5

    from referee.core.documents.bgstats import play_file

    if record.begun_s is None:
        raise ValueError(f"match {number} has no date, which BG Stats needs")
    house = uuid5(NAMESPACE_OID, "referee")
    document = play_file(record, location, lambda name: str(uuid5(house, name)).upper(), _date)
    return json.dumps(document, indent=1) + "\n"


def _date(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


_WRITERS: dict[str, Callable[[str, Record, str], str]] = {"json": _as_json, "csv": _as_csv, "bgstats": _as_bgstats}
