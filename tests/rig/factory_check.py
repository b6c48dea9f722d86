"""Check the gpiod factory on a real kernel: run in the guest, against gpio-sim.

    python3 -m tests.rig.vm 'python3 -m tests.rig.factory_check'

The unit tests (gpiozero_gpiod/tests/test_factory.py) use a fake; this uses the kernel itself: plain gpiozero devices,
pulls, edges and their stamps, an immediate drain, and events lost by overflow. Prints one line per check and exits with
1 if one failed.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import gpiozero
from gpiod import LineSettings
from gpiozero.exc import GPIOPinInUse, PinPWMUnsupported

from gpiozero_gpiod.edges import RawEdge
from gpiozero_gpiod.factory import GpiodFactory
from gpiozero_gpiod.line import BUFFER_EVENTS
from tests.rig.chip import CLOSED, LABEL, OPEN, Chip, make_chip

PATIENCE_S = 10
SETTLING_S = 0.02  # for the interrupt thread to take an edge: edges that are too fast merge in the kernel
REVISION = "a02082"


def output(factory: GpiodFactory, chip: Chip) -> None:
    """A LED drives its line, an active-low one begins high, and a closed one stops driving."""
    with gpiozero.LED(24, pin_factory=factory) as lamp, gpiozero.LED(25, active_high=False, pin_factory=factory):
        assert (chip.level(24), chip.level(25)) == (0, 1)
        lamp.on()
        assert chip.level(24) == 1
    assert factory.pin(24).function == "input"


def pulls(factory: GpiodFactory, chip: Chip) -> None:
    """The simulated line follows the requested pull, set in one step or later."""
    pin = factory.pin(5)
    for pull, level in (("up", 1), ("down", 0)):
        pin.input_with_pull(pull)
        assert (chip.level(5), pin.state) == (level, level)
    pin.pull = "up"
    assert pin.state == 1
    pin.close()


def button(factory: GpiodFactory, chip: Chip) -> None:
    """A plain gpiozero Button is pressed and released, and measures the time."""
    pressed, released = threading.Event(), threading.Event()
    with gpiozero.Button(17, pin_factory=factory) as contact:
        contact.when_pressed, contact.when_released = pressed.set, released.set
        chip.set_contact(17, CLOSED)
        assert pressed.wait(PATIENCE_S)
        assert contact.is_pressed
        assert 0 <= contact.active_time < PATIENCE_S
        chip.set_contact(17, OPEN)
        assert released.wait(PATIENCE_S)


def one_direction(factory: GpiodFactory, chip: Chip) -> None:
    """With falling edges requested, only falling edges are reported."""
    heard: list[int] = []
    pin = factory.pin(17)
    pin.input_with_pull("up")
    pin.edges = "falling"
    listener: Callable[[int, int], None] = lambda ticks, state: heard.append(state)  # noqa: E731
    pin.when_changed = listener
    for level in (CLOSED, OPEN, CLOSED, OPEN):
        chip.set_contact(17, level)
        time.sleep(SETTLING_S)
    factory.drain()
    wait_until(lambda: len(heard) == 2)
    assert heard == [0, 0]
    pin.close()


def drain(factory: GpiodFactory, chip: Chip) -> None:
    """With the factory's thread blocked, one drain returns every edge in order with its own stamp."""
    got: list[RawEdge] = []
    watch = factory.watch(got.extend, [17, 27, 22])
    brackets = []
    with factory.pump.lock:
        for level in (CLOSED, OPEN):
            for gpio in (27, 17, 22):
                before_ns = factory.ticks()
                chip.set_contact(gpio, level)
                time.sleep(SETTLING_S)
                brackets.append((gpio, level, before_ns, factory.ticks()))
        assert not got
        count = factory.drain()
    assert count == len(got) == len(brackets)
    for edge, (gpio, level, before_ns, after_ns) in zip(got, brackets, strict=True):
        assert (edge.gpio, edge.level, edge.gap_since_ns) == (gpio, level, None)
        assert before_ns <= edge.t_ns <= after_ns
    watch.close()


