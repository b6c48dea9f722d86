"""The Nertz family as a game: its transitions, its count and its score. Presets are data in rules.py."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from referee.core.arbiter import press as into_court
from referee.core.events import Cue, Decision, Ruled, Sealed, Turned
from referee.core.games.nertz import contest, late, stuck
from referee.core.games.nertz.call import Called, called_from
from referee.core.games.nertz.court import court_of, ruled, rules_of
from referee.core.games.nertz.playing import Playing
from referee.core.games.nertz.rules import PRESETS, NertzRules
from referee.core.games.nertz.scoring import NertzCount as Tally
from referee.core.games.nertz.scoring import NertzHand, Standing, check_count, ended, reserve_sizes, standing, tally_of
from referee.core.games.nertz.settings import SETTINGS
from referee.core.games.nertz.verdict import VERDICT_NS, Judged
from referee.core.labels import label_of
from referee.core.phases.common import MENU_NS, at_the_knob, decide, stay, to, toast, within
from referee.core.phases.counting import Counting, counting
from referee.core.phases.pause import TimeOut, time_out
from referee.core.phases.power_back import PowerBack
from referee.core.phases.start import LEAD_NS, Stopped, early
from referee.core.signals import Pressed
from referee.core.state import Count, Due, KnobHeld, Phase, Play, State, Step, Table, Team, play_of
from referee.core.transitions import CountedGame, FieldSpec, Past, Place, Row, Transition
from referee.core.units import S, ns_from_ms
from referee.core.values import SameObjects, replace

__all__ = ["GAME", "PRESETS"]

# -- transitions ---------------------------------------------------------------------------------------------------


def on_pressed(state: State, phase: Playing, pressed: Pressed) -> Step:
    """A call, unless its edge was still the start's: then it stops the start, though it is confirmed only now."""
    press = pressed.press
    assert phase.court is not None
    if press.t_ns > phase.armed_at_ns or press.station not in phase.court.team_of:
        return called_from(state, phase, pressed)
    if press.t_ns < phase.go_at_ns - LEAD_NS:
        return Step(toast(state, "TOO LATE"))  # a link brought it only now: nothing that it could call or stop is left
    if rules_of(state.table.setup).start == "note":
        return stay(early(state, press.station))
    play = phase.stopped(state.now_ns) if phase.resumed else None
    stopped = Stopped(state.now_ns, phase.playing, (press.station,), play)
    return to(state, stopped, Cue("stop_start", state.now_ns, cancels=True))


def on_knob_held(state: State, phase: Playing, held: KnobHeld) -> Step:
    """The one push that a race knows: TIME OUT."""
    play = phase.stopped(state.now_ns)
    return time_out(state, play.playing, play)


def on_playing_due(state: State, phase: Playing, due: Due) -> Step:
    """Nothing has happened; that it has not is in the journal now."""
    return within(state, replace(phase, noted_at_ns=state.now_ns))


def on_called_pressed(state: State, phase: Called, pressed: Pressed) -> Step:
    """Another press in the call."""
    assert phase.court is not None
    if pressed.press.station not in phase.court.team_of:
        return stay(state)
    return within(state, replace(phase, court=into_court(phase.court, pressed.press)))


def on_called_due(state: State, phase: Called, due: Due) -> Step:
    """Nothing that is still to come can change it: the verdict."""
    assert phase.court is not None
    return decide(state, Ruled(state.now_ns, ruled(phase.court, state.contacts)))


def on_ruled(state: State, phase: Called, event: Ruled) -> Step:
    """The first thing that names anyone."""
    verdict = event.verdict
    locked = min(p.t_ns for p in verdict.presses) + state.table.setup.lockout_ns
    judged = replace(_judged(state, phase, event), boot=state.boot, locked_until_at_ns=locked)
    sound = "verdict_grey" if verdict.grey else f"verdict_{verdict.kind}"
    return to(state, judged, Cue(sound, event.at_ns, cancels=True))


def _judged(state: State, phase: Called, event: Ruled) -> Judged:
    first = min(p.t_ns for p in event.verdict.presses)
    evidence = tuple(edge for edge in state.trail if edge.t_ns >= first - ns_from_ms(5))
    play = phase.play.stopped(first)
    until, grey = event.at_ns + VERDICT_NS, event.verdict.grey
    return Judged(event.at_ns, play, phase.court, event.verdict, evidence, until, to_offer=grey)


def on_ruled_after_cut(state: State, phase: PowerBack, event: Ruled) -> Step:
    """The verdict on a call that a power cut interrupted is kept for when everybody is back.

    Raises LookupError where it has interrupted none.
    """
    if not isinstance(phase.inner, Called):
        raise LookupError(f"a verdict, and the power cut has interrupted {phase.inner.name}")
    return within(state, replace(phase, inner=_judged(state, phase.inner, event)))


