"""Convert the events of one input device to the core's rows.

Theory of operation. The kernel stamps a key when the device's report arrives. Before that, the device has waited until
the contact was quiet (its *debouncing*) and until the host asked for its state (*polling*). So the key was pressed at
most `delay_ns` before its stamp and never after. A row states the middle of this time, and half of it as its error.

Within one device the differences are no surer: each key waits for its own debouncing and the next poll. Its rows name a
clock nevertheless, because a stamp in the middle can be earlier than the true press (`Contact.early_ns`).

If the kernel drops events because nobody reads them, it says so (SYN_DROPPED). The levels are then read again. A key
that has changed was changed at any time since the last report, and its row's error says that.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping

from referee.core.model.events import Linked, Turned
from referee.core.presses.signals import KNOB, Edge
from referee.drivers.keys.nodes import Device

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
