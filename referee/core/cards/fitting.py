"""Rules of which card fits where: on foundations, on work piles, and in place of jokers.

Theory of operation. Work piles use only a card's rank and colour, its *look* (`card & LOOK`). The cards of a pile
determine each other's looks, so a joker's look follows from any other card in the pile. A pile of jokers alone leaves
several looks possible. What a pile takes next is one number, its *want*:

    a look       the first card laid there must have this look
    0            nothing fits
    OPEN + n     the pile has n jokers and no card of known look; an empty pile is OPEN

A move takes one card or several in order: the look of the first card (0 for jokers alone), and their number.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from referee.core.cards.pack import COLOUR, FACE, JOKER, LOOK, RANK, Pile
from referee.core.cards.rules import CardRules

OPEN = 64


def follows(rules: CardRules, below: int, card: int) -> bool:
    """Return whether `card` may be laid on `below`, the top card of a foundation.

    A joker fits only after it was announced as a card.
    """
    if rules.follow == "suit":
        return card & FACE == (below & FACE) + 1
    if card & RANK != (below & RANK) + 1:
        return False
    return rules.follow == "any" or bool((card ^ below) & COLOUR)


def starts(card: int) -> bool:
    """Return whether the card begins a foundation: an ace, or a joker announced as one."""
    return card & RANK == 1


def look_down(look: int, steps: int) -> int:
    """Return the look (rank and colour) of the card that lies `steps` cards after `look`.

    On a work pile, each next card is one rank lower and of the other colour. Negative `steps` count backwards.
    """
    return (look - steps) ^ (COLOUR if steps % 2 else 0)


def look_of(cards: Pile) -> int:
    """Return the look (rank and colour) of the first of these cards; 0 if all are jokers.

    The cards are in order on a work pile, so if the first is a joker, a later card tells its look.
    """
    for index, card in enumerate(cards):
        if not card & JOKER:
            return look_down(card & LOOK, -index)
    return 0


def want_of(rules: CardRules, cards: Pile) -> int:
    """Return the look (rank and colour) of the card that a work pile takes next.

    cards: the pile's face-up cards. 0: it takes no card. OPEN: it is empty and takes any. OPEN + n: it has only n
    jokers.
    """
    if not cards:
        return OPEN
    if not rules.building:
        return 0
    last = cards[-1]
    if last & JOKER:
        look = look_of(cards)
        if not look:
            return OPEN + len(cards)
        last = look_down(look, len(cards) - 1)
    return (last & LOOK) - 1 ^ COLOUR if last & RANK > rules.lowest_built else 0


def fits(rules: CardRules, want: int, look: int, length: int) -> bool:
    """Return whether cards may be laid on a work pile for which `want_of` returns `want`.

    look: rank and colour of the first of the cards; 0 if all are jokers. length: the number of cards.
    """
    above = want - OPEN
    if not look:  # jokers alone
        if above >= 0:
            return rules.lowest_built + above + length <= rules.highest + 1
        return (want & RANK) - length + 1 >= rules.lowest_built
    if (look & RANK) - length + 1 < rules.lowest_built:
        return False
    return look == want or (above >= 0 and (look & RANK) + above <= rules.highest)


def in_order(rules: CardRules, cards: Pile) -> bool:
    """Return whether the cards go down one by one in alternating colours.

    A joker can be any card.

    >>> in_order(CardRules(), (13, 28, 11)), in_order(CardRules(), (13, 12))
    (True, False)
    """
    look = look_of(cards)
    if any(not card & JOKER and card & LOOK != look_down(look, index) for index, card in enumerate(cards)):
        return False
    return len(cards) < 2 or fits(rules, OPEN, look, len(cards))  # an ace can have been dealt to a work pile


def slides_under(rules: CardRules, cards: Pile, card: int) -> bool:
    """Return whether `card` may be slid under `cards`, that is, they could be laid on it."""
    return fits(rules, want_of(rules, (card,)), look_of(cards), len(cards))
