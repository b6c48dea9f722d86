"""What the core knows: frozen values, and the small questions one may ask of them.

Absolute instants in a phase end in `_at_ns`: a new boot or an undo moves them all by one step (`shifted`), so that an
open deadline keeps what was left of it. Everything else that ends in `_ns` is a duration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from referee.core.events import Cue, Decision
from referee.core.signals import KNOB, Contact, Edge, Press, standing
from referee.core.units import MS, S
from referee.core.values import Value, field, replace, stored

TRAIL = 128
"""Edge rows kept for the photo finish: eight contacts at sixteen edges each."""
GUARD_NS = 700 * MS
"""An answer counts when its press begins this long after its question appeared."""
DECK_BACKS = ("Red", "Blue", "Green", "Gold", "Black", "White", "Violet", "Brown")
"""Names for seats nobody has named: the backs by which a table tells its packs apart."""


@stored("setup")
class Setup(Value):
    """The table as configured: which game, which stations, how long a hold is. Journaled whole as `Opened.setup`."""

    preset: str = "nna"
    options: tuple[tuple[str, Any], ...] = ()
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

    def lag_ns(self, station: str) -> int:
        """How late a row of that station may be and still be counted on."""
        return self.latency_ns if station in self.remote else 0

    def document(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return {
            "preset": self.preset,
            "options": dict(self.options),
            "stations": list(self.stations),
            "names": dict(self.names),
            "hold_ns": self.hold_ns,
            "max_err_ns": self.max_err_ns,
            "latency_ns": self.latency_ns,
            "lockout_ns": self.lockout_ns,
            "language": self.language,
            "volume_percent": self.volume_percent,
            "brightness_percent": self.brightness_percent,
            "remote": list(self.remote),
        }

    @staticmethod
    def from_document(doc: Mapping[str, Any]) -> Setup:
        """The inverse of `document`; keys that are missing keep their defaults."""
        values = {k: v for k, v in doc.items() if k in Setup.__struct_fields__}
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


@stored("table")
class Table(Value):
    """What changes once in a while: the seats, the teams of this match and its sealed hands."""

    setup: Setup
    seats: tuple[Seat, ...]
    teams: tuple[Team, ...] = ()
    hands: tuple[Any, ...] = ()  # the game's own results, oldest first
    absent: frozenset[str] = frozenset()  # stations that sit out
    muted: frozenset[str] = frozenset()  # stations that call, answer and block nothing
    unexplained: tuple[str, ...] = ()  # stations whose false call nobody has admitted, once for each
    joined: tuple[tuple[str, Fraction], ...] = ()  # newcomers' teams and where they started
    dealt: tuple[tuple[str, int], ...] = ()  # reserves of the hand at hand, where a correction would say otherwise
    ended: bool = False  # the table has ended the match by its own will
    own: tuple[tuple[str, int], ...] = ()  # what a game keeps of a match beside its hands

    def seat(self, station: str) -> Seat | None:
        """The seat of that station, None for the knob or an unknown one."""
        return next((seat for seat in self.seats if seat.station == station), None)

    def team_of(self, station: str) -> Team | None:
        """The team that the station speaks for; None for a bystander's, a muted one, and one that sits out."""
        silent = self.absent | self.muted
        return next((team for team in self.teams if station in team.stations and station not in silent), None)

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

    def locked_until_ns(self) -> int:
        """Until when no press may answer whatever is asked out of this phase: a call locks the buttons for a while."""
        return self.asked_at_ns


def _instants(phase: Phase) -> tuple[str, ...]:
    return tuple(name for name in phase.__struct_fields__ if name.endswith("_at_ns"))


def shifted(phase: Phase, by_ns: int) -> Phase:
    """The phase with every instant moved by `by_ns`, and those of a phase within it."""
    changes: dict[str, Any] = {}
    for name in _instants(phase):
        value = getattr(phase, name)
        changes[name] = tuple(v + by_ns for v in value) if isinstance(value, tuple) else value and value + by_ns
    inner = getattr(phase, "inner", None)
    if isinstance(inner, Phase):
        changes["inner"] = shifted(inner, by_ns)
    return replace(phase, **changes)


@stored("lobby")
class Lobby(Phase):
    """Tap to join. `naming`: the seat whose name the knob turns until `naming_until_at_ns`.

    again: a match was played before in this journal; kept: its table, which can still be gone on with.
    """

    name: ClassVar[str] = "LOBBY"
    naming: str | None = None
    naming_until_at_ns: int | None = None
    hint: str | None = None
    hint_until_at_ns: int | None = None
    kept: Table | None = None
    again: bool = False

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return min((t for t in (self.naming_until_at_ns, self.hint_until_at_ns) if t is not None), default=None)


