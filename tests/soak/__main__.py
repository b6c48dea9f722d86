"""Run the device at a simulated table for a long time, and check that no figure of its processes grows.

    make soak                        an hour
    make soak ARGS="--minutes 20"

Bots play hand after hand (`table.py`) while pages of every kind are open (`pages.py`). Samples of the device's process
and of all its children: memory, open descriptors, threads. The first quarter of the time is the warm-up. A figure
has grown if its minimum over the last quarter is above its minimum over the second quarter by more than a slack: a
minimum is free of peaks such as the garbage of a moment, and of a child that runs for a second.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from referee.device.phones.pairing import PhoneBook
from tests.benchmarks.process import daemon
from tests.hall.brokers import free_port
from tests.soak.growth import Samples, grown, lines, sampled
from tests.soak.pages import Pages

BOTS = "4"
SETTINGS = f"[table]\nseats = {BOTS}\n[rules]\ntarget = 50\n"
"""Every seat has a bot, so the bots go on by themselves. Short matches: a new one every few hands."""
SAMPLES = 240
IDLE_S = 240.0
"""Time in s without a new hand after which the table counts as stuck. A vote or a search takes a minute."""
TOLD_S = 60.0


class SoakError(Exception):
    """The run has failed; the message is one sentence."""


async def soak(pid: int, pages: Pages, minutes: float) -> Samples:
    """Keep the pages open and return samples of the process and its children. Raises SoakError."""
    samples: Samples = []
    clients = asyncio.create_task(pages.run())
    try:
        for _ in instants(minutes * 60, pages):
            await asyncio.wait([clients], timeout=minutes * 60 / SAMPLES)
            if clients.done():
                raise SoakError(f"a page was lost: {why(clients)}")
            samples.append(sampled(pid))
    finally:
        clients.cancel()
        await asyncio.wait([clients])
    return samples


def instants(seconds: float, pages: Pages) -> Iterator[None]:
    """Yield until the time is over, and print the progress. Raises SoakError if no hand begins any more."""
    begun_s = told_s = moved_s = time.monotonic()
    hands = 0
    while (now_s := time.monotonic()) - begun_s < seconds:
        if pages.hands != hands:
            hands, moved_s = pages.hands, now_s
        if now_s - moved_s > IDLE_S:
            raise SoakError(f"no hand has begun for {IDLE_S:.0f} s, after {hands} hands in {now_s - begun_s:.0f} s")
        if now_s - told_s > TOLD_S:
            told_s = now_s
            print(f"{(now_s - begun_s) / 60:.0f} min: {hands} hands, messages {dict(pages.messages)}", flush=True)
        yield


def why(clients: asyncio.Task[None]) -> str:
    """Return the first error of the pages as text."""
    error = clients.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error)


def main(argv: list[str] | None = None) -> int:
    """Return 0 if the table plays to the end and nothing has grown; else print why not and return 1."""
    parser = argparse.ArgumentParser(prog="make soak")
    parser.add_argument("--minutes", type=float, default=60.0)
    minutes = parser.parse_args(argv).minutes
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder, listen = Path(name), f"127.0.0.1:{free_port()}"
        config = folder / "referee.toml"
        config.write_text(SETTINGS)
        pages = Pages(f"http://{listen}", PhoneBook(folder / "phones.json").pair()[1])
        options = ("--bots", BOTS, "--config", str(config))
        try:
            with daemon(folder, "tests.soak.table", listen=listen, options=options) as (child, _):
                samples = asyncio.run(soak(child.pid, pages, minutes))
        except (SoakError, TimeoutError) as error:
            why_not = error if isinstance(error, SoakError) else f"the device does not start or end: {error}"
            print(f"soak: {why_not}", file=sys.stderr)
            return 1
    print(f"{pages.hands} hands, {pages.phases['over']} matches, messages {dict(pages.messages)}")
    print("\n".join(lines(samples)))
    for sentence in (found := grown(samples)):
        print(f"soak: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
