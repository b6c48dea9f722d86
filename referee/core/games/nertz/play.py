"""The Nertz family as a game: its transitions, its count and its score. Presets are data in rules.py."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from referee.core.arbiter import Court, Law, rule
from referee.core.arbiter import press as into_court
from referee.core.events import Cue, Decision, Ruled, Turned
from referee.core.games.nertz.phases import VERDICT_NS, Called, Judged, Playing
from referee.core.games.nertz.rules import PRESETS, Ruleset, with_options
from referee.core.games.nertz.scoring import Count as Tally
from referee.core.games.nertz.scoring import HandResult, Standing, check_count, standing
from referee.core.games.nertz.screens import LAMPS, SCREENS
from referee.core.phases.common import MENU_NS, decide, stay, to, within
from referee.core.phases.counting import counting
from referee.core.phases.pause import time_out
from referee.core.phases.start import stop
from referee.core.signals import Pressed
from referee.core.state import Count, Due, KnobHeld, Phase, PowerBack, Setup, Starting, State, Step, Table, Team
from referee.core.transitions import FieldSpec, Place, Row
from referee.core.units import ns_from_ms


@cache
def _rules(preset: str, options: tuple[tuple[str, Any], ...]) -> Ruleset:
    return with_options(PRESETS[preset], dict(options))


def rules_of(setup: Setup) -> Ruleset:
    """The table's rules: its preset with its options."""
    return _rules(setup.preset, setup.options)


def _court(table: Table, playing: tuple[str, ...]) -> Court:
    setup = table.setup
    law = Law(ns_from_ms(rules_of(setup).tie_ms), setup.max_err_ns, setup.latency_ns, setup.lockout_ns)
    team_of = {station: team.id for team in table.teams if team.id in playing for station in team.stations}
    return Court.opened(law, team_of)


# -- transitions ---------------------------------------------------------------------------------------------------


def on_pressed(state: State, pressed: Pressed) -> Step:
    """A call, unless its edge was still the start's."""
    phase, press = state.phase, pressed.press
    assert isinstance(phase, Playing)
    assert phase.court is not None
    if press.station not in phase.court.team_of:
        return stay(state)
    if press.t_ns <= phase.armed_at_ns:
        return stop(state, Starting(state.now_ns, phase.playing), press.station)
    called = Called(state.now_ns, phase, into_court(phase.court, press))
    return to(state, called, Cue("call", state.now_ns, urgent=True, cancels=True))


def on_knob_held(state: State, held: KnobHeld) -> Step:
    """The one push that a race knows: TIME OUT."""
    assert isinstance(state.phase, Playing)
    play = _kept(state.phase, state.now_ns)
    return time_out(state, play.playing, play)


def _kept(play: Playing, at_ns: int) -> Playing:
    """The play with its clock stopped at `at_ns`."""
    return replace(play, played_ns=play.clock_ns(at_ns), go_at_ns=at_ns)


def on_called_pressed(state: State, pressed: Pressed) -> Step:
    """Another press in the call."""
    phase = state.phase
    assert isinstance(phase, Called)
    assert phase.court is not None
    if pressed.press.station not in phase.court.team_of:
        return stay(state)
    return within(state, replace(phase, court=into_court(phase.court, pressed.press)))


def on_called_due(state: State, due: Due) -> Step:
    """Nothing that is still to come can change it: the verdict."""
    assert isinstance(state.phase, Called)
    assert state.phase.court is not None
    return decide(state, Ruled(state.now_ns, rule(state.phase.court)))


def on_ruled(state: State, event: Ruled) -> Step:
    """The first thing that names anyone."""
    phase, verdict = state.phase, event.verdict
    assert isinstance(phase, Called)
    judged = _judged(state, phase, event)
    sound = "verdict_grey" if verdict.grey else f"verdict_{verdict.kind}"
    return to(state, judged, Cue(sound, event.at_ns, cancels=True))


def _judged(state: State, phase: Called, event: Ruled) -> Judged:
    first = min(p.t_ns for p in event.verdict.presses)
    evidence = tuple(edge for edge in state.trail if edge.t_ns >= first - ns_from_ms(5))
    return Judged(event.at_ns, phase.play, phase.court, event.verdict, evidence, event.at_ns + VERDICT_NS)


def on_ruled_after_cut(state: State, event: Ruled) -> Step:
    """The verdict on a call that a power cut interrupted is kept for when everybody is back."""
    phase = state.phase
    assert isinstance(phase, PowerBack)
    assert isinstance(phase.inner, Called)
    return within(state, replace(phase, inner=_judged(state, phase.inner, event)))


def on_judged_pressed(state: State, pressed: Pressed) -> Step:
    """A later press is listed; late evidence is shown and never reverses the verdict."""
    phase = state.phase
    assert isinstance(phase, Judged)
    assert phase.court is not None
    if pressed.press.station not in phase.court.team_of:
        return stay(state)
    court = into_court(phase.court, pressed.press)
    return within(state, replace(phase, court=court, verdict=rule(court)))


