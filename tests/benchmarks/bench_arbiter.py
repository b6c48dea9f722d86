"""Debouncing and the arbiter: `python -m tests.benchmarks.bench_arbiter`. Edges a second of processor time.

Three loads: an evening of calls in which every contact bounces (the trace as `referee arbitrate` folds it, and row by
row as live play does, each call ruled when it falls), and one contact that chatters at 5 kHz. An earlier commit's core,
out of the repository's history, folds them too, in turn with this one: what a new rule costs is a ratio within one run.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from referee.core.presses.arbiter import ArmedSpan, CallRules, arbitrate, rule, verdict_due_ns, with_press
from referee.core.presses.signals import Contact, Edge, Pressed, accept_edge, settle
from referee.core.units import MS, US, S
from tests.benchmarks.figures import Figure, at_least, table

HERE = Path(__file__).parent
LEAST_EDGES_A_SECOND = 50_000
LEAST_RATIO = 0.95
BEFORE_CLOCKS = "a14f57a"
"""The last commit whose arbiter compared all presses by their whole errors."""
THEN = ("station", "closed", "t_ns", "err_ns", "arrived_ns")
"""What an edge row had there."""
ROUNDS = 7
STATIONS = tuple("12345678")
RULES = CallRules(latency_ns=0)
TEAMS = {station: station for station in STATIONS}


def evening(calls: int = 600, seed: int = 1) -> list[Edge]:
    """Calls 5 s apart by two to eight players within 60 ms; each press and release bounces for up to 4 ms."""
    dice = Random(seed)
    rows: list[Edge] = []
    for call in range(calls):
        for station in dice.sample(STATIONS, dice.randint(2, 8)):
            at_ns = call * 5 * S + dice.randrange(60 * MS)
            rows += _moved(dice, station, at_ns, closed=True)
            rows += _moved(dice, station, at_ns + 150 * MS, closed=False)
    return sorted(rows, key=lambda row: row.t_ns)


def _moved(dice: Random, station: str, at_ns: int, *, closed: bool) -> list[Edge]:
    """A contact goes to a level and bounces on the way."""
    rows = [Edge(station, closed, at_ns, 40 * US)]
    for _ in range(dice.randint(0, 6)):
        at_ns += dice.randrange(100 * US, 700 * US)
        rows += [Edge(station, not closed, at_ns, 40 * US), Edge(station, closed, at_ns + 60 * US, 40 * US)]
        at_ns += 60 * US
    return rows


def live(rows: list[Edge]) -> int:
    """Fold row by row and rule each call as soon as its verdict can fall; the number of verdicts."""
    contacts = {station: Contact(station) for station in STATIONS}
    armed, verdicts, locked_ns = ArmedSpan.open_span(RULES, TEAMS), 0, -1
    for order, row in enumerate(rows):
        due = verdict_due_ns(armed, contacts.values()) if armed.presses else None
        if due is not None and due < row.t_ns:
            for station, contact in contacts.items():
                contacts[station], signals = settle(contact, due)
                armed = _heard(armed, signals)
            verdicts, locked_ns = verdicts + 1, rule(armed).deadline_ns + RULES.lockout_ns
            armed = ArmedSpan.open_span(RULES, TEAMS)
        contacts[row.station], signals = accept_edge(contacts[row.station], row, order)
        if row.t_ns >= locked_ns:
            armed = _heard(armed, signals)
    return verdicts + bool(armed.presses)


def _heard(armed: ArmedSpan, signals: object) -> ArmedSpan:
    assert isinstance(signals, tuple)
    for signal in signals:
        if isinstance(signal, Pressed):
            armed = with_press(armed, signal.press)
    return armed


def chatter(count: int = 50_000) -> list[Edge]:
    """One contact at 5 kHz."""
    return [Edge("1", order % 2 == 0, order * 200 * US) for order in range(count)]


# -- beside what it was ----------------------------------------------------------------------------------------------


def as_it_was(commit: str) -> ModuleType | None:
    """That commit's own benchmark, over its core; None where the history is not here (a shallow clone, an archive)."""
    names = {
        f"referee.core.{name}": f"then_{name.rpartition('.')[2]}"
        for name in ("values", "presses.signals", "presses.arbiter")
    }
    names |= {name.replace(".presses", ""): new for name, new in names.items()}  # before the core had folders
    names["tests.benchmarks.bench_arbiter"] = "then_bench"
    sources = {}
    for name, new in names.items():
        path = name.replace(".", "/") + ".py"
        git = ["git", "-C", str(HERE), "show", f"{commit}:{path}"]
        shown = subprocess.run(git, capture_output=True, text=True, check=False, timeout=60)
        if not shown.returncode:
            sources[new] = shown.stdout
    if set(sources) != set(names.values()):
        return None
    for new, source in sources.items():
        for name, other in names.items():
            source = source.replace(name, other)
        sys.modules[new] = ModuleType(new)
        sys.modules[new].__file__ = __file__
        exec(compile(source, new, "exec"), vars(sys.modules[new]))
    then: Any = sys.modules["then_bench"]
    then.traced = lambda rows: len(then.arbitrate(rows, then.LAW))
    return sys.modules["then_bench"]


LOADS: dict[str, tuple[Callable[[], list[Any]], str]] = {
    "a trace of bouncing contacts": (evening, "traced"),
    "the same row by row, ruled as it falls": (evening, "live"),
    "a contact chattering at 5 kHz": (chatter, "traced"),
}


def traced(rows: list[Edge]) -> int:
    """The verdicts on a recorded trace."""
    return len(arbitrate(rows, RULES))


def seconds(work: Callable[[list[Any]], object], rows: list[Any]) -> float:
    """Of the processor, once."""
    start = time.process_time()
    work(rows)
    return time.process_time() - start


def main() -> list[Figure]:
    """Edges a second, and by how much that is more than before the arbiter knew of clocks."""
    then = as_it_was(BEFORE_CLOCKS)
    if then is None:
        print(f"debounce + arbiter: commit {BEFORE_CLOCKS} is not in this clone's history, so nothing is compared")
    figures = []
    for load, (make, work) in LOADS.items():
        rows, best, best_then = make(), float("inf"), float("inf")
        rows_then = [then.Edge(*(getattr(row, name) for name in THEN)) for row in rows] if then else []
        for _ in range(ROUNDS):
            best = min(best, seconds(globals()[work], rows))
            if then is not None:
                best_then = min(best_then, seconds(getattr(then, work), rows_then))
        figures.append(
            at_least(f"debounce + arbiter, {load}", len(rows) / best, LEAST_EDGES_A_SECOND, "edges a second")
        )
        if then is not None:
            figures.append(at_least(f"  its speed, {load}", best_then / best, LEAST_RATIO, "x", BEFORE_CLOCKS))
    rows = evening()
    assert live(rows) == traced(rows)
    return figures


if __name__ == "__main__":
    print(table(main()))
