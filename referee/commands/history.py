"""`referee history`: the matches that the house remembers, and what they say of a player."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from referee.commands.memory import ListedMatch, add_state, instant, remembered

if TYPE_CHECKING:
    from referee.commands.terminal import Terminal
    from referee.core.documents.statistics import Statistics

NOTED = ("adjustments", "timeouts")
"""What a table has put on record beside its hands; matches of older releases have none."""
BAR = 20
"""Characters of the bar that stands for all of a player's matches."""


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("history", help="past matches, and a player's statistics", description=__doc__)
    parser.add_argument("--player", metavar="NAME", help="only this player's matches, with statistics")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Print the matches, or a player's."""
    entries = remembered(args.state)
    told = None
    if args.player is not None:
        told = _statistics(args.player, entries)
        entries = [entry for entry in entries if _names(args.player, entry)]
    print(_json(entries, told) if args.json else _text(entries, told))
    return 0


def _statistics(player: str, entries: list[ListedMatch]) -> Statistics:
    from referee.cli import UsageError
    from referee.core.documents.statistics import distinct, total
    from referee.core.reading import allowed

    mine = [(name, entry) for entry in entries for name in _names(player, entry)]
    if not mine:
        people = distinct(name for entry in entries if entry.shown for name in entry.shown["people"])
        known = allowed(people) if people else "nobody has yet"
        raise UsageError(f"referee history: --player {player!r} has played no match here; {known}")
    return total(mine[-1][0], [found for name, entry in mine if (found := _part(name, entry))])


def _names(player: str, entry: ListedMatch) -> list[str]:
    """How the match spells that player, who may have sat in it; without case, outer spaces and Unicode form."""
    from referee.core.documents.statistics import spelled

    return spelled(player, entry.shown["people"]) if entry.shown else []


def _part(player: str, entry: ListedMatch) -> list[Any] | None:
    """What the match says of that player; an imported one is read for it."""
    from referee.core.documents.statistics import part

    if entry.shown and "parts" in entry.shown:
        return list(entry.shown["parts"][player])
    return part(entry.record, player) if entry.record else None


# -- one JSON document ---------------------------------------------------------------------------------------------


def _json(entries: list[ListedMatch], told: Statistics | None) -> str:
    from msgspec.structs import asdict

    document: dict[str, Any] = {"matches": [_document(entry) for entry in entries]}
    if told is not None:
        document["statistics"] = asdict(told)
    return json.dumps(document)


def _document(entry: ListedMatch) -> dict[str, Any]:
    head = {"match": entry.number, "imported": entry.imported, "begun": instant(entry.begun_s)}
    if entry.shown is None:
        return {**head, "trouble": entry.trouble}
    keys = ("preset", "options", "teams", "hands", "totals", "winners")
    noted = {key: entry.shown.get(key, []) for key in NOTED}
    return {**head, "ended": instant(entry.shown["ended_s"]), **{key: entry.shown[key] for key in keys}, **noted}


# -- for people ----------------------------------------------------------------------------------------------------


def _text(entries: list[ListedMatch], told: Statistics | None) -> str:
    from referee.commands.score import plain
    from referee.commands.terminal import terminal

    how = terminal()
    lines = [_line(entry, how) for entry in entries]
    if told is not None:
        lines += ["", *_told(told, how)]
    return plain("\n".join(lines) or "No match has been played yet.")


def _line(entry: ListedMatch, terminal: Terminal) -> str:
    from datetime import datetime

    from referee.core.reading import counted

    begun = (
        "?" if entry.begun_s is None else datetime.fromtimestamp(entry.begun_s).astimezone().strftime("%Y-%m-%d %H:%M")
    )
    head = f"{entry.number:>4}  {terminal.paint(f'{begun:16}', 'weak')}  "
    shown = entry.shown
    if shown is None:
        return f"{head}{entry.trouble}"
    count = shown["hands"]
    hands = counted(count, "hand", "hands") if count else "no hand yet"
    won = " and ".join(shown["winners"])
    end = f"{terminal.paint(won, 'good')} won" if won else "not over"
    mark = "  (imported)" if entry.imported else ""
    return f"{head}{shown['preset']:10}  {shown['result']}  {hands}, {end}{_noted(shown)}{mark}"


def _noted(shown: dict[str, Any]) -> str:
    """How often the table gave points, and how many time outs are on record: by team, the rest nobody's."""
    from collections import Counter

    from referee.core.reading import counted

    given = shown.get("adjustments", [])
    points = f", {counted(len(given), 'adjustment')}" if given else ""
    taken = Counter(one.get("team", "nobody") for one in shown.get("timeouts", []))
    whose = ", ".join(f"{team} {count}" for team, count in taken.items())
    return f"{points}{f', time outs: {whose}' if whose else ''}"


def _told(told: Statistics, terminal: Terminal) -> Iterator[str]:
    from referee.commands.score import text
    from referee.core.units import clock_text, ns_from_ms

    yield terminal.paint(told.player, "strong")
    share = terminal.bar(told.wins / told.matches, BAR) if told.matches else ""
    yield f"  matches        {told.matches}, won {told.wins}  {terminal.paint(share, 'bar')}".rstrip()
    yield f"  hands          {told.hands}"
    yield f"  calls          {told.calls}, {told.ties} of them tied"
    if told.mean_score is not None and told.best_hand is not None:
        yield f"  score a hand   {told.mean_score:.1f} on average, {text(told.best_hand)} at best"
    if told.quickest_call_ms is not None:
        yield f"  quickest call  {clock_text(ns_from_ms(told.quickest_call_ms))}"
    if told.closest_call_ns is not None:
        yield f"  closest call   won by {told.closest_call_ns / 1e9:.3f} s"
