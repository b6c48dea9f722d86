"""The knob's lists of a table, walked without time passing."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.games.nertz.stuck import EndHand
from referee.core.match.advance import act, menu_items, one_up, shown_menu
from referee.core.model.menu import Menu, MenuAction, MenuLine
from referee.core.model.state import State
from referee.core.phases.agreement import AgreeWithout
from referee.core.phases.lobby import OtherTable
from referee.core.phases.ready import StartWithout
from referee.core.phases.settings import EndMatch
from referee.core.phases.vote import VoidHand
from referee.core.values import replace
from tests.english import en

ENDERS = (VoidHand, EndMatch, EndHand, OtherTable, StartWithout, AgreeWithout)
MOST_PUSHES = 3
"""The pushes by which every line can be reached once the list is open."""


def enders(lines: tuple[MenuLine, ...]) -> list[MenuLine]:
    """Return the lines that end or void something, or leave people out."""
    return [line for line in lines if isinstance(line.action, ENDERS)]


def opened(state: State, action: MenuAction) -> tuple[State, Menu] | None:
    """Return the list of lines that this action opens, if it does nothing else."""
    step = act(state, action)
    menu = step.state.menu
    plain = menu is not None and not (menu.values or menu.sources or menu.spelling or menu.code)
    listed = plain and not step.decisions and type(step.state.phase) is type(state.phase)
    return (step.state, menu) if listed and menu else None


def levels(state: State, menu: Menu) -> Iterator[tuple[tuple[MenuLine, ...], Menu]]:
    """Yield every list below this one with the lines that lead to it, the nearest first."""
    waiting: list[tuple[tuple[MenuLine, ...], Menu]] = [((), menu)]
    seen = {tuple(line.text for line in menu.items)}
    while waiting:
        path, here = waiting.pop(0)
        yield path, here
        for line in here.items:
            found = opened(state, line.action)
            texts = tuple(one.text for one in found[1].items) if found else ()
            if found and texts not in seen:
                seen.add(texts)
                waiting.append(((*path, line), found[1]))


def top(state: State) -> Menu:
    """Return the list that is open, or that a push opens."""
    return shown_menu(state) or Menu(menu_items(replace(state, menu=None)))


def way_to(state: State, text: str) -> tuple[str, ...]:
    """Return the lines to push, as English text, to choose the line that begins with `text`; at first upwards."""
    for up in range(len(top(state).path) + 1):
        for path, menu in levels(state, top(state)):
            found = next((en(line.text) for line in menu.items if en(line.text).startswith(text)), None)
            if found is not None:
                return (*["Back"] * up, *(en(line.text) for line in path), found)
        state = one_up(state, top(state)) if top(state).path else state
    raise AssertionError(f"no line begins with {text}")
