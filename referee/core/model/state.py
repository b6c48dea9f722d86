"""What the core knows: frozen values, and the small questions one may ask of them.

Absolute instants in a phase end in `_at_ns`: a new boot or an undo moves them all by one step
(`shift_instants`), so that an open deadline keeps what was left of it. Everything
else that ends in `_ns` is a duration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from referee.core.messages import Msg, Part
from referee.core.model.events import Cue, Decision, KnownName
from referee.core.model.usual import PRESET
from referee.core.presses.arbiter import Verdict
from referee.core.presses.signals import KNOB, Contact, Edge, Press
from referee.core.units import MS, S
from referee.core.values import Document, Json, Value, replace, stored

if TYPE_CHECKING:
    from referee.core.model.labels import Shown, Times
    from referee.core.model.view import Screen

TRAIL = 192
"""Edge rows kept for the photo finish: twelve contacts at sixteen edges each."""
SEATS = tuple(str(number) for number in range(1, 13))
"""Every seat that a table can have: eight are wired, the others hang on pods."""
GUARD_NS = 700 * MS
"""An answer counts when its press begins this long after its question appeared."""


@stored("setup")
class Setup(Value):
    """The table as configured: which game, which stations, how long a hold is. Journaled whole as `Opened.setup`."""

    preset: str = PRESET
    options: tuple[tuple[str, object], ...] = ()
    stations: tuple[str, ...] = ("1", "2", "3", "4", "5", "6", "7", "8")
    names: tuple[tuple[str, str], ...] = ()
    hold_ns: int = 800 * MS
    max_err_ns: int = 10 * MS
    latency_ns: int = 0
    lockout_ns: int = 2 * S
    language: str = "en"
    volume_percent: int = 100
    brightness_percent: int = 100
    remote: tuple[str, ...] = ()
    """Stations whose rows come over a link and may be as late as `latency_ns`; a wired one's never are."""
    agreement: bool = False
    """Whether the table agrees on what it plays: before its first hand, and for every change."""
    device: ClassVar[tuple[str, ...]] = ("volume_percent", "language", "hold_ns", "brightness_percent")
    """What is set of the device itself, whatever match is played on it."""

    def lag_ns(self, station: str) -> int:
        """How late a row of that station may be and still be counted on."""
        return self.latency_ns if station in self.remote else 0

    def document(self) -> Document:
        """The same as plain JSON values."""
        known: Document = {name: getattr(self, name) for name in self.__struct_fields__}
        pairs = {"options": dict(self.options), "names": dict(self.names)}
        return known | pairs | {"stations": list(self.stations), "remote": list(self.remote)}

    @staticmethod
    def from_document(doc: Mapping[str, Json]) -> Setup:
        """The inverse of `document`; keys that are missing keep their defaults. ValueError for one that is unknown."""
        values = dict(doc)
        if strange := values.keys() - {*Setup.__struct_fields__}:
            raise ValueError(f"{', '.join(sorted(strange))} is no part of a setup that this referee knows")
        for name in ("options", "names"):
            if name in values:
                values[name] = tuple(values[name].items())
        for name in ("stations", "remote"):
            if name in values:
                values[name] = tuple(values[name])
        return Setup(**values)


@stored("seat")
class Seat(Value):
    """One station at the table; name None while nobody sits there; partner is the other station of a pair."""

    station: str
    name: str | None = None
    partner: str | None = None


@stored("team")
class Team(Value):
    """One or two seats. The id is its lowest station and never changes in a match."""

    id: str
    stations: tuple[str, ...]


@stored("adjustment")
class Adjustment(Value):
    """Points that the table gave a team, or took: after so many hands, and why (a key, or words of its own)."""

    after: int
    team: str
    points: Fraction
    reason: str = ""


@stored("time_out_taken")
class TimeOutTaken(Value):
    """A time out on record: in which hand (from 1), whose ("": nobody's), and why (a key)."""

    hand: int
    team: str
    why: str


@stored("call_evidence")
class CallEvidence(Value):
    """What was recorded round a call, for its photo finish. hand: which one it was made in, from 0."""

    hand: int
    verdict: Verdict
    evidence: tuple[Edge, ...] = ()


