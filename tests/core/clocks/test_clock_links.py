"""The benchmark's simulated pods keep their promises over some minutes as over hours."""

from __future__ import annotations

from random import Random

import pytest

from tests.benchmarks.bench_clock import hour, in_trouble
from tests.benchmarks.link import usb
from tests.benchmarks.pairs import fairness

SECONDS = 400


@pytest.mark.parametrize("seed", [21])
@pytest.mark.parametrize("wired", [False, True])
def test_some_minutes_of_a_pod(seed: int, wired: bool) -> None:
    found = hour("", usb(seed, SECONDS), Random(seed), wired, SECONDS)
    assert found.outside == 0
    assert found.fit.p99_us < (20 if wired else 250)


@pytest.mark.parametrize("kind", range(5))
def test_some_minutes_of_trouble(kind: int) -> None:
    name, link = in_trouble(3)[kind]
    assert hour(name, link, Random(1), seconds=SECONDS).outside == 0


def test_pairs_across_two_pods_and_the_pins() -> None:
    found = fairness(300, seconds=SECONDS)
    assert (found.pairs, found.wrong, found.dull) == (300, 0, 0)
    assert found.far > 50
    assert 0 < found.grey < 100
