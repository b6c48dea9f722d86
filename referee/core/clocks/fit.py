"""Relate a foreign clock to the host's, with guaranteed bounds, and detect a steered host clock.

Theory of operation. The host asks at `sent`, the other side stamps its own clock while it answers, and the answer
arrives at `received`. Whatever the link did, the stamp was taken between the two. So every exchange constrains the
offset host - foreign at the foreign time on both sides. Every pulse of a sync wire does so more tightly. No delay is
assumed to be usual, minimal or symmetric, because an exchange cannot show that. Only the clocks are modelled
(constraints.py): rates within 500 ppm that change by at most 0.1 ppm a second and by at most 40 ppm in all. The
constraints under that model (`SURE`) give the bound. The instant is the centre of the possible range if the clocks are
as calm as they usually are (`LIKELY`); the bound reaches from there to the farther end of the possible range.

As a consequence, the fastest of many round trips decide, separately for each direction. A link that is slower in one
direction moves the instant by half the difference, within the bound. When samples stop, are lost or are delayed, the
bound grows according to the model.

Contradictory evidence means that the clock jumped (it restarted), that a pulse was paired with the wrong stamp, or that
a clock left the model. Then pulses are dropped first and, if that is not enough, all but the newest exchange: the bound
is wide at once and narrows again. Until this is noticed, a clock outside the model may be outside its bound. A time
service that slews the host's CLOCK_MONOTONIC in steps does that: 100 ppm more are 0.1 ms a second until the constraints
contradict. The host detects it at once (`Steering`) and calls `after_steering`.

Nothing here depends on the kind of link. Integer nanoseconds in and out.

Theory of operation. CLOCK_MONOTONIC_RAW runs at the crystal's rate; CLOCK_MONOTONIC adds a rate set by a time service.
So their difference is a straight line without steering, whatever the temperature, and bends when the clock is steered.
A clock fit assumes that rates change slowly. This is true for crystals, but not for a steered clock: when the line
bends, the fit must drop what it knew before (`Clockfit.after_steering`).

The line goes through two of the last notes and is compared with the newest reading. Readings have errors of some tenths
of a microsecond; a bend of 1 ppm is 1 µs off the line after a second and 4 µs after four.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.clocks.constraints import (
    FASTEST,
    LIKELY,
    PPM,
    SURE,
    UNIT,
    Constraints,
    Rates,
    Wander,
    between,
    centre_ns,
    highest_ns,
    rate_change,
    seen_from,
    slack_ns,
    with_constraint,
)
from referee.core.units import MS, US
from referee.core.values import Value, replace

RESOLUTION_NS = 1 * US
"""Maximum distance of a pod's stamp from its true instant."""
UNSEEN_NS = 10 * US
"""How far a time service can steer the host's clock before that is detected."""


class Exchange(Value):
    """One question from the host to the other device, and the answer.

    sent_ns: host time before sending; foreign_ns: the other device's stamp; received_ns: host time after receiving.

    A device that stamps twice gives foreign_ns at the question's arrival and left_ns at the answer's departure; then
    the time between the two adds no error. The stamps must belong to this question: match them by number. Raises
    ValueError if received_ns is before sent_ns, or left_ns before foreign_ns.
    """

    sent_ns: int
    foreign_ns: int
    received_ns: int
    left_ns: int | None = None

    def __post_init__(self) -> None:
        if self.received_ns < self.sent_ns:
            raise ValueError(f"an answer received at {self.received_ns} ns, before its question at {self.sent_ns} ns")
        if self.leaving_ns < self.foreign_ns:
            raise ValueError(f"an answer that left at {self.left_ns} ns, before its question at {self.foreign_ns} ns")

    @property
    def leaving_ns(self) -> int:
        """Return the stamp nearest to the departure of the answer."""
        return self.foreign_ns if self.left_ns is None else self.left_ns


class Instant(Value):
    """An instant on the host's clock: t_ns, within ± err_ns."""

    t_ns: int
    err_ns: int


class Quality(Value):
    """The accuracy of a stamp that the foreign clock takes now.

    bound_ns: the stamp's error bound, None while nothing is known. drift_ppm: how much faster than the host's clock the
    foreign clock runs. exchanges: the number of exchanges and pulses since the foreign clock last restarted.
    """

    bound_ns: int | None
    drift_ppm: float
    exchanges: int


