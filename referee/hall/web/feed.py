"""Changes of pages as server-sent events (`/changes`), rendered once for all listeners.

Theory of operation. A channel has the live parts of one page in one language. While it has listeners, `Feed`
computes a stamp of the page every `PERIOD_S`. If the stamp has changed, it renders the parts, and all listeners get the
same bytes. The ID of a message is a hash of all parts. A listener sends the ID of the parts that its page has. It gets
the changed parts, or all parts if it has missed a change.

A part "live/table-1" is the content of an element with this ID in the part "live". So a change of one table sends
little. For listeners that accept gzip, each message is compressed once as blocks of their own, which refer to no bytes
before them; so any sequence of messages makes a valid stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import re
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping
from functools import cached_property
from html import unescape

from referee.hall.schema import Database

LOG = logging.getLogger("referee")
PERIOD_S = 0.15
BEAT_S = 20.0
"""Time in s without changes after which listeners get a comment that keeps them connected."""
GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The beginning of a compressed stream (RFC 1952): no name, no time."""
MOST_LISTENERS = 4000
MOST_KEPT = 50
"""Maximum pages, in one language each, whose parts are kept without listeners."""
Parts = Mapping[str, str]
"""ID of an element of the page -> its HTML content."""
Key = tuple[str, str]
"""What a page shows, and its language."""


class Page:
    """The parts of a page at one time. id: 16 digits of a hash of them."""

    def __init__(self, parts: Parts, before: Page | None = None) -> None:
        """`before`: an older state of this page. Only parts that differ from it are hashed."""
        self.parts = parts
        known = before._digests if before else {}
        self._digests: dict[tuple[str, str], bytes] = {
            item: known.get(item) or hashlib.sha256("\0".join(item).encode()).digest() for item in parts.items()
        }
        self.id = hashlib.sha256(b"".join(self._digests.values())).hexdigest()[:16]

    @property
    def filled(self) -> Parts:
        """Return the parts for a new page: each with the parts of its elements."""
        return {name: _INNER.sub(self._fill, text) for name, text in self.parts.items() if "/" not in name}

    def _fill(self, found: re.Match[str]) -> str:
        return found[0] + self.parts.get(unescape(found[1]), "")

    def since(self, before: Page) -> Parts:
        """Return the parts to send to a page that shows `before`: after a changed part, all of its elements."""
        changed = {name for name, text in self.parts.items() if before.parts.get(name) != text}
        return {name: text for name, text in self.parts.items() if not changed.isdisjoint((name, name.split("/")[0]))}


_INNER = re.compile('id="([^"/]+/[^"]+)">')


class Message:
    """Parts of a page to send: the bytes, made when they are needed. id: of the page that then is shown."""

    def __init__(self, id_: str, parts: Parts) -> None:
        self._id, self._parts = id_, parts

    @cached_property
    def plain(self) -> bytes:
        """Return the message as text; without an ID a comment."""
        text = f"id: {self._id}\ndata: {json.dumps(self._parts, ensure_ascii=False)}\n\n" if self._id else ":\n\n"
        return text.encode()

    @cached_property
    def packed(self) -> bytes:
        """Return the message as compressed blocks that end at a byte's border."""
        packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        return packer.compress(self.plain) + packer.flush(zlib.Z_FULL_FLUSH)


BEAT = Message("", {})


class Channel:
    """The newest state of a page in one language, and the messages for its listeners."""

    def __init__(self) -> None:
        self.listeners = 0
        self.page = Page({})
        self._before = ""
        self._change = self._full = BEAT
        self._changed = asyncio.Event()

    def show(self, page: Page) -> None:
        """Replace the page. If it differs from the old one, wake the listeners."""
        before, self.page = self.page, page
        if page.id == before.id:
            return
        self._before = before.id
        self._change, self._full = Message(page.id, page.since(before)), Message(page.id, page.parts)
        self._changed.set()
        self._changed = asyncio.Event()

    async def after(self, had: str) -> tuple[str, Message]:
        """Wait until the page's ID is not `had`; return the new ID and what to send.

        After `BEAT_S` without a change, return `had` and `BEAT`.
        """
        if had == self.page.id:
            try:
                async with asyncio.timeout(BEAT_S):
                    await self._changed.wait()
            except TimeoutError:
                return had, BEAT
        return self.page.id, self._change if had == self._before else self._full


class Feed:
    """The channels that have listeners."""

    def __init__(self, stamp: Callable[[str], Awaitable[Hashable]], render: Callable[[Key], Awaitable[Parts]]) -> None:
        """`stamp(what)`: returns a value that changes with the page.

        `render(key)`: returns the page's parts.
        """
        self._stamp, self._render = stamp, render
        self._channels: dict[Key, Channel] = {}
        self._kept: dict[Key, tuple[Hashable, Page]] = {}
        self._task: asyncio.Task[None] | None = None

    async def page(self, key: Key) -> Page:
        """Return the current state of a page. It is rendered only if the stamp has changed."""
        stamp = await self._stamp(key[0])
        kept = self._kept.get(key)
        if kept is None or kept[0] != stamp:
            if len(self._kept) >= MOST_KEPT:
                self._kept = {shown: made for shown, made in self._kept.items() if shown in self._channels}
            kept = self._kept[key] = stamp, Page(await self._render(key), kept and kept[1])
        return kept[1]

    @property
    def listeners(self) -> int:
        """Return the number of listeners of all channels."""
        return sum(channel.listeners for channel in self._channels.values())

    async def changes(self, key: Key, had: str) -> AsyncGenerator[Message, None]:
        """Yield what to send to a listener whose page has the parts with the ID `had`."""
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
        try:
            page = await self.page(key)
        except Database.lost:  # listeners keep what they have
            return
        if page is not channel.page:
            channel.show(page)
