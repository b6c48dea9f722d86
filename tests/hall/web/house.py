"""A served hall for the tests: a real store in a folder, an event, people who may log in, live tables."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient, TestServer

from referee.core.documents.delivery import Shown, ShownTeam, Verdict
from referee.hall.decide import draw
from referee.hall.model import Corrected, Entered, Format, Game, Opened, Outcome, places_of
from referee.hall.store import Store
from referee.hall.web import make_app
from referee.hall.web.site import HALL
from referee.web.guard import Hosts

NAMES = ("Anna", "Ben", "Max", "Lea", "Jo", "Pia", "Tom", "דנה")
PASSWORD = "correct horse"
Client = TestClient[Any, Any]


@dataclass
class Table:
    """What is known of a live table."""

    online: bool = True
    shown: Shown | None = None
    verdict: Verdict | None = None


@dataclass
class House:
    """A hall that is served: its store, its live tables and its event."""

    client: Client
    store: Store
    live: dict[str, Table]
    event: int = 0
    names: list[str] = field(default_factory=list)

    @property
    def listeners(self) -> int:
        """Return the number of open live pages."""
        app = self.client.app
        assert app is not None
        count: int = app[HALL].feed.listeners
        return count

    async def text(self, path: str, status: int = 200, language: str = "") -> str:
        """Return a page's text. language: the browser's."""
        async with self.client.get(path, headers={"Accept-Language": language}) as answer:
            assert answer.status == status, await answer.text()
            return await answer.text()

    async def log_in(self, name: str) -> None:
        """Log in as the director, helper or onlooker of that name."""
        status, _ = await self.post("/login", name=name, password=PASSWORD)
        assert status == 200

    async def post(self, path: str, origin: str | None = None, **fields: str) -> tuple[int, str]:
        """Send a form as a page of this hall does; return the status and text of the page that follows."""
        own = str(self.client.make_url("")).rstrip("/")
        async with self.client.post(path, data=fields, headers={"Origin": origin or own}) as answer:
            return answer.status, await answer.text()

    async def decide(self, act: str, **fields: str) -> tuple[int, str]:
        """Send a form of the event's desk that has seen all decisions."""
        number = str(len(self.store.event(self.event).decisions))
        return await self.post(f"/desk/{self.event}/{act}", **{"number": number, **fields})


@asynccontextmanager
async def house(
    folder: Path, *, closed: bool = False, names: Iterable[str] = NAMES, url: str = "", **options: Any
) -> AsyncIterator[House]:
    """Serve a hall with an event that these people have entered.

    url: of the database; "": SQLite. options: of the application.
    """
    store, live = Store(url or f"sqlite:///{folder}/hall.db"), dict[str, Table]()
    for role in ("director", "helper", "audience"):
        store.access.admit(role, role, PASSWORD)
    app = make_app(store, live, Hosts("127.0.0.1"), closed=closed, **options)
    server = TestServer(app)
    await server.start_server(shutdown_timeout=0.1)
    async with TestClient(server) as client:
        made = House(client, store, live, names=list(names))
        if made.names:
            made.event = opened(store, made.names)
        yield made
    store.close()


def opened(store: Store, names: Iterable[str], plan: Format | None = None) -> int:
    """Open an event, enter these names and return its ID."""
    number = store.open(Opened("Club night", plan or Format(), Game("nna"), seed=7, by="director"))
    for at, name in enumerate(names, 1):
        event = store.event(number)
        store.append(number, Entered(at, tuple(name.split(" & ")), by="director"), len(event.decisions))
    return number


def drawn(store: Store, number: int, tables: Iterable[str] = ("table-1", "table-2"), seed: int = 3) -> None:
    """Draw the next round."""
    event = store.event(number)
    store.append(number, draw(event, list(tables), seed, by="director"), len(event.decisions))


def finished(store: Store, number: int, table: str) -> None:
    """Enter a result for a table of the last round: 100 points for the first entry, 10 fewer for each other."""
    event = store.event(number)
    seats = event.seats(event.round, table)
    assert seats is not None
    points = {entry: Fraction(100 - 10 * at) for at, entry in enumerate(seats.entries)}
    outcome = Outcome(event.round, table, "", points, places_of(points), "no device")
    store.append(number, Corrected(outcome, "director"), len(event.decisions))


def playing(hand: int = 4, verdict: str = "") -> Table:
    """Return a table in a running hand."""
    teams = (ShownTeam("Anna", (1,), 102, 1), ShownTeam("Ben", (2,), 98.5, 2), ShownTeam("<b>Max</b>", (3,), 71, 3))
    said = Verdict("clear", ("Anna",), 180.0, False, verdict) if verdict else None
    return Table(True, Shown("playing", "en", "nna", 100, hand, teams, ("Anna",)), said)


def words(page: str) -> str:
    """Return the words of a page's main part, without markup."""
    main = page.partition("<main>")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", main)).strip()
