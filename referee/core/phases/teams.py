"""Change who sits where, between hands or in a pause: the list "Players".

    Players ─ Name ─► 3: Max ─► turn, push         between hands; New name ─► letters
            ─ Start later ─► 3 Max: +0 s ─► turn   between hands; the player starts later than the others
            ─ Other button ─► 3 Max ─► Button 7     the player goes on with it, in the same team
            ─ Mute, Unmute ─► 3 Max                 its presses are ignored; the knob enters the team's count
            ─ Leave ─► 3 leaves                     in a pause; what was played so far counts, unless the preset says no

The list offers to mute a button after two false calls that its owner has not admitted (it may be wet or leaned on).
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Decision, Ended, HeadStartSet, Moved, Muted, Named, SatOut
from referee.core.model.labels import number, said, seat_label, seat_line
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.registry import game_of, pile_game
from referee.core.model.state import BetweenHands, Phase, Resting, State, Step, at_buttons
from referee.core.model.table import Table, sitting
from referee.core.model.transitions import BEGINS, RESUMES, MenuPlace, Row, Transition
from referee.core.names import back_name, is_back
from referee.core.phases.common import BACK, decide, open_list, stay, too_few, within
from referee.core.phases.pause import TimeOut
from referee.core.phases.ready import Ready, begin_if_ready, present, sitting_out, with_players
from referee.core.phases.seating import NEW, named, open_spelling, remember_names, wheel
from referee.core.phases.start import Stopped, go_on_if_free
from referee.core.values import replace

HEAD_STARTS_S = tuple(range(0, 31, 5))
"""How many seconds later than the others a player can start."""
SUSPECT_AFTER = 2
"""The number of unexplained false calls after which the list offers to mute a button."""


class ShowTeams(MenuAction):
    """List what can be changed about teams and seats."""


class Rename(MenuAction):
    """Name the player at `station`.

    Without `station`, list the players; without `name`, list the names.
    """

    station: str = ""
    name: str = ""


class NewName(MenuAction):
    """Enter a new name for the player at that station, letter by letter."""

    station: str


class HeadStart(MenuAction):
    """Let the player at `station` start later.

    Without `station`, list the players; without `seconds`, list the values.
    """

    station: str = ""
    seconds: int | None = None


class ChangeButton(MenuAction):
    """Move the player at `station` to the button `to`.

    Without `station`, list the players; without `to`, list the free buttons.
    """

    station: str = ""
    to: str = ""


class MuteSuspect(MenuAction):
    """Mute a button that made false calls which its player did not admit."""

    upsets: ClassVar[bool] = True


class Mute(MenuAction):
    """Mute that button, or (`muted` False) unmute it; without `station`, list the buttons."""

    station: str = ""
    muted: bool = True


class Leave(MenuAction):
    """Let the player at that station leave during a hand; without `station`, list the players."""

    upsets: ClassVar[bool] = True
    station: str = ""


# -- the list ------------------------------------------------------------------------------------------------------


def teams(state: State, phase: Phase, action: ShowTeams) -> Step:
    table = state.table
    lines = (
        (isinstance(phase, BetweenHands), Rename(), "item.name"),
        (isinstance(phase, BetweenHands) and pile_game(table), HeadStart(), "item.head_start"),
        (_free(table), ChangeButton(), "item.other_button"),
        (set(_players(table)) - table.muted, Mute(), "item.mute"),
        (table.muted, Mute(muted=False), "item.unmute"),
        (isinstance(phase, TimeOut), Leave(), "item.leave"),
    )
    return stay(open_list(state, (*(MenuLine(does, msg(key)) for applies, does, key in lines if applies), BACK)))


def _players(table: Table) -> tuple[str, ...]:
    """Return the stations of all teams that do not sit out, team by team."""
    return tuple(sitting(table, tuple(team.id for team in table.teams)))


def _free(table: Table) -> tuple[str, ...]:
    return tuple(seat.station for seat in table.seats if seat.name is None)


def _open_seat_list(state: State, action: ChangeButton | Mute, stations: tuple[str, ...]) -> Step:
    lines = (MenuLine(replace(action, station=station), seat_line(state.table, station)) for station in stations)
    return stay(open_list(state, (*lines, BACK)))


# -- names ---------------------------------------------------------------------------------------------------------


def rename(state: State, phase: Phase, action: Rename) -> Step:
    """List the players. After a choice, let the knob choose a name; a push takes it."""
    station, table = action.station, state.table
    if action.name:
        return decide(state, Named(state.now_ns, station, action.name))
    players = _players(table)
    lines = tuple(
        MenuLine(Rename(s), msg("item.named", seat=number(table, s), choice=seat_label(table, s).name)) for s in players
    )
    if not station:
        return stay(open_list(state, (*lines, BACK)))
    names = dict.fromkeys((table.own_seat(station).name or "", *wheel(state, station)))
    new = MenuLine(NewName(station), msg("item.new_name"))
    values = tuple(
        new if name == NEW else MenuLine(Rename(station, name), back_name(name, table.setup.language)) for name in names
    )
    return stay(open_list(state, (*lines, BACK), cursor=players.index(station), values=values))


def new_name(state: State, phase: Phase, action: NewName) -> Step:
    return stay(open_spelling(state, action.station))


def on_named(state: State, phase: Phase, event: Named) -> Step:
    seat = state.table.own_seat(event.station)
    table = named(state, event.station, event.name, seat.head_start_s if is_back(seat.name or "") else 0)
    return within(remember_names(replace(state, table=table)), phase)


# -- head start ----------------------------------------------------------------------------------------------------


def head_start(state: State, phase: Phase, action: HeadStart) -> Step:
    """List the players. After a choice, let the knob choose the seconds; a push takes them."""
    station, table = action.station, state.table
    if action.seconds is not None:
        return decide(state, HeadStartSet(state.now_ns, station, action.seconds))
    players = _players(table)
    lines = tuple(
        MenuLine(HeadStart(s), said("item.starts", seat_label(table, s), choice=_later(table.own_seat(s).head_start_s)))
        for s in players
    )
    if not station:
        return stay(open_list(state, (*lines, BACK)))
    values = tuple(MenuLine(HeadStart(station, s), _later(s)) for s in HEAD_STARTS_S)
    at = HEAD_STARTS_S.index(table.own_seat(station).head_start_s)
    return stay(open_list(state, (*lines, BACK), cursor=players.index(station), values=values, value=at))


def _later(seconds: int) -> Msg:
    return msg("choice.later", s=seconds)


def on_head_start_set(state: State, phase: Phase, event: HeadStartSet) -> Step:
    seat = replace(state.table.own_seat(event.station), head_start_s=event.seconds)
    return within(remember_names(replace(state, table=state.table.with_seat(seat))), phase)


# -- another button ------------------------------------------------------------------------------------------------


def _blocked_text(state: State, phase: Phase) -> Msg | None:
    """Return READY's first menu line: move a player whose button is down to another button.

    None if no player's button is down, or if no other button is free.
    """
    lying = [c.station for c in state.contacts if c.closed and c.station in _players(state.table)]
    return msg("item.other_button") if lying and _free(state.table) else None


def button(state: State, phase: Phase, action: ChangeButton) -> Step:
    """List the players. After a choice, list the free buttons to which the player can move."""
    station, table = action.station, state.table
    if action.to:
        return decide(state, Moved(state.now_ns, station, action.to))
    if not station:
        return _open_seat_list(state, action, _players(table))
    lines = (MenuLine(ChangeButton(station, s), msg("item.button", seat=number(table, s))) for s in _free(table))
    return stay(open_list(state, (*lines, BACK)))


def on_moved(state: State, phase: Phase, event: Moved) -> Step:
    """Move the player, in the same team, to another button. Taps on the old button are deleted."""
    old, new = event.station, event.to
    state = at_buttons(state, {old: new})
    table = replace(_trust(state.table, old), muted=state.table.muted - {old})
    return _begin_if_ready(state, phase.after_move(old, new), table)


# -- mute ----------------------------------------------------------------------------------------------------------


def _suspect(table: Table) -> str | None:
    """Return the first button with so many false calls that the menu offers to mute it, or None."""
    heard = [s for s in _players(table) if s not in table.muted]
    return next((s for s in heard if table.unexplained.count(s) >= SUSPECT_AFTER), None)


def _suspect_text(state: State, phase: Phase) -> Msg | None:
    suspect = _suspect(state.table)
    return None if suspect is None else msg("item.mute_seat", seat=number(state.table, suspect))


def mute_suspect(state: State, phase: Phase, action: MuteSuspect) -> Step:
    suspect = _suspect(state.table)
    assert suspect is not None
    return decide(state, Muted(state.now_ns, suspect, True))


def mute(state: State, phase: Phase, action: Mute) -> Step:
    """Mute or unmute a button, or list the buttons."""
    table, muted = state.table, action.muted
    if action.station:
        return decide(state, Muted(state.now_ns, action.station, muted))
    return _open_seat_list(state, action, tuple(s for s in _players(table) if (s in table.muted) != muted))


def _trust(table: Table, station: str) -> Table:
    """Return the table without that button's recorded false calls."""
    return replace(table, unexplained=tuple(s for s in table.unexplained if s != station))


