"""What lies on what: foundations go up from the ace, work piles down in alternating colours, jokers stand for a card.

Theory of operation. Of a card a work pile looks at rank and colour alone, its *look* (`card & LOOK`). The cards of a
pile determine each other's looks, so a joker's follows from any other card of it, and a pile of jokers alone is open to
several. What a pile takes next is one number, its *want*:

    a look       the head of what is laid there must look so
    0            nothing fits
    OPEN + n     no card of known look lies there, but n jokers: an empty place is OPEN

What is moved is a card, or several in order: the look of its first card (0 for jokers alone), and how many they are.
"""

from __future__ import annotations

from referee.core.cards.pack import COLOUR, FACE, JOKER, LOOK, RANK, Pile
from referee.core.cards.rules import CardRules

OPEN = 64


def follows(rules: CardRules, below: int, card: int) -> bool:
    """Whether the card may lie on that card of a foundation; a joker must have been announced."""
    if rules.follow == "suit":
        return card & FACE == (below & FACE) + 1
    if card & RANK != (below & RANK) + 1:
        return False
    return rules.follow == "any" or bool((card ^ below) & COLOUR)


def starts(card: int) -> bool:
    """Whether the card begins a foundation: an ace, or a joker that has been announced as one."""
    return card & RANK == 1


def look_down(look: int, steps: int) -> int:
    """The look of the card that lies so many steps further down a work pile than one of that look; above: negative."""
    return (look - steps) ^ (COLOUR if steps % 2 else 0)


def look_of(cards: Pile) -> int:
    """The look of the first of these cards of a work pile, 0 where they are jokers alone."""
    for index, card in enumerate(cards):
        if not card & JOKER:
            return look_down(card & LOOK, -index)
    return 0


def want_of(rules: CardRules, cards: Pile) -> int:
    """What may be laid on these face-up cards of a work pile."""
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
    """Whether cards with a head of that look, `length` in all, may be laid where a pile wants that."""
    above = want - OPEN
    if not look:  # jokers alone
        if above >= 0:
            return rules.lowest_built + above + length <= rules.highest + 1
        return (want & RANK) - length + 1 >= rules.lowest_built
    if (look & RANK) - length + 1 < rules.lowest_built:
        return False
    return look == want or (above >= 0 and (look & RANK) + above <= rules.highest)


def in_order(rules: CardRules, cards: Pile) -> bool:
    """Whether the cards go down one by one in alternating colours, jokers standing for whatever fits.

    >>> in_order(CardRules(), (13, 28, 11)), in_order(CardRules(), (13, 12))
    (True, False)
    """
    look = look_of(cards)
    if any(not card & JOKER and card & LOOK != look_down(look, index) for index, card in enumerate(cards)):
        return False
    return len(cards) < 2 or fits(rules, OPEN, look, len(cards))  # an ace may have been dealt to the River


def slides_under(rules: CardRules, cards: Pile, card: int) -> bool:
    """Whether the card may be put under these cards, as if they were laid on it."""
    return fits(rules, want_of(rules, (card,)), look_of(cards), len(cards))
