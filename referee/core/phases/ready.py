"""READY, with the standings: each player taps after dealing; the last release starts play.

The knob can leave out a missing player, who keeps the score and comes back by a tap in a later READY. If a newcomer
taps a free seat, the display asks whether to let them in; a push does so, with the lowest total.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model import lamps
from referee.core.model.events import CameBack, Cue, JoinedLate, SatOut, Turned, Voided
from referee.core.model.labels import answer_lamps, labels, number, seat_label, team_lines
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.registry import game_of, pile_game
from referee.core.model.state import GUARD_NS, BetweenHands, Phase, State, Step, UnderWay, down_among, fresh
from referee.core.model.table import Table, Team, seats_of, sitting, teams_heard
from referee.core.model.transitions import BEGINS, Place, Row, Transition
from referee.core.model.triggers import Due, Freed
from referee.core.model.view import WITH_GAINS, ReadyScreen, Screen, StandingsScreen, pages
from referee.core.phases.armed import head_starts
from referee.core.phases.common import (
    BACK,
    LET_GO_NS,
    LYING_NS,
    at_the_knob,
    decide,
    held_down,
    in_turn,
    open_list,
    stay,
    to,
    toast,
    too_few,
    wink,
    within,
)
from referee.core.phases.home import home_notes
from referee.core.phases.seating import free_name, named, remember_names
from referee.core.phases.start import Starting, start
from referee.core.phases.start import on_due as begun
from referee.core.presses.signals import Pressed, Released
from referee.core.units import S
from referee.core.values import replace

SLOW_AFTER = 3
"""Number of hands with an old press after which READY names the button."""
STANDINGS_NS = 4 * S
"""Time in ns for which each page of the standings is shown."""
TAP_NS = 1 * S
"""A button down for longer than this (ns) is not tapped, but leaned on or blocked."""
EMPHASIS_NS = 20 * S
"""Time in ns after which the names of the last one or two missing players are shown larger."""
SEATS_MOVE = msg("note.seats_move")
"""While a game's `notes` contain this message, the menu offers to move seats."""


class Ready(UnderWay, BetweenHands, tag="ready"):
    """All have dealt; each player taps when ready.

    playing: the ids of the teams in the coming hand. moved_on: players have already moved to the next seats.
    """

    name: ClassVar[str] = "READY"
    playing: tuple[str, ...] = ()
    ready: frozenset[str] = frozenset()
    standings_until_at_ns: int | None = None
    newcomer: str | None = None
    moved_on: bool = False

    def after_undo(self) -> Phase:
        """Return the phase after an undo, without the offer to let in a newcomer."""
        return replace(self, newcomer=None)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        if self.standings_until_at_ns is not None and now_ns < self.standings_until_at_ns:
            totals_at_ns, lines = self.standings_until_at_ns - standings_ns(table), team_lines(table, ranked=True)
            gains = now_ns < totals_at_ns and any(line.delta is not None and line.tells_gain for line in lines)
            times.append(totals_at_ns if gains else self.standings_until_at_ns)
            notes = (*game_of(table).gain_notes(table), *sits_out(table))
            return StandingsScreen(len(table.hands), lines, notes, gains)
        missing = waiting(state, self)
        few = 0 < len(missing) <= 2
        if few:
            times.append(self.asked_at_ns + EMPHASIS_NS)
        emphasis = few and now_ns >= self.asked_at_ns + EMPHASIS_NS
        let_go = next(iter(labels(table, _blockers(state, self, now_ns, times))), None)
        game, lines = game_of(table), team_lines(table)
        target, notes = (
            game.target(table),
            (
                *_rules(table),
                *sits_out(table),
                *home_notes(state, now_ns, times),
                *_start_later(table, self.playing),
                *_slow_links(table),
                *game.gain_notes(table),
                *game.notes(table, self.playing),
            ),
        )
        notes = tuple(note for note in notes if note != SEATS_MOVE) if self.moved_on else notes
        note = in_turn(len(notes), self.asked_at_ns, now_ns, times)
        return ReadyScreen(len(table.hands) + 1, target, labels(table, missing), lines, emphasis, let_go, notes, note)

    def lamps(self, state: State) -> Shown:
        """Return the lamps: they blink until the player taps. Double flashes: who has the reserve."""
        here = self.ready - _lost(state)
        shown = answer_lamps(seats_of(state.table, self.playing), here, self.asked_at_ns)
        game = pile_game(state.table)
        holding = game.holders(state.table) - here if game else frozenset()
        since = self.asked_at_ns + GUARD_NS
        return {s: (lamps.DOUBLE, since) if s in holding else pattern for s, pattern in shown.items()}


