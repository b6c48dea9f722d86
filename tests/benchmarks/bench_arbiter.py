"""Measure debouncing and the arbiter: `python -m tests.benchmarks.bench_arbiter`.

Edges per second of processor time. Three loads: an evening of calls in which every contact bounces (the trace as
`referee arbitrate` folds it, and row by row as live play does, each call ruled when it falls), and one contact that
chatters at 5 kHz.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from referee.core.presses.arbiter import ArmedSpan, CallRules, arbitrate, rule, verdict_due_ns, with_press
from referee.core.presses.signals import Contact, Edge, Pressed, accept_edge, settle
from referee.core.units import MS, US, S
from tests.benchmarks.figures import Figure, at_least, table

LEAST_EDGES_A_SECOND = 50_000
ROUNDS = 7
STATIONS = tuple("12345678")
RULES = CallRules(latency_ns=0)
TEAMS = {station: station for station in STATIONS}


def evening(calls: int = 600, seed: int = 1) -> list[Edge]:
    """Return calls 5 s apart by two to eight players within 60 ms.

    Each press and release bounces for up to 4 ms.
    """
    dice = Random(seed)
    rows: list[Edge] = []
    for call in range(calls):
        for station in dice.sample(STATIONS, dice.randint(2, 8)):
            at_ns = call * 5 * S + dice.randrange(60 * MS)
            rows += _moved(dice, station, at_ns, closed=True)
            rows += _moved(dice, station, at_ns + 150 * MS, closed=False)
    return sorted(rows, key=lambda row: row.t_ns)


def _moved(dice: Random, station: str, at_ns: int, *, closed: bool) -> list[Edge]:
    """Return the edges of a contact that bounces to a level."""
    rows = [Edge(station, closed, at_ns, 40 * US)]
    for _ in range(dice.randint(0, 6)):
        at_ns += dice.randrange(100 * US, 700 * US)
        rows += [Edge(station, not closed, at_ns, 40 * US), Edge(station, closed, at_ns + 60 * US, 40 * US)]
        at_ns += 60 * US
    return rows


def live(rows: list[Edge]) -> int:
    """Fold row by row, rule each call as soon as possible, and return the number of verdicts."""
    contacts = {station: Contact(station) for station in STATIONS}
    armed, verdicts, locked_ns = ArmedSpan(RULES, TEAMS), 0, -1
    for order, row in enumerate(rows):
        due = verdict_due_ns(armed, contacts.values()) if armed.presses else None
        if due is not None and due < row.t_ns:
            for station, contact in contacts.items():
                contacts[station], signals = settle(contact, due)
                armed = _heard(armed, signals)
            verdicts, locked_ns = verdicts + 1, rule(armed).deadline_ns + RULES.lockout_ns
            armed = ArmedSpan(RULES, TEAMS)
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
    """Return the edges of one contact at 5 kHz."""
    return [Edge("1", order % 2 == 0, order * 200 * US) for order in range(count)]


def traced(rows: list[Edge]) -> int:
    """Return the verdicts on a recorded trace."""
    return len(arbitrate(rows, RULES))


LOADS: dict[str, tuple[Callable[[], list[Edge]], Callable[[list[Edge]], int]]] = {
    "a trace of bouncing contacts": (evening, traced),
    "the same row by row, ruled as it falls": (evening, live),
    "a contact chattering at 5 kHz": (chatter, traced),
}


def seconds(work: Callable[[list[Edge]], object], rows: list[Edge]) -> float:
    """Return the processor time of one run in seconds."""
    start = time.process_time()
    work(rows)
    return time.process_time() - start


def main() -> list[Figure]:
    """Return edges per second for each load."""
    figures = []
    for load, (make, work) in LOADS.items():
        rows = make()
        best = min(seconds(work, rows) for _ in range(ROUNDS))
        figures.append(
            at_least(f"debounce + arbiter, {load}", len(rows) / best, LEAST_EDGES_A_SECOND, "edges a second")
        )
    rows = evening()
    assert live(rows) == traced(rows)
    return figures


if __name__ == "__main__":
    print(table(main()))
