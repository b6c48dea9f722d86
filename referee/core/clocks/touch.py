"""Touches of a phone's screen, placed on the host's clock.

A browser stamps a touch when the system has handed it over, some time after the finger met the glass.
"""

from __future__ import annotations

from referee.core.clocks.fit import Clockfit, Instant
from referee.core.units import MS, US

STEP_NS = (-100 * US, 1 * MS)
"""How much later than its reading an instant can be, in ns, on a page without encryption.

Firefox and WebKit cut off what is below 1 ms; Chromium rounds to 0.1 ms, up or down.
"""
TOUCH_NS = (9_600 * US, 29_600 * US)
"""Shortest and longest time from a touch to its stamp, in ns.

Measured on several phone models with WALT, a latency timer. A phone can be measured (web/fist.py).
"""
LONGEST_TOUCH_NS = 150 * MS
"""Longest measurable time from a touch to its stamp, in ns."""
Delays = tuple[int, int]
"""A phone's shortest and longest time from a touch to its stamp, in ns."""
SENT_NS = 20 * MS, 100 * MS
"""Longest time from a touch's stamp until the browser hands it to the page, in ns: at first, and at most (`sent_ns`).

Some browsers hand touches over once per picture, which is 17 ms at 60 Hz.
"""
NEW_PHONE = Clockfit(step_ns=(STEP_NS[1] - STEP_NS[0]) // 2)
"""What is known of a phone's clock at first."""


def new_phone(step_ns: int) -> Clockfit:
    """Return the first `Clockfit` of a phone whose clock was seen to have steps of `step_ns`.

    The clocks of the known browsers have shorter steps (`STEP_NS`). A clock with a longer step is coarse on purpose. It
    can read a whole step too early or too late.
    """
    return NEW_PHONE if step_ns <= STEP_NS[1] else Clockfit(step_ns=step_ns + sum(STEP_NS) // 2)


def stamp_ns(reading_ms: float) -> int:
    """Return a stamp in ns for a phone's coarse reading: the middle of the instants it can mean."""
    return round(reading_ms * MS) + sum(STEP_NS) // 2


def reading_ms(stamp_ns: int) -> float:
    """Return the reading that has this stamp."""
    return (stamp_ns - sum(STEP_NS) // 2) / MS


def placed_touch(fit: Clockfit, stamp_ns: int, touch_ns: Delays = TOUCH_NS) -> Instant | None:
    """Return when the finger touched the screen; None if nothing is known of the phone's clock."""
    seen = fit.to_host(stamp_ns)
    if seen is None:
        return None
    delay_ns = sum(touch_ns) // 2
    return Instant(seen.t_ns - delay_ns, seen.err_ns + touch_ns[1] - delay_ns)


def sent_ns(before_ns: int, seen_ns: int) -> int:
    """Return the longest time from a touch's stamp to its message, in ns, after one more touch that took `seen_ns`.

    A page that has once handed a touch over late may take half as long again next time.
    """
    return min(max(before_ns, seen_ns * 3 // 2), SENT_NS[1])


def proved_ns(fit: Clockfit, stamp_ns: int, touch_ns: Delays = TOUCH_NS) -> int | None:
    """Return the instant up to which all touches of a phone's button have certainly arrived.

    stamp_ns: by the phone's own clock; it has sent all touches with earlier stamps. The link keeps the order of
    messages. None if nothing is known of the phone's clock.
    """
    oldest = placed_touch(fit, stamp_ns, touch_ns)
    return None if oldest is None else oldest.t_ns - oldest.err_ns


def within(seen: Instant, least_ns: int, most_ns: int) -> Instant:
    """Return `seen` narrowed to the times least_ns to most_ns; unchanged if it is outside them."""
    low_ns, high_ns = max(seen.t_ns - seen.err_ns, least_ns), min(seen.t_ns + seen.err_ns, most_ns)
    t_ns = -(-(low_ns + high_ns) // 2)
    return Instant(t_ns, high_ns - t_ns) if low_ns < high_ns else seen
