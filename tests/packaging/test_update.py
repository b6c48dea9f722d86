"""The update program on a small machine with real packages, signatures, apt and dpkg.

Only systemctl is a fake. It looks at the program that is installed: whether it works, crashes or hangs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from systemd.debian import offline
from systemd.debian.contents import HERE, NAME
from systemd.release.__main__ import seal

TOOLS = ("dpkg-deb", "apt-get", "ssh-keygen")
pytestmark = pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)}")
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$REFEREE_ROOT/systemctl"
[ "$1" != show ] || if grep -q works "$REFEREE_ROOT/usr/bin/referee"; then
    printf 'ActiveState=active\\nNRestarts=0\\n'
elif grep -q crashes "$REFEREE_ROOT/usr/bin/referee"; then
    printf 'ActiveState=active\\nNRestarts=%s\\n' "$(wc -l < "$REFEREE_ROOT/systemctl")"
else
    printf 'ActiveState=activating\\nNRestarts=0\\n'
fi
"""
APT = """-o Dir::State={root}/apt -o Dir::State::status={root}/var/lib/dpkg/status -o Dir::Cache={root}/apt
-o Dir::Log={root}/apt -o Dir::Bin::dpkg={bin}/dpkg -o Debug::NoLocking=true -o Dir::Etc::sourcelist=/dev/null
-o APT::Sandbox::User=root"""


class Machine:
    """A machine with version 0.1.0, in a folder."""

    def __init__(self, root: Path) -> None:
        self.root, self.bin, self.stick = root / "root", root / "bin", root / "stick"
        self.work = root / "work"
        self.limit = 0  # of a file's bytes
        admin = self.root / "var/lib/dpkg"
        made = *(admin / name for name in ("info", "updates", "triggers")), self.inbox, self.bin, self.stick, self.work
        for folder in (*made, self.root / "apt/lists/partial", self.root / "apt/archives/partial"):
            folder.mkdir(parents=True)
        (admin / "status").touch()
        self._tool("dpkg", f'exec /usr/bin/dpkg --root={self.root} --force-not-root --force-script-chrootless "$@"')
        self._tool("dpkg-query", f'exec /usr/bin/dpkg-query --admindir={admin} "$@"')
        options = " ".join(APT.split()).format(root=self.root, bin=self.bin)
        self._tool("apt-get", f'exec /usr/bin/apt-get {options} "$@"')
        self._tool("findmnt", "echo ext4")
        self._tool("id", "echo 0")
        (self.bin / "systemctl").write_text(SYSTEMCTL)
        (self.bin / "systemctl").chmod(0o755)
        shutil.copy(HERE / "update", self.bin)
        self.key = self.new_key("key")
        public = (root / "key.pub").read_text()
        (self.bin / "allowed_signers").write_text(f"release {public}")
        self.environ = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "REFEREE_ROOT": str(self.root),
                        "REFEREE_READY_S": "3", "REFEREE_INSTALL_S": "60"}  # fmt: skip
        old = self.package("0.1.0")
        subprocess.run(["dpkg", "--install", old], env=self.environ, check=True, capture_output=True)

    @property
    def inbox(self) -> Path:
        return self.root / "var/lib/referee/update"

    def _tool(self, name: str, line: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{line}\n")
        (self.bin / name).chmod(0o755)

    def new_key(self, name: str) -> Path:
        path = self.root.parent / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        return path

    def package(self, version: str, program: str = "works", *, postinst: str = "", **fields: str) -> Path:
        """Build a small package of the referee. fields: of its description."""
        tree = self.work / f"tree-{version}"
        shutil.rmtree(tree, ignore_errors=True)
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "usr/bin").mkdir(parents=True)
        (tree / "etc/referee").mkdir(parents=True)
        (tree / "usr/bin" / fields.get("Package", "referee")).write_text(f"{version} {program}")
        told = {"Package": NAME, "Version": version, "Architecture": "all", "Maintainer": "A <a@b.invalid>"}
        told |= {name.replace("_", "-"): value for name, value in fields.items()} | {"Description": "referee\n long"}
        (tree / "DEBIAN/control").write_text("".join(f"{name}: {value}\n" for name, value in told.items()))
        if "Package" not in fields:
            (tree / "etc/referee/referee.toml").write_text(f"# as installed by {version}\n")
            (tree / "DEBIAN/conffiles").write_text("/etc/referee/referee.toml\n")
        if postinst:
            (tree / "DEBIAN/postinst").write_text(f"#!/bin/sh\n{postinst}\n")
            (tree / "DEBIAN/postinst").chmod(0o755)
        built = self.work / f"{NAME}_{version}_all.deb"
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, built], check=True, capture_output=True)
        return built

    def bundle(
        self, package: Path, architecture: str = "all", *more: Path, key: Path | None = None, seals: bool = True
    ) -> Path:
        """Make a bundle of that package on the stick, and sign it."""
        version = package.name.split("_")[1]
        name = f"{NAME}-{version}-{architecture}"
        files = offline.repository({one.name: one.read_bytes() for one in (package, *more)}, self.work)
        files["install"] = (HERE / "install").read_bytes()
        path = self.stick / f"{name}.tar"
        path.write_bytes(offline._tar(files, name, 0))
        if seals:
            seal(path, key or self.key)
        return path

    def run(self, *words: str) -> dict[str, str]:
        """Run the program; return what it says."""
        limit: list[str] = ["prlimit", f"--fsize={self.limit}"] if self.limit else []
        command = [*limit, str(self.bin / "update"), *words]
        done = subprocess.run(command, env=self.environ, capture_output=True, text=True, check=False)
        self.log = done.stdout + done.stderr
        assert done.returncode == 0, self.log
        found = self.inbox / "says.json"
        said = json.loads(found.read_text()) if found.exists() else {}
        return {name: said.get(name, "") for name in ("kind", "version")}

    def take(self) -> dict[str, str]:
        return self.run("take", str(self.stick))

    @property
    def program(self) -> str:
        return (self.root / "usr/bin/referee").read_text()

    def state(self) -> str:
        """Return dpkg's state of the package, and its version."""
        command = ["dpkg-query", "-W", "-f", "${Status} ${Version}", NAME]
        return subprocess.run(command, env=self.environ, capture_output=True, text=True, check=True).stdout

    def left_in_inbox(self) -> set[str]:
        return {path.name for path in self.inbox.iterdir()} - {"says.json"}

    def left(self) -> set[str]:
        """Return what an update has left behind."""
        return {path.name for path in (self.root / "var/lib/referee-update").iterdir()} | self.left_in_inbox()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def said(kind: str, version: str = "") -> dict[str, str]:
    return {"kind": kind, "version": version}


