"""Read position documents, which say where all cards of a table are.

    {"format": 1,                                        format number; default 1
     "teams": {"Red": {"reserve": ["7C", "2H"],          the top card last
                       "piles": [["KD", "QS"], []],      the last card of each can be built on
                       "stock": ["5D"],                  the next card to turn first
                       "waste": ["9S"],                  the top card last
                       "down": [0, 0],                   face-down cards of each pile; omitted if the rules have none
                       "cycles": 1}},                    rounds through the stock since its own last play; default 0
     "foundations": [["AH", "2H"]],                      from the ace on
     "owners": [["Red", "Red"]],                         the owner of each of those cards
     "lull": {"cycles": [1], "burns": 0, "stock_burns": 0},   since any team's last play; default all zero
     "end": "call", "caller": "Red"}                     omitted during play

A card is its rank and its suit's letter, a joker "*", a joker announced as a card "*=5H". The rules are not part of the
document: a game states them separately. Owners are optional: each card then belongs to the first team that lacks it.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from referee.core.cards.pack import Pile, card_from_text, card_text, plain, rank_of, with_owner
from referee.core.cards.position import PLAYED, TABLE, Lull, Position, Tableau
from referee.core.cards.rules import ENDS, CardRules
from referee.core.cards.sanity import PositionError, check_position
from referee.core.reading import DocumentError, Part

FORMAT = 1
NEEDED = ("teams", "foundations")
OPTIONAL = ("format", "owners", "lull", "end", "caller")
"""The optional keys of such a document; a game adds its own."""
_MOST = 10**6
"""Maximum number of rounds or burns."""


def position_from_document(rules: CardRules, parts: Mapping[str, Part]) -> Position:
    """Return the position that a document describes. Raises DocumentError.

    parts: the document's top-level keys, each with its value. The keys in `NEEDED` are required.
    """
    if "format" in parts and parts["format"].integer() != FORMAT:
        parts["format"].refuse(f"{FORMAT}, the format that is known")
    sides = parts["teams"].table()
    teams = Part(list(sides), parts["teams"].where).names("team")
    if not teams:
        parts["teams"].refuse("at least one team")
    tableaux = tuple(_tableau(rules, side) for side in sides.values())
    piles = [_cards(rules, pile) for pile in parts["foundations"].items()]
    owners = _owners(parts["owners"], teams, piles) if "owners" in parts else _guess_owners(rules, tableaux, piles)
    foundations = tuple(tuple(map(with_owner, pile, whose)) for pile, whose in zip(piles, owners, strict=True))
    end = parts["end"].one_of(ENDS) if "end" in parts else ""
    caller = teams.index(parts["caller"].known_name(teams, "a team")) if "caller" in parts else TABLE
    if (end == "call") != (caller != TABLE):
        raise DocumentError('caller: needed if the end is "call", otherwise not allowed')
    lull = _lull(parts["lull"], len(teams)) if "lull" in parts else PLAYED
    position = Position(rules, teams, tableaux, foundations, lull, end, caller)
    try:
        check_position(position)
    except PositionError as exc:
        raise DocumentError(str(exc)) from None
    return position


def _tableau(rules: CardRules, side: Part) -> Tableau:
    parts = side.keyed_parts(("reserve", "piles", "stock", "waste"), ("down", "cycles"))
    return Tableau(
        _cards(rules, parts["reserve"]),
        tuple(_cards(rules, pile) for pile in parts["piles"].items()),
        _cards(rules, parts["stock"]),
        _cards(rules, parts["waste"]),
        tuple(count.whole(0, _MOST) for count in parts["down"].items()) if "down" in parts else (),
        parts["cycles"].whole(0, _MOST) if "cycles" in parts else 0,
    )


def _cards(rules: CardRules, part: Part) -> Pile:
    return tuple(_card(rules, card) for card in part.items())


def _card(rules: CardRules, part: Part) -> int:
    card = card_from_text(rules.letters, part.value) if isinstance(part.value, str) else None
    if card is None or plain(card) not in rules.pack or rank_of(card) > rules.highest:
        pack = rules.pack
        shown = f"{card_text(rules.letters, pack[0])} to {card_text(rules.letters, pack[-1 - rules.jokers])}"
        part.refuse(f"a card of the pack, {shown}{', * for a joker' if rules.jokers else ''}")
    return card


def _owners(part: Part, teams: tuple[str, ...], piles: Sequence[Pile]) -> list[list[int]]:
    owners = [[teams.index(name.known_name(teams, "a team")) for name in names.items()] for names in part.items()]
    if list(map(len, owners)) != list(map(len, piles)):
        part.refuse("the name of a team for each card of each foundation")
    return owners


def _guess_owners(rules: CardRules, tableaux: Iterable[Tableau], piles: Sequence[Pile]) -> list[list[int]]:
    """Return an owner for each foundation card: the first team that misses this card.

    A team misses the cards of its pack that are neither in its tableau nor among the foundation cards that it already
    owns. If no team misses the card, the owner is team 0.
    """
    missing = [Counter(rules.pack) - Counter(map(plain, tableau.cards)) for tableau in tableaux]
    return [[_take_card(missing, plain(card)) for card in pile] for pile in piles]


def _take_card(missing: Sequence[Counter[int]], card: int) -> int:
    team = next((number for number, cards in enumerate(missing) if cards[card] > 0), 0)
    missing[team][card] -= 1
    return team


def _lull(part: Part, teams: int) -> Lull:
    parts = part.keyed_parts(("cycles", "burns", "stock_burns"))
    cycles = tuple(count.whole(0, _MOST) for count in parts["cycles"].items())
    if len(cycles) not in (0, teams):
        parts["cycles"].refuse("a whole number a team, or none")
    return Lull(cycles, parts["burns"].whole(0, _MOST), parts["stock_burns"].whole(0, _MOST))
