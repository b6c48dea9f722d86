"""A name overwritten where it stands in a file that SQLite has given up; all else in it stays, byte for byte.

A long row is continued in pages of its own, each with the next one's number before its content; so a name may stand in
two parts, the first before a page's number and the second in that page. Both parts are found by that number.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from mmap import mmap
from pathlib import Path

from referee.drivers.journal.carve import PAGES

_LOG_HEAD, _FRAME_HEAD = 32, 24
Content = bytes | mmap
"""What is read of a file, or the file as memory."""


def written_forms(person: str) -> set[bytes]:
    """The name as journals write it, in quotes, with and without escapes."""
    return {json.dumps(person).encode(), json.dumps(person, ensure_ascii=False).encode()}


def places(content: Content, person: str) -> list[tuple[int, int]]:
    """Where the name stands: start and end of what is between its quotes, two for one that is split."""
    found = []
    for text in sorted(written_forms(person)):
        found += [(at.start() + 1, at.end() - 1) for at in re.finditer(re.escape(text), content)]
        for size in PAGES:
            for number, start in _pages(content, size):
                found += _split(content, text, number, start, size)
    return found


def scrub(path: Path, found: Iterable[tuple[int, int]]) -> None:
    """Overwrite what is at these places with as many letters x, and wait for the disk. OSError."""
    with path.open("r+b") as file:
        for start, end in found:
            file.seek(start)
            file.write(b"x" * (end - start))
        file.flush()
        os.fsync(file.fileno())


def _pages(content: Content, size: int) -> Iterator[tuple[int, int]]:
    """The number and the place of each page, of a database or of its log."""
    if content[:3] == b"\x37\x7f\x06":
        for start in range(_LOG_HEAD, len(content) - size - _FRAME_HEAD + 1, size + _FRAME_HEAD):
            yield int.from_bytes(content[start : start + 4], "big"), start + _FRAME_HEAD
    else:
        yield from ((start // size + 1, start) for start in range(0, len(content) - size + 1, size))


def _split(content: Content, text: bytes, number: int, start: int, size: int) -> Iterator[tuple[int, int]]:
    """Both parts of a name whose second one begins this page; what is between the quotes."""
    pointer = number.to_bytes(4, "big")
    for cut in range(1, len(text)):
        first, second = text[:cut], text[cut:]
        if content[start + 4 : start + 4 + len(second)] != second:
            continue
        local = [at.start() for at in re.finditer(re.escape(first + pointer), content)]
        before = [page + size - cut for _, page in _pages(content, size) if content[page : page + 4] == pointer]
        for at in (*local, *(place for place in before if content[place : place + cut] == first)):
            yield at + 1, at + cut
            yield start + 4, start + 4 + len(second) - 1
