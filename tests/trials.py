"""Tests on mutants of one module after another, each in a forked process; what noticed which mistake.

Two ways: quickly, where the mistake is in functions that nobody has asked yet (`swaps.py`), with tests that are
collected already; or wholly, in a process that imports everything anew, the mutant in the module's place. A test that
notices something must pass without it; one that does not is left out, and said.
"""

# ruff: noqa: T201 -- a command's

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from math import comb
from pathlib import Path
from tempfile import TemporaryFile
from types import CodeType, ModuleType
from typing import IO, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tests.mistakes import Mutant
from tests.swaps import Asked, Functions, Swap, swap

ROOT = Path(__file__).parent.parent
LEAST_KILLED = 0.9
MEMORY = 4 * 2**30
CPU_S = 30
"""So long a test may take on a mutant, where nobody knows how long it takes without."""
IMPORT_CPU_S = 120
"""So long a process may take up to its first test: a mistake in a constant may make an import endless."""
STALLS = 20
"""A test that waits for what never comes takes no CPU time: it is ended after so many times what it may take."""
MOST_CPU_S = 20
"""After so long on one mutant no further test is begun: the likeliest have been tried."""
FIRST = 12
"""So many tests are tried at once where everything is imported anew; where they notice nothing, all others."""


@dataclass(frozen=True)
class Target:
    """A module and the tests that must notice its mistakes."""

    module: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        return ROOT / (self.module.replace(".", "/") + ".py")


class Chosen(NamedTuple):
    """A mutant, and the tests to be tried on it: the likeliest first."""

    mutant: Mutant
    tests: tuple[str, ...]


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


# -- in the forked process -----------------------------------------------------------------------------------------


class Instead(MetaPathFinder, InspectLoader):
    """Imports the mutant where the module is asked for."""

    def __init__(self, target: Target, mutant: Mutant) -> None:
        self.target, self.mutant = target, mutant

    def find_spec(self, name: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self.target.module:
            return None
        spec = spec_from_loader(name, self, origin=str(self.target.path))
        assert spec is not None
        spec.has_location = True  # so that it has a `__file__`, as the module itself
        return spec

    def get_source(self, fullname: str) -> str:
        return self.mutant.source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.mutant.made, str(self.target.path), "exec", dont_inherit=True)


class Hasty:
    """A pytest plugin: a failing example need not be made small, and a slow machine is no mistake of the mutant's."""

    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        phases = (Phase.explicit, Phase.reuse, Phase.generate)
        settings.register_profile("mutants", phases=phases, deadline=None, suppress_health_check=list(HealthCheck))
        settings.load_profile("mutants")


