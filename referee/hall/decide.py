"""Decisions of an event: apply, undo and draw; assign records to tables; forget people."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from referee.core.documents.match import account
from referee.core.documents.record import Record, neutral_name
from referee.core.model.paper import Account
from referee.core.model.registry import other_rules, preset_name, rules_in_force
from referee.core.model.table import Setup
from referee.core.names import fold as folded
from referee.core.names import is_placeholder
from referee.core.reading import list_text, value_text
from referee.core.values import Json, by_identity, replace
from referee.hall.changes import applied, check_results, check_texts, names_of, plays
from referee.hall.formats import elimination, last_drawn, next_round
from referee.hall.formats import standings as standings
from referee.hall.model import (
    Corrected,
    Decision,
    Drawn,
    Entered,
    Event,
    EventError,
    Outcome,
    Seats,
    Text,
    Undone,
    places_of,
)

_Names = tuple[str, ...]


def fold(decisions: Iterable[Decision]) -> Event:
    """Return the event after these decisions.

    Raises EventError if one does not fit and is not undone.
    """
    made = tuple(decisions)
    return replace(_without_undone(made), decisions=made)


def after(event: Event, decision: Decision) -> Event:
    """Return the event after one more decision. Raises EventError if it does not fit."""
    made = (*event.decisions, decision)
    if isinstance(decision, Undone):
        check_texts(decision)
        _check_undone(event, decision)
        try:
            return fold(made)
        except EventError as error:
            raise EventError("without", error=error.text) from None
    return replace(applied(event, decision), decisions=made)


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
            event = applied(event, decision)
        except EventError as error:
            raise EventError("unfit", number=number, error=error.text) from None
    return event


def _check_undone(event: Event, made: Undone) -> None:
    last = len(event.decisions)
    if not 2 <= made.number <= last:
        raise EventError("undo_which", last=last, given=made.number)
    if made.number in undone(event.decisions):
        raise EventError("undone_already", number=made.number)


# -- draws ---------------------------------------------------------------------------------------------------------


def draw(event: Event, tables: Sequence[str], seed: int, again: bool = False, by: str = "") -> Drawn:
    """Return the draw of the next round, or with `again` a new draw of the last round.

    tables: the names of free tables; the first ones are used. Raises EventError if the round cannot be drawn.
    """
    now = event
    if again and event.round:
        now = replace(event, rounds=event.rounds[:-1], byes=event.byes[:-1])
    if last_drawn(now):
        raise EventError("last_round", round=now.round)
    check_results(now)
    groups = next_round(now, seed)
    playing = [group for group in groups if len(group) > 1]
    if len(playing) > len(set(tables)):
        raise EventError("tables_needed", needed=len(playing), given=len(set(tables)), tables=", ".join(tables) or "-")
    number = now.round + 1
    named = zip(dict.fromkeys(tables), playing, strict=False)
    seats = tuple(Seats(number, table, tuple(group)) for table, group in named)
    drawn = Drawn(number, seats, tuple(group[0] for group in groups if len(group) == 1), seed, by)
    check(event, drawn)
    return drawn


def complete(event: Event) -> bool:
    """Return whether all rounds are drawn and all their results are known."""
    return last_drawn(event) and not any(event.open_tables(number + 1) for number in range(event.round))


def warnings(event: Event) -> tuple[Text, ...]:
    """Return warnings: missing results, and draws that corrections have made wrong."""
    late = [
        Text("late", {"round": number, "table": seats.table})
        for number in range(1, event.round)
        for seats in event.open_tables(number)
    ]
    return (*late, *(_misplaced(event) if event.format.kind == "elimination" else ()))


def _misplaced(event: Event) -> Iterator[Text]:
    """Yield a warning for each round of an elimination whose entries contradict the results."""
    for number in range(2, event.round + 1):
        past = elimination.before(event, number)
        if past.open_tables(number - 1):
            continue
        drawn = {entry for seats in event.rounds[number - 1] for entry in seats.entries} | {*event.byes[number - 1]}
        due, active = set(elimination.entrants(past)), {entry.number for entry in past.active}
        if missing := due - drawn:
            wrong = sorted((drawn & active) - due)
            begun = any(outcome.round >= number for outcome in event.outcomes) or number < event.round
            values: dict[str, Json] = {
                "round": number,
                "right": list_text(names_of(event, sorted(missing))),
                "wrong": list_text(names_of(event, wrong)),
                "then": Text("begun" if begun else "draw_again"),
            }
            yield Text("misplaced" if wrong else "missing", values)


# -- records -------------------------------------------------------------------------------------------------------


def counted(event: Event, record: Record) -> Account:
    """Return the account of a match as far as it counts in the event.

    If the event's target is lower than the table's, hands after the one that reaches it do not count.
    """
    scored, target = account(record.match), event.game.target
    totals = {who: total - sum(hand.get(who, 0) for hand in scored.hands) for who, total in scored.totals.items()}
    if target is None or max(totals.values()) >= target or _target(record) <= target:
        return scored
    for number, hand in enumerate(scored.hands, 1):
        totals = {who: total + hand.get(who, 0) for who, total in totals.items()}
        if max(totals.values()) >= target and number < len(scored.hands):
            return replace(scored, hands=scored.hands[:number], totals=totals, ranks=places_of(totals))
    return scored


def _target(record: Record) -> float:
    """Return the points that end a match at its table; infinity if its game goes on until the table ends it."""
    options: Json = record.match.get("options", {})
    rules = dict(rules_in_force(Setup(record.preset, tuple(options.items()))))
    return float(rules.get("target", math.inf))


def is_over(event: Event, record: Record) -> bool:
    """Return whether a match is over: it has a winner, or a total reaches the event's target."""
    target = event.game.target
    totals = counted(event, record).totals.values()
    return bool(record.winners) or (target is not None and max(totals, default=0) >= target)


