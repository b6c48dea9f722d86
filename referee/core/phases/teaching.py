"""Teach us: explain the first hand line by line; in each phase, say what to do now.

    LOBBY, or a pause: Game or More ─► Teach us: no ─ push ─► Teach us: yes       the next recorded hand ends it

Each game supplies its own text (`Game.lesson`), made from the rules of the table. The display shows it below the
phase's picture, one line at a time; a screen reader reads all lines. Lamps, buttons and menus stay the same.
"""

from __future__ import annotations

from referee.core.messages import Msg, msg
from referee.core.model.events import Taught
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.registry import game_of
from referee.core.model.state import Phase, Resting, State, Step, play_of, playing_of
from referee.core.model.table import Table
from referee.core.model.transitions import Row, Transition
from referee.core.model.view import CountScreen, PlayingScreen, ReadyScreen, Screen, SearchScreen, TurnScreen
from referee.core.phases.common import decide, toast, within
from referee.core.phases.lobby import Lobby
from referee.core.values import replace

PARTS: dict[type, str] = {
    ReadyScreen: "deal",
    PlayingScreen: "play",
    TurnScreen: "play",
    SearchScreen: "stuck",
    CountScreen: "count",
}
"""The screens with room for an explanation, and the part of a hand that it explains."""


class TeachUs(MenuAction):
    """Turn the explanations on or off."""

    on: bool


def teach_line(table: Table) -> MenuLine:
    """Return the menu line that turns teaching on or off."""
    now = msg("choice.yes" if table.teaching else "choice.no")
    return MenuLine(TeachUs(not table.teaching), msg("item.teach", choice=now), msg("about.teach"))


def lesson_of(state: State, screen: Screen) -> tuple[Msg, ...]:
    """Return the explanations for the present screen. In READY, the screen's notes follow them.

    Empty if the screen has no room for explanations.
    """
    part = PARTS.get(type(screen))
    if part is None or _needs_its_room(screen):
        return ()
    play = play_of(state.phase)
    lines = game_of(state.table).lesson(state.table, part, playing_of(state.phase if play is None else play))
    return tuple(dict.fromkeys((*lines, *screen.notes))) if isinstance(screen, ReadyScreen) else lines


def _needs_its_room(screen: Screen) -> bool:
    """Return whether the screen asks to release a button or puts a question to a seat."""
    if isinstance(screen, TurnScreen):
        return bool(screen.questions)
    return isinstance(screen, ReadyScreen) and screen.let_go is not None


def teach(state: State, phase: Phase, action: TeachUs) -> Step:
    return decide(state, Taught(state.now_ns, action.on))


def on_taught(state: State, phase: Phase, event: Taught) -> Step:
    """Turn teaching on until a hand is recorded, or turn it off."""
    state = replace(state, table=replace(state.table, teaching=event.on), menu=None)
    return within(toast(state, msg("toast.teach_on" if event.on else "toast.teach_off")), phase)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, Taught, on_taught, (), "the first hand is explained"),
    Row(Resting, Taught, on_taught, (), "the next hand is explained"),
    Row(Lobby, TeachUs, teach, (), "the knob: teach us"),
    Row(Resting, TeachUs, teach, (), "the knob: teach us"),
)
