"""Companies with manners: they mash, lean, forget, argue, pause, get stuck, call too early, and finish their match."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from itertools import pairwise

import pytest

from referee.core.engine import JournalRow
from referee.core.events import Ended, Overruled, Paired
from referee.core.games.nertz.rules import PRESETS
from referee.core.state import Setup
from referee.core.units import MS, S
from referee.core.view import MenuScreen, View, VoteScreen
from referee.table.bots import Bots
from referee.table.evening import Evening
from referee.table.hand import Cards
from referee.table.manners import CALM, COMPANIES, Manners
from referee.table.transcript import MatchRecord
from tests.core.grammar import faults


def played(
    manners: Manners, seats: int, seed: int, preset: str = "nna"
) -> tuple[MatchRecord, list[JournalRow], Counter[str]]:
    """A match of that company: its record, its rows, how often each phase was looked at."""
    rows: list[JournalRow] = []
    seen: Counter[str] = Counter()
    rules = PRESETS[preset]
    cards = Cards(rules.pack, rules.reserve)
    bots = Bots([str(n) for n in range(1, seats + 1)], seed, cards=cards, pace_percent=20, manners=manners)
    evening = Evening(Setup(preset), bots, journal=rows.extend, watch=lambda view: seen.update([view.phase]))
    return evening.play()[0], rows, seen


def test_calm_people_do_none_of_it() -> None:
    """Every share of theirs is nought."""
    assert not any(getattr(CALM, field.name) for field in fields(CALM))


@pytest.mark.parametrize("name", COMPANIES)
def test_every_company_finishes_its_match_and_breaks_no_grammar(name: str) -> None:
    """Whatever they do: winners, and rows in which no call, count or score was lost."""
    match, rows, _ = played(COMPANIES[name], 4, 2)
    assert match.winners
    assert faults(rows) == []


def test_a_wild_company_comes_through_every_argument() -> None:
    """Votes, timeouts, stuck tables, burns and stopped calls, in a few matches."""
    seen: Counter[str] = Counter()
    rulings: Counter[str] = Counter()
    for seed in range(4):
        match, rows, phases = played(COMPANIES["wild"], 3, seed)
        seen += phases
        rulings.update(event.ruling for _, event in rows if isinstance(event, Overruled))
        assert match.winners
    assert {"VOTE", "TIMEOUT", "STUCK", "SEARCH", "BURNING", "RESUMING"} <= set(seen)
    assert rulings["false_call"] > 0


@pytest.mark.parametrize("preset", ["racing-demon", "ligretto"])
def test_a_hand_without_a_call_ends_by_consent(preset: str) -> None:
    """END HAND? is agreed to, and the match goes on; not in every hand, or nobody would ever reach the target."""
    match, rows, _ = played(Manners(stuck=40), 3, 1, preset)
    assert match.winners
    assert any(isinstance(event, Ended) for _, event in rows)


def test_a_false_call_is_always_taken_back() -> None:
    """Whoever called with cards left never counts as the caller, not even who denies it."""
    for seed in range(3):
        match, rows, _ = played(Manners(false_call=100, deny=100), 4, seed)
        assert any(isinstance(event, Overruled) for _, event in rows)
        for hand in match.hands:
            assert hand.verdict is not None
            assert all(hand.truth[label.numbers[0]][0] == 0 for label in hand.verdict.callers)


def test_neighbours_pair_and_one_of_them_counts() -> None:
    """Six seats, three pairs; the pairs' counts are right or said to be wrong."""
    match, rows, _ = played(COMPANIES["family"], 6, 1)
    assert sum(isinstance(event, Paired) for _, event in rows) == 3
    assert all(len(line.label.numbers) == 2 for line in match.lines)
    assert all(set(hand.counts) == {1, 3, 5} for hand in match.hands)


def test_an_offered_contest_is_answered() -> None:
    """Calls come so close that many are grey: the list is used, and nobody sits its fifteen seconds out."""
    offered, voted = 0, 0
    for seed in range(6):
        shown: list[View] = []
        bots = Bots(["1", "2", "3", "4"], seed, pace_percent=20, manners=Manners(argue=50))
        Evening(Setup(), bots, watch=shown.append, err_ns=9 * MS).play()
        for view, following in pairwise(shown):
            if isinstance(view.screen, MenuScreen) and view.screen.title.startswith("CLOSE"):
                offered += 1
                assert following.now_ns - view.now_ns < 10 * S
            voted += isinstance(view.screen, VoteScreen) and view.screen.question == "FIRST?"
    assert (offered > 0, voted > 0) == (True, True)
