"""config.txt is read as the firmware reads it: sections, later lines over earlier ones, and whose pins a line takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.drivers.pi.bootconfig import read
from referee.drivers.pi.model import model
from referee.drivers.pins.pinmap import profile
from tests.drivers.pi.trees import CONFIG, TREES, WIRING, plant, write

FULL8 = profile("full8")


def lines(root: Path, text: str, board: str = "4B") -> tuple[str, ...]:
    """Which of these lines that model heeds."""
    known = model(TREES[board].name)
    assert known is not None
    write(root / "boot/firmware/config.txt", text)
    config = read(root, known.sections)
    assert config is not None
    return config.lines


@pytest.mark.parametrize("board", TREES)
@pytest.mark.parametrize("wiring", WIRING)
def test_the_lines_of_each_wiring_are_found(board: str, wiring: str, tmp_path: Path) -> None:
    """Behind what the system's image has written, on each model; without them each is missed by its text."""
    wanted = profile(wiring).overlays
    pins = [pin.gpio for pin in profile(wiring).pins]
    known = model(TREES[board].name)
    assert known is not None
    config = read(plant(tmp_path, TREES[board], wanted), known.sections)
    assert config is not None
    assert config.missing(wanted) == ()
    assert list(config.takers(pins, wanted)) == []
    write(config.path, CONFIG)
    bare = read(tmp_path, known.sections)
    assert bare is not None
    assert bare.missing(wanted) == wanted


@pytest.mark.parametrize(
    ("text", "heeded"),
    [
        ("[pi4]\na=1\n[pi5]\nb=1\n[all]\nc=1\n", ("a=1", "c=1")),
        ("[none]\na=1\n[all]\nb=1\n", ("b=1",)),
        ("[tryboot]\na=1\n[pi4]\nb=1\n[all]\nc=1\n", ("c=1",)),  # whether it was tried cannot be told
        ("# a=1\n\n  b=1  \n[PI4]\nc=1\n", ("b=1", "c=1")),
    ],
)
def test_sections_are_heeded(text: str, heeded: tuple[str, ...], tmp_path: Path) -> None:
    """A model's own, nobody's, everybody's, and those of which nothing is known."""
    assert lines(tmp_path, text) == heeded


def test_a_zero_2_heeds_all_three_of_its_sections(tmp_path: Path) -> None:
    """It counts as a Zero, as a Zero with Wi-Fi and as itself."""
    text = "[pi0]\na=1\n[pi0w]\nb=1\n[pi02]\nc=1\n[pi3]\nd=1\n"
    assert lines(tmp_path, text, "Zero 2 W") == ("a=1", "b=1", "c=1")


def test_a_later_line_takes_an_earlier_one_back(tmp_path: Path) -> None:
    """Parameters are overwritten, overlays are not; their order and what stands in one line do not matter."""
    known = model(TREES["4B"].name)
    assert known is not None
    wanted = ("dtparam=audio=off", "dtoverlay=spi0-2cs,no_miso=on")
    for text, missing in (
        ("dtparam=audio=off\ndtoverlay=spi0-2cs,no_miso=on\n", ()),
        ("dtparam=i2s=on,audio=off\ndtoverlay=spi0-2cs,no_miso=on\n", ()),
        ("dtparam=audio=off\ndtparam=audio=on\ndtoverlay=spi0-2cs\n", wanted),
    ):
        write(tmp_path / "boot/config.txt", text)  # where it lay before Debian 12
        config = read(tmp_path, known.sections)
        assert config is not None
        assert config.missing(wanted) == missing


@pytest.mark.parametrize(
    ("line", "gpio"),
    [
        ("dtoverlay=w1-gpio,gpiopin=17", 17),
        ("dtoverlay=w1-gpio", 4),
        ("dtoverlay=gpio-fan", 12),
        ("dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4,extra", 12),
        ("dtoverlay=uart3", 4),
        ("dtparam=i2c_arm=on", 2),
    ],
)
def test_a_line_that_takes_a_wired_pin_is_named(line: str, gpio: int, tmp_path: Path) -> None:
    """By its parameter, by its default, as one more of an overlay that the wiring has in another form."""
    known = model(TREES["4B"].name)
    assert known is not None
    config = read(plant(tmp_path, TREES["4B"], [*FULL8.overlays, line]), known.sections)
    assert config is not None
    assert list(config.takers([pin.gpio for pin in FULL8.pins], FULL8.overlays)) == [(line, gpio)]


def test_without_a_file_there_is_none(tmp_path: Path) -> None:
    """A machine that is no Pi, or whose first partition is not mounted."""
    assert read(tmp_path, frozenset()) is None
