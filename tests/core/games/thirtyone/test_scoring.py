"""The score of cards, hands and matches of 31, at the limits of each rule."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.games.thirtyone.rules import HALF, PRESETS, ThirtyOneRules, with_options
from referee.core.games.thirtyone.scoring import (
    Card,
    Shortage,
    ThirtyOneHand,
    ThirtyOneTally,
    add_points,
    after,
    allowed_value,
    card_of,
    cards_twice,
    county,
    inside,
    opening,
    ranks,
    shortage,
    tally_of,
    value_of,
    winners,
)
from referee.core.model.table import Adjustment
from tests.core.games.thirtyone.model import PACK, worth

PLAIN, BUS, QUEBEC = PRESETS["31"], PRESETS["ride-the-bus"], PRESETS["31-quebec"]


def knock(knocker: str, **values: int) -> ThirtyOneHand:
    """Return a hand that a knock ended."""
    return ThirtyOneHand(tuple(values), knocker, {name: Fraction(value) for name, value in values.items()})


def declared(players: str, by: str, knocker: str | None = None) -> ThirtyOneHand:
    """Return a hand that 31s ended."""
    return ThirtyOneHand(tuple(players), knocker, {}, tuple(by))


# -- cards ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["as", "10h", "th", "TC"])
def test_a_card_is_read_as_people_write_it(text: str) -> None:
    card = card_of(text)
    assert card is not None
    assert card.rank + card.suit == text.upper().replace("T", "10")


@pytest.mark.parametrize("text", ["", "A", "1H", "11H", "HA", "AX", "AAH", "10", "*"])
def test_what_is_no_card_is_none(text: str) -> None:
    assert card_of(text) is None


@given(st.permutations(PACK), st.sampled_from(("none", "30", "30.5")), st.booleans(), st.booleans())
def test_three_cards_are_worth_their_best_suit_or_what_a_variation_makes_of_them(
    pack: list[str], trips: str, flush: bool, alike: bool
) -> None:
    if alike:
        pack = sorted(pack, key=lambda card: card[-1] if flush else card[:-1])
    rules = with_options(PLAIN, {"three_of_a_kind": trips, "straight_flush": flush})
    for at in range(0, 51, 3):
        held = [card for card in map(card_of, pack[at : at + 3]) if card is not None]
        assert value_of(rules, held) == worth(pack[at : at + 3], trips=trips, flush=flush)


def test_values_that_are_no_31_go_from_two_to_thirty_and_the_half() -> None:
    half = with_options(PLAIN, {"three_of_a_kind": "30.5"})
    for whole in range(-1, 34):
        assert allowed_value(PLAIN, Fraction(whole)) == (2 <= whole <= 30)
        assert not allowed_value(half, Fraction(whole) + Fraction(1, 2)) or whole == 30
    assert allowed_value(half, HALF)
    assert not allowed_value(with_options(PLAIN, {"three_of_a_kind": "30"}), HALF)


def test_a_card_that_is_given_twice_is_found_wherever_it_is() -> None:
    a, b, c, d = (Card(rank, "H") for rank in "2345")
    assert cards_twice([[a, b, c], [d]]) is None
    assert cards_twice([[a, b, a]]) == a
    assert cards_twice([[a, b, c], [d, c]]) == c
    assert cards_twice([]) is None


# -- one pack ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "hands"), [(3, 2), (4, 4), (5, 5), (6, 6), (7, 8), (8, 9), (9, 10)])
def test_low_hands_are_as_many_as_the_low_cards_of_a_pack_make(most: int, hands: int) -> None:
    """Three low cards each, of four a rank from two on. One more hand is too many."""
    assert shortage(PLAIN, [Fraction(most)] * hands) is None
    assert shortage(PLAIN, [Fraction(most)] * (hands + 1)) == Shortage(hands + 1, Fraction(most), high=False)
    assert shortage(PLAIN, [Fraction(10)] * 16) is None


def test_three_twos_are_one_hand_and_none_where_three_of_a_kind_are_worth_more() -> None:
    assert shortage(PLAIN, [Fraction(2)]) is None
    assert shortage(PLAIN, [Fraction(2)] * 2) == Shortage(2, Fraction(2), high=False)
    for trips in ("30", "30.5"):
        rules = with_options(PLAIN, {"three_of_a_kind": trips})
        assert shortage(rules, [Fraction(2), Fraction(20)]) == Shortage(1, Fraction(2), high=False)
        assert shortage(rules, [Fraction(3), Fraction(3)]) is None


HIGH: list[tuple[list[int], list[int], int]] = [
    ([30] * 8 + [21], [29] * 8 + [30], 9),
    ([29] * 9, [30] * 9, 9),
    ([29] * 2 + [28] * 8, [29] * 3 + [28] * 7, 10),
    ([28] * 6 + [27] * 5, [28] * 7 + [27] * 4, 11),
    ([27] * 12, [28] + [27] * 11, 12),
    ([27] * 2 + [26] * 10 + [22], [27] * 3 + [26] * 9 + [22], 13),
    ([26] + [25] * 12 + [22], [26] * 2 + [25] * 11 + [22], 14),
    ([25] * 2 + [24] * 12 + [22], [25] * 3 + [24] * 11 + [22], 15),
    ([22] * 16, [24] * 5 + [23] * 11, 16),
]
"""Hands of one pack, hands that are one point too high together, and the number of best hands."""


@pytest.mark.parametrize(("possible", "impossible", "hands"), HIGH)
def test_high_hands_are_worth_no_more_than_the_best_cards_of_four_suits(
    possible: list[int], impossible: list[int], hands: int
) -> None:
    """Hands from 22 on have one suit: its best 3 are worth 31, 6 are 60, 9 are 81, 12 are 93."""
    assert shortage(PLAIN, [Fraction(value) for value in possible]) is None
    least = sorted(impossible, reverse=True)[hands - 1]
    found = shortage(PLAIN, [Fraction(value) for value in impossible])
    assert found == Shortage(hands, Fraction(least), high=True)


def test_hands_that_a_variation_makes_high_take_no_suit_s_best_cards() -> None:
    """Three of a kind and a straight flush may be worth 30 or 30½.

    Any number of them is possible.
    """
    thirty, half = [Fraction(30)] * 9, [HALF] * 9
    for options, free in (
        ({"three_of_a_kind": "30"}, thirty),
        ({"straight_flush": True}, thirty),
        ({"straight_flush": True, "three_of_a_kind": "30.5"}, thirty),
        ({"three_of_a_kind": "30.5"}, half),
    ):
        rules = with_options(PLAIN, options)
        assert shortage(rules, free) is None
        assert shortage(rules, [Fraction(29)] * 10) == Shortage(10, Fraction(29), high=True)
    plain_thirties = with_options(PLAIN, {"three_of_a_kind": "30.5"})
    assert shortage(plain_thirties, thirty) == Shortage(9, Fraction(30), high=True)


# -- a hand --------------------------------------------------------------------------------------------------------


# -- the match -----------------------------------------------------------------------------------------------------


def played(rules: ThirtyOneRules, players: str, *hands: ThirtyOneHand, **joined: int) -> ThirtyOneTally:
    return tally_of(rules, players, hands, joined)


def test_a_match_begins_with_nothing_lost_and_nobody_out() -> None:
    assert opening(PLAIN, "AB", {"B": 1}) == ThirtyOneTally({"A": 3, "B": 1}, {"A": 0, "B": 0})
    assert opening(QUEBEC, "AB", {"B": 4}) == ThirtyOneTally({"A": 0, "B": 0}, {"A": 0, "B": 4})
    bus = opening(with_options(BUS, {"levels": 1}), "AB", {})
    assert bus == ThirtyOneTally({"A": 4, "B": 4}, {"A": 0, "B": 0}, levels=1)
    assert winners(PLAIN, opening(PLAIN, "AB", {})) == winners(QUEBEC, opening(QUEBEC, "AB", {})) == ()


def test_who_went_out_later_is_placed_before_who_went_out_sooner() -> None:
    lives = with_options(PLAIN, {"lives": 1})
    first = (declared("ABCD", "ABC"), declared("ABCD", "ABC"))
    tally = played(lives, "ABCD", *first, declared("ABC", "A"))
    assert (county(tally), inside(tally)) == (("B", "C"), ("A", "B", "C"))
    assert ranks(lives, tally) == {"A": 1, "B": 2, "C": 2, "D": 4}
    tally = played(lives, "ABCD", *first, declared("ABC", "A"), declared("ABC", "AB"))
    assert ranks(lives, tally) == {"A": 1, "B": 2, "C": 3, "D": 4}
    assert winners(lives, tally) == ()
    assert winners(lives, played(lives, "ABCD", *first, declared("ABC", "A"), declared("ABC", "A"))) == ("A",)


def test_a_hand_says_what_it_brought_those_who_played_it() -> None:
    tally = played(PLAIN, "ABC", knock("A", A=10, B=20), knock("A", A=10, B=20), declared("AC", "C"))
    assert tally.scores == ({"A": -2, "B": 0}, {"A": -1, "B": 0}, {"A": 0, "C": 0})
    assert tally.left == {"A": 0, "B": 3, "C": 3}
    assert played(QUEBEC, "ABC", knock("A", A=20, B=10)).scores == ({"A": 1, "B": 0},)


def test_a_match_of_points_ends_with_a_31_or_at_31_points() -> None:
    long = with_options(QUEBEC, {"end": "31-points"})
    for rules, at_points in ((QUEBEC, False), (long, True)):
        near = opening(rules, "AB", {"A": 29})
        assert winners(rules, after(rules, near, knock("A", A=20, B=10))) == ()
        reached = after(rules, after(rules, near, knock("A", A=20, B=10)), knock("A", A=20, B=10))
        assert winners(rules, reached) == (("A",) if at_points else ())
        assert winners(rules, after(rules, near, declared("AB", "B"))) == (() if at_points else ("A",))
        given = add_points(rules, near, [Adjustment(0, "A", Fraction(2)), Adjustment(0, "A", Fraction(-1))])
        assert (given.points, winners(rules, given)) == ({"A": 30, "B": 0}, ())
        enough = add_points(rules, near, [Adjustment(0, "A", Fraction(2)), Adjustment(1, "B", Fraction(9))])
        assert (enough.points, winners(rules, enough)) == ({"A": 31, "B": 0}, ("A",) if at_points else ())
        assert winners(rules, near, ended=True) == ("A",)
    taken = add_points(QUEBEC, after(QUEBEC, opening(QUEBEC, "AB", {}), declared("AB", "B")), [])
    assert winners(QUEBEC, taken) == ("B",)
