"""The table overrules the device: false call, tie, another first, void. Each is a question to all (phases/vote.py)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from referee.core.games.nertz.court import rules_of
from referee.core.games.nertz.playing import Playing
from referee.core.games.nertz.scoring import bonus_shares
from referee.core.games.nertz.verdict import OFFERED_NS, VERDICT_NS, Judged
from referee.core.model.events import Decision, Divided, Overruled, Voided
from referee.core.model.labels import label_of, menu_line, seat_line
from referee.core.model.state import Due, MenuAction, MenuLine, Phase, State, Step
from referee.core.model.transitions import Row, Transition, shown_lines
from referee.core.phases.common import BACK, MENU_NS, at_the_knob, opened, stay, to, within
from referee.core.phases.counting import Counting, counting
from referee.core.phases.pause import TimeOut
from referee.core.phases.start import start
from referee.core.phases.void import VoidHand, on_voided
from referee.core.phases.void import void as ask_void
from referee.core.phases.vote import Admission, ask
from referee.core.presses.arbiter import Verdict
from referee.core.units import S
from referee.core.values import replace

MOST_ASKED = 15
"""Characters of a question on the display."""


class LetStand(MenuAction):
    """Let the verdict stand: counting opens."""


class ContestCall(MenuAction):
    """Ask all whether the call was false."""


class ClaimTie(MenuAction):
    """Ask all whether the second press came together with the first."""


class ClaimFirst(MenuAction):
    """Ask all whether that team was first; without one they are listed."""

    team: str = ""


class DivideBonus(MenuAction):
    """Ask all whether the callers shall have so much of the bonus each; without shares the proposals are listed."""

    shares: tuple[Fraction, ...] = ()


class ShowPhoto(MenuAction):
    """Show the recorded edges."""


def judged_of(phase: Phase) -> Judged | None:
    """The verdict that may be contested: on the screen, or counted after and not yet sealed."""
    phase = (phase.inner or phase) if isinstance(phase, Counting) else phase
    return phase if isinstance(phase, Judged) and phase.verdict is not None else None


def _contested(phase: Phase) -> tuple[Judged, Verdict]:
    """The same where there is one: no line of a contest is shown where there is none."""
    judged = judged_of(phase)
    assert judged is not None
    assert judged.verdict is not None
    return judged, judged.verdict


def _rival(judged: Judged, verdict: Verdict) -> str | None:
    """The team of the first press after the callers'."""
    late = (press for press, _ in verdict.late)
    later = [p for p in (*verdict.presses, *verdict.ignored, *late) if p.team not in verdict.callers]
    return min(later, key=lambda p: (p.t_ns, p.station)).team if later else None


# -- the list ------------------------------------------------------------------------------------------------------


def stands(state: State, phase: Judged, action: LetStand) -> Step:
    """Menu action: nobody contests the verdict, so counting opens now."""
    return within(state, replace(phase, until_at_ns=state.now_ns, to_offer=False))


def _put(
    state: State,
    phase: Phase,
    question: str,
    outcome: Decision,
    subject: tuple[str, ...],
    *,
    admits: tuple[str, ...] = (),
    admission: Admission | None = None,
) -> Step:
    """A question to the hand's teams. If it changes nothing the verdict stands as long as it had to anyway."""
    judged, _ = _contested(phase)
    if phase is judged:
        until = max(judged.anyway_until_at_ns or judged.until_at_ns, state.now_ns + 1)  # not before it is decided
        state = replace(state, phase=replace(judged, until_at_ns=until, photo=False, to_offer=False))
    voters = judged.play.playing
    return ask(state, question, outcome, subject=subject, voters=voters, admits=admits, admission=admission)


def _false_text(state: State, phase: Phase) -> str | None:
    return "False call" if judged_of(phase) else None


def false_call(state: State, phase: Phase, action: ContestCall) -> Step:
    """Was the caller's pile not empty? The caller's own yes ends it at once."""
    _, verdict = _contested(phase)
    callers = verdict.callers
    outcome = Overruled(state.now_ns, "false_call", callers)
    admission = replace(outcome, admitted=True)
    return _put(state, phase, "FALSE CALL?", outcome, callers, admits=callers, admission=admission)


def _tie_text(state: State, phase: Phase) -> str | None:
    if judged_of(phase) is None:
        return None
    judged, verdict = _contested(phase)
    return "Tie" if len(verdict.callers) == 1 and _rival(judged, verdict) else None


def tie(state: State, phase: Phase, action: ClaimTie) -> Step:
    """Did the next press come together with the first?"""
    judged, verdict = _contested(phase)
    rival = _rival(judged, verdict)
    assert rival is not None
    teams = (*verdict.callers, rival)
    return _put(state, phase, "TIE?", Overruled(state.now_ns, "tie", teams), teams)


def _first_text(state: State, phase: Phase) -> str | None:
    return "Another first" if judged_of(phase) else None


