"""The rules of 31, its bus and its Quebec form: values, settings and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.games.thirtyone.document import DOCUMENTS
from referee.core.games.thirtyone.rules import OPTIONS, PRESETS, with_options
from referee.core.model.options import RuleError

PAGAT: dict[str, Any] = {
    "counts": "lives",
    "lives": 3,
    "three_of_a_kind": "none",
    "straight_flush": False,
    "minimum_knock": 0,
    "levels": 0,
    "early_knock": True,
    "knocker_tied": "safe",
    "knocker_after_31": "one",
    "knocker_not_highest": "safe",
    "county": True,
    "end": "lives",
}
"""The values of a preset where its row below has none."""
ROWS: dict[str, dict[str, Any]] = {
    "31": {},
    "ride-the-bus": {"counts": "places"},
    "31-quebec": {"counts": "points", "end": "first-31"},
}


def test_presets_have_their_values() -> None:
    for preset, row in ROWS.items():
        rules = PRESETS[preset]
        assert {name: getattr(rules, name) for name in PAGAT} == PAGAT | row
        assert rules.preset == preset
        assert {name: value for name, (value, _) in DOCUMENTS.preset_values(preset).items()} == {
            name: value for name, value in (PAGAT | row).items() if name != "counts"
        }
    assert tuple(PRESETS) == tuple(ROWS)


def test_losses_that_can_be_taken_follow_from_what_is_counted() -> None:
    assert [PRESETS[preset].start for preset in ROWS] == [3, 3, 0]
    assert with_options(PRESETS["31"], {"lives": 5}).start == 5
    assert with_options(PRESETS["ride-the-bus"], {"levels": 2}).start == 5
    assert with_options(PRESETS["ride-the-bus"], {"levels": 6}).start == with_options(PRESETS["31"], {"lives": 9}).start


TAKEN: list[tuple[str, str, object, object]] = [
    ("31", "lives", 1, 1),
    ("31", "lives", 9, 9),
    ("31", "three_of_a_kind", 30, "30"),
    ("31", "three_of_a_kind", 30.5, "30.5"),
    ("31", "straight_flush", True, True),
    ("31", "minimum_knock", 30, 30),
    ("31", "county", False, False),
    ("31", "knocker_not_highest", "loses-one", "loses-one"),
    ("ride-the-bus", "lives", 3, 3),
    ("ride-the-bus", "county", True, True),
    ("ride-the-bus", "levels", 2, 2),
    ("ride-the-bus", "knocker_after_31", "two", "two"),
    ("31-quebec", "lives", 3, 3),
    ("31-quebec", "end", "31-points", "31-points"),
    ("31-quebec", "knocker_tied", "safe", "safe"),
]


@pytest.mark.parametrize(("preset", "option", "value", "read"), TAKEN)
def test_what_a_table_may_set_is_taken_and_changes_nothing_else(
    preset: str, option: str, value: object, read: object
) -> None:
    rules = with_options(PRESETS[preset], {option: value})
    assert {name: getattr(rules, name) for name in PAGAT} == PAGAT | ROWS[preset] | {option: read}


REFUSED: list[tuple[str, str, object, str]] = [
    ("31", "lives", 0, "0 is given, allowed is a whole number from 1 to 9"),
    ("31", "lives", 10, "10 is given, allowed is a whole number from 1 to 9"),
    ("31", "minimum_knock", -1, "-1 is given, allowed is a whole number from 0 to 30"),
    ("31", "minimum_knock", 31, "31 is given, allowed is a whole number from 0 to 30"),
    ("31", "three_of_a_kind", 31, "31 is given, allowed is one of none, 30, 30.5"),
    ("31", "levels", 1, "1 is given, allowed is 0 in 31, which has no bus"),
    ("31-quebec", "levels", 1, "1 is given, allowed is 0 in 31-quebec, which has no bus"),
    ("ride-the-bus", "levels", 7, "7 is given, allowed is a whole number from 0 to 6"),
    ("ride-the-bus", "levels", -1, "-1 is given, allowed is a whole number from 0 to 6"),
    (
        "ride-the-bus",
        "lives",
        4,
        "4 is given, allowed is 3 in ride-the-bus, where the option levels sets the number of places",
    ),
    ("31-quebec", "lives", 4, "4 is given, allowed is 3 in 31-quebec, where points are counted"),
    (
        "ride-the-bus",
        "county",
        False,
        "false is given, allowed is true in ride-the-bus, where the last place replaces it",
    ),
    ("31-quebec", "county", False, "false is given, allowed is true in 31-quebec, where nobody goes out"),
    (
        "31-quebec",
        "knocker_tied",
        "loses-one",
        '"loses-one" is given, allowed is safe in 31-quebec, where nobody loses',
    ),
    ("31-quebec", "knocker_after_31", "two", '"two" is given, allowed is one in 31-quebec, where nobody loses'),
    (
        "31-quebec",
        "knocker_not_highest",
        "loses-one",
        '"loses-one" is given, allowed is safe in 31-quebec, where nobody loses',
    ),
    ("31", "end", "first-31", '"first-31" is given, allowed is lives in 31'),
    ("ride-the-bus", "end", "31-points", '"31-points" is given, allowed is lives in ride-the-bus'),
    ("31-quebec", "end", "lives", '"lives" is given, allowed is first-31 or 31-points in 31-quebec'),
    ("31", "target", 100, f"there is no such option, allowed are {', '.join(OPTIONS)}"),
]


@pytest.mark.parametrize(("preset", "option", "value", "sentence"), REFUSED)
def test_what_means_nothing_in_a_preset_is_refused_in_one_sentence(
    preset: str, option: str, value: object, sentence: str
) -> None:
    with pytest.raises(RuleError) as caught:
        with_options(PRESETS[preset], {option: value})
    assert (caught.value.option, caught.value.problem) == (option, sentence)
