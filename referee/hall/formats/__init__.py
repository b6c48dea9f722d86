"""Formats of events: the groups of the next round, the last round, and the standings.

A format is a module with the functions `groups` and `complete`. A group is a list of entries; one entry alone is a bye.
"""

from __future__ import annotations

from types import ModuleType

from referee.hall.formats import elimination, roundrobin, swiss
from referee.hall.formats.places import CRITERIA as CRITERIA
from referee.hall.formats.places import standings as standings
from referee.hall.model import Event, Kind

_MODULES: dict[Kind, ModuleType] = {"elimination": elimination, "round-robin": roundrobin, "swiss": swiss}


def next_round(event: Event, seed: int) -> list[list[int]]:
    """Return the groups of the next round. Raises EventError if the entries cannot be split."""
    groups: list[list[int]] = _MODULES[event.format.kind].groups(event, seed)
    return groups


def last_drawn(event: Event) -> bool:
    """Return whether the last round of the event is drawn."""
    return bool(event.round) and bool(_MODULES[event.format.kind].complete(event))
