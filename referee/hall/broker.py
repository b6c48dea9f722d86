"""The hall's link to an MQTT broker.

Theory of operation. The hall subscribes to what tables publish. After each result it publishes a `Received`: what it
holds of that table. After each decision it publishes the seats of the next round. A broker may lose all this, so at
each connection the hall publishes everything again, and then its presence. A table that sees the presence sends the
results that may be lost. If no message comes back to the hall, not even its own, it takes the next broker.

Halls on the same database get the same results. The hall that stores a result answers at once, the others only after up
to `LOOK_S`: a table that hears an older answer after a newer one sends results again.

Only the presence is retained, and QoS is 0. A cluster can lose retained messages that it has confirmed. While its
servers do not agree, a server of NATS takes 5 s for each retained message and ends connections with QoS 1. So the hall
answers each table that publishes "online".

Halls with different databases must not share a prefix. Before it starts, a hall publishes under `PREFIX/hall/claim`; a
running hall answers with its presence. Its last will removes the presence. Halls that share a database have one ID.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import ssl
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from aiomqtt import Client, Message, MqttError, Will

from referee.core.documents.delivery import (
    ONLINE,
    PARTS,
    TABLE_NAME,
    DeliveryError,
    Shown,
    Verdict,
    decode,
    encode,
    hall_topic,
    presence_topic,
    topic_of,
)
from referee.core.values import Value
from referee.hall.intake import Intake
from referee.hall.schema import Database
from referee.hall.store import Store

LOG = logging.getLogger("referee")
PAUSES_S = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Pauses in s between attempts to connect: one for each round of all brokers.

The last one repeats.
"""
KEEPALIVE_S = 15
ANSWER_S = 3.0
"""Time in s in which another hall must answer."""
CONFIRM_S, END_S = 6.0, 1.0
"""Times in s for each exchange with the broker: on a connection that works, and on one that is given up."""
CHECK_S = 6.0
"""Time in s between two checks whether the hall hears its own message."""
REFUSED = (134, 135)
"""Reason codes for a wrong user name or password. Mosquitto and NATS give the second one."""
GATHER_S = 0.02
"""Time in s in which results are collected before they are acknowledged together."""
LOOK_S = 1.0
"""Time in s between looks for changes by another process in the database."""
STEADY_S = 10.0
"""Duration in s of a connection after which the pauses start again with the first."""
MOST_TOGETHER = 64
"""Maximum number of results stored in one transaction, and of messages published at once."""
MOST_WAITING = 5000
"""Maximum number of messages that wait to be stored. More are dropped; tables send them again."""
MOST_VIEWS = 20
"""Maximum number of views and verdicts of a table in a second. More are dropped."""
_Answer = TypeVar("_Answer")
Results = asyncio.Queue[tuple[str, str, bytes]]
"""Messages to store: table, part, content."""


class BrokerURLError(ValueError):
    """An invalid URL of a broker. The text is one sentence."""


class AnotherHallError(Exception):
    """Another hall uses this broker and prefix. The text is one sentence."""


class Address(Value):
    """A broker's address, with user name and password. tls: whether the link is encrypted."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None

    @property
    def shown(self) -> str:
        """Return the address without the password."""
        return f"{self.host}:{self.port}"


def address_of(url: str) -> Address:
    """Read a broker's URL: mqtt:// or mqtts://, with user and password if needed.

    Raises BrokerURLError.

    >>> address_of("mqtts://hall:secret@broker.local").shown
    'broker.local:8883'
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path.strip("/"):
        raise BrokerURLError("a broker's URL must be mqtt://[USER:PASSWORD@]HOST[:PORT] or mqtts://…")
    tls = parts.scheme == "mqtts"
    user, password = (part and unquote(part) for part in (parts.username, parts.password))
    return Address(parts.hostname, port or (8883 if tls else 1883), tls, user, password)


