"""The pin map's boot parameters: each wrong one is a complaint."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from hardware.make import boot_rules
from referee.drivers.pins import pinmap
from referee.drivers.pins.pinmap import Profile
from tests.hardware.test_electrical import SHEETS

PROFILES = pinmap.load()


@pytest.mark.parametrize("name", PROFILES)
def test_the_committed_profiles_have_no_complaint(name: str) -> None:
    assert list(boot_rules.complaints(PROFILES[name])) == []
    assert list(boot_rules.agrees(SHEETS[name])) == []


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("full8", "func=4", "func=2"),
        ("full8", "func2=4", "func2=5"),
        ("full8", "debounce=3000", "debounce=1500"),
        ("full8", "no_miso=on", "no_miso=off"),
        ("full8", "gpio_pin=3", "gpio_pin=4"),
        ("full8", "pwm-2chan", "pwm"),
        ("direct4", "pwm,", "pwm-2chan,"),
        ("direct4", "baudrate=400000", "baudrate=100000"),
        ("direct4", "gpio_pull=up", "gpio_pull=down"),
        ("direct4", "gpio_pull", "pull"),
        ("direct4", "i2c_arm=on", "i2c_arm=off"),
        ("direct4", "audio=off", "audio=on"),
    ],
)
def test_a_wrong_overlay_is_a_complaint(name: str, right: str, wrong: str) -> None:
    lines = PROFILES[name].overlays
    changed = tuple(line.replace(right, wrong) for line in lines)
    assert changed != lines
    assert list(boot_rules.complaints(_with(name, overlays=changed)))


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("full8", {"wake": False}),
        ("direct4", {"wake": True}),
        ("direct4", {"title": "6 stations on a breadboard, I2C display; no wake from halt"}),
        ("direct4", {"title": "4 stations on a breadboard, SPI display; no wake from halt"}),
        ("full8", {"budget": pinmap.Budget(4.0, 50.0)}),
    ],
)
def test_a_wrong_limit_or_title_is_a_complaint(name: str, columns: dict[str, object]) -> None:
    assert list(boot_rules.complaints(_with(name, **columns)))


@pytest.mark.parametrize(
    ("name", "net", "columns"),
    [
        ("full8", "BUZZER", {"extpull": ""}),
        ("full8", "LED_ON", {"extpull": "up"}),
        ("direct4", "P1_LED", {"extpull": "down"}),
        ("direct4", "P1_LED", {"ma": 1.4}),
        ("full8", "AMP_ON", {"ma": 0.2}),
    ],
)
def test_a_pull_or_current_that_the_board_has_not_is_a_complaint(
    name: str, net: str, columns: dict[str, object]
) -> None:
    pins = tuple(msgspec.structs.replace(pin, **columns) if pin.net == net else pin for pin in PROFILES[name].pins)
    found = list(boot_rules.agrees(replace(SHEETS[name], profile=_with(name, pins=pins))))
    assert [text.split()[0] for text in found] == [net]


def test_the_amplifiers_pins_are_reserved() -> None:
    reserve = tuple(name for name in PROFILES["full8"].reserve if name != "i2s")
    assert len(list(boot_rules.agrees(replace(SHEETS["full8"], profile=_with("full8", reserve=reserve))))) == 1


def _with(name: str, **columns: object) -> Profile:
    return msgspec.structs.replace(PROFILES[name], **columns)
