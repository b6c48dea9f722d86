"""Who sits where, between two hands or in a pause: rename, another button, mute, leave. One list, "Teams".

    Teams ─ Name ─► 3: Max ─► turn, push         between hands
          ─ Other button ─► 3 Max ─► Button 7     the player goes on with it; the team stays the same one
          ─ Mute, Unmute ─► 3 Max                 calls, answers and blocks nothing; the knob serves the seat
          ─ Leave ─► 3 leaves                     in a pause; what was played so far counts, unless the preset says no

A button that has called falsely twice without its owner admitting it (wet, or leaned on) is offered for muting.
"""

from __future__ import annotations

from referee.core.events import Cue, Decision, Ended, Moved, Muted, Named, SatOut
from referee.core.games.registry import game_of
from referee.core.labels import number, seat_label
from referee.core.phases.common import decide, opened, stay, toast, within
from referee.core.phases.counting import Counting
from referee.core.phases.over import Over
from referee.core.phases.pause import TimeOut
from referee.core.phases.ready import Ready, begin_if_ready, present, reseated
from referee.core.phases.seating import names_for
from referee.core.phases.start import Stopped
from referee.core.state import Seat, State, Step, Table, sitting
from referee.core.transitions import BEGINS, Item, Row
from referee.core.values import replace

SUSPECT_AFTER = 2
"""So many unexplained false calls of one button, and the list offers to mute it."""
BETWEEN = (Ready, Over)
PHASES = (*BETWEEN, TimeOut, Stopped, Counting)
_BACK = ("back", "Back")
Lines = tuple[tuple[str, str], ...]


# -- the list ------------------------------------------------------------------------------------------------------


def _teams_text(state: State) -> str | None:
    return "Teams"


def _name_text(state: State) -> str | None:
    return "Name" if isinstance(state.phase, BETWEEN) else None


def _button_text(state: State) -> str | None:
    return "Other button" if _free(state.table) else None


def _mute_text(state: State) -> str | None:
    return "Mute" if set(_players(state.table)) - state.table.muted else None


def _unmute_text(state: State) -> str | None:
    return "Unmute" if state.table.muted else None


def _leave_text(state: State) -> str | None:
    return "Leave" if isinstance(state.phase, TimeOut) else None


def teams(state: State, argument: str = "") -> Step:
    """What can be done with whom."""
    lines = (
        ("rename", _name_text(state)),
        ("button", _button_text(state)),
        ("mute", _mute_text(state)),
        ("unmute", _unmute_text(state)),
        ("leave", _leave_text(state)),
    )
    return stay(opened(state, (*((action, text) for action, text in lines if text is not None), _BACK)))


def _players(table: Table) -> tuple[str, ...]:
    """The stations that somebody sits at, in seat order."""
    return tuple(sitting(table, tuple(team.id for team in table.teams)))


def _free(table: Table) -> tuple[str, ...]:
    return tuple(seat.station for seat in table.seats if seat.name is None)


def _listed(state: State, action: str, stations: tuple[str, ...]) -> Step:
    labels = ((station, seat_label(state.table, station)) for station in stations)
    lines: Lines = tuple((f"{action}:{station}", f"{label.numbers[0]} {label.name}") for station, label in labels)
    return stay(opened(state, (*lines, _BACK)))


# -- names ---------------------------------------------------------------------------------------------------------


def rename(state: State, argument: str = "") -> Step:
    """Whose name? Then the knob turns it, and a push takes it."""
    station, _, name = argument.partition(":")
    if name:
        return decide(state, Named(state.now_ns, station, name))
    players = _players(state.table)
    lines = tuple((f"rename:{s}", f"{number(state.table, s)}: {_name(state.table, s)}") for s in players)
    if not station:
        return stay(opened(state, (*lines, _BACK)))
    names = tuple(dict.fromkeys((_name(state.table, station), *names_for(state.table, station))))
    return stay(opened(state, (*lines, _BACK), cursor=players.index(station), values=names))


def _name(table: Table, station: str) -> str:
    seat = table.seat(station)
    assert seat is not None
    return seat.name or ""


def on_named(state: State, event: Named) -> Step:
    """The same player under another name."""
    seat = state.table.seat(event.station)
    assert seat is not None
    return within(replace(state, table=state.table.with_seat(replace(seat, name=event.name))), state.phase)


# -- another button ------------------------------------------------------------------------------------------------


def _blocked_text(state: State) -> str | None:
    """READY's own first line when a button blocks the start."""
    lying = [c.station for c in state.contacts if c.closed and c.station in _players(state.table)]
    return "Other button" if lying and _free(state.table) else None


def button(state: State, argument: str = "") -> Step:
    """Who takes another button, and which?"""
    station, _, to = argument.partition(":")
    if to:
        return decide(state, Moved(state.now_ns, station, to))
    if not station:
        return _listed(state, "button", _players(state.table))
    lines = tuple((f"button:{station}:{s}", f"Button {number(state.table, s)}") for s in _free(state.table))
    return stay(opened(state, (*lines, _BACK)))


