"""Words fit their places, and a word that does not is a mistake at import."""

from __future__ import annotations

import pytest

from referee.screens import words
from referee.screens.words import Word

WORDS = {name: word for name, word in vars(words).items() if isinstance(word, Word)}


@pytest.mark.parametrize("name", WORDS)
def test_word_fits_its_place_with_its_widest_values(name: str) -> None:
    word = WORDS[name]
    assert len(word(**word.widest)) <= word.limit <= words.SMALL


def test_too_long_a_word_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="'TOO LONG A WORD' has more than 8 characters"):
        Word("TOO LONG A WORD", words.LARGE)
