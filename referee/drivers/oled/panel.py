"""One OLED panel on a serial interface of luma: SSD1306, SSD1309, SH1106 or SSD1322.

The first three work over I2C or SPI, the SSD1322 over SPI. luma provides the buses and the controllers' start-up
commands. Its device classes are not used for frames, because they pack pixel by pixel and send every frame completely.
Here the panel's content is remembered, and only changes are sent.

A new OledPanel does not know the chip's content, so it sends its first frame completely; this also refreshes the panel
after a reconnect. The chip is switched on after that frame, because its memory starts with noise.

luma blanks a panel at exit unless `persist` is set. It is set here: the exit hook would write to the bus from the main
thread while the worker may also write, and after a crash the last picture is better than none for the two seconds until
the restart. To blank the panel at the end, call `close(blank=True)`.

A chip may restart by itself (a brown-out, a loose plug): it is then dark and has lost its memory. On I2C its status
shows this (`answers`). SPI modules cannot be read, and some I2C modules report a wrong status; these are sent
everything again now and then (`refresh`), without commands that make the display flash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from PIL import Image

from referee.drivers.oled.frame import PAGE_PX, Window, changes, pack, pack_shades

DISPLAY_OFF, DISPLAY_ON, SET_CONTRAST = 0xAE, 0xAF, 0x81
COLUMN_ADDRESS, PAGE_ADDRESS = 0x21, 0x22
SET_PAGE, LOW_COLUMN, HIGH_COLUMN = 0xB0, 0x00, 0x10
SHADES_COLUMNS, SHADES_ROWS, SHADES_WRITE, SHADES_CONTRAST = 0x15, 0x75, 0x5C, 0xC1
SMALL_PX, WIDE_PX = (128, 64), (256, 64)
PIECE_BYTES = 256
"""Longest SPI write in bytes.

The lamps' shift register shares the bus and waits at most 0.26 ms at 8 MHz.
"""
RESET_S = 0.001
"""Reset time in seconds.

The SSD1309 needs 3 µs of reset and as much after it; a millisecond also covers a slow pull-up.
"""


STATUS_OFF = 0x40
"""Status bit: the display is off, as after a reset (SSD1306 datasheet, 8.1.5)."""


class ChipRestartedError(OSError):
    """The chip has restarted and lost its memory."""


class Serial(Protocol):
    """luma's interface to a bus. If it can read, it also has `status()`: the chip's status byte."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: Any) -> None: ...
    def cleanup(self) -> None: ...


@dataclass(frozen=True)
class Controller:
    """A kind of controller chip: its sizes, and the commands that address its memory.

    overhead: the number of bytes that address a window. windows: whether the chip fills a rectangle of columns and
    pages by itself (horizontal mode), or only one page at a time. column0: the memory column of the first visible pixel
    (an SH1106 has 132 columns for 128 pixels, datasheet 5.3). dark: start-up commands that darken the display;
    `refresh` leaves them out.
    """

    name: str
    windows: bool
    column0: int
    overhead: int
    size: tuple[int, int] = SMALL_PX
    dark: tuple[int, ...] = (DISPLAY_OFF,)

    def pack(self, image: Image.Image) -> bytes:
        """Convert the picture to the chip's format."""
        return pack(image)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the bytes per page, and the number of pages."""
        return self.size[0], self.size[1] // PAGE_PX

    def fit_window(self, window: Window) -> Window:
        """Return the smallest window around this one that the chip can fill."""
        return window

    def address(self, window: Window) -> list[tuple[int, ...]]:
        """Return the commands that make the chip write the next data bytes into this window."""
        if self.windows:
            x0, x1 = window.x0 + self.column0, window.x1 + self.column0
            return [(COLUMN_ADDRESS, x0, x1, PAGE_ADDRESS, window.p0, window.p1)]
        x = window.x0 + self.column0
        return [(SET_PAGE | window.p0, LOW_COLUMN | (x & 0x0F), HIGH_COLUMN | (x >> 4))]

    def contrast(self, level: int) -> tuple[int, ...]:
        """Return the command that sets the brightness, 0..255."""
        return (SET_CONTRAST, level)

    def tell(self, serial: Serial, cmd: tuple[int, ...]) -> None:
        """Send a command byte and its arguments."""
        serial.command(*cmd)


@dataclass(frozen=True)
class ShadesController(Controller):
    """The SSD1322. A byte has two pixels, a page is one row, a column address means four pixels.

    See the datasheet, 9.1.2 and 10.1.1. A command's arguments are sent as data.
    """

    def pack(self, image: Image.Image) -> bytes:
        """Convert the picture: four bits per pixel, two pixels per byte, row by row."""
        return pack_shades(image)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the bytes per row, and the number of rows."""
        return self.size[0] // 2, self.size[1]

    def fit_window(self, window: Window) -> Window:
        """Extend the window to an even first and an odd last byte, since a column is two bytes."""
        return window._replace(x0=window.x0 & ~1, x1=window.x1 | 1)

    def address(self, window: Window) -> list[tuple[int, ...]]:
        """Return the commands that make the chip write the next data bytes into this window.

        A column number in them means four pixels.
        """
        first, last = window.x0 // 2 + self.column0, window.x1 // 2 + self.column0
        return [(SHADES_COLUMNS, first, last), (SHADES_ROWS, window.p0, window.p1), (SHADES_WRITE,)]

    def contrast(self, level: int) -> tuple[int, ...]:
        return (SHADES_CONTRAST, level)

    def tell(self, serial: Serial, cmd: tuple[int, ...]) -> None:
        """Send a command byte, and its arguments as data."""
        serial.command(cmd[0])
        if len(cmd) > 1:
            serial.data(bytes(cmd[1:]))


