"""The simulated table on its page: cards, and what pages hold.

A contact is closed while any page holds it, so two pages on one button are one press. When a page closes, everything
that it held is released.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.core.values import Json
from referee.protocol.gestures import LEAVE, TAKE, Act, Gesture, MoveCard, Touch, Visitors

Felt = Mapping[str, Json]
"""The cards as simulator/table/cards_document.py writes them; {} if there are none."""


def felt_for(felt: Felt, sees: Callable[[int], bool]) -> Felt:
    """Return the cards without the hidden cards of seats for which `sees(seat)` is false.

    >>> felt_for({"deck": 3, "own": {"1": ["AH"], "2": ["KS"]}}, lambda seat: seat == 2)
    {'deck': 3, 'own': {'2': ['KS']}}
    """
    own = felt.get("own")
    return felt if not isinstance(own, dict) else {**felt, "own": {k: v for k, v in own.items() if sees(int(k))}}


def cards_after(before: Felt, now: Felt) -> dict[str, Json]:
    """Return the changes to send to a page that shows `before`; {} if nothing has changed.

    The changes are the values that differ; of "sides", only the entries that differ, by index. {"all": cards} replaces
    all cards.

    >>> cards_after({"sides": ["a", "b"], "lake": []}, {"sides": ["a", "c"], "lake": []})
    {'sides': {'1': 'c'}}
    """
    old, new = before.get("sides"), now.get("sides")
    if not isinstance(old, list) or not isinstance(new, list) or len(old) != len(new) or before.keys() != now.keys():
        return {"all": dict(now)} if before != now else {}
    sides: dict[str, Json] = {str(at): side for at, side in enumerate(new) if side != old[at]}
    news = {key: value for key, value in now.items() if key != "sides" and before.get(key) != value}
    return {**news, **({"sides": sides} if sides else {})}


class Hands:
    """The buttons that pages hold down, and the seats whose cards they move.

    `who` in the methods: any object that identifies the page.
    """

    def __init__(self, act: Callable[[Act], object]) -> None:
        """`act`: called with each act that has an effect. A second press of a held button has none."""
        self._act = act
        self._held: dict[str, set[object]] = {}
        self._visitors: set[object] = set()
        self._seats: dict[int, dict[object, None]] = {}
        """Seat -> the pages that move its cards, in the order in which they took them."""

    def arrive(self, who: object) -> None:
        """Count the page `who` as open."""
        self._visitors.add(who)
        self._act(Visitors(len(self._visitors)))

    def holds(self, who: object, contact: str) -> bool:
        """Return whether this page holds that contact."""
        return who in self._held.get(contact, ())

    def do(self, who: object, asked: Gesture) -> None:
        """Apply a gesture of the page `who`."""
        if isinstance(asked, Touch):
            self._touch(who, asked)
        elif isinstance(asked, MoveCard):
            self._card(who, asked)
        else:
            self._act(asked)

    def _touch(self, who: object, touch: Touch) -> None:
        """Press or release a button for the page `who`.

        Its contact closes for the first page that holds it, and opens when the last one lets go.
        """
        holders = self._held.setdefault(touch.contact, set())
        before = bool(holders)
        (holders.add if touch.closed else holders.discard)(who)
        if before != bool(holders):
            self._act(touch)

    def _card(self, who: object, asked: MoveCard) -> None:
        """Move a card, or take or give up a seat's cards, for the page `who`.

        `act` is called when the first page takes the cards and when the last one gives them up.
        """
        holders = self._seats.setdefault(asked.seat, {})
        before = bool(holders)
        if asked.move == TAKE:
            holders[who] = None
        if asked.move == LEAVE:
            holders.pop(who, None)
        if before != bool(holders) if asked.move in (TAKE, LEAVE) else who in holders:
            self._act(asked)

    def sees(self, who: object, seat: int) -> bool:
        """Return whether the page sees the seat's hidden cards: only the first that took them does."""
        return next(iter(self._seats.get(seat, ())), None) is who

    def let_go(self, who: object) -> None:
        """Release all buttons and give up all cards that the page `who` held, because it was closed."""
        for seat in [seat for seat, holders in self._seats.items() if who in holders]:
            self._card(who, MoveCard(seat, LEAVE))
        for contact in list(self._held):
            self._touch(who, Touch(contact, False))
        self._visitors.discard(who)
        self._act(Visitors(len(self._visitors)))
