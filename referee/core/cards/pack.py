"""Cards as small whole numbers, and packs of cards.

    bits 0-3   the rank, 1 (ace) to 13 (king)
    bits 4-5   the suit, 0 to 3; its lowest bit, bit 4, is the colour, so that suits 0 and 2 have the same colour
    bit 6      a joker; bits 0-5 are then the card that it has been announced as, 0 for none
    bits 7-    the owner, a team's number from 0; used only on foundations, as other cards are in their owner's tableau

A pile is a tuple of such numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

FACE = 63
"""The bits of rank and suit."""
RANK = 15
"""The bits of the rank."""
COLOUR = 16
"""The bit of the colour."""
LOOK = RANK | COLOUR
"""The bits of rank and colour; work piles use only these."""
JOKER = 64
CARD = 127
"""All bits except the owner's."""
SUITS = 4
_SUIT_SHIFT = 4
_OWNER_SHIFT = 7

Pile = tuple[int, ...]
"""A pile of cards, the top one last."""


def card_of(rank: int, suit: int) -> int:
    """Return the number that stands for the card of this rank (1 to 13) and suit (0 to 3).

    >>> card_of(13, 1)
    29
    """
    return rank | suit << _SUIT_SHIFT


def rank_of(card: int) -> int:
    """Return the rank, 1 to 13; for a joker its announced rank, 0 for none."""
    return card & RANK


def suit_of(card: int) -> int:
    """Return the suit, 0 to 3; for a joker its announced suit."""
    return (card & FACE) >> _SUIT_SHIFT


def with_owner(card: int, team: int) -> int:
    """Return the card with this team as its owner. Cards on foundations need an owner."""
    return card | team << _OWNER_SHIFT


def owner_of(card: int) -> int:
    """Return the number of the team that owns this foundation card."""
    return card >> _OWNER_SHIFT


def plain(card: int) -> int:
    """Return the card as it is in its pack: without owner or announcement."""
    return JOKER if card & JOKER else card & FACE


def full_pack(highest: int, jokers: int) -> Pile:
    """Return a pack in order: ranks 1 to `highest` in four suits, then the jokers.

    >>> len(full_pack(13, 2)), len(full_pack(10, 0))
    (54, 40)
    """
    return tuple(_faces(highest)) + (JOKER,) * jokers


def _faces(highest: int) -> Iterator[int]:
    return (card_of(rank, suit) for suit in range(SUITS) for rank in range(1, highest + 1))


# -- a card in writing ------------------------------------------------------------------------------------------------

RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")


def card_text(letters: str, card: int) -> str:
    """Format a card as rank and suit letter ("QS").

    A joker is "*", or "*=5H" if announced as a card. "?" if it is not a card. Packs with lower-case suit letters have
    "1" instead of "A".

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
    """Return the card with this text, without owner; None if there is none."""
    face = _by_text(letters).get(text.removeprefix("*="))
    if face is None:
        return JOKER if text == "*" else None
    return face if face == _by_text(letters).get(text) else JOKER | face


@cache
def _by_text(letters: str) -> dict[str, int]:
    return {card_text(letters, card): card for card in _faces(len(RANKS))}
