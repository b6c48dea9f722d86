"""Delivery of a table's results and removed names to a hall.

Theory of operation. The hall first publishes what it holds (`Received`). The table then sends the results after that.
At most `WINDOW` of them are unconfirmed at any time. If the hall confirms nothing for a while (`RETRIES_S`), the table
sends them again, with matches that made no progress last. There is no queue in memory: results are read from the
evenings' files.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from referee.core.documents.delivery import (
    MOST_BYTES,
    NO_ROW,
    DeliveryError,
    Received,
    Row,
    Seating,
    decode,
    encode,
)
from referee.drivers.mqtt.forgets import Forgets
from referee.drivers.mqtt.outbox import Outbox
from referee.drivers.mqtt.wire import FromChild, Saved, Seat, Status

LOG = logging.getLogger("referee")
WINDOW = 16
"""Maximum number of results that are sent but not confirmed."""
RETRIES_S = (10.0, 20.0, 60.0)
"""Times in s without confirmation until results are sent again. The last one repeats."""
GREETING_S = 5.0
"""Time in s after connecting, before a missing hall is reported."""
NEVER_S = 3600.0


class Sender(Protocol):
    """The methods of `Broker` that are used here."""

    def publish(self, part: str, content: bytes, *, qos: int = 0, retain: bool = False) -> None:
        """Publish under the table's topic."""


class Delivery:
    """The results and removed names that the hall has not confirmed, and how they are sent."""

    def __init__(
        self,
        state: Path,
        say: Callable[[FromChild], object],
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`say`: sends a report to the device. `clock`: returns seconds. `wall`: returns Unix seconds."""
        self._say, self._clock, self._wall = say, clock, wall
        self._outbox, self._forgets = Outbox(state), Forgets(state)
        self._saved: Saved | None = None
        self._followed: Saved | None = None
        self._trouble = ""
        self._logged: set[str] = set()
        self._too_long: dict[str, Row] = {}
        self.reset()

    def reset(self) -> None:
        """Forget what the hall has published. On a new connection the broker sends it again."""
        self._received: Received | None = None
        self._hall = ""
        self._flying: dict[str, list[Row]] = {}
        self._slow: set[str] = set()
        self._retries = 0
        self._retry_s = 0.0
        self._begun_s: float | None = None

    def note_saved(self, saved: Saved) -> None:
        """Note that the current evening has new events, and may have new results."""
        self._saved = saved

    def lose(self) -> None:
        """Report that there is no broker."""
        self._report("broker")

    @property
    def wait_s(self) -> float:
        """Return the longest time in s until the next call of `work` if no message comes."""
        now_s = self._clock()
        times = [self._retry_s] if self._flying or self._forgets.due(self._confirmed) else []
        if self._begun_s is not None and now_s < self._begun_s + GREETING_S:
            times.append(self._begun_s + GREETING_S)
        return max(min(times, default=now_s + NEVER_S) - now_s, 0.0)

    @property
    def _confirmed(self) -> int | None:
        return None if self._received is None else self._received.forgotten

    # -- from the hall -------------------------------------------------------------------------------------------------

    def take(self, part: str, content: bytes) -> None:
        """Handle a message from the hall. Invalid messages are logged once and ignored."""
        try:
            if part == "hall":
                self._take_presence(content.decode()[:100])
            elif part == "received":
                self._take_received(decode(Received, content) if content else None)
            else:
                self._say(Seat(decode(Seating, content) if content else None))
        except (DeliveryError, UnicodeDecodeError) as error:
            self._log(f"a message of the hall ({part}) is ignored: {error}")

    def _take_presence(self, hall: str) -> None:
        if hall:  # the hall has started, and may have missed results
            self._flying.clear()
            self._retry_s = 0.0
        self._hall = hall

    def _take_received(self, received: Received | None) -> None:
        before, self._received = self._received, received
        if received is None or (before is not None and _is_older(received.rows, before.rows)):
            self._flying.clear()
        if received is None:
            return
        flying = {
            match: [row for row in rows if row > received.rows.get(match, NO_ROW)]
            for match, rows in self._flying.items()
        }
        if flying != self._flying:
            self._retries = 0
            self._retry_s = self._clock() + RETRIES_S[0]
            self._slow -= {match for match, rows in flying.items() if len(rows) < len(self._flying[match])}
        self._flying = {match: rows for match, rows in flying.items() if rows}
        self._forgets.confirm(received.forgotten)

    # -- to the hall ---------------------------------------------------------------------------------------------------

    def work(self, broker: Sender) -> None:
        """Send what is due. Call it after each message, and after `wait_s`."""
        now_s = self._clock()
        if self._begun_s is None:
            self._begun_s = now_s
        received = self._received
        if received is not None and self._hall in ("", received.hall):
            self._deliver(broker, received, now_s)
        greeted = self._hall or now_s < self._begun_s + GREETING_S
        self._report("" if received is None or greeted else "hall")

    def _deliver(self, broker: Sender, received: Received, now_s: float) -> None:
        if now_s >= self._retry_s:
            self._slow |= self._flying.keys()
            self._flying.clear()
            for forgotten in self._forgets.due(received.forgotten):
                broker.publish("forgotten", encode(forgotten), qos=1)
            self._retry_s = now_s + RETRIES_S[min(self._retries, len(RETRIES_S) - 1)]
            self._retries += 1
        if self._saved is not None and self._saved != self._followed:
            self._outbox.follow(self._saved.evening, self._saved.seq)
            self._followed = self._saved
        if self._followed is None:
            return
        first = self._outbox.first_row(received.hall, received.rows, int(self._wall()))
        stuck = {match for match, row in self._too_long.items() if received.rows.get(match, NO_ROW) >= row}
        for last in [self._slow, set[str]()] if self._slow else [set[str]()]:  # matches without progress come last
            held = received.rows | {match: rows[-1] for match, rows in self._flying.items()}
            room = WINDOW - sum(map(len, self._flying.values()))
            for result in self._outbox.due(held, room, last | stuck, first) if room else ():
                content = encode(result)
                if result.after >= self._too_long.get(result.match, result.row):
                    continue
                if len(content) > MOST_BYTES:
                    self._too_long[result.match] = result.after
                    self._log(f"match {result.match} has {len(content)} bytes, more than a hall takes ({MOST_BYTES})")
                else:
                    broker.publish("result", content, qos=1)
                    self._flying.setdefault(result.match, []).append(result.row)

    def _report(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._say(Status(trouble))

    def _log(self, sentence: str) -> None:
        if sentence not in self._logged and len(self._logged) < 100:
            self._logged.add(sentence)
            LOG.warning("%s", sentence)


def _is_older(rows: Mapping[str, Row], before: Mapping[str, Row]) -> bool:
    """Return whether a hall holds less than before, as after a restore from a backup."""
    return any(rows.get(match, NO_ROW) < row for match, row in before.items())
