"""The rulebook at the knob: groups of topics, each with its answer as pages.

    Rulebook ─► Stuck, Middle ... ─► Nobody can move ... ─► page 1/3 ─ turn ─► page 2/3 ─ push ─► the topics again

It can be opened in the lobby and in every phase without play or a pending verdict. The answers follow the table's own
rules. Reading changes nothing in the match.
"""

from __future__ import annotations

from referee.core.messages import Msg, msg
from referee.core.model.menu import Back, MenuAction, MenuLine
from referee.core.model.registry import presets, rulebook
from referee.core.model.state import Phase, Resting, State, Step
from referee.core.model.transitions import MenuPlace, Row, Transition
from referee.core.phases.common import BACK, READING_NS, open_list, stay
from referee.core.phases.lobby import Lobby
from referee.core.rulebook import RuleAnswer

OPEN_RULEBOOK = msg("item.rulebook")
"""The menu line that opens the rulebook."""
GROUPS = {
    "item.book_play": "turns discarding retaking empty_stock knocking after_knock slap_first slap_when slap_again "
    "slap_feint slap_turning slap_court slap_pause last_who last_begins last_bluff last_passing last_again_dealt",
    "item.book_stuck": "stuck withholding available turning short_stock taken_back",
    "item.book_middle": "same_place in_flight held_card let_go misplaced full_pile middle",
    "item.book_own": "part transfer stacking one_card columns empty_place jokers",
    "item.book_call": "timeout timeout_now false_call must_call tie_calls leaving",
    "item.book_manners": "fumble hands touching shielding looking tidying talking",
    "item.book_start": "before_go false_start shuffling pair backs handicap seats",
    "item.book_score": "counting score target tie_target aim lowest values county dealt_31 other_31 stakes "
    "slap_wrong slap_empty slap_target last_false last_letters last_out",
}
"""The topics of all games by group. A game has those that it answers."""
FIRST = {
    **dict.fromkeys(("LOBBY", "AGREEMENT", "READY", "STOPPED"), "item.book_start"),
    **dict.fromkeys(("COUNTING", "OVER"), "item.book_score"),
}
"""Phase -> the group that is shown first there."""


class ShowTopics(MenuAction):
    """List the groups of the table's rulebook or, with `group`, the topics of that group."""

    group: str = ""


class ReadTopic(MenuAction):
    """Show the rulebook's answer on that topic, under the table's rules."""

    topic: str


def _title(state: State, phase: Phase) -> Msg | None:
    return OPEN_RULEBOOK if presets()[state.table.setup.preset].RULEBOOK else None


def _answers(state: State) -> tuple[RuleAnswer, ...]:
    setup = state.table.setup
    return rulebook(setup.preset, dict(setup.options))


def topics(state: State, phase: Phase, action: ShowTopics) -> Step:
    """List the topics of a group, the most disputed first; without a group, list the groups.

    The group that fits the present phase comes first.
    """
    answers, first = _answers(state), FIRST.get(phase.name)
    if action.group:
        found = (answer for answer in answers if answer.topic in GROUPS[action.group].split())
        return stay(open_list(state, (*(MenuLine(ReadTopic(one.topic), one.title) for one in found), BACK)))
    topics = {answer.topic for answer in answers}
    groups = [group for group, names in GROUPS.items() if topics & {*names.split()}]
    groups.sort(key=lambda group: group != first)
    return stay(open_list(state, (*(MenuLine(ShowTopics(group), msg(group)) for group in groups), BACK)))


def read(state: State, phase: Phase, action: ReadTopic) -> Step:
    """Show the topic's pages with their sources. A push on a page returns to the topics."""
    answer = next(answer for answer in _answers(state) if answer.topic == action.topic)
    lines = tuple(MenuLine(Back(), page.text) for page in answer.pages)
    sources = tuple(page.sources for page in answer.pages)
    return stay(open_list(state, lines, answer.title, sources=sources, for_ns=READING_NS))


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, ShowTopics, topics, (), "the knob: the rulebook", _title, MenuPlace.COMMON),
    Row(Lobby, ReadTopic, read, (), "the knob: a topic of the rulebook"),
    Row(Resting, ShowTopics, topics, (), "the knob: the rulebook", _title, MenuPlace.COMMON),
    Row(Resting, ReadTopic, read, (), "the knob: a topic of the rulebook"),
)
