"""Events that raise an error or cannot be drawn: skip the event, or wait in a safe phase."""

from __future__ import annotations

from referee.core.match import past
from referee.core.match.advance import advance
from referee.core.match.viewer import view
from referee.core.model.events import Event, Resumed, Sealed, Tick
from referee.core.model.registry import game_of
from referee.core.model.state import Phase, Play, State, inner_of, play_of, playing_of
from referee.core.phases.lobby import Lobby
from referee.core.phases.pause import TimeOut
from referee.core.phases.ready import present, ready
from referee.core.phases.start import Starting
from referee.core.presses.signals import Edge, standing
from referee.core.values import Value, replace


class Aside(Value):
    """An event that was skipped: its number, and the reason in one sentence."""

    seq: int
    reason: str


def one_line(error: Exception) -> str:
    """Return the exception's class and text in one line."""
    return " ".join(f"{type(error).__name__} {error}".split())


def shows(state: State, at_ns: int | None = None) -> bool:
    """Return whether the state can be drawn at that time (default: at its own time)."""
    try:
        view(state, state.now_ns if at_ns is None else at_ns)
    except Exception:
        return False
    return True


def left_out(state: State, event: Event) -> State:
    """Return the state after skipping this event. The next event has the next number, as usual.

    After a skipped `Tick` the phase is one without a deadline, because the same deadline would be due again at once. A
    skipped `Resumed` still starts a new boot. After a skipped `Edge`, the contact has the row's level, without a press.
    """
    if isinstance(event, Resumed):
        return advance(without_deadline(state), event).state
    if isinstance(event, Edge):
        levels = (
            standing(c.station, event.closed, state.now_ns) if c.station == event.station else c for c in state.contacts
        )
        state = replace(state, contacts=tuple(levels))
    if isinstance(event, Tick):
        state = without_deadline(replace(state, now_ns=max(state.now_ns, event.at_ns)))
    return replace(state, seq=state.seq + 1)


def without_deadline(state: State) -> State:
    """Return the state in a phase without a deadline.

    During a hand, that phase is a pause. Otherwise it is READY, OVER or the lobby.
    """
    contacts = tuple(standing(c.station, c.closed, state.now_ns) for c in state.contacts)
    state = replace(state, contacts=contacts, holds=(), winks=(), menu=None, toast=None)
    try:
        landed = past.landing(state, state.now_ns)
        phase = landed if landed.due_ns(contacts) is None else calm(state, landed)
    except Exception:
        phase = ready(state, state.now_ns) if state.table.teams else Lobby(state.now_ns, again=True)
    return replace(state, phase=phase)


def calm(state: State, phase: Phase) -> Phase:
    """Return a phase without a deadline that can replace this one.

    The replacement for a verdict is the count of the hand.
    """
    inner = inner_of(phase)
    if inner is not None:
        return calm(state, inner)
    if isinstance(phase, Lobby):
        return Lobby(state.now_ns, again=phase.again, kept=phase.kept)
    if isinstance(phase, Starting):
        return pause(state) if phase.play is not None else ready(state, state.now_ns)
    count = game_of(state.table).taken_in(state, play_here(state), Sealed(state.now_ns, (("", ()),)))
    return count or pause(state)


def play_here(state: State, told: tuple[str, ...] = ()) -> Play:
    """Return the current hand's play with its clock stopped; a new play if the phase has none.

    told: the teams of the hand according to the journal. They are used if this release's rules select other teams.
    """
    game, now = game_of(state.table), state.now_ns
    phase: Phase | None = state.phase
    while phase is not None:
        play = play_of(phase) or phase.play_at_pause(now)
        if play is not None:
            return replace(play, playing=told) if told and {*told} != {*play.playing} else play
        phase = inner_of(phase)
    playing = told or playing_of(state.phase) or present(state.table)
    return game.begin(state, playing or tuple(team.id for team in state.table.teams), now, now)


def pause(state: State) -> TimeOut:
    play = play_here(state)
    return TimeOut(state.now_ns, play.playing, play)
