"""Check the promise on the facts of one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy

from referee.core.match.engine import Engine
from referee.core.model.events import Fact, Ruled
from referee.core.presses.arbiter import AGE_NS, CalledPress, Verdict
from referee.core.presses.signals import Edge
from referee.core.units import MS, S

W_NS = 20 * MS
Log = list[tuple[int, Sequence[Fact]]]
"""Facts with the host's time at which they are taken."""


def verdict_on(engine: Engine, log: Log, honest: str) -> Verdict | None:
    """Take the facts; return the verdict on the call that the honest press belongs to, None if there is none."""
    engine = copy(engine)
    engine.take()
    for now_ns, facts in log:
        engine.intake(facts, now_ns)
    engine.intake([], log[-1][0] + 20 * S)  # a verdict waits as long as a stamp may be early, here for seconds
    ruled = (event.verdict for _, event in engine.take().rows if isinstance(event, Ruled))
    return next((verdict for verdict in ruled if press_of(verdict, honest) is not None), None)


def press_of(verdict: Verdict, station: str) -> CalledPress | None:
    return next((press for press in verdict.presses if press.station == station), None)


def is_named(verdict: Verdict | None, station: str) -> bool:
    """Return whether the verdict names the station, with or without doubt."""
    return verdict is not None and station in verdict.callers


def is_broken(engine: Engine, log: Log, honest: str, liar: str) -> bool:
    """Return whether rows that arrive too late have made the liar a caller.

    engine: its state before the facts. Both stations are teams of their own.
    """
    verdict = verdict_on(engine, log, honest)
    if not is_named(verdict, liar):
        return False
    assert verdict is not None
    own, other = press_of(verdict, honest), press_of(verdict, liar)
    assert own is not None
    assert other is not None
    ends_ns = own.t_ns + W_NS + AGE_NS + own.err_ns + other.err_ns
    without: Log = [(now_ns, list(in_time(facts, liar, ends_ns))) for now_ns, facts in log]
    return not is_named(verdict_on(engine, without, honest), liar)


def in_time(facts: Iterable[Fact], liar: str, ends_ns: int) -> Iterable[Fact]:
    """Yield the facts without rows of the liar that arrive after `ends_ns`."""
    return (f for f in facts if not (isinstance(f, Edge) and f.station == liar and f.arrived_ns > ends_ns))
