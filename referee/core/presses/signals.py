"""Turn edge rows into presses: one contact at a time, row by row.

Theory of operation. A contact is *armed*, in a *burst* (a first edge and its bounces), or *spent* (pressed, and not
open for long enough since):

    armed ── any row ──► burst ── 1 ms closed within 10 ms ──► spent ── open 10 ms ──► armed
      ▲                    │
      └── 10 ms are over ──┘  a spike; if it reads closed then, a new burst starts where it last closed

The time of a press is its burst's first row, at either level: the kernel stamps in the interrupt and reads the level
later. An armed contact is always open, because a spike that ends closed starts the next burst at once.

A *gesture* (tap or hold) is followed in parallel. It begins with a press and ends when the contact has been open for
40 ms, so that a dirty contact does not split a hold. A burst that began before those 40 ms were over may still belong
to the gesture, so the release is reported only once that burst turns out to be a spike.

The state of a contact on a link becomes certain by time alone only when no earlier row can still be on its way: a
burst's first row may be as late as the source's lag, and its bounces DRAIN_NS more. A phone can prove earlier that all
its rows up to an instant have arrived. If a row still arrives later and contradicts a certain state, the contact is
*doubted*: it reports that, the row's stamp is uncertain by a window, and the contact remembers it. A press whose row
contradicts such a proof is late for every call.

Timers due at an instant run before rows with exactly that stamp: so 10 ms open "exactly" arm a contact, and a window's
end reads the level before the row. The state is one immutable value of fixed size, however much a contact bounces.
All times are integer ns; docs/timing.md explains the figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from referee.core.units import MS
from referee.core.values import Value, force_setattr, replace

KNOB = "knob"
"""The station name of the knob's push contact; seats are "1" to "12"."""
TURNS = ("knob-a", "knob-b")
"""The stations of the knob's two rotation contacts."""

PRESS_NS = 1 * MS
"""Minimum total closed time of a press; induction spikes and accidental touches are shorter."""
WINDOW_NS = 10 * MS
"""Time from a burst's first row in which its contact settles: [start, start + 10 ms)."""
REARM_NS = 10 * MS
"""Time without closing after which a pressed contact is armed again."""
RELEASE_NS = 40 * MS
"""Open time that ends a gesture."""
DRAIN_NS = 30 * MS
"""Additional delay of a contact's later edges after its first one.

Measured: a pod with eight contacts of 50 edges each reported every edge within 55 ms of its stamp, and all first edges
within 20 ms. Releases need no extra time: bounces after an opening end within REARM_NS, and RELEASE_NS plus the lag
take at least as long as these and the drain.
"""
UNSTATED_NS = -(2**63)
"""Default of `Edge.arrived_ns`: the caller gave no arrival."""
FOREVER_NS = 2**64
"""Later than every 64-bit stamp and every deadline computed from one."""


def seat_order(station: str) -> tuple[bool, int, str]:
    """Return a sort key: stations by number, then names.

    >>> sorted(("knob", "10", "2", "blue"), key=seat_order)
    ['2', '10', 'blue', 'knob']
    """
    number = int(station) if station.isdecimal() else None
    return number is None, number or 0, station


class Edge(Value, tag="edge"):
    """One edge row: a contact's level as a source saw it, with its time.

    t_ns: the source's stamp on the host's CLOCK_MONOTONIC. err_ns: its bound (the true time is within t_ns ± err_ns).
    arrived_ns: when the host received the row; default t_ns. clock: the clock that stamped the row, if several
    stations share a clock whose offset to the host is unknown. rel_err_ns: the row's error when it is compared with
    rows of the same clock (at most err_ns; None: err_ns).
    """

    station: str
    closed: bool
    t_ns: int
    err_ns: int = 0
    arrived_ns: int = UNSTATED_NS
    clock: str | None = None
    rel_err_ns: int | None = None

    def __post_init__(self) -> None:
        if self.arrived_ns == UNSTATED_NS:
            force_setattr(self, "arrived_ns", self.t_ns)


