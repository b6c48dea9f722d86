"""What the device tells the page's process. Back come lines of JSON (hands.py)."""

from __future__ import annotations

import pickle

from referee.core.messages import Msg
from referee.core.values import Json, Value
from referee.web.feed import Snapshot, Sound
from referee.web.pairing import PairedPhone

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
