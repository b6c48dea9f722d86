"""A claim that each team judges once: tap for right, hold for wrong.

It is decided when all teams have answered, by a hold of the claimant, or 4 s after an answer that leaves the others no
say. The majority wins; with equally many or no answers the claim is right. The hand is then recorded, and play goes on
at once: no countdown and no READY phase separate two claims. An undo asks the question again.
"""

from __future__ import annotations

from referee.core.messages import msg
from referee.core.model.events import Cue, Played
from referee.core.model.labels import label_of
from referee.core.model.registry import claim_game
from referee.core.model.state import State, Step, down_among
from referee.core.model.table import teams_heard
from referee.core.model.transitions import Row, Transition
from referee.core.model.triggers import Held, Tapped
from referee.core.phases import points
from referee.core.phases.common import stay, to, toast, wink, within
from referee.core.phases.contest import CLAIM_ROWS, ContestCall
from referee.core.phases.over import Over
from referee.core.phases.points import PointsGame
from referee.core.phases.verdict import VERDICT_NS, Judged
from referee.core.units import MS
from referee.core.values import replace

RIGHT, WRONG = "right", "wrong"
"""The ends of a hand.

They are `Played.move`, a match document's `end`, and the suffix of the messages and cues.
"""
SAID = {RIGHT: "toast.claim_right", WRONG: "toast.claim_wrong"}
"""The message for each decision; it is shown while play already goes on."""
BREATH_NS = 400 * MS
"""Pause in ns before play goes on if a button is still down at the last answer.

Without it, that player could not press for the next claim in time.
"""


def right(judged: Judged) -> bool:
    """Return whether the claim is right according to the answers so far."""
    return not _has_admitted(judged) and 2 * sum(yes for _, yes in judged.answers) >= len(judged.answers)


def _has_admitted(judged: Judged) -> bool:
    """Return whether the claimant's own answer is that the claim was wrong."""
    callers = judged.ruling.callers
    return len(callers) == 1 and (callers[0], False) in judged.answers


def on_tapped(state: State, phase: Judged, tapped: Tapped) -> Step:
    """Answer that the claim was right. Each team answers once."""
    return _take_answer(state, phase, tapped.station, tapped.t_ns, True)


def on_held(state: State, phase: Judged, held: Held) -> Step:
    """Answer that the claim was wrong. Each team answers once; ignore a long hold."""
    return stay(state) if held.long else _take_answer(state, phase, held.station, held.t_ns, False)


def _take_answer(state: State, phase: Judged, station: str, t_ns: int, yes: bool) -> Step:
    team = state.table.team_of(station)
    asked = teams_heard(state.table, phase.play.playing)
    if team is None or team.id not in asked or team.id in dict(phase.answers) or t_ns < phase.answers_from_ns:
        return stay(state)
    phase = replace(phase, answers=(*phase.answers, (team.id, yes)))
    state = wink(replace(state, phase=phase), station, 1 if yes else 2)
    missing = set(asked) - set(dict(phase.answers))
    if _has_admitted(phase) or not missing:
        return claim_game(state.table).upheld(state, phase)
    soon = min(phase.until_at_ns, state.now_ns + VERDICT_NS)
    return within(state, replace(phase, until_at_ns=soon if _is_decided(phase, missing) else phase.until_at_ns))


def _is_decided(judged: Judged, missing: set[str]) -> bool:
    """Return whether the missing answers cannot change the result any more."""
    yes, teams = sum(yes for _, yes in judged.answers), len(judged.answers) + len(missing)
    return missing.isdisjoint(judged.ruling.callers) and (2 * yes >= teams or 2 * (yes + len(missing)) < teams)


def on_played(state: State, phase: Judged, event: Played) -> Step:
    """Record the claim, then resume play or end the match. If a button is down, wait briefly."""
    who = tuple(label_of(state.table, team) for team in event.teams)
    step = points.on_played(toast(state, msg(SAID[event.move], who=who, count=len(who))), phase, event)
    if isinstance(step.state.phase, Over):
        return step
    playing, now = phase.play.playing, state.now_ns
    go = now + (BREATH_NS if down_among(state, playing) else 0)
    play = replace(phase.play, played_ns=0, false_calls=()).running(state.table, go, go)
    return to(step.state, replace(play, resumed=False), Cue(f"claim_{event.move}", go))


ROWS: tuple[Transition, ...] = (
    *(row for row in CLAIM_ROWS if row.trigger is not ContestCall),  # a hold contests the claim
    Row(Judged, Tapped, on_tapped, (), "tap: right"),
    Row(Judged, Held, on_held, (), "hold: wrong"),
    Row(Judged, Played, on_played, ("PLAYING", "OVER"), "the claim is in the book"),
)


class AnsweredGame(PointsGame):
    """A game of claims that all teams judge, such as Snap.

    A subclass defines what `PointsGame` (phases/points.py) asks for. Its method `points` returns the points of each
    team for a claim that was `RIGHT` or `WRONG`.
    """

    end = RIGHT
    ENDS = (RIGHT, WRONG)
    answered = True
    goes_on = False
    rows = ROWS

    def end_of(self, judged: Judged) -> str:
        return RIGHT if right(judged) else WRONG
