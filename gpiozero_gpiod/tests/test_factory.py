"""The gpiod factory keeps gpiozero's contracts, and returns raw edges complete and in order."""

from __future__ import annotations

import gc
import logging
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gpiozero
import pytest
from gpiod.line import Bias, Direction, Edge
from gpiozero.exc import (
    BadPinFactory,
    GPIOPinInUse,
    PinEdgeDetectUnsupported,
    PinFixedPull,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinInvalidState,
    PinPWMUnsupported,
    PinSetInput,
    PinUnknownPi,
)
from hypothesis import given
from hypothesis import strategies as st

from gpiozero_gpiod import line, pump
from gpiozero_gpiod.edges import RawEdge
from gpiozero_gpiod.factory import GpiodFactory
from gpiozero_gpiod.fake_chip import FakeChip


def lost_events(factory: GpiodFactory) -> int:
    """Return the number of events known to be lost, on all lines."""
    return sum(pin._line.lost for pin in factory._own_pins())


@pytest.fixture
def chip() -> FakeChip:
    return FakeChip()


@pytest.fixture
def factory(chip: FakeChip) -> Iterator[GpiodFactory]:
    with made(chip) as factory:
        yield factory


def made(chip: FakeChip) -> GpiodFactory:
    return GpiodFactory(chip=chip, revision="a02082")


class Mailbox:
    """A listener with which a test can wait for the factory's thread without sleeping."""

    def __init__(self) -> None:
        self._box: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def __call__(self, *given: Any) -> None:
        self._box.put(given if len(given) > 1 else given[0])

    def next(self) -> Any:
        return self._box.get(timeout=10)

    @property
    def empty(self) -> bool:
        return self._box.empty()


# -- gpiozero's contracts ------------------------------------------------------------------------------------------


def test_a_led_never_passes_through_the_wrong_level(factory: GpiodFactory, chip: FakeChip) -> None:
    """An output is claimed once, at its level, and becomes an input again when it is closed."""
    led = gpiozero.LED(24, active_high=False, pin_factory=factory)
    assert [(gpio, s.direction, bool(s.output_value)) for gpio, s in chip.history] == [(24, Direction.OUTPUT, True)]
    led.on()
    assert chip.levels[24] == 0
    led.toggle()
    assert chip.levels[24] == 1
    led.close()
    assert chip.history[-1][1].direction is Direction.INPUT
    assert not chip.requests


def test_a_button_hears_its_edges_on_the_factorys_thread(factory: GpiodFactory, chip: FakeChip) -> None:
    button, box = gpiozero.Button(17, pin_factory=factory), Mailbox()
    button.when_pressed = lambda: box(threading.current_thread().name)
    stamp_ns = factory.ticks() - 2_000_000_000
    chip.requests[17].put((stamp_ns, 0))
    assert box.next() == "gpiod-edges"
    assert button.active_time >= 2


@pytest.mark.parametrize(("edges", "expected"), [("rising", [1]), ("falling", [0]), ("both", [0, 1])])
def test_edges_asked_for_are_edges_heard(
    factory: GpiodFactory, chip: FakeChip, edges: str, expected: list[int]
) -> None:
    pin, box = factory.pin(17), Mailbox()
    pin.input_with_pull("up")
    pin.edges = edges
    pin.when_changed = box
    assert (
        chip.requests[17].settings.edge_detection
        is {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING}[edges]
    )
    chip.requests[17].put((1_000, 0), (2_000, 1))
    assert [box.next() for _ in expected] == [(2_000 if level else 1_000, level) for level in expected]


def test_when_changed_is_held_weakly(factory: GpiodFactory, chip: FakeChip) -> None:
    """As everywhere in gpiozero, a callback of a deleted owner is not called, and detection ends with it."""
    pin, other = factory.pin(17), Mailbox()
    pin.input_with_pull("up")
    box = Mailbox()
    pin.when_changed = box
    assert pin.when_changed is box
    del box
    gc.collect()
    witness = factory.pin(27)
    witness.input_with_pull("up")
    witness.when_changed = other
    chip.requests[17].put((1_000, 0))
    factory.drain()
    for stamp in (2_000, 3_000):  # the second is handled in a later round than the first edge
        chip.requests[27].put((stamp, 0))
        other.next()
    assert chip.requests[17].settings.edge_detection is Edge.NONE