def test_a_signed_newer_version_is_offered_and_installed(machine: Machine) -> None:
    (machine.root / "etc/referee/referee.toml").write_text("# mine\n")
    machine.bundle(machine.package("0.1.5"))
    machine.bundle(machine.package("0.9.0"), "riscv64")
    machine.bundle(machine.package("0.10.0"), "riscv64")
    machine.bundle(machine.package("0.2.0"))
    assert machine.take() == said("offer", "0.2.0")
    assert machine.program == "0.1.0 works"
    assert machine.run("install") == said("installed", "0.2.0"), machine.log
    assert machine.program == "0.2.0 works"
    assert (machine.root / "etc/referee/referee.toml").read_text() == "# mine\n"
    assert machine.left() == {"old.deb"}


@pytest.mark.parametrize("program", ["crashes", "hangs"])
def test_a_version_that_does_not_start_is_replaced_by_the_old_one(machine: Machine, program: str) -> None:
    (machine.root / "etc/referee/referee.toml").write_text("# mine\n")
    machine.bundle(machine.package("0.2.0", program))
    machine.take()
    assert machine.run("install") == said("broken", "0.2.0"), machine.log
    assert machine.program == "0.1.0 works"
    assert (machine.root / "etc/referee/referee.toml").read_text() == "# mine\n"
    assert (machine.root / "systemctl").read_text().splitlines()[-1].startswith("show")
    assert machine.left() == {"old.deb"}


