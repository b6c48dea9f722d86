"""Rows for the arbiter's tests: written by hand in ms, and drawn near the rules' limits."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from referee.core.presses.arbiter import CallRules
from referee.core.presses.signals import Edge
from referee.core.units import MS, US, ns_from_ms

STATIONS = ("red", "blue", "gold", "mint")
GAPS_NS = (
    *(0, 1, 50 * US, 300 * US, 500 * US, MS - 1, MS, MS + 1, 3 * MS, 5 * MS, 9 * MS, 10 * MS - 1, 10 * MS, 10 * MS + 1),
    *(11 * MS, 25 * MS, 35 * MS, 40 * MS - 1, 40 * MS, 40 * MS + 1, 100 * MS, 300 * MS, 2_100 * MS),
)
"""Gaps between two rows of a contact: mostly the rules' limits, and 1 ns to either side."""
ERRS_NS = (0, 0, 0, 1, 20 * US, MS, 5 * MS, 10 * MS, 10 * MS + 1, 40 * MS, 400 * MS)
LAGS_NS = (0, 0, 0, 0, 1, MS, 30 * MS, 60 * MS, 80 * MS, 500 * MS)
RULES = st.builds(
    CallRules,
    st.sampled_from((0, 500 * US, 5 * MS, 20 * MS)),
    st.sampled_from((0, MS, 10 * MS)),
    st.sampled_from((0, 30 * MS)),
    st.sampled_from((100 * MS, 150 * MS, 2_000 * MS)),
    age_ns=st.sampled_from((None, 0, 30 * MS, 100 * MS)),
)


def row(station: str, level: str, ms: float, err_ms: float = 0, arrived_ms: float | None = None) -> Edge:
    """Return a row in ms. The level is "closed" or "open"."""
    arrived = ms if arrived_ms is None else arrived_ms
    return Edge(station, level == "closed", ns_from_ms(ms), ns_from_ms(err_ms), ns_from_ms(arrived))


def tap(station: str, ms: float, err_ms: float = 0, arrived_ms: float | None = None) -> list[Edge]:
    """Return the rows of a clean press, 50 ms long."""
    late = 0 if arrived_ms is None else arrived_ms - ms
    return [row(station, "closed", ms, err_ms, ms + late), row(station, "open", ms + 50, err_ms, ms + 50 + late)]


def arrived(*rows: Sequence[Edge]) -> list[Edge]:
    """Return rows of several contacts in order of arrival. Equal ones keep their order."""
    return sorted((edge for some in rows for edge in some), key=lambda edge: edge.arrived_ns)


def _picked(code: int) -> tuple[int, bool, int, int, int | None]:
    """Decode a row's number: gap, level, error, lag and error within its clock.

    A lag below 0 means as early as the error allows.
    """
    code, gap = divmod(code, len(GAPS_NS))
    code, level = divmod(code, 3)
    code, err = divmod(code, len(ERRS_NS))
    code, own = divmod(code, 4)
    code, lag = divmod(code, len(LAGS_NS))
    rel_err_ns = (None, 0, min(400, ERRS_NS[err]), ERRS_NS[err] // 2)[own]
    return GAPS_NS[gap], level > 0, ERRS_NS[err], -ERRS_NS[err] if code else LAGS_NS[lag], rel_err_ns


CODES = st.integers(0, len(GAPS_NS) * 3 * len(ERRS_NS) * 4 * len(LAGS_NS) * 4 // 3 - 1)
CLOCKS = st.tuples(st.sampled_from((None, None, "pod-a", "pod-a", "pod-b")), st.integers(0, 8))
"""A contact's clock, and after how many rows its pod restarts; 0: never."""


def contact_rows(station: str, most: int = 14) -> st.SearchStrategy[list[Edge]]:
    """Draw one contact's rows, with bounces, spikes, equal stamps, late rows and large errors."""

    def build(codes: list[int], of: tuple[str | None, int]) -> list[Edge]:
        rows: list[Edge] = []
        t_ns, arrived_ns = 0, -(10**12)
        (clock, restarts) = of
        for gap_ns, closed, err_ns, lag_ns, rel_err_ns in map(_picked, codes):
            t_ns += gap_ns
            arrived_ns = max(arrived_ns, t_ns + lag_ns)
            named = f"{clock}, restarted" if clock and 0 < restarts <= len(rows) else clock
            rows.append(Edge(station, closed, t_ns, err_ns, arrived_ns, named, rel_err_ns))
        return rows

    return st.builds(build, st.lists(CODES, min_size=1, max_size=most), CLOCKS)


@st.composite
def traces(draw: st.DrawFn, most: int = 14) -> list[Edge]:
    """Draw a table's rows in order of arrival. Rows that arrive together come in any order."""
    contacts = [draw(contact_rows(station, most)) for station in STATIONS[: draw(st.integers(1, len(STATIONS)))]]
    return arrived(*draw(st.permutations(contacts)))
