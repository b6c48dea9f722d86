"""Watch two contacts in the guest and record the events, each program in its own process.

    python3 -m tests.rig.listener KIND OUT LINE LINE [BOUNCE_S]

KIND is `factory` (gpiozero on the product's own pins), `lgpio` (gpiozero on its usual ones) or `raw` (the character
device alone, counting only, for speed). Prints "listening"; when standard input closes, it writes OUT as JSON and ends:

    rows           [line, level, t_ns, number] as stamped by the kernel or the library, in order of delivery;
                   `number` is the kernel's count of the line's events, or -1
    pressed        [line, t_ns, called_ns] `when_pressed` was called at `called_ns` for the event stamped `t_ns`
    count, lost    events seen, events missing by the kernel's numbers
"""

from __future__ import annotations

import json
import os
import select
import struct
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.rig.chip import LABEL, make_chip

PI_3B = 0xA02082  # the revision given to gpiozero where there is no Pi
BUFFER_EVENTS = 1024
EVENT_V2 = struct.Struct("=QIIII6I")  # struct gpio_v2_line_event of linux/gpio.h


def watch_raw(lines: list[int], bounce_s: float | None) -> Callable[[], dict[str, Any]]:
    """Open one request per line and read as fast as Python can: whole buffers, numbers checked, nothing kept."""
    import gpiod
    from gpiod.line import Bias, Direction, Edge

    settings = gpiod.LineSettings(direction=Direction.INPUT, edge_detection=Edge.BOTH, bias=Bias.PULL_UP)
    device = str(make_chip().device)
    requests = [gpiod.request_lines(device, config={line: settings}, event_buffer_size=BUFFER_EVENTS) for line in lines]
    seen = dict.fromkeys(lines, 0)
    lost = 0

    def take(fd: int) -> None:
        nonlocal lost
        for event in EVENT_V2.iter_unpack(os.read(fd, EVENT_V2.size * BUFFER_EVENTS)):
            line, number = event[2], event[4]
            lost += number - seen[line] - 1
            seen[line] = number

    def finish() -> dict[str, Any]:
        follow({request.fd: partial(take, request.fd) for request in requests})
        return {"count": sum(seen.values()), "lost": lost}

    return finish


def watch_gpiozero(factory: Any, lines: list[int], bounce_s: float | None) -> Callable[[], dict[str, Any]]:
    """Record gpiozero's buttons: the calls of `when_pressed` and the stamps of their events."""
    from gpiozero import Button

    rows: list[tuple[int, int, int, int]] = []
    pressed: list[tuple[int, int, int]] = []

    class NotedButton(Button):  # type: ignore[misc]
        line = -1
        stamp_ns = 0

        def _pin_changed(self, ticks: Any, state: Any) -> None:
            # integers are nanoseconds, floats (lgpio) are seconds
            self.stamp_ns = ticks if isinstance(ticks, int) else round(ticks * 1e9)
            rows.append((self.line, int(bool(state)), self.stamp_ns, -1))
            super()._pin_changed(ticks, state)

    buttons = []
    for line in lines:
        button = NotedButton(line, pull_up=True, bounce_time=bounce_s, pin_factory=factory)
        button.line = line
        button.when_pressed = lambda button: pressed.append((button.line, button.stamp_ns, time.monotonic_ns()))
        buttons.append(button)

    def finish() -> dict[str, Any]:
        sys.stdin.read()
        return {"rows": rows, "pressed": pressed}

    return finish


def watch_factory(lines: list[int], bounce_s: float | None) -> Callable[[], dict[str, Any]]:
    from gpiozero_gpiod.factory import GpiodFactory

    return watch_gpiozero(GpiodFactory(chip=LABEL, revision=PI_3B), lines, bounce_s)


def watch_lgpio(lines: list[int], bounce_s: float | None) -> Callable[[], dict[str, Any]]:
    os.chdir("/run")  # lgpio makes a FIFO in the working directory when it is imported
    from gpiozero.pins.lgpio import LGPIOFactory

    class RigFactory(LGPIOFactory):  # type: ignore[misc]
        def _get_revision(self) -> int:
            return PI_3B

    return watch_gpiozero(RigFactory(chip=0), lines, bounce_s)


def follow(readers: dict[int, Callable[[], None]]) -> None:
    """Block until data can be read; end with standard input."""
    poll = select.epoll()
    for fd in (*readers, sys.stdin.fileno()):
        poll.register(fd, select.EPOLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == sys.stdin.fileno():
                return
            readers[fd]()


KINDS: dict[str, Callable[[list[int], float | None], Callable[[], dict[str, Any]]]] = {
    "factory": watch_factory,
    "raw": watch_raw,
    "lgpio": watch_lgpio,
}


def main() -> None:
    kind, out, *numbers = sys.argv[1:]
    lines, bounce_s = [int(number) for number in numbers[:2]], float(numbers[2]) if numbers[2:] else None
    finish = KINDS[kind](lines, bounce_s)
    print("listening", flush=True)
    Path(out).write_text(json.dumps(finish()))
    os._exit(0)  # lgpio's thread would keep the process alive


if __name__ == "__main__":
    main()
