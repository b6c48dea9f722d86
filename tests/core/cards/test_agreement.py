"""Legal moves agree with an independent, simple oracle; invariants hold in every game."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.cards.apply import apply_move
from referee.core.cards.check import breach
from referee.core.cards.legal import legal_moves
from referee.core.cards.pack import owner_of, plain, rank_of
from referee.core.cards.position import TABLE, Position, counts
from referee.core.cards.rules import CardMove, CardRules, IllegalMoveError
from referee.core.cards.sanity import check_position
from tests.core.cards.simple import legal, thinkable
from tests.core.cards.tables import RULES, any_rules, apply, everyone, shuffled, simple_of, walk

SEEDS = st.integers(0, 2**32)


@pytest.mark.no_cover
@settings(max_examples=60)
@given(any_rules(), st.integers(1, 4), SEEDS)
def test_legal_moves_are_the_oracle_s(rules: CardRules, teams: int, seed: int) -> None:
    rng = Random(seed)
    position = shuffled(rules, teams, rng)
    for _, after in walk(position, rng, 30):
        position = after
        if rng.randrange(3):
            continue
        simple = simple_of(position)
        for team in everyone(position):
            all_moves = list(thinkable(simple, team))
            allowed = {move for move in all_moves if legal(simple, move)}
            given_ = legal_moves(position, team)
            assert len(given_) == len(set(given_))
            assert set(given_) == allowed
            for move in all_moves:
                rule = breach(position, move)
                assert (rule is None) == (move in allowed), (rule, move)
                assert rule is None or rule in RULES


def pack_of(position: Position, team: int) -> Counter[int]:
    """Return all cards of the team, in every place."""
    laid = [card for pile in position.foundations for card in pile if owner_of(card) == team]
    return Counter(map(plain, (*position.tableaux[team].cards, *laid)))


@pytest.mark.no_cover
@settings(max_examples=70)
@given(any_rules(), st.integers(1, 4), SEEDS)
def test_what_holds_in_every_game(rules: CardRules, teams: int, seed: int) -> None:
    rng = Random(seed)
    position = shuffled(rules, teams, rng)
    for move, after in walk(position, rng, 80):
        check_position(after)
        assert all(pack_of(after, team) == Counter(rules.pack) for team in range(teams))
        for pile in after.foundations:
            assert [rank_of(card) for card in pile] == list(range(1, len(pile) + 1))
        others = [team for team in range(teams) if move.team not in (team, TABLE)]
        assert all(after.tableaux[team] is position.tableaux[team] for team in others)
        found = counts(after)
        assert sum(count.lake for count in found) == sum(map(len, after.foundations))
        assert apply_move(position, move) == after
        position = after


@settings(max_examples=100)
@given(any_rules(), SEEDS, st.data())
def test_any_move_is_legal_or_one_named_error(rules: CardRules, seed: int, data: st.DataObject) -> None:
    rng = Random(seed)
    position = shuffled(rules, 2, rng)
    for _, after in walk(position, rng, 20):
        position = after
    number = st.integers(-4, 8)
    kinds = st.sampled_from(
        ("play", "build", "slide", "announce", "turn", "turn over", "sink", "call", "burn stock", "end", "fly", "")
    )
    move = data.draw(
        st.builds(
            CardMove,
            number,
            kinds,
            number,
            number,
            number,
            st.lists(number, max_size=3).map(tuple),
            st.integers(-9, 99),
        )
    )
    rule = breach(position, move)
    if rule is None:
        assert legal(simple_of(position), move)
        return
    with pytest.raises(IllegalMoveError) as caught:
        apply(position, move)
    assert (caught.value.rule, caught.value.move) == (rule, move)
    assert repr(rule) in str(caught.value)
