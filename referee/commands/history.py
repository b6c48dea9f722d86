"""`referee history`: the matches that the house remembers, and what they say of a player."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from referee.commands.memory import ListedMatch, add_state, instant, remembered

if TYPE_CHECKING:
    from referee.core.documents.statistics import Statistics


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
        entries = [entry for entry in entries if entry.shown and args.player in entry.shown["people"]]
    print(_json(entries, told) if args.json else _text(entries, told))
    return 0


def _statistics(player: str, entries: list[ListedMatch]) -> Statistics:
    from referee.cli import UsageError
    from referee.core.documents.statistics import total

    people = sorted({name for entry in entries if entry.shown for name in entry.shown["people"]})
    if player not in people:
        known = ", ".join(people) or "nobody yet"
        raise UsageError(f"referee history: --player {player!r} has played no match here, allowed are {known}")
    mine = [entry for entry in entries if entry.shown and player in entry.shown["people"]]
    return total(player, [found for entry in mine if (found := _part(player, entry))])


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
    return {**head, "ended": instant(entry.shown["ended_s"]), **{key: entry.shown[key] for key in keys}}


# -- for people ----------------------------------------------------------------------------------------------------


def _text(entries: list[ListedMatch], told: Statistics | None) -> str:
    from referee.commands.score import plain

    lines = [_line(entry) for entry in entries]
    if told is not None:
        lines += ["", *_told(told)]
    return plain("\n".join(lines) or "No match has been played yet.")


def _line(entry: ListedMatch) -> str:
    from datetime import datetime

    begun = (
        "?" if entry.begun_s is None else datetime.fromtimestamp(entry.begun_s).astimezone().strftime("%Y-%m-%d %H:%M")
    )
    head = f"{entry.number:>4}  {begun:16}  "
    shown = entry.shown
    if shown is None:
        return f"{head}{entry.trouble}"
    count = shown["hands"]
    hands = "no hand yet" if not count else f"{count} hand{'s' if count > 1 else ''}"
    end = f"{' and '.join(shown['winners'])} won" if shown["winners"] else "not over"
    mark = "  (imported)" if entry.imported else ""
    return f"{head}{shown['preset']:10}  {shown['result']}  {hands}, {end}{mark}"


def _told(told: Statistics) -> Iterator[str]:
    from referee.commands.score import text
    from referee.core.units import clock_text, ns_from_ms

    yield told.player
    yield f"  matches        {told.matches}, won {told.wins}"
    yield f"  hands          {told.hands}"
    yield f"  calls          {told.calls}, {told.ties} of them tied"
    if told.mean_score is not None and told.best_hand is not None:
        yield f"  score a hand   {told.mean_score:.1f} on average, {text(told.best_hand)} at best"
    if told.quickest_call_ms is not None:
        yield f"  quickest call  {clock_text(ns_from_ms(told.quickest_call_ms))}"
    if told.closest_call_ns is not None:
        yield f"  closest call   won by {told.closest_call_ns / 1e9:.3f} s"
