"""Messages between tables and a hall, as JSON documents by MQTT. No broker is trusted to keep them.

Theory of operation. A table sends a `Result` each time an event of the evening changes a match's record. The results of
a match form a chain: each names the row before it. The hall stores a result only if it holds that row, and then says
what it holds in a retained `Received`. The table sends everything after that again until the hall has it. So a lost,
repeated or reordered message changes nothing, and a hall restored from an old copy gets the missing results again.

A table makes its results from the files of its evenings, so these files are its outbox.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from referee.core.reading import quoted_value
from referee.core.values import Document, Value

FORMAT = 1
MOST_BYTES = 1 << 20
"""Maximum bytes of a message's content; a longer one is refused unread."""
Row = tuple[int, int]
"""An event of a table: the evening's ID and the event's number in it. Rows of a match increase."""
NO_ROW: Row = (0, 0)


class DeliveryError(ValueError):
    """A message that cannot be used; the text is one sentence."""


class Result(Value):
    """A match as it is after an event.

    match: the record's id. row: that event. after: the row of the match's result before; `NO_ROW` for its first.
    record: a document of `record.to_document`; None: the match has no hands any more.
    """

    match: str
    row: Row
    after: Row
    record: Document | None
    format: int = FORMAT

    def __post_init__(self) -> None:
        if not NO_ROW <= self.after < self.row or not 0 < len(self.match) <= 100:
            raise ValueError(f"row must come after {list(self.after)}, got {list(self.row)} of match {self.match!r}")


class Forgotten(Value):
    """A person whose name the table has removed, and the hall must remove. number: counts these from 1."""

    number: int
    name: str
    format: int = FORMAT


class Received(Value):
    """What a hall holds of a table, retained by the broker.

    hall: the hall's ID. rows: match -> the last row that the hall has stored. forgotten: the number of the last
    `Forgotten` that the hall has carried out.
    """

    hall: str
    rows: dict[str, Row]
    forgotten: int = 0
    format: int = FORMAT


class Seating(Value):
    """Who plays next at a table. teams: the names of each team's players. game: the preset's name."""

    event: str
    round: int
    teams: tuple[tuple[str, ...], ...]
    game: str
    format: int = FORMAT


class ShownTeam(Value):
    """A team in the table's view. text: shown in place of the total ("♥♥♥"). gain: the last hand's score."""

    name: str
    seats: tuple[int, ...]
    total: float
    place: int
    gain: float | None = None
    text: str = ""


class Shown(Value):
    """A table's view in short, retained by the broker.

    phase: as in the view. game: the preset's name. hand: the current hand's number; 0 before a match. people: seat
    number and name of each seated player.
    """

    phase: str
    language: str
    game: str = ""
    target: int | None = None
    hand: int = 0
    teams: tuple[ShownTeam, ...] = ()
    leaders: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()
    people: tuple[tuple[int, str], ...] = ()
    format: int = FORMAT


class Verdict(Value):
    """The verdict on a call. event_type: "clear" or "tie". who: the callers.

    margin_ms: from the callers' press to the next one (clear), or between the callers' presses (tie); None if there
    is no other press. doubtful: the measurement cannot decide for certain. words: the verdict in the table's language.
    """

    event_type: str
    who: tuple[str, ...]
    margin_ms: float | None
    doubtful: bool
    words: str
    format: int = FORMAT


Message = Result | Forgotten | Received | Seating | Shown | Verdict
_Kind = TypeVar("_Kind", Result, Forgotten, Received, Seating, Shown, Verdict)


def encode(message: Message) -> bytes:
    """Return a message as JSON."""
    return msgspec.json.encode(message)


def decode(kind: type[_Kind], content: bytes) -> _Kind:
    """Read a message. Raises DeliveryError: too long, no JSON, wrong fields, or a newer format."""
    if len(content) > MOST_BYTES:
        raise DeliveryError(f"a message has at most {MOST_BYTES} bytes, got {len(content)}")
    try:
        version = msgspec.json.decode(content, type=_Head).format
        if version != FORMAT:
            raise DeliveryError(f"a message's format must be {FORMAT}, got {quoted_value(version)}")
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise (
            error if isinstance(error, DeliveryError) else DeliveryError(f"a message is no {kind.__name__}: {error}")
        ) from None


class _Head(msgspec.Struct):
    """The part of a message that every format has."""

    format: int


# -- topics --------------------------------------------------------------------------------------------------------

PARTS = ("online", "view", "verdict", "result", "forgotten")
"""What a table publishes, each under `topic_of(prefix, table, part)`. online and view are retained.

online is `ONLINE` or `OFFLINE`, view a `Shown`, verdict a `Verdict`, result a `Result`, forgotten a `Forgotten`.
"""
ONLINE, OFFLINE = b"online", b"offline"
TABLE_NAME = re.compile("[A-Za-z0-9_-]{1,32}")


def topic_of(prefix: str, table: str, part: str) -> str:
    """Return the topic under which a table publishes.

    >>> topic_of("referee", "table-3", "result")
    'referee/table/table-3/result'
    """
    return f"{prefix}/table/{table}/{part}"


def hall_topic(prefix: str, table: str, part: str) -> str:
    """Return the topic under which the hall addresses a table. part: "received" or "seating", both retained."""
    return f"{prefix}/hall/{table}/{part}"


def presence_topic(prefix: str) -> str:
    """Return the retained topic that holds the ID of the hall that is running; empty if none is."""
    return f"{prefix}/hall"
