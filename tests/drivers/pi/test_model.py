"""Each model is known by the device tree's name; chips and PWM of its tree are found, whatever their numbers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from gpiozero.exc import BadPinFactory

from referee.drivers.gpiod import line
from referee.drivers.pi.model import model, model_name
from referee.drivers.pwm.chip import find
from tests.drivers.pi.trees import TREES, plant, write


@pytest.mark.parametrize("board", TREES)
def test_a_model_is_known_by_its_name(board: str, tmp_path: Path) -> None:
    """With the GPIO chip that its tree has."""
    plant(tmp_path, TREES[board])
    name = model_name(tmp_path)
    assert name == TREES[board].name
    known = model(name)
    assert known is not None
    assert known.chip in TREES[board].chips


@pytest.mark.parametrize("name", ["Raspberry Pi 4 Compute Module Rev 1.0", "Raspberry Pi 50 Model B", "BeagleBone", ""])
def test_other_machines_are_not_taken_for_one(name: str, tmp_path: Path) -> None:
    """A name that only looks alike, another maker's board, an empty file, none."""
    assert model_name(tmp_path) is None
    write(tmp_path / "proc/device-tree/model", name + "\0")
    assert model(model_name(tmp_path)) is None


@pytest.mark.parametrize("board", TREES)
def test_the_header_s_chips_are_found_in_the_tree(board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The GPIO chip by its label and the piezo's PWM by its device, on every model and kernel."""
    plant(tmp_path, TREES[board])

    def opened(path: Path) -> SimpleNamespace:
        info = SimpleNamespace(label=path.read_text(), name=path.name)
        return SimpleNamespace(get_info=lambda: info, close=lambda: None)

    monkeypatch.setattr(line, "_open", opened)
    found = line.find_chip(devices=tmp_path / "dev").get_info()
    known = model(TREES[board].name)
    assert known is not None
    assert found.label == known.chip
    assert find(13, root=tmp_path / "sys/class/pwm").device.endswith(".pwm")
    for chip in (tmp_path / "dev").glob("gpiochip*"):
        if chip.read_text() == known.chip:
            chip.unlink()
    with pytest.raises(BadPinFactory, match="no GPIO chip is pinctrl-rp1"):
        line.find_chip(devices=tmp_path / "dev")
