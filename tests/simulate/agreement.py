"""`python -m tests.simulate.agreement --hands N`: both cores play the same hands, and every move is compared.

Each table is drawn anew: preset, players, company, and every option that the cards know, each by itself. `make test`
compares 600 hands, CI 5,000, `make simulate-check` 20,000 and `make simulate-check HANDS=1000000` a million.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random

from referee.core.cards.moves import CardMove
from referee.core.games.nertz.options import OPTIONS
from referee.core.games.nertz.rules import PRESETS
from referee.core.model.options import RuleError
from referee.simulate.fast.hands import play_told
from referee.simulate.manner import COMPANIES
from referee.simulate.many import Simulation, make_ready
from referee.simulate.readable import SimulatedHand, play_hand

OF_THE_CARDS: dict[str, tuple[object, ...]] = {
    "reserve": (3, 5, 8, 11, 12, 13, 20, 30),
    "river": (1, 2, 3, 4, 5, 6, 10),
    "turn": (1, 3),
    "turn_order": ("kept", "reversed"),
    "jokers": (0, 2),
    "layout": ("row", "klondike"),
    "foundations": ("suit", "by-players"),
    "in_flight": ("lands", "returns"),
    "same_place": ("first", "both", "table"),
    "withholding": (False, True),
    "stacking": (False, True),
    "river_transfer": (False, True),
    "stuck": ("burn", "rotate", "redeal-stock", "abandon", "score"),
}
"""Every option that changes what can be done with cards, with values that are tried."""
A_TABLE = 4
"""Hands at each table that is drawn."""
Told = list[tuple[int, CardMove]]


def random_table(rng: Random) -> Simulation:
    """Some preset with some options, each as likely to be left as it is."""
    while True:
        options = {name: rng.choice(values) for name, values in OF_THE_CARDS.items() if rng.randrange(3) == 0}
        company = rng.choice([*COMPANIES])
        players = min(rng.randint(2, 12), rng.randint(2, 12))  # small tables oftener: they are played faster
        preset, seed = rng.choice([*PRESETS]), rng.randrange(10**18)
        found = Simulation(preset, tuple(options.items()), players, seed, A_TABLE, company)
        try:
            _ = found.game
        except RuleError:  # jokers in a box that has none, more reserve cards than there are
            continue
        return found


def both(table: Simulation, hand: int) -> tuple[tuple[SimulatedHand, Told], tuple[SimulatedHand, Told]]:
    """The hand of that number by the readable core and by the fast one."""
    rules, moves = table.game.rules, Told()
    readable = play_hand(rules, table.habits, table.seed, hand, lambda at_us, move: moves.append((at_us, move)))
    return (readable, moves), play_told(rules, table.habits, table.seed, hand)


def differences(hands: int, seed: int, share: int = 0, shares: int = 1) -> Iterator[str]:
    """A sentence for each hand that the two do not play alike; of `hands` every `shares`-th table is played."""
    rng = Random(seed)
    for number in range(hands):
        if number % A_TABLE == 0:
            table = random_table(rng)
        if number // A_TABLE % shares != share:
            continue
        (one, moves), (other, logged) = both(table, number % A_TABLE)
        if one != other or moves != logged:
            at = next((n for n, pair in enumerate(zip(moves, logged, strict=False)) if pair[0] != pair[1]), "the end")
            yield f"{table}, hand {number % A_TABLE}: they differ from move {at} on"


def compared(hands: int, seed: int, share: int, shares: int) -> tuple[list[str], float]:
    """A process's share: its sentences, and its processor seconds once both cores are ready."""
    make_ready()
    begun = time.process_time()
    return list(differences(hands, seed, share, shares)), time.process_time() - begun


def main() -> int:
    """0: no hand was played otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulate.agreement", description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes; what is played does not depend on it")
    args = parser.parse_args()
    found, spent = 0, 0.0
    with ProcessPoolExecutor(args.jobs, get_context("spawn")) as pool:
        pool.submit(make_ready).result()  # only one of them compiles what is not compiled yet
        told = [pool.submit(compared, args.hands, args.seed, share, args.jobs) for share in range(args.jobs)]
        for one in told:
            sentences, seconds = one.result()
            found, spent = found + len(sentences), spent + seconds
            sys.stdout.writelines(f"{sentence}\n" for sentence in sentences)
    rate = args.hands / max(spent, 1e-9)
    sys.stdout.write(f"{args.hands:,} hands in both cores, {found} played otherwise, {rate:,.0f} a second of a core\n")
    return 1 if found else 0


assert set(OF_THE_CARDS) <= set(OPTIONS)


if __name__ == "__main__":
    sys.exit(main())
