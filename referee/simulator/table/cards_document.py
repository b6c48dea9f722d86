"""The cards as people at the table see them, as a document for the page; a visitor's move of cards as text.

    {"sides": [{"seats": [1],                      whose cards they are
                "reserve": [13, "7C"],             how many, and the top card; all of them if they are open
                "piles": [["KD", "QS"], ["", "5H"]],    from the lowest card; "" for a face-down card
                "stock": 3, "waste": ["9S", "2H"],      the stock's height (0 to 4); the open cards of the waste
                "away": ["waste"],                 places whose top card is in a player's hand
                "mends": false,                    whether a dropped pile is being put in order
                "counted": [3, 20]}],              entered cards left and on the foundations, if one is wrong
     "lake": [["5H", [0, 0, 1, 1, 0]]],            foundations: the top card, and each card's owner (a side)
     "astray": [[0, "9S", 1]]}                     a card on the wrong foundation, and whose it is

Cards that are face down for all players are left out: `core/cards/position.py` removes them first.

In a game of turns, with three cards each:

    {"sides": [{"seats": [1],                      whose cards they are
                "hand": ["", "", ""],              "" for a card that others do not see
                "worth": ""}],                     what they are worth, if they are open
     "deck": 3, "discards": "9S", "turn": [1],     the stock's height (0 to 5), the top discard or "", whose turn it is
     "own": {"1": ["AH", "KH", "4C"]}}             hidden hands of page users

In a game of claims, where no player has visible cards:

    {"sides": [],
     "claim": {"reason": "alike",                  for what people press (claims.py)
               "cards": ["7H", "7C"],              the open cards, the last one on top; "" for a card's back
               "right": true,                      whether they are a reason to press
               "said": "4"}}                       the rank that was said with the card, if ranks are said

`own` has the hands of all page users; each page receives only those that it moves (`page/simulated.py`).

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.

A page user's move of cards as text: that of `core/cards/notation.py`, with short forms.

    reserve > middle             onto any foundation that takes the card; a new one for an ace
    reserve > middle 3           onto that one
    pile 1 any > pile 2          with as many cards as fit there
    turn                         stock cards, or the waste turned over if no stock is left

A joker is first announced as the next card that fits; the same move again plays it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from referee.core.cards.check import unfit
from referee.core.cards.flights import Motion, away
from referee.core.cards.notation import move_from_text
from referee.core.cards.pack import CARD, JOKER, Pile, card_of, card_text, owner_of
from referee.core.cards.position import RESERVE, WASTE, Position, Tableau, available, with_backs
from referee.core.cards.rules import ANNOUNCE, BUILD, PLAY, TURN, TURN_OVER, CardMove
from referee.core.values import Document, Json, replace
from referee.simulator.table.deal import CardName, Deal

MIDDLE = re.compile(r"(reserve|waste|pile [1-9]) > middle(?: ([1-9][0-9]?))?")
ANY = re.compile(r"pile ([1-9]) any > pile ([1-9])")

HEIGHT = 12
"""Number of cards per step of a stock's height: players cannot see exact numbers."""


def felt_document(
    motion: Motion, seats: Sequence[Sequence[int]], counted: Sequence[tuple[int, ...] | None] = ()
) -> Document:
    """Return the document of the cards in a hand with piles, for the web page.

    `seats`: the seats of each team, in the teams' order. `counted`: for each team, a wrong count that it entered, or
    None; () before a count.
    """
    position = with_backs(motion.position)
    sides = [_side(motion, position, team, list(numbers)) for team, numbers in enumerate(seats)]
    for side, wrong in zip(sides, counted, strict=False):
        side["counted"] = [*wrong] if wrong is not None else []
    return {
        "sides": [*sides],
        "lake": [[_text(position, pile[-1]), [owner_of(card) for card in pile]] for pile in position.foundations],
        "astray": [
            [
                flight.move.target,
                _text(position, _card_at(position.tableaux[flight.move.team], flight.move.source)),
                team,
            ]
            for flight in (*motion.astray, *(one for group in motion.disputed for one in group))
            for team in (flight.move.team,)
        ],
    }


