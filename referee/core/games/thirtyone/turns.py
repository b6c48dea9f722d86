"""31: turns, the knock, the last round and the 31, by taps, holds and the knob.

    PLAYING ── tap by the player on turn: done ──► next turn ... after a knock, round to the knocker ──► COUNTING
       │ a hold asks KNOCK?, another one 31?, another one nothing; a tap confirms (out of turn only 31?)
       └── 31 ──► DECLARED (15 s for other 31s; tap: I have none, hold: 31?) ──► sealed (the hand is final)

If a 31 is noticed only while values are entered, all vote on it (late 31). A vote also withdraws a wrong 31.
"""

from __future__ import annotations

from typing import TypeVar

from referee.core.games.thirtyone.phases import ASK_NS, SHOW_NS, Asking, Declared, Turn
from referee.core.games.thirtyone.rules import MOST_LEVELS
from referee.core.games.thirtyone.table import LEVELS, rules_of, tally_at
from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Ended, Played, Sealed, Turned, Voided
from referee.core.model.labels import menu_line
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.phase import Due, Held, KnobPushed, Phase, Tapped, fresh, inner_of, playing_of
from referee.core.model.registry import counted_game
from referee.core.model.state import State, Step
from referee.core.model.table import Table, teams_heard
from referee.core.model.transitions import MenuPlace, Row, Transition
from referee.core.phases.common import BACK, MENU_NS, at_the_knob, decide, open_list, stay, to, wink, within
from referee.core.phases.counting import Counting, counting
from referee.core.phases.over import go_on
from referee.core.phases.pause import TimeOut, time_out
from referee.core.phases.ready import Ready, next_hand, on_voided
from referee.core.phases.vote import VoidHand, ask, ask_void
from referee.core.units import S
from referee.core.values import replace

KNOCK, THIRTYONE = "knock", "31"
A = TypeVar("A", bound=Asking)


class AddPlace(MenuAction):
    """Ask all players whether to add a place to the bus."""


class KnockAloud(MenuAction):
    """Knock for the player on turn, whose button is muted."""


class PauseHand(MenuAction):
    """Pause the hand. Clocks stop, and the turn stays with the same player."""


class NoOther(MenuAction):
    """Make the hand final, because no other player has a 31."""


class Contest31(MenuAction):
    """Ask all players whether that team's 31 is wrong.

    Without `team`, open a list of the teams that declared a 31.
    """

    team: str = ""


class Declare31(MenuAction):
    """Ask all players whether that team has a 31; without `team`, open a list of the teams."""

    team: str = ""


# -- questions -----------------------------------------------------------------------------------------------------


def _asking(phase: A, station: str, question: str | None, now_ns: int) -> A:
    """Return the phase with `question` as the station's open question; None removes it."""
    kept = [(a, t) for a, t in zip(phase.asks, phase.asks_at_ns, strict=True) if a[0] != station]
    if question is not None:
        kept.append(((station, question), now_ns))
    return replace(phase, asks=tuple(a for a, _ in kept), asks_at_ns=tuple(t for _, t in kept))


def _team(table: Table, phase: Asking, station: str) -> str | None:
    """Return the station's team if it plays this hand; else None."""
    team = table.team_of(station)
    return team.id if team is not None and team.id in phase.playing and station not in table.absent else None


def _next_question(ladder: tuple[str, ...], open_: str | None) -> str | None:
    """Return the question after `open_` in `ladder`; the first one if `open_` is None.

    None after the last one.
    """
    at = ladder.index(open_) + 1 if open_ in ladder else 0
    return ladder[at] if at < len(ladder) else None


# -- a player's turn -----------------------------------------------------------------------------------------------


def on_tapped(state: State, phase: Turn, tapped: Tapped) -> Step:
    """Answer the player's open question with yes; if there is none, end the player's turn."""
    team = _team(state.table, phase, tapped.station)
    if team is None or not phase.answers(tapped.station, tapped.t_ns):
        return stay(state)
    question = phase.open_question(tapped.station)
    if question is not None:
        state = wink(replace(state, phase=_asking(phase, tapped.station, None, state.now_ns)), tapped.station, 1)
        return decide(state, Played(state.now_ns, "knock" if question == KNOCK else "31", (team,)))
    if team != phase.turn or not fresh(phase, tapped.t_ns):
        return stay(state)
    return _pass_turn(wink(state, tapped.station, 1), phase)


