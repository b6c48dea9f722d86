"""The pin map is read strictly, and its design rules detect wrong wiring."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from gpiozero.pins.pi import PiBoardInfo
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.values import replace
from referee.drivers.pins import pinmap
from referee.drivers.pins.lint import FIXED_PULL_UP, HEADER, lint
from referee.drivers.pins.pinmap import Pin, PinMapError, Profile
from referee.drivers.pins.table import document, text

FULL8, DIRECT4 = pinmap.profile("full8"), pinmap.profile("direct4")
BOARDS = {"Zero W": 0x9000C1, "Zero 2 W": 0x902120, "3B+": 0xA020D3, "4B": 0xC03114, "5": 0xC04170}


def changed(profile: Profile, net: str, /, **fields: Any) -> Profile:
    """Return the profile with one pin's fields replaced."""
    return replace(profile, pins=tuple(replace(p, **fields) if p.net == net else p for p in profile.pins))


def without(profile: Profile, net: str) -> Profile:
    """Return the profile without that wire."""
    return replace(profile, pins=tuple(pin for pin in profile.pins if pin.net != net))


def overlaid(profile: Profile, old: str, new: str) -> Profile:
    """Return the profile with part of its overlays replaced."""
    return replace(
        profile, overlays=tuple(line.replace(old, new) for line in profile.overlays if line.replace(old, new))
    )


@pytest.mark.parametrize("profile", [FULL8, DIRECT4], ids=lambda p: p.name)
@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_our_profiles_are_sound_on_every_board(profile: Profile, board: int) -> None:
    assert lint(profile, PiBoardInfo.from_revision(board)) == ()


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_gpiozero_agrees_with_our_header(board: int) -> None:
    """gpiozero's table is independent: every pin has the same place and the same fixed pull-ups."""
    pins = PiBoardInfo.from_revision(board).headers["J8"].pins
    theirs = {int(m[1]): number for number, pin in pins.items() if (m := re.fullmatch(r"GPIO(\d+)", pin.name))}
    assert {gpio: HEADER[gpio] for gpio in theirs} == theirs
    assert set(HEADER) - set(theirs) <= {0, 1}
    assert set(FIXED_PULL_UP) <= {int(pin.name[4:]) for pin in pins.values() if pin.pull == "up"}


