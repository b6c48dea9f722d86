"""Pods on serial lines: found, lost, found again; other devices; reports to the table.

Uses the real firmware.
"""

from __future__ import annotations

import os
import pty
import socket
import threading
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.core.model.events import Linked
from referee.core.pods import wire as podwire
from referee.core.pods.link import Link
from referee.core.pods.wire import make_frame
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.drivers.pods.lines import AGAIN_NS, SENTENCES, PodRow, Pods
from referee.drivers.pods.port import FIRST_PAUSE_NS, HANDOVER_NS, LONGEST_PAUSE_NS, STARTS, STEADY_NS, Port, Tries
from tests.firmware.benchpod import PATIENCE_S, BenchPod, each_micropython, needs_node

EIGHT = ("1", "2", "3", "4", "5", "6", "7", "8")


class Heard:
    """The driver's reports, and a way to wait for some of them."""

    def __init__(self) -> None:
        self.rows: list[PodRow] = []
        self.said: list[str] = []
        self._changed = threading.Condition()

    def took(self, rows: Sequence[PodRow]) -> None:
        with self._changed:
            self.rows += rows
            self._changed.notify_all()

    def report(self, sentence: str) -> None:
        with self._changed:
            self.said.append(sentence)
            self._changed.notify_all()

    def until(self, wanted: Callable[[], object]) -> None:
        """Wait until `wanted` is true; conditions without a report are checked fifty times a second."""
        end = time.monotonic() + PATIENCE_S
        with self._changed:
            while not wanted():
                assert time.monotonic() < end, (self.rows, self.said)
                self._changed.wait(0.02)

    @property
    def edges(self) -> list[Edge]:
        return [row for row in self.rows if isinstance(row, Edge)]

    @property
    def links(self) -> list[Linked]:
        return [row for row in self.rows if isinstance(row, Linked)]

    def changes(self) -> list[tuple[str, bool]]:
        """Return each station's changes, without rows that repeat a level."""
        level: dict[str, bool] = {}
        told = []
        for edge in self.edges:
            if level.get(edge.station, False) != edge.closed:
                told.append((edge.station, edge.closed))
            level[edge.station] = edge.closed
        return told


class Lines:
    """The lines that exist: a test plugs them in and out."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)

    def __call__(self) -> list[str]:
        return list(self.names)


@contextmanager
def listening(stations: dict[str, tuple[str, ...]], find: Lines, **kwargs: Any) -> Iterator[tuple[Heard, Pods]]:
    """Run the driver; it searches ten times a second."""
    heard = Heard()
    pods = Pods(stations, heard.took, find=find, report=heard.report, scan_s=0.1, **kwargs)
    pods.start()
    try:
        yield heard, pods
    finally:
        pods.close()


class SlowLine:
    """A line on which the pod answers during a read: data were stamped until `now_ns`."""

    def __init__(self, number: int) -> None:
        self.now_ns = 0
        self.fileno = lambda: number

    def read(self, count: int) -> bytes:
        self.now_ns += 7 * MS
        return b"x" * count


def test_an_answer_is_never_here_before_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread may lose milliseconds between two steps; the reported instant is after the bytes."""
    readable, written = os.pipe()
    os.write(written, b"xxxxx")
    line = SlowLine(readable)
    read = os.read
    monkeypatch.setattr(os, "read", lambda number, most: line.read(0) + read(number, most))
    port = Port("line", line, Link(0), clock=lambda: line.now_ns, news=lambda *_: None, ended=lambda *_: None)
    told: list[tuple[bytes, int]] = []
    monkeypatch.setattr(port.link, "receive", lambda data, now_ns: told.append((data, now_ns)))
    monkeypatch.setattr(port, "_write", lambda: None)
    port.read_ready()
    [(data, now_ns)] = told
    assert data.startswith(b"xxxxx")
    assert now_ns == line.now_ns > 0
    for end in (readable, written):
        os.close(end)


def test_the_host_s_clock_is_watched_also_while_no_pod_is_there() -> None:
    """A time service that steers the clock meanwhile would falsify the edges kept by a pod."""
    asked = threading.Event()

    def steered() -> int:
        asked.set()
        return 0

    with listening({"3f2a": EIGHT}, Lines(), steered=steered):
        assert asked.wait(PATIENCE_S)


# -- a real pod ----------------------------------------------------------------------------------------------------


