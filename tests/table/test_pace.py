"""The stopwatch: what it cuts the time between two hands into, and that nothing is left over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from referee.core.model.events import Ruled, Sealed
from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.table.bots import Bots
from referee.table.evening import Evening
from referee.table.manners import CALM, Manners
from referee.table.pace import SPANS, Stopwatch, middle_and_p90, seconds
from tests.core.sitting import BREATH_NS, Sitting


def laps(manners: Manners = CALM, seats: int = 4, seed: int = 2) -> list[dict[str, int]]:
    """What was measured in a match."""
    return Evening(Setup(), Bots([str(n) for n in range(1, seats + 1)], seed, manners=manners)).play()[0].laps


def test_the_spans_add_up_and_the_device_s_are_as_long_as_it_says() -> None:
    """Beats and sheet take three seconds each, the verdict at least four; it is there within a tenth of a second."""
    measured = laps()
    assert measured
    for lap in measured:
        parts = [lap[span.key] for span in SPANS if span.key not in ("between", "device")]
        assert sum(parts) == lap["between"]
        assert lap["device"] == sum(lap[span.key] for span in SPANS if span.own)
        assert lap["device"] == lap["between"] - lap["sorting"] - lap["dealing"] - lap["arguing"]
        assert all(part >= 0 for part in parts)
        assert lap["sheet"] == 3 * S
        assert lap["start"] >= 3 * S
        assert lap["verdict"] >= 4 * S
        assert lap["shown"] < 100 * MS


class Watched(Sitting):
    """A table with a stopwatch that sees it twenty times a second."""

    watch: Stopwatch

    def wait(self, ns: int) -> Self:
        """Let time pass, and look."""
        until_ns = self.now_ns + ns
        while True:
            super().wait(min(until_ns - self.now_ns, 50 * MS))
            self.watch.look(self.view)
            if self.now_ns >= until_ns:
                return self

    def _collect(self) -> None:
        known = len(self.rows)
        super()._collect()
        for _, event in self.rows[known:]:
            if isinstance(event, Ruled):
                self.watch.note_verdict(event)
            elif isinstance(event, Sealed):
                self.watch.note_count(self.now_ns)


def argued(deeds: Callable[[Watched], object]) -> tuple[int, int]:
    """What the stopwatch says of a grey verdict up to the next hand: the device's verdict and people's argument."""
    Watched.watch = Stopwatch()
    table = Watched().playing("1", "2", "3").edges(("1", True, 0), ("2", True, 20_300_000)).wait(100 * MS)
    deeds(table.open("1", "2"))
    while table.phase != "COUNTING":
        table.wait(50 * MS)
    table.wait(BREATH_NS)
    for seat, caller in (("1", True), ("2", True), ("3", False)):
        table.count(seat, 0, 11, caller=caller)
    table.wait(5 * S).wait(BREATH_NS).tap("1", "2", "3").wait(6 * S)
    return table.watch.laps[0]["verdict"], table.watch.laps[0]["arguing"]


def test_an_offered_contest_that_nobody_touches_is_the_device_s_own_time() -> None:
    """The table waited for nothing but the device."""
    verdict, arguing = argued(lambda table: None)
    assert (verdict // S, arguing) == (15, 0)


def test_whoever_answers_the_offer_spends_people_s_time() -> None:
    """The verdict's four seconds are the device's; reading the list and voting are not."""
    verdict, arguing = argued(lambda table: table.wait(8 * S).push())
    assert (round(verdict / S), 2 * S < arguing < 5 * S) == (4, True)
    verdict, arguing = argued(
        lambda table: table.wait(5 * S).choose("False call").push().wait(BREATH_NS).hold("1", "2", "3")
    )
    assert (round(verdict / S), 3 * S < arguing < 6 * S) == (4, True)


def test_median_and_p90() -> None:
    """Of an even number the mean of the middle two; nine of ten do not exceed the other."""
    assert middle_and_p90([n * S for n in range(1, 11)]) == (5.5, 9.0)
    assert middle_and_p90([S]) == (1.0, 1.0)
    assert seconds([]) == {}
