"""What the book says of a match beyond its hands: its id, when it began, and a story for each hand.

Theory of operation. `advance` calls `keep_stories` with every decision that it applies, so no game does it itself.
Stories are part of the table: undo, redo and a match that goes on bring back their own table with everything in it.
"""

from __future__ import annotations

from referee.core.model.events import Began, Decision, Rematched
from referee.core.model.registry import presets
from referee.core.model.state import State
from referee.core.model.table import HandStory
from referee.core.values import replace


def keep_stories(state: State, before: State, event: Decision) -> State:
    """The state after a decision, with the match's id and as many stories as hands.

    A new hand gets its story from the phase in which it was counted; a corrected hand keeps the story at its place.
    """
    table = state.table
    if isinstance(event, Began | Rematched):
        id_ = f"{state.boot}-{event.at_ns}-{state.seq}"
        return replace(state, table=replace(table, match=id_, begun=state.seq, stories=()))
    if len(table.hands) == len(table.stories):
        return state
    stories = table.stories[: len(table.hands)]
    if len(stories) < len(table.hands):
        played_ns, verdict = presets()[table.setup.preset].hand_story(before.phase)
        stories = (*stories, HandStory(state.seq, played_ns or None, verdict))
    return replace(state, table=replace(table, stories=stories))
