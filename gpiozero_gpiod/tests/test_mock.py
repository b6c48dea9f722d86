"""The shipped fake reports edges exactly as a kernel would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gpiozero
import pytest
from gpiozero.exc import GPIOPinInUse
from hypothesis import given
from hypothesis import strategies as st

from gpiozero_gpiod.edges import RawEdge
from gpiozero_gpiod.mock import GpiodMockFactory


class Clock:
    """A clock moved by the test."""

    def __init__(self) -> None:
        self.now_ns = 1_000

    def __call__(self) -> int:
        return self.now_ns


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def factory(clock: Clock) -> Iterator[GpiodMockFactory]:
    with GpiodMockFactory(clock=clock) as made:
        yield made


def test_edges_of_the_past_are_not_kept(factory: GpiodMockFactory) -> None:
    factory.watch(lambda batch: None, [17])
    for t_ns in range(2_000, 2_100):
        factory.edge(17, t_ns, t_ns % 2)
        assert factory.pin(17).state == t_ns % 2
    assert len(factory.pin(17).states) == 1


def test_edges_reach_the_listener_with_their_own_stamps(factory: GpiodMockFactory) -> None:
    got: list[RawEdge] = []
    factory.watch(got.extend, [17])
    factory.edge(17, 500, 0)
    factory.edge(17, 500, 0)
    factory.edge(17, 900, 1, gap_since_ns=500)
    factory.edge(27, 950, 0)
    assert got == [RawEdge(17, 0, 500), RawEdge(17, 0, 500), RawEdge(17, 1, 900, 500)]


def test_driving_a_pin_stamps_by_the_injected_clock(factory: GpiodMockFactory, clock: Clock) -> None:
    got: list[RawEdge] = []
    factory.watch(got.extend, [22])
    clock.now_ns = 5_000
    factory.drive(22, 0)
    clock.now_ns = 4_000  # a clock may not run backwards into the line's past
    assert factory.drive(22, 1) == 5_000
    assert got == [RawEdge(22, 0, 5_000), RawEdge(22, 1, 5_000)]


def test_a_line_never_goes_back_in_time(factory: GpiodMockFactory) -> None:
    """An edge before the line's last one is refused, since no kernel reports such edges."""
    factory.edge(17, 500, 0)
    with pytest.raises(ValueError, match="GPIO17: an edge at 499 ns after one at 500 ns"):
        factory.edge(17, 499, 1)
    factory.edge(27, 499, 1)


def test_a_watched_pin_is_taken(factory: GpiodMockFactory) -> None:
    watch = factory.watch(lambda batch: None, [17])
    with pytest.raises(GPIOPinInUse):
        gpiozero.LED(17, pin_factory=factory)
    watch.close()
    watch.close()
    with gpiozero.LED(17, pin_factory=factory), pytest.raises(GPIOPinInUse):
        factory.watch(lambda batch: None, [17])


@given(st.lists(st.tuples(st.sampled_from([17, 27, 22]), st.integers(0, 50), st.integers(0, 1))))
def test_a_drain_merges_in_order_of_time(steps: list[tuple[int, int, int]]) -> None:
    batches: list[Sequence[RawEdge]] = []
    with GpiodMockFactory(held=True) as factory:
        factory.watch(batches.append, [17, 27, 22])
        last: dict[int, int] = {}
        put = []
        for gpio, wait, level in steps:
            last[gpio] = last.get(gpio, 0) + wait
            put.append(RawEdge(gpio, level, last[gpio]))
            factory.edge(gpio, last[gpio], level)
        assert not batches
        assert factory.drain() == len(put)
        assert factory.drain() == 0
    got = [edge for batch in batches for edge in batch]
    assert len(batches) == (1 if put else 0)
    assert [e.t_ns for e in got] == sorted(e.t_ns for e in put)
    for gpio in (17, 27, 22):
        assert [e for e in got if e.gpio == gpio] == [e for e in put if e.gpio == gpio]