def _pass_turn(state: State, phase: Turn) -> Step:
    """Give the turn to the next team, clockwise. If that is the knocker, all enter their values."""
    following = phase.after(phase.turn)
    if following == phase.knocker:
        play = phase.play_at_pause(state.now_ns)
        return to(state, counting(state, play.playing, (following,), play), Cue("asked", state.now_ns))
    return within(state, replace(_at(phase, following, state.now_ns), had=phase.had | {phase.turn}))


def _at(phase: Turn, team: str, now_ns: int) -> Turn:
    return replace(phase, asked_at_ns=now_ns, turn=team, look=None, look_until_at_ns=None)


def on_held(state: State, phase: Turn, held: Held) -> Step:
    """Show the seat's next question with each hold: "Knock?" (if allowed), "31?", then none."""
    team = _team(state.table, phase, held.station)
    if held.long or team is None or not phase.answers(held.station, held.t_ns):
        return stay(state)
    question = phase.open_question(held.station)
    ladder = (KNOCK, THIRTYONE) if _may_knock(state, phase, team, held.t_ns) else (THIRTYONE,)
    asking = _asking(phase, held.station, _next_question(ladder, question), state.now_ns)
    return within(wink(state, held.station, 2), asking)


def _may_knock(state: State, phase: Turn, team: str, t_ns: int) -> bool:
    """Return whether the team is on turn and no one has knocked in this hand.

    Without the option `early_knock`, also all teams must have had a turn.
    """
    early = rules_of(state.table.setup).early_knock or phase.had.issuperset(phase.playing)
    return team == phase.turn and phase.knocker is None and early and fresh(phase, t_ns)


def on_due(state: State, phase: Turn, due: Due) -> Step:
    """Close questions whose time is up. End the knob's choice of a team if its time is up."""
    for (station, _), at_ns in zip(phase.asks, phase.asks_at_ns, strict=True):
        if at_ns + ASK_NS <= due.at_ns:
            phase = _asking(phase, station, None, due.at_ns)
    if phase.look_until_at_ns is not None and phase.look_until_at_ns <= due.at_ns:
        phase = replace(phase, look=None, look_until_at_ns=None)
    return within(state, phase)


def _on_knock(state: State, phase: Turn, event: Played) -> Step:
    """Begin the last round: all but the knocker have one more turn."""
    step = _pass_turn(state, replace(phase, turn=event.teams[0], knocker=event.teams[0]))
    return replace(step, cues=(*step.cues, Cue("asked", event.at_ns)))


# -- a 31 ----------------------------------------------------------------------------------------------------------


def _on_declared(state: State, turn: Turn, event: Played) -> Step:
    """End the hand, and give the other players time to declare a 31 of their own."""
    until = event.at_ns + SHOW_NS
    shown = Declared(
        event.at_ns, turn.playing, (), (), turn.play_at_pause(event.at_ns), event.teams, frozenset(), until
    )
    return to(state, shown, Cue("verdict_clear", event.at_ns, cancels=True))


def on_none_or_too(state: State, phase: Declared, tapped: Tapped) -> Step:
    """Handle a tap: yes to the player's open question "31?"; without a question, "no 31"."""
    team = _team(state.table, phase, tapped.station)
    if team not in phase.others or not fresh(phase, tapped.t_ns) or not phase.answers(tapped.station, tapped.t_ns):
        return stay(state)
    state = wink(state, tapped.station, 1)
    if phase.open_question(tapped.station) is not None:
        state = replace(state, phase=_asking(phase, tapped.station, None, state.now_ns))
        return decide(state, Played(state.now_ns, "31", (str(team),)))
    return _unless_done(state, replace(phase, seen=phase.seen | {str(team)}))


def on_held_too(state: State, phase: Declared, held: Held) -> Step:
    """Show the question "31?" to a player who holds the button. A second hold closes it."""
    team = _team(state.table, phase, held.station)
    answers = fresh(phase, held.t_ns) and phase.answers(held.station, held.t_ns)
    if held.long or team not in phase.others or not answers:
        return stay(state)
    question = _next_question((THIRTYONE,), phase.open_question(held.station))
    asking = _asking(phase, held.station, question, state.now_ns)
    return within(wink(state, held.station, 2), replace(asking, seen=phase.seen - {str(team)}))


