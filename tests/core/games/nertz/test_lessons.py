""" "Teach us" in the Nertz family: the lines of each part of a hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from referee.core.games.nertz.dialect import dialect_of
from referee.core.games.nertz.lessons import lesson
from referee.core.games.nertz.rules import rules_of
from referee.core.messages import Msg
from referee.core.model.table import Setup

FAMILY = {
    "deal": "pack 52, pile 13, pile_top, row 4, stock 35, tap_ready, hands_off",
    "play": "at_once, may_press, aces, up_suit, down, red_black, may_fill, turn 3, nobody",
    "count": "count_first, left, lake, enter, points 2",
    "stuck": "lay_nothing, then_waste, then_rotate",
}
NNA = {
    "deal": "pack 52, row 4, pile 13, pile_top, stock 35, tap_ready, hands_off",
    "play": "at_once, may_press, aces_must, up_suit, down, red_black, may_fill, turn 3, nobody",
    "stuck": "lay_nothing, one_pile, then_burn",
}
BOXED = {
    "deal": "pack 40, pile 10, pile_top, row 3, stock 27, tap_ready, hands_off",
    "play": "at_once, may_press, ones, up_colour, down, pairs, may_fill, turn 3, nobody",
}
LINES: dict[str, Mapping[str, str]] = {
    "nna": NNA,
    "nna150": NNA | {"count": "count_first, left, lake, enter, points 2, bonus 10"},
    "pagat": {},
    "pagat25": {"count": "count_first, left, lake, enter, points 2, bonus 25"},
    "reeves": {"stuck": "lay_nothing, then_redeal"},
    "racing-demon": {
        "deal": "pack 52, pile 13, pile_open, row 4, stock 35, tap_start, hands_off",
        "count": "count_first, left, lake, enter, points 1",
        "stuck": "lay_nothing, then_abandon",
    },
    "dutch-blitz": BOXED | {"stuck": "lay_nothing, then_rotate"},
    "ligretto": BOXED
    | {
        "play": "at_once, may_press, ones, up_colour, no_building, may_fill, turn 3, nobody",
        "stuck": "lay_nothing, then_score",
    },
    "solitaire-frenzy": {},
}
"""Preset -> the lines that differ from FAMILY, at a table of four."""
CHANGED: list[tuple[str, Mapping[str, object], str, str]] = [
    ("nna", {"layout": "klondike"}, "deal", "row 4, stock 35 -> klondike, stock 24"),
    (
        "nna",
        {"reserve": 11, "river": 5, "jokers": 2},
        "deal",
        "pack 52, row 4, pile 13, stock 35 -> pack 54, row 5, pile 11, stock 38",
    ),
    ("nna", {"start_by": "one"}, "deal", "tap_ready -> tap_start"),
    ("racing-demon", {"start_by": "all"}, "deal", "tap_start -> tap_ready"),
    ("nna", {"withholding": False}, "play", "aces_must -> aces"),
    ("dutch-blitz", {"withholding": True}, "play", "ones -> ones_must"),
    ("nna", {"turn": 1}, "play", "turn 3 -> turn 1"),
    ("nna", {"jokers": 2}, "play", "-> jokers"),
    ("nna", {"stacking": True}, "play", "-> stacking"),
    ("nna", {"false_call": "points:10"}, "play", "-> false_points 10"),
    ("nna", {"false_call": "zero"}, "play", "-> false_zero"),
    ("nna", {"bonus": 5, "penalty": 3}, "count", "points 2 -> points 3, bonus 5"),
    ("nna", {"king_bonus": 3}, "count", "-> kings 3"),
    ("nna", {"stuck": "score"}, "stuck", "one_pile, then_burn -> then_score"),
]
"""Preset, the table's settings, a part of a hand, and its removed lines -> its added lines."""


def lines(preset: str, part: str, options: Mapping[str, object] | None = None, teams: int = 4) -> list[str]:
    """Return the lines of that part, each with its figure."""
    setup = Setup(preset, tuple((options or {}).items()))
    return [_line(told) for told in lesson(rules_of(setup), dialect_of(setup), part, teams)]


def _line(told: Msg) -> str:
    figures = [str(value) for _, value in told.values if isinstance(value, int)]
    return " ".join((told.key.removeprefix("teach."), *figures))


@pytest.mark.parametrize("part", FAMILY)
def test_each_part_of_a_hand_is_taught_by_the_rules_of_the_preset(part: str) -> None:
    taught = {preset: ", ".join(lines(preset, part)) for preset in LINES}
    assert taught == {preset: {**FAMILY, **own}[part] for preset, own in LINES.items()}


def test_what_the_table_has_set_is_taught_in_place_of_the_preset_s() -> None:
    for preset, options, part, change in CHANGED:
        before, after = lines(preset, part), lines(preset, part, options)
        gone, come = (
            ", ".join(line for line in one if line not in other) for one, other in ((before, after), (after, before))
        )
        assert f"{gone} -> {come}".strip() == change


def test_what_follows_on_a_foundation_is_taught_by_the_size_of_the_table() -> None:
    for preset, by_four in (("racing-demon", "up_suit"), ("dutch-blitz", "up_colour")):
        taught = {teams: lines(preset, "play", {"foundations": "by-players"}, teams)[3] for teams in (2, 3, 4)}
        assert taught == {2: "up_any", 3: "up_altern", 4: by_four}
