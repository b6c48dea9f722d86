"""Swiss in groups: entries with similar scores meet, and pairs meet again only if necessary.

A draw has the fewest repeated meetings, then the smallest sum of squared differences of scores, that a search finds.
Tables have at most `size` entries, as evenly as possible, and at least three; with `size` 3 at least two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.hall.formats.places import (
    Groups,
    byes_had,
    cheapest,
    dealt,
    lots,
    meetings,
    resting,
    sizes,
    sliced,
    standings,
)
from referee.hall.model import MOST_ENTRIES, Event

_MET = 10**15
_SCALE = 840
"""Every score is a multiple of 1 / 840: a sum of halves of shares at tables of 2 to 8."""


def groups(event: Event, seed: int) -> Groups:
    """Return the groups of the next round.

    Only pairs have byes: for the entry with the fewest byes; of equal ones, the last in the standings.
    """
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

    If no number is given, there is one round more than leaves a single unbeaten entry, but at least three.
    """
    rounds = 1
    while event.format.size**rounds < len(event.entries):
        rounds += 1
    return event.round >= (event.format.rounds or max(3, rounds + 1))
