"""Moves as text, as players say them; numbers start at 1.

    Red: reserve > foundation 2          Red: reserve + pile 3 > foundation 2       (a stack, the lowest card first)
    Red: waste > pile 4                  Red: pile 1 card 3 > pile 4                (this card and all cards on it)
    Red: slide 9S under pile 2           Red: slide * from pile 3 under pile 2      (if two such cards are available)
    Red: announce reserve as 5H
    Red: turn | turn over | call | sink
    table: burn stock | burn reserve | rotate | redeal | end | abandon

A new foundation has the number after the last one.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

import re

from referee.core.cards.pack import card_from_text, card_text
from referee.core.cards.position import RESERVE, TABLE, WASTE, Position, Tableau, available
from referee.core.cards.rules import ANNOUNCE, BUILD, CALL, PLAY, SINK, SLIDE, TOGETHER, TURN, TURN_OVER, CardMove
from referee.core.reading import DocumentError, list_text, quoted_value

ALL = "table"
"""The name for moves that the whole table makes."""
_N = "[1-9][0-9]{0,3}"
_PLACE = f"reserve|waste|pile {_N}"
_SHAPES = (
    (PLAY, re.compile(rf"(?P<sources>(?:{_PLACE})(?: \+ (?:{_PLACE}))*) > foundation (?P<target>{_N})")),
    (BUILD, re.compile(rf"(?P<sources>{_PLACE})(?: card (?P<card>{_N}))? > pile (?P<target>{_N})")),
    (SLIDE, re.compile(rf"slide (?P<card>\S+)(?: from (?P<sources>{_PLACE}))? under pile (?P<target>{_N})")),
    (ANNOUNCE, re.compile(rf"announce (?P<sources>{_PLACE}) as (?P<card>\S+)")),
)
_ALONE = (TURN, TURN_OVER, CALL, SINK)
_ALLOWED = (
    "PLACE > foundation N, PLACE > pile N, pile N card N > pile N, slide CARD under pile N, announce PLACE as CARD, "
    f"{', '.join(_ALONE)}; for the {ALL}: {', '.join(TOGETHER)}"
)


def move_text(position: Position, move: CardMove) -> str:
    """Return the move as one line.

    Works for every move, even an illegal one or one with unknown places.
    """
    if move.team == TABLE:
        return f"{ALL}: {move.kind}"
    known = 0 <= move.team < len(position.teams)
    team = position.teams[move.team] if known else f"team {move.team + 1}"
    side = position.tableaux[move.team] if known else Tableau((), (), ())
    return f"{team}: {_move_text(position.rules.letters, side, move)}"


def _move_text(letters: str, side: Tableau, move: CardMove) -> str:
    if move.kind == PLAY:
        places = " + ".join(map(_place, (move.source, *move.more)))
        return f"{places} > foundation {move.target + 1}"
    if move.kind == BUILD:
        return f"{_place(move.source)}{_which(side, move)} > pile {move.target + 1}"
    if move.kind == SLIDE:
        return f"slide {_slid(letters, side, move.source)} under pile {move.target + 1}"
    if move.kind == ANNOUNCE:
        return f"announce {_place(move.source)} as {card_text(letters, move.card)}"
    return move.kind


def _place(source: int) -> str:
    return {RESERVE: "reserve", WASTE: "waste"}.get(source) or f"pile {source + 1}"


def _which(side: Tableau, move: CardMove) -> str:
    """Return " card N" if a move takes several cards of a work pile, else "".

    N: the place of the lowest card that the move takes, counted from 1 at the pile's bottom.
    """
    if move.count == 1 or not 0 <= move.source < len(side.piles):
        return ""
    return f" card {len(side.piles[move.source]) - move.count + 1}"


def _slid(letters: str, side: Tableau, source: int) -> str:
    """Return the card to slide as text. If two equal cards are available, add its place."""
    ready = dict(available(side))
    if source not in ready:
        return f"? from {_place(source)}"
    card = card_text(letters, ready[source])
    alone = list(ready.values()).count(ready[source]) == 1
    return card if alone else f"{card} from {_place(source)}"


def move_from_text(position: Position, text: str) -> CardMove:
    """Return the move with this text, legal or not.

    Raises DocumentError if the text is not a move.
    """
    who, _, done = text.strip().rpartition(":")
    who, done = who.strip(), " ".join(done.split())
    if who == ALL and done in TOGETHER:
        return CardMove(TABLE, done)
    if who not in (*position.teams, ALL):
        allowed = list_text(map(quoted_value, (*position.teams, ALL)))
        mover = quoted_value(who) if who else "nobody"
        raise DocumentError(f"move {quoted_value(text)}: {mover} is given before the colon, allowed are {allowed}")
    if who not in position.teams:
        allowed = list_text(TOGETHER)
        raise DocumentError(
            f"move {quoted_value(text)}: {quoted_value(done)} is given, allowed for {ALL} are {allowed}"
        )
    team = position.teams.index(who)
    if done in _ALONE:
        return CardMove(team, done)
    for kind, shape in _SHAPES:
        if found := shape.fullmatch(done):
            return _READ[kind](position, team, text, found.groupdict())
    raise DocumentError(f"move {quoted_value(text)}: {quoted_value(done)} is given, allowed are {_ALLOWED}")


Words = dict[str, str | None]


def _source(name: str) -> int:
    return {"reserve": RESERVE, "waste": WASTE}.get(name) or int(name.removeprefix("pile ")) - 1


def _sources(words: Words) -> list[int]:
    return [_source(name) for name in str(words["sources"]).split(" + ")]


def _target(words: Words) -> int:
    return int(str(words["target"])) - 1


def _play(position: Position, team: int, text: str, words: Words) -> CardMove:
    first, *more = _sources(words)
    return CardMove(team, PLAY, first, _target(words), more=tuple(more))


def _build(position: Position, team: int, text: str, words: Words) -> CardMove:
    source, piles = _sources(words)[0], position.tableaux[team].piles
    if words["card"] is None:
        return CardMove(team, BUILD, source, _target(words))
    count = len(piles[source]) - int(words["card"]) + 1 if 0 <= source < len(piles) else 0
    if count < 1:
        raise DocumentError(f"move {quoted_value(text)}: there is no card {words['card']} in {_place(source)}")
    return CardMove(team, BUILD, source, _target(words), count)


def _slide(position: Position, team: int, text: str, words: Words) -> CardMove:
    card = _card(position, text, words)
    if words["sources"] is not None:
        return CardMove(team, SLIDE, _sources(words)[0], _target(words))
    places = [source for source, lying in available(position.tableaux[team]) if lying == card]
    if len(places) != 1:
        where = "at several places, say from which" if places else "nowhere available to the team"
        raise DocumentError(f"move {quoted_value(text)}: {words['card']} is {where}")
    return CardMove(team, SLIDE, places[0], _target(words))


def _announce(position: Position, team: int, text: str, words: Words) -> CardMove:
    return CardMove(team, ANNOUNCE, _sources(words)[0], card=_card(position, text, words))


def _card(position: Position, text: str, words: Words) -> int:
    card = card_from_text(position.rules.letters, str(words["card"]))
    if card is None:
        letters = position.rules.letters
        example = card_text(letters, position.rules.pack[-1 - position.rules.jokers])
        raise DocumentError(
            f"move {quoted_value(text)}: {quoted_value(words['card'])} is no card; a card is written like {example}"
        )
    return card


_READ = {PLAY: _play, BUILD: _build, SLIDE: _slide, ANNOUNCE: _announce}
