"""Where a person's name may be in the state directory besides the journal, its records and seasons, and the archive.

`OWN` and `NAMELESS` are the only list of the files that we know. Any other file, whatever put it there (a damaged file
that was set aside, an export, half a file that a power cut left), may hold a name and is searched byte by byte.
"""

from __future__ import annotations

import html
import mmap
import os
import re
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from unicodedata import normalize

import msgspec

from referee.core.names import fold
from referee.core.values import Json, Value
from referee.drivers.journal.scrub import places, scrub, written_forms
from referee.files import SMALL_BYTES, read_regular, write_small

HOUSES = "houses.json"
OWN = frozenset(
    {"journal.db", "journal.db-wal", "journal.db-shm", "journal.db-journal"}
    | {"archive.db", "archive.db-journal", "matches.log", "seasons.pack", HOUSES}
)
"""Files that are changed entry by entry, so that they stay what they are."""
NAMELESS = frozenset({"journal.lock", "journal.mark", "phones.json"})
"""Files of ours that hold no name."""


def other_files(state: Path) -> list[Path]:
    """Every further file at any depth, without following links."""
    found = []
    ours = OWN | NAMELESS if houses_of(state) else (OWN | NAMELESS) - {HOUSES}
    for folder, _, names in os.walk(state):
        for name in names:
            path = Path(folder, name)
            known = path.parent == state and name in ours
            if not known and path.is_file() and not path.is_symlink() and path.stat().st_size:
                found.append(path)
    return sorted(found)


def spellings(person: str, known: Iterable[str]) -> set[str]:
    """How that name is written here, and in the forms in which other files may have it."""
    forms = {normalize(form, spelling) for form in ("NFC", "NFD") for spelling in (person, person.strip())}
    return {person, *forms, *(name for name in known if fold(name) == fold(person))}


def count_mentions(state: Path, names: Iterable[str]) -> int:
    """How often those other files hold one of the names."""
    return sum(len(found) for _, found in _found_in(state, frozenset(names)))


def overwrite(state: Path, names: Iterable[str]) -> list[str]:
    """Put as many letters x in the place of each name, wait for the disk; the files in which one was. OSError."""
    changed = []
    for path, found in _found_in(state, frozenset(names)):
        scrub(path, found)
        changed.append(str(path.relative_to(state)))
    return changed


def _found_in(state: Path, names: frozenset[str]) -> Iterator[tuple[Path, list[tuple[int, int]]]]:
    """Each file that holds a name, and where."""
    for path in other_files(state):
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if _is_journal(path):
                found = {place for name in names for place in places(content, name)}
            else:
                found = {at.span() for at in _words(names).finditer(content)}
        if found:
            yield path, sorted(found)


def _is_journal(path: Path) -> bool:
    """Whether it is one of ours that was set aside, which holds texts in quotes, over two pages as well."""
    return path.name.startswith(("journal-damaged-", "journal-rescued"))


def _words(names: Iterable[str]) -> re.Pattern[bytes]:
    """The names as words of their own, as they are, in JSON and in HTML; in quotes alone where one is but a number."""
    found = []
    for name in names:
        forms = {form[1:-1] for form in written_forms(name)} | {html.escape(name).encode()}
        ends = (rb"(?<![\w\x80-\xff])", rb"(?![\w\x80-\xff])") if re.search(r"[^\W\d]", name) else (b'(?<=")', b'(?=")')
        found += [
            ends[0] + re.escape(form) + ends[1] for form in sorted(forms - {b""}, key=bytes.__len__, reverse=True)
        ]
    return re.compile(b"|".join(sorted(found)))


# -- house presets -----------------------------------------------------------------------------------------------------


class Houses(Value):
    """The file of house presets, as far as names are concerned."""

    format: int
    presets: list[dict[str, Json]]

    def named_after(self, person: str) -> list[dict[str, Json]]:
        """Those whose name holds the person's name as a word."""
        word = re.compile(rf"(?<!\w){re.escape(fold(person))}(?!\w)")
        return [row for row in self.presets if word.search(fold(str(row.get("name"))))]


def houses_of(state: Path) -> Houses | None:
    """The house presets there; None where there are none, or none that can be read."""
    try:
        return msgspec.json.decode(read_regular(state / HOUSES, SMALL_BYTES), type=Houses)
    except (OSError, ValueError, RecursionError):
        return None


def rename_houses(state: Path, person: str) -> None:
    """Call each that is named after the person "House 1", or by the next number that is free. OSError."""
    houses = houses_of(state)
    if houses is None or not (rows := houses.named_after(person)):
        return
    taken = {str(row.get("name")) for row in houses.presets}
    free = (name for number in count(1) if (name := f"House {number}") not in taken)
    for row in rows:
        row["name"] = next(free)
    write_small(state / HOUSES, houses)
