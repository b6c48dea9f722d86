"""What the core says, by key: for each message its place on the display with the most characters there, and speech.

A module a phase or game that says it, under its name, with its `TOLD`; shared.py has what several say. Beside a key
stand its widest values.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from referee.core.messages import TEXT_LETTERS, Label, Msg, Part
from referee.core.model.labels import numbers_text
from referee.core.model.registry import all_documents
from referee.core.names import cut
from referee.core.values import replace
from referee.language.numbers import decimal_text
from referee.language.places import LIMITS, Told

if TYPE_CHECKING:
    from referee.language.rulebook import Ruling

RULEBOOK = frozenset({"topic", "find", "rule", "source", "pile", "stock"})
"""Places of the rulebook's words (rulebook.py)."""
CAPITALS = frozenset({"toast"})
"""Places where everything stands in capitals, values, too."""
FIGURES = frozenset({"s", "ms", "points"})
"""Values by whose name it is known that they are figures: they may have a part."""
OPEN = "◄"
"""Stands before the value of a line that is open."""
MOST_SCORE = 11
"""Characters of a score in the knob's list."""

_MODULES = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
_TOLD: tuple[Told, ...] = (
    *(word for module in _MODULES for word in module.TOLD),
    *(Told(key) for game in all_documents() for key in game.WORDS if key.partition(".")[0] in LIMITS),
)
BY_KEY = {word.key: word for word in _TOLD}
"""Key -> how it is shown and spoken: every message that the core gives."""


def word_of(key: str) -> Told | Ruling | None:
    """The word of a message's key; None where no catalogue has it. The rulebook's are looked up when one is opened."""
    word = BY_KEY.get(key)
    if word is None and key.partition(".")[0] in RULEBOOK:
        from referee.language.rulebook import RULINGS

        return RULINGS.get(key)
    return word


def display_text(part: Part | None) -> str:
    """What the display says for it, in the language that is spoken; a name or a figure stands as it is."""
    return _message(part) if isinstance(part, Msg) else "" if part is None else _value("", part)


def shown_within(message: Msg, limit: int) -> str:
    """What the display says for it, with the names of those whom it names as long as `limit` characters let them be:
    "2 Ben: pile of 14"; with two letters of them where no more fit."""
    named = {name: value for name, value in message.values if isinstance(value, Label)}
    for letters in range(max((len(who.name) for who in named.values()), default=0), 1, -1):
        whole = {name: f"{who.numbers[0]} {who.name[:letters]}" for name, who in named.items()}
        text = _message(
            replace(message, values=tuple((name, whole.get(name, value)) for name, value in message.values))
        )
        if len(text) <= limit:
            return text
    return display_text(message)


def unknown(message: Msg) -> str:
    """What stands for a message that no catalogue has, such as an untranslated game's: seen, and harmless."""
    return message.key.rpartition(".")[2].replace("_", " ")


def phase_shown(phase: str) -> str:
    """A phase by its name ("POWER_BACK") as the display calls it; one that has no text by the name itself."""
    word = BY_KEY.get(f"phase.{phase.lower()}")
    return word() if word else phase.replace("_", " ")


def _message(message: Msg) -> str:
    word = word_of(message.key)
    if word is None:
        return unknown(message)
    values = {name: _value(name, value) for name, value in message.values}
    text = word(**values | _count(message))
    while isinstance(word, Told) and word.limit is not None and len(text) > word.limit and word.shorter:
        word = BY_KEY[word.shorter]
        text = word(**values)
    return text.upper() if word.place in CAPITALS else text


def _count(message: Msg) -> dict[str, Part | tuple[Part, ...]]:
    """The value that chooses the plural form, as a number."""
    return {name: value for name, value in message.values if name == "count"}


def _value(name: str, value: Part | tuple[Part, ...]) -> str:
    """A value as the display has it, by its name where that is a list's."""
    if isinstance(value, tuple):
        return _LISTS[name](value)
    if isinstance(value, Msg):
        return _message(value)
    if isinstance(value, Label):
        return value.short
    if isinstance(value, str) and _long_name(name, value):
        return cut(value, TEXT_LETTERS)
    if isinstance(value, str) and name in FIGURES:
        return decimal_text(value)
    return _halves(value) if isinstance(value, Fraction) else str(value)


def _long_name(name: str, value: str) -> bool:
    """Whether it is a name that is to be cut: of a player, or one that a line can be turned to."""
    return name == "name" or (name == "choice" and len(value) > LIMITS["choice"] and value[0] != OPEN)


def _halves(value: Fraction) -> str:
    """A whole number or one with a half: "12½"."""
    return str(value) if value.denominator == 1 else f"{'-' * (value < 0)}{int(abs(value)) or ''}½"


def _join_by(sign: str) -> Callable[[tuple[Part, ...]], str]:
    return lambda parts: sign.join(_value("", part) for part in parts)


def _score(parts: tuple[Part, ...]) -> str:
    text = _join_by(":")(parts)
    return text if len(text) <= MOST_SCORE else f"{text[: MOST_SCORE - 1]}…"


def _seats(parts: tuple[Part, ...]) -> str:
    """The numbers of all buttons, of teams each of its members'."""
    numbers = [part.numbers if isinstance(part, Label) else (part,) for part in parts]
    return numbers_text(number for seats in numbers for number in seats if isinstance(number, int))


def _first_numbers(parts: tuple[Part, ...]) -> str:
    """Teams by their first buttons: "1:2"."""
    return ":".join(str(part.numbers[0]) for part in parts if isinstance(part, Label))


def _labels(parts: tuple[Part, ...]) -> str:
    """One with the whole name, several by their letters."""
    labels = [part for part in parts if isinstance(part, Label)]
    return f"{labels[0].numbers[0]} {labels[0].called}" if len(labels) == 1 else " ~ ".join(who.short for who in labels)


_LISTS = {
    "seats": _seats,
    "tied": _first_numbers,
    "who": _labels,
    "sum": _join_by("+"),
    "parts": _join_by(":"),
    "score": _score,
}
"""How a list of values is written, by the value's name."""
