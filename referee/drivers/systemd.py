"""systemd and the release: notifications, requests to power off or update, and the program's version.

systemd names a socket in NOTIFY_SOCKET (sd_notify(3)): a path, or an abstract name after "@". Each message has lines of
KEY=value. Without the variable nothing is sent, so the program also runs in a terminal. Messages that cannot be sent
are dropped.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path

from referee import __version__, core
from referee.core.units import US

OFF_NOTE, UPDATE_NOTE = "off", "update"
"""Files in the runtime directory that trigger referee-off.path and referee-update.path."""
GOING_DOWN_NOTE = "going-down"
"""A file there, created by referee-going-down.service before a shutdown stops the referee."""
TONE_LINK = "tone"
"""A link there to the piezo's channel. referee.service silences it after the daemon ends."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Notifier:
    """Sends messages to the service manager that started this program, if any.

    >>> Notifier({}).ready("lobby")  # no NOTIFY_SOCKET, nothing happens
    False
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        """environ: has NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID; default: os.environ."""
        given = os.environ if environ is None else environ
        self._address = _address(given.get("NOTIFY_SOCKET", ""))
        self.watchdog_ns = _watchdog_ns(given)
        """systemd kills us after this many ns without `watchdog`; None: no watchdog."""

    @property
    def watched(self) -> bool:
        """Return whether a service manager wants notifications."""
        return self._address is not None

    def ready(self, status: str) -> bool:
        """Send READY=1: buttons and display work. All methods return whether a message was sent."""
        return self._send("READY=1", "STATUS=" + " ".join(status.split()))

    def watchdog(self) -> bool:
        """Send WATCHDOG=1. Call it twice in every `watchdog_ns`."""
        return self._send("WATCHDOG=1")

    def stopping(self) -> bool:
        """Send STOPPING=1: the program is ending."""
        return self._send("STOPPING=1")

    def _send(self, *lines: str) -> bool:
        if self._address is None:
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
    """Return the kernel's boot ID, or a unique one for this process if there is none."""
    with contextlib.suppress(OSError):
        found = path.read_text("ascii", "replace").strip()
        if found:
            return found
    from uuid import uuid4  # imported here: it takes 3 ms, and Linux has the file

    return f"unknown-{uuid4()}"


def _address(name: str) -> str | None:
    """Return the socket's address; None if there is none, or for vsock (in virtual machines)."""
    if name.startswith("@"):
        return "\0" + name[1:]
    return name if name.startswith("/") else None


def _watchdog_ns(environ: Mapping[str, str]) -> int | None:
    """Return WATCHDOG_USEC in ns, or None if WATCHDOG_PID names another process."""
    usec = environ.get("WATCHDOG_USEC", "")
    meant = environ.get("WATCHDOG_PID") or str(os.getpid())
    if not (usec.isascii() and usec.isdigit()) or meant != str(os.getpid()):
        return None
    return int(usec) * US or None


def ask_systemd(note: str, environ: Mapping[str, str] | None = None) -> bool:
    """Create the file that requests power off (OFF_NOTE) or an update (UPDATE_NOTE).

    Return False without RUNTIME_DIRECTORY, which only a service has. Raises OSError.

    >>> ask_systemd(OFF_NOTE, {})
    False
    """
    directory = runtime_directory(environ)
    if directory is None:
        return False
    (directory / note).touch()
    return True


def goes_down(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether the machine is shutting down or restarting, not only the referee.

    >>> goes_down({})
    False
    """
    directory = runtime_directory(environ)
    return directory is not None and (directory / GOING_DOWN_NOTE).exists()


def leave_tone(node: Path, environ: Mapping[str, str] | None = None) -> bool:
    """Link the piezo's PWM channel, so that a systemd unit can silence it after a crash.

    The link is in the service's runtime directory and replaces an old one. Return False without that directory. Raises
    OSError.

    >>> leave_tone(Path("pwm1"), {})
    False
    """
    directory = runtime_directory(environ)
    if directory is None:
        return False
    link = directory / TONE_LINK
    if not link.is_symlink() or link.readlink() != node:
        fresh = directory / f"{TONE_LINK}.new"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(node)
        fresh.replace(link)
    return True


def runtime_directory(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the runtime directory from the service manager, or None."""
    given = os.environ if environ is None else environ
    directory = given.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(directory) if directory else None


def release() -> str:
    """Return the program's version and a hash, which changes with any file of the core."""
    files = sorted(_files(str(Path(core.__file__).parent), ""))
    told = "".join(f"{name} {size} {written_s}\n" for name, size, written_s in files)
    return f"{__version__}-{blake2b(told.encode(), digest_size=6).hexdigest()}"


def _files(folder: str, within: str) -> Iterator[tuple[str, int, int]]:
    """Yield each module's name, size and modification time.

    Working with strings saves 2 ms compared with Path.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, f"{within}{entry.name}/")
            elif entry.name.endswith(".py"):
                found = entry.stat()
                yield f"{within}{entry.name}", found.st_size, int(found.st_mtime)
