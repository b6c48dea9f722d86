"""Positions as documents, and their counts as people enter them."""

from __future__ import annotations

from referee.core.cards.document import FORMAT
from referee.core.cards.pack import Pile, card_text, owner_of
from referee.core.cards.position import PLAYED, TABLE, Position, Tableau, counts
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS, NertzRules, option_values
from referee.core.games.nertz.scoring import NertzCount
from referee.core.values import Document, Json


def position_document(position: Position) -> Document:
    """Return the position as plain JSON values."""
    letters, lull = position.rules.letters, position.lull
    document: Document = {
        "format": FORMAT,
        "teams": {name: _side(letters, side) for name, side in zip(position.teams, position.tableaux, strict=True)},
        "foundations": [_texts(letters, pile) for pile in position.foundations],
        "owners": [[position.teams[owner_of(card)] for card in pile] for pile in position.foundations],
    }
    if lull != PLAYED:
        document["lull"] = {"cycles": list(lull.cycles), "burns": lull.burns, "stock_burns": lull.stock_burns}
    if position.end:
        document["end"] = position.end
    if position.caller != TABLE:
        document["caller"] = position.teams[position.caller]
    return document


def _side(letters: str, side: Tableau) -> Document:
    places = {"reserve": side.reserve, "stock": side.stock, "waste": side.waste}
    document: Document = {name: _texts(letters, pile) for name, pile in places.items()}
    document |= {"piles": [_texts(letters, pile) for pile in side.piles], "cycles": side.cycles}
    return document | ({"down": list(side.down)} if side.down else {})


def _texts(letters: str, cards: Pile) -> list[Json]:
    return [card_text(letters, card) for card in cards]


def nertz_document(ruleset: NertzRules, position: Position) -> Document:
    """Return the position with its preset, changed options and number of players."""
    usual = option_values(PRESETS[ruleset.preset])
    options = {name: value for name, value in option_values(ruleset).items() if value != usual[name]}
    teams = len(position.teams)
    people = next(n for n in range(teams, 2 * teams + 1) if card_rules(ruleset, teams, n) == position.rules)
    players = {} if people == teams else {"players": people}
    return {"preset": ruleset.preset, "options": options, **players, **position_document(position)}


def hand_counts(position: Position) -> dict[str, NertzCount]:
    """Return the count that each team would enter for the hand, by team name."""
    found = zip(position.teams, counts(position), strict=True)
    return {team: NertzCount(count.lake, count.left, count.kings) for team, count in found}
