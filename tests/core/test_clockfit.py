"""The clock fit: the bound contains the truth for every link and every clock of the model."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clockfit import FASTEST_PPM, MOST_WALLS, RANGE_PPM, WANDER_PPB_PER_S, Clockfit, Exchange, Instant
from referee.core.units import MS, US, S

START_NS = 5_000 * S
"""What the host's clock shows when a link comes up."""


@dataclass(frozen=True)
class Crystal:
    """A foreign clock whose rate goes from one value to the next in straight lines: (foreign ns, ppb) in order."""

    zero_ns: int
    rates: tuple[tuple[int, int], ...]

    def host_ns(self, foreign_ns: int) -> int:
        """When it shows foreign_ns, to the nearest nanosecond."""
        ahead = 0  # twice ppb times ns
        for (since, rate), (until, after) in zip(self.rates, self.rates[1:], strict=False):
            span = min(max(foreign_ns - since, 0), until - since)
            at_end = rate + (after - rate) * span // (until - since)
            ahead += (rate + at_end) * span
        return self.zero_ns + foreign_ns + ahead // (2 * 10**9)


@st.composite
def crystals(draw: st.DrawFn, seconds: int = 600) -> Crystal:
    """A clock within the model: its rate, its range, its wander."""
    middle = draw(st.integers(-FASTEST_PPM * 1000 + RANGE_PPM * 500, FASTEST_PPM * 1000 - RANGE_PPM * 500))
    rate = draw(st.integers(-RANGE_PPM * 500, RANGE_PPM * 500))
    at, rates = 0, []
    while at < seconds * S:
        rates.append((at, middle + rate))
        span = draw(st.integers(1, 200))
        most = WANDER_PPB_PER_S * span
        step = draw(st.sampled_from((-most, most, 0)) | st.integers(-most, most))
        rate = min(max(rate + step, -RANGE_PPM * 500), RANGE_PPM * 500)
        at += span * S
    return Crystal(draw(st.integers(0, 2**62)), (*rates, (at, middle + rate)))


def shown(foreign_ns: int) -> int:
    """What a stamp of whole microseconds says."""
    return foreign_ns // US * US


delays = st.integers(0, 3 * MS) | st.sampled_from((0, 100 * US, 50 * MS))


@st.composite
def evenings(draw: st.DrawFn) -> tuple[Crystal, list[Exchange]]:
    """A clock, and exchanges with it over any link, in order of their stamps."""
    crystal = draw(crystals())
    at, exchanges = 0, []
    for _ in range(draw(st.integers(1, 60))):
        at += draw(st.integers(MS, 20 * S))
        true = crystal.host_ns(at)
        exchanges.append(Exchange(true - draw(delays), shown(at), true + draw(delays)))
    return crystal, exchanges


def fitted(exchanges: list[Exchange]) -> Clockfit:
    """All of them, one by one."""
    fit = Clockfit.empty()
    for exchange in exchanges:
        fit = fit.fed(exchange)
    return fit


def placed(fit: Clockfit, foreign_ns: int) -> Instant:
    """Where it says that a stamp was."""
    instant = fit.to_host(foreign_ns)
    assert instant is not None
    return instant


@given(evenings(), st.lists(st.integers(0, 900 * S), min_size=1, max_size=10))
def test_the_bound_always_contains_the_truth(evening: tuple[Crystal, list[Exchange]], asked: list[int]) -> None:
    """Before, between and after the exchanges, whatever the delays of either way were."""
    crystal, exchanges = evening
    fit = fitted(exchanges)
    assert fit.exchanges == len(exchanges)
    for foreign in asked:
        instant = placed(fit, shown(foreign))
        assert abs(instant.t_ns - crystal.host_ns(foreign)) <= instant.err_ns
    assert max(len(fit.above), len(fit.below)) <= MOST_WALLS


def test_before_the_first_exchange_it_cannot_tell() -> None:
    """Nothing is known of an empty fit, and its quality says so."""
    fit = Clockfit.empty()
    assert fit.to_host(0) is None
    assert fit.quality(START_NS).bound_ns is None
    assert fit.quality(START_NS).exchanges == 0


def test_an_answer_before_its_question_is_refused() -> None:
    """One sentence that names both times."""
    with pytest.raises(ValueError, match="received at 1 ns, before its question at 2 ns"):
        Exchange(2, 0, 1)
