"""`referee forget PLAYER`: take a person's name out of every match; the matches stay, the person is "Player 3"."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.commands.memory import add_state, files
from referee.commands.owner import as_caller

if TYPE_CHECKING:
    from referee.drivers.journal.forget import Mentions


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("forget", help="delete a person's data", description=__doc__)
    parser.add_argument("player", metavar="PLAYER", help="the name, as `referee history` shows it")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings in TOML, whose [names] are looked into, too"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask; needed where nobody can be asked")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Ask and forget: 0 when it is done, 1 when the answer was no.

    Raises UsageError for somebody who is not known here, and where something cannot be read or written.
    """
    from referee.cli import UsageError
    from referee.commands.score import plain
    from referee.drivers.journal.forget import ForgetError, forget

    try:
        journal, archive = files(args.state)
        found = _sought(journal, archive, args.player)
        settings = _settings(args.config, args.player)
        if not args.yes and not _is_agreed(args.player, found):
            print("Nothing was changed.", file=sys.stderr)
            return 1
        found = forget(journal, archive, args.player)
        if settings is not None:
            _write_settings(args.config, settings)
    except ForgetError as exc:
        raise UsageError(f"referee forget: {exc}") from exc
    print(_json(args, found) if args.json else plain(_text(args, found)))
    return 0


def _sought(journal: Path, archive: Path, player: str) -> Mentions:
    from referee.core.documents.statistics import distinct
    from referee.core.names import BACKS, among, is_back
    from referee.drivers.journal.forget import ForgetError, look

    if among(player, (back for backs in BACKS.values() for back in backs)) is not None:
        raise ForgetError(f"{player!r} is the back of a pack and nobody's name, allowed are the names of people")
    found = look(journal, archive, player)
    if not found.places and not found.records and not found.houses:
        known = ", ".join(name for name in distinct(found.known) if not is_back(name)) or "nobody"
        raise ForgetError(f"{player!r} is in no match here, allowed are {known}")
    return found


def _is_agreed(player: str, found: Mentions) -> bool:
    """Asked at a terminal. ForgetError where there is none."""
    from referee.drivers.journal.forget import ForgetError

    if not sys.stdin.isatty():
        raise ForgetError("nobody can be asked here, so --yes is needed; nothing was changed")
    print(f"Forget {player} for ever, in {_places(found)}? [yes/no] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("yes", "y")


def _places(found: Mentions) -> str:
    from referee.core.reading import count_text

    imported = count_text(found.records, "imported match", "imported matches")
    houses = f" and {count_text(found.houses, 'house preset')}" if found.houses else ""
    return f"{count_text(found.places, 'place')} of the journal and {imported}{houses}"


@as_caller()
def _settings(path: Path | None, player: str) -> str | None:
    """The configuration as it is to be; None when it stays as it is."""
    from referee.drivers.journal.forget import ForgetError, without_name

    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ForgetError(f"{path} cannot be read ({error})") from None
    changed = without_name(text, player)
    return changed if changed != text else None


@as_caller()
def _write_settings(path: Path, text: str) -> None:
    """The whole file or none of it. ForgetError when it cannot be written; all else is forgotten by then."""
    from referee.drivers.journal.forget import ForgetError

    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.chmod(path.stat().st_mode)
        part.replace(path)
    except OSError as error:
        raise ForgetError(f"{path} still holds the name, it cannot be written ({error})") from None


def _json(args: argparse.Namespace, found: Mentions) -> str:
    told = {"player": args.player, "places": found.places, "imported": found.records, "houses": found.houses}
    return json.dumps({**told, "overwritten": list(found.overwritten)})


def _text(args: argparse.Namespace, found: Mentions) -> str:
    lines = [f"{args.player} is forgotten in {_places(found)}."]
    if found.overwritten:
        lines.append(f"Overwritten where it was in other files there: {', '.join(found.overwritten)}.")
    yours = "Files in other folders" if args.config else "Files in other folders, and [names] in the configuration"
    lines.append(f"{yours}, are yours to change{'' if args.config else ' (or name it with --config FILE)'}.")
    return "\n".join(lines)
