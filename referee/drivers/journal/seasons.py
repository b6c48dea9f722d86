"""Past evenings, packed, in a file beside the journal: what grows with the years is not read at each start.

Theory of operation. A block is a head, one line of JSON under a sum of its own, and the evening's rows, compressed. The
head says which rows these are and of which journal's file, the links before the first and of the last, the matches, and
the names of people, by number; so a name can be forgotten and what the head says of the rows stays. Rows are summed as
they lie here, and their chain is reckoned anew when they are unpacked: what the last link is has to be what the head
says. Blocks are added and synced before a row is deleted from the journal; a block that was torn by a power cut is left
where it is, and written again behind it.

A block is whole, or it is no block: then `troubles` names the rows that are missing between the others.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby, pairwise, takewhile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from referee.drivers.journal.beside import sync_directory

FORMAT = 1
_MARK = b"season\t"
_LONGEST_HEAD = 2**20
_TO_JSON = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


class PackedMatch(NamedTuple):
    """A match in a block: numbers of rows as they were in the journal; wall_s and boot as its first row had them."""

    number: int
    opened_seq: int
    first_seq: int
    last_seq: int
    wall_s: int | None
    boot: str
    id: str
    link: str


class Block(NamedTuple):
    """What a block's head says. place: how many blocks of this journal's file are before it.

    before, after: links in hexadecimal, "" where rows have none. at: where the rows begin in the file, size: how long
    they are there, sum: over them.
    """

    file: str
    place: int
    first: int
    last: int
    before: str
    after: str
    matches: tuple[PackedMatch, ...]
    names: Mapping[int, str]
    size: int
    sum: str
    at: int = 0


class SeasonError(ValueError):
    """A block is not as it was written, in one sentence."""


def beside(journal: Path) -> Path:
    """Where a journal's past evenings are."""
    return journal.with_name("seasons.pack")


def compress_rows(rows: Any) -> tuple[bytes, str]:
    """Rows as they are kept, and their sum."""
    packed = zlib.compress(_TO_JSON(rows).encode(), 6)
    return packed, _sum(packed)


def blocks(path: Path) -> list[Block]:
    """The heads of all sound blocks in the order of their rows, file by file; none when there is no file. OSError."""
    try:
        with path.open("rb") as file:
            found = {(block.file, block.first): block for block in _scan(file, path.stat().st_size)}
    except FileNotFoundError:
        return []
    files = list(dict.fromkeys(block.file for block in found.values()))
    return sorted(found.values(), key=lambda block: (files.index(block.file), block.first))


def content(path: Path, block: Block) -> Any:
    """The rows of a block. SeasonError when they are not as they were written, OSError."""
    with path.open("rb") as file:
        packed = _read(file, block)
    try:
        return json.loads(zlib.decompress(packed))
    except (ValueError, zlib.error) as error:
        raise SeasonError(f"{_damage_sentence(block)}: {error}") from None


def add(path: Path, block: Block, packed: bytes) -> None:
    """Write a block behind the others; on the disk when it returns. OSError."""
    new = not path.exists()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        _write(fd, b"\n" + _head(block) + packed + b"\n")
        os.fsync(fd)
    finally:
        os.close(fd)
    if new:
        sync_directory(path.parent)


def rename(path: Path, names: Mapping[tuple[str, int], Mapping[int, str]]) -> None:
    """The whole file anew with other names in the blocks of this file and first row, or as it was. OSError.

    What could not be read as a block is left out: nobody could forget a name in it.
    """
    part = path.with_name(f"{path.name}.part")
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        with path.open("rb") as file:
            for block in blocks(path):
                changed = block._replace(names={**block.names, **names.get((block.file, block.first), {})})
                file.seek(block.at)
                _write(fd, b"\n" + _head(changed) + file.read(block.size) + b"\n")
        os.fsync(fd)
    finally:
        os.close(fd)
    part.replace(path)
    sync_directory(path.parent)


