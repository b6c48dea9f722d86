"""The PWM is found by its device in a sysfs tree as the kernel makes it, whatever its chip's number."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.drivers.pwm import KernelPwm, PwmChannel, PwmMissingError, find
from tests.drivers.pi.trees import PI_5, pwm_class

BOARDS = {
    "Zero W": ({0: "platform/soc/2020c000.pwm"}, 0),
    "3B+, Zero 2 W": ({0: "platform/soc/3f20c000.pwm"}, 0),
    "4B": ({0: "platform/soc/fe20c000.pwm"}, 0),
    "4B with the other controller on": ({0: "platform/soc/fe20c800.pwm", 2: "platform/soc/fe20c000.pwm"}, 2),
    # raspberrypi/linux#6818, as its maintainer lists them
    "5, kernel 6.6": (
        {0: "platform/soc/107d517a80.pwm", 2: f"{PI_5}/1f00098000.pwm", 6: f"{PI_5}/1f0009c000.pwm"},
        2,
    ),
    "5, kernel 6.12": ({0: f"{PI_5}/1f00098000.pwm", 1: f"{PI_5}/1f0009c000.pwm"}, 0),
    "5, the fan first": ({1: f"{PI_5}/1f0009c000.pwm", 10: f"{PI_5}/1f00098000.pwm"}, 10),
}
"""Chip's number -> its device below /sys/devices, and the device of the header's pins."""


@pytest.mark.parametrize("board", BOARDS)
def test_the_header_s_controller_is_found_on_every_board(board: str, tmp_path: Path) -> None:
    """The piezo's pin is channel 1 on all boards."""
    chips, number = BOARDS[board]
    place = find(13, root=pwm_class(tmp_path, chips))
    assert (place.chip.name, place.channel, place.device) == (f"pwmchip{number}", 1, Path(chips[number]).name)


@pytest.mark.parametrize(("board", "channels"), [("4B", [0, 1, 0, 1]), ("5, kernel 6.12", [0, 1, 2, 3])])
def test_each_pin_has_its_channel(board: str, channels: list[int], tmp_path: Path) -> None:
    """12, 13, 18 and 19 share two channels on the older boards and have four on a Pi 5."""
    group = pwm_class(tmp_path, BOARDS[board][0])
    assert [find(gpio, root=group).channel for gpio in (12, 13, 18, 19)] == channels


def test_a_fan_is_never_taken_for_a_piezo(tmp_path: Path) -> None:
    """Without the overlay only the fan's controller exists; the message names the remedy."""
    group = pwm_class(tmp_path, {0: f"{PI_5}/1f0009c000.pwm"})
    with pytest.raises(PwmMissingError) as told:
        find(13, root=group)
    assert str(told.value) == (
        f"no PWM chip of the header is in {group} (there: pwmchip0 (1f0009c000.pwm)): the overlay lines of "
        "`referee pins` turn it on, and option 'pwm' in section [sound] names another one"
    )
    with pytest.raises(PwmMissingError, match=r"\(there: none\)"):
        find(13, root=tmp_path / "nowhere")


def test_a_chip_that_is_named_is_taken(tmp_path: Path) -> None:
    group = pwm_class(tmp_path, {0: "platform/rig-pwm", 3: f"{PI_5}/1f00098000.pwm"})
    assert find(19, str(group / "pwmchip0")) == PwmChannel(group / "pwmchip0", 1, "rig-pwm")
    assert find(19, str(group / "pwmchip3")) == PwmChannel(group / "pwmchip3", 3, "1f00098000.pwm")


def test_a_name_that_makes_no_sense_is_one_sentence(tmp_path: Path) -> None:
    group = pwm_class(tmp_path, BOARDS["4B"][0])
    for gpio, given, said in (
        (13, f"{group}/pwmchip0/pwm1", f"a channel; allowed is its chip's directory, {group}/pwmchip0"),
        (13, str(group), "which is no PWM chip's directory; allowed is one of /sys/class/pwm/pwmchip"),
        (27, "", "GPIO27 has no hardware PWM; allowed are GPIO12, GPIO18, GPIO13, GPIO19"),
    ):
        with pytest.raises(PwmMissingError, match=r"PWM|channel") as told:
            find(gpio, given, root=group)
        assert said in str(told.value)


def test_a_controller_that_comes_late_is_found_by_the_next_write(tmp_path: Path) -> None:
    """Its driver may be loaded after the daemon: the write fails like a lost device, and the next one searches."""
    told: list[Path] = []
    pwm = KernelPwm(lambda: find(13, root=tmp_path / "class" / "pwm"), told=told.append, sleep=lambda _: None)
    with pytest.raises(PwmMissingError):
        pwm.off()
    node = pwm_class(tmp_path, BOARDS["5, kernel 6.12"][0]) / "pwmchip0" / "pwm1"
    node.mkdir()
    for name in ("period", "duty_cycle", "enable"):
        (node / name).write_text("0")
    pwm.set(2_000, 1_000)
    assert (node / "duty_cycle").read_text() == "1000"
    assert told == [node]
