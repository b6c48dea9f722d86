"""Messages between tables and a hall: JSON documents by MQTT. The broker may lose them.

Theory of operation. A table sends a `Result` each time a match's record changes. The results of a match form a chain:
each names the row before it. The hall stores a result only if it holds that row. Then it publishes what it holds, in a
`Received`. The table sends the newest result of each match until the hall confirms it. So lost, repeated or reordered
messages do no harm, and a hall restored from an old copy gets the missing results again.

Each record has its row, so a table needs no other outbox.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from referee.core.reading import quoted_value
from referee.core.values import Document, Value

FORMAT = 1
MOST_BYTES = 1 << 20
"""Maximum bytes of a message's content. Longer ones are refused without parsing."""
Row = tuple[int, int]
"""An event of a table: the evening's ID, and the event's number in it.

A match's rows increase.
"""
NO_ROW: Row = (0, 0)
STORED = ("unfinished", "evening", "form", "summary", "row", "crc32")
"""Additional keys of a record's file in the state directory. A hall does not get them."""


class DeliveryError(ValueError):
    """A message that cannot be used. The text is one sentence."""


class Result(Value):
    """A match after an event.

    match: the record's ID. row: the event. after: the row of the result before, which the hall must hold; `NO_ROW` for
    none. record: a document of `record.to_document`; None if the match has no hands any more. replaced: only tables of
    earlier versions send it.
    """

    match: str
    row: Row
    after: Row
    record: Document | None
    replaced: tuple[Row, ...] = ()
    format: int = FORMAT

    def __post_init__(self) -> None:
        if not NO_ROW <= self.after < self.row or not 0 < len(self.match) <= 100:
            raise ValueError(f"rows must increase, got {[*self.after]} and {[*self.row]} of match {self.match!r}")


class Forgotten(Value):
    """A person whose name the table has removed, and the hall must remove.

    number: counts these from 1. after: the number before it that no hall has confirmed yet; 0 if there is none.
    """

    number: int
    name: str
    after: int = 0
    format: int = FORMAT


class Received(Value):
    """What a hall holds of a table.

    hall: the hall's ID. rows: match -> the last row that the hall has stored. forgotten: the number of the last
    `Forgotten` that the hall has carried out.
    """

    hall: str
    rows: dict[str, Row]
    forgotten: int = 0
    format: int = FORMAT


class Seating(Value):
    """Who plays next at a table.

    teams: the names of each team's players. game: the preset's name.
    """

    event: str
    round: int
    teams: tuple[tuple[str, ...], ...]
    game: str
    format: int = FORMAT


class GameRules(Value):
    """The event's game at a table, with its options. It is no part of `Seating`, whose new fields old tables refuse.

    game: the preset's name, as in `Seating`. options: those that differ from the preset's.
    """

    game: str
    options: dict[str, bool | int | str]
    format: int = FORMAT


class ShownTeam(Value):
    """A team in a view. text: shown instead of the total ("♥♥♥"). gain: score of the last hand."""

    name: str
    seats: tuple[int, ...]
    total: float
    place: int
    gain: float | None = None
    text: str = ""


class Shown(Value):
    """A short form of a table's view. Retained by the broker.

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
    is no other press. doubtful: whether the measurement leaves a doubt. words: the verdict in the table's language.
    """

    event_type: str
    who: tuple[str, ...]
    margin_ms: float | None
    doubtful: bool
    words: str
    format: int = FORMAT


Message = Result | Forgotten | Received | Seating | GameRules | Shown | Verdict
_Kind = TypeVar("_Kind", Result, Forgotten, Received, Seating, GameRules, Shown, Verdict)


def encode(message: Message) -> bytes:
    """Return a message as JSON."""
    return msgspec.json.encode(message)


def decode(kind: type[_Kind], content: bytes) -> _Kind:
    """Read a message. Raises DeliveryError if it is too long, invalid or of another format."""
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
    """The part of a message that all formats have."""

    format: int


# -- topics --------------------------------------------------------------------------------------------------------

PARTS = ("online", "view", "verdict", "result", "forgotten")
"""The parts that a table publishes, each under `topic_of(prefix, table, part)`.

online: `ONLINE` or `OFFLINE`, retained. view: a `Shown`, retained. verdict: a `Verdict`. result: a `Result`.
forgotten: a `Forgotten`.
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
    """Return the topic of a hall's message to a table. part: "received", "seating" or "rules"."""
    return f"{prefix}/hall/{table}/{part}"


def presence_topic(prefix: str) -> str:
    """Return the topic of a hall's presence: the running hall's ID, or empty. Retained."""
    return f"{prefix}/hall"
