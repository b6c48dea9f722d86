"""Names: which texts are valid, which are equal, and how they are shortened."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.core.letters import letters
from referee.core.names import (
    MOST_LETTERS,
    among,
    cut,
    fold,
    has_letters,
    is_placeholder,
    isolate,
    name_of,
    tidy,
    writable,
)

texts = st.text(max_size=80) | st.text(st.sampled_from("aÅe\u0301 \u200dßſ\u0130ΣΣ\u00a0王👩\u202e\n"), max_size=80)


@given(texts)
@example("\u0344\u200d ")
def test_a_name_is_kept_once_and_for_all(text: str) -> None:
    name = name_of(text)
    if name is None:
        return
    assert name_of(name) == name
    assert unicodedata.is_normalized("NFC", name)
    assert 1 <= len(letters(name)) <= MOST_LETTERS
    assert name.strip(" ") == name
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name)


@given(texts)
def test_case_form_and_outer_spaces_make_no_other_name(text: str) -> None:
    assert fold(f" {text}\u00a0") == fold(text)
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text)) == fold(text)
    assert fold(tidy(text).casefold()) == fold(text)
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=80), st.integers(0, 70))
def test_a_cut_name_has_whole_letters(text: str, most: int) -> None:
    short = cut(text, most)
    assert text.startswith(short)
    assert len(letters(short)) <= most


NAMES = (
    *("Christopher", "علی\u200cرضا", "👩\u200d👩\u200d👧", "अनिता", "x" * 64, "é" * 64),
    *("Anna Maria", "R2-D2", "O'Neil", "王小明", "Xaver", "Max", "x" + "\u0301" * 1023),
)
NONE = (
    *("", " ", "\u200d", "\u3164", "x" * 65, "a\nb", "Anna\n", "a\tb", "\x1bAnna", "a\u202eb", "a\u2066b"),
    *("\u200eAnna", "a\u2028b", "\ud800", "\uffff", "x" + "\u0301" * 1024),
)


@pytest.mark.parametrize("name", NAMES)
def test_these_are_names(name: str) -> None:
    assert name_of(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize("code", [code for code in range(0x3100) if unicodedata.category(chr(code)) == "Zs"], ids=hex)
def test_no_space_stands_round_a_name(code: int) -> None:
    space = chr(code)
    assert tidy(f"{space}{space}Anna{space}Maria{space}") == unicodedata.normalize("NFC", f"Anna{space}Maria")


@pytest.mark.parametrize("text", NONE)
def test_these_are_none(text: str) -> None:
    assert name_of(text) is None


def test_the_very_same_spelling_goes_first() -> None:
    assert among("anna", ("Anna", "anna")) == "anna"
    assert among("ANNA ", ("Ben", "Anna", "anna")) == "Anna"
    assert among("Jose\u0301", ("Jos\u00e9",)) == "Jos\u00e9"
    assert among("Ann", ("Anna",)) is None


def test_what_stands_for_a_forgotten_name_is_known() -> None:
    assert is_placeholder("Player 13")
    assert not is_placeholder("Player")
    assert not is_placeholder("Players 3")
    assert writable("Player 3")


def test_letters_from_right_to_left_are_kept_apart_once() -> None:
    apart = isolate("1 דנה כהן: 12, محمد 5")
    assert apart == "1 \u2068דנה כהן\u2069: 12, \u2068محمد\u2069 5"
    assert isolate(apart) == apart
    assert isolate("<bdi>דנה</bdi> Zoë") == "<bdi>דנה</bdi> Zoë"
    assert isolate("Anna 5") == "Anna 5"
    assert (has_letters("Zoë 🎉"), has_letters("🎉🎉")) == (True, False)
