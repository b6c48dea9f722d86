"""The benchmark's simulated pods for some minutes: what holds over its days holds here too."""

from __future__ import annotations

from random import Random

import pytest

from tests.benchmarks.bench_clock import day, trouble
from tests.benchmarks.link import phone, usb
from tests.benchmarks.pairs import fairness

SECONDS = 400


@pytest.mark.parametrize("seed", [21, 22])
@pytest.mark.parametrize("wired", [False, True])
def test_some_minutes_of_a_pod(seed: int, wired: bool) -> None:
    """Polled, held up, lost and doubled answers: never outside the bound, and better than the usual practice."""
    found = day(usb(seed, SECONDS), Random(seed), wired, SECONDS)
    assert found.fit.outside + found.starting.outside == 0
    assert found.fit.p99_us < 20 if wired else found.fit.p99_us < 0.8 * found.usual_us[0]


def test_some_minutes_of_a_phone() -> None:
    """Milliseconds either way, a radio that naps: the same fit."""
    found = day(phone(1, SECONDS), Random(1), False, SECONDS)
    assert found.fit.outside + found.starting.outside == 0


def test_pairs_across_two_pods_and_the_pins() -> None:
    """Whatever is not grey is right, whatever is beyond the window and both bounds is clear."""
    found = fairness(300, seconds=SECONDS)
    assert (found.pairs, found.wrong, found.dull) == (300, 0, 0)
    assert found.far > 50
    assert 0 < found.grey < 100


def test_trouble_widens_the_bound_instead_of_lying() -> None:
    """A busy host, a slower way back, silence, a restart, a steered host: nothing outside."""
    (figure,) = trouble()
    assert figure.ok
