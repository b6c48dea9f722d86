"""A table in the guest: simulated fingers, and observers of display, lamps and piezo, outside the daemon.

Fingers toggle lines of the simulated chip, with bounces at every press and release. The display is decoded from the I2C
bus; the kernel reports lamps and piezo (wires.py). Nothing here queries the daemon.

All instants are ns of CLOCK_MONOTONIC, the clock of the journal. All observations are kept, to be compared with the
journal afterwards.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from random import Random
from types import TracebackType
from typing import Self

from PIL.Image import Image

from referee.core.messages import Msg
from referee.core.model.view import Screen, View
from referee.screens import draw
from tests.rig.chip import Step, Toggler, Write, make_chip
from tests.rig.contacts import press, turned
from tests.rig.oled import WIDTH, Bus, Frame, Panel, Transfer, parse_log
from tests.rig.pins import BUTTONS, ENCODER_A, ENCODER_B, KNOB, LAMPS, SHIPPED_SEATS
from tests.rig.pulse import Pulse
from tests.rig.wires import Wires

TAP_US = 110_000
CALL_US = 200_000
HOLD_US = 1_000_000  # the setting is 0.8 s
BETWEEN_US = 120_000  # from a release to the next press; 40 ms open end a gesture
KNOB_PUSH_US = 120_000

POLL_S = 0.02
EVERY_ROW = slice(None)
LAMPS_AHEAD_NS = 300_000_000  # a picture takes the emulated machine that long to draw; the lamps change before it


class StalledError(RuntimeError):
    """The emulator stalled at a critical moment: this match proves nothing and must be repeated."""


class UnexpectedError(AssertionError):
    """The table did not show what it must."""


@dataclass
class Seen:
    """The pictures, each with its first instant, and the actions."""

    frames: list[tuple[int, Frame]] = field(default_factory=list)
    presses: list[tuple[int, Write]] = field(default_factory=list)  # seat, the first edge
    spikes: list[tuple[int, int, int]] = field(default_factory=list)  # seat, from, until


class Display:
    """The bytes on the bus, decoded as they come."""

    def __init__(self, bus: Bus, seen: Seen) -> None:
        self.bus = bus
        self._seen = seen
        self._panel = Panel()
        self._log = os.open("/dev/rig_i2c", os.O_RDONLY)
        self._read = 0

    def look(self) -> Frame:
        """Return the present picture."""
        for transfer in self._news():
            if transfer.refused:
                continue
            self._panel.receive(transfer.data)
            frame = self._panel.frame()
            if not self._seen.frames or self._seen.frames[-1][1] != frame:
                self._seen.frames.append((transfer.end_ns, frame))
        return self._panel.frame()

    def lose_power(self) -> None:
        """Reset the panel: it starts dark."""
        self.look()
        self._panel = Panel()

    def _news(self) -> list[Transfer]:
        raw = b""
        while piece := os.pread(self._log, 1 << 20, self._read + len(raw)):
            raw += piece
        self._read += len(raw)
        return parse_log(raw)


@cache
def drawn(screen: Screen, invert: bool = False, toast: Msg | None = None) -> bytes:
    """Return the required picture of a screen, packed as `Frame.packed`."""
    return draw(View(0, 0, "", screen, (), invert=invert, toast=toast)).tobytes()


@cache
def picture(screen: Screen) -> Frame:
    """Return the required picture of a screen."""
    packed, width = drawn(screen), WIDTH // 8
    return Frame(tuple(int.from_bytes(packed[at : at + width], "big") for at in range(0, len(packed), width)))


class Table:
    """The interface for match scripts.

    `seen`, `wires` and `pulse` are complete after the block. `right_ns`: the last time it showed what it must.
    """

    def __init__(self, *, seed: int = 1, seats: int = SHIPPED_SEATS) -> None:
        self.seen = Seen()
        self._dice = Random(seed)
        self._met = 0  # index of the last expected picture in seen.frames
        self._chip = make_chip()
        self._toggler = Toggler(self._chip)
        self.display = Display(Bus(), self.seen)
        self.wires = Wires(self._chip, {seat: LAMPS[seat] for seat in range(1, seats + 1)})
        self.pulse = Pulse()
        self.right_ns = self.now_ns()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wires.close()
        self.display.look()
        self._toggler.__exit__(kind, error, trace)
        self.pulse.close()

    # -- fingers -------------------------------------------------------------------------------------------------------

    def tap(self, *seats: int) -> None:
        """Tap once at each seat, one after the other."""
        for seat in seats:
            self._play(self.gesture(seat, [TAP_US]))

    def press_apart(self, *presses: tuple[int, int], within_us: int) -> None:
        """Press several seats, each (seat, µs after the first), as a call by several people.

        Raises StalledError if the emulator did not keep the distance of the first two within `within_us`.
        """
        writes = self._play(*(self._press(seat, at_us, CALL_US) for seat, at_us in presses))
        (one, one_us), (other, other_us), *_ = presses
        early, late = (next(write for write in writes if write.line == BUTTONS[seat]) for seat in (one, other))
        meant_ns = (other_us - one_us) * 1000
        least_ns, most_ns = late.before_ns - early.after_ns, late.after_ns - early.before_ns
        if max(meant_ns - least_ns, most_ns - meant_ns) > within_us * 1000:
            raise StalledError(f"seats {one} and {other} pressed {most_ns / 1e6:.1f} ms apart, not {meant_ns / 1e6:g}")

    def spike(self, seat: int, lasts_us: int) -> None:
        """Close the contact once for `lasts_us`, or as long as the emulator takes."""
        closing, opening = self._play([Step(0, BUTTONS[seat], 0), Step(lasts_us, BUTTONS[seat], 1)])
        self.seen.spikes.append((seat, closing.before_ns, opening.after_ns))

    def together(self, *gestures: list[Step]) -> None:
        """Use several seats at the same time, each at its own pace."""
        self._play(*gestures)

    def gesture(self, seat: int, held_us: Iterable[int], between_us: int = BETWEEN_US) -> list[Step]:
        """Return presses of one seat in order, each of that length; for `together`."""
        steps: list[Step] = []
        at_us = 0
        for lasts_us in held_us:
            steps += self._press(seat, at_us, lasts_us)
            at_us += lasts_us + between_us
        return steps

    def push(self, held_us: int = KNOB_PUSH_US) -> None:
        """Push the knob."""
        self._play(press(self._dice, KNOB, 0, held_us, bouncing=True))

    def turn(self, detents: int) -> None:
        """Turn the knob, clockwise if positive."""
        self._play(turned(self._dice, ENCODER_A, ENCODER_B, detents))

    def unplug_display(self, seconds: float) -> None:
        """Disconnect the display for `seconds`; it loses its picture with the power."""
        self.display.bus.unplug()
        self.wait(seconds)
        self.display.bus.unplug(False)
        self.display.lose_power()
        self._met = len(self.seen.frames)

    def wait(self, seconds: float) -> None:
        """Let time pass while watching the display."""
        until_ns = self.now_ns() + round(seconds * 1e9)
        while self.now_ns() < until_ns:
            self.display.look()
            self._sleep(POLL_S)

    def rest(self, seconds: float) -> None:
        """Sleep for exactly `seconds`, without watching."""
        self._sleep(seconds)

    def keep_together(self) -> None:
        """See trials.Trial.together; call it after the daemon has claimed its lines."""
        self._toggler.keep_together()

    def _press(self, seat: int, at_us: int, held_us: int) -> list[Step]:
        return press(self._dice, BUTTONS[seat], at_us, held_us, bouncing=True)

    def _play(self, *parts: list[Step]) -> list[Write]:
        steps = sorted((step for part in parts for step in part), key=lambda step: step.at_us)
        writes = self.toggle(steps)
        seat_of = {line: seat for seat, line in BUTTONS.items()}
        noted: set[int] = set()
        for write in writes:
            if write.line in seat_of and write.line not in noted:
                noted.add(write.line)
                self.seen.presses.append((seat_of[write.line], write))
        self._sleep(BETWEEN_US / 1e6)
        return writes

    # -- the world, which differs in a rehearsal -----------------------------------------------------------------------

    def toggle(self, steps: list[Step], *, on_time: bool = True) -> list[Write]:
        """Make steps, ordered by time, from now on; see Toggler.play."""
        return self._toggler.play(steps, on_time=on_time)

    def now_ns(self) -> int:
        """Return CLOCK_MONOTONIC."""
        return time.monotonic_ns()

    def _sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    # -- what must be seen ---------------------------------------------------------------------------------------------

    def expect(self, *screens: Screen, within_s: float = 15, rows: slice = EVERY_ROW) -> Screen:
        """Wait until the display shows one of these, or has since the last expected one.

        Return which. Only `rows` are compared; the other rows hold unpredictable content.
        """
        wanted = {picture(screen).rows[rows]: screen for screen in screens}

        def reached() -> bool:
            self.display.look()
            news = range(self._met, len(self.seen.frames))
            found = next((at for at in news if self.seen.frames[at][1].rows[rows] in wanted), None)
            self._met = self._met if found is None else found
            return found is not None

        self._see(reached, within_s, lambda: self._other_picture(screens[0]))
        return wanted[self.seen.frames[self._met][1].rows[rows]]

    def expect_image(self, image: Image, within_s: float = 15) -> None:
        """Wait until the display shows a picture that is not a view, or has since the last expected one."""
        wanted = image.convert("1").tobytes()

        def reached() -> bool:
            self.display.look()
            news = range(self._met, len(self.seen.frames))
            found = next((at for at in news if self.seen.frames[at][1].packed == wanted), None)
            self._met = self._met if found is None else found
            return found is not None

        self._see(reached, within_s, lambda: f"the display shows\n{self.display.look()}\nnot the picture expected")

    def expect_view(self, shown: Callable[[], Iterable[View]], within_s: float = 15) -> None:
        """Wait until the display shows one of these views completely; `shown` is called repeatedly."""
        at = max(len(self.seen.frames) - 1, 0)

        def reached() -> bool:
            self.display.look()
            wanted = [drawn(view.screen, view.invert, view.toast) for view in shown()]
            return any(frame.packed in wanted for _, frame in self.seen.frames[at:])

        def told() -> str:
            view = next(iter(shown()))
            return f"the display shows\n{self.display.look()}\nnot {view.phase}: {view.screen} {view.toast or ''}"

        self._see(reached, within_s, told)

    def expect_lit(self, *seats: int, within_s: float = 15) -> None:
        """Wait until exactly these seats' lamps are lit, or have been since the last expected picture."""
        since_ns = self.seen.frames[self._met][0] - LAMPS_AHEAD_NS

        def reached() -> bool:
            lamps = list(self.wires.lamps)
            ends_ns = [at_ns for at_ns, _ in lamps[1:]] + [self.now_ns()]
            return any(lit == seats and end > since_ns for (_, lit), end in zip(lamps, ends_ns, strict=True))

        self._see(reached, within_s, lambda: f"lit lamps: {self.wires.lamps[-1][1]}, not {seats}")

    def _see(self, reached: Callable[[], bool], within_s: float, told: Callable[[], str]) -> None:
        self.until(reached, within_s, told)
        self.right_ns = self.now_ns()

    def until(self, reached: Callable[[], bool], within_s: float, told: Callable[[], str]) -> None:
        """Wait for a condition, or raise UnexpectedError with the text of `told`."""
        give_up_ns = self.now_ns() + round(within_s * 1e9)
        while not reached():
            if self.now_ns() > give_up_ns:
                raise UnexpectedError(told())
            self._sleep(POLL_S)

    def _other_picture(self, screen: Screen) -> str:
        return f"the display shows\n{self.display.look()}\nnot {screen}\n{picture(screen)}"
