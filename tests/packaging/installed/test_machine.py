"""The package in its own Debian 13: installed from its bundle without a network, played on, upgraded, removed.

`make deb-check`, as root on Debian: the tree is made by mmdebstrap (kept in ~/.cache/referee-deb), entered by chroot,
without a service manager. Each test depends on the ones before it.
"""

from __future__ import annotations

import hashlib
import shutil
import tarfile
from zlib import crc32

import pytest

from systemd.debian.__main__ import build
from systemd.debian.contents import NAME
from systemd.debian.offline import bundle
from tests.packaging.tree import Machine, needed
from tests.packaging.tree import machine as debian

OLD, NEW = "0.1.0+check1", "0.1.0+check2"
EPOCH_S = 1_750_000_000
LOOPBACK_UP = (
    "import fcntl, socket; fcntl.ioctl(socket.socket(), 0x8914, b'lo'.ljust(16, b'\\0') + b'\\x49'.ljust(24, b'\\0'))"
)
PAGE = """
import subprocess, sys, time, urllib.request
words = ["setpriv", "--reuid=referee", "--regid=referee", "--init-groups"]
words += ["referee", "run", "--simulate", "--state", "/var/lib/referee"]
table = subprocess.Popen([*words, "--listen", "127.0.0.1:8090"])
for _ in range(300):
    try:
        page = urllib.request.urlopen("http://127.0.0.1:8090/").read()
        break
    except OSError:
        time.sleep(0.2)
else:
    sys.exit("the page never answered")
print(page.decode())
table.terminate()
sys.exit(table.wait())
"""

pytestmark = needed


