"""Names of people and teams: allowed names, equal names, shortening.

A name has 1 to 64 letters as people count them, in any script, with the joiners of Persian and of emoji. It is stored
in Unicode's form NFC, without spaces at either end. Characters that would move or hide the surrounding text are
refused: control characters, line breaks, marks that reverse the writing direction. Two names that differ only in case
or form are the same.

Digits after a name in Hebrew or Arabic letters move to its left. Every writer of text for people (a page, a picture, a
terminal) uses `isolate` against that; stored and exported text has no such marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from referee.core.letters import letters

MOST_LETTERS = 64
MOST_POINTS = 16 * MOST_LETTERS
"""Maximum code points of a name: a letter can have many accents, but not any number."""
ALLOWED = f"a name of 1 to {MOST_LETTERS} letters, without control characters, line breaks and direction marks"
_BROKEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef]")  # Bidi_Control; noncharacters
_UNSEEN = re.compile("[\\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
                     "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]")  # fmt: skip
_REFUSED = ("Cc", "Cs", "Zl", "Zp")
_SPACES = "".join(map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))
"""Unicode's spaces (Zs)."""
LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "it": "Italiano"}
"""Supported languages: code -> the language's own name."""
BACKS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "Red", "Blue", "Green", "Gold", "Black", "White", "Violet", "Brown", "Grey", "Pink", "Orange", "Silver",
    ),
    "de": (
        "Rot", "Blau", "Grün", "Gold", "Schwarz", "Weiß", "Violett", "Braun", "Grau", "Pink", "Orange", "Silber",
    ),
    "it": (
        "Rosso", "Blu", "Verde", "Oro", "Nero", "Bianco", "Lilla", "Marrone", "Grigio", "Fucsia", "Arancio", "Argento",
    ),
}  # fmt: skip
"""Names for seats without one: the colours and pictures of card backs, by language.

A table tells its packs apart by them. Stored in English, shown in the table's language. Common given names (Rosa,
Viola) are avoided in each language.
"""
_BACK_AT = {name: at for names in BACKS.values() for at, name in enumerate(names)}
_PLACEHOLDER = re.compile(r"Player [0-9]+")
ISOLATE, RELEASE = "\u2068", "\u2069"
"""The marks around text of either direction: first-strong isolate and its end (UAX #9)."""
_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
"""The blocks of scripts that are written from right to left."""
_RUN = re.compile(f"{ISOLATE}[^{RELEASE}]*{RELEASE}|<bdi>[^<]*</bdi>|([{_RIGHT}]+(?:[ '’\u200c\u200d-]+[{_RIGHT}]+)*)")


def isolate(text: str, before: str = ISOLATE, behind: str = RELEASE) -> str:
    """Enclose each run of right-to-left letters in marks that keep the line in order.

    Runs already within such marks, or in a `<bdi>`, stay unchanged.

    >>> isolate("Anna 5, דנה כהן 12", "<", ">")
    'Anna 5, <דנה כהן> 12'
    """
    if text.isascii():
        return text
    return _RUN.sub(lambda found: f"{before}{found[1]}{behind}" if found[1] else found[0], text)


def has_letters(name: str) -> bool:
    """Return whether a name has a letter or digit, so that every font can show it.

    A name of emoji alone has neither.
    """
    return any(char.isalnum() for char in name)


def tidy(text: str) -> str:
    """Return the text as names are stored: in form NFC, without spaces at either end."""
    return unicodedata.normalize("NFC", text).strip(_SPACES)


def writable(text: str) -> bool:
    """Return whether the text can be part of a line.

    Some of it must be visible, and no character may change the direction of other text.
    """
    if not _UNSEEN.sub("", text) or _BROKEN.search(text):
        return False
    return not any(unicodedata.category(c) in _REFUSED or ord(c) & 0xFFFE == 0xFFFE for c in text)


def name_of(text: str) -> str | None:
    """Return a given name in its stored form; None if it is not allowed (see `ALLOWED`).

    >>> name_of(" Jose\u0301 ") == "Jos\u00e9", name_of(" "), name_of("a\u202eb"), name_of("x" * 65)
    (True, None, None, None)
    """
    name = tidy(text)
    return name if writable(name) and len(name) <= MOST_POINTS and len(letters(name)) <= MOST_LETTERS else None


def fold(name: str) -> str:
    """Return the form in which names are compared; it is the same for all spellings of a name.

    Case, outer spaces and Unicode form do not count.

    >>> fold("Anna ") == fold("anna"), fold("Jose\u0301") == fold("JOS\u00c9"), fold("Ann") == fold("Anna")
    (True, True, False)
    """
    return tidy(unicodedata.normalize("NFD", tidy(name)).casefold())


def among(name: str, names: Iterable[str]) -> str | None:
    """Return which of `names` is the same name as `name`; None if none is.

    An identical spelling has priority.
    """
    known = tuple(names)
    return name if name in known else next((other for other in known if fold(other) == fold(name)), None)


def cut(name: str, most: int) -> str:
    """Return a name's first `most` letters, without spaces and zero-width joiners at the end.

    >>> cut("Christopher", 6), cut("Jose\u0301 Maria", 5) == "Jose\u0301"
    ('Christ', True)
    """
    return "".join(letters(name)[:most]).rstrip(" \u200c\u200d")


def back_name(name: str, language: str) -> str:
    """Translate a deck back's name into this language; other names are unchanged.

    >>> back_name("Red", "it"), back_name("Rosso", "de"), back_name("Anna", "de")
    ('Rosso', 'Rot', 'Anna')
    """
    at = _BACK_AT.get(name)
    return name if at is None else BACKS.get(language, BACKS["en"])[at]


def is_back(name: str) -> bool:
    """Return whether the name is a deck back in some language, and so no person's name."""
    return name in _BACK_AT


def is_placeholder(name: str) -> bool:
    """Return whether the name has replaced a removed name ("Player 3")."""
    return _PLACEHOLDER.fullmatch(name) is not None
