"""A disk's record of writes, and the possible contents after a power cut."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rig.blocklog import DISCARD, FLUSH, FUA, MAGIC, SECTOR, Disk, LogError, Request, requests, told_sector

SECTORS = 16
BEHIND = SECTORS * SECTOR


def written(number: int, filled: int, flags: int = 0) -> Request:
    return Request(number * SECTOR, bytes([filled]) * SECTOR, SECTOR, flags)


def packed(*asked: Request) -> bytes:
    """Return the record as QEMU writes it."""
    whole = struct.pack("<QQQL", MAGIC, 1, len(asked), SECTOR).ljust(SECTOR, b"\0")
    for one in asked:
        entry = struct.pack("<QQQQ", one.offset // SECTOR, one.length // SECTOR, one.flags, 0)
        whole += entry.ljust(SECTOR, b"\0") + one.data
    return whole


FLUSHED = Request(0, b"", 0, FLUSH)
FORGOTTEN = Request(SECTOR, b"", SECTOR, DISCARD)


def test_a_record_is_read_as_it_was_written() -> None:
    asked = [written(3, 7), FLUSHED, FORGOTTEN, written(0, 1, FUA)]
    assert list(requests(packed(*asked))) == asked
    with pytest.raises(LogError, match="allowed is a record"):
        list(requests(bytes(4096)))
    with pytest.raises(LogError, match="request 3 of 4 is not there"):
        list(requests(packed(*asked)[: -2 * SECTOR]))


@given(st.lists(st.tuples(st.integers(0, SECTORS - 1), st.integers(1, 255), st.sampled_from((0, 0, 0, FUA, FLUSH)))))
def test_what_was_flushed_is_there_and_nothing_that_was_never_written(asked: list[tuple[int, int, int]]) -> None:
    """Each sector has its content at the last flush, or one written since."""
    disk, sure = Disk(bytes(BEHIND), BEHIND), dict.fromkeys(range(SECTORS), 0)
    since: dict[int, set[int]] = {n: set() for n in sure}
    now = dict(sure)
    for number, filled, flags in asked:
        request = FLUSHED if flags == FLUSH else written(number, filled, flags)
        disk.take(request)
        if flags == FLUSH:
            sure, since = dict(now), {n: set() for n in sure}
        else:
            now[number] = filled
            since[number].add(filled)
            if flags == FUA:
                sure[number] = filled
    for seed in range(4):
        left = disk.cut(random.Random(seed))
        for number in sure:
            assert left[number * SECTOR] in since[number] | {sure[number]}


def test_rows_are_durable_from_the_moment_on_at_which_the_disk_was_told() -> None:
    """The sector behind the file system is not part of it."""
    disk = Disk(bytes(BEHIND), BEHIND)
    disk.take(Request(BEHIND, told_sector(41), SECTOR, 0))
    disk.take(written(0, 1))
    assert disk.durable == 41
    assert len(disk.cut(random.Random(1))) == BEHIND
