"""Debouncing and the arbiter: `python -m tests.benchmarks.bench_arbiter`. Edges a second, absolute figures.

Three loads: an evening of calls in which every contact bounces (the trace as `referee arbitrate` folds it, and row by
row as live play does, each call ruled when it falls), and one contact that chatters at 5 kHz.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from referee.core.arbiter import Court, Law, arbitrate, press, rule, verdict_due_ns
from referee.core.signals import Contact, Edge, Pressed, meet, settle
from referee.core.units import MS, US, S

LEAST_EDGES_A_SECOND = 50_000
STATIONS = tuple("12345678")
LAW = Law(latency_ns=0)
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
    court, verdicts, locked_ns = Court.opened(LAW, TEAMS), 0, -1
    for order, row in enumerate(rows):
        due = verdict_due_ns(court, contacts.values()) if court.presses else None
        if due is not None and due < row.t_ns:
            for station, contact in contacts.items():
                contacts[station], signals = settle(contact, due)
                court = _heard(court, signals)
            verdicts, locked_ns = verdicts + 1, rule(court).deadline_ns + LAW.lockout_ns
            court = Court.opened(LAW, TEAMS)
        contacts[row.station], signals = meet(contacts[row.station], row, order)
        if row.t_ns >= locked_ns:
            court = _heard(court, signals)
    return verdicts + bool(court.presses)


def _heard(court: Court, signals: object) -> Court:
    assert isinstance(signals, tuple)
    for signal in signals:
        if isinstance(signal, Pressed):
            court = press(court, signal.press)
    return court


def chatter(count: int = 50_000) -> list[Edge]:
    """One contact at 5 kHz."""
    return [Edge("1", order % 2 == 0, order * 200 * US) for order in range(count)]


def edges_a_second(rows: list[Edge], work: Callable[[list[Edge]], object], rounds: int = 5) -> float:
    """The best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work(rows)
        best = min(best, time.perf_counter() - start)
    return len(rows) / best


def main() -> None:
    rows = evening()
    verdicts = len(arbitrate(rows, LAW))
    figures = {
        f"a trace of {len(rows)} bouncing edges, {verdicts} calls": edges_a_second(rows, lambda r: arbitrate(r, LAW)),
        "the same row by row, ruled as it falls": edges_a_second(rows, live),
        "a contact chattering at 5 kHz": edges_a_second(chatter(), lambda r: arbitrate(r, LAW)),
    }
    for load, figure in figures.items():
        print(f"debounce + arbiter, {load}: {figure:,.0f} edges a second (absolute)")
    assert live(rows) == verdicts
    assert min(figures.values()) >= LEAST_EDGES_A_SECOND, f"fewer than {LEAST_EDGES_A_SECOND:,} edges a second"


if __name__ == "__main__":
    main()
