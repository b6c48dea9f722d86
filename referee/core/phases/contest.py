"""The players overrule a verdict: false call, tie, another team first, hand void.

Each is a question to all teams (phases/vote.py).

docs/glossary.md explains the terms of calls, such as tie window and lockout.
"""

from __future__ import annotations

from referee.core.messages import Msg, msg
from referee.core.model.events import Decision, Overruled, Voided
from referee.core.model.labels import label_of, menu_line
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.registry import claim_game
from referee.core.model.state import Phase, State, Step, playing_of
from referee.core.model.transitions import REFUTED, UPHELD, MenuPlace, Row, Transition
from referee.core.model.triggers import Due
from referee.core.phases import call, race
from referee.core.phases import verdict as verdicts
from referee.core.phases.common import BACK, MENU_NS, at_the_knob, open_list, stay, to, toast, within
from referee.core.phases.counting import Counting, with_callers
from referee.core.phases.pause import TimeOut
from referee.core.phases.race import Race
from referee.core.phases.ready import on_voided
from referee.core.phases.start import start
from referee.core.phases.verdict import OFFERED_NS, VERDICT_NS, Judged, judged_in, kept_call, offer_contest
from referee.core.phases.vote import Admission, VoidHand, ask, ask_void
from referee.core.presses.arbiter import Verdict, by_time, rule_again, with_shifts
from referee.core.units import MS, S
from referee.core.values import replace


class LetStand(MenuAction):
    """Accept the verdict and continue the game."""


class ContestCall(MenuAction):
    """Ask all teams whether the call of `team` was false; without `team`, offer the callers."""

    team: str = ""


class ClaimTie(MenuAction):
    """Ask all teams whether the team that pressed next pressed at the same time as the caller."""


class ClaimFirst(MenuAction):
    """Ask all teams whether `team` was first; without `team`, list the teams to choose from."""

    team: str = ""


class ShowPhoto(MenuAction):
    """Show the photo finish: the recorded edges around the call."""


def contest_of(phase: Phase) -> tuple[Judged, Verdict]:
    """Return the verdict that players can contest now: its phase, then the verdict itself.

    This is the verdict on the screen or, during a count, the one on which the count is based.
    """
    judged = judged_in(phase)
    assert judged is not None
    return judged, judged.ruling


def _rival(judged: Judged, verdict: Verdict) -> str | None:
    """Return the team whose press is nearest to the callers' presses.

    That press is the first after theirs or, if the last press loses, the last before theirs.
    """
    late = (press for press, _ in verdict.late)
    named = (*verdict.callers, *verdict.refuted)
    later = [p for p in (*verdict.presses, *verdict.ignored, *late) if p.team not in named]
    nearest = max if verdict_of_last(judged) else min
    return nearest(later, key=by_time).team if later else None


def verdict_of_last(judged: Judged) -> bool:
    """Return whether the verdict names who pressed last (not who was first)."""
    return judged.armed.rules.limit_ns is not None


# -- the list ------------------------------------------------------------------------------------------------------


def stands(state: State, phase: Judged, action: LetStand) -> Step:
    return within(state, replace(phase, until_at_ns=state.now_ns, to_offer=False))


def put(
    state: State,
    phase: Phase,
    question: str,
    outcome: Decision,
    subject: tuple[str, ...],
    admission: Admission | None = None,
) -> Step:
    """Ask the hand's teams a question about the verdict.

    `ask` (phases/vote.py) explains the parameters. If the vote changes nothing, the verdict is shown again for the
    rest of its time.
    """
    judged, _ = contest_of(phase)
    if phase is judged:
        until = max(judged.anyway_until_at_ns or judged.until_at_ns, state.now_ns + 1)  # later than the vote's decision
        state = replace(state, phase=replace(judged, until_at_ns=until, photo=False, to_offer=False))
    return ask(state, question, outcome, subject=subject, voters=judged.play.playing, admission=admission)


def _false_text(state: State, phase: Phase) -> Msg | None:
    false = "item.false_start" if claim_game(state.table).accuses_first else "item.false_call"
    return msg(false) if judged_in(phase) else None