class StraightLine(Value):
    """A straight line that converts a foreign clock's stamps to the host's clock.

    at_ns: the stamp at which the line starts. here: the instant of this stamp on the host's clock. rate: how fast the
    offset changes, in parts of UNIT. spread: the maximum error of `rate`.
    Between two stamps that one line converted, only the error of the rate matters. The time between them has an error
    of at most the sum of their `apart_ns` (see `place`).
    """

    at_ns: int
    here: Instant
    rate: int
    spread: int

    def place(self, foreign_ns: int) -> tuple[int, int]:
        """Return a stamp's host time in ns, and `apart_ns`, its additional error in ns.

        The error of the host time is at most the error of `here` plus `apart_ns`.
        """
        away_ns = foreign_ns - self.at_ns
        t_ns = self.here.t_ns + away_ns + away_ns * self.rate // UNIT
        return t_ns, -(-abs(away_ns) * self.spread // UNIT) + slack_ns(away_ns, SURE) if away_ns else 0


class Clockfit(Value):
    """Everything known of one foreign clock, such as a pod's.

    Start with a new `Clockfit()` when the other device reports that it has restarted.
    above: upper limits of the offset, from exchanges. below: upper limits of the negative offset. wired_above,
    wired_below: the same two, from pulses of a sync wire. newest_ns: the newest foreign stamp. sure: the range of the
    possible rates at that stamp. likely: this range if the rate changes no faster than usual; None if it has changed
    faster. step_ns: maximum distance of a foreign stamp from its true instant.
    """

    above: Constraints = ()
    below: Constraints = ()
    wired_above: Constraints = ()
    wired_below: Constraints = ()
    newest_ns: int = 0
    sure: Rates = (-FASTEST, FASTEST)
    likely: Rates | None = None
    exchanges: int = 0
    step_ns: int = RESOLUTION_NS

    def with_exchange(self, exchange: Exchange) -> Clockfit:
        """Return the fit with one more exchange. Exchanges can be added in any order.

        If the exchange contradicts the other data, the fit starts again with this exchange alone.
        """
        over = exchange.leaving_ns, exchange.received_ns - exchange.leaving_ns + self.step_ns
        under = exchange.foreign_ns, exchange.foreign_ns - exchange.sent_ns + self.step_ns
        above, below, count = with_constraint(self.above, over), with_constraint(self.below, under), self.exchanges + 1
        return (
            self._with(above, below, self.wired_above, self.wired_below, count)
            or self._anew._with(above, below, (), (), count)
            or replace(self._anew, above=(over,), below=(under,), newest_ns=exchange.leaving_ns, exchanges=1)
        )

    def with_pulse(self, host_ns: int, foreign_ns: int, err_ns: int) -> Clockfit:
        """Return the fit with one more pulse of a sync wire.

        The pulse was at host_ns ± err_ns by the host's clock, and at foreign_ns by the foreign clock.

        If the pulse contradicts earlier pulses, these are dropped. If it contradicts the exchanges, it was paired
        wrongly: all pulses are dropped.
        Raises ValueError for a negative error.
        """
        if err_ns < 0:
            raise ValueError(f"a pulse's error must not be negative, not {err_ns} ns")
        offset_ns, err_ns = host_ns - foreign_ns, err_ns + RESOLUTION_NS
        over, under = (foreign_ns, offset_ns + err_ns), (foreign_ns, err_ns - offset_ns)
        above, below = with_constraint(self.wired_above, over), with_constraint(self.wired_below, under)
        count = self.exchanges + 1
        if not self.above:
            alone = Clockfit((), (), (over,), (under,), foreign_ns, exchanges=1)
            return self._with((), (), above, below, count) or alone
        return (
            self._with(self.above, self.below, above, below, count)
            or Clockfit()._with(self.above, self.below, (over,), (under,), count)
            or Clockfit()._with(self.above, self.below, (), (), self.exchanges)
            or Clockfit()
        )

    def with_paired_pulse(self, foreign_ns: int, pulses: Sequence[Instant]) -> Clockfit | None:
        """Return the fit with the pulse that the other device saw at foreign_ns.

        pulses: the pulses that the host saw. Return None unless exactly one of them can be the other device's pulse.
        """
        seen = self.to_host(foreign_ns)
        if seen is None:
            return None
        possible = [pulse for pulse in pulses if abs(pulse.t_ns - seen.t_ns) <= pulse.err_ns + seen.err_ns]
        return self.with_pulse(possible[0].t_ns, foreign_ns, possible[0].err_ns) if len(possible) == 1 else None

    def after_steering(self) -> Clockfit:
        """Return a fit with only the newest offset: steering of the host's clock changed the rate."""
        newest = self.to_host(self.newest_ns)
        if newest is None:
            return self
        offset_ns, err_ns = newest.t_ns - self.newest_ns, newest.err_ns + UNSEEN_NS
        over, under = (self.newest_ns, offset_ns + err_ns), (self.newest_ns, err_ns - offset_ns)
        return replace(self._anew, above=(over,), below=(under,), newest_ns=self.newest_ns, exchanges=1)

    @property
    def _anew(self) -> Clockfit:
        """Return a fit without data, with the same `step_ns`."""
        return Clockfit(step_ns=self.step_ns)

    def to_host(self, foreign_ns: int) -> Instant | None:
        """Return the instant on the host's clock of a foreign stamp; None before anything is known."""
        if not self.exchanges:
            return None
        low, high = sorted(self._span(foreign_ns))  # low > high if the clock left the model in between
        offset_ns = min(max(self._centre(foreign_ns, (low + high) // 2), low), high)
        return Instant(foreign_ns + offset_ns, max(high - offset_ns, offset_ns - low) + self.step_ns)

    def line(self, foreign_ns: int) -> StraightLine | None:
        """Return the `StraightLine` for stamps near this one; None before anything is known."""
        here = self.to_host(foreign_ns)
        if here is None:
            return None
        slow, fast = self._rates(foreign_ns, SURE, self.sure)
        rate = min(max(sum(self.likely or self.sure) // 2, slow), fast)
        return StraightLine(foreign_ns, here, rate, max(fast - rate, rate - slow))

    def quality(self, now_ns: int) -> Quality:
        """Return the accuracy of a stamp taken at the host's now_ns."""
        newest = self.to_host(self.newest_ns)
        if newest is None:
            return Quality(None, 0.0, 0)
        now = self.to_host(self.newest_ns + now_ns - newest.t_ns)
        assert now is not None
        return Quality(now.err_ns, -sum(self.likely or self.sure) / (2 * PPM), self.exchanges)

    def _with(
        self, above: Constraints, below: Constraints, wired_above: Constraints, wired_below: Constraints, exchanges: int
    ) -> Clockfit | None:
        """Return the fit with these constraints; None if no possible rate satisfies them."""
        newest_ns = max(constraints[-1][0] for constraints in (above, wired_above) if constraints)
        fit = Clockfit(above, below, wired_above, wired_below, newest_ns, exchanges=exchanges, step_ns=self.step_ns)
        sure = between(*fit._seen_from(newest_ns, SURE), self._rates(newest_ns, SURE, self.sure))
        if sure is None:
            return None
        likely = between(*fit._seen_from(newest_ns, LIKELY), self._rates(newest_ns, LIKELY, self.likely or sure))
        return replace(fit, sure=sure, likely=likely)

    def _seen_from(self, at_ns: int, wander: Wander) -> tuple[Constraints, Constraints]:
        """Return the upper limits of the offset and of its negative, with times relative to `at_ns`.

        They limit a straight line. Its rate is the clock's rate at `at_ns` or, if that is earlier, at the newest stamp.
        """
        through_ns = min(at_ns, self.newest_ns)
        above, below = self.above + self.wired_above, self.below + self.wired_below
        return seen_from(above, at_ns, through_ns, wander), seen_from(below, at_ns, through_ns, wander)

    def _rates(self, at_ns: int, wander: Wander, newest: Rates) -> Rates:
        """Return the possible rates at another time, given those at the newest stamp."""
        change = rate_change(at_ns - self.newest_ns, wander)
        return max(newest[0] - change, -FASTEST), min(newest[1] + change, FASTEST)

    def _span(self, at_ns: int) -> tuple[int, int]:
        """Return the least and the greatest possible offset at a time."""
        above, below = self._seen_from(at_ns, SURE)
        (slow, fast), aside_ns = self.sure, slack_ns(at_ns - self.newest_ns, SURE)
        if at_ns < self.newest_ns:
            rates = self._rates(at_ns, SURE, self.sure)
            (slow, fast), aside_ns = between(above, below, rates) or rates, 0
        return -highest_ns(below, (-fast, -slow)) - aside_ns, highest_ns(above, (slow, fast)) + aside_ns

    def _centre(self, at_ns: int, otherwise_ns: int) -> int:
        """Return the likely offset at a time: the mean of all offsets that a calm clock allows.

        The rate of a calm clock changes no faster than usual (`LIKELY`). If this clock's rate has changed faster,
        return `otherwise_ns`.
        """
        if self.likely is None:
            return otherwise_ns
        then = at_ns < self.newest_ns
        rates = self._rates(at_ns, LIKELY, self.likely) if then else self.likely
        centre = centre_ns(*self._seen_from(at_ns, LIKELY), rates)
        return otherwise_ns if centre is None else centre


BEND_NS = 4 * US
"""Distance of a reading from the line above which the clock counts as steered."""
SPACING_NS = 500 * MS
NOTES = 16

Note = tuple[int, int]
"""A reading in ns: CLOCK_MONOTONIC_RAW, and by how much CLOCK_MONOTONIC is ahead of it."""


class Steering(Value):
    """The last readings of CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW, at least `SPACING_NS` apart.

    bent: the newest reading is off the line through earlier ones, because a time service has changed a clock's rate.
    """

    notes: tuple[Note, ...] = ()
    bent: bool = False

    def read(self, raw_ns: int, ahead_ns: int) -> Steering:
        """Return the readings with a new one.

        raw_ns: CLOCK_MONOTONIC_RAW. ahead_ns: by how much CLOCK_MONOTONIC is ahead of it. If the new reading is off the
        line through the others, the clock was steered: drop older readings.
        """
        far = not self.notes or raw_ns - self.notes[-1][0] >= SPACING_NS
        new = (raw_ns, ahead_ns)
        if self._is_off(raw_ns, ahead_ns):
            return Steering((self.notes[-1], new) if far else (new,), True)
        return Steering((*self.notes[-NOTES + 1 :], new) if far else self.notes)

    def _is_off(self, raw_ns: int, ahead_ns: int) -> bool:
        if len(self.notes) < 2:
            return False
        (start_ns, start), (end_ns, end) = self.notes[0], self.notes[len(self.notes) // 2]
        line_ns = start + (end - start) * (raw_ns - start_ns) // (end_ns - start_ns)
        return abs(ahead_ns - line_ns) > BEND_NS
