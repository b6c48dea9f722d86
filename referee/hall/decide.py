"""The decisions of an event: what they lead to, which ones fit, and which table a record belongs to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from referee.core.documents.match import account
from referee.core.documents.record import Record, neutral_name
from referee.core.model.registry import can_play, presets
from referee.core.names import ALLOWED, is_placeholder, name_of
from referee.core.names import fold as folded
from referee.core.reading import list_text, quoted_value
from referee.core.values import Json, replace
from referee.hall.formats import elimination, last_drawn, next_round
from referee.hall.formats import standings as standings
from referee.hall.model import (
    MOST_ENTRIES,
    MOST_ROUNDS,
    MOST_SEATS,
    MOST_TEXT,
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
    Seats,
    Undone,
    Voided,
)

MOST_NAMES = 8
"""Maximum players of an entry."""
_LONGEST_NAME = 32
"""Maximum letters of a table's name."""


def fold(decisions: Iterable[Decision]) -> Event:
    """Return the event that these decisions lead to. Raises EventError if one that is not undone does not fit."""
    made = tuple(decisions)
    return replace(_without_undone(made), decisions=made)


def after(event: Event, decision: Decision) -> Event:
    """Return the event after another decision. Raises EventError if it does not fit."""
    _check_texts(decision)
    made = (*event.decisions, decision)
    if isinstance(decision, Undone):
        _check_undone(event, decision)
        try:
            return fold(made)
        except EventError as error:
            raise EventError(f"without it {error}: undo that first") from None
    return replace(_applied(event, decision), decisions=made)


def check(event: Event, decision: Decision) -> None:
    """Raise EventError if the decision does not fit the event."""
    after(event, decision)


def undone(decisions: Sequence[Decision]) -> set[int]:
    """Return the numbers of the decisions that are undone."""
    numbers: set[int] = set()
    for number in range(len(decisions), 0, -1):
        decision = decisions[number - 1]
        if isinstance(decision, Undone) and number not in numbers:
            numbers.add(decision.number)
    return numbers


def _without_undone(made: Sequence[Decision]) -> Event:
    event, without = Event(), undone(made)
    for number, decision in enumerate(made, 1):
        if number in without or isinstance(decision, Undone):
            continue
        try:
            event = _applied(event, decision)
        except EventError as error:
            raise EventError(f"decision {number} does not fit ({error})") from None
    return event


def _applied(event: Event, decision: Decision) -> Event:
    if isinstance(decision, Opened) is bool(event.name):
        raise EventError("an event is opened once, by its first decision")
    if event.closed:
        raise EventError("the event is closed: undo that first")
    apply: Callable[[Event, Json], Event] = _APPLY[type(decision)]
    return apply(event, decision)


# -- one decision each: check it and return the event after it ------------------------------------------------------


def _opened(event: Event, made: Opened) -> Event:
    if name_of(made.name) != made.name:
        raise EventError(f"an event needs {ALLOWED}, got {quoted_value(made.name)}")
    plan, game = made.format, made.game
    if not 2 <= plan.size <= MOST_SEATS:
        raise EventError(f"a table must have 2 to {MOST_SEATS} entries, got {plan.size}")
    if plan.kind == "elimination" and not 1 <= plan.advance < plan.size:
        raise EventError(f"1 to {plan.size - 1} of {plan.size} must go on from a table, got {plan.advance}")
    if plan.kind == "elimination" and plan.rounds is not None:
        raise EventError("an elimination has as many rounds as it needs: give no number of rounds")
    if plan.rounds is not None and not 1 <= plan.rounds <= MOST_ROUNDS:
        raise EventError(f"an event must have 1 to {MOST_ROUNDS} rounds, got {plan.rounds}")
    if game.preset not in presets() or not can_play(game.preset, game.options):
        raise EventError(f"no table can play {quoted_value(game.preset)} with these options")
    return Event(name=made.name, format=plan, game=game, seed=made.seed)


