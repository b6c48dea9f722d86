"""Does a lie in the transition table break a test? `python -m tests.tablelies [--sample N] [--ways] [TEST ...]`.

For every row as it is declared, those that all games share and each game's own, these lies, one at a time:

- the row without one of its targets: a test that goes such a way runs with the altered table, and must be ended by the
  Engine's guard (`UndeclaredError`), which names the way;
- the row gone, and the row under another trigger: a test in which it was used runs with the altered table, and fails;
  a line of the knob's list works under whichever action it stands, so where no test fails mypy must refuse the row, for
  its handler takes another trigger;
- the row with one target more, a phase or a `Way`: no test goes there, so nothing fails while they run, and what is
  said at the end of `make check` (`tests.core.ways.lies`) must say it, of the ways that all tests really went.

`--ways` takes one target more finely out: of the row in one phase of one game alone, for each of the ways that are
declared; it says which of them no test goes.

Which test uses which row and goes which way is recorded by running all of them (`.table-ways`; later those alone whose
files have changed since); without names of tests these are the core's. Each try is a forked process in which tests are
collected already; no file is touched. A lie is tried on the quickest tests, `MOST` of them at most, and a test that
noticed one must pass without it. Exit status 1 when a lie goes unnoticed.
"""

# ruff: noqa: T201 -- a command

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from referee.core.match import advance as match
from referee.core.match import transition_table
from referee.core.match.transition_table import Key, leads, rows
from referee.core.model.menu import MenuAction
from referee.core.model.registry import all_games, game_of
from referee.core.model.state import State, Step
from referee.core.model.transitions import Game, Target, Transition, Way
from referee.core.presses.signals import Doubted
from referee.core.values import replace
from tests.core.ways import Walked, accounts_for, lies_of, phases, way
from tests.trials import Hasty

ROOT = Path(__file__).parent.parent
RECORD = ROOT / ".table-ways"
MOST = 40
"""So many tests are tried on a lie at most."""
MOST_TYPED = 5
"""So many where the type checker may notice it."""
MYPY = "mypy"
GUARD = "is none of its targets"
PASSED, FAILED, GUARDED, TOLD = 0, 1, 3, 4
"""How a process ends: a test's, where the guard is told from any other failure; a judgement's that says something."""


class Ran(NamedTuple):
    """A test: how long it took, and every way that it went; where a row led nowhere else, to "" (it was used)."""

    seconds: float
    ways: frozenset[Walked]


Record = Mapping[str, Ran]


# -- lies ----------------------------------------------------------------------------------------------------------


class Lie(NamedTuple):
    """One row said otherwise.

    tell: the table of this process has it from now on. noticed_by: the ways by one of which a test must go to notice
    it; guarded: whether the Engine's guard must be what ends the test. judged: for one that no test can meet, what is
    said at the end of `make check` of the row as it is in this process, from the ways that were walked.
    """

    said: str
    tell: Callable[[], None]
    noticed_by: tuple[Walked, ...] = ()
    guarded: bool = False
    judged: Callable[[set[Walked]], set[str]] | None = None
    typed: tuple[Transition, ...] = ()
    """Where the type checker may refuse it: the row as it is, and as it is told."""


def _rows_of(game: Game | None) -> tuple[Transition, ...]:
    """A game's own rows; None: those that all games share."""
    return transition_table.SHARED_ROWS if game is None else game.rows


def _put(game: Game | None, at: int, *instead: Transition) -> None:
    """The row at that place is from now on these."""
    told = (*_rows_of(game)[:at], *instead, *_rows_of(game)[at + 1 :])
    if game is None:
        vars(transition_table)["SHARED_ROWS"] = told
    else:
        game.rows = told
    for kept in vars(transition_table).values():
        if hasattr(kept, "cache_clear"):
            kept.cache_clear()


def removed_targets() -> Iterator[Lie]:
    """Each row without each of its targets."""
    for said, game, at, row in _declared_rows():
        for target in row.targets:
            ways = frozenset[Walked]().union(*(accounts_for(of, row, target) for of in _having(game)))
            if not ways:  # in this game another target of the row says the same, or it has no such phase
                continue
            left = tuple(other for other in row.targets if other is not target)
            tell = partial(_put, game, at, replace(row, targets=left))
            yield Lie(f"{said}, without {_called(target)}", tell, tuple(sorted(ways)), guarded=True)


def removed_rows() -> Iterator[Lie]:
    """Each row left out."""
    for said, game, at, row in _declared_rows():
        yield Lie(f"{said}, left out", partial(_put, game, at), _uses(game, row))


