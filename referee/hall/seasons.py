"""A season: standings of people over several events, of which each person's best ones count.

An event gives from 100 points for the winner to 0 for the last, in equal steps, so small and large events count the
same. Each player of a team gets the team's points. With equal sums the best single result decides, then the second
best, and so on. People whose counted results are the same share a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from referee.core.names import fold, is_placeholder
from referee.core.values import Value
from referee.hall.formats import standings
from referee.hall.model import Event


class SeasonPlace(Value):
    """A person's place in the season.

    points: the sum that counts. results: index of the event -> points. counted: the indexes that count.
    """

    place: int
    name: str
    points: Fraction
    results: dict[int, Fraction]
    counted: tuple[int, ...]


def season(events: Sequence[Event], best: int) -> tuple[SeasonPlace, ...]:
    """Return the standings over these events. Of each person, the best `best` results count.

    Entries without a match get no points and do not count as opponents. Forgotten people are not listed.
    """
    results: dict[str, dict[int, Fraction]] = {}
    names: dict[str, str] = {}
    for at, event in enumerate(events):
        for name, points in _points(event):
            names[fold(name)] = name
            results.setdefault(fold(name), {})[at] = points
    found = []
    for who, had in results.items():
        counted = sorted(had, key=lambda at: (-had[at], at))[:best]
        found.append(SeasonPlace(0, names[who], sum((had[at] for at in counted), Fraction(0)), had, tuple(counted)))
    found.sort(key=lambda had: (*_worth(had), fold(had.name)))
    worth = [_worth(had) for had in found]
    return tuple(
        SeasonPlace(1 + worth.index(_worth(had)), had.name, had.points, had.results, had.counted) for had in found
    )


def _points(event: Event) -> list[tuple[str, Fraction]]:
    field = [standing for standing in standings(event) if standing.played]
    entries = {entry.number: entry for entry in event.entries}
    return [
        (name, Fraction(100 * (len(field) - 1 - at), max(len(field) - 1, 1)))
        for at, standing in enumerate(field)
        for name in entries[standing.entry].names
        if not is_placeholder(name)
    ]


def _worth(had: SeasonPlace) -> tuple[Fraction, tuple[Fraction, ...]]:
    return -had.points, tuple(-had.results[at] for at in had.counted)
