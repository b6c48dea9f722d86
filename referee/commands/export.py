"""Write one match as JSON (for `import` and `score`), as CSV, or for the app BG Stats.

CSV for office programs (`--for excel`) has a byte order mark, and semicolons if the language has a decimal comma.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.commands.files import add_state, match_called, table_language, write_whole
from referee.commands.score import plain
from referee.commands.terminal import UsageError
from referee.language.words import LANGUAGES, speaking

FORMATS = ("json", "csv", "bgstats")


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", metavar="MATCH", help="number from `referee history`")
    parser.add_argument("--format", choices=FORMATS, help="format (default: json)")
    parser.add_argument(
        "--for", choices=("excel",), dest="program", help="CSV for Excel, LibreOffice and similar programs"
    )
    parser.add_argument("--lang", choices=LANGUAGES, help="language of its numbers (default: the table's)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="file to write (default: standard output)")
    parser.add_argument(
        "--location", default="Home", metavar="NAME", help="place of the match, for BG Stats (default: Home)"
    )
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Write the match to the given file or to standard output, and return the exit status.

    Raises UsageError for two formats or an unknown language, ValueError for a match that does not exist.
    """
    wanted = [f"--format {args.format}"] if args.format else []
    wanted += ["--json"] if args.json else []
    wanted += [f"--for {args.program}"] if args.program else []
    if len(wanted) > 1 and wanted not in (["--format json", "--json"], ["--format csv", "--for excel"]):
        raise UsageError(f"referee export: {' and '.join(wanted)} are given; give only one of them")
    text = _text(args)
    if args.output is None:
        print(plain(text), end="")
    else:
        write_whole("referee export: --output", args.output, text.encode())
    return 0


def _text(args: argparse.Namespace) -> str:
    """Return the exported match in the chosen format."""
    from referee.web.exports import WRITERS, as_excel

    record = match_called(args.state, args.match)
    if args.program is None:
        return WRITERS[args.format or "json"](args.match, record, args.location)
    with speaking(args.lang or table_language(args.state)):
        return as_excel(args.match, record)
