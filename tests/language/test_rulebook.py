"""The rulebook's words: no page larger than the display, and nothing loaded before a rulebook is opened."""

from __future__ import annotations

import subprocess
import sys

import pytest

from referee.core.model.registry import presets, rulebook
from referee.language.display import display_text, sources_of
from referee.language.words import LANGUAGES, PAGE_COLUMNS, speaking, wrap_rows

BOOKS = tuple(preset for preset, game in presets().items() if game.RULEBOOK)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", BOOKS)
def test_every_page_fits_the_display(preset: str, language: str) -> None:
    """Four rows for the text, one for its title with the place, one for its sources; no word is cut."""
    with speaking(language):
        for answer in rulebook(preset, {}):
            assert len(f"{display_text(answer.title)} 7/7") <= PAGE_COLUMNS
            for page in answer.pages:
                text = display_text(page.text)
                assert len(wrap_rows(text)) <= 4, text
                assert max(map(len, text.replace("-", "- ").split())) <= PAGE_COLUMNS, text
                sources = sources_of(page.sources)
                assert len(sources.replace(", ", ",")) <= PAGE_COLUMNS, text
                assert "rule." not in text
                assert "source." not in sources, text
                assert "{" not in text


def test_a_device_starts_without_the_rulebook() -> None:
    """Its topics are imported when one is opened, not before."""
    code = "import sys, referee.daemon; print('referee.core.games.nertz.rulebook' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"
