"""The Debian package: its content, its scripts, and reproducible builds."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

from referee import __version__
from referee.config import SECTIONS, load, options_of, parse
from systemd.debian import archive, settings
from systemd.debian.__main__ import build
from systemd.debian.contents import DEBIAN, INSTALLED, PROGRAM, ROOT, UNITS, VENDORED, PackageError, requirements
from tests.packaging.reading import Package, taken_apart

EPOCH_S = 1_750_000_000
VERSION = "0.1.0+test"


@pytest.fixture(scope="module")
def made() -> bytes:
    """The package of this checkout, compressed a little."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "PRESET", 0)
        return build(VERSION, EPOCH_S)


@pytest.fixture(scope="module")
def package(made: bytes) -> Package:
    """The package taken apart."""
    return taken_apart(made)


def test_two_builds_are_the_same_bytes(made: bytes) -> None:
    """In another process, with another hash seed, time zone and umask."""
    program = (
        f"import os, sys; os.umask(0o077); from systemd.debian.__main__ import archive, build; archive.PRESET = 0; "
        f"sys.stdout.buffer.write(build({VERSION!r}, {EPOCH_S}))"
    )
    other = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONPATH": str(ROOT), "LC_ALL": "C"}
    again = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=other, cwd="/")
    assert hashlib.sha256(again.stdout).hexdigest() == hashlib.sha256(made).hexdigest()


def test_everything_in_it_is_root_s_and_of_the_commit_s_time(package: Package) -> None:
    """It has no name, number or time of the builder; only root may write, everyone may read."""
    for entry in package.entries:
        assert (entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime) == (0, 0, "root", "root", EPOCH_S)
        assert entry.mode in ((0o755,) if entry.isdir() else (0o644, 0o755)), entry.name


def test_the_sums_are_those_of_the_files(package: Package) -> None:
    """`dpkg --verify` compares by them."""
    lines = [line.split("  ", 1) for line in package.control["md5sums"].decode().splitlines()]
    sums = {path: digest for digest, path in lines}
    assert sums == {path[1:]: hashlib.md5(data).hexdigest() for path, data in package.contents.items()}


def test_whatever_pyproject_asks_for_comes_from_debian_or_along(package: Package) -> None:
    """With the minimum version of pyproject.toml.

    Also the dependencies of the vendored libraries.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = dict(requirements())
    assert len(needed) >= len(project["dependencies"])
    assert set(needed) <= {*DEBIAN, *VENDORED}
    asked = [part.strip() for part in package.description["Depends"].split(",")]
    for name, least in needed.items():
        if name in DEBIAN:
            assert (f"{DEBIAN[name]} (>= {least})" if least else DEBIAN[name]) in asked
    assert "python3-libgpiod (>= 2.2)" in asked  # Debian 12 has 1.6 and is refused by it


def test_vendored_libraries_are_those_of_the_lock(package: Package) -> None:
    """Every module of each, none of their commands or tests, and the name and version of each."""
    paths = [path.removeprefix("/usr/lib/referee/vendor/") for path in package.contents if "/vendor/" in path]
    assert {path.split("/")[0] for path in paths if ".dist-info" not in path} == {"anyascii", "gpiozero", "luma"}
    for name, folder in VENDORED.items():
        notes = f"{name.replace('.', '_')}-{distribution(name).version}.dist-info/METADATA"
        assert notes in paths
        modules = {str(file) for file in distribution(name).files or () if file.suffix == ".py"}
        assert {path for path in modules if path.startswith(f"{folder}/")} <= set(paths)


def test_a_vendored_file_that_was_altered_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip's record is compared, so local changes of the environment are not shipped."""
    from systemd.debian import contents

    monkeypatch.setattr(contents, "_digest", lambda mode, data: "another")
    with pytest.raises(PackageError, match=r"gpiozero.* is not as it was installed"):
        list(contents.vendored_files("gpiozero"))
    monkeypatch.setattr(contents, "locked_version", lambda name: "0.0")
    with pytest.raises(PackageError, match=r"gpiozero is installed as .* says 0\.0"):
        list(contents.vendored_files("gpiozero"))


def test_the_program_is_the_wheel_s(package: Package) -> None:
    """Every module and catalogue, the pin map, the pod's program; no byte code, no tests."""
    home = "/usr/lib/referee/referee/"
    inside = {path.removeprefix(home) for path in package.contents if path.startswith(home)}
    sources = {path.relative_to(ROOT / "referee").as_posix() for path in (ROOT / "referee").rglob("*.py")}
    assert sources <= inside
    assert {"pinmap.toml", "firmware/main.py"} <= inside
    assert not [path for path in inside if path.endswith(".pyc") or path.startswith("tests")]


