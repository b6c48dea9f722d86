"""Shared cases of the arbiter's tests: presses and verdicts written by hand, and drawn ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

from hypothesis import strategies as st

from referee.core.presses.arbiter import (
    Call,
    CallRules,
    Verdict,
    judge,
    with_shifts,
)
from referee.core.presses.signals import (
    Press,
)
from referee.core.units import MS
from referee.core.values import replace
from tests.core.presses.arbiter_rows import ERRS_NS, STATIONS

TABLE = CallRules()
"""W 20, C 10, L 30, K 2,000 ms: D is 60 ms after a first press without error."""

ALONE = {station: station for station in STATIONS}


def pressed(station: str, t_ns: int, err_ns: int = 0, arrived_ns: int | None = None, order: int = 0) -> Press:
    """Return a press in the debouncer's form."""
    return Press(station, t_ns, err_ns, t_ns if arrived_ns is None else arrived_ns, order)


def call_of(presses: Sequence[Press]) -> Call:
    """Return a call of these presses. Its deadline does not matter."""
    return Call(0, {p.station: p for p in presses})


def judged(*presses: Press, rules: CallRules = TABLE, team_of: Mapping[str, str] = ALONE) -> Verdict:
    """Return the verdict on presses that are all in."""
    return judge(call_of(list(with_shifts(presses, rules))), rules, team_of)


def on(clock: str, station: str, t_ns: int, err_ns: int, rel_err_ns: int | None = None) -> Press:
    """Return a press on a pod's clock."""
    return replace(pressed(station, t_ns, err_ns), clock=clock, rel_err_ns=rel_err_ns)


PAIRS = {"red": "A", "blue": "A", "gold": "B", "mint": "B"}


@st.composite
def in_presses(draw: st.DrawFn, least: int = 1) -> list[Press]:
    """Draw presses of one call, one a station, close enough for the windows to matter.

    Each may be on a pod's clock. Presses on one clock share the clock's error e; r is the press's own error.
    """
    count = draw(st.integers(least, len(STATIONS)))
    arrivals = st.sampled_from((60 * MS, 60 * MS, 100 * MS, 161 * MS, 400 * MS))
    errs = st.sampled_from(ERRS_NS) | st.integers(0, 12 * MS)
    shared_ns = {clock: draw(errs) for clock in (None, "pod-a", "pod-b")}
    presses = []
    for order, station in enumerate(STATIONS[:count]):
        clock = draw(st.sampled_from((None, "pod-a", "pod-a", "pod-b")))
        t_ns, own_ns = draw(st.integers(0, 60 * MS)), draw(errs)
        if clock is None:
            presses.append(pressed(station, t_ns, own_ns, draw(arrivals), order))
        else:
            one = pressed(station, t_ns, shared_ns[clock] + own_ns, draw(arrivals), order)
            presses.append(replace(one, clock=clock, rel_err_ns=own_ns))
    return presses


def own_err(p: Press) -> int:
    """Return the error of a press that other presses on its clock do not share."""
    return p.err_ns if p.rel_err_ns is None else p.rel_err_ns


def truth(presses: Sequence[Press], off: Mapping[str | None, int], own: Sequence[int]) -> dict[str, int]:
    """Return true times. `off` shifts each clock (-1: all early, 1: all late), `own` each press."""
    true = {}
    for p, sign in zip(presses, own, strict=True):
        shared_ns = off[p.clock] * (p.err_ns - own_err(p))
        true[p.station] = p.t_ns + shared_ns + sign * own_err(p)
    return true


def drawn(presses: Sequence[Press], random: Random, count: int = 20) -> Iterator[dict[str, int]]:
    """Yield random choices of possible true times, in thousandths of a clock's shared error."""
    for _ in range(count):
        off = {p.clock: random.randint(-1000, 1000) for p in presses} | {None: 0}
        yield {
            p.station: p.t_ns + off[p.clock] * (p.err_ns - own_err(p)) // 1000 + random.randint(-own_err(p), own_err(p))
            for p in presses
        }


def corners(presses: Sequence[Press]) -> Iterator[dict[str, int]]:
    """Yield all combinations of extreme true times, with one offset a clock."""
    clocks = sorted({p.clock for p in presses if p.clock})
    for offsets in product((-1, 0, 1), repeat=len(clocks)):
        off = dict(zip(clocks, offsets, strict=True)) | {None: 0}
        for own in product((-1, 0, 1), repeat=len(presses)):
            yield truth(presses, off, own)


def here(presses: Sequence[Press], team_of: Mapping[str, str], absent: int) -> dict[str, str]:
    """Return the stations that pressed, and the first `absent` ones that did not."""
    others = [station for station in team_of if station not in {p.station for p in presses}]
    return {s: team_of[s] for s in (*(p.station for p in presses), *others[:absent])}
