"""The record of a disk's writes that QEMU's `blklogwrites` makes, read; and the disk as a power cut leaves it.

The format is that of the kernel's dm-log-writes (Documentation/admin-guide/device-mapper/log-writes.rst): a super block
in the first sector, then for each request a sector with its place, length and kind, and behind it what was written.

The model of a disk: what was written before a flush that has come back is there, and so is a write that was forced
(FUA). Of what came since anything may be missing, of each write any of its sectors.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

SECTOR = 512
MAGIC, VERSION = 0x6A736677736872, 1
FLUSH, FUA, DISCARD = 1, 2, 4
_SUPER, _ENTRY = struct.Struct("<QQQL"), struct.Struct("<QQQQ")
_TOLD = struct.Struct("<16sQ")
_MARK = b"referee durable:"


class Request(NamedTuple):
    """What the disk was asked for: to write these bytes there, to forget so many, to flush."""

    offset: int
    data: bytes
    length: int
    flags: int


class LogError(ValueError):
    """This is no such record, in one sentence."""


def requests(log: bytes) -> Iterator[Request]:
    """Everything that was asked of the disk, in order. Raises LogError."""
    magic, version, count, size = _SUPER.unpack_from(log)
    if (magic, version) != (MAGIC, VERSION) or size < SECTOR:
        raise LogError(f"magic {magic:#x}, version {version} is given, allowed is a record of blklogwrites")
    at = size
    for number in range(count):
        if at + _ENTRY.size > len(log):
            raise LogError(f"request {number} of {count} is not there any more")
        sector, sectors, flags, _ = _ENTRY.unpack_from(log, at)
        at += size
        length = sectors * size
        data = b"" if flags & DISCARD else log[at : at + length]
        at += len(data)
        yield Request(sector * size, data, length, flags)


def told_sector(number: int) -> bytes:
    """The sector that says up to which row all are durable."""
    return _TOLD.pack(_MARK, number).ljust(SECTOR, b"\0")


def told(request: Request, offset: int) -> int | None:
    """The number in a request that writes such a sector there; None for any other."""
    if request.offset != offset or not request.data.startswith(_MARK):
        return None
    return int(_TOLD.unpack_from(request.data)[1])


class Disk:
    """A disk that is given one request after the other. `offset`: where rows are said to be durable."""

    def __init__(self, image: bytes, offset: int) -> None:
        self._sure, self._since, self._offset = bytearray(image), list[Request](), offset
        self.durable = 0

    def take(self, request: Request) -> None:
        """The next one."""
        number = told(request, self._offset)
        if number is not None:
            self.durable = number
            return
        if request.flags & FLUSH:
            for one in self._since:
                _write(self._sure, one)
            self._since.clear()
        if request.data or request.flags & DISCARD:
            self._since.append(request)

    def cut(self, chance: random.Random) -> bytes:
        """What may be on it when the power goes now."""
        image, kept = bytearray(self._sure), chance.choice((0.0, 0.3, 0.7, 1.0))
        for one in self._since:
            if one.flags & FUA or chance.random() < kept:
                _write(image, one)
            elif one.data and chance.random() < 0.5:
                for start in range(0, len(one.data), SECTOR):
                    if chance.random() < 0.5:
                        _write(image, Request(one.offset + start, one.data[start : start + SECTOR], SECTOR, 0))
        return bytes(image)


def _write(image: bytearray, request: Request) -> None:
    data = bytes(request.length) if request.flags & DISCARD else request.data
    image[request.offset : request.offset + len(data)] = data


def last_told(asked: Sequence[Request], offset: int) -> int:
    """The last number that was told; 0: none."""
    return max((number for one in asked if (number := told(one, offset)) is not None), default=0)
