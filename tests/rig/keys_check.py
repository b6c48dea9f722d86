"""Check keyboards as buttons on a real kernel: run in the guest, with keyboards made by uinput.

    python3 -m tests.rig.vm --modules evdev,uinput 'python3 -m tests.rig.keys_check'

The unit tests (tests/drivers/keys/) use pipes; this uses the kernel itself (its stamps, announcements, level queries,
grabs and overflows) and Debian's python3-evdev. A real keyboard reports a press late by its debouncing and by polling.
Here each press gets a random delay of that size: the true press is the moment before the event is written, less the
delay. A pair is repeated if the emulator has stalled in a write.

Prints one line per check and exits with 1 if one failed.
"""

from __future__ import annotations

import queue
import random
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from evdev import InputDevice, UInput, ecodes

from referee.cli import main as main_of_referee
from referee.config import load
from referee.core.model.events import Linked
from referee.core.presses.arbiter import CallRules, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS
from referee.drivers.keys.keys import Keys
from referee.drivers.keys.nodes import USB_NS, Keyboard, KeyRow, found_nodes

DEBOUNCE_NS, POLLING_NS = 10 * MS, 8 * MS
BOUND_NS = DEBOUNCE_NS + POLLING_NS + USB_NS
"""Both errors of a pair together."""
PAIRS = 400
READ_NS = 10 * MS
"""Within this time the driver reads a row (config.READ_MS)."""
PATIENCE_S = 20
VENDOR, PRODUCT = 0x1234, 0x5678
LEFT, RIGHT = "1234:5678@usb-rig-1", "1234:5678@usb-rig-2"
A, B = ecodes.KEY_A, ecodes.KEY_B
LEARNING = ((A, 1), (A, 0), (B, 1), (B, 0), (A, 1), (B, 1), (A, 0), (B, 0))


def plug(port: str) -> UInput:
    """Plug in a keyboard; all of them are of the same kind."""
    keys = {ecodes.EV_KEY: [A, B]}
    return UInput(keys, name="Rig pad", vendor=VENDOR, product=PRODUCT, phys=f"{port}/input0")


def set_key(pad: UInput, code: int, value: int) -> tuple[int, int]:
    """Report a key. Return the times before and after it."""
    before_ns = time.monotonic_ns()
    pad.write(ecodes.EV_KEY, code, value)
    pad.syn()
    return before_ns, time.monotonic_ns()


class Table:
    """The driver, with a queue of its rows.

    gate: while it is closed, the driver's thread waits in it. arrived: the thread has come to the gate.
    """

    def __init__(self, *keyboards: Keyboard) -> None:
        self.rows: queue.SimpleQueue[KeyRow] = queue.SimpleQueue()
        self.gate, self.arrived = threading.Event(), threading.Event()
        self.gate.set()
        self.keys = Keys(keyboards, self._take, debounce_ns=DEBOUNCE_NS, polling_ns=POLLING_NS, report=print)
        self.keys.start()

    def _take(self, rows: Sequence[KeyRow]) -> None:
        self.arrived.set()
        self.gate.wait(PATIENCE_S)
        for row in rows:
            self.rows.put(row)

    def row(self) -> KeyRow:
        return self.rows.get(timeout=PATIENCE_S)

    def edge(self) -> Edge:
        row = self.row()
        assert isinstance(row, Edge), row
        return row

    def linked(self, up: bool) -> Linked:
        row = self.row()
        assert isinstance(row, Linked), row
        assert row.up is up, row
        return row


@contextmanager
def table(*keyboards: Keyboard) -> Any:
    made = Table(*keyboards)
    try:
        yield made
    finally:
        made.gate.set()
        made.keys.close()


def stamps() -> None:
    """The kernel's stamp is within the bracket of its write, on CLOCK_MONOTONIC."""
    with plug("usb-rig-1") as pad, table(Keyboard(LEFT, (("KEY_A", "1"),))) as at:
        at.linked(True)
        for n in range(100):
            before_ns, after_ns = set_key(pad, A, 1 - n % 2)
            edge = at.edge()
            stamp_ns = edge.t_ns + edge.err_ns
            assert before_ns - 1000 <= stamp_ns <= after_ns, (before_ns, stamp_ns, after_ns)  # it is in µs
            assert edge.err_ns == BOUND_NS // 2


