"""docs/rules.md: every statement of the rules has a home that exists, and no answer of the rulebook is without one."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.rulefaults import FAULTS, Fault, breaks, named_tests
from tests.rules import FILES, SECTIONS, STATEMENTS, TABLE, document
from tests.screens.samples import samples

ROOT = Path(__file__).parents[1]
HOMES = [(row.said, *home.split(":")) for _, rows in SECTIONS for row in rows for home in row.homes.split()]


@cache
def names_in(path: str) -> frozenset[str]:
    """The names of a file's tests."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("said", "kind", "name"), HOMES)
def test_every_home_exists(said: str, kind: str, name: str) -> None:
    """A test by that name, a sample of a screen, a sentence of the rulebook; what the table judges is called so."""
    if kind in FILES:
        assert name in names_in(FILES[kind]), said
    elif kind == "screen":
        assert name in samples(), said
    else:
        assert kind in ("answer", "table")
        assert (TABLE in STATEMENTS[name].sources) == (kind == "table"), said


def test_no_sentence_of_the_rulebook_is_without_a_statement() -> None:
    assert set(STATEMENTS) == {name for _, kind, name in HOMES if kind in ("answer", "table")}


def test_every_statement_has_a_home_and_stands_once() -> None:
    """Each in its own words."""
    rows = [row for _, rows in SECTIONS for row in rows]
    assert all(row.homes for row in rows)
    assert len({row.said for row in rows}) == len(rows)


def test_the_document_is_what_is_generated() -> None:
    """`make docs` writes it."""
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == document()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.said)
def test_a_fault_is_to_be_found_in_the_code_of_a_rule(fault: Fault) -> None:
    """Its row names tests, and what it changes stands there once; so `make rule-faults` tries what it says."""
    assert named_tests(fault.said)
    assert fault.path.read_text(encoding="utf-8").count(fault.code) == 1
    assert fault.code != fault.fault
    ast.parse(fault.source)


def test_the_faults_are_sampled_over_the_rules() -> None:
    """The cards, a hand's score, the match, stuck tables, pairs, 31, Slap, Last one; no rule twice."""
    assert len({fault.said for fault in FAULTS}) == len(FAULTS) >= 25
    assert len({title for title, rows in SECTIONS for row in rows if row.said in {f.said for f in FAULTS}}) >= 8


@pytest.mark.parametrize("fault", FAULTS[:2], ids=lambda fault: fault.said)
def test_a_fault_in_a_rule_s_code_breaks_a_test_that_its_row_names(fault: Fault) -> None:
    """Two of them; `make rule-faults` tries all."""
    assert breaks(fault)
