"""Options, their values and sources, and presets, in the current language.

The English texts are the games' own (`meaning`, `allowed`, `sources`, `TITLES`), word for word.
"""

from __future__ import annotations

import re

from referee.core.model.options import RuleOption
from referee.core.model.paper import Documents
from referee.core.reading import list_text
from referee.language.words import has_text, text_at


def key_of(text: str) -> str:
    """Return the key under which the catalogues have a preset's or a source's text.

    >>> key_of("NNA, pagat: all are ready")
    'nna_pagat_all_are_ready'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def about(game: Documents, name: str) -> str:
    """Return a preset's English description, without the preset's name."""
    return game.TITLES[name].partition(": ")[2]


def source(text: str) -> str:
    """Return the translated name of a rule's source; the given text if there is no translation."""
    return _translated("source", text)


def preset_about(game: Documents, name: str) -> str:
    """Return a preset's description, without its name, in the current language; "" if none."""
    return _translated("preset", about(game, name))


def _translated(place: str, text: str) -> str:
    key = key_of(text)
    return text_at(place, key) if has_text(place, key) else text


def meaning(game: Documents, option: RuleOption) -> str:
    """Return what an option means, as a sentence without its full stop."""
    return text_at("option", game.option_key(option.name))


def allowed_values(option: RuleOption) -> str:
    """Return the option's allowed values in words.

    Each value is written as in a match document.
    """
    values = list_text(getattr(option, "choices", ()))
    bounds = {name: getattr(option, name, 0) for name in ("least", "most")}
    return text_at("option", f"allowed.{option.kind}", values=values, **bounds)