def moved_rows() -> Iterator[Lie]:
    """Each row under another trigger of its kind, that no other row of its phase has."""
    triggers = sorted({t for game in all_games() for _, t in rows(game)}, key=lambda t: t.__name__)
    for said, game, at, row in _declared_rows():
        others = {other.trigger for other in (*_rows_of(None), *_rows_of(game)) if other.phase is row.phase}
        of_a_kind = [t for t in triggers if issubclass(t, MenuAction) is issubclass(row.trigger, MenuAction)]
        after = [t for t in of_a_kind if t.__name__ > row.trigger.__name__] + of_a_kind
        trigger = next(t for t in after if t not in others)
        twin = replace(row, trigger=trigger)
        yield Lie(
            f"{said}, under {trigger.__name__}", partial(_put, game, at, twin), _uses(game, row), typed=(row, twin)
        )


def added_targets() -> Iterator[Lie]:
    """Each row with each target more that adds a way, in whichever game has the row."""
    for said, game, at, row in _declared_rows():
        named = sorted({phase.name for of in _having(game) for phase, _ in rows(of)})
        for target in (*named, *Way):
            twin = replace(row, targets=(*row.targets, target))
            if target not in row.targets and any(_adds(of, row, target) for of in _having(game)):
                judged = partial(_said_of, game, at)
                yield Lie(f"{said}, with {_called(target)}", partial(_put, game, at, twin), judged=judged)


def _said_of(game: Game | None, at: int, walked: set[Walked]) -> set[str]:
    return set(lies_of(game, _rows_of(game)[at], walked))


def removed_ways() -> Iterator[Lie]:
    """One target less in one phase of one game, for each way that is declared."""
    for game in all_games():
        for key, names in leads(game).items():
            for to in sorted(names):
                one = way(game, key, to)
                tell = partial(_lead_elsewhere, game, key, names - {to})
                yield Lie(f"{one.game}: {one.phase}, {one.trigger}, not to {to}", tell, (one,), guarded=True)


def _lead_elsewhere(game: Game, key: Key, names: frozenset[str]) -> None:
    vars(transition_table)["leads"] = {of: leads(of) for of in all_games()} | {game: {**leads(game), key: names}}
    vars(transition_table)["leads"] = vars(transition_table)["leads"].__getitem__


def _adds(game: Game, row: Transition, target: Target) -> bool:
    ways = leads(game)
    return any(
        transition_table.stands_for(game, phase, target) - ways[phase, row.trigger] for phase in phases(game, row)
    )


def _called(target: Target) -> str:
    return target if isinstance(target, str) else target.name


def _declared_rows() -> Iterator[tuple[str, Game | None, int, Transition]]:
    for game in (None, *all_games()):
        for at, row in enumerate(_rows_of(game)):
            whose = "every game" if game is None else type(game).__name__
            yield f"{whose}: {row.phase.__name__}, {row.trigger.__name__}", game, at, row


def _having(game: Game | None) -> tuple[Game, ...]:
    return all_games() if game is None else (game,)


def _uses(game: Game | None, row: Transition) -> tuple[Walked, ...]:
    """The row in each of its phases, wherever it leads."""
    return tuple(way(of, (phase, row.trigger), "") for of in _having(game) for phase in phases(of, row))


# -- tests ---------------------------------------------------------------------------------------------------------

_USED: set[Walked] = set()


def _listen() -> None:
    """From now on this process notes which rows answer, and where they lead."""
    dispatch = match.dispatch

    def noting(state: State, trigger: object) -> Step:
        step = dispatch(state, trigger)
        key: Key = (type(state.phase), type(trigger))
        game = game_of(state.table)
        if key in rows(game):
            _USED.add(way(game, key, ""))
            if type(step.state.phase) is not key[0]:
                _USED.add(way(game, key, step.state.phase.name))
        return step

    vars(match)["dispatch"] = noting
    match._HEAR[Doubted] = noting


def _run(item: pytest.Item, following: pytest.Item | None = None) -> int:
    """PASSED, FAILED, or GUARDED where the guard was what failed it."""
    reports = runtestprotocol(item, nextitem=following, log=False)
    failed = [report for report in reports if report.failed]
    if not failed:
        return PASSED
    return GUARDED if any(GUARD in report.longreprtext for report in failed) else FAILED


def _forked(work: Callable[[], int], cpu_s: float = resource.RLIM_INFINITY) -> int:
    """What `work` came to in a process of its own, which says nothing; FAILED where it came to no end."""
    pid = os.fork()
    if pid == 0:
        status = FAILED
        try:
            _silently()
            if cpu_s != resource.RLIM_INFINITY:
                used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
                resource.setrlimit(resource.RLIMIT_CPU, (int(used + cpu_s) + 1,) * 2)
            status = work()
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return FAILED if status < 0 else status


