"""config.txt as the Pi's firmware reads it: lines for this model, missing lines, used pins.

Sources: Raspberry Pi's documentation of config.txt ("File format", "include", "Conditional filters") and of its device
trees ("DT parameters", "Board-specific labels and parameters"). For parameters of the base tree and the default pins of
overlays: the kernel's overlays README.

Some sections cannot be evaluated later (a pin's level, a monitor, the kind of start). Their lines are doubtful: it is
neither assumed that they apply nor that they do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from referee.core.values import Value, replace
from referee.drivers.pi.model import Model

PLACES = ("boot/firmware/config.txt", "boot/config.txt")
"""Paths of config.txt: since Debian 12, and before."""
LINE_LETTERS = 98
"""Maximum length of a line. The firmware ignores the rest."""
MOST_BYTES, MOST_INCLUDES = 1 << 20, 8
"""Limits of size and of nested includes, because files may include each other."""

_MODEL_SECTION = re.compile(r"none|pi\d+[w+]?|cm\d[s+]?|board-type=.*")
_SERIAL_SECTION = re.compile(r"0x[0-9a-fA-F]{1,16}")

_YES, _NO = frozenset({"on", "true", "yes", "y", ""}), frozenset({"off", "false", "no", "n"})
_BASE = {
    "i2c": "i2c_arm",
    "i2c1": "i2c_arm",
    "i2c_baudrate": "i2c_arm_baudrate",
    "i2c1_baudrate": "i2c_arm_baudrate",
    "i2c0": "i2c_vc",
} | {name: name for name in ("i2c_arm", "i2c_arm_baudrate", "i2c_vc", "i2s", "spi", "audio")}
"""Parameter -> its main name, for the parameters of the base device tree that matter here.

