"""The state of the core: the table, its phase, contacts, open gestures and the menu.

All values are frozen, with a few simple queries. Absolute instants in a phase end in `_at_ns`. A restart or an undo
shifts all of them by the same amount (`shift_instants`), so that an open deadline keeps its remaining time. Other names
that end in `_ns` are durations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from referee.core.messages import Msg
from referee.core.model.events import Cue, Decision, KnownName
from referee.core.model.lamps import Shown, Times, Wink
from referee.core.model.menu import Menu
from referee.core.model.table import Seat, Table, seats_of
from referee.core.model.view import Screen
from referee.core.presses.signals import KNOB, Contact, Edge, Press
from referee.core.units import MS
from referee.core.values import Value, replace

GUARD_NS = 700 * MS
"""Guard time: the minimum time from a question's appearance to the press that answers it."""
TRAIL = 192
"""Maximum number of edge rows kept for the photo finish: 16 for each of 12 contacts."""


class Phase(Value):
    """What the table is doing now.

    `asked_at_ns`: when the phase's question appeared. Answers count only after a guard time.
    """

    asked_at_ns: int
    name: ClassVar[str] = ""
    waits: ClassVar[bool] = False
    """Whether the table can wait in this phase for any time.

    After a power cut the match resumes in such a phase directly; any other needs a pause first.
    """
    races: ClassVar[bool] = False
    """Whether players race in this phase.

    Every interruption (a link down, a power cut) then leads to a pause.
    """
    guarded: ClassVar[bool] = False
    """Whether an answer must begin at least the guard time after the question appeared."""
    asks_all: ClassVar[bool] = False
    """Whether this phase asks all players. Answers to the question before it do not count."""
    faults: ClassVar[bool] = False
    """Whether a lamp may show that its button is held down for too long (a likely defect).

    False in play and in the countdown before it.
    """
    undoes: ClassVar[bool] = True
    """Whether the menu of this phase offers to undo the last decision."""
    counted_down: ClassVar[bool] = False
    """Whether only games with a countdown ("ready, set, go") have this phase."""

    argued: ClassVar[bool] = False
    """Whether the players may argue here over a call or a count. Lists then stay open longer."""
    slow_knob: ClassVar[bool] = False
    """Whether the knob must be held as long as a button (`hold_ns`) instead of 0.3 s."""

    def too_early(self, team: str, station: str, t_ns: int) -> bool:
        """Return whether a press that began at `t_ns` is too early to be an answer of this team."""
        return self.guarded and t_ns < self.asked_at_ns + GUARD_NS

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        """Return the phase's next deadline given the contacts, None if there is none."""
        return None

    def takes_push(self) -> bool:
        """Return whether the phase's own row handles a knob push now. Otherwise the menu opens."""
        return True

    def inverted_at_ns(self) -> tuple[int, int]:
        """Return the span (begin, end) in which the whole screen is inverted; (0, 0) if it is not."""
        return (0, 0)

    def first_page_at_ns(self) -> int:
        """Return when the display showed the first page of a screen that turns its pages by time."""
        return self.asked_at_ns

    def locked_until_ns(self) -> int:
        """Return until when presses cannot answer the questions that this phase asks.

        A call locks the buttons briefly.
        """
        return self.asked_at_ns

    def go_ns(self) -> int | None:
        """Return the instant of GO during a countdown, else None."""
        return None

    def play_at_pause(self, at_ns: int) -> Play | None:
        """Return the play to resume after a pause, its clock stopped at `at_ns`; None without play."""
        return None

    def cut_off(self, state: State) -> Decision | None:
        """Return the decision to take after a power cut in this phase; None if there is none."""
        return None

    def after_waiting(self, since_ns: int, now_ns: int) -> Phase:
        """Return the phase as it continues after another phase covered it since `since_ns`.

        Its deadlines shift by that time, so no time is lost.
        """
        back = shift_instants(self, now_ns - since_ns)
        return replace(back, asked_at_ns=now_ns) if self.asks_all else back

    def under_undo(self, now_ns: int) -> Phase:
        """Return the phase to which an undo returns: this one, or the phase that this one covers.

        A covered phase has been waiting until `now_ns`. Its deadlines are shifted by the length of that wait.
        """
        return self

    def after_undo(self) -> Phase:
        """Return this phase as it is after an undo has returned to it.

        Taps that would cause the undone decision again are deleted, so the players must tap again.
        """
        return self

    def after_cut(self) -> Phase:
        """Return this phase as it is after a power cut.

        Entries that were not saved are deleted, and so are taps: the players must tap again.
        """
        return self

    def without_entries(self) -> Phase:
        """Return the phase without entries that players can still change.

        Outputs may show such entries before they are saved on disk; anything else must be saved first.
        """
        return self

    def after_move(self, old: str, new: str) -> Phase:
        """Return the phase after a player moved from button `old` to `new`.

        The player's tap on the old button is deleted: the player must tap again.
        """
        return self

    def after_mute(self, station: str) -> Phase:
        """Return the phase after this button is muted: its presses no longer count, because it is stuck or faulty."""
        return self

    def screen(self, state: State, now_ns: int, times: Times) -> Screen | None:
        """Return the phase's screen; None if it shows its menu (`Listed`).

        times: a list to which the method appends the instants at which the screen changes by time alone.
        """
        return None

    def lamps(self, state: State) -> Shown:
        """Return the lamps that are not dark."""
        return {}