class Press(Value, tag="press"):
    """Contact edges taken as one press, dated by the first edge.

    `order`: the number of edge rows recorded before that edge. late: its source has proved earlier that there is no
    such press; it is late for every call. waited_ns: how much later the last edge arrived that made it a press.
    shift_ns: how much later than t_ns it counts; set by the arbiter.
    """

    station: str
    t_ns: int
    err_ns: int
    arrived_ns: int
    order: int
    clock: str | None = None
    rel_err_ns: int | None = None
    late: bool = False
    waited_ns: int = 0
    shift_ns: int = 0

    @property
    def counts_ns(self) -> int:
        """Return the time at which the press counts (t')."""
        return self.t_ns + self.shift_ns

    @property
    def known_at_ns(self) -> int:
        """Return when the host had all edges that make it a press."""
        return self.arrived_ns + self.waited_ns

    @property
    def age_ns(self) -> int:
        """Return how long before that the press may have happened, by its source's claim."""
        return self.known_at_ns - (self.t_ns - self.err_ns)


class Pressed(Value):
    """A press, certain since `at_ns`.

    `fresh`: False if it belongs to a gesture that is still in progress.
    """

    press: Press
    at_ns: int
    fresh: bool


class Released(Value):
    """A gesture is over: the contact opened at `t_ns` and stayed open for 40 ms.

    Certain since `at_ns`.
    """

    station: str
    t_ns: int
    at_ns: int


class Spiked(Value):
    """A burst that began at `t_ns` was too short for a press."""

    station: str
    t_ns: int


class Doubted(Value):
    """A row with stamp `t_ns` contradicts signals that were already reported as certain."""

    station: str
    t_ns: int


Signal = Pressed | Released | Spiked | Doubted


class Mode(IntEnum):
    """How a contact interprets its next row: as a burst's start, as a bounce, or not at all."""

    ARMED = 0
    BURST = 1
    SPENT = 2


_ARMED, _BURST, _SPENT = Mode  # names for speed: used for each row


class Contact(Value, tag="contact"):
    """One station's contact. By default it is open and armed; `standing` makes one from a level.

    closed: the level since since_ns. start: the burst in progress as a press, dated by its first row. closing: the
    same, dated by its last closing. sum_ns: closed time of the burst before since_ns. down: a gesture is in progress.
    opened_ns: since when the contact has been open in that gesture, None while closed. spikes: number of bursts that
    were no press.
    early_ns: how much earlier than the true instant a stamp can be: a clock's error; kernel stamps are never early.
    decided_ns: the time up to which signals are certain; doubted_ns: the newest row that contradicted them.
    known_ns: an instant; a phone has proved that all rows of presses that may have begun before then have arrived.
    """

    station: str
    closed: bool = False
    since_ns: int = 0
    mode: Mode = Mode.ARMED
    start: Press | None = None
    closing: Press | None = None
    sum_ns: int = 0
    down: bool = False
    opened_ns: int | None = None
    spikes: int = 0
    early_ns: int = 0
    decided_ns: int = 0
    doubted_ns: int = UNSTATED_NS
    known_ns: int = UNSTATED_NS


def standing(station: str, closed: bool, at_ns: int) -> Contact:
    """Return a contact with the level found at start-up.

    A closed contact becomes armed after it has been open for 10 ms.
    """
    return Contact(station, closed, at_ns, _SPENT if closed else _ARMED)


# -- rows ----------------------------------------------------------------------------------------------------------


def accept_edge(contact: Contact, edge: Edge, order: int) -> tuple[Contact, tuple[Signal, ...]]:
    """Return the contact after a row, and the new signals.

    Rows of one contact must come in order of t_ns.
    """
    signals: tuple[Signal, ...] = ()
    late = edge.t_ns - edge.err_ns < contact.known_ns
    due = _next(contact)
    if due is not None and due <= edge.t_ns:
        contact, signals = settle(contact, edge.t_ns)
    elif edge.t_ns < contact.decided_ns and edge.closed is not contact.closed:
        contact, edge, signals = _doubt(contact, edge)
    if contact.mode is _ARMED:
        return _begin_burst(contact, edge, order, late), signals
    if edge.closed == contact.closed:
        return contact, signals
    return _other_level(contact, edge, order, late), signals


