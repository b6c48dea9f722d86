"""What a finger does on the phone's page, tap by tap, and how long a person takes (by table/human.py).

The browser's match taps exactly these; so what is reckoned here is what the page needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from referee.core.units import MS, S
from referee.table.human import BLIND_PERCENT, CADENCE_NS, REACTION_NS, SLIP_PERCENT

SCAN_NS = (3 * S, 6 * S)
"""From the code on the display to its page: a phone that lies there is taken up and its camera opened (assumed)."""
LOAD_NS = (200 * MS, 1_500 * MS)
"""Until the page is there, paired by the code in its address (assumed; 40 kB over a home's radio)."""
SAVE = "#keys .main"
SIT = "#sit .main"
NAME = "#name"


def count_taps(numbers: Sequence[int | None]) -> list[str]:
    """What is tapped to enter a count, an element each; None: a field that is locked."""
    taps: list[str] = []
    for field, number in enumerate(numbers):
        if number is not None:
            taps += [f"#field-{field}", *(f"[data-key='{digit}']" for digit in str(number))]
    return [*taps, SAVE]


def join_taps(seat: int) -> list[str]:
    """What is tapped beside the letters of a name: the field before them, the seat and the last button behind them."""
    return [NAME, f".chair[data-seat='{seat}']", SIT]


def taking_ns(dice: Random, taps: int) -> int:
    """How long somebody takes for so many taps, ns: slips are taken back and tapped anew, but for those overlooked."""
    spent = dice.randint(*REACTION_NS)
    while taps:
        spent += dice.randint(*CADENCE_NS)
        slipped = dice.randrange(100) < SLIP_PERCENT and dice.randrange(100) >= BLIND_PERCENT
        taps += 1 if slipped else -1  # the wrong one is taken back; then it is still to be tapped
    return spent


def p90(values: Sequence[int]) -> int:
    """What nine of ten keep to."""
    return sorted(values)[len(values) * 9 // 10]
