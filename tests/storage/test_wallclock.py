"""The wall clock: changes are noticed, and it gives the time without power."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.core.units import S
from referee.drivers.pi import vitals
from referee.storage import wallclock
from referee.storage.evenings.rows import Tape
from referee.storage.wallclock import LONGEST_AWAY_S, Away, WallClock

FIRST = 1_800_000_000


class Clocks:
    """A wall clock and a monotonic one."""

    def __init__(self) -> None:
        self.wall_s, self.awake_s = float(FIRST), 5.0

    def wait(self, seconds: float) -> None:
        self.wall_s += seconds
        self.awake_s += seconds

    def wall(self) -> float:
        return self.wall_s

    def awake(self) -> int:
        return int(self.awake_s * S)

    def away(self, last_s: int | None, boot: str = "boot-1") -> Away:
        """Return to boot-2, with the last row recorded at `last_s` in `boot`."""
        return Away(Tape(boot=boot, wall_s=last_s), "boot-2", self.wall, self.awake)


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the clock has run on or been set; by default it has run on."""
    is_kept = [True]
    monkeypatch.setattr("referee.storage.wallclock.is_kept", lambda: is_kept[0])
    return is_kept


@pytest.mark.parametrize("by_s", [-86_400, -60, 60, 50 * 365 * 86_400])
def test_a_clock_that_is_set_is_noticed_once(by_s: int) -> None:
    clocks = Clocks()
    clock = WallClock(clocks.wall, clocks.awake)
    clocks.wait(1234.5)
    clocks.wall_s += by_s
    assert (clock.set_by_s(), clock.set_by_s()) == (by_s, 0)


@pytest.mark.parametrize("by_s", [-59, 0, 59])
def test_a_clock_that_is_slewed_is_not_set(by_s: int) -> None:
    """Nor is one that runs through a night."""
    clocks = Clocks()
    clock = WallClock(clocks.wall, clocks.awake)
    clocks.wait(86_400)
    clocks.wall_s += by_s
    assert clock.set_by_s() == 0


@pytest.mark.parametrize(
    ("ago_s", "seconds"),
    [(0, 0), (720, 720), (-1, None), (LONGEST_AWAY_S, LONGEST_AWAY_S), (LONGEST_AWAY_S + 1, None)],
)
def test_how_long_it_was_off(ago_s: int, seconds: int | None) -> None:
    assert Clocks().away(FIRST - ago_s).seconds == seconds


def test_a_clock_that_is_set_later_says_how_long_it_was() -> None:
    """From the last row to the start, not to the moment at which the clock was set; once."""
    clocks = Clocks()
    away = clocks.away(FIRST - 60)
    clocks.wait(300)
    assert not away.is_other()
    clocks.wall_s += 7 * 86_400
    assert away.is_other()
    assert away.seconds == 60 + 7 * 86_400
    assert not away.is_other()


def test_a_board_without_a_clock_does_not_say_how_long_it_was_off_until_its_clock_is_set(kept: list[bool]) -> None:
    """Its time goes on where it stopped, and seems to be right."""
    kept[0] = False
    clocks = Clocks()
    away = clocks.away(FIRST - 5)
    assert (away.seconds, away.is_other()) == (None, False)
    kept[0] = True
    assert (away.is_other(), away.seconds) == (True, 5)


def test_a_clock_of_the_board_s_own_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(wallclock, "RTC", tmp_path / "hctosys")
    monkeypatch.setattr(vitals, "is_synchronized", lambda: False)
    assert not wallclock.is_kept()
    (tmp_path / "hctosys").write_text("1\n", encoding="ascii")
    assert wallclock.is_kept()


def test_in_the_same_boot_the_clock_was_as_wrong_before() -> None:
    """The daemon was restarted: the time between is unchanged."""
    clocks = Clocks()
    away = clocks.away(FIRST - 60, "boot-2")
    clocks.wall_s += 7 * 86_400
    assert (away.is_other(), away.seconds) == (False, 60)
