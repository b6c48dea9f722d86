"""Small trees of /proc, /sys, /dev and config.txt of four Raspberry Pis, read by the tests instead of a Pi.

The sources, and the guesses:

- The names in /proc/device-tree/model: the kernel's device trees, bcm2710-rpi-zero-2-w.dts, bcm2710-rpi-3-b-plus.dts,
  bcm2711-rpi-4-b.dts, bcm2712-rpi-5-b.dts; the firmware adds "Rev 1.x".
- The revision code in /proc/device-tree/system: where the firmware leaves it, as gpiozero reads it.
- GPIO chips and their labels: the drivers pinctrl-bcm2835, pinctrl-rp1, gpio-raspberrypi-exp, gpio-brcmstb. Their
  numbers differ by kernel (a Pi 5's header is gpiochip4 under 6.6 and gpiochip0 under 6.12), so both are here.
- PWM controllers: referee/drivers/pwm.py names its sources.
- Clock sources: arch_sys_counter on every 64-bit board (drivers/clocksource/arm_arch_timer.c).
- `rpi_volt` and `in0_lcrit_alarm`: drivers/hwmon/raspberrypi-hwmon.c. `get_throttled`: the firmware driver of Raspberry
  Pi's kernel. Guessed: the firmware's directory on a Pi 5.
- config.txt: what Raspberry Pi OS 13 writes on a card, in its order; guessed in details that no test reads.
- ext4's and mmc's files: the kernel's ABI notes, sysfs-fs-ext4 and mmc's documentation.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from referee.core.values import Value

PI_5 = "platform/axi/1000120000.pcie"
WIRING = ("full8", "direct4")


class Tree(Value):
    """The parts of a model's tree."""

    name: str
    kernel: str
    chips: tuple[str, ...]
    """The labels of gpiochip0, gpiochip1 and so on."""
    pwm: tuple[tuple[int, str], ...]
    """Number of a PWM chip, and its device below /sys/devices."""
    firmware: str
    """The firmware's directory below /sys/devices/platform."""
    revision: int
    """A revision code in use, from the documentation."""


TREES = {
    "Zero 2 W": Tree(
        "Raspberry Pi Zero 2 W Rev 1.0",
        "6.12.34+rpt-rpi-v8",
        ("pinctrl-bcm2835",),
        ((0, "platform/soc/3f20c000.pwm"),),
        "soc/soc:firmware",
        0x902120,
    ),
    "3B+": Tree(
        "Raspberry Pi 3 Model B Plus Rev 1.3",
        "6.12.34+rpt-rpi-v8",
        ("pinctrl-bcm2835", "raspberrypi-exp-gpio"),
        ((0, "platform/soc/3f20c000.pwm"),),
        "soc/soc:firmware",
        0xA020D3,
    ),
    "4B": Tree(
        "Raspberry Pi 4 Model B Rev 1.4",
        "6.12.34+rpt-rpi-v8",
        ("pinctrl-bcm2711", "raspberrypi-exp-gpio"),
        ((0, "platform/soc/fe20c000.pwm"),),
        "soc/soc:firmware",
        0xC03114,
    ),
    "5": Tree(
        "Raspberry Pi 5 Model B Rev 1.0",
        "6.12.34+rpt-rpi-2712",
        ("pinctrl-rp1", "gpio-brcmstb@107d508500", "gpio-brcmstb@107d508520"),
        ((0, f"{PI_5}/1f00098000.pwm"), (1, f"{PI_5}/1f0009c000.pwm")),
        "soc@107c000000/soc@107c000000:firmware",
        0xC04170,
    ),
    "5, kernel 6.6": Tree(
        "Raspberry Pi 5 Model B Rev 1.0",
        "6.6.51+rpt-rpi-2712",
        (
            "gpio-brcmstb@107d508500",
            "gpio-brcmstb@107d508520",
            "gpio-brcmstb@107d517c00",
            "gpio-brcmstb@107d517c20",
            "pinctrl-rp1",
        ),
        ((0, "platform/soc/107d517a80.pwm"), (2, f"{PI_5}/1f00098000.pwm"), (6, f"{PI_5}/1f0009c000.pwm")),
        "soc@107c000000/soc@107c000000:firmware",
        0xC04170,
    ),
}

CONFIG = """# For more options and information see the documentation of config.txt
#dtparam=i2c_arm=on
#dtparam=i2s=on
#dtparam=spi=on

# Enable audio (loads snd_bcm2835)
dtparam=audio=on

camera_auto_detect=1
display_auto_detect=1
auto_initramfs=1
dtoverlay=vc4-kms-v3d
max_framebuffers=2
disable_fw_kms_setup=1
arm_64bit=1
disable_overscan=1
arm_boost=1

[cm4]
otg_mode=1

[cm5]
dtoverlay=dwc2,dr_mode=host

[all]
"""
"""The content in the system image."""


def plant(root: Path, tree: Tree, overlays: Iterable[str] = ()) -> Path:
    """Make the tree below `root`, with these lines at the end of config.txt; return `root`."""
    write(root / "proc/device-tree/model", tree.name + "\0")
    code = root / "proc/device-tree/system/linux,revision"
    code.parent.mkdir(exist_ok=True)
    code.write_bytes(tree.revision.to_bytes(4, "big"))
    write(root / "proc/sys/kernel/osrelease", tree.kernel + "\n")
    write(
        root / "proc/self/mounts", "/dev/mmcblk0p2 / ext4 rw,noatime 0 0\n/dev/mmcblk0p1 /boot/firmware vfat rw 0 0\n"
    )
    write(root / "sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n")
    write(root / f"sys/devices/platform/{tree.firmware}/get_throttled", "0\n")
    write(root / "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    write(root / "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    write(root / "sys/class/thermal/thermal_zone0/temp", "48312\n")
    write(root / "sys/fs/ext4/mmcblk0p2/errors_count", "0\n")
    card = root / "sys/devices/platform/card/block/mmcblk0"
    write(card / "mmcblk0p2/partition", "2\n")
    (root / "sys/class/block").mkdir(parents=True)
    (root / "sys/class/block/mmcblk0p2").symlink_to(card / "mmcblk0p2")
    (root / "sys/class/net/wlan0/phy80211").mkdir(parents=True)
    write(root / "sys/module/cfg80211/parameters/ieee80211_regdom", "DE")
    (root / "sys/class/net/lo").mkdir()
    for number, label in enumerate(tree.chips):
        write(root / f"dev/gpiochip{number}", label)
    write(root / "dev/spidev0.0", "")
    write(root / "dev/i2c-1", "")
    write(root / "boot/firmware/config.txt", CONFIG + "".join(f"{line}\n" for line in overlays))
    pwm_class(root / "sys", dict(tree.pwm))
    return root


def write(path: Path, text: str) -> None:
    """Write a file and make the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def pwm_class(sysfs: Path, chips: dict[int, str]) -> Path:
    """Make the class directory of PWM: links to the chips, each with a link back to its device."""
    group = sysfs / "class" / "pwm"
    group.mkdir(parents=True)
    for number, device in chips.items():
        chip = sysfs / "devices" / device / "pwm" / f"pwmchip{number}"
        write(chip / "export", "")
        write(chip / "npwm", "4")
        (chip / "device").symlink_to(Path("../../../") / Path(device).name)
        (group / chip.name).symlink_to(chip)
    return group
