"""The small builds: a page each with picture, list and test, under 45 euros; pins are the program's."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from hardware.guide import small
from hardware.make import catalogue, schematics
from hardware.make.catalogue import HARDWARE
from hardware.make.models import PICO_PINS
from referee.cli import parser
from referee.config import parse
from referee.drivers.pins import pinmap
from referee.drivers.pins.lint import HEADER

PAGES = sorted((HARDWARE / "builds").glob("*.md"))
GUIDE = (HARDWARE / "README.md").read_text(encoding="utf-8")
MOST_EUR = 45.0
SHOWN = small.pictures(pinmap.load()["direct4"], schematics.POD)
BOARD_PINS = {9, 14, 20, 25, 6, 30, 34, 39}
"""Pins of the Pi's header that are GND (Raspberry Pi documentation)."""

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


@each_page
def test_a_build_costs_what_its_list_adds_up_to(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    *rows, [_, _, total] = re.findall(r"^\| ([^|]+) (?:\|([^|]*))?\| \**([\d.]+)\** \|$", text, re.M)
    assert sum(float(price) for *_, price in rows) == pytest.approx(float(total))
    assert float(total) < MOST_EUR
    assert f"](builds/{page.name}) |" in GUIDE
    assert f"| €{float(total):.0f} |" in next(line for line in GUIDE.splitlines() if f"builds/{page.name}" in line)


@each_page
def test_a_price_is_the_catalogues(page: Path) -> None:
    parts = catalogue.load()
    counts = {"four": 4, "ten": 10}
    for what, key, price in re.findall(
        r"^\| ([^|]+) \| `(\w+)` \| ([\d.]+) \|$", page.read_text(encoding="utf-8"), re.M
    ):
        count = next((n for word, n in counts.items() if word in what.split()), 1)
        assert parts[key].price * count == pytest.approx(float(price)), key


@each_page
def test_a_build_has_picture_list_test_and_help(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("![") == 1
    for word in ("**For**", "**Time**", "**Tools**", "**together**", "**Test**", "**It does not work**"):
        assert word in text, word


@each_page
def test_its_commands_and_settings_are_accepted(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lines = [
        *re.findall(r"`((?:sudo |\.venv/bin/)?referee [^`]*)`", text),
        *re.findall(r"^(\.venv/bin/referee .*)$", text, re.M),
    ]
    assert lines
    for line in lines:
        words = shlex.split(line)
        parser().parse_args(words[words.index(next(word for word in words if word.endswith("referee"))) + 1 :])
    for settings in re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S):
        parse(tomllib.loads(settings), "guide")


def numbers(name: str) -> list[tuple[int, int]]:
    """Return each seat's line and ground, as the picture has them at the board."""
    told = [int(number) for number in re.findall(r'x="150"[^>]*>(\d+)<', SHOWN[name])]
    return list(zip(told[::2], told[1::2], strict=True))


def test_the_boxs_legs_are_the_pods_contacts_and_grounds() -> None:
    names = PICO_PINS.split()
    assert [names[line - 1] for line, _ in numbers("build-box.svg")] == ["GP2", "GP3", "GP4", "GP5"]
    assert {names[ground - 1] for _, ground in numbers("build-box.svg")} == {"GND"}


def test_the_phones_pins_are_the_profiles_and_grounds() -> None:
    stations = pinmap.load()["direct4"].stations().values()
    assert [line for line, _ in numbers("build-phone.svg")] == [HEADER[pin.gpio] for pin in stations]
    grounds = [ground for _, ground in numbers("build-phone.svg")]
    assert set(grounds) <= BOARD_PINS
    assert len(set(grounds)) == len(grounds)


@pytest.mark.parametrize("name", ["build-box.svg", "build-phone.svg"])
def test_a_pins_number_is_at_both_ends(name: str) -> None:
    far = [int(number) for number in re.findall(r'x="408"[^>]*>(\d+)<', SHOWN[name])]
    assert list(zip(far[::2], far[1::2], strict=True)) == numbers(name)
