"""The stopwatch: its spans between two hands, and that they leave no rest."""

from __future__ import annotations

from random import Random

import pytest

from referee.core.model.events import PhoneCounted
from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.simulator.table import habits
from referee.simulator.table.bots import Bots
from referee.simulator.table.contacts import Action
from referee.simulator.table.evening import Evening
from referee.simulator.table.person import Person
from referee.simulator.table.skill import CADENCE_NS, REACTION_NS
from referee.simulator.table.stopwatch import SPANS, middle_and_p90, seconds


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


class ByPhone(Evening):
    """An evening whose teams enter their counts on phones, once all cards are sorted."""

    _typed: dict[str, int]
    """Team -> when its numbers are sent."""
    _random = Random(1)

    def step(self) -> None:
        if self._view.phase != "COUNTING":
            self._typed = {}
            return super().step()
        truth = self.bots.company.truth()
        if not self._typed:
            sorted_ns = max(self.bots.company.sorted_at_ns, self.now_ns)
            self._typed = {
                str(team): sorted_ns + self._typing_ns(left, tens) for team, (left, tens, _) in truth.items()
            }
        team = min(self._typed, key=self._typed.__getitem__)
        if self._typed[team] > self._next_ns(self.bots.next_ns() or self._typed[team]):
            return super().step()
        self.now_ns = max(self.now_ns, self._typed.pop(team))
        left, tens, ones = truth[int(team)]
        numbers = (left, 10 * tens + ones)
        self.engine.intake([PhoneCounted(self.now_ns, f"phone-{team}", team, numbers)], self.now_ns)
        self._hand_over()
        return self._look()

    def _typing_ns(self, left: int, tens: int) -> int:
        """Return the time for two numbers: a look at each field and at "send", the digits, and two more touches."""
        touches = 2 + (left > 9) + 1 + (tens > 0) + 1
        looks = sum(self._random.randint(*REACTION_NS) for _ in range(3))
        return looks + sum(self._random.randint(*CADENCE_NS) for _ in range(touches))


def after_the_count(person: Person, now_ns: int) -> int | None:
    return None if person.phase == "COUNTING" else now_ns


def know_the_count(person: Person, at_ns: int) -> list[Action]:
    """Do nothing: a phone sends what its owner has typed and seen."""
    person.cell = None
    return []


@pytest.mark.parametrize(("way", "most_s"), [(Evening, 14), (ByPhone, 11)])
def test_the_device_takes_few_seconds_between_two_hands(
    monkeypatch: pytest.MonkeyPatch, way: type[Evening], most_s: int
) -> None:
    if way is ByPhone:
        monkeypatch.setitem(habits.HABITS, "COUNTING", (after_the_count, know_the_count))
    laps = [lap for seed in (1, 2) for lap in way(Setup(), Bots("1234", seed)).play()[0].laps]
    assert len(laps) > 5
    assert seconds(laps)["device"][way is ByPhone] <= most_s  # a slip of the fingers may double the count at buttons


def test_median_and_p90() -> None:
    """Of an even number the mean of the middle two; nine of ten do not exceed p90."""
    assert middle_and_p90([n * S for n in range(1, 11)]) == (5.5, 9.0)
    assert middle_and_p90([S]) == (1.0, 1.0)
    assert seconds([]) == {}