def on_judged_turned(state: State, phase: Judged, event: Turned) -> Step:
    """Turning looks: on to the photo finish, back to the verdict, which then stands as long as it had to anyway."""
    photo = event.steps > 0
    anyway = phase.anyway_until_at_ns if phase.photo else phase.until_at_ns
    until = max(anyway, state.now_ns + (MENU_NS if photo else VERDICT_NS))
    return within(state, replace(phase, photo=photo, until_at_ns=until, anyway_until_at_ns=anyway))


def on_judged_due(state: State, phase: Judged, due: Due) -> Step:
    """Counting opens by itself, unless somebody is at the knob; who is done there is not kept waiting.

    Where nobody could tell who was first the contest is offered before.
    """
    assert phase.verdict is not None
    if at_the_knob(state):
        return within(state, replace(phase, until_at_ns=state.now_ns + S, to_offer=False))
    if phase.to_offer:
        return stay(contest.offer_grey(state))
    if contest.to_be_divided(state, phase):
        asked = replace(phase, asked_to_divide=True)
        return contest.ask_division(replace(state, phase=asked), contest.proposals(state)[0])
    return to(state, counting(state, phase.play.playing, phase.verdict.callers, phase))


ROWS: tuple[Transition, ...] = (
    Row(Playing, Pressed, on_pressed, ("CALLED", "STOPPED"), "a press: the call"),
    Row(Playing, KnobHeld, on_knob_held, ("TIMEOUT",), "knob 0.3 s: time out"),
    Row(Playing, Due, on_playing_due, (), "10 s: the hand's clock is kept"),
    Row(Called, Pressed, on_called_pressed, (), "another press"),
    Row(Called, Due, on_called_due, (), "the verdict can fall"),
    Row(Called, Ruled, on_ruled, ("VERDICT",), "the verdict"),
    Row(PowerBack, Ruled, on_ruled_after_cut, (), "a call that the power cut interrupted"),
    Row(Judged, Turned, on_judged_turned, (), "turn: photo finish"),
    Row(Judged, Due, on_judged_due, ("COUNTING", "VOTE"), "4 s: counting"),
    *late.ROWS,
    *contest.ROWS,
    *stuck.ROWS,
)


# -- the game ------------------------------------------------------------------------------------------------------


def _standing(table: Table) -> Standing:
    """The match so far. Every view asks for it, so it is kept by what it depends on."""
    teams = tuple(team.id for team in table.teams)
    return _standing_of(rules_of(table.setup), teams, table.joined, SameObjects(table.hands))


def _reserves(table: Table) -> Mapping[str, int]:
    """How many reserve cards each team deals in the hand at hand, its handicap included."""
    teams = tuple(team.id for team in table.teams)
    sizes = _reserves_of(rules_of(table.setup), teams, table.joined, SameObjects(table.hands))
    return {**sizes, **dict(table.dealt)} if table.dealt else sizes


@lru_cache(maxsize=64)
def _reserves_of(
    rules: NertzRules, teams: tuple[str, ...], joined: tuple[tuple[str, Fraction], ...], hands: SameObjects[NertzHand]
) -> Mapping[str, int]:
    return reserve_sizes(rules, tally_of(rules, teams, hands, dict(joined)))


@lru_cache(maxsize=64)
def _standing_of(
    rules: NertzRules, teams: tuple[str, ...], joined: tuple[tuple[str, Fraction], ...], hands: SameObjects[NertzHand]
) -> Standing:
    return standing(rules, teams, hands, dict(joined))


