"""A foreign clock (a pod's, a phone's) against the host's: an instant, and a bound that evidence and model force.

Theory of operation. The host asks at `sent`, the other side stamps its own clock while it answers, the answer is here
at `received`: whatever the link did, the stamp was taken between the two. So every exchange is a constraint on either
side of the offset host - foreign at the foreign time, and so is every pulse of a sync wire, whose constraints stand
closer. No delay is taken as usual, or least, or the same both ways: an exchange cannot tell. Only the clocks are
modelled (constraints.py): rates within 500 ppm that change by at most 0.1 ppm a second and by at most 40 ppm in all.
What lies between the constraints under that model (`SURE`) is the bound. The instant is the centre of what lies between
them if the clocks are as calm as they are most of the time (`LIKELY`); the bound reaches from there to the farther end
of what is possible.

What follows: the narrowest of many round trips decide by themselves, each way of its own; a link that is slower one way
moves the instant by half the difference, and the bound covers it; when samples stop, are lost or are held up, the bound
grows by itself, as the model says.

Evidence that leaves nothing in between means that the clock jumped (it restarted), that a pulse was paired with the
wrong stamp, or that a clock left the model. Then pulses are let go first, and if that does not help, all but the newest
exchange: the bound is wide at once and narrows again. Before it is noticed, a clock outside the model may be outside
its bound. A time service that slews the host's CLOCK_MONOTONIC in steps does that: 100 ppm more are 0.1 ms a second
until the constraints meet. The host can see it at once (steering.py) and then says so (`after_steering`).

Nothing here is about one kind of link. Integer nanoseconds in and out.
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
from referee.core.units import US
from referee.core.values import Value, replace

RESOLUTION_NS = 1 * US
"""A foreign stamp is within this of the instant that it stands for."""
UNSEEN_NS = 10 * US
"""What a host's clock can have been steered before it is seen."""


class Exchange(Value):
    """One question and its answer: host time before sending, the foreign stamp, host time after receiving.

    Who stamps twice gives foreign_ns when the question had come, and left_ns when the answer left: then the time in
    between is no part of what is unknown. The stamps must stand in the answer to this very question: match them by
    number. ValueError if received before sent, or left before come.
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
        """The stamp nearest to the answer's way back."""
        return self.foreign_ns if self.left_ns is None else self.left_ns


class Instant(Value):
    """The host's time t_ns, within ± err_ns."""

    t_ns: int
    err_ns: int

    def not_before(self, t_ns: int) -> Instant:
        """The same instant told no earlier than t_ns, the bound widened by as much.

        For a source whose stamps must not decrease while its fit learns: the arbiter takes rows of a station in order.
        """
        late_ns = max(t_ns - self.t_ns, 0)
        return Instant(self.t_ns + late_ns, self.err_ns + late_ns)


class Quality(Value):
    """What a stamp of now would be worth.

    bound_ns: its bound, None while nothing is known; drift_ppm: how much faster than the host's the foreign clock runs;
    exchanges: how many of them, and pulses, have been taken in since the clock last started anew.
    """

    bound_ns: int | None
    drift_ppm: float
    exchanges: int


