"""Delivery of a table's results and removed names to a hall.

Theory of operation. The hall first publishes what it holds (`Received`). The table then sends the results after that.
At most `WINDOW` of them are unconfirmed at any time. If the hall confirms nothing for a while (`RETRIES_S`), the table
sends them again, with matches that made no progress last. There is no queue in memory: results are read from the
records.

A working connection to a broker does not show that messages reach the hall and come back: servers of a cluster may not
reach each other. So a hall answers each "online" of a table with all that it publishes for it. The table asks in this
way when it connects, while results are not confirmed, and when the hall has been silent. Without an answer it leaves
the broker. As the hall confirms, messages have QoS 0.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from referee.core.documents.delivery import (
    MOST_BYTES,
    NO_ROW,
    ONLINE,
    DeliveryError,
    GameRules,
    Received,
    Row,
    Seating,
    decode,
    encode,
)
from referee.mqtt.broker import BrokerError
from referee.mqtt.outbox import Outbox
from referee.protocol.mqtt import FromChild, Seat, Status
from referee.storage.records.removed_names import Forgets, has_hall

LOG = logging.getLogger("referee")
WINDOW = 4
"""Maximum number of results that are sent but not confirmed.

After a restore all tables send so many at once, and Mosquitto drops what is more than 1,000 messages for a hall.
"""
RETRIES_S = (1.0, 2.0, 4.0, 8.0, 20.0, 60.0)
"""Times in s without confirmation until results are sent again. The last one repeats."""
GREETING_S = 5.0
"""Time in s after connecting, before a missing hall is reported."""
ASKS_S = (1.0, 2.0, 5.0, 7.0, 15.0, 60.0)
"""Times in s without an answer until the hall is asked again. The last one repeats, and follows each answer."""
FEWEST_ASKS, MOST_ASKS = 4, 6
"""Numbers of unanswered asks after which the table leaves a broker: at first, and after several times in a row.

The second one is also for a broker without a hall, if there is another broker.
"""


class SilentError(BrokerError):
    """No hall answers through this broker."""


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
        *,
        has_others: bool = False,
    ) -> None:
        """`say`: sends a report to the device. `clock`: returns seconds. `wall`: returns Unix seconds.

        has_others: whether there are more brokers.
        """
        self._say, self._clock, self._wall = say, clock, wall
        self._begin_s = wall() - clock()
        self._state, self._has_others, self._silences = state, has_others, 0
        self._outbox, self._forgets = Outbox(state), Forgets(state)
        self._is_read = False
        self._trouble = ""
        self._logged: set[str] = set()
        self._too_long: dict[str, Row] = {}
        self._seat = Seat(None)
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
        self._asked, self._ask_s = 1, math.inf
        self._had_hall = has_hall(self._state)

    def prepare(self) -> None:
        """Read the records before the table connects, if it has ever had a hall. Raises OSError."""
        if self._had_hall:
            self._read()

    def note_saved(self) -> None:
        """Note that records have been written or removed."""
        self._is_read = False

    def lose(self, error: Exception) -> None:
        """Report that there is no broker, or no hall that answers."""
        self._report("hall" if isinstance(error, SilentError) else "broker")

    @property
    def is_silent(self) -> bool:
        """Return whether the table has left a broker because no hall answered, and none has answered since."""
        return self._silences > 0

    @property
    def wait_s(self) -> float:
        """Return the longest time in s until the next call of `work` if no message comes."""
        now_s = self._clock()
        times = [self._ask_s]
        if self._flying or self._forgets.due(self._confirmed):
            times.append(self._retry_s)
        if self._begun_s is not None and now_s < self._begun_s + GREETING_S:
            times.append(self._begun_s + GREETING_S)
        return max(min(times) - now_s, 0.0)

    @property
    def _confirmed(self) -> int | None:
        return None if self._received is None else self._received.forgotten

    # -- from the hall -------------------------------------------------------------------------------------------------

    def take(self, part: str, content: bytes, live: bool = True) -> None:
        """Handle a message from the hall. Invalid messages are logged once and ignored.

        live: whether the hall has just published it; False if the broker has retained it.
        """
        if live and part == "received":
            self._asked, self._silences, self._ask_s = 0, 0, self._clock() + ASKS_S[-1]
        try:
            if part == "hall":
                self._take_presence(content.decode()[:100])
            elif part == "received":
                received = decode(Received, content) if content else None
                self._hall = received.hall if live and received is not None else self._hall
                self._take_received(received)
            elif part == "seating":
                self._seat = Seat(decode(Seating, content) if content else None, self._seat.rules)
                self._say(self._seat)
            else:
                self._seat = Seat(self._seat.seating, decode(GameRules, content) if content else None)
                self._say(self._seat)
        except (DeliveryError, UnicodeDecodeError) as error:
            self._log(f"a message of the hall ({part}) is ignored: {error}")

    def _take_presence(self, hall: str) -> None:
        if hall:  # the hall has started, and may have missed results
            self._flying.clear()
            self._retry_s = 0.0
            self._asked, self._ask_s = 1, self._clock() + ASKS_S[0]
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
        """Send what is due. Call it after each message, and after `wait_s`.

        Raises SilentError if the hall does not answer.
        """
        now_s = self._clock()
        if self._begun_s is None:  # the broker has just accepted the table, which has published "online"
            self._begun_s, self._ask_s = now_s, min(self._ask_s, now_s + ASKS_S[0])
        received = self._received
        if received is not None and self._hall in ("", received.hall):
            self._deliver(broker, received, now_s)
        self._ask(broker, now_s)
        greeted = (self._hall and self._asked < FEWEST_ASKS) or now_s < self._begun_s + GREETING_S
        self._report("hall" if self._silences or ((received or self._had_hall) and not greeted) else "")

    def _ask(self, broker: Sender, now_s: float) -> None:
        if now_s < self._ask_s:
            return
        most = min(FEWEST_ASKS + self._silences, MOST_ASKS) if self._hall else MOST_ASKS
        if self._asked >= most and (self._hall or (self._has_others and self._had_hall)):
            self._silences += 1
            raise SilentError("no hall answers")
        broker.publish("online", ONLINE)
        self._ask_s = now_s + ASKS_S[min(self._asked, len(ASKS_S) - 1)]
        self._asked += 1

    def _deliver(self, broker: Sender, received: Received, now_s: float) -> None:
        names = self._forgets.due(received.forgotten)
        if not self._flying and not names:
            self._retries, self._retry_s = 0, now_s
        if now_s >= self._retry_s:
            self._slow |= self._flying.keys()
            self._flying.clear()
            for forgotten in names:
                broker.publish("forgotten", encode(forgotten))
            self._retry_s = now_s + RETRIES_S[min(self._retries, len(RETRIES_S) - 1)]
            self._retries += 1
        self._read()
        unset_s = self._begin_s + self._clock()  # the time if the clock had not been set
        first = self._outbox.first_row(received.hall, received.rows, self._wall(), unset_s)
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
                    broker.publish("result", content)
                    self._flying.setdefault(result.match, []).append(result.row)
                    self._ask_s = self._ask_s if self._asked else min(self._ask_s, now_s + ASKS_S[0])

    def _read(self) -> None:
        if not self._is_read:
            self._outbox.read()
            self._is_read = True

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
