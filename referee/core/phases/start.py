"""STARTING and RESUMING: the countdown to GO, and how a press stops it.

    after the last player is ready: 1 s, READY, 1 s, SET, 1 s, GO          after a pause: 3, 1 s, 2, 1 s, 1, 1 s, GO
    by an option of the table: ¾ s, 1, ¾ s, 2, ¾ s, 3, ¾ s, GO

All times are known at its beginning, so lamps, sound and display can be prepared. A press between the first beat
and GO + 100 ms stops the countdown: a player saw a false start, dropped cards or is not ready.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Part, msg
from referee.core.model import lamps
from referee.core.model.events import Cue
from referee.core.model.labels import answer_lamps, labels, number, said, seat_label
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import MenuAction
from referee.core.model.registry import game_of, pile_game
from referee.core.model.state import Phase, Play, State, Step, UnderWay, down_among, fresh
from referee.core.model.table import seats_of
from referee.core.model.transitions import BEGINS, RESUMES, PileGame, Row, Transition
from referee.core.model.triggers import Due, Freed, KnobHeld
from referee.core.model.view import CountdownScreen, Screen, WaitScreen
from referee.core.phases.armed import own_goes
from referee.core.phases.common import LET_GO_NS, held_down, refuse, stay, to, toast, wink, within
from referee.core.presses.signals import Contact, Pressed, Released
from referee.core.units import MS, S
from referee.core.values import replace

BEAT_NS = 1 * S
LEAD_NS = 3 * BEAT_NS
"""Time in ns from the beginning of a countdown to GO."""
NUMBERS = (1, 2, 3)
"""The words of a countdown in numbers."""
STOP_NS = 100 * MS
"""A press within this time (ns) after GO is too early for a call, so it stops the countdown."""


class Starting(Phase, tag="starting"):
    """The countdown to GO. It ends at `armed_at_ns`, from when presses are calls.

    counting: False before the first beat. play: the play to continue (None: a new hand).
    """

    name: ClassVar[str] = "STARTING"
    counted_down: ClassVar[bool] = True
    words: ClassVar[tuple[Part, ...]] = (msg("beat.ready"), msg("beat.set"))
    resuming: ClassVar[bool] = False
    playing: tuple[str, ...] = ()
    beats_at_ns: tuple[int, ...] = ()
    go_at_ns: int = 0
    armed_at_ns: int = 0
    counting: bool = False
    play: Play | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.armed_at_ns if self.counting else self.beats_at_ns[0]

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.go_at_ns, self.go_at_ns + 500 * MS

    def go_ns(self) -> int | None:
        return self.go_at_ns

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        word: Part | None = None
        words = self.words if len(self.beats_at_ns) == len(self.words) else NUMBERS
        for beat, text in zip((*self.beats_at_ns, self.go_at_ns), (*words, msg("beat.go")), strict=True):
            times.append(beat)
            word = text if now_ns >= beat else word
        return CountdownScreen(word, self.resuming)

    def lamps(self, state: State) -> Shown:
        pattern = lamps.beats(self.beats_at_ns, self.go_at_ns)
        played_ns = getattr(self.play, "played_ns", 0)  # a hand with beats has it
        own = own_goes(state.table, self.playing, self.go_at_ns, played_ns)
        shown: Shown = dict.fromkeys(seats_of(state.table, self.playing), (pattern, 0))
        return shown | {station: (lamps.own_go(self.beats_at_ns, go), 0) for station, go in own.items()}


class Resuming(Starting, tag="resuming"):
    """The countdown 3, 2, 1 after a timeout or a power cut."""

    name: ClassVar[str] = "RESUMING"
    words: ClassVar[tuple[Part, ...]] = (3, 2, 1)
    resuming: ClassVar[bool] = True


class Stopped(UnderWay, tag="stopped"):
    """A stopped countdown. It starts again when each of `stoppers` has tapped.

    by_knob: the knob stopped it, and only the knob starts it again.
    """

    name: ClassVar[str] = "STOPPED"
    counted_down: ClassVar[bool] = True
    guarded: ClassVar[bool] = True
    asks_all: ClassVar[bool] = True
    playing: tuple[str, ...] = ()
    stoppers: tuple[str, ...] = ()
    play: Play | None = None
    by_knob: bool = False

    def after_move(self, old: str, new: str) -> Phase:
        return replace(self, stoppers=tuple(new if s == old else s for s in self.stoppers))

    def after_mute(self, station: str) -> Phase:
        return replace(self, stoppers=tuple(s for s in self.stoppers if s != station))

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        if self.stoppers or self.by_knob:
            return WaitScreen(labels(state.table, self.stoppers), not self.stoppers)
        down, long = down_among(state, self.playing), held_down(state, now_ns, times, LET_GO_NS)
        held = labels(state.table, tuple(station for station in down if station in long))
        return WaitScreen((), held=held) if held else WaitScreen(labels(state.table, down))

    def lamps(self, state: State) -> Shown:
        return answer_lamps(self.stoppers, (), self.asked_at_ns)


class GoOn(MenuAction):
    """Go on with the paused hand."""


def start(state: State, playing: tuple[str, ...], play: Play | None = None) -> Step:
    """Start the countdown to a new hand, or the countdown after which `play` goes on.

    Schedule the sounds of the countdown. In a game without a countdown, begin or resume play at once.
    """
    now, game = state.now_ns, game_of(state.table)
    if not isinstance(game, PileGame):
        return to(state, game.begin(state, playing, now, now) if play is None else play.running(state.table, now, now))
    go = now + LEAD_NS
    how = game.start(state.table)
    armed = go if how.noted else go + STOP_NS
    if play is None:
        beats = len(NUMBERS if how.numbered else Starting.words)
        step = LEAD_NS // (beats + 1)
        phase = Starting(now, playing, tuple(now + n * step for n in range(1, beats + 1)), go, armed)
    else:
        phase = Resuming(now, playing, (now, now + BEAT_NS, now + 2 * BEAT_NS), go, armed, True, play)
    return to(state, phase, *(Cue("beat", beat) for beat in phase.beats_at_ns), Cue("go", phase.go_at_ns))


def on_due(state: State, phase: Starting, due: Due) -> Step:
    if phase.play is not None:
        return to(state, phase.play.running(state.table, phase.go_at_ns, phase.armed_at_ns))
    return to(state, game_of(state.table).begin(state, phase.playing, phase.go_at_ns, phase.armed_at_ns))


def on_pressed(state: State, phase: Starting, pressed: Pressed) -> Step:
    """Stop the countdown if the press came after its first beat. Ignore earlier presses.

    With the option `Start.noted` the countdown goes on, and a message says that the press was too early.
    """
    press = pressed.press
    if press.station not in seats_of(state.table, phase.playing):
        return stay(state)
    if press.t_ns < phase.beats_at_ns[0]:
        return stay(state)
    game = pile_game(state.table)
    if game is not None and game.start(state.table).noted:
        return stay(early(state, press.station))
    return stop(state, phase, press.station)


def early(state: State, station: str) -> State:
    """Show that a press came too early."""
    return toast(state, said("toast.early", seat_label(state.table, station)))


def stop(state: State, phase: Starting, station: str) -> Step:
    """Stop the countdown and wait until the player who stopped it taps."""
    stopped = Stopped(state.now_ns, phase.playing, (station,), phase.play)
    return to(wink(state, station, 2), stopped, Cue("stop_start", state.now_ns, cancels=True))


def on_stopper(state: State, phase: Stopped, pressed: Pressed) -> Step:
    """Take the tap of a player who stopped the countdown.

    A press within the guard time counts as another stop of the countdown: its player must then tap, too.
    """
    station = pressed.press.station
    if station not in seats_of(state.table, phase.playing):
        return stay(state)
    if fresh(phase, pressed.press.t_ns):
        left = tuple(s for s in phase.stoppers if s != station)
        return within(wink(state, station, 1), replace(phase, stoppers=left))
    if station not in phase.stoppers:
        return within(state, replace(phase, stoppers=(*phase.stoppers, station)))
    return stay(state)


def on_stopper_released(state: State, phase: Stopped, released: Released | Freed) -> Step:
    """Start the countdown again once all who must tap have tapped, and no button is down."""
    return go_on_if_free(state, phase)


def go_on_if_free(state: State, phase: Stopped) -> Step:
    """Start the countdown again, unless it waits for a tap or the knob, or a button is down."""
    waits = phase.stoppers or phase.by_knob or down_among(state, phase.playing)
    return within(state, phase) if waits else start(state, phase.playing, phase.play)


def again(state: State, phase: Stopped, action: GoOn) -> Step:
    """Start the countdown again from the knob's menu, without waiting for taps."""
    waiting = replace(phase, by_knob=False) if down_among(state, phase.playing) else phase
    return start_by_knob(replace(state, phase=waiting), phase.playing, phase.play)


