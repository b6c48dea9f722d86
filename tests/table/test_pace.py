"""The stopwatch: what it cuts the time between two hands into, and that nothing is left over."""

from __future__ import annotations

from referee.core.state import Setup
from referee.core.units import MS, S
from referee.table.bots import Bots
from referee.table.evening import Evening
from referee.table.manners import CALM, COMPANIES, Manners
from referee.table.pace import SPANS, middle_and_p90, seconds


def laps(manners: Manners = CALM, seats: int = 4, seed: int = 2) -> list[dict[str, int]]:
    """What was measured in a match."""
    return Evening(Setup(), Bots([str(n) for n in range(1, seats + 1)], seed, manners=manners)).play()[0].laps


def test_the_spans_add_up() -> None:
    """The parts are the whole, and the device's own are those that are marked so."""
    measured = laps()
    assert measured
    for lap in measured:
        parts = [lap[span.key] for span in SPANS if span.key not in ("between", "device")]
        assert sum(parts) == lap["between"]
        assert lap["device"] == sum(lap[span.key] for span in SPANS if span.own)
        assert lap["device"] == lap["between"] - lap["sorting"] - lap["dealing"]
        assert all(part >= 0 for part in parts)


def test_what_the_device_fixes_takes_as_long_as_it_says() -> None:
    """Beats and sheet three seconds each, the verdict at least four, and it is there within a tenth of a second."""
    for lap in laps():
        assert lap["sheet"] == 3 * S
        assert lap["start"] >= 3 * S
        assert lap["verdict"] >= 4 * S
        assert lap["shown"] < 100 * MS


def test_a_hand_with_a_false_call_is_measured_from_the_call_that_stood() -> None:
    """What came between is play."""
    measured = laps(Manners(false_call=100), seats=3, seed=1)
    assert measured
    assert all(lap["verdict"] < 60 * S for lap in measured)


def test_a_wild_company_is_measured_all_the_same() -> None:
    """Hands without a call have no time after it; the others do."""
    assert laps(COMPANIES["wild"], seed=3)


def test_median_and_p90() -> None:
    """Of an even number the mean of the middle two; nine of ten do not exceed the other."""
    assert middle_and_p90([n * S for n in range(1, 11)]) == (5.5, 9.0)
    assert middle_and_p90([S]) == (1.0, 1.0)
    assert seconds([]) == {}


def test_the_budget_for_eight_is_for_six_and_more() -> None:
    """Smaller tables have the one for four."""
    sorting = next(span for span in SPANS if span.key == "sorting")
    assert (sorting.budget(4), sorting.budget(8)) == ((35, 60), (50, 80))