def false_call(state: State, phase: Phase, action: ContestCall) -> Step:
    """Ask whether the call was false. The caller's own yes decides at once.

    If there are several callers, the knob first chooses one.
    """
    _, verdict = contest_of(phase)
    question, callers = "ask.false_call", verdict.callers
    if claim_game(state.table).accuses_first:
        question, callers = "ask.false_start", (min(verdict.presses, key=by_time).team,)
    accused = (action.team,) if action.team in callers else callers
    if len(accused) > 1:
        lines = (MenuLine(ContestCall(team), menu_line(state.table, team)) for team in callers)
        return stay(open_list(state, (*lines, BACK), msg("title.whose_false")))
    outcome = Overruled(state.now_ns, "false_call", accused)
    return put(state, phase, question, outcome, accused, replace(outcome, admitted=True))


def _tie_text(state: State, phase: Phase) -> Msg | None:
    if judged_in(phase) is None:
        return None
    judged, verdict = contest_of(phase)
    return msg("item.tie") if len(verdict.callers) == 1 and _rival(judged, verdict) else None


def tie(state: State, phase: Phase, action: ClaimTie) -> Step:
    judged, verdict = contest_of(phase)
    rival = _rival(judged, verdict)
    assert rival is not None
    teams = (*verdict.callers, rival)
    return put(state, phase, "ask.tie", Overruled(state.now_ns, "tie", teams), teams)


def _first_text(state: State, phase: Phase) -> Msg | None:
    judged = judged_in(phase)
    if judged is None:
        return None
    return msg("item.another_last" if verdict_of_last(judged) else "item.another_first")


def first(state: State, phase: Phase, action: ClaimFirst) -> Step:
    """Let the knob choose a team, then ask whether that team was first (in some games: last)."""
    judged, verdict = contest_of(phase)
    others = [team for team in judged.play.still_in(state.table) if verdict.callers != (team,)]
    if action.team in others:
        outcome = Overruled(state.now_ns, "first", (action.team,))
        question = "ask.last" if verdict_of_last(judged) else "ask.first"
        return put(state, phase, question, outcome, (action.team,))
    lines = (MenuLine(ClaimFirst(team), menu_line(state.table, team)) for team in others)
    return stay(open_list(state, (*lines, BACK)))


def _photo_text(state: State, phase: Judged) -> Msg | None:
    return None if phase.photo else msg("item.photo")


def photo(state: State, phase: Judged, action: ShowPhoto) -> Step:
    """Show the photo finish. If the verdict is doubtful, then offer to contest the verdict."""
    disputed, now = phase.ruling.grey or bool(phase.ruling.late), state.now_ns
    shown = replace(phase, photo=True, until_at_ns=now + MENU_NS, anyway_until_at_ns=now, to_offer=disputed)
    return within(state, shown)


def _void_text(state: State, phase: Phase) -> Msg | None:
    return msg("item.void_hand") if judged_in(phase) else None


def void(state: State, phase: Phase, action: VoidHand) -> Step:
    judged = judged_in(phase)
    return ask_void(state, judged.play.playing if judged else playing_of(phase))


def _void_pause_text(state: State, phase: TimeOut) -> Msg | None:
    return msg("item.void_hand") if isinstance(phase.play, Race) else None


# -- the device offers the contest ----------------------------------------------------------------------------------


def offer_grey(state: State, phase: Judged) -> State:
    """Offer to contest the verdict because the order of presses is uncertain.

    The offer is shorter than usual by the time for which the verdict was already shown.
    """
    who = tuple(label_of(state.table, team) for team in phase.ruling.callers)
    title = msg("title.close", who=who) if len(who) <= 2 else msg("title.close_tie")
    return offer_contest(state, title, OFFERED_NS - VERDICT_NS)


# -- decisions -----------------------------------------------------------------------------------------------------


AGAIN_NS = 300 * MS
"""How long after the stop tone presses are judged again after a false call, in ns.

People who press later have heard that somebody else has called.
"""