def on_muted(state: State, phase: Phase, event: Muted) -> Step:
    station = {event.station}
    muted = state.table.muted | station if event.muted else state.table.muted - station
    phase = phase.after_mute(event.station) if event.muted else phase
    return _begin_if_ready(state, phase, replace(_trust(state.table, event.station), muted=muted))


def _begin_if_ready(state: State, phase: Phase, table: Table) -> Step:
    """Update the phase after a change of buttons.

    READY then starts if `begin_if_ready` allows it, and STOPPED if `go_on_if_free` does.
    """
    state = replace(state, table=table)
    if isinstance(phase, Stopped):
        return go_on_if_free(state, phase)
    return begin_if_ready(state, with_players(phase, table)) if isinstance(phase, Ready) else within(state, phase)


# -- leaving during a hand -----------------------------------------------------------------------------------------


def leave(state: State, phase: TimeOut, action: Leave) -> Step:
    """Let the chosen player leave if two teams remain. If none is chosen, list the players."""
    station, table = action.station, state.table
    if not station:
        lines = (MenuLine(Leave(s), msg("item.leaves", seat=number(table, s))) for s in sitting(table, phase.playing))
        return stay(open_list(state, (*lines, BACK)))
    if len(set(phase.playing) & set(present(sitting_out(table, (station,))))) < 2:
        return too_few(state)
    end = game_of(table).end_when_leaving(table)
    gone: tuple[Decision, ...] = (SatOut(state.now_ns, (station,)),)
    return decide(state, *gone, *([Ended(state.now_ns, end)] if end else []))


