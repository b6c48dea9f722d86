"""`referee replay`: a match from the journal, everything derived again from the evidence and compared."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("replay", help="recompute a match from its evidence", description=__doc__)
    parser.add_argument("match", nargs="?", metavar="MATCH", help="its number in the journal (default: list them)")
    parser.add_argument("--state", type=Path, default=Path("state"), metavar="DIR", help="where the journal is kept")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """List the matches, or replay one: 0 when everything agrees, 1 when something does not.

    Raises ValueError without a journal, and for a match that it does not have.
    """
    from referee.core.reading import allowed_text
    from referee.drivers.journal.read import matches

    path = args.state / "journal.db"
    if not path.exists():
        raise ValueError(f"{path}: there is no journal; name its directory with --state DIR")
    found = matches(path)
    if args.match is None:
        return _print_matches(found, args.json)
    numbers = [str(match.number) for match in found]
    if args.match not in numbers:
        held = allowed_text(numbers) if numbers else "no match has been played yet"
        raise ValueError(f"{path} has no match {args.match!r}; {held}")
    return _replay(path, int(args.match), args.json)


def _print_matches(found: list[Any], as_json: bool) -> int:
    from datetime import UTC, datetime

    rows = [{"match": m.number, "begun": datetime.fromtimestamp(m.wall_s, UTC).isoformat()} for m in found]
    if as_json:
        print(json.dumps({"matches": rows}))
    else:
        print("\n".join(f"{row['match']:>4}  {row['begun']}" for row in rows) or "No match has been played yet.")
    return 0


def _replay(path: Path, number: int, as_json: bool) -> int:
    from referee.core.match.engine import DisagreementError, Engine
    from referee.core.model.events import Ruled, Sealed
    from referee.drivers.journal.read import read_match

    tape = read_match(path, number)
    verdicts = sum(isinstance(event, Ruled) for _, event in tape.rows)
    hands = sum(isinstance(event, Sealed) for _, event in tape.rows)
    report: dict[str, object] = {"match": number, "events": len(tape.rows), "verdicts": verdicts, "hands": hands}
    report["gaps"] = [mark.reason for mark in tape.marks if mark.kind != "aside"]
    report["skipped"] = len(tape.aside)
    report["hurt"] = list(tape.hurt)
    try:
        Engine.derived(tape.rows, tape.aside)
        report["agrees"] = True
    except DisagreementError as exc:
        report |= {"agrees": False, "difference": str(exc)}
    print(json.dumps(report) if as_json else _text(report))
    return 0 if report["agrees"] and not tape.hurt else 1


def _text(report: dict[str, Any]) -> str:
    head = (
        f"Match {report['match']}: {report['events']} events, {report['hands']} hands, {report['verdicts']} verdicts."
    )
    gaps = "".join(f"\nThe record has a gap: {reason}." for reason in report["gaps"])
    gaps += "".join(f"\nThe record was altered: {reason}." for reason in report["hurt"])
    if report["skipped"]:
        gaps += f"\nSet aside and skipped: {report['skipped']} of the events."
    if report["agrees"]:
        return f"{head}{gaps}\nEverything that was announced follows from the evidence."
    return f"{head}{gaps}\nThe evidence disagrees with what was announced: {report['difference']}."