class Telling:
    """What a forked process tells of its tests, a line each time; as a pytest plugin, too.

    known: how many CPU seconds tests take without a mistake; a test that takes ten times as long is ended.
    """

    def __init__(self, told: IO[str], known: Mapping[str, float]) -> None:
        self._told, self._known = told, known
        self._since = self._began = time.process_time()
        self._failed = False

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """That test begins."""
        self._say("begun", nodeid)
        self._began = time.process_time()
        may_s = 5 + 10 * self._known[nodeid] if nodeid in self._known else CPU_S
        limit(may_s)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of it has come to that."""
        self._failed |= report.failed
        if report.when == "teardown":
            self.ended(report.nodeid, failed=self._failed)

    def ended(self, nodeid: str, *, failed: bool) -> None:
        """It is over."""
        self._say("failed" if failed else f"passed {time.process_time() - self._began:.3f}", nodeid)
        if not failed and time.process_time() - self._since > MOST_CPU_S:
            self._say("over")
            os._exit(0)

    def _say(self, *words: str) -> None:
        print(*words, file=self._told, flush=True)


def limit(cpu_s: float) -> None:
    """This process is ended after so many more CPU seconds, or where it waits for `STALLS` times as long."""
    soft = int(time.process_time() + cpu_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
    signal.alarm(int(STALLS * cpu_s))


class Came(NamedTuple):
    """What tests on a mutant came to: which noticed it ("": its import; None: none), how long the others took."""

    killer: str | None
    seconds: dict[str, float]


def forked(work: Callable[[IO[str]], None]) -> tuple[int, IO[str]]:
    """Begin that work in a silent process of its own. Its id, and what it tells, to be read when it has ended.

    That is a file: a pipe which nobody reads meanwhile stops whoever tells more than it holds.
    """
    told = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 -- whoever reads it closes it
    sys.stdout.flush()
    if pid := os.fork():
        return pid, told
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        limit(IMPORT_CPU_S)
        work(told)
        print("over", file=told, flush=True)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def read(told: IO[str]) -> Came:
    """What a process that has ended told. Ended in the middle of a test, that one noticed the mistake."""
    with told:
        told.seek(0)
        lines = told.read().splitlines()
    killer: str | None = ""
    seconds = {}
    for line in lines:
        what, _, rest = line.partition(" ")
        if what == "passed":
            took, _, test = rest.partition(" ")
            seconds[test] = float(took)
        killer = None if what == "over" else rest if what in ("begun", "failed") else ""
        if what == "failed":
            break
    return Came(killer, seconds)


def _quickly(telling: Telling, items: Iterable[pytest.Item]) -> None:
    """Run these tests, up to the first that fails."""
    for item in items:
        telling.pytest_runtest_logstart(item.nodeid)
        failed = any(report.failed for report in runtestprotocol(item, nextitem=None, log=False))
        telling.ended(item.nodeid, failed=failed)
        if failed:
            return


class Only:
    """A pytest plugin: of those that are collected, these tests in this order, and what there is by a mistake alone."""

    def __init__(self, tests: Sequence[str], known: Container[str]) -> None:
        self._order, self._known = {test: at for at, test in enumerate(tests)}, known

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Before they run."""
        kept = [item for item in items if item.nodeid in self._order or item.nodeid not in self._known]
        items[:] = sorted(kept, key=lambda item: self._order.get(item.nodeid, len(self._order)))


