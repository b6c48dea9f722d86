"""The display driver: the bytes it sends give the picture on every controller, after any failure."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory
from hypothesis import given, settings
from hypothesis import strategies as st
from luma.core.framebuffer import full_frame
from luma.core.interface.serial import spi as luma_spi
from luma.oled.device import sh1106, ssd1306, ssd1309, ssd1322
from PIL import Image, ImageDraw

from referee.drivers.oled.display import Display
from referee.drivers.oled.frame import pack, pack_shades
from referee.drivers.oled.panel import CHIPS, PIECE_BYTES, WIDE_PX, LumaPins, OledPanel, init_commands, spi_panel
from tests.drivers.oled.fake import ChipMemory, FakeSerial, ShadesMemory, unpack_shades

SIZE = (128, 64)
LOG = logging.getLogger("test.display")

# luma packs with a method that Pillow is about to remove; this driver never calls it.
LUMA_PACKS = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")


def _picture(data: bytes | None, boxes: list[tuple[int, int, int, int]]) -> Image.Image:
    """Draw noise or dark, with a few inverted rectangles: small and large changes."""
    image = Image.frombytes("1", SIZE, data * 16) if data else Image.new("1", SIZE)
    pen = ImageDraw.Draw(image)
    for i, (x, y, w, h) in enumerate(boxes):
        pen.rectangle((x, y, min(127, x + w), min(63, y + h)), fill=255 * (i % 2 == 0))
    return image


pictures = st.builds(
    _picture,
    st.none() | st.binary(min_size=64, max_size=64),
    st.lists(st.tuples(st.integers(0, 127), st.integers(0, 63), st.integers(0, 40), st.integers(0, 20)), max_size=4),
)


def dot(x: int, y: int) -> Image.Image:
    image = Image.new("1", SIZE)
    image.putpixel((x, y), 255)
    return image


def fitting(chip: str, image: Image.Image) -> Image.Image:
    """Return the picture at the chip's size: twice side by side on a wide display."""
    wide = Image.new("1", CHIPS[chip].size)
    for x in range(0, wide.width, image.width):
        wide.paste(image, (x, 0))
    return wide


def same(a: Image.Image, b: Image.Image) -> bool:
    return a.size == b.size and a.tobytes() == b.tobytes()


# -- packing -----------------------------------------------------------------------------------------------------


class Sink:
    """A serial interface that keeps the last frame's data."""

    def __init__(self) -> None:
        self.bytes = b""

    def command(self, *cmd: int) -> None:
        """Ignore commands."""

    def data(self, data: Any) -> None:
        self.bytes += bytes(data)

    def cleanup(self) -> None:
        """Do nothing."""


@LUMA_PACKS
@settings(max_examples=25)
@given(pictures)
def test_packing_gives_lumas_bytes(image: Image.Image) -> None:
    sink = Sink()
    device = ssd1306(sink)
    sink.bytes = b""
    device.display(image)
    assert pack(image) == sink.bytes


@LUMA_PACKS
@settings(max_examples=25)
@given(pictures)
def test_packing_shades_gives_lumas_bytes(image: Image.Image) -> None:
    """Two pixels per byte, dark or full; unpacking is the inverse."""
    wide = fitting("ssd1322", image)
    sink = Sink()
    device = ssd1322(sink, mode="1", framebuffer=full_frame())
    sink.bytes = b""
    device.display(wide)
    packed = pack_shades(wide)
    addressing = bytes((28, 91, 0, 63))
    assert sink.bytes == addressing + packed
    assert same(unpack_shades(packed, 256), wide)


def test_other_pictures_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="not mode 'L' and 64 rows"):
        pack(Image.new("L", SIZE))
    with pytest.raises(ValueError, match="not mode '1' and 60 rows"):
        pack(Image.new("1", (128, 60)))
    with pytest.raises(ValueError, match="not mode '1' and 63 columns"):
        pack_shades(Image.new("1", (63, 64)))
    with pytest.raises(ValueError, match=r"the display has \(128, 64\) pixels, the picture \(64, 64\)"):
        OledPanel(FakeSerial()).write(Image.new("1", (64, 64)))


