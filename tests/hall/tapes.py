"""Many tables in one process that publish what real tables have published, at the same pace.

    python -m tests.hall.tapes --tapes FILE --ports PORT,PORT --pace 1

Theory of operation. `record` lets bots play whole matches with a real Engine and journal in simulated time. The
device's own functions make the messages: views when they change, at most two per second; each verdict; results from
the evening's file. A tape has these messages with their times. Each table plays a tape with its own names and match
IDs, over its own connection of the device's MQTT client, from a random point on. So the broker and the hall get what
real tables send, but no engine runs meanwhile.

The words of a verdict end with the time of publishing (`MARK`, CLOCK_MONOTONIC in ns), which readers look for.
Commands are lines on standard input: `pace NUMBER`, `begin` and `end`. The answer to `end` are the figures since
`begin`, as JSON.
"""

from __future__ import annotations

import argparse
import heapq
import os
import select
import sys
import time
from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec

from referee.core.documents.delivery import NO_ROW, Received, Result, Row, Shown, Verdict, decode, encode
from referee.core.model.table import Setup
from referee.core.model.view import VerdictScreen, View
from referee.core.units import S
from referee.core.values import Value, replace
from referee.device.children.mqtt import AFTER_S, VIEW_S, shown_of, verdict_of
from referee.mqtt.broker import Broker
from referee.protocol.mqtt import Settings
from referee.storage.evenings.folder import evenings_in, names, path_of, read_evening
from referee.storage.evenings.writer import Journal
from tests.hall.fleet import Play
from tests.mqtt.chain import chain

MARK = "⟨{}⟩"
BOOT, PEOPLE = "tape", ("Xq1", "Xq2", "Xq3", "Xq4")
"""What a table replaces in its tape: the beginning of match IDs, and the names."""
PARTS = ("view", "verdict", "result")
RAMP_S = 15.0
"""Duration in s in which all tables connect."""


class Said(Value):
    """A message of a tape. at_s: since the tape's beginning."""

    at_s: float
    part: str
    content: bytes


class Cast(Value):
    """The tape that a table plays, and the names of its people."""

    table: str
    tape: int
    people: tuple[str, ...]


class Tapes(Value):
    """The content of the file: tapes, and the tables that play them."""

    tapes: tuple[tuple[Said, ...], ...]
    casts: tuple[Cast, ...]


def record(folder: Path, preset: str, seed: int) -> tuple[Said, ...]:
    """Play a match and return what its table publishes, in order of time."""
    (folder / "evenings").mkdir(parents=True)
    journal = Journal(folder, BOOT)
    pairs = tuple((str(seat), name) for seat, name in enumerate(PEOPLE, 1))
    play = Play(Setup(preset, (), tuple(station for station, _ in pairs), pairs), BOOT, seed, journal, (), ())
    begun_ns, said, steps = play.now_ns, list[Said](), [(0.0, 0)]
    shown: Shown | None = None
    ruled, next_s = "", 0.0
    while not play.is_over:
        play.step()
        at_s, view = (play.now_ns - begun_ns) / S + AFTER_S, play.last_view
        assert isinstance(view, View)
        steps.append((at_s, play.engine.state.seq))
        if isinstance(view.screen, VerdictScreen) and (ruling := repr(view.screen.callers)) != ruled:
            ruled = ruling
            said.append(Said(at_s, "verdict", encode(verdict_of(view.screen, view))))
        if (now := shown_of(view)) != shown:
            shown, next_s = now, max(at_s, next_s) + VIEW_S
            said.append(Said(next_s - VIEW_S, "view", encode(now)))
    journal.close()
    for name in names(evenings_in(folder)):
        tape = read_evening(path_of(evenings_in(folder), name))
        for result in chain(tape.rows, tape.aside, tape.id):
            at_s = next(at_s for at_s, seq in steps if seq >= result.row[1])
            said.append(Said(at_s, "result", encode(result)))
    return tuple(sorted(said, key=lambda one: one.at_s))


