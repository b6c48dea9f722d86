"""config.txt, as the firmware reads it: which lines apply to this model, what a wiring misses, and who takes its pins.

Facts: config.txt's documentation ("Conditional filters"), and for the pins that an overlay takes when its line does
not say others, the kernel's overlays README.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from referee.core.values import Value
from referee.drivers.pi.model import MODELS

PLACES = ("boot/firmware/config.txt", "boot/config.txt")
"""Where it lies since Debian 12, and where it lay before."""

_MODEL_SECTIONS = frozenset(
    {"pi1", "pi2", "pi400", "pi500", "cm0", "cm1", "cm3", "cm3+", "cm4", "cm4s", "cm5"}
    | {section for _, known in MODELS for section in known.sections}
)

_UART, _I2S = (14, 15), (18, 19, 20, 21)
_TAKEN: dict[str, tuple[tuple[str, int], ...]] = {
    "w1-gpio": (("gpiopin", 4),),
    "w1-gpio-pullup": (("gpiopin", 4),),
    "gpio-ir": (("gpio_pin", 18),),
    "gpio-ir-tx": (("gpio_pin", 18),),
    "gpio-fan": (("gpiopin", 12),),
    "gpio-poweroff": (("gpiopin", 26),),
    "gpio-shutdown": (("gpio_pin", 3),),
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
"""The pins that an overlay takes: each with the parameter that moves it ("": none does), and where it is without."""
_SOUND_CARDS = re.compile(r"(hifiberry|iqaudio|allo|justboom|googlevoicehat|i2s|max98357|audioinjector)")
_SETTINGS: dict[str, tuple[int, ...]] = {
    "enable_uart=1": _UART,
    "i2s=on": _I2S,
    "i2c_arm=on": (2, 3),
    "i2c1=on": (2, 3),
    "spi=on": (7, 8, 9, 10, 11),
}


class BootConfig(Value):
    """The lines of config.txt that apply here, in order; without comments."""

    path: Path
    lines: tuple[str, ...]

    def missing(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """Which of these lines do not act: not there, or taken back by a later one."""
        parameters, overlays = self._parameters(), self._overlays()
        lacking = []
        for line in wanted:
            name, _, value = line.partition("=")
            if name == "dtparam":
                there = all(parameters.get(key) == setting for key, setting in _settings(value))
            else:
                there = _overlay(value) in overlays
            if not there:
                lacking.append(line)
        return tuple(lacking)

    def takers(self, pins: Iterable[int], own: Sequence[str]) -> Iterator[tuple[str, int]]:
        """The lines that take one of these pins for something else, with the pin; `own` are the wiring's lines."""
        ours = {_overlay(line.partition("=")[2]) for line in own if line.startswith("dtoverlay=")}
        settings = {part for line in own if line.startswith("dtparam=") for part in line[8:].split(",")}
        wanted = set(pins)
        for line in self.lines:
            kind, _, value = line.partition("=")
            if kind == "dtoverlay":
                taken = () if _overlay(value) in ours else _pins_of(value)
            elif kind == "dtparam":
                taken = tuple(pin for part in set(value.split(",")) - settings for pin in _SETTINGS.get(part, ()))
            else:
                taken = _SETTINGS.get(line, ())
            if hit := sorted(wanted & set(taken)):
                yield line, hit[0]

    def _parameters(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for line in self.lines:
            kind, _, value = line.partition("=")
            if kind == "dtparam":
                found.update(_settings(value))
        return found

    def _overlays(self) -> set[tuple[str, frozenset[str]]]:
        return {_overlay(line.partition("=")[2]) for line in self.lines if line.startswith("dtoverlay=")}


def read(root: Path, sections: frozenset[str]) -> BootConfig | None:
    """The file, for a model whose lines stand in those sections; None where there is none. Raises OSError."""
    for place in PLACES:
        path = root / place
        if path.is_file():
            return BootConfig(path, tuple(_applying(path.read_text("utf-8", "replace"), sections)))
    return None


def _applying(text: str, sections: frozenset[str]) -> Iterator[str]:
    """Line by line. A section for a model replaces the last such one; of others it cannot be told whether they apply,
    and their lines are left out."""
    model = other = True
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1].strip().lower()
            if name == "all":
                model = other = True
            elif name == "none":
                model = False
            elif name in _MODEL_SECTIONS:
                model = name in sections
            else:
                other = False
        elif line and not line.startswith("#") and model and other:
            yield line


def _settings(value: str) -> Iterator[tuple[str, str]]:
    """What a dtparam line sets, one after the other."""
    for part in value.split(","):
        key, _, setting = part.partition("=")
        yield key, setting


def _overlay(value: str) -> tuple[str, frozenset[str]]:
    """An overlay's name and its parameters, whose order says nothing."""
    name, _, rest = value.partition(",")
    return name.strip(), frozenset(part.strip() for part in rest.split(",") if part.strip())


def _pins_of(value: str) -> tuple[int, ...]:
    name, parameters = _overlay(value)
    if _SOUND_CARDS.match(name):
        return _I2S
    given = dict(part.split("=", 1) for part in parameters if "=" in part)
    pins = (given.get(key, str(usual)) for key, usual in _TAKEN.get(name, ()))
    return tuple(int(pin) for pin in pins if pin.isdigit())
