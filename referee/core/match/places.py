"""A recorded decision, applied where it was taken, wherever the facts lead by the rules of now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from referee.core.match import past
from referee.core.match.advance import advance, hears
from referee.core.match.aside import pause, play_here
from referee.core.match.transition_table import rows
from referee.core.model.events import Began, Cleared, Continued, Corrected, Decision, Rematched, Sealed
from referee.core.model.phase import BetweenHands, Phase, inner_of
from referee.core.model.registry import game_of
from referee.core.model.state import State, Step
from referee.core.model.transitions import Game
from referee.core.phases.lobby import Lobby, lobby_again, teams_of
from referee.core.phases.over import Over
from referee.core.phases.power_back import PowerBack
from referee.core.phases.ready import Ready, ready
from referee.core.values import replace


def apply_decision(state: State, event: Decision) -> Step:
    """The decision applied, where the phase hears it; else in the phase in which it was taken.

    Raises what kept it from being applied there.
    """
    trouble: Exception = LookupError(f"no phase hears {type(event).__name__}")
    for place in _places(state, event):
        if hears(place, type(event)):
            try:
                return _check_teams(advance(place, event), event)
            except Exception as error:
                trouble = error
    raise trouble


def _check_teams(step: Step, event: Decision) -> Step:
    """The step. LookupError if the decision counts a team that nobody has joined as: that row is missing."""
    counted = {team for team, _ in event.counts} if isinstance(event, Sealed | Corrected) else set()
    if unknown := counted - {team.id for team in step.state.table.teams}:
        raise LookupError(f"there is no team {', '.join(sorted(unknown))}")
    return step


def _places(state: State, event: Decision) -> Iterator[State]:
    """The state as it is, with the phase that waits in this one, with the phase that the decision tells."""
    yield state
    phase: Phase | None = state.phase
    while phase is not None and (phase := inner_of(phase)) is not None:
        yield replace(state, phase=phase)
    if _only_phase(game_of(state.table), type(event)) is Lobby:
        yield lobby_again(state, event.at_ns).state
    elif isinstance(event, Rematched | Cleared):
        yield replace(_in_match(state, event), phase=Over(event.at_ns))
    else:
        yield from _in_hand(_in_match(state, event), event)


@cache
def _only_phase(game: Game, kind: type[Decision]) -> type[Phase] | None:
    """The phase that alone hears such a decision at a table that plays this game; None: several do, or none."""
    hearing = {phase for phase, trigger in rows(game) if trigger is kind}
    return next(iter(hearing)) if len(hearing) == 1 else None


def _in_hand(state: State, event: Decision) -> Iterator[State]:
    """The phases of a match, the likeliest first: as one comes back to it, as the game says, READY, a pause."""
    yield replace(state, phase=past.landing(state, event.at_ns))
    told = tuple(team for team, _ in event.counts) if isinstance(event, Sealed) else ()
    own = game_of(state.table).taken_in(state, play_here(state, told), event)
    if own is not None:
        if isinstance(state.phase, PowerBack):
            yield replace(state, phase=replace(state.phase, inner=own))
        yield replace(state, phase=own)
    yield replace(state, phase=_between_hands(state, event))
    yield replace(state, phase=pause(state))


def _between_hands(state: State, event: Decision) -> Phase:
    """The phase between two hands that alone hears such a decision, as it begins; READY, where there is none."""
    only = _only_phase(game_of(state.table), type(event))
    if only is None or only is Ready or not issubclass(only, BetweenHands):
        return ready(state, event.at_ns)
    return only(event.at_ns)


def _in_match(state: State, event: Decision) -> State:
    """Out of the lobby, into the match that was kept there, or into one of those who sit there."""
    if not isinstance(state.phase, Lobby):
        return state
    if state.phase.kept is None and not teams_of(state.table):
        return state
    begins = Began(event.at_ns) if state.phase.kept is None else Continued(event.at_ns)
    return replace(advance(state, begins).state, seq=state.seq)