The ARM's I2C bus is 1 on a 40-pin header.
"""

_UART, _I2S = (14, 15), (18, 19, 21)  # of a card that only plays; 20 would be its input
_TAKEN: dict[str, tuple[tuple[str, int], ...]] = {
    "w1-gpio": (("gpiopin", 4),),
    "w1-gpio-pullup": (("gpiopin", 4),),
    "gpio-ir": (("gpio_pin", 18),),
    "gpio-ir-tx": (("gpio_pin", 18),),
    "gpio-fan": (("gpiopin", 12),),
    "gpio-poweroff": (("gpiopin", 26),),
    "gpio-shutdown": (("gpio_pin", 3),),
    "i2c-gpio": (("i2c_gpio_sda", 23), ("i2c_gpio_scl", 24)),
    "pwm": (("pin", 18),),
    "pwm-2chan": (("pin", 18), ("pin2", 19)),
    "dht11": (("gpiopin", 4),),
    "spi1-1cs": (("cs0_pin", 18), ("", 19), ("", 20), ("", 21)),
    "spi1-2cs": (("cs0_pin", 18), ("cs1_pin", 17), ("", 19), ("", 20), ("", 21)),
    "uart3": (("", 4), ("", 5)),
    "uart4": (("", 8), ("", 9)),
    "uart5": (("", 12), ("", 13)),
    "uart2-pi5": (("", 4), ("", 5)),
    "uart3-pi5": (("", 8), ("", 9)),
    "uart4-pi5": (("", 12), ("", 13)),
}
"""Overlay -> the pins it uses: the parameter that sets each ("": fixed), and its default."""
_USUAL: dict[str, dict[str, str]] = {
    "gpio-shutdown": {"gpio_pin": "3", "gpio_pull": "up", "active_low": "1", "debounce": "100"}
}
"""Overlay -> default values of its parameters."""
_SOUND_CARDS = re.compile(r"(hifiberry|iqaudio|allo|justboom|googlevoicehat|i2s|max98357|audioinjector)")
_SETTINGS: dict[str, tuple[int, ...]] = {
    "enable_uart": _UART,
    "i2s": _I2S,
    "i2c_arm": (2, 3),
    "spi": (7, 8, 9, 10, 11),
}
"""Option, or parameter of the base tree -> the pins that it uses while it is on."""


class Overlay(Value):
    """A device tree overlay that config.txt loads.

    line: the line that loads the overlay. given: its parameters, from this line and from later dtparam lines.
    """

    line: str
    name: str
    given: dict[str, str]

    def has(self, wanted: Overlay) -> bool:
        """Return whether this overlay has the same effect as `wanted`."""
        mine, theirs = ({**_USUAL.get(self.name, {}), **overlay.given} for overlay in (self, wanted))
        same = mine.keys() == theirs.keys()
        return self.name == wanted.name and same and all(_same(mine[key], value) for key, value in theirs.items())

    def pins(self) -> tuple[int, ...]:
        """Return the pins that the overlay uses; () if this module does not know the overlay."""
        if _SOUND_CARDS.match(self.name):
            return _I2S
        pins = (self.given.get(key, str(usual)) for key, usual in _TAKEN.get(self.name, ()))
        return tuple(int(pin) for pin in pins if pin.isdecimal())


class Effect(Value):
    """The combined effect of some lines of config.txt.

    settings: option or base parameter -> its value and its line. overlays: in the order of loading.
    """

    settings: dict[str, tuple[str, str]]
    overlays: tuple[Overlay, ...]


class Taker(Value):
    """A line that uses pins which the wiring needs. sure: whether the line surely applies."""

    line: str
    pins: tuple[int, ...]
    sure: bool


class BootConfig(Value):
    """The lines of config.txt that apply to this Pi, or may apply.

    judged: each line, in order, with True if it surely applies, False if perhaps.
    """

    path: Path
    judged: tuple[tuple[str, bool], ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines that apply for sure."""
        return tuple(line for line, sure in self.judged if sure)

    @property
    def possible(self) -> tuple[str, ...]:
        """Return all lines that apply or may apply."""
        return tuple(line for line, _ in self.judged)

    def missing(self, wanted: Iterable[str]) -> tuple[tuple[str, bool], ...]:
        """Return (line, sure) for each wanted line that may lack its full effect.

        sure: True if the line surely lacks it; False if this depends on lines that may or may not apply.
        """
        sure, possible = _effect(self.lines), _effect(self.possible)
        judged = ((line, _acts(line, sure), _acts(line, possible)) for line in wanted)
        return tuple((line, not acts and not may_act) for line, acts, may_act in judged if not (acts and may_act))

    def takers(self, pins: Iterable[int], own: Sequence[str]) -> Iterator[Taker]:
        """Yield lines of the file that use one of these pins for something else.

        `own`: the lines that the wiring itself needs.
        """
        ours, wanted = _effect(own), frozenset(pins)
        sure = set(_takers(_effect(self.lines), ours))
        for line, taken in dict.fromkeys((*_takers(_effect(self.possible), ours), *sure)):
            if hit := sorted(wanted.intersection(taken)):
                yield Taker(line, tuple(hit), (line, taken) in sure)


def read(root: Path, known: Model) -> BootConfig | None:
    """Read config.txt for this model of Pi; None if the file is missing. Raises OSError."""
    for place in PLACES:
        path = root / place
        if path.is_file():
            judged = _judge_lines(_texts(path, []), known, _serial(root))
            return BootConfig(path, tuple((line, bool(holds)) for line, holds in judged if holds is not False))
    return None


# -- lines and sections --------------------------------------------------------------------------------------------


def _texts(path: Path, within: list[Path]) -> Iterator[str]:
    """Yield the lines of a file. In place of an include line come the included file's lines.

    An included file that is missing is skipped. Raises OSError if the first file cannot be read.
    """
    with path.open("rb") as file:
        text = file.read(MOST_BYTES).decode("utf-8", "replace")
    for line in (raw.strip()[:LINE_LETTERS] for raw in text.splitlines()):
        name = line.removeprefix("include ").strip()
        if name == line:
            yield line
            continue
        other = path.parent / name
        if other.is_file() and other not in (path, *within) and len(within) < MOST_INCLUDES:
            yield from _texts(other, [*within, path])


def _judge_lines(lines: Iterable[str], known: Model, serial: int | None) -> Iterator[tuple[str, bool | None]]:
    """Yield each line with True if it applies to this Pi, False if not, None if unknown.

    known, serial: the Pi's model and serial number. A section heading (such as [pi4]) is in force until the next
    heading of its kind, or until [all]. A line applies if the Pi matches all headings that are in force.
    """
    holding: dict[str, bool | None] = {}
    for line in lines:
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1].strip()
            if name == "all":
                holding.clear()
            else:
                kind, holds = _section(name, known, serial)
                holding[kind] = holds
        elif line and not line.startswith("#"):
            yield line, False if False in holding.values() else None if None in holding.values() else True


