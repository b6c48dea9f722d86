"""What the device tells systemd: ready, alive, stopping; and which boot this is.

The protocol is one datagram of lines to the socket named in NOTIFY_SOCKET (sd_notify(3)); without that variable nothing
is sent. The watchdog's interval comes in WATCHDOG_USEC and is
meant for the process in WATCHDOG_PID (sd_watchdog_enabled(3)).
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Notifier:
    """The service manager's ear. Nothing here raises: a manager that does not listen is no reason to stop a hand."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        """`environ`: the process's own by default."""
        known = os.environ if environ is None else environ
        self._address = known.get("NOTIFY_SOCKET", "")
        ours = known.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        usec = known.get("WATCHDOG_USEC", "")
        self.watchdog_ns = int(usec) * 1_000 if ours and usec.isdigit() and int(usec) > 0 else None
        """The manager wants a sign of life within this time; None: it does not."""

    def ready(self, status: str) -> None:
        """The device is ready, `status` in words."""
        self._send(f"READY=1\nSTATUS={status}")

    def watchdog(self) -> None:
        """The device makes progress."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The device is taking itself apart."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if not self._address:
            return
        # A leading @ is how an abstract socket's zero byte is written.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as ear:
            ear.sendto(message.encode(), address)


@cache
def boot_id() -> str:
    """This boot's id from the kernel; where it gives none, one for this process: its clock's life as far as we know."""
    with suppress(OSError):
        return BOOT_ID.read_text(encoding="ascii").strip()
    return str(uuid4())
