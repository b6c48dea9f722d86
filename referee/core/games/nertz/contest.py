"""The table overrules the device: false call, tie, another first, void. Each is a question to all (phases/vote.py)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from referee.core.events import Decision, Divided, Overruled, Voided
from referee.core.games.nertz.court import rules_of
from referee.core.games.nertz.playing import Playing
from referee.core.games.nertz.scoring import bonus_shares
from referee.core.games.nertz.verdict import OFFERED_NS, VERDICT_NS, Judged
from referee.core.labels import label_of, menu_line, seat_line
from referee.core.phases.common import MENU_NS, opened, stay, to, within
from referee.core.phases.counting import Counting
from referee.core.phases.pause import TimeOut
from referee.core.phases.start import start
from referee.core.phases.void import on_voided
from referee.core.phases.void import void as ask_void
from referee.core.phases.vote import ask
from referee.core.state import State, Step
from referee.core.transitions import Item, Row
from referee.core.values import replace

MOST_ASKED = 15
"""Characters of a question on the display."""


def judged_of(state: State) -> Judged | None:
    """The verdict that may be contested: on the screen, or counted after and not yet sealed."""
    phase = state.phase.inner if isinstance(state.phase, Counting) else state.phase
    return phase if isinstance(phase, Judged) and phase.verdict is not None else None


def _rival(judged: Judged) -> str | None:
    """The team of the first press after the callers'."""
    assert judged.verdict is not None
    late = (press for press, _ in judged.verdict.late)
    pressed = (*judged.verdict.presses, *judged.verdict.ignored, *late)
    later = [p for p in pressed if p.team not in judged.verdict.callers]
    return min(later, key=lambda p: (p.t_ns, p.station)).team if later else None


# -- the list ------------------------------------------------------------------------------------------------------


def _stands_text(state: State) -> str | None:
    return "Verdict stands" if isinstance(state.phase, Judged) else None


def stands(state: State, argument: str = "") -> Step:
    """Nobody contests: counting opens now."""
    phase = state.phase
    assert isinstance(phase, Judged)
    return within(state, replace(phase, until_at_ns=state.now_ns, to_offer=False))


def _put(state: State, question: str, outcome: Decision, subject: tuple[str, ...], **admitting: Any) -> Step:
    """A question to the hand's teams. If it changes nothing the verdict stands as long as it had to anyway."""
    judged = judged_of(state)
    assert judged is not None
    if state.phase is judged:
        until = max(judged.anyway_until_at_ns or judged.until_at_ns, state.now_ns + 1)  # not before it is decided
        state = replace(state, phase=replace(judged, until_at_ns=until, photo=False, to_offer=False))
    return ask(state, question, outcome, subject=subject, voters=judged.play.playing, **admitting)


def _false_text(state: State) -> str | None:
    return "False call" if judged_of(state) else None


def false_call(state: State, argument: str = "") -> Step:
    """Was the caller's pile not empty? The caller's own yes ends it at once."""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    callers = judged.verdict.callers
    outcome = Overruled(state.now_ns, "false_call", callers)
    return _put(state, "FALSE CALL?", outcome, callers, admits=callers, admission=replace(outcome, admitted=True))


def _tie_text(state: State) -> str | None:
    judged = judged_of(state)
    return "Tie" if judged is not None and len(judged.verdict.callers) == 1 and _rival(judged) else None  # type: ignore[union-attr]


def tie(state: State, argument: str = "") -> Step:
    """Did the next press come together with the first?"""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    rival = _rival(judged)
    assert rival is not None
    teams = (*judged.verdict.callers, rival)
    return _put(state, "TIE?", Overruled(state.now_ns, "tie", teams), teams)


def _first_text(state: State) -> str | None:
    return "Another first" if judged_of(state) else None


def first(state: State, argument: str = "") -> Step:
    """Was somebody else first? The knob names the team."""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    others = [team for team in judged.play.playing if judged.verdict.callers != (team,)]
    if argument in others:
        return _put(state, "FIRST?", Overruled(state.now_ns, "first", (argument,)), (argument,))
    labels = [(team, label_of(state.table, team)) for team in others]
    return stay(opened(state, (*((f"first:{t}", f"{b.numbers[0]} {b.name}") for t, b in labels), ("back", "Back"))))


def _photo_text(state: State) -> str | None:
    return "Photo finish" if isinstance(state.phase, Judged) and not state.phase.photo else None


def photo(state: State, argument: str = "") -> Step:
    """The recorded edges, as by a turn on the verdict. A contest that was offered is offered again after them."""
    phase = state.phase
    assert isinstance(phase, Judged)
    assert phase.verdict is not None
    disputed = phase.verdict.grey or bool(phase.verdict.late)
    now = state.now_ns
    return within(
        state, replace(phase, photo=True, until_at_ns=now + MENU_NS, anyway_until_at_ns=now, to_offer=disputed)
    )


def _void_text(state: State) -> str | None:
    return "Void hand" if judged_of(state) or isinstance(getattr(state.phase, "play", None), Playing) else None


def void(state: State, argument: str = "") -> Step:
    """From a verdict, its count or a timeout."""
    judged = judged_of(state)
    return ask_void(state, judged.play.playing if judged else getattr(state.phase, "playing", ()))


# -- late evidence, the division of the bonus --------------------------------------------------------------------


def offer_late(state: State, station: str) -> State:
    """That button's press has come too late to count."""
    return _offered(state, f"LATE: {seat_line(state.table, station)}", OFFERED_NS)


def offer_grey(state: State) -> State:
    """Nobody could tell who was first. The verdict's own four seconds are part of the wait."""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    callers = judged.verdict.callers
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
    lines = ((item.action, item.text(state)) for item in ITEMS if item.phase is type(state.phase))
    shown = tuple((action, text) for action, text in lines if text is not None)
    return opened(state, (*shown, ("back", "Back")), title, for_ns=for_ns)


