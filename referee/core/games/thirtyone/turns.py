"""Turns, the knock, the last round and the 31: what a tap, a hold and the knob mean.

    PLAYING ── tap by who is on turn: done ──► the next one's turn ... after a knock round to the knocker ──► COUNTING
       │ hold: KNOCK? · hold: 31? · hold: back · tap confirms (off turn 31? alone)
       └── 31 ──► DECLARED (15 s for other 31s; tap: I have none, hold: 31?) ──► sealed

A 31 that is noticed only while values are entered is put to the vote (late 31); one that is none goes back by a vote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from referee.core.events import Cue, Ended, Played, Sealed, Turned, Voided
from referee.core.games.registry import counted_game
from referee.core.games.thirtyone.phases import ASK_NS, SHOW_NS, Asking, Declared, Turn
from referee.core.games.thirtyone.rules import PLACES
from referee.core.games.thirtyone.table import LEVELS, rules_of, tally_at
from referee.core.labels import menu_line
from referee.core.phases.common import MENU_NS, decide, opened, stay, to, wink, within
from referee.core.phases.counting import Counting, counting
from referee.core.phases.over import booked
from referee.core.phases.pause import TimeOut, time_out
from referee.core.phases.ready import Ready, next_hand
from referee.core.phases.void import on_voided
from referee.core.phases.void import void as ask_void
from referee.core.phases.vote import ask
from referee.core.state import Due, Held, KnobPushed, State, Step, Tapped, fresh, heard
from referee.core.transitions import Item, Row
from referee.core.values import replace

KNOCK, THIRTYONE = "KNOCK?", "31?"
A = TypeVar("A", bound=Asking)


# -- questions -----------------------------------------------------------------------------------------------------


def _asking(phase: A, station: str, question: str | None, now_ns: int) -> A:
    """The phase with that question open for the station, and no other one; None: with none."""
    kept = [(a, t) for a, t in zip(phase.asks, phase.asks_at_ns, strict=True) if a[0] != station]
    if question is not None:
        kept.append(((station, question), now_ns))
    return replace(phase, asks=tuple(a for a, _ in kept), asks_at_ns=tuple(t for _, t in kept))


def _team(state: State, station: str) -> str | None:
    """The team of that station if it plays this hand."""
    phase = state.phase
    assert isinstance(phase, Asking)
    team = state.table.team_of(station)
    return team.id if team is not None and team.id in phase.playing and station not in state.table.absent else None


def _next_question(ladder: tuple[str, ...], open_: str | None) -> str | None:
    """One rung further; behind the last one there is nothing."""
    at = ladder.index(open_) + 1 if open_ in ladder else 0
    return ladder[at] if at < len(ladder) else None


# -- on turn -------------------------------------------------------------------------------------------------------


def on_tapped(state: State, tapped: Tapped) -> Step:
    """Yes to the own question; else "done", by who is on turn."""
    phase, team = state.phase, _team(state, tapped.station)
    assert isinstance(phase, Turn)
    if team is None or not phase.answers(tapped.station, tapped.t_ns):
        return stay(state)
    question = phase.asked(tapped.station)
    if question is not None:
        state = wink(replace(state, phase=_asking(phase, tapped.station, None, state.now_ns)), tapped.station, 1)
        return decide(state, Played(state.now_ns, "knock" if question == KNOCK else "31", (team,)))
    if team != phase.turn or not fresh(phase, tapped.t_ns):
        return stay(state)
    return _passed(wink(state, tapped.station, 1), phase)


def _passed(state: State, phase: Turn) -> Step:
    """The turn goes on clockwise; round to the knocker, values are entered."""
    following = phase.after(phase.turn)
    if following == phase.knocker:
        play = phase.stopped(state.now_ns)
        return to(state, counting(state, play.playing, (following,), play), Cue("asked", state.now_ns))
    return within(state, replace(_at(phase, following, state.now_ns), had=phase.had | {phase.turn}))


def _at(phase: Turn, team: str, now_ns: int) -> Turn:
    return replace(phase, asked_at_ns=now_ns, turn=team, look=None, look_until_at_ns=None)


def on_held(state: State, held: Held) -> Step:
    """The next question for that seat: a knock for who is on turn, a 31 for everybody, then none."""
    phase, team = state.phase, _team(state, held.station)
    assert isinstance(phase, Turn)
    if held.long or team is None or not phase.answers(held.station, held.t_ns):
        return stay(state)
    question = phase.asked(held.station)
    ladder = (KNOCK, THIRTYONE) if _may_knock(state, phase, team, held.t_ns) else (THIRTYONE,)
    asking = _asking(phase, held.station, _next_question(ladder, question), state.now_ns)
    return within(wink(state, held.station, 2), asking)


def _may_knock(state: State, phase: Turn, team: str, t_ns: int) -> bool:
    """At the start of one's own turn, once a hand, and by an option only when everybody has had a turn."""
    early = rules_of(state.table.setup).early_knock or phase.had.issuperset(phase.playing)
    return team == phase.turn and phase.knocker is None and early and fresh(phase, t_ns)


