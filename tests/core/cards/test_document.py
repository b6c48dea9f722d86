"""Positions and moves are read back as written; invalid ones are refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.cards.check import allowed_by
from referee.core.cards.document import FORMAT, position_from_document
from referee.core.cards.legal import legal_moves
from referee.core.cards.notation import move_from_text, move_text
from referee.core.cards.pack import CARD
from referee.core.cards.position import RESERVE, TABLE, WASTE, Lull, Position
from referee.core.cards.rules import CardMove, CardRules, IllegalMoveError
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.document import DOCUMENTS
from referee.core.games.nertz.rules import PRESETS, with_options
from referee.core.model.registry import position_of
from referee.core.reading import DocumentError, Part, parse
from referee.core.values import Document, replace
from tests.core.cards.tables import any_rules, apply, everyone, foundation, shuffled, table, tableau, walk
from tests.core.cards.written import nertz_document, position_document


def read(rules: CardRules, document: object) -> Position:
    return position_from_document(rules, Part(parse(json.dumps(document))).table())


@settings(max_examples=100)
@given(any_rules(), st.integers(1, 4), st.integers(0, 2**32))
def test_a_position_and_its_moves_are_read_as_they_are_written(rules: CardRules, teams: int, seed: int) -> None:
    rng = Random(seed)
    position = shuffled(rules, teams, rng)
    for number, (_, after) in enumerate(walk(position, rng, 60)):
        position = after
        if number % 10 == 9:
            assert read(rules, position_document(position)) == position
            for move in (move for team in everyone(position) for move in legal_moves(position, team)):
                assert move_from_text(position, move_text(position, move)) == move
                assert allowed_by(position, move) in {rule for _, rule in GROUND_OF}
    document = position_document(position)
    assert read(rules, document) == position
    del document["owners"], document["format"]
    guessed = read(rules, document)
    assert [[card & CARD for card in pile] for pile in guessed.foundations] == [
        [card & CARD for card in pile] for pile in position.foundations
    ]
    assert all(legal_moves(guessed, team) == legal_moves(position, team) for team in everyone(position))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_s_position_says_its_options(preset: str) -> None:
    for teams in (2, 3, 4):
        ruleset = with_options(PRESETS[preset], {"turn": 1, "stuck": "score"})
        position = shuffled(card_rules(ruleset, teams), teams, Random(teams))
        document = nertz_document(ruleset, position)
        assert document["options"].items() <= {"turn": 1, "stuck": "score"}.items()
        assert DOCUMENTS.position(Part(parse(json.dumps(document)))) == position
        ended = replace(position, end="call", caller=1, lull=Lull((1,) * teams, 2, 1))
        assert DOCUMENTS.position(Part(nertz_document(ruleset, ended))) == ended
    del document["options"]
    assert DOCUMENTS.position(Part(document)).rules == card_rules(PRESETS[preset], 4)


def test_a_position_of_pairs_says_how_many_people_play() -> None:
    """Two pairs are four players, so they build by suit."""
    ruleset = PRESETS["racing-demon"]
    position = shuffled(card_rules(ruleset, 2, 4), 2, Random(1))
    document = nertz_document(ruleset, position)
    assert document["players"] == 4
    assert DOCUMENTS.position(Part(document)) == position
    del document["players"]
    assert DOCUMENTS.position(Part(document)).rules.follow == "any"
    with pytest.raises(DocumentError, match=r"players: .* from 2 to 4"):
        DOCUMENTS.position(Part(document | {"players": 5}))


# -- invalid documents -------------------------------------------------------------------------------------------------

SMALL = CardRules(highest=2, reserve=1, piles=2)


def small() -> Document:
    """Return two teams with packs of eight cards."""
    rest = {"piles": [["2H"], ["AC"]], "stock": ["2C", "AD", "2D"]}
    return {
        "format": FORMAT,
        "teams": {
            "Red": {"reserve": ["2S"], "waste": ["AH"], **rest},
            "Blue": {"reserve": ["AS"], "waste": ["2S", "AH"], **rest},
        },
        "foundations": [["AS"]],
        "owners": [["Red"]],
    }


def change(*path: str | int) -> Callable[[Any], Document]:
    """Return the small document with one value replaced."""

    def put(value: object) -> Document:
        document: Any = small()
        part = document
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value
        return dict(document)

    return put


RED = ("teams", "Red")
CANNOT = [
    (change("format")(2), "format: 2 is given, allowed is 1, the format that is known"),
    (change("teams")({}), "teams: {} is given, allowed is at least one team"),
    (change(*RED, "reserve", 0)("3S"), 'teams.Red.reserve[0]: "3S" is given, allowed is a card of the pack, AS to 2D'),
    (change(*RED, "reserve", 0)("*"), 'teams.Red.reserve[0]: "*" is given, allowed is a card of the pack, AS to 2D'),
    (change(*RED, "waste")(["AH", "2S"]), "Red: 2S is there twice, and once in a pack"),
    (change(*RED, "waste")([]), "Red: AH is there not, and once in a pack"),
    (change(*RED, "piles")([["2H", "AC"]]), "Red: 1 work piles are given, allowed is 2"),
    (change(*RED, "stack")([]), "teams.Red.stack: the key is unknown, allowed are reserve, piles, "),
    (change(*RED, "down")([0, 1]), "Red: 2 counts of cards face down are given, allowed are 0"),
    (change(*RED, "down")([-1, 0]), "teams.Red.down[0]: -1 is given, allowed is a whole number from 0 to 1000000"),
    (change(*RED, "cycles")(0.5), "teams.Red.cycles: 0.5 is given, allowed is a whole number from 0 to 1000000"),
    (change("teams")({" ": {}}), 'teams[0]: " " is given, allowed is a name of printable characters'),
    (change("teams")({"Red": {}, "red": {}}), 'teams[1]: "red" is given, allowed is a name that no other team has'),
    (change("owners")([]), "owners: [] is given, allowed is the name of a team for each card of each foundation"),
    (change("owners", 0, 0)("Gold"), 'owners[0][0]: "Gold" is given, allowed is a team: "Red", "Blue"'),
    (change("owners", 0, 0)("Blue"), "Red: AS is there not, and once in a pack"),
    (change("end")("won"), 'end: "won" is given, allowed is one of call, stuck, abandoned'),
    (change("end")("call"), 'caller: needed if the end is "call", otherwise not allowed'),
    (change("caller")("Red"), 'caller: needed if the end is "call", otherwise not allowed'),
    (change("lull")({"cycles": [], "burns": 1}), "lull: the key stock_burns is missing, needed are cycles, "),
    (change("lull")({"cycles": [1], "burns": 0, "stock_burns": 0}), "lull.cycles: [1] is given, allowed is a whole "),
]  # fmt: skip


@pytest.mark.parametrize(("document", "sentence"), CANNOT)
def test_what_cannot_be_is_one_sentence(document: Document, sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(SMALL, document)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_a_card_that_nobody_lacks_is_found_even_where_owners_are_left_out() -> None:
    document = change("foundations")([["AS"], ["AH"]])
    del document["owners"]
    with pytest.raises(DocumentError, match="Red: AH is there twice, and once in a pack"):
        read(SMALL, document)


def test_jokers_and_ends_are_read() -> None:
    joker = replace(SMALL, jokers=1)
    document = small()
    document["teams"]["Red"]["waste"].append("*=2S")
    document["teams"]["Blue"]["waste"].append("*")
    document |= {"end": "call", "caller": "Blue", "lull": {"cycles": [1, 0], "burns": 2, "stock_burns": 1}}
    position = read(joker, document)
    assert (position.end, position.caller, position.lull) == ("call", 1, Lull((1, 0), 2, 1))
    assert position.tableaux[0].waste[-1] == 64 | 2
    document["teams"]["Red"]["waste"][-1] = "*=3S"
    with pytest.raises(DocumentError, match=r"allowed is a card of the pack, AS to 2D, \* for a joker"):
        read(joker, document)


@pytest.mark.parametrize(("document", "sentence"), [
    ({}, "the document: the key preset is missing, needed are preset, teams, foundations"),
    ({"preset": "whist", "teams": {}, "foundations": []}, 'preset: "whist" is given, allowed is one of nna, '),
    ({"preset": "nna", "options": {"turn": 2}, "teams": {}, "foundations": []}, "options.turn: 2 is given, "),
    ({"preset": "nna", "options": 3, "teams": {}, "foundations": []}, "options: 3 is given, allowed is an object"),
    ({"preset": "nna", "teams": {}, "foundations": [], "pods": 1}, "pods: the key is unknown, "),
    (small(), "the document: the key preset is missing"),
])  # fmt: skip
def test_what_a_game_does_not_know_is_one_sentence(document: Document, sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        DOCUMENTS.position(Part(document))
    assert str(caught.value).startswith(sentence)


def test_the_registry_finds_the_game_of_a_position() -> None:
    ruleset = PRESETS["pagat"]
    position = shuffled(card_rules(ruleset, 2), 2, Random(1))
    assert position_of(nertz_document(ruleset, position)) == position
    for preset in ("31", "snap"):
        with pytest.raises(DocumentError, match="allowed is a preset of a game with tableaux"):
            position_of({"preset": preset})
    with pytest.raises(DocumentError, match="the key preset is missing"):
        position_of({})


# -- moves -------------------------------------------------------------------------------------------------------------


def lying() -> Position:
    """Return two jokers and a nine that can be taken."""
    rules = CardRules(piles=3, jokers=2, river_transfer=True, stacking=True)
    red = tableau("2C 9S", "KD QS JD / * / ", "5D", "*")
    return table(rules, red, tableau("2C 9S", "8H"), foundations=(foundation("AH 2H"), foundation("AS")))


WRITTEN = [
    ("Red: reserve > foundation 2", CardMove(0, "play", RESERVE, 1)),
    ("Red: waste + pile 1 > foundation 3", CardMove(0, "play", WASTE, 2, more=(0,))),
    ("Red: pile 1 card 2 > pile 3", CardMove(0, "build", 0, 2, 2)),
    ("Red: pile 1 > pile 3", CardMove(0, "build", 0, 2)),
    ("Blue: waste > pile 1", CardMove(1, "build", WASTE, 0)),
    ("Red: slide 9S under pile 2", CardMove(0, "slide", RESERVE, 1)),
    ("Red: slide * from waste under pile 1", CardMove(0, "slide", WASTE, 0)),
    ("Red: slide * from pile 2 under pile 1", CardMove(0, "slide", 1, 0)),
    ("Red: announce waste as 3H", CardMove(0, "announce", WASTE, card=19)),
    ("Blue: turn", CardMove(1, "turn")),
    ("Blue: turn over", CardMove(1, "turn over")),
    ("Blue: call", CardMove(1, "call")),
    ("table: burn stock", CardMove(TABLE, "burn stock")),
    ("table: end", CardMove(TABLE, "end")),
]


@pytest.mark.parametrize(("text", "move"), WRITTEN)
def test_a_move_is_written_as_people_say_it(text: str, move: CardMove) -> None:
    assert move_text(lying(), move) == text
    assert move_from_text(lying(), text) == move
    assert move_from_text(lying(), f"  {text.replace(' ', '  ')} ") == move


@pytest.mark.parametrize(("text", "sentence"), [
    ("Gold: turn", 'move "Gold: turn": "Gold" is given before the colon, allowed are "Red", "Blue", "table"'),
    ("turn", 'move "turn": nobody is given before the colon, allowed are '),
    ("table: turn", 'move "table: turn": "turn" is given, allowed for table are burn stock, burn '),
    ("Red: jump", 'move "Red: jump": "jump" is given, allowed are PLACE > foundation N, PLACE > pile N, '),
    ("Red: pile 0 > pile 1", 'move "Red: pile 0 > pile 1": "pile 0 > pile 1" is given, allowed are '),
    ("Red: pile 1 card 4 > pile 2", 'move "Red: pile 1 card 4 > pile 2": there is no card 4 in pile 1'),
    ("Red: pile 7 card 1 > pile 2", 'move "Red: pile 7 card 1 > pile 2": there is no card 1 in pile 7'),
    ("Red: reserve card 1 > pile 2", 'move "Red: reserve card 1 > pile 2": there is no card 1 in reserve'),
    ("Red: slide 5D under pile 1", 'move "Red: slide 5D under pile 1": 5D is nowhere available to the team'),
    ("Red: slide * under pile 1", 'move "Red: slide * under pile 1": * is at several places, say from which'),
    ("Red: slide 5X under pile 1", 'move "Red: slide 5X under pile 1": "5X" is no card; a card is written like KD'),
    ("Red: announce waste as X", 'move "Red: announce waste as X": "X" is no card; a card is written like KD'),
])  # fmt: skip
def test_a_text_that_is_no_move_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        move_from_text(lying(), text)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(("move", "sentence"), [
    (CardMove(0, "play", 8, 4), "Red: pile 9 > foundation 5: illegal by the rule 'place'"),
    (CardMove(5, "build", 8, 4, 3), "team 6: pile 9 > pile 5: illegal by the rule 'place'"),
    (CardMove(0, "build", 8, 1, 3), "Red: pile 9 > pile 2: illegal by the rule 'place'"),
    (CardMove(0, "announce", WASTE, card=-1), "Red: announce waste as *=?: illegal by the rule 'announcement'"),
    (CardMove(0, "announce", WASTE, card=14), "Red: announce waste as ?: illegal by the rule 'announcement'"),
    (CardMove(0, "announce", WASTE), "Red: announce waste as ?: illegal by the rule 'announcement'"),
    (CardMove(0, "build", 3, 1, 2), "Red: pile 4 > pile 2: illegal by the rule 'place'"),
    (CardMove(0, "slide", 8, 1), "Red: slide ? from pile 9 under pile 2: illegal by the rule 'place'"),
    (CardMove(0, "play", RESERVE, 0), "Red: reserve > foundation 1: illegal by the rule 'foundation'"),
    (CardMove(TABLE, "rotate"), "table: rotate: illegal by the rule 'idle'"),
])  # fmt: skip
def test_an_illegal_move_is_said_in_its_words_and_the_rule_s(move: CardMove, sentence: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        apply(lying(), move)
    assert str(caught.value).startswith(sentence)


GROUND_OF = [
    (CardMove(0, "play", RESERVE, 1), "foundation"),
    (CardMove(0, "play", WASTE, 2, more=(0,)), "stacking"),
    (CardMove(0, "build", RESERVE, 0), "work pile"),
    (CardMove(0, "build", RESERVE, 2), "empty place"),
    (CardMove(0, "slide", RESERVE, 1), "river transfer"),
    (CardMove(0, "announce", WASTE, card=19), "announcement"),
    (CardMove(0, "turn"), "turn"),
    (CardMove(0, "turn over"), "turn"),
    (CardMove(0, "call"), "call"),
    (CardMove(0, "sink"), "own stock"),
    (CardMove(TABLE, "rotate"), "way out"),
]


@pytest.mark.parametrize(("move", "rule"), GROUND_OF)
def test_a_legal_move_has_the_rule_that_allows_it(move: CardMove, rule: str) -> None:
    assert allowed_by(lying(), move) == rule
