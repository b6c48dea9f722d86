"""The device's own share between two hands, and wrong counts that nobody notices: `python -m tests.benchmarks table`.

Human-like bots (table/human.py: 0.19 to 0.42 s a tap, 1 % slips a tap) play whole matches in fast time, four teams,
NNA. What is measured is the table's time, not the machine's: the same seeds give the same figures everywhere.

A digit that stands wrong is overlooked in its field as often as `BLIND_PERCENT` says, and again at the last look; what
is left then is a wrong count that nobody noticed. The line below tells how many there would be if nobody looked at all.
"""

from __future__ import annotations

from unittest.mock import patch

from referee.core.model.table import Setup
from referee.table import habits
from referee.table.bots import Bots
from referee.table.evening import Evening
from referee.table.human import BLIND_PERCENT, SLIP_PERCENT
from referee.table.manners import COMPANIES, USUAL
from referee.table.pace import SPANS, seconds
from referee.table.transcript import MatchRecord
from tests.benchmarks.figures import Figure, at_most

MATCHES = 40
SEATS = ("1", "2", "3", "4")
DEVICE_S = 18
WRONG_PERCENT = 3


def matches(seeds: range) -> list[MatchRecord]:
    """So many matches of the usual company."""
    return [Evening(Setup(), Bots(SEATS, seed, manners=COMPANIES[USUAL])).play()[0] for seed in seeds]


def wrong(played: list[MatchRecord]) -> tuple[float, float]:
    """Percent of the counts, and of the hands, that were sealed otherwise than the cards lay."""
    hands = [hand for match in played for hand in match.hands if hand.counts]
    counts = sum(len(hand.counts) for hand in hands)
    return 100 * sum(len(h.miscounts) for h in hands) / counts, 100 * sum(bool(h.miscounts) for h in hands) / len(hands)


def main() -> list[Figure]:
    """One round with people who look, a smaller one with people who do not."""
    played = matches(range(MATCHES))
    laps = [lap for match in played for lap in match.laps]
    measured = seconds(laps)
    print(f"{MATCHES} matches, {len(laps)} times from a call to the next Go, seconds: median, p90 (budget)")
    for span in SPANS:
        median, p90 = measured[span.key]
        budget = span.budget(len(SEATS))
        allowed = "({:g}, {:g})".format(*budget) if budget else "(people's own)"
        print(f"  {span.name:<27}{median:>8.2f}{p90:>8.2f}   {allowed}")
    of_counts, of_hands = wrong(played)
    with patch.object(habits, "BLIND_PERCENT", 100):
        blind_counts, blind_hands = wrong(matches(range(MATCHES // 4)))
    print(f"slips {SLIP_PERCENT} % a tap, overlooked {BLIND_PERCENT} % a look: {of_counts:.2f} % of counts are wrong")
    print(f"if nobody looked: {blind_counts:.1f} % of counts, {blind_hands:.1f} % of hands")
    return [
        at_most("call to next Go, the device's own", measured["device"][0], DEVICE_S, "s", "bots, four teams, NNA"),
        at_most("hands with a wrong count unnoticed", of_hands, WRONG_PERCENT, "%", f"slips {SLIP_PERCENT} % a tap"),
    ]


if __name__ == "__main__":
    main()
