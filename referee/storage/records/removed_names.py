"""Removed names: find and overwrite a name in files, and tell a hall to remove it.

`referee forget` adds a name while the table is stopped. The name is deleted from the file when the hall confirms it.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from unicodedata import normalize

import msgspec

from referee.core.documents.delivery import Forgotten
from referee.core.names import fold, tidy
from referee.core.values import Json, Value, replace
from referee.storage.files import read_small, write_small

INDEX = "mqtt.json"

FORGOTTEN = "forgotten.json"
_CASES = (str, str.lower, str.upper, str.title, str.casefold)


class Writing:
    """Finds a name in data in any letter case and Unicode form, also escaped for JSON or HTML."""

    def __init__(self, names: Iterable[str]) -> None:
        """`names`: the name as the user gave it, and its spellings in records."""
        given = {text for name in names for text in (name, tidy(name))}
        texts = {normalize(form, case(name)) for name in given for form in ("NFC", "NFD") for case in _CASES}
        quoted = {json.dumps(text, ensure_ascii=ascii_)[1:-1] for text in texts for ascii_ in (True, False)}
        forms = {text.encode().lower() for text in texts | quoted | set(map(html.escape, texts))} - {b""}
        self._forms = sorted(forms, key=len, reverse=True)
        before, behind = rb"(?:(?<![\w\x80-\xff])|(?<=\\[nrt]))", rb"(?![\w\x80-\xff])"
        if not any(char.isalpha() for text in texts for char in text):  # a number alone would be found everywhere
            before, behind = b'(?<=")', b'(?=")'
        self._words = re.compile(
            before + b"(?:" + b"|".join(map(re.escape, self._forms)) + b")" + behind, re.IGNORECASE
        )

    def may_be_in(self, data: bytes) -> bool:
        """Return whether the name's letters occur, perhaps within a longer word. Fast."""
        low = data.lower()
        return any(form in low for form in self._forms)

    def is_in(self, data: bytes) -> bool:
        """Return whether the name occurs as a word."""
        return self._words.search(data) is not None

    def overwritten(self, data: bytes) -> bytes:
        """Return the data with each name replaced by as many letters x."""
        return self._words.sub(lambda found: b"x" * len(found[0]), data)


def files_in(state: Path) -> list[Path]:
    """Return all files in the state directory, those of evenings and records first.

    `FORGOTTEN`, the list of names that a hall must remove, is left out. Links are not followed, unless the folder of
    evenings or of records is one.
    """
    first = [state / "evenings", state / "records"]
    found: dict[Path, None] = {}
    for top in (*first, state):
        for folder, _, names in os.walk(top):
            paths = (Path(folder, name) for name in sorted(names) if name != FORGOTTEN)
            found |= dict.fromkeys(path for path in paths if path.is_file() and not path.is_symlink())
    return list(found)


class _Houses(Value):
    """The file of house presets: only the fields that this module needs."""

    format: int
    presets: list[dict[str, Json]]


def without_houses(data: bytes, person: str) -> bytes | None:
    """Rename house presets that contain the person's name to "House 1" and so on.

    Return the new content, or None if the file is no file of house presets.
    """
    try:
        houses = msgspec.json.decode(data, type=_Houses)
    except (ValueError, RecursionError):
        return None
    word = re.compile(rf"(?<!\w){re.escape(fold(person))}(?!\w)")
    taken = {str(row.get("name")) for row in houses.presets}
    free = (name for number in count(1) if (name := f"House {number}") not in taken)
    due = [row for row in houses.presets if word.search(fold(str(row.get("name"))))]
    for row in due:
        row["name"] = next(free)
    return msgspec.json.encode(houses) if due else data


class _Names(Value):
    """The content of the file.

    count: of all names so far. due: the names that are not confirmed.
    """

    count: int = 0
    due: tuple[Forgotten, ...] = ()


class Forgets:
    """The names that the hall must remove, in a state directory."""

    def __init__(self, state: Path) -> None:
        self._path = state / FORGOTTEN
        self._names = read_small(self._path, _Names())

    def due(self, confirmed: int | None) -> tuple[Forgotten, ...]:
        """Return the names after number `confirmed`; none if the hall has not said which it has removed."""
        if confirmed is None:
            return ()
        before = (0, *(one.number for one in self._names.due))
        chain = (replace(one, after=after) for after, one in zip(before, self._names.due, strict=False))
        return tuple(one for one in chain if one.number > confirmed)

    def confirm(self, number: int) -> None:
        """Delete the names up to that number. Raises OSError."""
        due = tuple(one for one in self._names.due if one.number > number)
        if due != self._names.due:
            self._save(_Names(self._names.count, due))

    def add(self, name: str) -> None:
        """Add a name. Raises OSError."""
        number = self._names.count + 1
        self._save(_Names(number, (*self._names.due, Forgotten(number, name))))

    def withdraw(self) -> None:
        """Undo the last `add`. Raises OSError."""
        self._save(_Names(self._names.count - 1, self._names.due[:-1]))

    def _save(self, names: _Names) -> None:
        write_small(self._path, names)
        self._names = names


def has_hall(state: Path) -> bool:
    """Return whether this table has ever prepared results for a hall."""
    return (state / INDEX).exists()
