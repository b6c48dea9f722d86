"""Simulated hands: each move is legal, each hand ends, and results resemble those of real tables."""

from __future__ import annotations

from functools import cache
from statistics import mean

import pytest

from referee.core.cards.deal import deal
from referee.core.cards.position import TABLE, counts, with_backs
from referee.core.cards.rules import PLAY, CardMove, CardRules
from referee.core.cards.sanity import check_position
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS, with_options
from referee.core.values import replace
from referee.simulator.statistics.hand import HandAtPlay, SimulatedHand, choose, play_hand
from referee.simulator.statistics.profiles import COMPANIES, Habit, HandDice
from tests.core.cards.tables import apply, foundation, table, tableau

Told = list[tuple[int, CardMove]]


def rules_of(preset: str, players: int, **options: object) -> CardRules:
    """Return the rules of the cards at that table."""
    return card_rules(with_options(PRESETS[preset], options), players)


def played(rules: CardRules, players: int, seed: int, company: str = "even") -> tuple[SimulatedHand, Told]:
    """Return a hand and its moves."""
    habits = [COMPANIES[company][player % len(COMPANIES[company])] for player in range(players)]
    moves: Told = []

    class Noted(HandAtPlay):
        def _make(self, move: CardMove) -> bool:
            moves.append((self._now_us, move))
            return super()._make(move)

    return Noted(rules, habits, HandDice(seed, 0)).play(), moves


OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {"turn": 1, "stuck": "burn"},
    {"turn_order": "reversed", "stuck": "redeal-stock", "withholding": True},
    {"layout": "klondike", "in_flight": "returns"},
    {"foundations": "by-players", "stacking": True},
    {"river_transfer": False, "stuck": "abandon"},
    {"stuck": "score", "river": 3, "reserve": 20},
    {"river": 10, "reserve": 3},
)


LENGTHS_US = {
    "nna": (80514473, 79643153, 86022458, 157719369, 52101165, 80514473, 96729317, 6333030),
    "pagat": (75386258, 88603840, 69104037, 143207125, 50878170, 76926464, 72599638, 6348993),
    "reeves": (88705805, 88603840, 69104037, 111184512, 48479622, 76926464, 72599638, 6348993),
    "racing-demon": (54836024, 55014789, 51105582, 92571632, 50878170, 59792704, 74912138, 6704973),
    "dutch-blitz": (46267076, 74553061, 48854606, 38686844, 30604096, 46016569, 78332986, 8620009),
    "ligretto": (40132510, 43648531, 64130952, 58378027, 16044798, 40132510, 100463746, 8436872),
}
"""Recorded lengths of hand 0 of seed 7, for each of OPTIONS: a change of any move changes the hand's length."""


@pytest.mark.parametrize("preset", LENGTHS_US)
@pytest.mark.parametrize(("number", "options"), list(enumerate(OPTIONS)))
def test_moves_of_a_hand_are_legal_and_as_recorded(preset: str, number: int, options: dict[str, object]) -> None:
    """Each move is checked with `core/cards`.

    Withholding binds when a player looks, not when the card lands, so these rules leave it out.
    """
    players = 3
    rules = rules_of(preset, players, same_place="first", **options)
    hand, moves = played(rules, players, 7)
    dice, packs = HandDice(7, 0), []
    for _ in range(players):
        cards = list(rules.pack)
        dice.shuffle(cards)
        packs.append(tuple(cards))
    start = deal(rules, "ABC", packs)
    position = replace(start, rules=replace(rules, withholding=False))
    for _, move in moves:
        position = apply(position, move)
    check_position(position)
    assert hand.length_us == LENGTHS_US[preset][number]
    assert (hand.end, hand.caller, hand.counts) == (position.end, position.caller, counts(position))
    in_time = [at_us for at_us, move in moves if at_us <= hand.length_us]
    assert in_time == sorted(in_time)
    assert hand.ways_out == sum(move.team == TABLE for _, move in moves)


def test_jokers_are_announced_and_played() -> None:
    hand, moves = played(rules_of("pagat", 3, jokers=2), 3, 1)
    assert any(move.kind == "announce" for _, move in moves)
    assert hand.end == "call"


