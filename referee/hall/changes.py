"""How each decision changes an event, and the checks that it must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from referee.core.model.registry import can_play, presets
from referee.core.names import MOST_LETTERS, name_of
from referee.core.names import fold as folded
from referee.core.reading import list_text, quoted_value
from referee.core.values import Json, replace
from referee.hall.model import (
    MOST_ENTRIES,
    MOST_ROUNDS,
    MOST_SEATS,
    MOST_TEXT,
    Allowed,
    Closed,
    Corrected,
    Decision,
    Drawn,
    Entered,
    Entry,
    Event,
    EventError,
    Finished,
    Left,
    Moved,
    Opened,
    Outcome,
    Returned,
    Seeded,
    Voided,
)

MOST_NAMES = 8
"""Maximum number of players of an entry."""
_LONGEST_NAME = 32
"""Maximum number of characters of a table's name."""


def applied(event: Event, decision: Decision) -> Event:
    """Return the event after a decision other than `Undone`.

    Raises EventError if it does not fit.
    """
    check_texts(decision)
    if isinstance(decision, Opened) is bool(event.name):
        raise EventError("opened_once")
    if event.closed:
        raise EventError("closed")
    apply: Callable[[Event, Json], Event] = _APPLY[type(decision)]
    return apply(event, decision)


# -- one decision each: check it and return the event after it ------------------------------------------------------


def _opened(event: Event, made: Opened) -> Event:
    if name_of(made.name) != made.name:
        raise EventError("event_name", most=MOST_LETTERS, given=quoted_value(made.name))
    plan, game = made.format, made.game
    if not 2 <= plan.size <= MOST_SEATS:
        raise EventError("size", most=MOST_SEATS, given=plan.size)
    if plan.kind == "elimination" and not 1 <= plan.advance < plan.size:
        raise EventError("advance", most=plan.size - 1, size=plan.size, given=plan.advance)
    if plan.kind == "elimination" and plan.rounds is not None:
        raise EventError("no_rounds")
    if plan.rounds is not None and not 1 <= plan.rounds <= MOST_ROUNDS:
        raise EventError("rounds", most=MOST_ROUNDS, given=plan.rounds)
    if game.preset not in presets() or not can_play(game.preset, game.options):
        raise EventError("game", preset=quoted_value(game.preset))
    return Event(name=made.name, format=plan, game=game, seed=made.seed)


def _entered(event: Event, made: Entered) -> Event:
    if len(event.entries) >= MOST_ENTRIES:
        raise EventError("many_entries", most=MOST_ENTRIES)
    if not 0 < made.number <= 10 * MOST_ENTRIES or event.entry(made.number):
        raise EventError("number", number=made.number, next=event.next_number)
    if not 0 <= made.seed <= MOST_ENTRIES:
        raise EventError("seed", most=MOST_ENTRIES, given=made.seed)
    if not 1 <= len(made.names) <= MOST_NAMES:
        raise EventError("players", most=MOST_NAMES, given=len(made.names))
    had = {folded(name): entry for entry in event.entries for name in entry.names}
    for name in made.names:
        if name_of(name) != name:
            raise EventError("player_name", most=MOST_LETTERS, given=quoted_value(name))
        if other := had.get(folded(name)):
            raise EventError("entered", name=name, number=other.number)
    if len({folded(name) for name in made.names}) < len(made.names):
        raise EventError("name_twice", name=made.names[0])
    entry = Entry(made.number, made.names, since=event.round + 1, seed=made.seed)
    return replace(event, entries=(*event.entries, entry))


def _seeded(event: Event, made: Seeded) -> Event:
    if event.outcomes or event.round > 1:
        raise EventError("seeded_late")
    for number in made.entries:
        if made.entries.count(number) > 1:
            raise EventError("seeded_twice", name=_known(event, number).name)
    seeds = {_known(event, number).number: rank for rank, number in enumerate(made.entries, 1)}
    return replace(event, entries=tuple(replace(one, seed=seeds.get(one.number, 0)) for one in event.entries))


def _left(event: Event, made: Left) -> Event:
    entry = _taking_part(event, made.number)
    waits = any(entry.number in seats.entries for seats in event.open_tables(event.round))
    return _with_entry(event, replace(entry, until=event.round - waits))


