"""Changes at READY: which partner holds the reserve (the pile to get rid of), moving seats.

    READY ─ a partner holds the button ─► that one holds the reserve        where the game lets the pair choose
          ─ Seats move on ─► MOVE SEATS? ─ yes ─► every player at the next button, with name, team and score

The start of a hold at READY also makes the player ready, like any press. The change of the holder can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.messages import Msg, msg
from referee.core.model.events import ReserveTaken, SeatsMoved
from referee.core.model.menu import MenuAction
from referee.core.model.registry import game_of, pile_game
from referee.core.model.state import State, Step, at_buttons, fresh
from referee.core.model.table import Table
from referee.core.model.transitions import MenuPlace, Row, Transition
from referee.core.model.triggers import Held
from referee.core.phases.common import decide, stay, to, toast, wink, within
from referee.core.phases.counting import reopen
from referee.core.phases.ready import SEATS_MOVE, Ready, present
from referee.core.phases.vote import ask
from referee.core.values import replace


class MoveSeats(MenuAction):
    """Ask all teams whether every player should move to the next button."""


# -- the reserve of a pair -----------------------------------------------------------------------------------------


def on_held(state: State, phase: Ready, held: Held) -> Step:
    """Open the team's last count again, if the hold began in the first seconds of READY.

    A later hold gives the team's reserve to the partner who holds the button, if the rules let partners choose.
    """
    again = reopen(state, phase, held)
    if again.decisions:
        return again
    table, station, game = state.table, held.station, pile_game(state.table)
    team = table.team_of(station)
    if held.long or team is None or not fresh(phase, held.t_ns) or not (game and game.free_to_hold(table, team)):
        return stay(state)
    if (team.id, station) in table.holding:
        return stay(wink(state, station, 2))
    return decide(state, ReserveTaken(state.now_ns, team.id, station))


def on_reserve_taken(state: State, phase: Ready, event: ReserveTaken) -> Step:
    others = tuple(one for one in state.table.holding if one[0] != event.team)
    table = replace(state.table, holding=(*others, (event.team, event.station)))
    return within(wink(replace(state, table=table), event.station, 2), phase)


# -- seats ---------------------------------------------------------------------------------------------------------


def _seats_text(state: State, phase: Ready) -> Msg | None:
    """Return the menu line "Seats move on" while a note at READY says that players change seats."""
    notes = game_of(state.table).notes(state.table, phase.playing)
    return msg("item.move_seats") if SEATS_MOVE in notes and not phase.moved_on else None


def move(state: State, phase: Ready, action: MoveSeats) -> Step:
    return ask(state, "ask.move_seats", SeatsMoved(state.now_ns), voters=phase.playing)


def on_seats_moved(state: State, phase: Ready, event: SeatsMoved) -> Step:
    """Move all players to the next button. READY shows them with their new seat numbers."""
    state = at_buttons(state, _next(state.table))
    order = state.table.setup.stations.index
    teams = tuple(sorted(state.table.teams, key=lambda team: order(team.stations[0])))
    state = replace(state, table=replace(state.table, teams=teams))
    phase = Ready(event.at_ns, present(state.table), moved_on=True)
    return to(toast(state, msg("toast.seats_moved")), phase)


def _next(table: Table) -> Mapping[str, str]:
    """Map each occupied station to the next occupied one."""
    taken = [seat.station for seat in table.seats if seat.name is not None]
    return dict(zip(taken, (*taken[1:], *taken[:1]), strict=True))


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Ready, Held, on_held, (), "hold in the first 4 s: count again; a partner holds: has the reserve"),
    Row(Ready, ReserveTaken, on_reserve_taken, (), "who of a pair has the reserve"),
    Row(Ready, MoveSeats, move, ("VOTE",), "the knob: shall seats move on?", _seats_text, MenuPlace.FIRST),
    Row(Ready, SeatsMoved, on_seats_moved, (), "every player at the next button"),
)
