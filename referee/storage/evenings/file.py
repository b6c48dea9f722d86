"""The file of the current evening, and the lock of the state directory.

A long evening has a few megabytes. With the content in memory, a file that was removed or changed is written again
under a free name.

While the file is open, spaces follow its last line. Rows that replace them do not change the file's length, so the file
system need not update its own journal.

The kernel releases the lock when its process dies. The note has the number of rows that could not be saved. It is one
block that is overwritten in place, so it needs no space on a full disk. A second block has the address of the page.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Callable
from pathlib import Path

from referee.storage.evenings.folder import PADDING, PLAIN, free_name, write_whole
from referee.storage.files import Folder, free_for_file

AHEAD_BYTES = 1 << 14
"""Number of spaces written at a time, enough for three hundred rows."""
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class EveningFile:
    """The file of an evening. `content`: the bytes of it that are safely on disk.

    After an error, the next `add` opens the file again.
    """

    def __init__(self, folder: Path, wall: Callable[[], float], path: Path | None = None, content: bytes = b"") -> None:
        """`path`, `content`: a file to continue. Without them, the first `add` begins a new file.

        When it continues a file, the first `add` removes everything after `content`.
        """
        self.path = path
        self.content = bytearray(content)
        self._folder, self._wall = folder, wall
        self._fd = -1
        self._size = -1
        """The file's last known length with spaces; -1: unknown."""

    @property
    def name(self) -> str:
        """The file's name without its suffix; "" before the first `add`."""
        return self.path.name.removesuffix(PLAIN) if self.path else ""

    def add(self, lines: bytes) -> None:
        """Append lines and sync them. Raises OSError; then nothing is added."""
        try:
            if not self._is_ours():
                self.close()
                self._open()
            self._write(lines, len(self.content))
        except BaseException:
            self.close()
            raise
        self.content += lines

    def _is_ours(self) -> bool:
        """Return whether the open file is still at its path and unchanged in length."""
        if self._fd < 0 or self.path is None:
            return False
        with contextlib.suppress(OSError):
            there = self.path.lstat()
            ours = os.fstat(self._fd)
            return (there.st_dev, there.st_ino, there.st_size) == (ours.st_dev, ours.st_ino, self._size)
        return False

    def _open(self) -> None:
        """Open the file if it still begins with `content`, else write a new one."""
        if self.path is not None and self.path.is_file() and not self.path.is_symlink():
            self._fd = os.open(self.path, _OPEN)
            if os.pread(self._fd, len(self.content), 0) == self.content:
                with Folder(self._folder, follow=True) as folder:
                    folder.sync()  # an earlier try or process may have ended before its sync
                return
            self.close()
        self.path = self._folder / f"{free_name(self._folder, self._wall())}{PLAIN}"
        write_whole(self.path, bytes(self.content))
        self._fd = os.open(self.path, _OPEN)

    def _write(self, lines: bytes, place: int) -> None:
        """Write the lines at `place`, and sync.

        Remove unknown bytes after the lines. The file ends with spaces, which new lines overwrite; if they are used up,
        write new spaces.
        """
        end = self._put(lines, place)
        if self._size < 0 and os.fstat(self._fd).st_size > end:
            os.ftruncate(self._fd, end)
        if self._size < end:
            with contextlib.suppress(OSError):  # the disk may have room for the rows, but not for the spaces
                self._put(PADDING * AHEAD_BYTES, end)
            self._size = os.fstat(self._fd).st_size
        os.fdatasync(self._fd)

    def _put(self, data: bytes, place: int) -> int:
        """Write all data at the offset `place`; return the offset after the data."""
        view = memoryview(data)
        while view:
            written = os.pwrite(self._fd, view, place)
            view, place = view[written:], place + written
        return place

    def close(self) -> None:
        """Remove the spaces after the last line, and close the file. `add` opens it again."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):
                if os.fstat(self._fd).st_size > len(self.content):
                    os.ftruncate(self._fd, len(self.content))
            os.close(self._fd)
            self._fd = self._size = -1

    def discard(self) -> None:
        """Remove a file whose first write failed. Never raises."""
        self.close()
        if self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()


_NOTE_BYTES = 256
_NOTE = re.compile(r"process (\d{1,9})\nunsaved (\d{1,15}) ?(.*)", re.DOTALL)


class JournalBusy(ValueError):  # noqa: N818 - one sentence for the user, as argparse has it
    """Another process uses this state directory."""


class Lock:
    """The lock file of a state directory, held until `release` or the process ends.

    `lost`: number of rows that the previous process could not save; `reason`: why.
    """

    def __init__(self, state: Path) -> None:
        """Take the lock. Raises JournalBusy if it is taken, OSError if it cannot be written."""
        path = state / "evenings.lock"
        free_for_file(path)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        found = _NOTE.match(os.pread(self._fd, _NOTE_BYTES, 0).decode(errors="replace"))
        address = os.pread(self._fd, _NOTE_BYTES, _NOTE_BYTES).decode(errors="replace").strip()
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._fd)
            who = f"process {found[1]}" if found else "another process"
            where = f" (its table: {address})" if address else ""
            raise JournalBusy(f"{state} is in use by {who}{where}: only one referee can write it") from None
        self.lost, self.reason = (int(found[2]), found[3].strip()) if found else (0, "")
        self.note(self.lost, self.reason)
        self.note_address("")

    def note_address(self, address: str) -> None:
        """Write the address of this process's page into the lock file. Never raises."""
        with contextlib.suppress(OSError):
            os.pwrite(self._fd, address.encode()[:_NOTE_BYTES].ljust(_NOTE_BYTES), _NOTE_BYTES)

    def note(self, lost: int = 0, reason: str = "") -> None:
        """Write into the lock file how many rows are unsaved (0: none). Never raises."""
        text = f"process {os.getpid()}\nunsaved {lost} {reason}".encode()[:_NOTE_BYTES]
        with contextlib.suppress(OSError):  # the same error keeps the rows from being saved, and is reported there
            os.pwrite(self._fd, text.ljust(_NOTE_BYTES), 0)
            if lost:
                os.fsync(self._fd)

    def release(self) -> None:
        """Release the lock."""
        os.close(self._fd)