def _silently() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _shared(jobs: int, work: Callable[[int, Path], None]) -> Iterator[Path]:
    """That work done by so many processes; each is given its number and a file of its own, which is handed out."""
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place, str(job)) for job in range(jobs)]
        pids = []
        for job, file in enumerate(files):
            sys.stdout.flush()
            pids.append(os.fork())
            if pids[-1] == 0:
                status = 1
                try:
                    work(job, file)
                    status = 0
                finally:
                    sys.stdout.flush()
                    os._exit(status)
        if any(os.waitpid(pid, 0)[1] for pid in pids):
            raise SystemExit("a process that shared the work has failed")
        yield from files


def recorded(items: Sequence[pytest.Item], jobs: int) -> Record:
    """What each of the tests uses and walks; one that fails is no proof, and left out."""
    modules = [list(of) for _, of in groupby(items, key=lambda item: item.path)]

    def work(job: int, file: Path) -> None:
        _listen()
        _silently()
        ran: dict[str, tuple[float, list[Walked]] | None] = {}
        for module in modules[job::jobs]:
            for item, following in zip(module, [*module[1:], None], strict=True):
                _USED.clear()
                began = time.process_time()
                status = _run(item, following)
                ran[item.nodeid] = (time.process_time() - began, sorted(_USED)) if status == PASSED else None
        file.write_text(json.dumps(ran), encoding="utf-8")

    found: dict[str, tuple[float, list[list[str]]] | None] = {}
    for file in _shared(jobs, work):
        found |= json.loads(file.read_text(encoding="utf-8"))
    for test in (test for test, ran in found.items() if ran is None):
        print(f"  left out, for it fails without any lie: {test}", flush=True)
    return _from_json({test: ran for test, ran in found.items() if ran is not None})


def _on_record(items: Sequence[pytest.Item], jobs: int) -> Record:
    """What is on record of each of the tests, those recorded anew whose file has changed since."""
    known: Record = {}
    if RECORD.exists():
        known = _from_json(json.loads(RECORD.read_text(encoding="utf-8")))
    since = RECORD.stat().st_mtime if RECORD.exists() else 0
    new = [item for item in items if item.nodeid not in known or item.path.stat().st_mtime > since]
    if new:
        here = {item.nodeid for item in items}
        known = {test: ran for test, ran in known.items() if test in here} | dict(recorded(new, jobs))
        ran = {test: (one.seconds, sorted(one.ways)) for test, one in known.items()}
        RECORD.write_text(json.dumps(ran), encoding="utf-8")
    return known


def _from_json(ran: Mapping[str, tuple[float, list[list[str]]]]) -> Record:
    return {test: Ran(seconds, frozenset(Walked(*names) for names in ways)) for test, (seconds, ways) in ran.items()}


class Proof(NamedTuple):
    """What noticed a lie: a test, "" where `lies` did, `MYPY`; None: nothing."""

    lie: str
    test: str | None


class Tries:
    """Lies told to tests, quickest first."""

    def __init__(self, items: Iterable[pytest.Item], record: Record) -> None:
        self._items = {item.nodeid: item for item in items}
        self._record = record
        self._sound: dict[str, bool] = {}
        self._by_way = defaultdict[Walked, list[str]](list)
        for test, ran in record.items():
            for one in ran.ways if test in self._items else ():
                self._by_way[one].append(test)

    def candidates(self, lie: Lie) -> list[str]:
        """The tests that would meet the lie."""
        found = {test for one in lie.noticed_by for test in self._by_way[one]}
        return sorted(found, key=lambda test: (self._record[test].seconds, test))

    def noticed(self, lie: Lie) -> str | None:
        """The test that notices it and passes without it; None: none of those tried."""
        wanted = (GUARDED,) if lie.guarded else (FAILED, GUARDED)
        for test in self.candidates(lie)[: MOST_TYPED if lie.typed else MOST]:
            if self._status(test, lie) in wanted and self._is_sound(test):
                return test
        return None

    def _is_sound(self, test: str) -> bool:
        if test not in self._sound:
            self._sound[test] = self._status(test, None) == PASSED
        return self._sound[test]

    def _status(self, test: str, lie: Lie | None) -> int:
        def work() -> int:
            if lie is not None:
                lie.tell()
            return _run(self._items[test])

        return _forked(work, cpu_s=20 + 5 * self._record[test].seconds)


def tried(lies: Sequence[Lie], items: Sequence[pytest.Item], record: Record, jobs: int) -> list[Proof]:
    """Each of the lies told, and what noticed it."""
    walked = {one for ran in record.values() for one in ran.ways if one.to}

    def work(job: int, file: Path) -> None:
        tries = Tries(items, record)
        proofs = []
        for lie in lies[job::jobs]:
            test = _told_at_the_end(lie, lie.judged, walked) if lie.judged else tries.noticed(lie)
            proofs.append((lie.said, test))
        file.write_text(json.dumps(proofs), encoding="utf-8")

    files = _shared(jobs, work)
    found = [Proof(*proof) for file in files for proof in json.loads(file.read_text(encoding="utf-8"))]
    missed = {proof.lie for proof in found if proof.test is None}
    typed = refused([lie for lie in lies if lie.said in missed and lie.typed])
    return [Proof(proof.lie, MYPY) if proof.lie in typed else proof for proof in found]


