"""VOTE: a question to all teams, one vote each. The majority decides; a tie changes nothing.

A team that does not answer abstains. To move every player, all teams must say yes.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import (
    Adjusted,
    Cue,
    Decision,
    Divided,
    Ended,
    Overruled,
    PhoneVoted,
    Played,
    SeatsMoved,
    Voided,
)
from referee.core.model.labels import answer_lamps, label_of
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import MenuAction
from referee.core.model.registry import claim_game, game_of
from referee.core.model.state import Phase, State, Step, fresh
from referee.core.model.table import Table, seats_of, teams_heard
from referee.core.model.transitions import ASKED, Row, Transition
from referee.core.model.triggers import Due, Held, KnobPushed, Tapped
from referee.core.model.view import Screen, VoteScreen
from referee.core.phases.common import asks_at_ns, blink, return_to, stay, to, toast, wink, within
from referee.core.presses.signals import Contact
from referee.core.units import S
from referee.core.values import replace

VOTE_NS = 15 * S
Admission = Overruled | Played
"""Decisions that the yes of one team can cause alone. Their `teams` name that team."""


class Vote(Phase, tag="vote"):
    """A question to all teams. A tap says yes, a hold no. A team without an answer abstains.

    outcome: the decision taken if the majority says yes. question: the text key of the question. inner: the phase that
    asked; it returns if there is no majority. admits: if one of these teams says yes, the vote ends at once with the
    decision `admission`.
    """

    name: ClassVar[str] = "VOTE"
    waits: ClassVar[bool] = True
    guarded: ClassVar[bool] = True
    faults: ClassVar[bool] = True
    question: str = ""
    subject: tuple[str, ...] = ()
    voters: tuple[str, ...] = ()
    votes: tuple[tuple[str, bool], ...] = ()
    until_at_ns: int = 0
    outcome: Decision | None = None
    inner: Phase = Phase(0)
    admits: tuple[str, ...] = ()
    admission: Admission | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        left = max(-(-(self.until_at_ns - now_ns) // S), 0)
        times.append(self.until_at_ns - (left - 1) * S)
        cast, table = dict(self.votes), state.table
        votes = tuple((label_of(table, team), cast.get(team)) for team in self.voters)
        subject = tuple(label_of(table, team) for team in self.subject)
        question = msg(self.question, **_values(table, self.outcome))
        return VoteScreen(question, subject, votes, left, admits=bool(self.admits))

    def lamps(self, state: State) -> Shown:
        voted = tuple(team for team, _ in self.votes)
        return answer_lamps(seats_of(state.table, self.voters), seats_of(state.table, voted), self.asked_at_ns)


def _values(table: Table, outcome: Decision | None) -> dict[str, Part | tuple[Part, ...]]:
    """Return the values for the question's text: shares, a setting, or the word of a call."""
    if isinstance(outcome, Adjusted):
        game = game_of(table)
        settings = {setting.name: setting for setting in game.settings}
        return {"setting": settings[outcome.setting].said(outcome.value)}
    if isinstance(outcome, Ended) and outcome.callers:
        return {"call": claim_game(table).call_word(table)}
    return {"parts": tuple(share for _, share in outcome.shares)} if isinstance(outcome, Divided) else {}


def ask(
    state: State,
    question: str,
    outcome: Decision,
    *,
    subject: tuple[str, ...] = (),
    voters: tuple[str, ...] = (),
    admission: Admission | None = None,
) -> Step:
    """Ask `voters`, or by default all teams. The present phase waits until the vote ends.

    question: the question's text key. outcome: the decision if the majority says yes. admission: if a team of
    `subject` says yes, the vote ends at once with this decision. The decision's field `teams` then has only that team.
    """
    now, admits = state.now_ns, subject if admission else ()
    voters, until = teams_heard(state.table, voters or tuple(team.id for team in state.table.teams)), now + VOTE_NS
    vote = Vote(asks_at_ns(state), question, subject, voters, (), until, outcome, state.phase, admits, admission)
    return to(state, vote, Cue("asked", now))