def test_a_faulty_callback_ends_nothing(
    factory: GpiodFactory, chip: FakeChip, caplog: pytest.LogCaptureFixture
) -> None:
    pin, box = factory.pin(17), Mailbox()
    pin.input_with_pull("up")

    def faulty(ticks: int, state: int) -> None:
        box(ticks, state)
        raise RuntimeError("oops")

    pin.when_changed = faulty
    chip.requests[17].put((1_000, 0))
    box.next()
    chip.requests[17].put((2_000, 1))
    assert box.next() == (2_000, 1)
    assert "oops" in str(caplog.records[0].exc_info)


def test_pulls_are_the_kernels_bias(factory: GpiodFactory, chip: FakeChip) -> None:
    pin = factory.pin(17)
    for pull, bias in (("up", Bias.PULL_UP), ("down", Bias.PULL_DOWN), ("floating", Bias.DISABLED)):
        pin.pull = pull
        assert (pin.pull, chip.requests[17].settings.bias) == (pull, bias)
    with pytest.raises(PinInvalidPull):
        pin.pull = "sideways"
    assert factory.pin(2).pull == "up"
    with pytest.raises(PinFixedPull):
        factory.pin(2).pull = "down"
    with pytest.raises(PinFixedPull):
        factory.pin(2).input_with_pull("floating")
    pin.function = "output"
    with pytest.raises(PinFixedPull):
        pin.pull = "up"


def test_functions_and_states(factory: GpiodFactory, chip: FakeChip) -> None:
    pin = factory.pin(17)
    assert pin.function == "input"
    assert not chip.requests  # a query does not claim the line
    with pytest.raises(PinSetInput):
        pin.state = 1
    pin.pull = "up"
    assert pin.state == 1
    pin.function = "output"
    assert (pin.function, pin.state) == ("output", 0)
    pin.state = True
    pin.function = "output"  # it is an output already: its level stays
    assert pin.state == 1
    pin.output_with_state(0)
    assert pin.state == 0
    with pytest.raises(PinInvalidState):
        pin.state = 2
    with pytest.raises(PinInvalidFunction):
        pin.function = "alt0"
    with pytest.raises(PinInvalidEdges):
        pin.edges = "sharp"


def test_becoming_an_output_ends_detection(factory: GpiodFactory, chip: FakeChip) -> None:
    pin, box = factory.pin(17), Mailbox()
    pin.input_with_pull("up")
    pin.when_changed = box
    pin.function = "output"
    assert pin.when_changed is None
    pin.function = "input"
    assert chip.requests[17].settings.edge_detection is Edge.NONE


def test_there_is_no_pwm(factory: GpiodFactory) -> None:
    pin = factory.pin(17)
    pin.frequency = None
    assert pin.frequency is None
    with pytest.raises(PinPWMUnsupported):
        pin.frequency = 100
    with pytest.raises(PinPWMUnsupported):
        gpiozero.PWMLED(24, pin_factory=factory)


def test_a_bounce_time_is_refused(factory: GpiodFactory) -> None:
    pin = factory.pin(17)
    pin.bounce = None
    with pytest.raises(PinEdgeDetectUnsupported):
        pin.bounce = 0.001


def test_a_line_in_other_hands_is_named(factory: GpiodFactory, chip: FakeChip) -> None:
    chip.taken[17] = "lirc"
    with pytest.raises(GPIOPinInUse, match=r"pin GPIO17 .*'lirc'"):
        gpiozero.Button(17, pin_factory=factory)


