"""Messages between the device and the MQTT child: lines of JSON, tagged with their type."""

from __future__ import annotations

import msgspec

from referee.core.documents.delivery import GameRules, Seating, Shown, Verdict


class _Message(msgspec.Struct):
    """A message. It is not a tagged `Value`, because those are stored."""


class Settings(_Message, tag="settings"):
    """The settings of section [mqtt], and the state directory.

    tls: whether the link is encrypted. others: the settings of further brokers, to try after an error.
    """

    host: str
    port: int
    tls: bool
    name: str
    state: str
    prefix: str = "referee"
    discovery: str = "homeassistant"
    user: str = ""
    password: str = ""
    ca: str = ""
    version: str = "3.1.1"
    others: tuple[Settings, ...] = ()


class Show(_Message, tag="show"):
    """Publish this view."""

    shown: Shown


class Announce(_Message, tag="announce"):
    """Publish this verdict."""

    verdict: Verdict


class Saved(_Message, tag="saved"):
    """Records of matches have been written or removed."""


class Ping(_Message, tag="ping"):
    """Asks the child whether it still runs. It answers with that number (`children.beat`)."""

    number: int


class Status(_Message, tag="status"):
    """The link's trouble: "broker" without a broker, "hall" without a hall, "" if it works."""

    trouble: str


class Seat(_Message, tag="seat"):
    """Who plays next at this table, and by which rules; None if the hall has not said."""

    seating: Seating | None
    rules: GameRules | None = None


ToChild = Settings | Show | Announce | Saved | Ping
FromChild = Status | Seat


def line(message: ToChild | FromChild) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def read_order(text: bytes) -> ToChild:
    """Parse a line to the child. Raises msgspec.MsgspecError."""
    order: ToChild = msgspec.json.decode(text, type=ToChild)
    return order


def read_report(text: bytes) -> FromChild:
    """Parse a line from the child. Raises msgspec.MsgspecError."""
    report: FromChild = msgspec.json.decode(text, type=FromChild)
    return report
