"""What an option does, which values it may have and who says so, and what a preset is, in the language that is spoken.

In English it is what the games say themselves (`meaning`, `allowed`, `sources`, `TITLES`), word for word; a test holds
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from referee.core.model.registry import Described, Documents, all_documents
from referee.core.reading import list_text
from referee.language.words import Word


def _meanings() -> Iterator[tuple[tuple[str, str], Word]]:
    for game in all_documents():
        for option in game.options():
            kind = game.NAME.lower().replace(" ", "_")
            yield (game.NAME, option.name), Word(f"{kind}.{option.name}", None, "option")


MEANINGS = dict(_meanings())
"""(Game, option) -> what the option does."""
_ALLOWED = {
    kind: Word(f"allowed.{kind}", None, "option", **dict.fromkeys(values, ""))
    for kind, values in {
        "number": ("least", "most"),
        "choice": ("values",),
        "choice-or-number": ("values",),
        "switch": (),
        "jokers": (),
        "milliseconds": ("least", "most"),
        "word": ("most",),
        "false-call": (),
    }.items()
}


def _sources() -> Iterator[str]:
    for game in all_documents():
        yield from (option.sources for option in game.options())
        for name in game.TITLES:
            yield from (source for _, source in game.preset_values(name).values())


def _abouts() -> Iterator[str]:
    for game in all_documents():
        yield from (about(game, name) for name in game.TITLES)


def about(game: Documents, name: str) -> str:
    """What a preset is, without its name, as the game says it."""
    return game.TITLES[name].partition(": ")[2]


def _words_of(texts: Iterator[str], place: str) -> dict[str, Word]:
    """A word for each text but names; its key is the text's own letters, so another text needs another translation."""
    return {text: Word(key_of(text), None, place) for text in dict.fromkeys(texts) if text and not is_names(text)}


def is_names(text: str) -> bool:
    """Whether there are only names in it, a capitalised word each, which every language writes alike.

    >>> is_names("Reeves"), is_names("NNA, Keeling"), is_names("NNA option")
    (True, True, False)
    """
    return all(re.fullmatch(r"[A-Z]\S*", part) for part in text.split(", "))


def key_of(text: str) -> str:
    """A text's key in the catalogues.

    >>> key_of("NNA, pagat: all are ready")
    'nna_pagat_all_are_ready'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


SOURCES = _words_of(_sources(), "source")
"""What the games say of where a value is from, and of an option's values in the sources -> its word; no names."""
ABOUTS = _words_of(_abouts(), "preset")
"""What a preset is, as its game says it -> its word; no names."""


def source(text: str) -> str:
    """Where a value is from, or what the sources say of an option; as it is where nobody has translated it."""
    return SOURCES[text]() if text in SOURCES else text


def preset_about(game: Documents, name: str) -> str:
    """What a preset is, without its name; empty where its name says it."""
    text = about(game, name)
    return ABOUTS[text]() if text in ABOUTS else text


def meaning(game: Documents, option: Described) -> str:
    """What it does, in a sentence without its point."""
    return MEANINGS[game.NAME, option.name]()


def allowed_values(option: Described) -> str:
    """Its values in words; a value itself is written as in a document."""
    values = list_text(getattr(option, "choices", ()))
    bounds = {name: getattr(option, name, 0) for name in ("least", "most")}
    return _ALLOWED[option.kind](values=values, **bounds)
