"""31 at the table: what the shared phases need to know of it. turns.py has the play."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from referee.core.games.thirtyone import lessons, turns
from referee.core.games.thirtyone.phases import Declared, Turn
from referee.core.games.thirtyone.rules import BEST, HALF, MOST_LEVELS, SEATS
from referee.core.games.thirtyone.scoring import POINTS_TO_END, ThirtyOneHand, inside, ranks, shortage, totals, winners
from referee.core.games.thirtyone.table import new_levels, rules_of, shown, tally_at
from referee.core.messages import Msg, msg
from referee.core.model.events import Decision, Sealed
from referee.core.model.labels import label_of
from referee.core.model.phase import Phase, Play, inner_of
from referee.core.model.state import Count, State
from referee.core.model.table import Table
from referee.core.model.transitions import (
    SWITCH,
    BookedHand,
    CountedGame,
    FieldSpec,
    Past,
    Place,
    Setting,
    numbers,
    places,
    words,
)
from referee.core.phases.adjusting import points_notes
from referee.core.phases.counting import counting
from referee.core.values import replace

SETTINGS: tuple[Setting, ...] = (
    Setting("lives", "item.lives", numbers(*range(1, 10))),
    Setting("county", "item.county", SWITCH),
    Setting("three_of_a_kind", "item.three", (("none", msg("choice.nothing")), ("30", 30), ("30.5", HALF))),
    Setting("straight_flush", "item.flush", ((False, msg("choice.nothing")), (True, 30))),
    Setting("minimum_knock", "item.knock_from", ((0, msg("choice.any")), *numbers(15, 17, 19, 21, 23, 25, 27))),
    Setting("early_knock", "item.early_knock", SWITCH),
    Setting("knocker_tied", "item.knocker_tied", (*words("safe"), ("loses-one", -1), ("loses-two", -2))),
    Setting("knocker_not_highest", "item.knocker_not_best", (*words("safe"), ("loses-one", -1))),
    Setting("knocker_after_31", "item.knocker_after_31", (("one", -1), ("two", -2))),
    Setting("levels", "item.places", tuple((n, SEATS + 1 + n) for n in range(MOST_LEVELS + 1))),
    Setting("end", "item.ends", words("lives", "first-31", "31-points")),
)
GROUPS = {
    "item.rules_usual": "lives levels end county three_of_a_kind straight_flush",
    "item.rules_knock": "minimum_knock early_knock knocker_tied knocker_not_highest knocker_after_31",
}
_ABOUT = {"places": "about.bus", "points": "about.quebec"}
"""What is counted -> the text key for a match of that kind; lives have their own text."""


class ThirtyOne(CountedGame):
    """The game 31; transitions.Game describes the methods."""

    rows = turns.ROWS
    settings = SETTINGS
    setting_groups = GROUPS
    dark = "turns"
    counted_by = frozenset(setting.name for setting in SETTINGS) - {"early_knock"}

    def target(self, table: Table) -> int | None:
        return POINTS_TO_END if rules_of(table.setup).end == "31-points" else None

    def about(self, table: Table) -> Msg | None:
        rules = rules_of(table.setup)
        if rules.counts in _ABOUT and rules.end != "31-points":
            return msg(_ABOUT[rules.counts])
        return super().about(table) or msg("about.lives", count=rules.lives)

    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        dealer = _dealer(state.table, playing)
        turn = Turn(armed_at_ns, playing, dealer=dealer, turn=dealer, go_at_ns=go_at_ns)
        return replace(turn, turn=turn.after(dealer))

    def end_when_leaving(self, table: Table) -> str | None:
        return "abandoned"

    def taken_in(self, state: State, play: Play, event: Decision) -> Phase | None:
        assert isinstance(play, Turn)
        if not isinstance(event, Sealed):
            return super().taken_in(state, play, event)
        if not event.counts:
            return Declared(event.at_ns, play.playing, play=play.play_at_pause(event.at_ns))
        return counting(state, play.playing, (play.knocker,) if play.knocker else (), play)

    def next_players(self, table: Table) -> tuple[str, ...]:
        return inside(tally_at(table))

    def notes(self, table: Table, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        return (*points_notes(table), *_deals(table, playing))

    def lesson(self, table: Table, part: str, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        first, *lines = lessons.lesson(rules_of(table.setup), part)
        return (first, *(_deals(table, playing) if part == "deal" else ()), *lines)

    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        fields = (FieldSpec(msg("field.value", unit=10), 4), FieldSpec(msg("field.value", unit=1), 10))
        return (
            (*fields, FieldSpec(msg("field.half"), 2, signs=("-", "½")))
            if rules_of(table.setup).three_of_a_kind == "30.5"
            else fields
        )

    def refusal(
        self, table: Table, count: Count, callers: tuple[str, ...], others: tuple[Count, ...] = ()
    ) -> Msg | None:
        rules, value = rules_of(table.setup), _value(count.values)
        if value == BEST:
            return msg("refusal.push_for_31")
        if value != HALF and value.denominator == 2:
            return msg("refusal.half")
        if value < 2:
            return msg("refusal.below", value=value, least=2)
        if value > HALF or (value == HALF and rules.three_of_a_kind != "30.5"):
            return msg("refusal.above", value=int(value), most=30)
        if count.team in callers and value < rules.minimum_knock:
            return msg("refusal.to_knock", value=value, least=rules.minimum_knock)
        done = (_value(other.values) for other in others if other.cursor is None)
        short = shortage(rules, (value, *done))
        return msg("refusal.one_pack", count=short.hands) if short else None

    def result(self, table: Table, counting: Phase, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> ThirtyOneHand:
        play = counting.play if isinstance(counting, Declared) else inner_of(counting)
        assert isinstance(play, Turn)
        values = {team: _value(fields) for team, fields in counts}
        thirtyone = counting.declared if isinstance(counting, Declared) else ()
        return ThirtyOneHand(play.playing, play.knocker, values, thirtyone, play.dealer, new_levels(table))

    def booked_hand(self, table: Table, hand: int) -> BookedHand:
        result: ThirtyOneHand = table.hands[hand]
        knocked = (result.knocker,) if result.knocker else ()
        end, callers = ("declared", result.thirtyone) if result.thirtyone else ("knock", knocked)
        return BookedHand(end, callers, result.players, result.corrected)

    def past(self, table: Table, hand: int) -> Past | None:
        result: ThirtyOneHand = table.hands[hand]
        if result.thirtyone or result.knocker is None:
            return None
        then = replace(table, hands=table.hands[:hand])
        half = rules_of(table.setup).three_of_a_kind == "30.5"
        counts = tuple((team, _digits(value, half)) for team, value in result.values.items())
        return Past(then, (result.knocker,), counts)

    def with_correction(self, table: Table, hand: int, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Table:
        old: ThirtyOneHand = table.hands[hand]
        values = {team: _value(fields) for team, fields in counts}
        wrong = tuple(team for team in values if values[team] != old.values[team] or team in old.corrected)
        right = replace(old, values=values, corrected=wrong)
        return replace(table, hands=(*table.hands[:hand], right, *table.hands[hand + 1 :]))

    def standings(self, table: Table) -> tuple[Place, ...]:
        rules, now = rules_of(table.setup), tally_at(table)
        corrected = {team for hand in table.hands for team in hand.corrected}
        gained = now.scores[-1] if now.scores else None
        return places(totals(rules, now), ranks(rules, now), gained, corrected, partial(shown, rules, now))

    def winners(self, table: Table) -> tuple[str, ...]:
        return winners(rules_of(table.setup), tally_at(table), ended=table.ended)


def _dealer(table: Table, playing: tuple[str, ...]) -> str:
    """Return the dealer of this hand: the player who follows the last dealer clockwise.

    Players who are out are skipped. The first dealer of a match has the lowest seat.
    """
    if not table.hands:
        return playing[0]
    order = [team.id for team in table.teams]
    last = order.index(table.hands[-1].dealer)
    return next(team for team in (*order[last + 1 :], *order[: last + 1]) if team in playing)


def _deals(table: Table, playing: tuple[str, ...]) -> tuple[Msg, ...]:
    return (msg("note.deals", who=label_of(table, _dealer(table, playing))),) if playing else ()


def _value(fields: tuple[int, ...]) -> Fraction:
    tens, ones, *half = fields
    return Fraction(10 * tens + ones) + Fraction(sum(half), 2)


def _digits(value: Fraction, half: bool) -> tuple[int, ...]:
    """Split the value of a player's cards into tens, ones and, if `half`, a half (0 or 1)."""
    whole = int(value)
    return (whole // 10, whole % 10, *((int(value != whole),) if half else ()))


GAME = ThirtyOne()