def overflow(factory: GpiodFactory, chip: Chip) -> None:
    """After an overflow the oldest events are lost, and the first one read reports the gap since the last known one."""
    got: list[RawEdge] = []
    watch = factory.watch(got.extend, [17])
    chip.set_contact(17, CLOSED)
    wait_until(lambda: len(got) == 1)
    known_ns = got[0].t_ns
    lost_before = factory.pin(17)._line.lost
    with factory.pump.lock:
        for count in range(BUFFER_EVENTS + 200):
            chip.set_contact(17, CLOSED if count % 2 else OPEN)
            time.sleep(0.0005)
        factory.drain()
    assert len(got) == 1 + BUFFER_EVENTS, len(got)
    assert [edge.gap_since_ns for edge in got if edge.gap_since_ns is not None] == [known_ns]
    assert got[1].gap_since_ns == known_ns
    assert 100 <= factory.pin(17)._line.lost - lost_before <= 200, factory.pin(17)._line.lost
    watch.close()
    chip.set_contact(17, OPEN)


def again(factory: GpiodFactory, chip: Chip) -> None:
    """A listener that leaves and returns receives no old events and misses no number."""
    got: list[RawEdge] = []
    factory.watch(lambda batch: None, [17]).close()
    watch = factory.watch(got.extend, [17])
    chip.set_contact(17, CLOSED)
    wait_until(lambda: bool(got))
    assert got[0].gap_since_ns is None
    watch.close()
    pin = factory.pin(17)
    pin.input_with_pull("up")
    heard: list[int] = []
    for round_number in range(1, 4):  # detection switched off and on again on a line that stays claimed
        pin.when_changed = (listener := lambda ticks, state: heard.append(state))
        chip.set_contact(17, CLOSED)
        wait_until(lambda expected=round_number: len(heard) == expected)  # type: ignore[misc]
        pin.when_changed = None
        chip.set_contact(17, OPEN)
        del listener
    assert heard == [0, 0, 0]
    assert factory.pin(17)._line.lost == 0
    pin.close()


def in_use(factory: GpiodFactory, chip: Chip) -> None:
    """A line held by another request is reported as in use; PWM is refused."""
    with GpiodFactory(chip=LABEL, revision=REVISION) as other:
        holder = other.line(26)
        holder.configure(LineSettings())
        assert "'gpiozero'" in refusal(GPIOPinInUse, lambda: gpiozero.LED(26, pin_factory=factory))
        holder.release()
    refusal(PinPWMUnsupported, lambda: gpiozero.PWMLED(16, pin_factory=factory))


def refusal(kind: type[Exception], act: Callable[[], object]) -> str:
    """Return the text of the error that `act` must raise."""
    try:
        act()
    except kind as exc:
        return str(exc)
    raise AssertionError(f"no {kind.__name__} was raised")


def idle(factory: GpiodFactory, chip: Chip) -> None:
    """The factory's thread does not run while nothing happens."""
    watch = factory.watch(lambda batch: None, [17, 27])
    wait_until(lambda: bool(edge_threads()))
    time.sleep(0.5)
    before = switches()
    time.sleep(3)
    assert switches() == before
    watch.close()


def edge_threads() -> list[int]:
    """Return the kernel's ids of the factories' threads in this process."""
    return [t.native_id for t in threading.enumerate() if t.name == "gpiod-edges" and t.native_id is not None]


def switches() -> int:
    """Return the voluntary context switches of the factories' threads so far."""
    texts = [Path(f"/proc/self/task/{number}/status").read_text() for number in edge_threads()]
    return sum(int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("voluntary"))


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for another thread, up to the time limit."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "nothing came"
        time.sleep(0.01)


CHECKS = (output, pulls, button, one_direction, drain, overflow, again, in_use, idle)


def main() -> int:
    """Run every check with its own factory."""
    chip, failed = make_chip(), 0
    for check in CHECKS:
        with GpiodFactory(chip=LABEL, revision=REVISION) as factory:
            try:
                check(factory, chip)
            except Exception:
                failed += 1
                print(f"FAILED {check.__name__}: {check.__doc__}")
                traceback.print_exc(file=sys.stdout)
            else:
                print(f"ok     {check.__name__}: {check.__doc__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