def first(state: State, phase: Phase, action: ClaimFirst) -> Step:
    """Was somebody else first? The knob names the team."""
    judged, verdict = _contested(phase)
    others = [team for team in judged.play.playing if verdict.callers != (team,)]
    if action.team in others:
        outcome = Overruled(state.now_ns, "first", (action.team,))
        return _put(state, phase, "FIRST?", outcome, (action.team,))
    labels = ((team, label_of(state.table, team)) for team in others)
    lines = (MenuLine(ClaimFirst(team), f"{label.numbers[0]} {label.name}") for team, label in labels)
    return stay(opened(state, (*lines, BACK)))


def _photo_text(state: State, phase: Judged) -> str | None:
    return None if phase.photo else "Photo finish"


def photo(state: State, phase: Judged, action: ShowPhoto) -> Step:
    """The recorded edges, as by a turn on the verdict. A contest that was offered is offered again after them."""
    _, verdict = _contested(phase)
    disputed, now = verdict.grey or bool(verdict.late), state.now_ns
    shown = replace(phase, photo=True, until_at_ns=now + MENU_NS, anyway_until_at_ns=now, to_offer=disputed)
    return within(state, shown)


def _void_text(state: State, phase: Phase) -> str | None:
    return "Void hand" if judged_of(phase) else None


def void(state: State, phase: Phase, action: VoidHand) -> Step:
    """From a verdict or its count."""
    judged, _ = _contested(phase)
    return ask_void(state, judged.play.playing)


def _void_pause_text(state: State, phase: TimeOut) -> str | None:
    return "Void hand" if isinstance(phase.play, Playing) else None


def void_pause(state: State, phase: TimeOut, action: VoidHand) -> Step:
    """From a pause."""
    return ask_void(state, phase.playing)


# -- late evidence, the division of the bonus --------------------------------------------------------------------


def offer_late(state: State, station: str) -> State:
    """That button's press has come too late to count."""
    return _offered(state, f"LATE: {seat_line(state.table, station)}", OFFERED_NS)


def offer_grey(state: State) -> State:
    """Nobody could tell who was first. The verdict's own four seconds are part of the wait."""
    _, verdict = _contested(state.phase)
    callers = verdict.callers
    tied = " ~ ".join(label_of(state.table, team).short for team in callers) if len(callers) == 2 else "TIE"
    named = menu_line(state.table, callers[0]) if len(callers) == 1 else tied
    return _offered(state, f"CLOSE: {named}", OFFERED_NS - VERDICT_NS)


def _offered(state: State, title: str, for_ns: int) -> State:
    """The contest's list, opened by the device itself. Who does nothing lets the verdict stand when it closes."""
    phase = state.phase
    if isinstance(phase, Judged):
        anyway, until = phase.anyway_until_at_ns if phase.photo else phase.until_at_ns, state.now_ns + for_ns
        phase = replace(phase, photo=False, until_at_ns=until, anyway_until_at_ns=anyway, to_offer=False)
        state = replace(state, phase=phase)
    return opened(state, (*shown_lines(state, ROWS), BACK), title, for_ns=for_ns)


def _bonus(state: State) -> tuple[tuple[str, ...], int]:
    _, verdict = _contested(state.phase)
    return verdict.callers, rules_of(state.table.setup).bonus


def to_be_divided(state: State, phase: Judged) -> bool:
    """Three or more share the bonus: the table votes on the division, once."""
    callers, bonus = _bonus(state)
    return len(callers) > 2 and bonus > 0 and not phase.asked_to_divide


def proposals(state: State) -> tuple[tuple[Fraction, ...], ...]:
    """Equally in halves with the rest to the earliest; all of it to one of them."""
    callers, bonus = _bonus(state)
    alone = tuple(tuple(Fraction(bonus * (team == other)) for other in callers) for team in callers)
    return (tuple(bonus_shares(rules_of(state.table.setup), callers).values()), *alone)


def _parts(shares: Sequence[Fraction]) -> str:
    return ":".join(f"{share.numerator // share.denominator}{'½' * (share.denominator == 2)}" for share in shares)


def _divide_text(state: State, phase: Phase) -> str | None:
    if judged_of(phase) is None:
        return None
    callers, bonus = _bonus(state)
    return "Divide bonus" if len(callers) > 1 and bonus else None


def divide(state: State, phase: Phase, action: DivideBonus) -> Step:
    """Which division? Then all are asked."""
    if action.shares:
        return ask_division(state, action.shares)
    lines = (MenuLine(DivideBonus(shares), _parts(shares)) for shares in proposals(state))
    return stay(opened(state, (*lines, BACK)))


def ask_division(state: State, shares: Sequence[Fraction]) -> Step:
    """Shall the callers get so much each? Without a majority it stays as it was."""
    callers, _ = _bonus(state)
    outcome = Divided(state.now_ns, tuple(zip(callers, shares, strict=True)))
    question = f"BONUS {_parts(shares)}?"
    return _put(state, state.phase, question if len(question) <= MOST_ASKED else "BONUS?", outcome, callers)