@stored("ready")
class Ready(Phase):
    """All have dealt, each taps. `playing`: the ids of the teams in the coming hand."""

    name: ClassVar[str] = "READY"
    guarded: ClassVar[bool] = True
    playing: tuple[str, ...] = ()
    ready: frozenset[str] = frozenset()
    standings_until_at_ns: int | None = None
    newcomer: str | None = None


@stored("starting")
class Starting(Phase):
    """The beats to Go, all known from the beginning. Ends at `armed_at_ns`, when presses are calls again.

    `counting` is False in the lead-in before the first beat. `play`: what is resumed (None: a new hand).
    """

    name: ClassVar[str] = "STARTING"
    playing: tuple[str, ...] = ()
    beats_at_ns: tuple[int, ...] = ()
    go_at_ns: int = 0
    armed_at_ns: int = 0
    counting: bool = False
    play: Any = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.armed_at_ns if self.counting else self.beats_at_ns[0]

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.go_at_ns, self.go_at_ns + 500 * MS


@stored("resuming")
class Resuming(Starting):
    """A start with a beat each for 3, 2, 1, after a timeout or a power cut."""

    name: ClassVar[str] = "RESUMING"


@stored("stopped")
class Stopped(Phase):
    """A start was stopped: each of `stoppers` taps again when ready, then the beats repeat.

    `by_knob`: the knob stopped it, and the knob repeats it.
    """

    name: ClassVar[str] = "STOPPED"
    guarded: ClassVar[bool] = True
    playing: tuple[str, ...] = ()
    stoppers: tuple[str, ...] = ()
    play: Any = None
    by_knob: bool = False


@stored("time_out")
class TimeOut(Phase):
    """The players' pause: clocks stand, cards rest. `raced`: cards moved until `asked_at_ns`, so calls counted."""

    name: ClassVar[str] = "TIMEOUT"
    playing: tuple[str, ...] = ()
    play: Any = None
    raced: bool = False


@stored("count")
class Count(Value):
    """One team's count in progress: the digits of each field, which one is open, who holds the pen."""

    team: str
    values: tuple[int, ...]
    touched: tuple[bool, ...]
    cursor: int | None = 0
    pen: str | None = None
    refusal: str | None = None


@stored("counting")
class Counting(Phase):
    """Every team counts at once; `callers` as the verdict stands. `sheet_until_at_ns`: all done, sealed then.

    knob: the team whose count the knob enters at present. covered: a list lay over the sheet when it was to be sealed.
    `inner` is the game's own phase that led here (what the verdict was), for those who contest it.
    """

    name: ClassVar[str] = "COUNTING"
    waits: ClassVar[bool] = True
    guarded: ClassVar[bool] = True
    callers: tuple[str, ...] = ()
    counts: tuple[Count, ...] = ()
    last_tap_at_ns: int = 0
    sheet_until_at_ns: int | None = None
    inner: Phase | None = None
    knob: str | None = None
    covered: bool = False

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.sheet_until_at_ns

    def takes_push(self) -> bool:
        return self.knob is not None


@stored("vote")
class Vote(Phase):
    """A question to all: tap yes, hold no, one vote a team, silence abstains. A majority of the votes brings `outcome`.

    `inner` is the phase that asked, and the one that stands when there is no majority. `admits`: teams whose own yes
    ends it at once, by `admission`.
    """

    name: ClassVar[str] = "VOTE"
    waits: ClassVar[bool] = True
    guarded: ClassVar[bool] = True
    question: str = ""
    subject: tuple[str, ...] = ()
    voters: tuple[str, ...] = ()
    votes: tuple[tuple[str, bool], ...] = ()
    until_at_ns: int = 0
    outcome: Any = None
    inner: Phase = field(default_factory=lambda: Lobby(0))
    admits: tuple[str, ...] = ()
    admission: Any = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns


@stored("fixing")
class Fixing(Phase):
    """A past hand's counts are corrected: every team by its button, or one (`knob`) by the knob.

    hand: its place in the book, from 0. `callers`, `counts`: as sealed, with what was changed since. `inner` is the
    phase that waits.
    """

    name: ClassVar[str] = "FIXING"
    guarded: ClassVar[bool] = True
    hand: int = 0
    callers: tuple[str, ...] = ()
    counts: tuple[Count, ...] = ()
    knob: str | None = None
    closes_at_ns: int = 0
    inner: Phase = field(default_factory=lambda: Lobby(0))

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.closes_at_ns


