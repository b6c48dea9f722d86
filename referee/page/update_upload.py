"""Updates from the host's phone: store the file and let the update program check it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from referee.core.messages import msg
from referee.core.phases.update import Said
from referee.language.say import message_speech
from referee.language.words import sentence
from referee.protocol.processes import run_once
from referee.storage.update_report import read_said

SENT = "sent"
"""The file from a phone, in the update program's folder."""
MOST_BYTES = 256 << 20
SPARE_BYTES = 64 << 20
"""Bytes that must stay free on the disk."""
CHECK_S = 180.0
"""Time in s after which the update program is killed while it checks the file."""
UNREADABLE = msg("toast.update_unreadable")


class UpdateError(Exception):
    """The file cannot be received. kind: one of `KINDS`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def said_text(said: Said | None) -> str:
    """Return a report as a sentence in the current language; "" if there is nothing to say."""
    if said is None or not (said.offered or said.note):
        return ""
    return message_speech(said.note) if said.note else sentence("update.offer", version=said.offered)


class UpdateInbox:
    """Receives updates from phones, one at a time."""

    def __init__(self, program: Sequence[str] = ()) -> None:
        """`program`: the update program and its folder; () if this device takes no updates."""
        self._program = tuple(program)
        self._taking = asyncio.Lock()

    @property
    def said(self) -> str | None:
        """Return the last report as a sentence in the current language; None without updates."""
        return said_text(read_said(Path(self._program[1]))) if self._program else None

    async def take(self, parts: AsyncIterator[bytes]) -> Said:
        """Write the file, let the program check it, and return its report. Raises UpdateError.

        Only for a device that takes updates.
        """
        if self._taking.locked():
            raise UpdateError("unreadable")
        program, folder = self._program
        async with self._taking:
            sent = Path(folder) / SENT
            try:
                await _write(sent, parts)
                await run_once((program, "check"), CHECK_S)
            except OSError:
                raise UpdateError("unreadable") from None
            finally:
                sent.unlink(missing_ok=True)
            said = read_said(Path(folder))
        if said is None:
            raise UpdateError("unreadable")
        return said


async def _write(path: Path, parts: AsyncIterator[bytes]) -> None:
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    left = MOST_BYTES
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        async for part in parts:
            left -= len(part)
            free = os.statvfs(path.parent)
            if left < 0:
                raise UpdateError("huge")
            if free.f_bavail * free.f_frsize < SPARE_BYTES:
                raise UpdateError("space")
            await asyncio.to_thread(file.write, part)
