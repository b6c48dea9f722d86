"""The catalogues are complete, every text fits its room, and a reader of .po files finds all of it."""

from __future__ import annotations

import pytest

from referee.core.messages import Label, msg
from referee.language.display import display_text
from referee.language.words import Catalogue, current_language, speaking, word
from tests.language import catalogues


def test_catalogues_are_complete_and_everything_fits() -> None:
    """After a change of the English file: python -m tests.language.catalogues --update."""
    assert catalogues.check() == []


@pytest.mark.parametrize(
    ("key", "forms", "sentence"),
    [
        (("display", "deal"), ("AUSTEILEN",), "is too long: 'AUSTEILEN' has 9 characters, 8 at most"),
        (("display", "deal"), ("",), "is missing"),
        (("display", "hand_small"), ("RUNDE {runde}",), "is said as 'RUNDE {runde}', whose values are not hand"),
        (
            ("item", "item.set_stuck"),
            ("Wenn nichts geht: {choice}",),
            "is too long: 'Wenn nichts geht: Abbruch' has 25",
        ),
        (("toast", "toast.old"), ("ALT",), "is not in the English catalogue"),
    ],
)
def test_what_is_wrong_is_said_with_key_language_and_place(
    key: tuple[str, str], forms: tuple[str, ...], sentence: str
) -> None:
    found = catalogues.problems("de", catalogues.kept("de") | {key: forms})
    assert len(found) == 1
    assert found[0].startswith(f"de: {key[1]!r} at the place {key[0]!r} {sentence}")


def test_a_missing_text_is_its_key_and_a_count_chooses_the_form() -> None:
    head = '"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n<5 ? 1 : 2);\\n"\n\n'
    entry = 'msgctxt "p"\nmsgid "k"\nmsgid_plural "k"\nmsgstr[0] "ein"\nmsgstr[1] "ein "\n"paar"\nmsgstr[2] "viele"\n'
    made = Catalogue(head + entry)
    assert [made.text(("p", "k"), n) for n in (1, 3, -3, 9)] == ["ein", "ein paar", "ein paar", "viele"]
    assert made.text(("p", "none")) == "none"
    assert made.keys == (("p", "k"),)


def test_a_word_is_said_in_the_language_that_is_spoken() -> None:
    with speaking("de"):
        assert (word("teams", count=1), word("teams", count=2), current_language()) == ("1 Team", "2 Teams", "de")
        with speaking("it"):
            assert word("teams", count=1) == "1 squadra"
    assert (word("teams", count=1), word("teams", count=8), current_language()) == ("1 team", "8 teams", "en")


def test_hands_are_rounds_where_the_game_calls_them_so() -> None:
    assert word("hand_small", hand=3) == "HAND 3"
    with speaking("en", rounds=True):
        assert word("hand_small", hand=3) == "ROUND 3"
        assert (word("deal"), word("stop")) == ("TAP", "STOP")


def test_an_unknown_language_is_a_mistake() -> None:
    with pytest.raises(FileNotFoundError), speaking("xx"):
        pass


def test_a_text_too_long_for_its_place_has_a_shorter_one() -> None:
    many = tuple(Label((n,), "Wilhelmina") for n in range(1, 9))
    assert display_text(msg("toast.claim_right", who=many[:1], count=1)) == "RIGHT: 1 WILHEL"
    assert display_text(msg("toast.claim_right", who=many, count=8)) == "RIGHT"
    assert display_text(msg("ask.bonus", parts=(13, 12, 12, 12))) == "13:12:12:12?"
    assert display_text(msg("ask.bonus", parts=(9, 9, 9, 9, 9, 9, 9, 9))) == "BONUS?"
