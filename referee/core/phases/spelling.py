"""A name entered letter by letter at the knob, in place of its list: buttons mean what they mean beside it.

    turn: another letter ── push: it is taken ── a push as long as a hold: that is the name
    behind the last letter of the wheel: back takes one away, and leaves where there is none

A wheel has the letters of the table's language, digits, a space, "-" and "'". A word begins with a capital. Nothing of
it is stored before the name is: a power cut, a list that closes or cards that are dealt leave the name that was, and
whoever had begun is told so.
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
"""Letters that nobody touches close by themselves."""
DELETE = "◄"
"""The wheel's place that takes the last letter away."""
_LATIN, _REST = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789 -'"
_OWN = {"de": "ÄÖÜß", "it": "ÀÈÉÌÒÙ"}
_BEGINS_WORD = " -'"


def open_spelling(state: State, station: str) -> State:
    """The state with the letters open for that seat's name."""
    menu = Menu((), 0, state.now_ns + SPELLING_NS, spelling=Spelling(station, state.now_ns))
    return replace(state, menu=menu)


def signs(language: str, text: str) -> str:
    """The wheel behind what has been entered so far: capitals where a word begins."""
    upper = _LATIN + _OWN.get(language, "")
    begins = not text or text[-1] in _BEGINS_WORD
    return (upper if begins else upper.lower()) + _REST + DELETE


def turn_wheel(state: State, spelling: Spelling, steps: int) -> State:
    """Another letter; the wheel goes round."""
    size = len(signs(state.table.setup.language, spelling.text))
    return _open(state, replace(spelling, at=(spelling.at + steps) % size))


def push_letter(state: State, spelling: Spelling) -> Step:
    """The letter at which the knob points is taken, or the last one taken away; from nothing that leaves."""
    sign = signs(state.table.setup.language, spelling.text)[spelling.at]
    if sign != DELETE:
        if len(letters(spelling.text)) == MOST_LETTERS:
            return refuse(_open(state, spelling), msg("toast.letters_most"))
        return stay(_open(state, replace(spelling, text=spelling.text + sign)))
    if not spelling.text:
        return stay(replace(state, menu=None))
    return stay(_open(state, replace(spelling, text=spelling.text[:-1])))


def end_spelling(state: State, spelling: Spelling) -> Step:
    """That is the name. Where nothing was entered the seat keeps its own."""
    name = name_of(spelling.text)
    state = replace(state, menu=None)
    return (
        stay(toast(state, msg("toast.not_changed")))
        if name is None
        else decide(state, Named(state.now_ns, spelling.station, name))
    )


def told_if_lost(before: State, step: Step) -> Step:
    """Whoever had entered letters, and sees them gone without a name, is told."""
    had = before.menu.spelling if before.menu else None
    if had is None or not had.text or step.state.menu is not None or step.state.toast != before.toast:
        return step
    if any(isinstance(decision, Named) for decision in step.decisions) or name_of(had.text) is None:
        return step
    return replace(step, state=toast(step.state, msg("toast.name_not_kept")))


def _open(state: State, spelling: Spelling) -> State:
    assert state.menu is not None
    return replace(state, menu=replace(state.menu, spelling=spelling, closes_at_ns=state.now_ns + SPELLING_NS))