def on_due(state: State, due: Due) -> Step:
    """A question that nobody answers, or a look that nobody follows, goes away."""
    phase = state.phase
    assert isinstance(phase, Turn)
    for (station, _), at_ns in zip(phase.asks, phase.asks_at_ns, strict=True):
        if at_ns + ASK_NS <= due.at_ns:
            phase = _asking(phase, station, None, due.at_ns)
    if phase.look_until_at_ns is not None and phase.look_until_at_ns <= due.at_ns:
        phase = replace(phase, look=None, look_until_at_ns=None)
    return within(state, phase)


def _on_knock(state: State, event: Played) -> Step:
    """The knocker's hand is frozen; everybody else has one more turn."""
    phase = state.phase
    assert isinstance(phase, Turn)
    step = _passed(state, replace(phase, turn=event.teams[0], knocker=event.teams[0]))
    return replace(step, cues=(*step.cues, Cue("asked", event.at_ns)))


# -- a 31 ----------------------------------------------------------------------------------------------------------


def _on_declared(state: State, event: Played) -> Step:
    """The hand is over. Others may have been dealt theirs, and have a while to say so."""
    phase = state.phase
    inner = phase.inner if isinstance(phase, Counting) else phase
    assert isinstance(inner, Turn)
    until = event.at_ns + SHOW_NS
    shown = Declared(event.at_ns, inner.playing, (), (), inner.stopped(event.at_ns), event.teams, frozenset(), until)
    return to(state, shown, Cue("verdict_clear", event.at_ns, cancels=True))


def on_none_or_too(state: State, tapped: Tapped) -> Step:
    """Yes to the own "31?"; else: I have none."""
    phase, team = state.phase, _team(state, tapped.station)
    assert isinstance(phase, Declared)
    if team not in phase.others or not fresh(phase, tapped.t_ns) or not phase.answers(tapped.station, tapped.t_ns):
        return stay(state)
    state = wink(state, tapped.station, 1)
    if phase.asked(tapped.station) is not None:
        state = replace(state, phase=_asking(phase, tapped.station, None, state.now_ns))
        return decide(state, Played(state.now_ns, "31", (str(team),)))
    return _unless_done(state, replace(phase, seen=phase.seen | {str(team)}))


def on_held_too(state: State, held: Held) -> Step:
    """31? and back."""
    phase, team = state.phase, _team(state, held.station)
    assert isinstance(phase, Declared)
    answers = fresh(phase, held.t_ns) and phase.answers(held.station, held.t_ns)
    if held.long or team not in phase.others or not answers:
        return stay(state)
    question = _next_question((THIRTYONE,), phase.asked(held.station))
    asking = _asking(phase, held.station, question, state.now_ns)
    return within(wink(state, held.station, 2), replace(asking, seen=phase.seen - {str(team)}))


def _on_declared_too(state: State, event: Played) -> Step:
    """One more, or one less: when none is left the hand goes on."""
    phase = state.phase
    assert isinstance(phase, Declared)
    if event.move == "31":
        return _unless_done(state, replace(phase, declared=(*phase.declared, *event.teams)))
    if event.move != "not 31":
        raise ValueError(f"a 31 lies on the table, and there is a {event.move}")
    left = tuple(team for team in phase.declared if team not in event.teams)
    if left:
        return within(state, replace(phase, declared=left))
    return to(state, phase.play.running(state.table, event.at_ns, event.at_ns))