# -- bytes on the bus --------------------------------------------------------------------------------------------


def test_start_of_an_ssd1306_byte_by_byte() -> None:
    """luma's start-up, a whole frame, then the panel is switched on: never while it shows noise."""
    serial = FakeSerial("ssd1306")
    OledPanel(serial, "ssd1306").write(dot(0, 0))
    assert [(kind, payload.hex(" ")) for kind, payload in serial.log] == [
        ("command", "ae d5 80 a8 3f d3 00 40 8d 14 20 00 a1 c8 da 12 d9 f1 db 40 a4 a6"),
        ("command", "81 cf"),
        ("command", "21 00 7f 22 00 07"),
        ("data", "01" + " 00" * 1023),
        ("command", "af"),
    ]


@LUMA_PACKS
def test_start_up_of_an_ssd1322_is_lumas_own() -> None:
    """The same commands, arguments and order, without luma's blank frame."""
    ours, theirs = FakeSerial("ssd1322"), FakeSerial("ssd1322")
    OledPanel(ours, "ssd1322")
    ssd1322(theirs, mode="1").persist = True
    first = next(at for at, (kind, payload) in enumerate(theirs.log) if payload in (b"\x15", b"\xaf"))
    assert ours.log == theirs.log[:first]


@LUMA_PACKS
@pytest.mark.parametrize(("chip", "device"), [("ssd1306", ssd1306), ("ssd1309", ssd1309), ("sh1106", sh1106)])
def test_start_up_is_lumas_own(chip: str, device: Callable[[Any], object]) -> None:
    """The same commands in the same order, without luma's blank frame and with the light last."""
    serial = FakeSerial(chip)
    device(serial)
    addressing = {0x21} | set(range(0xB0, 0xB8))
    theirs = [tuple(p) for kind, p in serial.log if kind == "command" and p[0] not in addressing and len(p) > 1]
    assert init_commands(chip) == theirs


@pytest.mark.parametrize(
    ("chip", "wanted"),
    [
        ("ssd1306", [("command", "21 46 46 22 03 03"), ("data", "04")]),
        ("sh1106", [("command", "b3 08 14"), ("data", "04")]),
        (
            "ssd1322",  # four pixels are the minimum
            [
                *[("command", "15"), ("data", "2d 2d"), ("command", "75"), ("data", "1a 1a"), ("command", "5c")],
                ("data", "00 f0"),
            ],
        ),
    ],
)
def test_one_new_pixel_costs_one_byte_and_its_address(chip: str, wanted: list[tuple[str, str]]) -> None:
    serial = FakeSerial(chip)
    panel = OledPanel(serial, chip)
    dark, lit = Image.new("1", panel.size), Image.new("1", panel.size)
    lit.putpixel((70, 26), 255)
    panel.write(dark)
    del serial.log[:]
    panel.write(lit)
    assert [(kind, payload.hex(" ")) for kind, payload in serial.log] == wanted
    panel.write(lit)
    assert len(serial.log) == len(wanted)  # an equal frame sends nothing


@pytest.mark.parametrize("chip", CHIPS)
@settings(max_examples=25)
@given(frames=st.lists(pictures, min_size=1, max_size=6), upside_down=st.booleans())
def test_the_glass_shows_what_was_drawn_after_every_update(
    chip: str, frames: list[Image.Image], upside_down: bool
) -> None:
    serial = FakeSerial(chip)
    panel = OledPanel(serial, chip, upside_down=upside_down)
    for frame in (fitting(chip, frame) for frame in frames):
        panel.write(frame)
        turned = frame.transpose(Image.Transpose.ROTATE_180) if upside_down else frame
        assert same(serial.memory.picture(), turned)
    assert serial.memory.lit


