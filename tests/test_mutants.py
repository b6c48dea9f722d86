"""Mutation tests: a mistake is one, and those that are left out as equivalent are still in the code."""

from __future__ import annotations

import ast
import gc
import os
import re
import subprocess
import sys
import weakref
from collections.abc import Mapping
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from coverage import CoverageData

from tests import mutants, trials
from tests.mistakes import Mutant
from tests.mistakes import mutants as mistakes_in
from tests.mutants import functions_of, head_of, shown_words
from tests.swaps import Functions, swap
from tests.trials import ROOT, Came, Instead, forked, read


def test_each_mutant_is_the_module_with_one_mistake() -> None:
    """Told by line and kind; no two are alike, none is the module itself."""
    made = list(mistakes_in("def f(x):\n    if x < 2:\n        return x + 1\n    return min(x, 3)\n"))
    assert {(one.line, one.what) for one in made} >= {(2, "Lt -> LtE"), (3, "Add -> Sub"), (4, "min -> max")}
    assert len({one.source for one in made}) == len(made)
    for nothing in ("x = None", "if TYPE_CHECKING:\n        from a import b", "zip(x, y, strict=True)"):
        assert len(list(mistakes_in(f"def f(x, y):\n    {nothing}\n"))) == (1 if "zip" in nothing else 0), nothing


@pytest.mark.parametrize("name", mutants.EQUIVALENT)
def test_what_is_left_out_as_equivalent_is_there_and_has_a_reason(name: str) -> None:
    """An entry whose line has changed is to be looked at again."""
    everything = list(mistakes_in(mutants.TARGETS[name].path.read_text(encoding="utf-8")))
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
    target = mutants.TARGETS["cards/moves"]  # a field that a test reads or gives is named by it, too
    assert mutants.naming_tests(target, frozenset({"count"})) | mutants.naming_tests(target, frozenset({"more"}))


def test_a_field_s_default_has_the_tests_that_name_its_class() -> None:
    """Whoever leaves the field out names nothing else."""
    target = mutants.TARGETS["cards/moves"]
    source = "class CardMove(Value):\n    team: int\n    count: int = 1\n"
    (mistake,) = (one for one in mistakes_in(source) if one.what == "1 -> 2")
    wanted = "tests/core/cards/test_document.py::test_a_move_that_needs_no_place_may_leave_them_out"
    assert wanted in mutants.naming_tests(target, mistake.words)


def test_a_test_is_known_by_the_words_in_it() -> None:
    """By which the likeliest for a line are found; of one that is gone since it was recorded nothing is known."""
    here = "tests/test_mutants.py::test_a_test_is_known_by_the_words_in_it"
    assert "likeliest" in mutants.words_of(here)
    assert mutants.words_of(f"{here}[with-parameters]") == mutants.words_of(here)
    assert not mutants.words_of("tests/test_mutants.py::no_such_test")
    assert not mutants.words_of("tests/no_such_file.py::test")


def recorded(tmp_path: Path, gone: Mapping[str, Mapping[str, int]]) -> mutants.Gone:
    """A record in which these tests went through these modules' lines."""
    data = CoverageData(str(tmp_path / "lines"))
    for test, lines in gone.items():
        data.set_context(test)
        data.add_lines({str(mutants.TARGETS[name].path): [line] for name, line in lines.items()})
    data.write()
    return mutants.Gone(tmp_path / "lines")


def test_a_test_that_is_newer_than_the_record_is_tried_first(tmp_path: Path) -> None:
    """Of the module's own: whoever writes one against a survivor need not record every line anew."""
    target = mutants.TARGETS["cards/notation"]
    names = sorted(name for name in functions_of(target.tests[0]) if name.startswith("test_"))
    known, new = (f"{target.tests[0]}::{name}" for name in names[:2])
    gone = recorded(tmp_path, {known: {"cards/notation": 3}, "tests/test_names.py::test": {"names": 3}})
    tried = gone.tests(target, Mutant(3, "", ast.Module([], []), 0, lambda node: None))
    assert tried[-1] == known
    assert new in tried[:-1]
    assert known not in tried[:-1]


def test_a_test_that_coverage_leaves_out_is_not_newer(tmp_path: Path) -> None:
    """A record of `make check` does not know it, and it takes too long to be tried first on every mistake."""
    target = mutants.TARGETS["match/comeback"]
    slow = "test_a_default_of_another_release_changes_no_match_that_has_begun"
    (path,) = (path for path in target.tests if slow in functions_of(path))
    gone = recorded(tmp_path, {f"{path}::test_some_other": {"match/comeback": 3}})
    tried = gone.tests(target, Mutant(3, "", ast.Module([], []), 0, lambda node: None))
    assert f"{path}::{slow}" not in tried
    assert len(tried) > 1


