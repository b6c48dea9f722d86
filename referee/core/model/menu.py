"""The knob's menu: its lines, their actions, and its open entries."""

from __future__ import annotations

from typing import ClassVar, Literal

from referee.core.messages import Msg, Part
from referee.core.values import Value

MOST_LINES = 8
"""The number of lines of a level; people do not see that a longer list goes on."""


class MenuAction(Value):
    """The action of a menu line: the trigger that a push of the knob sends to the current phase.

    upsets: whether it undoes or ends something, or adds or removes a player. The cursor of a newly opened menu is never
    at such a line.
    """

    upsets: ClassVar[bool] = False


class Back(MenuAction):
    """Go up one level, or close the menu. In a phase with a row for `Back`, leave the phase."""


class More(MenuAction):
    """List the lines for which the menu has no room."""

    lines: tuple[MenuLine, ...]


class MenuLine(Value):
    """A menu line, or a value that the knob can choose: its text, and what a push does.

    about: an explanation shown below the menu while the cursor is on the line.
    """

    action: MenuAction
    text: Part
    about: Msg | None = None


class Spelling(Value):
    """A name that is being entered for a seat, letter by letter, with the knob.

    `at`: the index of the letter at the cursor. since_ns: when the entry was opened. A push that began earlier (the one
    that opened it) chooses no letter.
    """

    station: str
    since_ns: int
    text: str = ""
    at: int = 0


class Menu(Value):
    """The knob's menu. It is not stored: after a restart the next push opens it again.

    closes_at_ns: when it closes by itself; None: never. title: None for the usual title (preset and target).
    values: the values of the line that is open for changing; `value` is the index of the one shown.
    spelling: a name is being entered, so no lines are shown. code: show a QR code ("phones", "card") or
    the result of a choice for the Wi-Fi ("own", "home", "off") instead of lines.
    sources: if the lines are pages of an answer from the rulebook: the sources of each page.
    asked_at_ns: when the device opened the menu to ask something; None if a push of the knob opened it.
    path: the lines that led to this level, the topmost first.
    """

    items: tuple[MenuLine, ...]
    cursor: int = 0
    closes_at_ns: int | None = None
    title: Part | None = None
    values: tuple[MenuLine, ...] = ()
    value: int = 0
    spelling: Spelling | None = None
    sources: tuple[tuple[Msg, ...], ...] = ()
    code: Literal["", "phones", "card", "own", "home", "off"] = ""
    asked_at_ns: int | None = None
    path: tuple[MenuLine, ...] = ()
