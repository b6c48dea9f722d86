"""The file of the current evening: appended, synced, and kept in memory.

A long evening has a few megabytes. With the content in memory, a file that was removed or changed is written again
under a free name.

While the file is open, spaces follow its last line. Rows that replace them do not change the file's length, so the file
system need not update its own journal.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from referee.storage.evenings.folder import PADDING, PLAIN, free_name, write_whole
from referee.storage.files import Folder

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
