"""The catalogues: gettext's referee/locale/LANGUAGE/LC_MESSAGES/referee.po, one a language, English like the others.

A message is a key at a place: msgid is the key, msgctxt the place, msgstr what is said there. Where it depends on a
count there are plural forms, chosen by the file's Plural-Forms. The .po files are the only form in which they are kept:
a file is cut into its entries when its language is first asked for, and an entry is read when it is first said, so
nothing can be out of step, nothing needs building, and no start waits for texts that nobody sees.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from referee.core import names

LANGUAGES = tuple(names.LANGUAGES)
ENGLISH = "en"
FOLDER = Path(__file__).parent.parent / "locale"

Key = tuple[str, str]
"""What finds a text in a catalogue: the place where it is said (msgctxt), and the message's key (msgid)."""
_HEAD = re.compile(r'^msgctxt "(.*)"\nmsgid "(.*)"\n', re.MULTILINE)
_FORM = re.compile(r"^(msgid_plural|msgstr(?:\[\d\])?) ", re.MULTILINE)
_RULE = re.compile(r"plural=([^;]*);")
_TWO = "(n != 1)"


class Catalogue:
    """The messages of one language, read one by one as they are asked for."""

    def __init__(self, text: str) -> None:
        """text: a .po file's."""
        heads = list(_HEAD.finditer(text))
        ends = [*(head.start() for head in heads[1:]), len(text)]
        self._unread = {head.groups(): (head.end(), end) for head, end in zip(heads, ends, strict=True)}
        self._text, self._read = text, dict[Key, tuple[str, ...]]()
        rule = _RULE.search(text)
        self._rule = rule[1] if rule else _TWO

    @property
    def keys(self) -> tuple[Key, ...]:
        """Every message, in the file's order."""
        return tuple((place, key) for place, key in self._unread)

    def forms(self, key: Key) -> tuple[str, ...]:
        """What is said: one text, or one for each plural form. LookupError for a message that is not there."""
        found = self._read.get(key)
        if found is None:
            begin, end = self._unread[key]
            found = self._read[key] = _forms(self._text[begin:end])
        return found

    def text(self, key: Key, count: object = None) -> str:
        """The text for a count, or for none; the key itself where there is no text, which is seen and harmless."""
        try:
            forms = self.forms(key)
        except LookupError:
            return key[1]
        if len(forms) > 1 and isinstance(count, int):
            return forms[min(_plural(self._rule)(abs(count)), len(forms) - 1)] or key[1]
        return forms[-1] or key[1]


def po_path(language: str) -> Path:
    """Where a language's catalogue is kept."""
    return FOLDER / language / "LC_MESSAGES" / "referee.po"


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of that language. FileNotFoundError for one that there is not."""
    return Catalogue(po_path(language).read_text(encoding="utf-8"))


def _forms(entry: str) -> tuple[str, ...]:
    """The texts of an entry, from what stands behind its key.

    >>> _forms('msgstr ""\\n"GE"\\n"BEN"\\n')
    ('GEBEN',)
    >>> _forms('msgid_plural "hands"\\nmsgstr[0] "{count} hand"\\nmsgstr[1] "{count} hands"\\n')
    ('{count} hand', '{count} hands')
    """
    _, *parts = _FORM.split(entry)
    return tuple(_unquote(text) for name, text in zip(parts[::2], parts[1::2], strict=True) if name != "msgid_plural")


def _unquote(quoted: str) -> str:
    """A text that may go over several lines, each in its quotes."""
    return "".join(ast.literal_eval(line) for line in quoted.splitlines() if line.startswith('"'))


@cache
def _plural(rule: str) -> Callable[[int], int]:
    """Which form a count takes, by the rule that the catalogue's head says."""
    if rule == _TWO:
        return lambda count: int(count != 1)
    from gettext import c2py  # of the languages that have other forms; English needs no parser

    return c2py(rule)