def _unless_done(state: State, phase: Declared) -> Step:
    if set(heard(state.table, phase.others)) - phase.seen:
        return within(state, phase)
    return _finish(replace(state, phase=phase))


def _finish(state: State) -> Step:
    phase = state.phase
    assert isinstance(phase, Declared)
    again = replace(phase, asks=(), asks_at_ns=(), seen=frozenset(), until_at_ns=state.now_ns + SHOW_NS)
    return decide(replace(state, phase=again), Sealed(state.now_ns, ()))  # an undo finds everybody asked anew


def on_shown(state: State, due: Due) -> Step:
    """Time is up: nobody else has one."""
    return _finish(state)


def on_sealed(state: State, event: Sealed) -> Step:
    """The hand is in the book."""
    phase, table = state.phase, state.table
    assert isinstance(phase, Declared)
    hands = (*table.hands, counted_game(table).result(table, phase, event.counts))
    return booked(state, replace(table, hands=hands), event.at_ns)


# -- the knob ------------------------------------------------------------------------------------------------------


def on_turned(state: State, event: Turned) -> Step:
    """Turning looks: whose turn it should be."""
    phase = state.phase
    assert isinstance(phase, Turn)
    teams = [team for team in phase.playing if team != phase.knocker]
    look = teams[(teams.index(phase.look or phase.turn) + event.steps) % len(teams)]
    if look == phase.turn:
        return within(state, replace(phase, look=None, look_until_at_ns=None))
    return within(state, replace(phase, look=look, look_until_at_ns=state.now_ns + MENU_NS))


def on_pushed(state: State, pushed: KnobPushed) -> Step:
    """Pushing moves the turn there. Before anybody has had a turn the deal moves with it: the first dealer is free."""
    phase = state.phase
    assert isinstance(phase, Turn)
    assert phase.look is not None
    before = phase.playing[phase.playing.index(phase.look) - 1]
    dealer = phase.dealer if phase.had or state.table.hands else before
    return within(state, replace(_at(phase, phase.look, state.now_ns), dealer=dealer, asks=(), asks_at_ns=()))


def _level_text(state: State) -> str | None:
    rules, tally = rules_of(state.table.setup), tally_at(state.table)
    return "One place more" if rules.counts == "places" and 4 + tally.levels < len(PLACES) else None


def level(state: State, argument: str = "") -> Step:
    """Shall the bus have one more place, for all?"""
    assert isinstance(state.phase, Ready)
    return ask(state, "RIDE ON?", Played(state.now_ns, "place", ()), voters=state.phase.playing)


def on_level(state: State, event: Played) -> Step:
    """Everybody who still rides is one place farther from the street."""
    if event.move != "place":
        raise ValueError(f"nobody is on turn, and there is a {event.move}")
    table = state.table
    own = dict(table.own)
    own[LEVELS] = own.get(LEVELS, 0) + 1
    return within(replace(state, table=replace(table, own=tuple(own.items()))), state.phase)


def on_ended(state: State, event: Ended) -> Step:
    """Somebody has got up: the hand is dealt again without them."""
    return next_hand(state, event.at_ns)


def _knock_text(state: State) -> str | None:
    """For a seat whose button is not heard; its turn is passed on by turning and pushing."""
    phase = state.phase
    assert isinstance(phase, Turn)
    silent = not heard(state.table, (phase.turn,))
    return "Knock" if silent and _may_knock(state, phase, phase.turn, state.now_ns) else None


def knock(state: State, argument: str = "") -> Step:
    """By word of mouth."""
    assert isinstance(state.phase, Turn)
    return decide(state, Played(state.now_ns, "knock", (state.phase.turn,)))


def _pause_text(state: State) -> str:
    return "Time out"


def pause(state: State, argument: str = "") -> Step:
    """The players' pause."""
    assert isinstance(state.phase, Turn)
    return time_out(state, state.phase.playing, state.phase.stopped(state.now_ns))


def _no_more_text(state: State) -> str:
    return "No other 31"


def no_more(state: State, argument: str = "") -> Step:
    """Everybody has looked."""
    return _finish(state)


def _not_text(state: State) -> str:
    return "Not a 31"


