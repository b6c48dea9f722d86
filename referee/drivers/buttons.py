"""Convert edges of contacts and the knob, as the kernel reports them, into the core's rows.

A station's contact and the knob's push yield one `Edge` row per kernel event, bounces included. Debouncing happens in
the core (core/presses/signals.py). The knob's rotation yields one `Turned` row per detent (step); it is decoded here,
where the edges of both its lines are in time order.

Every row states its error. A kernel timestamp is never early. It is late by at most the interrupt thread's latency,
because a bounce before that thread runs overwrites the timestamp. After lost events, the first edge may have been at
any time since the last known event, so the row's error reaches back to it.

This code runs only when events arrive. A button that is held down causes none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy

from gpiozero_gpiod.edges import EdgeSource, RawEdge, Watch
from referee.core.model.events import Turned
from referee.core.presses.signals import KNOB, Edge
from referee.drivers.pins.pinmap import Pin, Profile

GPIO_ERR_NS = 300_000
"""How late a kernel timestamp may be, in ns: the interrupt thread's latency.

Reports by others for a Pi are tens of microseconds, which we have not measured. This is an order of magnitude more;
measure it with `referee doctor --fixture`.
"""

InputRow = Edge | Turned
InputSink = Callable[[Sequence[InputRow]], None]


class Quadrature:
    """Decodes the two lines of a rotary encoder (the knob) into detents of four transitions.

    Each line is followed separately. A bounce is a step forward and a step back, which cancel out. A repeated level is
    no step. A detent is reported when both lines are back at their levels at rest. Every single change moves the Gray
    code by one, so at rest the count is a multiple of four even after missed changes: errors do not accumulate.
    """

    _STEP = {(0b11, 0b01): 1, (0b01, 0b00): 1, (0b00, 0b10): 1, (0b10, 0b11): 1}  # clockwise: A changes first
    _STEP.update({(new, old): -1 for (old, new) in list(_STEP)})

    def __init__(self, a: int, b: int) -> None:
        """`a`, `b`: the lines' levels at rest."""
        self._rest = self._state = a << 1 | b
        self._count = 0

    def change(self, a: int | None = None, b: int | None = None) -> int:
        """Take a line's new level. Return the detent that it completes: 1 clockwise, -1 back, or 0."""
        old = self._state
        new_a, new_b = old >> 1 if a is None else a, old & 1 if b is None else b
        self._state = new_a << 1 | new_b
        self._count += self._STEP.get((old, self._state), 0)
        if self._state != self._rest:
            return 0
        steps, self._count = int(self._count / 4), 0
        return steps

    def note_loss(self) -> None:
        """Forget a half-finished detent, because events of the lines were lost."""
        self._count = 0


class Buttons:
    """Passes the changes of the wired contacts and of the knob as core facts to `sink`.

    `sink` is called with a batch of rows in time order, under the factory's lock, on the factory's thread or in
    `drain()`. It must only store the batch (see gpiod/edges.py).
    """

    def __init__(
        self,
        source: EdgeSource,
        profile: Profile,
        sink: InputSink,
        *,
        err_ns: int = GPIO_ERR_NS,
    ) -> None:
        """`err_ns`: the error of a kernel timestamp. Every row contains it."""
        self._source = source
        self._sink = sink
        self._err_ns = err_ns
        self._contacts = _contacts(profile)
        self._encoder = {pin.gpio: net for net in ("ENC_A", "ENC_B") if (pin := profile.find(net))}
        self._quadrature: Quadrature | None = None
        self._watches: list[Watch] = []
        self._gate = threading.Lock()  # rows of the start come before early edges
        self._early: list[RawEdge] | None = []

    def start(self) -> tuple[str, ...]:
        """Claim the pins, and return the contacts that are closed now. They do not count as pressed.

        Raises gpiozero's errors (pin in use, pin missing on the board); then no pin stays claimed.
        """
        try:
            return self._begin(self._claim())
        except Exception:
            self.close()
            raise

    def drain(self) -> int:
        """Read every line now and pass the new rows to `sink`. Return the number of edges."""
        return self._source.drain()

    def close(self) -> None:
        """Release all pins."""
        for watch in self._watches:
            watch.close()
        self._watches.clear()

    def _claim(self) -> dict[int, int]:
        levels: dict[int, int] = {}
        for pull in ("up", "down"):
            gpios = [pin.gpio for _, pin in self._contacts.values() if pin.pull == pull]
            gpios += list(self._encoder) if pull == "up" else []
            if gpios:
                self._watches.append(self._source.watch(self._took, gpios, pull))
                levels.update(self._watches[-1].levels())
        return levels

    def _begin(self, levels: dict[int, int]) -> tuple[str, ...]:
        if len(self._encoder) == 2:
            a, b = sorted(self._encoder, key=self._encoder.__getitem__)
            self._quadrature = Quadrature(levels[a], levels[b])
        with self._gate:
            early, self._early = self._early or [], None
            self._hand_over(early)
        return tuple(name for gpio, (name, _) in self._contacts.items() if self._is_closed(gpio, levels[gpio]))

    def _took(self, batch: Sequence[RawEdge]) -> None:
        with self._gate:
            if self._early is not None:
                self._early.extend(batch)
            else:
                self._hand_over(batch)

    def _hand_over(self, batch: Sequence[RawEdge]) -> None:
        """Pass the whole batch to `sink`. If `sink` raises, change nothing: the caller tries again."""
        knob = copy(self._quadrature)
        try:
            rows = [row for raw in batch if (row := self._row(raw)) is not None]
            if rows:
                self._sink(rows)
        except Exception:
            self._quadrature = knob
            raise

    def _row(self, raw: RawEdge) -> InputRow | None:
        return self._edge(raw) if raw.gpio in self._contacts else self._turn(raw)

    def _edge(self, raw: RawEdge) -> Edge:
        station, _ = self._contacts[raw.gpio]
        lost_ns = 0 if raw.gap_since_ns is None else max(raw.t_ns - raw.gap_since_ns, 0)
        # arrival is its own time: drain() runs before every deadline
        return Edge(station, self._is_closed(raw.gpio, raw.level), raw.t_ns, self._err_ns + lost_ns, raw.t_ns)

    def _is_closed(self, gpio: int, level: int) -> bool:
        return level == (0 if self._contacts[gpio][1].active == "low" else 1)

    def _turn(self, raw: RawEdge) -> Turned | None:
        if self._quadrature is None:
            return None
        if raw.gap_since_ns is not None:
            self._quadrature.note_loss()
        steps = self._quadrature.change(**{self._encoder[raw.gpio][-1].lower(): raw.level})
        return Turned(raw.t_ns, steps) if steps else None


def _contacts(profile: Profile) -> dict[int, tuple[str, Pin]]:
    named = dict(profile.stations())
    knob = profile.find("ENC_SW")
    if knob is not None:
        named[KNOB] = knob
    return {pin.gpio: (station, pin) for station, pin in named.items()}
