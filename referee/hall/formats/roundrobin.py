"""Round robin: all entries meet each other, as evenly as the tables allow.

Pairs follow the circle method. Larger tables follow a balanced design, in which all pairs meet equally often, if one is
known for this number of entries: lines of a finite geometry, or rotated blocks. Without a design, or if late entries,
moved entries or the number of rounds do not fit it, each round is searched for the fewest repeated meetings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from referee.hall.formats.places import Groups, byes_had, cheapest, lots, meetings, resting, sizes, sliced
from referee.hall.model import MOST_ENTRIES, Event

_FIELDS = {2: 0, 3: 0, 4: 0b111, 5: 0, 7: 0, 8: 0b1011}
"""Size of a finite field -> the bits of its polynomial; 0 for a prime size."""
STARTERS: dict[tuple[int, int], str] = {
    (8, 4): "0 2 3 4, 1 5 6 7",
    (12, 3): "0 7 10, 1 6 8, 2 4 5, 3 9 11",
    (12, 4): "0 3 5 10, 1 2 4 8, 6 7 9 11",
    (12, 6): "0 1 3 4 6 10, 2 5 7 8 9 11",
    (18, 3): "0 5 8, 1 11 12, 2 4 6, 3 9 16, 7 10 15, 13 14 17",
    (20, 4): "0 4 6 9, 1 11 14 18, 2 3 7 15, 5 10 12 13, 8 16 17 19",
    (20, 5): "0 3 7 11 17, 1 2 5 14 15, 4 6 8 9 16, 10 12 13 18 19",
    (24, 4): "0 7 19 21, 1 10 16 20, 2 3 15 18, 4 5 13 23, 6 12 17 22, 8 9 11 14",
    (24, 3): "0 9 12, 1 17 22, 2 4 10, 3 13 19, 5 14 15, 6 7 11, 8 16 20, 18 21 23",
    (16, 8): "0 1 2 6 9 10 12 14, 3 4 5 7 8 11 13 15",
}
"""(Number of entries, size) -> the tables of the first round.

In each later round all numbers but the highest rotate by one. Found by search; a test proves the balance.
"""


def groups(event: Event, seed: int) -> Groups:
    """Return the groups of the next round."""
    active = {entry.number for entry in event.active}
    rounds = _plan(event)
    if rounds:
        kept = [[number for number in group if number in active] for group in rounds[event.round % len(rounds)]]
        return [group for group in kept if group]
    into = sizes(len(active), event.format.size)
    order = lots(active, seed, f"round {event.round + 1}")
    alone = resting(order, into, byes_had(event))
    met = meetings(event)

    def cost(a: int, b: int) -> int:
        return met[frozenset((a, b))]

    playing = [number for number in order if number not in alone]
    found = cheapest(_starts(playing, [size for size in into if size > 1], seed), cost)
    return [*found, *([number] for number in alone)]


def _starts(order: Sequence[int], into: Sequence[int], seed: int) -> Iterator[Groups]:
    for number in range(MOST_ENTRIES):
        yield sliced(lots(order, seed, f"start {number}"), into)


def complete(event: Event) -> bool:
    """Return whether the last round is drawn.

    It is the given number, else the design's last round, else the round after which all pairs have met.
    """
    if event.format.rounds:
        return event.round >= event.format.rounds
    if rounds := _plan(event):
        return event.round >= len(rounds)
    met = meetings(event)
    active = [entry.number for entry in event.active]
    return all(met[frozenset((a, b))] for at, a in enumerate(active) for b in active[:at])


def _plan(event: Event) -> list[Groups]:
    """Return the rounds of the design that the event follows; [] if it follows none."""
    active = {entry.number for entry in event.active}
    first = active
    if event.round:
        first = {number for seats in event.rounds[0] for number in seats.entries} | {*event.byes[0]}
    if not active <= first:
        return []
    order = lots(first, event.seed, "order")
    rounds = [[[order[at] for at in group] for group in groups] for groups in design(len(order), event.format.size)]
    if not rounds or (event.format.size > 2 and event.format.rounds and event.format.rounds % len(rounds)):
        return []
    for drawn, tables in enumerate(event.rounds):
        sets = [set(group) for group in rounds[drawn % len(rounds)]]
        if not all(any(group.issuperset(seats.entries) for group in sets) for seats in tables):
            return []
    return rounds


def design(count: int, size: int) -> list[Groups]:
    """Return rounds in which entries 0 to count - 1 meet equally often; [] if none are known.

    >>> design(4, 2)
    [[[0, 3], [1, 2]], [[1, 3], [2, 0]], [[2, 3], [0, 1]]]
    """
    if count <= size:
        return [[[*range(count)]]] if count > 1 else []
    if size == 2:
        return _circle(count)
    dimension = next((d for d in range(2, 5) if size**d == count), 0)
    if dimension and size in _FIELDS:
        return _lines(size, dimension)
    starter = STARTERS.get((count, size))
    if starter is None:
        return []
    blocks = [[int(number) for number in block.split()] for block in starter.split(",")]
    return [_rotated(blocks, turn, count - 1) for turn in range(count - 1)]


def _rotated(blocks: Groups, turn: int, last: int) -> Groups:
    return [[n if n == last else (n + turn) % last for n in block] for block in blocks]


def _circle(count: int) -> list[Groups]:
    """Return the rounds of pairs. If the count is odd, one entry sits out in each."""
    turns = count - 1 + count % 2
    rounds = []
    for turn in range(turns):
        pairs = [[(turn + at) % turns, (turn - at) % turns] for at in range(1, (turns + 1) // 2)]
        rounds.append([[turn] if count % 2 else [turn, turns], *pairs])
    return rounds


def _lines(q: int, dimension: int) -> list[Groups]:
    """Return the parallel classes of lines of the affine space over the field of q numbers."""
    points = list(product(range(q), repeat=dimension))
    at = {point: number for number, point in enumerate(points)}
    rounds = []
    for direction in points:
        if next(filter(None, direction), 0) != 1:  # one direction of each class: its first number that is not 0 is 1
            continue
        left, lines = dict(at), []
        for point in points:
            if point in left:
                lines.append([left.pop(_moved(q, point, direction, step)) for step in range(q)])
        rounds.append(lines)
    return rounds


def _moved(q: int, point: Sequence[int], direction: Sequence[int], step: int) -> tuple[int, ...]:
    return tuple(_plus(q, p, _times(q, step, d)) for p, d in zip(point, direction, strict=True))


def _plus(q: int, a: int, b: int) -> int:
    return a ^ b if _FIELDS[q] else (a + b) % q


def _times(q: int, a: int, b: int) -> int:
    if not _FIELDS[q]:
        return a * b % q
    found = 0
    for bit in range(b.bit_length()):
        found ^= (a << bit) * (b >> bit & 1)
    while found >= q:
        found ^= _FIELDS[q] << (found.bit_length() - _FIELDS[q].bit_length())
    return found