def troubles(found: Sequence[Block], current: str, through: int) -> list[str]:
    """What is missing, a sentence each: between blocks, before the first, up to row `through` of the file `current`.

    It reads heads only; `verify` reads the rows.
    """
    told = []
    for file, group in groupby(found, lambda block: block.file):
        own = list(group)
        if own[0].place > 0:
            told.append(f"past seasons before match {_first_match(own)} are missing")
        for one, two in pairwise(own):
            if (one.last + 1, one.after, one.place + 1) != (two.first, two.before, two.place):
                told.append(f"past seasons between the rows {one.last} and {two.first} are missing")
        if file == current and own[-1].last < through:
            told.append(f"past seasons behind row {own[-1].last} are missing")
    if through and all(block.file != current for block in found):
        told.append(f"the past seasons up to row {through} are missing")
    return told


def verify(path: Path, found: Iterable[Block]) -> list[str]:
    """Which of these blocks' rows are not as they were written, a sentence each. OSError."""
    told = []
    with path.open("rb") as file:
        for block in found:
            try:
                _read(file, block)
            except SeasonError as error:
                told.append(str(error))
    return told


def whole(path: Path, found: Iterable[Block], through: int) -> list[Block]:
    """These blocks up to the first one behind row `through` whose rows are not as they were written: a power cut may
    tear one before it is on the disk, and no row has been deleted for it yet. OSError."""
    return list(takewhile(lambda block: block.last <= through or not verify(path, [block]), found))


def _first_match(found: Iterable[Block]) -> int | str:
    return next((match.number for block in found for match in block.matches), "?")


def _damage_sentence(block: Block) -> str:
    numbers = [match.number for match in block.matches]
    span = f"match {numbers[0]}" if len(numbers) == 1 else f"the matches {numbers[0]} to {numbers[-1]}"
    return f"the past season with {span} is not as it was written"


# -- the file ----------------------------------------------------------------------------------------------------------


def _scan(file: BinaryIO, size: int) -> Iterator[Block]:
    """Each sound head whose rows are there in full; behind what is none, the next line that looks like one."""
    at = 0
    while at < size:
        file.seek(at)
        line = file.readline(_LONGEST_HEAD)
        if line == b"\n":
            at += 1
            continue
        block = _block(line, at + len(line))
        end = at if block is None else block.at + block.size
        file.seek(end)
        if block is not None and file.read(1) == b"\n":
            yield block
            at = end + 1
        else:
            at = _next_mark(file, at + 1, size)


def _next_mark(file: BinaryIO, start: int, size: int) -> int:
    file.seek(start)
    found = file.read().find(b"\n" + _MARK)
    return size if found < 0 else start + found + 1


def _head(block: Block) -> bytes:
    fields = block._asdict()
    fields["matches"] = [list(match) for match in block.matches]
    fields["names"] = {str(number): name for number, name in block.names.items()}
    del fields["at"]
    text = _TO_JSON({"format": FORMAT, **fields}).encode()
    return _MARK + _sum(text).encode() + b"\t" + text + b"\n"


def _block(line: bytes, at: int) -> Block | None:
    """The block of a head; None for a line that is none, or is damaged."""
    mark, sum_, text = (*line.rstrip(b"\n").split(b"\t", 2), b"", b"")[:3]
    if mark + b"\t" != _MARK or sum_.decode("ascii", "replace") != _sum(text):
        return None
    fields = json.loads(text)
    if fields.pop("format") != FORMAT:
        return None
    fields["matches"] = tuple(PackedMatch(*match) for match in fields["matches"])
    fields["names"] = {int(number): name for number, name in fields["names"].items()}
    return Block(**fields, at=at)


def _read(file: BinaryIO, block: Block) -> bytes:
    file.seek(block.at)
    packed = file.read(block.size)
    if _sum(packed) != block.sum:
        raise SeasonError(_damage_sentence(block))
    return packed


def _write(fd: int, content: bytes) -> None:
    """All of it: a disk that takes a part and no more raises at the next try."""
    while content:
        content = content[os.write(fd, content) :]


def _sum(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
