"""The doctor names each fault of the machine with its remedy, and reports none on a sound one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.bench.findings import Finding
from referee.commands import machine_check
from referee.core.values import replace
from referee.drivers.pins.pinmap import profile
from tests.drivers.pi.trees import CONFIG, TREES, WIRING, plant, write


class Pi(machine_check.Machine):
    """A file tree as a machine; what a tree cannot contain is set here."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.saving: bool | None = False
        self.right: bool | None = True
        self.connection: str | None = "Heim"
        self.now_s = 1_790_000_000.0
        self.unit = {"LoadState": "loaded", "ActiveState": "active", "UnitFileState": "enabled", "NRestarts": "0"}
        self.took = [0.004] * 16
        self.refuses = False

    def power_saving(self, interface: str) -> bool | None:
        """As the test says."""
        return self.saving

    def network(self) -> str | None:
        return self.connection

    def is_synchronized(self) -> bool | None:
        return self.right

    def wall_s(self) -> float:
        return self.now_s

    def service(self, unit: str) -> dict[str, str]:
        return self.unit

    def write_s(self, directory: Path) -> list[float]:
        if self.refuses:
            raise OSError(28, "No space left on device")
        return self.took


def found(pi: Pi, wiring: str = "full8") -> list[Finding]:
    """Return all findings."""
    return list(machine_check.findings(pi, profile(wiring), Path("/var/lib/referee"), simulate=False))


@pytest.mark.parametrize("board", TREES)
@pytest.mark.parametrize("wiring", WIRING)
def test_a_sound_machine_has_no_fault(board: str, wiring: str, tmp_path: Path) -> None:
    """Checked on each model with either wiring."""
    told = found(Pi(plant(tmp_path, TREES[board], profile(wiring).overlays)), wiring)
    assert [finding.sentence for finding in told if finding.ok is False] == []
    parts = {finding.part for finding in told}
    assert parts == {"machine", "stamps", "boot", "power", "heat", "wi-fi", "service", "clock", "disk"}
    doubted = [finding.sentence for finding in told if finding.ok is None]
    own = "A 5 has a power button of its own; GPIO3 may not wake it."
    assert doubted == ([own] if board.startswith("5") and wiring == "full8" else [])


Break = Callable[[Pi], None]


def text(place: str, content: str) -> Break:
    """Change the content of that file."""
    return lambda pi: write(pi.root / place, content)


def gone(place: str) -> Break:
    """Remove that file."""
    return lambda pi: (pi.root / place).unlink()


def said(**answers: object) -> Break:
    """Set answers of the machine."""
    return lambda pi: vars(pi).update(answers)


def unit(**answers: str) -> Break:
    """Set the service manager's answers."""
    return lambda pi: pi.unit.update(answers)


def config(*lines: str) -> Break:
    """Add lines to config.txt after the wiring's own."""
    return lambda pi: write(
        pi.root / "boot/firmware/config.txt", "\n".join([CONFIG, *profile("full8").overlays, *lines, ""])
    )


def blocked(pi: Pi) -> None:
    """Block the Wi-Fi by a switch."""
    for name, what in (("type", "wlan"), ("hard", "1"), ("soft", "0")):
        write(pi.root / f"sys/class/rfkill/rfkill0/{name}", what)


