"""TIMEOUT: the players' pause. Clocks stop; a countdown ends it."""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Cue
from referee.core.model.registry import game_of
from referee.core.model.state import Listed, Phase, Play, State, Step, UnderWay
from referee.core.model.transitions import RESUMES, Row, Transition
from referee.core.model.triggers import KnobHeld
from referee.core.phases.common import stay, to, toast
from referee.core.phases.start import GoOn, Resuming, start_by_knob
from referee.core.presses.signals import Pressed
from referee.core.values import replace


class TimeOut(UnderWay, Listed, tag="time_out"):
    """The players' pause.

    raced: the pause interrupted a race, so a press from before the pause can be a call. noted: a timeout was recorded
    for this pause. tidy: it was recorded as a break to tidy up.
    """

    name: ClassVar[str] = "TIMEOUT"
    list_title: ClassVar[Msg] = msg("title.time_out")
    playing: tuple[str, ...] = ()
    play: Play | None = None
    raced: bool = False
    noted: bool = False
    tidy: bool = False

    def list_heading(self) -> Msg:
        return msg("title.tidy") if self.tidy else super().list_heading()

    def after_waiting(self, since_ns: int, now_ns: int) -> Phase:
        return self


def time_out(state: State, playing: tuple[str, ...], play: Play) -> Step:
    """Pause a running race and open the menu."""
    return to(state, TimeOut(state.now_ns, playing, play, raced=True), Cue("time_out", state.now_ns, cancels=True))


def on_knob_held(state: State, phase: Resuming, held: KnobHeld) -> Step:
    """Return to the pause from the countdown. Ignore a push that began before the countdown."""
    if held.t_ns < phase.asked_at_ns:
        return stay(state)
    return to(state, TimeOut(state.now_ns, phase.playing, phase.play), Cue("stop_start", state.now_ns, cancels=True))


def on_pressed(state: State, phase: TimeOut, pressed: Pressed) -> Step:
    """Handle a press: a call if it came before the pause, otherwise show that play is paused."""
    if phase.raced and pressed.press.t_ns < phase.asked_at_ns:
        return _in_play(state, phase, pressed)
    races = phase.play is not None and phase.play.races
    return Step(toast(state, msg("toast.paused"))) if races else stay(state)


def _in_play(state: State, phase: TimeOut, pressed: Pressed) -> Step:
    """Let the play phase handle a press from before the pause. Stay paused if nothing changes."""
    play = phase.play
    assert play is not None  # a paused race always keeps its play
    row = next((r for r in game_of(state.table).rows if isinstance(play, r.phase) and r.trigger is Pressed), None)
    if row is None:
        return stay(state)
    step = row.handler(replace(state, phase=play), play, pressed)
    return replace(step, state=replace(step.state, phase=phase)) if step.state.phase is play else step


def go_on(state: State, phase: TimeOut, action: GoOn) -> Step:
    """Start the countdown after which play goes on."""
    return start_by_knob(state, phase.playing, phase.play)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(TimeOut, Pressed, on_pressed, ("CALLED",), "an edge before the pause is a call"),
    Row(TimeOut, GoOn, go_on, (RESUMES,), "the knob: play goes on", msg("item.go_on")),
    Row(Resuming, KnobHeld, on_knob_held, ("TIMEOUT",), "the knob: time out again"),
)