def order() -> None:
    """Who was first: 400 of 400 pairs beyond the bounds, clear beyond twice these, never wrong unless grey."""
    dice = random.Random(1)
    buttons = Keyboard(LEFT, (("KEY_A", "1"),)), Keyboard(RIGHT, (("KEY_A", "2"),))
    with plug("usb-rig-1") as left, plug("usb-rig-2") as right, table(*buttons) as at:
        at.linked(True)
        at.linked(True)
        pads = {"1": left, "2": right}
        for name, least_ns, most_ns in (
            ("closer than the bounds", 0, BOUND_NS),
            ("beyond the bounds", BOUND_NS, 2 * BOUND_NS),
            ("beyond twice the bounds", 2 * BOUND_NS, 3 * BOUND_NS),
        ):
            pairs = [play(at, pads, dice, dice.randrange(least_ns, most_ns)) for _ in range(PAIRS)]
            ordered = sum(first for first, _ in pairs)
            kinds = {kind: sum(one == kind for _, one in pairs) for kind in ("right", "grey", "wrong")}
            print(f"{name}: order right in {ordered} of {len(pairs)}; verdicts {kinds}")
            assert not kinds["wrong"]
            assert ordered == PAIRS or not least_ns
            assert not kinds["grey"] or least_ns < 2 * BOUND_NS


def play(at: Any, pads: dict[str, UInput], dice: random.Random, gap_ns: int) -> tuple[bool, str]:
    """Press both, and ask the arbiter. Return whether its first is right, and whether the verdict is right or grey."""
    while True:
        true, stalled = press(pads, dice, gap_ns)
        pressed = [at.edge(), at.edge()]
        time.sleep(0.005)  # a shorter one would be a spike
        for pad in pads.values():
            set_key(pad, A, 0)
        rows = sorted((*pressed, at.edge(), at.edge()), key=lambda row: row.arrived_ns)
        late = any(row.arrived_ns - (row.t_ns + row.err_ns) > READ_NS for row in pressed)
        if not (stalled or late):
            break
    [verdict] = arbitrate(rows, CallRules(tie_ns=0))
    truth = min(true, key=lambda station: true[station])
    right = verdict.kind == "clear" and verdict.first == truth
    return verdict.first == truth, "grey" if verdict.grey else "right" if right else "wrong"


def press(pads: dict[str, UInput], dice: random.Random, gap_ns: int) -> tuple[dict[str, int], bool]:
    """Press both keys so far apart, in random order. Return the true times, and whether a write took too long."""
    first, second = dice.sample(("1", "2"), 2)
    begin_ns = time.monotonic_ns() + 30 * MS
    planned = []
    for station, true_ns in ((first, begin_ns), (second, begin_ns + gap_ns)):
        delay_ns = dice.randrange(DEBOUNCE_NS) + dice.randrange(POLLING_NS)
        planned.append((true_ns + delay_ns, delay_ns, station))
    true: dict[str, int] = {}
    stalled = False
    for report_ns, delay_ns, station in sorted(planned):
        time.sleep(max(report_ns - time.monotonic_ns(), 0) / 1e9)
        before_ns, after_ns = set_key(pads[station], A, 1)
        stalled |= after_ns - before_ns > USB_NS or abs(before_ns - report_ns) > USB_NS
        true[station] = before_ns - delay_ns
    return true, stalled


def hot_plug() -> None:
    """A keyboard is heard when it is plugged in, lost when it is pulled out, and back with its keys as levels."""
    with table(Keyboard("1234:5678", (("KEY_A", "1"), ("KEY_B", "2")))) as at:
        for _ in range(5):
            with plug("usb-rig-1") as pad:
                assert at.linked(True).stations == ("1", "2")
                set_key(pad, A, 1)
                assert at.edge().closed
            row = at.row()
            while isinstance(row, Edge):  # the kernel may report a release first
                row = at.row()
            assert isinstance(row, Linked)
            assert (row.up, row.stations) == (False, ("1", "2"))


