"""Lamps follow the picture, write only changes, and never block."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.drivers.health import FIRST_PAUSE_NS
from referee.drivers.lamps import DIM_PERIOD_NS, DirectLamps, ShiftLamps
from referee.drivers.pins import pinmap
from tests.drivers.fakes import FakeBus, FakePwm

STATIONS = [str(n) for n in range(1, 9)]


def test_direct_lamps_light_their_own_pins() -> None:
    gpios = {station: pin.gpio for station, pin in pinmap.profile("direct4").lamps().items()}
    with GpiodMockFactory() as factory:
        lamps = DirectLamps(factory, gpios)
        assert [factory.pin(gpio).state for gpio in gpios.values()] == [0, 0, 0, 0]
        lamps.show({"1", "3"}, 0)
        assert [factory.pin(gpio).state for gpio in gpios.values()] == [1, 0, 1, 0]
        lamps.close()
        assert [factory.pin(gpio).function for gpio in gpios.values()] == ["input"] * 4


def test_a_chain_shows_station_1_on_the_first_output() -> None:
    """Bit 0 is station 1, and one transfer latches all eight."""
    bus = FakeBus()
    lamps = ShiftLamps(lambda: bus)
    lamps.show(["1"], 0)
    lamps.show(["8", "2"], 0)
    lamps.show(["2", "8"], 0)
    lamps.close()
    assert bus.log == [b"\x01", b"\x82", b"\x00"]
    assert bus.closed


def test_seats_beyond_the_chain_light_nothing_on_it() -> None:
    """Seats 9 to 12 have their lamps on pods: the chain has only its own eight."""
    bus = FakeBus()
    ShiftLamps(lambda: bus).show(["2", "9", "12"], 0)
    assert bus.log == [b"\x02"]


def test_a_longer_chain_sends_the_far_register_first() -> None:
    """The byte sent first ends in the register farthest from the data line."""
    bus = FakeBus()
    ShiftLamps(lambda: bus, stations=12).show(["1", "9"], 0)
    assert bus.log == [b"\x01\x01"]
    ShiftLamps(lambda: bus, stations=12).show(["12"], 0)
    assert bus.log[-1] == b"\x08\x00"


def test_brightness_is_the_high_part_of_the_pwm() -> None:
    """A low pin is dark, full brightness is always high, and the registers are filled before they are shown."""
    order: list[str] = []

    class Bus(FakeBus):
        def writebytes(self, data: object) -> None:
            order.append("bus")

    class Enable(FakePwm):
        def set(self, period_ns: int, high_ns: int) -> None:
            order.append("enable")
            super().set(period_ns, high_ns)

    enable = Enable()
    lamps = ShiftLamps(Bus, enable)
    lamps.show(["1"], 0)
    lamps.dim(25, 0)
    lamps.dim(25, 0)
    lamps.dim(-5, 0)
    assert enable.log == [(DIM_PERIOD_NS, DIM_PERIOD_NS), (DIM_PERIOD_NS, DIM_PERIOD_NS // 4), (DIM_PERIOD_NS, 0)]
    assert order == ["bus", "enable", "enable", "enable"]


def test_a_lost_chain_is_reopened_and_made_right(caplog: pytest.LogCaptureFixture) -> None:
    buses: list[FakeBus] = []

    def open_bus() -> FakeBus:
        buses.append(FakeBus())
        return buses[-1]

    lamps = ShiftLamps(open_bus)
    lamps.show(["1"], 0)
    buses[0].error = OSError("no chain")
    lamps.show(["1", "2"], 10)
    lamps.show(["2"], 20)
    assert lamps.next_ns == 10 + FIRST_PAUSE_NS
    lamps.retry(lamps.next_ns - 1)
    assert len(buses) == 1
    assert buses[0].closed
    lamps.retry(10 + FIRST_PAUSE_NS)
    assert [bus.log for bus in buses] == [[b"\x01"], [b"\x02"]]
    assert caplog.messages == ["lamps lost: no chain", "lamps is back"]
    assert not lamps.next_ns


def test_a_picture_that_comes_back_during_a_failure_is_written() -> None:
    """After a failed write the old picture is written again, since the chain's state is unknown."""
    bus = FakeBus()
    lamps = ShiftLamps(lambda: bus)
    lamps.show(["1"], 0)
    bus.error = OSError("gone")
    lamps.show(["2"], 0)
    bus.error = None
    lamps.show(["1"], FIRST_PAUSE_NS)
    assert bus.log == [b"\x01", b"\x01"]


def test_closing_a_dead_chain_raises_nothing() -> None:
    class Dead(FakeBus):
        def close(self) -> None:
            raise OSError("gone")

    dead = Dead()
    lamps = ShiftLamps(lambda: dead)
    lamps.show(["1"], 0)
    dead.error = OSError("gone")
    lamps.close()


@given(st.lists(st.sets(st.sampled_from(STATIONS))), st.sets(st.integers(0, 30)))
def test_the_last_picture_wins(pictures: list[set[str]], failures: set[int]) -> None:
    bus = FakeBus()
    lamps = ShiftLamps(lambda: bus)
    for n, lit in enumerate(pictures):
        bus.error = OSError("loose plug") if n in failures else None
        lamps.show(lit, n * 10**12)
    bus.error = None
    lamps.retry(10**15)
    last = sum(1 << (int(s) - 1) for s in (pictures[-1] if pictures else ()))
    assert bus.log[-1] == bytes([last])
    if not failures:
        assert all(a != b for a, b in zip(bus.log, bus.log[1:], strict=False))
