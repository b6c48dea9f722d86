"""The lock of a state directory, with a note that remains if its process dies.

The kernel releases the lock when its process dies. The note has the number of rows that could not be saved. It is one
block that is overwritten in place, so it needs no space on a full disk. A second block has the address of the page.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from pathlib import Path

from referee.storage.files import free_for_file

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
