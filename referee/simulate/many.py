"""Many hands, by one process or several: hand i is a function of the seed and of i, whoever plays it.

Theory of operation. Hands are handed out in parts of whole blocks (tally.py), some parts ahead of the processes that
play them, and only tallies come back; so neither the number of hands nor that of the processes costs memory. One of
the processes makes the core ready before the others begin, so that only one of them compiles what is not compiled yet.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context

from referee.core.cards.game import CardGame
from referee.core.cards.position import CardCount
from referee.core.cards.rules import CardRules
from referee.core.model.options import RuleError
from referee.core.model.registry import presets
from referee.core.values import Value, replace
from referee.simulate.manner import COMPANIES, Habit
from referee.simulate.readable import SimulatedHand, play_hand
from referee.simulate.tally import BLOCK, HandTally, tally_of_block

MOST_HANDS, MOST_JOBS = 1_000_000_000, 64
PARTS = 16
"""Into so many parts each process's share is divided, so that none waits long for the others at the end."""
LARGEST_PART = 2000
AHEAD = 2
"""Parts that wait for each process."""


class Simulation(Value):
    """What is to be played. options: name -> value as a document gives it; company: of `COMPANIES`."""

    preset: str
    options: tuple[tuple[str, object], ...]
    players: int
    seed: int
    hands: int
    company: str = "even"

    @property
    def game(self) -> CardGame:
        """The game card by card. ValueError for a preset whose cards are not modelled; RuleError (options.py)."""
        game = presets()[self.preset].card_game(self.preset, dict(self.options), self.players)
        if game is None:
            raise ValueError(f"the cards of {self.preset} are not modelled")
        return game

    @property
    def habits(self) -> tuple[Habit, ...]:
        """The habits each player plays with, in the order of the seats."""
        company = COMPANIES[self.company]
        return tuple(company[player % len(company)] for player in range(self.players))


class Simulated(Value):
    """What came of it. slower: why the readable core has played and not the fast one; "" where the fast one has."""

    simulation: Simulation
    tally: HandTally
    slower: str


PROBES = (("call", True, CardCount(21, 0, 2)), ("stuck", False, CardCount(7, 3, 1)))
"""Counts by which options show that they change scores."""


def unfelt(simulation: Simulation) -> tuple[str, ...]:
    """The options that change no simulated hand, no score and no target: they are about the table and its device."""
    found = []
    for name, _ in simulation.options:
        others = tuple(option for option in simulation.options if option[0] != name)
        try:
            without = replace(simulation, options=others).game
        except RuleError:  # it makes another one possible
            continue
        if _options_felt(without) == _options_felt(simulation.game):
            found.append(name)
    return tuple(found)


def _options_felt(game: CardGame) -> tuple[object, ...]:
    return game.rules, game.target, *(game.score(*probe) for probe in PROBES)


Progress = Callable[[int], object]
"""Told how many hands have been played."""


def simulate(simulation: Simulation, jobs: int, progress: Progress) -> Simulated:
    """Play the hands by so many processes."""
    tally, slower = HandTally(), ""
    for part, reason in _alone(simulation) if jobs == 1 else _together(simulation, jobs):
        slower = reason
        tally.add(part)
        progress(tally.hands)
    return Simulated(simulation, tally, slower)


def parts(simulation: Simulation, jobs: int) -> Iterator[tuple[int, int]]:
    """First hand and the one behind the last of each part: whole blocks, but for the last part.

    >>> list(parts(Simulation("", (), 2, 1, 250), 1))
    [(0, 100), (100, 200), (200, 250)]
    """
    share = simulation.hands // (jobs * PARTS)
    size = max(min(share, LARGEST_PART) // BLOCK, 1) * BLOCK
    for first in range(0, simulation.hands, size):
        yield first, min(first + size, simulation.hands)


Part = tuple[HandTally, str]
"""What came of a part, and why it was played by the readable core."""


def _alone(simulation: Simulation) -> Iterator[Part]:
    return (play_share(simulation, *part) for part in parts(simulation, 1))


def _together(simulation: Simulation, jobs: int) -> Iterator[Part]:
    with ProcessPoolExecutor(jobs, get_context("spawn"), _deaf) as pool:
        waiting: deque[Future[Part]] = deque()
        try:
            ready, _ = pool.submit(make_ready), [pool.submit(load) for _ in range(jobs - 1)]
            ready.result()
            for part in parts(simulation, jobs):
                waiting.append(pool.submit(play_share, simulation, *part))
                if len(waiting) > AHEAD * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _deaf() -> None:
    """An interrupt is for the parent, who then ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=1)
def _game(simulation: Simulation) -> CardGame:
    return simulation.game


def play_share(simulation: Simulation, first: int, behind: int) -> Part:
    """The hands from the first to the one before `behind`; `first` begins a block."""
    (play, slower), game, habits = quickest_core(), _game(simulation), simulation.habits
    rules, tally = game.rules, HandTally()
    for start in range(first, behind, BLOCK):
        numbers = range(start, min(start + BLOCK, behind))
        tally.add(tally_of_block(game, play(rules, habits, simulation.seed, numbers)))
    return tally, slower


Core = Callable[[CardRules, Sequence[Habit], int, range], Iterable[SimulatedHand]]
"""Plays the hands of these numbers, one after the other."""


@lru_cache(maxsize=1)
def quickest_core() -> tuple[Core, str]:
    """The fast core, or the readable one and why it is not the fast one."""
    try:
        from referee.simulate.fast.hands import play_hands
    except ImportError as exc:
        return readable_core, str(exc)
    return play_hands, ""


def load() -> None:
    """Load the core, which takes seconds; processes do that beside each other, and compile nothing by it."""
    quickest_core()


def make_ready() -> None:
    """Load the core, and compile it where this has not been done."""
    quickest_core()[0](CardRules(), (Habit(),), 0, range(0))


def readable_core(rules: CardRules, habits: Sequence[Habit], seed: int, numbers: range) -> Iterator[SimulatedHand]:
    """The hands of these numbers by the readable core."""
    return (play_hand(rules, habits, seed, number) for number in numbers)
