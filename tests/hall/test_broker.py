"""The hall at a real broker: what it publishes, what it survives, and one hall for each prefix."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiomqtt import Client

from referee.core.documents.delivery import (
    ONLINE,
    Forgotten,
    GameRules,
    Received,
    Seating,
    Shown,
    decode,
    encode,
    hall_topic,
    presence_topic,
    topic_of,
)
from referee.core.values import replace
from referee.hall.broker import AnotherHallError, Broker, BrokerURLError, address_of, end
from referee.hall.intake import Intake
from referee.hall.schema import Database
from referee.hall.store import Store
from tests.hall.brokers import Mosquitto, free_port
from tests.hall.made import Course
from tests.hall.test_store import PEOPLE, drawn
from tests.mqtt.broker import deaf, refusing
from tests.mqtt.broker import mosquitto as with_mosquitto

PRESENCE = presence_topic("referee")


class Heard:
    """A client that keeps the newest message of each topic."""

    def __init__(self, client: Client) -> None:
        self.client, self.newest = client, dict[str, bytes]()
        self._news = asyncio.Event()

    async def listen(self) -> None:
        """Receive for ever."""
        async for message in self.client.messages:
            self.newest[message.topic.value] = bytes(message.payload)
            self._news.set()

    async def until(self, topic: str, wanted: Callable[[bytes], bool]) -> bytes:
        """Wait for a message."""
        while topic not in self.newest or not wanted(self.newest[topic]):
            self._news.clear()
            await self._news.wait()
        return self.newest[topic]

    async def received(self, row: tuple[int, int], match: str = "m1", table: str = "t1") -> Received:
        """Wait until the hall says that it holds this row."""

        def wanted(content: bytes) -> bool:
            return bool(content) and decode(Received, content).rows.get(match) == row

        return decode(Received, await self.until(hall_topic("referee", table, "received"), wanted))

    async def send(self, part: str, content: bytes, table: str = "t1") -> None:
        """Publish as a table."""
        await self.client.publish(topic_of("referee", table, part), content, qos=1)


@asynccontextmanager
async def ear(mosquitto: Mosquitto) -> AsyncIterator[Heard]:
    """A client that hears everything."""
    async with Client("127.0.0.1", mosquitto.port) as client:
        await client.subscribe("#", qos=1)
        heard = Heard(client)
        task = asyncio.ensure_future(heard.listen())
        yield heard
        task.cancel()


@asynccontextmanager
async def running(store: Store, *mosquittos: Mosquitto, dead_first: bool = False) -> AsyncIterator[Broker]:
    """A hall at these brokers."""
    urls = [f"mqtt://127.0.0.1:{free_port()}"] * dead_first + [one.url for one in mosquittos]
    broker = Broker([address_of(url) for url in urls], "referee", store, Intake(store))
    task = asyncio.create_task(broker.run())
    try:
        yield broker
    finally:
        await end(task)
        broker.close()


def new_store(tmp_path: Path, name: str = "hall") -> Store:
    """A store with one invited table."""
    store = Store(f"sqlite:///{tmp_path / name}.db")
    store.invite("t1")
    return store


async def test_views_do_not_wait_for_results_that_are_being_stored(
    tmp_path: Path, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, course, goes_on = new_store(tmp_path), Course("m1", PEOPLE), threading.Event()
    take = Intake.take
    monkeypatch.setattr(Intake, "take", lambda *given: goes_on.wait(20) and take(*given))
    async with running(store, mosquitto) as broker, ear(mosquitto) as heard:
        await heard.until(PRESENCE, lambda content: content == store.hall.encode())
        await heard.send("result", encode(result := course.hand()))
        await heard.send("view", encode(Shown("playing", "en")))
        async with asyncio.timeout(10):
            while "t1" not in broker.live:
                await asyncio.sleep(0)
        goes_on.set()
        await heard.received(result.row)


async def test_result_is_stored_and_acknowledged(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store, course = new_store(tmp_path), Course("m1", PEOPLE)
    async with running(store, mosquitto, dead_first=True), ear(mosquitto) as heard:
        await heard.until(PRESENCE, lambda content: content == store.hall.encode())
        first, second = course.hand(), course.hand()
        await heard.send("result", encode(first))
        assert await heard.received(first.row) == Received(store.hall, {"m1": first.row})
        await heard.send("result", encode(replace(course.hand(), after=(7, 7), row=(7, 8))))  # a gap
        await heard.send("result", encode(second))
        await heard.received(second.row)
        await heard.send("forgotten", encode(Forgotten(1, "Anna")))
        await heard.until(hall_topic("referee", "t1", "received"), lambda c: decode(Received, c).forgotten == 1)
    async with ear(mosquitto) as heard:
        await heard.client.publish("marker", b"1")
        await heard.until("marker", bool)
        assert PRESENCE not in heard.newest, "a hall that ends removes its presence"


async def test_result_that_another_hall_has_stored_is_acknowledged(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store, result = new_store(tmp_path), encode(Course("m1", PEOPLE).hand())
    async with running(store, mosquitto), ear(mosquitto) as heard:
        await heard.until(PRESENCE, lambda content: content == store.hall.encode())
        Intake(store).take([("t1", "result", result)])
        heard.newest.clear()
        await heard.send("result", result)
        await heard.received(Course("m1", PEOPLE).hand().row)


async def test_broker_without_memory_hears_everything_again(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store, course = new_store(tmp_path), Course("m1", PEOPLE)
    first = course.hand()
    drawn(store, PEOPLE)
    Intake(store).result("t1", encode(first))
    async with running(store, mosquitto) as broker:
        async with ear(mosquitto) as heard:
            await heard.until(PRESENCE, bool)
        mosquitto.kill()
        while not broker.trouble:
            await asyncio.sleep(0.01)
        mosquitto.start()
        async with ear(mosquitto) as heard:
            await heard.until(PRESENCE, bool)
            await heard.send("online", ONLINE)
            await heard.received(first.row)
            seating = decode(Seating, await heard.until(hall_topic("referee", "t1", "seating"), bool))
            assert seating.teams == tuple((name,) for name in PEOPLE)
            rules = decode(GameRules, await heard.until(hall_topic("referee", "t1", "rules"), bool))
            assert rules.game == seating.game
            await heard.until(PRESENCE, bool)
            for _ in range(3):
                last = course.hand()
                await heard.send("result", encode(last))
            await heard.received(last.row)
            await heard.until(hall_topic("referee", "t1", "seating"), lambda content: not content)


async def test_table_is_answered_from_its_invitation_on(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store, one = new_store(tmp_path), Course("m1", PEOPLE).hand()
    async with running(store, mosquitto) as broker, ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        await heard.send("result", encode(one), "t2")
        await heard.send("view", encode(Shown("READY", "en")), "t2")
        await heard.send("online", b"online", "x" * 60_000)
        await heard.send("view", b"{", "t1")
        await heard.send("view", encode(Shown("READY", "en")), "t1")
        await heard.send("online", b"online", "t1")
        await heard.send("result", encode(one))
        await heard.received(one.row)
        assert [table.name for table in store.tables() if not table.invited] == ["t2"]
        assert hall_topic("referee", "t2", "received") not in heard.newest
        assert list(broker.live) == ["t1"]
        assert broker.live["t1"].online
        assert broker.live["t1"].shown == Shown("READY", "en")
        store.invite("t2")
        assert not decode(Received, await heard.until(hall_topic("referee", "t2", "received"), bool)).rows
        await heard.send("result", encode(one), "t2")
        await heard.received(one.row, table="t2")
        store.invite("t2", False)
        await heard.until(hall_topic("referee", "t2", "received"), lambda content: not content)


async def test_table_is_live_from_its_invitation_on(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store = new_store(tmp_path)
    async with running(store, mosquitto) as broker, ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        for part, content in (("online", ONLINE), ("view", encode(Shown("READY", "en", hand=7)))):
            await heard.client.publish(topic_of("referee", "t2", part), content, qos=1, retain=True)
        while "t2" not in [table.name for table in store.tables()]:
            await asyncio.sleep(0.02)
        assert "t2" not in broker.live
        store.invite("t2")
        while "t2" not in broker.live or broker.live["t2"].shown is None:
            await asyncio.sleep(0.02)
        assert broker.live["t2"].online
        store.invite("t2", False)
        while "t2" in broker.live:
            await asyncio.sleep(0.02)


async def test_views_have_a_budget(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store, one = new_store(tmp_path), Course("m1", PEOPLE).hand()
    async with running(store, mosquitto) as broker, ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        for hand in range(500):
            await heard.client.publish(topic_of("referee", "t1", "view"), encode(Shown("READY", "en", hand=hand)))
        await heard.send("result", encode(one))
        await heard.received(one.row)
        shown = broker.live["t1"].shown
        assert shown is not None
        assert shown.hand < 499


async def test_hall_with_another_database_is_refused(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store, other = new_store(tmp_path), new_store(tmp_path, "other")
    async with running(store, mosquitto), ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        second = Broker([address_of(mosquitto.url)], "referee", other, Intake(other))
        with pytest.RaisesGroup(AnotherHallError, flatten_subgroups=True):
            await second.run()
        elsewhere = Broker([address_of(mosquitto.url)], "referee/two", other, Intake(other))
        task = asyncio.create_task(elsewhere.run())
        await heard.until(presence_topic("referee/two"), bool)
        await end(task)


async def test_refused_subscription_is_an_error(tmp_path: Path) -> None:
    with refusing() as port:
        store = new_store(tmp_path)
        broker = Broker([address_of(f"mqtt://127.0.0.1:{port}")], "referee", store, Intake(store))
        task = asyncio.create_task(broker.run())
        while "refuses" not in broker.trouble:
            await asyncio.sleep(0.01)
        await end(task)
        broker.close()
        store.close()
    assert broker.trouble.endswith("it refuses a subscription")


async def test_wrong_password_is_named(tmp_path: Path) -> None:
    (tmp_path / "passwords").touch()
    store = new_store(tmp_path)
    with with_mosquitto(tmp_path, f"allow_anonymous false\npassword_file {tmp_path / 'passwords'}") as one:
        broker = Broker([address_of(f"mqtt://hall:secret@127.0.0.1:{one.port}")], "referee", store, Intake(store))
        task = asyncio.create_task(broker.run())
        while "refuses" not in broker.trouble:
            await asyncio.sleep(0.01)
        await end(task)
        broker.close()
    assert broker.trouble == f"the broker 127.0.0.1:{one.port} refuses user name or password"


async def test_lost_database_is_named(tmp_path: Path, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker is not blamed. The hall removes its presence, as it cannot store results."""
    store = new_store(tmp_path)
    async with running(store, mosquitto) as broker, ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        monkeypatch.setattr(store, "tables", lambda: _raise(Database.lost("SELECT", {}, Exception("no connection"))))
        await heard.until(PRESENCE, lambda content: not content)
        while not broker.trouble.startswith("the database is away: "):
            await asyncio.sleep(0.01)
        monkeypatch.undo()
        await heard.until(PRESENCE, bool)