def _entered(event: Event, made: Entered) -> Event:
    if len(event.entries) >= MOST_ENTRIES:
        raise EventError(f"an event has at most {MOST_ENTRIES} entries")
    if not 0 < made.number <= 10 * MOST_ENTRIES or event.entry(made.number):
        raise EventError(f"entry number {made.number} is taken or not allowed, the next one is {event.next_number}")
    if not 0 <= made.seed <= MOST_ENTRIES:
        raise EventError(f"a seed is from 0 to {MOST_ENTRIES}, got {made.seed}")
    if not 1 <= len(made.names) <= MOST_NAMES:
        raise EventError(f"an entry has 1 to {MOST_NAMES} players, got {len(made.names)}")
    had = {folded(name): entry for entry in event.entries for name in entry.names}
    for name in made.names:
        if name_of(name) != name:
            raise EventError(f"a player needs {ALLOWED}, got {quoted_value(name)}")
        if other := had.get(folded(name)):
            raise EventError(f"{name} is already entered as number {other.number}: add a letter or a surname")
    if len({folded(name) for name in made.names}) < len(made.names):
        raise EventError(f"{made.names[0]}'s team has a name twice: add a letter or a surname")
    entry = Entry(made.number, made.names, since=event.round + 1, seed=made.seed)
    return replace(event, entries=(*event.entries, entry))


def _left(event: Event, made: Left) -> Event:
    entry = _taking_part(event, made.number)
    waits = any(entry.number in seats.entries for seats in event.open_tables(event.round))
    return _with_entry(event, replace(entry, until=event.round - waits))


def _returned(event: Event, made: Returned) -> Event:
    entry = _known(event, made.number)
    if entry.until is None:
        raise EventError(f"{entry.name} has not dropped out")
    return _with_entry(event, replace(entry, until=None))


def _drawn(event: Event, made: Drawn) -> Event:
    again = made.round == event.round
    if again and any(outcome.round == made.round for outcome in event.outcomes):
        raise EventError(f"round {made.round} has a result already: void it before you draw again")
    if not again and made.round != event.round + 1:
        raise EventError(f"the next round is {event.round + 1}, got {made.round}")
    if made.round > MOST_ROUNDS:
        raise EventError(f"an event has at most {MOST_ROUNDS} rounds")
    if not again:
        check_results(event)
    _check_seats(event, made)
    kept = slice(made.round - 1)
    return replace(event, rounds=(*event.rounds[kept], made.seats), byes=(*event.byes[kept], made.byes))


def check_results(event: Event) -> None:
    """Raise EventError if the next round cannot be drawn because results are missing.

    In an elimination all tables decide who goes on. Otherwise a missing result may come later.
    """
    missing = [seats.table for seats in event.open_tables(event.round)]
    if missing and event.format.kind == "elimination":
        raise EventError(f"round {event.round} has no result yet of table {list_text(missing)}: wait or enter it")


def _check_seats(event: Event, made: Drawn) -> None:
    if not made.seats:
        raise EventError("a round needs a table")
    for seats in made.seats:
        if seats.round != made.round or not 0 < len(seats.table) <= _LONGEST_NAME:
            raise EventError(f"table {quoted_value(seats.table)} is not one of round {made.round}")
        if not 2 <= len(seats.entries) <= MOST_SEATS:
            raise EventError(f"table {seats.table} must have 2 to {MOST_SEATS} entries, got {len(seats.entries)}")
    tables = [seats.table for seats in made.seats]
    if len(set(tables)) < len(tables):
        raise EventError("a table is drawn twice in a round")
    drawn = [entry for seats in made.seats for entry in seats.entries] + list(made.byes)
    for number in drawn:
        entry = _taking_part(event, number)
        if drawn.count(number) > 1:
            raise EventError(f"{entry.name} is drawn twice in a round")


