"""One thread for many lines: a fault of one line does not affect the others.

Mostly in simulated time.
"""

from __future__ import annotations

import contextlib
import os
import pty
import queue
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import pytest

from referee.core.pods import wire as podwire
from referee.core.pods.link import Link, News, Up
from referee.core.pods.wire import make_frame
from referee.core.units import MS, S
from referee.drivers.pods.linethread import FAR_NS, LineThread
from referee.drivers.pods.port import FLOOD_NS, PAUSE_NS, WRITE_NS, Port, open_line
from tests.drivers.pods.test_port import HELLO
from tests.firmware.benchpod import PATIENCE_S

GREETING = make_frame(podwire.HELLO, HELLO)
BEAT = make_frame(podwire.BEAT, podwire._BEAT.pack(bytes(7), 0, 0, 0, 0, 0, 0) + b"\1")


class Wire:
    """A socket as a line; `far` is its other end. `give_back`: event that closing waits for."""

    def __init__(self, give_back: Callable[[], object] = lambda: None) -> None:
        self._near, self.far = socket.socketpair()
        self._give_back = give_back
        self.far.setblocking(False)
        self._near.setblocking(False)

    def fileno(self) -> int:
        return self._near.fileno()

    def close(self) -> None:
        self._give_back()
        self._near.close()
        self.far.close()

    def fill(self) -> None:
        """Fill the line's buffer."""
        with contextlib.suppress(BlockingIOError):
            while self._near.send(bytes(4096)):
                pass

    def taken(self) -> bytes:
        """Return everything received at the other end."""
        data = b""
        with contextlib.suppress(BlockingIOError):
            while some := self.far.recv(1 << 16):
                data += some
        return data


class Room:
    """A thread's turns, called by the test: time advances when there is nothing to wait for."""

    def __init__(self) -> None:
        self.now_ns, self.limit_ns = 100 * S, FAR_NS
        self.told: dict[str, list[News]] = {}
        self.heard_ns: dict[str, list[int]] = {}
        self.ends: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
        self.thread = LineThread(lambda: self.now_ns)
        self.ports: list[Port] = []

    def port(self, url: str, line: Any, **options: Any) -> Port:
        """Return a served port."""
        told: dict[str, Any] = {"news": self._heard, "ended": lambda port, why: self.ends.put((port.url, why))}
        port = Port(url, line, Link(0), clock=lambda: self.now_ns, **(told | options))
        self.ports.append(port)
        self.thread._new.append(port)
        self.thread._take_new()
        return port

    def _heard(self, port: Port, now_ns: int, news: Sequence[News]) -> None:
        self.told.setdefault(port.url, []).extend(news)
        self.heard_ns.setdefault(port.url, []).append(now_ns)

    def turn(self, count: int = 1) -> None:
        with patch.object(select, "select", self._select):
            for _ in range(count):
                self.thread._turn()

    def until(self, at_ns: int) -> None:
        """Run the turns up to that instant."""
        self.limit_ns = at_ns
        while self.now_ns < at_ns:
            self.turn()
        self.limit_ns = FAR_NS

    def _select(
        self, reading: list[int], writing: list[int], failing: list[int], seconds: float | None
    ) -> tuple[list[int], list[int], list[int]]:
        ready = REAL_SELECT(reading, writing, failing, 0)
        if not (ready[0] or ready[1]):
            self.now_ns = min(self.now_ns + max(round((seconds or 3_600) * S), 1), self.limit_ns)
        return ready

    def ended(self) -> tuple[str, str]:
        """Wait until a line was given back; return which one and why."""
        return self.ends.get(timeout=PATIENCE_S)


REAL_SELECT = select.select


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    yield made
    made.thread._end_all("")
    for port in made.ports:
        assert port._over.wait(PATIENCE_S)
    made.thread.close()


def test_what_one_line_raises_ends_that_one_alone(room: Room) -> None:
    """An error in our handling of its data; the other line works as before."""

    def broken(port: Port, now_ns: int, news: Sequence[News]) -> None:
        raise RuntimeError("no such seat")

    bad, good = Wire(), Wire()
    room.port("bad", bad, news=broken)
    room.port("good", good)
    bad.far.send(GREETING)
    room.turn()
    assert room.ended() == ("bad", "no such seat")
    good.far.send(GREETING)
    room.turn()
    assert [type(item) for item in room.told["good"]] == [Up]


def test_a_line_that_takes_nothing_holds_up_nobody_and_ends(room: Room) -> None:
    """Its pod is lost after half a second; meanwhile another one's greeting is read at once."""
    stuck, good = Wire(), Wire()
    stuck.fill()
    port, began_ns = room.port("stuck", stuck), room.now_ns
    room.port("good", good)
    assert port.full
    good.far.send(GREETING)
    room.turn()
    assert room.heard_ns["good"] == [began_ns]
    room.until(began_ns + WRITE_NS + 1)
    room.turn()
    assert room.ended() == ("stuck", "it accepts no more data")