def _doubt(contact: Contact, edge: Edge) -> tuple[Contact, Edge, tuple[Signal, ...]]:
    """Report that earlier signals may be wrong, and widen the row's error.

    A burst that seems to start with this row may have begun earlier, by up to WINDOW_NS.
    """
    contact = replace(contact, decided_ns=edge.t_ns, doubted_ns=edge.t_ns)
    rel_err_ns = None if edge.rel_err_ns is None else edge.rel_err_ns + WINDOW_NS
    unsure = replace(edge, err_ns=edge.err_ns + WINDOW_NS, rel_err_ns=rel_err_ns)
    return contact, unsure, (Doubted(edge.station, edge.t_ns),)


def _begin_burst(contact: Contact, edge: Edge, order: int, late: bool) -> Contact:
    """Start a burst at the first row of an armed contact, whether that row says closed or open."""
    row = _press(edge, order, late)
    early = 0 if edge.clock is None else edge.err_ns
    contact = replace(contact, mode=_BURST, start=row, closing=row, sum_ns=0, early_ns=early)
    return replace(contact, closed=True, since_ns=edge.t_ns, opened_ns=None) if edge.closed else contact


def _press(edge: Edge, order: int, late: bool) -> Press:
    """Return the press of a burst that starts with this row."""
    return Press(edge.station, edge.t_ns, edge.err_ns, edge.arrived_ns, order, edge.clock, edge.rel_err_ns, late)


def _other_level(contact: Contact, edge: Edge, order: int, late: bool) -> Contact:
    """Change the level, in a burst or after a press."""
    start, closing, total = contact.start, contact.closing, contact.sum_ns
    if start is not None:
        start = replace(start, waited_ns=max(start.waited_ns, edge.arrived_ns - start.arrived_ns))
        if edge.closed:
            closing = _press(edge, order, late)
        else:
            total += edge.t_ns - contact.since_ns
    opened = _open_since_ns(contact, edge) if contact.down else None
    early = 0 if edge.clock is None else edge.err_ns
    contact = replace(contact, closed=edge.closed, since_ns=edge.t_ns, early_ns=early)
    return replace(contact, start=start, closing=closing, sum_ns=total, opened_ns=opened)


def _open_since_ns(contact: Contact, edge: Edge) -> int | None:
    """Return since when the gesture's contact has been open, None if this row closes it.

    If it was open for 40 ms before this row, the gesture may be over. Then keep the time at which it opened, until
    the present burst turns out to be a press or a spike.
    """
    if _is_over(contact, edge.t_ns):
        return contact.opened_ns
    return None if edge.closed else edge.t_ns


def presses_of(rows: Iterable[Edge]) -> list[Press]:
    """Return the presses of these rows, given in order of arrival.

    Every contact is taken to keep its level after the last row.
    """
    contacts: dict[str, Contact] = {}
    presses: list[Press] = []
    for order, row in enumerate(rows):
        contact = contacts.get(row.station) or Contact(row.station)
        contacts[row.station], signals = accept_edge(contact, row, order)
        presses += _presses(signals)
    for contact in contacts.values():
        presses += _presses(settle(contact, FOREVER_NS)[1])
    return presses


def _presses(signals: Iterable[Signal]) -> list[Press]:
    return [signal.press for signal in signals if isinstance(signal, Pressed)]


# -- time ----------------------------------------------------------------------------------------------------------


def behind_ns(contact: Contact, lag_ns: int) -> int:
    """Return for how many ns after an instant this contact's earlier rows may still arrive.

    lag_ns: the maximum delay of a burst's first row after its *true* instant; 0 if rows are never late.
    """
    if not lag_ns:
        return 0
    return lag_ns + contact.early_ns + (DRAIN_NS if contact.mode is _BURST else 0)


