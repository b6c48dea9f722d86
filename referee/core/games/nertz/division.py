"""Division of the bonus among tied callers: a question to all teams."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from hashlib import blake2s

from referee.core.games.nertz.rules import rules_of
from referee.core.games.nertz.scoring import equal_shares, older_shares
from referee.core.messages import Msg, msg
from referee.core.model.events import Divided
from referee.core.model.labels import label_of, said
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.phase import Phase
from referee.core.model.state import State, Step
from referee.core.model.table import Table
from referee.core.model.transitions import Row, Transition
from referee.core.phases.common import BACK, open_list, stay, to, within
from referee.core.phases.contest import contest_of, put
from referee.core.phases.counting import Counting
from referee.core.phases.verdict import Judged, judged_in
from referee.core.values import replace


class DivideBonus(MenuAction):
    """Ask all teams whether to divide the bonus into these shares.

    Without `shares`, open a list of proposed divisions.
    """

    shares: tuple[Fraction, ...] = ()


class ShareOut(MenuAction):
    """Enter the callers' shares of the bonus with the knob, one caller after the other.

    The last caller gets what is left of the bonus; then all teams vote. `so_far`: the shares entered so far.
    """

    so_far: tuple[Fraction, ...] = ()


def _bonus(state: State) -> tuple[tuple[str, ...], int]:
    _, verdict = contest_of(state.phase)
    return verdict.callers, rules_of(state.table.setup).bonus


def to_be_divided(state: State, phase: Judged) -> bool:
    """Return whether three or more callers share a bonus and the table has not voted on it yet."""
    callers, bonus = _bonus(state)
    return len(callers) > 2 and bool(bonus) and not phase.asked_to_divide


def drawn_shares(table: Table, callers: Sequence[str]) -> dict[str, Fraction]:
    """Divide the bonus as equally as half points allow. A draw says who gets half a point more.

    The draw depends on the match, the hand and the callers, never on their presses.
    """
    bonus = rules_of(table.setup).bonus
    if not table.setup.draws_shares:
        return older_shares(bonus, callers)
    lots = {team: blake2s(f"{table.match} {len(table.hands)} {team}".encode()).digest() for team in callers}
    shares = equal_shares(bonus, sorted(callers, key=lots.__getitem__))
    return {team: shares[team] for team in callers}


def final_shares(table: Table, judged: Judged, callers: Sequence[str]) -> dict[str, Fraction] | None:
    """Return each caller's share as divided by the players or drawn; None if all shares are equal."""
    drawn = drawn_shares(table, callers)
    return dict(judged.shares) or (drawn if len(set(drawn.values())) > 1 else None)


def proposals(state: State) -> tuple[tuple[Fraction, ...], ...]:
    """Return the proposed divisions: equal shares first, then the whole bonus to each caller."""
    callers, bonus = _bonus(state)
    alone = tuple(tuple(Fraction(bonus * (team == other)) for other in callers) for team in callers)
    return (tuple(drawn_shares(state.table, callers).values()), *alone)


def _divide_text(state: State, phase: Phase) -> Msg | None:
    if judged_in(phase) is None:
        return None
    callers, bonus = _bonus(state)
    return msg("item.divide_bonus") if len(callers) > 1 and bonus else None


def divide(state: State, phase: Phase, action: DivideBonus) -> Step:
    if action.shares:
        return ask_division(state, action.shares)
    lines = (MenuLine(DivideBonus(shares), msg("item.parts", parts=shares)) for shares in proposals(state))
    return stay(open_list(state, (*lines, MenuLine(ShareOut(), msg("item.other_parts")), BACK)))


def share_out(state: State, phase: Phase, action: ShareOut) -> Step:
    """Open a list in which the knob sets the next caller's share, in steps of half a point.

    The knob starts at the equal share. If only the last caller's share is missing, start the vote instead.
    """
    (callers, bonus), given = _bonus(state), action.so_far
    rest = bonus - sum(given, Fraction(0))
    if len(given) == len(callers) - 1:
        return ask_division(state, (*given, rest))
    proposed = proposals(state)[0]
    parts = (*given, min(proposed[len(given)], rest), *(Fraction(0),) * len(callers))
    lines = (
        MenuLine(ShareOut(given), said("item.points", who, choice=parts[n]))
        for n, who in enumerate(label_of(state.table, team) for team in callers[: len(given) + 1])
    )
    halves = tuple(Fraction(n, 2) for n in range(int(2 * rest) + 1))
    values = tuple(MenuLine(ShareOut((*given, half)), half) for half in halves)
    at = halves.index(parts[len(given)])
    return stay(open_list(state, (*lines, BACK), cursor=len(given), values=values, value=at))


def ask_division(state: State, shares: Sequence[Fraction]) -> Step:
    """Start a vote on dividing the bonus into these shares. Without a majority nothing changes."""
    callers, _ = _bonus(state)
    outcome = Divided(state.now_ns, tuple(zip(callers, shares, strict=True)))
    return put(state, state.phase, "ask.bonus", outcome, callers)


def what_stays(state: State) -> Msg:
    """Return the message after a vote without a majority: which shares of the bonus stay."""
    judged, _ = contest_of(state.phase)
    return msg("toast.bonus_stays", parts=tuple(share for _, share in judged.shares) or proposals(state)[0])


def on_divided(state: State, phase: Phase, event: Divided) -> Step:
    judged, _ = contest_of(phase)
    judged = replace(judged, shares=event.shares, asked_to_divide=True)
    return within(state, replace(phase, inner=judged)) if isinstance(phase, Counting) else to(state, judged)


ROWS: tuple[Transition, ...] = (
    Row(Judged, Divided, on_divided, (), "the table divides the bonus"),
    Row(Counting, Divided, on_divided, (), "the table divides the bonus"),
    *(Row(phase, ShareOut, share_out, ("VOTE",), "the knob: any other division") for phase in (Judged, Counting)),
    Row(Judged, DivideBonus, divide, ("VOTE",), "the knob: who gets how much?", _divide_text),
    Row(Counting, DivideBonus, divide, ("VOTE",), "the knob: who gets how much?", _divide_text),
)