def _returned(event: Event, made: Returned) -> Event:
    entry = _known(event, made.number)
    if entry.until is None:
        raise EventError("not_out", name=entry.name)
    return _with_entry(event, replace(entry, until=None))


def _drawn(event: Event, made: Drawn) -> Event:
    again = made.round == event.round
    if again and any(outcome.round == made.round for outcome in event.outcomes):
        raise EventError("round_begun", round=made.round)
    if not again and made.round != event.round + 1:
        raise EventError("next_round", next=event.round + 1, given=made.round)
    if made.round > MOST_ROUNDS:
        raise EventError("many_rounds", most=MOST_ROUNDS)
    if not again:
        check_results(event)
    _check_seats(event, made)
    kept = slice(made.round - 1)
    return replace(event, rounds=(*event.rounds[kept], made.seats), byes=(*event.byes[kept], made.byes))


def check_results(event: Event) -> None:
    """Raise EventError if the next round cannot be drawn because results are missing.

    An elimination needs the results of all tables. In other formats a result may come later.
    """
    missing = [seats.table for seats in event.open_tables(event.round)]
    if missing and event.format.kind == "elimination":
        raise EventError("no_result", round=event.round, tables=list_text(missing))


def _check_seats(event: Event, made: Drawn) -> None:
    if not made.seats:
        raise EventError("no_table")
    for seats in made.seats:
        if seats.round != made.round or not 0 < len(seats.table) <= _LONGEST_NAME:
            raise EventError("not_of_round", table=quoted_value(seats.table), round=made.round)
        if not 2 <= len(seats.entries) <= MOST_SEATS:
            raise EventError("table_size", table=seats.table, most=MOST_SEATS, given=len(seats.entries))
    tables = [seats.table for seats in made.seats]
    if len(set(tables)) < len(tables):
        raise EventError("table_twice")
    drawn = [entry for seats in made.seats for entry in seats.entries] + list(made.byes)
    for number in drawn:
        entry = _taking_part(event, number)
        if drawn.count(number) > 1:
            raise EventError("drawn_twice", name=entry.name)


def _moved(event: Event, made: Moved) -> Event:
    entry = _taking_part(event, made.entry)
    if bool(made.table) is (made.swapped is not None):
        raise EventError("move_where")
    if not event.round:
        raise EventError("no_round")
    drawn = {seats.table: seats.entries for seats in event.rounds[-1]}
    byes = event.byes[-1]
    if made.swapped is None:
        drawn = _seated_at(event, drawn, entry, made.table)
        byes = tuple(number for number in byes if number != entry.number)
    else:
        other = _known(event, made.swapped)
        if _table_of(drawn, entry.number) == _table_of(drawn, other.number):
            raise EventError("same_table", name=entry.name, other=other.name)
        swap = {entry.number: other.number, other.number: entry.number}
        drawn = {table: tuple(swap.get(n, n) for n in entries) for table, entries in drawn.items()}
        byes = tuple(swap.get(n, n) for n in byes)
    changed = tuple(replace(seats, entries=drawn[seats.table]) for seats in event.rounds[-1])
    for before, now in zip(event.rounds[-1], changed, strict=True):
        if before != now and event.outcome(now.round, now.table):
            raise EventError("table_done", table=now.table)
    return replace(event, rounds=(*event.rounds[:-1], changed), byes=(*event.byes[:-1], byes))


def _seated_at(event: Event, drawn: dict[str, tuple[int, ...]], entry: Entry, table: str) -> dict[str, tuple[int, ...]]:
    if table not in drawn:
        raise EventError("not_drawn", table=quoted_value(table), round=event.round)
    was = _table_of(drawn, entry.number)
    if was == table:
        raise EventError("there_already", name=entry.name, table=table)
    if len(drawn[table]) >= MOST_SEATS:
        raise EventError("full", table=table, most=MOST_SEATS)
    if was and len(drawn[was]) <= 2:
        raise EventError("two_needed", table=was, name=entry.name)
    kept = {name: tuple(n for n in entries if n != entry.number) for name, entries in drawn.items()}
    return kept | {table: (*kept[table], entry.number)}


def _table_of(drawn: dict[str, tuple[int, ...]], number: int) -> str:
    return next((table for table, entries in drawn.items() if number in entries), "")


