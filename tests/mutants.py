"""Mutation tests of the core: `python -m tests.mutants [MODULE ...] [--since COMMIT] [--sample N] [--only N]`.

Each mutant is a module with one small mistake: another comparison, a constant one off, a condition turned round, a
statement left out. Tests run in a forked process that imports the mutant in the module's place; a mutant that they do
not notice survives. Files are never touched. Exit status 1 when fewer than 90 % of a module's mutants die, or of a
sample over several modules. All of them take a day.

Which tests: those that have gone through the mutant's line, by the contexts in `.coverage-lines`, which `make mutants`
records once (remove it, and it does again); first those that `test_mirror.py` says are the module's, then those that go
through the fewest lines, `MOST` of them. What runs at an import has no test of its own: a constant has those of the
lines that name it, and of the module's own those that do so themselves; a row of the transition table those of its
handler. Without `.coverage-lines` the mirror's tests are all. Mistakes that nobody can see are left out, and
`EQUIVALENT` says why.
"""

# ruff: noqa: T201 -- a command

from __future__ import annotations

import argparse
import ast
import copy
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from math import comb
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from coverage import CoverageData

from tests.test_mirror import ELSEWHERE, MODULES, TESTS, mirrored

ROOT = Path(__file__).parent.parent
LINES = ROOT / ".coverage-lines"
LEAST_KILLED = 0.9
MEMORY = 2 * 2**30
MOST = 60
"""So many tests are tried on a mutant at most."""
CPU_S = 60
"""So long they may take; the same tests without the mutant are tried for as long before it is called noticed."""
Change = Callable[[ast.AST], None]


@dataclass(frozen=True)
class Target:
    """A module and the tests that must notice its mistakes."""

    module: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        return ROOT / (self.module.replace(".", "/") + ".py")


FURTHER = {
    "presses/signals": ("core/presses/test_arbiter.py", "core/presses/test_live_calls.py"),
    "presses/arbiter": (
        "core/presses/test_promises.py",
        "core/presses/test_live_calls.py",
        "core/presses/test_last_press.py",
    ),
    "pods/link": ("core/pods/test_link_lost.py", "core/pods/test_strangers.py"),
    "games/nertz/cards": ("core/cards/test_options.py", "core/cards/test_document.py"),
}
"""Tests beside those that the mirror names."""


def every_target() -> dict[str, Target]:
    """The core's modules by their paths in it ("presses/signals"), each with the tests that `test_mirror` names."""
    found = {}
    for module in (module for module in MODULES if module.startswith("core/")):
        name = module.removeprefix("core/").removesuffix(".py")
        tests: tuple[str, ...] = (mirrored(module),)
        if not TESTS.issuperset(tests):
            places = [place for place in ELSEWHERE if module == place or module.startswith(place)]
            tests = ELSEWHERE[max(places, key=len)]
        tests = tuple(f"tests/{test}" for test in (*tests, *FURTHER.get(name, ())))
        found[name] = Target(f"referee.core.{name.replace('/', '.')}", tests)
    return found


TARGETS = every_target()

EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {
    "model/account": {
        ('sign = "-" if score < 0 else ""', "Lt -> LtE"): "0 has been written as a whole number before",
    },
    "clocks/constraints": {
        ("if u_ns <= wander.turn_ns:", "LtE -> Lt"): (
            "the parabola ends where the straight line begins: at that very distance both say the same"
        ),
        ("if right[0] <= 0:", "LtE -> Lt"): (
            "a constraint at the very time bounds the height whatever the rate; a bridge that ends there has its height"
        ),
        ("if left[0] >= 0:", "GtE -> Gt"): "as on the other side: a bridge that begins at the very time has its height",
        ("if left[0] >= 0:", "0 -> 1"): "the same: times are whole numbers",
        ("left, right = (constraint, right) if constraint[0] <= 0 else (left, constraint)", "LtE -> Lt"): (
            "what stands at the very time ends the bridge on either side: its height is the constraint's"
        ),
    },
    "clocks/fit": {
        ("then = at_ns < self.newest_ns", "Lt -> LtE"): (
            "at the newest stamp itself the rates are then one part of 10^15 wider: 10^-6 ns at the farthest constraint"
        ),
        ("newest_ns: int = 0", "0 -> 1"): "where a fit knows nothing it may have every rate at any time",
    },
    "clocks/spans": {
        ("NONE_NS = 2**63", "2 -> 3"): "any number will do that is beyond all instants",
        ("NONE_NS = 2**63", "63 -> 64"): "any number will do that is beyond all instants",
    },
}
"""Mistakes that nobody can see, and why: module -> (its line without the indent, what) -> the reason. None is tried."""