WRONG: dict[str, tuple[Profile, str]] = {
    "used twice": (
        changed(FULL8, "P2_BTN", gpio=17),
        "P2_BTN is on GPIO17, which P1_BTN uses already; free: GPIO27",
    ),
    "net twice": (changed(FULL8, "P2_BTN", net="P1_BTN"), "the net P1_BTN exists already"),
    "reserved": (changed(FULL8, "P1_BTN", gpio=18), "P1_BTN is on GPIO18, which is reserved for i2s"),
    "reserves nonsense": (replace(FULL8, reserve=("i2x",)), "reserves 'i2x', which is no group of pins"),
    "bus pin": (changed(DIRECT4, "I2C_SDA", gpio=20), "I2C_SDA is on GPIO20 as i2c1 SDA; allowed are SCL on GPIO3"),
    "bus signals swapped": (changed(FULL8, "OLED_CS", signal="CE1"), "OLED_CS is on GPIO8 as spi0 CE1"),
    "no PWM there": (changed(FULL8, "BUZZER", gpio=27), "BUZZER is on GPIO27, which has no hardware PWM"),
    "PWM channel": (changed(FULL8, "LED_ON", gpio=19), "whose PWM channel LED_ON on GPIO19 has already"),
    "lit at boot": (changed(DIRECT4, "P1_LED", gpio=7), "P1_LED is on GPIO7 and must be low at power-up, but is high"),
    "a probed PWM is low": (
        changed(FULL8, "LED_ON", boot="high", extpull="up"),
        "LED_ON is on GPIO12 as PWM and must be high at power-up, and a probed PWM is driven low; allowed is low.",
    ),
    "flashes at boot": (changed(DIRECT4, "P1_LED", gpio=14), "P1_LED is on GPIO14, which goes high while booting"),
    "boot not said": (
        changed(FULL8, "OLED_DC", boot=""),
        "OLED_DC is on GPIO24 and does not say its level at power-up",
    ),
    "floating": (changed(FULL8, "P1_BTN", pull=""), "P1_BTN is on GPIO17 and floats"),
    "against the board": (
        changed(FULL8, "ENC_SW", pull="down", active="high"),
        "ENC_SW is on GPIO2, which the board pulls up with 1.8 kohm",
    ),
    "too much current": (changed(DIRECT4, "P1_LED", ma=12), "P1_LED is on GPIO24 and states 12 mA"),
    "too much in all": (
        replace(DIRECT4, pins=tuple(replace(p, ma=8.0) for p in DIRECT4.pins), budget=pinmap.Budget(8, 39)),
        "its outputs draw 40 mA together; allowed are 39 mA",
    ),
    "a gap in the stations": (without(FULL8, "P3_BTN"), "has stations 1, 2, 4, 5, 6, 7, 8; allowed are 2 to 8"),
    "a lamp missing": (without(DIRECT4, "P4_LED"), "has lamps on pins that do not go with its stations"),
    "half a knob": (without(FULL8, "ENC_B"), "has ENC_A, ENC_SW of the knob"),
    "SPI off": (overlaid(FULL8, "dtoverlay=spi0-2cs,no_miso=on", ""), "but no overlay turns SPI on"),
    "SPI claims": (overlaid(FULL8, ",no_miso=on", ""), "OLED_RST is on GPIO9, which the SPI overlay claims"),
    "SPI leaves out": (
        overlaid(FULL8, "spi0-2cs", "spi0-1cs"),
        "LED_LATCH is on GPIO7, which the SPI overlay leaves out",
    ),
    "I2C off": (overlaid(DIRECT4, "i2c_arm=on", "i2c_arm=off"), "but no overlay turns I2C on"),
    "I2C claims": (
        replace(FULL8, overlays=(*FULL8.overlays, "dtparam=i2c_arm=on")),
        "ENC_SW is on GPIO2, which I2C claims",
    ),
    "wake against I2C": (overlaid(DIRECT4, "gpio_pin=4", "gpio_pin=3"), "would hold the clock of I2C"),
    "shutdown elsewhere": (changed(DIRECT4, "PWR_BTN", gpio=7), "PWR_BTN is on GPIO7, but gpio-shutdown watches GPIO4"),
    "switched off by a bump": (
        overlaid(FULL8, ",debounce=3000", ""),
        "PWR_BTN switches off after 100 ms; allowed for 'debounce' of gpio-shutdown is 1000 to 5000",
    ),
    "no power button": (without(FULL8, "PWR_BTN"), "it is to wake from halt, but PWR_BTN is nowhere"),
    "cannot wake": (replace(DIRECT4, wake=True), "PWR_BTN is on GPIO4; allowed for that is GPIO3 alone"),
    "PWM not named": (
        overlaid(FULL8, ",pin2=13,func2=4", ""),
        "BUZZER is on GPIO13 as PWM, but the PWM overlay names GPIO12",
    ),
    "PWM for nothing": (without(FULL8, "BUZZER"), "the PWM overlay names GPIO13, which no PWM net uses"),
    "analogue audio": (overlaid(FULL8, "dtparam=audio=off", ""), "dtparam=audio=off is needed"),
}


@pytest.mark.parametrize(("profile", "sentence"), WRONG.values(), ids=WRONG)
def test_every_rule_is_kept(profile: Profile, sentence: str) -> None:
    found = [conflict for conflict in lint(profile) if sentence in conflict]
    assert len(found) == 1, lint(profile)
    assert found[0].startswith(f"Profile '{profile.name}': ")
    assert found[0].endswith(".")
    assert "\n" not in found[0]


def test_a_pin_that_the_board_lacks_is_named() -> None:
    conflicts = lint(DIRECT4, PiBoardInfo.from_revision(0x000E))
    assert any("P4_LED is on GPIO26, which a Raspberry Pi B rev 2.0 has not got; choose" in c for c in conflicts)
    assert not any("P1_BTN" in conflict for conflict in conflicts)


@settings(max_examples=40)
@given(st.sampled_from([FULL8, DIRECT4]), st.data())
def test_linting_never_fails(profile: Profile, data: st.DataObject) -> None:
    nets = [pin.net for pin in profile.pins]
    changes = data.draw(st.dictionaries(st.sampled_from(nets), st.integers(0, 27)))
    moved = profile.move_nets(changes)
    conflicts = lint(moved)
    gpios = [pin.gpio for pin in moved.pins]
    assert ("uses already" in " ".join(conflicts)) == (len(set(gpios)) < len(gpios))
    assert json.loads(json.dumps(document(moved, conflicts)))["conflicts"] == list(conflicts)
    assert all(conflict in text(moved, conflicts) for conflict in conflicts)


