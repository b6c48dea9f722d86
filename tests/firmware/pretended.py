"""A simulated fixture: the firmware's own volley.py behind a pty, playing on mock pins without waiting.

The words for the PIO program are decoded into edges of the mock factory, stamped as the kernel would: never early, late
by `late` of the station, asked once per volley.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import threading
import tty
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.drivers.pins.pinmap import Profile

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware" / "fixture"
Late = Callable[[str], int]


def firmware_module(name: str) -> Any:
    """Load a module of the fixture's firmware in this Python."""
    spec = importlib.util.spec_from_file_location(f"fixture_{name}", FIRMWARE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


volley: Any = firmware_module("volley")


def played(words: Sequence[int]) -> list[tuple[int, int]]:
    """Decode the program's words into [(step, mask of the closed contacts from then on)]."""
    out, step = [], 0
    for word in words:
        out.append((step, word & 0xFF))
        step += (word >> 8) + volley.OVERHEAD
    return out


class Contacts:
    """Mock pins as the fixture's contacts; each volley begins where the last one ended."""

    def __init__(self, factory: GpiodMockFactory, wiring: Profile, late: Late = lambda station: 0) -> None:
        self._factory, self._late = factory, late
        self._gpios = {name: pin.gpio for name, pin in wiring.stations().items()}
        self._now_ns = 1_000_000_000
        self._lags: dict[str, int] = {}
        self.cables = {name: name for name in self._gpios}
        """Fixture's contact -> the station of its cable; a test exchanges or removes some."""

    def play(self, words: Sequence[int], length_us: int) -> None:
        """See volley.answer."""
        last = 0
        self._lags = {name: self._late(name) for name in self._gpios}
        for step, mask in played(words):
            for contact in range(volley.CONTACTS):
                if (mask ^ last) >> contact & 1:
                    self._move(str(contact + 1), mask >> contact & 1, self._now_ns + step * volley.STEP_NS)
            last = mask
        self._now_ns += length_us * 1000 + 1_000_000

    def _move(self, contact: str, closed: int, t_ns: int) -> None:
        station = self.cables.get(contact)
        if station is not None:
            self._factory.edge(self._gpios[station], t_ns + self._lags[station], 1 - closed)


@contextlib.contextmanager
def on_a_pty(answer: Callable[[str], str | None]) -> Iterator[str]:
    """Answer lines on a pty; yield the port's name."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)

    def serve() -> None:
        with contextlib.suppress(OSError), open(ours, "rb", buffering=0, closefd=False) as lines:
            waiting = b""
            while heard := lines.read(4096):
                *whole, waiting = (waiting + heard).split(b"\n")
                for line in whole:
                    said = answer(line.decode())
                    if said is not None:
                        os.write(ours, f"{said}\n".encode())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield os.ttyname(theirs)
    finally:
        os.close(theirs)  # the reader's end of file
        thread.join(timeout=5)
        os.close(ours)
