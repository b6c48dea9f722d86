"""A foreign clock (a pod's, a phone's) against the host's: an instant with a bound that evidence and drift model force.

Theory of operation. The host asks at `sent`, the other side stamps its own clock while it answers, the answer is there
at `received`: whatever the link did, the stamp was taken between the two. So each exchange is a wall on either side of
the offset x(f) = host - foreign at the foreign time f, and so is a pulse of the sync wire, whose walls stand closer. No
delay is taken as usual, minimal or symmetric: these are what a link does not tell. Only the clocks are modelled:

    dx/df, the rate, is at most FASTEST; it changes by at most WANDER a second, and by at most RANGE ever.

At the time f a straight line of some rate through x(f) is then within `_slack(u)` of x(f + u): u²·WANDER/2 at first, so
every wall, old or new, before f or after, speaks about x(f) and its rate, the less the farther it is. All lines between
the walls are what may be true: a linear program in two unknowns. Its lowest and highest x(f) are the answer, halfway
the instant, half the way its bound. The narrowest round trips decide by themselves, and each direction has its own
(the way of convex hulls and linear programs in Moon, Skelly and Towsley, "Estimation and removal of clock skew from
network delay measurements", 1999, and Zhang, Liu and Xia, "Clock synchronization algorithms for network measurements",
2002, here with a clock that wanders). A wall that its neighbours make idle is dropped; since the slack is a parabola
this stays true at every f. What is kept is bounded, and any part of the walls gives a true bound, so thinning is safe.

Evidence that leaves no line means that the clock jumped (it restarted), that a pulse was paired with a wrong stamp, or
that a clock left the model. Then the newest exchange alone is believed, pulses being let go first: the bound is wide at
once and narrows again. Until it is noticed, a clock outside the model can be outside its bound: a host whose time
service slews CLOCK_MONOTONIC does that, by its rate times the seconds until the walls meet.

Nothing here is about one kind of link. Integers throughout; a rate is in parts of `_UNIT`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from referee.core.units import US, S
from referee.core.values import dataclass

_UNIT = 10**15
_PPM = _UNIT // 10**6
FASTEST_PPM = 500
"""The rates of the two clocks differ by at most this: crystals of ±100 ppm, and what adjtimex(2) may add to the host's
frequency (500 ppm is its limit, and its daemons stay far below)."""
WANDER_PPB_PER_S = 200
"""Their difference changes by at most this in a second, 0.1 ppm for each clock. A crystal cut for room temperature
moves by less than 0.5 ppm for a degree, and a board warms by at most some degrees in a minute."""
RANGE_PPM = 40
"""... and never by more than this: ±10 ppm over 0-50 °C for each clock, doubled."""
RESOLUTION_NS = 1 * US
"""A foreign stamp is within this of the instant that it stands for."""
MOST_WALLS = 32
"""Kept on either side of the offset."""

_FASTEST = FASTEST_PPM * _PPM
_RANGE = RANGE_PPM * _PPM
_WANDER_PER_S = WANDER_PPB_PER_S * _PPM // 1000
_CURVE_NS = 2 * _UNIT * S // _WANDER_PER_S
_TURN_NS = _RANGE * S // _WANDER_PER_S
"""From here on the range limits the slack, which is u²/_CURVE up to here."""

Wall = tuple[int, int]
"""A foreign time, and what the offset (or its negative) cannot exceed there."""
Walls = tuple[Wall, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer: host time before sending, the foreign stamp, host time after receiving.

    The stamp must stand in the answer to this very question: match them by number. ValueError if received before sent.
    """

    sent_ns: int
    foreign_ns: int
    received_ns: int

    def __post_init__(self) -> None:
        if self.received_ns < self.sent_ns:
            raise ValueError(f"an answer received at {self.received_ns} ns, before its question at {self.sent_ns} ns")


@dataclass(frozen=True, slots=True)
class Instant:
    """The host's time t_ns, within ± err_ns."""

    t_ns: int
    err_ns: int

    def not_before(self, t_ns: int) -> Instant:
        """The same instant told no earlier than t_ns, for a source whose stamps must not go back between two fits."""
        late = max(t_ns - self.t_ns, 0)
        return Instant(self.t_ns + late, self.err_ns + late)


@dataclass(frozen=True, slots=True)
class Quality:
    """What a stamp of now would be worth.

    bound_ns: its bound, None while nothing is known; drift_ppm: how much faster than the host's the foreign clock runs,
    halfway between what may be; exchanges: how many, and pulses, have been taken in since the clock last started anew.
    """

    bound_ns: int | None
    drift_ppm: float
    exchanges: int


