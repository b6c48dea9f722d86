"""Each value of each option of the cards allows a move that another value forbids."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.cards.check import breach
from referee.core.cards.legal import legal_moves
from referee.core.cards.pack import Pile
from referee.core.cards.position import RESERVE, TABLE, WASTE, Lull, Position, Tableau
from referee.core.cards.rules import CardMove, CardRules
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.options import OPTIONS
from referee.core.games.nertz.rules import PRESETS, option_values, with_options
from referee.core.model.options import RuleOption
from referee.core.values import replace
from tests.core.cards.tables import apply, cards, foundation, table, tableau


def rules(preset: str = "pagat", teams: int = 4, people: int = 0, **options: object) -> CardRules:
    """Return a preset's card rules with some options changed."""
    return card_rules(with_options(PRESETS[preset], options), teams, people)


def play(source: int, target: int, *more: int) -> CardMove:
    """Return the first team's play to a foundation."""
    return CardMove(0, "play", source, target, more=more)


def build(source: int, target: int, count: int = 1) -> CardMove:
    """Return the first team's build onto a work pile."""
    return CardMove(0, "build", source, target, count)


def under(source: int, target: int) -> CardMove:
    """Return the first team's slide under a work pile."""
    return CardMove(0, "slide", source, target)


def says(position: Position, move: CardMove) -> str | None:
    """Return the rule that the move breaks, and check that the list of legal moves agrees."""
    rule = breach(position, move)
    assert (move in legal_moves(position, move.team)) == (rule is None)
    return rule


def one(rules: CardRules, side: Tableau, *foundations: Pile, **more: Any) -> Position:
    """Return a table of one team with only the cards that the test needs."""
    return table(rules, side, foundations=foundations, **more)


def test_the_waste_is_turned_over_in_order_when_the_stock_is_empty_and_not_before() -> None:
    position = one(rules(), tableau("9C", "9D", "2S 3S 4S 5S"))
    assert says(position, CardMove(0, "turn over")) == "turn"
    for kind in ("turn", "turn"):
        position = apply(position, CardMove(0, kind))
    assert says(position, CardMove(0, "turn")) == "turn"
    position = apply(position, CardMove(0, "turn over"))
    assert (position.tableaux[0].stock, position.tableaux[0].waste) == (cards("2S 3S 4S 5S"), ())
    nothing = one(rules(), tableau("9C", "9D"))
    assert says(nothing, CardMove(0, "turn")) == says(nothing, CardMove(0, "turn over")) == "turn"


def test_small_tables_have_more_work_piles() -> None:
    sizes = {("nna", 2): 4, ("dutch-blitz", 2): 5, ("dutch-blitz", 3): 3, ("ligretto", 2): 5, ("ligretto", 3): 4}
    sizes |= {("ligretto", 4): 3, ("ligretto", 8): 3}
    assert {size: rules(*size).piles for size in sizes} == sizes


def test_foundations_by_players_follow_by_suit_by_colour_or_by_rank_alone() -> None:
    sizes = {(4, 0): "suit", (3, 0): "colour", (2, 0): "any", (2, 3): "colour", (2, 4): "suit", (3, 4): "suit"}
    assert {size: rules("racing-demon", *size).follow for size in sizes} == sizes
    assert rules("pagat", 2).follow == "suit"


def test_withholding_builds_no_ace_in_the_river() -> None:
    side = tableau("AH", "2S / ")
    for target in (0, 1):
        assert says(one(rules("pagat"), side), build(RESERVE, target)) is None
        assert says(one(rules("nna"), side), build(RESERVE, target)) == "ace"
    joker = tableau("*", "2S / 3H")
    assert says(one(rules("pagat", jokers=2), joker), build(RESERVE, 0)) is None
    assert says(one(rules("nna", jokers=2), joker), build(RESERVE, 0)) == "work pile"
    assert says(one(rules("nna", jokers=2), joker), build(RESERVE, 1)) is None


@pytest.mark.parametrize(("stacking", "rule"), [(False, "one at a time"), (True, None)])
def test_stacking_plays_several_available_cards_in_order_at_once(stacking: bool, rule: str | None) -> None:
    position = one(rules(stacking=stacking), tableau("9C 2S", "5S / 4S / 6H 5H 3S", "", "7C"), foundation("AS"))
    assert says(position, play(RESERVE, 0, 2)) == rule
    assert says(position, play(RESERVE, 0, 2, 1, 0)) == rule
    assert says(position, play(RESERVE, 0, 1)) == (rule or "foundation")
    if stacking:
        assert says(position, play(RESERVE, 0, RESERVE)) == "available"
        laid = apply(position, play(RESERVE, 0, 2, 1, 0))
        assert laid.foundations == (foundation("AS 2S 3S 4S 5S"),)