@stored("table")
class Table(Value):
    """What changes once in a while: the seats, the teams of this match and its sealed hands."""

    setup: Setup
    seats: tuple[Seat, ...]
    teams: tuple[Team, ...] = ()
    hands: tuple[Any, ...] = ()  # Any: results of whatever kind the game has, the oldest first
    absent: frozenset[str] = frozenset()  # stations that sit out
    muted: frozenset[str] = frozenset()  # stations that call, answer and block nothing
    unexplained: tuple[str, ...] = ()  # stations whose false call nobody has admitted, once for each
    joined: tuple[tuple[str, Fraction], ...] = ()  # newcomers' teams and where they started
    ended: bool = False  # the table has ended the match by its own will
    own: tuple[tuple[str, int], ...] = ()  # what a game keeps of a match, or of the hand at hand, beside its hands
    adjustments: tuple[Adjustment, ...] = ()  # points by the table's will, in the order in which they were given
    timeouts: tuple[TimeOutTaken, ...] = ()  # those whose cause the table has said
    teaching: bool = False  # the coming hand is explained line by line
    holding: tuple[tuple[str, str], ...] = ()  # (team, station): who of a pair has said to hold the reserve
    calls: tuple[CallEvidence, ...] = ()  # of this match, in their order; those of the hand at hand, too
    agreed: tuple[tuple[str, int | float | str | bool], ...] = ()  # the rules that all have agreed on
    agreed_by: tuple[str, ...] = ()  # the stations whose players were there
    corrections: tuple[tuple[int, str], ...] = ()  # (hand, from 1; a key): why past hands were counted otherwise

    def seat(self, station: str) -> Seat | None:
        """The seat of that station, None for the knob or an unknown one."""
        return next((seat for seat in self.seats if seat.station == station), None)

    def team_of(self, station: str) -> Team | None:
        """The team that the station speaks for; None for a bystander's, a muted one, and one that sits out."""
        silent = self.absent | self.muted
        return next((team for team in self.teams if station in team.stations and station not in silent), None)

    def booked_calls(self) -> Table:
        """The same without calls of hands that are not in the book: one that is dealt again had none."""
        return replace(self, calls=tuple(call for call in self.calls if call.hand < len(self.hands)))

    def with_seat(self, seat: Seat) -> Table:
        """The same table with that seat changed."""
        return replace(self, seats=tuple(seat if s.station == seat.station else s for s in self.seats))


# -- phases --------------------------------------------------------------------------------------------------------


class Phase(Value):
    """Where the match stands. `asked_at_ns`: when its question appeared (for the guard)."""

    asked_at_ns: int
    name: ClassVar[str] = ""
    waits: ClassVar[bool] = False
    """Whether the table can wait in it: after a power cut one comes back to it, not to a pause or the beats."""
    races: ClassVar[bool] = False
    """Whether cards move in it against the clock: whatever interrupts it comes back to a pause."""
    guarded: ClassVar[bool] = False
    """Whether a press that answers must have begun the guard time after the question appeared."""
    asks_all: ClassVar[bool] = False
    """Whether it asks everybody: who has just answered another question has not answered this one."""
    faults: ClassVar[bool] = False
    """Whether a lamp may tell that its button is down: not in play, and not in the beats before it."""
    undoes: ClassVar[bool] = True
    """Whether its list offers to undo the last decision."""
    counted_down: ClassVar[bool] = False
    """Whether only a table whose game has beats comes to it."""

    def too_early(self, team: str, station: str, t_ns: int) -> bool:
        """Whether a team's press, begun at `t_ns`, came before an answer to the question that is open for it counts."""
        return self.guarded and t_ns < self.asked_at_ns + GUARD_NS

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        """When this phase wants calling by the passing of time alone, given what the contacts are doing."""
        return None

    def takes_push(self) -> bool:
        """Whether a push is an answer to the phase itself; otherwise it opens the knob's list."""
        return True

    def inverted_at_ns(self) -> tuple[int, int]:
        """From when until when the whole screen is inverted; an empty span: not at all."""
        return (0, 0)

    def first_page_at_ns(self) -> int:
        """Since when what a display shows in pages, because it is too much for one, stands at its first."""
        return self.asked_at_ns

    def locked_until_ns(self) -> int:
        """Until when no press may answer whatever is asked out of this phase: a call locks the buttons for a while."""
        return self.asked_at_ns

    def go_ns(self) -> int | None:
        """The instant of Go, while the beats lead to it."""
        return None

    def play_at_pause(self, at_ns: int) -> Play | None:
        """The hand as a pause keeps it, its clock stopped then; None where there is none that a pause could keep."""
        return None

    def cut_off(self, state: State) -> Decision | None:
        """What a power cut leaves to be decided here, by what was in; None: nothing."""
        return None

    def after_waiting(self, since_ns: int, now_ns: int) -> Phase:
        """The phase as it goes on after another one has lain over it since then: as if no time had passed."""
        back = shift_instants(self, now_ns - since_ns)
        return replace(back, asked_at_ns=now_ns) if self.asks_all else back

    def under_undo(self, now_ns: int) -> Phase:
        """Where an undo lands that finds this phase as it is then: in it, or in the one that it lies over, as if that
        had not waited."""
        return self

    def after_undo(self) -> Phase:
        """The phase as an undo finds it: what would decide by itself what was just undone is asked anew."""
        return self

    def after_cut(self) -> Phase:
        """What a power cut leaves of it: what was not saved is entered again, and who has only tapped taps again."""
        return self

    def without_entries(self) -> Phase:
        """The phase without what is being entered in it and binds nobody yet: that is shown before it is durable."""
        return self

    def after_move(self, old: str, new: str) -> Phase:
        """The phase after a player took another button: what the old one has answered is asked again."""
        return self

    def after_mute(self, station: str) -> Phase:
        """The phase when that button is heard no more."""
        return self

    def screen(self, state: State, now_ns: int, times: Times) -> Screen | None:
        """What the display shows; `times` is given the instants at which that changes by time alone.

        None: no picture of its own, but its list (`Listed`).
        """
        return None

    def lamps(self, state: State) -> Shown:
        """The lamps that are not dark."""
        return {}


