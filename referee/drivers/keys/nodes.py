"""The kernel's input devices: what they are, and how their events become rows.

A keyboard is one or more device files (`/dev/input/event3`), one for each of its USB interfaces. All of them have the
same *kind* (vendor and product ID) and the same *port* (where it is plugged in). Everything but the events is read from
`/sys`, which every user may read.

Theory of operation. The kernel stamps a key when the device's report arrives. Before that, the device has waited until
the contact was quiet (its *debouncing*) and until the host asked for its state (*polling*). So the key was pressed at
most `delay_ns` before its stamp and never after. A row states the middle of this time, and half of it as its error.

Within one device the differences are no surer: each key waits for its own debouncing and the next poll. Its rows name a
clock nevertheless, because a stamp in the middle can be earlier than the true press (`Contact.early_ns`).

If the kernel drops events because nobody reads them, it says so (SYN_DROPPED). The levels are then read again. A key
that has changed was changed at any time since the last report, and its row's error says that.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from referee.core.model.events import Linked, Turned
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, US
from referee.core.values import Value, field

USB_NS = 1 * MS
"""Maximum time for the kernel to take over and stamp a report, in ns. An estimate, not measured on a Pi."""
SET_CLOCK = 0x400445A0
"""EVIOCSCLOCKID of linux/input.h, for which the library has no function."""
WORD = struct.calcsize("l") * 8
"""Bits in a word of the kernel's lists of keys, as this program sees them (input_bits_to_string)."""
KEY_MUTE, BTN_FIRST = 113, 0x100
"""From KEY_MUTE to the first button there are only keys for the machine: volume, power, sleep, brightness."""
BUZZ_FIRST, BUZZ_MORE, BUZZ_BUTTONS = 0x120, 0x2C0, 5
"""Codes of a Buzz! set's first 16 and further buttons (hid-input.c), and the number of buttons of a handset."""


class Node(Value):
    """An input device as the kernel describes it.

    path: its device file. kind: vendor and product ID ("046d:c31c"). port: where it is plugged in, or the radio address
    of a wireless one. uniq: its serial number or radio address; often empty. codes: the keys that it has. polling_ns:
    the interval at which the host asks for its state, None if unknown. lamps: handset -> directory of the lamp, for
    quiz sets.
    """

    path: str
    name: str
    kind: str
    port: str
    uniq: str = ""
    codes: frozenset[int] = frozenset()
    polling_ns: int | None = None
    lamps: Mapping[int, str] = field(default_factory=dict)

    def is_meant_by(self, device: str) -> bool:
        """Return whether `device`, a name in the configuration, means this device.

        The name is KIND, KIND@PORT or KIND@UNIQ.
        """
        kind, _, place = device.partition("@")
        return kind == self.kind and place in ("", self.port, self.uniq)

    def delay_ns(self, debounce_ns: int, polling_ns: int) -> int:
        """Return the maximum time from a press to its stamp.

        `polling_ns`: used if the device's own interval is unknown.
        """
        return debounce_ns + (self.polling_ns or polling_ns) + USB_NS


def device_name(node: Node, others: Iterable[Node]) -> str:
    """Return the shortest name that the configuration can use for the device.

    It contains the port only if there is another device of the same kind.
    """
    ports = {other.port for other in others if other.kind == node.kind}
    return node.kind if ports <= {node.port} else f"{node.kind}@{node.port}"


class Keyboard(Value):
    """A section such as [keys.buttons."046d:c31c"]: which keys of a keyboard are buttons.

    device: as in `Node.is_meant_by`. keys: (name or number of a key, station). grab: no other program gets its keys.
    """

    device: str
    keys: tuple[tuple[str, str], ...]
    grab: bool = False

    def stations(self) -> dict[int, str]:
        """Return key code -> station. Raises ValueError for an unknown key.

        Raises ImportError without the library evdev.
        """
        from evdev import ecodes

        codes = {name: int(name) if name.isdecimal() else ecodes.ecodes.get(name) for name, _ in self.keys}
        for name, code in codes.items():
            if code is None:
                raise ValueError(f'section [keys.buttons."{self.device}"]: there is no key {name}')
        return {codes[name]: station for name, station in self.keys}


class Device(Protocol):
    """The parts of `evdev.InputDevice` that the driver uses."""

    fd: int

    def active_keys(self) -> list[int]:
        """Return the codes of all keys that are down."""

    def close(self) -> None:
        """Close the device file."""


def found_nodes(root: Path = Path("/")) -> tuple[Node, ...]:
    """Return all input devices that have keys for players.

    Keys such as power and volume are not for players. A device that has only such keys is left out.
    """
    places = sorted((root / "sys/class/input").glob("event*"), key=lambda place: int(place.name[5:]))
    nodes = (_node(place) for place in places)
    return tuple(node for node in nodes if any(code < KEY_MUTE or code >= BTN_FIRST for code in node.codes))


def _node(place: Path) -> Node:
    about = place / "device"
    name = "".join(filter(str.isprintable, _text(about / "name")))
    kind = f"{_text(about / 'id/vendor')}:{_text(about / 'id/product')}"
    phys = _text(about / "phys")
    uniq = _text(about / "uniq")
    wireless = uniq and not phys.startswith("usb-")  # then `phys` is the host's own radio, the same for all
    port = uniq if wireless else phys.rpartition("/")[0] or phys
    codes = frozenset(_bits(_text(about / "capabilities/key")))
    above = (about.resolve(), *about.resolve().parents)
    polling_ns = next((ns for one in above for ns in _intervals(one)), None)
    lamps = {int(lamp.name[-1]): str(lamp) for one in above for lamp in one.glob("leds/*::buzz[1-4]")}
    return Node(f"/dev/input/{place.name}", name, kind, port, uniq, codes, polling_ns, lamps)