def _moved(event: Event, made: Moved) -> Event:
    entry = _taking_part(event, made.entry)
    if bool(made.table) is (made.swapped is not None):
        raise EventError("an entry goes to a table or changes places with another entry: give one of both")
    if not event.round:
        raise EventError("no round is drawn yet")
    drawn = {seats.table: seats.entries for seats in event.rounds[-1]}
    byes = event.byes[-1]
    if made.swapped is None:
        drawn = _seated_at(event, drawn, entry, made.table)
        byes = tuple(number for number in byes if number != entry.number)
    else:
        other = _known(event, made.swapped)
        if _table_of(drawn, entry.number) == _table_of(drawn, other.number):
            raise EventError(f"{entry.name} and {other.name} do not play at different tables")
        swap = {entry.number: other.number, other.number: entry.number}
        drawn = {table: tuple(swap.get(n, n) for n in entries) for table, entries in drawn.items()}
        byes = tuple(swap.get(n, n) for n in byes)
    changed = tuple(replace(seats, entries=drawn[seats.table]) for seats in event.rounds[-1])
    for before, now in zip(event.rounds[-1], changed, strict=True):
        if before != now and event.outcome(now.round, now.table):
            raise EventError(f"table {now.table} has a result already: void it before you move anyone")
    return replace(event, rounds=(*event.rounds[:-1], changed), byes=(*event.byes[:-1], byes))


def _seated_at(event: Event, drawn: dict[str, tuple[int, ...]], entry: Entry, table: str) -> dict[str, tuple[int, ...]]:
    if table not in drawn:
        raise EventError(f"table {quoted_value(table)} is not drawn in round {event.round}")
    was = _table_of(drawn, entry.number)
    if was == table:
        raise EventError(f"{entry.name} is at table {table} already")
    if len(drawn[table]) >= MOST_SEATS:
        raise EventError(f"table {table} is full with {MOST_SEATS} entries")
    if was and len(drawn[was]) <= 2:
        raise EventError(f"table {was} needs two entries: swap {entry.name} with another one instead")
    kept = {name: tuple(n for n in entries if n != entry.number) for name, entries in drawn.items()}
    return kept | {table: (*kept[table], entry.number)}


def _table_of(drawn: dict[str, tuple[int, ...]], number: int) -> str:
    return next((table for table, entries in drawn.items() if number in entries), "")


def _finished(event: Event, made: Finished) -> Event:
    outcome = made.outcome
    had = event.outcome(outcome.round, outcome.table)
    where = f"table {outcome.table} in round {outcome.round}"
    if not outcome.match or outcome.match in event.voided:
        raise EventError(f"the result of {where} comes from a match that does not count")
    if had and had.reason:
        raise EventError(f"{where} has a result entered by hand: void it to use the record's")
    if any(other.match == outcome.match and other != had for other in event.outcomes):
        raise EventError(f"the result of {where} comes from a match that counts for another table")
    if had and had.match != outcome.match:
        raise EventError(f"{where} has the result of another match already: void it to use this one's")
    return _with_outcome(event, outcome)


def _corrected(event: Event, made: Corrected) -> Event:
    if not made.outcome.reason.strip():
        raise EventError("a result entered by hand needs a reason")
    had = event.outcome(made.outcome.round, made.outcome.table)
    return _with_outcome(event, replace(made.outcome, match=had.match if had else ""))


def _with_outcome(event: Event, outcome: Outcome) -> Event:
    seats = event.seats(outcome.round, outcome.table)
    where = f"table {quoted_value(outcome.table)} in round {outcome.round}"
    if seats is None:
        raise EventError(f"{where} is not drawn")
    playing = {number for number in seats.entries if _plays(event, number, outcome.round)}
    given = outcome.points.keys()
    if not playing <= given or not given <= set(seats.entries) or given != outcome.places.keys():
        raise EventError(f"the result of {where} must name {list_text(_names(event, seats.entries))} and no others")
    for place in outcome.places.values():
        if place != 1 + sum(other < place for other in outcome.places.values()):
            raise EventError(f"the places of {where} must be like 1, 1, 3, got {list_text(outcome.places.values())}")
    if event.outcome(outcome.round, outcome.table) is None:
        return replace(event, outcomes=(*event.outcomes, outcome))
    same = (outcome.round, outcome.table)
    outcomes = tuple(outcome if (had.round, had.table) == same else had for had in event.outcomes)
    return replace(event, outcomes=outcomes)


def _voided(event: Event, made: Voided) -> Event:
    had = event.outcome(made.round, made.table)
    if had is None:
        raise EventError(f"table {quoted_value(made.table)} in round {made.round} has no result")
    outcomes = tuple(outcome for outcome in event.outcomes if outcome != had)
    voided = (*event.voided, had.match) if had.match else event.voided
    return replace(event, outcomes=outcomes, voided=voided)