def _finished(event: Event, made: Finished) -> Event:
    outcome = made.outcome
    had = event.outcome(outcome.round, outcome.table)
    where = {"table": outcome.table, "round": outcome.round}
    if not outcome.match or outcome.match in event.voided:
        raise EventError("match_void", **where)
    if had and had.reason:
        raise EventError("by_hand", **where)
    if any(other.match == outcome.match and other != had for other in event.outcomes):
        raise EventError("match_elsewhere", **where)
    if had and had.match != outcome.match:
        raise EventError("match_other", **where)
    return _with_outcome(event, outcome)


def _corrected(event: Event, made: Corrected) -> Event:
    if not made.outcome.reason.strip():
        raise EventError("reason_needed")
    had = event.outcome(made.outcome.round, made.outcome.table)
    return _with_outcome(event, replace(made.outcome, match=had.match if had else ""))


def _with_outcome(event: Event, outcome: Outcome) -> Event:
    seats = event.seats(outcome.round, outcome.table)
    where = {"table": quoted_value(outcome.table), "round": outcome.round}
    if seats is None:
        raise EventError("not_drawn", **where)
    playing = {number for number in seats.entries if plays(event, number, outcome.round)}
    given = outcome.points.keys()
    if not playing <= given or not given <= set(seats.entries) or given != outcome.places.keys():
        raise EventError("who_played", names=list_text(names_of(event, seats.entries)), **where)
    for place in outcome.places.values():
        if place != 1 + sum(other < place for other in outcome.places.values()):
            raise EventError("places", given=list_text(outcome.places.values()), **where)
    if event.outcome(outcome.round, outcome.table) is None:
        return replace(event, outcomes=(*event.outcomes, outcome))
    same = (outcome.round, outcome.table)
    outcomes = tuple(outcome if (had.round, had.table) == same else had for had in event.outcomes)
    return replace(event, outcomes=outcomes)


def _voided(event: Event, made: Voided) -> Event:
    had = event.outcome(made.round, made.table)
    if had is None:
        raise EventError("nothing_to_void", table=quoted_value(made.table), round=made.round)
    outcomes = tuple(outcome for outcome in event.outcomes if outcome != had)
    voided = (*event.voided, had.match) if had.match else event.voided
    return replace(event, outcomes=outcomes, voided=voided)


def _allowed(event: Event, made: Allowed) -> Event:
    if not made.match or made.match in (*event.allowed, *event.voided):
        raise EventError("allowed_already", table=made.table)
    if not made.counts:
        outcomes = tuple(outcome for outcome in event.outcomes if outcome.match != made.match)
        return replace(event, outcomes=outcomes, voided=(*event.voided, made.match))
    return replace(event, allowed=(*event.allowed, made.match))


def _closed(event: Event, made: Closed) -> Event:
    return replace(event, closed=True)


_APPLY: dict[type, Callable[[Event, Json], Event]] = {
    Opened: _opened,
    Entered: _entered,
    Seeded: _seeded,
    Left: _left,
    Returned: _returned,
    Drawn: _drawn,
    Moved: _moved,
    Finished: _finished,
    Corrected: _corrected,
    Voided: _voided,
    Allowed: _allowed,
    Closed: _closed,
}


def check_texts(decision: Decision) -> None:
    """Raise EventError if a reason or a person's name is too long or not printable."""
    texts = (decision.by, getattr(decision, "reason", ""), getattr(getattr(decision, "outcome", None), "reason", ""))
    for text in texts:
        if len(text) > MOST_TEXT or (text and not text.isprintable()):
            raise EventError("long_reason", most=MOST_TEXT, given=quoted_value(text))


def _known(event: Event, number: int) -> Entry:
    entry = event.entry(number)
    if entry is None:
        raise EventError("unknown_entry", number=number)
    return entry


def _taking_part(event: Event, number: int) -> Entry:
    entry = _known(event, number)
    if entry.until is not None:
        raise EventError("dropped_out", name=entry.name)
    return entry


def plays(event: Event, number: int, round_: int) -> bool:
    """Return whether an entry still takes part in a round: it has not dropped out before."""
    until = _known(event, number).until
    return until is None or until >= round_


def names_of(event: Event, numbers: Iterable[int]) -> Iterator[str]:
    """Return the names of entries."""
    return (_known(event, number).name for number in numbers)


def _with_entry(event: Event, entry: Entry) -> Event:
    return replace(event, entries=tuple(entry if had.number == entry.number else had for had in event.entries))
