"""From edge rows to presses: one contact at a time, folded row by row.

Theory of operation. A contact is *armed*, in a *burst*, or *spent* (pressed, and not yet open long enough):

    armed ── any row ──► burst ── 1 ms closed within 10 ms ──► spent ── open 10 ms ──► armed
      ▲                    │
      └── 10 ms are over ──┘  a spike; if it reads closed then, a new burst starts where it last closed

A press happened when its burst's first row happened, whatever level that row reports: the kernel stamps in the
interrupt and reads the level later. An armed contact is always open, because a spike that ends closed starts the next
burst at once. Beside that runs the *gesture* of taps and holds: it begins with a press and ends when the contact has
been open for 40 ms, so that a dirty contact does not split a hold. A burst begun before those 40 ms were over may
still belong to the gesture, so the release is told only when that burst has proved a spike.

A contact on a link is settled by time alone when nothing from before can be under way: a burst's first row may be as
late as the source's lag, and what bounced behind it DRAIN_NS more. A row that comes later still, and is otherwise than
was taken for certain, is *doubted*: that is told, its stamp is unsure by a window, and the contact remembers it.

What falls at an instant falls before the rows stamped exactly then: hence 10 ms open "exactly" arm a contact, and a
window's end reads the level before it. The state is one frozen value of fixed size however much a contact chatters.
Integer ns throughout; docs/timing.md explains the figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from referee.core.units import MS
from referee.core.values import Value, force_setattr, replace

KNOB = "knob"
"""The station name of the knob's push contact; seats are "1" to "12"."""

PRESS_NS = 1 * MS
"""Closed this long in all, a burst is a press; a spike of induction or a finger's slip is shorter."""
WINDOW_NS = 10 * MS
"""Contacts settle within this; [start, start + 10 ms) is half open."""
REARM_NS = 10 * MS
"""Open this long without a break, a pressed contact is armed again."""
RELEASE_NS = 40 * MS
"""Open this long, a gesture is over."""
DRAIN_NS = 30 * MS
"""A contact's later edges may come so much later than a first one: a pod of eight contacts with 50 edges each has told
each of them 55 ms after its stamp, and all first ones within 20 ms. No release needs it: what bounces behind an opening
does so for less than REARM_NS, and RELEASE_NS and the lag are over no sooner than these and the drain."""
UNSTATED_NS = -(2**63)
"""Stands for an arrival that was not given."""
FOREVER_NS = 2**64
"""After every stamp of 64 bits and all that can follow from it."""


def seat_order(station: str) -> tuple[bool, int, str]:
    """Sorts stations by their numbers, names behind them.

    >>> sorted(("knob", "10", "2", "blue"), key=seat_order)
    ['2', '10', 'blue', 'knob']
    """
    number = int(station) if station.isdecimal() else None
    return number is None, number or 0, station


class Edge(Value, tag="edge"):
    """One edge row: what a source saw of one contact, and when.

    t_ns is the source's stamp on the host's CLOCK_MONOTONIC, err_ns its stated bound (the true time lies within
    t_ns ± err_ns), arrived_ns when the host had the row; left out, it is t_ns. `clock` names the clock that stamped it,
    if several stations share one whose offset from the host's is unknown: between two rows of one clock only their
    rel_err_ns are uncertain (at most err_ns; None: as much).
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
    """An accepted burst: it happened when its first edge happened. `order` counts the rows before that edge."""

    station: str
    t_ns: int
    err_ns: int
    arrived_ns: int
    order: int
    clock: str | None = None
    rel_err_ns: int | None = None


class Pressed(Value):
    """A press, certain since `at_ns`. `fresh` is False when it belongs to a gesture that is still going on."""

    press: Press
    at_ns: int
    fresh: bool


class Released(Value):
    """A gesture is over: the contact opened at `t_ns` and stayed open for 40 ms; certain since `at_ns`."""

    station: str
    t_ns: int
    at_ns: int


class Spiked(Value):
    """A burst that was no press, begun at `t_ns`."""

    station: str
    t_ns: int


class Doubted(Value):
    """A row of `t_ns` came when the contact had been taken for certain up to later, and otherwise than the row says."""

    station: str
    t_ns: int


Signal = Pressed | Released | Spiked | Doubted


class Mode(IntEnum):
    """What a contact's next row means."""

    ARMED = 0
    BURST = 1
    SPENT = 2