def _closed(event: Event, made: Closed) -> Event:
    return replace(event, closed=True)


_APPLY: dict[type, Callable[[Event, Json], Event]] = {
    Opened: _opened,
    Entered: _entered,
    Left: _left,
    Returned: _returned,
    Drawn: _drawn,
    Moved: _moved,
    Finished: _finished,
    Corrected: _corrected,
    Voided: _voided,
    Closed: _closed,
}


def _check_undone(event: Event, made: Undone) -> None:
    last = len(event.decisions)
    if not 2 <= made.number <= last:
        raise EventError(f"decisions 2 to {last} can be undone, got {made.number}")
    if made.number in undone(event.decisions):
        raise EventError(f"decision {made.number} is undone already")


def _check_texts(decision: Decision) -> None:
    texts = (decision.by, getattr(decision, "reason", ""), getattr(getattr(decision, "outcome", None), "reason", ""))
    for text in texts:
        if len(text) > MOST_TEXT or (text and not text.isprintable()):
            raise EventError(f"a reason or name has at most {MOST_TEXT} printable characters, got {quoted_value(text)}")


def _known(event: Event, number: int) -> Entry:
    entry = event.entry(number)
    if entry is None:
        raise EventError(f"entry {number} does not exist")
    return entry


def _taking_part(event: Event, number: int) -> Entry:
    entry = _known(event, number)
    if entry.until is not None:
        raise EventError(f"{entry.name} has dropped out")
    return entry


def _plays(event: Event, number: int, round_: int) -> bool:
    until = _known(event, number).until
    return until is None or until >= round_


def _names(event: Event, numbers: Iterable[int]) -> Iterator[str]:
    return (_known(event, number).name for number in numbers)


def _with_entry(event: Event, entry: Entry) -> Event:
    return replace(event, entries=tuple(entry if had.number == entry.number else had for had in event.entries))


# -- draws ---------------------------------------------------------------------------------------------------------


def draw(event: Event, tables: Sequence[str], seed: int, again: bool = False, by: str = "") -> Drawn:
    """Return the draw of the next round, or of the last one again.

    tables: the names of free tables; the first ones are used. Raises EventError if the round cannot be drawn.
    """
    now = event
    if again and event.round:
        now = replace(event, rounds=event.rounds[:-1], byes=event.byes[:-1])
    if last_drawn(now):
        raise EventError(f"round {now.round} is the last one: close the event when it has all results")
    check_results(now)
    groups = next_round(now, seed)
    playing = [group for group in groups if len(group) > 1]
    if len(playing) > len(set(tables)):
        raise EventError(f"{len(playing)} tables are needed, {len(set(tables))} are given: {list_text(tables)}")
    number = now.round + 1
    named = zip(dict.fromkeys(tables), playing, strict=False)
    seats = tuple(Seats(number, table, tuple(group)) for table, group in named)
    drawn = Drawn(number, seats, tuple(group[0] for group in groups if len(group) == 1), seed, by)
    check(event, drawn)
    return drawn


def complete(event: Event) -> bool:
    """Return whether all rounds are drawn and have all their results."""
    return last_drawn(event) and not any(event.open_tables(number + 1) for number in range(event.round))


def warnings(event: Event) -> tuple[str, ...]:
    """Return what does not fit together any more, a sentence each: late results, and corrections after a draw."""
    late = [
        f"Round {number} has no result of table {seats.table} yet."
        for number in range(1, event.round)
        for seats in event.open_tables(number)
    ]
    return (*late, *(_misplaced(event) if event.format.kind == "elimination" else ()))


def _misplaced(event: Event) -> Iterator[str]:
    """Yield, for each round of an elimination, whom today's results would have drawn otherwise."""
    for number in range(2, event.round + 1):
        past = elimination.before(event, number)
        if past.open_tables(number - 1):
            continue
        drawn = {entry for seats in event.rounds[number - 1] for entry in seats.entries} | {*event.byes[number - 1]}
        due, active = set(elimination.entrants(past)), {entry.number for entry in past.active}
        if missing := due - drawn:
            wrong = list_text(_names(event, sorted((drawn & active) - due)))
            begun = any(outcome.round >= number for outcome in event.outcomes) or number < event.round
            then = "It has begun and stays as it is." if begun else "Draw it again."
            right = list_text(_names(event, sorted(missing)))
            yield f"By today's results round {number} is for {right}, not for {wrong}. {then}"


