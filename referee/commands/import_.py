"""Add a match that `referee export` wrote, marked as imported.

In a folder that `referee backup` wrote, every file whose name begins with "match-" is read.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from referee.commands.files import add_state
from referee.commands.owner import as_caller
from referee.commands.score import MOST_BYTES, plain, read, refusing
from referee.commands.terminal import UsageError
from referee.core.documents.course import summarize
from referee.core.documents.record import Record, RecordError, from_document
from referee.core.documents.summary import result
from referee.core.reading import parse, short_sentence
from referee.storage.files import Folder, read_regular
from referee.storage.records.store import Records


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="an exported match, or a folder of them; - reads standard input")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Import a match, or all matches of a folder, unless the state directory has them."""
    if args.file != "-" and _is_folder(Path(args.file)):
        return _folder(args)
    record = _record(args.file, partial(_content, args.file))
    number, new = Records(args.state).add(record)
    if args.json:
        print(json.dumps({"match": number, "new": new}))
    else:
        print(_import_sentence(number, record, new))
    return 0


@as_caller()
def _is_folder(path: Path) -> bool:
    return path.is_dir()


def _folder(args: argparse.Namespace) -> int:
    """Import all matches of a folder. Files that are no matches are reported and skipped.

    Return 1 if there are such files.
    """
    with refusing("import", args.file):
        with as_caller():
            folder = Folder(Path(args.file))
        with folder:
            matches, left = _take_in(args, folder)
    if args.json:
        print(json.dumps({"matches": matches, "left": left}))
    for sentence in () if args.json else left:
        print(f"Left out: {sentence}")
    return 1 if left else 0


def _take_in(args: argparse.Namespace, folder: Folder) -> tuple[list[dict[str, object]], list[str]]:
    """Import the files. Return a result for each match, and a message for each skipped file."""
    names = sorted(name for name in folder.names() if name.startswith("match-") and name.endswith(".json"))
    if not names:
        raise UsageError(f"referee import: {args.file}: no file in this folder is called match-....json")
    records = Records(args.state)
    matches: list[dict[str, object]] = []
    left = []
    for name in names:
        path = str(folder.path / name)
        try:
            record = _record(path, partial(folder.read, name, MOST_BYTES))
        except UsageError as exc:
            left.append(short_sentence(str(exc).removeprefix("referee import: ")))
            continue
        number, new = records.add(record)
        matches.append({"file": path, "match": number, "new": new})
        if not args.json:
            print(_import_sentence(number, record, new))
    return matches, left


def _import_sentence(number: str, record: Record, new: bool) -> str:

    if new:
        return plain(f"Imported as match {number}: {result(summarize(record))}")
    return f"This match is here already, as match {number}; nothing was changed."


def _record(name: str, read: Callable[[], bytes]) -> Record:
    """Parse the match document that `read` returns. `name`: its file, for errors.

    Raises UsageError.
    """

    with refusing("import", name):
        try:
            with as_caller():
                content = read()
            return from_document(parse(content.decode("utf-8-sig")))
        except RecordError as exc:
            raise UsageError(f"referee import: {'standard input' if name == '-' else name}: {exc}") from exc


def _content(name: str) -> bytes:
    """Return the content of a file given on the command line; - is standard input."""
    return read(name).encode() if name == "-" else read_regular(name, MOST_BYTES)
