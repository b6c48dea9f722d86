"""Mutation tests: a mistake is one, and those that are left out as equivalent are still in the code."""

from __future__ import annotations

from importlib.util import module_from_spec

import pytest

from tests import mutants


def test_each_mutant_is_the_module_with_one_mistake() -> None:
    """Told by line and kind; no two are alike, none is the module itself."""
    made = list(mutants.mutants("def f(x):\n    if x < 2:\n        return x + 1\n    return min(x, 3)\n"))
    assert {(one.line, one.what) for one in made} >= {(2, "Lt -> LtE"), (3, "Add -> Sub"), (4, "min -> max")}
    assert len({one.source for one in made}) == len(made)


@pytest.mark.parametrize("name", mutants.EQUIVALENT)
def test_what_is_left_out_as_equivalent_is_there_and_has_a_reason(name: str) -> None:
    """An entry whose line has changed is to be looked at again."""
    everything = list(mutants.mutants(mutants.TARGETS[name].path.read_text(encoding="utf-8")))
    left = mutants.seen(name)
    assert len(everything) - len(left) >= len(mutants.EQUIVALENT[name])
    assert all(len(reason) > 20 for reason in mutants.EQUIVALENT[name].values())


def test_an_entry_that_fits_no_mutant_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """By module and place."""
    monkeypatch.setitem(mutants.EQUIVALENT, "clocks/fit", {("then = 1", "Lt -> LtE"): "no such line is there any more"})
    with pytest.raises(SystemExit, match="clocks/fit has no mutant"):
        mutants.seen("clocks/fit")


def test_a_constant_has_the_tests_that_name_it() -> None:
    """Whoever says what its value is goes through no line of the module."""
    target = mutants.TARGETS["clocks/constraints"]
    named = mutants.naming_tests(target, frozenset({"MOST_CONSTRAINTS"}))
    assert f"{target.tests[0]}::test_the_model_is_what_the_documents_say" in named
    assert not mutants.naming_tests(target, frozenset({"no_such_name"}))


def test_a_mutant_has_its_module_s_file() -> None:
    """A test that reads beside the module finds its folder; without that a module could not be tried at all."""
    spec = mutants._Instead("referee.core.messages", "").find_spec("referee.core.messages", None)
    assert spec is not None
    assert module_from_spec(spec).__file__ == str(mutants.TARGETS["messages"].path)
