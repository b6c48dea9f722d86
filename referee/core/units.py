"""Time in the core: integer nanoseconds on the host's CLOCK_MONOTONIC, and all conversions.

Names carry the unit: `_ns` is a whole number of nanoseconds; `_ms` and `_s` appear only in settings and in text. There
is no floating-point time: a setting such as `tie_ms = 0.5` is converted to nanoseconds once, here.
"""

from __future__ import annotations

from fractions import Fraction

US = 1_000
MS = 1_000_000
S = 1_000_000_000


def ns_from_ms(ms: int | float | str | Fraction) -> int:
    """Convert milliseconds, with fractions, to the nearest whole nanosecond (ties to even).

    >>> ns_from_ms("0.5"), ns_from_ms(20)
    (500000, 20000000)
    """
    return round(Fraction(str(ms)) * MS if isinstance(ms, float) else Fraction(ms) * MS)


def ms_text(ns: int, digits: int = 1) -> str:
    """Format nanoseconds as milliseconds with `digits` decimals, rounded half away from zero.

    >>> ms_text(8_400_000), ms_text(-1_250_000, 2)
    ('8.4', '-1.25')
    """
    return _decimal(ns, MS, digits)


def s_text(ns: int, digits: int = 2) -> str:
    """Format nanoseconds as seconds with `digits` decimals.

    >>> s_text(180_000_000), s_text(310_000_000)
    ('0.18', '0.31')
    """
    return _decimal(ns, S, digits)


def clock_text(ns: int) -> str:
    """Format a running time as minutes and seconds.

    From one hour on, the hours come first.

    >>> clock_text(151 * S), clock_text(3_661 * S)
    ('2:31', '1:01:01')
    """
    minutes, seconds = divmod(max(ns, 0) // S, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _decimal(ns: int, unit: int, digits: int) -> str:
    scaled = (abs(ns) * 10**digits * 2 + unit) // (2 * unit)
    whole, part = divmod(scaled, 10**digits)
    sign = "-" if ns < 0 and scaled else ""
    return f"{sign}{whole}.{part:0{digits}}" if digits else f"{sign}{whole}"
