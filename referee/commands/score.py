"""Compute scores, ranks, winners and settlement from the counts of a match."""

from __future__ import annotations

import argparse
import errno
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from referee.commands.terminal import Terminal, UsageError, terminal
from referee.core.documents.match import account, score_document
from referee.core.model.paper import Account, score_text
from referee.core.names import ISOLATE, isolate
from referee.core.reading import DocumentError, parse

BAR = 20
"""Width of the highest total's bar, in characters. The other bars are in proportion."""
MOST_BYTES = 8 << 20
"""Maximum bytes of a document.

A match of a thousand hands with eight players has half a megabyte; reading needs ten times its length in memory.
"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", metavar="MATCH", help="match document in JSON; - reads standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the score. Raises UsageError for an invalid document."""

    with refusing("score", args.match):
        document = parse(read(args.match))
        said = (
            json.dumps(score_document(document))
            if args.json
            else plain("\n".join(lines(account(document), terminal())))
        )
    print(said)
    return 0


@contextmanager
def refusing(command: str, file: str) -> Iterator[None]:
    """Within this context, turn errors in a file's document into UsageError.

    `file`: its path, or "-" for standard input.
    """
    where = f"referee {command}: {'standard input' if file == '-' else file}"
    try:
        yield
    except OSError as exc:
        raise UsageError(f"{where}: cannot be read ({exc.strerror or exc})") from exc
    except UnicodeDecodeError as exc:
        raise UsageError(f"{where}: it is not UTF-8 text (byte {exc.start})") from exc
    except DocumentError as exc:
        raise UsageError(f"{where}: {exc}") from exc


def read(match: str) -> str:
    """Return a file's text; - is standard input.

    Raises OSError, also for a file that is too long, and UnicodeDecodeError.
    """
    with nullcontext(sys.stdin.buffer) if match == "-" else Path(match).open("rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is longer than {MOST_BYTES >> 20} MiB, which no match is")
    return raw.decode("utf-8-sig")


def plain(text: str) -> str:
    """Prepare text for standard output.

    Mark right-to-left names, so that they do not move other text. Write "?" for characters that the encoding lacks.
    """

    encoding = sys.stdout.encoding or "utf-8"
    text = isolate(text) if ISOLATE.encode(encoding, "ignore") else text
    return text.encode(encoding, "replace").decode(encoding)


def lines(match: Account, terminal: Terminal) -> Iterator[str]:
    """Yield a row per team, with a column per hand; then a sentence on who won or leads.

    A rich terminal shows winners in bold, losses in red, and totals as bars.
    """
    teams = sorted(match.ranks, key=match.ranks.__getitem__)
    wide = max(map(len, teams))
    totals = {team: match.shown.get(team) or text(match.totals[team]) for team in teams}
    last = max(8, *(len(total) + 2 for total in totals.values()))
    heads = "".join(f"{f'#{n}':>7}" for n in range(1, len(match.hands) + 1))
    most = max(match.totals.values())
    yield terminal.paint(f"{'':{wide + 5}}{heads}{'total':>{last}}", "weak")
    for team in teams:
        scores = "".join(_cell(hand.get(team, "-"), terminal) for hand in match.hands)
        name = terminal.paint(f"{team:{wide}}", "strong") if team in match.winners else f"{team:{wide}}"
        bar = terminal.bar(match.totals[team] / most, BAR) if most > 0 else ""
        yield f"{match.ranks[team]:>3}  {name}{scores}{totals[team]:>{last}}  {terminal.paint(bar, 'bar')}".rstrip()
    yield f"Over: {' and '.join(match.winners)} won." if match.winners else match.ahead
    yield from match.remarks


def _cell(score: float | str, terminal: Terminal) -> str:
    lost = not isinstance(score, str) and score < 0
    return terminal.paint(f"{text(score):>7}", "bad") if lost else f"{text(score):>7}"


def text(score: float | str) -> str:
    """Format a score. A score that is a text already is returned unchanged."""
    return score if isinstance(score, str) else score_text(score)