TRACED = """
import sys

import pytest
from hypothesis import given, settings, strategies as st

from tens import ten
from tests import lines

def is_traced():
    return sys.gettrace() is not None

def test_quick():
    assert ten() == 10
    assert is_traced()

@pytest.mark.no_cover
def test_slow():
    assert ten() > 9
    assert is_traced() is OF_ALL

traced = []

@settings(max_examples=lines.TRACED + 5, derandomize=True, database=None)
@given(st.integers())
def test_any(one):
    traced.append(is_traced())

def test_its_examples():
    assert traced == [True] * lines.TRACED + [OF_ALL] * 5
"""
"""A suite that knows which of its tests a plugin traces."""


@pytest.mark.parametrize(
    ("option", "known"), [((), {"test_quick"}), (("--lines-of-all",), {"test_quick", "test_slow"})]
)
def test_a_line_is_kept_with_the_tests_that_went_through_it(
    option: tuple[str, ...], known: set[str], tmp_path: Path
) -> None:
    """Those that are marked no_cover are left out and not slowed down, in xdist's processes, too; or known with all.
    Of a property the first examples are traced, or all."""
    (tmp_path / "tens.py").write_text("def ten():\n    return 10\n", encoding="utf-8")
    (tmp_path / "test_tens.py").write_text(TRACED.replace("OF_ALL", f"{bool(option)}"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n1", "-p", "tests.lines", "--cov=tens", "--cov-report=", *option]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{ROOT}"}, check=True, capture_output=True)
    data = CoverageData(str(tmp_path / ".coverage"))
    data.read()
    (path,) = data.measured_files()
    assert {context.rpartition("::")[2] for context in data.contexts_by_lineno(path)[2]} == known


def test_a_constant_has_its_module_s_own_tests_too(tmp_path: Path) -> None:
    """By turns with those that go through a line which names it: a rulebook is data, and no test of it says TOPICS."""
    target = mutants.TARGETS["games/nertz/rulebook"]
    own = f"{target.tests[0]}::test_no_statement_is_for_nobody"
    gone = recorded(tmp_path, {own: {"names": 3}})
    (mistake,) = (one for one in mutants.seen("games/nertz/rulebook") if one.what == "'racing-demon' -> another text")
    tried = gone.tests(target, mistake)
    assert own in tried
    assert any(test.startswith("tests/language/test_rulebook.py::") for test in tried)


def test_a_mutant_has_its_module_s_file() -> None:
    """A test that reads beside the module finds its folder; without that a module could not be tried at all."""
    target = mutants.TARGETS["messages"]
    instead = Instead(target, next(mistakes_in(target.path.read_text(encoding="utf-8"))))
    spec = instead.find_spec("referee.core.messages", None)
    assert spec is not None
    assert module_from_spec(spec).__file__ == str(target.path)


TWICE = """
from functools import cache

TEN = 10

def plain(x):
    return x + 1

@cache
def kept(x):
    return x + 2

class Thing:
    def method(self, x):
        return [y + 3 for y in (x,)][0]

    @property
    def shown(self):
        return (lambda: 0 + 4)()

def made(x):
    def inner():
        return x + 5
    return inner

def asked():
    thing = Thing()
    return plain(1), kept(1), thing.method(1), thing.shown, made(1)()

BEFORE = asked()
"""


