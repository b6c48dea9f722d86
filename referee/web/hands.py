"""Hands on the simulated contacts: what a page asks for, read strictly, and who holds what down.

A contact is closed while anybody holds it, so two pages on one button are one press; a page that goes away lets go of
everything it held.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from referee.core.values import Json, Value
from referee.web.feed import KNOB, Controls

CONTACTS = (*(str(number) for number in range(1, 9)), KNOB)
"""Every contact that a table can have."""
STEPS_MOST = 24
"""More detents than a hand turns at once."""


class AskError(ValueError):
    """A message that is none of ours, in one sentence."""


class Touch(Value):
    """A contact is pressed or let go."""

    contact: str
    closed: bool


class TurnKnob(Value):
    """The knob is turned, steps > 0 clockwise."""

    steps: int


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


def read_any(line: bytes) -> Touch | TurnKnob | Visitors | Watched | PhoneAsks:
    """What a line of the page's process says (child.py writes it). AskError in one sentence for anything else.

    >>> read_any(b'{"visitors": 2}'), read_any(b'{"turn": -1}')
    (Visitors(count=2), Turn(steps=-1))
    """
    asked = _json(line)
    if type(asked) is dict and asked.keys() == {"visitors"} and type(asked["visitors"]) is int:
        return Visitors(max(asked["visitors"], 0))
    if type(asked) is dict and asked.keys() == {"watched"} and type(asked["watched"]) is bool:
        return Watched(asked["watched"])
    if type(asked) is dict and asked.keys() == {"ask", "digest", "what"}:
        return PhoneAsks(int(asked["ask"]), str(asked["digest"]), dict(asked["what"]))
    return read(line, CONTACTS)


def read(text: str | bytes, contacts: Iterable[str]) -> Touch | TurnKnob:
    """What a page's message asks for. AskError in one sentence for anything else.

    >>> read('{"contact": "3", "closed": true}', ("3", "knob"))
    Touch(contact='3', closed=True)
    """
    asked = _json(text)
    if type(asked) is dict and asked.keys() == {"turn"}:
        return _turn(asked["turn"])
    if type(asked) is dict and asked.keys() == {"contact", "closed"}:
        return _touch(asked["contact"], asked["closed"], tuple(contacts))
    raise AskError('A message is {"contact": NAME, "closed": true or false} or {"turn": STEPS}.')


def _json(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise AskError("The message is not JSON.") from None


def _turn(steps: object) -> TurnKnob:
    if type(steps) is not int or not 0 < abs(steps) <= STEPS_MOST:
        raise AskError(f'"turn" must be a whole number of 1 to {STEPS_MOST} steps either way.')
    return TurnKnob(steps)


def _touch(contact: object, closed: object, contacts: tuple[str, ...]) -> Touch:
    if not isinstance(contact, str) or contact not in contacts:
        raise AskError(f'"contact" must be one of {", ".join(contacts)}.')
    if type(closed) is not bool:
        raise AskError('"closed" must be true or false.')
    return Touch(contact, closed)


class Hands:
    """Everybody's hands together. `who` is any object that stands for one page."""

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._held: dict[str, set[object]] = {}
        self._visitors: set[object] = set()

    def arrive(self, who: object) -> None:
        """A page has been opened by `who`."""
        self._visitors.add(who)
        self._controls.visitors(len(self._visitors))

    def holds(self, who: object, contact: str) -> bool:
        """Whether this page holds that contact."""
        return who in self._held.get(contact, ())

    def touch(self, who: object, touch: Touch) -> None:
        """Press or let go; the contact moves with its first and last holder only."""
        holders = self._held.setdefault(touch.contact, set())
        before = bool(holders)
        (holders.add if touch.closed else holders.discard)(who)
        if before != bool(holders):
            self._controls.contact(touch.contact, touch.closed)

    def turn(self, turn: TurnKnob) -> None:
        """Turn the knob."""
        self._controls.turn(turn.steps)

    def let_go(self, who: object) -> None:
        """The page of `who` is gone: what it held is let go."""
        for contact in list(self._held):
            self.touch(who, Touch(contact, False))
        self._visitors.discard(who)
        self._controls.visitors(len(self._visitors))
