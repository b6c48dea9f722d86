"""OVER: show the winner. All tap for a rematch, or a menu line begins another table."""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import msg
from referee.core.model.events import Cleared, Cue, Rematched
from referee.core.model.labels import answer_lamps, everyone, label_of, labels, team_lines
from referee.core.model.lamps import Shown, Times
from referee.core.model.registry import begun_under, game_of, pile_game, rules_in_force, winners_at, with_a_part
from referee.core.model.state import BetweenHands, State, Step, fresh
from referee.core.model.table import Table
from referee.core.model.transitions import Row, Transition
from referee.core.model.view import OverScreen, Screen
from referee.core.phases.agreement import first_hand
from referee.core.phases.common import in_turn, stay, to, wink, within
from referee.core.phases.lobby import OtherTable, on_cleared, other
from referee.core.phases.ready import next_hand
from referee.core.phases.seating import next_notes
from referee.core.phases.verdict import kept_call
from referee.core.presses.signals import Pressed
from referee.core.values import replace


class Over(BetweenHands, tag="over"):
    """The end of a match. `ready`: the stations that have tapped for a rematch."""

    name: ClassVar[str] = "OVER"
    winners: tuple[str, ...] = ()
    ready: frozenset[str] = frozenset()

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        winners = tuple(label_of(table, team) for team in self.winners)
        missing = () if not self.ready else tuple(s for s in everyone(table) if s not in self.ready)
        game = pile_game(table)
        notes = (*game_of(table).gain_notes(table), *next_notes(state), *(game.payments(table) if game else ()))
        note = in_turn(len(notes) + 1, self.asked_at_ns, now_ns, times)  # in turn: the ranking, then each note
        lines = team_lines(with_a_part(table), ranked=True)
        return OverScreen(len(table.hands), winners, lines, labels(table, missing), notes, note)

    def lamps(self, state: State) -> Shown:
        return answer_lamps(everyone(state.table), self.ready, self.asked_at_ns)


def go_on(state: State, table: Table, at_ns: int) -> Step:
    """Go on with the updated `table`: the next hand, or the end of the match.

    The explanations for newcomers end here.
    """
    if len(table.hands) > len(state.table.hands):
        table = kept_call(table, state.phase, len(table.hands) - 1)
    state = replace(state, table=replace(table.booked_calls(), teaching=False))
    winners = winners_at(table)
    return to(state, Over(at_ns, winners), Cue("winner", at_ns)) if winners else next_hand(state, at_ns)


def on_rematch_tap(state: State, phase: Over, pressed: Pressed) -> Step:
    """Count a tap for a rematch. When all have tapped, the same players begin another match."""
    station = pressed.press.station
    asked = frozenset(everyone(state.table)) - phase.ready
    if not fresh(phase, pressed.press.t_ns) or station not in asked:
        return stay(state)
    step = within(wink(state, station, 1), replace(phase, ready=phase.ready | {station}))
    rematch = Rematched(state.now_ns, rules_in_force(state.table.setup))
    return step if asked - {station} else replace(step, decisions=(rematch,))


def on_rematched(state: State, phase: Over, event: Rematched) -> Step:
    setup = begun_under(state.table.setup, event.rules)
    fresh_book: Table = replace(
        state.table, hands=(), joined=(), ended=False, own=(), adjustments=(), timeouts=(), old_calls=()
    )
    state = replace(state, table=replace(fresh_book, setup=setup, calls=(), corrections=()))
    return first_hand(state, event.at_ns)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Over, Pressed, on_rematch_tap, (), "tap: rematch"),
    Row(Over, Rematched, on_rematched, ("AGREEMENT", "READY"), "all have tapped"),
    Row(Over, Cleared, on_cleared, ("LOBBY",), "another table"),
    Row(Over, OtherTable, other, (), "the knob: other people", msg("item.other_table")),
)