def start_by_knob(state: State, playing: tuple[str, ...], play: Play | None) -> Step:
    """Start the countdown, or refuse while one of the hand's buttons is down."""
    held = down_among(state, playing)
    if held:
        return refuse(state, msg("toast.let_go", seat=number(state.table, held[0])))
    return start(state, playing, play)


def on_knob_held(state: State, phase: Starting, held: KnobHeld) -> Step:
    """Stop the countdown by the knob; no taps are needed to start it again.

    Ignore a push that began before the countdown.
    """
    if held.t_ns < phase.asked_at_ns:
        return stay(state)
    stopped = Stopped(state.now_ns, phase.playing, (), by_knob=True)
    return to(state, stopped, Cue("stop_start", state.now_ns, cancels=True))


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Starting, Pressed, on_pressed, ("STOPPED",), "any press: stop the start"),
    Row(Starting, KnobHeld, on_knob_held, ("STOPPED",), "the knob: stop the start"),
    Row(Stopped, Pressed, on_stopper, (), "the stopper taps again"),
    Row(Stopped, Released, on_stopper_released, ("STARTING", "RESUMING"), "all have tapped again"),
    Row(Stopped, Freed, on_stopper_released, (BEGINS, RESUMES), "all have tapped again"),
    Row(Stopped, GoOn, again, (BEGINS, RESUMES), "the knob: the beats again", msg("item.go_on")),
    Row(Resuming, Due, on_due, ("PLAYING",), "Go + 100 ms"),
    Row(Resuming, Pressed, on_pressed, ("STOPPED",), "any press: wait"),
)
