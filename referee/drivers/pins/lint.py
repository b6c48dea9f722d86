"""The design rules of the pin map. A violation is a sentence with profile, pin and net.

A profile is one way to wire a table; a net is a named signal, such as "P1_BTN". Sources are given at the tables below
and at the top of `hardware/pinmap.toml`. Every rule is a function that yields complaints about a profile; `RULES` lists
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from referee.drivers.pins.pinmap import Pin, Profile

# fmt: off
HEADER = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22, 11: 23,
    8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}
"""BCM number to position on the 40-pin header (Raspberry Pi documentation).

A test compares them with gpiozero's board tables.
"""
# fmt: on

BUSES = {
    "i2c1": {"SDA": 2, "SCL": 3},
    "spi0": {"CE1": 7, "CE0": 8, "MISO": 9, "MOSI": 10, "SCLK": 11},
}
"""The pin of each bus signal: alternate function 0 (BCM2835 data sheet, table 6-31)."""
GROUPS = {"hat_id": (0, 1), "i2c1": (2, 3), "spi0": (7, 8, 9, 10, 11), "uart": (14, 15), "i2s": (18, 19, 21)}
"""Groups of pins that a profile may reserve.

The HAT's EEPROM (hat_id) is always reserved. I2S is listed without its input, GPIO20.
"""
PWM_CHANNEL = {12: 0, 18: 0, 13: 1, 19: 1}
FIXED_PULL_UP = (2, 3)
PULLED_UP_AT_RESET = range(9)
HIGH_WHILE_BOOTING = 14
WAKING = 3

Complaint = Iterator[str]


def lint(profile: Profile, board: Any = None) -> tuple[str, ...]:
    """Check a wiring; return a sentence for each conflict in it.

    `board`: gpiozero's BoardInfo. If given, each pin that the board lacks is a conflict.
    """
    if not profile.pins:
        return ()  # all buttons are on pods, so there is nothing to wire
    found = [f"Profile '{profile.name}': {text}" for rule in RULES for text in rule(profile)]
    if board is not None:
        found += [f"Profile '{profile.name}': {text}" for text in missing(profile, board)]
    return tuple(found)


def missing(profile: Profile, board: Any) -> Complaint:
    """Report pins that the board lacks. `board`: gpiozero's BoardInfo."""
    there = {name for header in board.headers.values() for pin in header.pins.values() for name in pin.names}
    for pin in profile.pins:
        if f"GPIO{pin.gpio}" not in there:
            yield f"{_is(pin)}, which a {board.description} has not got; choose a pin that `pinout` shows for it."


def _is(pin: Pin) -> str:
    return f"{pin.net} is on GPIO{pin.gpio}"


def _pins(numbers: Iterable[int]) -> str:
    return ", ".join(f"GPIO{n}" for n in sorted(numbers)) or "no pin"


# -- rules about the pins together ---------------------------------------------------------------------------------


def used_twice(profile: Profile) -> Complaint:
    """Complain about pins and nets that are used twice."""
    by_gpio: dict[int, str] = {}
    nets: set[str] = set()
    free = sorted(set(HEADER) - {pin.gpio for pin in profile.pins} - _reserved_pins(profile).keys())
    for pin in profile.pins:
        if pin.gpio in by_gpio:
            yield f"{_is(pin)}, which {by_gpio[pin.gpio]} uses already; free: {_pins(free)}."
        if pin.net in nets:
            yield f"{_is(pin)}, but the net {pin.net} exists already; each net may be named once."
        by_gpio.setdefault(pin.gpio, pin.net)
        nets.add(pin.net)


def check_reserved(profile: Profile) -> Complaint:
    """Complain about the use of reserved pins, which include those of a HAT's EEPROM."""
    names = _reserved_pins(profile)
    for name in profile.reserve:
        if name not in GROUPS:
            yield f"reserves '{name}', which is no group of pins; allowed are {', '.join(GROUPS)}."
    for pin in profile.pins:
        if pin.gpio in names:
            yield f"{_is(pin)}, which is reserved for {names[pin.gpio]}; allowed is any pin that is not."


def _reserved_pins(profile: Profile) -> dict[int, str]:
    names = ("hat_id", *(name for name in profile.reserve if name in GROUPS))
    return {gpio: name for name in names for gpio in GROUPS[name]}


def pwm_channels(profile: Profile) -> Complaint:
    """Complain about PWM on a pin that cannot do PWM, and about channels that are used twice."""
    taken: dict[int, Pin] = {}
    for pin in profile.pins:
        if pin.role != "pwm":
            continue
        channel = PWM_CHANNEL.get(pin.gpio)
        if channel is None:
            yield f"{_is(pin)}, which has no hardware PWM; allowed are {_pins(PWM_CHANNEL)}."
        elif channel in taken:
            yield f"{_is(pin)}, whose PWM channel {taken[channel].net} on GPIO{taken[channel].gpio} has already."
        else:
            taken[channel] = pin