@pytest.mark.parametrize("chip", CHIPS)
@settings(max_examples=25)
@given(a=pictures, b=pictures)
def test_an_update_never_costs_more_than_a_whole_frame(chip: str, a: Image.Image, b: Image.Image) -> None:
    serial = FakeSerial(chip)
    panel = OledPanel(serial, chip)
    panel.write(fitting(chip, a))
    whole = serial.sent
    panel.write(fitting(chip, b))
    row_bytes, rows = panel.chip.shape
    assert serial.sent - whole <= rows * (row_bytes + panel.chip.overhead)


@settings(max_examples=50)
@given(frames=st.lists(pictures, min_size=2, max_size=5), transfers=st.integers(0, 12))
def test_after_a_broken_transfer_the_next_frame_is_whole(frames: list[Image.Image], transfers: int) -> None:
    serial = FakeSerial()
    panel = OledPanel(serial)
    panel.write(frames[0])
    serial.fail_after = transfers
    try:
        for frame in frames:
            panel.write(frame)
    except OSError:
        serial.plugged, serial.fail_after = True, None
        panel.write(frames[-1])
    assert same(serial.memory.picture(), frames[-1])


def test_the_picture_stays_when_the_end_is_not_orderly() -> None:
    serial = FakeSerial()
    panel = OledPanel(serial)
    panel.write(dot(1, 1))
    panel.close(blank=False)
    assert serial.memory.lit


# -- SPI ---------------------------------------------------------------------------------------------------------


class FakeSpi:
    """spidev as luma uses it.

    The level of the DC line decides whether a write is commands or data.
    """

    def __init__(self, memory: ChipMemory | ShadesMemory, dc: Callable[[], bool]) -> None:
        self.memory, self.dc = memory, dc
        self.lengths: list[int] = []
        self.opened: list[tuple[int, int]] = []
        self.is_open = False
        self.max_speed_hz = 0

    def open(self, port: int, device: int) -> None:
        self.opened.append((port, device))
        self.is_open = True

    def writebytes(self, data: Any) -> None:
        self.lengths.append(len(data))
        (self.memory.data if self.dc() else self.memory.commands)(bytes(data))

    def close(self) -> None:
        self.is_open = False


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    made = MockFactory()
    yield made
    made.close()


def test_spi_drives_dc_and_reset_and_writes_in_small_pieces(factory: MockFactory) -> None:
    memory = ChipMemory("ssd1309")
    bus = FakeSpi(memory, lambda: bool(factory.pin(24).state))
    panel = spi_panel("ssd1309", dc=24, reset=9, pins=factory, spi=lambda: bus)()
    assert bus.opened == [(0, 0)]
    assert [s.state for s in factory.pin(9).states][-2:] == [False, True]
    panel.write(dot(127, 63))
    assert same(memory.picture(), dot(127, 63))
    assert max(bus.lengths) == PIECE_BYTES
    panel.close(blank=True)
    assert not bus.is_open
    assert factory.pin(9).state  # the reset line never floats between two connects


def test_a_wide_panel_on_spi(factory: MockFactory) -> None:
    """Arguments are sent with the DC line high, in small pieces."""
    memory = ShadesMemory()
    bus = FakeSpi(memory, lambda: bool(factory.pin(24).state))
    panel = spi_panel("ssd1322", dc=24, reset=9, pins=factory, spi=lambda: bus)()
    panel.write(fitting("ssd1322", dot(127, 63)))
    panel.contrast(40)
    assert panel.size == WIDE_PX
    assert same(memory.picture(), fitting("ssd1322", dot(127, 63)))
    assert (memory.lit, memory.contrast) == (True, 40)
    assert max(bus.lengths) == PIECE_BYTES


def test_a_second_connect_resets_the_chip_again(factory: MockFactory) -> None:
    memory = ChipMemory("ssd1306")
    connect = spi_panel(
        "ssd1306", dc=24, reset=9, pins=factory, spi=lambda: FakeSpi(memory, lambda: bool(factory.pin(24).state))
    )
    connect().close(blank=False)
    connect()
    levels = [s.state for s in factory.pin(9).states]
    assert levels[-3:] == [True, False, True]


