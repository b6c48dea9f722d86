"""Record the daemon's changes of lamps and piezo from the kernel's trace, each with its instant.

Polling the lines would miss changes while the poller waits for its turn, and would slow down the machine. The trace
events gpio_value and pwm_apply (include/trace/events in the kernel's source) are written where the change is made, with
CLOCK_MONOTONIC. Times are printed in µs.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from tests.rig.chip import Chip

TRACING = Path("/sys/kernel/tracing")
EVENTS = {"gpio/gpio_value": "get == 0", "pwm/pwm_apply": None}  # event -> its filter
BUFFER_KIB = 4096
READ_BYTES = 1 << 16
READ_S = 0.01

LINE = re.compile(r"\s(\d+)\.(\d{6}): (gpio_value|pwm_apply): (.*)$")
VALUE = re.compile(r"(\d+) set +(\d)")
APPLIED = re.compile(r"period=(\d+) duty_cycle=(\d+) polarity=\d+ enabled=(\d)")


class Wires:
    """Record lamps and piezo from now on; `lamps` and `tones` grow with each change."""

    def __init__(self, chip: Chip, lamps: Mapping[int, int]) -> None:
        """`lamps`: the line of each seat's lamp."""
        first = _first_number(chip)
        self.lamps: list[tuple[int, tuple[int, ...]]] = []
        self.tones: list[tuple[int, int]] = []
        self._seats = {first + line: seat for seat, line in lamps.items()}
        self._lit: set[int] = set()
        self._trace = _begin_to_trace()
        self._end, self._ended = os.pipe()
        self._thread = threading.Thread(target=self._follow, name="wires", daemon=True)
        self._ending = threading.Event()
        self.lamps.append((time.monotonic_ns(), ()))
        self.tones.append((time.monotonic_ns(), 0))
        self._thread.start()

    def close(self) -> None:
        """Read the rest and stop."""
        self._ending.set()
        self._thread.join()
        os.close(self._trace)

    def _follow(self) -> None:
        rest = b""
        while not self._ending.wait(READ_S) or rest:
            try:
                piece = os.read(self._trace, READ_BYTES)
            except BlockingIOError:
                if self._ending.is_set():
                    return
                continue
            *rows, rest = (rest + piece).split(b"\n")
            for row in rows:
                self.take(row.decode(errors="replace"))

    def take(self, row: str) -> None:
        """Process one line of the trace."""
        found = LINE.search(row)
        if found is None:
            return
        at_ns = int(found[1]) * 1_000_000_000 + int(found[2]) * 1000
        if value := VALUE.match(found[4]):
            self._switched(at_ns, int(value[1]), value[2] == "1")
        elif applied := APPLIED.search(found[4]):
            period_ns, high_ns, enabled = map(int, applied.groups())
            self._sounded(at_ns, round(1e9 / period_ns) if enabled and high_ns and period_ns else 0)

    def _switched(self, at_ns: int, number: int, lit: bool) -> None:
        seat = self._seats.get(number)
        if seat is None:
            return
        (self._lit.add if lit else self._lit.discard)(seat)
        now = tuple(sorted(self._lit))
        if self.lamps[-1][1] != now:
            self.lamps.append((at_ns, now))

    def _sounded(self, at_ns: int, hz: int) -> None:
        if self.tones[-1][1] != hz:
            self.tones.append((at_ns, hz))


def _begin_to_trace() -> int:
    """Return a descriptor from which the growing trace is read without waiting."""
    (TRACING / "trace_clock").write_text("mono")
    (TRACING / "buffer_size_kb").write_text(str(BUFFER_KIB))
    for event, wanted in EVENTS.items():
        if wanted:
            (TRACING / "events" / event / "filter").write_text(wanted)
        (TRACING / "events" / event / "enable").write_text("1")
    return os.open(TRACING / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)


def _first_number(chip: Chip) -> int:
    """Return the trace's number of the chip's line 0: the kernel counts over all chips."""
    (name,) = (entry.name for entry in (chip.lines.parent / "gpio").iterdir())  # e.g. gpiochip458
    return int(name.removeprefix("gpiochip"))