def refused(lies: Sequence[Lie]) -> frozenset[str]:
    """Those of the lies whose altered row mypy refuses, and the row as it is not: each written on a line of its own."""
    if not lies:
        return frozenset()
    named = [_source(row) for lie in lies for row in lie.typed]
    modules = sorted({name.rpartition(".")[0] for line in named for name in line})
    imports = [f"import {module}" for module in (*modules, "referee.core.model.transitions")]
    written = [f'referee.core.model.transitions.Row({", ".join(line)}, (), "")' for line in named]
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "moved_rows.py")
        file.write_text("\n".join((*imports, *written)), encoding="utf-8")
        mypy = [sys.executable, "-m", "mypy", "--no-error-summary", str(file)]
        told = subprocess.run(mypy, cwd=ROOT, capture_output=True, text=True, check=False)
    wrong = {int(found[1]) for found in re.finditer(r"moved_rows\.py:(\d+): error", told.stdout)}
    pairs = ((lie, len(imports) + 1 + 2 * at) for at, lie in enumerate(lies))
    return frozenset(lie.said for lie, line in pairs if line not in wrong and line + 1 in wrong)


def _source(row: Transition) -> tuple[str, str, str]:
    return tuple(f"{part.__module__}.{part.__qualname__}" for part in (row.phase, row.trigger, row.handler))  # type: ignore[return-value]


def _told_at_the_end(lie: Lie, judged: Callable[[set[Walked]], set[str]], walked: set[Walked]) -> str | None:
    """ "" where more is said of the row with the lie than without it. In a process of its own, as a lie stays told."""

    def work() -> int:
        sane = judged(walked)
        lie.tell()
        return TOLD if judged(walked) - sane else PASSED

    return "" if _forked(work) == TOLD else None


# -- the command ---------------------------------------------------------------------------------------------------

KINDS: Mapping[str, Callable[[], Iterator[Lie]]] = {
    "target removed": removed_targets,
    "row removed": removed_rows,
    "row moved": moved_rows,
    "target added": added_targets,
}


class Trial:
    """A pytest plugin: in place of running the tests that were collected, it tries the lies on them."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.unnoticed = 0
        self.found = set[str]()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record, unless that has been done, then try."""
        jobs, whole = self.args.jobs, not self.args.tests
        record = _on_record(session.items, jobs) if whole else recorded(session.items, jobs)
        for kind, made in (*KINDS.items(), *((("way removed", removed_ways),) if self.args.ways else ())):
            lies = self._chosen(list(made()))
            if lies:
                self._try(kind, lies, session.items, record)
        return True

    def _chosen(self, lies: list[Lie]) -> list[Lie]:
        if self.args.lies:
            chosen = [lie for lie in lies if lie.said in self.args.lies]
            self.found |= {lie.said for lie in chosen}
            return chosen
        if self.args.sample:
            return Random(self.args.seed).sample(lies, min(self.args.sample, len(lies)))
        return lies

    def _try(self, kind: str, lies: Sequence[Lie], items: Sequence[pytest.Item], record: Record) -> None:
        proofs = tried(lies, items, record, self.args.jobs)
        for proof in proofs:
            if proof.test is None:
                print(f"  unnoticed: {proof.lie}")
        noticed = sum(proof.test is not None for proof in proofs)
        typed = sum(proof.test == MYPY for proof in proofs)
        self.unnoticed += len(proofs) - noticed
        by = f", {typed} of them by mypy alone" if typed else ""
        print(f"{kind}: {noticed} of {len(proofs)} noticed{by}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tests", nargs="*", metavar="TEST", help="try these tests alone, e.g. tests/core/test_hand.py")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sample", type=int, default=0, help="so many lies of each kind")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--ways", action="store_true", help="each way of each game, too; those that no test goes stay")
    parser.add_argument("--lie", dest="lies", action="append", default=[], help="this one, by its sentence")
    args = parser.parse_args()
    os.chdir(ROOT)
    trial = Trial(args)
    known = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is imported already
    options = ["-q", "-s", "-W", known, "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    status = pytest.main([*options, *(args.tests or ["tests/core"])], plugins=[Hasty(), trial])
    if strange := sorted(set(args.lies) - trial.found):
        raise SystemExit(f"no row can be told so: {strange[0]}")
    return int(status != 0 or trial.unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
