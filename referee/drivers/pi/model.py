"""The Raspberry Pi model, from its revision code, for models with a 40-pin header.

Sources: Raspberry Pi's documentation, "Revision codes" (types) and "Conditional filters" (sections of config.txt).
"""

from __future__ import annotations

from pathlib import Path

from referee.core.values import Value


class Model(Value):
    """A model of Raspberry Pi: its usual name and properties."""

    name: str
    chip: str
    """The label of the header's GPIO chip."""
    sections: frozenset[str]
    """The model sections of config.txt that apply to it."""
    wakes: bool = True
    """Whether connecting GPIO3 to ground starts it when it is halted."""
    type: int = 0
    """The type in its revision code, by which config.txt can also select."""


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
"""Models by the type in the revision code. Compute modules are on a board with a header."""
_NEW_STYLE = 1 << 23
_OLD_CODES = {0x10: 0x03, 0x12: 0x02, 0x13: 0x03, 0x15: 0x02}
"""Revision codes from before the Pi 2 -> type. Older models have a 26-pin header."""


def model_name(root: Path = Path("/")) -> str | None:
    """Return the device tree's model name, such as "Raspberry Pi 4 Model B Rev 1.4", or None."""
    try:
        return (root / "proc/device-tree/model").read_text("utf-8", "replace").rstrip("\0\n") or None
    except OSError:
        return None


def revision(root: Path = Path("/")) -> int | None:
    """Return the revision code from the device tree, or None."""
    try:
        return int.from_bytes((root / "proc/device-tree/system/linux,revision").read_bytes()[:4], "big")
    except OSError:
        return None


def model(code: int | None) -> Model | None:
    """Return the model with this revision code; None for other machines."""
    if code is None:
        return None
    return MODELS.get(code >> 4 & 0xFF if code & _NEW_STYLE else _OLD_CODES.get(code & 0xFFFF, -1))
