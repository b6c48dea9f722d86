"""Nothing in the core is a sentence: what people read and hear is said by the catalogues, by key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.core import messages
from referee.core.messages import TEXT_LETTERS, Label, Msg, msg, with_values
from referee.core.model.registry import Documents, all_documents, all_games
from referee.core.phases.settings import DEVICE
from referee.language.places import LIMITS
from referee.language.told import BY_KEY, display_text, word_of

CORE = Path(str(messages.__file__)).parent
SHOWN = ("phases", "games", "match", "model")
"""The folders whose values come to the display, the page and the screen reader."""
KEY = re.compile(rf"({'|'.join(LIMITS)})\.[a-z0-9_]+")
WORDS = re.compile(r"[A-Za-zÄÖÜäöü]{2,}[ ,?!:]+[A-Za-z{]|[A-Z]{2,}.*[?!:]|^[A-Z][a-z]+$")
"""What looks like a text for people: two words, capitals that ask or point, a capitalised word."""
ELSEWHERE = ("noted.py", "document.py", "options.py", "rules.py", "record.py", "account.py", "cards.py")
"""Modules of what stands on paper: documents, options and their meanings, errors in files, in English as ever."""
ON_PAPER = (*Documents.__annotations__, "PRESETS", "OPTIONS")
"""What a game in one file says on paper beside its play, by name."""
LOGGED = ("registry.py", "comeback.py", "engine.py", "stored.py", "points.py", "transition_table.py")
"""Modules whose sentences go into the log, or into errors that are made far from where they are raised."""
NAMES = {
    *("Red", "Blue", "Green", "Gold", "Black", "White", "Violet", "Brown"),  # seats that nobody has named
    *("Grey", "Pink", "Orange", "Silver"),
    *("English", "Deutsch", "Italiano"),  # languages call themselves so
}
"""Proper names, which are the same in every language."""
MEANING = "the knob: "
"""How a transition row's meaning begins that several rows share."""
SAID_TO_OTHERS = ("RuleError", "ValueError", "LookupError", "TypeError", "CodecError", "DocumentError", "Way", "say")
"""Calls whose texts are for logs and documents, or keys (`say`)."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that may come to people: no docstring, error, type, or meaning of a transition row."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    roots = [*(root for node in ast.walk(tree) for root in _not_said(node)), *_on_paper(tree)]
    skipped = {id(part) for root in roots for part in ast.walk(root)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def _on_paper(tree: ast.Module) -> Iterator[ast.AST]:
    """What its classes say on paper, and what of the module that is made of."""
    said = [node for owner in tree.body if isinstance(owner, ast.ClassDef) for node in owner.body]
    papers = [node for node in said if isinstance(node, ast.Assign) and _assigned(node) <= set(ON_PAPER)]
    parts = {name.id for paper in papers for name in ast.walk(paper) if isinstance(name, ast.Name)}
    yield from papers
    for node in tree.body:
        if (isinstance(node, ast.Assign) and _assigned(node) <= parts) or getattr(node, "name", None) in parts:
            yield node


def _assigned(node: ast.Assign) -> set[str]:
    return {target.id for target in node.targets if isinstance(target, ast.Name)}


def _not_said(node: ast.AST) -> Iterator[ast.AST]:
    if (
        (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or isinstance(node, ast.Raise | ast.Assert)
        or (isinstance(node, ast.ClassDef) and "Enum" in map(ast.unparse, node.bases))
    ):
        yield node
    elif isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from node.args[4:5] if node.func.id == "Row" else [node] if node.func.id in SAID_TO_OTHERS else []
    elif isinstance(node, ast.AnnAssign):
        yield node.annotation


MODULES = [
    path for folder in SHOWN for path in sorted((CORE / folder).rglob("*.py")) if path.name not in (*ELSEWHERE, *LOGGED)
]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_nothing_in_the_core_is_a_sentence(path: Path) -> None:
    """A text for people is a key (referee/language/told/) with values, or stands in NAMES."""
    found = [
        (line, text)
        for line, text in texts(path)
        if WORDS.search(text) and text not in NAMES and not text.startswith(MEANING)
    ]
    assert found == []


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.py")), ids=lambda path: str(path.relative_to(CORE)))
def test_every_key_of_the_core_has_its_texts(path: Path) -> None:
    """In every language: the catalogues are checked against told/, told/ here against the core."""
    keys = {text for _, text in texts(path) if KEY.fullmatch(text)}
    assert keys <= set(BY_KEY)


def test_what_a_game_alone_says_has_its_texts() -> None:
    """What is undone in it, what is asked, what its piles and calls are named: each key that its documents name."""
    for game in all_documents():
        assert [key for key in game.WORDS if word_of(key) is None] == []


def test_every_setting_s_line_and_choices_can_be_said() -> None:
    for setting in (*DEVICE, *(setting for game in all_games() for setting in game.settings)):
        for _, choice in setting.choices:
            assert len(display_text(msg(setting.line, choice=choice))) <= LIMITS["item"]


def test_a_message_that_no_catalogue_has_is_seen_and_harmless() -> None:
    assert display_text(Msg("undo.steal_a_card")) == "steal a card"


def test_a_line_that_is_open_has_another_value() -> None:
    assert with_values(msg("item.named", seat=3, choice="Max"), choice="Mia") == msg("item.named", seat=3, choice="Mia")


def test_a_label_is_short_where_there_is_little_room() -> None:
    """The first seat's number with two letters; six letters in a line of text."""
    pair = Label((3, 7), "Christine")
    assert (pair.short, pair.called, TEXT_LETTERS) == ("3Ch", "Christ", 6)
    assert Label((1,), "Jo").called == "Jo"
