"""The rig's wiring keeps the design rules, and four seats are wired as shipped."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from referee.config import parse
from referee.drivers.pins.lint import lint
from referee.drivers.pins.pinmap import Profile, load
from tests.rig.pins import BUTTONS, ENCODER_A, ENCODER_B, LAMPS, pin_map_for, profile_for
from tests.rig.pins import KNOB as KNOB_LINE
from tests.rig.tapes import config_for
from tests.tapes.tape import read, wired_names


def wired(seats: int, tmp_path: Path) -> Profile:
    """Return the profile as the guest's daemon reads it."""
    path = tmp_path / "pinmap.toml"
    path.write_text(pin_map_for(seats))
    return load(path)[profile_for(seats)]


@pytest.mark.parametrize("seats", range(2, 9))
def test_any_number_of_seats_can_be_wired(seats: int, tmp_path: Path) -> None:
    profile = wired(seats, tmp_path)
    assert lint(profile) == ()
    numbers = range(1, seats + 1)
    assert {station: pin.gpio for station, pin in profile.stations().items()} == {str(n): BUTTONS[n] for n in numbers}
    assert {station: pin.gpio for station, pin in profile.lamps().items()} == {str(n): LAMPS[n] for n in numbers}
    knob = [profile.gpio(net) for net in ("ENC_A", "ENC_B", "ENC_SW")]
    assert knob == [ENCODER_A, ENCODER_B, KNOB_LINE]


def test_the_rigs_own_profile_is_direct4_with_more_seats(tmp_path: Path) -> None:
    shipped = {pin.net: pin for pin in wired(4, tmp_path).pins}
    own = {pin.net: pin for pin in wired(8, tmp_path).pins}
    assert {net: pin for net, pin in own.items() if net in shipped} == {n: p for n, p in shipped.items() if n in own}
    assert shipped.keys() - own.keys() == {"PWR_BTN"}


@pytest.mark.parametrize("name", wired_names())
def test_a_tape_becomes_a_configuration(name: str) -> None:
    setup = read(name).setup
    assert parse(tomllib.loads(config_for(setup))).setup(setup.stations) == setup