@needs_node
@each_micropython
def test_a_press_on_a_pod_is_rows_with_their_true_time(micropython: Path) -> None:
    """Each row is within its stated bound and has its time of arrival."""
    with BenchPod(micropython=micropython) as pod, listening({"3f2a": EIGHT}, Lines(pod.line)) as (heard, pods):
        heard.until(lambda: heard.links and pods.status()[0].exchanges >= 8)
        assert heard.links[0].up
        assert heard.links[0].stations == EIGHT
        at = pod.closed(4)
        heard.until(lambda: heard.changes() == [("5", True)])
        released = pod.closed()
        heard.until(lambda: heard.changes() == [("5", True), ("5", False)])
        down, up = heard.edges[0], heard.edges[-1]
        for edge, true in ((down, at), (up, released)):
            assert abs(edge.t_ns - true) <= edge.err_ns
            assert edge.arrived_ns > edge.t_ns - edge.err_ns
        [status] = pods.status()
        assert (status.up, status.line, status.stations) == (True, pod.line, EIGHT)
        assert status.bound_ns is not None
    assert heard.said == ["pod 3f2a is there: stations 1, 2, 3, 4, 5, 6, 7, 8"]


@needs_node
def test_a_pod_that_starts_anew_in_the_middle_goes_on() -> None:
    """A new boot, the same stations; earlier presses are not repeated."""
    with BenchPod() as pod, listening({"3f2a": EIGHT}, Lines(pod.line)) as (heard, pods):
        heard.until(lambda: heard.links and pods.status()[0].exchanges >= 8)
        pod.train((0, 1), (20_000, 0))  # no bounce: one cut off by a restart counts as a press
        heard.until(lambda: len(heard.changes()) == 2)
        pod.ask("anew")
        heard.until(lambda: len(heard.links) == 2)
        at = pod.closed(2)
        heard.until(lambda: len(heard.changes()) == 3)
        row = next(edge for edge in heard.edges if edge.station == "3")
        assert abs(row.t_ns - at) <= row.err_ns
    assert heard.changes() == [("1", True), ("1", False), ("3", True)]
    assert heard.said[-1].endswith("restarted")


@needs_node
def test_two_pods_are_told_apart_by_their_own_numbers() -> None:
    with BenchPod("0000000000000001") as first, BenchPod("0000000000000002", ppm=-50) as second:
        stations = {"0002": ("1", "2"), "00000001": ("", "", "5")}
        with listening(stations, Lines(second.line, first.line)) as (heard, pods):
            heard.until(lambda: len(heard.links) == 2)
            first.closed(0, 2)
            heard.until(lambda: heard.changes() == [("5", True)])
            second.closed(1, 3)
            heard.until(lambda: len(heard.changes()) == 2)
            pods.light(frozenset({"5", "1"}))
            first.until_lit(0b100)
            second.until_lit(0b001)
    assert heard.changes() == [("5", True), ("2", True)]


@needs_node
def test_a_line_torn_out_and_another_one_found_is_the_same_pod() -> None:
    """The pty ends, as with a pulled plug; the pod is reported as lost once."""
    lines = Lines()
    with listening({"3f2a": EIGHT}, lines) as (heard, _):
        with BenchPod() as pod:
            lines.names = [pod.line]
            heard.until(lambda: heard.links)
        heard.until(lambda: len(heard.links) == 2)
        with BenchPod() as pod:
            lines.names = [pod.line]
            heard.until(lambda: len(heard.links) == 3)
            pod.closed(1)
            heard.until(lambda: heard.changes() == [("2", True)])
    assert [link.up for link in heard.links][:3] == [True, False, True]
    assert heard.said[1].startswith("pod 3f2a is lost")


@needs_node
def test_a_pod_that_nobody_has_named_is_said_with_what_to_write() -> None:
    with BenchPod("00000000deadbeef") as pod, listening({"3f2a": EIGHT}, Lines(pod.line)) as (heard, pods):
        heard.until(lambda: heard.said)
        pod.closed(0)
        assert [status.ident for status in pods.status()] == ["00000000deadbeef", "3f2a"]
    assert heard.rows == []
    [sentence] = heard.said
    assert 'takes a line such as 00000000deadbeef = ["1", "2"]' in sentence


# -- who is no pod -------------------------------------------------------------------------------------------------


