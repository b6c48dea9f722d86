"""The visible part of a table shows every legal move and no face-down card."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from referee.core.cards.legal import legal_moves
from referee.core.cards.position import BACK, with_backs
from referee.core.cards.rules import CardRules
from tests.core.cards.tables import any_rules, cards, everyone, shuffled, table, tableau, walk


@given(any_rules(), st.integers(1, 4), st.integers(0, 2**32))
def test_what_is_seen_says_every_legal_move(rules: CardRules, teams: int, seed: int) -> None:
    rng = Random(seed)
    start = shuffled(rules, teams, rng)
    for position in (start, *(after for _, after in walk(start, rng, 30))):
        sight = with_backs(position)
        for team in everyone(position):
            assert legal_moves(sight, team) == legal_moves(position, team)
        assert [len(side.cards) for side in sight.tableaux] == [len(side.cards) for side in position.tableaux]


def test_backs_are_what_lies_face_down() -> None:
    side = tableau("7C 2H 9S", "KD QS JD / ", "5D 6D", "9S 8S", down=(2, 0))
    shown = with_backs(table(CardRules(piles=2), side)).tableaux[0]
    assert shown.reserve == (BACK, BACK, *cards("9S"))
    assert shown.piles == ((BACK, BACK, *cards("JD")), ())
    assert (shown.stock, shown.waste) == ((BACK, BACK), cards("9S 8S"))
    assert with_backs(table(CardRules(piles=2, open_reserve=True), side)).tableaux[0].reserve == side.reserve
    assert with_backs(table(CardRules(piles=2), tableau("", " / "))).tableaux[0].reserve == ()
