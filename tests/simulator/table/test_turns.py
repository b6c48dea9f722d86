"""Bots in a game of turns: their cards obey the pack, and whole matches end."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.core.games.thirtyone.rules import PRESETS as THIRTYONE
from referee.core.games.thirtyone.rules import with_options
from referee.core.games.thirtyone.scoring import Card, value_of
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.table import Setup, Table
from referee.core.units import S
from referee.core.values import replace
from referee.simulator.table.bots import Bots
from referee.simulator.table.card_rules import cards_of
from referee.simulator.table.deal import BEST, RANKS, SUITS, Deal, halves, worth
from referee.simulator.table.evening import Evening
from referee.simulator.table.skill import Manners
from tests.simulator.table.cut import CutEvening


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(0, 60))
def test_a_deal_never_loses_or_doubles_a_card(seed: int, seats: int, turns: int) -> None:
    """Three cards each after any draws and discards; the stock is rebuilt when it has run out."""
    deal = Deal(Random(seed), range(1, seats + 1))
    for turn in range(turns):
        before = deal.halves(turn % seats + 1)
        deal.exchange(turn % seats + 1)
        assert deal.halves(turn % seats + 1) >= before
    every = Counter(card for cards in deal.cards.values() for card in cards)
    every.update(deal._stock + deal._discards)
    assert every == Counter((rank, suit) for suit in SUITS for rank in RANKS)
    assert all(len(cards) == 3 and 2 <= worth(cards) <= BEST for cards in deal.cards.values())


@given(
    st.lists(
        st.sampled_from([Card(rank, suit) for rank in RANKS for suit in SUITS]), min_size=3, max_size=3, unique=True
    )
)
@example([Card("5", "H"), Card("5", "C"), Card("5", "S")])
@example([Card("A", "H"), Card("2", "H"), Card("3", "H")])
def test_a_hand_counts_as_the_game_counts_it(cards: list[Card]) -> None:
    for kind in ("none", "30", "30.5"):
        for flush in (False, True):
            options = (("three_of_a_kind", kind), ("straight_flush", flush))
            table = Table(Setup("31", options), ())
            rules = with_options(THIRTYONE["31"], dict(options))
            held = [(card.rank, card.suit) for card in cards]
            assert Fraction(halves(cards_of(table).three, held), 2) == value_of(rules, cards)


@pytest.mark.parametrize(("preset", "seats"), [("31", 4), ("ride-the-bus", 3), ("31-quebec", 2)])
def test_bots_play_a_whole_match_of_turns(preset: str, seats: int) -> None:
    """The values match the cards, and the journal replays to the same state."""
    rows: list[JournalRow] = []
    evening = Evening(Setup(preset), Bots([str(n) for n in range(1, seats + 1)], 4), journal=rows.extend)
    (match,) = evening.play()
    assert match.winners
    assert {hand.ended for hand in match.hands} <= {"knock", "31"}
    assert all(hand.by and hand.played_ns > 0 for hand in match.hands)
    for hand in match.hands:
        for seat, values in hand.counts.items():
            assert (values == hand.truth[seat][: len(values)]) is (seat not in hand.miscounts)
    assert Engine.restored(rows).state == evening.engine.state


def test_bots_obey_the_options_of_the_table() -> None:
    options = (("minimum_knock", 25), ("early_knock", False), ("three_of_a_kind", "30.5"))
    (match,) = Evening(Setup("31", options), Bots("123", 2)).play()
    knocks = [hand for hand in match.hands if hand.ended == "knock"]
    assert knocks
    for hand in knocks:
        tens, ones, half = hand.counts[hand.by[0].numbers[0]]
        assert (10 * tens + ones >= 25, half) == (True, 0)


def test_a_pair_plays_on_when_the_hand_was_started_without_its_first_seat() -> None:
    """Its lamp stays dark: the partner takes the turns, knocks and counts, and the hand ends."""
    evening = Evening(Setup("31"), Bots("1234", 4, manners=Manners(pairs=True)))
    while evening.engine.state.phase.name != "PLAYING":
        evening.step()
    state = evening.engine.state
    evening.engine.state = replace(state, table=replace(state.table, absent=frozenset({"1"})))
    end_ns = evening.now_ns + 1200 * S
    while not evening.engine.state.table.hands:
        evening.step()
        assert evening.now_ns < end_ns


def test_bots_that_come_to_a_count_of_turns_enter_what_can_be() -> None:
    """The device restarts in the count of a 31 hand with other bots: it is sealed, and they play on."""
    rows: list[JournalRow] = []
    options = (("minimum_knock", 25),)
    evening = CutEvening(Setup("31", options), Bots("123", 4, pace_percent=20), journal=rows.extend)
    while evening.engine.state.phase.name != "COUNTING":
        evening.step()
    evening.sit(Bots("123", 5, pace_percent=20))
    evening.power_cut(rows, 60 * S)
    assert evening.play()[0].winners
