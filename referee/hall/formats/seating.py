"""Split entries into groups: even sizes, random order, and swaps that lower a cost.

The random order is by a hash of the seed, so a seed gives the same order in every version of Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from itertools import combinations

from referee.hall.model import Event, EventError

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