@dataclass(frozen=True, slots=True)
class Clockfit:
    """Everything that is known of one foreign clock; make one with `empty()` for each of its boots.

    above, below: walls of x and of -x from exchanges; wired_above, wired_below: from pulses. newest_ns: the newest
    foreign stamp; slow, fast: the rates that may be true there.
    """

    above: Walls = ()
    below: Walls = ()
    wired_above: Walls = ()
    wired_below: Walls = ()
    newest_ns: int = 0
    slow: int = -_FASTEST
    fast: int = _FASTEST
    exchanges: int = 0

    @staticmethod
    def empty() -> Clockfit:
        """Nothing is known."""
        return Clockfit()

    def fed(self, exchange: Exchange) -> Clockfit:
        """With one exchange more, in any order. One that contradicts what is known starts anew from itself."""
        foreign, sent, received = exchange.foreign_ns, exchange.sent_ns, exchange.received_ns
        over, under = (foreign, received - foreign + RESOLUTION_NS), (foreign, foreign - sent + RESOLUTION_NS)
        above, below = _held(self.above, over), _held(self.below, under)
        count = self.exchanges + 1
        return (
            _fit(above, below, self.wired_above, self.wired_below, count)
            or _fit(above, below, (), (), count)
            or _alone((over,), (under,), (), ())
        )

    def pulsed(self, host_ns: int, foreign_ns: int, err_ns: int) -> Clockfit:
        """With one pulse of the sync wire, which the host saw at host_ns ± err_ns and the other side at foreign_ns.

        One that contradicts the exchanges was paired wrongly and is not believed, nor are the pulses before it.
        """
        if err_ns < 0:
            raise ValueError(f"a pulse's error must not be negative, not {err_ns} ns")
        offset, err = host_ns - foreign_ns, err_ns + RESOLUTION_NS
        over, under = (foreign_ns, offset + err), (foreign_ns, err - offset)
        count = self.exchanges + 1
        return (
            _fit(self.above, self.below, _held(self.wired_above, over), _held(self.wired_below, under), count)
            or _fit(self.above, self.below, (over,), (under,), count)
            or _fit(self.above, self.below, (), (), self.exchanges)
            or _alone((), (), (over,), (under,))
        )

    def to_host(self, foreign_ns: int) -> Instant | None:
        """When a foreign stamp was; None before anything is known."""
        if not self.exchanges:
            return None
        above, below = self._seen_from(foreign_ns)
        slow, fast = self._rates(foreign_ns, above, below)
        high, low = _highest(above, slow, fast), -_highest(below, -fast, -slow)
        low, high = min(low, high), max(low, high)  # crossed only where the clock left the model in between
        t_ns = (low + high) // 2
        return Instant(foreign_ns + t_ns, high - t_ns + RESOLUTION_NS)

    def quality(self, now_ns: int) -> Quality:
        """How well a stamp taken at the host's now_ns could be placed."""
        newest = self.to_host(self.newest_ns)
        if newest is None:
            return Quality(None, 0.0, 0)
        instant = self.to_host(self.newest_ns + now_ns - newest.t_ns)
        assert instant is not None
        return Quality(instant.err_ns, -(self.slow + self.fast) / (2 * _PPM), self.exchanges)

    def _seen_from(self, at_ns: int) -> tuple[Walls, Walls]:
        above, below = self.above + self.wired_above, self.below + self.wired_below
        return _seen(above, at_ns), _seen(below, at_ns)

    def _rates(self, at_ns: int, above: Walls, below: Walls) -> tuple[int, int]:
        """The slowest and fastest rate at a time: by what the newest can have become, and before it by the walls."""
        change = min(_WANDER_PER_S * abs(at_ns - self.newest_ns) // S + 1, _RANGE)
        slow, fast = max(self.slow - change, -_FASTEST), min(self.fast + change, _FASTEST)
        if at_ns >= self.newest_ns:
            return slow, fast
        between = _between(above, below)
        if between is None:
            return slow, fast
        return max(slow, min(between[0], fast)), min(fast, max(between[1], slow))


def _fit(above: Walls, below: Walls, wired_above: Walls, wired_below: Walls, exchanges: int) -> Clockfit | None:
    """A fit of these walls; None when no clock of the model passes between them, or there are none."""
    newest = max((walls[-1][0] for walls in (above, wired_above) if walls), default=None)
    if newest is None:
        return None
    rates = _between(_seen(above + wired_above, newest), _seen(below + wired_below, newest))
    if rates is None:
        return None
    return Clockfit(above, below, wired_above, wired_below, newest, *rates, exchanges)


def _alone(above: Walls, below: Walls, wired_above: Walls, wired_below: Walls) -> Clockfit:
    """A fit of one exchange or one pulse."""
    fit = _fit(above, below, wired_above, wired_below, 1)
    assert fit is not None
    return fit


# -- which walls to keep -------------------------------------------------------------------------------------------


def _held(walls: Walls, new: Wall) -> Walls:
    """The walls with one more, in order of their times, without those that have become idle."""
    at = bisect_left(walls, new)
    kept: list[Wall] = []
    for wall in (*walls[:at], new, *walls[at:]):
        if kept and kept[-1][0] == wall[0]:
            continue  # the lower of two at the same time stands first
        while len(kept) > 1 and _is_idle(kept[-2], kept[-1], wall):
            kept.pop()
        kept.append(wall)
    return tuple(kept) if len(kept) <= MOST_WALLS else _thinned(kept)


def _is_idle(before: Wall, wall: Wall, after: Wall) -> bool:
    """Whether the walls before and after say as much about every line as this one."""
    left, right = wall[0] - before[0], after[0] - wall[0]
    over = (wall[1] - before[1]) * right + (wall[1] - after[1]) * left
    return over * _CURVE_NS >= left * right * (left + right)


def _thinned(walls: Sequence[Wall]) -> Walls:
    """Without the wall that stands closest to its neighbours for its age, so that some of every age remain."""
    newest = walls[-1][0]
    crowded = min(
        range(1, len(walls) - 1),
        key=lambda n: (walls[n + 1][0] - walls[n - 1][0]) * _UNIT // (newest - walls[n][0]),
    )
    return (*walls[:crowded], *walls[crowded + 1 :])


# -- the linear program --------------------------------------------------------------------------------------------


def _slack(u_ns: int) -> int:
    """How far the offset can be, after u_ns, from a line of its rate."""
    u_ns = abs(u_ns)
    if u_ns <= _TURN_NS:
        return u_ns * u_ns // _CURVE_NS + 1
    return _RANGE * (2 * u_ns - _TURN_NS) // (2 * _UNIT) + 1


def _seen(walls: Walls, at_ns: int) -> Walls:
    """The walls as a line through at_ns must respect them: how much later, and the height in parts of `_UNIT`."""
    return tuple((when - at_ns, (height + _slack(when - at_ns)) * _UNIT) for when, height in walls)


def _lowest(walls: Walls, rate: int) -> tuple[int, Wall]:
    """Where a line of this rate may pass at most, and the wall that says so."""
    heights = [height - rate * u for u, height in walls]
    lowest = min(heights)
    return lowest, walls[heights.index(lowest)]


def _between(above: Walls, below: Walls) -> tuple[int, int] | None:
    """The slowest and the fastest line that passes between walls, None when none does."""
    fast, mirrored = _fastest(above, below), _fastest(below, above)
    if fast is None or mirrored is None or -mirrored > fast:
        return None
    return -mirrored, fast


def _fastest(above: Walls, below: Walls) -> int | None:
    """The greatest rate of a line between walls. The room left at a rate is concave: Newton's way from outside."""
    rate = _FASTEST
    while rate >= -_FASTEST:
        (roof, (u_roof, _)), (floor, (u_floor, _)) = _lowest(above, rate), _lowest(below, -rate)
        room = roof + floor
        step = room // (u_floor - u_roof) if u_floor < u_roof else 0
        if room >= 0:
            return rate
        if u_floor >= u_roof:
            return None
        if step == 0:
            return rate
        rate -= step
    return None


def _highest(walls: Walls, slow: int, fast: int) -> int:
    """The greatest height, in ns, of a line under walls, its rate from slow to fast. It is concave in the rate."""
    left, right = _lowest(walls, slow), _lowest(walls, fast)
    if right[1][0] <= 0:
        return -(-right[0] // _UNIT)
    if left[1][0] >= 0:
        return -(-left[0] // _UNIT)
    return -(-_chord(walls, left[1], right[1]) // _UNIT)


def _chord(walls: Walls, left: Wall, right: Wall) -> int:
    """The least height over a line from a wall before to a wall after, beginning with these two."""
    for _ in walls:
        (u_left, y_left), (u_right, y_right) = left, right
        rate = (y_right - y_left) // (u_right - u_left)
        wall = _lowest(walls, rate)[1]
        if wall in (left, right):
            break
        left, right = (wall, right) if wall[0] <= 0 else (left, wall)
    (u_left, y_left), (u_right, y_right) = left, right
    return -((y_left * u_right - y_right * u_left) // (u_left - u_right))
