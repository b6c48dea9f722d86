"""The presets of the family and the options that can change them."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.games.nertz.options import OPTIONS
from referee.core.games.nertz.rules import PRESETS, NertzRules, option_values, with_options
from referee.core.model.options import RuleError, RuleOption
from referee.core.values import replace

FAMILY: dict[str, Any] = {
    "target": 100,
    "bonus": 0,
    "penalty": 2,
    "reserve": 13,
    "river": 4,
    "turn": 3,
    "turn_order": "kept",
    "jokers": 0,
    "layout": "row",
    "foundations": "suit",
    "in_flight": "lands",
    "same_place": "both",
    "withholding": False,
    "stacking": False,
    "river_transfer": True,
    "stuck": "rotate",
    "false_call": "play-on",
    "tie_ms": Fraction(20),
    "tiebreak": "share",
    "tiebreak_teams": "tied",
    "settlement": "none",
    "king_bonus": 0,
    "handicap": "none",
    "pile_control": "free",
    "rotate_seats": False,
    "pack_check": False,
    "shuffle_for": "self",
    "start": "stop",
    "start_words": "ready",
    "start_by": "all",
    "call_word": "",
    "pack": 52,
    "kings": 4,
    "boxed": False,
    "building": True,
    "false_points": 0,
    "largest_reserve": 48,
}
"""The values of a preset where its row below has none."""
NNA = {"same_place": "table", "withholding": True, "stuck": "burn", "tiebreak": "calls"}
BOXED = {
    "boxed": True,
    "pack": 40,
    "kings": 0,
    "reserve": 10,
    "largest_reserve": 35,
    "river": 3,
    "same_place": "first",
}
ROWS: dict[str, dict[str, Any]] = {
    "nna": NNA,
    "nna150": NNA | {"target": 150, "bonus": 10},
    "pagat": {"settlement": "difference"},
    "pagat25": {"settlement": "difference", "bonus": 25},
    "reeves": {"stuck": "redeal-stock"},
    "racing-demon": {
        "penalty": 1,
        "foundations": "by-players",
        "in_flight": "returns",
        "same_place": "first",
        "stuck": "abandon",
        "start_by": "one",
    },
    "dutch-blitz": BOXED | {"target": 75},
    "ligretto": BOXED | {"target": 99, "building": False, "river_transfer": False, "stuck": "score"},
    "solitaire-frenzy": {"settlement": "difference"},
}
"""Preset -> its differences. A new preset is one row here."""


# -- presets --------------------------------------------------------------------------------------------------------


def test_presets_have_their_values() -> None:
    """Each option of each preset has the value of its sources."""
    found = {preset: {name: getattr(rules, name) for name in FAMILY} for preset, rules in PRESETS.items()}
    assert found == {preset: FAMILY | row for preset, row in ROWS.items()}


@pytest.mark.parametrize(
    ("preset", "options", "room"),
    [
        ("nna", {}, 4 * 12),
        ("nna", {"river": 6}, 6 * 12),
        ("nna", {"layout": "klondike"}, 5 * 12),
        ("dutch-blitz", {}, 5 * 9),
        ("dutch-blitz", {"river": 3}, 3 * 9),
        ("dutch-blitz", {"layout": "klondike", "river": 3}, 5 * 9),
        ("ligretto", {}, 0),
    ],
)
def test_work_piles_take_a_card_of_each_rank_beside_the_one_that_was_dealt(
    preset: str, options: dict[str, Any], room: int
) -> None:
    assert with_options(PRESETS[preset], options).river_room == room


def test_a_document_says_no_target_as_nought_and_milliseconds_as_a_number() -> None:
    values = option_values(with_options(PRESETS["pagat"], {"settlement": "each-hand", "tie_ms": 12.5}))
    assert (values["target"], values["tie_ms"]) == (0, 12.5)
    assert option_values(PRESETS["nna150"])["target"] == 150


# -- options --------------------------------------------------------------------------------------------------------

GOOD = (
    ("target", 1, 1),
    ("target", 10_000, 10_000),
    ("bonus", 1000, 1000),
    ("penalty", 100, 100),
    ("reserve", 3, 3),
    ("reserve", 48, 48),
    ("river", 10, 10),
    ("jokers", True, 2),
    ("jokers", False, 0),
    ("jokers", 2, 2),
    ("tie_ms", 0.1, Fraction(1, 10)),
    ("tie_ms", 1000, Fraction(1000)),
    ("tie_ms", Fraction(1, 3), Fraction(1, 3)),
    ("false_call", "points:999", "points:999"),
    ("stacking", True, True),
    ("tiebreak", "hand", "hand"),
)


@pytest.mark.parametrize(("option", "given_", "expected"), GOOD)
def test_an_allowed_value_is_taken(option: str, given_: object, expected: object) -> None:
    before, after = PRESETS["nna"], with_options(PRESETS["nna"], {option: given_})
    value = getattr(after, option)
    assert value == expected
    assert type(value) is type(expected)
    assert replace(after, **{option: getattr(before, option)}) == before


BAD: tuple[tuple[str, object], ...] = (
    ("target", -1),
    ("target", 10_001),
    ("target", True),
    ("target", 100.0),
    ("target", None),
    ("bonus", 1001),
    ("penalty", 101),
    ("reserve", 2),
    ("river", 0),
    ("river", 11),
    ("turn", True),
    ("turn", 3.0),
    ("turn", []),
    ("jokers", 1),
    ("jokers", 2.0),
    ("tie_ms", -0.5),
    ("tie_ms", 1000.5),
    ("tie_ms", True),
    ("tie_ms", float("nan")),
    ("tie_ms", float("inf")),
    ("false_call", "points:0"),
    ("false_call", "points:-3"),
    ("false_call", "points:1000"),
    ("false_call", "points:5 "),
    ("false_call", 5),
    ("stacking", "true"),
    ("tiebreak", ["calls"]),
    ("settlement", {}),
    ("call_word", "x" * 13),
    ("call_word", "a\n"),
    ("call_word", 3),
)


@pytest.mark.parametrize(("option", "given_"), BAD)
def test_another_value_is_refused_in_one_sentence(option: str, given_: object) -> None:
    with pytest.raises(RuleError) as caught:
        with_options(PRESETS["nna"], {option: given_})
    sentence = str(caught.value)
    assert caught.value.option == option
    assert sentence == f'option "{option}": {caught.value.problem}'
    assert "is given, allowed is" in sentence
    assert "\n" not in sentence
    assert len(sentence) < 300


@pytest.mark.parametrize("option", ["target", "tie_ms", "jokers"])
def test_a_number_too_large_to_write_is_refused(option: str) -> None:
    """Python itself refuses to write such a number, so the sentence omits it."""
    with pytest.raises(RuleError, match=f'option "{option}": a huge number is given, allowed is'):
        with_options(PRESETS["nna"], {option: 10**5000})


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RuleError, match='option "taget": there is no such option, allowed are target, bonus'):
        with_options(PRESETS["nna"], {"taget": 90})


def test_no_target_is_for_hands_settled_one_by_one() -> None:
    with pytest.raises(
        RuleError, match=r"0 is given, allowed is a whole number from 1 to 10000 unless settlement is each-hand$"
    ):
        with_options(PRESETS["pagat"], {"target": 0})
    for options in ({}, {"target": 0}, {"target": 70}):
        assert with_options(PRESETS["pagat"], {"settlement": "each-hand", **options}).target is None


@pytest.mark.parametrize("preset", ["dutch-blitz", "ligretto"])
def test_boxed_packs_have_neither_jokers_nor_kings(preset: str) -> None:
    with pytest.raises(RuleError, match=f"2 is given, allowed is 0 in the packs of {preset}, which have none$"):
        with_options(PRESETS[preset], {"jokers": True})
    with pytest.raises(RuleError, match=f"3 is given, allowed is 0 in {preset}, whose packs have no kings$"):
        with_options(PRESETS[preset], {"king_bonus": 3})


def test_a_reserve_must_leave_cards_for_the_work_piles() -> None:
    assert with_options(PRESETS["nna"], {"reserve": 50, "jokers": 2}).reserve == 50
    with pytest.raises(RuleError, match=r"38 is given, allowed is a whole number from 3 to 37 with these work piles$"):
        with_options(PRESETS["nna"], {"reserve": 38, "layout": "klondike"})
    with pytest.raises(RuleError, match="from 3 to 35 with these work piles"):
        with_options(PRESETS["ligretto"], {"reserve": 36})


def values_of(option: RuleOption) -> st.SearchStrategy[object]:
    """Draw allowed values of an option."""
    if option.name == "target":
        return st.integers(1, 10_000)
    if option.name == "reserve":
        return st.integers(3, 35)
    return {
        "number": st.integers(option.least, option.most),
        "choice": st.sampled_from(option.choices or (0,)),
        "switch": st.booleans(),
        "word": st.sampled_from(("", "POUNCE", "Élan vital", "!")),
        "jokers": st.sampled_from((0, 2)),
        "milliseconds": st.integers(0, 10_000).map(lambda tenths: tenths / 10),
        "false-call": st.one_of(st.sampled_from(("play-on", "zero")), st.integers(1, 999).map("points:{}".format)),
    }[option.kind]


OPTION_SETS = st.fixed_dictionaries({}, optional={name: values_of(option) for name, option in OPTIONS.items()})


@given(st.sampled_from(("nna", "pagat", "racing-demon")), OPTION_SETS)
def test_options_survive_the_way_through_a_document(preset: str, options: dict[str, Any]) -> None:
    ruleset = with_options(PRESETS[preset], options)
    written = option_values(ruleset)
    assert set(written) == set(OPTIONS)
    assert with_options(PRESETS[preset], written) == replace(ruleset, few=())


@given(
    st.sampled_from(tuple(ROWS)),
    st.sampled_from(sorted(OPTIONS)),
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=3),
)
def test_any_value_is_taken_or_refused_with_its_own_error(preset: str, option: str, value: object) -> None:
    with suppress(RuleError):
        assert isinstance(with_options(PRESETS[preset], {option: value}), NertzRules)
