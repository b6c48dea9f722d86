"""One connection to an MQTT broker.

It has no thread: the caller waits for its socket and calls `turn`.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import msgspec

from referee.core.documents.delivery import OFFLINE, ONLINE, hall_topic, presence_topic, topic_of
from referee.mqtt.discovery import configurations
from referee.protocol.mqtt import Settings

KEEPALIVE_S = 30
"""Time in s without messages after which the link is checked.

A broker counts a table as lost after 1.5 times as long: 45 s.
"""
CONNECT_S = 5.0
ANSWER_S = 10.0
"""Timeouts in s: for the connection, and for the broker's answer to it."""
HEARD = ("received", "seating", "rules", "hall")
"""What a hall publishes: the parts of `hall_topic`, and "hall", its presence."""
REFUSED = ("Bad user name or password", "Not authorized")
"""Reasons of a broker that refuses the user name or the password. Mosquitto and NATS give the second one."""


class BrokerError(Exception):
    """The broker cannot be used; the text is part of a sentence."""


class Broker:
    """A connection to a broker.

    Methods raise BrokerError or OSError once it is lost; it is not restored.
    """

    def __init__(self, settings: Settings, heard: Callable[[str, bytes, bool], object]) -> None:
        """Connect. `heard` is called with one of `HEARD`, the content, and False if the broker has retained it.

        The TCP connection takes at most `CONNECT_S`, a TLS handshake about as long again. Finding the host's address
        has no time limit. `is_ready` becomes true once the broker has accepted the table.
        """
        self.is_ready = False
        self._settings, self._heard, self._lost = settings, heard, ""
        self._begun_s = time.monotonic()
        self._unconfirmed: set[int] = set()
        self._topics = {
            hall_topic(settings.prefix, settings.name, "received"): "received",
            hall_topic(settings.prefix, settings.name, "seating"): "seating",
            hall_topic(settings.prefix, settings.name, "rules"): "rules",
            presence_topic(settings.prefix): "hall",
        }
        self._client = _client(settings)
        self._client.on_connect, self._client.on_disconnect = self._on_connect, self._on_disconnect
        self._client.on_message, self._client.on_subscribe = self._on_message, self._on_subscribe
        self._client.on_publish = lambda _, __, number, *___: self._unconfirmed.discard(number)
        self._client.will_set(self._topic("online"), OFFLINE, 1, retain=True)
        self._client.connect(settings.host, settings.port, KEEPALIVE_S)

    @property
    def socket(self) -> socket.socket:
        """Return the socket. Raises BrokerError if it is closed."""
        found: socket.socket | None = self._client.socket()
        if found is None:
            raise BrokerError(self._lost or "the connection has ended")
        return found

    @property
    def wants_write(self) -> bool:
        """Return whether data waits to be sent."""
        return bool(self._client.want_write())

    @property
    def is_behind(self) -> bool:
        """Return whether the broker has not confirmed the last message with QoS 1."""
        return bool(self._unconfirmed)

    @property
    def wait_s(self) -> float:
        """Return the longest time in s until the next `turn` if no data comes."""
        pending = getattr(self._client.socket(), "pending", None)
        if pending is not None and pending():  # the TLS layer holds data that select() does not see
            return 0.0
        return KEEPALIVE_S / 2 if self.is_ready else max(self._begun_s + ANSWER_S - time.monotonic(), 0.0)

    def turn(self) -> None:
        """Receive and send without waiting. Raises BrokerError if the connection is lost."""
        self._client.loop_read()
        if self.wants_write:
            self._client.loop_write()
        self._client.loop_misc()
        if self._lost or self._client.socket() is None:
            raise BrokerError(self._lost or "the connection has ended")
        if not self.is_ready and time.monotonic() - self._begun_s >= ANSWER_S:
            raise BrokerError("it does not answer")

    def publish(self, part: str, content: bytes, *, qos: int = 0, retain: bool = False) -> None:
        """Publish under the table's topic."""
        sent = self._client.publish(self._topic(part), content, qos, retain)
        self._unconfirmed |= {sent.mid} if qos else set()

    def close(self) -> None:
        """Publish that the table is offline, and disconnect. Takes at most a second."""
        if self.is_ready:
            self.publish("online", OFFLINE, retain=True)
        self.socket.settimeout(1.0)
        self._client.disconnect()
        self.drop()

    def drop(self) -> None:
        """Close the socket without disconnecting, so that the broker publishes the last will."""
        found: socket.socket | None = self._client.socket()
        if found is not None:
            found.close()

    def _topic(self, part: str) -> str:
        return topic_of(self._settings.prefix, self._settings.name, part)

    def _on_connect(self, client: Any, _: object, flags: object, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._lost = _refusal(reason)
            return
        self.is_ready = True
        client.subscribe([(topic, 0) for topic in self._topics])
        self.publish("online", ONLINE)  # asks the hall; storing a retained message may take long
        self.publish("online", ONLINE, retain=True)
        for topic, document in configurations(self._settings) if self._settings.discovery else ():
            client.publish(topic, msgspec.json.encode(document), retain=True)

    def _on_subscribe(self, client: Any, _: object, __: object, reasons: Any, properties: object) -> None:
        if refused := [reason for reason in reasons if reason.is_failure]:
            self._lost = f"it refuses a subscription: {refused[0]}"

    def _on_disconnect(self, client: Any, _: object, flags: object, reason: Any, properties: object) -> None:
        self._lost = self._lost or f"the connection has ended: {reason}"

    def _on_message(self, client: Any, _: object, message: Any) -> None:
        self._heard(self._topics[message.topic], message.payload, not message.retain)


def check(settings: Settings) -> None:
    """Connect as NAME-doctor and disconnect. Raises BrokerError or OSError if that fails."""
    client, answers = _client(settings, "-doctor"), list[Any]()
    client.on_connect = lambda _, __, ___, reason, ____: answers.append(reason)
    client.connect(settings.host, settings.port, KEEPALIVE_S)
    end_s = time.monotonic() + ANSWER_S
    while not answers and client.socket() is not None and time.monotonic() < end_s:
        client.loop(1.0)
    client.disconnect()
    if not answers or answers[0].is_failure:
        raise BrokerError(_refusal(answers[0]) if answers else "it does not answer")


def _refusal(reason: object) -> str:
    return "it refuses user name or password" if str(reason) in REFUSED else f"it refuses the connection: {reason}"


def _client(settings: Settings, suffix: str = "") -> Any:
    try:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
    except ImportError:
        raise BrokerError("the Python package paho-mqtt is missing (Debian: python3-paho-mqtt)") from None

    five = settings.version == "5"
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=f"{settings.prefix}-{settings.name}{suffix}",
        clean_session=None if five else True,
        protocol=MQTTProtocolVersion.MQTTv5 if five else MQTTProtocolVersion.MQTTv311,
        reconnect_on_failure=False,
    )
    client.connect_timeout = CONNECT_S
    if settings.user:
        client.username_pw_set(settings.user, settings.password or None)
    if settings.tls:
        client.tls_set(settings.ca or None)
    return client
