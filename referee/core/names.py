"""What people and teams are called: which names there can be, when two of them are one, how a name gets shorter.

A name has 1 to 64 letters as people count them, in any script, with the joiners of Persian and of emoji. It is kept in
Unicode's form NFC without spaces round it. What would move or hide the text beside it is refused: control characters,
line breaks, the marks that turn the writing direction round. Two names that differ in case or form alone are one.

A name in Hebrew or Arabic letters draws the figures behind it to its left. Every writer of text for people (a page, a
picture, a terminal) keeps such letters apart from the rest by `isolate`; what is stored or exported has no such signs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from referee.core.letters import letters

MOST_LETTERS = 64
MOST_POINTS = 16 * MOST_LETTERS
"""Code points of a name: accents may be heaped on a letter, but not without end."""
ALLOWED = f"a name of 1 to {MOST_LETTERS} letters, without control characters, line breaks and direction marks"
_BROKEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef]")  # Bidi_Control; no characters
_UNSEEN = re.compile("[\\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
                     "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]")  # fmt: skip
_REFUSED = ("Cc", "Cs", "Zl", "Zp")
_SPACES = "".join(map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))
"""Unicode's spaces (Zs)."""
LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "it": "Italiano"}
"""Each language that is spoken: its code -> what it calls itself."""
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
"""Names for seats nobody has named: the backs by which a table tells its packs apart. Stored in English, shown in the
table's language; none of those languages' words is a name that people often have (Rosa and Viola are)."""
_BACK_AT = {name: at for names in BACKS.values() for at, name in enumerate(names)}
_PLACEHOLDER = re.compile(r"Player [0-9]+")
ISOLATE, RELEASE = "\u2068", "\u2069"
"""First-strong isolate and its end (UAX #9)."""
_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
"""The blocks of the scripts that are written from right to left."""
_RUN = re.compile(f"{ISOLATE}[^{RELEASE}]*{RELEASE}|<bdi>[^<]*</bdi>|([{_RIGHT}]+(?:[ '’\u200c\u200d-]+[{_RIGHT}]+)*)")


def isolate(text: str, before: str = ISOLATE, behind: str = RELEASE) -> str:
    """The text with each run of right-to-left letters between signs that keep the rest of the line in its order.

    A run that is between such signs, or in a `<bdi>`, stays as it is.

    >>> isolate("Anna 5, דנה כהן 12", "<", ">")
    'Anna 5, <דנה כהן> 12'
    """
    if text.isascii():
        return text
    return _RUN.sub(lambda found: f"{before}{found[1]}{behind}" if found[1] else found[0], text)


def has_letters(name: str) -> bool:
    """Whether a name has a letter or a figure by which it can be read in every font: emoji alone cannot."""
    return any(char.isalnum() for char in name)


def tidy(text: str) -> str:
    """The text as a name is kept: in the form NFC, no spaces round it."""
    return unicodedata.normalize("NFC", text).strip(_SPACES)


def writable(text: str) -> bool:
    """Whether the text can stand in a line of a document: something is to be seen of it, and nothing moves the rest."""
    if not _UNSEEN.sub("", text) or _BROKEN.search(text):
        return False
    return not any(unicodedata.category(c) in _REFUSED or ord(c) & 0xFFFE == 0xFFFE for c in text)


def name_of(text: str) -> str | None:
    """The name that somebody has given, as it is kept; None where it can be none (`ALLOWED` says what can).

    >>> name_of(" Jose\u0301 ") == "Jos\u00e9", name_of(" "), name_of("a\u202eb"), name_of("x" * 65)
    (True, None, None, None)
    """
    name = tidy(text)
    return name if writable(name) and len(name) <= MOST_POINTS and len(letters(name)) <= MOST_LETTERS else None


def fold(name: str) -> str:
    """The same text for all spellings of one name: without case, outer spaces and Unicode form.

    >>> fold("Anna ") == fold("anna"), fold("Jose\u0301") == fold("JOS\u00c9"), fold("Ann") == fold("Anna")
    (True, True, False)
    """
    return tidy(unicodedata.normalize("NFD", tidy(name)).casefold())


def among(name: str, names: Iterable[str]) -> str | None:
    """How one of these names spells that name; None where none does. The very same spelling goes first."""
    known = tuple(names)
    return name if name in known else next((other for other in known if fold(other) == fold(name)), None)


def cut(name: str, most: int) -> str:
    """The first letters of a name, whole; no space or joiner is left at the end.

    >>> cut("Christopher", 6), cut("Jose\u0301 Maria", 5) == "Jose\u0301"
    ('Christ', True)
    """
    return "".join(letters(name)[:most]).rstrip(" \u200c\u200d")


def back_name(name: str, language: str) -> str:
    """The back of a pack as that language calls it; what is no such name, as it is.

    >>> back_name("Red", "it"), back_name("Rosso", "de"), back_name("Anna", "de")
    ('Rosso', 'Rot', 'Anna')
    """
    at = _BACK_AT.get(name)
    return name if at is None else BACKS.get(language, BACKS["en"])[at]


def is_back(name: str) -> bool:
    """Whether it is the back of a pack in some language, which nobody is called by."""
    return name in _BACK_AT


def is_placeholder(name: str) -> bool:
    """Whether it stands for a name that was forgotten ("Player 3")."""
    return _PLACEHOLDER.fullmatch(name) is not None
