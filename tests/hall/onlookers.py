"""Many readers of a hall's live pages in one process: each gets a page, then its server-sent events.

    python -m tests.hall.onlookers --ports PORT,PORT

Readers are `asyncio` protocols on plain sockets. All readers of a page get the same messages, so each is parsed once.
A reader notes when each verdict's mark (`tests.hall.tapes`) first arrives. Commands are lines on standard input:
`count NUMBER` lets more readers come and is answered with `ready`; `begin` and `end`. The answer to `end` are the
figures since `begin`, as JSON; `lost` counts readers from the start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import sys
import time
import zlib
from functools import partial

PAGES = ("live",) * 10 + ("standings",) * 5 + ("pairings",) * 2 + ("wall",) * 2 + ("overlay",)
"""What twenty onlookers look at: phones, mostly at the live page and the standings; some walls and streams."""
PATHS = {"live": "/", "standings": "/standings", "pairings": "/pairings", "wall": "/wall", "overlay": "/overlay"}
LANGUAGES = ("en", "en", "en", "de", "it")
COME_S = 0.02
"""Time in s between two readers that come."""
_MARK = re.compile("⟨([0-9]+)⟩".encode())
_HAD = re.compile(rb'data-show="([^"]*)" data-had="([^"]*)"')
AGENT = "Accept-Encoding: gzip\r\nUser-Agent: onlooker\r\n"


class Figures:
    """What all readers have seen since `begin`."""

    def __init__(self) -> None:
        self.latencies_s: dict[str, list[float]] = {}
        self.bytes: dict[str, int] = {}
        self.messages: dict[str, int] = {}
        self.readers: dict[str, int] = {}
        self.lost = 0
        self.marks_in: dict[bytes, frozenset[int]] = {}

    def begin(self) -> None:
        """Count from now on."""
        self.latencies_s, self.bytes, self.messages = {}, {}, {}

    def marks(self, message: bytes) -> frozenset[int]:
        """Return the marks in a message, which may be compressed."""
        found = self.marks_in.get(message)
        if found is None:
            if len(self.marks_in) > 200:
                self.marks_in.clear()
            content = message.removeprefix(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
            text = content if message.startswith((b":", b"id: ")) else zlib.decompressobj(-15).decompress(content)
            found = self.marks_in[message] = frozenset(map(int, _MARK.findall(text)))
        return found


class Onlooker(asyncio.Protocol):
    """A reader of a page."""

    def __init__(self, page: str, language: str, port: int, figures: Figures) -> None:
        self._page, self._language, self._port, self._figures = page, language, port, figures
        self._data = bytearray()
        self._begun_ns = 0
        self._seen: set[int] = set()
        self._streams = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Request the page."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._get(PATHS[self._page])

    def _get(self, path: str) -> None:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAccept-Language: {self._language}\r\n"
        self._transport.write(f"{head}{AGENT}\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Read the page, or events."""
        self._data += data
        if self._begun_ns:
            self._figures.bytes[self._page] = self._figures.bytes.get(self._page, 0) + len(data)
            self._read_events()
        else:
            self._read_page()

    def _read_page(self) -> None:
        head, gap, body = bytes(self._data).partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: ([0-9]+)", head)
        if not gap or (length and len(body) < int(length[1])) or (not length and not body.endswith(b"0\r\n\r\n")):
            return
        if re.search(rb"(?i)content-encoding: ", head):
            body = zlib.decompressobj(47).decompress(body)
        found = _HAD.search(body)
        assert found is not None, bytes(self._data[:200])
        self._data.clear()
        self._begun_ns = time.monotonic_ns()
        self._get(f"/changes?show={found[1].decode()}&language={self._language}&had={found[2].decode()}")
        self._figures.readers[self._page] = self._figures.readers.get(self._page, 0) + 1

    def _read_events(self) -> None:
        if not self._streams:
            head, gap, rest = bytes(self._data).partition(b"\r\n\r\n")
            if not gap:
                return
            if not head.startswith(b"HTTP/1.1 200"):  # too many
                self._transport.close()
                return
            self._data[:] = rest
            self._streams = True
        while (end := self._data.find(b"\r\n")) >= 0:
            size = int(self._data[:end], 16)
            if len(self._data) < end + size + 4:
                return
            message = bytes(self._data[end + 2 : end + 2 + size])
            del self._data[: end + size + 4]
            self._hear(message)

    def _hear(self, message: bytes) -> None:
        figures, page = self._figures, self._page
        figures.messages[page] = figures.messages.get(page, 0) + 1
        if new := figures.marks(message) - self._seen:
            now_ns = time.monotonic_ns()
            self._seen |= new
            told = figures.latencies_s.setdefault(page, [])
            told += [(now_ns - mark) / 1e9 for mark in new if mark > self._begun_ns]

    def connection_lost(self, _: Exception | None) -> None:
        """Count it."""
        self._figures.lost += 1


async def look_on(ports: list[int]) -> None:
    """Answer commands until standard input ends."""
    figures, loop = Figures(), asyncio.get_running_loop()
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    came = 0
    while line := await commands.readline():
        word, _, number = line.decode().strip().partition(" ")
        while word == "count" and came < int(number):
            port, at = ports[came % len(ports)], came // len(ports)
            page, language = PAGES[at % len(PAGES)], LANGUAGES[at // len(PAGES) % len(LANGUAGES)]
            make = partial(Onlooker, page, language, port, figures)
            await loop.create_connection(make, "127.0.0.1", port)
            came += 1
            await asyncio.sleep(COME_S)
        if word == "count":
            print("ready", flush=True)
            continue
        if word == "end":
            told = {name: getattr(figures, name) for name in ("latencies_s", "bytes", "messages", "readers", "lost")}
            print(json.dumps(told), flush=True)
        figures.begin()


def main() -> None:
    """Look on until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ports", required=True)
    args = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(look_on([int(port) for port in args.ports.split(",")]))


if __name__ == "__main__":
    main()
