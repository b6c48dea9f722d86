"""What an option does and which values it may have, in the language that is spoken.

In English it is what the games say of their options themselves (`meaning`, `allowed`), word for word; a test holds it.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.registry import Described, Documents, all_documents
from referee.core.reading import listed
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


def meaning(game: Documents, option: Described) -> str:
    """What it does, in a sentence without its point."""
    return MEANINGS[game.NAME, option.name]()


def allowed(option: Described) -> str:
    """Its values in words; a value itself is written as in a document."""
    values = listed(getattr(option, "choices", ()))
    bounds = {name: getattr(option, name, 0) for name in ("least", "most")}
    return _ALLOWED[option.kind](values=values, **bounds)