def test_the_program_runs_from_where_the_package_has_it(package: Package, tmp_path: Path) -> None:
    """Unpacked elsewhere with adapted paths: it uses only its vendored libraries."""
    for path, data in package.contents.items():
        place = tmp_path / path[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    program = (tmp_path / "usr/bin/referee").read_text("utf-8").replace("/usr/lib", str(tmp_path / "usr/lib"))
    probe = program.replace("sys.exit(main())", "import gpiozero; print(gpiozero.__file__); sys.exit(main())")
    (tmp_path / "program").write_text(probe, "utf-8")
    done = subprocess.run(
        [sys.executable, "-I", tmp_path / "program", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        str(tmp_path / "usr/lib/referee/vendor/gpiozero/__init__.py"),
        f"referee {__version__}",
    ]


@pytest.mark.parametrize("name", INSTALLED)
def test_what_lies_in_systemd_is_installed_as_it_stands(package: Package, name: str) -> None:
    """Except the program's place in /usr/bin, in one line."""
    source = (UNITS / name).read_text("utf-8")
    installed = package.contents[INSTALLED[name]].decode()
    changed = [(a, b) for a, b in zip(source.splitlines(), installed.splitlines(), strict=True) if a != b]
    assert all(b == a.replace(PROGRAM, "/usr/bin/referee") for a, b in changed)
    assert len(changed) == (name == "referee.service")
    assert PROGRAM not in installed


@pytest.mark.parametrize("script", ["postinst", "prerm", "postrm"])
def test_the_scripts_are_sh_that_stops_at_an_error(package: Package, script: str) -> None:
    """Parsed by the shell itself."""
    text = package.control[script]
    assert text.startswith(b"#!/bin/sh\n")
    assert b"\nset -e\n" in text
    assert subprocess.run(["/bin/sh", "-n"], input=text, check=False).returncode == 0


def test_only_a_purge_touches_the_journal(package: Package) -> None:
    """Only postrm names its folder, only after `purge`; upgrade and removal keep everything."""
    for script in ("postinst", "prerm"):
        assert b"/var/lib/referee" not in package.control[script]
    before, _, behind = package.control["postrm"].decode().partition('if [ "$1" = purge ]')
    assert "/var/lib/referee" not in before
    assert "rm -rf /var/lib/referee" in behind
    assert not [path for path in package.contents if path.startswith("/var")]


def test_settings_are_kept_by_dpkg(package: Package) -> None:
    """Everything in /etc is listed, so that an upgrade asks before it changes a user's edits."""
    listed = package.control["conffiles"].decode().splitlines()
    assert listed == sorted(path for path in package.contents if path.startswith("/etc/"))
    assert "/etc/referee/referee.toml" in listed


def uncommented(text: str) -> Iterator[str]:
    """Yield the lines of the file with every commented option in force."""
    for line in text.splitlines():
        yield line[1:] if line.startswith("#") and not line.startswith("# ") else line


def test_the_settings_name_every_option_with_its_default(package: Package, tmp_path: Path) -> None:
    """As installed they are the defaults with the page.

    With every comment in force they are valid too.
    """
    path = tmp_path / "referee.toml"
    path.write_bytes(package.contents["/etc/referee/referee.toml"])
    installed = load(path)
    assert installed.web.listen == settings.LISTEN
    assert parse({"web": {"listen": settings.LISTEN}}, str(path)) == type(installed)(web=installed.web)
    assert {name: getattr(installed, name) for name in SECTIONS if name != "web"} == {
        name: kind() for name, kind in SECTIONS.items() if name != "web"
    }
    text = path.read_text("utf-8").replace(f'listen = "{settings.LISTEN}"\n', "")
    path.write_text("\n".join(uncommented(text)), "utf-8")
    document = tomllib.loads(path.read_text("utf-8"))
    document["pins"].pop("moved")
    document["keys"].pop("buttons")
    assert {name: set(document[name]) for name in SECTIONS} == {
        name: set(options_of(kind)) for name, kind in SECTIONS.items()
    }
    assert load(path).names == (("1", "Anna"), ("2", "Ben"))


def test_the_network_is_told_of_the_port_that_the_page_has(package: Package) -> None:
    port = settings.LISTEN.rpartition(":")[2]
    assert f"<port>{port}</port>" in package.contents["/etc/avahi/services/referee.service"].decode()
