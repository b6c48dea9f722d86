"""Measure the display: `python -m tests.benchmarks.bench_display`.

Packing is compared with luma.oled in the same run, on the same pictures, after comparing the bytes. Traffic is counted
over a match played through the Engine: every view of the daemon, through the driver, into the byte-level fake.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from referee.core.model.view import View
from referee.core.units import S
from referee.drivers.oled.frame import pack
from referee.drivers.oled.panel import OledPanel
from referee.screens import draw
from tests.core.sitting import Sitting
from tests.drivers.oled.fake import FakeSerial
from tests.screens.samples import samples

FRAME_BYTES = 1030
"""Bytes that luma sends per picture: 1024 of it and 6 of addressing."""
LEAST_RATIO = 10.0
MOST_TRAFFIC = 0.25


@dataclass(frozen=True)
class Packing:
    """Microseconds per frame, best of many."""

    luma_us: float
    ours_us: float

    @property
    def ratio(self) -> float:
        return self.luma_us / self.ours_us


@dataclass(frozen=True)
class Traffic:
    """Bytes sent for that many distinct views, on one chip."""

    chip: str
    views: int
    sent: int

    @property
    def share(self) -> float:
        return self.sent / (self.views * FRAME_BYTES)


class _Sink:
    """A serial interface without cost, so that only the packing is timed."""

    def __init__(self) -> None:
        self.last: Any = b""

    def command(self, *cmd: int) -> None:
        """Ignore commands."""

    def data(self, data: Any) -> None:
        self.last = data

    def cleanup(self) -> None:
        """Do nothing."""


def packing(pictures: list[Image.Image] | None = None) -> Packing:
    """Time luma's `display` and ours on the same pictures, alternating.

    Raise AssertionError if a byte differs.
    """
    from luma.oled.device import ssd1306

    pictures = pictures or [draw(v) for v in samples().values()]
    sink = _Sink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # luma reads pixels in a way that Pillow will drop
        device = ssd1306(sink)
        for picture in pictures:
            device.display(picture)
            assert bytes(sink.last) == pack(picture)
        some = pictures[::9]  # few at a time and in turns, so that other load affects both
        rounds = [(_timed(device.display, some), _timed(pack, some)) for _ in range(60)]
    return Packing(min(luma for luma, _ in rounds), min(ours for _, ours in rounds))


def _timed(work: Callable[[Image.Image], object], pictures: list[Image.Image]) -> float:
    """Return microseconds per picture."""
    start = time.perf_counter_ns()
    for picture in pictures:
        work(picture)
    return (time.perf_counter_ns() - start) / 1000 / len(pictures)


def traffic(views: Iterable[View], chip: str = "ssd1306") -> Traffic:
    """Count the driver's bytes for these views in order; equal neighbours count once."""
    serial = FakeSerial(chip)
    panel = OledPanel(serial, chip)
    count, before = 0, None
    for view in views:
        shown = (view.screen, view.invert, view.banner, view.toast)
        if shown == before:
            continue
        count, before = count + 1, shown
        picture = draw(view)
        panel.write(picture)
        assert serial.memory.picture().tobytes() == picture.tobytes()
    return Traffic(chip, count, serial.sent)


@dataclass
class Watched(Sitting):
    """A table whose display is read at each change."""

    views: list[View] = field(default_factory=list)

    def wait(self, ns: int) -> Watched:
        """Let time pass, stopping whenever the view changes by itself."""
        end = self.now_ns + ns
        while (change := self._look().changes_at_ns) is not None and self.now_ns < change < end:
            super().wait(change - self.now_ns)
        super().wait(end - self.now_ns)
        self._look()
        return self

    def _look(self) -> View:
        self.views.append(self.view)
        return self.views[-1]


def demo_match(hands: int = 4, played_s: int = 95) -> list[View]:
    """Play hands of four people who count by taps; return every view."""
    table = Watched()
    everyone = ("1", "2", "3", "4")
    for hand in range(hands):
        caller = everyone[hand % 4]
        table.playing(*everyone).wait(played_s * S)
        table.press(caller).wait(6 * S).wait(S)
        for station in everyone:
            table.count(station, (hand + int(station)) % 6, 10 + 7 * int(station), caller=station == caller)
        table.wait(10 * S)
    return table.views


def main() -> None:
    result = packing()
    print(f"packing a frame: luma {result.luma_us:.0f} us, ours {result.ours_us:.1f} us: {result.ratio:.0f} x as fast")
    views = demo_match()
    for chip in ("ssd1306", "sh1106"):
        figures = traffic(views, chip)
        print(
            f"{chip}: {figures.views} distinct views, {figures.sent} bytes: {figures.share:.3f} of {FRAME_BYTES} each"
        )
        assert figures.share <= MOST_TRAFFIC
    assert result.ratio >= LEAST_RATIO
    print(f"drawing a view: {_drawing_us():.0f} us (absolute)")


def _drawing_us() -> float:
    views = list(samples().values())
    start = time.perf_counter_ns()
    for view in views:
        draw(view)
    return (time.perf_counter_ns() - start) / 1000 / len(views)


if __name__ == "__main__":
    main()
