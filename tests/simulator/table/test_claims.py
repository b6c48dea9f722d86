"""The middle in Slap and Last one: it shows a reason to press exactly when there is one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from referee.core.model.registry import presets
from referee.core.model.table import Setup
from referee.core.units import S
from referee.simulator.table.bots import Bots
from referee.simulator.table.card_rules import cards_of
from referee.simulator.table.claims import ALIKE, FOUR, FRUIT, JACK, RANK, middle, said_rank
from referee.simulator.table.evening import Evening
from tests.simulator.table.test_visitors import Visit


def has_reason(reason: str, cards: list[str], said: str) -> bool:
    """Return whether a person who looks at these cards would press."""
    ranks = [card[:-1] for card in cards]
    if reason == FRUIT:
        sums: Counter[str] = Counter()
        for card in cards:
            sums[card[-1]] += int(card[:-1])
        return 5 in sums.values()
    seen = {ALIKE: len(ranks) > 1 and ranks[0] == ranks[1], JACK: ranks[-1] == "J", RANK: ranks[-1] == said}
    return all(cards) and len(set(ranks)) == 1 if reason == FOUR else seen[reason]


@pytest.mark.parametrize("reason", [ALIKE, JACK, FRUIT, FOUR, RANK])
def test_only_the_last_picture_is_a_reason_to_press(reason: str) -> None:
    for seed in range(50):
        for turned in range(1, 6):
            for right in (False, True):
                cards = middle(reason, seed, turned, right=right)
                assert has_reason(reason, cards, said_rank(turned)) is right
                assert reason == FRUIT or not right or len(set(cards)) == len(cards)


@pytest.mark.parametrize("preset", presets())
def test_every_game_of_claims_has_cards_or_reasons_to_press(preset: str) -> None:
    cards = cards_of(Evening(Setup(preset), Bots("12", 1)).engine.state.table)
    assert cards.turns or (cards.reason != "") is (presets()[preset].FAMILY in ("Slap", "Last one"))


@pytest.mark.parametrize(("early", "end"), [(True, "wrong"), (False, "right")])
def test_bots_judge_a_visitors_slap_by_what_lies_there(early: bool, end: str) -> None:
    """Bots 2, 3 and 4 answer by the visible cards, whatever the visitor at 1 answers."""
    evening = Evening(Setup("snap", stations=tuple("1234")), Bots("234", 5, pace_percent=100))
    visit = Visit(evening, [])
    visit.does("tap 1")
    visit.until_phase("READY")
    visit.rest(S)
    visit.does("tap 1")
    visit.until_phase("PLAYING")
    while evening.bots.company.felt(evening.now_ns) is None:
        evening.step()
    while not early and not lying(evening)["right"]:
        turns_ns = evening.bots.company.moves_ns(evening.now_ns)
        assert turns_ns is not None
        evening.now_ns = turns_ns
    assert lying(evening)["right"] is not early
    visit.does("press 1")
    visit.until_phase("VERDICT")
    visit.rest(S)
    visit.does("tap 1")
    visit.until_phase("PLAYING")
    assert [hand.end for hand in evening.engine.state.table.hands] == [end]


def lying(evening: Evening) -> Any:
    """Return what the page shows of the middle."""
    felt: Any = evening.bots.company.felt(evening.now_ns)
    return felt["claim"]