def _section(name: str, known: Model, serial: int | None) -> tuple[str, bool | None]:
    """Return a section's kind, and whether it applies to this model and serial number.

    The second value is None if that is unknown.
    """
    if _MODEL_SECTION.fullmatch(name):
        kind, _, number = name.partition("=")
        return "model", _number(number) == known.type if kind == "board-type" else name in known.sections
    if _SERIAL_SECTION.fullmatch(name):
        return "serial", None if serial is None else int(name, 16) in (serial, serial & 0xFFFFFFFF)
    return name.partition("=")[0].partition(":")[0], None


def _serial(root: Path) -> int | None:
    """Return the Pi's serial number from the device tree, or None."""
    try:
        return int((root / "proc/device-tree/serial-number").read_text("ascii", "replace").rstrip("\0\n"), 16)
    except (OSError, ValueError):
        return None


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


# -- effects -------------------------------------------------------------------------------------------------------


def _effect(lines: Iterable[str]) -> Effect:
    """Return the combined effect of lines of config.txt.

    A later line overrides an earlier setting; overlays add up. A parameter that the base device tree lacks belongs to
    the last overlay before it.
    """
    settings: dict[str, tuple[str, str]] = {}
    overlays: list[Overlay] = []
    scope: Overlay | None = None
    for line in lines:
        kind, _, value = line.partition("=")
        if kind in ("dtoverlay", "device_tree_overlay"):
            name, *rest = (part.strip() for part in value.split(","))
            scope = Overlay(line, name, dict(map(_parameter, filter(None, rest)))) if name else None
            overlays += [scope] if scope else []
            settings |= _bus(scope) if scope else {}
        elif kind in ("dtparam", "device_tree_param"):
            for key, given in map(_parameter, filter(None, value.split(","))):
                if key in _BASE:
                    settings[_BASE[key]] = given, line
                elif scope:
                    scope = overlays[-1] = replace(scope, given=scope.given | {key: given})
        elif kind in _SETTINGS:
            settings[kind] = value.strip(), line
    return Effect(settings, tuple(overlays))


def _parameter(part: str) -> tuple[str, str]:
    """Split a parameter into name and value; without a value it is "on"."""
    key, equals, value = part.partition("=")
    return key.strip(), value.strip() if equals else "on"


def _bus(overlay: Overlay) -> dict[str, tuple[str, str]]:
    """Return the base parameters that an overlay for I2C bus 1 sets; empty for other overlays."""
    if overlay.name != "i2c1" or "pins_44_45" in overlay.given:
        return {}
    rate = {"i2c_arm_baudrate": (overlay.given["baudrate"], overlay.line)} if "baudrate" in overlay.given else {}
    return {"i2c_arm": ("on", overlay.line), **rate}


def _acts(line: str, there: Effect) -> bool:
    """Return whether the effect `there` includes everything that this line would do."""
    wanted = _effect([line])
    settings = all(
        key in there.settings and _same(there.settings[key][0], value) for key, (value, _) in wanted.settings.items()
    )
    return settings and all(any(found.has(overlay) for found in there.overlays) for overlay in wanted.overlays)


def _same(given: str, wanted: str) -> bool:
    """Return whether two values mean the same: on and true, off and 0, 0x3 and 3."""
    on, number = _on(wanted), _number(given)
    if on is not None:
        return _on(given) is on if number is None else bool(number) is on
    return given == wanted or (number is not None and number == _number(wanted))


def _on(value: str) -> bool | None:
    """Parse a word for yes or no; None for any other word."""
    return True if value.lower() in _YES else False if value.lower() in _NO else None


def _takers(there: Effect, ours: Effect) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each line of `there` that `ours` does not have, with the pins that the line uses."""
    for key, (value, line) in there.settings.items():
        own = key in ours.settings or (key == "spi" and any(one.name.startswith("spi0-") for one in ours.overlays))
        if key in _SETTINGS and _same(value, "on") and not own:
            yield line, _SETTINGS[key]
    for overlay in there.overlays:
        if not any(overlay.has(own) for own in ours.overlays):
            yield overlay.line, overlay.pins()
