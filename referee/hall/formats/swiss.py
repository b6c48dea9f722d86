"""Swiss in groups: entries with about the same score meet, and no two meet twice if that can be avoided.

The measure of a draw: first how often the pairs at its tables have met before, then the squared differences of their
scores. Tables have `size` entries, or one fewer; large tables may be smaller, but have three at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.hall.formats.places import standings
from referee.hall.formats.seating import Groups, byes_had, cheapest, dealt, lots, meetings, resting, sizes, sliced
from referee.hall.model import MOST_ENTRIES, Event

_MET = 10**15
_SCALE = 840
"""A score times this is a whole number: a sum of halves of shares at tables of 2 to 8."""


def groups(event: Event, seed: int) -> Groups:
    """Return the groups of the next round. A bye, in pairs only, is for those with the fewest, then the last."""
    active = {entry.number: entry for entry in event.active}
    into = sizes(len(active), event.format.size, least=min(3, event.format.size - 1))
    score = {had.entry: int(had.points * _SCALE) for had in standings(event) if had.entry in active}
    order = lots(active, seed, f"round {event.round + 1}")
    order.sort(key=lambda number: (-score[number], active[number].seed or MOST_ENTRIES + 1))
    alone = resting(reversed(score), into, byes_had(event))
    order = [number for number in order if number not in alone]
    into = [size for size in into if size > 1]
    met = meetings(event)

    def cost(a: int, b: int) -> int:
        return _MET * met[frozenset((a, b))] + (score[a] - score[b]) ** 2

    found = cheapest(_starts(order, into, seed), cost) if event.round else dealt(order, into)
    return [*found, *([number] for number in alone)]


def _starts(order: Sequence[int], into: Sequence[int], seed: int) -> Iterator[Groups]:
    yield sliced(order, into)
    for number in range(MOST_ENTRIES):
        yield sliced(lots(order, seed, f"start {number}"), into)


def complete(event: Event) -> bool:
    """Return whether the last round is drawn.

    Without a given number, the rounds are enough to leave one unbeaten entry, and one more; three at least.
    """
    rounds = 1
    while event.format.size**rounds < len(event.entries):
        rounds += 1
    return event.round >= (event.format.rounds or max(3, rounds + 1))
