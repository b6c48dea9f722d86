"""Which cards fit on which, compared with the rule: lower by one and of the other colour."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from referee.core.cards.fitting import fits, follows, in_order, look_down, look_of, slides_under, want_of
from referee.core.cards.pack import COLOUR, JOKER, LOOK, card_of, rank_of, suit_of, with_owner
from referee.core.cards.rules import CardRules

packs = st.builds(
    CardRules,
    highest=st.integers(10, 13),
    withholding=st.booleans(),
    building=st.booleans(),
    follow=st.sampled_from(("suit", "colour", "any")),
)
cards = st.builds(card_of, st.integers(1, 13), st.integers(0, 3))
with_jokers = st.just(JOKER) | cards


def is_red(card: int) -> bool:
    """Return whether the suit is 1 or 3."""
    return suit_of(card) % 2 == 1


def lies_well(rules: CardRules, pile: Sequence[int]) -> bool:
    """Return whether the pile goes down by one in alternating colours.

    Jokers are announced to fit. A dealt ace may be alone on a pile.
    """
    if len(pile) == 1:
        return True
    colours = [{is_red(card)} if not card & JOKER else {False, True} for card in pile]
    for top in range(rules.lowest_built + len(pile) - 1, rules.highest + 1):
        ranks = range(top, top - len(pile), -1)
        if all(card & JOKER or rank_of(card) == rank for card, rank in zip(pile, ranks, strict=True)) and any(
            all((n % 2 == 1) ^ first in colour for n, colour in enumerate(colours)) for first in (False, True)
        ):
            return True
    return False


@given(packs, st.lists(with_jokers, max_size=5), st.lists(with_jokers, min_size=1, max_size=4))
def test_cards_may_be_laid_where_the_whole_pile_then_lies_well(
    rules: CardRules, pile: list[int], moved: list[int]
) -> None:
    pile, moved = [to_pack(rules, card) for card in pile], [to_pack(rules, card) for card in moved]
    if not lies_well(rules, pile) or not lies_well(rules, moved):
        return
    may = fits(rules, want_of(rules, tuple(pile)), look_of(tuple(moved)), len(moved))
    if not pile:
        assert may == (len(moved) > 1 or moved == [JOKER] or rank_of(moved[0]) >= rules.lowest_built)
    else:
        assert may == (rules.building and lies_well(rules, [*pile, *moved]))


@given(packs, st.lists(with_jokers, min_size=2, max_size=6))
def test_cards_lie_in_order_or_they_do_not(rules: CardRules, pile: list[int]) -> None:
    pile = [to_pack(rules, card) for card in pile]
    assert in_order(rules, tuple(pile)) == lies_well(rules, pile)


@given(packs, cards, st.lists(with_jokers, min_size=1, max_size=4))
def test_a_card_is_slid_under_cards_that_could_be_laid_on_it(rules: CardRules, card: int, pile: list[int]) -> None:
    card, pile = to_pack(rules, card), [to_pack(rules, one) for one in pile]
    if lies_well(rules, pile):
        assert slides_under(rules, tuple(pile), card) == (rules.building and lies_well(rules, [card, *pile]))


def to_pack(rules: CardRules, card: int) -> int:
    """Return the card, or the highest of its suit if the pack has no rank as high."""
    return card if card & JOKER else card_of(min(rank_of(card), rules.highest), suit_of(card))


@given(cards, st.integers(0, 6))
def test_looks_change_colour_with_every_card_further_down(card: int, steps: int) -> None:
    look = card & LOOK
    if steps < rank_of(card):
        down = look_down(look, steps)
        assert rank_of(down) == rank_of(card) - steps
        assert bool((down ^ look) & COLOUR) == (steps % 2 == 1)
        assert look_down(down, -steps) == look


def test_a_foundation_takes_the_next_rank_of_what_its_rule_says() -> None:
    for (rank, suit), (high, other) in product(product(range(1, 13), range(4)), product(range(1, 14), range(4))):
        below, card = with_owner(card_of(rank, suit), 2), card_of(high, other)
        next_ = high == rank + 1
        assert follows(CardRules(follow="suit"), below, card) == (next_ and suit == other)
        assert follows(CardRules(follow="colour"), below, card) == (next_ and suit % 2 != other % 2)
        assert follows(CardRules(follow="any"), below, card) == next_