def _bonus(state: State) -> tuple[tuple[str, ...], int]:
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    return judged.verdict.callers, rules_of(state.table.setup).bonus


def to_be_divided(state: State) -> bool:
    """Three or more share the bonus: the table votes on the division, once."""
    callers, bonus = _bonus(state)
    assert isinstance(state.phase, Judged)
    return len(callers) > 2 and bonus > 0 and not state.phase.asked_to_divide


def proposals(state: State) -> tuple[tuple[Fraction, ...], ...]:
    """Equally in halves with the rest to the earliest; all of it to one of them."""
    callers, bonus = _bonus(state)
    alone = tuple(tuple(Fraction(bonus * (team == other)) for other in callers) for team in callers)
    return (tuple(bonus_shares(rules_of(state.table.setup), callers).values()), *alone)


def _parts(shares: Sequence[Fraction]) -> str:
    return ":".join(f"{share.numerator // share.denominator}{'½' * (share.denominator == 2)}" for share in shares)


def _divide_text(state: State) -> str | None:
    judged = judged_of(state)
    if judged is None or len(judged.verdict.callers) < 2:  # type: ignore[union-attr]
        return None
    return "Divide bonus" if rules_of(state.table.setup).bonus else None


def divide(state: State, argument: str = "") -> Step:
    """Which division? Then all are asked."""
    offers = proposals(state)
    if argument:
        return ask_division(state, offers[int(argument)])
    return stay(opened(state, (*((f"divide:{n}", _parts(offer)) for n, offer in enumerate(offers)), ("back", "Back"))))


def ask_division(state: State, shares: Sequence[Fraction]) -> Step:
    """Shall the callers get so much each? Without a majority it stays as it was."""
    callers, _ = _bonus(state)
    outcome = Divided(state.now_ns, tuple(zip(callers, shares, strict=True)))
    question = f"BONUS {_parts(shares)}?"
    return _put(state, question if len(question) <= MOST_ASKED else "BONUS?", outcome, callers)


def on_divided(state: State, event: Divided) -> Step:
    """The bonus goes to the callers in these parts."""
    judged = judged_of(state)
    assert judged is not None
    judged = replace(judged, shares=event.shares, asked_to_divide=True)
    if isinstance(state.phase, Counting):
        return within(state, replace(state.phase, inner=judged))
    return to(state, judged)


# -- what was decided ----------------------------------------------------------------------------------------------


def on_overruled(state: State, event: Overruled) -> Step:
    """False: play is resumed, unless somebody else's call still stands. Otherwise the table names the callers."""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    if event.ruling != "false_call":
        return _called_by(state, judged, event.teams)
    play = replace(judged.play, false_calls=(*judged.play.false_calls, *event.teams))
    standing = tuple(team for team in judged.verdict.callers if team not in event.teams)
    if standing:
        return _called_by(state, replace(judged, play=play), standing)
    return start(state if event.admitted else _unexplained(state, judged), play.playing, play)


def _called_by(state: State, judged: Judged, callers: tuple[str, ...]) -> Step:
    """The verdict names these callers from now on; a count goes on with them."""
    assert judged.verdict is not None
    kind = "tie" if len(callers) > 1 else "clear"
    verdict = replace(judged.verdict, kind=kind, grey=False, callers=callers, first=callers[0])
    until = state.now_ns + VERDICT_NS
    judged = replace(judged, verdict=verdict, until_at_ns=until, shares=(), asked_to_divide=False)
    if isinstance(state.phase, Counting):
        no_more = set(state.phase.callers) - set(callers)
        return within(state, _recounted(replace(state.phase, callers=callers, inner=judged), no_more))
    return to(state, judged)


def _unexplained(state: State, judged: Judged) -> State:
    """The buttons that made this call are remembered: twice, and the list offers to mute one."""
    assert judged.verdict is not None
    pressed = tuple(p.station for p in judged.verdict.presses if p.team in judged.verdict.callers)
    return replace(state, table=replace(state.table, unexplained=(*state.table.unexplained, *pressed)))


def _recounted(phase: Counting, no_more: set[str]) -> Counting:
    """A caller has nothing left, whatever was entered before; who is one `no_more` has never said what is left."""
    counts = tuple(replace(c, values=(0, *c.values[1:])) if c.team in phase.callers else c for c in phase.counts)
    counts = tuple(replace(c, cursor=0, touched=(False, *c.touched[1:])) if c.team in no_more else c for c in counts)
    return replace(phase, counts=counts, sheet_until_at_ns=None if no_more else phase.sheet_until_at_ns)


ITEMS = (
    Item(Judged, "stands", _stands_text, stands),
    *(
        Item(phase, action, text, handler, ("VOTE",))
        for phase in (Judged, Counting)
        for action, text, handler in (
            ("false_call", _false_text, false_call),
            ("tie", _tie_text, tie),
            ("first", _first_text, first),
            ("divide", _divide_text, divide),
        )
    ),
    Item(Judged, "photo", _photo_text, photo),
    *(Item(phase, "void", _void_text, void, ("VOTE",)) for phase in (Judged, Counting)),
    Item(TimeOut, "void", _void_text, void, ("VOTE",)),
)
ROWS = (
    Row(Judged, Overruled, on_overruled, ("RESUMING",), "the table rules"),
    Row(Judged, Divided, on_divided, (), "the table divides the bonus"),
    Row(Counting, Divided, on_divided, (), "the table divides the bonus"),
    Row(Counting, Overruled, on_overruled, ("RESUMING",), "the table rules"),
    *(Row(phase, Voided, on_voided, ("READY",), "the hand is void") for phase in (Judged, Counting, TimeOut)),
)
