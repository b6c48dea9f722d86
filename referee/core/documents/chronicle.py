"""Find an evening's matches in its events; make a record from each match's last state.

Theory of operation. A table carries the id of its match and a story for each hand (`match/past.py`), so a record is a
function of a state. `Matches` keeps the last state of each match, both during an evening and when a journal is read
again as after a restart (`comeback.py`). Undone hands are absent from that state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
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
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Event, Undone
from referee.core.model.labels import number as seat_number
from referee.core.model.registry import game_of, presets, with_a_part
from referee.core.model.state import State
from referee.core.model.table import HandStory, Table
from referee.core.names import writable
from referee.core.phases.photo import photo_of
from referee.core.presses.arbiter import CalledPress
from referee.core.presses.arbiter import Verdict as Ruling
from referee.core.reading import number
from referee.core.units import MS
from referee.core.values import replace


class Matches:
    """The matches of an evening: `states` maps an id to the match's last state, oldest first."""

    def __init__(self) -> None:
        self.states: dict[str, State] = {}

    def note(self, seq: int, event: Event, before: State, after: State) -> None:
        """Keep the state after an applied event as the last state of its match.

        If the beginning of a match is undone, the match is dropped until its beginning is redone.
        """
        was, now = before.table, after.table
        if isinstance(event, Undone) and event.seq == was.begun and now.match != was.match:
            self.states.pop(was.match, None)
        if now.match:
            self.states[now.match] = after


def matches_of(rows: Iterable[JournalRow], skip: Collection[int] = ()) -> dict[str, State]:
    """Return match id -> last state for an evening's rows. Arguments: see `Engine.restored`."""
    found = Matches()
    Engine.restored(rows, skip, watch=found.note)
    return found.states


def records(rows: Iterable[JournalRow], walls: Mapping[int, int], skip: Collection[int] = ()) -> list[Record]:
    """Return a record for each match with a recorded hand, the oldest first.

    walls: event number -> Unix seconds.
    """
    states = matches_of(rows, skip).values()
    return [record for state in states if (record := record_of(state, walls)) is not None]


def records_with_rows(
    rows: Iterable[JournalRow], walls: Mapping[int, int], skip: Collection[int] = ()
) -> dict[str, tuple[Record, int]]:
    """Return match id -> its record, and the number of the last event that changed it; 0 if it began so.

    Times do not count.
    """
    found, last = Matches(), dict[str, tuple[Record | None, int]]()

    def note(seq: int, event: Event, before: State, after: State) -> None:
        found.note(seq, event, before, after)
        id_ = after.table.match
        if id_ not in last or after.table is not before.table:
            record = record_of(after, {})
            if id_ not in last or last[id_][0] != record:
                last[id_] = record, 0 if after is before else seq

    Engine.restored(rows, skip, watch=note)
    made = ((id_, record_of(state, walls)) for id_, state in found.states.items())
    return {id_: (record, last[id_][1]) for id_, record in made if record is not None}


def record_of(state: State, walls: Mapping[int, int]) -> Record | None:
    """Return the record of the match at the table; None while it has no recorded hand.

    walls: event number -> Unix seconds.
    """
    if not state.table.hands:
        return None
    table = with_a_part(state.table)
    players = [tuple(_player(table, station) for station in team.stations) for team in table.teams]
    teams = tuple(TeamRecord(name, who) for name, who in zip(team_names(players), players, strict=True))
    names = {team.id: named.name for team, named in zip(table.teams, teams, strict=True)}
    match = presets()[table.setup.preset].match_document(table, names)
    return Record(
        id=table.match,
        begun_s=walls.get(table.begun),
        ended_s=walls.get(table.stories[-1].seq),
        teams=teams,
        hands=tuple(_hands(table, names, account(match).hands, walls)),
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
    table: Table, names: Mapping[str, str], played: Iterable[Mapping[str, object]], walls: Mapping[int, int]
) -> Iterator[HandRecord]:
    """Yield each hand with its scores, its play time and the verdict on its call."""
    for at, (story, scored) in enumerate(zip(table.stories, played, strict=True)):
        places = game_of(table).standings(replace(table, hands=table.hands[: at + 1]))
        yield HandRecord(
            scores={names[p.team]: number(p.delta or Fraction(0)) for p in places if names[p.team] in scored},
            played_ms=None if story.played_ns is None else story.played_ns // MS,
            verdict=_verdict(story, names),
            counted_s=walls.get(story.seq),
            calls=tuple(_calls(table, at)),
            reasons=tuple(why for hand, why in table.corrections if hand == at + 1),
            head_starts=tuple((seat_number(table, station), s) for station, s in story.head_starts),
        )


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


def _verdict(story: HandStory, names: Mapping[str, str]) -> VerdictRecord | None:
    ruling = story.verdict
    return None if ruling is None else VerdictRecord(ruling.kind, ruling.grey, names[ruling.first], _gap_ns(ruling))


def _gap_ns(ruling: Ruling) -> int | None:
    """Return the ns from the first caller's press to another team's next press.

    Presses that arrived late are included. None if there is no such press.
    """
    presses: list[CalledPress] = [*ruling.presses, *(press for press, _ in ruling.late), *ruling.ignored]
    own = [press.counts_ns for press in presses if press.team == ruling.first]  # empty if the table named another team
    others = [press.counts_ns for press in presses if press.team not in (ruling.first, *ruling.refuted)]
    later = (t_ns - min(own) for t_ns in others if own and t_ns >= min(own))
    return min(later, default=None)