def _raise(error: Exception) -> None:
    raise error


async def test_hall_leaves_a_broker_that_it_does_not_hear(
    tmp_path: Path, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that confirms all messages and sends none back is left for the next one, also after a long time."""
    monkeypatch.setattr("referee.hall.broker.CHECK_S", 0.05)
    monkeypatch.setattr("referee.hall.broker.STEADY_S", 0.0)
    store = new_store(tmp_path)
    with deaf(echoes=1) as port:  # it sends the claim back, and then nothing more
        addresses = [address_of(url) for url in (f"mqtt://127.0.0.1:{port}", mosquitto.url)]
        broker = Broker(addresses, "referee", store, Intake(store))
        async with ear(mosquitto) as heard:
            task = asyncio.create_task(broker.run())
            await heard.until(PRESENCE, bool)
            await end(task)
            broker.close()


async def test_table_that_comes_is_answered(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """What the hall says to tables is not retained, so it says again what it holds and who plays next."""
    store, one = new_store(tmp_path), Course("m1", PEOPLE).hand()
    drawn(store, PEOPLE)
    Intake(store).result("t1", encode(one))
    parts = [hall_topic("referee", table, part) for table in ("t1", "t2") for part in ("received", "seating")]
    async with running(store, mosquitto), ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        heard.newest.clear()
        await heard.send("online", ONLINE)
        await heard.received(one.row)
        assert decode(Seating, await heard.until(parts[1], bool)).round == 1
        await heard.send("online", ONLINE, "t2")
        assert await heard.until(parts[2], lambda content: True) == b""  # it is not invited


async def test_presence_of_a_dead_hall_stops_nobody(tmp_path: Path, mosquitto: Mosquitto) -> None:
    store = new_store(tmp_path)
    async with ear(mosquitto) as heard:
        await heard.client.publish(PRESENCE, b"0123456789abcdef", qos=1, retain=True)
        async with running(store, mosquitto):
            await heard.until(PRESENCE, lambda content: content == store.hall.encode())


async def test_halls_with_one_database_work_together(tmp_path: Path, mosquitto: Mosquitto) -> None:
    stores, course = [new_store(tmp_path), new_store(tmp_path)], Course("m1", PEOPLE)
    async with running(stores[0], mosquitto) as stays, ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        async with running(stores[1], mosquitto) as goes:
            while goes.trouble:
                await asyncio.sleep(0.01)
            await heard.send("result", encode(one := course.hand()))
            await heard.received(one.row)
        await heard.until(PRESENCE, bool)  # the other one has removed it
        await heard.send("result", encode(one := course.hand()))
        await heard.received(one.row)
        assert not stays.trouble


@pytest.mark.parametrize("url", ["", "http://x", "mqtt://", "mqtt://x:99999", "mqtt://x/topic", "mqtt://[x"])
def test_bad_url_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises(BrokerURLError, match="must be mqtt://"):
        address_of(url)