class LetIn(MenuAction):
    """Let a newcomer play. `station`: the newcomer's seat; "": the free seat pressed last."""

    station: str = ""


class StartWithout(MenuAction):
    """Begin the hand without the missing players."""

    upsets: ClassVar[bool] = True


def _rules(table: Table) -> tuple[Msg, ...]:
    """Return notes on the rules and how to change them, only before the first hand.

    Empty if players need not agree on the rules. Also empty while teaching is on: its explanations say the same.
    """
    if table.hands or table.teaching or not table.setup.agreement:
        return ()
    return (*game_of(table).in_short(table), msg("note.other_rules"))


def sits_out(table: Table) -> tuple[Msg, ...]:
    """Return notes on who sits out and how to come back; empty if all play."""
    who = tuple(seat_label(table, seat.station) for seat in table.seats if seat.station in table.absent and seat.name)
    if len(who) < 2:
        return tuple(msg("note.sits_out", who=label) for label in who)
    return (msg("note.sit_out", seats=who),)


def _start_later(table: Table, playing: tuple[str, ...]) -> tuple[Msg, ...]:
    """Return a note on each player who gives the others a head start."""
    starts = head_starts(table, playing).items()
    return tuple(msg("note.head_start", who=seat_label(table, station), s=s) for station, s in starts)


def _slow_links(table: Table) -> tuple[Msg, ...]:
    """Return a note on each button whose presses were too old in the last hands in which it called."""
    stations = [station for station, _ in table.old_calls]
    slow = (station for station in dict.fromkeys(stations) if stations.count(station) >= SLOW_AFTER)
    return tuple(msg("note.slow_link", who=seat_label(table, station)) for station in slow)


def ready(state: State, at_ns: int) -> Ready:
    """Return the READY phase of the coming hand. After a hand, it shows the standings first."""
    shown_ns = standings_ns(state.table) * (2 if len(state.table.teams) > WITH_GAINS else 1)
    until = at_ns + shown_ns if state.table.hands else None
    return Ready(at_ns, present(state.table), frozenset(), until)


def standings_ns(table: Table) -> int:
    """Return how long all pages of the totals are shown, in ns."""
    return STANDINGS_NS * pages(len(table.teams))


def next_hand(state: State, at_ns: int) -> Step:
    """Go to READY of the next hand, before it is dealt."""
    state = replace(state, table=game_of(state.table).undealt(state.table))
    return to(state, ready(state, at_ns))


def on_voided(state: State, phase: Phase, event: Voided) -> Step:
    """Discard the hand and deal again."""
    return next_hand(replace(state, table=state.table.booked_calls()), event.at_ns)


def present(table: Table) -> tuple[str, ...]:
    """Return the teams of the coming hand that have a player at the table."""
    return tuple(team for team in game_of(table).next_players(table) if any(sitting(table, (team,))))


def on_pressed(state: State, phase: Ready, pressed: Pressed) -> Step:
    """Mark the player ready at the start of a press. A further press does not take it back."""
    station = pressed.press.station
    if not fresh(phase, pressed.press.t_ns) or station in phase.ready:
        return stay(state)
    if station in seats_of(state.table, phase.playing):
        return _take_ready(state, replace(phase, ready=phase.ready | _speaks_for(state, phase, station)), station)
    if station in state.table.absent:
        return decide(state, CameBack(state.now_ns, station))
    return _newcomer(state, phase, station)


def _take_ready(state: State, phase: Ready, station: str) -> Step:
    """Mark a player ready. If all are ready, but a button is still down, play the fault sound."""
    blocked = not waiting(state, phase) and _leaning(state, phase)
    return within(wink(state, station, 1), phase, *([Cue("fault", state.now_ns)] if blocked else ()))


def _speaks_for(state: State, phase: Ready, station: str) -> frozenset[str]:
    """Return the stations that a tap makes ready: its own, or all if one player starts for all."""
    game = pile_game(state.table)
    everybody = game is not None and game.start(state.table).by_one
    return frozenset(seats_of(state.table, phase.playing)) if everybody else frozenset({station})


