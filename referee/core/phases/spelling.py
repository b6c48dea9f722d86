"""Enter a name letter by letter with the knob, in place of the menu. Buttons still work.

    turn: another letter; push: take it; a push as long as a hold: the name is complete
    the last entry of the wheel, "◄", deletes a letter; in an empty name it leaves

The wheel has the letters of the table's language, digits, a space, "-" and "'". A word begins with a capital.
The name is stored only when it is complete. A power cut, the list's time limit or a deal ends the entry; the old name
then remains, and a message says so.
"""

from __future__ import annotations

from referee.core.letters import letters
from referee.core.messages import msg
from referee.core.model.events import Named
from referee.core.model.menu import Menu, Spelling
from referee.core.model.state import State, Step
from referee.core.names import MOST_LETTERS, name_of
from referee.core.phases.common import decide, refuse, stay, toast
from referee.core.units import S
from referee.core.values import replace

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
