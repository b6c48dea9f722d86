"""Hands of cards that people play at once: they end, and results resemble real tables'."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from referee.core.cards.deal import deal, worth
from referee.core.cards.legal import legal_moves
from referee.core.cards.position import counts
from referee.core.cards.rules import SINK, CardMove
from referee.core.cards.sanity import check_position
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS, with_options
from referee.core.units import S
from referee.core.values import replace
from referee.simulator.table.card_hand import CardHand
from referee.simulator.table.card_player import SKILLS, CardPlayer, Skill
from tests.core.cards.tables import NAMES

AHEAD_NS = 60 * S


def dealt(preset: str, skills: Sequence[str | Skill], seed: int, **options: object) -> CardHand:
    """Return a hand of players with those skills, before any play."""
    rng, rules = Random(seed), card_rules(with_options(PRESETS[preset], options), len(skills))
    packs = [tuple(rng.sample(rules.pack, len(rules.pack))) for _ in skills]
    players = [
        CardPlayer(rng, team, SKILLS[skill] if isinstance(skill, str) else skill) for team, skill in enumerate(skills)
    ]
    return CardHand(rng, deal(rules, NAMES[: len(skills)], packs), players)


def play(hand: CardHand) -> None:
    """Play until a player's hand is on its way to the button, or no one can move."""
    now_ns = 0
    hand.resume(range(len(hand.motion.position.teams)))
    while not hand.calls and hand.idle_ns is None:
        hand.run(now_ns, AHEAD_NS)
        now_ns += AHEAD_NS
    hand.stop(min(hand.calls.values(), default=hand.motion.now_ns), called=True)
    check_position(hand.motion.position)


def test_hands_come_out_as_those_of_real_tables() -> None:
    """Some reserve is empty, others are sometimes below zero, the better player has more."""
    totals, others = [0] * 4, list[int]()
    for seed in range(20):
        hand = dealt("nna", ("easy", "normal", "strong", "expert"), seed)
        play(hand)
        scores = [count.lake - 2 * count.left for count in counts(hand.motion.position)]
        totals = [total + score for total, score in zip(totals, scores, strict=True)]
        others += [score for score, count in zip(scores, counts(hand.motion.position), strict=True) if count.left]
    assert 0.15 < sum(score < 0 for score in others) / len(others) < 0.60
    assert totals[0] < totals[1] < min(totals[2:])
    assert 9 < totals[3] / 20 < 24


def test_a_table_without_stocks_is_idle_only_when_all_have_looked_in_vain() -> None:
    """All players notice everything here: no useful move is left, and there were plays before."""
    attentive = replace(SKILLS["expert"], notices_percent=100)
    with_plays = 0
    for seed in range(8):
        hand = dealt("nna", (attentive, attentive), seed, reserve=48)
        play(hand)
        position = hand.motion.position
        gains = [worth(position.tableaux[team], move) for team in range(2) for move in legal_moves(position, team)]
        assert max(gains, default=0) == 0
        with_plays += position.foundations != ()
    assert with_plays > 4


def test_a_stock_card_laid_to_the_bottom_is_no_play_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reeves' rule for a single stuck player: if the table took it for a play, it would search for ever."""
    hand = dealt("reeves", ("expert", "expert"), 1)
    monkeypatch.setattr(CardPlayer, "choose", lambda self, sight, shut: CardMove(self.team, SINK))
    assert not hand.finds(0, 2)


# -- ahead of the table's time -----------------------------------------------------------------------------------------


def test_a_stop_forgets_what_came_later_and_lets_land_what_was_in_the_air() -> None:
    """At any instant of a hand: the position then, no card in the air or lost.

    Play goes on from there.
    """
    for tenths in range(1, 10):
        hand = dealt("nna", ("strong", "expert", "easy"), 3)
        hand.resume(range(3))
        hand.run(0, AHEAD_NS)
        at_ns = AHEAD_NS * tenths // 10
        before = hand.at(at_ns)
        hand.stop(at_ns, called=False)
        check_position(hand.motion.position)
        assert not hand.motion.flights
        landed = sum(map(len, hand.motion.position.foundations)) - sum(map(len, before.position.foundations))
        assert 0 <= landed <= len(before.flights)
        hand.resume(range(3))
        hand.run(at_ns, AHEAD_NS)
        assert hand.motion.now_ns > at_ns


def test_a_table_is_stuck_though_who_is_out_of_the_hand_has_searched_nothing() -> None:
    """A false call may remove a team: its stock stays, and the others agree that no one can move."""
    hand = dealt("nna", ("easy", "easy"), 5)
    hand.resume([0])
    now_ns = 0
    while hand.idle_ns is None and not hand.calls:
        hand.run(now_ns, AHEAD_NS)
        assert hand.looks_on_ns is None or now_ns < 1200 * S
        now_ns += AHEAD_NS
    assert hand.idle_ns is not None
    assert hand.motion.position.tableaux[1].stock


def test_where_cards_return_at_the_call_nothing_of_them_counts() -> None:
    """Keeling: a card on its way returns to its place."""
    hand = dealt("racing-demon", ("expert",) * 4, 1)
    hand.resume(range(4))
    hand.run(0, AHEAD_NS)
    moments = [at_ns for at_ns in range(S, AHEAD_NS, S // 10) if hand.at(at_ns).flights]
    before = hand.at(moments[0])
    hand.stop(moments[0], called=True)
    assert hand.motion.position == before.position