def test_functions_in_this_process_take_a_mistake(tmp_path: Path) -> None:
    """Plain ones, methods, properties, those inside others, those whose results are kept; no constant does."""
    path = tmp_path / "twice.py"
    path.write_text(TWICE, encoding="utf-8")
    spec = spec_from_file_location("twice", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    functions = Functions(str(tmp_path))
    assert module.asked() == (2, 3, 4, 4, 6)
    assert module.kept.cache_info().currsize
    swaps = {mutant.line: swap(path, mutant) for mutant in mistakes_in(TWICE) if mutant.what == "Add -> Sub"}
    for one in swaps.values():
        assert one is not None
        assert functions.has(one)
        functions.take(one)
    assert module.asked() == (0, -1, -2, -4, -4)
    (ten,) = (mutant for mutant in mistakes_in(TWICE) if mutant.what == "10 -> 11")
    assert swap(path, ten) is None


def test_whatever_else_lives_in_the_process_stops_no_search_for_functions(tmp_path: Path) -> None:
    """A weak reference to what is gone, and a built-in function whose results are kept, are passed over."""
    gone = {1}
    proxy, length = weakref.proxy(gone), cache(len)
    del gone
    gc.collect()
    assert {id(proxy), id(length)} <= set(map(id, gc.get_objects()))
    assert not Functions(str(tmp_path))._found


def test_what_a_forked_process_tells_says_which_test_noticed_something() -> None:
    """The one that failed, or in which it died; "" where it died before any; None where all have passed."""

    def came(*lines: str) -> Came:
        told = StringIO("".join(f"{line}\n" for line in lines))
        return read(told)

    assert came("begun a b", "passed 0.5 a b", "over") == Came(None, {"a b": 0.5})
    assert came("begun a", "passed 0.5 a", "begun c", "failed c") == Came("c", {"a": 0.5})
    assert came("begun a", "passed 0.5 a", "begun c") == Came("c", {"a": 0.5})
    assert came("begun a", "passed 0.5 a") == Came("", {"a": 0.5})
    assert came() == Came("", {})


def test_a_process_may_tell_more_than_a_pipe_holds() -> None:
    """Nobody reads it before it has ended, so a pipe would stop it for ever."""
    names = [f"{number}{'x' * 200}" for number in range(1000)]
    pid, told = forked(lambda told: told.writelines(f"passed 0.1 {name}\n" for name in names))
    os.waitpid(pid, 0)
    assert read(told) == Came(None, dict.fromkeys(names, 0.1))


def test_a_test_that_has_other_parameters_by_now_is_tried_with_these() -> None:
    """It was recorded under the old ones; what a file or a function has goes by turns, one of each first."""
    here = ("a.py::one[new]", "a.py::one[newer]", "b.py::two", "b.py::three")
    nobody_asked = SimpleNamespace(during=dict)
    found = trials.Trials([SimpleNamespace(nodeid=test) for test in here], nobody_asked)  # type: ignore[misc, arg-type]
    gc.unfreeze()
    assert list(found._each(["a.py::one[old]", "b.py"])) == [here[0], here[2], here[1], here[3]]
    assert list(found._each(["a.py::one[newer]", "c.py::gone"])) == [here[1], "c.py::gone"]


def test_a_line_is_known_by_its_function_s_first_line() -> None:
    """What it takes says of what its tests are; the lines between, a class and what stands beside do not."""
    text = [
        "class A:",
        "    def one(self, event: Left) -> None:",
        "        if event:",
        "",
        "            return",
        "two = 2",
    ]
    assert [head_of(text, line) for line in (1, 2, 3, 5, 6)] == ["", "", text[1], text[1], ""]


def test_a_message_s_key_stands_for_what_people_read() -> None:
    """Tests press and read as people do, so those with these words are the likeliest to notice."""
    assert shown_words('return msg("item.mute_seat", seat=3)') == {"Mute", "seat", "button"}
    assert shown_words("return number(table, seat)") == set()


def test_a_process_whose_imports_never_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in a constant may do that; it is noticed before any test."""
    monkeypatch.setattr(trials, "IMPORT_CPU_S", 0.5)
    pid, told = forked(lambda told: print(sum(0 for _ in count()), file=told))
    os.waitpid(pid, 0)
    assert read(told) == Came("", {})


def test_a_module_that_has_changed_since_the_record_is_named() -> None:
    """Which tests went through which of its lines is not known any more."""
    at_s = mutants.TARGETS["units"].path.stat().st_mtime
    assert mutants.changed_since_record(["units"], at_s) == []
    assert mutants.changed_since_record(["units"], at_s - 1) == ["units"]


def test_where_the_core_has_not_changed_nothing_is_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rather than everything, as where no module is named."""
    monkeypatch.setattr(mutants, "changed_since", lambda commit: [])
    monkeypatch.setattr(sys, "argv", ["mutants", "--since", "HEAD~20"])
    assert mutants.main() == 0
    assert capsys.readouterr().out == "no module of the core is otherwise than in HEAD~20\n"


def test_a_small_module_s_mistakes_are_tried() -> None:
    """All of it as `make mutants` does it, quickly and by imports: in functions and in constants."""
    argv = [sys.executable, "-m", "tests.mutants", "--jobs", "1", "--only", "8", "units"]
    run = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    told = re.search(r"^units: (\d+) of (\d+) mutants killed", run.stdout, re.MULTILINE)
    assert told, run.stdout + run.stderr
    killed, tried = int(told[1]), int(told[2])
    assert 8 <= tried <= killed + run.stdout.count("survived: referee/core/units.py:")
    assert run.returncode == (killed < 0.9 * tried)
