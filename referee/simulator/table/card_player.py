"""A card player: sees the open cards, notices some of the possible moves, and chooses one.

Theory of operation. A look gives the legal moves of what the person sees (`core/cards/position.py`), except for places
whose card is in the air. Each is noticed or not, depending on skill; the best noticed one (`core/cards/deal.py`) is
made.

Every figure is our assumption, chosen so that hands come out as those of real tables (simulator/statistics/figures.py).

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from random import Random
from types import MappingProxyType

from referee.core.cards.deal import worth
from referee.core.cards.legal import legal_moves
from referee.core.cards.position import RESERVE, WASTE, Position
from referee.core.cards.rules import BUILD, CALL, SINK, SLIDE, TURN, TURN_OVER, CardMove
from referee.core.units import MS, S
from referee.core.values import Value


class Skill(Value):
    """A player's speed and attention.

    think_ns, carry_ns, turn_ns: ranges of times from seeing to moving, for carrying a card and for turning stock cards.
    notices_percent: share of the possible moves that the player notices at each look. fumbles_permille: share of moved
    cards that are dropped.
    """

    think_ns: tuple[int, int]
    carry_ns: tuple[int, int]
    turn_ns: tuple[int, int]
    notices_percent: int
    fumbles_permille: int


SKILLS: Mapping[str, Skill] = MappingProxyType(
    {
        "easy": Skill((600 * MS, 1500 * MS), (450 * MS, 750 * MS), (650 * MS, 1100 * MS), 76, 12),
        "normal": Skill((430 * MS, 1150 * MS), (390 * MS, 680 * MS), (540 * MS, 960 * MS), 86, 6),
        "strong": Skill((250 * MS, 640 * MS), (325 * MS, 550 * MS), (400 * MS, 690 * MS), 96, 3),
        "expert": Skill((210 * MS, 520 * MS), (305 * MS, 510 * MS), (360 * MS, 620 * MS), 98, 2),
    }
)
"""Skills by name, from a beginner's to those of a tournament's winner."""
CALL_NS = (250 * MS, 900 * MS)
"""Time from laying down the last reserve card to the press of the button."""
MEND_NS = (1500 * MS, 4 * S)
"""Time until dropped cards are in order again."""


APART_NS = 30 * MS
"""Two cards that land closer in time than this look as if they landed at once.

That is our assumption. No card is carried faster than this.
"""
RESERVE_HOLDER, STOCK_HOLDER = "reserve", "stock"
"""The tasks of two partners. Both use the work piles."""


class CardPlayer:
    """One simulated person who moves cards.

    `duty`: the task of one of two partners; "" for a player without partner. pace_percent: 100 is a real player's pace.
    """

    def __init__(self, rng: Random, team: int, skill: Skill, duty: str = "", pace_percent: int = 100) -> None:
        self._rng = rng
        self.team = team
        self.skill = skill
        self.pace_percent = pace_percent
        self._duty = duty

    def choose(self, sight: Position, shut: Collection[int]) -> CardMove | None:
        """Return the best move that the player notices; None if there is none.

        `shut`: places that cannot be used now, because their card is in the air.
        """
        side, best, most = sight.tableaux[self.team], None, 0
        for move in legal_moves(sight, self.team):
            value = worth(side, move)
            if value > most and self._may(move, shut) and self._notices(move):
                best, most = move, value
        return best

    def _may(self, move: CardMove, shut: Collection[int]) -> bool:
        touched = _places_of(move)
        return not (shut and touched.intersection(shut)) and not (self._duty and _NOT_MINE[self._duty] & touched)

    def _notices(self, move: CardMove) -> bool:
        return move.kind in (TURN, TURN_OVER, CALL) or self._rng.randrange(100) < self.skill.notices_percent

    def takes_ns(self, move: CardMove) -> int:
        """Draw how many ns the move keeps the player's hand busy."""
        spans = {TURN: self.skill.turn_ns, TURN_OVER: self.skill.turn_ns, CALL: CALL_NS}
        return self.within(spans.get(move.kind, self.skill.carry_ns))

    def within(self, span_ns: tuple[int, int]) -> int:
        """Draw a time from that range, at this player's pace."""
        return max(self._rng.randint(*span_ns) * self.pace_percent // 100, APART_NS)

    def fumbles(self) -> bool:
        """Return whether the player drops the moving card. The skill says how often."""
        return self._rng.randrange(1000) < self.skill.fumbles_permille


_NOT_MINE = {RESERVE_HOLDER: {WASTE}, STOCK_HOLDER: {RESERVE}}


def _places_of(move: CardMove) -> set[int]:
    """Return the places in the tableau that the move takes cards from or lays cards on.

    Foundations and the stock do not count. A call counts as a use of the reserve.
    """
    if move.kind in (TURN, TURN_OVER, SINK):
        return {WASTE}
    if move.kind == CALL:
        return {RESERVE}
    return {move.source, move.target} if move.kind in (BUILD, SLIDE) else {move.source, *move.more}
