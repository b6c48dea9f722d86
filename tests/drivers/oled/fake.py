"""A fake display: a bus whose bytes are decoded as a controller does.

`memory.picture()` is what a display shows after the bytes sent to `FakeSerial`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PIL import Image

from referee.drivers.oled.frame import PAGE_PX

RAM_COLUMNS = {"ssd1306": 128, "ssd1309": 128, "sh1106": 132}
SHADES_ROW_BYTES, SHADES_ROWS, SHADES_FIRST_BYTE = 240, 128, 56  # 480 columns, two pixels per byte, 256 in the middle
FIRST_COLUMN = {"ssd1306": 0, "ssd1309": 0, "sh1106": 2}

# Number of argument bytes of each command (SSD1306 datasheet table 9-1, SH1106 datasheet table 9); 0 for others.
# An SH1106 lacks 0x20..0x22 and 0x8D: it takes their arguments for commands.
ARGUMENTS = {0x81: 1, 0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}
SSD_ARGUMENTS = ARGUMENTS | {0x20: 1, 0x21: 2, 0x22: 2, 0x8D: 1, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0xA3: 2}
SH_ARGUMENTS = ARGUMENTS | {0xAD: 1}


class ChipMemory:
    """A controller's memory and address counters, fed with commands and data."""

    def __init__(self, chip: str = "ssd1306", size: tuple[int, int] = (128, 64), first: int | None = None) -> None:
        """`first`: the memory column of the first visible pixel, if not the chip's default."""
        self.chip, self.size = chip, size
        self.first = FIRST_COLUMN[chip] if first is None else first
        self.columns, self.pages = RAM_COLUMNS[chip], size[1] // PAGE_PX
        self.ram = bytearray(b"\xa5" * self.columns * self.pages)  # noise until written
        self.on = False
        self.pumped = chip != "ssd1306"  # its glass is powered by a pump that is off after a reset
        self.contrast = 0x7F
        self.inverted = False
        self._mode = 2  # page addressing after reset
        self._x0, self._x1, self._p0, self._p1 = 0, self.columns - 1, 0, self.pages - 1
        self._x = self._p = 0
        self._pending: list[int] = []

    @property
    def lit(self) -> bool:
        """Whether the glass shows anything."""
        return self.on and self.pumped

    def i2c(self, message: bytes) -> None:
        """Take an I2C write without address: a control byte, then commands (0x00) or data (0x40).

        Raises ValueError for another control byte.
        """
        if message[0] == 0x40:
            self.data(message[1:])
        elif message[0] == 0x00:
            self.commands(message[1:])
        else:
            raise ValueError(f"control byte {message[0]:#04x} is neither 0x00 (commands) nor 0x40 (data)")

    def commands(self, stream: Iterable[int]) -> None:
        arguments = SH_ARGUMENTS if self.chip == "sh1106" else SSD_ARGUMENTS
        for byte in stream:
            self._pending.append(byte)
            if len(self._pending) > arguments.get(self._pending[0], 0):
                code, *args = self._pending
                self._pending = []
                self._execute(code, args)

    def data(self, stream: Iterable[int]) -> None:
        for byte in stream:
            if self._x < self.columns:
                self.ram[self._p * self.columns + self._x] = byte
            self._advance()

    def picture(self) -> Image.Image:
        """Return the visible part of the memory, even if the display is off."""
        width = self.size[0]
        rows = (self.ram[p * self.columns + self.first :][:width] for p in range(self.pages))
        return unpack(b"".join(bytes(r) for r in rows), width)

    def _execute(self, code: int, args: list[int]) -> None:
        if code in (0xAE, 0xAF):
            self.on = code == 0xAF
        elif code == 0x8D and args:
            self.pumped = self.chip != "ssd1306" or bool(args[0] & 4)
        elif code in (0xA6, 0xA7):
            self.inverted = code == 0xA7
        elif code == 0x81:
            self.contrast = args[0]
        elif code in (0x20, 0x21, 0x22) and args:
            self._window(code, args)
        elif code <= 0x1F:
            self._column(code)
        elif 0xB0 <= code <= 0xB7:
            self._p = code & 0x07

    def _window(self, code: int, args: list[int]) -> None:
        if code == 0x20:
            self._mode = args[0]
        elif code == 0x21:
            self._x0, self._x1 = args
            self._x = self._x0
        else:
            self._p0, self._p1 = args
            self._p = self._p0

    def _column(self, code: int) -> None:
        """Set the column's low or high half; used in page addressing only."""
        if code < 0x10:
            self._x = (self._x & 0xF0) | code
        else:
            self._x = (self._x & 0x0F) | (code & 0x0F) << 4

    def _advance(self) -> None:
        self._x += 1
        if self.chip == "sh1106" or self._mode != 0:
            if self.chip != "sh1106" and self._x >= self.columns:
                self._x = 0
            return
        if self._x > self._x1:
            self._x = self._x0
            self._p = self._p0 if self._p >= self._p1 else self._p + 1


