"""The cards in the middle in a game of claims: visitors of the page see when to press.

A card is turned every `TURN_NS`. From `ClaimHand.shows_ns` on the middle shows a reason to press: two equal cards, a
jack, five of one fruit, four of a kind laid open, the rank that was said. No earlier picture shows one. The
cards follow from a seed, so the same instant gives the same picture.
"""

from __future__ import annotations

from random import Random

from referee.core.units import MS

TURN_NS = 700 * MS
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
ALIKE, JACK, FRUIT, FOUR, RANK = "alike", "jack", "fruit", "four", "rank"
FRUITS, FIVE = "rybg", 5
"""Suits' letters for strawberries, bananas, plums, limes; the number that is a reason."""


def middle(reason: str, seed: int, turned: int, *, right: bool) -> list[str]:
    """Return the cards that lie open in the middle after `turned` cards were turned.

    right: whether the last card turned is a reason to press.

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
    """Return the rank that players say at card `turned` (from 0): ace, two, …, king, ace."""
    return RANKS[turned % len(RANKS)]


def _draw(rng: Random, reason: str, before: str, number: int, *, wanted: bool) -> str:
    """Draw a card to follow `before`.

    wanted: whether the card must be a reason to press. Otherwise it must not be one.
    """
    while True:
        card = _card(reason, rng)
        if _fits(reason, before, card, number) is wanted and (card != before or reason == FRUIT):
            return card


def _card(reason: str, rng: Random) -> str:
    if reason == FRUIT:
        return f"{rng.randint(1, FIVE - 1)}{rng.choice(FRUITS)}"
    return rng.choice(RANKS) + rng.choice("SHCD")


def _fits(reason: str, before: str, card: str, number: int) -> bool:
    """Return whether `card` is a reason to press. `number`: number of cards turned before."""
    rank = card[:-1]
    if reason == FRUIT:
        return card[-1] == before[-1] and int(rank) + int(before[:-1]) == FIVE
    return rank == {ALIKE: before[:-1], JACK: "J", RANK: said_rank(number)}[reason]
