"""`referee rules`: topics found by words, whether a move is legal and by which rule, errors in one sentence."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.commands import rules
from referee.commands.terminal import UsageError
from referee.core.cards.legal import legal_moves
from referee.core.cards.notation import move_from_text, move_text
from referee.core.cards.rules import IllegalMoveError
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS
from referee.language.words import text_at
from tests.commands import house
from tests.core.cards.tables import apply, everyone, shuffled, walk
from tests.core.cards.written import nertz_document

RED: dict[str, list[Any]] = {
    "reserve": ["KC", "2H"],
    "piles": [["9S", "8H"], [], ["9D", "8C"], ["7S"]],
    "stock": ["5D"],
    "waste": ["3S", "AC"],
}
"""Cards used by the tests' moves; the rest of the pack lies under the stock's top."""


def document(options: dict[str, object] | None = None) -> dict[str, Any]:
    """Return a position of two teams: Red has these cards, and Blue's ace of hearts is on a foundation."""
    pack = [f"{rank}{suit}" for suit in "SHCD" for rank in ("A", *range(2, 11), "J", "Q", "K")]
    lying = {card for pile in (RED["reserve"], *RED["piles"], RED["waste"]) for card in pile}
    red = RED | {"stock": [card for card in pack if card not in lying]}
    blue: dict[str, list[Any]] = {"reserve": ["KH"], "piles": [[], [], [], []], "waste": []}
    blue["stock"] = [card for card in pack if card not in ("KH", "AH")]
    return {
        "preset": "pagat",
        "options": options or {},
        "teams": {"Red": red, "Blue": blue},
        "foundations": [["AH"]],
        "owners": [["Blue"]],
    }


def parsed(*argv: str) -> argparse.Namespace:
    """Return a function that parses the command line of a check."""
    return house.parsed(rules, "rules", "check", *argv)


def written(directory: Path, position: object) -> str:
    """Write that document to a file."""
    path = directory / "position.json"
    path.write_text(json.dumps(position), encoding="utf-8")
    return str(path)


CHECKS: list[tuple[str, dict[str, object], bool, str]] = [
    ("Red: reserve > foundation 1", {}, True, "foundation"),
    ("Red: pile 1 card 1 > pile 2", {}, True, "empty place"),
    ("Red: reserve > foundation 2", {}, False, "foundation"),
    ("Blue: waste > pile 1", {}, False, "available"),
    ("Red: pile 4 > pile 2", {"withholding": True}, False, "withholding"),
    ("Red: slide 7S under pile 1", {"river_transfer": False}, False, "river transfer"),
]


@pytest.mark.parametrize(("move", "options", "legal", "rule"), CHECKS)
def test_a_move_is_answered_with_the_rule_that_allows_or_forbids_it(
    move: str, options: dict[str, object], legal: bool, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, document(options))
    assert rules.run(parsed(path, move)) == (0 if legal else 1)
    meaning = text_at("move", f"move.{rule.replace(' ', '_')}")
    said = f'{"legal" if legal else "illegal"} by the rule "{rule}": {move}\n{meaning[:1].upper()}{meaning[1:]}.\n'
    assert capsys.readouterr() == (said, "")
    rules.run(parsed(path, move, "--json"))
    answer = {"legal": legal, "move": move, "rule": rule, "meaning": meaning}
    assert json.loads(capsys.readouterr().out) == answer


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(PRESETS)), st.integers(2, 4), st.integers(0, 2**32))
def test_the_command_s_answer_is_the_cards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], preset: str, teams: int, seed: int
) -> None:
    """In positions of random hands, every legal move is accepted, and other moves are refused by the cards' rule."""
    rng = Random(seed)
    position = shuffled(card_rules(PRESETS[preset], teams), teams, rng)
    for _, after in walk(position, rng, rng.randrange(80)):
        position = after
    path = written(tmp_path, nertz_document(PRESETS[preset], position))
    legal = [move for team in everyone(position) for move in legal_moves(position, team)]
    texts = [move_text(position, move) for move in rng.sample(legal, min(len(legal), 4))]
    texts += [f"{position.teams[-1]}: reserve > foundation {rng.randrange(1, 9)}", f"{position.teams[0]}: call"]
    for text in texts:
        move = move_from_text(position, text)
        status = rules.run(parsed(path, text, "--json"))
        answer = json.loads(capsys.readouterr().out)
        assert (status == 0) == answer["legal"] == (move in legal)
        if not answer["legal"]:
            with pytest.raises(IllegalMoveError) as caught:
                apply(position, move)
            assert caught.value.rule == answer["rule"]


def _with(change: dict[str, Any]) -> dict[str, Any]:
    return document() | change


def _red(change: dict[str, Any]) -> dict[str, Any]:
    told = document()
    return told | {"teams": {**told["teams"], "Red": told["teams"]["Red"] | change}}


