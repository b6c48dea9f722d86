"""From edge rows to presses: one contact at a time, folded row by row.

Theory of operation. A contact is *armed*, in a *burst*, or *spent* (pressed, and not yet open long enough):

    armed ── any row ──► burst ── 1 ms closed within 10 ms ──► spent ── open 10 ms ──► armed
      ▲                    │
      └── 10 ms are over ──┘  a spike; if it reads closed then, a new burst starts where it last closed

A press happened when its burst's first row happened, whatever level that row reports: the kernel stamps in the
interrupt and reads the level later. Beside that runs the *gesture* of taps and holds: it begins with a press and ends
when the contact has been open for 40 ms, so that a dirty contact does not split a hold. Everything is integer ns; the
state is one frozen value of fixed size however much a contact chatters. Source of every figure: ARBITER.md, "Rows to
presses".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from referee.core.units import MS

KNOB = "knob"
"""The station name of the knob's push contact; seats are "1" to "8"."""
PRESS_NS = 1 * MS
"""Closed this long in all, a burst is a press; a spike of induction or a finger's slip is shorter."""
WINDOW_NS = 10 * MS
"""Contacts settle within this; [start, start + 10 ms) is half open."""
REARM_NS = 10 * MS
"""Open this long without a break, a pressed contact is armed again."""
RELEASE_NS = 40 * MS
"""Open this long, a gesture is over."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge row: what a source saw of one contact, and when.

    t_ns is the source's stamp on the host's CLOCK_MONOTONIC, err_ns its stated bound (the true time lies within
    t_ns ± err_ns), arrived_ns when the host had the row.
    """

    station: str
    closed: bool
    t_ns: int
    err_ns: int = 0
    arrived_ns: int = -1

    def __post_init__(self) -> None:
        if self.arrived_ns < 0:
            object.__setattr__(self, "arrived_ns", self.t_ns)


@dataclass(frozen=True, slots=True)
class Press:
    """An accepted burst: it happened when its first edge happened. `order` counts the rows before that edge."""

    station: str
    t_ns: int
    err_ns: int
    arrived_ns: int
    order: int


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press, certain since `at_ns`. `fresh` is False when it belongs to a gesture that is still going on."""

    press: Press
    at_ns: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class Released:
    """A gesture is over: the contact opened at `t_ns` and has stayed open for 40 ms, until `at_ns`."""

    station: str
    t_ns: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class Spiked:
    """A burst that was no press, begun at `t_ns`."""

    station: str
    t_ns: int


Signal = Pressed | Released | Spiked


class Mode(IntEnum):
    """What a contact's next row means."""

    ARMED = 0
    BURST = 1
    SPENT = 2


@dataclass(frozen=True, slots=True)
class Contact:
    """One station's contact. `start` and `closing` are bursts' beginnings as the press they would be.

    closed: the level, since `since_ns`. sum_ns: closed time of the burst before that. down: a gesture is going on.
    """

    station: str
    closed: bool = False
    since_ns: int = 0
    mode: Mode = Mode.ARMED
    start: Press | None = None
    closing: Press | None = None
    sum_ns: int = 0
    down: bool = False
    spikes: int = 0


def standing(station: str, closed: bool, at_ns: int) -> Contact:
    """A contact as found at start-up: one that is closed already arms when it has been open for 10 ms."""
    return Contact(station, closed, at_ns, Mode.SPENT if closed else Mode.ARMED)


def meet(contact: Contact, edge: Edge, order: int) -> tuple[Contact, tuple[Signal, ...]]:
    """The contact after a row, and what became certain by it. Rows of one contact come in order of `t_ns`."""
    due = _next(contact)
    contact, signals = settle(contact, edge.t_ns) if due is not None and due <= edge.t_ns else (contact, ())
    if contact.mode is Mode.SPENT:
        return (_turned(contact, edge), signals) if edge.closed != contact.closed else (contact, signals)
    row = Press(edge.station, edge.t_ns, edge.err_ns, edge.arrived_ns, order)
    if contact.mode is Mode.ARMED:
        changed = edge.closed != contact.closed
        since = edge.t_ns if changed else contact.since_ns
        burst = Contact(contact.station, edge.closed, since, Mode.BURST, row, row, 0, contact.down, contact.spikes)
        return burst, signals
    if edge.closed == contact.closed:
        return contact, signals
    return _turned(contact, edge, row), signals


def _turned(contact: Contact, edge: Edge, row: Press | None = None) -> Contact:
    """The same mode at the other level; a burst adds up its closed time and remembers where it last closed."""
    total = contact.sum_ns + (edge.t_ns - contact.since_ns if contact.closed else 0)
    return Contact(
        contact.station,
        edge.closed,
        edge.t_ns,
        contact.mode,
        contact.start,
        row if edge.closed else contact.closing,
        total,
        contact.down,
        contact.spikes,
    )


def settle(contact: Contact, until_ns: int) -> tuple[Contact, tuple[Signal, ...]]:
    """What is certain once every row up to and including `until_ns` is in."""
    signals: list[Signal] = []
    while (due := _next(contact)) is not None and due <= until_ns:
        contact, signal = _step(contact, due)
        if signal is not None:
            signals.append(signal)
    return contact, tuple(signals)


def next_ns(contact: Contact) -> int | None:
    """When something is said by itself: a press confirmed, a burst over, a gesture over. Re-arming is silent."""
    if contact.mode is Mode.BURST:
        return _next(contact)
    return contact.since_ns + RELEASE_NS if contact.down and not contact.closed else None


def in_burst(contact: Contact) -> Press | None:
    """The press that the burst in progress would be, None when there is none."""
    return contact.start if contact.mode is Mode.BURST else None


def _next(contact: Contact) -> int | None:
    """The next instant at which the contact changes by itself."""
    released = contact.since_ns + RELEASE_NS if contact.down and not contact.closed else None
    if contact.mode is Mode.BURST:
        assert contact.start is not None
        end = contact.start.t_ns + WINDOW_NS
        if contact.closed:
            return min(contact.since_ns + PRESS_NS - contact.sum_ns, end)
        return end if released is None else min(end, released)
    if contact.mode is Mode.SPENT and not contact.closed:
        return contact.since_ns + REARM_NS
    return released


def _step(contact: Contact, at_ns: int) -> tuple[Contact, Signal | None]:
    """The change that falls at `at_ns`."""
    if contact.mode is Mode.SPENT:
        return replace(contact, mode=Mode.ARMED), None
    if contact.down and not contact.closed and at_ns == contact.since_ns + RELEASE_NS:
        return replace(contact, down=False), Released(contact.station, contact.since_ns, at_ns)
    assert contact.start is not None
    if contact.closed and contact.sum_ns + at_ns - contact.since_ns >= PRESS_NS:
        spent = replace(contact, mode=Mode.SPENT, start=None, closing=None, sum_ns=0, down=True)
        return spent, Pressed(contact.start, at_ns, not contact.down)
    spiked = Spiked(contact.station, contact.start.t_ns)
    start = contact.closing if contact.closed else None
    mode = Mode.BURST if contact.closed else Mode.ARMED
    return replace(contact, mode=mode, start=start, sum_ns=0, spikes=contact.spikes + 1), spiked