class Listed(Phase):
    """A phase that is shown as its list at the knob, which is always open: no push opens it."""

    list_title: ClassVar[Msg]

    def list_heading(self) -> Msg:
        """What the list is called now."""
        return self.list_title


class Resting(Phase):
    """Cards rest, and no verdict is waited for: the table may see to its seats, its counts and its settings."""

    faults: ClassVar[bool] = True


class UnderWay(Resting):
    """A match is under way, and rests."""


class BetweenHands(Resting):
    """No hand is being played, and everybody is asked to tap."""


class Play(Phase):
    """A game's phase in which its hand is played; `playing`: the ids of the teams in it."""

    name: ClassVar[str] = "PLAYING"
    playing: tuple[str, ...] = ()

    def play_at_pause(self, at_ns: int) -> Play | None:
        return self

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> Phase:
        """The same, kept in a pause, running again for the buttons that are heard now."""
        return replace(self, asked_at_ns=armed_at_ns)


def inner_of(phase: Phase) -> Phase | None:
    """The phase that waits in this one, if one does."""
    inner = getattr(phase, "inner", None)  # a phase in which another one waits keeps it under this name
    return inner if isinstance(inner, Phase) else None


def play_of(phase: Phase) -> Play | None:
    """The play that a phase keeps: what is resumed after it, or what led to it."""
    play = getattr(phase, "play", None)  # a phase that keeps one has it under this name
    return play if isinstance(play, Play) else None


def playing_of(phase: Phase) -> tuple[str, ...]:
    """The ids of the teams in the hand, where the phase itself says it; else none."""
    playing: tuple[str, ...] = getattr(phase, "playing", ())  # a phase that says so has them under this name
    return playing


def _instants(phase: Phase) -> tuple[str, ...]:
    return tuple(name for name in phase.__struct_fields__ if name.endswith("_at_ns"))


def shift_instants(phase: Phase, by_ns: int) -> Phase:
    """The phase with every instant moved by `by_ns`, and those of a phase within it."""
    changes: dict[str, Any] = {}  # Any: a field's new value, of the kind that it had
    for name in _instants(phase):
        value = getattr(phase, name)  # whatever instants it has
        changes[name] = tuple(v + by_ns for v in value) if isinstance(value, tuple) else value and value + by_ns
    inner = inner_of(phase)
    if inner is not None:
        changes["inner"] = shift_instants(inner, by_ns)
    return replace(phase, **changes)


@stored("count")
class Count(Value):
    """One team's count in progress: the digits of each field, which one is open, who holds the pen.

    refusal: the key of why it cannot be, while that is shown.
    """

    team: str
    values: tuple[int, ...]
    touched: tuple[bool, ...]
    cursor: int | None = 0
    pen: str | None = None
    refusal: str | None = None


# -- the whole -----------------------------------------------------------------------------------------------------


@stored("hold")
class Hold(Value):
    """A gesture in progress: the press that began it, and which thresholds it has passed (2 at most)."""

    press: Press
    passed: int = 0
    used: bool = False