CHIPS = {
    "ssd1306": Controller("ssd1306", windows=True, column0=0, overhead=6),
    "ssd1309": Controller("ssd1309", windows=True, column0=0, overhead=6),
    "sh1106": Controller("sh1106", windows=False, column0=2, overhead=3),
    # 480 columns of memory; a panel of 256 uses the middle: column 112 is the 28th group of four.
    "ssd1322": ShadesController("ssd1322", windows=True, column0=28, overhead=7, size=WIDE_PX, dark=(0xA4,)),
}


class _Recorder:
    """A serial interface that only records the commands of luma's start-up sequence."""

    def __init__(self) -> None:
        self.commands: list[tuple[int, ...]] = []

    def command(self, *cmd: int) -> None:
        self.commands.append(cmd)

    def data(self, data: Any) -> None:
        """Add the data to the last command as its arguments; the start-up sends no picture."""
        self.commands[-1] += tuple(data)

    def cleanup(self) -> None:
        """Do nothing: there is no bus to release."""


def init_commands(chip: str) -> list[tuple[int, ...]]:
    """Return luma's start-up commands, without its blank frame and without DISPLAY_ON."""
    import luma.oled.device as devices

    class NoPicture(getattr(devices, chip)):  # type: ignore[misc]
        def display(self, image: Image.Image) -> None:
            """Do nothing: luma would clear the screen, but the first picture replaces all of it anyway."""

    size = CHIPS[chip].size
    recorder = _Recorder()
    NoPicture(recorder, width=size[0], height=size[1]).persist = True
    return [cmd for cmd in recorder.commands if cmd != (DISPLAY_ON,)]


class OledPanel:
    """A panel: a controller chip on a bus. Not thread-safe: only one thread may use it."""

    def __init__(
        self, serial: Serial, chip: str = "ssd1306", upside_down: bool = False, column: int | None = None
    ) -> None:
        """`column`: the memory column of the first pixel, if not the chip's default."""
        self.chip = CHIPS[chip] if column is None else replace(CHIPS[chip], column0=column)
        self.size = self.chip.size
        self._serial = serial
        self._status: Callable[[], int] | None = None
        self._upside_down = upside_down
        self._shown: bytes | None = None
        self._level: int | None = None
        for cmd in init_commands(chip):
            self._command(cmd)

    def write(self, image: Image.Image) -> None:
        """Show the picture. Only changes are sent; the first time, the whole picture."""
        frame = self._frame(image)
        windows = self._windows(frame)
        shown, self._shown = self._shown, None  # after an error, the next frame is sent completely
        self._send(frame, windows)
        if shown is None:
            self._command((DISPLAY_ON,))
            self._status = self._trusted_status()
        self._shown = frame

    def contrast(self, level: int) -> None:
        """Set the brightness, from 0 (darkest) to 255."""
        self._command(self.chip.contrast(level))
        self._level = level

    def answers(self) -> bool:
        """Return whether the chip reports that it works; False if its status cannot be read.

        Raises ChipRestartedError after a restart of the chip, OSError if the bus fails.
        """
        if self._status is None:
            return False
        if self._status() & STATUS_OFF:
            raise ChipRestartedError("the display's chip has restarted")
        return True

    def refresh(self) -> None:
        """Send start-up commands, brightness and the whole picture again, without a visible flash."""
        if self._shown is None:
            return
        frame, self._shown = self._shown, None
        level = self.chip.contrast(0 if self._level is None else self._level)
        for cmd in init_commands(self.chip.name):
            if cmd[0] == level[0]:
                self._command(cmd if self._level is None else level)
            elif left := cmd[1:] if cmd[0] in self.chip.dark else cmd:
                self._command(left)
        self._send(frame, self._windows(frame))
        self._command((DISPLAY_ON,))
        self._shown = frame

    def close(self, blank: bool) -> None:
        """Release the bus; with `blank`, blank the panel first."""
        try:
            if blank:
                self._command((DISPLAY_OFF,))
        finally:
            self._serial.cleanup()

    def _frame(self, image: Image.Image) -> bytes:
        if image.size != self.size:
            raise ValueError(f"the display has {self.size} pixels, the picture {image.size}")
        return self.chip.pack(image.transpose(Image.Transpose.ROTATE_180) if self._upside_down else image)

    def _windows(self, frame: bytes) -> list[Window]:
        width, pages = self.chip.shape
        if self._shown is not None:
            changed = changes(self._shown, frame, width, self.chip.overhead, self.chip.windows)
            return [self.chip.fit_window(window) for window in changed]
        return (
            [Window(0, width - 1, 0, pages - 1)]
            if self.chip.windows
            else [Window(0, width - 1, p, p) for p in range(pages)]
        )

    def _send(self, frame: bytes, windows: list[Window]) -> None:
        for window in windows:
            for cmd in self.chip.address(window):
                self._command(cmd)
            self._serial.data(window.cut(frame, self.chip.shape[0]))

    def _trusted_status(self) -> Callable[[], int] | None:
        """Return the function that reads the chip's status; None if the status is not reliable.

        Called right after the display was switched on: a status of "off" then shows that the status is not reliable.
        """
        read: Callable[[], int] | None = getattr(self._serial, "status", None)
        try:
            return None if read is None or read() & STATUS_OFF else read
        except OSError:
            return None

    def _command(self, cmd: tuple[int, ...]) -> None:
        self.chip.tell(self._serial, cmd)