def budget(profile: Profile) -> Complaint:
    """Complain about an output that draws too much current, and about too much in total."""
    limit = profile.budget
    drivers = [pin for pin in profile.pins if pin.role in ("out", "pwm")]
    for pin in drivers:
        if not 0 < pin.ma <= limit.pin_ma:
            yield f"{_is(pin)} and states {pin.ma:g} mA; allowed is more than 0 and at most {limit.pin_ma:g} mA."
    total = sum(pin.ma for pin in drivers)
    if total > limit.total_ma:
        yield f"its outputs draw {total:g} mA together; allowed are {limit.total_ma:g} mA."


def stations(profile: Profile) -> Complaint:
    """Complain unless there are two to eight stations, numbered from 1 without a gap.

    Lamps on pins must be one for each station, without a shift register. The knob needs its three nets (signals).
    """
    names = list(profile.stations())
    if names != [str(n + 1) for n in range(len(names))] or len(names) < 2:
        yield f"has stations {', '.join(names) or 'none'}; allowed are 2 to 8, numbered from 1 without a gap."
    lamps = profile.lamps()
    if lamps and (profile.shifted_lamps or list(lamps) != names):
        yield "has lamps on pins that do not go with its stations; allowed is one a station, or LED_LATCH alone."
    knob = [net for net in ("ENC_A", "ENC_B", "ENC_SW") if profile.find(net)]
    if len(knob) != 3:
        yield f"has {', '.join(knob) or 'nothing'} of the knob; it needs ENC_A, ENC_B and ENC_SW."


# -- rules about one pin -------------------------------------------------------------------------------------------


def on_the_header(profile: Profile) -> Complaint:
    """Complain about pins that are not on the 40-pin header."""
    for pin in profile.pins:
        if pin.gpio not in HEADER:
            yield f"{_is(pin)}, which is not on the 40-pin header; allowed are {_pins(set(HEADER) - {0, 1})}."


def bus_signals(profile: Profile) -> Complaint:
    """Complain about a signal of I2C or SPI on a pin that cannot carry it."""
    for pin in profile.pins:
        signals = BUSES.get(pin.role)
        if signals is not None and signals.get(pin.signal) != pin.gpio:
            allowed = ", ".join(f"{name} on GPIO{gpio}" for name, gpio in sorted(signals.items()))
            yield f"{_is(pin)} as {pin.role} {pin.signal or '(no signal named)'}; allowed are {allowed}."


def boot_levels(profile: Profile) -> Complaint:
    """Complain about an output with a wrong level at power-up.

    The level at power-up comes from the Pi's pull, or from an external resistor.
    """
    for pin in profile.pins:
        if pin.role not in ("out", "pwm"):
            continue
        level = {"up": "high", "down": "low"}.get(pin.extpull) or _level_at_reset(pin.gpio)
        if not pin.boot:
            yield f"{_is(pin)} and does not say its level at power-up; allowed for 'boot' are low, high, any."
        elif pin.boot not in ("any", level):
            yield f"{_is(pin)} and must be {pin.boot} at power-up, but is {level} there; {_boot_advice(pin.boot)}."
        elif pin.role == "pwm" and pin.boot == "high":
            yield f"{_is(pin)} as PWM and must be high at power-up, and a probed PWM is driven low; allowed is low."
        elif pin.boot != "any" and pin.gpio == HIGH_WHILE_BOOTING:
            yield f"{_is(pin)}, which goes high while booting; {_boot_advice('low')}."


def _level_at_reset(gpio: int) -> str:
    return "high" if gpio in PULLED_UP_AT_RESET else "low"


def _boot_advice(level: str) -> str:
    allowed = "GPIO9-27 without 14" if level == "low" else "GPIO2-8"
    return f"allowed are {allowed}, or a resistor outside (extpull)"


def inputs_rest(profile: Profile) -> Complaint:
    """Complain about inputs that no pull keeps at their inactive level.

    The pull must not work against a resistor on the board.
    """
    for pin in profile.pins:
        if pin.role != "in":
            continue
        if pin.pull not in ("up", "down"):
            yield f"{_is(pin)} and floats; allowed for 'pull' are up and down."
        elif (pin.pull, pin.active) not in (("up", "low"), ("down", "high")):
            active = pin.active or "not given"
            yield f"{_is(pin)} with pull {pin.pull} and active {active}; allowed are up with low and down with high."
        if pin.gpio in FIXED_PULL_UP and pin.pull != "up":
            yield f"{_is(pin)}, which the board pulls up with 1.8 kohm; allowed there is pull up."


# -- rules about the overlays --------------------------------------------------------------------------------------


def spi_overlay(profile: Profile) -> Complaint:
    """Complain about SPI without an overlay, and about pins of SPI that other nets use."""
    text = " ".join(profile.overlays)
    wired = [pin for pin in profile.pins if pin.role == "spi0"]
    if wired and not re.search(r"dtparam=spi=on|dtoverlay=spi0-", text):
        yield f"{_is(wired[0])}, but no overlay turns SPI on; allowed are dtparam=spi=on and dtoverlay=spi0-...."
    claimed = _spi_claims(text)
    for pin in profile.pins:
        if pin.gpio in claimed and pin.role != "spi0":
            yield f"{_is(pin)}, which the SPI overlay claims; allowed is a pin outside {_pins(claimed)}."
        if pin.role == "spi0" and claimed and pin.gpio in GROUPS["spi0"] and pin.gpio not in claimed:
            yield f"{_is(pin)}, which the SPI overlay leaves out; allowed are {_pins(claimed)}."


