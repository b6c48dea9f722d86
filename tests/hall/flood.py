"""Drive a broker, or a cluster of three, to its limit: messages per second from tables to halls, and back.

    python -m tests.hall.flood --broker mosquitto --tables 300 --halls 1
    python -m tests.hall.flood --broker cluster --window 1

Theory of operation. Tables and halls are sockets in this process, which send packets of MQTT 3.1.1 that were made
before: the clients of real tables and halls would be slower than a broker. A table sends what a real one has sent
(`tests.hall.tapes`), as fast as the broker confirms its views: at most `--window` of them are unconfirmed. Verdicts and
results (QoS 0) go out in between. Each hall gets everything, and answers each result with `--answer` bytes, which is
what a hall sends that holds 200 matches of the table.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from referee.core.documents.delivery import hall_topic, topic_of
from tests.hall.brokers import Broker, Mosquitto, cluster, exit_on_signals
from tests.hall.crowd import PRESET, Meter, Process, meter_lines, spread
from tests.hall.tapes import PARTS, Said, record

PREFIX, TAPES, WARM_S, DRAIN_S = "referee", 4, 3.0, 3.0
READY_S, TRY_S = 60.0, 5.0
CONNACK, PUBLISH, PUBACK, SUBACK = 2, 3, 4, 9
"""Types of packets: the first four bits."""


def packet(head: int, body: bytes) -> bytes:
    """Return a packet with its length."""
    length, size = bytearray(), len(body)
    while size or not length:
        size, low = divmod(size, 128)
        length.append(low | (128 if size else 0))
    return bytes([head]) + bytes(length) + body


def word(text: str) -> bytes:
    """Return a string with its length."""
    content = text.encode()
    return len(content).to_bytes(2, "big") + content


def publish(topic: str, content: bytes, *, number: int = 0, retain: bool = False) -> bytes:
    """Return a PUBLISH packet. number: of the packet, for QoS 1; 0 for QoS 0."""
    confirmed = number.to_bytes(2, "big") if number else b""
    return packet(0x30 | (2 if number else 0) | retain, word(topic) + confirmed + content)


class Link(asyncio.Protocol):
    """A connection. topics: what it subscribes to."""

    def __init__(self, name: str, topics: Sequence[str]) -> None:
        self._name, self._topics = name, topics
        self._data = bytearray()
        self.ready = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Introduce the client."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._data.clear()
        transport.write(packet(0x10, word("MQTT") + b"\x04\x02\x00\x00" + word(self._name)))

    def data_received(self, data: bytes) -> None:
        """Read packets."""
        self._data += data
        at = 0
        for kind, begin, end in self._packets():
            at = end
            if kind == CONNACK:
                topics = b"".join(word(topic) + b"\x00" for topic in self._topics)
                self.transport.write(packet(0x82, b"\x00\x01" + topics))
            elif kind == SUBACK:
                self.ready.set()
            else:
                self.take(kind, self._data[begin:end])
        del self._data[:at]

    def _packets(self) -> Iterator[tuple[int, int, int]]:
        data, at = self._data, 0
        while at + 2 <= len(data):
            size, shift, begin = 0, 0, at + 1
            while begin < len(data):
                byte = data[begin]
                size |= (byte & 127) << shift
                shift, begin = shift + 7, begin + 1
                if byte < 128:
                    break
            else:
                return
            if begin + size > len(data):
                return
            yield data[at] >> 4, begin, begin + size
            at = begin + size

    def take(self, kind: int, content: bytearray) -> None:
        """Handle a packet."""


class Table(Link):
    """A table that sends a tape again and again while the broker confirms its views."""

    def __init__(self, name: str, tape: Sequence[Said]) -> None:
        super().__init__(name, [hall_topic(PREFIX, name, "received"), hall_topic(PREFIX, name, "seating")])
        self.sent: Counter[str] = Counter()
        self.answers = 0
        self.confirmed_s: list[float] = []
        self.goes = False
        self._sent_s: dict[int, float] = {}
        self._groups = list(self._make(name, tape))
        self._at = 0

    @staticmethod
    def _make(name: str, tape: Sequence[Said]) -> Iterator[tuple[bytes, int, Counter[str]]]:
        """Yield packets that are sent together, the number of the view that is the last one, and their kinds."""
        packets, kinds, number = list[bytes](), Counter[str](), 0
        for one in tape:
            is_view = one.part == "view"
            number += is_view
            topic = topic_of(PREFIX, name, one.part)
            packets.append(publish(topic, one.content, number=number if is_view else 0, retain=is_view))
            kinds[one.part] += 1
            if is_view:
                yield b"".join(packets), number, kinds
                packets, kinds = [], Counter()

    def go(self, window: int) -> None:
        """Begin to send."""
        self.goes = True
        for _ in range(min(window, len(self._groups) - 1)):
            self._send()

    def _send(self) -> None:
        content, number, kinds = self._groups[self._at]
        self._at = (self._at + 1) % len(self._groups)
        self.sent += kinds
        self.sent["bytes"] += len(content)
        self._sent_s[number] = time.monotonic()
        self.transport.write(content)

    def take(self, kind: int, content: bytearray) -> None:
        """Send more after a confirmation."""
        if kind == PUBACK:
            self.confirmed_s.append(time.monotonic() - self._sent_s.pop(int.from_bytes(content[:2], "big")))
            if self.goes:
                self._send()
        elif kind == PUBLISH:
            self.answers += 1


class Hall(Link):
    """A hall that gets everything and answers results."""

    def __init__(self, name: str, answer: int) -> None:
        super().__init__(name, [topic_of(PREFIX, "+", part) for part in PARTS])
        self.heard = 0
        self._answer = bytes(answer)

    def take(self, kind: int, content: bytearray) -> None:
        """Count a message, and answer a result."""
        if kind == PUBLISH:
            topic = bytes(content[2 : 2 + int.from_bytes(content[:2], "big")]).decode()
            table, _, part = topic.removeprefix(topic_of(PREFIX, "", "")[:-1]).rpartition("/")
            self.heard += 1
            if part == "result":
                self.transport.write(publish(hall_topic(PREFIX, table, "received"), self._answer))


async def flood(brokers: Sequence[Broker], args: argparse.Namespace, tapes: Sequence[Sequence[Said]]) -> None:
    """Measure and print."""
    halls = [Hall(f"hall-{at}", args.answer) for at in range(args.halls)]
    tables = [Table(f"table-{at}", tapes[at % len(tapes)]) for at in range(args.tables)]
    links: list[Link] = [*halls, *tables]
    for at, link in enumerate(links):
        await _connect(link, brokers[at % len(brokers)].port)
    for table in tables:
        table.go(args.window)
    await asyncio.sleep(WARM_S)
    processes = [Process(f"broker {at}", one.number) for at, one in enumerate(brokers, 1)]
    for table in tables:
        table.confirmed_s.clear()
    before, meter = _counts(tables, halls), Meter([*processes, Process("(this)", os.getpid())])
    await asyncio.sleep(args.seconds)
    made, used = _counts(tables, halls), meter.read()
    made.subtract(before)
    confirmed_s = [s for table in tables for s in table.confirmed_s]
    for table in tables:
        table.goes = False
    await asyncio.sleep(DRAIN_S)
    total, took_s = _counts(tables, halls), used["took_s"]
    kinds = ", ".join(f"{made[part] / took_s:.0f} {part}s" for part in PARTS)
    sent = sum(total[part] for part in PARTS)
    print(f"{args.broker}, {args.tables} tables, {args.halls} halls, window {args.window}")
    print(f"from tables: {sum(made[part] for part in PARTS) / took_s:.0f} messages/s ({kinds}),"
          f" {made['bytes'] / took_s / 1e6:.1f} MB/s")  # fmt: skip
    print(f"to halls: {made['heard'] / took_s:.0f} messages/s; their answers: {made['answers'] / took_s:.0f} a second")
    print(f"not delivered: {sent * args.halls - total['heard']} of {sent * args.halls} messages to halls,"
          f" {total['result'] * args.halls - total['answers']} of {total['result'] * args.halls} answers")  # fmt: skip
    print(f"confirmed after {spread(confirmed_s)}")
    print("\n".join(meter_lines(used)))


async def _connect(link: Link, port: int) -> None:
    """Connect and subscribe. Try again, because a cluster that has just started refuses clients for some seconds."""
    until_s = time.monotonic() + READY_S
    while not link.ready.is_set():
        await asyncio.get_running_loop().create_connection(lambda: link, "127.0.0.1", port)
        with suppress(TimeoutError):
            await asyncio.wait_for(link.ready.wait(), TRY_S)
            return
        link.transport.abort()
        if time.monotonic() > until_s:
            raise TimeoutError("the broker does not accept a client")


def _counts(tables: Sequence[Table], halls: Sequence[Hall]) -> Counter[str]:
    found: Counter[str] = sum((table.sent for table in tables), Counter())
    found["answers"] = sum(table.answers for table in tables)
    found["heard"] = sum(hall.heard for hall in halls)
    return found


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broker", choices=("mosquitto", "cluster"), default="mosquitto")
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--halls", type=int, default=1)
    parser.add_argument("--window", type=int, default=4)
    parser.add_argument("--answer", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    args = parser.parse_args()
    exit_on_signals()
    with tempfile.TemporaryDirectory(prefix="flood-") as name:
        folder = Path(name)
        tapes = [record(folder / f"tape-{at}", PRESET, at) for at in range(TAPES)]
        brokers: list[Broker] = cluster(folder) if args.broker == "cluster" else [Mosquitto(folder)]
        try:
            asyncio.run(flood(brokers, args, tapes))
        finally:
            for broker in brokers:
                broker.kill()


if __name__ == "__main__":
    main()