_ARMED, _BURST, _SPENT = Mode  # looked up for each row


class Contact(Value, tag="contact"):
    """One station's contact, open and armed unless it is made by `standing`.

    closed: the level, since since_ns. start, closing: the press that the burst in progress would be, and the one that
    a burst from its last closing would be; sum_ns: its closed time before since_ns. down: a gesture is going on;
    opened_ns: since when it has been open in it, None while closed. spikes: bursts that were no press. early_ns: how
    much earlier than its instant a stamp may be: by the error of a clock, while the kernel's stamps are late or right.
    decided_ns: up to where something has been told for certain; doubted_ns: the newest row that contradicted it.
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


def standing(station: str, closed: bool, at_ns: int) -> Contact:
    """A contact as found at start-up: one that is closed already arms when it has been open for 10 ms."""
    return Contact(station, closed, at_ns, _SPENT if closed else _ARMED)


def in_burst(contact: Contact) -> Press | None:
    """The press that the burst in progress would be, None when there is none."""
    return contact.start


# -- rows ----------------------------------------------------------------------------------------------------------


def accept_edge(contact: Contact, edge: Edge, order: int) -> tuple[Contact, tuple[Signal, ...]]:
    """The contact after a row, and what became certain by it. Rows of one contact come in order of t_ns."""
    signals: tuple[Signal, ...] = ()
    due = _next(contact)
    if due is not None and due <= edge.t_ns:
        contact, signals = settle(contact, edge.t_ns)
    elif edge.t_ns < contact.decided_ns and edge.closed is not contact.closed:
        contact, edge, signals = _doubt(contact, edge)
    if contact.mode is _ARMED:
        return _begin_burst(contact, edge, order), signals
    if edge.closed == contact.closed:
        return contact, signals
    return _other_level(contact, edge, order), signals


def _doubt(contact: Contact, edge: Edge) -> tuple[Contact, Edge, tuple[Signal, ...]]:
    """What was told may be wrong; should a burst seem to begin with this row, it began at most a window earlier."""
    contact = replace(contact, decided_ns=edge.t_ns, doubted_ns=edge.t_ns)
    rel_err_ns = None if edge.rel_err_ns is None else edge.rel_err_ns + WINDOW_NS
    unsure = replace(edge, err_ns=edge.err_ns + WINDOW_NS, rel_err_ns=rel_err_ns)
    return contact, unsure, (Doubted(edge.station, edge.t_ns),)


def _begin_burst(contact: Contact, edge: Edge, order: int) -> Contact:
    """An armed contact's first row starts a burst, whatever it reads."""
    row = _press(edge, order)
    since, opened = (edge.t_ns, None) if edge.closed else (contact.since_ns, contact.opened_ns)
    early, spikes = 0 if edge.clock is None else edge.err_ns, contact.spikes
    return Contact(
        contact.station,
        edge.closed,
        since,
        _BURST,
        row,
        row,
        0,
        contact.down,
        opened,
        spikes,
        early,
        contact.decided_ns,
        contact.doubted_ns,
    )


def _press(edge: Edge, order: int) -> Press:
    """The press that a burst from this row on would be."""
    return Press(edge.station, edge.t_ns, edge.err_ns, edge.arrived_ns, order, edge.clock, edge.rel_err_ns)


def _other_level(contact: Contact, edge: Edge, order: int) -> Contact:
    """The other level, in a burst or after a press."""
    closing, total = contact.closing, contact.sum_ns
    if contact.mode is _BURST:
        if edge.closed:
            closing = _press(edge, order)
        else:
            total += edge.t_ns - contact.since_ns
    opened = _open_since_ns(contact, edge) if contact.down else None
    return Contact(
        contact.station,
        edge.closed,
        edge.t_ns,
        contact.mode,
        contact.start,
        closing,
        total,
        contact.down,
        opened,
        contact.spikes,
        0 if edge.clock is None else edge.err_ns,
        contact.decided_ns,
        contact.doubted_ns,
    )


