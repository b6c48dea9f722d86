"""Touches of a phone's screen, placed on the host's clock.

A browser stamps a touch when the system has handed it over, some time after the finger met the glass.
"""

from __future__ import annotations

from referee.core.clocks.fit import Clockfit, Instant
from referee.core.units import MS, US

STEP_NS = 1 * MS
"""Coarsest step of a browser's clock on a page without encryption, in ns. Chromium's is finer."""
TOUCH_NS = (9_600 * US, 29_600 * US)
"""Shortest and longest time from a touch to its stamp, in ns, of the phone models that WALT has measured."""
NEW_PHONE = Clockfit(step_ns=STEP_NS)
"""What is known of a phone's clock at first."""


def placed_touch(fit: Clockfit, stamp_ns: int) -> Instant | None:
    """Return when the finger met the glass, None before anything is known of the phone's clock."""
    seen = fit.to_host(stamp_ns)
    if seen is None:
        return None
    delay_ns = sum(TOUCH_NS) // 2
    return Instant(seen.t_ns - delay_ns, seen.err_ns + TOUCH_NS[1] - delay_ns)
