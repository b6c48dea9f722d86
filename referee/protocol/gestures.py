"""What pages press at the simulated table, and how their messages are read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Protocol

from referee.core.model.table import SEATS
from referee.core.values import Value

KNOB = "knob"
CONTACTS = (*SEATS, KNOB)
"""Every contact that a table can have."""
STEPS_MOST = 24
"""Maximum number of the knob's steps in one message; a hand does not turn more at once."""


TAKE, LEAVE = "take", "leave"
MOVE_MOST = 40
"""Maximum characters of a move of cards as text."""
SEATS_MOST = 8
SPEEDS = (1, 2, 4)


class Controls(Protocol):
    """What pages can do with the simulated table.

    All methods are called on the thread that reads from the page's process. They must return at once and not raise.
    """

    def contact(self, name: str, closed: bool) -> None:
        """Close or open the contact of that name: a station or "knob"."""
        ...

    def turn(self, steps: int) -> None:
        """Turn the knob, steps > 0 clockwise."""
        ...

    def card(self, seat: int, move: str) -> None:
        """Apply a page's move to the cards of that seat (see `MoveCard`)."""
        ...

    def hasten(self, times: int) -> None:
        """Set the speed of all bots: `times` that of people."""
        ...

    def visitors(self, count: int) -> None:
        """Report how many open pages are allowed to press buttons."""
        ...


class AskError(ValueError):
    """A page has sent an invalid message. The error's text is one sentence."""


class Touch(Value):
    """A page closes or opens a contact: that of a station, or "knob"."""

    contact: str
    closed: bool


class TurnKnob(Value):
    """A page turns the knob by this number of steps, clockwise positive."""

    turn: int


class MoveCard(Value):
    """A page moves a card of a seat, takes the seat's cards (TAKE) or gives them up (LEAVE).

    move: a text that simulator/table/cards_document.py can read, TAKE or LEAVE.
    """

    seat: int
    move: str


class Hasten(Value):
    """A page sets the speed of all bots, as a multiple of people's speed."""

    speed: int


class Visitors(Value):
    """The number of open pages that are allowed to press buttons."""

    visitors: int


Gesture = Touch | TurnKnob | MoveCard | Hasten
"""The valid messages of a page."""
Act = Gesture | Visitors
"""What all pages together do to the simulated table."""


def apply(controls: Controls, act: Act) -> None:
    """Call the method of `controls` that carries out this act."""
    if isinstance(act, Touch):
        controls.contact(act.contact, act.closed)
    elif isinstance(act, TurnKnob):
        controls.turn(act.turn)
    elif isinstance(act, MoveCard):
        controls.card(act.seat, act.move)
    elif isinstance(act, Hasten):
        controls.hasten(act.speed)
    else:
        controls.visitors(act.visitors)


def read(text: str | bytes, contacts: Iterable[str]) -> Gesture:
    """Parse a page's message. Raises AskError with one sentence if it is invalid.

    >>> read('{"contact": "3", "closed": true}', ("3", "knob"))
    Touch(contact='3', closed=True)
    """
    asked = read_json(text)
    if type(asked) is dict and asked.keys() == {"turn"}:
        return _turn(asked["turn"])
    if type(asked) is dict and asked.keys() == {"contact", "closed"}:
        return _touch(asked["contact"], asked["closed"], tuple(contacts))
    if type(asked) is dict and asked.keys() == {"seat", "move"}:
        return _card(asked["seat"], asked["move"])
    if type(asked) is dict and asked.keys() == {"speed"}:
        return _speed(asked["speed"])
    raise AskError(
        'A message is {"contact": NAME, "closed": true or false}, {"turn": STEPS}, {"seat": N, "move": MOVE} '
        'or {"speed": TIMES}.'
    )


def read_json(text: str | bytes) -> object:
    """Parse a message as JSON. Raises AskError if it is not JSON."""
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


def _card(seat: object, move: object) -> MoveCard:
    if type(seat) is not int or not 1 <= seat <= SEATS_MOST:
        raise AskError(f'"seat" must be a whole number of 1 to {SEATS_MOST}.')
    if not isinstance(move, str) or not 0 < len(move) <= MOVE_MOST or not move.isprintable():
        raise AskError(f'"move" must be a move in writing, of at most {MOVE_MOST} letters.')
    return MoveCard(seat, move)


def _speed(times: object) -> Hasten:
    if type(times) is not int or times not in SPEEDS:
        raise AskError(f'"speed" must be one of {", ".join(map(str, SPEEDS))}.')
    return Hasten(times)
