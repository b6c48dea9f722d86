"""Seasons and ratings: how people do over several events.

They are computed from all outcomes each time, so corrections and forgotten names leave no trace in them.

An event gives from 100 points for the winner to 0 for the last, in equal steps, so small and large events count the
same. Each player of a team gets the team's points. With equal sums the best single result decides, then the second
best, and so on. People whose counted results are the same share a place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from referee.core.names import fold, is_placeholder
from referee.core.values import Value
from referee.hall.formats import standings
from referee.hall.model import Event, Outcome


class Rating(Value):
    """A person's rating: skill mu with standard deviation sigma, from this number of matches."""

    name: str
    mu: float
    sigma: float
    matches: int

    @property
    def sure(self) -> float:
        """Return mu - 3 sigma, by which lists are sorted. The skill is almost certainly greater."""
        return self.mu - 3 * self.sigma


def ratings(events: Iterable[Event]) -> tuple[Rating, ...]:
    """Return the ratings of all people, the best first.

    events: in the order in which they were played. A team's skill is the sum of its players' skills. Forgotten people
    count as a new person in each event, and are not listed.
    """
    from openskill.models import PlackettLuce  # an optional package, and slow to import

    model = PlackettLuce()
    skill: dict[str, Any] = {}
    names: dict[str, str] = {}
    matches: dict[str, int] = {}
    for at, event in enumerate(events):
        for outcome in sorted(event.outcomes, key=lambda outcome: outcome.round):
            teams = list(_teams(at, event, outcome))
            if len(teams) < 2:
                continue
            before = [[skill.setdefault(who, model.rating()) for who in team] for team, _ in teams]
            after = model.rate(before, ranks=[place for _, place in teams])
            for (team, _), rated in zip(teams, after, strict=True):
                skill |= dict(zip(team, rated, strict=True))
                names |= team
                matches |= {who: matches.get(who, 0) + 1 for who in team}
    known = [who for who in skill if not is_placeholder(names[who])]
    found = [Rating(names[who], float(skill[who].mu), float(skill[who].sigma), matches[who]) for who in known]
    return tuple(sorted(found, key=lambda rating: (-rating.sure, fold(rating.name))))


def _teams(at: int, event: Event, outcome: Outcome) -> Iterator[tuple[dict[str, str], float]]:
    """Yield the people (key -> name) and the place of each team of a match, by place."""
    for number, place in sorted(outcome.places.items(), key=lambda item: (item[1], item[0])):
        entry = event.entry(number)
        names = entry.names if entry else ()
        yield {f"{name} of event {at}" if is_placeholder(name) else fold(name): name for name in names}, float(place)


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