def test_closing_gives_everything_back(chip: FakeChip) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    factory = made(chip)
    factory.watch(lambda batch: None, [17, 27])
    led = gpiozero.LED(24, pin_factory=factory)
    factory.close()
    assert (chip.requests, chip.closed) == ({}, True)
    assert "gpiod-edges" not in [thread.name for thread in threading.enumerate()]
    assert set(Path("/proc/self/fd").iterdir()) <= before
    led.close()
    factory.close()
    assert factory.drain() == 0


def test_the_board_is_a_setting(chip: FakeChip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOD_BOARD_REVISION", "c03114")
    with GpiodFactory(chip=chip) as factory:
        assert factory.board_info.model == "4B"
    with GpiodFactory(chip=chip, revision=0xA02082) as factory:
        assert factory.board_info.model == "3B"
    with pytest.raises(BadPinFactory, match="'Pi 3' is no hexadecimal number such as a02082"):
        GpiodFactory(chip=chip, revision="Pi 3")
    monkeypatch.setenv("GPIOD_BOARD_REVISION", "")
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", unknown_pi)
    with GpiodFactory(chip=chip) as factory, pytest.raises(PinUnknownPi, match="GPIOD_BOARD_REVISION"):
        factory.pin(17)


def unknown_pi() -> int:
    raise PinUnknownPi("no Pi")


def test_the_chip_is_found_by_label_not_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Pi's header is on the chip with its label, whatever its number.

    A given name or path is used unchanged.
    """
    labels = {"gpiochip0": "brcmvirt-gpio", "gpiochip4": "pinctrl-rp1", "gpiochip10": "rig-pinctrl"}
    opened: list[FakeChip] = []

    def open_chip(path: str) -> FakeChip:
        name = Path(path).name
        if name == "gpiochip1":
            raise PermissionError
        opened.append(FakeChip(label=labels[name], name=name))
        return opened[-1]

    monkeypatch.setattr("gpiod.Chip", open_chip)
    for name in (*labels, "gpiochip1"):
        (tmp_path / name).touch()
    found: Callable[[str | None], str] = lambda wanted: line.find_chip(wanted, tmp_path).get_info().name  # noqa: E731
    assert found(None) == "gpiochip4"
    assert opened[0].closed
    assert not opened[-1].closed
    assert found("rig-pinctrl") == "gpiochip10"
    assert found("gpiochip0") == "gpiochip0"
    assert found(str(tmp_path / "gpiochip10")) == "gpiochip10"
    with pytest.raises(BadPinFactory, match=r"no GPIO chip is called 'nowhere'; .* gpiochip4 is 'pinctrl-rp1'"):
        found("nowhere")
    with pytest.raises(BadPinFactory, match=r"no permission .* group 'gpio'"):
        found(str(tmp_path / "gpiochip1"))


# -- raw edges ------------------------------------------------------------------------------------------------------


def test_a_watch_claims_and_reports(factory: GpiodFactory, chip: FakeChip) -> None:
    box = Mailbox()
    watch = factory.watch(box, [17, 27])
    assert watch.levels() == {17: 1, 27: 1}
    assert {s.edge_detection for s in (r.settings for r in chip.requests.values())} == {Edge.BOTH}
    chip.requests[27].put((1_000, 0))
    assert box.next() == [RawEdge(27, 0, 1_000)]
    watch.close()
    assert not chip.requests
    with gpiozero.LED(17, pin_factory=factory):
        pass


def test_a_watch_that_fails_takes_nothing(factory: GpiodFactory, chip: FakeChip) -> None:
    """If one of the pins is in use, none stays claimed or reserved."""
    led = gpiozero.LED(27, pin_factory=factory)
    with pytest.raises(GPIOPinInUse):
        factory.watch(lambda batch: None, [17, 27])
    assert list(chip.requests) == [27]
    led.close()
    factory.watch(lambda batch: None, [17, 27]).close()


def test_drain_waits_for_a_delivery_under_way(factory: GpiodFactory, chip: FakeChip) -> None:
    """An edge that the thread has read but not yet delivered is delivered before drain returns."""
    got: list[RawEdge] = []
    reached, go_on = threading.Event(), threading.Event()

    def slow(batch: Sequence[RawEdge]) -> None:
        reached.set()
        assert go_on.wait(10)
        got.extend(batch)

    factory.watch(slow, [17])
    chip.requests[17].put((1_000, 0))
    assert reached.wait(10)
    drained = Mailbox()

    def drain() -> None:
        factory.drain()
        drained(list(got))

    drainer = threading.Thread(target=drain)
    drainer.start()
    assert drained.empty
    go_on.set()
    assert drained.next() == [RawEdge(17, 0, 1_000)]
    drainer.join()


def test_a_listener_that_drains_is_not_called_within_itself(factory: GpiodFactory, chip: FakeChip) -> None:
    """Draining inside a delivery does nothing, so no later batch overtakes the one being delivered."""
    calls: list[int] = []

    def greedy(batch: Sequence[RawEdge]) -> None:
        chip.requests[27].put((9_000, 0))
        calls.append(factory.drain())

    factory.watch(greedy, [17])
    box = Mailbox()
    factory.watch(box, [27])
    chip.requests[17].put((1_000, 0))
    assert box.next() == [RawEdge(27, 0, 9_000)]
    assert calls == [0]


def test_a_drain_that_leaves_callbacks_wakes_the_thread(
    factory: GpiodFactory, chip: FakeChip, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread may sleep through an edge that a drain has read, so it is woken for the callbacks."""
    woken: list[bool] = []
    pin, box = factory.pin(17), Mailbox()
    pin.input_with_pull("up")
    pin.when_changed = box
    monkeypatch.setattr(factory.pump, "wake", lambda: woken.append(True))
    with factory.pump.lock:
        factory.drain()
        assert not woken
        chip.requests[17].put((1_000, 0))
        factory.drain()
    assert woken == [True]


def test_events_lost_before_the_first_reach_back_to_the_claim(factory: GpiodFactory, chip: FakeChip) -> None:
    """If the first event read is not the line's first, the gap began with detection."""
    got: list[RawEdge] = []
    before_ns = factory.ticks()
    factory.watch(got.extend, [17])
    after_ns = factory.ticks()
    with factory.pump.lock:
        chip.requests[17].lose(1)
        chip.requests[17].put((after_ns + 5, 0))
        factory.drain()
    assert got[0].gap_since_ns is not None
    assert before_ns <= got[0].gap_since_ns <= after_ns


def test_a_new_claim_counts_from_the_start(factory: GpiodFactory, chip: FakeChip) -> None:
    watch = factory.watch(lambda batch: None, [17])
    with factory.pump.lock:
        chip.requests[17].put(*((n, n & 1) for n in range(5)))
        factory.drain()
    watch.close()
    factory.watch(lambda batch: None, [17])
    with factory.pump.lock:
        chip.requests[17].lose(2)
        chip.requests[17].put((1_000, 0))
        factory.drain()
    assert lost_events(factory) == 2


def test_numbers_wrap_without_a_gap(factory: GpiodFactory, chip: FakeChip) -> None:
    """The kernel counts in 32 bits; an overflow is no loss."""
    got: list[RawEdge] = []
    factory.watch(got.extend, [17])
    with factory.pump.lock:
        chip.requests[17].lose((1 << 32) - 2)
        chip.requests[17].put((1_000, 0), (2_000, 1), (3_000, 0))
        factory.drain()
    assert [edge.gap_since_ns is not None for edge in got] == [True, False, False]


def test_old_events_are_dropped_when_detection_ends(factory: GpiodFactory, chip: FakeChip) -> None:
    pin, old, new = factory.pin(17), Mailbox(), Mailbox()
    pin.input_with_pull("up")
    pin.when_changed = old
    with factory.pump.lock:
        chip.requests[17].put((1_000, 0))
        pin.when_changed = None
    pin.when_changed = new
    chip.requests[17].put((2_000, 1))
    assert new.next() == (2_000, 1)
    assert (old.empty, lost_events(factory)) == (True, 0)


def test_a_dead_line_is_left_alone(factory: GpiodFactory, chip: FakeChip, caplog: pytest.LogCaptureFixture) -> None:
    """A chip that disappears is logged once per line, does not make the thread spin, and leaves the others alive."""
    box = Mailbox()
    factory.watch(box, [17, 27])
    pin = factory.pin(17)
    with factory.pump.lock:
        pin._line.read = dead  # the kernel's answer for a removed device
        chip.requests[17].put((1_000, 0))
        factory.drain()
        factory.drain()
        del pin._line.read
    chip.requests[27].put((2_000, 0))
    assert box.next() == [RawEdge(27, 0, 2_000)]
    assert caplog.messages == ["GPIO17 lost: [Errno 19] No such device"]


def dead() -> list[RawEdge]:
    raise OSError(19, "No such device")


class Failing:
    """Wraps a call and raises the first few times."""

    def __init__(self, call: Callable[..., Any], times: int = 3) -> None:
        self.call, self.times = call, times

    def __call__(self, *given: Any) -> Any:
        self.times -= 1
        if self.times >= 0:
            raise ArithmeticError("a mistake")
        return self.call(*given)


class Said(logging.Handler):
    """The log lines, for a test that waits for them."""

    def __init__(self) -> None:
        super().__init__()
        self.box = Mailbox()

    def emit(self, record: logging.LogRecord) -> None:
        self.box(record.getMessage())


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """The pump's log; the pump does not pause after a failure."""
    monkeypatch.setattr(pump, "FAILED_S", 0)
    handler = Said()
    logging.getLogger(pump.__name__).addHandler(handler)
    yield handler.box
    logging.getLogger(pump.__name__).removeHandler(handler)


@pytest.mark.parametrize("place", ["a line is read", "the kernel is asked", "a listener is called", "what comes after"])
def test_the_thread_goes_on_whatever_fails_in_it(chip: FakeChip, said: Mailbox, place: str) -> None:
    factory, got = made(chip), Mailbox()
    failing = Failing(got)
    watch = factory.watch(failing if place == "a listener is called" else got, [17, 27, 22])
    with factory.pump.lock:
        pump = factory.pump
        if place == "a line is read":
            watch.pins[27]._line.read = Failing(watch.pins[27]._line.read)  # type: ignore[method-assign]
        elif place == "the kernel is asked":
            pump._step = Failing(pump._step)  # type: ignore[method-assign]
        elif place == "what comes after":
            pump._after = Failing(pump._after)
        for t_ns, gpio in enumerate((22, 17, 27, 17), 1):
            chip.requests[gpio].put((t_ns * 1_000, t_ns % 2))
    assert said.next() == "reading the pins lost: a mistake"
    assert said.next() == "reading the pins is back"
    edges = [edge for batch in drained(got) for edge in batch]
    assert edges == [RawEdge(22, 1, 1_000), RawEdge(17, 0, 2_000), RawEdge(27, 1, 3_000), RawEdge(17, 0, 4_000)]
    chip.requests[17].put((9_000, 1))
    assert got.next() == [RawEdge(17, 1, 9_000)]
    assert said.empty
    factory.close()


def drained(box: Mailbox) -> Iterator[Any]:
    """Yield the batches so far."""
    while not box.empty:
        yield box.next()


def test_a_drain_that_fails_is_told_to_its_caller_and_tried_again(chip: FakeChip, said: Mailbox) -> None:
    """The next drain delivers them before it reads more.

    Other listeners get their edges meanwhile, once.
    """
    factory, mine, others = made(chip), Mailbox(), Mailbox()
    factory.watch(Failing(mine, times=2), [17])
    factory.watch(others, [27])
    with factory.pump.lock:
        chip.requests[17].put((1_000, 0))
        chip.requests[27].put((2_000, 0))
        with pytest.raises(ArithmeticError):
            factory.drain()
        chip.requests[17].put((3_000, 1))
        with pytest.raises(ArithmeticError):
            factory.drain()
        assert factory.drain() == 1
    assert [*drained(mine)] == [[RawEdge(17, 0, 1_000)], [RawEdge(17, 1, 3_000)]]
    assert [*drained(others)] == [[RawEdge(27, 0, 2_000)]]
    factory.close()


def test_an_edge_that_nobody_can_take_keeps_the_others_back_for_no_longer_than_two_seconds(
    chip: FakeChip, said: Mailbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Then each is delivered alone, and that one is dropped and logged."""
    factory, got = made(chip), list[RawEdge]()
    now_ns = iter(range(10**9, 10**11, 10**9))
    monkeypatch.setattr("gpiozero_gpiod.factory.time.monotonic_ns", lambda: next(now_ns))

    def picky(batch: Sequence[RawEdge]) -> None:
        if any(edge.t_ns == 2_000 for edge in batch):
            raise ArithmeticError("that one")
        got.extend(batch)

    factory.watch(picky, [17])
    with factory.pump.lock:
        chip.requests[17].put((1_000, 0), (2_000, 1), (3_000, 0))
        for _ in range(2):
            with pytest.raises(ArithmeticError):
                factory.drain()
        factory.drain()
    assert [edge.t_ns for edge in got] == [1_000, 3_000]
    assert [line for line in caplog.messages if "callback" in line] == ["a callback for GPIO edges failed"]
    factory.close()


@given(
    st.lists(
        st.tuples(st.sampled_from([17, 27, 22]), st.integers(0, 9), st.integers(0, 1), st.integers(0, 2)), max_size=40
    )
)
def test_one_drain_is_one_ordered_batch(steps: list[tuple[int, int, int, int]]) -> None:
    """Each line keeps its order; a gap is reported where events were lost."""
    chip, batches = FakeChip(), list[Sequence[RawEdge]]()
    expected: dict[int, list[RawEdge]] = {17: [], 27: [], 22: []}
    with made(chip) as factory:
        factory.watch(batches.append, expected)
        with factory.pump.lock:
            for request in chip.requests.values():
                request.put((1, 0))
            factory.drain()
            batches.clear()
            t_ns = dict.fromkeys(expected, 1)
            for gpio, wait_ns, level, lost in steps:
                chip.requests[gpio].lose(lost)
                chip.requests[gpio].put((t_ns[gpio] + wait_ns, level))
                expected[gpio].append(RawEdge(gpio, level, t_ns[gpio] + wait_ns, t_ns[gpio] if lost else None))
                t_ns[gpio] += wait_ns
            assert factory.drain() == len(steps)
            assert factory.drain() == 0
        lost_in_all = lost_events(factory)
    assert len(batches) == (1 if steps else 0)
    got = [edge for batch in batches for edge in batch]
    assert [edge.t_ns for edge in got] == sorted(edge.t_ns for edge in got)
    assert {gpio: [e for e in got if e.gpio == gpio] for gpio in expected} == expected
    assert lost_in_all == sum(lost for *_, lost in steps)


def test_a_close_while_the_thread_wakes_is_seen(chip: FakeChip, monkeypatch: pytest.MonkeyPatch) -> None:
    """A close between the thread's waking up and its clearing of the wake-up still ends it."""
    factory = made(chip)
    pump, calm = factory.pump, factory.pump._calm
    reached, closing = threading.Event(), threading.Event()

    def slow_calm() -> None:
        reached.set()
        assert closing.wait(10)
        calm()

    monkeypatch.setattr(pump, "_calm", slow_calm)
    factory.watch(lambda batch: None, [17])
    pump.wake()
    assert reached.wait(10)
    closer = threading.Thread(target=factory.close, daemon=True)
    closer.start()
    while not pump._closed:
        pass
    with pump.lock:  # close has done its part; the rest is done by the thread
        closing.set()
    closer.join(10)
    assert not closer.is_alive()
