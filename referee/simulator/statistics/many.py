"""Play many hands, in one process or several: hand i depends only on the seed and i.

Theory of operation. Hands are given out in parts of whole blocks (tally.py), a few parts ahead of the processes
that play them, and only tallies are returned; so memory grows neither with the hands nor with the processes.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

from referee.core.cards.position import CardCount, CardGame
from referee.core.model.options import RuleError
from referee.core.model.registry import presets
from referee.core.values import Value, replace
from referee.simulator.statistics.hand import play_hand
from referee.simulator.statistics.profiles import COMPANIES, Habit
from referee.simulator.statistics.tally import BLOCK, HandTally, tally_of_block

PARTS = 16
"""Number of parts for each process, so that none waits long for the others at the end."""
LARGEST_PART = 2000
AHEAD = 2
"""Number of parts given out ahead, for each process."""


class Simulation(Value):
    """The settings of a simulation.

    options: option name -> value, in the form that JSON holds. company: the kind of players, one of `COMPANIES`.
    """

    preset: str
    options: tuple[tuple[str, object], ...]
    players: int
    seed: int
    hands: int
    company: str = "even"

    @property
    def game(self) -> CardGame:
        """Return the rules of the preset's cards, its target and its score function.

        Raises ValueError for a preset whose cards cannot be simulated; RuleError (options.py) for a wrong option.
        """
        game = presets()[self.preset].card_game(self.preset, dict(self.options), self.players)
        if game is None:
            raise ValueError(f"the cards of {self.preset} are not modelled")
        return game

    @property
    def habits(self) -> tuple[Habit, ...]:
        """Return each player's habit, in the order of the seats."""
        company = COMPANIES[self.company]
        return tuple(company[player % len(company)] for player in range(self.players))


PROBES = (("call", True, CardCount(21, 0, 2)), ("stuck", False, CardCount(7, 3, 1)))
"""Counts that show whether an option changes scores."""


def unfelt(simulation: Simulation) -> tuple[str, ...]:
    """Return the simulation's options that change no simulated hand, score or target.

    Such options concern only a real table and its device.
    """
    found = []
    for name, _ in simulation.options:
        others = tuple(option for option in simulation.options if option[0] != name)
        try:
            without = replace(simulation, options=others).game
        except RuleError:  # another option depends on it
            continue
        if _options_felt(without) == _options_felt(simulation.game):
            found.append(name)
    return tuple(found)


def _options_felt(game: CardGame) -> tuple[object, ...]:
    return game.rules, game.target, *(game.score(*probe) for probe in PROBES)


def simulate(simulation: Simulation, jobs: int, progress: Callable[[int], object]) -> HandTally:
    """Play the hands in `jobs` processes. `progress` is called with the number of hands played."""
    tally = HandTally()
    for part in _alone(simulation) if jobs == 1 else _together(simulation, jobs):
        tally.add(part)
        progress(tally.hands)
    return tally


def parts(simulation: Simulation, jobs: int) -> Iterator[tuple[int, int]]:
    """Yield the parts in which the hands are played: (first number, number after the last).

    A part consists of whole blocks (tally.py), except for the last part.

    >>> list(parts(Simulation("", (), 2, 1, 250), 1))
    [(0, 100), (100, 200), (200, 250)]
    """
    share = simulation.hands // (jobs * PARTS)
    size = max(min(share, LARGEST_PART) // BLOCK, 1) * BLOCK
    for first in range(0, simulation.hands, size):
        yield first, min(first + size, simulation.hands)


def _alone(simulation: Simulation) -> Iterator[HandTally]:
    return (play_part(simulation, *part) for part in parts(simulation, 1))


def _together(simulation: Simulation, jobs: int) -> Iterator[HandTally]:
    with ProcessPoolExecutor(jobs, get_context("spawn"), _ignore_interrupts) as pool:
        waiting: deque[Future[HandTally]] = deque()
        try:
            for part in parts(simulation, jobs):
                waiting.append(pool.submit(play_part, simulation, *part))
                if len(waiting) > AHEAD * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C in a child process, because the parent process ends its children."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def play_part(simulation: Simulation, first: int, behind: int) -> HandTally:
    """Play the hands with numbers from `first` to `behind` - 1, in blocks of `BLOCK` hands."""
    game, habits, seed, tally = simulation.game, simulation.habits, simulation.seed, HandTally()
    for start in range(first, behind, BLOCK):
        numbers = range(start, min(start + BLOCK, behind))
        tally.add(tally_of_block(game, (play_hand(game.rules, habits, seed, number) for number in numbers)))
    return tally
