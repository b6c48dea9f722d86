"""The pin map: which wire goes to which pin, read from `hardware/pinmap.toml`.

`load` reads the file into immutable profiles (ways to wire a table), `Profile.move_nets` applies the configuration's
changes, `lint.lint` checks the design rules and `table` prints. A profile that breaks design rules can be loaded, so
that `referee pins` can show its conflicts; only a malformed file is an error.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from referee.core.reading import quoted_value
from referee.core.values import Value, replace

Pull = Literal["", "up", "down"]
Level = Literal["", "low", "high"]
_HERE = Path(__file__).resolve().parents[2]
PLACES = (_HERE.parent / "hardware" / "pinmap.toml", _HERE / "pinmap.toml")
"""The source tree's file, then the copy in the wheel (added by the build)."""


class PinMapError(ValueError):
    """The pin map or a change to it is invalid."""


class Pin(Value):
    """One wire: BCM number, net (signal), its other end, and its role.

    The top of pinmap.toml explains all fields.
    """

    gpio: int
    net: str
    to: str
    role: Literal["in", "out", "pwm", "i2c1", "spi0"]
    signal: str = ""
    pull: Pull = ""
    active: Level = ""
    boot: Level | Literal["any"] = ""
    extpull: Pull = ""
    ma: float = 0.0


class Budget(Value):
    """Limits for the current drawn from the pins, in mA."""

    pin_ma: float
    total_ma: float


class Profile(Value):
    """One way to wire a table to a Pi.

    `sync`: the pins that the optional sync wire adds. On this wire the host sends pulses to the pods (see `SyncWire`).
    """

    name: str = ""
    title: str = ""
    overlays: tuple[str, ...] = ()
    reserve: tuple[str, ...] = ()
    wake: bool = False
    pins: tuple[Pin, ...] = ()
    budget: Budget = Budget(0.0, 0.0)
    sync: tuple[Pin, ...] = ()

    def find(self, net: str) -> Pin | None:
        """Return the wire with this net (signal); None if the profile has none."""
        return next((pin for pin in self.pins if pin.net == net), None)

    def gpio(self, net: str) -> int:
        """Return the BCM number of this net's pin. Raises PinMapError if the profile lacks the net."""
        pin = self.find(net)
        if pin is None:
            raise PinMapError(
                f"Profile '{self.name}' has no net {quoted_value(net)}; it has {_list(p.net for p in self.pins)}."
            )
        return pin.gpio

    def stations(self) -> dict[str, Pin]:
        """Return the buttons' wires by station name ("1" to "8"), in order."""
        return self._pins_by_number("BTN")

    def lamps(self) -> dict[str, Pin]:
        """Return the lamps' wires by station name; empty if the lamps are on a shift register."""
        return self._pins_by_number("LED")

    @property
    def shifted_lamps(self) -> bool:
        """Return whether the lamps are on the 74HCT595 chain."""
        return self.find("LED_LATCH") is not None

    def with_sync(self) -> Profile:
        """Return the profile with the sync wire added. The wire uses the UART's pins."""
        return replace(
            self,
            pins=(*self.pins, *self.sync),
            reserve=tuple(name for name in self.reserve if name != "uart"),
        )

    def without(self, stations: Iterable[str]) -> Profile:
        """Return the profile without these stations' contacts; "knob" means the knob's push."""
        nets = {"ENC_SW" if station == "knob" else f"P{station}_BTN" for station in stations}
        return replace(self, pins=tuple(pin for pin in self.pins if pin.net not in nets))

    def move_nets(self, changes: Mapping[str, Any]) -> Profile:
        """Return the profile with nets moved. changes: net -> BCM number, as in [pins.moved].

        Raises PinMapError for an unknown net or an invalid pin number; `lint` checks whether the new pin is suitable.
        """
        for net, gpio in changes.items():
            self.gpio(net)
            if isinstance(gpio, bool) or not isinstance(gpio, int) or not 0 <= gpio <= 27:
                raise PinMapError(
                    f"Option '{net}' in section [pins.moved] is {quoted_value(gpio)}; "
                    "allowed is a BCM pin number from 0 to 27."
                )
        return replace(self, pins=tuple(replace(pin, gpio=changes.get(pin.net, pin.gpio)) for pin in self.pins))

    def _pins_by_number(self, what: str) -> dict[str, Pin]:
        found = {m[1]: pin for pin in self.pins if (m := re.fullmatch(rf"P([1-8])_{what}", pin.net))}
        return dict(sorted(found.items()))


NO_PINS = "none"
WITHOUT = Profile(NO_PINS, "no pins at all: every button hangs on a pod")
"""The profile of a host without pins, such as a laptop: its buttons are on pods."""


class _SyncWire(Value):
    """The pins that the optional sync wire adds to a profile."""

    pins: tuple[Pin, ...] = ()


class _File(Value):
    """The content of the pin map's file."""

    schema: Literal[1]
    budget: Budget
    profile: dict[str, Profile]
    sync: _SyncWire = _SyncWire()


def load(path: Path | None = None) -> dict[str, Profile]:
    """Read all profiles, by default from the pin map that comes with the program.

    Raises PinMapError if it is malformed.
    """
    file = path if path is not None else _find_file()
    try:
        found = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), _File)
    except (OSError, ValueError) as exc:
        raise PinMapError(f"The pin map {file.name} cannot be read: {exc}.") from exc
    budget, sync = found.budget, found.sync.pins
    return {name: replace(one, name=name, budget=budget, sync=sync) for name, one in found.profile.items()}


def profile(
    name: str, changes: Mapping[str, Any] | None = None, path: Path | None = None, *, sync: bool = False
) -> Profile:
    """Return the profile of this name, with these nets moved. `sync`: with the sync wire.

    Raises PinMapError.
    """
    profiles = load(path)
    if name == NO_PINS:
        return WITHOUT.move_nets(changes or {})
    if name not in profiles:
        raise PinMapError(f"There is no pin profile {quoted_value(name)}; allowed are {_list((*profiles, NO_PINS))}.")
    return (profiles[name].with_sync() if sync else profiles[name]).move_nets(changes or {})


def _find_file() -> Path:
    for place in PLACES:
        if place.is_file():
            return place
    raise PinMapError("The pin map pinmap.toml is missing from the installation; install the package again.")


def _list(names: Any) -> str:
    return ", ".join(str(name) for name in names) or "none"
