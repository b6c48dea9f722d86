"""A claim that all answer once: tap right, hold wrong. The last answer settles it, and so does a claimant's own hold.

A majority decides; where as many say right as wrong, or nobody says anything, the claim stands. What is settled is the
game's affair (`ClaimGame.upheld`), which asks `right` here.
"""

from __future__ import annotations

from referee.core.model.registry import claim_game
from referee.core.model.state import Held, State, Step, Tapped, heard
from referee.core.model.transitions import Row, Transition
from referee.core.phases.common import stay, wink, within
from referee.core.phases.verdict import Judged
from referee.core.values import replace


def right(judged: Judged) -> bool:
    """Whether the claim was right, by the answers so far."""
    return not _admitted(judged) and 2 * sum(yes for _, yes in judged.answers) >= len(judged.answers)


def _admitted(judged: Judged) -> bool:
    """Whether the one who claimed says that it was wrong."""
    assert judged.verdict is not None
    callers = judged.verdict.callers
    return len(callers) == 1 and (callers[0], False) in judged.answers


def on_tapped(state: State, phase: Judged, tapped: Tapped) -> Step:
    """A tap says that the claim was right, once a team."""
    return _answered(state, phase, tapped.station, tapped.t_ns, True)


def on_held(state: State, phase: Judged, held: Held) -> Step:
    """A hold says that the claim was wrong, once a team; a long one is no second answer."""
    return stay(state) if held.long else _answered(state, phase, held.station, held.t_ns, False)


def _answered(state: State, phase: Judged, station: str, t_ns: int, yes: bool) -> Step:
    team = state.table.team_of(station)
    asked = heard(state.table, phase.play.playing)
    if team is None or team.id not in asked or team.id in dict(phase.answers) or t_ns < phase.answers_from_ns:
        return stay(state)
    phase = replace(phase, answers=(*phase.answers, (team.id, yes)))
    state = wink(replace(state, phase=phase), station, 1 if yes else 2)
    settled = _admitted(phase) or not set(asked) - set(dict(phase.answers))
    return claim_game(state.table).upheld(state, phase) if settled else within(state, phase)


ROWS: tuple[Transition, ...] = (
    Row(Judged, Tapped, on_tapped, (), "tap: right"),
    Row(Judged, Held, on_held, (), "hold: wrong"),
)
