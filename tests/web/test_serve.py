"""Serving on a thread: it starts, shows, lets go at the end, and sleeps in between."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import urllib.request

import pytest
from aiohttp import ClientSession, web

from referee.web.feed import Feed
from referee.web.serve import PageThread, address_of
from tests.web.lines import run, snapshot


class Contacts:
    def __init__(self) -> None:
        self.log: list[tuple[str, bool]] = []
        self.pressed = threading.Event()

    def contact(self, name: str, closed: bool) -> None:
        self.log.append((name, closed))
        self.pressed.set()

    def turn(self, steps: int) -> None:
        raise AssertionError("nobody turned")


def test_a_page_on_its_own_thread_is_served_and_stopped() -> None:
    feed = Feed()
    page = PageThread(feed, "127.0.0.1", 0)
    feed.publish(snapshot())
    with urllib.request.urlopen(page.address + "api/view") as answer:
        assert answer.status == 200
    page.stop()
    page.stop()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(page.address)


def test_stopping_lets_go_of_what_is_held_and_closes_the_line() -> None:
    contacts = Contacts()
    page = PageThread(Feed(controls=contacts), "127.0.0.1", 0)

    async def play() -> None:
        headers = {"Origin": page.address.rstrip("/")}
        async with ClientSession() as session, session.ws_connect(page.address + "live", headers=headers) as line:
            await line.send_json({"contact": "4", "closed": True})
            await asyncio.to_thread(contacts.pressed.wait, 5)
            stopping = asyncio.create_task(asyncio.to_thread(page.stop))
            await line.receive()
            assert line.close_code == 1001
            await stopping

    run(play)
    assert contacts.log == [("4", True), ("4", False)]


def test_an_address_that_is_taken_is_an_error_and_leaves_nothing_behind() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        before = threading.active_count()
        with pytest.raises(OSError, match="in use"):
            PageThread(Feed(), "127.0.0.1", taken.getsockname()[1])
        assert threading.active_count() == before


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "http://localhost:80/"), ("0.0.0.0", "http://localhost:80/"), ("fe80::1", "http://[fe80::1]:80/")],
)
def test_the_address_is_one_to_open(host: str, shown: str) -> None:
    class Runner(web.AppRunner):
        addresses = [("127.0.0.1", 80)]

    assert address_of(Runner(web.Application()), host) == shown


def test_a_page_that_listens_everywhere_is_shown_under_the_machine_s_name() -> None:
    class Runner(web.AppRunner):
        addresses = [("0.0.0.0", 80)]

    assert address_of(Runner(web.Application()), "0.0.0.0", "den.local") == "http://den.local:80/"


def test_the_feed_is_light_to_import() -> None:
    script = "import sys, referee.web.feed; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
