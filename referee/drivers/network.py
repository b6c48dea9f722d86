"""This machine's addresses, and its requests for another Wi-Fi network.

The kernel is asked every time, with a few cheap calls, so a hotspot that comes up later is found. On systems other than
Linux the list is empty, but `routed_address` works.

The referee itself has no right to change networks. It writes one word ("own", "home" or "off") into a file in its
runtime directory. referee-wifi.path notices the file and starts systemd/debian/wifi, which writes the file `ANSWER`:
lines with the word, the result, and the name and password of the own network.
"""

from __future__ import annotations

import contextlib
import fcntl
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from referee.core.values import Value
from referee.drivers.pi.vitals import wireless

UP, LOOPBACK, POINT_TO_POINT, RUNNING = 0x1, 0x8, 0x10, 0x40
"""Interface flags IFF_... of <linux/if.h>."""
_FLAGS, _ADDRESS = 0x8913, 0x8915
"""SIOCGIFFLAGS and SIOCGIFADDR of <linux/sockios.h>."""
_UNUSABLE = 0x01 | 0x08 | 0x20 | 0x40
"""Address flags IFA_F_... of <linux/if_addr.h>: temporary, failed, deprecated, tentative."""
_INET6 = Path("/proc/net/if_inet6")
_DEVICES = Path("/sys/class/net")


class Interface(Value):
    """A network interface. flags: the kernel's IFF_ bits. hardware: False for a virtual one."""

    name: str
    flags: int
    hardware: bool
    addresses: tuple[str, ...]


def reachable(interfaces: Iterable[Interface], routed: str = "") -> tuple[str, ...]:
    """Return the addresses that other machines can reach, best first.

    `routed`: the address of the default route. IPv4 comes before IPv6. Virtual interfaces (a container's bridge, a
    tunnel) come last, unless they have the default route.
    """
    found = []
    for one in interfaces:
        if one.flags & (UP | RUNNING | LOOPBACK) != UP | RUNNING:
            continue
        for text in one.addresses:
            address = ip_address(text)
            if _usable(address):
                inner = one.flags & POINT_TO_POINT or not (one.hardware or text == routed)
                found.append((address.is_link_local, bool(inner), address.version, text != routed, text))
    return tuple(text for *_, text in sorted(found, key=lambda one: one[:-1]))


def _usable(address: IPv4Address | IPv6Address) -> bool:
    near = address.version == 6 and address.is_link_local  # needs an interface name, which differs on a phone
    return not (near or address.is_loopback or address.is_unspecified or address.is_multicast)


def interfaces() -> tuple[Interface, ...]:
    """Return the kernel's interfaces, with the first IPv4 and the permanent IPv6 addresses."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        six = _addresses6()
        return tuple(_interface(asking, name, six.get(name, ())) for _, name in socket.if_nameindex())
    return ()


def _interface(asking: socket.socket, name: str, six: tuple[str, ...]) -> Interface:
    request = struct.pack("16s24x", name.encode())
    flags, four = 0, tuple[str, ...]()
    with suppress(OSError):  # the interface is gone, or has no address
        (flags,) = struct.unpack_from("H", fcntl.ioctl(asking, _FLAGS, request), 16)
        four = (socket.inet_ntoa(fcntl.ioctl(asking, _ADDRESS, request)[20:24]),)
    return Interface(name, flags, (_DEVICES / name / "device").exists(), (*four, *six))


def _addresses6() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    with suppress(OSError):
        for line in _INET6.read_text("ascii").splitlines():
            digits, _, _, _, flags, name = line.split()
            if not int(flags, 16) & _UNUSABLE:
                found[name] = (*found.get(name, ()), str(IPv6Address(int(digits, 16))))
    return found


def routed_address() -> str:
    """Return this machine's address on its default route; "" if it has none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a reserved address (TEST-NET-1 of RFC 5737); nothing is sent
        except OSError:
            return ""
        found: str = probe.getsockname()[0]
        return found


NOTE = "wifi"
"""The file in the service's runtime directory that triggers referee-wifi.path."""
ANSWER = Path("/run/referee-wifi/answer")
PATIENCE_S, POLL_S = 60.0, 0.2
LETTERS = 64
"""Maximum number of characters that are read of a line of the answer."""


class Answer(Value):
    """The result of a request: "own", "home", "off", or why it failed, such as "no_radio".

    name, password: of the own network.
    """

    result: str
    name: str = ""
    password: str = ""


class Wifi:
    """Requests for a network. A thread waits for each answer."""

    def __init__(
        self,
        directory: Path | None,
        answered: Callable[[], object],
        *,
        file: Path = ANSWER,
        root: Path = Path("/"),
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`directory`: the service's runtime directory; None outside a service.

        `answered`: called on the thread when `answer` is set. `patience_s`: maximum wait for an answer, in s.
        """
        self._directory, self._answered, self._file, self._root = directory, answered, file, root
        self._patience_s = patience_s
        self._asked = 0
        self.answer: Answer | None = None
        """The answer to the last request; None until it arrives."""

    @property
    def there(self) -> bool:
        """Return whether this machine has Wi-Fi that the service can switch."""
        return self._directory is not None and bool(wireless(self._root))

    def choose(self, choice: str) -> None:
        """Request "own", "home" or "off". This replaces an earlier request."""
        self._asked += 1
        self.answer = None
        threading.Thread(target=self._ask, args=(choice, self._asked), name="wi-fi", daemon=True).start()

    def _ask(self, choice: str, number: int) -> None:
        answer = Answer("no_answer")
        with contextlib.suppress(OSError):  # the file cannot be written or read
            answer = self._wait(choice, number)
        if number == self._asked:
            self.answer = answer
            self._answered()

    def _wait(self, choice: str, number: int) -> Answer:
        before = self._stamp()
        assert self._directory is not None
        fresh = self._directory / f"{NOTE}.new"
        fresh.write_text(choice, "ascii")
        fresh.replace(self._directory / NOTE)
        give_up_s = time.monotonic() + self._patience_s
        while number == self._asked and time.monotonic() < give_up_s:
            if self._stamp() != before:
                word, *lines = self._file.read_text("utf-8", "replace").splitlines()[:4] or [""]
                if word == choice and lines:
                    return Answer(*(line[:LETTERS] for line in lines))
            time.sleep(POLL_S)
        return Answer("no_answer")

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino
