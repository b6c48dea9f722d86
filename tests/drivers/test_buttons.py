"""Contacts and the encoder become core rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest
from gpiozero.exc import GPIOPinInUse
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiozero_gpiod.factory import GpiodFactory
from gpiozero_gpiod.fake_chip import FakeChip
from gpiozero_gpiod.mock import GpiodMockFactory
from referee.core.model.events import Turned
from referee.core.presses.signals import Edge
from referee.core.values import replace
from referee.drivers.buttons import GPIO_ERR_NS, Buttons, InputRow, Quadrature
from referee.drivers.pins import pinmap

FULL8 = pinmap.profile("full8")
A, B = FULL8.gpio("ENC_A"), FULL8.gpio("ENC_B")
CLICK = [(A, 0), (B, 0), (A, 1), (B, 1)]


class Table:
    """Buttons on the mock, with their rows in a list."""

    def __init__(self, profile: pinmap.Profile = FULL8, held: bool = False) -> None:
        self.factory = GpiodMockFactory(clock=lambda: 1_000, held=held)
        self.rows: list[InputRow] = []
        self.buttons = Buttons(self.factory, profile, self.rows.extend)

    def close(self) -> None:
        self.buttons.close()
        self.factory.close()


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.close()


def test_every_station_and_the_knob_have_a_contact(table: Table) -> None:
    table.buttons.start()
    for offset, net in enumerate([f"P{n}_BTN" for n in range(1, 9)] + ["ENC_SW"]):
        table.factory.edge(FULL8.gpio(net), 2_000 + offset, 0)
        table.factory.edge(FULL8.gpio(net), 3_000 + offset, 1)
    names = ["1", "2", "3", "4", "5", "6", "7", "8", "knob"]
    assert table.rows == [
        Edge(name, closed, (2_000 if closed else 3_000) + offset, GPIO_ERR_NS)
        for offset, name in enumerate(names)
        for closed in (True, False)
    ]


def test_nothing_is_debounced(table: Table) -> None:
    """Bounces and repeated levels are all passed on, because the core decides what was a press."""
    table.buttons.start()
    for t_ns, level in [(2_000, 1), (2_010, 0), (2_020, 0), (2_030, 1), (2_040, 0)]:
        table.factory.edge(17, t_ns, level)
    assert [(row.t_ns, row.closed) for row in table.rows if isinstance(row, Edge)] == [
        (2_000, False),
        (2_010, True),
        (2_020, True),
        (2_030, False),
        (2_040, True),
    ]


def test_a_contact_closed_at_start_is_told(table: Table) -> None:
    """It is reported as a level: it is not a press."""
    reserved = table.factory.pin(22)
    reserved.input_with_pull("up")
    original = table.factory.watch

    def leaning(listener: object, gpios: object, pull: str = "up") -> object:
        watch = original(listener, gpios, pull)  # type: ignore[arg-type]
        reserved._state = False
        return watch

    table.factory.watch = leaning  # type: ignore[method-assign, assignment]
    assert table.buttons.start() == ("3",)
    assert table.rows == []


def test_edges_while_starting_come_after_the_start(table: Table) -> None:
    original = table.factory.watch

    def pressing(listener: object, gpios: object, pull: str = "up") -> object:
        watch = original(listener, gpios, pull)  # type: ignore[arg-type]
        table.factory.edge(17, 1_500, 0)
        return watch

    table.factory.watch = pressing  # type: ignore[method-assign, assignment]
    table.buttons.start()
    assert table.rows == [Edge("1", True, 1_500, GPIO_ERR_NS)]


def test_lost_events_widen_the_error_of_the_next_row_only(table: Table) -> None:
    """The next row's error reaches back to the last known event; later rows are unaffected."""
    table.buttons.start()
    table.factory.edge(17, 10_000_000, 0, gap_since_ns=4_000_000)
    table.factory.edge(17, 11_000_000, 1)
    errors = [row.err_ns for row in table.rows if isinstance(row, Edge)]
    assert errors == [GPIO_ERR_NS + 6_000_000, GPIO_ERR_NS]


@pytest.mark.parametrize(("edges", "steps"), [(CLICK, 1), ([(B, 0), (A, 0), (B, 1), (A, 1)], -1)])
def test_a_detent_is_one_turn(table: Table, edges: list[tuple[int, int]], steps: int) -> None:
    """Four transitions make one step, clockwise if A leads, stamped with the last of them."""
    table.buttons.start()
    for n, (gpio, level) in enumerate(edges):
        table.factory.edge(gpio, 2_000 + n, level)
    assert table.rows == [Turned(2_003, steps)]


def test_the_encoder_decodes_after_the_merge() -> None:
    """Lines are read one after the other; events are merged by time first."""
    table = Table(held=True)
    table.buttons.start()
    for gpio in (B, A):  # the kernel's buffers are per line
        for n, (moved, level) in enumerate(CLICK):
            if moved == gpio:
                table.factory.edge(gpio, 2_000 + n, level)
    table.buttons.drain()
    assert table.rows == [Turned(2_003, 1)]
    table.close()


def test_lost_encoder_events_leave_no_half_detent(table: Table) -> None:
    """After a gap the partial detent is forgotten."""
    table.buttons.start()
    for n, (gpio, level) in enumerate(CLICK[:3]):
        table.factory.edge(gpio, 2_000 + n, level)
    table.factory.edge(B, 3_000, 1, gap_since_ns=2_001)
    assert table.rows == []
    for n, (gpio, level) in enumerate(CLICK):
        table.factory.edge(gpio, 4_000 + n, level)
    assert table.rows == [Turned(4_003, 1)]


@given(st.lists(st.sampled_from([1, -1]), max_size=8), st.data())
def test_bounce_changes_no_count(turns: list[int], data: st.DataObject) -> None:
    decoder = Quadrature(1, 1)
    heard = []
    for turn in turns:
        lines = [("a", 0), ("b", 0), ("a", 1), ("b", 1)] if turn > 0 else [("b", 0), ("a", 0), ("b", 1), ("a", 1)]
        for line, level in lines:
            for bounce in [level, *data.draw(st.lists(st.integers(0, 1), max_size=4)), level]:
                heard.append(decoder.change(**{line: bounce}))
    # Bouncing back over the rest position may undo and redo a complete detent; only the sum counts.
    assert [step for step in heard if step] == turns


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1))))
def test_noise_never_counts_between_detents(noise: list[tuple[str, int]]) -> None:
    decoder = Quadrature(1, 1)
    for line, level in noise:
        decoder.change(**{line: level})
    decoder.change(a=1)
    decoder.change(b=1)
    steps = [decoder.change(**{line: level}) for line, level in [("a", 0), ("b", 0), ("a", 1), ("b", 1)]]
    assert steps == [0, 0, 0, 1]


def test_failing_half_way_gives_back_the_first_half() -> None:
    """Contacts of the other polarity are claimed second.

    If one of those is in use, the first ones are released.
    """
    pins = tuple(replace(p, pull="down", active="high") if p.net == "P8_BTN" else p for p in FULL8.pins)
    table = Table(replace(FULL8, pins=pins))
    held = table.factory.watch(lambda batch: None, [26])
    with pytest.raises(GPIOPinInUse):
        table.buttons.start()
    table.factory.watch(lambda batch: None, [17]).close()
    held.close()
    table.buttons.start()
    table.factory.edge(26, 2_000, 1)
    assert table.rows == [Edge("8", True, 2_000, GPIO_ERR_NS)]
    table.close()


def test_batches_stay_whole() -> None:
    """The sink gets one call per batch, so that a tie's edges stay together."""
    batches: list[Sequence[InputRow]] = []
    factory = GpiodMockFactory(held=True)
    buttons = Buttons(factory, FULL8, batches.append)
    buttons.start()
    factory.edge(17, 2_000, 0)
    factory.edge(27, 2_000, 0)
    buttons.drain()
    assert [len(batch) for batch in batches] == [2]
    buttons.close()
    factory.close()


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["click", "press", "fails"]), max_size=30))
def test_rows_that_could_not_be_handed_over_come_again_and_no_detent_is_lost_or_doubled(steps: list[str]) -> None:
    chip, rows, button = FakeChip(), list[InputRow](), FULL8.gpio("P1_BTN")
    factory = GpiodFactory(chip=chip, revision="a02082")
    raises = [False]

    def sink(batch: Sequence[InputRow]) -> None:
        if raises[0]:
            raise ArithmeticError
        rows.extend(batch)

    buttons = Buttons(factory, FULL8, sink)
    buttons.start()
    with factory.pump.lock:
        for n, step in enumerate(steps, 1):
            edges = CLICK if step == "click" else [(button, 0), (button, 1)]
            for t_ns, (gpio, level) in enumerate(edges if step != "fails" else CLICK, n * 1_000):
                raises[0] = step == "fails"
                chip.requests[gpio].put((t_ns, level))
                with suppress(ArithmeticError):
                    buttons.drain()
        raises[0] = False
        buttons.drain()
    buttons.close()
    factory.close()
    assert sum(row.steps for row in rows if isinstance(row, Turned)) == len(steps) - steps.count("press")
    assert [row.closed for row in rows if isinstance(row, Edge)] == [True, False] * steps.count("press")
