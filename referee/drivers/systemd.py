"""Telling systemd how we are, that it is to switch off, and which boot this is. No library: one datagram of text.

systemd names a socket in NOTIFY_SOCKET (sd_notify(3)): a path, or with "@" in front a name in the abstract space. Each
message is lines of KEY=value. Without that variable nothing is sent, so the same program runs in a terminal. A message
that cannot be sent is dropped: the service manager's trouble is none of the table's.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from referee.core.units import US

OFF_NOTE = "off"
"""The file in the service's runtime directory that referee-off.path waits for."""
GOING_DOWN_NOTE = "going-down"
"""The file there that referee-going-down.service makes before the referee is stopped with the machine."""
TONE_LINK = "tone"
"""The link there to the channel that the piezo is on; referee.service silences it when the daemon has ended."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Notifier:
    """The way to the service manager that started us, if one did.

    >>> Notifier({}).ready("lobby")  # no NOTIFY_SOCKET, nothing happens
    False
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        """environ: where NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are looked up; the process's own by default."""
        given = os.environ if environ is None else environ
        self._address = _address(given.get("NOTIFY_SOCKET", ""))
        self.watchdog_ns = _watchdog_ns(given)
        """systemd kills us after this long (ns) without `watchdog`; None: it does not watch."""

    @property
    def watched(self) -> bool:
        """Whether a service manager has started us and wants to know how we are."""
        return self._address is not None

    def ready(self, status: str = "") -> bool:
        """READY=1: buttons are armed and the screen is up. All methods say whether the message went out."""
        return self._send("READY=1", *_status(status))

    def status(self, text: str) -> bool:
        """STATUS=: one line for `systemctl status`."""
        return self._send(*_status(text))

    def watchdog(self) -> bool:
        """WATCHDOG=1: everything makes progress. To be called twice in every `watchdog_ns`."""
        return self._send("WATCHDOG=1")

    def stopping(self, status: str = "") -> bool:
        """STOPPING=1: an orderly end has begun."""
        return self._send("STOPPING=1", *_status(status))

    def _send(self, *lines: str) -> bool:
        if self._address is None or not lines:
            return False
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as way,
        ):
            way.setblocking(False)
            way.sendto("\n".join(lines).encode(errors="replace"), self._address)
            return True
        return False


@cache
def boot_id(path: Path = BOOT_ID) -> str:
    """The kernel's name for this boot; where there is none, a name for this process, whose clock nobody else shares."""
    with contextlib.suppress(OSError):
        found = path.read_text("ascii", "replace").strip()
        if found:
            return found
    from uuid import uuid4  # costs 3 ms, and Linux has the file

    return f"unknown-{uuid4()}"


def _status(text: str) -> tuple[str, ...]:
    return ("STATUS=" + " ".join(text.split()),) if text else ()


def _address(name: str) -> str | None:
    """The socket's address; None for none, and for the kinds (vsock) that only guests of a virtual machine get."""
    if name.startswith("@"):
        return "\0" + name[1:]
    return name if name.startswith("/") else None


def _watchdog_ns(environ: Mapping[str, str]) -> int | None:
    """WATCHDOG_USEC in ns, unless WATCHDOG_PID says that it is meant for another process."""
    usec = environ.get("WATCHDOG_USEC", "")
    meant = environ.get("WATCHDOG_PID") or str(os.getpid())
    if not (usec.isascii() and usec.isdigit()) or meant != str(os.getpid()):
        return None
    return int(usec) * US or None


def ask_power_off(environ: Mapping[str, str] | None = None) -> bool:
    """Leave the note at which the machine is switched off (systemd/referee-off.path); whether it could be left.

    Without RUNTIME_DIRECTORY no service manager has started us, and the machine stays on. Raises OSError.

    >>> ask_power_off({})
    False
    """
    directory = _runtime_directory(environ)
    if directory is None:
        return False
    (directory / OFF_NOTE).touch()
    return True


def goes_down(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the machine is being switched off or started anew, and not the referee alone.

    >>> goes_down({})
    False
    """
    directory = _runtime_directory(environ)
    return directory is not None and (directory / GOING_DOWN_NOTE).exists()


def leave_tone(node: Path, environ: Mapping[str, str] | None = None) -> bool:
    """Leave word of the PWM channel that sounds, for the unit that ends the tone of a dead daemon; whether it could be.

    A link in the service's runtime directory; what stands there of a life before is replaced. Raises OSError.

    >>> leave_tone(Path("pwm1"), {})
    False
    """
    directory = _runtime_directory(environ)
    if directory is None:
        return False
    link = directory / TONE_LINK
    if not link.is_symlink() or link.readlink() != node:
        fresh = directory / f"{TONE_LINK}.new"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(node)
        fresh.replace(link)
    return True


def _runtime_directory(environ: Mapping[str, str] | None) -> Path | None:
    """Where a service manager that has started us lets us leave word."""
    given = os.environ if environ is None else environ
    directory = given.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(directory) if directory else None
