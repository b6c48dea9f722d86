"""The memory of past matches: an evening's rows to one plain record a match.

Theory of operation. The rows are folded as they were announced, the way a table comes back (`comeback.py`): every
decision is taken from the journal, none is derived again (that is what `referee replay` is for) but one whose row is
lost. A match begins with `Began`, or with `Rematched` at the same table; its record is made from the last state that
belonged to it, so undone hands are gone from it. What a state forgets (how long a hand took, who pressed when) is noted
when the hand is sealed, beside the very value that stands in the book: when undo and redo take it out and put it back,
the note goes with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from referee.core.documents.match import account
from referee.core.documents.record import (
    CallRecord,
    HandRecord,
    PlayerRecord,
    PressRecord,
    Record,
    TeamRecord,
    VerdictRecord,
    team_names,
)
from referee.core.match.comeback import Comeback
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Began, Opened, Redone, Rematched, Undone
from referee.core.model.labels import number as seat_number
from referee.core.model.registry import game_of, presets, with_a_part
from referee.core.model.state import State
from referee.core.model.table import Table
from referee.core.names import writable
from referee.core.phases.lobby import Lobby
from referee.core.phases.verdict import photo_of
from referee.core.presses.arbiter import CalledPress
from referee.core.presses.arbiter import Verdict as Ruling
from referee.core.reading import number
from referee.core.units import MS
from referee.core.values import Value, replace

# -- an evening to records -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Match:
    """A match while it is folded: its first row, the match it follows, its last own state, a note for each hand."""

    seq: int
    before: int = 0
    begun_seq: int | None = None
    state: State | None = None
    notes: tuple[_Note, ...] = ()


class _Note(Value):
    """A hand as it stands in the book (kept so that it can be known again), and what the book does not say."""

    hand: object
    played_ns: int | None
    ruling: Ruling | None
    seq: int


@dataclass(slots=True)
class _Book:
    """All matches of an evening; `open` is the one that rows belong to now."""

    matches: list[_Match]
    open: int = 0
    known: dict[int, _Note] = field(default_factory=dict)

    def go_on(self, seq: int, state: State) -> None:
        """A match whose beginning is elsewhere: how its hands went, nobody knows here."""
        table = state.phase.kept or state.table if isinstance(state.phase, Lobby) else state.table
        match = self.matches[self.open]
        match.begun_seq, match.state = seq, replace(state, table=table)
        match.notes = tuple(_Note(hand, None, None, seq) for hand in table.hands)
        self.known = {id(note.hand): note for note in match.notes}

    def turn(self, seq: int, event: object) -> None:
        """Which match this decision belongs to: a rematch begins one, undoing it goes back, redoing it forth."""
        if isinstance(event, Rematched):
            self.matches.append(_Match(seq, self.open, seq))
            self.open = len(self.matches) - 1
        elif isinstance(event, Undone) and event.seq == self.matches[self.open].seq:
            self.matches[self.open].state = None
            self.open = self.matches[self.open].before
        elif isinstance(event, Redone):
            self.open = next((n for n, match in enumerate(self.matches) if match.seq == event.seq), self.open)

    def note(self, seq: int, event: object, before: State, after: State) -> None:
        """The state after one more row."""
        self.turn(seq, event)
        if isinstance(after.phase, Lobby) and after.phase.again:
            return  # between two matches; the last one may still be gone on with
        match = self.matches[self.open]
        if isinstance(event, Began):
            match.begun_seq = seq
        match.state = after
        match.notes = tuple(self._notes_of(match.notes, seq, before, after))

    def _notes_of(self, notes: tuple[_Note, ...], seq: int, before: State, after: State) -> Iterator[_Note]:
        """A hand that was known keeps its note, one that was corrected takes its place's, a new one gets its own."""
        hands = after.table.hands
        for place, hand in enumerate(hands):
            note = self.known.get(id(hand))
            if note is None and len(hands) == len(notes):
                note = replace(notes[place], hand=hand)
            elif note is None:
                story = presets()[after.table.setup.preset].hand_story(before.phase)
                note = _Note(hand, *story, seq)
            self.known[id(hand)] = note
            yield note


def records(
    rows: Iterable[JournalRow],
    wall_clock: Mapping[int, int],
    skip: Collection[int] = (),
    altered: Collection[int] = (),
) -> list[Record | None]:
    """One record for each match that has begun between an `Opened` and the next one, oldest first.

    wall_clock: wall-clock seconds of rows, by their number. skip, altered: as in `Engine.restored`. None stands for a
    match that was undone before its first hand, so that the numbers of the others stay what they are. Raises what
    keeps a record from being made.
    """
    found = by_first_row(rows, wall_clock, skip, altered)
    for record in found.values():
        if isinstance(record, Exception):
            raise record
    return [record for record in found.values() if not isinstance(record, Exception)]


