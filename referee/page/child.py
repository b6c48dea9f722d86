"""The page's own process: `python -m referee.page.child LINE LISTENER ...`.

The arguments are the numbers of inherited sockets. Only the device starts it. It receives messages (`protocol/page.py`)
on the line and sends back what visitors do; it exits when the line closes. Its priority is below the referee's: the
match comes first, whatever visitors request.
"""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import socket
import sys
from collections.abc import Mapping, Sequence

import msgspec

from referee.core.values import Json
from referee.page.app import serve
from referee.page.feed import Feed
from referee.page.history_reader import PastFeed
from referee.page.request import compile_templates
from referee.page.site import Site
from referee.page.update_upload import UpdateInbox
from referee.protocol.gestures import Act
from referee.protocol.page import (
    HEAD_BYTES,
    Awake,
    BotSeats,
    Known,
    LyingCards,
    PageMessage,
    PairedPhone,
    PhoneAnswer,
    PhoneAsks,
    Ping,
    Prove,
    Report,
    Served,
    Sound,
    Watched,
)
from referee.protocol.processes import beat, begin
from referee.protocol.snapshot import Snapshot
from referee.web.guard import Hosts

MOST_BYTES = 64 << 20
"""Maximum bytes of a message from the device. A snapshot has some tens of kilobytes."""
ANSWER_S = 10.0
"""Timeout for the device's answer to a phone."""


class Device:
    """Sends reports and phones' requests from the page's process to the device's process."""

    def __init__(self, line: asyncio.StreamWriter) -> None:
        self._line = line
        self._asked: dict[int, asyncio.Future[PhoneAnswer]] = {}
        self._number = 0
        self.phones: dict[str, PairedPhone] = {}

    async def ask(self, digest: str, what: Mapping[str, Json]) -> PhoneAnswer:
        """Send a phone's request to the device and wait for the answer (see `PhoneDesk`)."""
        self._number += 1
        number = self._number
        self._asked[number] = answered = asyncio.get_running_loop().create_future()
        self.say(PhoneAsks(number, digest, dict(what)))
        try:
            return await asyncio.wait_for(answered, ANSWER_S)
        except TimeoutError:
            return PhoneAnswer(number, 503, {"error": "The table does not answer."})
        finally:
            del self._asked[number]

    def pass_answer(self, answer: PhoneAnswer) -> None:
        """Pass the device's answer to the phone's request that waits for it."""
        waiting = self._asked.get(answer.number)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def know(self, known: Known) -> None:
        """Store the list of paired phones that the device has sent."""
        self.phones = {phone.digest: phone for phone in known.phones}

    def say(self, message: Act | Report) -> None:
        """Send a message to the device as a line of JSON."""
        self.write(msgspec.json.encode(message) + b"\n")

    def write(self, line: bytes) -> None:
        """Send a line to the device."""
        if not self._line.is_closing():
            self._line.write(line)


async def messages(line: asyncio.StreamReader) -> PageMessage | None:
    """Wait for the device's next message; return None if the device has closed the socket.

    Raises ValueError if the message is longer than any can be.
    """
    try:
        size = int.from_bytes(await line.readexactly(HEAD_BYTES), "big")
        if size > MOST_BYTES:
            raise ValueError(f"the device announces a message of {size} bytes, allowed are {MOST_BYTES}")
        message: PageMessage = pickle.loads(await line.readexactly(size))
    except (EOFError, OSError):
        return None
    return message


async def run(line: socket.socket, listeners: Sequence[socket.socket]) -> None:
    """Serve the page until the device's process closes the socket `line`."""
    reader, writer = await asyncio.open_connection(sock=line)
    served = await messages(reader)
    if not isinstance(served, Served):
        return
    device = Device(writer)
    feed = Feed(
        served.stations,
        act=device.say if served.playable else None,
        on_watched=lambda watched: device.say(Watched(watched)),
        on_awake=lambda phones: device.say(Awake(phones)),
    )
    hosts, past = Hosts(served.host, served.names), PastFeed(served.past)
    site = Site(feed, hosts, device, served.closed, past, update=UpdateInbox(served.update))
    page = await serve(site, listeners)
    asyncio.get_running_loop().run_in_executor(None, compile_templates)
    try:
        while (message := await messages(reader)) is not None:
            if isinstance(message, Ping):
                device.write(beat(message.number))
            elif isinstance(message, PhoneAnswer):
                device.pass_answer(message)
            elif isinstance(message, Known):
                device.know(message)
            elif isinstance(message, Prove):
                site.buttons.prove(message.until_ns)
            take(feed, message)
    finally:
        await page.close()
        with contextlib.suppress(OSError):
            await writer.drain()
        writer.close()


def take(feed: Feed, message: PageMessage) -> None:
    """Pass a message from the device to the feed, which sends it to all open pages."""
    if isinstance(message, Snapshot):
        feed.publish(message)
    elif isinstance(message, Sound):
        feed.play(message)
    elif isinstance(message, BotSeats):
        feed.seat_bots(message.stations)
    elif isinstance(message, LyingCards):
        feed.lay(message.felt, message.lesson)


def main(arguments: Sequence[str]) -> None:
    """Serve the page until the device closes the socket.

    arguments: the file descriptors of this socket and of the listening sockets.
    """
    begin()
    line, *listeners = (socket.socket(fileno=int(number)) for number in arguments)
    asyncio.run(run(line, listeners))


if __name__ == "__main__":
    main(sys.argv[1:])
