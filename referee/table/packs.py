"""Which cards a table plays with, by its rules: bots deal and count by them, as people do who have agreed on them."""

from __future__ import annotations

from referee.core.model.labels import number
from referee.core.model.registry import game_of, presets
from referee.core.model.state import Table
from referee.core.model.transitions import ClaimGame
from referee.table.hand import Cards


def cards_of(table: Table) -> Cards:
    """The packs of the coming hand, or of the one at hand: kings where they are counted, handicaps team by team."""
    setup = table.setup
    pack, reserve = presets()[setup.preset].cards(setup.preset, dict(setup.options))
    sizes = {team.id: _sizes(table, team.id) for team in table.teams}
    kings = max((fields.get("field.kings", 1) for fields in sizes.values()), default=1) - 1
    dealt = {number(table, team): fields["field.left"] - 1 for team, fields in sizes.items() if "field.left" in fields}
    handicaps = {team: count for team, count in dealt.items() if count != reserve}
    return Cards(pack, reserve, kings, handicaps, turns=not isinstance(game_of(table), ClaimGame))


def _sizes(table: Table, team: str) -> dict[str, int]:
    return {field.name.key: field.size for field in game_of(table).fields(table, team, ())}
