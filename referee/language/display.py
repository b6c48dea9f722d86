"""The core's messages as the display shows them.

A message's key begins with its place: "toast.too_late" is at the place "toast" on the display, and at the place
"speech" for the screen reader. If a text with its values is too long for its place, the text whose key ends with
".short" is shown instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from referee.core.messages import TEXT_LETTERS, Label, Msg, Part
from referee.core.model.labels import numbers_text
from referee.core.names import cut
from referee.core.values import replace
from referee.language.numbers import decimal_text
from referee.language.words import has_text, text_at

ROOMS = {"title": 18, "toast": 21, "ask": 15}
"""Maximum characters at the places that have shorter texts."""
SHORT = ".short"
CAPITALS = frozenset({"toast"})
"""Places whose texts are in capitals, with their values."""
FIGURES = frozenset({"s", "ms", "points"})
"""Names of values that are numbers, which may have a decimal part."""
OPEN = "◄"
"""Sign before the value of a menu line that is open for changing."""
MOST_CHOICE = 8
"""Maximum characters of a setting's value."""
MOST_NAMES = 16
"""Maximum number of characters of a list of names, with a space after each name."""
MOST_SCORE = 11
"""Maximum characters of a score in the knob's list."""


def place_of(key: str) -> str:
    """Return where a message appears, which is its key up to the first dot, e.g. "note"."""
    return key.partition(".")[0]


def is_known(key: str) -> bool:
    """Return whether the catalogues have a text for the message with this key."""
    return has_text(place_of(key), _stored(key))


def _stored(key: str) -> str:
    """Return a message's key in the catalogues, which is the key without its prefix "option."."""
    return key.removeprefix("option.")


def meaning_text(key: str) -> str:
    """Return an option's text up to the first colon or semicolon, where its values begin."""
    return re.split("[:;]", text_at("option", _stored(key)))[0]


def display_text(part: Part | None) -> str:
    """Return the text of a message, name or number for the display, in the current language."""
    return _message(part) if isinstance(part, Msg) else "" if part is None else _value("", part)


def sources_of(sources: Iterable[Msg]) -> str:
    """Return the names of the sources of a rule, joined by commas."""
    return ", ".join(map(display_text, sources))


def shown_within(message: Msg, limit: int) -> str:
    """Return a message in at most `limit` characters, if possible: players' names are cut.

    >>> from referee.core.messages import msg
    >>> deals = msg("note.deals_count", who=Label((2,), "Bartholomew"), count=14)
    >>> [shown_within(deals, limit) for limit in (40, 21, 12)]
    ['2 Bartholomew: pile of 14', '2 Barthol: pile of 14', '2Ba: pile of 14']
    """
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
    """Return a readable text for a message that the catalogues lack. It is made from the key."""
    return message.key.rpartition(".")[2].replace("_", " ")


def phase_shown(phase: str) -> str:
    """Return a phase's name for the display. `phase`: its name in the code, e.g. "POWER_BACK"."""
    key = f"phase.{phase.lower()}"
    return text_at("phase", key) if is_known(key) else phase.replace("_", " ")


def _message(message: Msg) -> str:
    key, place = message.key, place_of(message.key)
    if not is_known(key):
        return unknown(message)
    if place == "option":
        return meaning_text(key)
    counts = {name: value for name, value in message.values if name == "count"}
    values = {name: _value(name, value) for name, value in message.values} | counts
    text = text_at(place, key, **values)
    while len(text) > ROOMS.get(place, len(text)) and has_text(place, key := key + SHORT):
        text = text_at(place, key, **values)
    return text.upper() if place in CAPITALS else text


def _value(name: str, value: Part | tuple[Part, ...]) -> str:
    """Format one value of a message.

    `name`: the value's name in the message. It selects the function that formats a list (see `_LISTS`).
    """
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
    """Return whether the value of placeholder `name` may be too long for the display.

    Player names and long values of settings are cut; other values are always shown whole.
    """
    return name == "name" or (name == "choice" and len(value) > MOST_CHOICE and value[0] != OPEN)


def _halves(value: Fraction) -> str:
    """Format a whole number, or a number with a half: "12½"."""
    return str(value) if value.denominator == 1 else f"{'-' * (value < 0)}{int(abs(value)) or ''}½"


def _join_by(sign: str) -> Callable[[tuple[Part, ...]], str]:
    return lambda parts: sign.join(_value("", part) for part in parts)


def _score(parts: tuple[Part, ...]) -> str:
    text = _join_by(":")(parts)
    return text if len(text) <= MOST_SCORE else f"{text[: MOST_SCORE - 1]}…"


def _seats(parts: tuple[Part, ...]) -> str:
    """Format seats and teams as one list of all their seat numbers."""
    numbers = [part.numbers if isinstance(part, Label) else (part,) for part in parts]
    return numbers_text(number for seats in numbers for number in seats if isinstance(number, int))


def _first_numbers(parts: tuple[Part, ...]) -> str:
    """Format each team as its lowest seat number: "1:2"."""
    return ":".join(str(part.numbers[0]) for part in parts if isinstance(part, Label))


def _labels(parts: tuple[Part, ...]) -> str:
    """Format teams: a single one as "1 Anna", several in short form as "1An ~ 2Be"."""
    labels = [part for part in parts if isinstance(part, Label)]
    return f"{labels[0].numbers[0]} {labels[0].called}" if len(labels) == 1 else " ~ ".join(who.short for who in labels)


def _names(parts: tuple[Part, ...]) -> str:
    """Format names of players, each cut so that all fit."""
    most = max(MOST_NAMES // max(len(parts), 1) - 1, 1)
    return " ".join(cut(str(part), most) for part in parts[:8])


_LISTS = {
    "names": _names,
    "seats": _seats,
    "tied": _first_numbers,
    "who": _labels,
    "sum": _join_by("+"),
    "parts": _join_by(":"),
    "score": _score,
}
"""Name of a list of values -> the function that formats it."""