def _open_since_ns(contact: Contact, edge: Edge) -> int | None:
    """Since when a gesture's contact has been open; 40 ms once complete wait for the burst in progress."""
    if _is_over(contact, edge.t_ns):
        return contact.opened_ns
    return None if edge.closed else edge.t_ns


def presses_of(rows: Iterable[Edge]) -> list[Press]:
    """The presses of rows in order of arrival, as they became certain; at the end levels stay as they are."""
    contacts: dict[str, Contact] = {}
    presses: list[Press] = []
    for order, row in enumerate(rows):
        contact = contacts.get(row.station) or Contact(row.station)
        contacts[row.station], signals = accept_edge(contact, row, order)
        if signals:
            presses += _presses(signals)
    for contact in contacts.values():
        presses += _presses(settle(contact, FOREVER_NS)[1])
    return presses


def _presses(signals: Iterable[Signal]) -> list[Press]:
    return [signal.press for signal in signals if isinstance(signal, Pressed)]


# -- time ----------------------------------------------------------------------------------------------------------


def behind_ns(contact: Contact, lag_ns: int) -> int:
    """How long after a stamp no row of this contact from before it can be under way any more.

    lag_ns: how long after its *true* instant a burst's first row may arrive; 0 for a source whose rows are never late.
    """
    if not lag_ns:
        return 0
    return lag_ns + contact.early_ns + (DRAIN_NS if contact.mode is _BURST else 0)


def settle(contact: Contact, until_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """What is certain once every row up to and including until_ns is in."""
    signals: tuple[Signal, ...] = ()
    while (due := _next(contact)) is not None and due <= until_ns:
        contact, told = _decide_burst(contact, due) if contact.mode is _BURST else _rest(contact, due)
        signals += told
    return contact, signals


def next_ns(contact: Contact) -> int | None:
    """When something is told by itself: a press, a spike, a release. Re-arming is silent and needs no call."""
    return _next(contact) if contact.mode is _BURST else _release_ns(contact)


def _next(contact: Contact) -> int | None:
    """The next instant at which the contact changes by itself."""
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
    """Whether the gesture has had its 40 ms open."""
    return contact.opened_ns is not None and contact.opened_ns + RELEASE_NS <= at_ns


def _rest(contact: Contact, at_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """Outside a burst: a gesture's release, or armed again."""
    if contact.opened_ns is not None and _is_over(contact, at_ns):
        over = Released(contact.station, contact.opened_ns, at_ns)
        return replace(contact, down=False, opened_ns=None, decided_ns=at_ns), (over,)
    return replace(contact, mode=_ARMED), ()


def _decide_burst(contact: Contact, at_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """A burst's end: a press as soon as it was closed for 1 ms, else at its window's end a spike.

    Closed for its whole window it is a press, whatever PRESS_NS says: the next burst would be the same one again.
    """
    start = contact.start
    assert start is not None
    if not contact.closed or contact.sum_ns + at_ns - contact.since_ns < min(PRESS_NS, WINDOW_NS):
        return _spike(contact, start.t_ns, at_ns)
    since, spikes, early, doubted = contact.since_ns, contact.spikes, contact.early_ns, contact.doubted_ns
    spent = Contact(contact.station, True, since, _SPENT, None, None, 0, True, None, spikes, early, at_ns, doubted)
    return spent, (Pressed(start, at_ns, not contact.down),)


def _spike(contact: Contact, start_ns: int, at_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """Armed at once; closed, a new burst starts where the contact last closed. A release that waited is told."""
    told: tuple[Signal, ...] = (Spiked(contact.station, start_ns),)
    down, opened = contact.down, contact.opened_ns
    if opened is not None and _is_over(contact, at_ns):
        told += (Released(contact.station, opened, at_ns),)
        down, opened = False, None
    mode, start = (_BURST, contact.closing) if contact.closed else (_ARMED, None)
    spiked = Contact(
        contact.station,
        contact.closed,
        contact.since_ns,
        mode,
        start,
        start,
        0,
        down,
        opened,
        contact.spikes + 1,
        contact.early_ns,
        at_ns,
        contact.doubted_ns,
    )
    return spiked, told
