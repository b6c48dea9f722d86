"""What the book says of a match beyond its hands: its id, when it began, and a story for each hand.

Theory of operation. `advance` calls `keep_stories` with every decision that it applies, so no game does it itself.
Stories are part of the table: undo, redo and a match that goes on bring back their own table with everything in it.
"""

from __future__ import annotations

from referee.core.model.events import Began, Decision, Rematched
from referee.core.model.phase import Phase, Play, play_of
from referee.core.model.state import State
from referee.core.model.table import HandStory
from referee.core.phases.counting import Counting
from referee.core.phases.verdict import Judged
from referee.core.presses.arbiter import Verdict
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
        played_ns, verdict = _story(before.phase)
        stories = (*stories, HandStory(state.seq, played_ns or None, verdict))
    return replace(state, table=replace(table, stories=stories))


def _story(phase: Phase) -> tuple[int | None, Verdict | None]:
    """How long the hand was played that ended in that phase, and the verdict on its call; None where there was none.

    Play ends with the call's first press; presses and the clock of one stretch are times of the same boot.
    """
    last = phase.inner if isinstance(phase, Counting) else phase
    if isinstance(last, Judged) and last.verdict is not None:
        return last.play.clock_ns(min(press.t_ns for press in last.verdict.presses)), last.verdict
    play = None if last is None else play_of(last) or last
    return (getattr(play, "played_ns", None) if isinstance(play, Play) else None), None  # of a play that has a clock
