"""The line between the device and the page's process: messages down, lines of JSON up."""

from __future__ import annotations

import pickle

from referee.core.messages import Msg
from referee.core.values import Json, Value
from referee.web.feed import Sound
from referee.web.hands import CONTACTS, Gesture, read, read_json
from referee.web.pairing import PairedPhone
from referee.web.snapshot import Snapshot

HEAD_BYTES = 4


class Served(Value):
    """What a page is told at its start. playable: whether there are simulated contacts to press; closed: whether only
    paired phones, and this machine, may look on; past: the program that answers what is asked of past
    matches, and keeps one that comes as a file."""

    stations: tuple[str, ...]
    playable: bool
    host: str
    names: tuple[str, ...] = ()
    closed: bool = False
    past: tuple[str, ...] = ()


class BotSeats(Value):
    """Tells the page's process at which stations bots play."""

    stations: frozenset[str]


class LyingCards(Value):
    """The cards of the simulated table as people see them, None where none lie; in a first hand what is explained."""

    felt: dict[str, Json] | None
    lesson: tuple[Msg, ...] = ()


class Ping(Value):
    """Is anybody there? The page's process answers with the number (pulse.py)."""

    number: int


class Known(Value):
    """Tells the page's process every phone that is paired."""

    phones: tuple[PairedPhone, ...]


class PhoneAnswer(Value):
    """What the device says to the phone that asked under this number: an HTTP status, and a document for it."""

    number: int
    status: int
    document: dict[str, Json]


PageMessage = Served | BotSeats | LyingCards | Snapshot | Sound | Ping | Known | PhoneAnswer


def pack(message: PageMessage) -> bytes:
    """A message to the page: its length, and itself. Pickled, for it goes to the same program and never back."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(HEAD_BYTES, "big") + body


# -- up ----------------------------------------------------------------------------------------------------------------


class Visitors(Value):
    """So many pages are open that may press."""

    count: int


class PhoneAsks(Value):
    """A phone asks for something: under this number, with the hash of its secret ("" without one)."""

    number: int
    digest: str
    what: dict[str, Json]


class Watched(Value):
    """Whether anybody looks at the page now, one who may press or not."""

    watched: bool


class Awake(Value):
    """Which phones have a page open that is looked at, by their names; no others have."""

    phones: frozenset[str]


def read_any(line: bytes) -> Gesture | Visitors | Watched | Awake | PhoneAsks:
    """What a line of the page's process says (child.py writes it). AskError in one sentence for anything else.

    >>> read_any(b'{"visitors": 2}'), read_any(b'{"turn": -1}')
    (Visitors(count=2), TurnKnob(steps=-1))
    """
    asked = read_json(line)
    if type(asked) is dict and asked.keys() == {"visitors"} and type(asked["visitors"]) is int:
        return Visitors(max(asked["visitors"], 0))
    if type(asked) is dict and asked.keys() == {"watched"} and type(asked["watched"]) is bool:
        return Watched(asked["watched"])
    if type(asked) is dict and asked.keys() == {"awake"} and type(asked["awake"]) is list:
        return Awake(frozenset(map(str, asked["awake"])))
    if type(asked) is dict and asked.keys() == {"ask", "digest", "what"}:
        return PhoneAsks(int(asked["ask"]), str(asked["digest"]), dict(asked["what"]))
    return read(line, CONTACTS)