def _wholly(telling: Telling, instead: Instead | None, only: Only, tests: Sequence[str]) -> None:
    """Import everything anew, and run these tests."""
    for name in list(sys.modules):
        if name.partition(".")[0] in ("referee", "tests"):
            del sys.modules[name]
    if instead is not None:
        sys.meta_path.insert(0, instead)
    known = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is imported already, see above
    options = ["-x", "-q", "-W", known, "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    functions = dict.fromkeys(test.partition("[")[0] for test in tests)  # parameters may be otherwise by the mistake
    if pytest.main([*options, *functions], plugins=[Hasty(), only, telling]) not in (0, 5):
        raise SystemExit("they fail")


# -- all of them ---------------------------------------------------------------------------------------------------


class Try(NamedTuple):
    """A mutant with the tests that are tried next, quickly (`swap`) or wholly, and those after them."""

    mutant: Mutant
    tests: tuple[str, ...]
    swap: Swap | None = None
    later: tuple[str, ...] = ()


class Trials:
    """What tests notice; how long they take, and which noticed something, is learned on the way."""

    def __init__(self, items: Iterable[pytest.Item], asked: Asked) -> None:
        self._items = {item.nodeid: item for item in items}
        self._whole = defaultdict[str, list[str]](list)
        for test in self._items:
            self._whole[test.partition("::")[0]].append(test)
            self._whole[test.partition("[")[0]].append(test)
        self._functions = Functions()
        self._asked = asked.during()
        self._seconds: dict[str, float] = {}
        self._sound: dict[str, bool] = {}
        gc.freeze()

    def hunt(self, target: Target, chosen: Sequence[Chosen], jobs: int, until_s: float) -> Tally:
        """Try each of these mutants of the module; none is begun after that time of the monotonic clock."""
        tally, killers = Tally(), Counter[str]()
        waiting = iter(chosen)
        further = deque[Try]()
        running: dict[int, tuple[Try, IO[str]]] = {}
        while True:
            while len(running) < jobs and (one := self._next(target, further, waiting, killers, until_s)):
                pid, told = self._begun(target, one)
                running[pid] = one, told
            if not running:
                return tally
            pid, _ = os.wait()
            one, told = running.pop(pid)
            came = read(told)
            self._seconds |= {test: took for test, took in came.seconds.items() if test not in self._seconds}
            if came.killer is None:
                further.extend(self._after(target, one, tally))
            elif self.is_sound(came.killer):
                killers[came.killer] += 1
                tally.killed += 1
            else:
                further.append(one._replace(tests=tuple(test for test in one.tests if test != came.killer)))

    def _next(
        self, target: Target, further: deque[Try], waiting: Iterator[Chosen], killers: Counter[str], until_s: float
    ) -> Try | None:
        if further:
            return further.popleft()
        if time.monotonic() >= until_s or (one := next(waiting, None)) is None:
            return None
        ranked = self._ranked(dict.fromkeys(self._each(one.tests)), killers)
        if (quick := self._quick(target, one.mutant, ranked)) is not None:
            return quick
        return Try(one.mutant, ranked[:FIRST], later=ranked[FIRST:])

    def _each(self, tests: Iterable[str]) -> Iterator[str]:
        """The tests; where a file or a function is named, one of it, and when all have had their turn its others. One
        that has other parameters since it was recorded stands for its function."""
        others = []
        for test in tests:
            here = test if test in self._items or test in self._whole else test.partition("[")[0]
            first, *rest = self._whole.get(here, (here,))
            yield first
            others += rest
        yield from others

    def _ranked(self, tests: Iterable[str], killers: Counter[str]) -> tuple[str, ...]:
        """Soonest to notice something first: short ones, those that have done so before, and as they were given."""

        def rank(of: tuple[int, str]) -> float:
            at, test = of
            return (self._seconds.get(test, 0.2) + 0.02) / (killers[test] + 0.3 + 3 / (1 + at))

        fit = ((at, test) for at, test in enumerate(tests) if self._sound.get(test, True))
        return tuple(test for _, test in sorted(fit, key=rank))

    def _quick(self, target: Target, mutant: Mutant, tests: tuple[str, ...]) -> Try | None:
        """With the tests that have not asked these functions before; None: the mistake cannot be made so."""
        one = swap(target.path, mutant)
        if one is None or not self._functions.has(one):
            return None
        asked = set().union(*(self._asked.get(where, ()) for where, _ in one.codes))
        if Asked.EVERYWHERE in asked:
            return None
        quick = tuple(test for test in tests if test in self._items and test.partition("::")[0] not in asked)
        return Try(mutant, quick, one, tuple(test for test in tests if test not in set(quick)))

    def _begun(self, target: Target, one: Try) -> tuple[int, IO[str]]:
        def work(told: IO[str]) -> None:
            telling = Telling(told, self._seconds)
            if one.swap is None:
                _wholly(telling, Instead(target, one.mutant), Only(one.tests, self._items), one.tests)
            else:
                self._functions.take(one.swap)
                _quickly(telling, (self._items[test] for test in one.tests))

        return forked(work)

    def _after(self, target: Target, one: Try, tally: Tally) -> Iterator[Try]:
        """What follows where nothing was noticed."""
        if one.later:
            yield Try(one.mutant, one.later)
            return
        tally.survived.append(one.mutant)
        print(f"  survived: {target.path.relative_to(ROOT)}:{one.mutant.line}, {one.mutant.what}", flush=True)

    def is_sound(self, test: str) -> bool:
        """Whether it passes without any mistake; what is no test here ("", one that the mistake made) is taken so."""
        if test not in self._items:
            return True
        if test not in self._sound:
            pid, told = forked(lambda told: _quickly(Telling(told, self._seconds), [self._items[test]]))
            os.waitpid(pid, 0)
            came = read(told)
            self._seconds |= came.seconds
            self._sound[test] = came.killer is None
            if came.killer is not None:
                print(f"  left out, for it fails without any mistake: {test}", flush=True)
        return self._sound[test]

    def check_import(self, test: str) -> None:
        """SystemExit where a test fails that imports everything anew without any mistake: then nothing can be told."""
        pid, told = forked(lambda told: _wholly(Telling(told, {}), None, Only([test], self._items), [test]))
        os.waitpid(pid, 0)
        if read(told).killer is not None:
            raise SystemExit(f"{test} fails without any mistake")
