"""The knob's menu: its lines, their actions, and its open entries."""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, Part
from referee.core.values import Value


class MenuAction(Value):
    """The action of a menu line. It is a trigger, handled by a row of the phase.

    upsets: whether it undoes or ends something, or adds or removes a player. No menu begins with such a line.
    """

    upsets: ClassVar[bool] = False


class Back(MenuAction):
    """Close the menu and do nothing else. A phase that is left in this way has a row for it."""


class MenuLine(Value):
    """A menu line, or a value that the knob turns to: its text and the action of a push.

    about: an explanation shown below the menu while the cursor is on the line.
    """

    action: MenuAction
    text: Part
    about: Msg | None = None


class Spelling(Value):
    """A name that is being entered for a seat, letter by letter.

    `at`: the knob's position on the wheel of letters.
    since_ns: when the entry was opened. A push that began earlier opened it, so it takes no letter.
    """

    station: str
    since_ns: int
    text: str = ""
    at: int = 0


class Menu(Value):
    """The knob's menu. It is not stored: the next push opens it again.

    closes_at_ns None: it stays open (TIME OUT). title: the question; None: the match's own title.
    values: the values of the open line at the cursor; `value` is the index of the one shown.
    spelling: a name is entered instead of showing lines. phones: show how to pair a phone instead of lines.
    sources: the lines are pages of a rulebook answer, and these are its sources.
    asked_at_ns: when the device opened the menu to ask something; None if a push of the knob opened it.
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
