"""Mutation tests of the core: `python -m tests.mutants [MODULE ...] [--since COMMIT] [--sample N] [--only N]`.

Each mutant is a module with one small mistake: another comparison, a constant one off, a condition turned round, a
statement left out. Its tests run in a forked process that imports the mutant in the module's place; a mutant that
they do not notice survives. Files are never touched. Exit status 1 when fewer than 90 % of a module's mutants die, or
of a sample over several modules. Which tests are a module's is what `test_mirror.py` says. All of them take a day.
"""

# ruff: noqa: T201 -- a command

from __future__ import annotations

import argparse
import ast
import copy
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from random import Random
from types import ModuleType

from tests.test_mirror import ELSEWHERE, MODULES, TESTS, mirrored

ROOT = Path(__file__).parent.parent
LEAST_KILLED = 0.9
MEMORY = 2 * 2**30
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
    "presses/signals": ("core/presses/test_arbiter.py",),
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


@dataclass(frozen=True)
class Mutant:
    """One mistake: where, what, and the whole module with it."""

    line: int
    what: str
    source: str


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
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in spared:
            continue
        for what, change in mistakes(node, id(node) in inside):
            twin = copy.deepcopy(tree)
            change(list(ast.walk(twin))[index])
            yield Mutant(getattr(node, "lineno", 0), what, ast.unparse(ast.fix_missing_locations(twin)))


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
        return spec_from_loader(name, self) if name == self.module else None

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
    finally:
        os._exit(status)


class _Hasty:
    """A pytest plugin: a failing example need not be made small, and a slow machine is no mistake of the mutant's."""

    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        phases = (Phase.explicit, Phase.reuse, Phase.generate)
        settings.register_profile("mutants", phases=phases, deadline=None, suppress_health_check=list(HealthCheck))
        settings.load_profile("mutants")


def _pytest(tests: Sequence[str]) -> int:
    """0 when all tests pass."""
    import pytest

    return int(pytest.main(["-x", "-q", f"--rootdir={ROOT}", *tests], plugins=[_Hasty()]) != 0)


@dataclass
class Tally:
    """What became of a module's mutants."""

    killed: int = 0
    survived: list[Mutant] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.killed / max(self.killed + len(self.survived), 1)

    @property
    def told(self) -> str:
        return f"{self.killed} of {self.killed + len(self.survived)} mutants killed, {self.share:.1%}"


def hunt(target: Target, chosen: Iterable[Mutant], jobs: int) -> Tally:
    """Run the tests on each of these mutants of the module."""
    limit_s = _sane(target, target.path.read_text(encoding="utf-8"))
    waiting = iter(chosen)
    running: dict[int, Mutant] = {}
    tally = Tally()
    while True:
        while len(running) < jobs and (mutant := next(waiting, None)):
            running[begun(target, mutant.source, limit_s)] = mutant
        if not running:
            return tally
        pid, status = os.wait()
        _count(tally, running.pop(pid), noticed=status != 0)


def drawn(names: Iterable[str], sample: int, only: int, seed: int) -> dict[str, list[Mutant]]:
    """The mutants to try, by module: `sample` of all, or about `only` of each, or (0) every one."""
    every = {name: list(mutants(TARGETS[name].path.read_text(encoding="utf-8"))) for name in names}
    if sample:
        all_of_them = [(name, mutant) for name, found in every.items() for mutant in found]
        picked = Random(seed).sample(all_of_them, min(sample, len(all_of_them)))
        return {name: [mutant for of, mutant in picked if of == name] for name in every}
    return {name: found[:: max(len(found) // only, 1)] if only else found for name, found in every.items()}


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
    args = parser.parse_args()
    if unknown := [name for name in args.targets if name not in TARGETS]:
        parser.error(f"{unknown[0]} is no module of the core, allowed are {', '.join(TARGETS)}")
    os.chdir(ROOT)
    names = args.targets or list(TARGETS)
    if args.since:
        names = [name for name in changed_since(args.since) if name in names]
    shares, whole = [], Tally()
    for name, chosen in drawn(names, args.sample, args.only, args.seed).items():
        if not chosen:
            continue
        with tempfile.TemporaryDirectory() as place:
            os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = place  # what one mutant's tests find helps with the next
            tally = hunt(TARGETS[name], chosen, args.jobs)
        print(f"{name}: {tally.told}", flush=True)
        shares.append(tally.share)
        whole = Tally(whole.killed + tally.killed, whole.survived + tally.survived)
    print(f"all: {whole.told}")
    return int(min([whole.share] if args.sample else shares, default=1.0) < LEAST_KILLED)


if __name__ == "__main__":
    sys.exit(main())
