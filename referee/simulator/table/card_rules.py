"""The cards with which a table plays, and a visitor's move of cards as text.

The cards with which a table plays, by its rules; bots deal and count by them.

A page user's move of cards as text: that of `core/cards/notation.py`, with short forms.

    reserve > middle             onto any foundation that takes the card; a new one for an ace
    reserve > middle 3           onto that one
    pile 1 any > pile 2          with as many cards as fit there
    turn                         stock cards, or the waste turned over if no stock is left

A joker is first announced as the next card that fits; the same move again plays it.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from referee.core.cards.check import unfit
from referee.core.cards.notation import move_from_text
from referee.core.cards.pack import JOKER, card_of
from referee.core.cards.position import RESERVE, WASTE, Position, available
from referee.core.cards.rules import ANNOUNCE, BUILD, PLAY, TURN, TURN_OVER, CardMove, CardRules
from referee.core.model.labels import number
from referee.core.model.registry import fields_of, game_of, presets
from referee.core.model.table import Table
from referee.core.model.transitions import ClaimGame, CountedGame
from referee.core.values import replace
from referee.simulator.table.deal import PLAIN, HandRules
from referee.simulator.table.hand import Cards

IN_A_ROW = 30
"""Value of three cards of a suit in a row, if the rules count them (docs/rules.md 10)."""


def cards_of(table: Table) -> Cards:
    """Return what the rules say about the cards of the current or coming hand."""
    setup = table.setup
    pack, reserve = presets()[setup.preset].cards(setup.preset, dict(setup.options))
    sizes = {team.id: _sizes(table, team.id) for team in table.teams}
    kings = max((fields.get("field.kings", 1) for fields in sizes.values()), default=1) - 1
    dealt = {number(table, team): fields["field.left"] - 1 for team, fields in sizes.items() if "field.left" in fields}
    handicaps = {team: count for team, count in dealt.items() if count != reserve}
    rules = _rules(setup.preset, setup.options, len(table.teams))
    game = game_of(table)
    race = isinstance(game, ClaimGame)
    out = isinstance(game, ClaimGame) and bool(game.out(table, ("",)))
    three, reason = PLAIN if race else _three(table), game.reasons.get(setup.preset, "")
    return Cards(pack, reserve, kings, handicaps, not race, rules, three, out, reason)


def _three(table: Table) -> HandRules:
    """Return this table's values of three cards of one rank or in a row, for a game of turns."""
    usual = presets()[table.setup.preset].preset_values(table.setup.preset)
    values = {name: value for name, (value, _) in usual.items()} | dict(table.setup.options)
    of_a_kind, in_a_row = str(values.get("three_of_a_kind", "none")), bool(values.get("straight_flush"))
    return HandRules(0 if of_a_kind == "none" else int(2 * Fraction(of_a_kind)), 2 * IN_A_ROW if in_a_row else 0)


@lru_cache(maxsize=8)
def _rules(preset: str, options: tuple[tuple[str, object], ...], most: int) -> Mapping[tuple[int, int], CardRules]:
    """Return (number of teams, number of people) -> card rules, for up to `most` teams.

    A tie-break hand has fewer teams. Empty if the game's cards cannot be simulated.
    """
    sizes = ((teams, people) for teams in range(1, most + 1) for people in range(teams, 2 * teams + 1))
    games = ((size, presets()[preset].card_game(preset, dict(options), *size)) for size in sizes)
    return {size: game.rules for size, game in games if game is not None}


def _sizes(table: Table, team: str) -> dict[str, int]:
    counted = isinstance(game_of(table), CountedGame)
    return {field.name.key: field.size for field in fields_of(table, team, ())} if counted else {}


MIDDLE = re.compile(r"(reserve|waste|pile [1-9]) > middle(?: ([1-9][0-9]?))?")
ANY = re.compile(r"pile ([1-9]) any > pile ([1-9])")


def move_meant(position: Position, team: int, text: str) -> CardMove:
    """Return the move of the team that `text` describes, legal or not.

    Raises DocumentError if the text describes no move.
    """
    if found := MIDDLE.fullmatch(text):
        source = {"reserve": RESERVE, "waste": WASTE}.get(found[1]) or int(found[1][5:]) - 1
        return _to_the_middle(position, team, source, found[2])
    if found := ANY.fullmatch(text):
        return _as_many(position, CardMove(team, BUILD, int(found[1]) - 1, int(found[2]) - 1))
    if text == TURN and not position.tableaux[team].stock:
        return CardMove(team, TURN_OVER)
    return move_from_text(position, f"{position.teams[team]}: {text}")


def _to_the_middle(position: Position, team: int, source: int, number: str | None) -> CardMove:
    new = len(position.foundations)
    targets = range(new + 1) if number is None else [min(int(number) - 1, new)]
    plays = [CardMove(team, PLAY, source, target) for target in targets]
    card = dict(available(position.tableaux[team])).get(source, 0)
    if card == JOKER:
        for play in plays:
            for face in _faces(position):
                announced = CardMove(team, ANNOUNCE, source, card=face)
                if unfit(position, announced) is None and _takes(position, play, face):
                    return announced
    return next((play for play in plays if unfit(position, play) is None), plays[-1])


def _faces(position: Position) -> Iterator[int]:
    return (card_of(rank, suit) for rank in range(1, position.rules.highest + 1) for suit in range(4))


def _takes(position: Position, play: CardMove, face: int) -> bool:
    """Return whether the play is legal if the joker is first announced as the card `face`."""
    side = position.tableaux[play.team]
    waste = replace(side, waste=(face,))
    tableaux = (*position.tableaux[: play.team], waste, *position.tableaux[play.team + 1 :])
    return unfit(replace(position, tableaux=tableaux), replace(play, source=WASTE)) is None


def _as_many(position: Position, move: CardMove) -> CardMove:
    """Return `move` with the fewest cards that make it legal; unchanged if no number does."""
    piles = position.tableaux[move.team].piles
    most = len(piles[move.source]) if move.source < len(piles) else 1
    tries = [replace(move, count=count) for count in range(1, most + 1)]
    return next((one for one in tries if unfit(position, one) is None), move)
