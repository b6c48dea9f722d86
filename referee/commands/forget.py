"""Remove a person's name from all matches.

The matches remain, with "Player 3" or the like as the name.

In other files of the state directory the name is overwritten with x.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from referee.commands.files import add_state
from referee.commands.owner import as_caller
from referee.commands.score import plain
from referee.commands.terminal import UsageError
from referee.core.names import BACKS, among, fold, is_back
from referee.core.reading import count_text
from referee.storage.files import rewrite
from referee.storage.records.forget import ForgetError, Mentions, forget, look
from referee.storage.records.removed_names import has_hall


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", help="the name as `referee history` shows it")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="also remove the name from [names] in these settings"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask (needed without a terminal)")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Ask the user, and forget the name. Return 0, or 1 if the user said no.

    Raises UsageError for an unknown name, and if a file cannot be read or written.
    """

    try:
        settings = _settings(args.config, args.player)
        if not _is_agreed(args, settings is not None):
            print("Nothing was changed.", file=sys.stderr)
            return 1
        found = forget(args.state, args.player, _progress())
        _check_found(args.player, found, settings is not None)
        if settings is not None:
            _write_settings(args.config, settings)
    except ForgetError as exc:
        raise UsageError(f"referee forget: {exc}") from exc
    print(_json(args.player, found) if args.json else plain(_text(args, found)))
    return 0


def _is_agreed(args: argparse.Namespace, known: bool) -> bool:
    """Ask at the terminal whether to forget the name. With --yes, return True without asking.

    Raises ForgetError without a terminal, for an unknown name, and for a name that stands for the back of a pack of
    cards, such as "Red".
    """

    if among(args.player, (back for backs in BACKS.values() for back in backs)) is not None:
        raise ForgetError(f"{args.player!r} is the name of a pack's back, not of a person")
    if args.yes:
        return True
    if not sys.stdin.isatty():
        raise ForgetError("there is no terminal to ask at, so --yes is needed; nothing was changed")
    found = look(args.state, args.player, _progress())
    _check_found(args.player, found, known)
    print(f"Forget {args.player} for ever, in {_places(found)}? [yes/no] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("yes", "y")


def _progress() -> Any:
    """Return a function that shows how many files have been searched for the name.

    Without a terminal, the function shows nothing.
    """
    if not sys.stderr.isatty():
        return lambda done, of: None

    def show(done: int, of: int) -> None:
        if done % 50 == 0 or done == of:
            print(f"\r{done} of {of} files searched", end="\n" if done == of else "", file=sys.stderr, flush=True)

    return show


def _check_found(player: str, found: Mentions, known: bool) -> None:
    """Raise ForgetError if neither a file nor the configuration (`known`) has the name."""

    if not any(found.files.values()) and not known:
        people = ", ".join(name for name in found.known if not is_back(name))
        known_names = f"allowed are {people}" if people else "there are no names yet"
        unread = "".join(f"; {sentence}" for sentence in found.unread)
        raise ForgetError(f"{player!r} is in no match here, {known_names}{unread}")


def _places(found: Mentions) -> str:
    evenings, records, houses, _, overwritten = map(len, found.files.values())
    counts = [
        count_text(evenings, "evening"),
        count_text(records, "record"),
        count_text(houses, "file of house presets", "files of house presets") if houses else "",
        count_text(overwritten, "other file") if overwritten else "",
    ]
    *others, last = filter(None, counts)
    return f"{', '.join(others)} and {last}"


# -- the configuration -------------------------------------------------------------------------------------------------


@as_caller()
def _settings(path: Path | None, player: str) -> str | None:
    """Return the text of the configuration without the name; None if that changes nothing."""

    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ForgetError(f"{path} cannot be read ({error})") from None
    changed = _without_name(text, player)
    return changed if changed != text else None


def _without_name(text: str, person: str) -> str:
    """Remove seats with this name from section [names] of a TOML text.

    Raises ForgetError if the section must be edited by hand.
    """

    lines, section, kept_lines = text.splitlines(keepends=True), "", []
    for line in lines:
        if line.strip().startswith("["):
            section = line.strip().partition("#")[0].strip()
        if section == "[names]" and _gives(line, person):
            continue
        kept_lines.append(line)
    changed = "".join(kept_lines)
    try:
        before, after = tomllib.loads(text), tomllib.loads(changed)
    except tomllib.TOMLDecodeError as error:
        raise ForgetError(f"the configuration cannot be read: {error}") from None
    names = before.get("names", {})
    due = {seat: name for seat, name in names.items() if not _is(name, person)} if isinstance(names, dict) else names
    if after != before | ({"names": due} if "names" in before else {}):
        raise ForgetError(f"section [names] in the configuration holds {person} in a form that must be edited by hand")
    return changed


def _gives(line: str, person: str) -> bool:
    """Return whether a configuration line gives the name to a seat."""
    try:
        return any(_is(name, person) for name in tomllib.loads(line).values())
    except tomllib.TOMLDecodeError:
        return False


def _is(name: object, person: str) -> bool:
    return isinstance(name, str) and fold(name) == fold(person)


@as_caller()
def _write_settings(path: Path, text: str) -> None:
    """Replace the configuration atomically. Raises ForgetError.

    The configuration is the last file to be changed.
    """

    try:
        rewrite(path, text.encode())
    except OSError as error:
        raise ForgetError(f"{path} still holds the name, it cannot be written ({error})") from None


# -- the answer --------------------------------------------------------------------------------------------------------


def _json(player: str, found: Mentions) -> str:
    return json.dumps({"player": player, **found.files, "unread": found.unread})


def _text(args: argparse.Namespace, found: Mentions) -> str:
    lines = [f"{args.player} is forgotten in {_places(found)}:"]
    for kind, names in found.files.items():
        lines += [f"  {name}{' (letters x in its place)' if kind == 'overwritten' else ''}" for name in names]
    lines += [f"{sentence}; the name may be in it." for sentence in found.unread]
    if has_hall(args.state):
        lines.append("The hall is asked to remove the name when the table runs and reaches it.")
    yours = "Files in other folders" if args.config else "Files in other folders, and [names] in the configuration"
    lines.append(f"{yours}, are yours to change{'' if args.config else ' (or name it with --config FILE)'}.")
    return "\n".join(lines)
