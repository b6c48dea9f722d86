"""Data that all handlers of the hall's pages share."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from referee.core.documents.delivery import Shown, Verdict
from referee.core.values import Value
from referee.hall.access import Person
from referee.hall.model import Event, encode
from referee.hall.schema import Database
from referee.hall.store import Store
from referee.hall.web.feed import Feed
from referee.web.guard import Hosts

FRESH_S = 0.5
"""Age in s up to which events are not read again. Other hall processes can change them, too."""


class Known(Value):
    """An event and its ID. tag: a hash of both."""

    id: int
    event: Event
    tag: str

    @property
    def number(self) -> int:
        """Return the number of the event's decisions, which each form sends back."""
        return len(self.event.decisions)


class Events:
    """The events of a store.

    They are read again after a change, and if they are older than `FRESH_S`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: list[Known] = []
        self._read_s = -FRESH_S
        self._reading = asyncio.Lock()
        store.listeners.append(self.refresh)

    def refresh(self) -> None:
        """Read the events again at the next use. Call it on any thread."""
        self._read_s = -FRESH_S

    async def all(self) -> list[Known]:
        """Return all events, the newest first."""
        async with self._reading:
            now_s = time.monotonic()
            if now_s - self._read_s >= FRESH_S:
                self._read_s = now_s
                try:
                    self._known = await asyncio.to_thread(self._read)
                except Database.lost:
                    self.refresh()
                    raise
            return self._known

    def _read(self) -> list[Known]:
        before = {known.id: known for known in self._known}
        return [
            known
            if (known := before.get(number)) and known.event is event
            else Known(number, event, _tag(number, event))
            for number, event in self._store.events().items()
        ]

    async def current(self) -> Known | None:
        """Return the newest open event, else the newest one; None if there is none."""
        known = await self.all()
        return next((one for one in known if not one.event.closed), known[0] if known else None)

    async def get(self, number: int) -> Known | None:
        """Return the event with this ID; None if there is none."""
        return next((one for one in await self.all() if one.id == number), None)


def _tag(number: int, event: Event) -> str:
    lines = "\n".join(map(encode, event.decisions))
    return hashlib.sha256(f"{number}\n{lines}".encode()).hexdigest()


class Live(Protocol):
    """The current state of a table, as the pages use it."""

    @property
    def online(self) -> bool:
        """Return whether the broker says that the table is connected."""
        ...

    @property
    def shown(self) -> Shown | None:
        """Return the table's newest view."""
        ...

    @property
    def verdict(self) -> Verdict | None:
        """Return the table's last verdict since the hall started."""
        ...


@dataclass
class Hall:
    """Everything that the handlers of requests need.

    live: table -> its current state. closed: whether all pages need a login. trouble: returns why the broker or the
    database is away; "" if both answer. proxies: addresses of proxies that name the client in X-Forwarded-For.
    """

    store: Store
    live: Mapping[str, Live]
    hosts: Hosts
    events: Events
    feed: Feed
    closed: bool = False
    trouble: Callable[[], str] = str
    proxies: frozenset[str] = frozenset()

    def client(self, request: web.Request) -> str:
        """Return the address of a request's client, as the own proxy gives it."""
        remote = request.remote or ""
        client = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        return client if client and remote in self.proxies else remote


HALL = web.AppKey("hall", Hall)
PERSON: ContextVar[Person | None] = ContextVar("person", default=None)


def person() -> Person | None:
    """Return the person of the current request; None without a login."""
    return PERSON.get()
