"""Contacts that bounce: their level changes several times before it settles.

Theory of operation. A moving blade hits its stop, jumps off and hits again with less energy each time: a handful of
edges 0.1 to 1 ms apart, for up to 5 ms. `bounce` returns such a series. It begins with the new level at the instant of
the touch, so the first edge is the press; it alternates, and ends on the new level within `SETTLE_NS`. All randomness
comes from a seeded generator.
"""

from __future__ import annotations

from itertools import count
from random import Random

from referee.core.units import MS, US
from referee.core.values import Value

SETTLE_NS = 5 * MS
"""Time within which the bounces of a worn arcade button are over, 0.1 to 1 ms apart."""
GAPS_NS = (100 * US, 1 * MS)
CLEAN_SHARE = 5
"""Of this many touches, one does not bounce at all, on average."""
TRAINS = (3, 3, 3, 5, 5, 7, 9)
"""Numbers of edges of a touch that bounces; odd, so that it ends on the new level."""


class Move(Value):
    """A contact ("1" to "8" or "knob") closes or opens at `t_ns` (CLOCK_MONOTONIC)."""

    t_ns: int
    contact: str
    closed: bool


class KnobTurn(Value):
    """A turn of the knob by `detents` (steps, clockwise positive) that ends at `t_ns`."""

    t_ns: int
    detents: int


Action = Move | KnobTurn


def bounce(rng: Random, contact: str, t_ns: int, closed: bool) -> list[Move]:
    """Return the edges of one touch (`closed`) or one release: the change and its bounces."""
    edges = 1 if not rng.randrange(CLEAN_SHARE) else rng.choice(TRAINS)
    times = [t_ns]
    while len(times) < edges:
        times.append(times[-1] + rng.randint(*GAPS_NS))
    kept = [t for t in times if t <= t_ns + SETTLE_NS]
    kept = kept if len(kept) % 2 else kept[:-1]
    return [Move(t, contact, closed if n % 2 == 0 else not closed) for n, t in zip(count(), kept, strict=False)]


def press(rng: Random, contact: str, t_ns: int, length_ns: int) -> list[Move]:
    """Return the edges of a press that lasts `length_ns`.

    The contact stays open from `t_ns + length_ns + SETTLE_NS` on at the latest.

    Raises ValueError for a press so short that it would be released while it still bounces.
    """
    if length_ns <= SETTLE_NS:
        raise ValueError(f"a press of {length_ns} ns on {contact} is too short, it must be longer than {SETTLE_NS} ns")
    return bounce(rng, contact, t_ns, True) + bounce(rng, contact, t_ns + length_ns, False)


def graze(rng: Random, contact: str, t_ns: int) -> list[Move]:
    """Return the edges of a touch too light for a press: closed for less than a millisecond."""
    return [Move(t_ns, contact, True), Move(t_ns + rng.randint(50 * US, 900 * US), contact, False)]
