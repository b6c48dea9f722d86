"""The catalogues keep to the glossary: one word for one thing, no word for two."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from referee.language.words import LANGUAGES
from tests.language.catalogues import Texts, kept
from tests.language.glossary import EXCEPT, GLOSSARY, Term, Word

SEARCHED = {"find"}
"""Words by which people look for a dispute: any that they may use."""
SENTENCES = {"speech", "page", "walk"}
"""Places whose texts are sentences, in which nothing has to go for want of room."""


def has(stem: str, text: str) -> bool:
    """Whether a word of the text begins so."""
    return re.search(rf"(?i)\b(?:{stem})", text) is not None


def faults(language: str, texts: Texts, english: Texts) -> Iterator[str]:
    """One sentence for each text that takes another word than the glossary's, or says a term by none."""
    for (place, key), forms in texts.items():
        if place in SEARCHED or (language, place, key) in EXCEPT:
            continue
        said, meant = (re.sub(r"\{[^}]*\}", "…", " ".join(one)) for one in (forms, english[place, key]))
        for term in GLOSSARY:
            word: Word = getattr(term, language)
            for other in word.never:
                if has(other, said):
                    yield f"{language}: {key!r} at {place!r} says {other!r} for {term.name!r}: {said!r}"
            if term.said and place in SENTENCES and has(term.en.stem, meant) and not has(word.stem, said):
                yield f"{language}: {key!r} at {place!r} does not say {word.stem!r} where English has it: {said!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_keeps_to_the_glossary(language: str) -> None:
    """No other word for a term, and the term's word wherever an English sentence has it."""
    assert list(faults(language, kept(language), kept("en"))) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_for_two_things(language: str) -> None:
    """A word of one term is not a word of another, nor what another must not be called."""
    for term in GLOSSARY:
        own = re.sub(r"\W", " ", getattr(term, language).stem).split()
        for other in others(term):
            word: Word = getattr(other, language)
            clash = [stem for stem in own if len(stem) > 1 and stem in re.sub(r"\W", " ", word.stem).split()]
            assert clash == [], (term.name, other.name, clash)


def others(term: Term) -> list[Term]:
    """Every other term of the glossary."""
    return [other for other in GLOSSARY if other is not term]


@pytest.mark.parametrize(
    ("language", "place", "text", "english"),
    [
        ("de", "item", "Knopf {seat}", "Button {seat}"),
        ("de", "speech", "Drück den Knopf.", "Push the knob."),
        ("it", "speech", "Premi il tasto.", "Press the button."),
        ("de", "speech", "Sie ist gedrückt.", "The button is down."),
        ("de", "speech", "Den Stapel drehen.", "Turn the stock."),
        ("it", "option", "la prima carta del mazzetto", "the top card of the pile"),
    ],
)
def test_another_word_is_found(language: str, place: str, text: str, english: str) -> None:
    """The check itself: a word of old, and a term that is left out, are each a sentence."""
    assert len(list(faults(language, {(place, "one"): (text,)}, {(place, "one"): (english,)}))) > 0