def known_until_ns(contact: Contact, at_ns: int, lag_ns: int) -> int:
    """Return the instant up to which all rows of this contact have arrived at `at_ns`."""
    return max(at_ns - behind_ns(contact, lag_ns), contact.known_ns)


def certain_at_ns(contact: Contact, due_ns: int, lag_ns: int) -> int:
    """Return when all rows of this contact up to `due_ns` will have arrived."""
    return due_ns if due_ns <= contact.known_ns else due_ns + behind_ns(contact, lag_ns)


def settle(contact: Contact, until_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """Return the contact at until_ns, up to which all rows have arrived, and its new signals."""
    signals: tuple[Signal, ...] = ()
    while (due := _next(contact)) is not None and due <= until_ns:
        contact, told = _decide_burst(contact, due) if contact.mode is _BURST else _rest(contact, due)
        signals += told
    return contact, signals


def next_ns(contact: Contact) -> int | None:
    """Return when time alone, without a new row, will make the contact report its next signal.

    That is a press, a spike or a release; None if there will be none. Becoming armed again is not reported.
    """
    return _next(contact) if contact.mode is _BURST else _release_ns(contact)


def _next(contact: Contact) -> int | None:
    """Return the next instant at which the contact changes without a row."""
    if contact.mode is _BURST:
        assert contact.start is not None
        end = contact.start.t_ns + WINDOW_NS
        return min(contact.since_ns + PRESS_NS - contact.sum_ns, end) if contact.closed else end
    release = _release_ns(contact)
    if contact.mode is _ARMED or contact.closed:
        return release
    rearm = contact.since_ns + REARM_NS
    return rearm if release is None else min(rearm, release)


def _release_ns(contact: Contact) -> int | None:
    return None if contact.opened_ns is None else contact.opened_ns + RELEASE_NS


def _is_over(contact: Contact, at_ns: int) -> bool:
    """Return whether the gesture's contact has been open for 40 ms."""
    return contact.opened_ns is not None and contact.opened_ns + RELEASE_NS <= at_ns


def _rest(contact: Contact, at_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """Report the release if a tap or hold has just ended; else let the contact take a new press.

    The contact must not be in a burst.
    """
    if contact.opened_ns is not None and _is_over(contact, at_ns):
        over = Released(contact.station, contact.opened_ns, at_ns)
        return replace(contact, down=False, opened_ns=None, decided_ns=at_ns), (over,)
    return replace(contact, mode=_ARMED), ()


def _decide_burst(contact: Contact, at_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """End a burst: as a press once it was closed for 1 ms, else as a spike at the window's end.

    A burst that is closed for its whole window is a press, even if PRESS_NS is longer than the window. Otherwise the
    same burst would start again.
    """
    start = contact.start
    assert start is not None
    if not contact.closed or contact.sum_ns + at_ns - contact.since_ns < min(PRESS_NS, WINDOW_NS):
        return _spike(contact, start.t_ns, at_ns)
    spent = replace(contact, mode=_SPENT, start=None, closing=None, sum_ns=0, decided_ns=at_ns)
    return replace(spent, down=True, opened_ns=None), (Pressed(start, at_ns, not contact.down),)


def _spike(contact: Contact, start_ns: int, at_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """Report a spike. Also report the release that waited until this burst was decided, if any.

    Then an open contact is armed. A closed contact is in a new burst, which began at its last closing.
    """
    told: tuple[Signal, ...] = (Spiked(contact.station, start_ns),)
    opened = contact.opened_ns
    if opened is not None and _is_over(contact, at_ns):
        told += (Released(contact.station, opened, at_ns),)
        contact = replace(contact, down=False, opened_ns=None)
    mode, start = (_BURST, contact.closing) if contact.closed else (_ARMED, None)
    spikes = contact.spikes + 1
    return replace(contact, mode=mode, start=start, closing=start, sum_ns=0, spikes=spikes, decided_ns=at_ns), told
