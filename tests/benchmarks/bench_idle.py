"""Measure an idle table: `python -m tests.benchmarks.bench_idle [SECONDS]`.

The real daemon at a simulated table, in the lobby, its page open without viewers, with systemd's watchdog. Counted from
outside: how often any of its threads was woken, including the page's process; what it wrote; and the frames that
reached the panel. The pin factory cannot run without a GPIO chip: the rig counts the same with it. Then the same with
four phones in the lobby that show their seat's button.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from aiohttp import ClientSession, ClientWebSocketResponse

from referee.device.phones.pairing import PhoneBook
from tests.benchmarks.counted import FRAME
from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.process import Child, daemon

SPAN_S = 60.0
SETTLE_S = 5.0
"""The page's process loads its libraries after the device is ready; it has started once it has slept for this long."""
MOST_SWITCHES_PER_S = 5.0
PAGE_SWITCHES = 0
"""The page sleeps until a visitor comes: the table reports no changes of its own to it, not even dimming."""
PHONES_SWITCHES_PER_S = 10.0
"""While four phones show their button in the lobby and free seats' lamps blink: both processes, all threads."""
LINK_S = 0.007
"""Difference between the links' delays of two phones: each answer comes by itself."""
WATCHDOG_US = 10_000_000
"""As in systemd/referee.service."""


def frames(way: socket.socket) -> int:
    """Return the number of frames since the last call."""
    count = 0
    way.setblocking(False)
    try:
        while True:
            count += way.recv(4096) == FRAME
    except BlockingIOError:
        return count


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of the last change (ns) of the journal's files."""
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(folder.rglob("evenings*/*"))}


def changed(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Return how often each thread slept in between."""
    return {thread: count - before.get(thread, 0) for thread, count in after.items() if count != before.get(thread, 0)}


def settled(page: Child) -> dict[str, int]:
    """Wait until the page's process has begun and sleeps.

    Return how often each of its threads has slept.
    """
    while True:
        before = page.switches()
        time.sleep(SETTLE_S)
        if (now := page.switches()) == before:
            return now


def watched(child: Child, folder: Path, way: socket.socket, span_s: float) -> list[Figure]:
    """Watch for `span_s` seconds and return the counts."""
    page = child.child("referee.page.child")
    pages = settled(page)
    frames(way)
    files, written, before = stamps(folder), child.written(), child.switches()
    time.sleep(span_s)
    slept, added = changed(before, child.switches()), changed(pages, page.switches())
    print(f"the page's process: switches by thread {added or 'none'}")
    print(f"{span_s:.0f} s in the lobby: switches by thread {slept or 'none'}")
    touched = [name for name, stamp in stamps(folder).items() if files.get(name) != stamp]
    minutes = max(span_s / 60, 1.0)
    return [
        at_most("idle: voluntary switches, all threads", sum(slept.values()) / span_s, MOST_SWITCHES_PER_S, "/s"),
        at_most("idle: switches of the page's process", sum(added.values()), PAGE_SWITCHES, "in all"),
        at_most("idle: written to disks", child.written() - written, 0, "bytes"),
        at_most("idle: journal files touched", len(touched), 0, "files"),
        at_most("idle: display refreshes a minute", frames(way) / minutes, 1, "frames"),
    ]


# -- with phones -----------------------------------------------------------------------------------------------------


async def answer(line: ClientWebSocketResponse, delay_s: float) -> None:
    """Answer the table's questions for the clock, as a phone's page does over a link with that delay."""
    async for message in line:
        if "clock" in (asked := message.json()):
            await asyncio.sleep(delay_s)
            await line.send_json({"clock": asked["clock"], "at": time.monotonic() * 1000})


async def with_phones(child: Child, address: str, secrets: list[str], span_s: float) -> list[Figure]:
    """Connect phones as buttons, and return how often the daemon's processes were woken meanwhile."""
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(ClientSession(address, headers={"Origin": address}))
        for seat, secret in enumerate(secrets, 1):
            cookie = {"Cookie": f"phone={secret}"}
            body = {"seat": seat, "name": f"P{seat}"}
            async with session.post("/api/seat", json=body, headers=cookie) as answered:
                assert answered.status == 200, await answered.text()
            line = await stack.enter_async_context(session.ws_connect("/live?button=", headers=cookie))
            task = asyncio.create_task(answer(line, seat * LINK_S))
            stack.callback(task.cancel)
        await asyncio.sleep(2 * SETTLE_S)
        processes = child, child.child("referee.page.child")
        before = [process.switches() for process in processes]
        await asyncio.sleep(span_s)
        slept = [changed(was, process.switches()) for was, process in zip(before, processes, strict=True)]
    print(f"{span_s:.0f} s with {len(secrets)} phones: switches by thread {slept}")
    every = sum(sum(one.values()) for one in slept) / span_s
    name = f"idle with {len(secrets)} phones: voluntary switches, all threads of both processes"
    return [at_most(name, every, PHONES_SWITCHES_PER_S, "/s")]


def phones(folder: Path, span_s: float) -> list[Figure]:
    """Watch a daemon whose players have their buttons on phones."""
    book = PhoneBook(folder / "phones.json")
    secrets = [book.pair()[1] for _ in range(4)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{free.getsockname()[1]}"
    with daemon(folder, listen=listen) as (child, _):
        time.sleep(SETTLE_S)
        return asyncio.run(with_phones(child, f"http://{listen}", secrets, span_s))


def main(span_s: float = SPAN_S) -> list[Figure]:
    """Watch one daemon without any input, and one with phones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environ = {"WATCHDOG_USEC": str(WATCHDOG_US), "WATCHDOG_PID": ""}
        with daemon(folder, module="tests.benchmarks.counted", environ=environ) as (child, way):
            time.sleep(SETTLE_S)
            figures = watched(child, folder, way, span_s)
    with tempfile.TemporaryDirectory() as name:
        return [*figures, *phones(Path(name), span_s)]


if __name__ == "__main__":
    for figure in main(float(sys.argv[1]) if sys.argv[1:] else SPAN_S):
        print(figure.name, figure.measured, figure.verdict)