@pytest.mark.parametrize("gpio", [28, -1, True, "17", 17.0, None])
def test_a_change_to_no_pin_is_refused(gpio: object) -> None:
    with pytest.raises(
        PinMapError,
        match=r"^Option 'P1_BTN' in section \[pins.moved\] is .*; allowed is a BCM pin number from 0 to 27",
    ):
        FULL8.move_nets({"P1_BTN": gpio})


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    with pytest.raises(PinMapError, match=r'has no net "P9_BTN"; it has P1_BTN, '):
        FULL8.move_nets({"P9_BTN": 4})
    with pytest.raises(PinMapError, match=r'no pin profile "full9"; allowed are full8, direct4, none\.'):
        pinmap.profile("full9")


GOOD = """
schema = 1
[budget]
pin_ma = 8.0
total_ma = 50.0
[profile.x]
title = "t"
pins = [{ gpio = 17, net = "P1_BTN", to = "s", role = "in", pull = "up", active = "low" }]
"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("schema = 1", "schema = 2", r"pins\.toml cannot be read: .* 2 - at `\$\.schema`"),
        ("[budget]", "[budget", r"pins\.toml cannot be read: "),
        ('"in"', '"input"', r"'input' - at `\$\.profile\[\.\.\.\]\.pins\[0\]\.role`"),
        ("17", '"17"', r"Expected `int`, got `str` - at `.*\.gpio`"),
        ("to =", "too =", r"field `too` - at `.*pins\[0\]`"),
        ('to = "s", ', "", r"missing required field `to`"),
        ("pin_ma = 8.0", "", r"missing required field `pin_ma` - at `\$\.budget`"),
    ],
)
def test_a_malformed_file_is_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    path = tmp_path / "pins.toml"
    path.write_text(GOOD)
    assert list(pinmap.load(path)) == ["x"]
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(PinMapError, match=sentence):
        pinmap.load(path)


def test_a_missing_file_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(PinMapError, match=r"The pin map nowhere\.toml cannot be read"):
        pinmap.load(tmp_path / "nowhere.toml")
    monkeypatch.setattr(pinmap, "PLACES", (tmp_path / "pinmap.toml",))
    with pytest.raises(PinMapError, match="missing from the installation"):
        pinmap.load()


def test_the_wheels_copy_is_read_where_there_is_no_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pinmap.toml").write_text(GOOD)
    monkeypatch.setattr(pinmap, "PLACES", (tmp_path / "hardware" / "pinmap.toml", tmp_path / "pinmap.toml"))
    assert list(pinmap.load()) == ["x"]


def test_the_table_is_in_order_of_the_header() -> None:
    lines = text(DIRECT4, ()).splitlines()
    assert lines[2].split() == ["pin", "GPIO", "net", "to", "use"]
    rows = [line.split() for line in lines[3 : 3 + len(DIRECT4.pins)]]
    assert [int(row[0]) for row in rows] == sorted(HEADER[pin.gpio] for pin in DIRECT4.pins)
    assert {row[2]: int(row[1]) for row in rows} == {pin.net: pin.gpio for pin in DIRECT4.pins}
    assert all(f"    {overlay}" in lines for overlay in DIRECT4.overlays)
    assert lines[-1] == "No conflicts."
    assert all(len(line) <= 100 for line in lines)


def test_the_document_has_every_pin() -> None:
    shown = document(FULL8, ["a"])
    assert [(pin["gpio"], pin["header"], pin["net"]) for pin in shown["pins"]] == [
        (pin.gpio, HEADER[pin.gpio], pin.net) for pin in FULL8.pins
    ]
    first = {"gpio": 17, "header": 11, "net": "P1_BTN", "to": "station1.1"}
    assert shown["pins"][0] == first | {"role": "in", "pull": "up", "active": "low"}
    assert shown["reserved"] == {"i2s": [18, 19, 21], "uart": [14, 15]}
    assert shown["free"] == []
    assert shown["conflicts"] == ["a"]


def test_a_pin_off_the_header_can_still_be_shown() -> None:
    wrong = replace(FULL8, pins=(*FULL8.pins, Pin(40, "X", "y", "out")))
    assert "-    40" in text(wrong, lint(wrong))
