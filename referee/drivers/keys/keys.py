"""Find the configured input devices, read them all on one thread, and light their lamps.

Theory of operation. The thread blocks until a device has events, the kernel or udev announces a device, or another
thread wakes it; without these it uses no CPU. An announcement only makes it look again at all devices. A device that
goes away ends its reader, and its stations have no link until it is back.

An entry of the configuration names one keyboard. If several match it, the first that is found gets it, and the others
are reported and ignored.
"""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from referee.core.model.events import Linked
from referee.drivers.keys.nodes import (
    KNOB_TURNS,
    Device,
    Keyboard,
    KeyRow,
    Node,
    Reader,
    found_nodes,
    handset_of,
    open_node,
)

LOG = logging.getLogger("referee")
NETLINK_UEVENT = 15
"""Protocol of the kernel's announcements (NETLINK_KOBJECT_UEVENT); group 1 is the kernel's, 2 is udev's."""
ABOUT_INPUT = b"SUBSYSTEM=input"
NO_RIGHTS = "this user may not read it; `sudo usermod -aG input $USER`, then log in again"


class Keys:
    """All keyboards of the table. Opens and reads them, and opens them again after an unplug."""

    def __init__(
        self,
        keyboards: Sequence[Keyboard],
        sink: Callable[[Sequence[KeyRow]], object],
        *,
        debounce_ns: int,
        polling_ns: int,
        find: Callable[[], Sequence[Node]] | None = None,
        open_: Callable[[Node, bool], Device] | None = None,
        news: Callable[[], socket.socket] | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        report: Callable[[str], object] = LOG.warning,
    ) -> None:
        """`debounce_ns`: how long a keyboard waits for a contact to stop bouncing.

        `polling_ns`: the polling interval of devices whose own is unknown. `news`: returns a socket with the kernel's
        messages on devices (see `announcements`). `report`: called with a sentence when a keyboard comes or goes.
        Raises the errors of `Keyboard.stations`, and OSError if there is no such socket.
        """
        # those with a place come first: one that names the kind alone is another keyboard
        ordered = sorted(keyboards, key=lambda one: "@" not in one.device)
        self._wanted = [(one, one.stations()) for one in ordered]
        self._sink, self._clock, self._report = sink, clock, report
        self._debounce_ns, self._polling_ns = debounce_ns, polling_ns
        self._find, self._open = find or found_nodes, open_ or open_node
        self._read: dict[str, tuple[Node, Keyboard, Reader]] = {}  # by the device file's path
        self._said: dict[str, str] = {}
        self._lit: frozenset[str] = frozenset()
        self._shown: dict[str, bool] = {}  # lamp's directory -> whether it is lit
        self._stopping = False
        self._waiting = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        self._waiting.register(self._wake_read, selectors.EVENT_READ)
        self._news = (news or announcements)()
        self._waiting.register(self._news, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, name="keys", daemon=True)

    def start(self) -> None:
        """Start the thread that reads the keyboards."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, switch the lamps off, and close all devices."""
        self._stopping, self._lit = True, frozenset()
        os.write(self._wake_write, b"!")
        self._thread.join()
        for _, _, reader in self._read.values():
            reader.device.close()
        self._waiting.close()
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._news.close()

    def light(self, lit: frozenset[str]) -> None:
        """Light the lamps of exactly these stations, where a keyboard has lamps. Never blocks."""
        if lit != self._lit:
            self._lit = lit
            os.write(self._wake_write, b"!")

    # -- the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        look = True
        while not self._stopping:
            if look:
                self._try("keys", self._look)
            look = self._wait()
            self._show_lamps()

    def _wait(self) -> bool:
        """Wait for events and give their rows to the sink. Return whether to look for devices."""
        look = False
        for key, _ in self._waiting.select():
            if key.fd == self._wake_read:
                os.read(self._wake_read, 64)
            elif key.fileobj is self._news:
                look |= self._is_about_input()
            elif not self._try(key.data, self._take, key.data):
                look = True
        return look

    def _is_about_input(self) -> bool:
        """Read an announcement. Return whether it is about an input device.

        Also return True if announcements were lost.
        """
        try:
            return ABOUT_INPUT in self._news.recv(8192)
        except OSError:
            return True

    def _try(self, about: str, action: Callable[..., object], *args: object) -> bool:
        """Call `action`. If it raises, report the error and return False, else return True.

        `about`: the path of a device file, or "keys". If that device is open, an error also closes it.
        """
        try:
            action(*args)
        except Exception as exc:  # devices and their drivers fail in many ways; no error may stop the others
            if about in self._read:
                self._lose(about, exc)
            else:
                self._once(about, f"{about} is not used: {reason(exc)}")
            return False
        return True

    def _take(self, path: str) -> None:
        if rows := self._read[path][2].read():
            self._sink(rows)

    def _look(self) -> None:
        """Open all configured devices that are not open yet."""
        for node in self._find():
            keyboard, named = next((one for one in self._wanted if node.is_meant_by(one[0].device)), (None, {}))
            stations = {code: station for code, station in named.items() if code in node.codes}
            if keyboard and stations and node.path not in self._read:
                self._try(node.path, self._begin, node, keyboard, stations)

    def _begin(self, node: Node, keyboard: Keyboard, stations: Mapping[int, str]) -> None:
        """Open a device, and report that its stations have a link.

        Raises ValueError if a device on another port is already open for the same section of the configuration.
        """
        for other, owned, _ in self._read.values():
            if owned is keyboard and other.port != node.port:
                advice = f'name both by their ports, such as "{node.kind}@{node.port}"'
                raise ValueError(f'"{keyboard.device}" in [keys.buttons] is the one on {other.port}; {advice}')
        device = self._open(node, keyboard.grab)
        delay_ns = node.delay_ns(self._debounce_ns, self._polling_ns)
        reader = Reader(device, stations, f"keys {node.path.rpartition('/')[2]}", delay_ns, self._clock)
        self._waiting.register(device.fd, selectors.EVENT_READ, node.path)
        self._read[node.path] = node, keyboard, reader
        for lamp in node.lamps.values():
            self._shown.pop(lamp, None)
        self._said.pop(node.path, None)
        self._report(f"{node.name} on {node.port} is there: stations {', '.join(stations.values())}")
        self._tell(node, reader, up=True)

    def _lose(self, path: str, exc: Exception) -> None:
        node, _, reader = self._read.pop(path)
        self._waiting.unregister(reader.device.fd)
        with contextlib.suppress(OSError):
            reader.device.close()
        self._report(f"{node.name} on {node.port} is lost ({reason(exc)})")
        self._tell(node, reader, up=False)

    def _tell(self, node: Node, reader: Reader, *, up: bool) -> None:
        """Report to the table that a device's stations have a link (`up`) or have lost it."""
        real = tuple(station for station in reader.stations.values() if station not in KNOB_TURNS)
        if real:
            link = f"keys:{node.kind}@{node.port}"
            self._sink([Linked(self._clock(), link, up, real, reader.closed if up else ())])

    def _show_lamps(self) -> None:
        for node, _, reader in self._read.values():
            lit = {handset_of(code) for code, station in reader.stations.items() if station in self._lit}
            for handset, lamp in node.lamps.items():
                if self._shown.get(lamp) != (handset in lit):
                    self._shown[lamp] = handset in lit
                    try:
                        (Path(lamp) / "brightness").write_text(str(int(handset in lit)))
                    except OSError as exc:
                        self._once(lamp, f"the lamp {lamp} cannot be set: {exc.strerror}")

    def _once(self, about: str, sentence: str) -> None:
        """Report the sentence, unless it was the last one about the same device or lamp."""
        if self._said.get(about) != sentence:
            self._said[about] = sentence
            self._report(sentence)


def announcements(udev: Path = Path("/run/udev/control")) -> socket.socket:
    """Return a socket that receives a message when a device comes or goes. Raises OSError.

    If udev runs, the messages are from udev, which first sets the group of the device's file. Else they are from the
    kernel.
    """
    heard = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, NETLINK_UEVENT)
    heard.bind((0, 2 if udev.exists() else 1))
    return heard


def reason(exc: Exception) -> str:
    """Return why a device cannot be used. If a permission is missing, say how to get it."""
    if isinstance(exc, PermissionError):
        return NO_RIGHTS
    said: str | None = getattr(exc, "strerror", None)
    return said or str(exc) or type(exc).__name__
