"""Companies with manners: they mash, lean, forget, argue, pause, get stuck, call too early, and finish."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest

from referee.core.match.engine import JournalRow
from referee.core.model.events import Ended, Overruled, Paired
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen, View, VoteScreen
from referee.core.units import MS, S
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from referee.simulator.table.skill import CALM, COMPANIES, Manners
from referee.simulator.table.transcript import MatchRecord
from tests.english import en


def played(
    manners: Manners, seats: int, seed: int, preset: str = "nna", **options: int | str
) -> tuple[MatchRecord, list[JournalRow], Counter[str]]:
    """Play a match of that company.

    Return its record, its rows, and the number of looks at each phase.
    """
    rows: list[JournalRow] = []
    seen: Counter[str] = Counter()
    bots = Bots([str(n) for n in range(1, seats + 1)], seed, pace_percent=20, manners=manners)
    evening = Evening(
        Setup(preset, tuple(options.items())), bots, journal=rows.extend, watch=lambda view: seen.update([view.phase])
    )
    return evening.play()[0], rows, seen


def test_a_wild_company_comes_through_every_argument() -> None:
    """Votes, timeouts, stuck tables, burns and false calls, in a few matches."""
    seen: Counter[str] = Counter()
    rulings: Counter[str] = Counter()
    wanted = {"VOTE", "TIMEOUT", "STUCK", "SEARCH", "BURNING", "RESUMING"}
    for seed in range(6):
        match, rows, phases = played(COMPANIES["wild"], 2, seed)  # two get stuck often
        seen += phases
        rulings.update(event.ruling for _, event in rows if isinstance(event, Overruled))
        assert match.winners
        if wanted <= set(seen) and rulings["false_call"]:
            return
    raise AssertionError(f"only {seen} and {rulings}")


@pytest.mark.parametrize(("preset", "options"), [("racing-demon", {"foundations": "suit"}), ("ligretto", {})])
def test_a_hand_without_a_call_ends_by_consent(preset: str, options: dict[str, str]) -> None:
    """END HAND? is agreed to, and so is the end of a match in which hardly any hand has a call."""
    match, rows, _ = played(CALM, 2, 1, preset, **options)
    assert match.winners
    assert any(isinstance(event, Ended) for _, event in rows)


def test_a_false_call_is_always_taken_back() -> None:
    """Also for callers who deny it."""
    match, rows, _ = played(Manners(false_call=100, deny=100), 3, 3, target=50)
    assert any(isinstance(event, Overruled) for _, event in rows)
    for hand in match.hands:
        assert hand.verdict is not None
        assert all(hand.truth[label.numbers[0]][0] == 0 for label in hand.verdict.callers)


def test_neighbours_pair_and_one_of_them_counts() -> None:
    """Six seats, three pairs; the pairs' counts are right or reported as wrong."""
    match, rows, _ = played(COMPANIES["family"], 6, 1, target=40)
    assert sum(isinstance(event, Paired) for _, event in rows) == 3
    assert all(len(line.label.numbers) == 2 for line in match.lines)
    assert all(set(hand.counts) == {1, 3, 5} for hand in match.hands)


def test_an_offered_contest_is_answered() -> None:
    """Stamps so imprecise that many calls are grey: the list is used before its fifteen seconds end.

    The first match has both with the present bots; otherwise more are searched.
    """
    offered, voted, three, four = 0, 0, ["1", "2", "3"], ["1", "2", "3", "4"]
    for seed, seats in ((12, four), *product(range(1, 16), (three, four))):
        if offered and voted:
            break
        shown: list[View] = []
        bots = Bots(seats, seed, pace_percent=20, manners=Manners(argue=50))
        Evening(Setup(), bots, watch=shown.append, err_ns=40 * MS).play()
        for view, following in pairwise(shown):
            if isinstance(view.screen, MenuScreen) and en(view.screen.title).startswith("CLOSE"):
                offered += 1
                assert following.now_ns - view.now_ns < 10 * S
            voted += isinstance(view.screen, VoteScreen) and en(view.screen.question) == "FIRST?"
    assert (offered > 0, voted > 0) == (True, True)


@pytest.mark.parametrize("options", [{"king_bonus": 5}, {"handicap": "distance"}, {"jokers": 2}, {"reserve": 20}])
def test_bots_play_by_the_rules_of_the_table(options: dict[str, int | str]) -> None:
    """Other packs, other reserves, kings that count: exactly the cards on the table are entered."""
    match, _, _ = played(CALM, 3, 3, "nna", **options, target=40)
    assert match.winners
    assert all(len(values) == 3 + ("king_bonus" in options) for hand in match.hands for values in hand.counts.values())
    assert sum(len(hand.miscounts) for hand in match.hands) <= 2
    kings = sum(values[3] for hand in match.hands for values in hand.counts.values() if len(values) > 3)
    assert (kings > 0) is ("king_bonus" in options)


def test_pairs_that_alternate_piles_get_ready() -> None:
    """The double blink of the player with the reserve asks for a tap as the single one does."""
    match, _, _ = played(Manners(pairs=True), 4, 1, pile_control="alternate", target=40)
    assert match.winners


def test_a_stuck_hand_is_counted_by_the_pack_that_lies_there() -> None:
    """A pack of 40, ten in the reserve: no one taps for minutes for a digit that the count does not have."""
    match, _, _ = played(Manners(pairs=True), 4, 105, "ligretto")
    assert any(hand.ended == "stuck" for hand in match.hands)
    assert max(hand.spent_ns.get("COUNTING", 0) for hand in match.hands) < 60 * S