SOC = "sys/devices/platform/soc/soc:firmware/get_throttled"
FAULTS: dict[str, tuple[Break, str, str]] = {
    "old kernel": (text("proc/sys/kernel/osrelease", "5.4.83-v7l+"), "kernel", r"5\.4\.83-v7l\+, needed .*: update"),
    "coarse clock": (
        text("sys/devices/system/clocksource/clocksource0/current_clocksource", "jiffies"),
        "stamps",
        "'jiffies'.*: take 'clocksource=' out",
    ),
    "no config.txt": (gone("boot/firmware/config.txt"), "boot", "no /boot/firmware/config.txt: is .* mounted"),
    "lines missing": (text("boot/firmware/config.txt", CONFIG), "boot", "lacks 'dtoverlay=spi0-2cs.*boot-config full8"),
    "line for another model": (
        text("boot/firmware/config.txt", "[pi5]\n" + "\n".join(profile("full8").overlays)),
        "boot",
        "lacks 'dtoverlay=pwm-2chan,.*for a 4B",
    ),
    "sound taken back": (config("dtparam=audio=on"), "boot", "lacks 'dtparam=audio=off'.*further down"),
    "pin taken": (config("dtoverlay=w1-gpio"), "boot", "gives GPIO4 to 'dtoverlay=w1-gpio', and ENC_A .*put a #"),
    "pin taken by I2C": (config("dtparam=i2c_arm=on"), "boot", "gives GPIO2, GPIO3 to 'dtparam=i2c_arm=on'"),
    "pins taken by a serial line": (
        config("dtoverlay=uart3"),
        "boot",
        "gives GPIO4, GPIO5 to 'dtoverlay=uart3', and ENC_A, P5_BTN are wired there: put a #",
    ),
    "no restart yet": (gone("dev/spidev0.0"), "boot", "no /dev/spidev0.0: restart"),
    "weak supply now": (text(SOC, "50005"), "power", "too weak: use a supply"),
    "weak supply before": (text(SOC, "50000"), "power", "too weak since the start: use a supply"),
    "hot": (text(SOC, "80008"), "heat", r"too hot \(48 °C\).*: give the case air"),
    "hot by its sensor": (text("sys/class/thermal/thermal_zone0/temp", "83100"), "heat", r"too hot \(83 °C\)"),
    "was hot": (text(SOC, "80000"), "heat", "has been too hot since the start"),
    "Wi-Fi sleeps": (said(saving=True), "wi-fi", "wlan0 has power saving on.*: `sudo iw dev wlan0 set power_save off`"),
    "Wi-Fi blocked": (
        blocked,
        "wi-fi",
        "switch on the machine blocks",
    ),
    "masked": (unit(LoadState="masked"), "service", "masked: `sudo systemctl unmask"),
    "failed": (unit(ActiveState="failed"), "service", "has failed: `journalctl"),
    "not enabled": (unit(UnitFileState="disabled"), "service", "not start with the device: `sudo systemctl enable"),
    "came back": (unit(NRestarts="3"), "service", "restarted after 3 failures: `journalctl"),
    "1970": (said(now_s=3600.0), "clock", "says 1970-01-01: give it a network"),
    "read-only": (
        text("proc/self/mounts", "/dev/mmcblk0p2 / ext4 ro 0 0\n"),
        "disk",
        "mmcblk0p2 is mounted read-only: .*restart",
    ),
    "damaged card": (text("sys/fs/ext4/mmcblk0p2/errors_count", "2"), "disk", "damaged 2 times: .*new card"),
    "worn": (
        text("sys/devices/platform/card/block/mmcblk0/device/life_time", "0x01 0x0a"),
        "disk",
        "worn to 100 %.*: replace it",
    ),
    "slow card": (said(took=[0.25] * 16), "disk", "write takes 250 ms .*: use a faster card"),
    "full": (said(refuses=True), "disk", "cannot be written .No space left on device.: nothing would be saved"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_what_to_do(fault: str, tmp_path: Path) -> None:
    breaks, part, sentence = FAULTS[fault]
    pi = Pi(plant(tmp_path, TREES["4B"], profile("full8").overlays))
    breaks(pi)
    faults = [finding for finding in found(pi) if finding.ok is False]
    assert {finding.part for finding in faults} == {part}
    assert any(re.search(sentence, finding.sentence) for finding in faults), faults


def test_what_cannot_be_known_is_left_open(tmp_path: Path) -> None:
    pi = Pi(tmp_path)
    pi.unit, pi.right = {}, None
    told = found(pi)
    assert [(finding.part, finding.ok) for finding in told] == [
        ("machine", None),
        ("wi-fi", None),
        ("clock", None),
        ("disk", True),
    ]
    plant(tmp_path, replace(TREES["4B"], name="Raspberry Pi Compute Module Rev 1.0", revision=0x900061))
    pi.unit, pi.saving = {"LoadState": "not-found"}, None
    told = found(pi)
    assert [finding.part for finding in told if finding.ok is None] == ["machine", "service", "clock"]
    assert "boot" not in {finding.part for finding in told}
    (tmp_path / "proc/device-tree/system/linux,revision").write_bytes(TREES["4B"].revision.to_bytes(4, "big"))
    (tmp_path / "boot/firmware/config.txt").unlink()
    (tmp_path / "boot/firmware/config.txt").mkdir()
    assert [finding.sentence for finding in found(pi) if finding.part == "boot"] == [
        "There is no /boot/firmware/config.txt: is the card's first partition mounted?"
    ]


def test_a_section_that_may_hold_is_no_fault(tmp_path: Path) -> None:
    """The section may or may not apply: the finding names the remedy and is not "ok"."""
    pi = Pi(plant(tmp_path, TREES["4B"], profile("full8").overlays))
    config("[gpio4=1]", "dtparam=audio=on", "dtoverlay=w1-gpio")(pi)
    told = [finding for finding in found(pi) if finding.part == "boot"]
    assert [finding.ok for finding in told] == [None, None]
    assert "may lack 'dtparam=audio=off'" in told[0].sentence
    assert "gives (in a conditional section) GPIO4 to 'dtoverlay=w1-gpio'" in told[1].sentence


def test_a_trial_write_leaves_nothing_behind(tmp_path: Path) -> None:
    took = machine_check.Machine().write_s(tmp_path)
    assert len(took) == machine_check.WRITES
    assert min(took) >= 0
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="nowhere"):
        machine_check.Machine().write_s(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("connection", "soft", "sentence"),
    [
        ("referee-own", "0", "own network is open"),
        ("Heim", "0", "in the home network, by the connection Heim"),
        ("", "0", "in no network: Device > Wi-Fi"),
        (None, "0", "NetworkManager does not answer"),
        (None, "1", "is off: Device > Wi-Fi at the knob"),
    ],
)
def test_the_network_is_named(connection: str | None, soft: str, sentence: str, tmp_path: Path) -> None:
    pi = Pi(plant(tmp_path, TREES["4B"], profile("full8").overlays))
    pi.connection = connection
    for name, what in (("type", "wlan"), ("hard", "0"), ("soft", soft)):
        write(tmp_path / f"sys/class/rfkill/rfkill0/{name}", what)
    told = [finding.sentence for finding in found(pi) if finding.part == "wi-fi"]
    assert sentence in told[0]
    write(tmp_path / "sys/module/cfg80211/parameters/ieee80211_regdom", "00")
    assert any("No country is set" in finding.sentence for finding in found(pi))
    write(tmp_path / "sys/module/cfg80211/parameters/ieee80211_regdom", "DE")
    assert not any("No country is set" in finding.sentence for finding in found(pi))
