"""The translations: gettext catalogues at referee/locale/LANGUAGE/LC_MESSAGES/referee.po.

A message's context is the most characters that fit its place. The .po files are the only form in which they are kept:
each is compiled in memory when its language is first asked for (a few milliseconds), so nothing can be out of step and
nothing needs building. English stands in the code; its file is what a new translation begins with.
"""

from __future__ import annotations

import ast
import io
import struct
from functools import cache
from gettext import GNUTranslations
from pathlib import Path

LANGUAGES = ("en", "de", "it")
FOLDER = Path(__file__).parent.parent / "locale"
MAGIC, HEADER_BYTES, CONTEXT_END = 0x950412DE, 28, "\x04"

Key = tuple[str, str]
"""A message's context and its English text."""


def po_path(language: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / "referee.po"


@cache
def catalogue(language: str) -> GNUTranslations:
    """The translations into that language; what has none stays English."""
    entries = read_po(po_path(language).read_text(encoding="utf-8"))
    return GNUTranslations(io.BytesIO(compiled(entries)))


def read_po(text: str) -> dict[Key, str]:
    """The messages of a .po file; its header is the message ("", "").

    >>> read_po('msgctxt "8"\\nmsgid "DEAL"\\nmsgstr ""\\n"GE"\\n"BEN"\\n')
    {('8', 'DEAL'): 'GEBEN'}
    """
    return dict(_entry(block) for block in text.split("\n\n") if "msgid" in block)


def _entry(block: str) -> tuple[Key, str]:
    fields = {"msgctxt": "", "msgid": "", "msgstr": ""}
    keyword = ""
    for line in block.splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith('"'):
            keyword, _, line = line.partition(" ")
        fields[keyword] += ast.literal_eval(line)
    return (fields["msgctxt"], fields["msgid"]), fields["msgstr"]


def compiled(entries: dict[Key, str]) -> bytes:
    """The catalogue as GNU gettext's binary form (its manual, "The Format of GNU MO Files"), without a hash table."""
    named = {(f"{context}{CONTEXT_END}" if context else "") + text: said for (context, text), said in entries.items()}
    rows = [(name.encode(), said.encode()) for name, said in sorted(named.items()) if said]
    names, texts = HEADER_BYTES, HEADER_BYTES + 8 * len(rows)
    at, tables, body = HEADER_BYTES + 16 * len(rows), b"", b""
    for column in (0, 1):
        for row in rows:
            tables += struct.pack("<II", len(row[column]), at + len(body))
            body += row[column] + b"\0"
    return struct.pack("<7I", MAGIC, 0, len(rows), names, texts, 0, at) + tables + body
