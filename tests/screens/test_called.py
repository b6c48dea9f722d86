"""The verdict's picture at tables of its own rules, from the press on."""

from __future__ import annotations

import pytest

from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.screens import render
from tests.core.sitting import Sitting
from tests.english import all_en

AIR = {"nna": "in the air: lands", "racing-demon": "in the air: back"}
PILE = "show your pile"


def words_on(table: Sitting) -> set[str]:
    """What is written on the display now."""
    return {mark.text for mark in render(table.view).marks}


@pytest.mark.parametrize("preset", AIR)
def test_a_verdict_says_first_what_becomes_of_cards_in_the_air_and_then_whose_pile_is_shown(preset: str) -> None:
    """By the table's own rule, for the first two of its four seconds; of a tie as of one caller."""
    for second_ns in (50 * MS, 10 * MS):
        table = Sitting(Setup(preset, (), ("1", "2", "3"))).playing("1", "2", "3")
        table.edges(("1", True, 0), ("2", True, second_ns)).wait(200 * MS).open("1", "2")
        assert words_on(table) >= {AIR[preset]}
        assert PILE not in words_on(table)
        table.wait(2 * S)
        assert words_on(table) >= {PILE}
        assert not words_on(table) & {*AIR.values()}


def test_where_no_card_is_laid_in_a_race_nothing_is_said_of_the_air() -> None:
    """Slap and its like: a verdict asks whether the claim was right, or says who was last."""
    for preset in ("snap", "spoons"):
        table = Sitting(Setup(preset, (), ("1", "2"))).seated("1", "2").tap("1", "2").wait(S)
        table.press("1").press("2").wait(S)
        assert table.phase == "VERDICT"
        assert not words_on(table) & {*AIR.values()}


def test_behind_the_last_line_of_the_pause_s_list_stands_none() -> None:
    """The list does not go round, and does not look as if it did."""
    table = Sitting().playing("1", "2").press(KNOB, ns=400 * MS)
    items = table.screen(MenuScreen).items
    for at in range(len(items)):
        assert not [line for line in all_en(items[:at]) if line in " ".join(words_on(table))]
        table.turn(1)