def on_overruled(state: State, phase: Phase, event: Overruled) -> Step:
    """Apply what the players have decided about the verdict.

    After a false call the other presses are judged again; if there are none, play goes on. Any other ruling names the
    callers.
    """
    judged, verdict = contest_of(phase)
    if event.ruling != "false_call":
        false = _called_before(judged, event.teams) if event.ruling == "first" else ()
        named = _name_callers(judged, event.teams)
        return _take_verdict(_note_unexplained(state, verdict, false), phase, _with_false_calls(named, false))
    ended = claim_game(state.table).after_false_claim(state, judged, event)
    if ended is not None:
        return ended
    who = tuple(label_of(state.table, team) for team in event.teams)
    state = toast(state, claim_game(state.table).false_text(state.table, who))
    if not event.admitted:
        state = _note_unexplained(state, verdict, event.teams)
    judged = _with_false_calls(judged, event.teams)
    again = _judge_again(judged)
    return _after_false_calls(state, judged) if again is None else _take_verdict(state, phase, again)


def _called_before(judged: Judged, teams: tuple[str, ...]) -> tuple[str, ...]:
    """Return the callers that have pressed before these teams, by the measured times: their call was false."""
    first: dict[str, int] = {}
    for p in sorted(judged.ruling.listed, key=by_time):
        first.setdefault(p.team, p.counts_ns)
    named = [first[team] for team in teams if team in first]
    if not named or verdict_of_last(judged):
        return ()
    others = (team for team in judged.ruling.callers if team not in (*teams, *judged.ruling.refuted))
    return tuple(team for team in others if first.get(team, min(named)) < min(named))


def _with_false_calls(judged: Judged, false: tuple[str, ...]) -> Judged:
    """Return the verdict with these teams' calls recorded as false."""
    play = replace(judged.play, false_calls=(*judged.play.false_calls, *false))
    return replace(judged, play=play, verdict=replace(judged.ruling, refuted=(*judged.ruling.refuted, *false)))


def _name_callers(judged: Judged, callers: tuple[str, ...]) -> Judged:
    """Return the verdict with the callers that the players named by a vote.

    If one of these teams has a recorded false call from this verdict, the false call is deleted.
    """
    verdict = judged.ruling
    false_calls = list(judged.play.false_calls)
    for team in set(callers).intersection(verdict.refuted):
        false_calls.remove(team)
    refuted = tuple(team for team in verdict.refuted if team not in callers)
    play = replace(judged.play, false_calls=tuple(false_calls))
    return replace(judged, play=play, verdict=replace(_by(verdict, callers), refuted=refuted), by_vote=True)


def _judge_again(judged: Judged) -> Judged | None:
    """Return the verdict on the presses that are not refuted; None if there is none until `AGAIN_NS`."""
    verdict, armed = judged.ruling, judged.armed
    callers = _standing_callers(judged)
    if judged.by_vote and callers:
        return replace(judged, verdict=_by(verdict, callers))
    if armed.rules.age_ns is None and not callers and not verdict.grey:
        return None  # an evening of an older release: play went on
    until_ns = verdict.deadline_ns if armed.rules.age_ns is None else judged.stop_ns + AGAIN_NS
    again = rule_again(armed, verdict.refuted, until_ns) if armed.presses else None
    if again is not None:
        return replace(judged, verdict=again, by_vote=False)
    return replace(judged, verdict=_by(verdict, callers)) if callers else None  # its rows were lost


def _standing_callers(judged: Judged) -> tuple[str, ...]:
    return tuple(team for team in judged.ruling.callers if team not in judged.ruling.refuted)


def _after_false_calls(state: State, judged: Judged) -> Step:
    """Ask about the next later press; if none is left, go on with play."""
    armed, known = judged.armed, (*judged.ruling.refuted, *judged.asked_about)
    presses = sorted(with_shifts(armed.presses, armed.rules), key=lambda press: press.counts_ns)
    later = next((team for team in map(armed.team, presses) if team not in known), None)
    if later is None or armed.rules.age_ns is None:
        state = replace(state, table=kept_call(state.table, judged, len(state.table.hands)))
        return start(state, judged.play.playing, judged.play)
    judged = replace(judged, asked_about=(*judged.asked_about, later), until_at_ns=state.now_ns, to_offer=False)
    return put(
        replace(state, phase=judged), judged, "ask.was_call", Overruled(state.now_ns, "first", (later,)), (later,)
    )


