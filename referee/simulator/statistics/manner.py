"""How simulated players play: speed and attention.

Theory of operation. Players do not plan ahead: they make the legal move that is worth most (`core/cards/worth.py`); of
equal ones, the first. Players have no memory, and know only open cards.

Every time below is our assumption, chosen so that hands come out as those of real tables (figures.py).

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from referee.core.values import Value

Span = tuple[int, int]
"""Shortest and longest time, ms."""
THINK_MS: Span = (300, 800)
"""Time from seeing a card's place to reaching for the card."""
CARRY_MS: Span = (350, 600)
"""Time in which a player carries a card to its place."""
TURN_MS: Span = (450, 800)
"""Time for turning stock cards, or the waste over."""
CALL_MS: Span = (250, 900)
"""Time from laying down the last reserve card to the press of the button."""
GLANCE_MS: Span = (80, 200)
"""Time until a player looks at the cards again after a move."""
REGRET_MS: Span = (150, 400)
"""Time until a player looks at the cards again after a card that came second and returned."""
AGREE_MS: Span = (3000, 8000)
"""Time until a table where no one can play has agreed on what to do."""
APART_US = 30_000
"""Two cards that land closer in time than this look as if they landed at once."""
SECOND_CALL_US = 200_000
"""Another team's call this soon after the first would have been made as well."""

WAYS_OUT = {"burn": 12, "rotate": 4, "redeal-stock": 1}
"""Option `stuck` -> number of joint moves before the table ends the hand; missing: never."""
ROUNDS = 2
"""How often each team turns its waste over before no one can play, as the table sees it.

The first time may have begun before the last play.
"""


class Habit(Value):
    """How one player plays.

    pace: how long the player needs, in percent of this module's times, e.g. THINK_MS. attention: percentage of looks at
    the cards in which the player notices all moves.
    """

    pace: int = 100
    attention: int = 100


COMPANIES = {
    "even": (Habit(),),
    "mixed": (Habit(85, 98), Habit(95, 94), Habit(107, 89), Habit(120, 84)),
}
"""Name -> the habits of a table's players, repeated if there are more seats."""
