"""Touches of a phone's screen, placed on the host's clock.

A browser stamps a touch when the system has handed it over, some time after the finger met the glass.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.core.clocks.fit import Clockfit, Instant
from referee.core.units import MS, US

STEP_NS = 100 * US, 1 * MS
"""Assumed steps of a browser's clock in ns: the shortest, and that of an unknown browser.

On a page without encryption the steps are 0.1 ms in Chromium, 1 ms in Firefox and WebKit. Chromium and Firefox round up
or down at random, so a reading can be off by a whole step. WebKit rounds down; its page reports half a step.
"""
TOUCH_NS = (9_600 * US, 29_600 * US)
"""Shortest and longest time from a touch to its stamp, in ns.

Measured on several phone models with WALT, a latency timer. A phone can be measured (device/phones/buttons.py).
"""
LONGEST_TOUCH_NS = 150 * MS
"""Longest measurable time from a touch to its stamp, in ns."""
Delays = tuple[int, int]
"""A phone's shortest and longest time from a touch to its stamp, in ns."""
SENT_NS = 20 * MS, 100 * MS
"""Least and greatest result of `sent_ns`, in ns.

Some browsers hand touches to the page once per frame, which takes 17 ms at 60 Hz.
"""
NEW_PHONE = Clockfit(step_ns=STEP_NS[1])
"""What is known of a phone's clock at first."""


def new_phone(step_ns: int) -> Clockfit:
    """Return the first `Clockfit` of a phone whose clock has steps of `step_ns`."""
    return Clockfit(step_ns=max(step_ns, STEP_NS[0]))


def placed_touch(fit: Clockfit, stamp_ns: int, touch_ns: Delays = TOUCH_NS) -> Instant | None:
    """Return when the finger touched the screen; None if nothing is known of the phone's clock."""
    seen = fit.to_host(stamp_ns)
    if seen is None:
        return None
    delay_ns = sum(touch_ns) // 2
    return Instant(seen.t_ns - delay_ns, seen.err_ns + touch_ns[1] - delay_ns)


def sent_ns(seen_ns: Iterable[int]) -> int:
    """Return the longest time that a browser may take to hand a touch to the page, in ns.

    seen_ns: the times of the latest touches. The next one may take half as long again.
    """
    return min(max(SENT_NS[0], *(one * 3 // 2 for one in seen_ns)), SENT_NS[1])


def proved_ns(fit: Clockfit, stamp_ns: int, touch_ns: Delays = TOUCH_NS) -> int | None:
    """Return the instant up to which all touches of a phone's button have certainly arrived.

    stamp_ns: by the phone's clock; all touches with earlier stamps have arrived. None if nothing is known of the
    phone's clock.
    """
    oldest = placed_touch(fit, stamp_ns, touch_ns)
    return None if oldest is None else oldest.t_ns - oldest.err_ns


def within(seen: Instant, least_ns: int, most_ns: int) -> Instant:
    """Return `seen` narrowed to the times least_ns to most_ns; unchanged if it is outside them."""
    low_ns, high_ns = max(seen.t_ns - seen.err_ns, least_ns), min(seen.t_ns + seen.err_ns, most_ns)
    t_ns = -(-(low_ns + high_ns) // 2)
    return Instant(t_ns, high_ns - t_ns) if low_ns < high_ns else seen
