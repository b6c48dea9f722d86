""" "Teach us" at a table of 31: the lines of each part of a hand, by the table's rules."""

from __future__ import annotations

import pytest

from referee.core.games.thirtyone.rulebook import lesson
from referee.core.games.thirtyone.rules import PRESETS, with_options

DEAL = "deal_three, rest_open, aim_31, card_values, tap_ready"
PLAY = "draw, tap_done, knock_hold, knock_means, has_31"
COUNT = "best_suit, card_values, tens_ones"


@pytest.mark.parametrize(
    ("preset", "options", "part", "taught"),
    [
        ("31", {}, "deal", DEAL),
        ("31", {}, "play", PLAY),
        ("31", {}, "count", f"{COUNT}, loses_life"),
        ("ride-the-bus", {}, "count", f"{COUNT}, loses_place"),
        ("31-quebec", {}, "count", f"{COUNT}, wins_point"),
        ("31", {"minimum_knock": 17}, "play", "draw, tap_done, knock_hold, knock_means, knock_from 17, has_31"),
        ("31", {"early_knock": False}, "play", "draw, tap_done, knock_hold, knock_means, knock_late, has_31"),
        ("31", {"three_of_a_kind": 30}, "count", f"{COUNT}, three_alike 30, loses_life"),
        ("31", {"three_of_a_kind": 30.5}, "count", f"{COUNT}, three_alike 30½, loses_life"),
        ("31", {"straight_flush": True}, "count", f"{COUNT}, straight_flush, loses_life"),
    ],
)
def test_each_part_of_a_hand_is_taught_by_the_rules_of_the_table(
    preset: str, options: dict[str, object], part: str, taught: str
) -> None:
    lines = lesson(with_options(PRESETS[preset], options), part)
    told = [" ".join((line.key.removeprefix("teach."), *(str(v) for _, v in line.values))) for line in lines]
    assert ", ".join(told) == taught
