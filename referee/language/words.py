"""Texts in the current language, from the catalogues.

These are the files referee/locale/LANGUAGE/LC_MESSAGES/referee.po.

A text has a place where people see or hear it (msgctxt), and a key (msgid): `word("wait_for")` is on the display, and
`text_at("page", "sound_on")` on the page. A value named `count` selects the plural form. A key that ends with
".round" is the text for games whose hands are called rounds. The comment above an English entry gives the number of
characters of its place and the widest values of the text; `python -m tests.language.catalogues` checks every
language against it.

The .po files are read directly, and an entry is parsed when it is first needed: there is no build step.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from referee.core import names
from referee.core.names import back_name, has_letters

LANGUAGES = tuple(names.LANGUAGES)
ENGLISH = "en"
FOLDER = Path(__file__).parent.parent / "locale"
DISPLAY, ALOUD = "display", "speech"
"""Places of texts: on the display, and for the screen reader.

Each kind of message is a place, too.
"""
PAGE_COLUMNS = 21
"""Characters in a row of the rulebook on the smaller display."""
ROUND = ".round"

Key = tuple[str, str]
"""A text's place and key."""
_HEAD = re.compile(r'^msgctxt "(.*)"\nmsgid "(.*)"\n', re.MULTILINE)
_FORM = re.compile(r"^(msgid_plural|msgstr(?:\[\d\])?) ", re.MULTILINE)
_RULE = re.compile(r"plural=([^;]*);")
_TWO = "(n != 1)"

_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)
_rounds: ContextVar[bool] = ContextVar("rounds", default=False)


class Catalogue:
    """The texts of one language. Each entry is parsed when it is first needed."""

    def __init__(self, text: str) -> None:
        """Find the entries in `text`, the content of a .po file."""
        heads = list(_HEAD.finditer(text))
        ends = [*(head.start() for head in heads[1:]), len(text)]
        self._unread = {head.groups(): (head.end(), end) for head, end in zip(heads, ends, strict=True)}
        self._text, self._read = text, dict[Key, tuple[str, ...]]()
        rule = _RULE.search(text)
        self._rule = rule[1] if rule else _TWO

    def __contains__(self, key: Key) -> bool:
        return key in self._unread

    @property
    def keys(self) -> tuple[Key, ...]:
        """Return the place (msgctxt) and key (msgid) of every entry, in the file's order."""
        return tuple((place, key) for place, key in self._unread)

    def forms(self, key: Key) -> tuple[str, ...]:
        """Return all texts of an entry: one, or one for each plural form.

        Raises LookupError for an unknown key.
        """
        found = self._read.get(key)
        if found is None:
            begin, end = self._unread[key]
            found = self._read[key] = _forms(self._text[begin:end])
        return found

    def text(self, key: Key, count: object = None) -> str:
        """Return an entry's text, in the plural form for `count`; the key if there is no entry."""
        try:
            forms = self.forms(key)
        except LookupError:
            return key[1]
        if len(forms) > 1 and isinstance(count, int):
            return forms[min(_plural(self._rule)(abs(count)), len(forms) - 1)] or key[1]
        return forms[-1] or key[1]

    def say(self, key: Key, values: Mapping[str, object]) -> str:
        """Return the text, with these values in it. A value `count` selects the plural form."""
        return self.text(key, values.get("count")).format(**values)


def po_path(language: str) -> Path:
    """Return the path of a language's .po file."""
    return FOLDER / language / "LC_MESSAGES" / "referee.po"


@cache
def catalogue(language: str) -> Catalogue:
    """Return the catalogue of a language. Raises FileNotFoundError for an unknown language."""
    return Catalogue(po_path(language).read_text(encoding="utf-8"))


def _forms(entry: str) -> tuple[str, ...]:
    """Return the texts of an entry, from the lines after its key.

    >>> _forms('msgstr ""\\n"GE"\\n"BEN"\\n')
    ('GEBEN',)
    >>> _forms('msgid_plural "hands"\\nmsgstr[0] "{count} hand"\\nmsgstr[1] "{count} hands"\\n')
    ('{count} hand', '{count} hands')
    """
    _, *parts = _FORM.split(entry)
    return tuple(_unquote(text) for name, text in zip(parts[::2], parts[1::2], strict=True) if name != "msgid_plural")


def _unquote(quoted: str) -> str:
    return "".join(ast.literal_eval(line) for line in quoted.splitlines() if line.startswith('"'))


@cache
def _plural(rule: str) -> Callable[[int], int]:
    """Return the function count -> index of the plural form. `rule`: a C expression on `n`."""
    if rule == _TWO:
        return lambda count: int(count != 1)
    from gettext import c2py  # English, German and Italian need no parser

    return c2py(rule)


@contextmanager
def speaking(language: str, *, rounds: bool = False) -> Iterator[None]:
    """Give all texts in that language within this context.

    rounds: say "round" instead of "hand". Raises FileNotFoundError for an unknown language.
    """
    catalogue(language)
    tokens = _spoken.set(language), _rounds.set(rounds)
    try:
        yield
    finally:
        _spoken.reset(tokens[0])
        _rounds.reset(tokens[1])


def current_language() -> str:
    """Return the code of the current language."""
    return _spoken.get()


def has_text(place: str, key: str) -> bool:
    """Return whether the catalogues have a text for this place and key.

    `place`: where people see or hear the text, e.g. "display".
    """
    return (place, key) in catalogue(ENGLISH)


def text_at(place: str, key: str, /, **values: object) -> str:
    """Return the text for this place and key in the current language, with these values in it.

    `place`: where people see or hear the text, e.g. "display".
    """
    found = catalogue(_spoken.get())
    if _rounds.get() and (place, key + ROUND) in found:
        key += ROUND
    return found.say((place, key), values)


def word(key: str, /, **values: object) -> str:
    """Return the display's text for that key, with these values in it."""
    return text_at(DISPLAY, key, **values)


def sentence(key: str, /, **values: object) -> str:
    """Return the screen reader's text for that key, with these values in it."""
    return text_at(ALOUD, key, **values)


def reader_name(name: str, seat: int = 0) -> str:
    """Return a team's name in the current language.

    Only names of deck backs are translated. seat: the team's seat number, put before a name without letters, such as an
    emoji.

    >>> with speaking("de"):
    ...     reader_name("Red"), reader_name("Anna"), reader_name("Rosso & Anna")
    ('Rot', 'Anna', 'Rot & Anna')
    >>> reader_name("Anna", 2), reader_name("🎉", 3)
    ('Anna', '3 🎉')
    """
    shown = " & ".join(back_name(part, _spoken.get()) for part in name.split(" & "))
    return shown if has_letters(name) or not seat else f"{seat} {shown}"


def wrap_rows(text: str, columns: int = PAGE_COLUMNS) -> list[str]:
    """Break a text into rows of at most `columns` characters, at spaces and after hyphens."""
    return textwrap.wrap(text, columns)


def label(key: str, **values: object) -> str:
    """Return a text of the table's, the scoreboard's or a phone's page.

    >>> label("board.hand", number=3)
    'Hand 3'
    """
    return text_at("page", key, **values)


def book(key: str, **values: object) -> str:
    """Return a text of the history, the rulebook or the setup.

    >>> book("match.number", number="A1")
    'Match A1'
    """
    return text_at("book", key, **values)


def script_texts(*beginnings: str) -> dict[str, str]:
    """Return key -> text for the page's texts whose keys begin with one of `beginnings`.

    The page's script fills in their {values}.
    """
    found = catalogue(current_language())
    return {
        key: found.text((place, key)) for place, key in found.keys if place == "page" and key.startswith(beginnings)
    }