def other_game(event: Event, record: Record) -> Text | None:
    """Return a sentence if a match was played by other rules than the event's; None if not.

    A table's target may be higher than the event's.
    """
    names = {"played": preset_name(record.preset), "wanted": preset_name(event.game.preset)}
    if record.preset != event.game.preset:
        return Text("other_game", names)
    options: Json = record.match.get("options", {})
    setups = (Setup(record.preset, tuple(own.items())) for own in (options, event.game.rules))
    other = [
        f"{name} {value_text(had)} ({value_text(wanted)})"
        for name, had, wanted in other_rules(*setups)
        if name != "target" or event.game.target is None or had < event.game.target
    ]
    return Text("other_rules", names | {"rules": ", ".join(other)}) if other else None


def place_of_record(event: Event, table: str, record: Record) -> Outcome | None:
    """Return a record's outcome at the drawn table to which it belongs; None without one.

    table: where the match was played. The record's teams must be those drawn at one table, in any order; entries that
    have dropped out may be missing. The search begins with this table's oldest round without a result. Then it goes to
    other tables, because the players may have sat elsewhere. Decisions such as `Left`, `Moved` and `Voided` can change
    the answer.
    """
    if record.id in event.voided:
        return None
    names = {tuple(sorted(folded(player.name) for player in team.players)): team.name for team in record.teams}
    known = _folded_names(event)
    for seats in _candidates(event, table, record.id):
        teams = _teams_at(event, seats, names, known)
        if teams is not None:
            scored = counted(event, record)
            points = {number: Fraction(scored.totals[team]).limit_denominator(1000) for number, team in teams.items()}
            places = {number: scored.ranks[team] for number, team in teams.items()}
            return Outcome(seats.round, seats.table, record.id, points, places)
    return None


def _candidates(event: Event, table: str, match: str) -> list[Seats]:
    """Return the tables that a match may belong to, the likeliest first.

    Results entered by hand come last.
    """
    had = {(outcome.round, outcome.table): outcome for outcome in event.outcomes}
    places = [seats for drawn in event.rounds for seats in drawn]
    for seats in places:
        if (outcome := had.get((seats.round, seats.table))) and outcome.match == match:
            return [seats]
    free = [
        seats for seats in places if (seats.round, seats.table) not in had or not had[seats.round, seats.table].match
    ]
    return sorted(free, key=lambda seats: ((seats.round, seats.table) in had, seats.table != table, seats.round))


def _teams_at(
    event: Event, seats: Seats, teams: Mapping[_Names, str], known: Mapping[int, _Names]
) -> dict[int, str] | None:
    """Return entry -> the record's team for a table; None if the record has other players.

    teams: names of the record's teams. known: see `_folded_names`.
    """
    found = {number: teams[known[number]] for number in seats.entries if known.get(number) in teams}
    missing = [number for number in seats.entries if number not in found]
    if len(missing) == 1 == len(teams) - len(found):  # a name may be forgotten in the event, but not yet in the record
        entry = event.entry(missing[0])
        if entry is not None and any(map(is_placeholder, entry.names)):
            (found[entry.number],) = {*teams.values()} - {*found.values()}
    if len(found) != len(teams):
        return None
    return found if all(n in found for n in seats.entries if plays(event, n, seats.round)) else None


@by_identity(8)
def _folded_names(event: Event) -> Mapping[int, _Names]:
    """Return entry -> its names in the form in which they are compared."""
    return {entry.number: tuple(sorted(map(folded, entry.names))) for entry in event.entries}


# -- people --------------------------------------------------------------------------------------------------------


def forget(decisions: Iterable[Decision], name: str) -> tuple[Decision, ...]:
    """Return the decisions with a person's name replaced, in all its spellings.

    It becomes "Player" and the entry's number, 0 for a person who is not entered. In reasons it is replaced only as a
    whole word.
    """
    made = tuple(decisions)
    entered = [decision for decision in made if isinstance(decision, Entered)]
    number = next((had.number for had in entered if folded(name) in map(folded, had.names)), 0)
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
