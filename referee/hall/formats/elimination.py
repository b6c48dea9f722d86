"""Elimination by tables: the best `advance` entries of each table go on to the next round.

If m entries go on, the next round has ceil(m / size) tables. If these are fewer tables than before, the best of the
other entries fill their free seats. Entries with the same place at their last tables, and entries that have met, are
spread over the tables. At a table with `advance` entries or fewer, all but the last one go on.
"""

from __future__ import annotations

from referee.core.values import replace
from referee.hall.formats.places import (
    Groups,
    byes_had,
    cheapest,
    dealt,
    is_final,
    lots,
    meetings,
    resting,
    sizes,
    standings,
)
from referee.hall.model import MOST_ENTRIES, Event

_MET, _ALIKE = 1, 1000
"""Costs of a repeated meeting, and of a meeting of entries with the same place before."""


def groups(event: Event, seed: int) -> Groups:
    """Return the groups of the next round. Seeds of entries count only in the first round."""
    going = entrants(event)
    into = sizes(len(going), event.format.size)
    seeds = {entry.number: entry.seed or MOST_ENTRIES + 1 for entry in event.entries}
    order = lots(going, seed, f"round {event.round + 1}")
    order.sort(key=going.__getitem__ if event.round else seeds.__getitem__)
    alone = resting(order, into, byes_had(event))
    spread = dealt([number for number in order if number not in alone], [size for size in into if size > 1])
    met = meetings(event)

    def cost(a: int, b: int) -> int:
        return _MET * met[frozenset((a, b))] + _ALIKE * (going[a] == going[b])

    return [*(cheapest([spread], cost) if event.round else spread), *([number] for number in alone)]


def entrants(event: Event) -> dict[int, int]:
    """Return entry -> place at its last table, for the entries of the next round.

    Entries that fill free seats have the place `size` + 1.
    """
    active = {entry.number for entry in event.active}
    if not event.round:
        return dict.fromkeys(active, 1)
    last = {number: place for had in event.outcomes if had.round == event.round for number, place in had.places.items()}
    table = standings(event)
    going = {standing.entry: last.get(standing.entry, 1) for standing in table if standing.through}
    tables = max(-(-len(going) // event.format.size), 1)
    free = tables * event.format.size - len(going)
    if tables >= len(event.rounds[-1]) + len(event.byes[-1]):
        free = 0
    reserves = [standing.entry for standing in table if standing.entry in active and standing.entry not in going]
    return going | dict.fromkeys(reserves[:free], event.format.size + 1)


def complete(event: Event) -> bool:
    """Return whether the final is drawn."""
    return is_final(event)


def before(event: Event, round_: int) -> Event:
    """Return the event before the draw of a round, with the current results."""
    entries = tuple(
        replace(entry, until=None if entry.until is not None and entry.until >= round_ else entry.until)
        for entry in event.entries
        if entry.since <= round_
    )
    outcomes = tuple(outcome for outcome in event.outcomes if outcome.round < round_)
    kept = slice(round_ - 1)
    return replace(event, entries=entries, outcomes=outcomes, rounds=event.rounds[kept], byes=event.byes[kept])
