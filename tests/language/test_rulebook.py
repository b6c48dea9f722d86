"""The rulebook's words: found as people ask, in every language, and no page larger than the display."""

from __future__ import annotations

import subprocess
import sys

import pytest

from referee.core.model.registry import presets, rulebook
from referee.language import rulebook as book
from referee.language.catalogue import LANGUAGES
from referee.language.rulebook import find_topics, fold_text, nearest, sources_of
from referee.language.told import display_text
from referee.language.words import PAGE_COLUMNS, PAGE_ROWS, speaking, wrap_rows

BOOKS = tuple(preset for preset, game in presets().items() if game.RULEBOOK)
ASKED = [
    ("en", "nna", "burn", "stuck"),
    ("en", "nna", "Can I move half a pile?", "part"),
    ("en", "nna", "FUMBLE", "fumble"),
    ("en", "pagat", "who was first", "same_place"),
    ("en", "nna", "in_flight", "in_flight"),
    ("en", "nna", "the card was still in the air!", "in_flight"),
    ("en", "nna", "must I call?", "must_call"),
    ("en", "nna", "slide under", "transfer"),
    ("en", "nna", "am I allowed a timeout allowed now", "timeout_now"),
    ("en", "nna", "can I put a card on the lake with both hands", "hands"),
    ("en", "nna", "two people put the same card down", "same_place"),
    ("en", "nna", "I pressed by accident", "false_call"),
    ("en", "nna", "do I have to play my ace?", "withholding"),
    ("en", "nna", "how many cards do I turn", "turning"),
    ("en", "nna", "what happens at 100 when two are tied?", "tie_target"),
    ("en", "nna", "can I put three cards at once", "stacking"),
    ("en", "nna", "card was in my hand when he called", "held_card"),
    ("en", "nna", "can I start with 12 cards", "handicap"),
    ("en", "nna", "what if nobody can go", "stuck"),
    ("en", "nna", "can I keep a king back", "withholding"),
    ("en", "nna", "may I save a card for later", "withholding"),
    ("en", "nna", "what happens to the king", "full_pile"),
    ("en", "nna", "when may I call", "must_call"),
    ("de", "nna", "darf ich einen König behalten", "withholding"),
    ("de", "nna", "wann darf ich rufen", "must_call"),
    ("it", "nna", "posso tenere un re", "withholding"),
    ("it", "nna", "quando posso chiamare", "must_call"),
    ("en", "31", "can I take the card I just threw", "retaking"),
    ("en", "31", "can I discard what I just picked up", "discarding"),
    ("en", "31", "two players have 31", "dealt_31"),
    ("en", "31", "knock", "knocking"),
    ("en", "31", "three of a kind", "values"),
    ("de", "nna", "verbrennen", "stuck"),
    ("de", "dutch-blitz", "brennen", "stuck"),
    ("de", "dutch-blitz", "gebrannt", "stuck"),
    ("de", "dutch-blitz", "burn", "stuck"),
    ("de", "nna", "FEHLSTART", "false_start"),
    ("de", "nna", "ueberlegt", "let_go"),
    ("de", "nna", "zurückhalten", "withholding"),
    ("de", "nna", "zuruckhalten", "withholding"),
    ("de", "pagat", "darf ich mit zwei Händen spielen", "hands"),
    ("de", "31", "Klopfen", "knocking"),
    ("it", "nna", "bruciare", "stuck"),
    ("it", "nna", "mezza pila", "part"),
    ("it", "pagat", "chi era primo?", "same_place"),
    ("it", "31-quebec", "bussare", "knocking"),
    ("de", "nna", "darf ich einen halben Stapel bewegen?", "part"),
    ("de", "nna", "darf ich eine Karte zurücknehmen?", "let_go"),
    ("de", "nna", "wir sind alle fest", "stuck"),
    ("de", "nna", "runtergefallen", "fumble"),
    ("it", "nna", "posso spostare mezza pila?", "part"),
    ("it", "nna", "carte cadute", "fumble"),
    ("it", "nna", "burn", "stuck"),
    ("en", "snap", "who was first?", "slap_first"),
    ("en", "ratscrew", "sandwich", "slap_when"),
    ("en", "ratscrew", "burn", "slap_wrong"),
    ("en", "slapjack", "slap in", "slap_empty"),
    ("en", "spoons", "may I bluff", "last_bluff"),
    ("en", "pig", "no four of a kind", "last_false"),
    ("de", "halli-galli", "falsch geschlagen", "slap_wrong"),
    ("de", "snap", "wer war zuerst", "slap_first"),
    ("de", "spoons", "Fehlstart", "last_false"),
    ("it", "snap", "errore", "slap_wrong"),
    ("it", "irish-snap", "chi era ultimo", "last_who"),
]
"""Language, preset, what somebody asks, the topic that is meant."""


@pytest.mark.parametrize(("language", "preset", "words", "topic"), ASKED)
def test_a_topic_is_found_by_the_words_that_people_use(language: str, preset: str, words: str, topic: str) -> None:
    """Without case, accents, umlauts or signs; by whole phrases, single words and their beginnings."""
    with speaking(language):
        assert [answer.topic for answer in find_topics(rulebook(preset, {}), words)] == [topic]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", BOOKS)
def test_every_topic_is_found_by_its_name_and_its_title(preset: str, language: str) -> None:
    """And by each phrase of its own that no other topic has, too."""
    answers = rulebook(preset, {})
    with speaking(language):
        for answer in answers:
            assert answer in find_topics(answers, answer.topic)
            assert answer in find_topics(answers, display_text(answer.title))
            for phrase in book.RULINGS[f"find.{answer.topic}"]().split(","):
                assert answer in find_topics(answers, phrase)


def test_what_is_not_there_is_not_found_and_has_neighbours() -> None:
    """Three topics, the nearest first; a word mistyped is near its topic."""
    answers = rulebook("nna", {})
    assert find_topics(answers, "xylophone") == ()
    assert find_topics(answers, "?") == ()
    assert find_topics(answers, "can you do the") == ()
    assert find_topics((), "burn") == ()
    assert nearest(answers, "fumbel")[0].topic == "fumble"
    assert len(nearest(answers, "xylophone")) == book.NEAREST


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", BOOKS)
def test_every_page_fits_the_display(preset: str, language: str) -> None:
    """Four rows for the text, one for its title with the place, one for its sources; no word is cut."""
    with speaking(language):
        for answer in rulebook(preset, {}):
            assert len(f"{display_text(answer.title)} 7/7") <= PAGE_COLUMNS
            for page in answer.pages:
                text = display_text(page.text)
                assert len(wrap_rows(text)) <= PAGE_ROWS, text
                assert max(map(len, text.replace("-", "- ").split())) <= PAGE_COLUMNS, text
                sources = sources_of(page.sources)
                assert len(sources.replace(", ", ",")) <= PAGE_COLUMNS, text
                assert "rule." not in text
                assert "source." not in sources, text
                assert "{" not in text


def test_a_device_starts_without_the_rulebook() -> None:
    """Its topics and words are imported when one is opened, not before."""
    found = "[name for name in sys.modules if name.endswith('.rulebook') and 'phases' not in name]"
    code = f"import sys, referee.daemon; print(*{found})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.split()) <= {"referee.core.rulebook", "referee.screens.rulebook"}
    assert fold_text("ÜBRIG") == fold_text("uebrig") == "ubrig"