@pytest.mark.parametrize(("transfer", "rule"), [(False, "river transfer"), (True, None)])
def test_river_transfer_slides_a_card_under_a_whole_pile(transfer: bool, rule: str | None) -> None:
    sliding = rules(river_transfer=transfer)
    position = one(sliding, tableau("8S", "7H 6S / 9D / ", "", "8D"))
    assert says(position, under(RESERVE, 0)) == rule
    assert says(position, under(WASTE, 0)) == (rule or "work pile")
    assert says(position, under(RESERVE, 1)) == (rule or "work pile")
    assert says(position, under(RESERVE, 2)) == "river transfer"
    assert says(one(sliding, tableau("8S", "7H 6S / 9D / 2C")), under(RESERVE, 0)) == "river transfer"
    if transfer:
        assert apply(position, under(RESERVE, 0)).tableaux[0].piles == (cards("8S 7H 6S"), cards("9D"), ())


def test_nothing_is_built_on_a_row() -> None:
    side = tableau("6b", "7y / ", letters="rybg")
    assert says(one(rules("dutch-blitz"), side), build(RESERVE, 0)) is None
    assert says(one(rules("ligretto"), side), build(RESERVE, 0)) == "row"
    assert says(one(rules("ligretto"), side), build(RESERVE, 1)) is None
    assert says(one(rules("ligretto", river_transfer=True), side), under(RESERVE, 0)) == "river transfer"


def test_what_is_nowhere_is_no_place() -> None:
    position = one(rules(), tableau("8S", "7H / 9D / "))
    nowhere = [play(-3, 0), play(3, 0), build(-3, 0), build(3, 0), build(0, 0), build(0, 3), build(0, -1), under(0, 0)]
    nowhere += [under(0, 3), under(3, 0), play(0, 1), play(0, -1), CardMove(0, "announce", 3)]
    for move in (*nowhere, CardMove(0, "burn stock")):
        assert says(position, move) == "place", move
    for move in (CardMove(1, "turn"), CardMove(-2, "turn"), CardMove(TABLE, "turn"), CardMove(0, "fly")):
        assert breach(position, move) == "place", move
    nothing = [play(2, 0), play(WASTE, 0), build(2, 0), build(0, 1, 0), build(0, 1, 2), build(RESERVE, 1, 2)]
    for move in (*nothing, under(2, 0)):
        assert says(position, move) == "available", move


# -- stuck tables ------------------------------------------------------------------------------------------------------

IDLE = Lull((2, 2))
AGAIN = Lull((1, 1), 1, 1)


def waiting(stuck: str, lull: Lull = IDLE, reserves: tuple[str, str] = ("5C 9C", "9C")) -> Position:
    """Return two teams with equal stocks and wastes, in that lull."""
    sides = [tableau(reserve, "9D", "2C 3C 4C", "7C 8C") for reserve in reserves]
    return table(rules(stuck=stuck), *sides, lull=lull)


@pytest.mark.parametrize(("stuck", "first", "then"), [
    ("burn", {"burn stock", "end"}, {"burn stock", "end"}),
    ("rotate", {"rotate"}, {"rotate", "end"}),
    ("redeal-stock", {"redeal"}, {"redeal", "end"}),
    ("abandon", {"abandon"}, {"abandon"}),
    ("score", {"end"}, {"end"}),
])  # fmt: skip
def test_stuck_says_which_ways_out_there_are(stuck: str, first: set[str], then: set[str]) -> None:
    assert {move.kind for move in legal_moves(waiting(stuck), TABLE)} == first
    assert {move.kind for move in legal_moves(waiting(stuck, AGAIN), TABLE)} == then
    for kind in ("burn stock", "burn reserve", "rotate", "redeal", "end", "abandon"):
        if kind not in then | {"burn reserve"} or (kind == "burn reserve" and stuck != "burn"):
            assert breach(waiting(stuck, AGAIN), CardMove(TABLE, kind)) == "way out"


def test_a_table_is_idle_when_all_have_looked_and_nobody_can_call() -> None:
    burn = CardMove(TABLE, "burn stock")
    for cycles in ((), (1, 2), (2, 1), (1, 1)):
        assert breach(waiting("burn", Lull(cycles)), burn) == "idle"
    assert breach(waiting("burn", Lull((1, 1), 1, 1)), burn) is None
    assert breach(waiting("burn", Lull((0, 1), 1, 1)), burn) == "idle"
    assert breach(waiting("rotate", Lull((1, 1))), CardMove(TABLE, "rotate")) is None
    assert breach(waiting("burn", IDLE, ("5C", "")), burn) == "idle"
    out = table(rules("nna"), tableau("5C", "9D"), tableau("9C", "9D", "2C"), lull=Lull((0, 2)))
    assert breach(out, burn) is None