def turn_document(
    deal: Deal, seats: Mapping[int, Sequence[int]], turn: Sequence[int], people: Collection[int], shown: Collection[int]
) -> Document:
    """Return the document of the cards in a game of turns, for the web page.

    `seats`: team's first number -> its seats; `turn`: the seats of the team on turn; `people`: the seats whose cards
    users of the page move; `shown`: the teams whose cards are open.
    """
    return {
        "sides": [
            {
                "seats": [*numbers],
                "hand": [_name(card) if team in shown else "" for card in deal.cards[team]],
                "worth": _worth(deal.halves(team)) if team in shown else "",
            }
            for team, numbers in seats.items()
        ],
        "deck": -(-deal.stock // HEIGHT),
        "discards": _name(deal.top) if deal.top is not None else "",
        "turn": [*turn],
        "own": {
            str(seat): [_name(card) for card in deal.cards[team]]
            for team, numbers in seats.items()
            for seat in numbers
            if seat in people
        },
    }


def _name(card: CardName) -> str:
    return "".join(card)


def _worth(halves: int) -> str:
    return f"{halves // 2}{'½' * (halves % 2)}"


def _side(motion: Motion, position: Position, team: int, seats: list[Json]) -> Document:
    side, rules = position.tableaux[team], position.rules
    opened = side.reserve if rules.open_reserve else side.reserve[-1:]
    return {
        "seats": seats,
        "reserve": [len(side.reserve), *_texts(position, opened)],
        "piles": [_texts(position, pile) for pile in side.piles],
        "stock": -(-len(side.stock) // HEIGHT),
        "waste": _texts(position, side.waste[-rules.turn :]),
        "away": [_place(place) for place in sorted(away(motion, team), reverse=True)],
        "mends": motion.now_ns < motion.mended_ns[team],
    }


def _texts(position: Position, pile: Pile) -> list[Json]:
    return [_text(position, card) if card else "" for card in pile]


def _text(position: Position, card: int) -> str:
    """Return the text of a card, without the team that owns it."""
    return card_text(position.rules.letters, card & CARD)


def _place(place: int) -> str:
    return {RESERVE: "reserve", WASTE: "waste"}.get(place) or f"pile {place + 1}"


def _card_at(side: Tableau, source: int) -> int:
    return dict(available(side))[source]


def move_meant(position: Position, team: int, text: str) -> CardMove:
    """Return the move of the team that `text` describes, legal or not.

    Raises DocumentError if the text describes no move.
    """
    if found := MIDDLE.fullmatch(text):
        source = {"reserve": RESERVE, "waste": WASTE}.get(found[1]) or int(found[1][5:]) - 1
        return _to_the_middle(position, team, source, found[2])
    if found := ANY.fullmatch(text):
        return _as_many(position, CardMove(team, BUILD, int(found[1]) - 1, int(found[2]) - 1))
    if text == TURN and not position.tableaux[team].stock:
        return CardMove(team, TURN_OVER)
    return move_from_text(position, f"{position.teams[team]}: {text}")


def _to_the_middle(position: Position, team: int, source: int, number: str | None) -> CardMove:
    new = len(position.foundations)
    targets = range(new + 1) if number is None else [min(int(number) - 1, new)]
    plays = [CardMove(team, PLAY, source, target) for target in targets]
    card = dict(available(position.tableaux[team])).get(source, 0)
    if card == JOKER:
        for play in plays:
            for face in _faces(position):
                announced = CardMove(team, ANNOUNCE, source, card=face)
                if unfit(position, announced) is None and _takes(position, play, face):
                    return announced
    return next((play for play in plays if unfit(position, play) is None), plays[-1])


def _faces(position: Position) -> Iterator[int]:
    return (card_of(rank, suit) for rank in range(1, position.rules.highest + 1) for suit in range(4))


def _takes(position: Position, play: CardMove, face: int) -> bool:
    """Return whether the play is legal if the joker is first announced as the card `face`."""
    side = position.tableaux[play.team]
    waste = replace(side, waste=(face,))
    tableaux = (*position.tableaux[: play.team], waste, *position.tableaux[play.team + 1 :])
    return unfit(replace(position, tableaux=tableaux), replace(play, source=WASTE)) is None


def _as_many(position: Position, move: CardMove) -> CardMove:
    """Return `move` with the fewest cards that make it legal; unchanged if no number does."""
    piles = position.tableaux[move.team].piles
    most = len(piles[move.source]) if move.source < len(piles) else 1
    tries = [replace(move, count=count) for count in range(1, most + 1)]
    return next((one for one in tries if unfit(position, one) is None), move)
