"""Which Raspberry Pi this is, by its revision code, and what differs between those with a header of 40 pins.

Sources: Raspberry Pi's documentation, "Revision codes" (types) and "Conditional filters" (sections of config.txt).
"""

from __future__ import annotations

from pathlib import Path

from referee.core.values import Value


class Model(Value):
    """One model: as people call it, and what applies to it."""

    name: str
    chip: str
    """The label of the GPIO chip that the header's pins hang on."""
    sections: frozenset[str]
    """The model sections of config.txt whose lines it heeds."""
    wakes: bool = True
    """Whether GPIO3 at ground starts it when it is halted."""
    type: int = 0
    """The type in its revision code, by which config.txt can choose it, too."""


_2835, _2711, _RP1 = "pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"
_ROWS: tuple[tuple[int, str, str, str, bool], ...] = (
    (0x02, "A+", _2835, "pi1", True),
    (0x03, "B+", _2835, "pi1", True),
    (0x04, "2B", _2835, "pi2", True),
    (0x08, "3B", _2835, "pi3", True),
    (0x09, "Zero", _2835, "pi0", True),
    (0x0C, "Zero W", _2835, "pi0 pi0w", True),
    (0x0D, "3B+", _2835, "pi3 pi3+", True),
    (0x0E, "3A+", _2835, "pi3 pi3+", True),
    (0x11, "4B", _2711, "pi4", True),
    (0x12, "Zero 2 W", _2835, "pi0 pi0w pi02", True),
    (0x13, "400", _2711, "pi4 pi400", False),
    (0x14, "CM4", _2711, "pi4 cm4", True),
    (0x17, "5", _RP1, "pi5", False),
    (0x18, "CM5", _RP1, "pi5 cm5", False),
    (0x19, "500", _RP1, "pi5 pi500", False),
    (0x1A, "CM5 Lite", _RP1, "pi5 cm5", False),
)
MODELS = {type_: Model(name, chip, frozenset(s.split()), wakes, type_) for type_, name, chip, s, wakes in _ROWS}
"""By the type in the revision code; compute modules sit on a board with a header."""
_NEW_STYLE = 1 << 23
_OLD_CODES = {0x10: 0x03, 0x12: 0x02, 0x13: 0x03, 0x15: 0x02}
"""Codes of before the Pi 2 -> the type that they would have; older models have a header of 26 pins."""


def model_name(root: Path = Path("/")) -> str | None:
    """The device tree's name of this machine, such as "Raspberry Pi 4 Model B Rev 1.4"; None where it has none."""
    try:
        return (root / "proc/device-tree/model").read_text("utf-8", "replace").rstrip("\0\n") or None
    except OSError:
        return None


def revision(root: Path = Path("/")) -> int | None:
    """The revision code that the firmware leaves in the device tree; None where it leaves none."""
    try:
        return int.from_bytes((root / "proc/device-tree/system/linux,revision").read_bytes()[:4], "big")
    except OSError:
        return None


def model(code: int | None) -> Model | None:
    """The model with that revision code; None for a machine that is none of them."""
    if code is None:
        return None
    return MODELS.get(code >> 4 & 0xFF if code & _NEW_STYLE else _OLD_CODES.get(code & 0xFFFF, -1))