@contextmanager
def somebody(
    says: bytes, every_s: float = 0.2, *, answers: Callable[[bytes], bytes] = lambda data: b""
) -> Iterator[str]:
    """A device that repeats a message and answers in its own way."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    over = threading.Event()

    def live() -> None:
        os.set_blocking(master, False)
        while not over.wait(every_s):
            try:
                back = answers(os.read(master, 4096))
            except OSError:
                back = b""
            os.write(master, says + back)

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        over.set()
        thread.join()
        os.close(master)
        os.close(slave)


def test_pod_that_starts_again_and_again_is_left_alone() -> None:
    rest = bytes(8), b"\2\0\0", 8, 0, 125, 2_000, 200, 0, bytes(7)
    hello = [podwire._HELLO.pack(podwire.VERSION, 0, boot, *rest) + b"\0" for boot in range(80)]
    says = b"".join(make_frame(podwire.HELLO, one) for one in hello)
    with somebody(says) as line, listening({"0000": EIGHT}, Lines(line)) as (heard, _):
        heard.until(lambda: any(sentence.endswith("starts again and again") for sentence in heard.said))
        heard.until(lambda: heard.links[-1].up is False)
        assert len(heard.links) <= STARTS + 2


STRANGERS = {
    "a GPS mouse": (b"$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n", "NMEA"),
    "a modem": (b"\r\nERROR\r\n", "modem"),
    "a half-flashed pod": (
        b"Traceback (most recent call last):\r\nImportError: no module named 'link'\r\n>>> ",
        "install",
    ),
    "nobody": (b"", "says nothing"),
    "noise": (bytes(range(0x80, 0x100)) + b"\x7e\x02\x7e\x01", "no pod"),
    "a later pod": (podwire.make_frame(podwire.HELLO, b"\x03and more"), "speaks protocol 3, this referee 2"),
}


def test_each_stranger_gets_one_sentence() -> None:
    with ExitStack() as stack:
        wanted = {stack.enter_context(somebody(says)): wanted for says, wanted in STRANGERS.values()}
        wanted["/dev/ttyNOBODY"] = "cannot be opened: "
        heard, pods = stack.enter_context(listening({"3f2a": EIGHT}, Lines(*wanted)))
        heard.until(lambda: len(heard.said) == len(wanted))
        assert pods.status()[0].up is False
    assert heard.rows == []
    assert [
        line for line, words in wanted.items() if not any(line in said and words in said for said in heard.said)
    ] == []


def test_a_pod_over_the_network_is_a_pod() -> None:
    """For any URL that pyserial opens: here socket://, with a pod's greeting at the other end."""
    server = socket.create_server(("127.0.0.1", 0))
    url = f"socket://127.0.0.1:{server.getsockname()[1]}"

    def greet() -> None:
        line, _ = server.accept()
        with line:
            line.recv(100)
            line.sendall(podwire.make_frame(podwire.HELLO, HELLO))
            while line.recv(100):
                pass

    thread = threading.Thread(target=greet, daemon=True)
    thread.start()
    with listening({"3f2a": EIGHT}, Lines(), lines=(url,)) as (heard, _):
        heard.until(lambda: heard.links)
    thread.join(PATIENCE_S)
    server.close()
    assert heard.links[0].closed == ("1", "3")


HELLO = bytes.fromhex("02014200fecae66141040b2c3f2a02000008057d0098230000c8000700037d7e030000000c")


def test_a_search_that_fails_is_said_and_goes_on() -> None:
    """The content of a driver's directory is not guaranteed."""
    again = threading.Event()

    def look() -> list[str]:
        if heard.said:
            again.set()
        raise RuntimeError("sysfs is on fire")

    heard = Heard()
    pods = Pods({"3f2a": EIGHT}, heard.took, find=look, report=heard.report, scan_s=0.01)
    pods.start()
    assert again.wait(PATIENCE_S)
    pods.close()
    assert heard.said == ["looking for pods failed: sysfs is on fire"]


# -- costs of other devices --------------------------------------------------------------------------------------------


class Wire:
    """A port without a line or a thread: orders are executed at once, an end is recorded."""

    def __init__(self, pods: Pods, url: str) -> None:
        self.url, self.link, self.ended = url, Link(0), False
        self._pods = pods
        pods._ports[url] = self  # type: ignore[assignment]

    def order(self, what: Callable[[Link], object]) -> None:
        try:
            what(self.link)
        except OSError:
            self.ended = True

    def says(self, ident: str, boot: int = 1) -> None:
        """Send a pod's greeting."""
        hello = (
            podwire._HELLO.pack(podwire.VERSION, 0, boot, bytes.fromhex(ident), bytes(3), 8, 0, 125, 0, 0, 0, bytes(7))
            + b"\0"
        )
        news = self.link.receive(podwire.make_frame(podwire.HELLO, hello), 0)
        self._pods._take_news(self, 0, news)  # type: ignore[arg-type]

    def close(self) -> None:
        """End as a pulled plug does."""
        self._pods._note_end(self, "")  # type: ignore[arg-type]