def on_judged_turned(state: State, event: Turned) -> Step:
    """Turning looks: on to the photo finish, back to the verdict."""
    assert isinstance(state.phase, Judged)
    photo = event.steps > 0
    until = state.now_ns + (MENU_NS if photo else VERDICT_NS)
    return within(state, replace(state.phase, photo=photo, until_at_ns=until))


def on_judged_due(state: State, due: Due) -> Step:
    """Counting opens by itself, unless somebody is at the knob."""
    phase = state.phase
    assert isinstance(phase, Judged)
    assert phase.verdict is not None
    if state.menu is not None and state.menu.closes_at_ns is not None:
        return within(state, replace(phase, until_at_ns=state.menu.closes_at_ns))
    return to(state, counting(state, phase.play.playing, phase.verdict.callers))


ROWS = (
    Row(Playing, Pressed, on_pressed, ("CALLED", "STOPPED"), "a press: the call"),
    Row(Playing, KnobHeld, on_knob_held, ("TIMEOUT",), "knob 0.3 s: time out"),
    Row(Called, Pressed, on_called_pressed, ("CALLED",), "another press"),
    Row(Called, Due, on_called_due, ("CALLED",), "the verdict can fall"),
    Row(Called, Ruled, on_ruled, ("VERDICT",), "the verdict"),
    Row(PowerBack, Ruled, on_ruled_after_cut, ("POWER_BACK",), "a call that the power cut interrupted"),
    Row(Judged, Pressed, on_judged_pressed, ("VERDICT",), "a later press is listed"),
    Row(Judged, Turned, on_judged_turned, ("VERDICT",), "turn: photo finish"),
    Row(Judged, Due, on_judged_due, ("VERDICT", "COUNTING"), "4 s: counting"),
)


# -- the game ------------------------------------------------------------------------------------------------------


def _standing(table: Table) -> Standing:
    return standing(rules_of(table.setup), tuple(team.id for team in table.teams), table.hands)


class Nertz:
    """The family. See transitions.Game for what each method answers."""

    rows = ROWS
    items = ()
    screens = SCREENS
    lamps = LAMPS

    def title(self, table: Table) -> tuple[str, int | None]:
        return table.setup.preset.upper(), rules_of(table.setup).target

    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Phase:
        return Playing(armed_at_ns, playing, go_at_ns, armed_at_ns, 0, _court(state.table, playing))

    def resumed(self, play: Any, go_at_ns: int, armed_at_ns: int) -> Phase:
        assert isinstance(play, Playing)
        return replace(play, asked_at_ns=armed_at_ns, go_at_ns=go_at_ns, armed_at_ns=armed_at_ns)

    def call_before_pause(self, state: State, play: Any, pressed: Pressed) -> Step:
        assert isinstance(play, Playing)
        return on_pressed(replace(state, phase=play), pressed)

    def stopped(self, phase: Phase) -> Any:
        if isinstance(phase, Playing):
            return phase
        return phase.play if isinstance(phase, Called) else None

    def open_call(self, state: State, phase: Phase) -> Decision | None:
        if not isinstance(phase, Called) or phase.court is None:
            return None
        return Ruled(state.now_ns, rule(phase.court))

    def next_players(self, table: Table) -> tuple[str, ...]:
        tied = _standing(table).tiebreak if table.hands else ()
        return tuple(team.id for team in table.teams if not tied or team.id in tied)

    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        rules = rules_of(table.setup)
        return (
            FieldSpec("LEFT", rules.reserve + 1, team in callers),
            FieldSpec("LAKE tens", rules.pack // 10 + 1),
            FieldSpec("LAKE ones", 10),
        )

    def refusal(self, table: Table, count: Count, callers: tuple[str, ...]) -> str | None:
        rules = rules_of(table.setup)
        tally = _tally(count.values)
        refused = check_count(rules, tally, rules.reserve, caller=count.team in callers)
        return None if refused is None else refused.short

    def result(self, table: Table, callers: tuple[str, ...], counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Any:
        return HandResult("call", callers, {team: _tally(values) for team, values in counts})

    def standings(self, table: Table) -> tuple[Place, ...]:
        now = _standing(table)
        last = _standing(replace(table, hands=table.hands[:-1])) if table.hands else None
        places = list(now.ranks.values())
        return tuple(
            Place(t.id, now.totals[t.id], now.ranks[t.id], places.count(now.ranks[t.id]) > 1, _delta(now, last, t))
            for t in table.teams
        )

    def winners(self, table: Table) -> tuple[str, ...]:
        now = _standing(table)
        return tuple(now.winners) if now.over else ()


def _delta(now: Standing, last: Standing | None, team: Team) -> Any:
    return None if last is None else now.totals[team.id] - last.totals[team.id]


def _tally(values: tuple[int, ...]) -> Tally:
    left, tens, ones = values
    return Tally(tens * 10 + ones, left)


GAME = Nertz()