MISTAKES: list[tuple[object, str, str]] = [
    (_red({"waste": ["AC"]}), "Red: turn", "Red: 3S is there not, and once in a pack"),
    (_with({"options": {"tempo": 2}}), "Red: turn", "options.tempo: there is no such option, allowed are target, "),
    (_with({"preset": "31"}), "Red: turn", 'preset: "31" is given, allowed is a preset of a game with tableaux'),
    ([], "Red: turn", "the document: [] is given, allowed is an object"),
    (document(), "Red: jump", 'move "Red: jump": "jump" is given, allowed are PLACE > foundation N, '),
    (document(), "", 'move "": nobody is given before the colon, allowed are "Red", "Blue", "table"'),
    (document(), f"Red: reserve > foundation {'9' * 5000}", 'move "Red: reserve > foundation 9999'),
]  # fmt: skip


@pytest.mark.parametrize(("position", "move", "sentence"), MISTAKES)
def test_what_is_no_position_or_no_move_is_one_sentence(
    position: object, move: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, position)
    with pytest.raises(UsageError) as caught:
        rules.run(parsed(path, move))
    assert str(caught.value).startswith(f"referee rules check: {path}: {sentence}")
    assert "\n" not in str(caught.value)
    assert capsys.readouterr() == ("", "")


def test_a_check_answers_in_the_language_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, document())
    assert rules.run(parsed(path, "--lang", "de", "Red: call")) == 1
    said = 'nicht erlaubt nach der Regel "call": Red: call\nWer ruft, muss einen leeren Stapel haben.\n'
    assert capsys.readouterr().out == said
    assert rules.run(parsed(path, "--lang", "it", "--json", "Red: turn")) == 0
    meaning = "si scopre dalla riserva finché ha carte, e solo poi si rigirano gli scarti"
    assert json.loads(capsys.readouterr().out) == {
        "legal": True,
        "move": "Red: turn",
        "rule": "turn",
        "meaning": meaning,
    }


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--option", "turn=1"], "referee rules check: --option is not allowed, because POSITION contains its rules"),
    ],
)
def test_what_no_check_takes_is_refused(argv: list[str], sentence: str, tmp_path: Path) -> None:
    """A position names its own preset and options, so these are refused."""
    with pytest.raises(UsageError) as caught:
        rules.run(parsed(written(tmp_path, document()), "Red: turn", *argv))
    assert str(caught.value) == sentence


# -- the rulebook --------------------------------------------------------------------------------------------------


def asked(*argv: str) -> argparse.Namespace:
    """Return a function that parses the command line for a topic."""
    return house.parsed(rules, "rules", *argv)


def test_without_a_topic_every_topic_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.run(asked("--preset", "ligretto", "--lang", "de")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Halbe Reihe       Nein: auf den Karten der Reihe liegt nichts." in lines
    assert rules.run(asked("--preset", "ligretto", "--json")) == 0
    assert len(json.loads(capsys.readouterr().out)["topics"]) == len(lines)


def test_a_topic_is_answered_with_its_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.run(asked("slide", "under", "a", "pile")) == 0
    answer, neighbours = capsys.readouterr().out.rsplit("or: ", 1)
    assert len(neighbours.split(", ")) == 3
    assert " ".join(answer.split()) == (
        "Slide under "
        "With an empty place: a card one higher, other colour, slides under a whole column. (rules of the game) "
        "The place stays empty, and no part of a column is lifted alone. (our decision) "
        "Without an empty place it is not allowed. (rules of the game)"
    )
    assert rules.run(asked("slide under", "--option", "river_transfer=false")) == 0
    assert capsys.readouterr().out.startswith("Slide under\n  Not here: ")


def test_who_asks_in_another_language_is_answered_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.run(asked("darf ich einen halben Stapel bewegen?")) == 0
    assert capsys.readouterr().out.startswith("Halbe Reihe\n")
    assert rules.run(asked("mezza pila", "--lang", "en")) == 0
    assert capsys.readouterr().out.startswith("Half a pile\n")


def test_a_program_has_the_answer_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("Zwei zugleich", "--preset", "RACING-DEM", "--lang", "de", "--json")
    assert rules.run(asked(*argv)) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["preset"], told["language"], len(told["nearest"])) == ("racing-demon", "de", 3)
    (topic,) = told["topics"]
    assert topic["topic"] not in told["nearest"]
    assert (topic["topic"], topic["title"]) == ("same_place", "Zwei zugleich")
    assert topic["answer"][1] == {
        "text": "Angekommen ist eine Karte, wenn die Hand sie loslässt; nur das zählt.",
        "sources": ["keeling"],
    }


def test_a_topic_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.run(asked("dishwasher")) == 1
    said = capsys.readouterr().out
    assert said.startswith('Not found: "dishwasher". Did you mean: ')
    assert said.count("\n") == 1
    assert rules.run(asked("xylophon", "--lang", "de", "--json")) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["topics"], len(told["nearest"])) == ([], 3)
    assert rules.run(asked("the", "--json")) == 1
    assert len(json.loads(capsys.readouterr().out)["nearest"]) == 3
