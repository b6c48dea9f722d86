"""The state of the core: the table, its phase, contacts, open gestures and the menu.

All values are frozen, with a few simple queries.
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
"""Maximum number of edge rows kept for the photo finish: 16 for each of 12 contacts."""


class Count(Value, tag="count"):
    """A team's count in progress.

    values: the value of each field. touched: whether it was entered. cursor: the field being entered; None when done.
    pen: who enters the count (a station, the knob, a phone). refusal: the key of the text that says why the count is
    impossible, while that is shown.
    """

    team: str
    values: tuple[int, ...]
    touched: tuple[bool, ...]
    cursor: int | None = 0
    pen: str | None = None
    refusal: str | None = None


class Hold(Value, tag="hold"):
    """A gesture in progress: the press of a button that has not been released yet.

    passed: 0 while the press is still short, 1 once it is a hold, 2 once it is a long hold.
    used: the lobby has already acted on this gesture.
    """

    press: Press
    passed: int = 0
    used: bool = False


class Wink(Value, tag="wink"):
    """The blink of a lamp that confirms a gesture: one flash for a tap, two for a hold.

    merged: the number of later taps that were too soon for a blink of their own. follows: this wink began while the
    lamp's previous wink had not ended.
    """

    station: str
    at_ns: int
    times: int
    merged: int = 0
    follows: bool = False


class Toast(Value):
    """A short message on the screen."""

    text: Msg
    until_at_ns: int


class Remembered(Value):
    """A decision that can be undone or redone.

    state: the state to which undo or redo returns: the state before the decision, or the state when it was undone.
    """

    seq: int
    label: str
    state: State


class State(Value, tag="state"):
    """The match after its last event. `seq`: number of events; `rows`: number of edge rows."""

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
    trail: tuple[Edge, ...] = ()  # the last edge rows, as evidence for the photo finish
    away: tuple[str, ...] = ()  # stations whose link is down
    address: str | None = None  # the page's address, None if there is no page
    blinked_at_ns: int | None = None  # when the question last blinked because of a tap in its guard time
    known: tuple[KnownName, ...] = ()  # names used on this device, the most recent first
    offered: tuple[KnownName, ...] = ()  # who plays next at this table, from a hall
    offered_game: str = ""  # the preset that they play
    offered_options: tuple[tuple[str, bool | int | str], ...] = ()  # the event's options
    phones: tuple[tuple[str, str], ...] = ()  # (station, phone): which phone acts for a seat
    clock_s: int | None = None  # the local wall clock at `now_ns` 0 in s, if it can be trusted
    revoked: int = 0  # the number of the event at which the device last forgot all phones
    wifi: bool = False  # whether the device has Wi-Fi that it can switch

    def after_event(self, now_ns: int, contacts: tuple[Contact, ...] | None = None) -> State:
        """Return the state one event later, at `now_ns`, with these contacts."""
        return replace(self, now_ns=now_ns, seq=self.seq + 1, contacts=self.contacts if contacts is None else contacts)

    def after_edge(self, now_ns: int, contacts: tuple[Contact, ...], edge: Edge) -> State:
        """Return the state one edge row later.

        The row wakes a dimmed display, and is kept as evidence for the photo finish.
        """
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
    """What one event leads to: the new state, decisions, and sounds.

    The Engine appends `decisions` as the next events; they take effect only then.
    astray: program errors. Each sentence names a new phase that the row of the transition table does not list among
    its targets.
    """

    state: State
    cues: tuple[Cue, ...] = ()
    decisions: tuple[Decision, ...] = ()
    astray: tuple[str, ...] = ()


def down(state: State) -> tuple[str, ...]:
    """Return the stations whose button is down, except the knob."""
    return tuple(c.station for c in state.contacts if c.closed and c.station != KNOB)


def down_among(state: State, playing: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stations of these teams whose button is down."""
    held = down(state)
    return tuple(station for station in seats_of(state.table, playing) if station in held)


def at_buttons(state: State, moves: Mapping[str, str]) -> State:
    """Move players, with their phones, to other buttons. A muted button stays muted.

    moves: station -> new station; each new station must be free, or left by another move.
    """

    def new(station: str) -> str:
        return moves.get(station, station)

    table = state.table
    seats = {
        new(seat.station): replace(seat, station=new(seat.station), partner=seat.partner and new(seat.partner))
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
        stories=tuple(
            replace(story, head_starts=tuple((new(station), s) for station, s in story.head_starts))
            for story in table.stories
        ),
    )
    return replace(state, table=table, phones=tuple((new(station), phone) for station, phone in state.phones))
