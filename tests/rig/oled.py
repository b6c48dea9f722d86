"""Decode the bytes sent to the display into pictures.

It reads the log of the rig's I2C bus and obeys the bytes as an SSD1306 would: commands move a window and a cursor, data
fills the panel's memory, including partial updates. Source of the command table: SSD1306 datasheet rev 1.1, section 9.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

WIDTH = 128
HEIGHT = 64
PAGES = HEIGHT // 8

PARAMETERS = Path("/sys/module/rig_i2c/parameters")
RECORD = struct.Struct("=QQHHI")


@dataclass(frozen=True)
class Transfer:
    """One write on the bus. `refused`: not acknowledged, so the display did not receive it."""

    start_ns: int
    end_ns: int
    address: int
    refused: bool
    data: bytes


def parse_log(raw: bytes) -> list[Transfer]:
    """Parse the kernel module's log in order."""
    transfers: list[Transfer] = []
    position = 0
    while position < len(raw):
        start_ns, end_ns, address, refused, length = RECORD.unpack_from(raw, position)
        position += RECORD.size
        transfers.append(Transfer(start_ns, end_ns, address, bool(refused), raw[position : position + length]))
        position += length
    return transfers


class Bus:
    """The rig's bus from inside the guest."""

    def unplug(self, unplugged: bool = True) -> None:
        """Disconnect or reconnect the display."""
        (PARAMETERS / "nack").write_text("1" if unplugged else "0")


@dataclass(frozen=True)
class Frame:
    """A picture: `rows` of WIDTH-bit integers, the leftmost pixel the highest bit."""

    rows: tuple[int, ...]

    def __str__(self) -> str:
        return "\n".join(f"{row:0{WIDTH}b}".replace("0", ".").replace("1", "#") for row in self.rows)

    @property
    def packed(self) -> bytes:
        """Return the bytes of Pillow's `Image.tobytes()` in mode "1"."""
        return b"".join(row.to_bytes(WIDTH // 8, "big") for row in self.rows)


BLANK = Frame((0,) * HEIGHT)

# Number of bytes that follow a command; other commands have none.
ARGUMENTS = {
    0x20: 1,  # addressing mode
    0x21: 2,  # column window
    0x22: 2,  # page window
    0x81: 1,  # contrast
    0x8D: 1,  # charge pump
    0xA8: 1,  # multiplex ratio
    0xD3: 1,  # display offset
    0xD5: 1,  # clock
    0xD9: 1,  # pre-charge
    0xDA: 1,  # COM pins
    0xDB: 1,  # The controller and its glass.
}
HORIZONTAL, VERTICAL, PAGE = range(3)


class Panel:
    """Return the visible picture.

    The usual module is mounted so that A1, C8 is upright.
    """

    def __init__(self) -> None:
        self.on = False
        self.contrast = 0x7F
        self._memory = [bytearray(WIDTH) for _ in range(PAGES)]
        self._mode = PAGE
        self._columns = (0, WIDTH - 1)
        self._pages = (0, PAGES - 1)
        self._column = 0
        self._page = 0
        self._inverted = False
        self._all_lit = False
        self._mirrored = False
        self._upside_down = False
        self._start_line = 0

    def frame(self) -> Frame:
        """Process one transfer: control bytes say whether commands or picture data follow, one byte or all the rest."""
        if not self.on:
            return BLANK
        rows = [self._row(y) for y in range(HEIGHT)]
        if not self._upside_down:
            rows.reverse()
        return Frame(tuple(rows))

    def _row(self, y: int) -> int:
        everything = (1 << WIDTH) - 1
        if self._all_lit:
            return everything
        line = (y + self._start_line) % HEIGHT
        bits = [byte >> (line % 8) & 1 for byte in self._memory[line // 8]]
        if not self._mirrored:
            bits.reverse()
        row = int("".join(map(str, bits)), 2)
        return row ^ everything if self._inverted else row

    def receive(self, data: bytes) -> None:
        """Move to the next column; return True on a wrap to the window's first."""
        position = 0
        commands = bytearray()
        while position < len(data):
            control = data[position]
            one_byte = bool(control & 0x80)
            piece = data[position + 1 : position + 2] if one_byte else data[position + 1 :]
            if control & 0x40:
                self._fill(piece)
            else:
                commands += piece
            position += 1 + len(piece)
        self._obey_all(bytes(commands))

    def _obey_all(self, commands: bytes) -> None:
        position = 0
        while position < len(commands):
            command = commands[position]
            count = ARGUMENTS.get(command, 0)
            self._obey(command, commands[position + 1 : position + 1 + count])
            position += 1 + count

    def _obey(self, command: int, arguments: bytes) -> None:
        match command:
            case 0x20:
                self._mode = arguments[0] & 3
            case 0x21:
                self._columns = (arguments[0] & 0x7F, arguments[1] & 0x7F)
                self._column = self._columns[0]
            case 0x22:
                self._pages = (arguments[0] & 7, arguments[1] & 7)
                self._page = self._pages[0]
            case 0x81:
                self.contrast = arguments[0]
            case 0xA0 | 0xA1:
                self._mirrored = command == 0xA1
            case 0xA4 | 0xA5:
                self._all_lit = command == 0xA5
            case 0xA6 | 0xA7:
                self._inverted = command == 0xA7
            case 0xAE | 0xAF:
                self.on = command == 0xAF
            case 0xC0 | 0xC8:
                self._upside_down = command == 0xC8
            case _ if command <= 0x0F:
                self._column = self._column & 0xF0 | command
            case _ if 0x10 <= command <= 0x1F:
                self._column = self._column & 0x0F | (command & 0x0F) << 4
            case _ if 0x40 <= command <= 0x7F:
                self._start_line = command & 0x3F
            case _ if 0xB0 <= command <= 0xB7:
                self._page = command & 7

    def _fill(self, picture: bytes) -> None:
        for byte in picture:
            if self._column < WIDTH:
                self._memory[self._page][self._column] = byte
            self._advance()

    def _advance(self) -> None:
        if self._mode == PAGE:
            self._column += 1
        elif self._mode == HORIZONTAL:
            if self._step_column():
                self._step_page()
        elif self._step_page():
            self._step_column()

    def _step_column(self) -> bool:
        """Return each new picture with its first instant; partial updates are pictures too."""
        wrapped = self._column >= self._columns[1]
        self._column = self._columns[0] if wrapped else self._column + 1
        return wrapped

    def _step_page(self) -> bool:
        wrapped = self._page >= self._pages[1]
        self._page = self._pages[0] if wrapped else self._page + 1
        return wrapped


def pictures(transfers: Iterable[Transfer], panel: Panel | None = None) -> Iterator[tuple[int, Frame]]:
    panel = panel or Panel()
    shown = panel.frame()
    for transfer in transfers:
        if transfer.refused:
            continue
        panel.receive(transfer.data)
        frame = panel.frame()
        if frame != shown:
            shown = frame
            yield transfer.end_ns, frame
