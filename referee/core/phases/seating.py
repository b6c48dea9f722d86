"""Names for seats: the remembered one, everybody else's, then deck backs; never one that sits at the table already."""

from __future__ import annotations

from referee.core.model.state import DECK_BACKS, Table


def names_for(table: Table, station: str) -> tuple[str, ...]:
    """The names a seat may turn to: its remembered one, everybody's, then deck backs; none that sits already."""
    remembered = dict(table.setup.names)
    taken = {seat.name for seat in table.seats if seat.station != station}
    backs = _backs_from(table.setup.stations.index(station))
    wanted = [remembered[station]] if station in remembered else []
    wanted += [name for key, name in table.setup.names if key != station] + list(backs)
    return tuple(dict.fromkeys(name for name in wanted if name not in taken))


def _backs_from(index: int) -> tuple[str, ...]:
    first = index % len(DECK_BACKS)
    return DECK_BACKS[first:] + DECK_BACKS[:first]


def free_name(table: Table, station: str) -> str:
    """The name that a seat sits down under: its own if nobody has taken it, else a deck back."""
    own = dict(table.setup.names).get(station)
    free = names_for(table, station)
    back = _backs_from(table.setup.stations.index(station))
    return own if own in free else next((b for b in back if b in free), free[0])
