"""`referee salvage FILE`: the matches of a damaged journal, as files for `referee import`; FILE stays as it is."""

from __future__ import annotations

import argparse
import errno
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
    """Write a file for each match that can be read. Raises UsageError where none can be, or one is there."""
    from referee.cli import UsageError
    from referee.commands.files import write_whole
    from referee.commands.score import plain
    from referee.core.documents.record import to_document

    try:
        rows, found = _salvage(args.file)
    except OSError as exc:
        raise UsageError(f"referee salvage: {args.file}: cannot be read ({exc.strerror or exc})") from exc
    if not found:
        raise UsageError(f"referee salvage: {args.file}: no journal, or no match in it can be read")
    directory = args.output or args.file.parent
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / f"{args.file.stem}-match-{number}.json" for number in found]
    if taken := next((path for path in paths if path.exists()), None):
        raise UsageError(f"referee salvage: {taken} is there already, nothing was written")
    for path, match in zip(paths, found.values(), strict=True):
        write_whole("referee salvage:", path, (json.dumps(to_document(match.record), indent=1) + "\n").encode())
    unknown = {str(path): list(match.unknown) for path, match in zip(paths, found.values(), strict=True)}
    if args.json:
        print(json.dumps({"files": list(unknown), **rows._asdict(), "unknown": unknown}))
        return 0
    print(f"Matches: {len(paths)}; rows sound: {rows.sound}, altered: {rows.altered}, lost: {rows.lost}.")
    for name, sentences in unknown.items():
        print(plain("\n".join((name, *(f"  {sentence}" for sentence in sentences)))))
    return 0


class Salvaged(NamedTuple):
    """A match, and what of its evening is not known, a sentence each."""

    record: Record
    unknown: tuple[str, ...]


def _salvage(path: Path) -> tuple[Rows, dict[int, Salvaged]]:
    """The rows' tally and the matches by number, from a copy. OSError."""
    from referee.drivers.journal import seasons
    from referee.drivers.journal.beside import HighWater
    from referee.drivers.journal.carve import carve
    from referee.drivers.journal.file import rescue, rescued_name
    from referee.drivers.journal.remember import remember

    if path.exists() and not path.is_file():  # a device may never end
        raise OSError(errno.EINVAL, "it is no file")
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
        rescued = rescued_name(copy)
        kept = remember(rescued)
        known = {row.seq for row in sound}
        high = HighWater(path.with_suffix(".mark")).found
        end = max(*known, high.seq if high and high.file in found.files else 0)
        altered = {seq for seq in found.rows if seq <= end} - known
        rows = Rows(len(known), len(altered), end - found.packed - len(known) - len(altered))
        records = {match.number: match.record() for match in kept if match.shown is not None}
        return rows, {number: Salvaged(record, _unknown(rescued, number, record)) for number, record in records.items()}


def _unknown(journal: Path, number: int, record: Record) -> tuple[str, ...]:
    """Which rows of the match's evening are lost, up to its end, and who has no name."""
    from referee.drivers.journal.read import read_match

    lost = (mark for mark in read_match(journal, number).marks if mark.kind == "gap")
    told = [f"{_span(mark.after_seq + 1, mark.until_seq)}: {mark.reason}" for mark in lost]
    unnamed = [p.seat for team in record.teams for p in team.players if p.name == f"Seat {p.seat}"]
    return (*told, *(f"seat {seat}: who sat there is not known" for seat in unnamed))


def _span(first: int, last: int | None) -> str:
    return f"row {first}" if last == first else f"rows {first} to {last}"