def test_settings_outlive_a_version_that_was_replaced_and_the_next_one(machine: Machine) -> None:
    settings = machine.root / "etc/referee/referee.toml"
    settings.write_text("# mine\n")
    ends = {"crashes": "broken", "hangs": "broken", "works": "installed"}
    for version, (program, end) in zip(("0.2.0", "0.3.0", "0.4.0"), ends.items(), strict=True):
        machine.bundle(machine.package(version, program))
        machine.take()
        assert machine.run("install") == said(end, version), machine.log
        assert settings.read_text() == "# mine\n"
    assert machine.state() == "install ok installed 0.4.0"


def sized(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)


FAULTS: dict[str, Callable[[Machine], object]] = {
    "unsigned": lambda m: m.bundle(m.package("0.2.0"), seals=False),
    "signer": lambda m: m.bundle(m.package("0.2.0"), key=m.new_key("other")),
    "older": lambda m: m.bundle(m.package("0.0.9")),
    "same": lambda m: m.bundle(m.package("0.1.0")),
    "architecture": lambda m: m.bundle(m.package("0.2.0"), "riscv64"),
    "space": lambda m: m.bundle(m.package("0.2.0", Installed_Size="9999999999")),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_file_that_is_no_good_here_is_named_and_not_copied(machine: Machine, kind: str) -> None:
    FAULTS[kind](machine)
    assert machine.take()["kind"] == kind
    assert machine.program == "0.1.0 works"
    assert [path.name for path in machine.inbox.iterdir()] == ["says.json"]


def test_what_is_no_bundle_is_named(machine: Machine, tmp_path: Path) -> None:
    """Cut off, changed, empty, a link, a pipe, a folder, huge, another tar file that is signed."""
    bundle = machine.bundle(machine.package("0.2.0"))
    good = bundle.read_bytes()
    sized(bundle, len(good) // 2)
    assert machine.take() == said("unsigned")
    bundle.write_bytes(good[:9000] + b"!" + good[9001:])
    assert machine.take() == said("signer")
    bundle.write_bytes(b"")
    assert machine.take() == said("not_package")
    bundle.write_bytes(os.urandom(100_000))
    assert machine.take() == said("not_package")
    sized(bundle, 1 << 40)
    assert machine.take() == said("huge")
    bundle.unlink()
    (tmp_path / "elsewhere").write_bytes(good)
    bundle.symlink_to(tmp_path / "elsewhere")
    assert machine.take() == said("link")
    bundle.unlink()
    os.mkfifo(bundle)
    assert machine.take() == said("link")
    bundle.unlink()
    bundle.mkdir()
    assert machine.take() == said("link")
    bundle.rmdir()
    bundle.write_bytes(offline._tar({"packages/other.deb": b"", "install": b""}, f"{NAME}-0.2.0-all", 0))
    seal(bundle, machine.key)
    assert machine.take() == said("not_package")
    assert machine.program == "0.1.0 works"


def test_a_package_for_another_machine_is_refused(machine: Machine) -> None:
    machine.bundle(machine.package("0.2.0", Architecture="riscv64"))
    assert machine.take() == said("architecture", "0.2.0")


def test_a_stick_for_something_else_says_nothing(machine: Machine) -> None:
    (machine.stick / "photo.tar").write_bytes(b"?")
    assert machine.take() == said("")


def test_without_a_key_or_under_an_overlay_nothing_is_offered(machine: Machine) -> None:
    machine.bundle(machine.package("0.2.0"))
    machine._tool("findmnt", "echo overlay")
    assert machine.take() == said("read_only", "0.2.0")
    (machine.bin / "allowed_signers").unlink()
    assert machine.take() == said("no_key")


def test_root_checks_again_what_the_other_user_has_checked(machine: Machine, tmp_path: Path) -> None:
    """Its file may have been replaced: by another one, a link, or nothing; and so may its folder for what is said."""
    machine.bundle(machine.package("0.2.0"))
    machine.take()
    machine.bundle(machine.package("0.2.0", "crashes"), key=machine.new_key("other")).replace(machine.inbox / "arrived")
    assert machine.run("install") == said("signer")
    (tmp_path / "secret").write_text("kept")
    (machine.inbox / "arrived").symlink_to(tmp_path / "secret")
    (machine.inbox / "says.new").symlink_to(tmp_path / "secret")
    assert machine.run("install") == said("link")
    (machine.inbox / "arrived").unlink()
    assert machine.run("install") == said("unreadable")
    assert (machine.program, (tmp_path / "secret").read_text()) == ("0.1.0 works", "kept")
    assert machine.left() == set()


def test_a_file_from_a_phone_is_checked_and_taken_away(machine: Machine) -> None:
    machine.bundle(machine.package("0.2.0")).replace(machine.inbox / "sent")
    assert machine.run("check") == said("offer", "0.2.0")
    (machine.inbox / "sent").write_bytes(b"no")
    assert machine.run("check") == said("not_package")
    assert machine.left_in_inbox() == {"arrived"}
    assert machine.run("install") == said("installed", "0.2.0")


def test_packages_that_are_missing_come_from_the_bundle(machine: Machine) -> None:
    other = machine.package("1.0", Package="python3-new")
    package = machine.package("0.2.0", Depends="python3-new")
    machine.bundle(package)
    machine.take()
    assert machine.run("install") == said("failed", "0.2.0"), machine.log
    assert machine.program == "0.1.0 works"
    renamed = other.rename(other.with_name("python3-new_1.0_all.deb"))
    machine.bundle(package, "all", renamed)
    machine.take()
    assert machine.run("install") == said("installed", "0.2.0"), machine.log


@pytest.mark.parametrize("postinst", ["exit 1", "sleep 1000 & wait"], ids=["fails", "hangs"])
def test_a_package_whose_script_fails_or_hangs_is_replaced(machine: Machine, postinst: str) -> None:
    machine.environ["REFEREE_INSTALL_S"] = "5"
    machine.bundle(machine.package("0.2.0", postinst=postinst))
    machine.take()
    assert machine.run("install") == said("failed", "0.2.0"), machine.log
    assert machine.program == "0.1.0 works"
    assert machine.state() == "install ok installed 0.1.0"


def test_a_package_that_fills_the_disk_is_replaced(machine: Machine) -> None:
    """It says that it is small; a limit of the file's size takes the place of the disk's end."""
    machine.bundle(machine.package("0.2.0", "works" + "x" * (80 << 20)))
    machine.take()
    machine.limit = 70 << 20
    assert machine.run("install") == said("failed", "0.2.0"), machine.log
    assert machine.program == "0.1.0 works"
    assert machine.state() == "install ok installed 0.1.0"
    assert machine.left() == {"old.deb"}


@pytest.mark.parametrize("moment", ["unpacked", "installed"])
def test_the_old_version_is_back_after_a_power_cut(machine: Machine, moment: str) -> None:
    """The machine stops while dpkg works, or while the new version is being tried."""
    postinst = 'kill -9 "$(cat "$REFEREE_ROOT/../update.pid")"; kill -9 $PPID' if moment == "unpacked" else ""
    machine.bundle(machine.package("0.2.0", "works" if postinst else "hangs", postinst=postinst))
    machine.take()
    process = subprocess.Popen([machine.bin / "update", "install"], env=machine.environ, stdout=subprocess.DEVNULL)
    (machine.root.parent / "update.pid").write_text(str(process.pid))
    if not postinst:
        called = machine.root / "systemctl"
        while not called.exists() or "show" not in called.read_text():
            assert process.poll() is None
        process.kill()
    process.wait()
    assert machine.program.startswith("0.2.0")
    rescue = machine.root / "var/lib/referee-update/rescue"
    (machine.bin / "update").write_text("no program")
    done = subprocess.run([rescue, "recover"], env=machine.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((machine.inbox / "says.json").read_text())["kind"] == "cut"
    assert machine.program == "0.1.0 works"
    assert machine.state() == "install ok installed 0.1.0"
    assert machine.left() == {"old.deb"}
