"""Conversions of time."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.units import MS, S, clock_text, ms_text, ns_from_ms, s_text


@pytest.mark.parametrize(("ms", "ns"), [(20, 20_000_000), (0.5, 500_000), ("0.5", 500_000), (0.1, 100_000)])
def test_milliseconds_become_whole_nanoseconds(ms: float | str, ns: int) -> None:
    """A decimal fraction has its written value, not that of its float."""
    assert ns_from_ms(ms) == ns
    assert ns_from_ms(Fraction(1, 3)) == 333_333


@pytest.mark.parametrize(
    ("ns", "digits", "text"),
    [(8_400_000, 1, "8.4"), (-1_250_000, 2, "-1.25"), (1_950_000, 1, "2.0"), (-10_000, 1, "0.0"), (2_500_000, 0, "3")],
)
def test_times_are_rounded_half_away_from_zero(ns: int, digits: int, text: str) -> None:
    assert ms_text(ns, digits) == text


@given(st.integers(-(10**12), 10**12))
def test_seconds_in_words_are_within_half_a_hundredth(ns: int) -> None:
    assert abs(Fraction(s_text(ns)) * S - ns) <= 5 * MS


@pytest.mark.parametrize(
    ("ns", "text"), [(151 * S, "2:31"), (59 * S + 999 * MS, "0:59"), (3_661 * S, "1:01:01"), (-1, "0:00"), (0, "0:00")]
)
def test_the_clock_counts_whole_seconds(ns: int, text: str) -> None:
    assert clock_text(ns) == text
