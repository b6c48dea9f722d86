"""The simulated table in one thread: a match reaches the page without a thread, file, socket, pause or real clock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.core.model.table import Setup
from referee.core.presses.signals import KNOB
from referee.core.units import S
from referee.protocol.gestures import Touch, TurnKnob
from tests.device.one_thread import Host, Visitor

ROOT = Path(__file__).parents[2]
PLAYS = """
import _thread, json, os, sys, threading, time
used = []
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
EVENTS = ("socket.", "subprocess.", "os.fork", "os.posix_spawn", "os.mkdir", "os.rename", "os.remove", "tempfile.")

def note(event, arguments):
    if event.startswith(EVENTS) or (event == "open" and arguments[2] & WRITES):
        used.append(event)

def noted(room, name):
    call = getattr(room, name)
    setattr(room, name, lambda *given, **named: used.append(name) or call(*given, **named))

sys.addaudithook(note)
for room, name in ((threading.Thread, "start"), (_thread, "start_new_thread"), (time, "sleep"), (time, "monotonic_ns")):
    noted(room, name)

from tests.device.one_thread import SIZE, Host, Setup, Visitor, S
from referee.screens import draw

def play():
    host = Host(Setup(stations=("1", "2", "3", "4"), options=(("target", 20),)), 3)
    visitor = Visitor(host, "1")
    view = visitor.play(lambda view: view.phase == "OVER", 1_800 * S)
    snapshot, table = visitor.snapshot, host.live.engine.state.table
    print(json.dumps({
        "used": used,
        "threads": threading.active_count(),
        "packages": sorted({name.partition(".")[0] for name in sys.modules}),
        "bots": sorted(snapshot.bots),
        "phases": visitor.phases,
        "sounds": visitor.sounds,
        "presses": visitor.presses,
        "felt": visitor.felt,
        "winners": [label.numbers for label in view.screen.winners],
        "totals": {seat.number: int(seat.total) for seat in snapshot.seats},
        "counts": [{s: c.foundation - 2 * c.reserve for s, c in hand.counts.items()} for hand in table.hands],
        "drawn": snapshot.pixels == draw(view, SIZE, view.language).tobytes(),
        "saved": host.journal.durable_seq == host.live.engine.state.seq,
    }))
"""
USES_ALL = """
import socket, tempfile
from referee.device.page import _on_thread
Host(Setup(), 3, _on_thread).close()
socket.socket().close()
time.sleep(0)
tempfile.TemporaryFile().close()
print(json.dumps(used))
"""


def said(program: str) -> Any:
    """Run the program after PLAYS, and return the JSON that it prints."""
    command = [sys.executable, "-B", "-c", PLAYS + program]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=300, cwd=ROOT).stdout)


@pytest.fixture(scope="module")
def match() -> Any:
    """A whole match of a visitor and three bots, in a process of its own."""
    return said("play()")


def test_a_match_needs_no_thread_file_socket_pause_or_clock(match: Any) -> None:
    assert match["used"] == []
    assert match["threads"] == 1


def test_a_match_needs_no_package_of_pins_or_servers(match: Any) -> None:
    assert not {"gpiozero", "gpiozero_gpiod", "gpiod", "luma", "serial", "evdev", "aiohttp"} & {*match["packages"]}


def test_the_page_shows_the_whole_match_and_its_result(match: Any) -> None:
    hand = ["READY", "STARTING", "PLAYING", "CALLED", "VERDICT", "COUNTING"]
    counts, totals = match["counts"], match["totals"]
    assert match["phases"] == ["LOBBY", *hand * len(counts), "OVER"]
    assert {"go", "call", "verdict_clear", "all_counted", "winner"} <= {*match["sounds"]}
    assert totals == {station: sum(hand[station] for hand in counts) for station in "1234"}
    best = max(totals.values())
    assert best >= 20
    assert match["winners"] == [[int(station)] for station, total in totals.items() if total == best]
    assert match["bots"] == ["2", "3", "4"]
    assert match["presses"] > 4 * len(counts)
    assert match["felt"]
    assert match["drawn"]
    assert match["saved"]


def test_what_a_match_must_not_use_is_noticed() -> None:
    """Such as a display that draws on a thread."""
    assert {"start", "monotonic_ns", "socket.__new__", "sleep", "open"} <= {*said(USES_ALL)}


def opened(stations: str = "1234") -> Visitor:
    """Return a visitor at a table with a bot."""
    return Visitor(Host(Setup(stations=tuple(stations)), 1), stations[0])


def test_the_same_presses_lead_to_the_same_rows() -> None:
    rows = []
    for _ in range(2):
        visitor = opened()
        visitor.play(lambda view: view.phase == "STARTING", 300 * S)
        rows.append(visitor.host.journal.rows)
    assert rows[0] == rows[1]
    assert len(rows[0]) > 20


def test_a_button_that_a_page_holds_is_released_when_the_page_closes() -> None:
    visitor = opened()
    loop, live = visitor.host.loop, visitor.host.live
    visitor.do(Touch("1", True))
    loop.until(loop.now_ns + 1 * S)
    assert live.engine.state.trail[-1].closed
    visitor.leave()
    loop.until(loop.now_ns + 1 * S)
    assert [(edge.station, edge.closed) for edge in live.engine.state.trail][-2:] == [("1", True), ("1", False)]


def test_gestures_that_come_at_once_keep_their_order() -> None:
    """A push of the knob opens a list, and the turn after it moves the cursor."""
    visitor = opened()
    loop = visitor.host.loop
    for gesture in (Touch("1", True), Touch("1", False), Touch(KNOB, True), Touch(KNOB, False), TurnKnob(1)):
        visitor.do(gesture)
    loop.until(loop.now_ns + 1 * S)
    screen: Any = visitor.look().screen
    assert (len(screen.items) > 1, screen.cursor) == (True, 1)
