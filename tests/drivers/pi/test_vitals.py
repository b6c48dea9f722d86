"""Facts from the machine's own files; missing ones give None."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.device.daemon import ALARMS
from referee.drivers.pi import vitals
from tests.drivers.pi.trees import TREES, plant, write

FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"


@pytest.mark.parametrize("board", TREES)
def test_a_sound_machine_says_so(board: str, tmp_path: Path) -> None:
    root = plant(tmp_path, TREES[board])
    assert vitals.read_throttled(root) == vitals.Throttled(False, False, False, False)
    assert vitals.heat_c(root) == 48.312
    assert vitals.kernel(root)[1] in ((6, 6), (6, 12))
    assert vitals.clock_source(root) == "arch_sys_counter"
    assert vitals.wireless(root) == ("wlan0",)
    assert vitals.disk(root, Path("/var/lib/referee")) == vitals.Disk("mmcblk0p2", False, 0, None)


def test_what_is_not_there_is_not_made_up(tmp_path: Path) -> None:
    asked = (vitals.read_throttled, vitals.heat_c, vitals.clock_source)
    assert [ask(tmp_path) for ask in asked] == [None] * 3
    assert vitals.kernel(tmp_path) == ("", None)
    assert vitals.wireless(tmp_path) == ()
    assert vitals.disk(tmp_path, Path("/")) is None
    for place in ("sys/devices/platform/soc/soc:firmware/get_throttled", "sys/class/thermal/thermal_zone0/temp"):
        write(tmp_path / place, "not today")
    assert [ask(tmp_path) for ask in asked] == [None] * 3


@given(st.sets(st.sampled_from([0, 1, 2, 3, 16, 17, 18, 19])))
def test_each_bit_of_the_firmware_says_one_thing(tmp_path_factory: pytest.TempPathFactory, bits: set[int]) -> None:
    """The low half is the present state, the high half the time since start.

    Frequency bits alone are no trouble.
    """
    root = tmp_path_factory.mktemp("pi")
    text = f"{sum(1 << bit for bit in bits):x}"
    write(root / "sys/devices/platform/soc/soc:firmware/get_throttled", text)
    assert vitals.read_throttled(root) == vitals.Throttled(0 in bits, 16 in bits, 3 in bits, 19 in bits)


def test_without_the_firmware_the_kernel_s_alarm_is_taken(tmp_path: Path) -> None:
    """The monitor must be called rpi_volt."""
    write(tmp_path / "sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    assert vitals.read_throttled(tmp_path) is None
    write(tmp_path / "sys/class/hwmon/hwmon2/name", "rpi_volt\n")
    for alarm in (False, True):
        write(tmp_path / "sys/class/hwmon/hwmon2/in0_lcrit_alarm", f"{alarm:d}\n")
        assert vitals.read_throttled(tmp_path) == vitals.Throttled(alarm, alarm, False, False)


def test_the_disk_is_that_of_the_longest_mount(tmp_path: Path) -> None:
    """The journal's own partition, its flag, its errors and the wear of an eMMC."""
    root = plant(tmp_path, TREES["4B"])
    own = "/dev/mmcblk0p3 /var/lib/my\\040referee ext4 rw 0 0"
    write(root / "proc/self/mounts", f"/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n{own}\nproc /proc proc rw 0 0\n")
    write(root / "sys/devices/platform/card/block/mmcblk0/device/life_time", "0x03 0x09\n")
    write(root / "sys/fs/ext4/mmcblk0p2/errors_count", "4\n")
    found = vitals.disk(root, Path("/var/lib/referee"))
    assert found is not None
    assert (found.device, found.read_only, found.errors, found.worn) == ("mmcblk0p2", True, 4, 90)
    assert vitals.disk(root, Path("/var/lib/my referee")) == vitals.Disk("mmcblk0p3", False, None, None)
    write(root / "sys/devices/platform/card/block/mmcblk0/device/life_time", "0x00 0x00\n")
    found = vitals.disk(root, Path("/"))
    assert found is not None
    assert found.worn is None


def test_the_kernel_is_asked_and_never_raises() -> None:
    assert vitals.saves_power("no-such-wlan") is None
    assert vitals.is_synchronized() in (True, False, None)


@pytest.mark.parametrize(
    ("place", "content", "said"),
    [
        (FIRMWARE, "50000", None),  # over now: this is for the doctor
        (FIRMWARE, "50005", "supply"),
        (FIRMWARE, "80008", "heat"),
        (FIRMWARE, "d000d", "supply"),
        ("sys/fs/ext4/mmcblk0p2/errors_count", "1", "disk"),
        ("sys/devices/platform/card/block/mmcblk0/device/life_time", "0x08 0x01", "disk"),
        ("sys/devices/platform/card/block/mmcblk0/device/life_time", "0x07 0x01", None),
    ],
)
def test_the_table_is_told_the_worst(place: str, content: str, said: str | None, tmp_path: Path) -> None:
    """A weak supply before heat before a failing disk; past trouble is not shown."""
    root = plant(tmp_path, TREES["4B"])
    write(root / place, content)
    assert vitals.alarm(Path("/var/lib/referee"), root) == said
    assert said is None or said in ALARMS