def on_moved(state: State, event: Moved) -> Step:
    """Seat, partner and team go over to the other button; what it had answered is asked again."""
    table, old, new = state.table, event.station, event.to
    seat = table.seat(old)
    assert seat is not None
    table = table.with_seat(Seat(old)).with_seat(replace(seat, station=new))
    partner = table.seat(seat.partner) if seat.partner else None
    table = table.with_seat(replace(partner, partner=new)) if partner else table
    order = table.setup.stations.index
    moved = (
        replace(team, stations=tuple(sorted((new if s == old else s for s in team.stations), key=order)))
        for team in table.teams
    )
    table = replace(_trusted(table, old), teams=tuple(moved), muted=table.muted - {old})
    return _settled(replace(state, phase=state.phase.moved(old, new)), table)


# -- mute ----------------------------------------------------------------------------------------------------------


def _suspect(table: Table) -> str | None:
    """The first button that is offered for muting."""
    heard = [s for s in _players(table) if s not in table.muted]
    return next((s for s in heard if table.unexplained.count(s) >= SUSPECT_AFTER), None)


def _suspect_text(state: State) -> str | None:
    suspect = _suspect(state.table)
    return None if suspect is None else f"Mute {number(state.table, suspect)}"


def mute_suspect(state: State, argument: str = "") -> Step:
    """The offered one."""
    suspect = _suspect(state.table)
    assert suspect is not None
    return decide(state, Muted(state.now_ns, suspect, True))


def mute(state: State, station: str = "") -> Step:
    """Which button?"""
    if station:
        return decide(state, Muted(state.now_ns, station, True))
    return _listed(state, "mute", tuple(s for s in _players(state.table) if s not in state.table.muted))


def unmute(state: State, station: str = "") -> Step:
    """Which button?"""
    if station:
        return decide(state, Muted(state.now_ns, station, False))
    return _listed(state, "unmute", tuple(s for s in _players(state.table) if s in state.table.muted))


def _trusted(table: Table, station: str) -> Table:
    """The table that has forgotten what that button has called falsely."""
    return replace(table, unexplained=tuple(s for s in table.unexplained if s != station))


def on_muted(state: State, event: Muted) -> Step:
    """The button is heard no more, or again."""
    station = {event.station}
    muted = state.table.muted | station if event.muted else state.table.muted - station
    phase = state.phase.muted(event.station) if event.muted else state.phase
    return _settled(replace(state, phase=phase), replace(_trusted(state.table, event.station), muted=muted))


def _settled(state: State, table: Table) -> Step:
    """READY may begin now that one button less is waited for."""
    if isinstance(state.phase, Ready):
        return begin_if_ready(reseated(state, table))
    return within(replace(state, table=table), state.phase)


# -- leaving in mid-hand -------------------------------------------------------------------------------------------


def leave(state: State, station: str = "") -> Step:
    """Who gets up? Two teams must remain."""
    phase, table = state.phase, state.table
    assert isinstance(phase, TimeOut)
    if not station:
        players = tuple(sitting(table, phase.playing))
        lines = tuple((f"leave:{s}", f"{number(table, s)} leaves") for s in players)
        return stay(opened(state, (*lines, _BACK)))
    left = replace(table, absent=table.absent | {station})
    if len(set(phase.playing) & set(present(left))) < 2:
        return Step(toast(state, "TWO TEAMS AT LEAST"), (Cue("refused", state.now_ns),))
    end = game_of(table).end_when_leaving(table)
    gone: tuple[Decision, ...] = (SatOut(state.now_ns, (station,)),)
    return decide(state, *gone, *([Ended(state.now_ns, end)] if end else []))


def on_gone(state: State, event: SatOut) -> Step:
    """The hand goes on without them; what they have played is counted with the others'."""
    absent = state.table.absent | set(event.stations)
    return within(replace(state, table=replace(state.table, absent=absent)), state.phase)


def _hidden(state: State) -> str | None:
    return None


ITEMS = (
    Item(Ready, "button", _blocked_text, button, leads=True),
    *(Item(phase, "mute_suspect", _suspect_text, mute_suspect) for phase in PHASES),
    *(Item(phase, "teams", _teams_text, teams, common=True) for phase in PHASES),
    *(Item(phase, "rename", _hidden, rename) for phase in BETWEEN),
    *(Item(phase, "button", _hidden, button) for phase in PHASES if phase is not Ready),
    *(Item(phase, "mute", _hidden, mute) for phase in PHASES),
    *(Item(phase, "unmute", _hidden, unmute) for phase in PHASES),
    Item(TimeOut, "leave", _hidden, leave),
)
ROWS = (
    *(Row(phase, Named, on_named, (), "a seat has another name") for phase in BETWEEN),
    Row(Ready, Moved, on_moved, (), "a player takes another button"),
    Row(Ready, Muted, on_muted, (BEGINS,), "a button is muted, or heard again"),
    *(Row(phase, Moved, on_moved, (), "a player takes another button") for phase in PHASES[1:]),
    *(Row(phase, Muted, on_muted, (), "a button is muted, or heard again") for phase in PHASES[1:]),
    Row(TimeOut, SatOut, on_gone, (), "somebody leaves in mid-hand"),
)