@dataclass(frozen=True)
class Mutant:
    """One mistake: where, what, and how it is made in the module."""

    line: int
    what: str
    tree: ast.Module
    index: int
    change: Change
    words: frozenset[str] = frozenset()
    """At the top of a module or a class: the names in its statement, by which its tests are found."""

    @property
    def source(self) -> str:
        """The whole module with the mistake."""
        twin = copy.deepcopy(self.tree)
        self.change(list(ast.walk(twin))[self.index])
        return ast.unparse(ast.fix_missing_locations(twin))


# -- mistakes ------------------------------------------------------------------------------------------------------

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list"}
_LEFT_OUT = ast.Constant(None)


def mistakes(node: ast.AST, statement: bool) -> Iterator[tuple[str, Change]]:
    """What can be done to a node, in place."""
    match node:
        case ast.Compare():
            for index, op in enumerate(node.ops):
                yield from _swap(type(op), _COMPARED, lambda n, new, i=index: n.ops.__setitem__(i, new()))
        case ast.BinOp() | ast.AugAssign():
            yield from _swap(type(node.op), _RECKONED, lambda n, new: setattr(n, "op", new()))
        case ast.BoolOp():
            other = ast.Or if isinstance(node.op, ast.And) else ast.And
            yield f"-> {other.__name__.lower()}", lambda n: setattr(n, "op", other())
        case ast.If() | ast.IfExp() | ast.While():
            yield "condition turned round", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))  # type: ignore[attr-defined]
        case ast.Constant(value=bool(value)):
            yield f"-> {not value}", lambda n: setattr(n, "value", not value)
        case ast.Constant(value=int(number)):
            yield f"{number} -> {number + 1}", lambda n: setattr(n, "value", number + 1)
        case ast.Constant(value=str(text)):
            yield f"{text[:20]!r} -> another text", lambda n: setattr(n, "value", f"XX{text}")
        case ast.Return(value=ast.Constant(value=None)):
            pass
        case ast.Return(value=ast.expr()) | ast.Assign() if statement:
            yield "value left out", lambda n: setattr(n, "value", _LEFT_OUT)
        case ast.Expr(value=ast.Call()):
            yield "call left out", lambda n: setattr(n, "value", _LEFT_OUT)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLED:
            yield f"{name} -> {_CALLED[name]}", lambda n: _call(n, _CALLED[name])
        case ast.comprehension(ifs=[_, *_]):
            yield "filter left out", lambda n: setattr(n, "ifs", [])


def _swap(kind: type, table: dict[type, type], put: Callable[..., None]) -> Iterator[tuple[str, Change]]:
    if kind in table:
        yield f"{kind.__name__} -> {table[kind].__name__}", lambda n: put(n, table[kind])


def _call(node: ast.AST, name: str) -> None:
    assert isinstance(node, ast.Call)
    node.func = ast.Name(name, ast.Load())
    if name == "list":
        node.keywords = []


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its text."""
    tree = ast.parse(source)
    spared = _spared(tree)
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    words = _words(tree)
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in spared:
            continue
        for what, change in mistakes(node, id(node) in inside):
            named = words.get(id(node), frozenset())
            yield Mutant(getattr(node, "lineno", 0), what, tree, index, change, named)


def _words(tree: ast.AST) -> dict[int, frozenset[str]]:
    """The names in what stands at the top of a module or a class, a row of the transition table for itself."""
    found: dict[int, frozenset[str]] = {}
    tops = [n for part in ast.walk(tree) if isinstance(part, ast.Module | ast.ClassDef) for n in part.body]
    rows = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") in ("Row", "Setting")]
    for node in (*(n for n in tops if isinstance(n, ast.Assign | ast.AnnAssign | ast.Expr)), *rows):
        named = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        found |= {id(n): named for n in ast.walk(node)}
    return found


def _spared(tree: ast.AST) -> set[int]:
    """What is no behaviour: annotations, decorators, docstrings, assertions' sentences, f-strings' formats, imports."""
    spared: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        match node:
            case ast.FunctionDef():
                parts = [*node.decorator_list, node.returns]
            case ast.ClassDef():
                parts = [*node.decorator_list]
            case ast.arg() | ast.AnnAssign():
                parts = [node.annotation]
            case ast.Expr(value=ast.Constant()):
                parts = [node]
            case ast.Call(func=ast.Name(id="Row"), args=[_, _, _, _, meaning, *_]):
                parts = [meaning]  # said in a document alone
            case ast.Import() | ast.ImportFrom() | ast.FormattedValue(format_spec=ast.JoinedStr()) | ast.Assert():
                parts = [node]
        spared |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return spared


# -- tests ---------------------------------------------------------------------------------------------------------


class _Instead(MetaPathFinder, InspectLoader):
    """Imports the mutant where the module is asked for."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self.module:
            return None
        spec = spec_from_loader(name, self, origin=str(Target(name, ()).path))
        assert spec is not None
        spec.has_location = True  # so that it has a `__file__`, as the module itself
        return spec

    def get_source(self, fullname: str) -> str:
        return self.source


