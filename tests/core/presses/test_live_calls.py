"""The verdict falls as soon as no event that can still arrive may change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.core.presses.arbiter import (
    ArmedSpan,
    CallRules,
    Verdict,
    arbitrate,
    rule,
    verdict_due_ns,
    with_press,
)
from referee.core.presses.signals import (
    DRAIN_NS,
    FOREVER_NS,
    Contact,
    Edge,
    Pressed,
    Signal,
    accept_edge,
    behind_ns,
    next_ns,
    settle,
)
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.presses.arbiter_cases import ALONE, TABLE, pressed
from tests.core.presses.arbiter_rows import ERRS_NS, RULES, STATIONS, arrived, row, tap, traces

WIRED = CallRules(latency_ns=0)


class Live:
    """A table that takes rows and time as they come, and each verdict as early as possible."""

    def __init__(self, rules: CallRules, lag_ns: Mapping[str, int], team_of: Mapping[str, str] = ALONE) -> None:
        self.armed = ArmedSpan(rules, team_of, lag_ns=lag_ns)
        self.lag_ns = lag_ns
        self.contacts = {station: Contact(station) for station in lag_ns}
        self.fallen: Verdict | None = None
        self.fallen_at_ns = 0

    def next_ns(self) -> int | None:
        """Return when time must pass again."""
        dues = [due + self.behind_ns(c) for c in self.contacts.values() if (due := next_ns(c)) is not None]
        if self.fallen is None and (due := self.due_ns()) is not None:
            dues.append(due)
        return min(dues, default=None)

    def behind_ns(self, contact: Contact) -> int:
        return behind_ns(contact, self.lag_ns[contact.station])

    def due_ns(self) -> int | None:
        return verdict_due_ns(self.armed, self.contacts.values())

    def row(self, edge: Edge, order: int) -> None:
        """Take a row. Everything before its arrival has been taken."""
        self.until(edge.arrived_ns - 1)
        self.contacts[edge.station], signals = accept_edge(self.contacts[edge.station], edge, order)
        self._hear(signals)

    def until(self, now_ns: int) -> None:
        """Let time pass. Every row that arrived by then is in."""
        while (due := self.next_ns()) is not None and due <= now_ns:
            for station, contact in self.contacts.items():
                self.contacts[station], signals = settle(contact, due - self.behind_ns(contact))
                self._hear(signals)
            verdict_due = self.due_ns()
            if self.fallen is None and verdict_due is not None and verdict_due <= due:
                self.fallen, self.fallen_at_ns = rule(self.armed), due

    def callers(self) -> tuple[str, ...] | None:
        """Return the verdict's callers, or None before it."""
        return self.fallen.callers if self.fallen else None

    def _hear(self, signals: Sequence[Signal]) -> None:
        for signal in signals:
            if isinstance(signal, Pressed):
                self.armed = with_press(self.armed, signal.press)


LIVE_LAGS_NS = (0, 0, MS, 35 * MS, 90 * MS, 500 * MS)


@st.composite
def live_traces(draw: st.DrawFn) -> tuple[list[Edge], dict[str, int]]:
    """Draw rows that arrive within their station's lag. A third of the stations are wired."""
    lag_ns = {station: draw(st.sampled_from(LIVE_LAGS_NS)) for station in STATIONS}
    err_ns = {station: draw(st.sampled_from(ERRS_NS)) for station in STATIONS}
    rows = []
    latest = dict.fromkeys(STATIONS, 0)
    for edge in sorted(draw(traces()), key=lambda edge: edge.t_ns):
        lag, err = lag_ns[edge.station], err_ns[edge.station]
        slowest = lag + err if lag and edge.clock else lag
        late = edge.arrived_ns % 4 * slowest // 3  # this varies like a drawn value
        latest[edge.station] = max(latest[edge.station], edge.t_ns + late)
        own = None if edge.rel_err_ns is None else min(edge.rel_err_ns, err)
        rows.append(replace(edge, arrived_ns=latest[edge.station], err_ns=err, rel_err_ns=own))
    return arrived(rows), lag_ns


LATE_FIRST = (
    # mint and blue press at 140 ms. Before blue is certain, red's old press arrives and moves D back. Blue was in when
    # it came and stays in.
    [
        Edge("mint", True, 139_999_999),
        Edge("blue", True, 140 * MS),
        Edge("red", False, 1, 0, 166_666_667),
        Edge("red", True, 1, 0, 166_666_667),
    ],
    {"red": 500 * MS, "blue": 500 * MS, "gold": 0, "mint": 0},
)


