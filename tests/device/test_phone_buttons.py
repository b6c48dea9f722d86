"""Hit a phone and a wired button with one fist: the phone's own touch delay, in simulated time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clocks.touch import SENT_NS, TOUCH_NS, Delays
from referee.core.match.viewer import view
from referee.core.model.events import PhoneSat
from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.device.phones.buttons import HITS, LEAST_HALF_NS, delays_of
from referee.page.table_document import own_documents
from referee.protocol.page import PairedPhone, PhoneProof
from tests.core.sitting import Sitting
from tests.page.phone_network import STATIONS, BrowserClock, Link, SimulatedLoop, Table, Way, lan, simulated, until

SLOW = (62 * MS, 70 * MS)
"""The delays of a phone that is slower than the usual ones."""


class Check:
    """The test of the buttons at a table with wired buttons, and a phone at seat 4."""

    def __init__(self, loop: SimulatedLoop, folder: Path, link: Callable[[Random], Link], touch_ns: Delays) -> None:
        dice = Random(3)
        sitting = Sitting(Setup(stations=STATIONS))
        sitting.engine.intake([PhoneSat(sitting.now_ns, "phone-1", "4", "Dora")], sitting.now_ns)
        sitting.choose("Device").choose("Check")
        self.loop, self.table = loop, Table(loop, sitting, folder)
        self.phone = self.table.phone("4", link(dice), BrowserClock(dice))
        self.phone.touch_ns = touch_ns

    async def hit(self, *stations: str, times: int = 1) -> str:
        """Hit the phone and these buttons together; return what the phone then says."""
        for _ in range(times):
            at_ns = self.loop.now_ns() + 100 * MS
            for station in stations:
                self.table.wire(station, at_ns)
            self.phone.touch(at_ns)
            await until(self.loop, at_ns + S)
        return self.says()

    def says(self) -> str:
        seen = self.table.desk.dress(view(self.table.state, self.loop.now_ns()))
        document: Any = own_documents(seen)["4"]
        return str(document["ask"])

    def kept(self) -> Delays | None:
        (phone,) = self.table.desk.book.phones
        return phone.touch_ns


def checked(
    folder: Path,
    story: Callable[[Check], Coroutine[Any, Any, None]],
    link: Callable[[Random], Link] = lan,
    touch_ns: Delays = SLOW,
) -> None:
    """Run a story in simulated time, with the phone's button shown."""

    async def run(loop: SimulatedLoop) -> None:
        check = Check(loop, folder, link, touch_ns)
        check.phone.open()
        await until(loop, loop.now_ns() + 2 * S)
        await story(check)

    simulated(run)


@pytest.mark.parametrize("station", ["1", "4"])
def test_ten_hits_with_one_fist_measure_a_phone_s_delay(station: str, tmp_path: Path) -> None:
    """With the button of its own seat, or with another's."""

    async def story(check: Check) -> None:
        assert check.says() == "Press your button once"
        said = await check.hit(station, times=HITS - 1)
        assert said == "Delay of this phone: 9 of 10 hits. Hit it and a wired button with one fist"
        assert check.kept() is None
        before_ms, changes = check.phone.heard[-1]["bound"], list[int]()
        check.table.desk.changed = lambda: changes.append(1)
        said = await check.hit(station)
        least_ns, most_ns = check.kept() or (0, 0)
        assert SLOW[0] - 10 * MS < least_ns <= SLOW[0] + MS
        assert SLOW[1] - MS <= most_ns < SLOW[1] + 10 * MS
        assert said == f"Measured: touches of this phone take {least_ns // MS} to {-(-most_ns // MS)} ms"
        assert check.phone.heard[-1]["bound"] != before_ms
        assert changes == [1]
        proofs: list[int] = []  # how long before each proof the proved time ends
        report = check.table.buttons.report

        def note(said: object) -> None:
            proofs.extend([check.loop.now_ns() - said.until_ns] if isinstance(said, PhoneProof) else [])
            report(said)  # type: ignore[arg-type]

        check.table.buttons.report = note
        at_ns = check.loop.now_ns() + 100 * MS
        check.phone.touch(at_ns)
        await until(check.loop, at_ns + S)
        (press,) = [row for row in check.table.state.trail if row.closed and row.clock][-2:-1]
        assert abs(press.t_ns - at_ns) <= press.err_ns < 15 * MS
        assert proofs
        assert min(proofs) > SENT_NS[0] + most_ns

    checked(tmp_path, story)