class ShadesMemory:
    """An SSD1322's memory: arguments are sent as data, pixels after the write command."""

    def __init__(self, size: tuple[int, int] = (256, 64)) -> None:
        self.chip, self.size = "ssd1322", size
        self.ram = bytearray(b"\xa5" * SHADES_ROW_BYTES * SHADES_ROWS)  # noise until written
        self.lit = False
        self.contrast = 0x7F
        self._command = 0
        self._arguments: list[int] = []
        self._x0, self._x1, self._y0, self._y1 = 0, SHADES_ROW_BYTES - 1, 0, SHADES_ROWS - 1
        self._x = self._y = 0

    def commands(self, stream: Iterable[int]) -> None:
        for byte in stream:
            self._command, self._arguments = byte, []
            if byte in (0xAE, 0xAF):
                self.lit = byte == 0xAF

    def data(self, stream: Iterable[int]) -> None:
        for byte in stream:
            if self._command == 0x5C:
                self.ram[self._y * SHADES_ROW_BYTES + self._x] = byte
                self._advance()
            else:
                self._arguments.append(byte)
                self._take(self._command, self._arguments)

    def picture(self) -> Image.Image:
        """Return the visible part of the memory, even if the display is off."""
        first, width = SHADES_FIRST_BYTE, self.size[0] // 2
        rows = (self.ram[y * SHADES_ROW_BYTES + first :][:width] for y in range(self.size[1]))
        return unpack_shades(b"".join(bytes(r) for r in rows), self.size[0])

    def _take(self, command: int, arguments: list[int]) -> None:
        if command == 0xC1:
            self.contrast = arguments[0]
        elif command == 0x15 and len(arguments) == 2:
            self._x0, self._x1 = arguments[0] * 2, arguments[1] * 2 + 1  # a column is four pixels, two bytes
            self._x = self._x0
        elif command == 0x75 and len(arguments) == 2:
            self._y0, self._y1 = arguments
            self._y = self._y0

    def _advance(self) -> None:
        self._x += 1
        if self._x > self._x1:
            self._x = self._x0
            self._y = self._y0 if self._y >= self._y1 else self._y + 1


def memory_of(chip: str, first: int | None = None) -> ChipMemory | ShadesMemory:
    """Return the memory of a controller after power-up."""
    return ShadesMemory() if chip == "ssd1322" else ChipMemory(chip, first=first)


class FakeSerial:
    """A fake luma serial interface that records and decodes all transfers.

    first: the memory column of the first pixel (None: the chip's default). stuck: fixed status byte.
    """

    def __init__(self, chip: str = "ssd1306", first: int | None = None, stuck: int | None = None) -> None:
        self._first, self._stuck = first, stuck
        self.memory = memory_of(chip, first)
        self.log: list[tuple[str, bytes]] = []
        self.plugged = True
        self.fail_after: int | None = None  # number of transfers before it fails
        self.closed = 0

    def command(self, *cmd: int) -> None:
        self._transfer("command", bytes(cmd))
        self.memory.commands(cmd)

    def data(self, data: Any) -> None:
        self._transfer("data", bytes(data))
        self.memory.data(bytes(data))

    def status(self) -> int:
        """Return the chip's status byte; bit 6 is set while the display is off."""
        self._check()
        lit = self.memory.on if isinstance(self.memory, ChipMemory) else self.memory.lit
        return (0x00 if lit else 0x40) if self._stuck is None else self._stuck

    def cleanup(self) -> None:
        self.closed += 1

    def unplug(self) -> None:
        self.plugged = False

    def replug(self) -> None:
        """Plug in again; the chip's memory is lost."""
        self.plugged, self.fail_after = True, None
        self.restart()

    def restart(self) -> None:
        """Simulate a brown-out: the chip's registers and memory are lost, but it answers."""
        self.memory = memory_of(self.memory.chip, self._first)

    @property
    def sent(self) -> int:
        """Number of payload bytes sent so far."""
        return sum(len(payload) for _, payload in self.log)

    def _transfer(self, kind: str, payload: bytes) -> None:
        if self.fail_after is not None:
            self.fail_after -= 1
            self.plugged = self.plugged and self.fail_after >= 0
        self._check()
        self.log.append((kind, payload))

    def _check(self) -> None:
        if not self.plugged:
            raise OSError(121, "Remote I/O error")


def unpack(packed: bytes, width: int) -> Image.Image:
    """Unpack page bytes to a picture."""
    pages = len(packed) // width
    columns = bytearray(len(packed))
    for page in range(pages):
        columns[pages - 1 - page :: pages] = packed[page * width : (page + 1) * width]
    turned = Image.frombytes("1", (pages * PAGE_PX, width), bytes(columns))
    return turned.transpose(Image.Transpose.ROTATE_90)


def unpack_shades(packed: bytes, width: int) -> Image.Image:
    """Unpack shades to a picture, lit if brighter than half."""
    pixels = bytes(255 * (shade > 7) for byte in packed for shade in (byte >> 4, byte & 0x0F))
    return Image.frombytes("L", (width, len(pixels) // width), pixels).convert("1")
