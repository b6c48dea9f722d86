"""The child process that talks to the broker: `python -m referee.mqtt.child LINE`.

LINE is the number of an inherited socket. Only the device starts the child (`device/children/mqtt.py`). One thread
waits for the device's lines and for the broker at once, so the child sleeps while nothing happens. It exits when the
device closes the socket.
"""

from __future__ import annotations

import contextlib
import logging
import select
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from referee.core.documents.delivery import encode
from referee.mqtt.broker import Broker, BrokerError
from referee.mqtt.delivery import Delivery, SilentError
from referee.protocol.mqtt import Announce, FromChild, Ping, Saved, Settings, Show, ToChild, line, read_order
from referee.protocol.processes import beat, begin

LOG = logging.getLogger("referee")
PAUSES_S = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Pauses in s between attempts to connect: one for each round of all brokers.

The last one repeats.
"""
STEADY_S = 90.0
"""Duration in s of a connection after which the pauses start again with the first.

It is longer than each pause, so two devices with one name end each other's connection less and less often.
"""
MOST_ENDED = 3
"""Number of connections in a row that the broker ends within `STEADY_S` before another device is suspected."""


class Publisher:
    """The link to one of several brokers. `say`: sends a report to the device."""

    def __init__(self, settings: Settings, say: Callable[[FromChild], object]) -> None:
        self._brokers, self._at, self._say = (settings, *settings.others), 0, say
        self._delivery = Delivery(Path(settings.state), say, has_others=bool(settings.others))
        self._broker: Broker | None = None
        self._shown: Show | None = None
        self._view_due = False
        self._failed, self._ended, self._next_s, self._since_s = 0, 0, time.monotonic(), 0.0
        self._logged: set[str] = set()

    @property
    def sockets(self) -> tuple[list[socket.socket], list[socket.socket]]:
        """Return the sockets to wait for: to read, and to write."""
        if self._broker is None:
            return [], []
        try:
            return [self._broker.socket], [self._broker.socket] if self._broker.wants_write else []
        except BrokerError as error:  # publishing has shown that the connection is lost
            self._lose(error)
            return [], []

    @property
    def wait_s(self) -> float:
        """Return the longest time in s to wait for the sockets."""
        if self._broker is None:
            return max(self._next_s - time.monotonic(), 0.0)
        return self._broker.wait_s if self._broker.wants_write else min(self._broker.wait_s, self._delivery.wait_s)

    def take(self, message: ToChild) -> None:
        """Handle a message from the device."""
        if isinstance(message, Saved):
            self._delivery.note_saved()
        elif isinstance(message, Show):
            self._shown, self._view_due = message, True
        elif self._broker is not None and isinstance(message, Announce):
            self._broker.publish("verdict", encode(message.verdict))

    def turn(self) -> None:
        """Connect if the pause is over. Receive and send without waiting."""
        try:
            if self._broker is None:
                if time.monotonic() < self._next_s:
                    return
                self._connect()
            assert self._broker is not None
            self._broker.turn()
            if self._broker.is_ready:
                self._work(self._broker)
        except (BrokerError, OSError) as error:
            self._lose(error)

    def close(self) -> None:
        """Publish that the table is offline, and disconnect."""
        if self._broker is not None:
            with contextlib.suppress(OSError, BrokerError):
                self._broker.close()

    def _connect(self) -> None:
        self._since_s = time.monotonic()
        self._delivery.reset()
        self._delivery.prepare()
        self._broker = Broker(self._brokers[self._at], self._delivery.take)
        self._view_due = True

    def _work(self, broker: Broker) -> None:
        if self._logged and not self._delivery.is_silent and (self._ended < MOST_ENDED or self._is_steady):
            LOG.warning("the MQTT broker is back")
            self._logged.clear()
        if self._shown is not None and self._view_due and not broker.is_behind:  # a slow broker gets only the newest
            broker.publish("view", encode(self._shown.shown), qos=1, retain=True)
            self._view_due = False
        if not broker.wants_write:
            self._delivery.work(broker)

    def _lose(self, error: Exception) -> None:
        """Log each kind of failure once, report it to the device, and plan a try with the next broker."""
        broker, self._broker = self._broker, None
        is_silent = isinstance(error, SilentError)
        if broker is not None and self._is_steady:
            self._failed = self._ended = 0
        self._ended += broker is not None and broker.is_ready and not is_silent
        rounds = self._failed // len(self._brokers)
        self._next_s = time.monotonic() + PAUSES_S[min(rounds, len(PAUSES_S) - 1)]
        self._failed += not is_silent
        at, self._at = self._brokers[self._at], (self._at + 1) % len(self._brokers)
        if is_silent:
            self._log("no hall answers through the MQTT broker %s:%d; the table plays on", at.host, at.port)
        elif self._ended < MOST_ENDED:
            text = str(error) or type(error).__name__
            self._log("the MQTT broker %s:%d is away (%s); the table plays on", at.host, at.port, text)
        else:
            self._log("the MQTT broker ends each connection: does another device have the name %r too?", at.name)
        self._delivery.lose(error)
        if broker is not None:
            broker.drop()

    @property
    def _is_steady(self) -> bool:
        return time.monotonic() - self._since_s > STEADY_S

    def _log(self, sentence: str, *given: object) -> None:
        if sentence not in self._logged:
            self._logged.add(sentence)
            LOG.warning(sentence, *given)


def run(device: socket.socket) -> None:
    """Publish until the device closes the socket."""
    lines = _Lines(device)

    def say(message: FromChild) -> None:
        with contextlib.suppress(OSError):
            device.sendall(line(message))

    publisher: Publisher | None = None
    while True:
        reading, writing = publisher.sockets if publisher is not None else ([], [])
        wait_s = publisher.wait_s if publisher is not None else None
        ready, _, _ = select.select([device, *reading], writing, [], wait_s)
        messages = lines.read() if device in ready else []
        if messages is None:
            break
        for message in messages:
            if isinstance(message, Settings):
                publisher = Publisher(message, say)
            elif isinstance(message, Ping):
                device.sendall(beat(message.number))
            elif publisher is not None:
                publisher.take(message)
        if publisher is not None:
            publisher.turn()
    if publisher is not None:
        publisher.close()


class _Lines:
    """The messages in the bytes that the device sends."""

    def __init__(self, device: socket.socket) -> None:
        self._device, self._rest = device, b""

    def read(self) -> list[ToChild] | None:
        """Return the messages that have arrived; None if the device has closed the socket."""
        data = self._device.recv(1 << 16)
        *texts, self._rest = (self._rest + data).split(b"\n")
        return [read_order(text) for text in texts] if data else None


def main(number: str) -> None:
    """Publish until the device closes the socket."""
    begin()
    run(socket.socket(fileno=int(number)))


if __name__ == "__main__":
    main(sys.argv[1])
