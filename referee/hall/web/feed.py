"""Changes of pages as server-sent events (`/changes`), rendered once for all listeners.

Theory of operation. A channel has the live parts of one page in one language. While it has listeners, `Feed`
computes a stamp of the page every `PERIOD_S`. If the stamp has changed, it renders the parts, and all listeners get the
same bytes. The ID of a message is a hash of all parts. A listener sends the ID of the parts that its page has. It gets
the changed parts, or all parts if it has missed a change.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping

LOG = logging.getLogger("referee")
PERIOD_S = 0.25
BEAT_S = 20.0
"""Time in s without changes after which listeners get a comment that keeps them connected."""
BEAT = b":\n\n"
MOST_LISTENERS = 4000
MOST_KEPT = 50
"""Maximum pages, in one language each, whose parts are kept without listeners."""
Parts = Mapping[str, str]
"""ID of an element of the page -> its HTML content."""
Key = tuple[str, str]
"""What a page shows, and its language."""


class Channel:
    """The newest parts of a page in one language, and the messages for its listeners."""

    def __init__(self) -> None:
        self.listeners = 0
        self.id, self._before = "", ""
        self.parts: Parts = {}
        self._change = self._full = b""
        self._changed = asyncio.Event()

    def show(self, parts: Parts) -> None:
        """Replace the parts. If they differ from the old ones, wake the listeners."""
        before, self.parts = self.parts, parts
        made = id_of(parts)
        if made == self.id:
            return
        changed = {name: text for name, text in parts.items() if before.get(name) != text}
        self._before, self.id = self.id, made
        self._change, self._full = _message(made, changed), _message(made, parts)
        self._changed.set()
        self._changed = asyncio.Event()

    async def after(self, had: str) -> tuple[str, bytes]:
        """Wait until the parts' ID is not `had`; return the new ID and the bytes to send.

        After `BEAT_S` without a change, return `had` and `BEAT`.
        """
        if had == self.id:
            try:
                async with asyncio.timeout(BEAT_S):
                    await self._changed.wait()
            except TimeoutError:
                return had, BEAT
        return self.id, self._change if had == self._before else self._full


class Feed:
    """The channels that have listeners."""

    def __init__(self, stamp: Callable[[str], Awaitable[Hashable]], render: Callable[[Key], Awaitable[Parts]]) -> None:
        """`stamp(what)`: returns a value that changes with the page.

        `render(key)`: returns the page's parts.
        """
        self._stamp, self._render = stamp, render
        self._channels: dict[Key, Channel] = {}
        self._kept: dict[Key, tuple[Hashable, Parts]] = {}
        self._task: asyncio.Task[None] | None = None

    async def parts(self, key: Key) -> Parts:
        """Return the current parts of a page. They are rendered only if the stamp has changed."""
        return (await self._current(key))[1]

    async def _current(self, key: Key) -> tuple[Hashable, Parts]:
        stamp = await self._stamp(key[0])
        kept = self._kept.get(key)
        if kept is None or kept[0] != stamp:
            if len(self._kept) >= MOST_KEPT:
                self._kept = {shown: made for shown, made in self._kept.items() if shown in self._channels}
            kept = self._kept[key] = stamp, await self._render(key)
        return kept

    @property
    def listeners(self) -> int:
        """Return the number of listeners of all channels."""
        return sum(channel.listeners for channel in self._channels.values())

    async def changes(self, key: Key, had: str) -> AsyncGenerator[bytes, None]:
        """Yield the bytes to send to a listener whose page has the parts with the ID `had`."""
        channel = self._channels.setdefault(key, Channel())
        channel.listeners += 1
        try:
            await self._look(key, channel)
            if self._task is None:
                self._task = asyncio.create_task(self._watch())
            while True:
                had, message = await channel.after(had)
                yield message
        finally:
            channel.listeners -= 1
            if not channel.listeners:
                self._channels.pop(key, None)

    async def close(self) -> None:
        """Stop looking for changes."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _watch(self) -> None:
        while self._channels:
            await asyncio.sleep(PERIOD_S)
            for key, channel in list(self._channels.items()):
                try:
                    await self._look(key, channel)
                except Exception:
                    LOG.exception("the hall's page %s cannot be shown", key[0])
        self._task = None

    async def _look(self, key: Key, channel: Channel) -> None:
        _, parts = await self._current(key)
        if parts is not channel.parts:
            channel.show(parts)


def id_of(parts: Parts) -> str:
    """Return the ID of these parts: 16 digits of a hash."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _message(name: str, parts: Parts) -> bytes:
    return f"id: {name}\ndata: {json.dumps(parts, ensure_ascii=False)}\n\n".encode()
