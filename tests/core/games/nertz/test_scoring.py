"""The score of hands and matches: worked examples, properties, and a simple model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.games.nertz.rules import PRESETS, NertzRules, with_options
from referee.core.games.nertz.scoring import (
    Miscount,
    NertzCount,
    NertzHand,
    NertzTally,
    Standing,
    after,
    check_count,
    check_kings,
    equal_shares,
    hand_settled,
    older_shares,
    outcome,
    paid_with,
    reserve_sizes,
    score_hand,
    tally_of,
    transfers,
)
from referee.core.model.table import Adjustment
from referee.core.values import replace

NNA = PRESETS["nna"]
PAGAT = PRESETS["pagat"]


def rules(preset: str = "nna", **options: object) -> NertzRules:
    """Return a preset with some options changed."""
    return with_options(PRESETS[preset], options)


def points(end: str = "stuck", callers: tuple[str, ...] = (), **scores: int) -> NertzHand:
    """Return a hand in which each team scores these points. No pack limits them."""
    counts = {team: NertzCount(max(score, 0), max(-score, 0)) for team, score in scores.items()}
    return NertzHand(end, callers, counts)


def standing(
    ruleset: NertzRules,
    teams: Sequence[str],
    hands: Sequence[NertzHand],
    joined: Mapping[str, Fraction] | None = None,
    adjustments: Sequence[Adjustment] = (),
) -> Standing:
    """Return the standing after these hands."""
    return outcome(ruleset, tally_of(ruleset, teams, hands, joined, adjustments))


def tally(ruleset: NertzRules, teams: str, *hands: NertzHand) -> NertzTally:
    """Return the tally of teams with one letter each, under a penalty of 1."""
    return tally_of(replace(ruleset, penalty=1), tuple(teams), hands)


def by_will(ruleset: NertzRules, teams: str, *hands: NertzHand) -> Standing:
    """Return the standing of a match that the table has ended."""
    return outcome(replace(ruleset, penalty=1), tally(ruleset, teams, *hands), ended=True)


# -- counts ---------------------------------------------------------------------------------------------------------

COUNTS: tuple[tuple[NertzRules, NertzCount, int, bool, Miscount | None], ...] = (
    (NNA, NertzCount(40, 13), 13, False, Miscount("pack", (40, 13), 52)),
    (NNA, NertzCount(39, 13), 13, False, None),
    (NNA, NertzCount(20, 14), 13, False, Miscount("reserve", (14,), 13)),
    (NNA, NertzCount(20, 14), 14, False, None),
    (NNA, NertzCount(20, 1), 13, True, Miscount("caller", (1,), 0)),
    (NNA, NertzCount(-1, 0), 13, False, Miscount("low", (-1,), 0)),
    (NNA, NertzCount(5, -2), 13, False, Miscount("low", (-2,), 0)),
    (NNA, NertzCount(5, 2, -3), 13, False, Miscount("low", (-3,), 0)),
    (NNA, NertzCount(50, 2, 5), 13, False, Miscount("kings", (5,), 4)),
    (NNA, NertzCount(2, 2, 3), 13, False, Miscount("kings", (3,), 2)),
    (rules(jokers=2), NertzCount(55, 0), 13, False, Miscount("pack", (55, 0), 54)),
    (rules(jokers=2), NertzCount(54, 0, 6), 13, True, None),
    (PRESETS["ligretto"], NertzCount(31, 10), 10, False, Miscount("pack", (31, 10), 40)),
    (PRESETS["ligretto"], NertzCount(31, 2, 1), 10, False, Miscount("kings", (1,), 0)),
    (PRESETS["ligretto"], NertzCount(9, 0), 10, True, Miscount("lake", (9,), 10)),
    (PRESETS["ligretto"], NertzCount(3, 6), 10, False, Miscount("lake", (3,), 4)),
    (rules(reserve=40, river=2), NertzCount(15, 0), 40, True, Miscount("lake", (15,), 16)),
    (rules(reserve=40, river=2), NertzCount(16, 0), 40, True, None),
    (rules("dutch-blitz", reserve=30, river=2), NertzCount(11, 0), 30, True, Miscount("lake", (11,), 12)),
    (rules("dutch-blitz", reserve=30, river=2), NertzCount(12, 0), 30, True, None),
    (rules("dutch-blitz", reserve=35), NertzCount(0, 0), 35, True, None),
    (rules(reserve=35, layout="klondike", river=1), NertzCount(0, 0), 35, True, None),
)


@pytest.mark.parametrize(("ruleset", "count", "reserve", "caller", "miscount"), COUNTS)
def test_a_miscount_says_what_is_wrong_with_its_numbers(
    ruleset: NertzRules, count: NertzCount, reserve: int, caller: bool, miscount: Miscount | None
) -> None:
    assert check_count(ruleset, count, reserve, caller=caller) == miscount


@given(
    st.sampled_from(sorted(PRESETS)),
    st.integers(-2, 60),
    st.integers(-2, 20),
    st.integers(-1, 7),
    st.integers(3, 16),
    st.booleans(),
)
def test_a_count_stands_exactly_when_the_rule_says_so(
    preset: str, foundation: int, left: int, kings: int, reserve: int, caller: bool
) -> None:
    ruleset = PRESETS[preset]
    pack = 40 if preset in ("dutch-blitz", "ligretto") else 52
    possible = 0 <= left <= reserve and 0 <= foundation <= pack - left and not (caller and left)
    possible = possible and 0 <= kings <= min(4 if pack == 52 else 0, foundation)
    possible = possible and (preset != "ligretto" or foundation >= reserve - left)
    refused = check_count(ruleset, NertzCount(foundation, left, kings), reserve, caller=caller)
    assert (refused is None) == possible


@pytest.mark.parametrize(
    ("options", "counts", "miscount"),
    [
        ({}, (NertzCount(12, 0, 1), NertzCount(0, 3)), Miscount("under_kings", (12,), 13)),
        ({}, (NertzCount(12, 0, 1), NertzCount(1, 3)), None),
        ({}, (NertzCount(20, 0, 2), NertzCount(18, 3, 1)), Miscount("under_kings", (38,), 39)),
        ({}, (NertzCount(20, 0, 2), NertzCount(19, 3, 1)), None),
        ({"same_place": "both"}, (NertzCount(13, 0, 1), NertzCount(0, 3, 0)), None),
        ({"same_place": "both"}, (NertzCount(13, 0, 1), NertzCount(1, 3, 1)), None),
        ({"same_place": "both"}, (NertzCount(12, 0, 1), NertzCount(1, 3, 1)), Miscount("under_kings", (13,), 14)),
        ({"same_place": "both"}, (NertzCount(20, 0, 2), NertzCount(6, 3, 1)), Miscount("under_kings", (26,), 27)),
        ({"same_place": "both", "jokers": 2}, (NertzCount(13, 0, 2), NertzCount(2, 3, 1)), None),
        ({"same_place": "both", "foundations": "by-players"}, (NertzCount(13, 0, 2), NertzCount(1, 3)), None),
    ],
)
def test_kings_need_the_cards_below_them(
    options: dict[str, Any], counts: tuple[NertzCount, ...], miscount: Miscount | None
) -> None:
    """A king has twelve cards under it, of any team.

    Where both of two cards stay, kings may lie on each other.
    """
    assert check_kings(rules(**options), counts) == miscount
    assert check_kings(NNA, ()) is None


# -- a hand ---------------------------------------------------------------------------------------------------------


@given(st.integers(0, 1000), st.integers(1, 12))
def test_shares_sum_to_the_bonus_in_halves_and_differ_by_half_a_point(bonus: int, callers: int) -> None:
    shares = list(equal_shares(bonus, "ABCDEFGHIJKL"[:callers]).values())
    assert sum(shares) == bonus
    assert all(share.denominator in (1, 2) for share in shares)
    assert shares[0] - shares[-1] <= Fraction(1, 2)
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("bonus", "halves"), [(10, [7, 7, 6]), (25, [13, 13, 12, 12]), (5, [3, 3, 2, 2]), (25, [25, 25]), (0, [0, 0, 0])]
)
def test_the_most_equal_division_of_usual_bonuses(bonus: int, halves: list[int]) -> None:
    assert list(equal_shares(bonus, "ABCD"[: len(halves)]).values()) == [Fraction(half, 2) for half in halves]
    assert equal_shares(bonus, "") == {}


@given(st.integers(0, 1000), st.integers(1, 12))
def test_older_releases_gave_the_rest_to_the_first(bonus: int, callers: int) -> None:
    shares = older_shares(bonus, "ABCDEFGHIJKL"[:callers])
    assert sum(shares.values()) == bonus
    assert 0 <= shares["A"] - min(shares.values()) <= Fraction(callers - 1, 2)
    assert len({*shares.values()} - {shares["A"]}) <= 1


def test_a_stored_hand_without_shares_keeps_its_score() -> None:
    counts = {"A": NertzCount(20, 0), "B": NertzCount(10, 0), "C": NertzCount(5, 0)}
    assert score_hand(rules(bonus=10), NertzHand("call", ("B", "C", "A"), counts)) == {"A": 23, "B": 14, "C": 8}


def test_the_table_s_division_stands_instead() -> None:
    counts = {"A": NertzCount(20, 0), "B": NertzCount(10, 0), "C": NertzCount(5, 0)}
    hand = NertzHand("call", ("A", "B", "C"), counts, shares={"A": Fraction(7), "B": Fraction(3)})
    assert score_hand(rules(bonus=10), hand) == {"A": 27, "B": 13, "C": 5}


# -- the end --------------------------------------------------------------------------------------------------------


def test_a_match_that_the_table_ends_is_won_by_whoever_leads() -> None:
    now = by_will(NNA, "ABC", points(A=40, B=40, C=30))
    assert (now.winners, now.tiebreak) == (("A", "B"), ())
    now = by_will(NNA, "AB", points(A=100, B=100))
    assert (now.winners, now.tiebreak) == (("A", "B"), ())
    assert by_will(NNA, "AB", points("call", ("B",), A=100, B=100)).winners == ("B",)


def test_whoever_leads_as_the_table_ends_the_match_is_paid_the_difference() -> None:
    assert by_will(PAGAT, "ABC", points(A=40, B=30, C=-5)).settlement == {"A": 55, "B": -10, "C": -45}
    assert not by_will(PAGAT, "").winners


@given(st.lists(st.integers(-200, 200), min_size=1, max_size=8))
def test_payments_settle_everybody_and_are_no_more_than_needed(amounts: list[int]) -> None:
    amounts.append(-sum(amounts))
    settlement = {chr(65 + n): Fraction(amount, 3) for n, amount in enumerate(amounts)}
    paid = transfers(settlement)
    for team, amount in settlement.items():
        gets = sum((much for _, payee, much in paid if payee == team), Fraction(0))
        pays = sum((much for payer, _, much in paid if payer == team), Fraction(0))
        assert gets - pays == amount
        assert not (gets and pays)
    assert len(paid) < max(len(settlement), 1)
    assert all(much > 0 for _, _, much in paid)


# -- settlement -----------------------------------------------------------------------------------------------------


def test_points_by_the_table_s_will_count_from_the_hand_after_which_they_were_given() -> None:
    given = (
        Adjustment(0, "A", Fraction(3)),
        Adjustment(1, "B", Fraction(-5)),
        Adjustment(1, "B", Fraction(1, 2)),
        Adjustment(2, "C", Fraction(9)),
    )
    first = tally_of(replace(NNA, penalty=1), tuple("ABC"), (points(A=10, B=10, C=10),), {}, given)
    assert first.totals == {"A": 13, "B": Fraction(11, 2), "C": 10}
    assert tally_of(NNA, tuple("ABC"), (), {}, given).totals == {"A": 3, "B": 0, "C": 0}
    assert paid_with(given, 1) == {"A": 3, "B": Fraction(-9, 2)}
    assert paid_with(given, 2) == {"C": 9}
    assert paid_with(given, 3) == {}
    each = rules("pagat", settlement="each-hand", penalty=1)
    paid = tally_of(each, tuple("ABC"), (points(A=10, B=10, C=10),), {}, given).paid
    assert paid == {"A": Fraction(21, 2), "B": Fraction(-15, 2), "C": -3}


def test_a_hand_is_settled_by_itself_where_that_is_agreed() -> None:
    each, hand = rules("pagat", settlement="each-hand", penalty=1), points(A=20, B=10)
    assert hand_settled(each, hand) == {"A": 10, "B": -10}
    assert hand_settled(each, hand, {"B": Fraction(3), "C": Fraction(50)}) == {"A": 7, "B": -7}
    assert hand_settled(each, points("abandoned")) == {}
    assert hand_settled(rules("pagat", penalty=1), hand) == {}
    assert hand_settled(each, points(A=-9, B=-4)) == {"A": -5, "B": 5}


# -- handicaps ------------------------------------------------------------------------------------------------------


def test_handicaps_keep_within_three_cards_and_the_pack() -> None:
    """At least three reserve cards, and a card for each work pile."""
    low = rules(handicap="negative", reserve=3)
    assert reserve_sizes(low, tally(low, "AB", points(A=-1, B=0))) == {"A": 3, "B": 3}
    high = rules("ligretto", handicap="distance")
    assert reserve_sizes(high, tally(high, "AB", points(A=900, B=0))) == {"A": 35, "B": 10}


# -- properties, compared with a simple model ----------------------------------------------------------------------

TEAMS = ("A", "B", "C", "D")
RULESETS = st.builds(
    with_options,
    st.sampled_from([PRESETS[name] for name in ("nna", "pagat", "racing-demon")]),
    st.fixed_dictionaries(
        {"target": st.integers(1, 60), "bonus": st.integers(0, 25)},
        optional={
            "penalty": st.sampled_from((0, 1, 2, 7)),
            "tiebreak": st.sampled_from(("calls", "hand", "share")),
            "tiebreak_teams": st.sampled_from(("tied", "all")),
            "settlement": st.sampled_from(("none", "difference", "each-hand")),
            "false_call": st.sampled_from(("play-on", "points:7", "zero")),
            "king_bonus": st.integers(0, 3),
            "handicap": st.sampled_from(("none", "winner", "negative", "negative-three", "distance")),
        },
    ),
)


@st.composite
def hands(draw: st.DrawFn) -> NertzHand:
    """Draw a hand as a table might count it, with small numbers so that ties occur."""
    playing = draw(st.lists(st.sampled_from(TEAMS), min_size=2, max_size=4, unique=True))
    end = draw(st.sampled_from(("call", "call", "stuck", "abandoned")))
    callers = draw(st.lists(st.sampled_from(playing), min_size=1, unique=True)) if end == "call" else []
    left = {team: 0 if team in callers else draw(st.integers(0, 4)) for team in playing}
    counts = {team: NertzCount(draw(st.integers(0, 12)), left[team], draw(st.integers(0, 2))) for team in playing}
    false_calls = draw(st.lists(st.sampled_from(playing), max_size=2))
    return NertzHand(end, tuple(callers), counts, tuple(team for team in false_calls if team not in callers))


MATCHES = st.lists(hands(), max_size=8)


JOINED = st.dictionaries(st.sampled_from(TEAMS), st.integers(-40, 40).map(Fraction), max_size=2)


class Model:
    """A match without a tally: each team's points, after each scored hand."""

    def __init__(self, rule: NertzRules, joined: Mapping[str, Fraction]) -> None:
        self.rule = rule
        self.totals = {team: joined.get(team, Fraction(0)) for team in TEAMS}
        self.here = {team for team in TEAMS if team not in joined}
        self.calls = dict.fromkeys(TEAMS, 0)
        self.paid = dict.fromkeys(TEAMS, Fraction(0))
        self.scored: list[tuple[Mapping[str, Fraction], Mapping[str, Fraction], set[str]]] = []

    def play(self, hand: NertzHand) -> None:
        if hand.end == "abandoned":
            return
        scores = {team: self.score(hand, team) for team in hand.counts}
        for team, score in scores.items():
            self.totals[team] += score
            self.calls[team] += hand.callers.count(team)
        self.here |= {*scores}
        self.pay(scores, [team for team in scores if scores[team] == max(scores.values())], self.paid)
        self.scored.append((scores, dict(self.totals), {*self.here}))

    def score(self, hand: NertzHand, team: str) -> Fraction:
        if team in hand.false_calls and self.rule.false_call == "zero":
            return Fraction(0)
        count, total = hand.counts[team], Fraction(hand.counts[team].foundation)
        total += count.kings * self.rule.king_bonus - count.reserve * self.rule.penalty
        if team in hand.callers:
            others = len(hand.callers) - 1
            half_points = 2 * self.rule.bonus // len(hand.callers)
            first = 2 * self.rule.bonus - others * half_points
            total += Fraction(first if team == hand.callers[0] else half_points, 2)
        return total - (7 * hand.false_calls.count(team) if self.rule.false_call == "points:7" else 0)

    def pay(self, points: Mapping[str, Fraction], winners: Sequence[str], paid: dict[str, Fraction]) -> None:
        """Let each loser pay the difference once, and the winners share it."""
        for loser in points:
            owed = points[winners[0]] - points[loser]
            paid[loser] -= owed
            for winner in winners:
                paid[winner] += owed / len(winners)

    def decided(self) -> tuple[list[str], list[str]]:
        """Return the winners, and the teams of a tie-break hand."""
        here = [team for team in TEAMS if team in self.here]
        top = max((self.totals[team] for team in here), default=Fraction(-1))
        if self.rule.settlement == "each-hand" or top < (self.rule.target or 0):
            return [], []
        best = [team for team in here if self.totals[team] == top]
        if self.rule.tiebreak == "calls":
            best = [team for team in best if all(self.calls[team] >= self.calls[other] for other in best)]
        if len(best) == 1 or self.rule.tiebreak == "share":
            return best, []
        return [], list(TEAMS) if self.rule.tiebreak_teams == "all" else best

    def settlement(self) -> Mapping[str, Fraction]:
        """Return what each team gets; negative: what it pays."""
        winners, _ = self.decided()
        if self.rule.settlement == "each-hand":
            return self.paid if self.scored else {}
        if self.rule.settlement == "none" or not winners:
            return {}
        paid = dict.fromkeys(TEAMS, Fraction(0))
        self.pay({team: self.totals[team] for team in self.here}, winners, paid)
        return paid

    def reserve(self, team: str) -> int:
        """Return the size of the team's next reserve."""
        last = min(self.totals[other] for other in self.here | {team})
        won = bool(self.scored) and self.scored[-1][0].get(team) == max(self.scored[-1][0].values())
        low = [team in here and totals[team] < 0 for _, totals, here in self.scored[-3:]]
        more = {
            "none": 0,
            "winner": 1 if won else 0,
            "negative": -1 if self.totals[team] < 0 else 0,
            "negative-three": -1 if len(low) == 3 and all(low) else 0,
            "distance": max(0, (self.totals[team] - last - 10) // 5),
        }[self.rule.handicap]
        return min(self.rule.reserve + more, self.rule.largest_reserve)


@settings(max_examples=80)
@given(RULESETS, MATCHES, JOINED)
def test_the_standing_is_the_simple_model_s(
    rule: NertzRules, match: Sequence[NertzHand], joined: Mapping[str, Fraction]
) -> None:
    model = Model(rule, joined)
    for hand in match:
        model.play(hand)
    now = standing(rule, TEAMS, match, joined)
    assert now.totals == model.totals
    order = sorted(now.totals.values(), reverse=True)
    assert now.ranks == {team: order.index(total) + 1 for team, total in now.totals.items()}
    winners, tied = model.decided()
    assert (now.winners, now.tiebreak) == (tuple(winners), tuple(tied))
    assert now.settlement == model.settlement()
    sizes = reserve_sizes(rule, tally_of(rule, TEAMS, match, joined))
    assert sizes == {team: model.reserve(team) for team in TEAMS}


@given(RULESETS, MATCHES, hands())
def test_a_hand_more_is_the_fold_s_next_step(rule: NertzRules, match: Sequence[NertzHand], hand: NertzHand) -> None:
    before = tally_of(rule, TEAMS, match)
    assert after(rule, before, hand) == tally_of(rule, TEAMS, [*match, hand])
    assert outcome(rule, before) == standing(rule, TEAMS, match)
    assert before.hands == sum(played.end != "abandoned" for played in match)