def by_first_row(
    rows: Iterable[JournalRow],
    wall_clock: Mapping[int, int],
    skip: Collection[int] = (),
    altered: Collection[int] = (),
) -> dict[int, Record | Exception | None]:
    """The same, each under the number of the row with which its match begins: that ends its record's id, too.

    What keeps a record from being made stands in its place, and costs no other match. Raises ValueError for rows
    that do not begin with `Opened`.
    """
    iterator = iter(rows)
    seq, opened = next(iterator, (0, None))
    if not isinstance(opened, Opened):
        raise ValueError("an evening begins with the event Opened")
    state = Engine(opened, seq - 1).state
    book = _Book([_Match(seq)])
    if opened.underway:
        book.go_on(seq, state)

    def watch(seq: int, event: object, before: State, after: State) -> None:
        if after.table is not before.table or isinstance(event, Began | Rematched | Undone | Redone):
            book.note(seq, event, before, after)

    back = Comeback(state, skip, altered, watch)
    for seq, event in iterator:
        back.take(seq, event)
    back.finish()
    begun = [match for match in book.matches if match.begun_seq is not None]
    return {match.seq: _try_record(f"{opened.boot}-{opened.at_ns}-{match.seq}", match, wall_clock) for match in begun}


def _try_record(id_: str, noted: _Match, wall_clock: Mapping[int, int]) -> Record | Exception | None:
    try:
        return _record(id_, noted, wall_clock)
    except Exception as error:  # rows that are lost may leave what no record can hold
        return error


def _record(id_: str, noted: _Match, wall_clock: Mapping[int, int]) -> Record | None:
    if noted.state is None or not noted.state.table.teams:
        return None
    table = with_a_part(noted.state.table)
    players = [tuple(_player(table, station) for station in team.stations) for team in table.teams]
    teams = tuple(TeamRecord(name, who) for name, who in zip(team_names(players), players, strict=True))
    names = {team.id: named.name for team, named in zip(table.teams, teams, strict=True)}
    match = presets()[table.setup.preset].match_document(table, names)
    told = _hands(table, noted.notes, names, account(match).hands)
    return Record(
        id=id_,
        begun_s=wall_clock.get(noted.begun_seq or 0),
        ended_s=wall_clock.get(noted.notes[-1].seq) if noted.notes else None,
        teams=teams,
        hands=tuple(
            replace(
                _hand(scores, note, names, wall_clock),
                calls=tuple(_calls(table, at)),
                reasons=tuple(why for hand, why in table.corrections if hand == at + 1),
            )
            for at, (scores, note) in enumerate(told)
        ),
        totals={names[place.team]: number(place.total) for place in game_of(table).standings(table)},
        winners=tuple(names[team] for team in game_of(table).winners(table)),
        match=match,
        agreed=dict(table.agreed) or None,
    )


def _player(table: Table, station: str) -> PlayerRecord:
    seat = table.seat(station)
    name = (seat.name or "").strip() if seat else ""
    n = seat_number(table, station)
    return PlayerRecord(n, name if writable(name) else f"Seat {n}")


def _hands(
    table: Table, notes: Sequence[_Note], names: Mapping[str, str], played: Sequence[Mapping[str, object]]
) -> Iterator[tuple[dict[str, object], _Note]]:
    """What each hand brought those who played it, as it was announced, and its note."""
    for n, (note, scored) in enumerate(zip(notes, played, strict=True), 1):
        places = game_of(table).standings(replace(table, hands=table.hands[:n]))
        yield {names[p.team]: number(p.delta or Fraction(0)) for p in places if names[p.team] in scored}, note


def _hand(
    scores: dict[str, object], note: _Note, names: Mapping[str, str], wall_clock: Mapping[int, int]
) -> HandRecord:
    played_ms = None if note.played_ns is None else note.played_ns // MS
    return HandRecord(scores, played_ms, _verdict(note.ruling, names), wall_clock.get(note.seq))


def _calls(table: Table, hand: int) -> Iterator[CallRecord]:
    for call in table.calls:
        if call.hand == hand:
            photo = photo_of(table, call.verdict, call.evidence)
            presses = tuple(
                PressRecord(
                    line.label.numbers[0],
                    line.press_ns,
                    line.err_ns,
                    line.closed,
                    line.caller,
                    line.late,
                    line.common_ns,
                )
                for line in photo.lines
            )
            yield CallRecord(photo.tie_window_ns, photo.span_ns, presses, photo.last)


def _verdict(ruling: Ruling | None, names: Mapping[str, str]) -> VerdictRecord | None:
    if ruling is None:
        return None
    return VerdictRecord(ruling.kind, ruling.grey, names[ruling.first], _gap_ns(ruling))


def _gap_ns(ruling: Ruling) -> int | None:
    """From the first caller's press to the first press of another team, listed or too late."""
    presses: list[CalledPress] = [*ruling.presses, *(press for press, _ in ruling.late), *ruling.ignored]
    own = [press.t_ns for press in presses if press.team == ruling.first]  # none: the table named somebody else
    others = [press.t_ns for press in presses if press.team not in (ruling.first, *ruling.refuted)]
    later = (t_ns - min(own) for t_ns in others if own and t_ns >= min(own))
    return min(later, default=None)
