"""Many hands of the fast core, for Python: their outcomes, and of one hand its moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from referee.core.cards.moves import CardMove
from referee.core.cards.rules import CardRules
from referee.simulate.fast.hand import play
from referee.simulate.fast.machine import SOURCES, compile_once
from referee.simulate.fast.records import ANNOUNCE, BUILD, KINDS, PLACES, PLAY, RESERVE, SLIDE, table_for
from referee.simulate.manner import Habit
from referee.simulate.readable import SimulatedHand


def _play_all_of(sources: str) -> Callable[..., str]:
    """`play_all`, kept by numba under these sources (machine.py)."""

    @compile_once
    def play_all(tables: Any, seed: int, first: int, rows: Any) -> str:
        """A row a hand: what `SimulatedHand` has, in its order. Returns the sources that it has been compiled from."""
        table = tables[0]
        for hand in range(rows.shape[0]):
            play(table, seed, first + hand)
            row = rows[hand]
            row[0], row[1], row[2], row[3] = table.ended, table.caller, table.now_us, table.ways_out
            row[4], row[5], row[6] = table.beaten, table.moves, table.second_us
            for team in range(table.rules.teams):
                side = table.sides[team]
                row[7 + 3 * team], row[8 + 3 * team] = side.lake, side.piles[RESERVE].size
                row[9 + 3 * team] = side.kings
        return sources

    return play_all


play_all = _play_all_of(SOURCES)


def play_hands(rules: CardRules, habits: Sequence[Habit], seed: int, numbers: range) -> Iterator[SimulatedHand]:
    """The hands of these numbers, one after the other."""
    rows: Any = np.zeros((len(numbers), 7 + 3 * len(habits)), np.int64)
    play_all(table_for(rules, habits, False), seed, numbers.start, rows)
    return map(_hand_of, rows.tolist())


def play_told(rules: CardRules, habits: Sequence[Habit], seed: int, hand: int) -> tuple[SimulatedHand, list[Any]]:
    """The hand of that number, and its moves with the instants at which they were made."""
    rows: Any = np.zeros((1, 7 + 3 * len(habits)), np.int64)
    tables = table_for(rules, habits, True)
    play_all(tables, seed, hand, rows)
    found = _hand_of(rows.tolist()[0])
    return found, [_instant_and_move(row) for row in tables["log"][0][: found.moves].tolist()]


def _hand_of(row: Sequence[int]) -> SimulatedHand:
    counts = tuple((row[n], row[n + 1], row[n + 2]) for n in range(7, len(row), 3))
    return SimulatedHand(row[0], row[1], row[2], row[3], row[4], row[5], row[6], counts)


def _instant_and_move(row: tuple[Any, ...]) -> tuple[int, CardMove]:
    at_us, team, kind, source, target, count, card, further, more = row
    if kind in (PLAY, BUILD, SLIDE, ANNOUNCE):
        source = PLACES[source]
    if kind in (BUILD, SLIDE):
        target = PLACES[target]
    places = tuple(PLACES[place] for place in more[:further])
    return at_us, CardMove(team, KINDS[kind], source, target, count, places, card)