@stored("device_check")
class Checking(Phase):
    """The device's buttons are tried: which were pressed, by how much the knob was turned. `inner` is the lobby."""

    name: ClassVar[str] = "CHECK"
    pressed: tuple[str, ...] = ()
    turned: int = 0
    closes_at_ns: int = 0
    inner: Phase = field(default_factory=lambda: Lobby(0))

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.closes_at_ns


@stored("off")
class Off(Phase):
    """The table has switched the device off; nothing is heard any more. `inner` is the lobby that a new start finds."""

    name: ClassVar[str] = "OFF"
    inner: Phase = field(default_factory=lambda: Lobby(0))


@stored("over")
class Over(Phase):
    """Winner; all tap for a rematch."""

    name: ClassVar[str] = "OVER"
    guarded: ClassVar[bool] = True
    winners: tuple[str, ...] = ()
    ready: frozenset[str] = frozenset()


@stored("power_back")
class PowerBack(Phase):
    """The device came back; clocks stand until everybody has tapped. `inner` is the phase that it came back to."""

    name: ClassVar[str] = "POWER_BACK"
    guarded: ClassVar[bool] = True
    inner: Phase = field(default_factory=lambda: Lobby(0))
    ready: frozenset[str] = frozenset()
    away_s: int | None = None


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


class Menu(Value):
    """The knob's list: (action, text) each. `closes_at_ns` None: it stays (TIME OUT).

    title: what is asked; empty: the match's own. values: what the knob turns through in the line at the cursor, once it
    has been opened; `value` is the one shown.
    """

    items: tuple[tuple[str, str], ...]
    cursor: int = 0
    closes_at_ns: int | None = None
    title: str = ""
    values: tuple[str, ...] = ()
    value: int = 0


class Toast(Value):
    """A short answer on the screen."""

    text: str
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

    # Every row and every deadline makes a state. These two name all fields, because `replace` works out anew each time
    # which there are, and costs more than everything else a row asks for.

    def passed(self, now_ns: int, contacts: tuple[Contact, ...] | None = None) -> State:
        """One event later, at `now_ns`; the contacts as they are by then."""
        return State(
            now_ns,
            self.seq + 1,
            self.boot,
            self.rows,
            self.touched_at_ns,
            self.contacts if contacts is None else contacts,
            self.holds,
            self.table,
            self.phase,
            self.winks,
            self.menu,
            self.toast,
            self.undo,
            self.redo,
            self.trail,
            self.away,
            self.address,
            self.blinked_at_ns,
        )

    def rowed(self, now_ns: int, contacts: tuple[Contact, ...], edge: Edge) -> State:
        """One edge row later: somebody has touched something, and the row is evidence."""
        return State(
            now_ns,
            self.seq + 1,
            self.boot,
            self.rows + 1,
            now_ns,
            contacts,
            self.holds,
            self.table,
            self.phase,
            self.winks,
            self.menu,
            self.toast,
            self.undo,
            self.redo,
            (self.trail if len(self.trail) < TRAIL else self.trail[1:]) + (edge,),
            self.away,
            self.address,
            self.blinked_at_ns,
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
    """The phase's own deadline fell."""

    at_ns: int


def new_state(setup: Setup, at_ns: int, boot: str, closed: tuple[str, ...] = (), seq: int = 0) -> State:
    """A table nobody has sat down at; `closed`: the contacts that are down."""
    stations = (*setup.stations, KNOB)
    return State(
        now_ns=at_ns,
        seq=seq,
        boot=boot,
        rows=0,
        touched_at_ns=at_ns,
        contacts=tuple(standing(station, station in closed, at_ns) for station in stations),
        holds=(),
        table=Table(setup, tuple(Seat(station) for station in setup.stations)),
        phase=Lobby(at_ns),
        away=tuple(sorted(setup.remote)),
    )


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


def heard(table: Table, playing: tuple[str, ...]) -> tuple[str, ...]:
    """The teams in `playing` that have a button which is heard."""
    return tuple(team for team in playing if any(seats_of(table, (team,))))


def down(state: State) -> tuple[str, ...]:
    """The stations whose button is down at present, the knob apart."""
    return tuple(c.station for c in state.contacts if c.closed and c.station != KNOB)


def down_among(state: State, playing: tuple[str, ...]) -> tuple[str, ...]:
    """The stations of these teams whose button is down."""
    held = down(state)
    return tuple(station for station in seats_of(state.table, playing) if station in held)
