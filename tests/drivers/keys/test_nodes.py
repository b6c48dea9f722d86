"""What the kernel's files say about input devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.core.values import replace
from referee.drivers.keys.nodes import Node, device_name, found_nodes, handset_of

USB = "sys/devices/pci0000:00/usb1/1-2/1-2:1.0"
HID = f"{USB}/0003:054C:0002.0001"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")


def plug(root: Path, number: int, below: str, **more: str) -> None:
    """Make the kernel's files of an input device."""
    place = f"{below}/input/input{number}"
    given = {"name": "Buzz", "phys": "usb-0000:00:14.0-2/input0", "uniq": "", "id/vendor": "054c", "id/product": "0002"}
    files = {**given, "capabilities/key": "f 0 0 ffff00000000 0 0 0 0", **more}
    write(root, {f"{place}/{name}": text for name, text in files.items()})
    (root / f"{place}/event{number}").mkdir()
    (root / f"{place}/event{number}/device").symlink_to(root / place)
    (root / "sys/class/input").mkdir(parents=True, exist_ok=True)
    (root / f"sys/class/input/event{number}").symlink_to(root / f"{place}/event{number}")


def test_quiz_set_with_its_interval_and_lamps(tmp_path: Path) -> None:
    write(tmp_path, {f"{USB}/ep_81/interval": "10ms", f"{USB}/ep_81/type": "Interrupt"})
    write(tmp_path, {f"{HID}/leds/0003:054C:0002.0001::buzz{n}/brightness": "0" for n in (1, 2, 3, 4)})
    plug(tmp_path, 5, HID)
    [node] = found_nodes(tmp_path)
    assert (node.path, node.kind, node.port) == ("/dev/input/event5", "054c:0002", "usb-0000:00:14.0-2")
    assert node.polling_ns == 10_000_000
    assert {0x120, 0x12F} <= node.codes
    assert sorted(node.lamps) == [1, 2, 3, 4]


def test_wireless_keyboards_differ_by_their_address(tmp_path: Path) -> None:
    plug(tmp_path, 1, "sys/devices/virtual/a", phys="dc:a6:32:00:00:01", uniq="11:22", **{"capabilities/key": "2"})
    [node] = found_nodes(tmp_path)
    assert (node.port, node.polling_ns, set(node.codes)) == ("11:22", None, {1})


def test_power_button_is_no_keyboard(tmp_path: Path) -> None:
    plug(tmp_path, 1, "sys/devices/virtual/a", **{"capabilities/key": "10000000000000 0"})
    assert found_nodes(tmp_path) == ()


def test_device_that_goes_away_while_it_is_read_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "sys/class/input").mkdir(parents=True)
    (tmp_path / "sys/class/input/event9").symlink_to(tmp_path / "gone")
    assert found_nodes(tmp_path) == ()


PAD = Node("/dev/input/event3", "Pad", "046d:c31c", "usb-1.2", "A7")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("046d:c31c", True),
        ("046d:c31c@usb-1.2", True),
        ("046d:c31c@A7", True),
        ("046d:c31c@usb-1.3", False),
        ("046d:c31d", False),
    ],
)
def test_names_of_a_keyboard(name: str, meant: bool) -> None:
    assert PAD.is_meant_by(name) is meant


def test_port_is_named_if_two_of_a_kind_are_there() -> None:
    other = replace(PAD, path="/dev/input/event4", port="usb-1.3")
    assert device_name(PAD, [PAD, replace(PAD, path="/dev/input/event9")]) == "046d:c31c"
    assert device_name(PAD, [PAD, other]) == "046d:c31c@usb-1.2"


def test_five_buttons_belong_to_a_handset() -> None:
    """hid-input numbers the buttons 0x120 to 0x12f, then from 0x2c0."""
    assert [handset_of(code) for code in (0x120, 0x124, 0x125, 0x12F, 0x2C0, 0x2C3)] == [1, 1, 2, 4, 4, 4]
