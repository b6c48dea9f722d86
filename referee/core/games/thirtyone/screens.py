"""What the phases of 31 show: the screens' data and the lamps."""

from __future__ import annotations

from referee.core import lamps
from referee.core.games.registry import game_of
from referee.core.games.thirtyone.phases import Asking, Declared, Turn
from referee.core.games.thirtyone.table import rules_of
from referee.core.labels import Shown, Times, asked, label_of, seat_label, team_lines
from referee.core.state import State, seats_of
from referee.core.transitions import Lamps, Screens
from referee.core.units import S
from referee.core.view import DeclaredScreen, Screen, SeatQuestion, TurnScreen


def _turn(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Turn)
    return TurnScreen(
        hand=len(table.hands) + 1,
        target=game_of(table).title(table)[1],
        turn=label_of(table, phase.turn),
        lines=team_lines(table),
        knocker=label_of(table, phase.knocker) if phase.knocker is not None else None,
        left=_left(phase),
        questions=_questions(state, phase),
        look=label_of(table, phase.look) if phase.look is not None else None,
        minimum=rules_of(table.setup).minimum_knock,
        own_discard=phase.knocker is not None and len(phase.playing) == 2,  # pagat: two players left, after a knock
    )


def _left(phase: Turn) -> int:
    """Turns in the last round, this one included; 0 before a knock."""
    if phase.knocker is None:
        return 0
    size = len(phase.playing)
    return (phase.playing.index(phase.knocker) - phase.playing.index(phase.turn)) % size


def _questions(state: State, phase: Asking) -> tuple[SeatQuestion, ...]:
    return tuple(SeatQuestion(seat_label(state.table, station), question) for station, question in phase.asks)


def _declared(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Declared)
    left = max(-(-(phase.until_at_ns - now_ns) // S), 1)
    times.append(phase.until_at_ns - (left - 1) * S)
    waiting = tuple(label_of(table, team) for team in phase.others if team not in phase.seen)
    declared = tuple(label_of(table, team) for team in phase.declared)
    return DeclaredScreen(declared, waiting, _questions(state, phase), left)


def _turn_lamps(state: State) -> Shown:
    """Blinking: on turn, or asked. Steady: has knocked."""
    phase = state.phase
    assert isinstance(phase, Turn)
    shown: Shown = dict.fromkeys(seats_of(state.table, (phase.turn,)), (lamps.SLOW, phase.asked_at_ns))
    if phase.knocker is not None:
        shown |= dict.fromkeys(seats_of(state.table, (phase.knocker,)), (lamps.STEADY, 0))
    return shown | _asked_lamps(phase)


def _asked_lamps(phase: Asking) -> Shown:
    """A question's own lamp blinks from when its answer is accepted."""
    shown: Shown = {}
    for (station, _), at_ns in zip(phase.asks, phase.asks_at_ns, strict=True):
        shown |= asked((station,), (), at_ns)
    return shown


def _declared_lamps(state: State) -> Shown:
    """Steady: has declared, or has none; blinking: has not said."""
    phase = state.phase
    assert isinstance(phase, Declared)
    answered = seats_of(state.table, tuple(team for team in phase.playing if team not in phase.others))
    seen = seats_of(state.table, tuple(team for team in phase.others if team in phase.seen))
    shown = asked(seats_of(state.table, phase.playing), (*answered, *seen), phase.asked_at_ns)
    return shown | _asked_lamps(phase)


SCREENS: Screens = {Turn: _turn, Declared: _declared}
LAMPS: Lamps = {Turn: _turn_lamps, Declared: _declared_lamps}
