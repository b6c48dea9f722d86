"""Models are known by their revision code.

Chips and PWM are found in the tree whatever their numbers.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from gpiozero.exc import BadPinFactory

from gpiozero_gpiod import line
from referee.drivers.pi.model import model, model_name, revision
from referee.drivers.pwm import find
from tests.drivers.pi.trees import TREES, plant, write


@pytest.mark.parametrize("board", TREES)
def test_a_model_is_known_by_its_revision_code(board: str, tmp_path: Path) -> None:
    plant(tmp_path, TREES[board])
    assert model_name(tmp_path) == TREES[board].name
    known = model(revision(tmp_path))
    assert known is not None
    assert known.chip in TREES[board].chips
    assert board.startswith(known.name)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0x0010, "B+"), (0x1000015, "A+"), (0x900021, "A+"), (0x900032, "B+"), (0xA01041, "2B"), (0xA02042, "2B"),
        (0xA02082, "3B"), (0x2A02082, "3B"), (0x900093, "Zero"), (0x9000C1, "Zero W"), (0x9020E1, "3A+"),
        (0xC03130, "400"), (0xB03140, "CM4"), (0xE04171, "5"), (0xC04180, "CM5"), (0xE04190, "500"),
        (0xD041A0, "CM5 Lite"),
        (0x0003, None), (0x900061, None), (0xC04FF0, None), (0, None), (None, None),
    ],
)  # fmt: skip
def test_every_model_with_forty_pins_is_known(code: int | None, name: str | None) -> None:
    """Codes of the documentation, old and new, with the bits of a voided warranty.

    Other codes give no model.
    """
    known = model(code)
    assert (known and known.name) == name


def test_another_machine_is_no_pi(tmp_path: Path) -> None:
    assert (model_name(tmp_path), revision(tmp_path)) == (None, None)
    write(tmp_path / "proc/device-tree/model", "\0")
    assert model_name(tmp_path) is None


@pytest.mark.parametrize("board", TREES)
def test_the_header_s_chips_are_found_in_the_tree(board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, TREES[board])

    def opened(path: Path) -> SimpleNamespace:
        info = SimpleNamespace(label=path.read_text(), name=path.name)
        return SimpleNamespace(get_info=lambda: info, close=lambda: None)

    monkeypatch.setattr(line, "_open", opened)
    found = line.find_chip(devices=tmp_path / "dev").get_info()
    known = model(TREES[board].revision)
    assert known is not None
    assert found.label == known.chip
    assert find(13, root=tmp_path / "sys/class/pwm").device.endswith(".pwm")
    for chip in (tmp_path / "dev").glob("gpiochip*"):
        if chip.read_text() == known.chip:
            chip.unlink()
    with pytest.raises(BadPinFactory, match="no GPIO chip is called pinctrl-rp1"):
        line.find_chip(devices=tmp_path / "dev")
