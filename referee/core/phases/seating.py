"""Names of players: which are offered for a seat, and how one is entered letter by letter.

A name in use at the table is not offered for another seat. A second player with the same name enters it letter by
letter; the seat numbers distinguish the two.

A name is entered in place of the menu; buttons still work.

    turn: another letter; push: take it; a push as long as a hold: the name is complete
    the last entry of the wheel, "◄", deletes a letter; in an empty name it leaves

The wheel has the letters of the table's language, digits, a space, "-" and "'". A word begins with a capital.
The name is stored only when it is complete. A power cut, the list's time limit or a deal ends the entry; the old name
then remains, and a message says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.core.letters import letters
from referee.core.messages import Msg, msg
from referee.core.model.events import KnownName, Named
from referee.core.model.labels import deck_backs
from referee.core.model.menu import Menu, Spelling
from referee.core.model.registry import can_play, game_named, other_rules, preset_name, presets
from referee.core.model.state import State, Step
from referee.core.model.table import Setup, Table
from referee.core.names import MOST_LETTERS, fold, is_back, is_placeholder, name_of
from referee.core.phases.common import decide, refuse, stay, toast
from referee.core.units import S
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


SPELLING_NS = 60 * S
"""Time in ns without input after which the entry closes."""
DELETE = "◄"
"""The wheel's entry that deletes the last letter."""
_LATIN, _REST = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789 -'"
_OWN = {"de": "ÄÖÜß", "it": "ÀÈÉÌÒÙ"}
_BEGINS_WORD = " -'"


def open_spelling(state: State, station: str) -> State:
    return _open(state, Spelling(station, state.now_ns))


def signs(language: str, text: str) -> str:
    """Return the letters that the knob offers after this text; capitals at the start of a word."""
    upper = _LATIN + _OWN.get(language, "")
    begins = not text or text[-1] in _BEGINS_WORD
    return (upper if begins else upper.lower()) + _REST + DELETE


def turn_wheel(state: State, spelling: Spelling, steps: int) -> State:
    """Turn to another letter. After the last comes the first."""
    size = len(signs(state.table.setup.language, spelling.text))
    return _open(state, replace(spelling, at=(spelling.at + steps) % size))


def push_letter(state: State, spelling: Spelling) -> Step:
    """Add the chosen letter, or delete the last one. In an empty name, "delete" ends the entry."""
    sign = signs(state.table.setup.language, spelling.text)[spelling.at]
    if sign != DELETE:
        if len(letters(spelling.text)) == MOST_LETTERS:
            return refuse(_open(state, spelling), msg("toast.letters_most"))
        return stay(_open(state, replace(spelling, text=spelling.text + sign)))
    if not spelling.text:
        return stay(replace(state, menu=None))
    return stay(_open(state, replace(spelling, text=spelling.text[:-1])))


def end_spelling(state: State, spelling: Spelling) -> Step:
    """Take the text as the name. An empty text keeps the old name."""
    name, state = name_of(spelling.text), replace(state, menu=None)
    if name is None:
        return stay(toast(state, msg("toast.not_changed")))
    return decide(state, Named(state.now_ns, spelling.station, name))


def told_if_lost(before: State, step: Step) -> Step:
    """Show a message if a step ends the entry of a name without storing it."""
    had = before.menu.spelling if before.menu else None
    if had is None or not had.text or step.state.menu is not None or step.state.toast != before.toast:
        return step
    if any(isinstance(decision, Named) for decision in step.decisions) or name_of(had.text) is None:
        return step
    return replace(step, state=toast(step.state, msg("toast.name_not_kept")))


def _open(state: State, spelling: Spelling) -> State:
    return replace(state, menu=Menu((), 0, state.now_ns + SPELLING_NS, spelling=spelling))