def begun(target: Target, source: str, cpu_s: int, log: str = os.devnull) -> int:
    """Fork: run the target's tests on that source. The process's id; it ends with 0 when nothing was noticed."""
    pid = os.fork()
    if pid:
        return pid
    told = os.open(log, os.O_RDWR | os.O_CREAT, 0o600)
    for stream in (0, 1, 2):
        os.dup2(told, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    status = 1
    try:
        sys.meta_path.insert(0, _Instead(target.module, source))
        status = _pytest(target.tests)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class Hasty:
    """A pytest plugin: a failing example need not be made small, and a slow machine is no mistake of the mutant's."""

    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        phases = (Phase.explicit, Phase.reuse, Phase.generate)
        settings.register_profile("mutants", phases=phases, deadline=None, suppress_health_check=list(HealthCheck))
        settings.load_profile("mutants")


def _pytest(tests: Sequence[str]) -> int:
    """0 when all tests pass."""
    known = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is imported already, see above
    options = ["-x", "-q", "-W", known, "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    return int(pytest.main([*options, *tests], plugins=[Hasty()]) != 0)


class Gone:
    """Which tests went through which line of the core, as `.coverage-lines` has it."""

    def __init__(self) -> None:
        self._by_line: dict[str, Mapping[int, Sequence[str]]] = {}
        self._width = Counter[str]()
        data = CoverageData(str(LINES))
        data.read()
        for path in data.measured_files():
            module = Path(path).relative_to(ROOT).as_posix()
            lines = {
                line: [context.partition("|")[0] for context in contexts if "::" in context]
                for line, contexts in data.contexts_by_lineno(path).items()
            }
            self._by_line[module] = lines
            for tests in lines.values():
                self._width.update(tests)
        self._text = {module: (ROOT / module).read_text(encoding="utf-8").splitlines() for module in self._by_line}

    def tests(self, target: Target, mutant: Mutant) -> tuple[str, ...]:
        """Those to be tried on that mutant, at most `MOST`: the module's own, then the narrowest."""
        module = target.path.relative_to(ROOT).as_posix()
        found = set(self._by_line.get(module, {}).get(mutant.line, ()))
        found |= set() if found else self._naming(module, mutant.words) | naming_tests(target, mutant.words)
        if not found:
            return target.tests
        own = {test for test in found if test.partition("::")[0] in target.tests}
        ranked = sorted(found, key=lambda test: (test not in own, self._width[test], test))
        return tuple(ranked[:MOST])

    def _naming(self, module: str, words: frozenset[str]) -> set[str]:
        """The tests that went through a line of this module, or of one that imports from it, with one of these names;
        a function's name means all of its lines."""
        found = defaultdict[str, set[str]](set)
        for word in words - {"Row", "Setting", "msg", "ClassVar", "Transition", "tuple", "str", "int"}:
            named = re.compile(rf"\b{word}\b")
            for place, text in self._text.items():
                if place != module and not any("import" in line and named.search(line) for line in text):
                    continue
                for number, line in enumerate(text, 1):
                    if named.search(line):
                        body = range(number + 1, number + 8) if re.match(rf"\s*def {word}\b", line) else [number]
                        for at in body:
                            found[word].update(self._by_line[place].get(at, ()))
        few = sorted((tests for tests in found.values() if tests), key=len)
        return set().union(*few[:3])


def naming_tests(target: Target, words: frozenset[str]) -> set[str]:
    """The module's own tests in which one of these names stands: who holds a constant goes through no line of it."""
    found = set()
    for path in target.tests:
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
            names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and names & words:
                found.add(f"{path}::{node.name}")
    return found


@dataclass
class Tally:
    """What became of a module's mutants."""

    killed: int = 0
    survived: list[Mutant] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return self.killed + len(self.survived)

    @property
    def share(self) -> float:
        return self.killed / max(self.tried, 1)

    @property
    def told(self) -> str:
        return f"{self.killed} of {self.tried} mutants killed, {self.share:.1%}"

    @property
    def is_too_few(self) -> bool:
        """Whether a sample says that fewer than 90 % of all die: with 90 % it would be so low once in 100 times."""
        chance = sum(
            comb(self.tried, n) * LEAST_KILLED**n * (1 - LEAST_KILLED) ** (self.tried - n)
            for n in range(self.killed + 1)
        )
        return chance < 0.01


def hunt(target: Target, chosen: Iterable[Mutant], jobs: int, gone: Gone | None, until_s: float) -> Tally:
    """Run the tests on each of these mutants of the module, until that time of the monotonic clock."""
    source = target.path.read_text(encoding="utf-8")
    chosen = list(chosen)
    first = Target(target.module, gone.tests(target, chosen[0])) if gone else target
    limit_s = max(_sane(first, source), CPU_S if gone else 0)
    waiting = iter(chosen)
    running: dict[int, tuple[Mutant, Target]] = {}
    tally = Tally()
    while True:
        while len(running) < jobs and time.monotonic() < until_s and (mutant := next(waiting, None)):
            tests = Target(target.module, gone.tests(target, mutant)) if gone else target
            running[begun(tests, mutant.source, limit_s)] = mutant, tests
        if not running:
            return tally
        pid, status = os.wait()
        mutant, tests = running.pop(pid)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) and gone:
            status = 0 if os.waitstatus_to_exitcode(os.waitpid(begun(tests, source, limit_s), 0)[1]) else status
        _count(tally, mutant, noticed=status != 0)


def drawn(names: Iterable[str], sample: int, only: int, seed: int) -> dict[str, list[Mutant]]:
    """The mutants to try, by module: `sample` of all, or about `only` of each, or (0) every one."""
    every = {name: seen(name) for name in names}
    if sample:
        all_of_them = [(name, mutant) for name, found in every.items() for mutant in found]
        picked = Random(seed).sample(all_of_them, min(sample, len(all_of_them)))
        return {name: [mutant for of, mutant in picked if of == name] for name in every}
    return {name: found[:: max(len(found) // only, 1)] if only else found for name, found in every.items()}


def seen(name: str) -> list[Mutant]:
    """A module's mutants but for those that are equivalent. SystemExit where an entry of those fits no mutant."""
    source = TARGETS[name].path.read_text(encoding="utf-8")
    lines = source.splitlines()
    found = [(mutant, (lines[mutant.line - 1].strip(), mutant.what)) for mutant in mutants(source)]
    known = EQUIVALENT.get(name, {})
    if stale := known.keys() - {place for _, place in found}:
        raise SystemExit(f"{name} has no mutant {min(stale)}: EQUIVALENT is to be looked at again")
    return [mutant for mutant, place in found if place not in known]


def changed_since(commit: str) -> list[str]:
    """The modules that are otherwise than in that commit. SystemExit for one that git does not know."""
    git = ["git", "diff", "--name-only", commit, "--", "referee/core"]
    told = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False)
    if told.returncode:
        raise SystemExit(f"{commit} is no commit here")
    return [path.removeprefix("referee/core/").removesuffix(".py") for path in told.stdout.split()]


def _sane(target: Target, source: str) -> int:
    """The module as it is must pass, unparsed like a mutant; the CPU seconds that a mutant's tests may take."""
    with tempfile.TemporaryDirectory() as place:
        log = Path(place, "log")
        _, status, usage = os.wait4(begun(target, ast.unparse(ast.parse(source)), 600, str(log)), 0)
        if status:
            told = log.read_text(encoding="utf-8", errors="replace")
            raise SystemExit(f"{told}\n{target.module}: its tests fail without any mistake")
    return round(usage.ru_utime * 2) + 5


def _count(tally: Tally, mutant: Mutant, *, noticed: bool) -> None:
    if noticed:
        tally.killed += 1
    else:
        tally.survived.append(mutant)
        print(f"  survived: line {mutant.line}, {mutant.what}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation tests of the core's modules, all of them if none is named.")
    parser.add_argument("targets", nargs="*", metavar="MODULE", help="its path in the core, e.g. presses/signals")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, default=0, help="try about this many mutants a module")
    parser.add_argument("--sample", type=int, default=0, help="try this many mutants of all modules together")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--since", metavar="COMMIT", help="only of modules that have changed since then")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further mutant after so long")
    args = parser.parse_args()
    if unknown := [name for name in args.targets if name not in TARGETS]:
        parser.error(f"{unknown[0]} is no module of the core, allowed are {', '.join(TARGETS)}")
    os.chdir(ROOT)
    names = args.targets or list(TARGETS)
    if args.since:
        names = [name for name in changed_since(args.since) if name in names]
    gone = Gone() if LINES.exists() else None
    until_s = time.monotonic() + args.seconds
    least, whole = True, Tally()
    for name, chosen in drawn(names, args.sample, args.only, args.seed).items():
        if not chosen:
            continue
        with tempfile.TemporaryDirectory() as place:
            os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = place  # what one mutant's tests find helps with the next
            tally = hunt(TARGETS[name], chosen, args.jobs, gone, until_s)
        if not tally.tried:
            continue
        print(f"{name}: {tally.told}", flush=True)
        least = least and (bool(args.sample) or tally.share >= LEAST_KILLED)
        whole = Tally(whole.killed + tally.killed, whole.survived + tally.survived)
    print(f"all: {whole.told}")
    return int(not least or (bool(args.sample) and whole.is_too_few))


if __name__ == "__main__":
    sys.exit(main())
