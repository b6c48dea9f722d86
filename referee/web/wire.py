"""What the device tells the page's process. Back come lines of JSON (hands.py)."""

from __future__ import annotations

import pickle

from referee.core.values import Value
from referee.web.feed import Snapshot, Sound

HEAD_BYTES = 4


class Served(Value):
    """What a page is told at its start. playable: whether there are simulated contacts to press."""

    stations: tuple[str, ...]
    playable: bool
    host: str
    names: tuple[str, ...] = ()


class BotSeats(Value):
    """At which stations bots play."""

    stations: frozenset[str]


class Ping(Value):
    """Is anybody there? The page's process answers with the number (pulse.py)."""

    number: int


PageMessage = Served | BotSeats | Snapshot | Sound | Ping


def packed(message: PageMessage) -> bytes:
    """A message to the page: its length, and itself. Pickled, for it goes to the same program and never back."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(HEAD_BYTES, "big") + body
