"""Standings of an event, and how entries are split into groups.

Standings of an event by criteria, of which the greater value is better.

- score: for each match the share of opponents beaten; a tie and a bye count half. So a match at a table of three
  counts as much as one at a table of four.
- wins: matches won; a shared win is divided.
- opponents: the average score of all opponents met (Buchholz).
- difference: for each match, the points minus the average points of the opponents.
- direct: the score against the entries that are equal by the criteria before, at common tables.
- round: the round reached; one more for entries that go on to the next one, and for the winner.
- place: 9 minus the place at the last table. points: at the last table. total: points in all matches.
- lot: drawn from the event's seed.

The random order is by a hash of the seed, so a seed gives the same order in every version of Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import combinations

from referee.hall.model import MOST_SEATS, Event, EventError, Kind, Outcome, Standing

CRITERIA: Mapping[Kind, tuple[str, ...]] = {
    "elimination": ("round", "place", "points", "total", "lot"),
    "round-robin": ("score", "wins", "difference", "direct", "lot"),
    "swiss": ("score", "wins", "opponents", "difference", "direct", "lot"),
}
_HALF, _NONE = Fraction(1, 2), Fraction(0)
_Value = Callable[[int, Collection[int]], Fraction]
"""Return the value of an entry. The collection has the entries that are equal so far."""


def standings(event: Event) -> tuple[Standing, ...]:
    """Return the standings, the best entry first.

    No place is shared: the last criterion is the lot.
    """
    values = Values(event)
    criteria: list[tuple[str, _Value]] = [(name, getattr(values, name)) for name in CRITERIA[event.format.kind]]
    found: list[Standing] = []
    for number, had, decided in _ordered([entry.number for entry in event.entries], criteria):
        through = values.through(number) and (not event.closed or not found)
        place, points, played = len(found) + 1, had[criteria[0][0]], len(values.had[number])
        found.append(Standing(place, number, points, had, decided, played, through))
    return tuple(found)


def _ordered(
    group: Collection[int], criteria: list[tuple[str, _Value]]
) -> Iterator[tuple[int, dict[str, Fraction], str]]:
    """Yield each entry, best first, with its values and the criterion that decides its place."""
    if not criteria:
        yield from ((number, {}, "") for number in group)
        return
    name, value = criteria[0]
    equals: dict[Fraction, list[int]] = {}
    for number in group:
        equals.setdefault(value(number, group), []).append(number)
    for at, (worth, equal) in enumerate(sorted(equals.items(), reverse=True)):
        for inner, (number, later, decided) in enumerate(_ordered(equal, criteria[1:])):
            yield number, {name: worth, **later}, name if at and not inner else decided


def share(outcome: Outcome, number: int, among: Collection[int]) -> Fraction:
    """Return the share of opponents in `among` that an entry beat; 1 without opponents."""
    own = outcome.places[number]
    others = [place for other, place in outcome.places.items() if other != number and other in among]
    if not others:
        return Fraction(1)
    return (sum(own < place for place in others) + _HALF * others.count(own)) / len(others)


def is_final(event: Event) -> bool:
    """Return whether the last round is an elimination's final: one table, and no entry sits out."""
    return len(event.rounds[-1]) == 1 and not event.byes[-1]


