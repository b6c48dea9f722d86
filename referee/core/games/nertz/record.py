"""A sealed hand of the family as a document, and whether its match was played on."""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.games.nertz.rules import PRESETS, with_options
from referee.core.games.nertz.scoring import NertzCount, NertzHand
from referee.core.model.registry import game_of
from referee.core.model.table import Setup, Table
from referee.core.reading import number
from referee.core.values import Document, replace


def hand_document(setup: Setup, hand: NertzHand, names: Mapping[str, str]) -> Document:
    """The hand as a match document has it; `names`: team id -> name."""
    rules = with_options(PRESETS[setup.preset], dict(setup.options))
    kings = bool(rules.king_bonus)
    document: Document = {"end": hand.end}
    if hand.end == "call":
        document["callers"] = [names[team] for team in hand.callers]
    if hand.counts:
        document["counts"] = {names[team]: _count(count, kings) for team, count in hand.counts.items()}
    # A document has no place for a team that called falsely and then well; where that costs nothing it is left out.
    false_calls = [t for t in hand.false_calls if t not in hand.callers or rules.false_call != "play-on"]
    if false_calls:
        document["false_calls"] = [names[team] for team in false_calls]
    if hand.shares is not None:
        document["shares"] = {names[team]: number(share) for team, share in hand.shares.items()}
    if hand.corrected:
        document["corrected"] = [names[team] for team in hand.corrected]
    if hand.reserves:
        document["reserves"] = {names[team]: size for team, size in hand.reserves.items()}
    return document


def played_on(table: Table) -> bool:
    """Whether hands follow that a correction has made superfluous: the match was over, or its tie had to be broken."""
    game = game_of(table)
    parts = [replace(table, hands=table.hands[:n], ended=False) for n in range(1, len(table.hands))]
    corrected = any(place.corrected for place in game.standings(table)) or bool(table.adjustments)
    return any(game.winners(p) or (corrected and len(game.next_players(p)) < len(table.teams)) for p in parts)


def _count(count: NertzCount, kings: bool) -> list[int]:
    return [count.foundation, count.reserve, *([count.kings] if kings else [])]