def two_alike() -> None:
    """Two keyboards of one kind are told apart by their ports, and keep their stations after an unplug."""
    buttons = Keyboard(LEFT, (("KEY_A", "1"),)), Keyboard(RIGHT, (("KEY_A", "2"),))
    with table(*buttons) as at:
        for ports in (("usb-rig-1", "usb-rig-2"), ("usb-rig-2", "usb-rig-1")):
            with plug(ports[0]) as one, plug(ports[1]) as two:
                at.linked(True)
                at.linked(True)
                for pad, port in ((one, ports[0]), (two, ports[1])):
                    set_key(pad, A, 1)
                    assert at.edge().station == port[-1]
                    set_key(pad, A, 0)
                    at.edge()
            at.linked(False)
            at.linked(False)


def overflow() -> None:
    """Events that the kernel drops cost no level, and the row after them reaches back to the last report."""
    with plug("usb-rig-1") as pad, table(Keyboard(LEFT, (("KEY_A", "1"),))) as at:
        at.linked(True)
        at.gate.clear()
        at.arrived.clear()
        begun_ns, _ = set_key(pad, A, 1)
        assert at.arrived.wait(PATIENCE_S)  # else all events could be dropped, and no level would have changed
        for _ in range(500):
            set_key(pad, A, 0)
            set_key(pad, A, 1)
        _, ended_ns = set_key(pad, A, 0)
        at.gate.set()
        rows = [at.edge()]
        while rows[-1].closed or rows[-1].t_ns + rows[-1].err_ns < ended_ns - 1000:
            rows.append(at.edge())
        assert len(rows) < 1000, "nothing was dropped"
        assert rows[-1].err_ns > BOUND_NS // 2
        assert begun_ns - BOUND_NS <= rows[-1].t_ns - rows[-1].err_ns
        assert all(one.t_ns <= other.t_ns for one, other in pairwise(rows))


def grab() -> None:
    """A grabbed keyboard types nowhere else; another one does."""
    for asked, heard in ((True, 0), (False, 1)):
        with plug("usb-rig-1") as pad, table(Keyboard(LEFT, (("KEY_A", "1"),), asked)) as at:
            at.linked(True)
            [node] = [node for node in found_nodes() if node.port == "usb-rig-1"]
            other = InputDevice(node.path)
            set_key(pad, A, 1)
            at.edge()
            assert sum(event.type == ecodes.EV_KEY for event in _waiting(other)) == heard
            other.close()


def _waiting(device: InputDevice) -> list[Any]:
    try:
        return list(device.read())
    except BlockingIOError:
        return []


def learn() -> None:
    """`referee keys learn` writes settings that the referee reads."""
    path = Path("/tmp/tonight.toml")
    with plug("usb-rig-1") as pad:
        threading.Timer(3, lambda: [set_key(pad, code, value) for code, value in LEARNING]).start()
        assert main_of_referee(["keys", "list"]) == 0
        assert main_of_referee(["keys", "learn", "1", "2", "--config", str(path)]) == 0
    [keyboard] = load(path).keyboards
    assert (keyboard.device, keyboard.stations()) == ("1234:5678", {A: "1", B: "2"})


def idle() -> None:
    """The thread sleeps for 5 s without a single wake-up."""
    with plug("usb-rig-1"), table(Keyboard(LEFT, (("KEY_A", "1"),))) as at:
        at.linked(True)
        time.sleep(0.5)
        status = Path(f"/proc/self/task/{at.keys._thread.native_id}/status")
        before = switches(status)
        time.sleep(5)
        print(f"{switches(status) - before} wake-ups in 5 s")
        assert switches(status) == before


def switches(status: Path) -> int:
    return sum(int(line.split()[1]) for line in status.read_text().splitlines() if "ctxt_switches" in line)


CHECKS: tuple[Callable[[], None], ...] = (stamps, order, hot_plug, two_alike, overflow, grab, learn, idle)


def main() -> int:
    """Run every check."""
    failed = 0
    for check in CHECKS:
        try:
            check()
        except Exception:
            failed += 1
            print(f"FAILED {check.__name__}: {check.__doc__}")
            traceback.print_exc(file=sys.stdout)
        else:
            print(f"ok     {check.__name__}: {check.__doc__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