def test_what_finds_no_room_is_written_when_there_is_some(room: Room) -> None:
    line = Wire()
    line.fill()
    port, said = room.port("pod", line), b""
    while port.full:
        said += line.taken()
        room.turn()
    said += line.taken()
    assert said.strip(b"\0") == podwire.ask()
    room.until(room.now_ns + WRITE_NS + 1)
    assert room.ends.empty()


def greeted(room: Room, *ports: tuple[Port, Callable[[bytes], object]]) -> None:
    """Start greeted lines without requests for an hour."""
    for _, say in ports:
        say(GREETING)
    room.turn()
    for port, _ in ports:
        assert port.link.up
        port.link._token, port.link.due_ns = None, room.now_ns + 3_600 * S


def flood(room: Room, *ports: tuple[Port, Callable[[bytes], object]]) -> None:
    """Send a message on each line every 5 ms until they are left alone."""
    for _ in range(2 * FLOOD_NS // (5 * MS)):
        for _, say in ports:
            say(BEAT)
        room.until(room.now_ns + 5 * MS)
    assert all(port.held_ns for port, _ in ports)


def test_a_flood_that_stops_is_no_line_that_has_ended(room: Room) -> None:
    """A serial line without bytes reads as one that has ended; a real end is detected."""
    master, slave = pty.openpty()
    port = room.port("pod", open_line(os.ttyname(slave)))
    os.close(slave)
    pod = port, lambda data: os.write(master, data)
    greeted(room, pod)
    flood(room, pod)
    room.until(port.held_ns + PAUSE_NS)
    assert (port.held_ns, room.ends.empty()) == (0, True)
    beat, before_ns = port.link.beat, room.now_ns
    os.write(master, BEAT)
    room.turn()
    assert port.link.beat is not beat
    assert room.now_ns == before_ns
    os.close(master)
    room.until(room.now_ns + 2 * PAUSE_NS)
    assert room.ended()[0] == "pod"


def test_flooded_lines_are_read_in_one_turn_and_another_at_once(room: Room) -> None:
    """Three flooded lines wake the thread once per pause; a quiet one does not wait for it."""
    wires = [Wire() for _ in range(4)]
    ports = [(room.port(f"pod {number}", wire), wire.far.send) for number, wire in enumerate(wires)]
    greeted(room, *ports)
    flood(room, *ports[:3])
    turns, begun_ns = 0, room.now_ns
    while room.now_ns < begun_ns + 10 * PAUSE_NS:
        for _, say in ports[:3]:
            say(BEAT)
        room.turn()
        turns += 1
    assert turns <= 11
    quiet_ns = room.now_ns = room.now_ns + 1 * MS
    wires[3].far.send(make_frame(podwire.TESTED, b"\0\0\1"))
    room.turn()
    assert room.heard_ns["pod 3"][-1] == quiet_ns


def test_a_line_that_is_slow_to_be_given_back_holds_up_nobody() -> None:
    """A driver may wait half a minute for unsent data. This test uses a real thread."""
    released, news = threading.Event(), queue.SimpleQueue[str]()
    slow, good = Wire(lambda: released.wait(PATIENCE_S)), Wire()
    ends: queue.SimpleQueue[str] = queue.SimpleQueue()
    thread = LineThread(lambda: 100 * S)
    made = []
    for url, line in (("slow", slow), ("good", good)):
        made.append(
            Port(
                url,
                line,
                Link(0),
                clock=lambda: 100 * S,
                news=lambda port, now_ns, told: news.put(port.url),
                ended=lambda port, why: ends.put(port.url),
            )
        )
        thread.serve(made[-1])
    made[0].close(patience_s=0)
    good.far.send(GREETING)
    assert news.get(timeout=PATIENCE_S) == "good"
    assert ends.empty()
    released.set()
    assert ends.get(timeout=PATIENCE_S) == "slow"
    made[1].close()
    assert ends.get(timeout=PATIENCE_S) == "good"
    made[1].order(lambda link: pytest.fail("nobody serves it any more"))
    thread.close()


def test_when_waiting_itself_fails_every_line_ends_and_the_next_is_served() -> None:
    """An invalid descriptor makes the wait fail for all lines; the search opens them again."""
    thread, ends = LineThread(lambda: 100 * S), queue.SimpleQueue[str]()
    news: queue.SimpleQueue[str] = queue.SimpleQueue()
    options: dict[str, Any] = {
        "clock": lambda: 100 * S,
        "news": lambda port, now_ns, told: news.put(port.url),
        "ended": lambda port, why: ends.put(port.url),
    }
    thread.serve(Port("other", Wire(), Link(0), **options))
    bad = Port("bad", Wire(), Link(0), **options)
    bad.begin = lambda: setattr(bad, "descriptor", -5)  # type: ignore[method-assign]
    thread.serve(bad)
    assert {ends.get(timeout=PATIENCE_S), ends.get(timeout=PATIENCE_S)} == {"bad", "other"}
    again = Wire()
    thread.serve(Port("again", again, Link(0), **options))
    again.far.send(GREETING)
    assert news.get(timeout=PATIENCE_S) == "again"
    thread.close()
    assert ends.get(timeout=PATIENCE_S) == "again"