def test_a_choice_needs_nothing_that_lies_face_down() -> None:
    looks = 0
    for options in OPTIONS:
        rules = rules_of("nna", 2, **options)
        packs = []
        dice = HandDice(3, 1)
        for _ in range(2):
            cards = list(rules.pack)
            dice.shuffle(cards)
            packs.append(tuple(cards))
        position = deal(rules, "AB", packs)
        for turn in range(120):
            move = choose(position, turn % 2)
            assert move == choose(with_backs(position), turn % 2)
            if move is None:
                break
            position, looks = apply(position, move), looks + 1
            if position.end:
                break
    assert looks > 300


def test_the_best_move_is_made_and_nothing_goes_to_and_fro() -> None:
    rules = CardRules(river_transfer=True)
    lake = (foundation("AC 2C 3C 4C 5C 6C"), foundation("AD"))
    rich = table(rules, tableau("9H 7C", "8S / 2D / 8D / ", "5C", "KH"), tableau("2S"), foundations=lake)
    assert choose(rich, 0) == CardMove(0, PLAY, -1, 0)
    onto = table(rules, tableau("9H 7C", "8S / 8D / / ", "5C", "KH"), tableau("2S"))
    assert choose(onto, 0) == CardMove(0, "build", -1, 1)
    idle = table(rules, tableau("9H KC", "8S 7D / 9S / 5C / 2H", "", ""), tableau("2S"))
    assert choose(idle, 0) is None
    called = table(rules, tableau("", "2D / / / ", "5C"), tableau("2S"), foundations=lake)
    assert choose(called, 0) == CardMove(0, "call")
    assert choose(rich, 0, attentive=False) == CardMove(0, "turn")


# -- cards in the air, by a prepared position --------------------------------------------------------------------------


@cache
def meetings(same_place: str) -> tuple[SimulatedHand, ...]:
    """Play hands of eight, where many cards compete for one place."""
    rules = rules_of("pagat", 8, same_place=same_place)
    return tuple(play_hand(rules, [Habit()] * 8, 3, number) for number in range(12))


def test_two_cards_for_one_place_by_the_rule_of_the_table() -> None:
    assert sum(hand.beaten for hand in meetings("both")) < sum(hand.beaten for hand in meetings("first"))
    assert meetings("table") == meetings("first")


def test_what_is_in_the_air_at_the_call_lands_or_returns() -> None:
    lands, returns = (
        [played(rules_of("pagat", 4, in_flight=rule), 4, seed)[0] for seed in range(12)]
        for rule in ("lands", "returns")
    )
    assert [(hand.caller, hand.length_us) for hand in lands] == [(hand.caller, hand.length_us) for hand in returns]
    more, fewer = (sum(count.lake for hand in hands for count in hand.counts) for hands in (lands, returns))
    assert more > fewer


# -- figures of real tables, by a few hands; the bounds are wide since there are few -----------------------------------


@cache
def hands(players: int, company: str = "even") -> tuple[SimulatedHand, ...]:
    """Play hands by the first preset's rules."""
    return tuple(played(rules_of("nna", players), players, seed, company)[0] for seed in range(40))


def test_two_players_get_stuck_often_and_four_hardly_ever() -> None:
    """Two in 30 to 55 % of hands, four in under 2 %; the bounds are those of 40 hands."""
    assert 0.25 < mean(hand.ways_out > 0 for hand in hands(2)) < 0.60
    assert mean(hand.ways_out > 0 for hand in hands(4)) < 0.06


def test_quick_and_attentive_players_have_more_points() -> None:
    """In the mixed company, ordered by their habits.

    Others are below zero in 20 to 50 % of hands.
    """
    scores = [[count.lake - 2 * count.left for count in hand.counts] for hand in hands(4, "mixed")]
    means = [mean(each) for each in zip(*scores, strict=True)]
    assert means == sorted(means, reverse=True)
    assert 9 < means[0] < 24
    others = [
        score
        for hand, row in zip(hands(4, "mixed"), scores, strict=True)
        for n, score in enumerate(row)
        if n != hand.caller
    ]
    assert 0.15 < mean(score < 0 for score in others) < 0.55