def _newcomer(state: State, phase: Ready, station: str) -> Step:
    """Offer to let in a newcomer at a free seat, unless only some teams play the coming hand."""
    if not _takes_newcomer(state.table, station):
        return stay(state)
    asking, asked = replace(state, phase=replace(phase, newcomer=station)), Cue("asked", state.now_ns)
    if at_the_knob(state):
        return Step(toast(asking, msg("toast.joins_push", seat=number(state.table, station))), (asked,))
    lines = (MenuLine(LetIn(station), _joins(asking, station)), BACK)
    title = msg("title.joins", seat=number(state.table, station))
    return Step(open_list(asking, lines, title, asked=True), (asked,))


def _takes_newcomer(table: Table, station: str) -> bool:
    seat, everybody = table.seat(station), len(game_of(table).next_players(table)) == len(table.teams)
    return seat is not None and seat.name is None and everybody and not _is_players(table, station)


def _is_players(table: Table, station: str) -> bool:
    """Return whether this is the button of a player of the match, or was it before a change of buttons."""
    return any(station in (team.id, *team.stations) for team in table.teams)


def joins_later(state: State, station: str) -> Msg | None:
    """Return when a player without a part in the match can join; None for the players of the match."""
    table, phase = state.table, state.phase
    if not table.teams or (_is_players(table, station) and station not in table.absent):
        return None
    soon = phase.name != "OVER" and (station in table.absent or _takes_newcomer(table, station))
    return msg("toast.joins_hand" if soon else "toast.joins_match", seat=number(table, station))


def on_released(state: State, phase: Ready, released: Released | Freed) -> Step:
    """Start once all have tapped and no button is down: a button that is down could not call."""
    return begin_if_ready(state, phase)


def begin_if_ready(state: State, phase: Ready) -> Step:
    """Start, unless a player is missing or a button is down."""
    nobody = not teams_heard(state.table, phase.playing)
    if nobody or waiting(state, phase) or blocking(state, phase):
        return within(state, phase)
    return start(state, phase.playing)


def waiting(state: State, phase: Ready) -> tuple[str, ...]:
    """Return the stations that have not tapped yet, or whose phone has gone away since, in seat order."""
    here = phase.ready - _lost(state)
    return tuple(s for s in seats_of(state.table, phase.playing) if s not in here)


def _lost(state: State) -> set[str]:
    """Return the stations whose phone is their button and has lost its link."""
    return {*state.away} & {*state.table.phone_buttons}


def _left_out(state: State, phase: Ready) -> tuple[str, ...]:
    """Return the stations that do not play if the hand begins now.

    Their player has not tapped, or their button has been down for too long.
    """
    blocked = {*waiting(state, phase), *_leaning(state, phase)}
    return tuple(s for s in seats_of(state.table, phase.playing) if s in blocked)


def _leaning(state: State, phase: Ready) -> tuple[str, ...]:
    """Return the stations of this hand whose button is down for longer than a tap."""
    taps = {h.press.station for h in state.holds if h.press.t_ns > state.now_ns - TAP_NS}
    return tuple(s for s in blocking(state, phase) if s not in taps)


def blocking(state: State, phase: Ready) -> tuple[str, ...]:
    """Return this hand's stations whose button is down."""
    held = {h.press.station for h in state.holds} | set(down_among(state, phase.playing))
    return tuple(s for s in seats_of(state.table, phase.playing) if s in held)


def _blockers(state: State, phase: Ready, now_ns: int, times: Times) -> list[str]:
    """Return the stations whose players are asked to let go of the button.

    Their button is stuck, or still down although all have tapped.
    """
    stuck = held_down(state, now_ns, times, LYING_NS if waiting(state, phase) else LET_GO_NS)
    return [station for station in blocking(state, phase) if station in stuck]


def on_turned(state: State, phase: Ready, turned: Turned) -> Step:
    """Show the standings again, or close them."""
    if not state.table.hands:
        return stay(state)
    until = state.now_ns + standings_ns(state.table) if turned.steps > 0 else state.now_ns
    return within(state, replace(phase, standings_until_at_ns=until))


def on_starting_due(state: State, phase: Starting, due: Due) -> Step:
    """Begin the countdown if no button is down; after its last beat, begin the hand.

    If a button is down, return to READY: all players are still ready, and presses that began earlier do not count.
    """
    if phase.counting:
        return begun(state, phase, due)
    if not down_among(state, phase.playing):
        return within(state, replace(phase, counting=True))
    back = Ready(state.now_ns, phase.playing, frozenset(seats_of(state.table, phase.playing)))
    return to(state, back, Cue("hush", state.now_ns, cancels=True))


# -- the knob ------------------------------------------------------------------------------------------------------