class Values:
    """The values of entries: a method for each criterion.

    It takes an entry and the entries that are equal to it by the criteria before.
    """

    def __init__(self, event: Event) -> None:
        self._event = event
        numbers = [entry.number for entry in event.entries]
        self.had: dict[int, list[Outcome]] = {number: [] for number in numbers}
        for outcome in event.outcomes:
            for number in outcome.places:
                self.had[number].append(outcome)
        self._byes = byes_had(event)
        self._lots = {number: at for at, number in enumerate(lots(numbers, event.seed, "lot"), 1)}
        self._scores = {number: self._score(number) for number in numbers}
        self._active = {entry.number for entry in event.active}
        self._reached: dict[int, int] = {}
        self._last: dict[int, Outcome | None] = {}
        outcomes = {(outcome.round, outcome.table): outcome for outcome in event.outcomes}
        for round_, (drawn, byes) in enumerate(zip(event.rounds, event.byes, strict=True), 1):
            for seats in drawn:
                self._reached |= dict.fromkeys(seats.entries, round_)
                self._last |= dict.fromkeys(seats.entries, outcomes.get((round_, seats.table)))
            self._reached |= dict.fromkeys(byes, round_)
        self._on = set(self._going_on()) if event.format.kind == "elimination" and event.round else set()

    def through(self, number: int) -> bool:
        """Return whether an entry is still in the event."""
        event = self._event
        if event.format.kind != "elimination" or not event.round:
            return number in self._active
        waits = self._reached.get(number) == event.round and self._last.get(number) is None
        return number in self._on or (waits and number in self._active)

    def _going_on(self) -> Iterator[int]:
        """Yield the entries that go on from an elimination's last round; in the final, the winner."""
        event = self._event
        for seats in event.rounds[-1]:
            outcome = event.outcome(seats.round, seats.table)
            if outcome is None:
                continue
            count = 1 if is_final(event) else min(event.format.advance, len(seats.entries) - 1)
            by_points = sorted(outcome.places, key=lambda number: self._worth(outcome, number), reverse=True)
            for number in sorted(by_points, key=outcome.places.__getitem__)[:count]:
                if is_final(event) or number in self._active:
                    yield number
        yield from (number for number in event.byes[-1] if number in self._active)

    def _worth(self, outcome: Outcome, number: int) -> tuple[Fraction, ...]:
        return outcome.points[number], self.total(number), self.lot(number)

    def score(self, number: int, equal: Collection[int]) -> Fraction:
        return self._scores[number]

    def _score(self, number: int) -> Fraction:
        return sum((share(had, number, had.places) for had in self.had[number]), _HALF * self._byes[number])

    def wins(self, number: int, equal: Collection[int]) -> Fraction:
        winners = [[*had.places.values()].count(1) for had in self.had[number] if had.places[number] == 1]
        return sum((Fraction(1, count) for count in winners), _NONE)

    def opponents(self, number: int, equal: Collection[int]) -> Fraction:
        met = [self._scores[other] for had in self.had[number] for other in had.places if other != number]
        return sum(met, _NONE) / max(len(met), 1)

    def difference(self, number: int, equal: Collection[int]) -> Fraction:
        found = _NONE
        for had in self.had[number]:
            others = [points for other, points in had.points.items() if other != number]
            found += had.points[number] - sum(others, _NONE) / len(others) if others else _NONE
        return found

    def direct(self, number: int, equal: Collection[int]) -> Fraction:
        common = [had for had in self.had[number] if any(other != number and other in equal for other in had.places)]
        return sum((share(had, number, equal) for had in common), _NONE)

    def round(self, number: int, equal: Collection[int]) -> Fraction:
        return Fraction(self._reached.get(number, 0) + (number in self._on))

    def place(self, number: int, equal: Collection[int]) -> Fraction:
        outcome = self._last.get(number)
        return Fraction(MOST_SEATS + 1 - outcome.places[number]) if outcome and number in outcome.places else _NONE

    def points(self, number: int, equal: Collection[int]) -> Fraction:
        outcome = self._last.get(number)
        return outcome.points.get(number, _NONE) if outcome else _NONE

    def total(self, number: int, equal: Collection[int] = ()) -> Fraction:
        return sum((had.points[number] for had in self.had[number]), _NONE)

    def lot(self, number: int, equal: Collection[int] = ()) -> Fraction:
        return Fraction(self._lots[number])


Groups = list[list[int]]
Cost = Callable[[int, int], int]
"""Return the cost of a meeting of two entries."""
MOST_STARTS = 24
"""Maximum number of starts of the search for the cheapest groups."""
_WORK = 400
"""Maximum product of entries and starts, so that a draw takes at most two seconds."""


def lots(numbers: Iterable[int], seed: int, what: str) -> list[int]:
    """Return the numbers in a random order that depends only on `seed` and `what`."""
    return sorted(numbers, key=lambda number: sha256(f"{seed} {what} {number}".encode()).digest())


