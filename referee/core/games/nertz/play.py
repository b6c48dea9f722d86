"""The Nertz games at the table: transitions, count and score. rules.py has the presets.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from referee.core.games.nertz import division, lessons, stuck
from referee.core.games.nertz.dialect import dialect_of
from referee.core.games.nertz.playing import Playing
from referee.core.games.nertz.rules import rules_of
from referee.core.games.nertz.scoring import NertzCount as Tally
from referee.core.games.nertz.scoring import (
    NertzHand,
    NertzTally,
    Standing,
    check_count,
    check_kings,
    hand_settled,
    outcome,
    paid_with,
    reserve_sizes,
    score_hand,
    tally_of,
    transfers,
)
from referee.core.games.nertz.settings import GROUPS, SETTINGS, idle_options
from referee.core.messages import Label, Msg, msg
from referee.core.model.account import score_text
from referee.core.model.events import Decision, Divided, Overruled, Ruled, Sealed
from referee.core.model.labels import label_of, seat_label
from referee.core.model.phase import Phase, Play, play_of
from referee.core.model.state import Count, State, Step
from referee.core.model.table import Adjustment, Setup, Table, Team, sitting
from referee.core.model.transitions import (
    BookedHand,
    CountedGame,
    FieldSpec,
    Past,
    PileGame,
    Place,
    Refusable,
    Start,
    places,
)
from referee.core.phases import call, contest, race, timeouts, verdict
from referee.core.phases.adjusting import points_notes
from referee.core.phases.armed import armed_span_of
from referee.core.phases.call import Called
from referee.core.phases.common import to, toast
from referee.core.phases.counting import LATE_ROWS, Counting, counting
from referee.core.phases.pause import TimeOut
from referee.core.phases.ready import next_hand
from referee.core.phases.verdict import Judged, judged_in
from referee.core.reading import number
from referee.core.values import by_identity, replace


def _tally_at(table: Table) -> NertzTally:
    teams = [team.id for team in table.teams]
    return tally_of(rules_of(table.setup), teams, table.hands, dict(table.joined), table.adjustments)


@by_identity(64)
def _standing(table: Table) -> Standing:
    """Return the standing so far; cached because each view needs it."""
    return outcome(rules_of(table.setup), _tally_at(table), ended=table.ended)


@by_identity(16)
def _reserves(table: Table) -> Mapping[str, int]:
    """Return the size of each team's reserve in this hand, including handicaps.

    Handicaps depend on scores, so a correction can change them after the deal. `Table.own` keeps the sizes as dealt.
    Cached, because each field of each count needs them.
    """
    return {**reserve_sizes(rules_of(table.setup), _tally_at(table)), **dict(table.own)}


class Nertz(PileGame, CountedGame):
    """The Nertz games; transitions.Game describes the methods."""

    rows = (
        *race.ROWS,
        *call.ROWS,
        *verdict.ROWS,
        *LATE_ROWS,
        *contest.ROWS,
        *contest.COUNT_ROWS,
        *division.ROWS,
        *contest.PHOTO_AND_VOID,
        *contest.COUNT_VOID,
        *stuck.ROWS,
        *timeouts.TIDIED,
    )
    hint = msg("do.show_pile")
    plays = (Playing,)
    follows = ("COUNTING", "VOTE")
    after_refuted = ("READY",)
    settings = SETTINGS
    setting_groups = GROUPS
    words = frozenset({"call_word", "start_words"})
    counted_by = frozenset(
        {
            *("bonus", "penalty", "king_bonus", "false_call", "handicap"),
            *("reserve", "river", "jokers", "layout"),  # these limit a count
            *("tiebreak", "tiebreak_teams"),  # these determine who played a hand, and who won
        }
    )

    def idle(self, setup: Setup) -> frozenset[str]:
        return idle_options(rules_of(setup))

    def target(self, table: Table) -> int | None:
        return rules_of(table.setup).target

    def about(self, table: Table) -> Msg:
        rules = rules_of(table.setup)
        if rules.target is None:
            return msg("about.each_hand")
        return msg("about.bonus" if rules.bonus else "about.no_bonus", target=rules.target, bonus=rules.bonus)

    def in_short(self, table: Table) -> tuple[Msg, ...]:
        return (*super().in_short(table), *(() if self.refusable(table) else (msg("note.no_stacking"),)))

    def is_fixed(self, table: Table, name: str, value: object) -> bool:
        """Return whether recorded hands fix the option, so that it cannot take `value`.

        After a hand that ended stuck and was scored, the option `stuck` cannot become "abandon".
        """
        scored = (name, value) == ("stuck", "abandon") and any(hand.end == "stuck" for hand in table.hands)
        return scored or super().is_fixed(table, name, value)

    def call_word(self, table: Table) -> Msg:
        return dialect_of(table.setup).call

    def airborne(self, table: Table) -> Msg:
        lands = rules_of(table.setup).in_flight == "lands"
        return msg("do.air_lands" if lands else "do.air_returns")

    def refusable(self, table: Table) -> Refusable | None:
        """Return the option "stacking" if it is on, because a single player can refuse it.

        Stacking (playing several cards at once) takes plays away from others, so all must agree to it (NNA).
        """
        stacking = Refusable("stacking", msg("agree.no_stacking"), "toast.no_stacking")
        return stacking if rules_of(table.setup).stacking else None

    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        return Playing(armed_at_ns, playing, go_at_ns, armed_at_ns, 0, armed_span_of(state.table, playing, go_at_ns))

    def tie_ms(self, table: Table) -> Fraction | int:
        return rules_of(table.setup).tie_ms

    def out(self, table: Table, false_calls: tuple[str, ...]) -> tuple[str, ...]:
        """Return the teams with a false call, if the rules put them out of the hand; else none."""
        return false_calls if rules_of(table.setup).false_call == "zero" else ()

    def false_text(self, table: Table, who: tuple[Label, ...]) -> Msg:
        rules = rules_of(table.setup)
        if rules.false_call == "zero":
            return msg("toast.false_zero", who=who)
        cost = rules.false_points
        return msg("toast.false_points", who=who, points=f"-{cost}") if cost else super().false_text(table, who)

    def after_false_claim(self, state: State, judged: Phase, event: Overruled) -> Step | None:
        """End the hand without a score if false calls have put all its teams out.

        Else return None.
        """
        assert isinstance(judged, Judged)
        false_calls = (*judged.play.false_calls, *event.teams)
        if set(judged.play.playing) - set(self.out(state.table, false_calls)):
            return None
        table = verdict.kept_call(state.table, judged, len(state.table.hands))
        table = replace(table, hands=(*table.hands, NertzHand("abandoned", (), {})))
        return next_hand(toast(replace(state, table=table), msg("toast.all_out")), state.now_ns)

    def upheld(self, state: State, judged: Phase) -> Step:
        """Start the count after a call that stands.

        If three or more callers share a bonus, first ask all teams how to divide it.
        """
        assert isinstance(judged, Judged)
        assert judged.verdict is not None
        if division.to_be_divided(state, judged):
            asked = replace(judged, asked_to_divide=True)
            return division.ask_division(replace(state, phase=asked), division.proposals(state)[0])
        return to(state, counting(state, judged.play.playing, judged.verdict.callers, judged))

    def start(self, table: Table) -> Start:
        rules = rules_of(table.setup)
        return Start(rules.start_words == "numbers", rules.start_by == "one", rules.start == "note")

    def end_when_leaving(self, table: Table) -> str | None:
        return "abandoned" if rules_of(table.setup).stuck == "abandon" else None

    def taken_in(self, state: State, play: Play, event: Decision) -> Phase | None:
        assert isinstance(play, Playing)
        if isinstance(event, Ruled):
            return Called(event.at_ns, play, play.armed)
        if not isinstance(event, Sealed):
            return None
        judged = judged_in(state.phase) if isinstance(state.phase, Judged | Counting) else None
        if judged is None or judged.verdict is None:
            return counting(state, play.playing, (), TimeOut(event.at_ns, play.playing, play))
        return counting(state, play.playing, judged.verdict.callers, judged)

    def what_stays(self, state: State, outcome: Decision) -> Msg:
        return division.what_stays(state) if isinstance(outcome, Divided) else super().what_stays(state, outcome)

    def undealt(self, table: Table) -> Table:
        return replace(table, own=())

    def next_players(self, table: Table) -> tuple[str, ...]:
        tied = _tied(table)
        return tuple(team.id for team in table.teams if not tied or team.id in tied)

    def notes(self, table: Table, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        rules = rules_of(table.setup)
        sizes = {t: size for t, size in _reserves(table).items() if t in playing and size != rules.reserve}
        deals = tuple(msg("note.deals_count", who=label_of(table, team), count=size) for team, size in sizes.items())
        piles = rules.work_piles(len(playing))
        told = (
            (
                playing and piles not in (rules.river, 5 if rules.layout == "klondike" else 0),
                msg("note.piles", piles=piles),
            ),
            (rules.start_by == "one", msg("note.one_starts")),
            (rules.pack_check and table.hands, msg("note.pack_check", cards=rules.pack)),
            (rules.shuffle_for == "left", msg("note.shuffle_left")),
            (rules.rotate_seats and table.hands, msg("note.seats_move")),
        )
        said = (*points_notes(table), *deals, *(note for true, note in told if true))
        return (*_tie_break(table), *_hand_paid(table), *said, *self._roles(table, playing))

    def _roles(self, table: Table, playing: tuple[str, ...]) -> Iterable[Msg]:
        """Yield notes on which partner plays the reserve, and who sorts the foundation cards."""
        words, holders = dialect_of(table.setup), self.holders(table)
        for team in (team for team in table.teams if team.id in playing):
            for station in holders & {*team.stations}:
                (other,) = {*team.stations} - {station}
                holds = {"who": seat_label(table, station), "other": seat_label(table, other)}
                yield msg("note.pair", pile=words.pile, stock=words.stock, **holds)
        if playing and not table.hands:
            yield msg("note.backs")
        if playing:
            round_of = sorted(playing, key=table.setup.stations.index)  # team ids do not change with seats
            sorter = round_of[len(table.hands) % len(playing)]
            yield msg("note.sorts", who=label_of(table, sorter), lake=msg(words.lake))

    def lesson(self, table: Table, part: str, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        teams = [team for team in table.teams if not playing or team.id in playing]
        people = sum(len(team.stations) for team in teams)
        return lessons.lesson(rules_of(table.setup), dialect_of(table.setup), part, len(teams), people)

    def holders(self, table: Table) -> frozenset[str]:
        if rules_of(table.setup).pile_control != "alternate":
            return frozenset(station for _, station in table.holding)
        pairs = (team.stations for team in table.teams if len(team.stations) == 2)
        return frozenset(pair[len(table.hands) % 2] for pair in pairs)

    def free_to_hold(self, table: Table, team: Team) -> bool:
        return len(team.stations) == 2 and rules_of(table.setup).pile_control == "free"

    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        rules, lake = rules_of(table.setup), dialect_of(table.setup).lake
        fields = (
            FieldSpec(msg("field.left"), _reserves(table)[team] + 1, team in callers),
            FieldSpec(msg(lake, unit=10), rules.pack // 10 + 1),
            FieldSpec(msg(lake, unit=1), 10),
        )
        return (*fields, FieldSpec(msg("field.kings"), rules.kings + 1)) if rules.king_bonus else fields

    def refusal(
        self, table: Table, count: Count, callers: tuple[str, ...], others: tuple[Count, ...] = ()
    ) -> Msg | None:
        rules = rules_of(table.setup)
        tally = _tally(count.values)
        refused = check_count(rules, tally, _reserves(table)[count.team], caller=count.team in callers)
        if refused is None and all(other.cursor is None for other in others):
            refused = check_kings(rules, (tally, *(_tally(other.values) for other in others)))
        if refused is None:
            return None
        given = refused.given[::-1]  # put the cards left first, as in the fields
        return msg(f"refusal.{refused.rule}", sum=given, most=refused.limit)

    def result(self, table: Table, counting: Phase, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> NertzHand:
        assert isinstance(counting, Counting)
        led = counting.inner
        play = None if led is None else play_of(led)
        end = "call" if counting.callers else "stuck"
        false_calls = play.false_calls if isinstance(play, Playing) else ()
        tallies = {team: _tally(values) for team, values in counts}
        shares = division.final_shares(table, led, counting.callers) if isinstance(led, Judged) else None
        return NertzHand(end, counting.callers, tallies, false_calls, shares, dict(table.own))

    def booked_hand(self, table: Table, hand: int) -> BookedHand:
        result: NertzHand = table.hands[hand]
        return BookedHand(result.end, result.callers, tuple(result.counts), result.corrected)

    def past(self, table: Table, hand: int) -> Past | None:
        result: NertzHand = table.hands[hand]
        if not result.counts:
            return None
        then = _before(table, hand)
        counts = tuple((team, _values(then, count)) for team, count in result.counts.items())
        return Past(then, result.callers, counts)

    def with_correction(self, table: Table, hand: int, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Table:
        old: NertzHand = table.hands[hand]
        tallies = {team: _tally(values) for team, values in counts}
        wrong = tuple(team for team in tallies if tallies[team] != old.counts[team] or team in old.corrected)
        right = replace(table, hands=(*table.hands[:hand], replace(old, counts=tallies, corrected=wrong)))
        return _dealt_as_before(table, right)

    def with_adjustment(self, table: Table, given: Adjustment) -> Table:
        right = super().with_adjustment(table, given)
        return _dealt_as_before(table, replace(right, hands=table.hands[: given.after]))

    def standings(self, table: Table) -> tuple[Place, ...]:
        now = _standing(table)
        gained = score_hand(rules_of(table.setup), table.hands[-1]) if table.hands else None
        return places(now.totals, now.ranks, gained, {team for hand in table.hands for team in hand.corrected})

    def winners(self, table: Table) -> tuple[str, ...]:
        return _standing(table).winners

    def payments(self, table: Table) -> tuple[Msg, ...]:
        return _pays(table, _standing(table).settlement)


def _tied(table: Table) -> tuple[str, ...]:
    """Return the teams at the table that play the tie-break hand; () if no such hand is due.

    If fewer than two of its teams are at the table, all teams play an ordinary hand instead.
    """
    tied = _standing(table).tiebreak if table.hands else ()
    here = tuple(team for team in tied if any(sitting(table, (team,))))
    return here if len(here) > 1 else ()


def _tie_break(table: Table) -> tuple[Msg, ...]:
    """Return notes on who plays the tie-break hand and who rests; () if no such hand is due."""
    tied = _tied(table)
    if not tied:
        return ()
    rest = tuple(label_of(table, team.id) for team in table.teams if team.id not in tied)
    told = msg("note.tie_break", tied=tuple(label_of(table, team) for team in tied))
    return (told, msg("note.rest", seats=rest)) if rest else (told,)


def _hand_paid(table: Table) -> tuple[Msg, ...]:
    """Return notes on who pays whom for the last hand; () if hands are not paid one by one."""
    if not table.hands:
        return ()
    given = paid_with(table.adjustments, len(table.hands))
    return _pays(table, hand_settled(rules_of(table.setup), table.hands[-1], given))


def _pays(table: Table, settlement: Mapping[str, Fraction]) -> tuple[Msg, ...]:
    return tuple(
        msg("note.pays", who=label_of(table, payer), to=label_of(table, payee), points=score_text(number(amount)))
        for payer, payee, amount in transfers(settlement)
    )


def _before(table: Table, hand: int) -> Table:
    """Return the table as it was when hand number `hand` (from 0) was dealt."""
    return replace(table, hands=table.hands[:hand], own=tuple(table.hands[hand].reserves.items()))


def _reserves_dealt(then: Table, now: Table) -> dict[str, int]:
    """Return team -> reserve size in table `then`, for each team with another size in `now`.

    The sizes in `now` are computed from the scores. The stored sizes (`Table.own`) of `now` are ignored.
    """
    sizes = _reserves(replace(now, own=()))
    return {team: size for team, size in _reserves(then).items() if sizes[team] != size}


def _dealt_as_before(was: Table, right: Table) -> Table:
    """Return the corrected table `right` with the later hands that it lacks, taken from `was`.

    was: the table before the correction. Each of these hands keeps the reserve sizes with which it was really dealt.
    """
    for later in range(len(right.hands), len(was.hands)):
        dealt = _reserves_dealt(_before(was, later), right)
        right = replace(right, hands=(*right.hands, replace(was.hands[later], reserves=dealt)))
    return replace(right, own=tuple(_reserves_dealt(was, right).items()))


def _values(table: Table, count: Tally) -> tuple[int, ...]:
    """Return a count as teams enter it: reserve, foundation cards (tens, ones), kings if used."""
    kings = (count.kings,) if rules_of(table.setup).king_bonus else ()
    return (count.reserve, count.foundation // 10, count.foundation % 10, *kings)


def _tally(values: tuple[int, ...]) -> Tally:
    left, tens, ones, *kings = values
    return Tally(tens * 10 + ones, left, *kings)


GAME = Nertz()