# -- records -------------------------------------------------------------------------------------------------------


def is_over(event: Event, record: Record) -> bool:
    """Return whether a record ends the match: it has a winner, or a total has reached the event's target."""
    target = event.game.target
    totals = account(record.match).totals.values()
    return bool(record.winners) or (target is not None and max(totals, default=0) >= target)


def place_of_record(event: Event, table: str, record: Record) -> Outcome | None:
    """Return the outcome that a record gives, for the drawn table that it belongs to; None if there is none.

    The record's teams must be those drawn at one table, in any order, apart from entries that dropped out before.
    This table in its oldest round without a result comes first, then other tables, in case the players sat elsewhere.
    Decisions such as `Left`, `Moved`, `Voided` can give a place to a record that had none before.
    """
    if record.id in event.voided:
        return None
    for seats in _candidates(event, table, record.id):
        teams = _teams_at(event, seats, record)
        if teams is not None:
            told = account(record.match)
            points = {number: Fraction(told.totals[team]).limit_denominator(1000) for number, team in teams.items()}
            places = {number: told.ranks[team] for number, team in teams.items()}
            return Outcome(seats.round, seats.table, record.id, points, places)
    return None


def _candidates(event: Event, table: str, match: str) -> list[Seats]:
    """Return the tables that a match may belong to, the likeliest first; those with a result by hand last."""
    had = {(outcome.round, outcome.table): outcome for outcome in event.outcomes}
    places = [seats for drawn in event.rounds for seats in drawn]
    for seats in places:
        if (outcome := had.get((seats.round, seats.table))) and outcome.match == match:
            return [seats]
    free = [
        seats for seats in places if (seats.round, seats.table) not in had or not had[seats.round, seats.table].match
    ]
    return sorted(free, key=lambda seats: ((seats.round, seats.table) in had, seats.table != table, seats.round))


def _teams_at(event: Event, seats: Seats, record: Record) -> dict[int, str] | None:
    """Return the record's team of each entry of a table; None if these are others."""
    teams = {tuple(sorted(folded(player.name) for player in team.players)): team.name for team in record.teams}
    entries = {tuple(sorted(map(folded, entry.names))): entry for n in seats.entries if (entry := event.entry(n))}
    found = {entry.number: teams[key] for key, entry in entries.items() if key in teams}
    strange = [name for key, name in teams.items() if key not in entries]
    missing = [entry for key, entry in entries.items() if key not in teams]
    if len(strange) == len(missing) == 1 and any(map(is_placeholder, missing[0].names)):
        found[missing[0].number] = strange[0]  # its name was forgotten here before it was in the record
    playing = {number for number in seats.entries if _plays(event, number, seats.round)}
    return found if len(found) == len(record.teams) and playing <= found.keys() else None


# -- people --------------------------------------------------------------------------------------------------------


def forget(decisions: Iterable[Decision], name: str) -> tuple[Decision, ...]:
    """Return the decisions without a person's name, for all its spellings: "Player" and the entry's number instead.

    In reasons the name is replaced where it is a word.
    """
    made = tuple(decisions)
    entered = [decision for decision in made if isinstance(decision, Entered)]
    number = next((had.number for had in entered if folded(name) in map(folded, had.names)), 1)
    neutral = neutral_name(number, (other for had in entered for other in had.names))
    return tuple(_renamed(decision, name, neutral) for decision in made)


def _renamed(decision: Decision, name: str, neutral: str) -> Decision:
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    changes: dict[str, Json] = {"by": neutral if folded(decision.by) == folded(name) else decision.by}
    if isinstance(decision, Entered):
        changes["names"] = tuple(neutral if folded(had) == folded(name) else had for had in decision.names)
    if isinstance(decision, Corrected):
        changes["outcome"] = replace(decision.outcome, reason=word.sub(neutral, decision.outcome.reason))
    if (reason := getattr(decision, "reason", None)) is not None:
        changes["reason"] = word.sub(neutral, reason)
    return replace(decision, **changes)
