"""What all players may do together when no team can play (docs/rules.md 6).

Theory of operation. A table is idle when every team has gone through its stock since the last play, by turning its
waste over, and no team has an empty reserve (such a team can call). NNA requires two rounds before the first burn, all
others one; after a burn one round is enough. Three burns of stock cards without a play allow one of reserve cards.

In all ways out the waste, turned over, goes on top of the remaining stock: every stock can then be turned from its
first card on.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.core.cards.pack import Pile, plain
from referee.core.cards.position import TABLE, Lull, Position, Tableau
from referee.core.cards.rules import ABANDON, BURN_RESERVE, BURN_STOCK, END, REDEAL, ROTATE, CardMove
from referee.core.values import replace

SEARCHES = 2
"""Rounds through the stock that are needed before the first burn (NNA)."""
STOCK_BURNS = 3
"""Burns of stock cards that are needed before one of reserve cards (NNA)."""

WAYS_OUT: Mapping[str, tuple[str, ...]] = {
    "burn": (BURN_STOCK, BURN_RESERVE, END),
    "rotate": (ROTATE, END),
    "redeal-stock": (REDEAL, END),
    "abandon": (ABANDON,),
    "score": (END,),
}
"""Option `stuck` -> what the table may do."""


def together(position: Position) -> tuple[CardMove, ...]:
    """Return the joint moves, made by all teams at once, that are allowed now."""
    kinds = WAYS_OUT[position.rules.stuck]
    return tuple(CardMove(TABLE, kind) for kind in kinds if breach_of_idleness(position, kind) is None)


def breach_of_idleness(position: Position, kind: str) -> str | None:
    """Return the rule that forbids this joint move now; None if it is allowed."""
    rules, lull = position.rules, position.lull
    if kind not in WAYS_OUT[rules.stuck]:
        return "way out"
    ended_by_consent = kind == END and rules.stuck in ("rotate", "redeal-stock")
    ready = (
        is_idle(position)
        and (kind != BURN_RESERVE or lull.stock_burns >= STOCK_BURNS)
        and (not ended_by_consent or lull.burns > 0)
    )
    return None if ready else "idle"


def is_idle(position: Position) -> bool:
    """Return whether no team can play, as far as the players know.

    They know it when no team can call and every team has turned its whole stock often enough without a play.
    """
    rounds = SEARCHES if position.rules.stuck == "burn" and not position.lull.burns else 1
    return all(
        tableau.reserve and (cycles >= rounds or not (tableau.stock or tableau.waste))
        for tableau, cycles in zip(position.tableaux, cycles_of(position), strict=True)
    )


def cycles_of(position: Position) -> tuple[int, ...]:
    """Return how often each team has turned its waste over since the last play."""
    return position.lull.cycles or (0,) * len(position.teams)


def _gather_stock(tableau: Tableau) -> Pile:
    """Turn the waste over and put it on the stock. Return the new stock."""
    return tuple(map(plain, tableau.waste)) + tableau.stock


def _redealt(tableau: Tableau) -> Tableau:
    return replace(tableau, stock=_gather_stock(tableau), waste=())


def _burn_card(tableau: Tableau) -> Tableau:
    stock = _gather_stock(tableau)
    return replace(tableau, stock=stock[1:] + stock[:1], waste=())


def _reserve_burnt(tableau: Tableau) -> Tableau:
    """Move the reserve's top card under its other cards. A reserve of one card stays unchanged."""
    top = tuple(map(plain, tableau.reserve[-1:]))
    return replace(tableau, reserve=top + tableau.reserve[:-1])


_CHANGES: Mapping[str, Callable[[Tableau], Tableau]] = {
    BURN_STOCK: _burn_card,
    ROTATE: _burn_card,
    BURN_RESERVE: _reserve_burnt,
    REDEAL: _redealt,
}


def done_together(position: Position, kind: str) -> Position:
    """Return the position after a joint move of all teams.

    Joint moves are a burn, a rotation, a redeal and the end of the hand.
    """
    if kind in (END, ABANDON):
        return replace(position, end="stuck" if kind == END else "abandoned")
    stock_burns = position.lull.stock_burns + 1 if kind == BURN_STOCK else 0
    return replace(
        position,
        tableaux=tuple(map(_CHANGES[kind], position.tableaux)),
        lull=Lull((), position.lull.burns + 1, stock_burns),
    )
