"""Decisions that follow from tables' records: add, change and undo outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from referee.core.documents.record import Record
from referee.core.values import Value, replace
from referee.hall.decide import after, is_over, other_game, place_of_record, undone
from referee.hall.model import Decision, Drawn, Event, EventError, Finished, Text, Undone

Key = tuple[str, str]
"""A card table and the ID of a match."""


class Held(Value):
    """A match that the hall holds. record: None if the match has no hands any more.

    since: number of decisions in the hall when the match's first result came.
    """

    table: str
    match: str
    record: Record | None
    since: int


class Settled(Value):
    """What follows from a match in an event.

    event: after `decisions`, which the caller appends. placed: whether the match belongs to a drawn table. problem: why
    its result cannot be used; None if there is no problem. kind: of the problem; "game" if the match was played by
    other rules.
    """

    event: Event
    decisions: tuple[Decision, ...] = ()
    placed: bool = False
    problem: Text | None = None
    kind: str = "unused"


def settle(event: Event, held: Held, orders: Mapping[int, int]) -> Settled:
    """Return what follows from a match.

    orders: decision -> its number among all decisions of the hall. A match does not belong to a round that was drawn
    after the match's first result.
    """
    had = next((outcome for outcome in event.outcomes if outcome.match == held.match), None)
    place = place_of_record(event, held.table, held.record) if held.record else None
    if place is None or (had is None and held.since < orders.get(_drawn(event, place.round), 0)):
        return Settled(event) if had is None else _withdrawn(event, held.match)
    assert held.record is not None
    if not is_over(event, held.record):
        return Settled(event, placed=True) if had is None else _withdrawn(event, held.match)
    now = event.outcome(place.round, place.table)
    other = None if held.match in event.allowed or (now and now.reason) else other_game(event, held.record)
    if other is not None:
        settled = Settled(event, placed=True) if had is None else _withdrawn(event, held.match)
        return replace(settled, problem=settled.problem or other, kind="unused" if settled.problem else "game")
    if had == place or (had and had.reason and (had.points, had.places) == (place.points, place.places)):
        return Settled(event, placed=True)
    return _decided(event, [Finished(place)])


def _drawn(event: Event, round_: int) -> int:
    """Return the number of the first decision that drew a round."""
    without = undone(event.decisions)
    numbered = enumerate(event.decisions, 1)
    return next((n for n, made in numbered if isinstance(made, Drawn) and made.round == round_ and n not in without), 0)


def _withdrawn(event: Event, match: str) -> Settled:
    """Undo the outcomes of a match that is no longer over or no longer belongs to a table."""
    return _decided(event, _undoing(event, match))


def _undoing(event: Event, match: str) -> Iterator[Decision]:
    without = undone(event.decisions)
    for number in range(len(event.decisions), 0, -1):
        made = event.decisions[number - 1]
        if isinstance(made, Finished) and made.outcome.match == match and number not in without:
            yield Undone(number)


def _decided(event: Event, decisions: Iterable[Decision]) -> Settled:
    now, made = event, []
    try:
        for decision in decisions:
            now = after(now, decision)
            made.append(decision)
    except EventError as error:
        return Settled(event, placed=True, problem=error.text)
    return Settled(now, tuple(made), placed=True)
