"""What a phase is: what it hears (gestures, deadlines), what every phase answers, and the kinds of phases.

Absolute instants in a phase end in `_at_ns`: a new boot or an undo moves them all by one step (`shift_instants`), so
that an open deadline keeps what was left of it. Everything else that ends in `_ns` is a duration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from referee.core.messages import Msg
from referee.core.model.events import Decision
from referee.core.model.table import Table
from referee.core.presses.signals import Contact
from referee.core.units import MS
from referee.core.values import Value, replace

if TYPE_CHECKING:
    from referee.core.model.labels import Shown, Times
    from referee.core.model.state import State
    from referee.core.model.view import Screen

GUARD_NS = 700 * MS
"""An answer counts when its press begins this long after its question appeared."""


class Tapped(Value):
    """A press let go before it was a hold. `t_ns`: when it began."""

    station: str
    t_ns: int


class Held(Value):
    """A press is still down after the hold time; `long` after 2 s."""

    station: str
    t_ns: int
    long: bool


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
    """No hand is being played, and everybody is asked to tap: `ready` has the stations that have."""

    guarded: ClassVar[bool] = True
    asks_all: ClassVar[bool] = True

    def after_cut(self) -> Phase:
        return self._with_ready(frozenset())

    def after_undo(self) -> Phase:
        return self.after_cut()  # everybody had tapped: what they said would be done again

    def after_move(self, old: str, new: str) -> Phase:
        ready: frozenset[str] = getattr(self, "ready", frozenset())  # each phase of this kind has the field
        return self._with_ready(ready - {old})

    def _with_ready(self, ready: frozenset[str]) -> Phase:
        changes: dict[str, Any] = {"ready": ready}  # Any: mypy knows the fields of this class alone
        return replace(self, **changes)


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


def fresh(phase: Phase, t_ns: int) -> bool:
    """Whether a press begun at `t_ns` may answer the phase's question."""
    return t_ns >= phase.asked_at_ns + GUARD_NS