def _text(path: Path) -> str:
    """Return a file's text; "" for a file that is missing or went away with its device."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _bits(words: str) -> Iterator[int]:
    """Return the numbers of the bits that are set. The words are hexadecimal, the highest first."""
    for place, word in enumerate(reversed(words.split())):
        yield from (place * WORD + bit for bit in range(WORD) if int(word, 16) >> bit & 1)


def _intervals(place: Path) -> Iterator[int]:
    """Yield the polling interval, in ns, of each input endpoint of a USB interface.

    `place`: the interface's directory in sysfs. For another directory, yield nothing.
    """
    for endpoint in place.glob("ep_8*"):
        number, unit = _text(endpoint / "interval")[:-2], _text(endpoint / "interval")[-2:]
        if _text(endpoint / "type") == "Interrupt" and number.isdecimal() and unit in ("ms", "us"):
            yield int(number) * (MS if unit == "ms" else US)


def open_node(node: Node, grab: bool) -> Device:
    """Open a device whose events are stamped by CLOCK_MONOTONIC.

    `grab`: no other program then gets its keys. Raises OSError, and ImportError without the library evdev.
    """
    from evdev import InputDevice

    device: Any = InputDevice(node.path)
    fcntl.ioctl(device.fd, SET_CLOCK, struct.pack("i", time.CLOCK_MONOTONIC))
    if grab:
        device.grab()
    return device  # type: ignore[no-any-return]


def name_of_code(code: int) -> str:
    """Return a key's name, or its number if it has none.

    Raises ImportError without the library evdev.
    """
    from evdev import ecodes

    named: str | Iterable[str] = ecodes.keys.get(code, str(code))
    return named if isinstance(named, str) else min(named)


def handset_of(code: int) -> int:
    """Return the handset of a Buzz! set's button, 1 to 4; another number for other keys."""
    number = code - BUZZ_FIRST if code < BUZZ_MORE else code - BUZZ_MORE + 16
    return number // BUZZ_BUTTONS + 1


EVENT = struct.Struct("@llHHi")
"""struct input_event: seconds, microseconds, type, code, value."""
MOST_EVENTS = 64
SYN, KEY = 0, 1
REPORT, DROPPED = 0, 3
"""The codes of SYN: the end of a report, and that events are missing."""
KNOB_TURNS = {f"{KNOB}-left": -1, f"{KNOB}-right": 1}
"""Stations of keys that turn the knob by one step -> its direction."""

KeyRow = Edge | Linked | Turned


class Reader:
    """Reads one open device. Reading never blocks if the device file is non-blocking."""

    def __init__(
        self, device: Device, stations: Mapping[int, str], clock_name: str, delay_ns: int, clock: Callable[[], int]
    ) -> None:
        """`stations`: key code -> station. `delay_ns`: maximum time from a press to its stamp."""
        self.device, self.stations = device, stations
        self._clock_name, self._delay_ns, self._clock = clock_name, delay_ns, clock
        self._known_ns = clock()  # time of the last complete report
        self._down = self._held()

    @property
    def closed(self) -> tuple[str, ...]:
        """Return the stations whose key is down."""
        return tuple(self.stations[code] for code in sorted(self._down) if self.stations[code] not in KNOB_TURNS)

    def read(self) -> list[KeyRow]:
        """Return the rows of all events that are waiting. Raises OSError at the device's end."""
        data = self._bytes()
        if data == b"":
            raise OSError("it has ended")
        now_ns = self._clock()  # after the read, so that no row arrives before it was stamped
        rows: list[KeyRow] = []
        for seconds, micros, kind, code, value in EVENT.iter_unpack(data or b""):
            t_ns = (seconds * 1_000_000 + micros) * 1000
            if (kind, code) == (SYN, DROPPED):
                return [*rows, *self._resync()]
            if (kind, code) == (SYN, REPORT):
                self._known_ns = max(t_ns, self._known_ns)
            elif kind == KEY and value in (0, 1) and code in self.stations:
                rows += self._changed(code, bool(value), t_ns - self._delay_ns, t_ns, now_ns)
        return rows

    def _bytes(self) -> bytes | None:
        """Return waiting events: b"" at the device's end, None if there are none."""
        try:
            return os.read(self.device.fd, MOST_EVENTS * EVENT.size)
        except BlockingIOError:
            return None

    def _resync(self) -> Iterator[KeyRow]:
        """Return a row for each key whose level has changed while events were lost."""
        while self._bytes():  # these events are older than the levels
            pass
        held, now_ns = self._held(), self._clock()
        for code in sorted(held ^ self._down):
            yield from self._changed(code, code in held, self._known_ns - self._delay_ns, now_ns, now_ns)
        self._known_ns = now_ns

    def _held(self) -> set[int]:
        return set(self.device.active_keys()) & self.stations.keys()

    def _changed(self, code: int, closed: bool, from_ns: int, to_ns: int, now_ns: int) -> Iterator[KeyRow]:
        """Return the row of a key's change that happened between these times."""
        (self._down.add if closed else self._down.discard)(code)
        station = self.stations[code]
        if station in KNOB_TURNS:
            if closed:
                yield Turned(now_ns, KNOB_TURNS[station])
            return
        err_ns = (to_ns - from_ns + 1) // 2
        yield Edge(station, closed, to_ns - err_ns, err_ns, max(now_ns, to_ns), self._clock_name)