@example(LATE_FIRST, CallRules(0, 0, 30 * MS, 100 * MS))
@given(live_traces(), RULES)
@settings(max_examples=250, deadline=None)
def test_the_live_verdict_is_the_recorded_one(trace: tuple[list[Edge], dict[str, int]], rules: CallRules) -> None:
    rows, lag_ns = trace
    live = Live(rules, lag_ns)
    for order, edge in enumerate(rows):
        live.row(edge, order)
    live.until(FOREVER_NS)
    verdicts = arbitrate(rows, rules)
    if not verdicts:
        assert live.fallen is None
        return
    assert live.fallen is not None
    assert replace(live.fallen, late=(), ignored=()) == replace(verdicts[0], late=(), ignored=())
    assert rule(live.armed) == verdicts[0]
    arrivals = [edge.arrived_ns for edge in rows]
    slowest = max(lag_ns.values()) + max(edge.err_ns for edge in rows)
    assert live.fallen_at_ns <= max(live.fallen.deadline_ns, *arrivals) + 20 * MS + DRAIN_NS + slowest


def at_table(*rows: Edge, rules: CallRules = WIRED) -> Live:
    """Return a wired table that took these rows."""
    live = Live(rules, dict.fromkeys(STATIONS, 0))
    for order, edge in enumerate(rows):
        live.row(edge, order)
    return live


def test_the_verdict_falls_at_the_deadline_if_no_burst_is_open() -> None:
    """D is W + C after the first press of a wired table."""
    live = at_table(*tap("red", 0)[:1], *tap("blue", 12)[:1])
    live.until(30 * MS - 1)
    assert live.callers() is None
    live.until(30 * MS)
    assert (live.callers(), live.fallen_at_ns) == (("red", "blue"), 30 * MS)


def test_the_verdict_waits_for_a_burst_that_was_in_by_the_deadline() -> None:
    live = at_table(row("red", "closed", 0), row("blue", "closed", 30), row("blue", "open", 30.1))
    assert live.due_ns() == verdict_due_ns(live.armed, live.contacts.values()) == 40 * MS
    live.until(S)
    assert live.fallen_at_ns == 40 * MS
    live = at_table(row("red", "closed", 0), row("blue", "closed", 30.000001))
    assert live.fallen_at_ns == 30 * MS


def test_the_verdict_waits_for_no_station_that_is_not_at_the_court() -> None:
    live = Live(WIRED, dict.fromkeys(STATIONS, 0), {"red": "red"})
    for order, edge in enumerate([row("red", "closed", 0), row("blue", "open", 29)]):
        live.row(edge, order)
    assert live.due_ns() == 30 * MS


def test_the_verdict_waits_for_a_burst_that_began_before_the_call_s_first_press() -> None:
    """If the burst is a press, it opens the call. Both bursts arrive long after the deadline."""
    rows = [row("blue", "open", 0, 0, 500), row("red", "closed", 300, 0, 501), row("red", "open", 302, 0, 503)]
    contacts = [Contact("blue"), Contact("red")]
    contacts[0], _ = accept_edge(contacts[0], rows[0], 0)
    contacts[1], _ = accept_edge(contacts[1], rows[1], 1)
    contacts[1], (heard,) = accept_edge(contacts[1], rows[2], 2)
    assert isinstance(heard, Pressed)
    armed = with_press(ArmedSpan(WIRED, ALONE, lag_ns={"blue": 600 * MS}), heard.press)
    assert verdict_due_ns(armed, contacts) == 610 * MS + DRAIN_NS
    assert verdict_due_ns(armed, contacts[1:]) == 330 * MS
    later, _ = accept_edge(Contact("gold"), row("gold", "open", 320, 0, 504), 3)
    assert verdict_due_ns(armed, [later]) == 330 * MS


def test_a_court_keeps_presses_in_order_of_arrival() -> None:
    empty = ArmedSpan(TABLE, ALONE)
    first, second = pressed("red", 0, 0, 5, 0), pressed("blue", 0, 0, 5, 1)
    armed = with_press(with_press(empty, second), first)
    assert (armed.presses, empty.presses) == ((first, second), ())
    assert (armed.rules, armed.team_of) == (TABLE, ALONE)
    assert rule(armed).deadline_ns == 60 * MS
