"""The pin map: which wire goes to which pin, read from `hardware/pinmap.toml`.

`load` reads the file into frozen profiles, `Profile.move_nets` applies the configuration's changes, `lint.lint` checks
the design rules and `table` prints. A profile that breaks design rules can be loaded, so that `referee pins` can show
its conflicts; only a malformed file is an error.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from referee.core.reading import quoted_value
from referee.core.values import Value, replace

_T = TypeVar("_T", bound=Value)
SCHEMA = 1
ROLES = ("in", "out", "pwm", "i2c1", "spi0")
_ALLOWED = {
    "role": ROLES,
    "pull": ("up", "down"),
    "active": ("low", "high"),
    "boot": ("low", "high", "any"),
    "extpull": ("up", "down"),
}

_HERE = Path(__file__).resolve().parents[2]
PLACES = (_HERE.parent / "hardware" / "pinmap.toml", _HERE / "pinmap.toml")
"""The source tree's file, then the copy in the wheel (added by the build)."""


class PinMapError(ValueError):
    """The pin map or a change to it is invalid."""


class Pin(Value):
    """One wire: BCM number, net, its other end, and its role; see the top of the file."""

    gpio: int
    net: str
    to: str
    role: str
    signal: str = ""
    pull: str = ""
    active: str = ""
    boot: str = ""
    extpull: str = ""
    ma: float = 0.0


class Budget(Value):
    """Limits for the current drawn from the pins, in mA."""

    pin_ma: float
    total_ma: float


class Profile(Value):
    """One way to wire a table. `sync`: the pins that the optional sync wire adds."""

    name: str
    title: str
    overlays: tuple[str, ...]
    reserve: tuple[str, ...]
    wake: bool
    pins: tuple[Pin, ...]
    budget: Budget
    sync: tuple[Pin, ...] = ()

    def find(self, net: str) -> Pin | None:
        """Return the wire of a net, or None."""
        return next((pin for pin in self.pins if pin.net == net), None)

    def gpio(self, net: str) -> int:
        """Return the BCM number of a net. Raises PinMapError if the profile lacks it."""
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
        """Whether the lamps are on the 74HCT595 chain."""
        return self.find("LED_LATCH") is not None

    def with_sync(self) -> Profile:
        """Return the profile with the sync wire, which uses the UART's pins."""
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
        """Return the profile with nets moved, as in section [pins.moved]: net -> BCM number.

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
WITHOUT = Profile(NO_PINS, "no pins at all: every button hangs on a pod", (), (), False, (), Budget(0.0, 0.0))
"""The profile of a host without pins, such as a laptop: its buttons are on pods."""


def load(path: Path | None = None) -> dict[str, Profile]:
    """Read all profiles, by default from our own file. Raises PinMapError if it is malformed."""
    file = path if path is not None else _find_file()
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise PinMapError(f"The pin map {file.name} cannot be read: {exc}.") from exc
    if document.get("schema") != SCHEMA:
        raise PinMapError(f"The pin map's schema is {document.get('schema')!r}; this version reads {SCHEMA}.")
    budget = _build(Budget, document.get("budget", {}), "section 'budget' of the pin map")
    sync = tuple(_pin(entry, "section 'sync' of the pin map") for entry in document.get("sync", {}).get("pins", ()))
    return {name: _profile(name, table, budget, sync) for name, table in document.get("profile", {}).items()}


def profile(
    name: str, changes: Mapping[str, Any] | None = None, path: Path | None = None, *, sync: bool = False
) -> Profile:
    """Return a profile by name, with the sync wire if wanted, and with nets moved.

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


def _profile(name: str, table: Mapping[str, Any], budget: Budget, sync: tuple[Pin, ...]) -> Profile:
    where = f"profile '{name}' of the pin map"
    pins = tuple(_pin(entry, where) for entry in table.get("pins", ()))
    rest = {
        "overlays": tuple(table.get("overlays", ())),
        "reserve": tuple(table.get("reserve", ())),
        "wake": table.get("wake", False),
    }
    return _build(Profile, {**table, **rest, "name": name, "pins": pins, "budget": budget, "sync": sync}, where)


def _pin(entry: Mapping[str, Any], where: str) -> Pin:
    pin = _build(Pin, entry, f"a pin of {where}")
    if isinstance(pin.gpio, bool) or not isinstance(pin.gpio, int):
        raise PinMapError(f"'gpio' of {pin.net} in {where} is {pin.gpio!r}; allowed is a BCM pin number.")
    for name, allowed in _ALLOWED.items():
        got = getattr(pin, name)
        if got not in allowed and (got or name == "role"):
            raise PinMapError(f"'{name}' of {pin.net} in {where} is {got!r}; allowed are {_list(allowed)}.")
    return pin


def _build(kind: type[_T], table: Mapping[str, Any], where: str) -> _T:
    known = set(kind.__struct_fields__)
    for key in table:
        if key not in known:
            raise PinMapError(f"Unknown key '{key}' in {where}; allowed are {_list(sorted(known))}.")
    try:
        return kind(**table)
    except TypeError:
        missing = sorted(known - set(table))
        raise PinMapError(f"In {where} a key is missing, one of {_list(missing)}.") from None


def _list(names: Any) -> str:
    return ", ".join(str(name) for name in names) or "none"
