"""People at their cards: what they find on the table, and what they enter."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

import pytest

from referee.core.messages import msg
from referee.core.model.view import CountCell, CountScreen, Label, SearchScreen, View
from referee.core.units import S
from referee.core.values import replace
from referee.simulator.table.hand import Cards, ClaimHand
from referee.simulator.table.skill import Human
from referee.simulator.table.table import Company
from tests.simulator.table.test_race import NNA

LABELS = tuple(Label((number,), f"Seat {number}") for number in (1, 2, 3))


def company_of_three() -> Company:
    """Return three people at three buttons."""
    company = Company(Human(Random(4), S, 20), 20, None)
    company.seats = {1, 2, 3}
    company.cards = lambda: NNA
    return company


def counting(*, refused: bool = False, done: Collection[int] = ()) -> View:
    """Return a count called by seat 1.

    Its count is refused, or asked for, as those of seats not `done`.
    """
    whole, none = ("4", "2", "8"), (None, None, None)
    asked = tuple(
        CountCell(label, whole, None, done=True) if number in done else CountCell(label, none, 0, done=False)
        for number, label in enumerate(LABELS, 1)
    )
    refusal = msg("refusal.again") if refused else None
    caller = replace(asked[0], locked=(True, False, False), refusal=refusal)
    return View(0, 0, "COUNTING", CountScreen(1, (), (caller, *asked[1:])), ())


def test_of_a_hand_that_nobody_saw_another_count_is_found_after_two_refusals() -> None:
    """Later players find any possible cards; an impossible count is not repeated for ever."""
    company = company_of_three()
    company.look(counting(), 0)
    first = company.wanted_entry(1)
    assert first is not None

    def lake(values: tuple[int, ...] | None) -> int:
        assert values is not None
        return 10 * values[1] + values[2]

    found = []
    for second in range(1, 7):
        company.look(counting(refused=second % 2 == 1), second * S)
        found.append(lake(company.wanted_entry(1)) - lake(first))
    assert found == [0, 0, 1, 1, 2, 2]
    assert lake(company.wanted_entry(2)) == lake(company_of_three_after_one_look().wanted_entry(2))


def company_of_three_after_one_look() -> Company:
    """Return the same three people, never refused."""
    company = company_of_three()
    company.look(counting(), 0)
    return company


def test_whoever_is_out_of_the_hand_finds_no_play_in_a_search() -> None:
    """A card that the player may not play would restart the search again and again."""
    searching = SearchScreen(1, 0, 3, LABELS)

    def finds(out: set[int]) -> bool:
        company = company_of_three_after_one_look()
        company._out = out
        return any(company.can_play(number, searching) for number in (1, 2, 3))

    assert finds(set())
    assert not finds({1, 2, 3})


@pytest.mark.parametrize("turns", [False, True])
def test_counts_that_were_done_before_a_restart_are_believed(turns: bool) -> None:
    """Players who come in mid-count find any possible cards, and do not reopen counts entered by others."""
    company = company_of_three()
    company.cards = lambda: Cards(turns=True) if turns else NNA
    company.look(counting(done=(2,)), 0)
    assert company.wanted_entry(2) == (4, 2, 8)
    assert company.wanted_entry(3) not in (None, (4, 2, 8))


def test_who_was_dealt_no_cards_to_count_finds_a_hand_lying() -> None:
    """They came in mid-hand and took the seats of pairs for teams, for which no such deal is known."""
    company = company_of_three()
    company.hand = ClaimHand(Random(1), (1, 2, 3), 20)
    company.look(counting(), 0)
    assert all(company.wanted_entry(number) is not None for number in (1, 2, 3))
