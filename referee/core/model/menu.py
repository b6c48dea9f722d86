"""The knob's list: its lines, what each of them does, and what is open on it."""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, Part
from referee.core.values import Value


class MenuAction(Value):
    """What a line of the knob's list does when it is chosen: a trigger like any other, heard by the phase's row.

    upsets: whether it takes back, ends, leaves somebody out or lets somebody in; no list begins with such a line.
    """

    upsets: ClassVar[bool] = False


class Back(MenuAction):
    """The list closes, and nothing else happens; a phase that is left in this way has a row for it."""


class MenuLine(Value):
    """A line of the knob's list, or a value that the knob turns to in one: what is read, and what a push then does.

    about: what it is, said beneath the list while the knob is at it.
    """

    action: MenuAction
    text: Part
    about: Msg | None = None


class Spelling(Value):
    """A name being entered for a seat, letter by letter: so far `text`; the knob points at a place of the wheel.

    since_ns: when it was opened; a push that began earlier has opened it, and takes no letter.
    """

    station: str
    since_ns: int
    text: str = ""
    at: int = 0


class Menu(Value):
    """The knob's list. `closes_at_ns` None: it stays (TIME OUT). It is never stored: who pushes again finds it again.

    title: what is asked; None: the match's own. values: what the knob turns through in the line at the cursor, once it
    has been opened; `value` is the one shown. spelling: instead of lines, a name is entered. phones: instead of
    lines it is shown how a phone is paired. sources: the lines are the pages of an answer of the rulebook, and these
    say so. asked_at_ns: when the device opened it to ask something; None: a push of the knob has opened it.
    """

    items: tuple[MenuLine, ...]
    cursor: int = 0
    closes_at_ns: int | None = None
    title: Part | None = None
    values: tuple[MenuLine, ...] = ()
    value: int = 0
    spelling: Spelling | None = None
    sources: tuple[tuple[Msg, ...], ...] = ()
    phones: bool = False
    asked_at_ns: int | None = None
