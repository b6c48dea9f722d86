"""Judge recorded edges: who called first, and whether it was a tie."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import IO

from referee.core.documents.trace import TraceError, document, rows_of, story
from referee.core.presses.arbiter import AGE_NS, LEAST_LOCKOUT_NS, CallRules, arbitrate
from referee.core.units import MS, ns_from_ms

MOST_MS = 10**9
"""Maximum of the options in ms, about eleven days."""
MOST_BYTES = 1 << 16
"""Maximum bytes of a trace row. Usual rows have some hundred."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "trace", metavar="TRACE", help="a file of JSON Lines, in order of arrival; - reads standard input"
    )
    rules, least_ms = CallRules(), LEAST_LOCKOUT_NS // MS
    for option, default_ns, least, tells in (
        ("--tie-ms", rules.tie_ns, 0, "presses this close are a tie"),
        ("--latency-ms", rules.latency_ns, 0, "how late a row may arrive; 0 if all stations are wired"),
        ("--max-err-ms", rules.max_err_ns, 0, "the most of its own error that helps a press"),
        ("--age-ms", AGE_NS, 0, "how far back a row's claim is believed"),
        ("--lockout-ms", rules.lockout_ns, least_ms, f"how long after a call no other can begin, at least {least_ms}"),
    ):
        told = f"{tells} (default: {default_ns // MS})"
        parser.add_argument(option, type=_at_least(least), default=default_ns, metavar="X", help=told)
    told = "the last press loses; all must press within X ms of the first (default: the first press wins)"
    parser.add_argument("--limit-ms", type=_at_least(1), default=None, metavar="X", help=told)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _at_least(least_ms: int) -> Callable[[str], int]:
    """Return a function that parses a text as ms, at least `least_ms`, and returns ns."""

    def read(text: str) -> int:
        allowed = f"{text!r} is given, allowed is a number of milliseconds from {least_ms} to {MOST_MS}"
        try:
            ms = Decimal(text)
        except InvalidOperation:
            raise argparse.ArgumentTypeError(allowed) from None
        if not ms.is_finite() or not least_ms <= ms <= MOST_MS:
            raise argparse.ArgumentTypeError(allowed)
        return ns_from_ms(Fraction(ms)) if ms.adjusted() > -9 else 0  # smaller values are less than half a nanosecond

    return read


def run(args: argparse.Namespace) -> int:
    """Print the verdicts on a trace.

    Raises TraceError for an invalid trace, and OSError if the file cannot be read.
    """

    rules = CallRules(args.tie_ms, args.max_err_ms, args.latency_ms, args.lockout_ms, args.limit_ms, args.age_ms)
    try:
        with open(0 if args.trace == "-" else args.trace, "rb", closefd=args.trace != "-") as file:
            verdicts = arbitrate(rows_of(_lines(file)), rules)
    except OSError as exc:
        raise OSError(exc.errno, exc.strerror, args.trace) from exc
    except TraceError as exc:
        raise TraceError(f"{'standard input' if args.trace == '-' else args.trace}, {exc}") from None
    print(json.dumps(document(verdicts), indent=2) if args.json else story(verdicts))
    return 0


def _lines(file: IO[bytes]) -> Iterator[str]:
    """Decode a trace line by line, so that errors name the line. Skip a byte order mark."""

    for number, line in enumerate(iter(lambda: file.readline(MOST_BYTES + 1), b""), 1):
        if len(line) > MOST_BYTES:  # a very long line is not read into memory
            raise TraceError(f"line {number}: it is longer than {MOST_BYTES >> 10} KiB, allowed is one row")
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as exc:
            raise TraceError(f"line {number}: byte {exc.start + 1} is no UTF-8, allowed is text in UTF-8") from None