def journal(machine: Machine) -> dict[str, str]:
    """Return the checksum of every file of the state directory, by its path there."""
    state = machine.path("/var/lib/referee")
    return {
        str(path.relative_to(state)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(state.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """The smallest Debian 13 with apt, and the unpacked bundle."""
    folder = tmp_path_factory.mktemp("machine")
    tree = debian(folder / "root")
    work = folder / "apt"
    work.mkdir()
    (folder / "bundle.tar").write_bytes(bundle("amd64", OLD, EPOCH_S, work))
    with tarfile.open(folder / "bundle.tar") as tar:
        tar.extractall(tree.path("/root"), filter="tar")
    for version in (OLD, NEW):
        tree.path(f"/root/{version}.deb").write_bytes(build(version, EPOCH_S))
    return tree


def version(machine: Machine) -> str:
    """Return the version of the installed package."""
    return machine.run(f"dpkg-query -W -f '${{Status}} ${{Version}}' {NAME}")


def test_it_installs_from_its_bundle_without_a_network(machine: Machine) -> None:
    sources = machine.path("/etc/apt/sources.list").read_bytes()
    said = machine.run(f"/root/{NAME}-{OLD}-amd64/install")
    assert "Installed. Settings: /etc/referee/referee.toml." in said
    assert version(machine) == f"install ok installed {OLD}"
    assert machine.run("command -v espeak-ng") == "/usr/bin/espeak-ng\n"
    assert machine.path("/etc/apt/sources.list").read_bytes() == sources
    assert machine.run("dpkg --audit") == ""
    assert machine.run(f"dpkg --verify {NAME}") == ""


def test_user_folder_and_units_are_there(machine: Machine) -> None:
    """Only the referee may use the folder, both units start at boot, and systemd has no complaints."""
    assert machine.run("stat -c '%U %a' /var/lib/referee") == "referee 750\n"
    assert machine.run("stat -c '%U %G %a' /etc/referee/referee.toml") == "root referee 640\n"
    assert {"gpio", "i2c", "spi", "audio", "dialout"} <= set(machine.run("id -nG referee").split())
    started = (
        "referee.service referee-off.path referee-update.path referee-update-recover.service referee-going-down.service"
    )
    assert machine.run(f"systemctl is-enabled {started}").split() == ["enabled"] * 5
    sticks = " ".join(f"referee-stick{part}@sda1.service" for part in ("", "-mount", "-update"))
    units = f"{started} referee-off.service referee-update.service {sticks}"
    assert "referee" not in machine.run(f"systemd-analyze verify --man=no {units}")


def test_it_plays(machine: Machine) -> None:
    assert machine.run("referee --version").startswith("referee ")
    assert " wins after " in machine.run("referee demo")
    assert "FAULT" not in machine.run("referee doctor --simulate")


def test_its_page_answers(machine: Machine) -> None:
    machine.path("/tmp/page.py").write_text(PAGE, "utf-8")
    assert "<html" in machine.run(f'python3 -c "{LOOPBACK_UP}" && python3 /tmp/page.py')
    assert any(name.startswith("evenings/") for name in journal(machine))


def test_upgrade_and_downgrade_keep_journal_and_settings(machine: Machine) -> None:
    settings = machine.path("/etc/referee/referee.toml")
    settings.write_text(settings.read_text("utf-8").replace("#hold_ms = 800", "hold_ms = 1200"), "utf-8")
    written, kept = settings.read_text("utf-8"), journal(machine)
    for package in (NEW, OLD):
        machine.run(f"dpkg -i /root/{package}.deb < /dev/null")
        assert version(machine) == f"install ok installed {package}"
        assert (settings.read_text("utf-8"), journal(machine)) == (written, kept)
        assert machine.run("systemctl is-enabled referee.service") == "enabled\n"


def test_an_older_program_leaves_a_newer_evening_alone(machine: Machine) -> None:
    text = b'{"kind":"start","n":1,"boot":1,"format":999,"id":999,"opened":{}}'
    newer = machine.path("/var/lib/referee/evenings/2999-01-01_0000.jsonl")
    newer.write_bytes(b"%08x %b\n" % (crc32(text), text))
    held = newer.read_bytes()
    assert "newer" in machine.run(f"referee replay /var/lib/referee/evenings/{newer.name}", status=2)
    assert newer.read_bytes() == held
    newer.unlink()


def test_removal_keeps_the_journal_and_a_purge_deletes_it(machine: Machine) -> None:
    kept = journal(machine)
    machine.run(f"dpkg -r {NAME}")
    assert journal(machine) == kept
    assert machine.path("/etc/referee/referee.toml").exists()
    assert not machine.path("/usr/lib/referee").exists()
    machine.run(f"dpkg -i /root/{NEW}.deb < /dev/null")
    assert journal(machine) == kept
    machine.run(f"dpkg -P {NAME}")
    for place in ("/var/lib/referee", "/etc/referee", "/usr/lib/referee", "/etc/avahi/services/referee.service"):
        assert not machine.path(place).exists(), place
    assert "referee" not in machine.run("ls -R /etc/systemd/system /var/lib/systemd")


def test_a_blank_card_becomes_a_referee_at_its_first_start(machine: Machine) -> None:
    """The bundle on its first partition with a setting: installed, set, wired in config.txt, restarted."""
    (folder,) = machine.path("/root").glob(f"{NAME}-*")
    card = machine.path("/boot/firmware/referee")
    shutil.copytree(folder, card)
    config = machine.path("/boot/firmware/config.txt")
    config.write_text("# mine\n", "utf-8")
    (card / "referee.toml").write_text('[pins]\nprofile = "no such"\n', "utf-8")
    first = "REFEREE_RESTART='touch /tmp/restarted' sh /boot/firmware/referee/firstboot"
    machine.run(first, status=2)
    told = (card / "first-start.txt").read_text("utf-8")
    assert "no such" in told
    assert told.endswith("Not finished (status 2): the line above says why.\n")
    assert config.read_text("utf-8") == "# mine\n"
    assert not machine.path("/tmp/restarted").exists()
    (card / "referee.toml").write_text('[pins]\nprofile = "full8"\n', "utf-8")
    machine.run(first)
    assert machine.path("/tmp/restarted").exists()
    settings = machine.path("/etc/referee/referee.toml").read_text("utf-8")
    assert settings == '[pins]\nprofile = "full8"\n\n[web]\nlisten = "0.0.0.0:8080"\n'
    assert "dtoverlay=spi0-2cs,no_miso=on" in config.read_text("utf-8")
    assert machine.run("systemctl is-enabled referee.service") == "enabled\n"
    machine.path("/tmp/restarted").unlink()
    before = config.read_text("utf-8")
    machine.run(first)
    assert (card / "first-start.txt").read_text("utf-8").endswith("is a referee already; nothing was done.\n")
    assert config.read_text("utf-8") == before
    assert not machine.path("/tmp/restarted").exists()
