"""A freshly written card with the files that Raspberry Pi Imager leaves on it, read by cloud-init of Debian 13.

tests.packaging.booted tests the same in a booted machine.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from systemd.debian.offline import card, files
from tests.packaging.imager import COUNTRY, NAMED, SEED, UNTOUCHED, WIFI
from tests.packaging.tree import Machine, machine, needed

EPOCH_S = 1_750_000_000
PACKAGES = ("cloud-init", "netplan.io", "systemd")
STAGES = "for stage in 'init --local' init 'modules --mode=config' 'modules --mode=final'; do cloud-init $stage; done"
FIRST_START = (
    f"mount -t sysfs sys /sys; mount -t tmpfs run /run; export REFEREE_RESTART='touch /tmp/restarted'; {STAGES}"
)

pytestmark = needed


@pytest.fixture(scope="module")
def pi(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A Debian 13 that reads its first partition as Raspberry Pi OS does, with the card's files on it."""
    folder = tmp_path_factory.mktemp("card")
    tree = machine(folder / "root", *PACKAGES)
    tree.path("/etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg").write_text(SEED)
    boot = tree.path("/boot/firmware")
    boot.mkdir()
    (boot / "config.txt").write_text("# the system's\n")
    (folder / "apt").mkdir()
    with zipfile.ZipFile(io.BytesIO(card(files("amd64", "0.1.0", EPOCH_S, folder / "apt")))) as archive:
        archive.extractall(boot)
    return tree


def start(pi: Machine, instance: str, user_data: str, network: str = "") -> Path:
    """Start it the first time with these files; return the folder of its first partition."""
    boot = pi.path("/boot/firmware")
    (boot / "meta-data").write_text(f"instance-id: {instance}\n")
    (boot / "user-data").write_text(user_data)
    (boot / "network-config").write_text(network)
    pi.path("/tmp/restarted").unlink(missing_ok=True)
    pi.path("/tmp/rfkill:wlan").write_text("")
    pi.run(f"{FIRST_START}; true")
    return boot


def test_a_customised_card_becomes_a_referee(pi: Machine) -> None:
    """It is installed, and has the name, the user and the Wi-Fi that were entered in Imager."""
    boot = start(pi, "rpi-imager-1790623015181", NAMED, WIFI)
    said = (boot / "referee/first-start.txt").read_text()
    assert "Done; the machine starts again" in said, said
    assert pi.path("/tmp/restarted").exists()
    assert pi.path("/usr/bin/referee").exists()
    assert "dtoverlay=spi0-2cs,no_miso=on" in (boot / "config.txt").read_text()
    assert pi.path("/etc/hostname").read_text() == "card-table\n"
    assert "\nanna:" in pi.path("/etc/passwd").read_text()
    assert "At home" in "".join(path.read_text() for path in pi.path("/etc/netplan").iterdir())
    assert (boot / "user-data").read_text() == NAMED


@pytest.mark.parametrize("user_data", [UNTOUCHED, NAMED, COUNTRY], ids=["untouched", "named", "country"])
def test_the_referee_is_called_whatever_imager_wrote(
    pi: Machine, user_data: str, request: pytest.FixtureRequest
) -> None:
    """And Imager's own commands run too."""
    called = pi.path("/boot/firmware/referee/called")
    called.unlink(missing_ok=True)
    pi.path("/boot/firmware/referee/firstboot").write_text("touch /boot/firmware/referee/called\n")
    start(pi, request.node.callspec.id, user_data)
    assert called.exists()
    assert (pi.path("/tmp/rfkill:wlan").read_text() == "0\n") == (user_data == COUNTRY)