class Room:
    """The driver without its watcher, in simulated time."""

    def __init__(self, *ends: str) -> None:
        self.now_ns = 0
        self.heard = Heard()
        stations = {end: (str(number),) for number, end in enumerate(ends, 1)}
        self.pods = Pods(stations, self.heard.took, report=self.heard.report, clock=lambda: self.now_ns)

    def plug(self, url: str) -> Wire:
        return Wire(self.pods, url)


def test_pods_of_two_entries_are_served_side_by_side_with_their_stations() -> None:
    """The turns of a pod's knob, and contacts without a name, are no stations."""
    room = Room("b111", "3f2a")
    room.pods._stations["3f2a"] = ("2", "", "knob", "knob-a", "knob-b")
    for number, ident in enumerate(("000000000000b111", "0000000000003f2a")):
        wire = room.plug(f"/dev/ttyACM{number}")
        wire.says(ident)
        assert not wire.ended
    assert [link.stations for link in room.heard.links] == [("1",), ("2", "knob")]


def test_ever_new_pods_leave_nothing_behind() -> None:
    """For a device that changes its number with each start, links and messages do not accumulate."""
    room = Room("3f2a")
    for number in range(3 * SENTENCES):
        wire = room.plug("/dev/ttyACM0")
        wire.says(f"{number:016x}")
        wire.says(f"{number + 10_000:016x}")  # without even a new plug
        assert wire.ended
        wire.close()
    assert room.pods._links == {}
    assert len(room.pods._said) <= SENTENCES
    assert room.heard.rows == []


@pytest.mark.parametrize("second", ["00000000000a3f2a", "00000000000b3f2a"])
def test_a_second_pod_with_a_taken_number_is_said_once_and_left_alone(second: str) -> None:
    """The same number or ending: it may be the same pod on a new line.

    Afterwards it counts as another one.
    """
    room = Room("3f2a")
    room.plug("/dev/ttyACM0").says("00000000000a3f2a")
    rows = list(room.heard.rows)
    opened = 0
    while room.now_ns < 10 * AGAIN_NS:
        if room.pods._try("/dev/ttyACM1").due(room.now_ns):
            opened += 1
            room.pods._try("/dev/ttyACM1").note_open(room.now_ns)
            wire = room.plug("/dev/ttyACM1")
            wire.says(second)
            assert wire.ended
            wire.close()
        room.now_ns += 1 * S
    assert room.heard.rows == rows
    said = [sentence for sentence in room.heard.said if "has the number of the one on /dev/ttyACM0" in sentence]
    assert len(said) == 1
    assert opened <= 10 + HANDOVER_NS // S


def test_a_pod_that_moves_to_another_line_is_taken_over_once_its_old_one_has_ended() -> None:
    """It is pulled and plugged in elsewhere while the old line is slow to end."""
    room = Room("3f2a")
    old = room.plug("/dev/ttyACM0")
    old.says("00000000000a3f2a")
    new = room.plug("/dev/ttyACM1")
    new.says("00000000000a3f2a")
    assert new.ended
    new.close()
    old.close()
    room.now_ns += 2 * S
    assert room.pods._try("/dev/ttyACM1").due(room.now_ns)
    new = room.plug("/dev/ttyACM1")
    new.says("00000000000a3f2a")
    assert not new.ended
    assert new.link is old.link
    assert not any("number" in sentence for sentence in room.heard.said)


def test_a_line_that_keeps_ending_is_tried_less_and_less_often() -> None:
    """A loose plug is often back at once; after a steady period the wait is reset."""
    tries, now, pauses = Tries(), 100 * S, []
    for _ in range(10):
        tries.note_open(now)
        tries.note_end(now)
        since = now
        while not tries.due(now):
            now += S // 2
        pauses.append(now - since)
    assert pauses[:4] == [0, FIRST_PAUSE_NS, 2 * FIRST_PAUSE_NS, 4 * FIRST_PAUSE_NS]
    assert pauses[-1] == LONGEST_PAUSE_NS
    tries.note_open(now)
    tries.note_end(now + STEADY_NS)
    assert tries.due(now + STEADY_NS)


