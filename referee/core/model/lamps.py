"""Lamp patterns as functions of time: whether a lamp is lit, and when it changes next.

No pattern flashes more than three times a second.
"""

from __future__ import annotations

from referee.core.units import MS, S
from referee.core.values import Value


class Pattern(Value):
    """A lamp's pattern, repeated every `period_ns`.

    spans_ns: (on, off) for each flash, in ns from the start of a period: the lamp is lit from `on` until `off`.

    period_ns 0: the pattern is not repeated. Without spans, the lamp is always lit (`rest` is True) or always dark.
    """

    name: str
    spans_ns: tuple[tuple[int, int], ...] = ()
    period_ns: int = 0
    rest: bool = False


class Wink(Value, tag="wink"):
    """The blink of a lamp that confirms a gesture: one flash for a tap, two for a hold.

    merged: the number of later taps that were too soon for a blink of their own. follows: this wink began while the
    lamp's previous wink had not ended.
    """

    station: str
    at_ns: int
    times: int
    merged: int = 0
    follows: bool = False


Times = list[int]
"""Instants in ns at which part of the view changes by time alone. Past instants are ignored."""
Shown = dict[str, tuple[Pattern, int]]
"""The lamps that are not dark: station -> (pattern, instant in ns at which it began)."""

DARK = Pattern("dark")
STEADY = Pattern("steady", rest=True)
ALL_ON = Pattern("all_on", rest=True)
SLOW = Pattern("slow", ((0, 500 * MS),), 1 * S)
DOUBLE = Pattern("double", ((0, 150 * MS), (350 * MS, 500 * MS)), 1_400 * MS)
PULSE3 = Pattern("pulse3", ((0, 200 * MS), (400 * MS, 600 * MS), (800 * MS, 1_000 * MS)))
ALTERNATE = (Pattern("alternate", ((0, 500 * MS),), 1 * S), Pattern("alternate", ((500 * MS, 1 * S),), 1 * S))
FAULT = Pattern("fault", ((0, 100 * MS),), 3 * S)
WINK_NS = 340 * MS
"""Time from one flash of a wink to the next.

Winks that follow each other sooner merge, so that no lamp flashes more than three times a second.
"""
FLASH_NS = 100 * MS
BEAT_NS = 150 * MS
GO_NS = 500 * MS


def beats(beats_at_ns: tuple[int, ...], go_at_ns: int) -> Pattern:
    """Return the pattern of a countdown: a flash on each beat, then half a second of light.

    The times are absolute: the pattern counts from instant 0 (`since_ns` 0).
    """
    return Pattern("beat", (*((b, b + BEAT_NS) for b in beats_at_ns), (go_at_ns, go_at_ns + GO_NS)))


def own_go(beats_at_ns: tuple[int, ...], go_at_ns: int) -> Pattern:
    """Return the pattern of a player's own GO, which is later than that of the others.

    The lamp flashes on each beat, and two seconds and one second before that GO. Then it is lit for half a second.
    """
    return beats((*beats_at_ns, go_at_ns - 2 * S, go_at_ns - 1 * S), go_at_ns)


def wink(winking: Wink, under: Pattern = DARK, since_ns: int = 0) -> Pattern:
    """Return the short blink that confirms a gesture: one or two flashes of 0.1 s.

    `under`: the pattern that the lamp shows without the blink; `since_ns`: when that pattern began. If that pattern
    has only just lit the lamp, the blink has one flash less; otherwise the lamp could flash four times in a second.
    """
    flashes = tuple((n * WINK_NS + FLASH_NS, n * WINK_NS + 2 * FLASH_NS) for n in range(winking.times))
    at_ns = winking.at_ns
    lately = range(at_ns - WINK_NS + FLASH_NS, at_ns, FLASH_NS)  # no pattern is dark for less than FLASH_NS
    rose = is_lit(under, since_ns, at_ns) and not all(is_lit(under, since_ns, t) for t in lately)
    return Pattern("wink", flashes[1:] if rose and not winking.follows else flashes)


def wink_ends_ns(winking: Wink, under: Pattern = SLOW) -> int:
    """Return when the lamp shows its usual pattern `under` again after a wink.

    If that pattern blinks, the lamp first stays dark for a second: so no second has more than three flashes.
    """
    last_ns = winking.at_ns + (winking.times - 1) * WINK_NS + FLASH_NS
    return last_ns + (1 * S if under.period_ns else WINK_NS)


def is_lit(pattern: Pattern, since_ns: int, now_ns: int) -> bool:
    """Return whether a lamp whose pattern began at `since_ns` is lit at `now_ns`."""
    at = now_ns - since_ns
    if at < 0 or not pattern.spans_ns:
        return pattern.rest and at >= 0
    if pattern.period_ns:
        at %= pattern.period_ns
    return any(on <= at < off for on, off in pattern.spans_ns)


def changes_ns(pattern: Pattern, since_ns: int, now_ns: int) -> int | None:
    """Return the next instant after `now_ns` at which `is_lit` may change, None for never."""
    at = now_ns - since_ns
    if at < 0:
        return since_ns
    if not pattern.spans_ns:
        return None
    base = now_ns - at % pattern.period_ns if pattern.period_ns else since_ns
    edges = [base + edge for span in pattern.spans_ns for edge in span]
    if pattern.period_ns:
        edges.append(base + pattern.period_ns + pattern.spans_ns[0][0])
    return min((edge for edge in edges if edge > now_ns), default=None)
