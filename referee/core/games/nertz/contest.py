"""The table overrules the device: false call, tie, another first, void. Each is a question to all (phases/vote.py)."""

from __future__ import annotations

from dataclasses import replace

from referee.core.events import Overruled, Voided
from referee.core.games.nertz.phases import VERDICT_NS, Judged, Playing
from referee.core.labels import label_of
from referee.core.phases.common import opened, stay, to, within
from referee.core.phases.start import start
from referee.core.phases.void import on_voided
from referee.core.phases.void import void as ask_void
from referee.core.phases.vote import ask
from referee.core.state import Counting, State, Step, TimeOut
from referee.core.transitions import Item, Row


def judged_of(state: State) -> Judged | None:
    """The verdict that may be contested: on the screen, or counted after and not yet sealed."""
    phase = state.phase.inner if isinstance(state.phase, Counting) else state.phase
    return phase if isinstance(phase, Judged) and phase.verdict is not None else None


def _rival(judged: Judged) -> str | None:
    """The team of the first press after the callers'."""
    assert judged.verdict is not None
    later = [p for p in (*judged.verdict.presses, *judged.verdict.ignored) if p.team not in judged.verdict.callers]
    return min(later, key=lambda p: (p.t_ns, p.station)).team if later else None


# -- the list ------------------------------------------------------------------------------------------------------


def _stands_text(state: State) -> str | None:
    return "Verdict stands" if isinstance(state.phase, Judged) else None


def stands(state: State, argument: str = "") -> Step:
    """Nobody contests: counting opens now."""
    phase = state.phase
    assert isinstance(phase, Judged)
    return within(state, replace(phase, until_at_ns=state.now_ns))


def _false_text(state: State) -> str | None:
    return "False call" if judged_of(state) else None


def false_call(state: State, argument: str = "") -> Step:
    """Was the caller's pile not empty? The caller's own yes ends it at once."""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    callers = judged.verdict.callers
    outcome = Overruled(state.now_ns, "false_call", callers)
    return ask(
        state,
        "FALSE CALL?",
        outcome,
        subject=callers,
        voters=judged.play.playing,
        admits=callers,
        admission=replace(outcome, admitted=True),
    )


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
    return ask(state, "TIE?", Overruled(state.now_ns, "tie", teams), subject=teams, voters=judged.play.playing)


def _first_text(state: State) -> str | None:
    return "Another first" if judged_of(state) else None


def first(state: State, argument: str = "") -> Step:
    """Was somebody else first? The knob names the team."""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    others = [team for team in judged.play.playing if judged.verdict.callers != (team,)]
    if argument in others:
        outcome = Overruled(state.now_ns, "first", (argument,))
        return ask(state, "FIRST?", outcome, subject=(argument,), voters=judged.play.playing)
    labels = [(team, label_of(state.table, team)) for team in others]
    return stay(opened(state, (*((f"first:{t}", f"{b.numbers[0]} {b.name}") for t, b in labels), ("back", "Back"))))


def _void_text(state: State) -> str | None:
    return "Void hand" if judged_of(state) or isinstance(getattr(state.phase, "play", None), Playing) else None


def void(state: State, argument: str = "") -> Step:
    """From a verdict, its count or a timeout."""
    judged = judged_of(state)
    return ask_void(state, judged.play.playing if judged else getattr(state.phase, "playing", ()))


# -- what was decided ----------------------------------------------------------------------------------------------


def on_overruled(state: State, event: Overruled) -> Step:
    """False: play is resumed. Otherwise the callers are whom the table names."""
    judged = judged_of(state)
    assert judged is not None
    assert judged.verdict is not None
    if event.ruling == "false_call":
        play = replace(
            judged.play,
            false_calls=(*judged.play.false_calls, *event.teams),
        )
        return start(state if event.admitted else _unexplained(state, judged), play.playing, play)
    kind = "tie" if len(event.teams) > 1 else "clear"
    verdict = replace(judged.verdict, kind=kind, grey=False, callers=event.teams, first=event.teams[0])
    judged = replace(judged, verdict=verdict, until_at_ns=event.at_ns + VERDICT_NS)
    if isinstance(state.phase, Counting):
        return within(state, _recounted(replace(state.phase, callers=event.teams, inner=judged)))
    return to(state, judged)


def _unexplained(state: State, judged: Judged) -> State:
    """The buttons that made this call are remembered: twice, and the list offers to mute one."""
    assert judged.verdict is not None
    pressed = tuple(p.station for p in judged.verdict.presses if p.team in judged.verdict.callers)
    return replace(state, table=replace(state.table, unexplained=(*state.table.unexplained, *pressed)))


def _recounted(phase: Counting) -> Counting:
    """A caller has nothing left, whatever was entered before."""
    counts = tuple(replace(c, values=(0, *c.values[1:])) if c.team in phase.callers else c for c in phase.counts)
    return replace(phase, counts=counts)


ITEMS = (
    Item(Judged, "stands", _stands_text, stands),
    *(
        Item(phase, action, text, handler)
        for phase in (Judged, Counting)
        for action, text, handler in (
            ("false_call", _false_text, false_call),
            ("tie", _tie_text, tie),
            ("first", _first_text, first),
            ("void", _void_text, void),
        )
    ),
    Item(TimeOut, "void", _void_text, void),
)
ROWS = (
    Row(Judged, Overruled, on_overruled, ("VERDICT", "RESUMING"), "the table rules"),
    Row(Counting, Overruled, on_overruled, ("COUNTING", "RESUMING"), "the table rules"),
    *(Row(phase, Voided, on_voided, ("READY",), "the hand is void") for phase in (Judged, Counting, TimeOut)),
)