def test_burns_put_the_next_stock_card_to_the_bottom_and_after_three_the_reserve_s_top() -> None:
    burnt = apply(waiting("burn"), CardMove(TABLE, "burn stock"))
    assert [side.stock for side in burnt.tableaux] == [cards("8C 2C 3C 4C 7C")] * 2
    assert (burnt.tableaux[0].waste, burnt.lull) == ((), Lull((), 1, 1))
    two, three = Lull((1, 1), 2, 2), Lull((1, 1), 3, 3)
    reserve = CardMove(TABLE, "burn reserve")
    assert says(waiting("burn", two), reserve) == "idle"
    after = apply(waiting("burn", three), reserve)
    assert [side.reserve for side in after.tableaux] == [cards("9C 5C"), cards("9C")]
    assert [len(side.stock) for side in after.tableaux] == [3, 3]
    assert after.lull == Lull((), 4, 0)
    played = apply(waiting("burn", three), CardMove(0, "build", WASTE, 0))
    assert played.lull == Lull()


def test_a_lone_player_who_is_stuck_sinks_a_card_where_stocks_are_redealt() -> None:
    sink = CardMove(0, "sink")
    assert says(one(rules(stuck="rotate"), tableau("9C", "9D", "2C 3C", cycles=1)), sink) == "way out"
    reeves = rules("reeves")
    assert says(one(reeves, tableau("9C", "9D", "2C 3C")), sink) == "idle"
    assert says(one(reeves, tableau("9C", "9D", "", "2C", cycles=1)), sink) == "idle"
    position = one(reeves, tableau("9C", "9D", "2C 3C", cycles=1))
    assert says(position, sink) is None
    turned = apply(one(reeves, tableau("9C", "9D", "2C 3C 4C 5C", cycles=1)), CardMove(0, "turn"))
    assert says(turned, sink) is None
    sunk = apply(position, sink)
    assert sunk.tableaux[0].stock == cards("3C 2C")
    assert says(sunk, sink) == "idle"


@pytest.mark.parametrize(("kind", "end"), [("end", "stuck"), ("abandon", "abandoned")])
def test_a_hand_that_has_ended_knows_how(kind: str, end: str) -> None:
    position = waiting("score" if kind == "end" else "abandon")
    over = apply(position, CardMove(TABLE, kind))
    assert (over.end, over.caller) == (end, TABLE)
    assert legal_moves(over, 0) == legal_moves(over, TABLE) == ()
    assert breach(over, CardMove(0, "turn")) == "over"


def test_a_call_ends_the_hand_and_names_the_caller() -> None:
    position = waiting("rotate", reserves=("5C", ""))
    assert says(position, CardMove(0, "call")) == "call"
    called = apply(position, CardMove(1, "call"))
    assert (called.end, called.caller, called.tableaux) == ("call", 1, position.tableaux)


CARDS = {"reserve", "river", "turn", "turn_order", "jokers", "layout", "foundations", "in_flight", "same_place"}
CARDS |= {"withholding", "stacking", "river_transfer", "stuck"}
"""The options that the cards obey. All others concern scores, calls and the device."""


def another(option: RuleOption) -> Any:
    """Return a value of the option that differs from pagat's."""
    now = option_values(PRESETS["pagat"])[option.name]
    if option.kind == "number":
        return option.least + 1
    if option.choices:
        return next(value for value in option.choices if value != now)
    return 2 if option.kind == "jokers" else not now


@pytest.mark.parametrize("option", [option for option in OPTIONS.values() if option.choices or option.name in CARDS])
def test_an_option_of_the_cards_reaches_them_and_no_other_does(option: RuleOption) -> None:
    changed = card_rules(replace(PRESETS["pagat"], **{option.name: another(option)}), 3)
    assert (changed != rules("pagat", 3)) == (option.name in CARDS)


def test_presets_deal_and_show_their_own_way() -> None:
    assert [rules(preset).river_first for preset in ("nna", "nna150", "pagat")] == [True, True, False]
    assert [rules(preset).open_reserve for preset in ("racing-demon", "pagat")] == [True, False]
    assert [(rules(preset).highest, rules(preset).letters) for preset in ("pagat", "ligretto")] == [
        (13, "SHCD"),
        (10, "rybg"),
    ]
