"""A machine whose guest never begins is booted again. In the emulator's place stands a program that hangs at first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rig.vm import FIRST_LINE, PROVISION, Image, Machine, RigError

EMULATOR = f"""#!/bin/sh
until [ "$1" = -serial ]; do shift; done
serial=${{2#file:}}
boots=$(dirname "$serial")/boots
echo >> "$boots"
if [ $(wc -l < "$boots") -le HANGS ]; then exec sleep 600; fi
echo "{FIRST_LINE}" > "$serial"
echo "and more" >> "$serial"
"""
"""Notes each boot; hangs in so many of them, then prints what a guest prints and ends."""
HOUR_S = 3600.0
NOTHING = Path("/dev/null")


class Host:
    """What the machine is given: a shared directory, and a clock that is an hour later for each boot that hangs."""

    def __init__(self, share: Path, hangs: int) -> None:
        self.share, self._hangs = share, hangs

    @property
    def boots(self) -> int:
        noted = self.share / "boots"
        return len(noted.read_text().splitlines()) if noted.exists() else 0

    def clock_s(self) -> float:
        return HOUR_S * min(self.boots, self._hangs)

    def machine(self, clock: Callable[[], float] | None = None) -> Machine:
        return Machine(Image(NOTHING, NOTHING, NOTHING), self.share, clock=clock or self.clock_s)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Host:
    """The parameter says how many boots hang."""
    share, programs = tmp_path / "share", tmp_path / "programs"
    share.mkdir()
    programs.mkdir()
    emulator = programs / "qemu-system-x86_64"
    emulator.write_text(EMULATOR.replace("HANGS", str(request.param)))
    emulator.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    return Host(share, request.param)


def told(errors: str) -> list[str]:
    """How the rig's own sentences begin."""
    return [line[: line.index(": no line")] for line in errors.splitlines() if line.startswith("rig: ")]


@pytest.mark.parametrize("host", [0, 1, 2], indirect=True)
def test_a_guest_that_prints_nothing_is_booted_again(host: Host, capfd: pytest.CaptureFixture[str]) -> None:
    """After each hang with a sentence; the serial line is that of the boot that went on."""
    with host.machine() as machine:
        assert not machine.wait(HOUR_S)
    assert machine.serial.read_text() == f"{FIRST_LINE}\nand more\n"
    assert told(capfd.readouterr().err) == [f"rig: boot {number} of 3" for number in range(1, host.boots)]


@pytest.mark.parametrize("host", [1], indirect=True)
def test_the_line_of_an_earlier_boot_is_no_sign_of_life(host: Host) -> None:
    """Where a directory is shared with one boot after another, as the package's boots do."""
    (host.share / "serial.log").write_text(f"{FIRST_LINE}\nof the boot before\n")
    with host.machine() as machine:
        machine.wait(HOUR_S)
    assert host.boots == 2
    assert "before" not in machine.serial.read_text()


@pytest.mark.parametrize("host", [99], indirect=True)
def test_an_emulator_that_always_hangs_is_given_up(host: Host, capfd: pytest.CaptureFixture[str]) -> None:
    """After three boots, and no emulator is left running."""
    machine = host.machine()
    with pytest.raises(RigError, match="no line of the guest in 3 boots"), machine:
        pass
    assert host.boots == len(told(capfd.readouterr().err)) == 3
    assert not machine.running


@pytest.mark.parametrize("host", [99], indirect=True)
def test_a_guest_that_begins_while_its_power_is_cut_is_not_booted_again(host: Host) -> None:
    """It has begun after all, and what it has done is not known: that is an error, and no second try."""

    def clock_s() -> float:
        if host.boots:  # the time is up, and the line comes behind the last look
            (host.share / "serial.log").write_text(FIRST_LINE)
        return host.clock_s()

    with pytest.raises(RigError, match="as its power was cut"), host.machine(clock_s):
        pass
    assert host.boots == 1


def test_nothing_can_have_happened_in_a_guest_without_a_first_line() -> None:
    """Its first program prints the line before it loads a driver, looks for a disk or hands over."""
    program = (PROVISION.parent / "machine" / "initramfs-init").read_text()
    before, line, after = program.partition(f'"<2>{FIRST_LINE}" > /dev/kmsg\n')
    assert line
    for deed in ("modprobe", "/dev/vda", "switch_root"):
        assert deed not in before, deed
        assert deed in after, deed
