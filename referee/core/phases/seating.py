"""The names offered for a seat, and the names that the device remembers.

A name in use at the table is not offered for another seat. A second player with the same name enters it letter by
letter; the seat numbers distinguish the two.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.core.messages import Msg, msg
from referee.core.model.events import KnownName
from referee.core.model.labels import deck_backs
from referee.core.model.registry import can_play, game_named, other_rules, preset_name, presets
from referee.core.model.state import State
from referee.core.model.table import Setup, Table
from referee.core.names import fold, is_back, is_placeholder
from referee.core.values import replace

MOST_KNOWN = 32
"""Maximum number of remembered names. The name that was unused for longest is dropped first."""
NEW = ""
"""The entry in the list of names with which a new name begins."""


def names_for(state: State, station: str) -> tuple[str, ...]:
    """Return the names to offer for a seat.

    First a hall's next players, then the name last used at the seat, then the most recent ones. Names in use at other
    seats are left out.
    """
    setup, known = state.table.setup, state.known
    own = [name.name for name in known if name.station == station][:1]
    own += [name for key, name in setup.names if key == station]
    offered: dict[str, str] = {}
    for name in (
        *(one.name for one in state.offered),
        *own,
        *(name.name for name in known),
        *(name for _, name in setup.names),
    ):
        offered.setdefault(fold(name), name)
    taken = {fold(seat.name) for seat in state.table.seats if seat.name is not None and seat.station != station}
    return tuple(name for key, name in offered.items() if key not in taken)


def wheel(state: State, station: str) -> tuple[str, ...]:
    """Return what the knob offers for a seat: known names, `NEW`, unused colours of card backs."""
    taken = {seat.name for seat in state.table.seats if seat.station != station}
    backs = (back for back in deck_backs(state.table, station) if back not in taken)
    return tuple(dict.fromkeys((*names_for(state, station), NEW, *backs)))


def free_name(state: State, station: str) -> str:
    """Return a new player's name: the one kept for the seat, or an unused colour of card backs."""
    table = state.table
    configured = dict(table.setup.names).get(station)
    own = next((name.name for name in state.known if name.station == station), configured)
    if own is not None and (own in names_for(state, station) or _is_shared_name(state, station, own)):
        return own
    taken = {seat.name for seat in table.seats}
    backs = deck_backs(table, station)
    return next((back for back in backs if back not in taken), backs[0])


def _is_shared_name(state: State, station: str, name: str) -> bool:
    """Return whether two players share this name and one of them belongs to that seat.

    Names in the configuration count only if no remembered name is the same.
    """
    last = [one.station for one in state.known if fold(one.name) == fold(name)]
    last = last or [seat for seat, other in state.table.setup.names if fold(other) == fold(name)]
    return len(last) > 1 and station in last


def named(state: State, station: str, name: str, head_start_s: int = 0) -> Table:
    """Return the table with a player of this name at the seat.

    The player gets the head start that is remembered with the name. head_start_s: the head start of a name that the
    device does not know.
    """
    kept = {fold(one.name): one.head_start_s for one in reversed(state.known)}
    seat = replace(state.table.own_seat(station), name=name, head_start_s=kept.get(fold(name), head_start_s))
    return state.table.with_seat(seat)


def next_notes(state: State) -> tuple[Msg, ...]:
    """Return notes from a hall: the next players if not all sit here, and their game if other rules are set here."""
    here = {fold(seat.name) for seat in state.table.seats if seat.name}
    names, wanted = tuple(one.name for one in state.offered), event_setup(state)
    who = (msg("note.next", names=names),) if any(fold(name) not in here for name in names) else ()
    return who if wanted is None else (*who, _game_note(state.table, wanted))


def event_setup(state: State) -> Setup | None:
    """Return this table's setup with the game of the hall's event; None if there is none, or it is set."""
    setup, preset, options = state.table.setup, state.offered_game, state.offered_options
    if not state.offered or preset not in presets() or not can_play(preset, dict(options)):
        return None
    wanted = replace(setup, preset=preset, options=options)
    return wanted if preset != setup.preset or other_rules(setup, wanted) else None


def _game_note(table: Table, wanted: Setup) -> Msg:
    """Return the note about the event's game: its target, and whether other rules differ."""
    usual = table.setup if wanted.preset == table.setup.preset else Setup(wanted.preset)
    rules = any(name != "target" for name, _, _ in other_rules(usual, wanted))
    target = game_named(wanted.preset).target(replace(table, setup=wanted))
    game = preset_name(wanted.preset)
    part = msg("note.game_to", game=game, target=target) if target else game
    return msg("note.next_rules", game=part) if rules else msg("note.next_game", game=part)


def remember_names(state: State) -> State:
    """Remember the names of all seated players, as the most recent ones."""
    seats = ((seat, seat.name) for seat in state.table.seats)
    here = [KnownName(s.station, name, s.head_start_s) for s, name in seats if name is not None and not is_back(name)]
    names = {fold(one.name) for one in here}
    known = (*here, *(one for one in state.known if fold(one.name) not in names))[:MOST_KNOWN]
    return state if known == state.known else replace(state, known=known)


def kept_names(known: Iterable[KnownName]) -> tuple[KnownName, ...]:
    """Return the names to keep in a new journal, without placeholders for deleted names."""
    return tuple(one for one in known if not is_placeholder(one.name))