def not_a_31(state: State, argument: str = "") -> Step:
    """Is it none? The declarer's own yes ends it at once."""
    phase = state.phase
    assert isinstance(phase, Declared)
    if len(phase.declared) > 1 and argument not in phase.declared:
        return _teams(state, "not", phase.declared)
    teams = (argument,) if argument else phase.declared
    outcome = Played(state.now_ns, "not 31", teams)
    return ask(state, "NOT A 31?", outcome, subject=teams, voters=phase.playing, admits=teams, admission=outcome)


def _teams(state: State, action: str, teams: tuple[str, ...]) -> Step:
    lines = tuple((f"{action}:{team}", menu_line(state.table, team)) for team in teams)
    return stay(opened(state, (*lines, ("back", "Back"))))


def _late_text(state: State) -> str | None:
    assert isinstance(state.phase, Counting)
    return "Late 31" if isinstance(state.phase.inner, Turn) else None


def _thirtyone_text(state: State) -> str:
    return "A 31"


def late(state: State, argument: str = "") -> Step:
    """Somebody finds only now that they have a 31, or cannot press: whose, and does the table take it?"""
    phase = state.phase.inner if isinstance(state.phase, Counting) else state.phase
    assert isinstance(phase, Turn)
    playing = phase.playing
    if argument not in playing:
        return _teams(state, "late", playing)
    return ask(state, "31?", Played(state.now_ns, "31", (argument,)), subject=(argument,), voters=playing)


def _void_text(state: State) -> str | None:
    phase = state.phase
    held = phase.inner if isinstance(phase, Counting) else getattr(phase, "play", phase)
    return "Void hand" if isinstance(held, Turn) else None


def void(state: State, argument: str = "") -> Step:
    """Shall the hand not count and be dealt again?"""
    phase = state.phase
    playing: tuple[str, ...] = getattr(phase.inner if isinstance(phase, Counting) else phase, "playing", ())
    return ask_void(state, playing)


_MOVES: Mapping[str, Callable[[State, Played], Step]] = {"knock": _on_knock, "31": _on_declared}


def on_played(state: State, event: Played) -> Step:
    """A knock, or a 31."""
    return _MOVES[event.move](state, event)


ITEMS = (
    Item(Ready, "level", _level_text, level, ("VOTE",)),
    Item(Turn, "knock", _knock_text, knock),
    Item(Turn, "late", _thirtyone_text, late, ("VOTE",)),
    Item(Turn, "pause", _pause_text, pause, ("TIMEOUT",)),
    Item(Declared, "no_more", _no_more_text, no_more),
    Item(Declared, "not", _not_text, not_a_31, ("VOTE",)),
    Item(Counting, "late", _late_text, late, ("VOTE",)),
    *(Item(phase, "void", _void_text, void, ("VOTE",)) for phase in (Turn, Declared, Counting, TimeOut)),
)
ROWS = (
    Row(TimeOut, Ended, on_ended, ("READY",), "somebody has got up"),
    Row(Ready, Played, on_level, (), "one place more"),
    Row(Turn, Tapped, on_tapped, ("COUNTING",), "tap: done, or yes"),
    Row(Turn, Held, on_held, (), "hold: KNOCK?, 31?, back"),
    Row(Turn, Due, on_due, (), "a question or a look has gone stale"),
    Row(Turn, Turned, on_turned, (), "turn: look at another turn"),
    Row(Turn, KnobPushed, on_pushed, (), "push: move the turn there"),
    Row(Turn, Played, on_played, ("DECLARED",), "a knock, a 31"),
    Row(Declared, Tapped, on_none_or_too, (), "tap: I have none, or yes"),
    Row(Declared, Held, on_held_too, (), "hold: 31?, back"),
    Row(Declared, Due, on_shown, (), "15 s"),
    Row(Declared, Played, _on_declared_too, ("PLAYING",), "one more 31, or one that is none"),
    Row(Declared, Sealed, on_sealed, ("READY", "OVER"), "the hand is in the book"),
    Row(Counting, Played, on_played, ("DECLARED",), "a late 31"),
    *(Row(phase, Voided, on_voided, ("READY",), "the hand is void") for phase in (Turn, Declared, Counting, TimeOut)),
)