def on_divided(state: State, phase: Phase, event: Divided) -> Step:
    """The bonus goes to the callers in these parts."""
    judged, _ = _contested(phase)
    judged = replace(judged, shares=event.shares, asked_to_divide=True)
    return within(state, replace(phase, inner=judged)) if isinstance(phase, Counting) else to(state, judged)


# -- what was decided ----------------------------------------------------------------------------------------------


def on_overruled(state: State, phase: Phase, event: Overruled) -> Step:
    """False: play is resumed, unless somebody else's call still stands. Otherwise the table names the callers."""
    judged, verdict = _contested(phase)
    if event.ruling != "false_call":
        return _called_by(state, phase, judged, event.teams)
    play = replace(judged.play, false_calls=(*judged.play.false_calls, *event.teams))
    standing = tuple(team for team in verdict.callers if team not in event.teams)
    if standing:
        return _called_by(state, phase, replace(judged, play=play), standing)
    return start(state if event.admitted else _unexplained(state, verdict), play.playing, play)


def _called_by(state: State, phase: Phase, judged: Judged, callers: tuple[str, ...]) -> Step:
    """The verdict names these callers from now on; a count goes on with them."""
    _, verdict = _contested(judged)
    kind = "tie" if len(callers) > 1 else "clear"
    verdict = replace(verdict, kind=kind, grey=False, callers=callers, first=callers[0])
    until = state.now_ns + VERDICT_NS
    judged = replace(judged, verdict=verdict, until_at_ns=until, shares=(), asked_to_divide=False)
    if isinstance(phase, Counting):
        no_more = set(phase.callers) - set(callers)
        return within(state, _recounted(replace(phase, callers=callers, inner=judged), no_more))
    return to(state, judged)


def _unexplained(state: State, verdict: Verdict) -> State:
    """The buttons that made this call are remembered: twice, and the list offers to mute one."""
    pressed = tuple(p.station for p in verdict.presses if p.team in verdict.callers)
    return replace(state, table=replace(state.table, unexplained=(*state.table.unexplained, *pressed)))


def _recounted(phase: Counting, no_more: set[str]) -> Counting:
    """A caller has nothing left, whatever was entered before; who is one `no_more` has never said what is left."""
    counts = tuple(replace(c, values=(0, *c.values[1:])) if c.team in phase.callers else c for c in phase.counts)
    counts = tuple(replace(c, cursor=0, touched=(False, *c.touched[1:])) if c.team in no_more else c for c in counts)
    return replace(phase, counts=counts, sheet_until_at_ns=None if no_more else phase.sheet_until_at_ns)


def on_judged_due(state: State, phase: Judged, due: Due) -> Step:
    """Counting opens by itself, unless somebody is at the knob; who is done there is not kept waiting.

    Where nobody could tell who was first the contest is offered before.
    """
    assert phase.verdict is not None
    if at_the_knob(state):
        return within(state, replace(phase, until_at_ns=state.now_ns + S, to_offer=False))
    if phase.to_offer:
        return stay(offer_grey(state))
    if to_be_divided(state, phase):
        asked = replace(phase, asked_to_divide=True)
        return ask_division(replace(state, phase=asked), proposals(state)[0])
    return to(state, counting(state, phase.play.playing, phase.verdict.callers, phase))


ROWS: tuple[Transition, ...] = (
    Row(Judged, Due, on_judged_due, ("COUNTING", "VOTE"), "4 s: counting"),
    Row(Judged, Overruled, on_overruled, ("RESUMING",), "the table rules"),
    Row(Judged, Divided, on_divided, (), "the table divides the bonus"),
    Row(Counting, Divided, on_divided, (), "the table divides the bonus"),
    Row(Counting, Overruled, on_overruled, ("RESUMING",), "the table rules"),
    *(Row(phase, Voided, on_voided, ("READY",), "the hand is void") for phase in (Judged, Counting, TimeOut)),
    Row(Judged, LetStand, stands, (), "the knob: counting opens", "Verdict stands"),
    *(
        row
        for phase in (Judged, Counting)
        for row in (
            Row(phase, ContestCall, false_call, ("VOTE",), "the knob: was the call false?", _false_text),
            Row(phase, ClaimTie, tie, ("VOTE",), "the knob: was it a tie?", _tie_text),
            Row(phase, ClaimFirst, first, ("VOTE",), "the knob: was another first?", _first_text),
            Row(phase, DivideBonus, divide, ("VOTE",), "the knob: who gets how much?", _divide_text),
        )
    ),
    Row(Judged, ShowPhoto, photo, (), "the knob: the photo finish", _photo_text),
    Row(Judged, VoidHand, void, ("VOTE",), "the knob: shall the hand be dealt again?", _void_text),
    Row(Counting, VoidHand, void, ("VOTE",), "the knob: shall the hand be dealt again?", _void_text),
    Row(TimeOut, VoidHand, void_pause, ("VOTE",), "the knob: shall the hand be dealt again?", _void_pause_text),
)
