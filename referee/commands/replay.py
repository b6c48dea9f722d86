"""Derive every decision of an evening again from its facts, and compare.

The exit code is 1 if a decision differs or the file is damaged. The referee may run meanwhile.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from msgspec.structs import asdict

from referee.commands.files import add_state, instant
from referee.commands.score import plain
from referee.core.model.events import Ruled, Sealed
from referee.core.reading import allowed_text, count_text
from referee.core.values import Value
from referee.storage.evenings.folder import evenings_in, path_of, read_evening
from referee.storage.evenings.rows import Tape
from referee.storage.files import Folder
from referee.storage.records.recordfile import claim_of, file_name
from referee.storage.records.store import Records


class Replayed(Value):
    """The result of a replayed evening. skipped: rows that were left out, each with the reason.

    difference: the first decision in the file that the core does not reach again from the same facts; "" if none.
    """

    file: str
    events: int
    hands: int
    verdicts: int
    damaged: tuple[str, ...]
    gaps: tuple[str, ...]
    skipped: tuple[str, ...]
    difference: str


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "match",
        nargs="?",
        metavar="MATCH",
        help="number from `referee history`, or an evening's file (.jsonl, .jsonl.gz); default: list the matches",
    )
    add_state(parser, owned=False)


def run(args: argparse.Namespace) -> int:
    """List the matches, or replay the evening of the given match.

    Raises ValueError for an unknown match, a missing file, and a file without an evening.
    """

    if args.match is None:
        return _print_matches(args.state, args.json)
    path = _file_of(args.state, args.match) if re.fullmatch("A?[0-9]+", args.match) else Path(args.match)
    report = _replay(path, read_evening(path))
    agrees = not report.difference
    print(json.dumps(asdict(report) | {"agrees": agrees}) if args.json else plain(_text(report)))
    return 0 if agrees and not report.damaged else 1


def _print_matches(state: Path, as_json: bool) -> int:
    _check_directory(state)
    matches = [match for match in Records(state).list() if not match.imported]
    rows = [(match.number, instant(match.begun_s)) for match in matches]
    if as_json:
        print(json.dumps({"matches": [{"match": number, "begun": begun} for number, begun in rows]}))
    else:
        lines = (f"{match.number:>4}  {instant(match.begun_s) or match.trouble or '-'}" for match in matches)
        print("\n".join(lines) or "No match has been played yet.")
    return int(any(match.trouble for match in matches))


def _check_directory(state: Path) -> None:
    if not state.is_dir():
        raise ValueError(f"{state}: there is no such directory; name it with --state DIR")


def _file_of(state: Path, number: str) -> Path:
    """Return the file of the evening in which this match was played. Raises ValueError."""
    _check_directory(state)
    matches = Records(state).list()
    try:
        with Folder(state / "records") as folder:
            claim = claim_of(folder, file_name(number))
    except FileNotFoundError:
        claim = None
    if claim is None:
        numbers = [match.number for match in matches if not match.imported]
        held = f"{allowed_text(numbers)}, or a file's name" if numbers else "no match has been played yet"
        raise ValueError(f"{state} has no match {number!r}; {held}")
    if not claim.evening:
        why = "was imported" if number.startswith("A") else "has a damaged record"
        raise ValueError(f"match {number} {why}, so its evening is not known; give the evening's file instead")
    return path_of(evenings_in(state), Path(claim.evening).name)


def _replay(path: Path, tape: Tape) -> Replayed:
    from referee.core.match.engine import Engine

    difference = ""
    try:
        Engine.derived(tape.rows, tape.aside)
    except Exception as error:  # damaged rows, and rows of another release, can raise any error
        difference = str(error) or type(error).__name__
    return Replayed(
        str(path),
        len(tape.rows),
        sum(isinstance(event, Sealed) for _, event in tape.rows),
        sum(isinstance(event, Ruled) for _, event in tape.rows),
        tape.damaged,
        tape.gaps,
        tuple(f"event {seq}: {reason}" for seq, reason in tape.aside.items()),
        difference,
    )


def _text(report: Replayed) -> str:
    counts = [count_text(report.hands, "hand"), count_text(report.verdicts, "verdict")]
    lines = [f"{report.file}: {count_text(report.events, 'event')}, {', '.join(counts)}."]
    lines += [f"Damaged: {sentence}." for sentence in report.damaged]
    lines += [f"Gap: {sentence}." for sentence in report.gaps]
    lines += [f"Skipped: {sentence}." for sentence in report.skipped]
    if report.difference:
        lines.append(f"The evidence disagrees with what was announced: {report.difference}.")
    else:
        lines.append("Everything that was announced follows from the evidence.")
    return "\n".join(lines)