class VoidHand(MenuAction):
    """Ask all teams whether to deal the hand again, without a score."""

    upsets: ClassVar[bool] = True


def ask_void(state: State, playing: tuple[str, ...]) -> Step:
    """Ask whether the hand is dealt again, without a score."""
    return ask(state, "ask.void_hand", Voided(state.now_ns), voters=playing)


def on_tapped(state: State, phase: Vote, tapped: Tapped) -> Step:
    """Vote yes. A yes from a team in `admits` ends the vote."""
    return _cast(state, phase, tapped.station, tapped.t_ns, True)


def on_held(state: State, phase: Vote, held: Held) -> Step:
    """Vote no. Ignore a long hold."""
    return stay(state) if held.long else _cast(state, phase, held.station, held.t_ns, False)


def _cast(state: State, phase: Vote, station: str, t_ns: int, yes: bool) -> Step:
    team = state.table.team_of(station)
    if team is None or team.id not in phase.voters or not fresh(phase, t_ns):
        return stay(state)
    return _vote(wink(state, station, 1 if yes else 2), phase, team.id, yes)


def phone_refusal(state: State, event: PhoneVoted) -> Msg | None:
    """Return why no phone can answer for that team now; None if one can."""
    phase = state.phase
    asked = isinstance(phase, Vote) and event.team in phase.voters and fresh(phase, event.at_ns)
    return None if asked else msg("refusal.later")


def by_phone(state: State, phase: Vote, event: PhoneVoted) -> Step:
    """Take a team's answer by phone. As with a button, the latest answer counts."""
    return _vote(state, phase, event.team, event.yes)


def _vote(state: State, phase: Vote, team: str, yes: bool) -> Step:
    others = tuple(vote for vote in phase.votes if vote[0] != team)
    voted = replace(phase, votes=(*others, (team, yes)))
    if yes and team in phase.admits and voted.admission is not None:
        return _carry_out(state, replace(voted, outcome=replace(voted.admission, teams=(team,))))
    return _settle(state, voted) if len(voted.votes) == len(phase.voters) else within(state, voted)


def conclude(state: State, phase: Vote, trigger: Due | KnobPushed) -> Step:
    """End the vote when time is up or the knob is pushed. The votes so far decide."""
    if isinstance(trigger, KnobPushed) and not fresh(phase, trigger.t_ns):
        return stay(blink(state))
    return _settle(state, phase)


def _settle(state: State, phase: Vote) -> Step:
    yes = sum(vote for _, vote in phase.votes)
    if isinstance(phase.outcome, Adjusted) and yes == len(phase.voters):
        return _carry_out(state, replace(phase, outcome=replace(phase.outcome, agreed=True)))
    back = replace(state, phase=_back(state, phase))
    if isinstance(phase.outcome, SeatsMoved):
        return (
            _carry_out(state, phase) if yes == len(phase.voters) else to(toast(state, msg("toast.not_all")), back.phase)
        )
    if 2 * yes > len(phase.votes):
        return _carry_out(toast(state, msg("toast.voted_yes")), phase)
    assert phase.outcome is not None
    return to(toast(state, game_of(state.table).what_stays(back, phase.outcome)), back.phase)


def _carry_out(state: State, phase: Vote) -> Step:
    back = replace(state, phase=_back(state, phase), menu=None)
    assert phase.outcome is not None  # every question has an outcome
    return Step(back, (), (replace(phase.outcome, at_ns=state.now_ns),))


def _back(state: State, phase: Vote) -> Phase:
    """Return the phase that asked, with its deadlines shifted by the duration of the vote."""
    return return_to(state, replace(phase, asked_at_ns=phase.until_at_ns - VOTE_NS), phase.inner)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Vote, Tapped, on_tapped, (ASKED,), "tap: yes"),
    Row(Vote, Held, on_held, (ASKED,), "hold: no"),
    Row(Vote, PhoneVoted, by_phone, (ASKED,), "a phone: its team's answer"),
    Row(Vote, Due, conclude, (ASKED,), "15 s"),
    Row(Vote, KnobPushed, conclude, (ASKED,), "push: the votes so far"),
)
