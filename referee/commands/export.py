"""`referee export MATCH`: one match as JSON (which `import` and `score` read), as CSV, or for the app BG Stats."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from referee.commands.files import write_whole
from referee.commands.memory import add_state, match_called

FORMATS = ("json", "csv", "bgstats")


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("export", help="a match as JSON, CSV or for BG Stats", description=__doc__)
    parser.add_argument("match", metavar="MATCH", help="its number in `referee history`")
    parser.add_argument("--format", choices=FORMATS, default="json", help="what to write (json)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there (default: standard output)")
    parser.add_argument("--location", default="Home", metavar="NAME", help="where it was played, for BG Stats (Home)")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Write the match to the file that was asked for, or to standard output. Returns the exit status.

    Raises UsageError for --json with another format, and ValueError for a match that is not there.
    """
    from referee.cli import UsageError
    from referee.commands.score import plain
    from referee.web.exports import WRITERS

    if args.json and args.format != "json":
        raise UsageError(f"referee export: --json is given with --format {args.format}, allowed is one of them")
    text = WRITERS[args.format](args.match, match_called(args.state, args.match), args.location)
    if args.output is None:
        print(plain(text), end="")
    else:
        write_whole("referee export: --output", args.output, text.encode())
    return 0
