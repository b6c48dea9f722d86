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
from referee.core.units import MS
from referee.core.values import Value
from referee.drivers.keys.nodes import Device, Node, found_nodes, handset_of, open_node
from referee.drivers.keys.reader import KNOB_TURNS, KeyRow, Reader

LOG = logging.getLogger("referee")
USB_NS = 1 * MS
"""Maximum time for the kernel to take over and stamp a report, in ns. An estimate, not measured on a Pi."""
NETLINK_UEVENT = 15
"""Protocol of the kernel's announcements (NETLINK_KOBJECT_UEVENT); group 1 is the kernel's, 2 is udev's."""
ABOUT_INPUT = b"SUBSYSTEM=input"
NO_RIGHTS = "this user may not read it; `sudo usermod -aG input $USER`, then log in again"
SCAN_S = 2.0
"""Time between two looks at the devices, where the kernel's announcements cannot be heard."""


class Entry(Value):
    """A keyboard of the configuration.

    device: as in `Node.is_meant_by`. stations: key code -> station. grab: whether its keys type nowhere else.
    """

    device: str
    stations: Mapping[int, str]
    grab: bool = False


class Keys:
    """All keyboards of the table. Opens and reads them, and opens them again after an unplug."""

    def __init__(
        self,
        entries: Sequence[Entry],
        sink: Callable[[Sequence[KeyRow]], object],
        *,
        debounce_ns: int,
        polling_ns: int,
        find: Callable[[], Sequence[Node]] | None = None,
        open_: Callable[[Node, bool], Device] | None = None,
        news: Callable[[], socket.socket | None] | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        report: Callable[[str], object] = LOG.warning,
    ) -> None:
        """`debounce_ns`: how long a keyboard waits for quiet contacts. `polling_ns`: for devices that do not tell.

        `news`: returns a socket with the kernel's announcements. `report`: called with a sentence when a keyboard comes
        or goes.
        """
        # entries with a place come first: the entry of the kind alone is for another keyboard
        self._entries = sorted(entries, key=lambda entry: "@" not in entry.device)
        self._sink, self._clock, self._report = sink, clock, report
        self._delay_ns, self._polling_ns = debounce_ns + USB_NS, polling_ns
        self._find, self._open = find or found_nodes, open_ or open_node
        self._read: dict[str, tuple[Node, Entry, Reader]] = {}  # by the device file's path
        self._said: dict[str, str] = {}
        self._lit: frozenset[str] = frozenset()
        self._shown: dict[str, bool] = {}  # lamp's directory -> whether it is lit
        self._stopping = False
        self._waiting = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        self._waiting.register(self._wake_read, selectors.EVENT_READ)
        self._news = (news or announcements)()
        if self._news is not None:
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
        if self._news is not None:
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
        """Wait for events and pass them on. Return whether to look for devices."""
        ready = self._waiting.select(SCAN_S if self._news is None else None)
        look = not ready
        for key, _ in ready:
            if key.fd == self._wake_read:
                os.read(self._wake_read, 64)
            elif key.fileobj is self._news:
                look |= _is_about_input(self._news)
            elif not self._try(key.data, self._take, key.data):
                look = True
        return look

    def _try(self, about: str, action: Callable[..., object], *args: object) -> bool:
        """Call `action`. If it raises, report that, close the device with this path, and return False."""
        try:
            action(*args)
        except Exception as exc:  # devices and their drivers fail in many ways; no error may stop the others
            if about in self._read:
                self._lose(about, exc)
            else:
                self._once(about, f"{about} cannot be used: {reason(exc)}")
            return False
        return True

    def _take(self, path: str) -> None:
        if rows := self._read[path][2].read():
            self._sink(rows)

    def _look(self) -> None:
        """Open all configured devices that are not open yet."""
        nodes = self._find()
        for path in self._said.keys() - {node.path for node in nodes} - {"keys"}:
            del self._said[path]
        for node in nodes:
            if node.path not in self._read and (entry := self._entry(node)):
                self._try(node.path, self._begin, node, entry)

    def _entry(self, node: Node) -> Entry | None:
        """Return the node's entry if it is free, and the node has one of its keys."""
        entry = next((one for one in self._entries if node.is_meant_by(one.device)), None)
        if entry is None or not node.codes & entry.stations.keys():
            return None
        taken = next((n for n, other, _ in self._read.values() if other is entry and n.port != node.port), None)
        if taken is None:
            return entry
        self._once(
            node.path,
            f'{node.name} on {node.port} is ignored: "{entry.device}" in [keys.buttons] is the one on {taken.port}; '
            f'name both by their ports, such as "{node.kind}@{node.port}"',
        )
        return None

    def _begin(self, node: Node, entry: Entry) -> None:
        stations = {code: station for code, station in entry.stations.items() if code in node.codes}
        delay_ns = self._delay_ns + (node.polling_ns or self._polling_ns)
        device = self._open(node, entry.grab)
        try:
            reader = Reader(device, stations, f"keys {node.path.rpartition('/')[2]}", delay_ns, self._clock)
            self._waiting.register(device.fd, selectors.EVENT_READ, node.path)
        except Exception:
            device.close()
            raise
        self._read[node.path] = node, entry, reader
        for lamp in node.lamps.values():
            self._shown.pop(lamp, None)
        self._said.pop(node.path, None)
        self._report(f"{node.name} on {node.port} is there: stations {', '.join(stations.values())}")
        self._tell(node, stations, reader.closed, up=True)

    def _lose(self, path: str, exc: Exception) -> None:
        node, entry, reader = self._read.pop(path)
        self._waiting.unregister(reader.device.fd)
        with contextlib.suppress(OSError):
            reader.device.close()
        self._report(f"{node.name} on {node.port} is lost ({reason(exc)})")
        self._tell(node, {code: entry.stations[code] for code in node.codes & entry.stations.keys()}, (), up=False)

    def _tell(self, node: Node, stations: Mapping[int, str], closed: tuple[str, ...], *, up: bool) -> None:
        """Pass on that these stations have a link, or have none."""
        real = tuple(station for station in stations.values() if station not in KNOB_TURNS)
        if real:
            self._sink([Linked(self._clock(), f"keys:{node.kind}@{node.port}", up, real, closed)])

    def _show_lamps(self) -> None:
        for node, entry, _ in tuple(self._read.values()):
            lit = {handset_of(code) for code, station in entry.stations.items() if station in self._lit}
            for handset, lamp in node.lamps.items():
                if self._shown.get(lamp) != (handset in lit):
                    self._shown[lamp] = handset in lit
                    self._light(lamp, handset in lit)

    def _light(self, lamp: str, lit: bool) -> None:
        try:
            (Path(lamp) / "brightness").write_text(str(int(lit)))
        except OSError as exc:
            self._once(lamp, f"the lamp {lamp} stays as it is: {reason(exc)}")

    def _once(self, about: str, sentence: str) -> None:
        """Report the sentence, unless it was the last one with the same `about`."""
        if self._said.get(about) != sentence:
            self._said[about] = sentence
            self._report(sentence)


def announcements(udev: Path = Path("/run/udev/control")) -> socket.socket | None:
    """Return a socket that hears when devices come and go; None where there is none.

    With udev, its announcements are used: by then the device file has its group.
    """
    try:
        heard = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, NETLINK_UEVENT)
        heard.bind((0, 2 if udev.exists() else 1))
    except (AttributeError, OSError):
        return None
    return heard


def _is_about_input(news: socket.socket) -> bool:
    """Read all announcements. Return whether one is about an input device, or some are lost."""
    found = False
    try:
        while True:
            found |= ABOUT_INPUT in news.recv(8192)
    except BlockingIOError:
        return found
    except OSError:  # there were too many
        return True


def reason(exc: Exception) -> str:
    """Return why a device cannot be used, with what to do if it is a matter of rights."""
    if isinstance(exc, PermissionError):
        return NO_RIGHTS
    said: str | None = getattr(exc, "strerror", None)
    return said or str(exc) or type(exc).__name__
