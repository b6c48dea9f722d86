"""A hall on PostgreSQL with a standby: what happens when the primary fails and the standby is promoted."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.core.documents.delivery import Seating, decode, encode, hall_topic
from referee.hall.intake import Intake
from referee.hall.model import Entered, Format, Game, Opened
from referee.hall.schema import Database, DatabaseError
from referee.hall.store import Store
from tests.hall.brokers import Mosquitto
from tests.hall.databases import Pair, new_database, replicated
from tests.hall.made import NOW_S, Course
from tests.hall.test_broker import PRESENCE, ear, running
from tests.hall.test_store import PEOPLE, drawn


@pytest.fixture
def url(pair: Pair) -> str:
    """The URL of an empty database that the standby has, too."""
    made = new_database(pair.url)
    pair.catch_up()
    return made


@pytest.fixture
def store(pair: Pair, url: str) -> Iterator[Store]:
    """A store with an event of one person, which the standby has, too."""
    made = Store(url, lambda: NOW_S)
    made.invite("t1")
    made.open(Opened("Club", Format(), Game(), 1))
    made.append(1, Entered(1, ("Anna",)), 1)
    pair.catch_up()
    yield made
    made.close()


def until_back(store: Store) -> None:
    """Wait until the store can be used again."""
    while True:
        try:
            store.tables()
            return
        except Database.lost:
            time.sleep(0.02)


def names(store: Store) -> list[str]:
    """Return the names of the event's entries."""
    return [entry.name for entry in store.event(1).entries]


def test_number_that_repeats_has_its_new_content(pair: Pair, store: Store, url: str) -> None:
    """The promoted standby lacks a decision that this process has read; another process makes another one."""
    pair.hold()
    store.append(1, Entered(2, ("Lost",)), 2)
    assert names(store) == ["Anna", "Lost"]
    pair.kill_primary()
    with pytest.raises(Database.lost, match="no server of the database accepts changes"):
        store.tables()
    pair.promote()
    until_back(store)
    assert store.losses
    other = Store(url)
    other.append(1, Entered(2, ("Ben",)), 2)
    other.close()
    assert names(store) == ["Anna", "Ben"]


def test_hanging_primary_is_left(pair: Pair, store: Store) -> None:
    pair.stall_primary()
    with pytest.raises(Database.lost):
        store.tables()
    pair.promote()
    until_back(store)
    assert names(store) == ["Anna"]


def test_old_primary_that_comes_back_is_not_used(pair: Pair, store: Store, url: str) -> None:
    pair.kill_primary()
    pair.promote()
    pair.start_old()
    until_back(store)
    store.append(1, Entered(2, ("Ben",)), 2)
    new = Store(url)
    assert names(new) == names(store) == ["Anna", "Ben"]
    new.close()
    pair.kill_primary()
    with pytest.raises(Database.lost, match="old primary"):
        store.tables()
    pair.start_primary()


def test_standby_alone_is_refused_in_a_sentence(pair: Pair) -> None:
    with pytest.raises(DatabaseError, match=r"no server of the database accepts changes \(.*read-only\)$"):
        Store(pair.url_of(1 - pair.primary))


def test_commit_without_the_synchronous_standby_is_not_reported() -> None:
    with replicated() as pair:
        store = Store(pair.url)
        store.open(Opened("Club", Format(), Game(), 1))
        pair.stall_standby()
        with pytest.raises(Database.lost, match="has not answered"):
            store.append(1, Entered(1, ("Anna",)), 1)
        store.close()


def test_results_of_tables_in_any_order_do_not_block_each_other(pair: Pair, store: Store, url: str) -> None:
    """Two halls store results of the same tables; each has begun with another table."""
    store.invite("t2")
    other = Store(url, lambda: NOW_S)
    first, second = (encode(Course(f"m{n}", PEOPLE).hand()) for n in (1, 2))

    def take_all() -> None:
        Intake(other, lambda: NOW_S).take([("t2", "result", second), ("t1", "result", first)])

    thread = threading.Thread(target=take_all)
    with store.together():
        Intake(store, lambda: NOW_S).take([("t1", "result", first)])
        thread.start()
        waiting = "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while not pair.execute(pair.primary, waiting):
            time.sleep(0.01)
        Intake(store, lambda: NOW_S).take([("t2", "result", second)])
    thread.join()
    assert len(store.matches()) == 2
    other.close()


async def test_tables_hear_what_the_promoted_standby_lacks(
    pair: Pair, store: Store, tmp_path: Path, mosquitto: Mosquitto
) -> None:
    course = Course("m1", PEOPLE)
    async with running(store, mosquitto), ear(mosquitto) as heard:
        await heard.until(PRESENCE, bool)
        await heard.send("result", encode(kept := course.hand()))
        await heard.received(kept.row)
        await asyncio.to_thread(pair.catch_up)
        await asyncio.to_thread(pair.hold)
        await heard.send("result", encode(lost := course.hand()))
        await heard.received(lost.row)
        drawn(store, PEOPLE)
        seating = hall_topic("referee", "t1", "seating")
        assert decode(Seating, await heard.until(seating, bool)).round == 1
        pair.kill_primary()
        await asyncio.to_thread(pair.promote)
        await heard.received(kept.row)
        await heard.until(seating, lambda content: not content)
        await heard.send("result", encode(lost))
        await heard.received(lost.row)
