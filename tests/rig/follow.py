"""Compare what was seen with what was due, in order and in time, for display, lamps and piezo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from referee.core.units import MS, S
from tests.rig.stalls import Stalls, Wrong

T = TypeVar("T")
Timeline = list[tuple[int, T]]
NONE = Stalls()
START_LATE_NS = 1500 * MS
"""Lateness of a newly started daemon, in ns.

Its first tone came 0.3 s late on an idle machine and 1.5 s late at a load of 13.
"""
FOR_EVER_NS = 2**63


@dataclass(frozen=True)
class Patience:
    """Tolerances for an emulated machine on a busy host.

    The product's own figures are in the benchmarks. Observations may be late by `late_ns`. A state that is due for
    `least_ns` must have been seen. An observation that fits nothing but lasts less than `torn_ns` is half of a change:
    a picture goes over the bus in pieces, a tone is set in three files, and a lamp follows the old state's pattern
    until the new state is durable.
    """

    late_ns: int
    least_ns: int
    torn_ns: int
    slow_until_ns: int = 0
    """End of the time after a start in which the daemon may be later."""

    def at(self, at_ns: int, stalls: Stalls) -> Patience:
        """Return the tolerance with the guest's losses around that instant.

        An action of the daemon may be delayed by several such losses.
        """
        stall_ns = stalls.longest_ns(at_ns - self.late_ns, at_ns + self.late_ns)
        turns_ns = 4 * stall_ns + (START_LATE_NS if at_ns < self.slow_until_ns else 0)
        return Patience(self.late_ns + turns_ns, self.least_ns + turns_ns, self.torn_ns + stall_ns)


PICTURE = Patience(2_500 * MS, 3_500 * MS, 300 * MS)
LAMP = Patience(600 * MS, 400 * MS, 60 * MS)
TONE = Patience(600 * MS, 250 * MS, 60 * MS)


def changes(values: Any) -> Timeline[Any]:
    """Return the values that differ from the one before; of several at one instant the last."""
    kept: Timeline[Any] = []
    for at_ns, value in values:
        if kept and kept[-1][0] == at_ns:
            kept.pop()
        if not kept or kept[-1][1] != value:
            kept.append((at_ns, value))
    return kept


def follows(
    what: str,
    due: Timeline[T],
    seen: Timeline[T],
    patience: Patience,
    watched_ns: int,
    stalls: Stalls = NONE,
    tell: Callable[[T], str] = str,
    could_be: Callable[[int, T], bool] = lambda at_ns, value: False,
) -> Iterator[Wrong]:
    """Check that `seen`, watched until `watched_ns`, is `due` in its order.

    Nothing else, early or too late may be seen, and all that lasted long enough must be. `could_be` excuses
    observations that fit nowhere; so does an end of watching (a death) within the time of half a change.
    """
    if not seen:
        yield Wrong(f"{what} showed nothing", at_ns=watched_ns)
        return
    seen_ends_ns = [at_ns for at_ns, _ in seen[1:]] + [FOR_EVER_NS]
    at = 0
    for (seen_ns, value), seen_end_ns in zip(seen, seen_ends_ns, strict=True):
        here = patience.at(seen_ns, stalls)
        place = _fitting(due, at, seen_ns, value, here)
        if place is not None:
            at = place
        elif min(seen_end_ns, watched_ns) - seen_ns >= here.torn_ns and not could_be(seen_ns, value):
            sentence = f"{what} at {seen_ns / S:.3f} s: {tell(value)}, when it had to be {_due_at(due, seen_ns, tell)}"
            yield stalls.wrong(sentence, seen_ns - here.late_ns, seen_ns + here.torn_ns)
    yield from _never_shown(what, due, list(zip(seen, seen_ends_ns, strict=True)), patience, watched_ns, stalls, tell)


def _fitting(due: Timeline[T], at: int, seen_ns: int, value: T, patience: Patience) -> int | None:
    """Return the last place from `at` on that fits; it is seldom late."""
    ends_ns = [at_ns for at_ns, _ in due[1:]] + [FOR_EVER_NS]
    fits = (
        place
        for place in reversed(range(at, len(due)))
        if due[place][1] == value and due[place][0] <= seen_ns <= ends_ns[place] + patience.late_ns
    )
    return next(fits, None)


def _never_shown(
    what: str,
    due: Timeline[T],
    stood: list[tuple[tuple[int, T], int]],
    patience: Patience,
    watched_ns: int,
    stalls: Stalls,
    tell: Callable[[T], str],
) -> Iterator[Wrong]:
    ends_ns = [at_ns for at_ns, _ in due[1:]] + [FOR_EVER_NS]
    first_ns, last_ns = stood[0][0][0], watched_ns - patience.at(watched_ns, stalls).late_ns
    for (at_ns, value), end_ns in zip(due, ends_ns, strict=True):
        here = patience.at(min(end_ns, watched_ns), stalls)
        # it may have lasted since before: states due in between may have been too short to be shown
        if end_ns - at_ns >= here.least_ns and first_ns <= at_ns < last_ns:
            in_time = (began_ns <= end_ns + here.late_ns and until_ns > at_ns for (began_ns, _), until_ns in stood)
            same = (it == value for (_, it), _ in stood)
            if not any(fits and equal for fits, equal in zip(in_time, same, strict=True)):
                sentence = f"{what} never showed {tell(value)}, due at {at_ns / S:.3f} s"
                # a state with ample time is not excused by one moment of it
                long = end_ns - at_ns > 2 * here.late_ns
                yield Wrong(sentence, at_ns=at_ns) if long else stalls.wrong(sentence, at_ns, end_ns + here.late_ns)


def _due_at(due: Timeline[T], at_ns: int, tell: Callable[[T], str]) -> str:
    return next((tell(value) for due_ns, value in reversed(due) if due_ns <= at_ns), "nothing")


def half_drawn(due: Timeline[bytes], late_ns: Callable[[int], int]) -> Callable[[int, bytes], bool]:
    """Return whether a picture could be partly drawn: where the old and the new agree, it agrees with both.

    A busy emulated machine is slow on the bus; another check requires the next picture.
    """

    def could_be(at_ns: int, frame: bytes) -> bool:
        steps = ((old, new) for (_, old), (new_ns, new) in pairwise(due) if at_ns - late_ns(at_ns) <= new_ns <= at_ns)
        drawn_so_far = int.from_bytes(frame, "big")
        for pair in steps:
            old, new = (int.from_bytes(packed, "big") for packed in pair)
            if not (drawn_so_far ^ old) & ~(old ^ new):
                return True
        return False

    return could_be
