"""An independent oracle of legal moves: it tries every move on lists of card names.

It shares only the names of moves and the rules' fields with the product. It is slow on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from referee.core.cards.rules import CardMove, CardRules

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
HOUSE = -1
"""The table's number among the teams."""


@dataclass
class Side:
    """One team's cards as texts.

    The last of a list is on top, except in the stock, whose first card is turned next.
    """

    reserve: list[str]
    piles: list[list[str]]
    down: list[int]
    stock: list[str]
    waste: list[str]
    own_rounds: int
    rounds: int


@dataclass
class Simple:
    """The sides, the foundations' top cards, and what has happened since the last play."""

    rules: CardRules
    sides: list[Side]
    lake: list[str]
    burns: int
    stock_burns: int
    end: str


def rank(card: str) -> int:
    """Return the rank: 1 for an ace, 0 for a joker that is not announced."""
    if card == "*":
        return 0
    text = card.removeprefix("*=")[:-1]
    return 1 if text == "1" else RANKS.index(text) + 1


def suit(card: str) -> str:
    return card[-1]


def red(rules: CardRules, card: str) -> bool:
    """Return whether the card has the colour of the second and fourth suit."""
    return suit(card) in (rules.letters[1], rules.letters[3])


def joker(card: str) -> bool:
    """Return whether the card is a joker, announced or not."""
    return card.startswith("*")


