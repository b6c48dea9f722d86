"""The stopwatch: its spans between two hands, and that they leave no rest."""

from __future__ import annotations

from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.table.bots import Bots
from referee.table.evening import Evening
from referee.table.pace import SPANS, middle_and_p90, seconds


def test_the_spans_add_up_and_the_device_s_are_as_long_as_it_says() -> None:
    """The beats take three seconds, the verdict at least two.

    It appears within a tenth of a second.
    """
    table = Setup(options=(("target", 40),))
    measured = Evening(table, Bots("123", 2, pace_percent=30)).play()[0].laps
    assert measured
    for lap in measured:
        parts = [lap[span.key] for span in SPANS if span.key not in ("between", "device")]
        assert sum(parts) == lap["between"]
        assert lap["device"] == sum(lap[span.key] for span in SPANS if span.own)
        assert lap["device"] == lap["between"] - lap["sorting"] - lap["dealing"] - lap["arguing"]
        assert all(part >= 0 for part in parts)
        assert lap["start"] >= 3 * S
        assert lap["verdict"] >= 2 * S
        assert lap["shown"] < 100 * MS


def test_median_and_p90() -> None:
    """Of an even number the mean of the middle two; nine of ten do not exceed p90."""
    assert middle_and_p90([n * S for n in range(1, 11)]) == (5.5, 9.0)
    assert middle_and_p90([S]) == (1.0, 1.0)
    assert seconds([]) == {}
