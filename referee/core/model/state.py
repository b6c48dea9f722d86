"""What the core knows at an instant: the table, its phase, contacts and open gestures, the list at the knob.

Frozen values, and the small questions one may ask of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.messages import Msg
from referee.core.model.events import Cue, Decision, KnownName
from referee.core.model.menu import Menu
from referee.core.model.phase import Phase
from referee.core.model.table import Seat, Table, seats_of
from referee.core.presses.signals import KNOB, Contact, Edge, Press
from referee.core.values import Value, replace

TRAIL = 192
"""Edge rows kept for the photo finish: twelve contacts at sixteen edges each."""


class Count(Value, tag="count"):
    """One team's count in progress: the digits of each field, which one is open, who holds the pen.

    refusal: the key of why it cannot be, while that is shown.
    """

    team: str
    values: tuple[int, ...]
    touched: tuple[bool, ...]
    cursor: int | None = 0
    pen: str | None = None
    refusal: str | None = None


class Hold(Value, tag="hold"):
    """A gesture in progress: the press that began it, and which thresholds it has passed (2 at most)."""

    press: Press
    passed: int = 0
    used: bool = False


class Wink(Value, tag="wink"):
    """A lamp's answer to a gesture: once for a tap, twice for a hold.

    merged: so many more taps came too soon after it for a wink of their own. follows: an earlier wink still hid what
    the lamp would have shown.
    """

    station: str
    at_ns: int
    times: int
    merged: int = 0
    follows: bool = False


class Toast(Value):
    """A short answer on the screen."""

    text: Msg
    until_at_ns: int


class Remembered(Value):
    """A decision that can be undone (state: before it) or redone (state: as it was when it was undone)."""

    seq: int
    label: str
    state: State


class State(Value, tag="state"):
    """The match at the instant of its last event. `seq` counts events; `rows` counts edge rows."""

    now_ns: int
    seq: int
    boot: str
    rows: int
    touched_at_ns: int
    contacts: tuple[Contact, ...]
    holds: tuple[Hold, ...]
    table: Table
    phase: Phase
    winks: tuple[Wink, ...] = ()
    menu: Menu | None = None
    toast: Toast | None = None
    undo: Remembered | None = None
    redo: Remembered | None = None
    trail: tuple[Edge, ...] = ()  # the last edge rows, the photo finish's evidence
    away: tuple[str, ...] = ()  # stations whose link is down
    address: str | None = None  # of the page, while there is one
    blinked_at_ns: int | None = None  # when the question last blinked at a tap that came too early
    known: tuple[KnownName, ...] = ()  # names used on this device, the last one first
    phones: tuple[tuple[str, str], ...] = ()  # (station, phone): which phone speaks for a seat
    revoked: int = 0  # the number of the event at which the table last forgot every phone

    def after_event(self, now_ns: int, contacts: tuple[Contact, ...] | None = None) -> State:
        """One event later, at `now_ns`; the contacts as they are by then."""
        return replace(self, now_ns=now_ns, seq=self.seq + 1, contacts=self.contacts if contacts is None else contacts)

    def after_edge(self, now_ns: int, contacts: tuple[Contact, ...], edge: Edge) -> State:
        """One edge row later: somebody has touched something, and the row is evidence."""
        return replace(
            self,
            now_ns=now_ns,
            seq=self.seq + 1,
            rows=self.rows + 1,
            touched_at_ns=now_ns,
            contacts=contacts,
            trail=(self.trail if len(self.trail) < TRAIL else self.trail[1:]) + (edge,),
        )


class Step(Value):
    """What one event led to. Decisions are appended as the next events; they take effect only then.

    astray: what led to a phase that its row of the transition table does not name, a sentence each.
    """

    state: State
    cues: tuple[Cue, ...] = ()
    decisions: tuple[Decision, ...] = ()
    astray: tuple[str, ...] = ()


def down(state: State) -> tuple[str, ...]:
    """The stations whose button is down at present, the knob apart."""
    return tuple(c.station for c in state.contacts if c.closed and c.station != KNOB)


def down_among(state: State, playing: tuple[str, ...]) -> tuple[str, ...]:
    """The stations of these teams whose button is down."""
    held = down(state)
    return tuple(station for station in seats_of(state.table, playing) if station in held)


def at_buttons(state: State, moves: Mapping[str, str]) -> State:
    """The same players with their phones, some of them at another button; what is wrong with a button stays there.

    moves: station -> the new one, which is free or another one's old one.
    """

    def new(station: str) -> str:
        return moves.get(station, station)

    table = state.table
    seats = {
        new(seat.station): Seat(new(seat.station), seat.name, None if seat.partner is None else new(seat.partner))
        for seat in table.seats
        if seat.name is not None
    }
    order = table.setup.stations.index
    table = replace(
        table,
        seats=tuple(seats.get(seat.station, Seat(seat.station)) for seat in table.seats),
        teams=tuple(replace(team, stations=tuple(sorted(map(new, team.stations), key=order))) for team in table.teams),
        absent=frozenset(map(new, table.absent)),
        agreed_by=tuple(map(new, table.agreed_by)),
        holding=tuple((team, new(station)) for team, station in table.holding),
    )
    return replace(state, table=table, phones=tuple((new(station), phone) for station, phone in state.phones))
