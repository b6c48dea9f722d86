"""`referee salvage FILE`: the matches of a damaged journal, as files for `referee import`; FILE stays as it is."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from referee.core.documents.record import Record


class Rows(NamedTuple):
    """How many rows are sound, were found but cannot be believed, and are missing between the others."""

    sound: int
    altered: int
    lost: int


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("salvage", help="bring the matches out of a damaged journal", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="the journal, or one that was set aside")
    parser.add_argument("--output", type=Path, metavar="DIR", help="write there (default: beside FILE)")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Write a file for each match that can be read."""
    from referee.cli import UsageError
    from referee.commands.export import save
    from referee.commands.score import plain
    from referee.core.documents.record import to_document

    try:
        rows, records = _salvaged(args.file)
    except OSError as exc:
        raise UsageError(f"referee salvage: {args.file}: cannot be read ({exc.strerror or exc})") from exc
    if not records:
        raise UsageError(f"referee salvage: {args.file}: no journal, or no match in it can be read")
    directory = args.output or args.file.parent
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / f"{args.file.stem}-match-{number}.json" for number in records]
    if taken := next((path for path in paths if path.exists()), None):
        raise UsageError(f"referee salvage: {taken} is there already, nothing was written")
    for path, record in zip(paths, records.values(), strict=True):
        save(path, json.dumps(to_document(record), indent=1) + "\n")
    if args.json:
        print(json.dumps({"files": [str(path) for path in paths], **rows._asdict()}))
        return 0
    print(f"Matches: {len(paths)}; rows sound: {rows.sound}, altered: {rows.altered}, lost: {rows.lost}.")
    print(plain("\n".join(map(str, paths))))
    return 0


def _salvaged(path: Path) -> tuple[Rows, dict[int, Record]]:
    """The rows' tally and the matches by number, from a copy. OSError."""
    from referee.drivers.journal import seasons
    from referee.drivers.journal.beside import HighWater
    from referee.drivers.journal.carve import carve
    from referee.drivers.journal.file import rescue, rescued_name
    from referee.drivers.journal.remember import remember

    with TemporaryDirectory(prefix="referee-salvage-") as name:
        copy = Path(name) / "journal.db"
        shutil.copyfile(path, copy)
        log = Path(f"{path}-wal")
        if log.exists():
            shutil.copyfile(log, f"{copy}-wal")
        blocks = seasons.blocks(seasons.beside(path))
        sound, found = carve(copy, blocks)
        if not any(rescue(copy, "salvage", None)):
            return Rows(0, 0, 0), {}
        kept = remember(rescued_name(copy))
        known = {row.seq for row in sound}
        high = HighWater(path.with_suffix(".mark")).found
        end = max(*known, high.seq if high and high.file in found.files else 0)
        altered = {seq for seq in found.rows if seq <= end} - known
        rows = Rows(len(known), len(altered), end - found.packed - len(known) - len(altered))
        return rows, {match.number: match.record() for match in kept if match.shown is not None}
