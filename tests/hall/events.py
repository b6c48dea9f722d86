"""Events for tests: entries, rounds and results without tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations

from referee.core.values import replace
from referee.hall.decide import after, complete, draw, fold
from referee.hall.model import (
    Corrected,
    Decision,
    Entered,
    Event,
    Finished,
    Format,
    Game,
    Kind,
    Opened,
    Outcome,
    Seats,
    places_of,
)

TABLES = [f"table-{number}" for number in range(1, 201)]


def opened(kind: Kind = "elimination", size: int = 4, advance: int = 2, rounds: int | None = None) -> Opened:
    return Opened("Club night", Format(kind, size, advance, rounds), Game(), seed=7)


def event_of(
    count: int, kind: Kind = "elimination", size: int = 4, advance: int = 2, rounds: int | None = None
) -> Event:
    entries = [Entered(number, (f"P{number}",)) for number in range(1, count + 1)]
    return fold([opened(kind, size, advance, rounds), *entries])


def result(seats: Seats, points: dict[int, int], match: str = "") -> Outcome:
    exact = {number: Fraction(value) for number, value in points.items()}
    return Outcome(seats.round, seats.table, match or f"{seats.round}-{seats.table}", exact, places_of(exact))


def by_number(seats: Seats) -> dict[int, int]:
    """Let the lower number win."""
    return {number: 100 - number for number in seats.entries}


def play(event: Event, points: Callable[[Seats], dict[int, int]] = by_number) -> Event:
    """Give each open table of the last round a result."""
    for seats in event.open_tables(event.round):
        event = after(event, Finished(result(seats, points(seats))))
    return event


def drawn(event: Event, seed: int = 1) -> Event:
    return after(event, draw(event, TABLES, seed))


def played(event: Event, points: Callable[[Seats], dict[int, int]] = by_number) -> Event:
    """Draw and play the event to its end."""
    while not complete(event):
        event = play(drawn(event, event.round), points)
    return event


def by_hand(seats: Seats, points: dict[int, int], reason: str = "Wi-Fi") -> Corrected:
    return Corrected(replace(result(seats, points), match="", reason=reason))


def pairs(groups: Iterable[Iterable[int]]) -> list[frozenset[int]]:
    return [frozenset(pair) for group in groups for pair in combinations(group, 2)]


def groups_of(event: Event, round_: int) -> list[tuple[int, ...]]:
    return [seats.entries for seats in event.rounds[round_ - 1]]


def without_log(event: Event) -> Event:
    return replace(event, decisions=())


def refold(decisions: Iterable[Decision]) -> Event:
    return without_log(fold(decisions))
