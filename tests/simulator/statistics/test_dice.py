"""The random numbers of simulated hands: known values, uniform, independent for each hand."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from referee.simulator.statistics.profiles import STEP, HandDice, mix


def test_the_generator_is_splitmix64() -> None:
    """Its first numbers from 1234567, as its authors' program prints them."""
    numbers = [mix(1234567 + n * STEP & (1 << 64) - 1) for n in range(1, 4)]
    assert numbers == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_numbers_are_where_they_may_be_and_all_come() -> None:
    dice = HandDice(1, 0)
    assert {dice.within((3, 7)) for _ in range(200)} == {3, 4, 5, 6, 7}
    assert {dice.below(1) for _ in range(9)} == {0}


def test_a_shuffle_gives_every_order_equally_often() -> None:
    """Within five standard errors."""
    found: Counter[tuple[int, ...]] = Counter()
    dice = HandDice(5, 3)
    for _ in range(6000):
        cards = [1, 2, 3]
        dice.shuffle(cards)
        found[tuple(cards)] += 1
    assert set(found) == set(permutations((1, 2, 3)))
    assert all(abs(times - 1000) < 5 * 30 for times in found.values())


def test_every_hand_of_every_seed_has_its_own_dice() -> None:
    firsts = [HandDice(seed, hand).below(1 << 32) for seed in (0, 1, 2, 10**18 - 1) for hand in range(500)]
    assert len(set(firsts)) == len(firsts)
