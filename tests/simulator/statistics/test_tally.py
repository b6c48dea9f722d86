"""Totals of hands, compared with sums by hand, in any order."""

from __future__ import annotations

from random import Random

from referee.core.cards.position import CardCount
from referee.core.cards.rules import ENDS
from referee.core.games.nertz.cards import card_game
from referee.core.games.nertz.rules import PRESETS, with_options
from referee.simulator.statistics.hand import SimulatedHand
from referee.simulator.statistics.tally import HandTally, tally_of_block

CALL, STUCK, ABANDONED = ENDS


def hand(end: str, caller: int, *counts: tuple[int, int, int], second_us: int = -1, ways_out: int = 0) -> SimulatedHand:
    """A hand of a minute and a half."""
    return SimulatedHand(end, caller, 90_999_999, ways_out, 3, second_us, tuple(CardCount(*count) for count in counts))


def test_three_hands_are_counted_as_one_would_by_hand() -> None:
    game = card_game(with_options(PRESETS["pagat"], {"bonus": 10, "king_bonus": 5}), 2)
    tally = tally_of_block(
        game,
        [
            hand(CALL, 1, (30, 1, 1), (20, 0, 0), second_us=200_000),
            hand(CALL, 0, (25, 0, 0), (10, 9, 0), second_us=200_001),
            hand(STUCK, -1, (5, 8, 0), (6, 6, 0), ways_out=5),
            hand(ABANDONED, -1, (9, 1, 0), (8, 2, 0), ways_out=1),
        ],
    )
    assert (tally.hands, tally.stuck, tally.ways_out, tally.beaten) == (4, 2, 6, 12)
    assert tally.ends == {CALL: 2, STUCK: 1, ABANDONED: 1}
    assert (tally.best, tally.second_calls, tally.seconds) == (1, 1, {90: 4})
    assert tally.scored == {
        (0, False, 30, 1, 33): 1,
        (1, True, 20, 0, 30): 1,
        (0, True, 25, 0, 35): 1,
        (1, False, 10, 9, -8): 1,
        (0, False, 5, 8, -11): 1,
        (1, False, 6, 6, -6): 1,
        (0, False, 9, 1, 0): 1,
        (1, False, 8, 2, 0): 1,
    }


def test_matches_begin_anew_at_the_target() -> None:
    hands = [hand(CALL, 0, (lake, 0, 0), (1, 1, 0)) for lake in (40, 40, 20, 52, 48, 30, 30)]
    assert tally_of_block(card_game(PRESETS["nna"], 2), hands).matches == {3: 1, 2: 1}
    alone = card_game(with_options(PRESETS["pagat"], {"settlement": "each-hand"}), 2)
    assert tally_of_block(alone, hands).matches == {}


def test_sums_do_not_depend_on_their_order() -> None:
    game = card_game(PRESETS["nna"], 2)
    rng = Random(1)
    blocks = [
        tally_of_block(
            game, [hand(CALL, rng.randrange(2), (rng.randrange(52), 0, 0), (rng.randrange(40), 5, 0)) for _ in range(9)]
        )
        for _ in range(6)
    ]
    one, other = HandTally(), HandTally()
    for block in blocks:
        one.add(block)
    for block in reversed(blocks):
        other.add(block)
    assert vars(one) == vars(other)
    assert one.hands == 54
