"""The page in its own process: pictures go there, presses come back, and its death does not disturb the table."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import ClientConnectionError, ClientSession, ClientWebSocketResponse

from referee.core.model.view import StopScreen
from referee.device.children import supervisor as children
from referee.device.children.page import PageProcess, _Hand, address_of, bind_sockets, knocking
from referee.protocol.gestures import AskError
from referee.protocol.page import Awake, PhoneButtons, Served, Sound
from tests.page.lines import Recorder, snapshot

STATIONS = ("1", "2", "3", "4")


@asynccontextmanager
async def page(contacts: Recorder | None = None) -> AsyncIterator[tuple[PageProcess, str]]:
    """Start a page; yield it and its address."""
    sockets = bind_sockets("127.0.0.1", 0)
    address = address_of(sockets[0].getsockname()[1], "127.0.0.1")
    served = PageProcess(Served(STATIONS, contacts is not None, "127.0.0.1"), sockets, contacts)
    try:
        yield served, address
    finally:
        await asyncio.to_thread(served.stop)


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[ClientWebSocketResponse]:
    """Open a visitor's live connection; the page may still be starting."""
    headers = {"Origin": address.rstrip("/")}
    async with ClientSession(headers=headers) as session, session.ws_connect(address + "live") as line:
        yield line


async def until(line: ClientWebSocketResponse, phase: str) -> None:
    """Wait for a picture of that phase."""
    while (await line.receive_json()).get("table", {}).get("phase") != phase:
        pass


async def test_pictures_and_sounds_go_there_and_presses_come_back() -> None:
    contacts = Recorder()

    async with page(contacts) as (served, address):
        served.seat_bots(["2", "3"])
        served.publish(snapshot())
        async with opened(address) as line:
            first = (await line.receive_json())["table"]
            assert (first["phase"], first["bots"]) == ("Playing", ["2", "3"])
            assert served.pid is not None
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # to the whole group: the device answers
                os.kill(served.pid, number)
            served.publish(snapshot(StopScreen(), phase="called"))
            await until(line, "Called")
            served.lay({"sides": []})
            assert await line.receive_json() == {"cards": {"all": {"sides": [], "lesson": []}}}
            served.play(Sound("go", ((1200, 500),), 1 << 62, priority=4))
            assert (await line.receive_json())["sound"]["name"] == "go"
            for message in ({"contact": "3", "closed": True}, {"turn": -2}, {"contact": "3", "closed": False}):
                await line.send_json(message)
            await contacts.until(("3", True), -2, ("3", False))
            os.kill(served.pid, signal.SIGSTOP)  # a page that stands still delays nobody
            for n in range(2000):
                served.publish(snapshot(phase=f"at {n}"))
            os.kill(served.pid, signal.SIGCONT)
            await until(line, "At 1999")
    assert contacts.counts[0] == 1
    assert contacts.counts[-1] == 0


async def test_a_page_that_dies_lets_go_and_comes_back_with_the_newest_picture(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Publishing meanwhile does not block, and there is one log line."""
    monkeypatch.setattr(children, "PAUSES_S", (0.05,))
    contacts = Recorder()

    async with page(contacts) as (served, address):
        served.publish(snapshot())
        async with opened(address) as line:
            await line.receive_json()
            await line.send_json({"contact": "3", "closed": True})
            await contacts.until(("3", True))
            assert served.pid is not None
            os.kill(served.pid, signal.SIGKILL)
            await contacts.until(("3", True), ("3", False))
        served.publish(snapshot(StopScreen(), phase="called"))
        async with opened(address) as line:
            await until(line, "Called")
    said = [record.getMessage() for record in caplog.records if record.name == "referee"]
    assert said == [
        "the page has ended (status -9); the table goes on, and the page comes back in 0.05 s",
        "the page is back",
    ]
    assert 0 in contacts.counts


def test_a_page_that_dies_again_and_again_comes_back_after_longer_pauses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def serve(page: PageProcess) -> str:
        page._ending = len(caplog.messages) == 3
        return "no memory"

    monkeypatch.setattr(children, "PAUSES_S", (0.001, 0.002))
    monkeypatch.setattr(PageProcess, "_serve", serve)
    PageProcess(Served(STATIONS, False, "127.0.0.1"), [])._thread.join()
    assert [message.rpartition(" in ")[2] for message in caplog.messages] == ["0.001 s", "0.002 s", "0.002 s"]


async def test_lamps_that_blink_wake_no_page_that_nobody_looks_at() -> None:
    """A new visitor receives the newest picture, and every blink from then on."""

    async with page() as (served, address):
        served.publish(snapshot())
        unseen = snapshot(phase="unseen")
        served.publish(unseen, blinks=True)
        assert unseen not in served._due.values()
        async with opened(address) as line:
            await until(line, "Unseen")
            served.publish(snapshot(phase="seen"), blinks=True)
            await until(line, "Seen")
        while served._watched:
            await asyncio.sleep(0)
        served.publish(snapshot(phase="later"), blinks=True)
        async with opened(address) as line:
            await until(line, "Later")


async def test_a_page_that_answers_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "QUESTIONS", math.inf)

    async with page() as (served, address):
        served.publish(snapshot())
        async with opened(address) as line:
            await line.receive_json()
            first = served.pid
            for n in range(20):
                served.publish(snapshot(phase=f"at {n}"))
                await until(line, f"At {n}")
                served.look()
        assert served.pid == first


async def test_the_end_lets_go_says_good_bye_and_may_come_twice() -> None:
    contacts = Recorder()

    async with page(contacts) as (served, address):
        async with opened(address) as line:
            await line.send_json({"contact": "4", "closed": True})
            await contacts.until(("4", True))
            stopping = asyncio.create_task(asyncio.to_thread(served.stop))
            await line.receive()
            assert line.close_code == 1001
            await stopping
        async with ClientSession() as session:
            with pytest.raises(ClientConnectionError):
                await session.get(address)
    assert contacts.log == [("4", True), ("4", False)]


def test_once_the_page_has_ended_no_phone_looks_on() -> None:
    heard: list[object] = []
    desk: Any = SimpleNamespace(take_report=heard.append)
    hand = _Hand(None, desk=desk)
    hand.do(b'{"awake": ["phone-1"]}')
    hand.let_go()
    assert heard == [Awake(frozenset({"phone-1"})), Awake(frozenset()), PhoneButtons(frozenset())]


def test_what_is_no_gesture_is_refused_and_changes_nothing() -> None:
    contacts = Recorder()
    with pytest.raises(AskError):
        _Hand(contacts).do(b'{"contact": "13", "closed": true}')
    assert contacts.log == []


def test_the_device_s_own_process_does_not_load_the_server() -> None:
    script = "import sys, referee.device.page; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_visitor_who_waits_to_be_let_in_is_seen() -> None:
    """The kernel has accepted the connection, but the process has not."""
    [listener] = bind_sockets("127.0.0.1", 0)
    pair = socket.socketpair()
    assert not knocking([listener, *pair])
    with socket.create_connection(listener.getsockname()):
        assert knocking([listener])
        listener.accept()[0].close()
        assert not knocking([listener])
    for each in (listener, *pair):
        each.close()
