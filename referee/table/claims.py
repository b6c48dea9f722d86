"""The cards in the middle in a game of claims: page users press for a reason shown there.

A card is turned every `TURN_NS`. From `ClaimHand.shows_ns` on the middle shows the reason to press: two cards
alike, a jack, five of one fruit, an open four of a kind, the rank that was said. No earlier picture shows one. The
cards follow from a seed, so the same instant gives the same picture.
"""

from __future__ import annotations

from random import Random

from referee.core.units import MS

TURN_NS = 700 * MS
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
ALIKE, JACK, FRUIT, FOUR, RANK = "alike", "jack", "fruit", "four", "rank"
FRUITS, FIVE = "rybg", 5
"""Strawberries, bananas, plums and limes, in the letters of packs of four colours; this many of one are a reason."""


def middle(reason: str, seed: int, turned: int, *, right: bool) -> list[str]:
    """Return the open cards after `turned` turns.

    right: the last of them is the reason to press.

    >>> middle("jack", 1, 3, right=True)[-1][0], middle("four", 1, 3, right=False)
    ('J', ['', '', '', ''])
    """
    if reason == FOUR:
        rank = RANKS[seed % len(RANKS)]
        return [rank + suit for suit in "SHCD"] if right else [""] * 4
    rng, pile = Random(seed), ["0-"]
    for number in range(turned + 1):
        pile.append(_draw(rng, reason, pile[-1], number, wanted=right and 0 < number == turned))
    return pile[-1:] if reason in (JACK, RANK) else pile[1:][-2:]


def said_rank(turned: int) -> str:
    """The rank said at the card of that number: ace, two, three …, starting again after the king."""
    return RANKS[turned % len(RANKS)]


def _draw(rng: Random, reason: str, before: str, number: int, *, wanted: bool) -> str:
    """Draw a card to follow `before`: a reason to press if `wanted`, else none."""
    while True:
        card = _card(reason, rng)
        if _fits(reason, before, card, number) is wanted and (card != before or reason == FRUIT):
            return card


def _card(reason: str, rng: Random) -> str:
    if reason == FRUIT:
        return f"{rng.randint(1, FIVE - 1)}{rng.choice(FRUITS)}"
    return rng.choice(RANKS) + rng.choice("SHCD")


def _fits(reason: str, before: str, card: str, number: int) -> bool:
    """Whether the card of this number is a reason to press."""
    rank = card[:-1]
    if reason == FRUIT:
        return card[-1] == before[-1] and int(rank) + int(before[:-1]) == FIVE
    return rank == {ALIKE: before[:-1], JACK: "J", RANK: said_rank(number)}[reason]
