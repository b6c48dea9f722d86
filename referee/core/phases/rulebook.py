"""The rulebook at the knob: a list of topics, each with its answer in pages.

    Rulebook ─► Nobody can move, Two cards at once ... ─ push ─► page 1/3 ─ turn ─► page 2/3 ─ push ─► the list again

It can be opened in the lobby and in every phase without play or a pending verdict. The answers follow the table's own
rules. Reading changes nothing in the match.
"""

from __future__ import annotations

from referee.core.messages import Msg, msg
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.phase import Phase, Resting
from referee.core.model.registry import presets, rulebook
from referee.core.model.state import State, Step
from referee.core.model.transitions import MenuPlace, Row, Transition
from referee.core.phases.common import BACK, READING_NS, open_list, stay
from referee.core.phases.lobby import Lobby
from referee.core.rulebook.book import RuleAnswer

OPEN_RULEBOOK = msg("item.rulebook")
"""The menu line that opens the rulebook, also the title of the list of topics."""


class ShowTopics(MenuAction):
    """List the topics of the rulebook, with the cursor at `topic`."""

    topic: str = ""


class ReadTopic(MenuAction):
    """Show the rulebook's answer on that topic, under the table's rules."""

    topic: str


def _title(state: State, phase: Phase) -> Msg | None:
    return OPEN_RULEBOOK if presets()[state.table.setup.preset].RULEBOOK else None


def _answers(state: State) -> tuple[RuleAnswer, ...]:
    setup = state.table.setup
    return rulebook(setup.preset, dict(setup.options))


def topics(state: State, phase: Phase, action: ShowTopics) -> Step:
    """List all topics, the most disputed first, with the cursor at `action.topic`."""
    answers = _answers(state)
    lines = (*(MenuLine(ReadTopic(answer.topic), answer.title) for answer in answers), BACK)
    at = next((n for n, answer in enumerate(answers) if answer.topic == action.topic), 0)
    return stay(open_list(state, lines, OPEN_RULEBOOK, cursor=at))


def read(state: State, phase: Phase, action: ReadTopic) -> Step:
    """Show the pages of the answer with their sources. A push returns to the list of topics."""
    answer = next(answer for answer in _answers(state) if answer.topic == action.topic)
    back = ShowTopics(action.topic)
    lines = tuple(MenuLine(back, page.text) for page in answer.pages)
    sources = tuple(page.sources for page in answer.pages)
    return stay(open_list(state, lines, answer.title, sources=sources, for_ns=READING_NS))


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, ShowTopics, topics, (), "the knob: the rulebook", _title, MenuPlace.COMMON),
    Row(Lobby, ReadTopic, read, (), "the knob: a topic of the rulebook"),
    Row(Resting, ShowTopics, topics, (), "the knob: the rulebook", _title, MenuPlace.COMMON),
    Row(Resting, ReadTopic, read, (), "the knob: a topic of the rulebook"),
)
