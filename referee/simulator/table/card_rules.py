"""The cards with which a table plays, by its rules; bots deal and count by them.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from referee.core.cards.rules import CardRules
from referee.core.model.labels import number
from referee.core.model.registry import fields_of, game_of, presets
from referee.core.model.table import Table
from referee.core.model.transitions import ClaimGame, CountedGame
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