class Live:
    """A table's current state, in memory only. shown: its last view. verdict: its last verdict."""

    def __init__(self) -> None:
        self.online = False
        self.shown: Shown | None = None
        self.verdict: Verdict | None = None
        self._second, self._messages = 0, 0

    def take(self, part: str, content: bytes) -> None:
        """Store the content of a message, unless there are too many in this second.

        Raises DeliveryError.
        """
        second = int(time.monotonic())
        self._second, self._messages = second, 1 + (self._messages if second == self._second else 0)
        if part == "online":
            self.online = content == ONLINE
        elif self._messages > MOST_VIEWS:
            return
        elif part == "view":
            self.shown = decode(Shown, content) if content else None
        else:
            self.verdict = decode(Verdict, content)


class Broker:
    """The link to a list of brokers, of which one is used at a time.

    live: the state of each invited table that has published. trouble: why there is no link, as one sentence; empty if
    there is one.
    """

    def __init__(
        self,
        addresses: Sequence[Address],
        prefix: str,
        store: Store,
        intake: Intake,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.live: dict[str, Live] = {}
        self.trouble = "the broker has not answered yet"
        self._addresses, self._prefix, self._store, self._intake, self._context = (
            addresses, prefix, store, intake, context
        )  # fmt: skip
        self._own = f"{store.hall} {secrets.token_hex(4)}".encode()
        self._presence, self._claim_topic = presence_topic(prefix), f"{presence_topic(prefix)}/claim"
        self._worker = ThreadPoolExecutor(1, "hall")
        self._due: set[str] = set()
        self._known: set[str] = set()
        self._asking: set[str] = set()
        self._invited: set[str] = set()
        self._seated: dict[str, tuple[bytes, bytes]] = {}
        self._losses = 0
        self._wake, self._has_heard = asyncio.Event(), False
        self._claimed = False
        self._logged: set[str] = set()
        self._told: set[str] = set()

    async def run(self) -> None:
        """Connect, and reconnect after each loss, until cancelled.

        Raises AnotherHallError if another hall is running and this one has never been connected.
        """
        loop = asyncio.get_running_loop()
        self._store.listeners.append(lambda: loop.call_soon_threadsafe(self._wake.set))
        failed = at = 0
        while True:
            begun_s = time.monotonic()
            address, more = self._addresses[at], 1
            try:
                await self._work(self._store.tables)  # without its database, a hall has nothing to say
                await self._connect(address)
            except* Database.lost as errors:
                self._lose(f"the database is away: {_first(errors)}")
                more = 0
            except* (MqttError, OSError) as errors:
                self._lose(_trouble(address, errors))
            except* AnotherHallError as errors:
                self._lose(_first(errors))
                if not self._claimed:
                    raise
            failed, at = failed + more, (at + more) % len(self._addresses)
            failed = 0 if time.monotonic() - begun_s > STEADY_S else failed
            await asyncio.sleep(PAUSES_S[min(failed // len(self._addresses), len(PAUSES_S) - 1)])

    def close(self) -> None:
        """Wait until the current messages are stored."""
        self._worker.shutdown()

    async def _connect(self, address: Address) -> None:
        """Connect, and work until the connection is lost."""
        async with Client(
            address.host,
            address.port,
            username=address.user,
            password=address.password,
            identifier=f"{self._prefix}-hall-{secrets.token_hex(4)}",
            will=Will(self._presence, b"", 1, retain=True),
            keepalive=KEEPALIVE_S,
            timeout=CONFIRM_S,
            tls_context=(self._context or ssl.create_default_context()) if address.tls else None,
            max_queued_incoming_messages=MOST_WAITING,
        ) as client:
            client.pending_calls_threshold = MOST_WAITING
            await self._claim(client)
            self._invited, self._seated = set(), {}
            await _subscribe(client, [topic_of(self._prefix, "+", part) for part in PARTS])
            try:
                await self._publish(client)
                await self._show_presence(client)
                self.trouble, self._claimed = "", True
                self._told.clear()
                LOG.info("connected to the broker %s", address.shown)
                results: Results = asyncio.Queue(MOST_WAITING)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._read(client, results))
                    group.create_task(self._store_results(results))
                    group.create_task(self._keep_publishing(client))
                    group.create_task(self._keep_checking(client))
            finally:  # the last will is not published after an orderly end
                client.timeout = END_S
                with contextlib.suppress(MqttError):
                    await client.publish(self._presence, b"", retain=True)

    def _lose(self, why: str) -> None:
        for live in self.live.values():
            live.online = False
        self.trouble = why
        if why not in self._told:  # with several brokers, each has a sentence
            self._told.add(why)
            LOG.warning("%s", why)

    # -- one hall for each prefix ----------------------------------------------------------------------------------

    async def _claim(self, client: Client) -> None:
        """Raise AnotherHallError if another hall answers.

        First the broker sends a retained presence, which may be left over from a dead hall. If it is another hall's,
        wait `ANSWER_S` for that hall's answer; else return when the broker sends the claim back.
        """
        await _subscribe(client, [self._presence, self._claim_topic])
        await client.publish(self._claim_topic, self._own)
        stranger = False
        try:
            async with asyncio.timeout(ANSWER_S):
                async for message in client.messages:
                    if message.topic.value == self._claim_topic:
                        if message.payload == self._own and not stranger:
                            return
                    elif self._is_strange(message):
                        stranger = True
                        if not message.retain:
                            raise _another(message)
        except TimeoutError:
            if not stranger:
                raise MqttError("it does not answer") from None

    def _is_strange(self, message: Message) -> bool:
        return _payload(message) not in (b"", self._store.hall.encode())

    async def _show_presence(self, client: Client) -> None:
        await client.publish(self._presence, self._store.hall, retain=True)

    async def _hear_hall(self, client: Client, message: Message) -> None:
        """Answer another hall's claim or a late last will.

        Of two running halls, the one with the lower ID stays.
        """
        payload = _payload(message)
        if message.topic.value == self._claim_topic:
            if not payload.startswith(self._store.hall.encode()):
                await self._show_presence(client)
        elif payload == b"":
            await self._show_presence(client)
        elif self._is_strange(message):
            if payload < self._store.hall.encode():
                raise _another(message)
            await self._show_presence(client)

    # -- from tables -----------------------------------------------------------------------------------------------

    async def _read(self, client: Client, results: Results) -> None:
        async for message in client.messages:
            self._has_heard = True
            await self._take(client, message, results)

    async def _store_results(self, results: Results) -> None:
        """Store results while other messages are read, so that verdicts do not wait for the database."""
        while True:
            taken = [await results.get()]
            while not results.empty() and len(taken) < MOST_TOGETHER:
                taken.append(results.get_nowait())
            known = await self._work(self._intake.take, taken)
            self._due |= {table for table, _, _ in taken} - known
            self._known |= known
            if self._due:
                self._wake.set()

    async def _take(self, client: Client, message: Message, results: Results) -> None:
        """Handle a message, or put it into `results`, which are stored together."""
        if message.topic.value in (self._presence, self._claim_topic):
            await self._hear_hall(client, message)
            return
        table, _, part = message.topic.value.removeprefix(topic_of(self._prefix, "", "")[:-1]).rpartition("/")
        if not TABLE_NAME.fullmatch(table):
            self._log(f"a table's name has 1 to 32 letters, digits, - and _: {table[:40]!r} is ignored")
        elif part in ("result", "forgotten"):
            with contextlib.suppress(asyncio.QueueFull):  # the table sends it again
                results.put_nowait((table, part, _payload(message)))
            return
        if part == "online" and not message.retain and _payload(message) == ONLINE:
            self._asking.add(table)
            self._wake.set()
        if table not in self._invited:
            await self._work(self._intake.see, table)
        else:
            try:
                self.live.setdefault(table, Live()).take(part, _payload(message))
            except DeliveryError as error:
                self._log(f"a {part} of table {table} is ignored: {error}")

    async def _work(self, do: Callable[..., _Answer], *given: object) -> _Answer:
        """Call a function that uses the database, on the thread for such calls."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, do, *given)

    def _log(self, sentence: str) -> None:
        if sentence not in self._logged and len(self._logged) < 100:
            self._logged.add(sentence)
            LOG.warning("%s", sentence)

    # -- to tables -------------------------------------------------------------------------------------------------

    async def _keep_publishing(self, client: Client) -> None:
        look_s = time.monotonic() + LOOK_S
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), LOOK_S)
                await asyncio.sleep(GATHER_S)
            self._wake.clear()
            if time.monotonic() >= look_s:
                self._due, self._known, look_s = self._due | self._known, set(), time.monotonic() + LOOK_S
            before = self._invited
            await self._publish(client)
            await self._follow(client, before)

    async def _keep_checking(self, client: Client) -> None:
        """Raise MqttError if no message comes for `CHECK_S` after one of the hall's own."""
        while True:
            self._has_heard = False
            await client.publish(self._claim_topic, self._own)
            await asyncio.sleep(CHECK_S)
            if not self._has_heard and not len(client.messages):
                raise MqttError("it does not send the hall's own message back")

    async def _follow(self, client: Client, before: set[str]) -> None:
        """Follow changed invitations: forget tables that are no longer invited, and subscribe again.

        A new subscription makes the broker send the retained views of newly invited tables.
        """
        for table in before - self._invited:
            self.live.pop(table, None)
        if self._invited - before:
            await _subscribe(client, [topic_of(self._prefix, "+", part) for part in ("online", "view")])

    async def _publish(self, client: Client) -> None:
        """Publish what has changed, or is asked for: what the hall holds of each table, and who plays next there."""
        if self._losses != self._store.losses:  # the database may lack what has been published
            self._losses, self._invited, self._seated = self._store.losses, set(), {}
        due, self._due, asking, self._asking = self._due, set(), self._asking, set()
        self._seated = {table: content for table, content in self._seated.items() if table not in asking}
        invited, received, seated = await self._work(self._news, due, asking)
        seated = dict.fromkeys({*invited, *self._seated}, (b"", b"")) | seated
        changed = {table: content for table, content in seated.items() if self._seated.get(table) != content}
        self._invited, self._seated = invited, seated
        rules, seating = ({table: both[at] for table, both in changed.items()} for at in range(2))
        parts = {"received": received, "rules": rules, "seating": seating}
        news = [(table, part, content) for part in parts for table, content in parts[part].items()]
        for at in range(0, len(news), MOST_TOGETHER):  # the broker must take each group within `CONFIRM_S`
            await asyncio.gather(
                *[
                    client.publish(hall_topic(self._prefix, table, part), content)
                    for table, part, content in news[at : at + MOST_TOGETHER]
                ]
            )

    def _news(
        self, due: set[str], asking: set[str]
    ) -> tuple[set[str], dict[str, bytes], dict[str, tuple[bytes, bytes]]]:
        """Return the invited tables, the `Received` to publish, and all rules and seatings, by table."""
        invited = {table.name for table in self._store.tables() if table.invited}
        tables = (due & invited) | (invited ^ self._invited) | asking
        held = self._store.all_received(tables)
        received = {table: encode(held[table]) if table in held else b"" for table in tables}
        seated = {table: (encode(rules), encode(seats)) for table, (seats, rules) in self._store.seatings().items()}
        return invited, received, seated


async def _subscribe(client: Client, topics: Sequence[str]) -> None:
    """Subscribe with QoS 0: whatever is lost comes again. Raises MqttError if the broker refuses a topic."""
    reasons = await client.subscribe([(topic, 0) for topic in topics])
    if any(getattr(reason, "value", reason) >= 0x80 for reason in reasons):
        raise MqttError("it refuses a subscription")


async def end(task: asyncio.Task[None]) -> None:
    """Cancel a task repeatedly until it ends.

    In Python 3.11, `asyncio.wait_for` can lose a cancellation.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.5)


def _payload(message: Message) -> bytes:
    return message.payload if isinstance(message.payload, bytes) else b""


def _another(message: Message) -> AnotherHallError:
    other = _payload(message)[:40].decode("ascii", "replace")
    return AnotherHallError(f"another hall ({other}) uses this broker and prefix: choose another --prefix or stop it")


def _trouble(address: Address, errors: BaseExceptionGroup[Exception]) -> str:
    """Return a sentence about a broker."""
    if getattr(getattr(errors.exceptions[0], "rc", None), "value", None) in REFUSED:
        return f"the broker {address.shown} refuses user name or password"
    return f"the broker {address.shown} is away: {_first(errors)}"


def _first(errors: BaseExceptionGroup[BaseException]) -> str:
    """Return the text of the first exception in a group."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error).partition("\n")[0] or type(error).__name__
