"""How the family's options change the cards, and how a played hand is scored."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.cards.check import breach
from referee.core.cards.deal import deal
from referee.core.cards.legal import legal_moves
from referee.core.cards.position import TABLE, CardCount
from referee.core.cards.rules import CardMove
from referee.core.games.nertz.cards import card_game, card_rules
from referee.core.games.nertz.rules import PRESETS, NertzRules, with_options
from referee.core.games.nertz.scoring import (
    NertzCount,
    NertzHand,
    check_count,
    check_kings,
    check_other_cards,
    score_hand,
)
from tests.core.cards.tables import apply, everyone, foundation, shuffled, table, tableau, walk
from tests.core.cards.written import hand_counts


@settings(max_examples=50)
@given(st.sampled_from(sorted(PRESETS)), st.integers(2, 4), st.sampled_from((1, 3)), st.integers(0, 2**32))
def test_no_hand_that_can_be_played_is_a_miscount(preset: str, teams: int, turn: int, seed: int) -> None:
    ruleset = with_options(PRESETS[preset], {"turn": turn})
    rng = Random(seed)
    position = shuffled(card_rules(ruleset, teams), teams, rng)
    for _, after in walk(position, rng, 150):
        position = after
    found = hand_counts(position)
    callers = {position.teams[position.caller]} if position.caller != TABLE else set()
    for team, count in found.items():
        assert check_count(ruleset, count, ruleset.reserve, caller=team in callers) is None
    assert check_kings(ruleset, found.values()) is None
    assert sum(count.foundation for count in found.values()) == sum(map(len, position.foundations))


@st.composite
def _tables(draw: st.DrawFn) -> tuple[NertzRules, int, int]:
    """Draw rules with different bounds of counts, the number of teams and a seed."""
    preset = draw(st.sampled_from(sorted(PRESETS)))
    options: dict[str, object] = {
        "turn": draw(st.sampled_from((1, 3))),
        "same_place": draw(st.sampled_from(("first", "both"))),
    }
    if not PRESETS[preset].boxed:
        options |= {
            "jokers": draw(st.sampled_from((0, 2))),
            "foundations": draw(st.sampled_from(("suit", "by-players"))),
        }
    options["layout"] = draw(st.sampled_from(("row", "row", "klondike")))
    options["river"] = draw(st.integers(1, 5))
    options["reserve"] = draw(st.integers(3, 25))
    return with_options(PRESETS[preset], options), draw(st.integers(2, 4)), draw(st.integers(0, 2**32))


@pytest.mark.no_cover
@settings(max_examples=15, deadline=None)
@given(_tables())
def test_no_count_that_eager_players_come_to_is_refused(told: tuple[NertzRules, int, int]) -> None:
    """Every team that can play to a foundation does.

    Otherwise a card of the reserve or the stock moves on, so that kings come up and reserves empty.
    """
    ruleset, teams, seed = told
    rng = Random(seed)
    position = shuffled(card_rules(ruleset, teams), teams, rng)
    for _ in range(500):
        moves = [move for team in everyone(position) for move in legal_moves(position, team) if move.kind != "end"]
        for wanted in (("play",), ("announce",), ("build", "turn", "turn over")):
            liked = [move for move in moves if move.kind in wanted]
            if liked:
                break
        if not liked:
            break
        position = apply(position, rng.choice(liked))
        found = hand_counts(position).values()
        assert not any(check_count(ruleset, count, ruleset.reserve, caller=False) for count in found)
        assert not any(check_other_cards(ruleset, count) for count in found)
        assert check_kings(ruleset, found) is None


def test_a_hand_is_scored_as_its_cards_lie() -> None:
    ruleset = with_options(PRESETS["pagat"], {"king_bonus": 5, "jokers": 2, "bonus": 10})
    suit = "A{0} 2{0} 3{0} 4{0} 5{0} 6{0} 7{0} 8{0} 9{0} 10{0} J{0} Q{0} "
    lying = (foundation(suit.format("S") + "KS", "1" * 13), foundation(suit.format("H") + "*=KH", "0" * 12 + "1"))
    position = table(card_rules(ruleset, 2), tableau("9C 8C", "9D"), tableau("", "9D"), foundations=lying)
    found = hand_counts(position)
    assert found == {"Red": NertzCount(12, 2), "Blue": NertzCount(14, 0, 2)}
    assert score_hand(ruleset, NertzHand("call", ("Blue",), found)) == {"Red": 8, "Blue": 34}


@pytest.mark.parametrize(("handicap", "after"), [(0, 13), (2, 15)])
def test_a_handicap_s_reserve_is_dealt(handicap: int, after: int) -> None:
    rules = card_rules(PRESETS["pagat"], 2)
    position = deal(rules, ("Red", "Blue"), [rules.pack] * 2, (13, 13 + handicap))
    assert [len(side.reserve) for side in position.tableaux] == [13, after]
    assert breach(position, CardMove(1, "call")) == "call"


def test_a_game_of_cards_says_its_rules_its_target_and_what_a_count_scores() -> None:
    ruleset = with_options(PRESETS["pagat25"], {"king_bonus": 3, "target": 80})
    game = card_game(ruleset, 3)
    assert (game.rules, game.target) == (card_rules(ruleset, 3), 80)
    assert game.score("call", True, CardCount(20, 0, 2)) == 51
    assert game.score("call", False, CardCount(20, 4, 0)) == 12
    assert game.score("stuck", False, CardCount(1, 10, 0)) == -19
    assert game.score("abandoned", False, CardCount(20, 4, 0)) == 0