class Listed(Phase):
    """A phase that has no screen of its own: its menu is always open and is shown instead."""

    list_title: ClassVar[Msg]

    def list_heading(self) -> Msg:
        """Return the title of the menu, as it is now."""
        return self.list_title


class Resting(Phase):
    """A phase without play or a pending verdict: seats, counts and settings can change."""

    faults: ClassVar[bool] = True


class UnderWay(Resting):
    """A phase of a match without play or a pending verdict."""


class BetweenHands(Resting):
    """A phase between hands in which all players must tap.

    `ready`: the stations that have tapped.
    """

    guarded: ClassVar[bool] = True
    asks_all: ClassVar[bool] = True

    def after_cut(self) -> Phase:
        return self._with_ready(frozenset())

    def after_undo(self) -> Phase:
        return self.after_cut()  # otherwise their taps would repeat the undone decision

    def after_move(self, old: str, new: str) -> Phase:
        ready: frozenset[str] = getattr(self, "ready", frozenset())  # each phase of this kind has the field `ready`
        return self._with_ready(ready - {old})

    def _with_ready(self, ready: frozenset[str]) -> Phase:
        changes: dict[str, Any] = {"ready": ready}  # Any: mypy knows only the fields of this class
        return replace(self, **changes)


class Play(Phase):
    """A game's phase in which players play a hand; `playing`: the ids of the teams in it."""

    name: ClassVar[str] = "PLAYING"
    playing: tuple[str, ...] = ()

    def play_at_pause(self, at_ns: int) -> Play | None:
        return self

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> Phase:
        """Return the play as it continues after a pause.

        `go_at_ns`: when it continues; `armed_at_ns`: from when presses count.
        """
        return replace(self, asked_at_ns=armed_at_ns)


def inner_of(phase: Phase) -> Phase | None:
    """Return the phase that this phase covers, and returns to; None if there is none."""
    inner = getattr(phase, "inner", None)  # a phase that covers another one keeps it under this name
    return inner if isinstance(inner, Phase) else None


def play_of(phase: Phase) -> Play | None:
    """Return the phase of play that this phase stores, to resume it; None if it stores none."""
    play = getattr(phase, "play", None)  # a phase that keeps a play has it under this name
    return play if isinstance(play, Play) else None


def playing_of(phase: Phase) -> tuple[str, ...]:
    """Return the ids of the teams that play the hand; empty if the phase does not store them."""
    playing: tuple[str, ...] = getattr(phase, "playing", ())  # a phase with teams has them under this name
    return playing


def _instants(phase: Phase) -> tuple[str, ...]:
    return tuple(name for name in phase.__struct_fields__ if name.endswith("_at_ns"))


def shift_instants(phase: Phase, by_ns: int) -> Phase:
    """Shift every instant of the phase, and of the phases that it covers, by `by_ns`."""
    changes: dict[str, Any] = {}  # Any: a field's new value has the type of the old one
    for name in _instants(phase):
        value = getattr(phase, name)
        changes[name] = tuple(v + by_ns for v in value) if isinstance(value, tuple) else value and value + by_ns
    inner = inner_of(phase)
    if inner is not None:
        changes["inner"] = shift_instants(inner, by_ns)
    return replace(phase, **changes)


def fresh(phase: Phase, t_ns: int) -> bool:
    """Return whether a press at `t_ns` began late enough to answer the phase's question."""
    return t_ns >= phase.asked_at_ns + GUARD_NS


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
