"""Checks of the pin map's boot parameters: overlays' values, boot levels, currents, limits, titles.

`referee.drivers.pins.lint` checks what a user may move; these rules hold the committed profiles to one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import ceil

from hardware.make import models
from hardware.make.circuit import Sheet
from referee.drivers.pins.lint import WAKING
from referee.drivers.pins.pinmap import Profile

PWM_FUNCTION = {12: "4", 13: "4", 18: "2", 19: "2"}
"""The number of a pin's function PWM (overlays README, "pwm"): alternate function 0 is 4, 5 is 2."""
PARAMETERS = {
    "spi0-2cs": {"no_miso"},
    "gpio-shutdown": {"gpio_pin", "gpio_pull", "debounce"},
    "pwm": {"pin", "func"},
    "pwm-2chan": {"pin", "func", "pin2", "func2"},
}
"""The overlays in use and their parameters (overlays README)."""
I2C_HZ = "400000"
"""The fastest that an SSD1309 takes (data sheet: a clock of 2.5 us); a frame takes 23 ms."""
HELD_MS = "3000"
"""How long the power button is held, as the guide says."""
TOTAL_MA = 50.0
LEAST_MA = 0.1
"""A chip's input draws less than that."""


def complaints(profile: Profile) -> Iterator[str]:
    """Complain of a profile's overlays, limits and title."""
    for line in profile.overlays:
        yield from (f"'{line}': {text}" for text in _overlay(profile, line))
    if (profile.budget.pin_ma, profile.budget.total_ma) != (models.PAD_MA / 2, TOTAL_MA):
        yield f"the budget must be half of a pad's {models.PAD_MA:g} mA, and {TOTAL_MA:g} mA for all."
    yield from _title(profile)


def _overlay(profile: Profile, line: str) -> Iterator[str]:
    kind, _, rest = line.partition("=")
    if kind == "dtparam":
        allowed = {"audio=off", f"i2c_arm=on,i2c_arm_baudrate={I2C_HZ}"}
        if rest not in allowed:
            yield f"allowed are {' and '.join(sorted(allowed))}."
        return
    name, *given = rest.split(",")
    if kind != "dtoverlay" or name not in PARAMETERS:
        yield f"allowed are dtparam and dtoverlay with {', '.join(PARAMETERS)}."
        return
    values = dict(text.partition("=")[::2] for text in given)
    for parameter in (values.keys() ^ PARAMETERS[name]) - {"gpio_pull" if "gpio_pull" in PARAMETERS[name] else ""}:
        yield f"{name} takes {', '.join(sorted(PARAMETERS[name]))}, and {parameter} is not one or is missing."
    yield from _pwm(values) if name.startswith("pwm") else _other(profile, name, values)


def _pwm(values: Mapping[str, str]) -> Iterator[str]:
    for suffix in ("", "2"):
        pin = values.get(f"pin{suffix}", "")
        wanted = PWM_FUNCTION.get(int(pin)) if pin.isdecimal() else None
        if values.get(f"func{suffix}") != wanted:
            yield f"func{suffix} must be {wanted} for pin{suffix}={pin}."


def _other(profile: Profile, name: str, values: Mapping[str, str]) -> Iterator[str]:
    power = profile.find("PWR_BTN")
    wanted = {"no_miso": "on", "debounce": HELD_MS, "gpio_pin": str(power and power.gpio)}
    wanted["gpio_pull"] = str(power and power.pull)
    for parameter, value in values.items():
        if parameter in wanted and value != wanted[parameter]:
            yield f"{parameter} must be {wanted[parameter]}."


def _title(profile: Profile) -> Iterator[str]:
    count = len(profile.stations())
    if not re.match(rf"(?:2-)?{count} stations", profile.title):
        yield f"the title is '{profile.title}'; it must begin with its {count} stations."
    bus = "SPI" if profile.find("SPI_SCLK") else "I2C"
    if re.findall(r"(\w+) display", profile.title) != [bus]:
        yield f"the title is '{profile.title}'; the display is on {bus}."
    power = profile.find("PWR_BTN")
    wakes = power is not None and power.gpio == WAKING
    if profile.wake != wakes or ("no wake" in profile.title) == wakes:
        yield f"PWR_BTN {'wakes' if wakes else 'does not wake'} the Pi; 'wake' and the title must say so."


def agrees(sheet: Sheet) -> Iterator[str]:
    """Compare the pin map's outside pulls, currents and reserved groups with the schematic."""
    for pin in (*sheet.profile.pins, *sheet.profile.sync):
        if pin.role not in ("out", "pwm"):
            continue
        pulls = [sheet.across(terminal) for terminal in sheet.on(pin.net, "R")]
        drawn = "down" if "GND" in pulls else "up" if "+3V3" in pulls else ""
        if pin.extpull != drawn:
            yield f"{pin.net} states extpull '{pin.extpull}'; the schematic's resistor is '{drawn or 'none'}'."
        wanted = ceil(round(load_ma(sheet, pin.net) * 10, 3)) / 10 or LEAST_MA
        if pin.ma != wanted:
            yield f"{pin.net} states {pin.ma:g} mA; the schematic's load is {wanted:g}, rounded up."
    if any(name.startswith("I2S_") for name in sheet.nets.nets) and "i2s" not in sheet.profile.reserve:
        yield "the amplifier is on I2S, which the profile must reserve."


def load_ma(sheet: Sheet, net: str) -> float:
    """Return the current that an output must drive: its chips' inputs, and its resistors to a supply."""
    drawn = 0.0
    for ref, number in sheet.nets.nets.get(net, ()):
        chip = models.CHIPS.get(sheet.nets.components[ref].value)
        drawn += chip.input_ma if chip and sheet.nets.pin_names[ref, number] in chip.inputs else 0.0
    for terminal in sheet.on(net, "R"):
        if sheet.across(terminal) in models.RAILS:
            drawn += models.RAILS["+3V3"][1] / sheet.ohm(terminal[0]) * 1000
    return drawn