def _without_text(state: State, phase: Ready) -> Msg | None:
    """Return the menu line for a start without the missing players, if two teams remain."""
    missing = _left_out(state, phase)
    return start_without_text(state.table, missing) if missing else None


def start_without_text(table: Table, missing: Iterable[str]) -> Msg | None:
    """Return the menu line for a start without these stations; None if too few teams remain."""
    if len(present(sitting_out(table, missing))) < 2:
        return None
    return msg("item.start_without", seats=tuple(seat_label(table, station) for station in missing))


def sitting_out(table: Table, missing: Iterable[str]) -> Table:
    """Return the table with these stations added to those that sit out."""
    return replace(table, absent=table.absent.union(missing))


def without(state: State, phase: Ready, action: StartWithout) -> Step:
    """Leave out the missing players, and those whose button is down, if two teams remain."""
    missing = _left_out(state, phase)
    if len(present(sitting_out(state.table, missing))) < 2:
        return too_few(state)
    return decide(state, SatOut(state.now_ns, missing))


def _newcomer_text(state: State, phase: Ready) -> Msg | None:
    return _joins(state, phase.newcomer) if phase.newcomer else None


def _joins(state: State, station: str) -> Msg:
    """Return the menu line that lets a newcomer play, with the newcomer's starting score.

    If totals are not plain numbers, the line says that the newcomer starts level with the last team.
    """
    seat, last = number(state.table, station), _lowest(state.table)
    if not state.table.hands:
        return msg("item.joins", seat=seat)
    if last.told or last.shown:
        return msg("item.joins_last", seat=seat)
    return msg("item.joins_lowest", seat=seat, score=last.total)


def _lowest(table: Table) -> Place:
    """Return the standing of the team with the lowest total. A newcomer gets that total."""
    return min(game_of(table).standings(table), key=lambda place: place.total)


def let_in(state: State, phase: Ready, action: LetIn) -> Step:
    """Seat the newcomer. Ignore the request if the seat was taken meanwhile."""
    station = action.station or phase.newcomer
    seat = state.table.seat(station) if station else None
    if station is None or seat is None or seat.name is not None:
        return stay(state)
    return decide(state, JoinedLate(state.now_ns, station, free_name(state, station)))


# -- decisions -----------------------------------------------------------------------------------------------------


def on_sat_out(state: State, phase: Ready, event: SatOut) -> Step:
    """Continue with the players present, and begin if all of them have tapped."""
    table = sitting_out(state.table, event.stations)
    return begin_if_ready(replace(state, table=table), with_players(phase, table))


def on_came_back(state: State, phase: Ready, event: CameBack) -> Step:
    """Bring a player back. The tap also makes the player ready."""
    table = replace(state.table, absent=state.table.absent - {event.station})
    phase = replace(with_players(phase, table), ready=phase.ready | {event.station})
    return within(wink(replace(state, table=table), event.station, 1), phase)


def on_joined_late(state: State, phase: Ready, event: JoinedLate) -> Step:
    """Add the newcomer as a team with the lowest total."""
    table = named(state, event.station, event.name)
    lowest = _lowest(table).total
    order = table.setup.stations.index
    teams = sorted((*table.teams, Team(event.station, (event.station,))), key=lambda team: order(team.id))
    joined = (*table.joined, (event.station, lowest)) if table.hands else table.joined
    table = replace(table, teams=tuple(teams), joined=joined)
    return within(remember_names(replace(state, table=table)), with_players(phase, table))


def with_players(phase: Ready, table: Table) -> Ready:
    """Return READY for a changed table. Players who have tapped stay ready."""
    return replace(phase, playing=present(table), newcomer=None)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Ready, Pressed, on_pressed, (), "tap: ready, or back again"),
    Row(Ready, Released, on_released, (BEGINS,), "all ready, no button down"),
    Row(Ready, Freed, on_released, (BEGINS,), "all ready, no button down"),
    Row(Starting, Due, on_starting_due, ("READY", "PLAYING"), "the first beat; Go + 100 ms"),
    Row(Ready, Turned, on_turned, (), "turn: the standings again"),
    Row(Ready, SatOut, on_sat_out, (BEGINS,), "the hand begins without them"),
    Row(Ready, CameBack, on_came_back, (), "somebody is back"),
    Row(Ready, LetIn, let_in, (), "the knob: the newcomer plays", _newcomer_text),
    Row(Ready, StartWithout, without, (), "the knob: a hand without those who are waited for", _without_text),
)