def sizes(count: int, size: int, least: int = 1) -> list[int]:
    """Return the sizes of the fewest groups of at most `size`, as even as possible.

    With `size` 2, all groups are pairs, and an odd entry is alone. Raises EventError if a group would be smaller than
    `least`, or for fewer than two entries.

    >>> sizes(10, 4), sizes(9, 2)
    ([4, 3, 3], [2, 2, 2, 2, 1])
    """
    tables = max(-(-count // size), 1)
    found = [count // tables + (at < count % tables) for at in range(tables)]
    if size == 2:
        found = [2] * (count // 2) + [1] * (count % 2)
    if count < 2 or min(found) < least:
        raise EventError("split_two" if 1 < least < size else "split", count=count, size=size, least=least)
    return found


def meetings(event: Event) -> Counter[frozenset[int]]:
    """Return how often each pair of entries has been drawn at the same table."""
    drawn = (seats.entries for tables in event.rounds for seats in tables)
    return Counter(frozenset(pair) for entries in drawn for pair in combinations(entries, 2))


def byes_had(event: Event) -> Counter[int]:
    """Return how often each entry has sat out."""
    return Counter(number for byes in event.byes for number in byes)


def resting(order: Iterable[int], into: Sequence[int], had: Counter[int]) -> list[int]:
    """Return the entries that sit out: those with the fewest byes, first in `order`."""
    return sorted(order, key=had.__getitem__)[: into.count(1)]


def dealt(order: Sequence[int], into: Sequence[int]) -> Groups:
    """Deal entries one by one to groups of these sizes, back and forth, to spread the first.

    >>> dealt([1, 2, 3, 4, 5, 6, 7], [4, 3])
    [[1, 4, 5, 7], [2, 3, 6]]
    """
    groups: Groups = [[] for _ in into]
    left = list(reversed(order))
    tables = list(range(len(into)))
    while left:
        for at in tables:
            if left and len(groups[at]) < into[at]:
                groups[at].append(left.pop())
        tables.reverse()
    return groups


def sliced(order: Sequence[int], into: Sequence[int]) -> Groups:
    """Cut the order into groups of these sizes, with neighbours together."""
    ends = [sum(into[: at + 1]) for at in range(len(into))]
    return [list(order[end - size : end]) for end, size in zip(ends, into, strict=True)]


def cheapest(starts: Iterable[Groups], cost: Cost) -> Groups:
    """Return the cheapest groups that swaps reach from any start; of equal ones, the first.

    At most `MOST_STARTS` starts are tried, and fewer for many entries.
    """
    best: Groups = []
    least: int | None = None
    pairs: dict[int, dict[int, int]] = {}
    for done, groups in enumerate(starts):
        numbers = [number for group in groups for number in group]
        if least == 0 or done >= max(1, min(MOST_STARTS, _WORK // max(len(numbers), 1))):
            break
        pairs = pairs or {a: {b: 0 if a == b else cost(a, b) for b in numbers} for a in numbers}
        found = _swapped(groups, pairs)
        costs = sum(pairs[a][b] for group in found for a, b in combinations(group, 2))
        if least is None or costs < least:
            best, least = found, costs
    return best


def _swapped(groups: Groups, pairs: dict[int, dict[int, int]]) -> Groups:
    """Swap entries of different groups as long as a swap lowers the cost."""
    at = {number: group for group, numbers in enumerate(groups) for number in numbers}
    to = {a: [sum(pairs[a][b] for b in group) for group in groups] for a in at}
    changed = True
    while changed:
        changed = False
        for a, b in combinations(at, 2):
            here, there = at[a], at[b]
            if here == there:
                continue
            gain = to[a][here] + to[b][there] - to[a][there] - to[b][here] + 2 * pairs[a][b]
            if gain > 0:
                at[a], at[b], changed = there, here, True
                for other, costs in to.items():
                    more = pairs[other][b] - pairs[other][a]
                    costs[here] += more
                    costs[there] -= more
    return [[number for number in at if at[number] == group] for group in range(len(groups))]
