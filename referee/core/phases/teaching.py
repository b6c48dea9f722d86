"""Teach us: the first hand is explained line by line, each phase saying what people do now. It goes away by itself.

    LOBBY, or a pause: Game or More ─► Teach us: no ─ push ─► Teach us: yes       the next hand that is booked ends it

What is said is a game's own (`Game.lesson`), made from the rules of the table. It stands below the phase's picture,
one line in turn, and a screen reader says all of them; no lamp, no button and no list obeys it.
"""

from __future__ import annotations

from referee.core.messages import Msg, msg
from referee.core.model.events import Taught
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.phase import Phase, Resting, play_of, playing_of
from referee.core.model.registry import game_of
from referee.core.model.state import State, Step
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
"""The screens that have room for a line, and which part of a hand is explained there."""


class TeachUs(MenuAction):
    """Explain the first hand, or leave it at that."""

    on: bool


def teach_line(table: Table) -> MenuLine:
    """The line by which the table asks for it; a push changes it."""
    now = msg("choice.yes" if table.teaching else "choice.no")
    return MenuLine(TeachUs(not table.teaching), msg("item.teach", choice=now), msg("about.teach"))


def lesson_of(state: State, screen: Screen) -> tuple[Msg, ...]:
    """The lines for what the display shows now, READY's own notes among them; none where it needs all its room."""
    part = PARTS.get(type(screen))
    if not state.table.teaching or part is None or _needs_its_room(screen):
        return ()
    play = play_of(state.phase)
    lines = game_of(state.table).lesson(state.table, part, playing_of(state.phase if play is None else play))
    return tuple(dict.fromkeys((*lines, *screen.notes))) if isinstance(screen, ReadyScreen) else lines


def _needs_its_room(screen: Screen) -> bool:
    """A button to be let go of, and a question to a seat."""
    if isinstance(screen, TurnScreen):
        return bool(screen.questions)
    return isinstance(screen, ReadyScreen) and screen.let_go is not None


def teach(state: State, phase: Phase, action: TeachUs) -> Step:
    """The table wants to be taught, or no longer."""
    return decide(state, Taught(state.now_ns, action.on))


def on_taught(state: State, phase: Phase, event: Taught) -> Step:
    """From now on, until a hand has been played."""
    state = replace(state, table=replace(state.table, teaching=event.on), menu=None)
    return within(toast(state, msg("toast.teach_on" if event.on else "toast.teach_off")), phase)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, Taught, on_taught, (), "the first hand is explained"),
    Row(Resting, Taught, on_taught, (), "the next hand is explained"),
    Row(Lobby, TeachUs, teach, (), "the knob: teach us"),
    Row(Resting, TeachUs, teach, (), "the knob: teach us"),
)
