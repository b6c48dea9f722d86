"""Figures: known intervals, medians and bins; the shares of simulated hands add up."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from referee.simulator.statistics.figures import around, bins, columns, document, median, percent, share, spread
from referee.simulator.statistics.many import Simulation, simulate


def test_a_share_has_wilson_s_interval() -> None:
    """By the published example of 10 of 100; also for 0 of 0, none and all."""
    assert share(10, 100)["interval"] == [0.0552, 0.1744]
    assert share(0, 0) == {"count": 0, "of": 0, "share": None, "interval": None}
    assert share(0, 50)["interval"][0] == 0
    assert share(50, 50)["interval"][1] == 1
    assert percent(share(0, 0)) == "–"
    assert percent(share(1, 4)) == "25.0 % (4.6 to 69.9)"


def test_intervals_hold_the_true_figure_as_often_as_they_say() -> None:
    """In 95 of 100 experiments of 200 throws, within three standard errors."""
    rng = Random(1)
    held = of_mean = 0
    for _ in range(1000):
        throws = [rng.randrange(6) + 1 for _ in range(200)]
        low, high = share(throws.count(6), 200)["interval"]
        held += low <= 1 / 6 <= high
        low, high = spread({face: throws.count(face) for face in range(1, 7)})["interval"]
        of_mean += low <= 3.5 <= high
    assert 930 < held < 970
    assert 930 < of_mean < 970


def test_a_spread_is_that_of_the_numbers_written_out() -> None:
    told = spread({5: 2, 1: 3, 9: 1}, histogram=True)
    assert (told["count"], told["mean"], told["deviation"]) == (6, 3.6667, 3.266)
    assert (told["least"], told["median"], told["most"]) == (1, 1, 9)
    assert list(told["histogram"].items()) == [("1", 3), ("5", 2), ("9", 1)]
    assert spread({})["mean"] is None
    assert around(spread({})) == "–"
    assert around(spread({4: 1})) == "4.00"
    assert spread({2.5: 1}, histogram=True)["histogram"] == {"2.5": 1}
    assert median({}) is None


def test_bins_hold_everything() -> None:
    assert bins({"-9": 1, "0": 2, "7": 3, "50": 4}, 0, 9, 5) == [3, 7]
    assert columns([0, 5, 10]) == [0, 0.5, 1]
    assert columns([0, 0]) == [0, 0]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """A result of some hands."""
    simulation = Simulation("nna", (("bonus", 5),), 3, 4, 60)
    return document(simulation, simulate(simulation, 1, id))


def test_the_document_adds_up(told: dict[str, Any]) -> None:
    assert sum(told["ends"].values()) == told["hands"] == 60
    calls, others, each = told["calls"], told["others"], told["each"]
    assert calls["lake"]["count"] + others["score"]["count"] == 3 * 60
    assert sum(player["called"]["count"] for player in each) == told["ends"]["call"]
    below = sum(player["below_zero"]["count"] for player in each)
    assert below >= others["below_zero"]["count"]
    assert sum(calls["lake"]["histogram"].values()) == calls["lake"]["count"]