# -- buses -------------------------------------------------------------------------------------------------------


def i2c_panel(
    chip: str, port: int = 1, address: int = 0x3C, upside_down: bool = False, column: int | None = None
) -> Callable[[], OledPanel]:
    """Return a function that opens a panel on an I2C bus, or raises OSError or luma's error."""

    def connect() -> OledPanel:
        from luma.core.interface.serial import i2c

        class ReadableI2c(i2c):  # type: ignore[misc]
            def status(self) -> int:
                """Read the chip's status byte. Raises OSError."""
                return int(self._bus.read_byte(self._addr))

        return _start(ReadableI2c(port=port, address=address), chip, upside_down, column)

    return connect


def spi_panel(
    chip: str,
    dc: int,
    reset: int,
    port: int = 0,
    device: int = 0,
    *,
    pins: Any = None,
    spi: Callable[[], Any] | None = None,
    upside_down: bool = False,
    column: int | None = None,
) -> Callable[[], OledPanel]:
    """Return a function that opens a panel on an SPI bus.

    dc and reset: GPIO numbers. They are driven through gpiozero's factory (`pins` or the default one), so that one
    library owns all lines. spi: makes a bus like spidev's, for tests.
    """
    lines = LumaPins(pins)

    def connect() -> OledPanel:
        from luma.core.interface.serial import spi as luma_spi

        bus = luma_spi(
            spi=spi() if spi else None,
            gpio=lines,
            port=port,
            device=device,
            transfer_size=PIECE_BYTES,
            gpio_DC=dc,
            gpio_RST=reset,
            reset_hold_time=RESET_S,
            reset_release_time=RESET_S,
        )
        return _start(bus, chip, upside_down, column)

    return connect


def _start(serial: Serial, chip: str, upside_down: bool, column: int | None) -> OledPanel:
    """Create the panel; after an error, release the bus."""
    try:
        return OledPanel(serial, chip, upside_down, column)
    except Exception:
        serial.cleanup()
        raise


class LumaPins:
    """The functions of RPi.GPIO that luma calls, carried out by gpiozero's output devices.

    A line stays claimed from its first use until `cleanup()`: the reset line must not float during a reconnect.
    """

    LOW, HIGH, OUT = 0, 1, 0

    def __init__(self, factory: Any = None) -> None:
        self._factory = factory
        self._lines: dict[int, Any] = {}

    def setup(self, pin: int, mode: int, initial: int | None = None) -> None:
        """Claim the line as an output. Claiming it again keeps its level."""
        from gpiozero import OutputDevice

        if pin not in self._lines:
            value = None if initial is None else bool(initial)
            self._lines[pin] = OutputDevice(pin, initial_value=value, pin_factory=self._factory)

    def output(self, pin: int, level: int) -> None:
        self._lines[pin].value = bool(level)

    def cleanup(self, pins: list[int] | None = None) -> None:
        """Release these lines; None: all of them."""
        for pin in list(self._lines) if pins is None else pins:
            line = self._lines.pop(pin, None)
            if line is not None:
                line.close()
