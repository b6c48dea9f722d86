"""Hypothesis strategies for clocks and links of the fit's model, and its linear program."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from referee.core.clocks.constraints import FASTEST_PPM, RANGE_PPM, SURE_PPB_PER_S
from referee.core.clocks.fit import Exchange
from referee.core.units import MS, US, S

SPAN_S = 1300
BILLION = 10**9


@dataclass(frozen=True)
class Crystal:
    """A foreign clock whose rate changes linearly between points (foreign ns, ppb), in order."""

    zero_ns: int
    rates: tuple[tuple[int, int], ...]

    def host_ns(self, foreign_ns: int) -> int:
        """Return the host time in ns at which the clock shows `foreign_ns`."""
        twice = 0
        for (since, rate), (until, after) in zip(self.rates, self.rates[1:], strict=False):
            span = min(max(foreign_ns - since, 0), until - since)
            twice += span * (2 * rate * (until - since) + (after - rate) * span) // (until - since)
        return self.zero_ns + foreign_ns + twice // (2 * BILLION)


@st.composite
def crystals(draw: st.DrawFn) -> Crystal:
    """Draw a clock within the model's rate, range and wander, often at their limits."""
    reach = RANGE_PPM * 500
    middle = draw(st.integers(reach - FASTEST_PPM * 1000, FASTEST_PPM * 1000 - reach))
    at_s, rate, rates = 0, draw(st.integers(-reach, reach)), []
    while at_s < SPAN_S:
        rates.append((at_s * S, middle + rate))
        span = draw(st.integers(50, 400))
        most = SURE_PPB_PER_S * span
        rate = min(max(rate + draw(st.sampled_from((-most, most, 0)) | st.integers(-most, most)), -reach), reach)
        at_s += span
    return Crystal(draw(st.integers(0, 2**62)), (*rates, (at_s * S, middle + rate)))


def shown(foreign_ns: int) -> int:
    """Return the clock's reading as a stamp of whole microseconds."""
    return foreign_ns // US * US


delays = st.integers(0, 3 * MS) | st.sampled_from((0, 100 * US, 50 * MS))


@st.composite
def exchanges_of(draw: st.DrawFn, crystal: Crystal, most: int = 40) -> list[Exchange]:
    """Draw exchanges with a clock over any link, in order of their stamps."""
    at_ns, found = 0, []
    for pause_ns, out_ns, back_ns in draw(
        st.lists(st.tuples(st.integers(MS, 20 * S), delays, delays), min_size=1, max_size=most)
    ):
        at_ns += pause_ns
        true_ns = crystal.host_ns(at_ns)
        found.append(Exchange(true_ns - out_ns, shown(at_ns), true_ns + back_ns))
    return found


@st.composite
def evenings(draw: st.DrawFn) -> tuple[Crystal, list[Exchange]]:
    """Draw a clock and exchanges with it."""
    crystal = draw(crystals())
    return crystal, draw(exchanges_of(crystal))
