"""Write each match to a file in DIR that `referee import` can read.

A second time, write only new or changed ones.

With the Debian package, a USB stick with a folder named "referee" is backed up to when it is plugged in.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

from referee.commands.files import add_state, records_in, write_in
from referee.commands.owner import as_caller
from referee.commands.terminal import UsageError
from referee.core.documents.record import Record, to_document
from referee.core.reading import count_text
from referee.storage.files import Folder


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="an existing folder")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Write new and changed matches to the folder. Other files in it are kept.

    Raises UsageError if the folder does not exist.
    """
    try:
        with as_caller():
            folder = Folder(args.directory)
        with folder:
            written, same, left = _copy(args.state, folder)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"referee backup: {args.directory}: the folder does not exist") from None
    except OSError as error:
        raise UsageError(f"referee backup: {args.directory}: cannot be used ({error.strerror or error})") from None
    if args.json:
        print(json.dumps({"written": written, "same": same, "left": left}))
        return 1 if left else 0
    print(f"Written: {count_text(len(written), 'match', 'matches')}; there already: {same}.")
    for sentence in left:
        print(f"Left out: {sentence}.")
    return 1 if left else 0


def file_name(record: Record) -> str:
    """Return a file name from the start time (UTC) and a hash of the match ID.

    Sorted names are in order of time. Different matches have different names; copies of one match have the same name.
    """
    begun_s = record.begun_s
    day = "undated" if begun_s is None else datetime.fromtimestamp(begun_s, UTC).strftime("%Y-%m-%d-%H%M%S")
    return f"match-{day}-{hashlib.sha256(record.id.encode()).hexdigest()[:8]}.json"


def _copy(state: Path, folder: Folder) -> tuple[list[str], int, list[str]]:
    """Write every match to the folder. Return the written files' names, how many were unchanged,
    and errors.
    """

    written, same, left = [], 0, []
    records = records_in(state)
    for entry in records.list():
        try:
            record = records.read(entry.number)
        except (OSError, ValueError) as error:
            left.append(f"match {entry.number} {entry.trouble or error}")
            continue
        data = (json.dumps(to_document(record), indent=1) + "\n").encode()
        name = file_name(record)
        if _holds(folder, name, data):
            same += 1
            continue
        write_in("referee backup:", folder, name, data)
        written.append(name)
    return written, same, left


@as_caller()
def _holds(folder: Folder, name: str, data: bytes) -> bool:
    try:
        return folder.read(name, len(data)) == data
    except OSError:
        return False
