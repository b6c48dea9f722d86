"""config.txt is read as the firmware does: sections, later lines over earlier ones, and pins taken by lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.drivers.pi.bootconfig import MOST_INCLUDES, BootConfig, read
from referee.drivers.pi.model import model
from referee.drivers.pins.pinmap import profile
from tests.drivers.pi.trees import CONFIG, TREES, WIRING, write

FULL8 = profile("full8")


def lines(root: Path, text: str, board: str = "4B") -> tuple[str, ...]:
    """Return which of these lines that model applies."""
    return reading(root, text, board).lines


def reading(root: Path, text: str, board: str = "4B") -> BootConfig:
    """Read that text as config.txt on that model."""
    known = model(TREES[board].revision)
    assert known is not None
    write(root / "boot/firmware/config.txt", text)
    config = read(root, known)
    assert config is not None
    return config


def taken(config: BootConfig) -> list[tuple[str, tuple[int, ...], bool]]:
    """Return the lines that take a pin of the large wiring."""
    takers = config.takers([pin.gpio for pin in FULL8.pins], FULL8.overlays)
    return [(taker.line, taker.pins, taker.sure) for taker in takers]


@pytest.mark.parametrize("board", TREES)
@pytest.mark.parametrize("wiring", WIRING)
def test_the_lines_of_each_wiring_are_found(board: str, wiring: str, tmp_path: Path) -> None:
    """The lines follow the system image's own; without them each is reported as missing."""
    wanted = profile(wiring).overlays
    pins = [pin.gpio for pin in profile(wiring).pins]
    config = reading(tmp_path, CONFIG + "\n".join(wanted), board)
    assert config.missing(wanted) == ()
    assert list(config.takers(pins, wanted)) == []
    assert reading(tmp_path, CONFIG, board).missing(wanted) == tuple((line, True) for line in wanted)


@pytest.mark.parametrize(
    ("text", "heeded"),
    [
        ("[pi4]\na=1\n[pi5]\nb=1\n[all]\nc=1\n", ("a=1", "c=1")),
        ("[none]\na=1\n[all]\nb=1\n", ("b=1",)),
        ("[tryboot]\na=1\n[pi4]\nb=1\n[all]\nc=1\n", ("c=1",)),  # whether the try boot is used cannot be known
        ("# a=1\n\n  b=1  \n[pi4]\nc=1\n", ("b=1", "c=1")),
        ("[cm4]\na=1\n[pi400]\nb=1\n[cm5]\nc=1\n[pi3+]\nd=1\n[all]\ne=1\n", ("e=1",)),
        (
            "[pi3]\na=1\n[pi4]\nb=1\n[none]\nc=1\n[pi4]\nd=1\n",
            ("b=1", "d=1"),
        ),  # a section replaces one of the same kind
        (
            "[gpio4=1]\n[pi4]\na=1\n[EDID=DEL-DELL]\nb=1\n[all]\nc=1\n",
            ("c=1",),
        ),  # sections of different kinds apply together
        ("[board-type=0x11]\na=1\n[board-type=0x14]\nb=1\n[board-type=17]\nc=1\n", ("a=1", "c=1")),
        ("[0x12345678]\na=1\n[0x10000000abcdef01]\nb=1\n[0xabcdef01]\nc=1\n", ("b=1", "c=1")),
        ("[HDMI:0]\na=1\n", ()),
        (f"dtparam=x={'1' * 200}\n", (f"dtparam=x={'1' * 88}",)),  # the firmware ignores the rest
    ],
)
def test_sections_are_heeded(text: str, heeded: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path / "proc/device-tree/serial-number", "10000000abcdef01\0")
    assert lines(tmp_path, text) == heeded


def test_a_zero_2_heeds_all_three_of_its_sections(tmp_path: Path) -> None:
    """It counts as a Zero, as a Zero with Wi-Fi and as itself."""
    text = "[pi0]\na=1\n[pi0w]\nb=1\n[pi02]\nc=1\n[pi3]\nd=1\n"
    assert lines(tmp_path, text, "Zero 2 W") == ("a=1", "b=1", "c=1")


def test_a_later_line_takes_an_earlier_one_back(tmp_path: Path) -> None:
    """Parameters are overwritten, overlays are not.

    Their order and grouping in lines do not matter.
    """
    known = model(TREES["4B"].revision)
    assert known is not None
    wanted = ("dtparam=audio=off", "dtoverlay=spi0-2cs,no_miso=on")
    for text, missing in (
        ("dtparam=audio=off\ndtoverlay=spi0-2cs,no_miso=on\n", ()),
        ("dtparam=i2s=on,audio=off\ndtoverlay=spi0-2cs,no_miso=on\n", ()),
        ("dtparam=audio=off\ndtparam=audio=on\ndtoverlay=spi0-2cs\n", wanted),
    ):
        write(tmp_path / "boot/config.txt", text)  # its place before Debian 12
        config = read(tmp_path, known)
        assert config is not None
        assert config.missing(wanted) == tuple((line, True) for line in missing)


I2C = "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"