def spoken(rules: CardRules, number: int) -> str:
    """Return the name of a card by its number in a move."""
    value, letter = RANKS[number % 16 - 1], rules.letters[number // 16]
    return f"1{letter}" if value == "A" and rules.letters == "rybg" else value + letter


# -- which cards fit ---------------------------------------------------------------------------------------------------


def goes_down(rules: CardRules, cards: list[str]) -> bool:
    """Return whether the cards go down in alternating colours. Jokers count as any card."""
    for top in range(1, rules.highest + 1):
        for first_red in (False, True):
            if all(
                top - n >= (2 if rules.withholding else 1)
                and (joker(card) or (rank(card) == top - n and red(rules, card) == (first_red == (n % 2 == 0))))
                for n, card in enumerate(cards)
            ):
                return True
    return False


def goes_up(rules: CardRules, below: str, card: str) -> bool:
    """Return whether the card fits on `below` of a foundation."""
    if rank(card) == 0 or rank(card) != rank(below) + 1:
        return False
    if rules.follow == "suit":
        return suit(card) == suit(below)
    return rules.follow == "any" or red(rules, card) != red(rules, below)


def lake_takes(table: Simple, card: str) -> bool:
    """Return whether the card could go to a foundation now, or begin one."""
    return rank(card) == 1 or any(goes_up(table.rules, top, card) for top in table.lake)


def on_top(side: Side, source: int) -> str | None:
    """Return the card that can be taken alone from `source`."""
    cards = side.reserve if source == -1 else side.waste if source == -2 else side.piles[source]
    return cards[-1] if cards else None


# -- all moves, and whether each is legal ------------------------------------------------------------------------------


def thinkable(table: Simple, team: int) -> Iterator[CardMove]:
    """Yield every move that can be expressed for this table, legal or not."""
    if team == HOUSE:
        for kind in ("burn stock", "burn reserve", "rotate", "redeal", "end", "abandon"):
            yield CardMove(HOUSE, kind)
        return
    rules, side = table.rules, table.sides[team]
    sources = [-1, -2, *range(len(side.piles))]
    taken = [source for source in sources if on_top(side, source)]
    for source in sources:
        for target in range(len(table.lake) + 1):
            yield CardMove(team, "play", source, target)
            for more in climbing(side, [source], taken):
                yield CardMove(team, "play", source, target, more=tuple(more))
        for target in range(len(side.piles)):
            for count in range(1, 2 if source < 0 else len(side.piles[source]) + 2):
                yield CardMove(team, "build", source, target, count)
            yield CardMove(team, "slide", source, target)
        if rules.jokers:
            for number in range(4):
                for value in range(1, rules.highest + 1):
                    yield CardMove(team, "announce", source, card=number * 16 + value)
    for kind in ("turn", "turn over", "sink", "call"):
        yield CardMove(team, kind)


def climbing(side: Side, used: list[int], taken: list[int]) -> Iterator[list[int]]:
    """Yield further places whose cards go up by one each.

    Other cards form no stack under any foundation rule.
    """
    for source in taken:
        above, below = on_top(side, source), on_top(side, used[-1])
        if source not in used and above and below and rank(above) == rank(below) + 1:
            yield [*used[1:], source]
            yield from climbing(side, [*used, source], taken)


def legal(table: Simple, move: CardMove) -> bool:
    """Return whether the rules allow the move."""
    if table.end:
        return False
    if move.team == HOUSE:
        return legal_for_all(table, move.kind)
    side, rules = table.sides[move.team], table.rules
    if not follows_its_rule(table, side, move):
        return False
    if not rules.withholding or move.kind in ("announce", "call"):
        return True
    aces, must_reserve = owed(table, side)
    if not aces and not must_reserve:
        return True
    if move.kind == "play":
        return any(s in aces or (s == -1 and must_reserve) for s in (move.source, *move.more))
    return move.kind in ("build", "slide") and move.source == -1 and must_reserve


def owed(table: Simple, side: Side) -> tuple[list[int], bool]:
    """Return the places of aces that must be played, and whether the reserve's top card must be."""
    sources = [-1, -2, *range(len(side.piles))]
    tops = {source: card for source in sources if (card := on_top(side, source)) and not joker(card)}
    return [s for s, card in tops.items() if rank(card) == 1], -1 in tops and lake_takes(table, tops[-1])


def follows_its_rule(table: Simple, side: Side, move: CardMove) -> bool:
    """Return whether the move itself is right, apart from moves that must come first."""
    rules = table.rules
    if move.kind == "turn":
        return len(side.stock) > 0
    if move.kind == "turn over":
        return len(side.stock) == 0 and len(side.waste) > 0
    if move.kind == "sink":
        return rules.stuck == "redeal-stock" and len(side.stock) > 0 and side.own_rounds >= 1
    if move.kind == "call":
        return len(side.reserve) == 0
    card = on_top(side, move.source)
    if card is None:
        return False
    if move.kind == "announce":
        name = spoken(rules, move.card)
        return joker(card) and card != f"*={name}" and lake_takes(table, name)
    if move.kind == "play":
        return is_a_play(table, side, move)
    target = side.piles[move.target]
    if move.source == move.target:
        return False
    if move.kind == "slide":
        empty = any(len(pile) == 0 for pile in side.piles)
        whole = len(target) > 0 and side.down[move.target] == 0
        return rules.river_transfer and rules.building and empty and whole and goes_down(rules, [card, *target])
    group = [card] if move.source < 0 else side.piles[move.source][-move.count :]
    if move.source >= 0 and move.count > len(side.piles[move.source]) - side.down[move.source]:
        return False
    if len(target) > 0 and not rules.building:
        return False
    return goes_down(rules, target[side.down[move.target] :] + group)


def is_a_play(table: Simple, side: Side, move: CardMove) -> bool:
    """Return whether all cards of the move go up, one on the other."""
    sources = [move.source, *move.more]
    cards = [on_top(side, source) for source in sources]
    if len(sources) > 1 and not table.rules.stacking:
        return False
    if None in cards or len(set(sources)) < len(sources):
        return False
    new = move.target == len(table.lake)
    if new and rank(str(cards[0])) != 1:
        return False
    pile = [] if new else [table.lake[move.target]]
    pile += [str(card) for card in cards]
    return all(goes_up(table.rules, pile[n], pile[n + 1]) for n in range(len(pile) - 1))


def legal_for_all(table: Simple, kind: str) -> bool:
    """Return whether the whole table may do that: no team has a move or can call."""
    stuck = table.rules.stuck
    rounds = 2 if stuck == "burn" and table.burns == 0 else 1
    for side in table.sides:
        if len(side.reserve) == 0:
            return False
        if side.rounds < rounds and len(side.stock) + len(side.waste) > 0:
            return False
    if stuck == "burn":
        return kind in ("burn stock", "end") or (kind == "burn reserve" and table.stock_burns >= 3)
    if stuck == "rotate":
        return kind == "rotate" or (kind == "end" and table.burns > 0)
    if stuck == "redeal-stock":
        return kind == "redeal" or (kind == "end" and table.burns > 0)
    return kind == {"abandon": "abandon", "score": "end"}[stuck]
