"""The catalogues are whole, in step with the code, and everything fits; what is wrong is said in a sentence."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.language import catalogue
from referee.language.catalogue import LANGUAGES, Catalogue
from referee.language.words import Word, current_language, speaking
from tests.language import catalogues

ROOT = Path(__file__).parents[2]


def test_catalogues_are_whole_and_in_step_and_everything_fits() -> None:
    """Otherwise: python -m tests.language.catalogues --update, and fill in what stands empty.

    In a process of its own: the catalogues' order is that in which modules are loaded, and other tests load some.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.language.catalogues"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("key", "forms", "sentence"),
    [
        (("display", "deal"), ("AUSTEILEN",), "is too long: 'AUSTEILEN' has 9 characters, 8 at most"),
        (("display", "deal"), ("",), "is missing"),
        (("display", "hand_small"), ("RUNDE {runde}",), "is said as 'RUNDE {runde}', whose values are not hand"),
        (("display", "deal"), ("GIB", "GEBT"), "is there in several forms, and has no count"),
        (("display", "teams"), ("a", "b", "c"), "is there in 3 forms, 2 are wanted"),
        (
            ("toast", "toast.undone"),
            ("GANZ UND GAR WEG: {what}",),
            "is too long: 'GANZ UND GAR WEG: ",
        ),
        (
            ("item", "item.set_stuck"),
            ("Wenn nichts geht: {choice}",),
            "is too long: 'Wenn nichts geht: Abbruch' has 25",
        ),
        (("toast", "toast.old"), ("ALT",), "is in the catalogue and nowhere in the code"),
    ],
)
def test_what_is_wrong_is_said_with_key_language_and_place(
    key: tuple[str, str], forms: tuple[str, ...], sentence: str
) -> None:
    known = catalogues.problems("de", catalogues.kept("de"))
    found = [text for text in catalogues.problems("de", catalogues.kept("de") | {key: forms}) if text not in known]
    assert [text for text in found if text.startswith(f"de: {key[1]!r} at the place {key[0]!r} {sentence}")] == found
    assert found


def test_a_missing_message_is_its_key_and_a_count_chooses_the_form() -> None:
    head = '"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n<5 ? 1 : 2);\\n"\n\n'
    entry = 'msgctxt "p"\nmsgid "k"\nmsgid_plural "k"\nmsgstr[0] "ein"\nmsgstr[1] "ein "\n"paar"\nmsgstr[2] "viele"\n'
    made = Catalogue(head + entry)
    assert [made.text(("p", "k"), n) for n in (1, 3, -3, 9)] == ["ein", "ein paar", "ein paar", "viele"]
    assert made.text(("p", "none")) == "none"
    assert made.keys == (("p", "k"),)


def test_a_word_is_said_in_the_language_that_is_spoken() -> None:
    word = next(word for word in Word.every if (word.place, word.key) == ("display", "teams"))
    with speaking("de"):
        assert (word(count=1), word(count=2), current_language()) == ("1 Team", "2 Teams", "de")
        with speaking("it"):
            assert word(count=1) == "1 squadra"
    assert (word(count=1), word(count=8), current_language()) == ("1 team", "8 teams", "en")


def test_an_unknown_language_is_a_mistake() -> None:
    with pytest.raises(FileNotFoundError), speaking("xx"):
        pass


@pytest.mark.parametrize("language", LANGUAGES)
def test_gettext_itself_reads_the_files_alike(language: str) -> None:
    """Each entry begins with its place and key on a line each, as every tool of gettext writes a short one."""
    text = catalogue.po_path(language).read_text(encoding="utf-8")
    assert len(re.findall(r"^msgid ", text, re.MULTILINE)) == len(catalogues.kept(language)) + 1


def test_every_key_of_the_code_is_declared_once() -> None:
    keys = [(word.place, word.key) for word in Word.every]
    assert len(set(keys)) == len(keys)