def _spi_claims(text: str) -> set[int]:
    # overlays README: dtparam=spi=on and spi0-2cs use both selects, spi0-1cs one, spi0-0cs none; no_miso frees 9
    if "dtparam=spi=on" in text:
        return set(GROUPS["spi0"])
    overlay = re.search(r"dtoverlay=spi0-([012])cs(\S*)", text)
    if overlay is None:
        return set()
    selects = {8, 7} if overlay[1] == "2" else {8} if overlay[1] == "1" else set()
    return {10, 11} | selects | (set() if "no_miso" in overlay[2] else {9})


def i2c_overlay(profile: Profile) -> Complaint:
    """Complain about I2C without an overlay, and about pins of I2C that other nets use."""
    text = " ".join(profile.overlays)
    wired = [pin for pin in profile.pins if pin.role == "i2c1"]
    if wired and "i2c_arm=on" not in text:
        yield f"{_is(wired[0])}, but no overlay turns I2C on; allowed is dtparam=i2c_arm=on."
    for pin in profile.pins:
        if "i2c_arm=on" in text and pin.gpio in GROUPS["i2c1"] and pin.role != "i2c1":
            yield f"{_is(pin)}, which I2C claims; allowed is any pin but {_pins(GROUPS['i2c1'])}."
    if wired and _shutdown_pin(text) == WAKING:
        yield "gpio-shutdown on GPIO3 would hold the clock of I2C; allowed is another pin, without wake."


def shutdown_pin(profile: Profile) -> Complaint:
    """Complain unless the overlay gpio-shutdown watches the power button's pin.

    Only GPIO3 can also wake the Pi.
    """
    power, watched = profile.find("PWR_BTN"), _shutdown_pin(" ".join(profile.overlays))
    if (power.gpio if power else None) != watched:
        place = f"on GPIO{power.gpio}" if power else "nowhere"
        yield f"PWR_BTN is {place}, but gpio-shutdown watches {_pins([watched] if watched else [])}; they must agree."
    if profile.wake and (power is None or power.gpio != WAKING):
        place = f"on GPIO{power.gpio}" if power else "nowhere"
        yield f"it is to wake from halt, but PWR_BTN is {place}; allowed for that is GPIO{WAKING} alone."


def held_to_switch_off(profile: Profile) -> Complaint:
    """Complain unless the power button must be held for 1 to 5 seconds to switch off.

    A bump during play must not switch the table off.
    """
    held_ms = _shutdown(" ".join(profile.overlays), "debounce", 100)
    if held_ms is not None and not 1000 <= held_ms <= 5000:
        yield f"PWR_BTN switches off after {held_ms} ms; allowed for 'debounce' of gpio-shutdown is 1000 to 5000."


def _shutdown_pin(text: str) -> int | None:
    return _shutdown(text, "gpio_pin", WAKING)


def _shutdown(text: str, parameter: str, usual: int) -> int | None:
    """Return the value of a parameter of the overlay gpio-shutdown; None without the overlay.

    usual: the parameter's default (overlays README).
    """
    overlay = re.search(r"dtoverlay=gpio-shutdown(\S*)", text)
    if overlay is None:
        return None
    given = re.search(rf"{parameter}=(\d+)", overlay[1])
    return int(given[1]) if given else usual


def pwm_overlay(profile: Profile) -> Complaint:
    """Complain about PWM pins that the overlay does not name, and about analogue audio.

    Analogue audio uses the same channels.
    """
    text = " ".join(profile.overlays)
    named = {int(n) for overlay in re.findall(r"dtoverlay=pwm\S*", text) for n in re.findall(r"pin2?=(\d+)", overlay)}
    wired = {pin.gpio: pin for pin in profile.pins if pin.role == "pwm"}
    for gpio, pin in wired.items():
        if gpio not in named:
            yield f"{_is(pin)} as PWM, but the PWM overlay names {_pins(named)}; it must name this one too."
    for gpio in sorted(named - set(wired)):
        yield f"the PWM overlay names GPIO{gpio}, which no PWM net uses; allowed are {_pins(wired)}."
    if wired and "dtparam=audio=off" not in profile.overlays:
        yield "its PWM channels clash with the analogue audio of older boards; dtparam=audio=off is needed."


RULES: tuple[Callable[[Profile], Complaint], ...] = (
    on_the_header,
    used_twice,
    check_reserved,
    bus_signals,
    pwm_channels,
    boot_levels,
    inputs_rest,
    budget,
    stations,
    spi_overlay,
    i2c_overlay,
    shutdown_pin,
    held_to_switch_off,
    pwm_overlay,
)