class TapeTable:
    """A table that plays a tape again and again."""

    def __init__(self, cast: Cast, tape: tuple[Said, ...], port: int, parts: Sequence[str], poll: select.epoll) -> None:
        """parts: the kinds of messages that the table publishes."""
        self._cast, self._tape, self._parts = cast, tape, parts
        self._at, self._match = 0, 0
        settings = Settings("127.0.0.1", port, False, cast.table, "", discovery="")
        self.broker = Broker(settings, self._hear)
        self._unsaid = [(name.encode(), own.encode()) for name, own in zip(PEOPLE, cast.people, strict=True)]
        self.waiting: dict[str, deque[tuple[Row, float]]] = {}
        """Match -> the rows that were sent and are not acknowledged, and when they were sent."""
        self.acknowledged_s: list[float] = []
        self.sent: Counter[str] = Counter()
        self.received_bytes = 0
        poll.register(self.broker.socket, select.EPOLLIN)

    def begin(self, share: float) -> float:
        """Publish what has happened in this share of the tape. Return the time on it in s until the next message."""
        begin_s = share * self._tape[-1].at_s
        before = [at for at, one in enumerate(self._tape) if one.at_s < begin_s]
        self._at = len(before)
        views = [at for at in before if self._tape[at].part == "view"][-1:]
        for at in before:
            if self._tape[at].part == "result" or at in views:
                self._say(self._tape[at])
        return self._tape[self._at].at_s - begin_s

    def turn(self) -> float:
        """Publish the next message. Return the time on the tape in s until the one after it."""
        one = self._tape[self._at]
        self._say(one)
        self._at += 1
        if self._at < len(self._tape):
            return max(self._tape[self._at].at_s - one.at_s, 0.0)
        self._at, self._match = 0, self._match + 1
        return 5.0 + self._tape[0].at_s

    def _say(self, one: Said) -> None:
        if one.part not in self._parts or (one.part == "view" and self.broker.is_behind):
            return
        content = one.content.replace(f'"{BOOT}-'.encode(), f'"{self._cast.table}.{self._match}-'.encode())
        for name, own in self._unsaid:
            content = content.replace(name, own)
        if one.part == "verdict":
            verdict = decode(Verdict, content)
            content = encode(replace(verdict, words=f"{verdict.words} {MARK.format(time.monotonic_ns())}"))
        elif one.part == "result":
            result = decode(Result, content)
            self.waiting.setdefault(result.match, deque()).append((result.row, time.monotonic()))
        self.sent[one.part] += 1
        self.sent["bytes"] += len(content)
        is_view = one.part == "view"
        self.broker.publish(one.part, content, qos=int(is_view), retain=is_view)

    def _hear(self, part: str, content: bytes, _: bool) -> None:
        self.received_bytes += len(content)
        if part != "received" or not content or not self.waiting:
            return
        rows = decode(Received, content).rows
        for match, sent in list(self.waiting.items()):
            while sent and sent[0][0] <= rows.get(match, NO_ROW):
                self.acknowledged_s.append(time.monotonic() - sent.popleft()[1])
            if not sent:
                del self.waiting[match]


def main() -> None:
    """Play until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tapes", type=Path, required=True)
    parser.add_argument("--ports", required=True, help="of the brokers; each table uses one of them")
    parser.add_argument("--pace", type=float, default=1.0)
    parser.add_argument("--parts", default=",".join(PARTS))
    args = parser.parse_args()
    ports, pace = [int(port) for port in args.ports.split(",")], args.pace
    tapes = msgspec.json.decode(args.tapes.read_bytes(), type=Tapes)
    dice, poll = Random(1), select.epoll()
    poll.register(0, select.EPOLLIN)
    tables: list[TapeTable] = []
    files: dict[int, TapeTable] = {}
    due: list[tuple[float, int]] = []
    begun_s = misc_s = time.monotonic()
    while True:
        now_s = time.monotonic()
        while len(tables) < len(tapes.casts) * min((now_s - begun_s) / RAMP_S, 1.0):
            cast = tapes.casts[len(tables)]
            port = ports[len(tables) % len(ports)]
            table = TapeTable(cast, tapes.tapes[cast.tape], port, args.parts.split(","), poll)
            files[table.broker.socket.fileno()] = table
            tables.append(table)
            heapq.heappush(due, (now_s + table.begin(dice.random()) / pace, len(tables) - 1))
        while due and due[0][0] <= now_s:
            at_s, number = heapq.heappop(due)
            heapq.heappush(due, (at_s + tables[number].turn() / pace, number))
        if now_s > misc_s + 5:
            misc_s = now_s
            for table in tables:
                table.broker.turn()
        for file, _ in poll.poll(min(max(due[0][0] - now_s, 0.0) if due else 0.1, 0.1)):
            if file:
                files[file].broker.turn()
                continue
            data = os.read(0, 1 << 16)
            if not data:
                return
            for line in data.decode().splitlines():
                word, _, wanted = line.partition(" ")
                if word == "pace":
                    now_s, before, pace = time.monotonic(), pace, float(wanted)
                    due = [(now_s + max(at_s - now_s, 0.0) * before / pace, table) for at_s, table in due]
                else:
                    _count(tables, word)


def _count(tables: list[TapeTable], word: str) -> None:
    """Begin to count, or print the figures."""
    if word == "end":
        figures = {
            "sent": dict(sum((table.sent for table in tables), Counter())),
            "received_bytes": sum(table.received_bytes for table in tables),
            "acknowledged_s": [s for table in tables for s in table.acknowledged_s],
            "unacknowledged": sum(len(sent) for table in tables for sent in table.waiting.values()),
        }
        sys.stdout.buffer.write(msgspec.json.encode(figures) + b"\n")
        sys.stdout.flush()
    for table in tables:
        table.acknowledged_s, table.received_bytes = [], 0
        table.sent.clear()


if __name__ == "__main__":
    main()