class Outage:
    """A line that stays plugged in, served in steps of 100 ms. `said`: what arrives at an instant; None: a pod."""

    def __init__(self, said: Callable[[int], bytes | None]) -> None:
        self.room, self.said = Room("3f2a"), said
        self.opened_ns: list[int] = []
        self.wire: Wire | None = None

    def run(self, until_ns: int) -> None:
        while self.room.now_ns < until_ns:
            self._step(self.room.now_ns)
            self.room.now_ns += 100 * MS

    def _step(self, now_ns: int) -> None:
        pods, url = self.room.pods, "/dev/ttyACM0"
        if self.wire is None and pods._try(url).due(now_ns):
            self.opened_ns.append(now_ns)
            pods._try(url).note_open(now_ns)
            self.wire = self.room.plug(url)
            self.wire.link.open_line(now_ns)
        if self.wire is None:
            return
        data = self.said(now_ns)
        data = podwire.make_frame(podwire.HELLO, HELLO) if data is None else data
        for news in (self.wire.link.receive(data, now_ns), self.wire.link.tick(now_ns)):
            if news:
                pods._take_news(self.wire, now_ns, news)  # type: ignore[arg-type]
        if self.wire.ended:
            self.wire.close()
            self.wire = None


@given(st.integers(0, 1200), st.sampled_from([b"", b"\xff\x7e\x00", b"$GPGGA,172814.0\r\n"]))
@example(100, b"")
def test_a_pod_is_back_when_its_link_is_back(tenths: int, noise: bytes) -> None:
    gone_ns, back_ns = 1 * S, 1 * S + tenths * 100 * MS
    outage = Outage(lambda now_ns: noise if gone_ns <= now_ns < back_ns else None)
    outage.run(back_ns + 5 * S)
    links = [(link.up, link.at_ns) for link in outage.room.heard.links]
    assert links[0] == (True, 0)
    assert [up for up, _ in links[1:]] in ([], [False, True])
    assert [up for up, _ in links[1:]] or tenths <= 30
    assert all(at_ns - back_ns <= 500 * MS for _, at_ns in links[2:])
    assert len(outage.room.heard.said) <= 4


def test_a_stranger_is_tried_seldom_and_a_silent_line_soon() -> None:
    """A pod whose program starts late has said nothing before; a GPS receiver has."""
    back_ns = []
    for said in (b"", b"$GPGGA,172814.0\r\n"):
        outage = Outage(lambda now_ns, said=said: said if now_ns < 10 * S else None)  # type: ignore[misc]
        outage.run(40 * S)
        back_ns.append(outage.room.heard.links[0].at_ns)
    silent_ns, stranger_ns = back_ns
    assert silent_ns < 15 * S
    assert stranger_ns - outage.opened_ns[0] >= AGAIN_NS


def test_what_cannot_be_is_said_once_with_its_pod() -> None:
    """The greatest stamp in a valid frame: the press gets a bound that a journal can keep."""
    room = Room("3f2a")
    wire = room.plug("/dev/ttyACM0")
    wire.says("00000000000a3f2a")
    room.now_ns = 1 * S
    wire.link.receive(
        podwire.make_frame(podwire.ANSWER, podwire._ANSWER.pack(0, bytes(7), bytes(7)) + b"\0"), room.now_ns
    )
    wire.link._token = 1, room.now_ns
    stamp = (5 * S * 125 // 7_000).to_bytes(7, "little")
    wire.link.receive(
        podwire.make_frame(podwire.ANSWER, podwire._ANSWER.pack(1, stamp, stamp) + b"\0"), room.now_ns + MS
    )
    for number, level in enumerate((1, 0, 1)):
        report = podwire._HEAD.pack(number, 2**32 - 2) + podwire._ITEM.pack(b"\xff\xff\xff", 8 * level) + b"\0"
        news = wire.link.receive(podwire.make_frame(podwire.REPORT, report), room.now_ns + 2 * MS)
        room.pods._take_news(wire, room.now_ns + 2 * MS, news)  # type: ignore[arg-type]
    assert [edge.closed for edge in room.heard.edges] == [True, False, True]
    assert all(edge.err_ns < 2**62 for edge in room.heard.edges)
    said = [sentence for sentence in room.heard.said if "in the future" in sentence]
    assert said == ["pod 3f2a on /dev/ttyACM0 has sent a time stamp that lies in the future"]