@pytest.mark.parametrize(
    ("text", "wanted", "there"),
    [
        ("dtparam=i2c=on,i2c_baudrate=400000", I2C, True),
        ("dtparam=i2c1=true,i2c1_baudrate=0x61a80", I2C, True),
        ("dtparam=i2c_arm\ndevice_tree_param=i2c_arm_baudrate=400000", I2C, True),
        ("dtparam=i2c_arm=1,i2c_arm_baudrate=400000", I2C, True),
        ("dtoverlay=i2c1,baudrate=400000", I2C, True),
        ("dtoverlay=i2c1,pins_44_45,baudrate=400000", I2C, False),
        (
            "dtoverlay=w1-gpio,gpiopin=17\ndtparam=i2c=yes,i2c_baudrate=400000",
            I2C,
            True,
        ),  # the overlay has no such parameter
        (f"{I2C}\ndtparam=i2c=off", I2C, False),
        (f"{I2C}\ndtparam=i2c1=0", I2C, False),
        ("dtparam=i2c_vc=on,i2c_baudrate=400000", I2C, False),
        ("dtparam=i2c=on", I2C, False),  # a quarter of the display's speed
        ("dtparam=audio=0", "dtparam=audio=off", True),
        ("dtparam=audio=false", "dtparam=audio=off", True),
        ("dtparam=audio", "dtparam=audio=off", False),
        ("dtoverlay=spi0-2cs,no_miso", "dtoverlay=spi0-2cs,no_miso=on", True),
        ("dtoverlay=spi0-2cs\ndtparam=no_miso=true", "dtoverlay=spi0-2cs,no_miso=on", True),
        ("dtoverlay=spi0-2cs\ndtoverlay=\ndtparam=no_miso=true", "dtoverlay=spi0-2cs,no_miso=on", False),
        ("device_tree_overlay=spi0-2cs,no_miso=1", "dtoverlay=spi0-2cs,no_miso=on", True),
        ("dtoverlay=gpio-shutdown,debounce=3000", "dtoverlay=gpio-shutdown,gpio_pin=3,debounce=3000", True),
        ("dtoverlay=gpio-shutdown", "dtoverlay=gpio-shutdown,gpio_pin=3,debounce=3000", False),
    ],
)
def test_a_line_is_found_in_every_spelling(text: str, wanted: str, there: bool, tmp_path: Path) -> None:
    """Parameters have several names, values several spellings; a parameter alone means "on"."""
    assert reading(tmp_path, text).missing([wanted]) == (() if there else ((wanted, True),))


def test_a_section_that_may_hold_is_told_from_one_that_does(tmp_path: Path) -> None:
    text = "dtparam=audio=off\n[gpio4=1]\ndtparam=spi=on\ndtparam=audio=on\ndtoverlay=w1-gpio\n"
    config = reading(tmp_path, text)
    assert config.missing(["dtparam=spi=on", "dtparam=audio=off", "dtparam=i2s=on"]) == (
        ("dtparam=spi=on", False),
        ("dtparam=audio=off", False),
        ("dtparam=i2s=on", True),
    )
    assert taken(config) == [("dtoverlay=w1-gpio", (4,), False)]


def test_what_is_included_counts_where_it_is_included(tmp_path: Path) -> None:
    """In its section; a missing file, or one that includes itself or others in a circle, ends."""
    boot = tmp_path / "boot/firmware"
    write(boot / "more.txt", "b=1\n[pi5]\nc=1\ninclude config.txt\n")
    assert lines(tmp_path, "[pi4]\na=1\ninclude more.txt\nd=1\n[all]\ninclude none.txt\ne=1\n") == ("a=1", "b=1", "e=1")
    for number in range(MOST_INCLUDES + 3):
        write(boot / f"{number}.txt", f"n={number}\ninclude {number + 1}.txt\n")
    assert len(lines(tmp_path, "include 0.txt\n")) == MOST_INCLUDES


@pytest.mark.parametrize(
    ("line", "pins"),
    [
        ("dtoverlay=w1-gpio,gpiopin=17", (17,)),
        ("dtoverlay=w1-gpio", (4,)),
        ("dtoverlay=w1-gpio-pullup", (4,)),
        ("dtoverlay=gpio-fan", (12,)),
        ("dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4,extra", (12, 13)),
        ("dtoverlay=uart3", (4, 5)),
        ("dtparam=i2c_arm=on", (2, 3)),
        ("dtparam=i2c1", (2, 3)),
    ],
)
def test_a_line_that_takes_wired_pins_is_named(line: str, pins: tuple[int, ...], tmp_path: Path) -> None:
    assert taken(reading(tmp_path, "\n".join([*FULL8.overlays, line]))) == [(line, pins, True)]


def test_each_user_of_a_pin_is_named(tmp_path: Path) -> None:
    """Both users of GPIO4 are named; removed lines and the wiring's own bus are not."""
    text = "dtoverlay=w1-gpio\ndtoverlay=dht11\ndtparam=gpiopin=17\ndtoverlay=uart3\ndtparam=i2c=on\ndtparam=i2c=off\n"
    text += "dtparam=spi=on\n" + "\n".join(FULL8.overlays)
    assert taken(reading(tmp_path, text)) == [
        ("dtoverlay=w1-gpio", (4,), True),
        ("dtoverlay=dht11", (17,), True),
        ("dtoverlay=uart3", (4, 5), True),
    ]


def test_without_a_file_there_is_none(tmp_path: Path) -> None:
    """A machine that is no Pi, or whose first partition is not mounted."""
    known = model(TREES["4B"].revision)
    assert known is not None
    assert read(tmp_path, known) is None
