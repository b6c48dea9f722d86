"""The state of the Pi: power supply, heat, clocks, Wi-Fi power saving, disk.

All of it is read from the kernel's files below `root`, so tests can use a directory of such files. Sources: the
firmware's get_throttled bits (Raspberry Pi documentation, vcgencmd), the kernel's raspberrypi-hwmon, ext4's and mmc's
sysfs files. The path of the firmware's file on a Pi 5 is a guess: next to the other `soc` directories.
"""

from __future__ import annotations

import re
from pathlib import Path

from referee.core.values import Value

UNDER_VOLTAGE, HOT = 0x1, 0x8
SINCE_BOOT = 16
"""Number of bits between the flag for "now" and the one for "since the machine started"."""
HOT_C = 80.0
"""The temperature at which the firmware slows the processor down, in °C."""


class Throttled(Value):
    """The firmware's warnings of low voltage and heat: now, and at any time since the start."""

    low_voltage: bool
    was_low: bool
    hot: bool
    was_hot: bool


class Disk(Value):
    """The storage that holds a directory. Unknown values are None."""

    device: str
    """The kernel's name of the partition, such as "mmcblk0p2"."""
    read_only: bool
    errors: int | None
    """Number of errors that ext4 found in the file system."""
    worn: int | None
    """Wear in percent of the maker's rating, rounded up to tens (eMMC only)."""


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace").strip("\0\n ")
    except OSError:
        return None


def read_throttled(root: Path) -> Throttled | None:
    """Return the firmware's warnings of low voltage and heat.

    If they cannot be read, return the kernel's alarm of low voltage. If that is missing too, return None.
    """
    for file in sorted((root / "sys/devices/platform").glob("soc*/soc*firmware/get_throttled")):
        text = _read(file)
        if text is not None and re.fullmatch(r"(0x)?[0-9a-fA-F]+", text):
            bits = int(text, 16)
            was = bits >> SINCE_BOOT
            return Throttled(*(bool(of & bit) for bit in (UNDER_VOLTAGE, HOT) for of in (bits, was)))
    for monitor in sorted((root / "sys/class/hwmon").glob("hwmon*")):
        if _read(monitor / "name") == "rpi_volt":
            alarm = _read(monitor / "in0_lcrit_alarm") == "1"
            return Throttled(alarm, alarm, False, False)
    return None


def heat_c(root: Path) -> float | None:
    """Return the processor's temperature in degrees Celsius."""
    text = _read(root / "sys/class/thermal/thermal_zone0/temp")
    return int(text) / 1000 if text is not None and re.fullmatch(r"-?\d+", text) else None


def kernel(root: Path) -> tuple[str, tuple[int, int] | None]:
    """Return the kernel's release, and its first two numbers, such as (6, 12), or None."""
    text = _read(root / "proc/sys/kernel/osrelease") or ""
    found = re.match(r"(\d+)\.(\d+)", text)
    return text, (int(found[1]), int(found[2])) if found else None


def clock_source(root: Path) -> str | None:
    """Return the kernel's source of CLOCK_MONOTONIC, the clock that stamps the presses."""
    return _read(root / "sys/devices/system/clocksource/clocksource0/current_clocksource")


def wireless(root: Path) -> tuple[str, ...]:
    """Return the names of the Wi-Fi interfaces."""
    return tuple(sorted(path.parent.name for path in (root / "sys/class/net").glob("*/phy80211")))


def wifi_block(root: Path) -> str:
    """Return what blocks the Wi-Fi: "hard" (a switch), "soft" (software), or "" if nothing does."""
    switches = [path.parent for path in (root / "sys/class/rfkill").glob("*/type") if _read(path) == "wlan"]
    return next((kind for kind in ("hard", "soft") for switch in switches if _read(switch / kind) == "1"), "")


def wifi_country(root: Path) -> str | None:
    """Return the country of the radio rules that the kernel got at boot; None if it got none."""
    found = _read(root / "sys/module/cfg80211/parameters/ieee80211_regdom")
    return None if found in (None, "", "00") else found


def wifi_network() -> str | None:
    """Return the active Wi-Fi connection's name; "" without one, None without NetworkManager."""
    import subprocess

    asked = ["nmcli", "-g", "TYPE,NAME", "connection", "show", "--active"]
    try:
        lines = subprocess.run(asked, capture_output=True, text=True, timeout=5, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return None
    return next((name for kind, _, name in (line.partition(":") for line in lines) if kind == "802-11-wireless"), "")


def saves_power(interface: str) -> bool | None:
    """Return whether a Wi-Fi interface uses power saving; None if unknown.

    Uses SIOCGIWPOWER (linux/wireless.h), which needs no privileges.
    """
    import fcntl
    import socket
    import struct

    request = struct.pack("16s16x", interface.encode()[:15])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            answer = fcntl.ioctl(asking, 0x8B2D, request)
    except OSError:
        return None
    _, _, disabled = struct.unpack_from("iBB", answer, 16)
    return not disabled


def is_synchronized() -> bool | None:
    """Return whether a time service keeps the wall clock right (adjtimex); None if unknown."""
    import ctypes

    try:
        adjtimex = ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):
        return None
    state: int = adjtimex(ctypes.create_string_buffer(512))  # with a struct of zeros, adjtimex only reads
    return None if state < 0 else state != _TIME_ERROR


_TIME_ERROR = 5


def disk(root: Path, directory: Path) -> Disk | None:
    """Return the storage that holds a directory, as the kernel describes it; None if unknown."""
    text = _read(root / "proc/self/mounts")
    found: tuple[str, str, set[str]] | None = None
    for line in (text or "").splitlines():
        device, place, _, options = line.split(" ", 4)[:4]
        place = place.replace("\\040", " ")
        if directory.is_relative_to(place) and (found is None or len(place) >= len(found[1])):
            found = device, place, set(options.split(","))
    if found is None:
        return None
    name = Path(found[0]).name
    part = root / "sys/class/block" / name
    whole = part.resolve().parent if (part / "partition").exists() else part
    return Disk(
        name,
        "ro" in found[2],
        _number(root / "sys/fs/ext4" / name / "errors_count"),
        _wear_text(_read(whole / "device" / "life_time")),
    )


def _number(path: Path) -> int | None:
    text = _read(path)
    return int(text) if text is not None and text.isdigit() else None


def _wear_text(text: str | None) -> int | None:
    """Return the wear in percent of the most worn kind of memory cell; None if unknown.

    text: the kernel's `life_time`, such as "0x02 0x01". For each kind of cell, it tells how many tenths of the life are
    used; 0 means unknown.
    """
    tenths = [int(word, 16) for word in (text or "").split() if re.fullmatch(r"0x[0-9a-fA-F]+", word)]
    return 10 * max(tenths, default=0) or None


ALARMS = ("supply", "heat", "disk")
"""The possible results of `alarm`, apart from None."""


def alarm(directory: Path, root: Path = Path("/")) -> str | None:
    """Return the most serious of the ALARMS that applies now, or None.

    `directory`: the directory of the journal.
    """
    supply, storage = read_throttled(root), disk(root, directory)
    if supply is not None and supply.low_voltage:
        return "supply"
    if supply is not None and supply.hot:
        return "heat"
    if storage is not None and (storage.errors or (storage.worn or 0) >= WORN):
        return "disk"
    return None


WORN = 80
"""Wear in percent from which a disk should be replaced."""