def _on_declared_too(state: State, phase: Declared, event: Played) -> Step:
    """Add another player's 31, or remove those that a vote found wrong.

    If no 31 is left, the hand goes on.
    """
    if event.move == "31":
        return _unless_done(state, replace(phase, declared=(*phase.declared, *event.teams)))
    if event.move != "not 31":
        raise ValueError(f"a {event.move} after a 31 has been declared")
    left = tuple(team for team in phase.declared if team not in event.teams)
    if left:
        return within(state, replace(phase, declared=left))
    return to(state, phase.play.running(state.table, event.at_ns, event.at_ns))


def _unless_done(state: State, phase: Declared) -> Step:
    waiting = set(teams_heard(state.table, phase.others)) - phase.seen
    return within(state, phase) if waiting else on_shown(state, phase, NoOther())


def on_shown(state: State, phase: Declared, event: Due | NoOther) -> Step:
    """Make the hand final, because time is up or all have answered. While a list is open, time does not count."""
    if isinstance(event, Due) and at_the_knob(state):
        return within(state, replace(phase, until_at_ns=state.now_ns + S))
    again = replace(phase, asks=(), asks_at_ns=(), seen=frozenset(), until_at_ns=state.now_ns + SHOW_NS)
    return decide(replace(state, phase=again), Sealed(state.now_ns, ()))  # for an undo: all are asked again


def on_sealed(state: State, phase: Declared, event: Sealed) -> Step:
    """Record the hand.

    Raises LookupError if a damaged journal does not say who declared the 31.
    """
    if not phase.declared:
        raise LookupError("a 31 has ended the hand, but no declarer is recorded")
    table = state.table
    hands = (*table.hands, counted_game(table).result(table, phase, event.counts))
    return go_on(state, replace(table, hands=hands), event.at_ns)


# -- the knob ------------------------------------------------------------------------------------------------------


def on_turned(state: State, phase: Turn, event: Turned) -> Step:
    """Offer the turn to another team, as the knob was turned. A push then gives it the turn."""
    teams = [team for team in phase.playing if team != phase.knocker]
    look = teams[(teams.index(phase.look or phase.turn) + event.steps) % len(teams)]
    if look == phase.turn:
        return within(state, replace(phase, look=None, look_until_at_ns=None))
    return within(state, replace(phase, look=look, look_until_at_ns=state.now_ns + MENU_NS))


def on_pushed(state: State, phase: Turn, pushed: KnobPushed) -> Step:
    """Give the chosen team the turn.

    If no turn of the match is over yet, also make the team before the chosen one the dealer.
    """
    assert phase.look is not None
    before = phase.playing[phase.playing.index(phase.look) - 1]
    dealer = phase.dealer if phase.had or state.table.hands else before
    return within(state, replace(_at(phase, phase.look, state.now_ns), dealer=dealer, asks=(), asks_at_ns=()))


def _level_text(state: State, phase: Ready) -> Msg | None:
    rules, tally = rules_of(state.table.setup), tally_at(state.table)
    return msg("item.one_place_more") if rules.counts == "places" and tally.levels < MOST_LEVELS else None


def level(state: State, phase: Ready, action: AddPlace) -> Step:
    return ask(state, "ask.ride_on", Played(state.now_ns, "place", ()), voters=phase.playing)


def on_level(state: State, phase: Ready, event: Played) -> Step:
    """Add a place to the bus for all who are still in.

    Raises ValueError for any other move, e.g. a knock: no player is on turn.
    """
    if event.move != "place":
        raise ValueError(f"a {event.move} while no player is on turn")
    table = state.table
    own = dict(table.own)
    own[LEVELS] = own.get(LEVELS, 0) + 1
    return within(replace(state, table=replace(table, own=tuple(own.items()))), phase)


def on_ended(state: State, phase: TimeOut, event: Ended) -> Step:
    """Deal the hand again: a player left during the pause and so ended it."""
    return next_hand(state, event.at_ns)


def _knock_text(state: State, phase: Turn) -> Msg | None:
    """Return the menu line to knock for a player on turn whose button is muted.

    The line does not end the turn. For that, turn the knob to the next team, then push.
    """
    silent = not teams_heard(state.table, (phase.turn,))
    return msg("item.knock") if silent and _may_knock(state, phase, phase.turn, state.now_ns) else None


