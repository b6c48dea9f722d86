"""Hands of cards compared with those of real tables (simulate/figures.py): `python -m tests.benchmarks hands`.

People of mixed strength who see only what lies open (table/player.py) play hands by NNA's rules, without a device. The
seeds give the same figures on every machine. The bounds are those of box scores and of an older probe.
"""

from __future__ import annotations

from referee.core.cards.position import counts
from tests.benchmarks.figures import Figure, at_least, at_most
from tests.table.hands import Played, played

HANDS = 200
TWO, FOUR = ("strong", "normal"), ("easy", "normal", "strong", "expert")
STRONG = ("strong", "expert")
TARGET = 100


def _percent(share: int, of: int) -> float:
    return 100 * share / max(of, 1)


def _to_target(four: list[Played]) -> list[int]:
    """How many hands each match to the target took, the hands played one after the other."""
    lengths, totals, first = [], [0] * len(FOUR), 0
    for number, hand in enumerate(four, 1):
        totals = [total + score for total, score in zip(totals, hand.scores, strict=True)]
        if max(totals) >= TARGET:
            lengths.append(number - first)
            totals, first = [0] * len(FOUR), number
    return sorted(lengths)


def main() -> list[Figure]:
    """Two teams of like strength, and four of all strengths."""
    two = [played("nna", TWO, seed) for seed in range(HANDS)]
    four = [played("nna", FOUR, seed) for seed in range(HANDS)]
    called = [(hand, hand.caller) for hand in four if hand.caller is not None]
    lakes = [counts(hand.position)[caller].lake for hand, caller in called]
    others = [score for hand in four for team, score in enumerate(hand.scores) if team != hand.caller]
    means = [sum(hand.scores[team] for hand in four) / len(four) for team in range(len(FOUR))]
    lengths = _to_target(four)
    print(f"means a hand: {', '.join(f'{name} {mean:.1f}' for name, mean in zip(FOUR, means, strict=True))}")
    print(f"hands to {TARGET}: {lengths}; play seconds: {sum(h.length_ns for h in four) / len(four) / 1e9:.0f}")
    print(f"callers' Lakes: {min(lakes)} to {max(lakes)}")
    against, middle = f"{HANDS} hands, NNA", lengths[len(lengths) // 2]
    stuck_two = _percent(sum(hand.stuck > 0 for hand in two), len(two))
    below = _percent(sum(score < 0 for score in others), len(others))
    return [
        at_least("two teams get stuck", stuck_two, 30, "%", against),
        at_most("two teams get stuck", stuck_two, 55, "%", against),
        at_most("four teams get stuck", _percent(sum(h.stuck > 0 for h in four), len(four)), 2, "%", against),
        at_least(
            "callers with a Lake under 20", _percent(sum(lake < 20 for lake in lakes), len(lakes)), 1, "%", against
        ),
        at_least("others below zero", below, 20, "%", against),
        at_most("others below zero", below, 50, "%", against),
        *(at_least(f"the mean of who is {name}", means[FOUR.index(name)], 11, "points", against) for name in STRONG),
        *(at_most(f"the mean of who is {name}", means[FOUR.index(name)], 22, "points", against) for name in STRONG),
        at_least("hands to the target, the middle match", middle, 6, "hands", against),
        at_most("hands to the target, the middle match", middle, 14, "hands", against),
    ]


if __name__ == "__main__":
    main()
