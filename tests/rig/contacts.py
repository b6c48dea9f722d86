"""Contact bounce: a press or a release is a burst of edges.

Pure functions with a given random generator.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.rig.chip import CLOSED, OPEN, Step

BOUNCE_GAP_US = (100, 1000)  # between two edges of one burst
EXTRA_EDGES = (2, 4, 6)  # after the first; even, so that a burst ends at the new level
CHANGE_US = 12_000  # between two changes of an encoder's lines; an emulated machine sometimes reads a level that late
DETENT_US = 4 * CHANGE_US


def burst(dice: Random, line: int, level: int, at_us: int, *, bouncing: bool) -> list[Step]:
    """Move the contact to `level`, with a few extra edges if it bounces."""
    steps = [Step(at_us, line, level)]
    if bouncing:
        for extra in range(dice.choice(EXTRA_EDGES)):
            at_us += dice.randint(*BOUNCE_GAP_US)
            steps.append(Step(at_us, line, 1 - level if extra % 2 == 0 else level))
    return steps


def press(dice: Random, line: int, at_us: int, held_us: int, *, bouncing: bool) -> list[Step]:
    """Close at `at_us` and open `held_us` later."""
    return burst(dice, line, CLOSED, at_us, bouncing=bouncing) + burst(
        dice, line, OPEN, at_us + held_us, bouncing=bouncing
    )


def turned(dice: Random, line_a: int, line_b: int, detents: int) -> list[Step]:
    """Turn a knob by so many detents, clockwise if positive (A leads), with bounces."""
    leads, follows = (line_a, line_b) if detents > 0 else (line_b, line_a)
    changes = [(leads, CLOSED), (follows, CLOSED), (leads, OPEN), (follows, OPEN)] * abs(detents)
    return [
        step
        for number, (line, level) in enumerate(changes)
        for step in burst(dice, line, level, number * CHANGE_US, bouncing=True)
    ]


@dataclass(frozen=True)
class Pair:
    """Two presses, `first` before `second` by at least `gap_us`."""

    first: int
    second: int
    gap_us: int


@dataclass(frozen=True)
class Series:
    """Pairs and the steps that play them; `starts` has the index of each pair's first step."""

    pairs: tuple[Pair, ...]
    steps: tuple[Step, ...]
    starts: tuple[int, ...]


BURST_US = max(EXTRA_EDGES) * BOUNCE_GAP_US[1]  # the longest burst
HELD_US = 14_000  # longer than a closing burst, shorter than any finger's press
PERIOD_US = 40_000  # a press, its release, and more than the 10 ms open that arm a contact again


def pair_series(seed: str, lines: tuple[int, int], gap_us: int, count: int, *, bouncing: bool) -> Series:
    """Return `count` pairs in random order.

    The second half repeats the first with the two seats swapped. The swapped half repeats every bounce, so that only
    the seats differ.
    """
    halves = count // 2
    pairs: list[Pair] = []
    steps: list[Step] = []
    starts: list[int] = []
    for number in range(2 * halves):
        dice = Random(f"{seed}/{number % halves}")
        order = dice.sample(lines, 2)
        if number >= halves:
            order.reverse()
        pair = Pair(order[0], order[1], gap_us)
        start_us = number * (PERIOD_US + gap_us)
        starts.append(len(steps))
        pairs.append(pair)
        steps += _play(dice, pair, start_us, bouncing)
    return Series(tuple(pairs), tuple(steps), tuple(starts))


def _play(dice: Random, pair: Pair, start_us: int, bouncing: bool) -> list[Step]:
    # each write lengthens the distances (toggler.c): an opening must not fall between the two presses
    held_us = max(HELD_US, pair.gap_us + BURST_US)
    steps = press(dice, pair.first, start_us, held_us, bouncing=bouncing)
    steps += press(dice, pair.second, start_us + pair.gap_us, HELD_US, bouncing=bouncing)
    return sorted(steps, key=lambda step: step.at_us)