def test_hits_that_do_not_match_measure_nothing(tmp_path: Path) -> None:
    async def story(check: Check) -> None:
        await check.hit("1", times=3)
        alone = "No other button was hit with this phone. To measure its delay, hit both with one fist: 3 of 10"
        assert await check.hit() == alone
        check.table.wire("1", check.loop.now_ns() + 250 * MS)  # another hand, later
        assert await check.hit() == alone
        two = "Two presses came with this touch. Hit one button only, and slowly: 3 of 10"
        assert await check.hit("1", "2") == two
        assert (await check.hit("1")).startswith("Delay of this phone: 4 of 10")
        check.phone.touch_ns = (100 * MS, 101 * MS)
        await check.hit("1", times=HITS - 5)
        assert (await check.hit("1")) == (
            "The delays differ by more than 25 ms, so nothing changes. Begin again, with one fist"
        )
        assert check.kept() is None
        assert (await check.hit("1")).startswith("Delay of this phone: 1 of 10")

    checked(tmp_path, story)


def test_leaving_the_test_cancels_and_a_silent_phone_is_not_measured(tmp_path: Path) -> None:
    async def story(check: Check) -> None:
        await check.hit("1", times=HITS - 1)
        await until(check.loop, check.loop.now_ns() + 61 * S)
        check.says()
        assert check.table.state.phase.name == "LOBBY"
        await check.hit("1", times=2)
        assert check.kept() is None
        assert "fist" not in check.says()

    (tmp_path / "left").mkdir()
    checked(tmp_path / "left", story)

    async def silent(loop: SimulatedLoop) -> None:
        check = Check(loop, tmp_path, lan, SLOW)
        check.phone.asleep = True
        check.phone.open()
        await until(loop, loop.now_ns() + S)
        assert await check.hit("1", times=HITS) == "Press your button once"
        assert check.kept() is None

    simulated(silent)


def test_a_slow_link_measures_nothing(tmp_path: Path) -> None:
    async def story(check: Check) -> None:
        assert (await check.hit("1")).startswith("The connection is too slow to measure the delay now.")

    checked(tmp_path, story, lambda dice: Link(Way(dice, 60 * MS), Way(dice, 60 * MS)))


def test_a_range_that_cannot_be_written_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(check: Check) -> None:
        await check.hit("1", times=HITS - 1)
        monkeypatch.setattr(check.table.desk.book, "_path", tmp_path / "nowhere" / "phones.json")
        assert await check.hit("1") == "The table cannot write the delay down now, so nothing changes"
        assert check.kept() is None

    checked(tmp_path, story)


@given(st.integers(0, 100 * MS), st.integers(MS, 20 * MS), st.integers(0, 2**32))
def test_few_later_touches_are_outside_a_measured_range(least_ns: int, width_ns: int, seed: int) -> None:
    """Of a phone whose delays are spread evenly, over 500 measurements without any error."""
    dice, outside = Random(seed), 0.0
    for _ in range(500):
        hits = [least_ns + dice.randrange(width_ns + 1) for _ in range(HITS)]
        low_ns, high_ns = _range([(hit, hit) for hit in hits])
        assert low_ns <= min(hits)
        assert max(hits) <= high_ns
        assert high_ns - low_ns >= 2 * LEAST_HALF_NS
        outside += (max(low_ns - least_ns, 0) + max(least_ns + width_ns - high_ns, 0)) / width_ns
        if TOUCH_NS[0] <= min(hits) and max(hits) <= TOUCH_NS[1]:
            assert TOUCH_NS[0] <= low_ns
            assert high_ns <= TOUCH_NS[1]
    assert outside / 500 <= 0.06


@given(st.lists(st.tuples(st.integers(0, 150 * MS), st.integers(0, 20 * MS)), min_size=HITS, max_size=HITS))
def test_a_measured_range_can_be_kept_and_covers_each_hit(hits: list[tuple[int, int]]) -> None:
    found = delays_of([(low, low + length) for low, length in hits])
    if found is not None:
        middles = [low + length // 2 for low, length in hits]
        assert found[0] <= min(middles) <= max(middles) <= found[1]
        assert PairedPhone("phone-1", "0" * 64, touch_ns=found).touch_ns == found


def _range(hits: Sequence[Delays]) -> Delays:
    found = delays_of(hits)
    assert found is not None
    return found