def _by(verdict: Verdict, callers: tuple[str, ...]) -> Verdict:
    kind = "tie" if len(callers) > 1 else "clear"
    return replace(verdict, kind=kind, grey=False, callers=callers, first=callers[0])


def _take_verdict(state: State, phase: Phase, judged: Judged) -> Step:
    """Show the changed verdict or, during the count, continue the count with the new callers."""
    until = state.now_ns + judged.stands_ns
    judged = replace(judged, until_at_ns=until, shares=(), asked_to_divide=False, to_offer=judged.ruling.grey)
    if isinstance(phase, Counting):
        return within(state, with_callers(state.table, replace(phase, inner=judged), judged.ruling.callers))
    return to(state, judged)


def _note_unexplained(state: State, verdict: Verdict, teams: tuple[str, ...]) -> State:
    """Record which buttons made this false call. The menu offers to mute a button that made two."""
    pressed = tuple(p.station for p in verdict.presses if p.team in teams)
    return replace(state, table=replace(state.table, unexplained=(*state.table.unexplained, *pressed)))


def on_judged_due(state: State, phase: Judged, due: Due) -> Step:
    """Go on with the game, or wait while the knob has a list open.

    If the verdict is in doubt, offer to contest it first.
    """
    if at_the_knob(state):
        return within(state, replace(phase, until_at_ns=state.now_ns + S, to_offer=False))
    if not _standing_callers(phase):
        return _after_false_calls(state, phase)
    return stay(offer_grey(state, phase)) if phase.to_offer else claim_game(state.table).upheld(state, phase)


def _questions(phase: type[Phase]) -> tuple[Transition, ...]:
    return (
        Row(phase, ContestCall, false_call, ("VOTE",), "the knob: was the call false?", _false_text),
        Row(phase, ClaimTie, tie, ("VOTE",), "the knob: was it a tie?", _tie_text),
        Row(phase, ClaimFirst, first, ("VOTE",), "the knob: was another first?", _first_text),
    )


ROWS: tuple[Transition, ...] = (
    Row(Judged, Due, on_judged_due, (UPHELD, REFUTED, "VOTE"), "2 or 4 s: the game goes on"),
    Row(Judged, Overruled, on_overruled, (REFUTED, "VOTE"), "the table rules"),
    Row(Judged, Voided, on_voided, ("READY",), "the hand is void"),
    Row(TimeOut, Voided, on_voided, ("READY",), "the hand is void"),
    Row(Judged, LetStand, stands, (), "the knob: the game goes on", msg("item.stands")),
    *_questions(Judged),
)
_AGAIN = "the knob: shall the hand be dealt again?"
PHOTO_AND_VOID: tuple[Transition, ...] = (
    Row(Judged, ShowPhoto, photo, (), "the knob: the photo finish", _photo_text),
    Row(Judged, VoidHand, void, ("VOTE",), _AGAIN, _void_text, MenuPlace.LAST),
    Row(TimeOut, VoidHand, void, ("VOTE",), _AGAIN, _void_pause_text, MenuPlace.LAST),
)
"""Rows of the photo finish and of voiding a hand.

In the menu they follow the game's own lines.
"""
CLAIM_ROWS: tuple[Transition, ...] = (*race.ROWS, *call.ROWS, *verdicts.ROWS, *ROWS, *PHOTO_AND_VOID)
"""All rows of a call, for a game whose hands are not counted."""
COUNT_ROWS: tuple[Transition, ...] = (
    Row(Counting, Overruled, on_overruled, (REFUTED, "VOTE"), "the table rules"),
    Row(Counting, Voided, on_voided, ("READY",), "the hand is void"),
    *_questions(Counting),
)
COUNT_VOID: tuple[Transition, ...] = (Row(Counting, VoidHand, void, ("VOTE",), _AGAIN, _void_text, MenuPlace.LAST),)
