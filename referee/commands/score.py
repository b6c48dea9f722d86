"""`referee score MATCH`: scores, standings, winner and settlement from the counts of a match document."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("score", help="scores, standings and settlement from counts", description=__doc__)
    parser.add_argument("match", metavar="MATCH", help="a match document in JSON; - reads standard input")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the score. Raises UsageError with one sentence when the document is none."""
    from referee.cli import UsageError
    from referee.core.matchdoc import DocumentError, score_text

    name = "standard input" if args.match == "-" else args.match
    try:
        result = score_text(read(args.match))
    except OSError as exc:
        raise UsageError(f"referee score: {name}: cannot be read ({exc.strerror or exc})") from exc
    except UnicodeDecodeError as exc:
        raise UsageError(f"referee score: {name}: byte {exc.start} is given, allowed is UTF-8 text") from exc
    except DocumentError as exc:
        raise UsageError(f"referee score: {name}: {exc}") from exc
    print(json.dumps(result) if args.json else plain("\n".join(lines(result))))
    return 0


def read(match: str) -> str:
    """The text of that file; - is standard input. OSError, UnicodeDecodeError."""
    raw = sys.stdin.buffer.read() if match == "-" else Path(match).read_bytes()
    return raw.decode("utf-8-sig")


def plain(text: str) -> str:
    """The text with what standard output cannot write replaced by "?"."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """The result for people: a row a team, a column a hand, and a sentence for what comes next."""
    teams = sorted(result["ranks"], key=result["ranks"].__getitem__)
    hands = [hand["scores"] for hand in result["hands"]]
    wide = max(map(len, teams))
    heads = "".join(f"{f'#{n}':>7}" for n in range(1, len(hands) + 1))
    yield f"{'':{wide + 5}}{heads}{'total':>8}"
    for team in teams:
        scores = "".join(f"{text(hand.get(team, '-')):>7}" for hand in hands)
        yield f"{result['ranks'][team]:>3}  {team:{wide}}{scores}{text(result['totals'][team]):>8}"
    yield _state(result)
    for team, gets in result["settlement"].items():
        yield f"{team} {'pays' if gets < 0 else 'gets'} {text(abs(gets))}"


def _state(result: Mapping[str, Any]) -> str:
    if result["over"]:
        return f"Over: {' and '.join(result['winners'])} won."
    if result["tiebreak"]:
        return f"A tie-break hand for {' and '.join(result['tiebreak'])}."
    return "Not over yet."


def text(score: float | str) -> str:
    """A score as a table shows it: halves with their sign, other parts with two decimals."""
    if isinstance(score, str) or score == int(score):
        return str(score if isinstance(score, str) else int(score))
    whole, half = divmod(abs(score), 1)
    sign = "-" if score < 0 else ""
    return f"{sign}{int(whole) or ''}½" if half == 0.5 else f"{score:.2f}"