def on_gone(state: State, phase: TimeOut, event: SatOut) -> Step:
    """Continue the hand without the player. What they played so far is counted as usual."""
    return within(replace(state, table=sitting_out(state.table, event.stations)), phase)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(BetweenHands, Named, on_named, (), "a seat has another name"),
    Row(BetweenHands, HeadStartSet, on_head_start_set, (), "a player starts later than the others"),
    Row(Resting, Moved, on_moved, (), "a player takes another button"),
    Row(Ready, Muted, on_muted, (BEGINS,), "a button is muted, or heard again"),
    Row(Stopped, Muted, on_muted, (BEGINS, RESUMES), "a button is muted, or heard again"),
    Row(Resting, Muted, on_muted, (), "a button is muted, or heard again"),
    Row(TimeOut, SatOut, on_gone, (), "somebody leaves in mid-hand"),
    Row(Ready, ChangeButton, button, (), "the knob: a button that blocks the start", _blocked_text, MenuPlace.FIRST),
    Row(Resting, ChangeButton, button, (), "the knob: another button"),
    Row(Resting, MuteSuspect, mute_suspect, (), "the knob: a doubtful button", _suspect_text),
    Row(Resting, ShowTeams, teams, (), "the knob: who sits where", msg("item.teams"), MenuPlace.COMMON),
    Row(BetweenHands, Rename, rename, (), "the knob: another name"),
    Row(BetweenHands, NewName, new_name, (), "the knob: a new name, by letters"),
    Row(BetweenHands, HeadStart, head_start, (), "the knob: a head start for the others"),
    Row(Resting, Mute, mute, (), "the knob: a button is muted, or heard again"),
    Row(TimeOut, Leave, leave, (), "the knob: somebody gets up"),
)