def knock(state: State, phase: Turn, action: KnockAloud) -> Step:
    return decide(state, Played(state.now_ns, "knock", (phase.turn,)))


def pause(state: State, phase: Turn, action: PauseHand) -> Step:
    return time_out(state, phase.playing, phase.play_at_pause(state.now_ns))


def not_a_31(state: State, phase: Declared, action: Contest31) -> Step:
    """Start a vote on whether the 31 is wrong. A yes of the player who declared it decides.

    If several players declared one, first open a list of them.
    """
    if len(phase.declared) > 1 and action.team not in phase.declared:
        return _open_team_list(state, Contest31, phase.declared)
    teams = (action.team,) if action.team else phase.declared
    outcome = Played(state.now_ns, "not 31", teams)
    return ask(state, "ask.not_a_31", outcome, subject=teams, voters=phase.playing, admission=outcome)


def _open_team_list(state: State, action: type[Contest31 | Declare31], teams: tuple[str, ...]) -> Step:
    return stay(open_list(state, (*(MenuLine(action(team), menu_line(state.table, team)) for team in teams), BACK)))


def _late_text(state: State, phase: Counting) -> Msg | None:
    return msg("item.late_31") if isinstance(phase.inner, Turn) else None


def late(state: State, phase: Turn | Counting, action: Declare31) -> Step:
    """Ask all to accept a 31 that was noticed late, or that of a player with a broken button.

    Without a team in `action`, open a list of the teams.
    """
    team, playing = action.team, _turn(phase).playing
    if team not in playing:
        return _open_team_list(state, Declare31, playing)
    return ask(state, "ask.31", Played(state.now_ns, "31", (team,)), subject=(team,), voters=playing)


def _turn(phase: Turn | Counting) -> Turn:
    """Return the turn that is being played, or that came before the count.

    Raises LookupError for a count that did not begin in a turn.
    """
    turn = phase.inner if isinstance(phase, Counting) else phase
    if not isinstance(turn, Turn):
        raise LookupError("a 31 is declared outside a hand")
    return turn


def void(state: State, phase: Phase, action: VoidHand) -> Step:
    return ask_void(state, playing_of(inner_of(phase) or phase))


def _void_count_text(state: State, phase: Counting) -> Msg | None:
    return msg("item.void_hand") if isinstance(phase.inner, Turn) else None


def on_played(state: State, phase: Turn, event: Played) -> Step:
    """Apply a player's move: a knock, or a 31 that ends the hand."""
    return {"knock": _on_knock, "31": _on_declared}[event.move](state, phase, event)


def on_counted_played(state: State, phase: Counting, event: Played) -> Step:
    """Accept a 31 declared while values are entered. Raises ValueError for another move."""
    if event.move != "31":
        raise ValueError(f"a {event.move} while values are entered")
    return _on_declared(state, _turn(phase), event)


_AGAIN = "the knob: shall the hand be dealt again?"
ROWS: tuple[Transition, ...] = (
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
    Row(Counting, Played, on_counted_played, ("DECLARED",), "a late 31"),
    *(Row(phase, Voided, on_voided, ("READY",), "the hand is void") for phase in (Turn, Declared, Counting, TimeOut)),
    Row(Ready, AddPlace, level, ("VOTE",), "the knob: shall the bus have one more place?", _level_text),
    Row(Turn, KnockAloud, knock, (), "the knob: a knock aloud", _knock_text),
    Row(Turn, Declare31, late, ("VOTE",), "the knob: whose 31?", msg("item.a_31")),
    Row(Turn, PauseHand, pause, ("TIMEOUT",), "the knob: a pause", msg("item.time_out")),
    Row(Declared, NoOther, on_shown, (), "the knob: everybody has looked", msg("item.no_other_31")),
    Row(Declared, Contest31, not_a_31, ("VOTE",), "the knob: is it none?", msg("item.not_a_31")),
    Row(Counting, Declare31, late, ("VOTE",), "the knob: whose 31?", _late_text),
    *(
        Row(phase, VoidHand, void, ("VOTE",), _AGAIN, msg("item.void_hand"), MenuPlace.LAST)
        for phase in (Turn, Declared, TimeOut)
    ),
    Row(Counting, VoidHand, void, ("VOTE",), _AGAIN, _void_count_text, MenuPlace.LAST),
)