def test_pins_look_like_rpi_gpio_to_luma(factory: MockFactory) -> None:
    pins = LumaPins(factory)
    luma_spi(spi=FakeSpi(ChipMemory(), lambda: False), gpio=pins, gpio_DC=24, gpio_RST=25)
    pins.setup(7, pins.OUT, initial=pins.HIGH)
    assert factory.pin(7).state
    pins.cleanup([7])
    assert factory.pin(7).function == "input"
    pins.cleanup()
    assert factory.pin(24).function == "input"


# -- the worker --------------------------------------------------------------------------------------------------


class Clock:
    """A clock moved by the test."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


def display(serial: FakeSerial, clock: Clock | None = None, **more: Any) -> Display[Image.Image]:
    return Display(lambda: OledPanel(serial), lambda image: image, LOG, clock_ns=clock or Clock(), **more)


def test_show_returns_while_the_bus_is_stuck_and_the_newest_frame_wins() -> None:
    entered, go, drawn = threading.Event(), threading.Event(), list[Image.Image]()

    def slow(image: Image.Image) -> Image.Image:
        drawn.append(image)
        entered.set()
        assert go.wait(5)
        return image

    screen = Display(lambda: OledPanel(FakeSerial()), slow, LOG, clock_ns=Clock())
    screen.show(dot(0, 0))
    assert entered.wait(5)
    for x in range(1, 50):
        screen.show(dot(x, 0))
    go.set()
    assert screen.settle()
    assert [image.getbbox() for image in drawn] == [(0, 0, 1, 1), (49, 0, 50, 1)]
    screen.close()


def test_an_idle_display_wakes_once_a_minute() -> None:
    """Polling would cost wake-ups in every idle second.

    Before the first frame nothing needs checking.
    """
    serial = FakeSerial()
    screen = display(serial)
    assert screen._pause_s() is None
    screen.show(dot(0, 0))
    assert screen.settle()
    assert screen._pause_s() == pytest.approx(60, abs=0.1)
    screen.close()
    assert not serial.memory.lit


def test_a_panel_lost_mid_hand_is_logged_once_and_comes_back_whole(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    serial, clock = FakeSerial(), Clock()
    screen = display(serial, clock)
    screen.show(dot(0, 0))
    assert screen.settle()
    serial.unplug()
    for x in range(1, 4):
        screen.show(dot(x, 0))
        assert screen.settle()
    assert screen.lost
    serial.replug()
    clock.now_ns += 60 * 10**9
    screen.wake()
    assert _until(screen, lambda: not screen.lost)
    assert same(serial.memory.picture(), dot(3, 0))  # restored without another call of show
    assert serial.memory.lit
    assert [r.getMessage() for r in caplog.records] == ["display lost: [Errno 121] Remote I/O error", "display is back"]
    screen.close()


def _until(screen: Display[Image.Image], condition: Callable[[], bool]) -> bool:
    with screen._state:
        return screen._state.wait_for(condition, 5)


def test_a_picture_that_cannot_be_drawn_does_not_end_the_worker(caplog: pytest.LogCaptureFixture) -> None:
    def draw(x: int) -> Image.Image:
        return dot(x, 0)

    serial, clock = FakeSerial(), Clock()
    screen: Display[int] = Display(lambda: OledPanel(serial), draw, LOG, clock_ns=clock)
    screen.show(1000)
    assert screen.settle()
    assert len(caplog.records) == 1
    clock.now_ns += 10**9
    screen.show(5)
    assert screen.settle()
    assert same(serial.memory.picture(), dot(5, 0))
    screen.close()


def test_dim_and_brightness_set_the_contrast_only_when_it_changes() -> None:
    serial = FakeSerial()
    screen = display(serial, bright=200, dim=9)
    for frame, dim in ((dot(0, 0), False), (dot(1, 0), False), (dot(1, 0), True), (dot(2, 0), False)):
        screen.show(frame, dim)
        assert screen.settle()
    screen.set_brightness(120, 5)
    assert screen.settle()
    levels = [payload[1] for kind, payload in serial.log if kind == "command" and payload[0] == 0x81]
    assert levels[1:] == [200, 9, 200, 120]  # after luma's own
    screen.close()


def test_the_daemon_is_told_when_a_frame_stands_on_the_panel() -> None:
    told: list[int] = []
    serial, clock = FakeSerial(), Clock()
    clock.now_ns = 77
    screen: Display[int] = Display(
        lambda: OledPanel(serial),
        lambda x: dot(x, 0),
        LOG,
        clock_ns=clock,
        on_shown=lambda frame, ns: told.extend((frame, ns)),
    )
    screen.show(6)
    assert screen.settle()
    assert told == [6, 77]
    screen.close()


# -- a chip that restarts by itself ------------------------------------------------------------------------------


def lit_display(serial: FakeSerial, clock: Clock, chip: str) -> Display[Image.Image]:
    """Return a lit, dimmed display with a picture on that bus."""
    screen = Display(lambda: OledPanel(serial, chip), lambda image: image, LOG, clock_ns=clock)
    screen.show(fitting(chip, dot(1, 1)), dim=True)
    assert screen.settle()
    return screen


@pytest.mark.parametrize("chip", ["ssd1306", "sh1106"])
@pytest.mark.parametrize("shown", [True, False])
def test_a_chip_that_says_that_it_has_restarted_is_set_up_again(
    chip: str, shown: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """At the next frame, or within a minute without changes; logged once."""
    serial, clock = FakeSerial(chip), Clock()
    screen = lit_display(serial, clock, chip)
    serial.restart()
    assert not serial.memory.lit
    clock.now_ns += 0 if shown else 60 * 10**9
    if shown:
        screen.show(dot(2, 2), dim=True)
    screen.wake()
    assert _until(screen, lambda: screen.lost)
    clock.now_ns += 10**9
    screen.wake()
    assert _until(screen, lambda: not screen.lost and screen._mail is None and not screen._busy)
    assert same(serial.memory.picture(), dot(2, 2) if shown else dot(1, 1))
    assert (serial.memory.lit, serial.memory.contrast) == (True, 0x10)
    assert [record.getMessage() for record in caplog.records] == [
        "display lost: the display's chip has restarted",
        "display is back",
    ]
    screen.close()


@pytest.mark.parametrize("chip", CHIPS)
def test_a_chip_that_cannot_say_so_is_sent_everything_again(chip: str) -> None:
    """Once a minute everything is sent, enough for a chip that has restarted.

    A lit one does not flash.
    """
    serial, clock = FakeSerial(chip, stuck=0xFF), Clock()
    screen = lit_display(serial, clock, chip)
    for restarts in (False, True):
        if restarts:
            serial.restart()
        del serial.log[:]
        clock.now_ns += 60 * 10**9
        screen.wake()
        assert _until(screen, lambda: bool(serial.log) and serial.log[-1] == ("command", b"\xaf"))
        assert same(serial.memory.picture(), fitting(chip, dot(1, 1)))
        assert (serial.memory.lit, serial.memory.contrast) == (True, 0x10)
        commands = [payload for kind, payload in serial.log if kind == "command"]
        assert not [payload for payload in commands if payload[0] == 0xAE or payload == b"\xa4"]
    screen.close()


def test_a_minute_without_a_restart_costs_nothing_but_a_question() -> None:
    serial, clock = FakeSerial(), Clock()
    screen = lit_display(serial, clock, "ssd1306")
    sent = serial.sent
    for _ in range(3):
        clock.now_ns += 61 * 10**9
        screen.wake()
        screen.show(dot(1, 1), dim=True)
        assert screen.settle()
    assert serial.sent == sent
    screen.close()


@pytest.mark.parametrize("column", [None, 0, 2])
def test_the_first_column_of_a_module_can_be_set(column: int | None) -> None:
    """An SH1106 whose display begins at memory column 0; without the option at the usual one."""
    serial = FakeSerial("sh1106", first=column)
    OledPanel(serial, "sh1106", column=column).write(dot(0, 0))
    assert same(serial.memory.picture(), dot(0, 0))
