"""The files beside a journal: the lock, and the high-water mark.

Two processes are kept apart by a lock that the kernel drops when its holder dies. The lock file also holds a note of
one block, overwritten in place, which needs no space on a full disk: up to which row saving has failed. The next start
finds it there and knows that rows are missing.

The high-water mark says up to which row the journal was durable, and with which link of the chain. SQLite drops the end
of its log without a word when a bit in it has flipped; the mark knows better. It has two places that are written in
turn, so that a write torn by a power cut leaves the one before.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from referee.drivers.journal.schema import JournalBusy
from referee.files import SMALL_BYTES, read_regular, set_aside

_NOTE_BYTES = 256
_ROW = re.compile("[0-9]{1,15}")
_PLACE_BYTES = 128
_PLACES = (0, 4096)
"""Where the mark is written, in turn: two blocks of any disk."""


class Lock:
    """The lock file beside a journal, held until `release` or death."""

    def __init__(self, path: Path) -> None:
        """Take it. JournalBusy if another process has it, OSError if the directory cannot be written."""
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            words = self._read().split()
            os.close(self._fd)
            who = f"process {words[1]}" if words[:1] == ["process"] else "another process"
            raise JournalBusy(f"{path.with_suffix('.db')} is in use by {who}: only one referee can write it") from None
        self.unsaved_until, self.reason = self._parse(self._read())
        """What the last holder noted; it stands in the file until `note` is called again."""
        self.note(self.unsaved_until, self.reason)

    def note(self, unsaved_until: int = 0, reason: str = "") -> None:
        """Write down that rows up to this number are not saved (0: all are). Does its best, never raises."""
        text = f"process {os.getpid()}\nunsaved {unsaved_until} {reason}\n".encode()[:_NOTE_BYTES]
        with contextlib.suppress(OSError):  # the trouble that keeps the rows from being saved, and told already
            os.pwrite(self._fd, text.ljust(_NOTE_BYTES), 0)
            if unsaved_until:
                os.fsync(self._fd)

    def release(self) -> None:
        """Give the lock up, for another process."""
        os.close(self._fd)

    def _read(self) -> str:
        return os.pread(self._fd, _NOTE_BYTES, 0).decode(errors="replace")

    @staticmethod
    def _parse(text: str) -> tuple[int, str]:
        words = text.split(maxsplit=4)
        if len(words) >= 4 and words[2] == "unsaved" and _ROW.fullmatch(words[3]):
            return int(words[3]), " ".join(words[4:]).strip()
        return 0, ""


class High(NamedTuple):
    """Which file (its random name), its last durable row, and that row's link."""

    file: bytes
    seq: int
    link: bytes


class HighWater:
    """The mark beside the journal. A disk that is in the way costs its news, and nothing else."""

    def __init__(self, path: Path) -> None:
        """Read what is there; nothing is made before `set`."""
        self.path = path
        self._turn = 0
        self._fd: int | None = None
        self.found = self._read()
        """What the last process left; None when there is no mark."""

    def set(self, high: High, *, sync: bool) -> None:
        """Note it, over the older of the two. sync: wait until it is on the disk. Never raises."""
        text = f"{high.seq} {high.file.hex()} {high.link.hex()}"
        line = f"{_sum(text)} {text}\n".encode().ljust(_PLACE_BYTES)
        with contextlib.suppress(OSError):
            if self._fd is None:
                self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            os.pwrite(self._fd, line, _PLACES[self._turn])
            if sync:
                os.fsync(self._fd)
                self._turn = (
                    1 - self._turn
                )  # what is sure stays; what is not, is one block for the system's own writing

    def close(self) -> None:
        """Close the file of the mark; a second call changes nothing."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _read(self) -> High | None:
        try:
            content = read_regular(self.path, SMALL_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            set_aside(self.path, error)
            return None
        places = [_high(content[place : place + _PLACE_BYTES]) for place in _PLACES]
        best = max((high for high in places if high), key=lambda high: high.seq, default=None)
        self._turn = 1 - places.index(best) if best else 0
        return best


def _high(line: bytes) -> High | None:
    """The mark in one place; None for one that is torn or damaged."""
    sum_, _, text = line.decode("ascii", "replace").strip().partition(" ")
    words = text.split(" ")
    if sum_ != _sum(text) or len(words) != 3 or not _ROW.fullmatch(words[0]):
        return None
    try:
        return High(bytes.fromhex(words[1]), int(words[0]), bytes.fromhex(words[2]))
    except ValueError:
        return None


def _sum(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def sync_directory(path: Path) -> None:
    """What was renamed or made there is so after a power cut, too."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