class Nertz(CountedGame):
    """The family. See transitions.Game for what each method answers."""

    rows = ROWS
    settings = SETTINGS
    counts_down = True

    def title(self, table: Table) -> tuple[str, int | None]:
        return table.setup.preset.upper(), rules_of(table.setup).target

    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        return Playing(armed_at_ns, playing, go_at_ns, armed_at_ns, 0, court_of(state.table, playing))

    def start_noted(self, table: Table) -> bool:
        return rules_of(table.setup).start == "note"

    def end_when_leaving(self, table: Table) -> str | None:
        return "abandoned" if rules_of(table.setup).stuck == "abandon" else None

    def taken_in(self, state: State, play: Play, event: Decision) -> Phase | None:
        assert isinstance(play, Playing)
        if isinstance(event, Ruled):
            return Called(event.at_ns, play, play.court)
        if not isinstance(event, Sealed):
            return None
        judged = contest.judged_of(state.phase)
        if judged is None or judged.verdict is None:
            return counting(state, play.playing, (), TimeOut(event.at_ns, play.playing, play))
        return counting(state, play.playing, judged.verdict.callers, judged)

    def next_players(self, table: Table) -> tuple[str, ...]:
        tied = _standing(table).tiebreak if table.hands else ()
        return tuple(team.id for team in table.teams if not tied or team.id in tied)

    def notes(self, table: Table, playing: tuple[str, ...]) -> tuple[str, ...]:
        usual = rules_of(table.setup).reserve
        sizes = {team: size for team, size in _reserves(table).items() if team in playing and size != usual}
        return tuple(f"{label_of(table, team).short} deals {size}" for team, size in sizes.items())

    def holders(self, table: Table) -> frozenset[str]:
        if rules_of(table.setup).pile_control != "alternate":
            return frozenset()
        pairs = (team.stations for team in table.teams if len(team.stations) == 2)
        return frozenset(pair[len(table.hands) % 2] for pair in pairs)

    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        rules = rules_of(table.setup)
        fields = (
            FieldSpec("LEFT", _reserves(table)[team] + 1, team in callers),
            FieldSpec("LAKE tens", rules.pack // 10 + 1),
            FieldSpec("LAKE ones", 10),
        )
        return (*fields, FieldSpec("KINGS", rules.kings + 1)) if rules.king_bonus else fields

    def refusal(self, table: Table, count: Count, callers: tuple[str, ...]) -> str | None:
        rules = rules_of(table.setup)
        tally = _tally(count.values)
        refused = check_count(rules, tally, _reserves(table)[count.team], caller=count.team in callers)
        return None if refused is None else refused.short

    def result(self, table: Table, counting: Phase, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> NertzHand:
        assert isinstance(counting, Counting)
        led = counting.inner
        play = None if led is None else play_of(led)
        end = "call" if counting.callers else "stuck"
        false_calls = play.false_calls if isinstance(play, Playing) else ()
        tallies = {team: _tally(values) for team, values in counts}
        shares = (dict(led.shares) if isinstance(led, Judged) else {}) or None
        return NertzHand(end, counting.callers, tallies, false_calls, shares, dict(table.dealt))

    def past(self, table: Table, hand: int) -> Past | None:
        result: NertzHand = table.hands[hand]
        if not result.counts:
            return None
        then = _before(table, hand)
        counts = tuple((team, _values(then, count)) for team, count in result.counts.items())
        return Past(then, result.callers, counts)

    def corrected(self, table: Table, hand: int, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Table:
        old: NertzHand = table.hands[hand]
        tallies = {team: _tally(values) for team, values in counts}
        wrong = tuple(team for team in tallies if tallies[team] != old.counts[team] or team in old.corrected)
        right = replace(table, hands=(*table.hands[:hand], replace(old, counts=tallies, corrected=wrong)))
        for later in range(hand + 1, len(table.hands)):
            dealt = _dealt(_before(table, later), right)
            hands = (*right.hands, replace(table.hands[later], reserves=dealt))
            right = replace(right, hands=hands)
        return replace(right, dealt=tuple(_dealt(table, right).items()))

    def standings(self, table: Table) -> tuple[Place, ...]:
        now = _standing(table)
        last = _standing(replace(table, hands=table.hands[:-1])) if table.hands else None
        places = list(now.ranks.values())
        corrected = {team for hand in table.hands for team in hand.corrected}
        return tuple(
            Place(
                t.id,
                now.totals[t.id],
                now.ranks[t.id],
                places.count(now.ranks[t.id]) > 1,
                _delta(now, last, t),
                t.id in corrected,
            )
            for t in table.teams
        )

    def winners(self, table: Table) -> tuple[str, ...]:
        now = ended(_standing(table)) if table.ended else _standing(table)
        return tuple(now.winners) if now.over else ()


def _delta(now: Standing, last: Standing | None, team: Team) -> Fraction | None:
    return None if last is None else now.totals[team.id] - last.totals[team.id]


def _before(table: Table, hand: int) -> Table:
    """The table as it was dealt at for that hand."""
    return replace(table, hands=table.hands[:hand], dealt=tuple(table.hands[hand].reserves.items()))


def _dealt(then: Table, now: Table) -> dict[str, int]:
    """The reserve sizes of `then`, where those of `now` would be others."""
    sizes = _reserves(replace(now, dealt=()))
    return {team: size for team, size in _reserves(then).items() if sizes[team] != size}


def _values(table: Table, count: Tally) -> tuple[int, ...]:
    """What stands in the fields: the inverse of `_tally`."""
    kings = (count.kings,) if rules_of(table.setup).king_bonus else ()
    return (count.reserve, count.foundation // 10, count.foundation % 10, *kings)


def _tally(values: tuple[int, ...]) -> Tally:
    left, tens, ones, *kings = values
    return Tally(tens * 10 + ones, left, *kings)


GAME = Nertz()
