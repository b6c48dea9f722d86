"""Read the record of a disk's writes made by QEMU's `blklogwrites`, and rebuild the disk after a power cut.

The format is that of the kernel's dm-log-writes (Documentation/admin-guide/device-mapper/log-writes.rst): a super block
in the first sector, then for each request a sector with its place, length and kind, followed by the data.

The model of a disk: writes before a completed flush are kept, and so are forced writes (FUA). Of later writes any may
be missing, and of each any sectors.
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
    """A request to the disk: write bytes, discard a range, or flush."""

    offset: int
    data: bytes
    length: int
    flags: int


class LogError(ValueError):
    """A file is not such a record; the message is one sentence."""


def requests(log: bytes) -> Iterator[Request]:
    """Yield all requests to the disk in order. Raises LogError."""
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
    """Return the sector that holds the number of the last durable row."""
    return _TOLD.pack(_MARK, number).ljust(SECTOR, b"\0")


def told(request: Request, offset: int) -> int | None:
    """Return the number in a request that writes such a sector at `offset`, else None."""
    if request.offset != offset or not request.data.startswith(_MARK):
        return None
    return int(_TOLD.unpack_from(request.data)[1])


class Disk:
    """A disk that processes requests.

    `offset`: place of the sector with the durable row's number.
    """

    def __init__(self, image: bytes, offset: int) -> None:
        self._sure, self._since, self._offset = bytearray(image), list[Request](), offset
        self.durable = 0

    def take(self, request: Request) -> None:
        """Process the next request."""
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
        """Return a possible content of the disk after a power cut now."""
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
    """Return the last number written, or 0."""
    return max((number for one in asked if (number := told(one, offset)) is not None), default=0)