class StraightLine(Value):
    """One straight way from a foreign clock to the host's, through `here` at at_ns.

    Between two stamps that are placed by the same line only its rate is uncertain: their distance is right to within
    the sum of what `apart_ns` says of each. rate: of the offset, in parts of UNIT; spread: how far it may be off.
    """

    at_ns: int
    here: Instant
    rate: int
    spread: int

    def apart_ns(self, foreign_ns: int) -> int:
        """How much farther off than `here` a stamp's instant may be."""
        return self.place(foreign_ns)[1]

    def t_ns(self, foreign_ns: int) -> int:
        """When a stamp was, within `here`'s bound and what `apart_ns` says."""
        return self.place(foreign_ns)[0]

    def place(self, foreign_ns: int) -> tuple[int, int]:
        """Both of them: `t_ns` and `apart_ns`."""
        away_ns = foreign_ns - self.at_ns
        t_ns = self.here.t_ns + away_ns + away_ns * self.rate // UNIT
        return t_ns, -(-abs(away_ns) * self.spread // UNIT) + slack_ns(away_ns, SURE) if away_ns else 0


class Clockfit(Value):
    """All that is known of one foreign clock. Begin with `empty()` at each of its boots, if it tells of them.

    above, below: constraints of the offset and of its negative, from exchanges; wired_above, wired_below: from pulses.
    newest_ns: the newest foreign stamp; sure, likely: the rates that the clock may have there, None for likely when it
    is not as calm as that.
    """

    above: Constraints = ()
    below: Constraints = ()
    wired_above: Constraints = ()
    wired_below: Constraints = ()
    newest_ns: int = 0
    sure: Rates = (-FASTEST, FASTEST)
    likely: Rates | None = None
    exchanges: int = 0

    @staticmethod
    def empty() -> Clockfit:
        """The fit of a clock of which nothing is known yet."""
        return Clockfit()

    def with_exchange(self, exchange: Exchange) -> Clockfit:
        """With one exchange more, in any order. One that contradicts what is known starts anew from itself."""
        over = exchange.leaving_ns, exchange.received_ns - exchange.leaving_ns + RESOLUTION_NS
        under = exchange.foreign_ns, exchange.foreign_ns - exchange.sent_ns + RESOLUTION_NS
        above, below, count = with_constraint(self.above, over), with_constraint(self.below, under), self.exchanges + 1
        return (
            self._with(above, below, self.wired_above, self.wired_below, count)
            or Clockfit()._with(above, below, (), (), count)
            or Clockfit((over,), (under,), newest_ns=exchange.leaving_ns, exchanges=1)
        )

    def with_pulse(self, host_ns: int, foreign_ns: int, err_ns: int) -> Clockfit:
        """With one pulse of a sync wire, which was at host_ns ± err_ns and which the other side saw at foreign_ns.

        One that contradicts the exchanges was paired wrongly: it is not believed, nor are the pulses before it.
        Raises ValueError for an error below zero.
        """
        if err_ns < 0:
            raise ValueError(f"a pulse's error must not be negative, not {err_ns} ns")
        offset_ns, err_ns = host_ns - foreign_ns, err_ns + RESOLUTION_NS
        over, under = (foreign_ns, offset_ns + err_ns), (foreign_ns, err_ns - offset_ns)
        above, below, count = (
            with_constraint(self.wired_above, over),
            with_constraint(self.wired_below, under),
            self.exchanges + 1,
        )
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
        """With the pulse that the other side saw at foreign_ns, if it can have been just one of those of the host."""
        seen = self.to_host(foreign_ns)
        if seen is None:
            return None
        possible = [pulse for pulse in pulses if abs(pulse.t_ns - seen.t_ns) <= pulse.err_ns + seen.err_ns]
        return self.with_pulse(possible[0].t_ns, foreign_ns, possible[0].err_ns) if len(possible) == 1 else None

    def after_steering(self) -> Clockfit:
        """When the host's clock was steered (steering.py): what was known at the newest stamp, and no rate."""
        newest = self.to_host(self.newest_ns)
        if newest is None:
            return self
        offset_ns, err_ns = newest.t_ns - self.newest_ns, newest.err_ns + UNSEEN_NS
        over, under = (self.newest_ns, offset_ns + err_ns), (self.newest_ns, err_ns - offset_ns)
        return Clockfit((over,), (under,), newest_ns=self.newest_ns, exchanges=1)

    def to_host(self, foreign_ns: int) -> Instant | None:
        """When a foreign stamp was, None before anything is known."""
        if not self.exchanges:
            return None
        low, high = sorted(self._span(foreign_ns))  # crossed if the clock left the model in between
        offset_ns = min(max(self._centre(foreign_ns, (low + high) // 2), low), high)
        return Instant(foreign_ns + offset_ns, max(high - offset_ns, offset_ns - low) + RESOLUTION_NS)

    def line(self, foreign_ns: int) -> StraightLine | None:
        """The way from this clock to the host's as it is known now, for stamps near that one; None before any is."""
        here = self.to_host(foreign_ns)
        if here is None:
            return None
        slow, fast = self._rates(foreign_ns, SURE, self.sure)
        rate = min(max(sum(self.likely or self.sure) // 2, slow), fast)
        return StraightLine(foreign_ns, here, rate, max(fast - rate, rate - slow))

    def quality(self, now_ns: int) -> Quality:
        """How well a stamp taken at the host's now_ns can be placed."""
        newest = self.to_host(self.newest_ns)
        if newest is None:
            return Quality(None, 0.0, 0)
        now = self.to_host(self.newest_ns + now_ns - newest.t_ns)
        assert now is not None
        return Quality(now.err_ns, -sum(self.likely or self.sure) / (2 * PPM), self.exchanges)

    def _with(
        self, above: Constraints, below: Constraints, wired_above: Constraints, wired_below: Constraints, exchanges: int
    ) -> Clockfit | None:
        """The fit with these constraints, if a clock that was as known before passes between them."""
        newest_ns = max(constraints[-1][0] for constraints in (above, wired_above) if constraints)
        fit = Clockfit(above, below, wired_above, wired_below, newest_ns, exchanges=exchanges)
        sure = between(*fit._seen_from(newest_ns, SURE), self._rates(newest_ns, SURE, self.sure))
        if sure is None:
            return None
        likely = between(*fit._seen_from(newest_ns, LIKELY), self._rates(newest_ns, LIKELY, self.likely or sure))
        return replace(fit, sure=sure, likely=likely)

    def _seen_from(self, at_ns: int, wander: Wander) -> tuple[Constraints, Constraints]:
        """The constraints on either side as seen from a time; of one to come, by lines through the newest stamp."""
        through_ns = min(at_ns, self.newest_ns)
        above, below = self.above + self.wired_above, self.below + self.wired_below
        return seen_from(above, at_ns, through_ns, wander), seen_from(below, at_ns, through_ns, wander)

    def _rates(self, at_ns: int, wander: Wander, newest: Rates) -> Rates:
        """What the rates at the newest stamp are at another time."""
        change = rate_change(at_ns - self.newest_ns, wander)
        return max(newest[0] - change, -FASTEST), min(newest[1] + change, FASTEST)

    def _span(self, at_ns: int) -> tuple[int, int]:
        """The least and the greatest offset that are possible at a time."""
        above, below = self._seen_from(at_ns, SURE)
        (slow, fast), aside_ns = self.sure, slack_ns(at_ns - self.newest_ns, SURE)
        if at_ns < self.newest_ns:
            rates = self._rates(at_ns, SURE, self.sure)
            (slow, fast), aside_ns = between(above, below, rates) or rates, 0
        return -highest_ns(below, (-fast, -slow)) - aside_ns, highest_ns(above, (slow, fast)) + aside_ns

    def _centre(self, at_ns: int, otherwise_ns: int) -> int:
        """The offset that a calm clock has at a time."""
        if self.likely is None:
            return otherwise_ns
        then = at_ns < self.newest_ns
        rates = self._rates(at_ns, LIKELY, self.likely) if then else self.likely
        centre = centre_ns(*self._seen_from(at_ns, LIKELY), rates)
        return otherwise_ns if centre is None else centre
