"""A company of people at their cards: what they find lying, what they say of it."""

from __future__ import annotations

from random import Random

from referee.core.messages import msg
from referee.core.model.view import CountCell, CountScreen, Label, SearchScreen, View
from referee.core.units import S
from referee.core.values import replace
from referee.table.company import Company
from referee.table.hand import ClaimHand
from referee.table.human import Human
from tests.table.test_race import NNA

LABELS = tuple(Label((number,), f"Seat {number}") for number in (1, 2, 3))


def company_of_three() -> Company:
    """Three people at three buttons."""
    company = Company(Human(Random(4), S, 20), 20, None)
    company.seats = {1, 2, 3}
    company.cards = lambda: NNA
    return company


def counting(*, refused: bool) -> View:
    """Seat 1 has called; its count is refused, or is asked for."""
    asked = tuple(CountCell(label, (None, None, None), 0, done=False) for label in LABELS)
    refusal = msg("refusal.again") if refused else None
    caller = replace(asked[0], locked=(True, False, False), refusal=refusal)
    return View(0, 0, "COUNTING", CountScreen(1, (), (caller, *asked[1:])), ())


def test_of_a_hand_that_nobody_saw_another_count_is_found_after_two_refusals() -> None:
    """Those who come later find cards lying as they may; what cannot have been is not said for ever."""
    company = company_of_three()
    company.look(counting(refused=False), 0)
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
    """The same three people, who were never refused."""
    company = company_of_three()
    company.look(counting(refused=False), 0)
    return company


def test_whoever_is_out_of_the_hand_finds_no_play_in_a_search() -> None:
    """A card that nobody may play would set the table free again and again."""
    searching = SearchScreen(1, 0, 3, LABELS)

    def finds(out: set[int]) -> bool:
        company = company_of_three_after_one_look()
        company._out = out
        return any(company.can_play(number, searching) for number in (1, 2, 3))

    assert finds(set())
    assert not finds({1, 2, 3})


def test_who_was_dealt_no_cards_to_count_finds_a_hand_lying() -> None:
    """They came in mid-hand and took the seats of pairs for teams, of which no such deal is known."""
    company = company_of_three()
    company.hand = ClaimHand(Random(1), (1, 2, 3), 20)
    company.look(counting(refused=False), 0)
    assert all(company.wanted_entry(number) is not None for number in (1, 2, 3))