@stored("wink")
class Wink(Value):
    """A lamp's answer to a gesture: once for a tap, twice for a hold.

    merged: so many more taps came too soon after it for a wink of their own. follows: an earlier wink still hid what
    the lamp would have shown.
    """

    station: str
    at_ns: int
    times: int
    merged: int = 0
    follows: bool = False


class MenuAction(Value):
    """What a line of the knob's list does when it is chosen: a trigger like any other, heard by the phase's row.

    upsets: whether it takes back, ends, leaves somebody out or lets somebody in; no list begins with such a line.
    """

    upsets: ClassVar[bool] = False


class Back(MenuAction):
    """The list closes, and nothing else happens; a phase that is left in this way has a row for it."""


class MenuLine(Value):
    """A line of the knob's list, or a value that the knob turns to in one: what is read, and what a push then does.

    about: what it is, said beneath the list while the knob is at it.
    """

    action: MenuAction
    text: Part
    about: Msg | None = None


class Spelling(Value):
    """A name being entered for a seat, letter by letter: so far `text`; the knob points at a place of the wheel.

    since_ns: when it was opened; a push that began earlier has opened it, and takes no letter.
    """

    station: str
    since_ns: int
    text: str = ""
    at: int = 0


class Menu(Value):
    """The knob's list. `closes_at_ns` None: it stays (TIME OUT). It is never stored: who pushes again finds it again.

    title: what is asked; None: the match's own. values: what the knob turns through in the line at the cursor, once it
    has been opened; `value` is the one shown. spelling: instead of lines, a name is entered. phones: instead of
    lines it is shown how a phone is paired. sources: the lines are the pages of an answer of the rulebook, and these
    say so.
    """

    items: tuple[MenuLine, ...]
    cursor: int = 0
    closes_at_ns: int | None = None
    title: Part | None = None
    values: tuple[MenuLine, ...] = ()
    value: int = 0
    spelling: Spelling | None = None
    sources: tuple[tuple[Msg, ...], ...] = ()
    phones: bool = False


class Toast(Value):
    """A short answer on the screen."""

    text: Msg
    until_at_ns: int


class Remembered(Value):
    """A decision that can be undone (state: before it) or redone (state: as it was when it was undone)."""

    seq: int
    label: str
    state: State


@stored("state")
class State(Value):
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


# -- gestures: what a phase hears ----------------------------------------------------------------------------------


class Tapped(Value):
    """A press let go before it was a hold. `t_ns`: when it began."""

    station: str
    t_ns: int


class Held(Value):
    """A press is still down after the hold time; `long` after 2 s."""

    station: str
    t_ns: int
    long: bool = False


class Freed(Value):
    """A button is up without a release: a touch that was no press is over, or the link is back that was lost."""

    station: str


class KnobPushed(Value):
    """The knob was pushed (confirmed); `t_ns`: when it began."""

    t_ns: int


class KnobHeld(Value):
    """The knob has been down for 0.3 s: in a race, TIME OUT."""

    t_ns: int


class Due(Value):
    """The phase's own deadline (`due_ns`) fell, at this instant."""

    at_ns: int


def fresh(phase: Phase, t_ns: int) -> bool:
    """Whether a press begun at `t_ns` may answer the phase's question."""
    return t_ns >= phase.asked_at_ns + GUARD_NS


def sitting(table: Table, playing: tuple[str, ...]) -> Iterator[str]:
    """The stations of the teams in `playing` that do not sit out, in seat order."""
    teams = {team.id: team for team in table.teams}
    for id_ in playing:
        yield from (station for station in teams[id_].stations if station not in table.absent)


def seats_of(table: Table, playing: tuple[str, ...]) -> Iterator[str]:
    """The stations that are asked and heard: of the teams in `playing`, who do not sit out and are not muted."""
    return (station for station in sitting(table, playing) if station not in table.muted)


def teams_heard(table: Table, playing: tuple[str, ...]) -> tuple[str, ...]:
    """The teams in `playing` that have a button which is heard."""
    return tuple(team for team in playing if any(seats_of(table, (team,))))


def down(state: State) -> tuple[str, ...]:
    """The stations whose button is down at present, the knob apart."""
    return tuple(c.station for c in state.contacts if c.closed and c.station != KNOB)


def down_among(state: State, playing: tuple[str, ...]) -> tuple[str, ...]:
    """The stations of these teams whose button is down."""
    held = down(state)
    return tuple(station for station in seats_of(state.table, playing) if station in held)
