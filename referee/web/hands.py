"""Hands on the simulated contacts: what a page asks for, read strictly, and who holds what down.

A contact is closed while anybody holds it, so two pages on one button are one press; a page that goes away lets go of
everything it held.
"""

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
"""More detents than a hand turns at once."""


TAKE, LEAVE = "take", "leave"
MOVE_MOST = 40
"""The longest move in writing is shorter."""
SEATS_MOST = 8
SPEEDS = (1, 2, 4)


class Controls(Protocol):
    """The simulated table's contacts. Called on the page's thread; must return at once and raise nothing."""

    def contact(self, name: str, closed: bool) -> None:
        """Close or open a contact: a station, or "knob"."""
        ...

    def turn(self, steps: int) -> None:
        """Turn the knob, steps > 0 clockwise."""
        ...

    def card(self, seat: int, move: str) -> None:
        """Do that with that seat's cards (hands.MoveCard)."""
        ...

    def hasten(self, times: int) -> None:
        """Everybody so many times as fast as people are."""
        ...

    def visitors(self, count: int) -> None:
        """So many pages are open now that may press."""
        ...


class AskError(ValueError):
    """A message that is none of ours, in one sentence."""


class Touch(Value):
    """A contact is pressed or let go."""

    contact: str
    closed: bool


class TurnKnob(Value):
    """The knob is turned, steps > 0 clockwise."""

    steps: int


class MoveCard(Value):
    """Somebody moves that seat's cards so (table/touch.py), or takes them up or leaves them (TAKE, LEAVE)."""

    seat: int
    move: str


class Hasten(Value):
    """Everybody at the simulated table is to be so many times as fast as people are."""

    times: int


Gesture = Touch | TurnKnob | MoveCard | Hasten
"""What a page may ask for."""


def read(text: str | bytes, contacts: Iterable[str]) -> Gesture:
    """What a page's message asks for. AskError in one sentence for anything else.

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
    """A message as JSON. AskError for anything else."""
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


class Hands:
    """The contacts that all pages hold. `who` is any object, one for each page."""

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._held: dict[str, set[object]] = {}
        self._visitors: set[object] = set()
        self._seats: dict[int, dict[object, None]] = {}
        """Seat -> the pages that move its cards, in the order in which they took them up."""

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
        """Turn the table's knob by so many steps."""
        self._controls.turn(turn.steps)

    def card(self, who: object, asked: MoveCard) -> None:
        """Move a card. Cards that two pages move are left when both have left them."""
        holders = self._seats.setdefault(asked.seat, {})
        before = bool(holders)
        if asked.move == TAKE:
            holders[who] = None
        if asked.move == LEAVE:
            holders.pop(who, None)
        if asked.move in (TAKE, LEAVE):
            if before == bool(holders):
                return
        elif who not in holders:
            return
        self._controls.card(asked.seat, asked.move)

    def sees(self, who: object, seat: int) -> bool:
        """Whether this page sees a hand of cards that no other page may: it took them up first."""
        return next(iter(self._seats.get(seat, ())), None) is who

    def hasten(self, asked: Hasten) -> None:
        """Let everybody at the simulated table play so many times as fast."""
        self._controls.hasten(asked.times)

    def let_go(self, who: object) -> None:
        """The page of `who` is gone: what it held is let go, the cards that it moved are left."""
        for seat in [seat for seat, holders in self._seats.items() if who in holders]:
            self.card(who, MoveCard(seat, LEAVE))
        for contact in list(self._held):
            self.touch(who, Touch(contact, False))
        self._visitors.discard(who)
        self._controls.visitors(len(self._visitors))
