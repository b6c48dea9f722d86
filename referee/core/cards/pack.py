"""A card as a small whole number, and the packs.

    bits 0-3   the rank, 1 (ace) to 13 (king)
    bits 4-5   the suit, 0 to 3; its lowest bit, bit 4, is the colour, so that suits 0 and 2 are of one colour
    bit 6      a joker; bits 0-5 are then the card that it has been announced as, 0 for none
    bits 7-    the owner, a team's number from 0: on foundations alone, elsewhere a card lies before its owner

A pile is a tuple of such numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

FACE = 63
"""The bits of rank and suit."""
RANK = 15
"""The bits of a card's number that are its rank."""
COLOUR = 16
"""The bit that two cards of different colours differ in."""
LOOK = RANK | COLOUR
"""The bits of rank and colour: all of a card that work piles look at."""
JOKER = 64
CARD = 127
"""The bits of a card's number that say which card it is; those above say whose pack it is from."""
SUITS = 4
_SUIT_SHIFT = 4
_OWNER_SHIFT = 7

Pile = tuple[int, ...]
"""Cards that lie on each other, the top one last."""


def card_of(rank: int, suit: int) -> int:
    """The card of that rank (1 to 13) and suit (0 to 3).

    >>> card_of(13, 1)
    29
    """
    return rank | suit << _SUIT_SHIFT


def rank_of(card: int) -> int:
    """1 to 13; a joker's is what it has been announced as, 0 for none."""
    return card & RANK


def suit_of(card: int) -> int:
    """0 to 3; a joker's is what it has been announced as."""
    return (card & FACE) >> _SUIT_SHIFT


def with_owner(card: int, team: int) -> int:
    """The card as it lies on a foundation, with its owner."""
    return card | team << _OWNER_SHIFT


def owner_of(card: int) -> int:
    """The team's number whose card lies there on a foundation."""
    return card >> _OWNER_SHIFT


def plain(card: int) -> int:
    """The card as its pack has it: without owner, and a joker without announcement."""
    return JOKER if card & JOKER else card & FACE


def full_pack(highest: int, jokers: int) -> Pile:
    """A pack in order: ranks 1 to `highest` in four suits, and the jokers.

    >>> len(full_pack(13, 2)), len(full_pack(10, 0))
    (54, 40)
    """
    return tuple(_faces(highest)) + (JOKER,) * jokers


def _faces(highest: int) -> Iterator[int]:
    return (card_of(rank, suit) for suit in range(SUITS) for rank in range(1, highest + 1))


# -- a card in writing ------------------------------------------------------------------------------------------------

RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")


def card_text(letters: str, card: int) -> str:
    """Rank and the suit's letter ("QS"); packs of ten ranks have "1" and no "A". A joker: "*", announced "*=5H".

    A number that is no card: "?".

    >>> card_text("SHCD", 29), card_text("rybg", 7), card_text("SHCD", JOKER), card_text("SHCD", JOKER | 21)
    ('KH', '7r', '*', '*=5H')
    """
    if card & JOKER:
        face = card & FACE
        return f"*={card_text(letters, face)}" if face else "*"
    rank = rank_of(card)
    if not 1 <= rank <= len(RANKS):
        return "?"
    return f"{rank if rank == 1 and letters.islower() else RANKS[rank - 1]}{letters[suit_of(card)]}"


def card_from_text(letters: str, text: str) -> int | None:
    """The card that is written so, without owner; None where nothing is."""
    face = _by_text(letters).get(text.removeprefix("*="))
    if face is None:
        return JOKER if text == "*" else None
    return face if face == _by_text(letters).get(text) else JOKER | face


@cache
def _by_text(letters: str) -> dict[str, int]:
    return {card_text(letters, card): card for card in _faces(len(RANKS))}
