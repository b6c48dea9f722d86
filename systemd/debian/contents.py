"""The package's files by their paths, from the sources and from what `make` has installed.

The program is the wheel's, so its requirements are stated only once (pyproject.toml). Libraries that Debian 13
lacks or has only in older versions are included as pure Python, in the versions of requirements.lock: pip has
checked their hashes, and here every file is compared with pip's record.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath

from referee.cli import parser
from systemd.debian import manual, settings
from systemd.debian.archive import EXECUTABLE, Member

HERE = Path(__file__).parent
UNITS = HERE.parent
ROOT = UNITS.parent
NAME = "card-table-referee"
HOME = "/usr/lib/referee"
VENDOR = f"{HOME}/vendor"
DOC = f"/usr/share/doc/{NAME}"

VENDORED = {"gpiozero": "gpiozero", "luma.oled": "luma/oled", "luma.core": "luma/core", "anyascii": "anyascii"}
"""Libraries that Debian 13 lacks or has only in older versions -> the included folder."""
DEBIAN = {
    "gpiod": "python3-libgpiod",
    "pyserial": "python3-serial",
    "aiohttp": "python3-aiohttp",
    "jinja2": "python3-jinja2",
    "msgspec": "python3-msgspec",
    "segno": "python3-segno",
    "snowballstemmer": "python3-snowballstemmer",
    "spidev": "python3-spidev",
    # requirements of the vendored ones
    "colorzero": "python3-colorzero",
    "pillow": "python3-pil",
    "smbus2": "python3-smbus2",
    "cbor2": "python3-cbor2",
}
"""Packages from Debian, by their name in pyproject.toml or in a vendored library."""
SYSTEM = (
    "python3 (>= 3.11)",
    "systemd | systemd-standalone-sysusers",
    "systemd | systemd-standalone-tmpfiles",
    "udev",
    "openssh-client",  # ssh-keygen checks the signature of a newer version
    "fonts-dejavu-core",  # the letters of pictures that are kept as PNG
    "python3-paho-mqtt (>= 2)",
)
RECOMMENDED = ("alsa-utils", "espeak-ng", "python3-evdev")
"""Packages for the voice and for USB keys."""
SIGNERS = UNITS / "release" / "allowed_signers"
"""The maintainer's public key for ssh-keygen.

Without it, devices refuse updates from sticks and phones.
"""
PROGRAM = "/opt/referee/bin/referee"
"""The program's path in the units of systemd/; the package has it in /usr/bin."""
INSTALLED = {
    "referee.service": "/usr/lib/systemd/system/referee.service",
    "referee-off.path": "/usr/lib/systemd/system/referee-off.path",
    "referee-off.service": "/usr/lib/systemd/system/referee-off.service",
    "referee-wifi.path": "/usr/lib/systemd/system/referee-wifi.path",
    "referee-wifi.service": "/usr/lib/systemd/system/referee-wifi.service",
    "referee-going-down.service": "/usr/lib/systemd/system/referee-going-down.service",
    "referee-stick-mount@.service": "/usr/lib/systemd/system/referee-stick-mount@.service",
    "referee-stick@.service": "/usr/lib/systemd/system/referee-stick@.service",
    "referee-stick-update@.service": "/usr/lib/systemd/system/referee-stick-update@.service",
    "referee-update.path": "/usr/lib/systemd/system/referee-update.path",
    "referee-update.service": "/usr/lib/systemd/system/referee-update.service",
    "referee-update-recover.service": "/usr/lib/systemd/system/referee-update-recover.service",
    "referee.sysusers": "/usr/lib/sysusers.d/referee.conf",
    "referee.tmpfiles": "/usr/lib/tmpfiles.d/referee.conf",
    "referee.sysctl": "/usr/lib/sysctl.d/50-referee.conf",
    "referee.rules": "/usr/lib/udev/rules.d/60-referee.rules",
    "referee.avahi": "/etc/avahi/services/referee.service",
    "referee.modules": "/usr/lib/modules-load.d/referee.conf",
    "referee.networkmanager": "/usr/lib/NetworkManager/conf.d/50-referee.conf",
    "referee.dnsmasq": "/etc/NetworkManager/dnsmasq-shared.d/referee.conf",
}
"""File in systemd/ -> its path when installed."""


class PackageError(Exception):
    """The package cannot be made; the text is one sentence."""


def contents(version: str, epoch_s: int) -> dict[str, Member]:
    """Every file by its absolute path."""
    day = datetime.fromtimestamp(epoch_s, UTC)
    page = manual.page(parser(), version, day.strftime("%Y-%m-%d"))
    files = {f"{HOME}/{path}": Member(data) for path, data in _program()}
    for name in VENDORED:
        files |= {f"{VENDOR}/{path}": Member(data) for path, data in vendored_files(name)}
    files |= {place: Member(_unit(name)) for name, place in INSTALLED.items()}
    return files | {
        "/usr/bin/referee": Member((HERE / "referee").read_bytes(), EXECUTABLE),
        "/usr/libexec/referee/boot-config": Member((HERE / "boot-config").read_bytes(), EXECUTABLE),
        "/usr/libexec/referee/evenings-partition": Member((HERE / "evenings-partition").read_bytes(), EXECUTABLE),
        "/usr/libexec/referee/stick": Member((HERE / "stick").read_bytes(), EXECUTABLE),
        "/usr/libexec/referee/wifi": Member((HERE / "wifi").read_bytes(), EXECUTABLE),
        "/usr/lib/NetworkManager/dispatcher.d/50-referee": Member((HERE / "wifi-port").read_bytes(), EXECUTABLE),
        "/usr/libexec/referee/update": Member((HERE / "update").read_bytes(), EXECUTABLE),
        **({"/usr/libexec/referee/allowed_signers": Member(SIGNERS.read_bytes())} if SIGNERS.exists() else {}),
        "/etc/referee/referee.toml": Member(settings.text().encode()),
        "/usr/share/man/man1/referee.1.gz": Member(_gzip(page)),
        f"/usr/share/lintian/overrides/{NAME}": Member((HERE / "lintian-overrides").read_bytes()),
        f"{DOC}/copyright": Member(_copyright().encode()),
        f"{DOC}/changelog.gz": Member(_gzip(_changelog(version, day))),
        f"{DOC}/CHANGELOG.md.gz": Member(_gzip((ROOT / "CHANGELOG.md").read_text("utf-8"))),
        f"{DOC}/README.md.gz": Member(_gzip((ROOT / "README.md").read_text("utf-8"))),
    }


def control(version: str, files: Mapping[str, Member]) -> dict[str, Member]:
    """The package's description and scripts."""
    size_kib = sum((len(member.data) + 1023) // 1024 for member in files.values())
    words = {"@VERSION@": version, "@SIZE@": str(size_kib), "@DEPENDS@": ", ".join(depends())}
    words["@RECOMMENDS@"] = ", ".join(RECOMMENDED)
    text = re.sub("@[A-Z]+@", lambda found: words[found[0]], (HERE / "control").read_text("utf-8"))
    settings_files = "".join(f"{path}\n" for path in sorted(files) if path.startswith("/etc/"))
    scripts = {name: Member((HERE / name).read_bytes(), EXECUTABLE) for name in ("postinst", "prerm", "postrm")}
    return {"control": Member(text.encode()), "conffiles": Member(settings_files.encode()), **scripts}


def depends() -> list[str]:
    """The required Debian packages, with pyproject.toml's minimum versions."""
    least = {name: version for name, version in requirements() if name in DEBIAN}
    named = (f"{package} (>= {least[name]})" if least.get(name) else package for name, package in DEBIAN.items())
    return sorted([*SYSTEM, *named])


def requirements() -> Iterator[tuple[str, str]]:
    """The program's and the vendored libraries' requirements: name, minimum version ("": any)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = list(project["dependencies"])
    for name in VENDORED:
        needed += [line for line in distribution(name).requires or () if "extra ==" not in line and "<" not in line]
    for line in needed:
        found = re.match(r"([\w.-]+)\s*(?:>=\s*([\d.]+))?", line)
        assert found is not None
        yield found[1].lower(), found[2] or ""


def _program() -> Iterator[tuple[str, bytes]]:
    from hatchling.builders.wheel import WheelBuilder

    with tempfile.TemporaryDirectory() as folder:
        (built,) = WheelBuilder(str(ROOT)).build(directory=folder, versions=["standard"])
        with zipfile.ZipFile(built) as wheel:
            for path in wheel.namelist():
                if _is_wanted(path):
                    yield path, wheel.read(path)


def _is_wanted(path: str) -> bool:
    """Whether the package needs the file: of a wheel's metadata, only its name and its entry points."""
    return ".dist-info/" not in path or path.endswith(("/METADATA", "/entry_points.txt"))


def vendored_files(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a library by their path.

    Raises PackageError if they differ from requirements.lock.
    """
    found = distribution(name)
    locked = locked_version(name)
    if found.version != locked:
        raise PackageError(
            f"{name} is installed as {found.version}, requirements.lock says {locked}: run `make .venv/.ready`."
        )
    folder, notes = VENDORED[name], f"{name.replace('.', '_')}-{found.version}.dist-info"
    for file in found.files or ():
        path = PurePosixPath(file)
        if path.suffix == ".pyc" or not (
            path.is_relative_to(folder) or (str(path).startswith(notes) and _is_wanted(str(path)))
        ):
            continue
        data = Path(str(file.locate())).read_bytes()
        if file.hash is None or file.hash.value != _digest(file.hash.mode, data):
            raise PackageError(
                f"{file} of {name} is not as it was installed; allowed is the file that pip has written."
            )
        yield str(path), data


def _digest(mode: str, data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.new(mode, data).digest()).rstrip(b"=").decode()


def locked_version(name: str) -> str:
    """The version that requirements.lock pins. Raises PackageError for an unknown name."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    found = re.search(rf"^{re.escape(name.replace('.', '-'))}==(\S+)", text, re.MULTILINE)
    if found is None:
        raise PackageError(f"requirements.lock does not name {name}.")
    return found[1]


def _unit(name: str) -> bytes:
    return (UNITS / name).read_bytes().replace(PROGRAM.encode(), b"/usr/bin/referee")


# -- documents -----------------------------------------------------------------------------------------------------


def _gzip(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def _changelog(version: str, day: datetime) -> str:
    stamp = day.strftime("%a, %d %b %Y %H:%M:%S +0000")
    (maintainer,) = re.findall("^Maintainer: (.*)$", (HERE / "control").read_text("utf-8"), re.MULTILINE)
    return f"""{NAME} ({version}) trixie; urgency=medium

  * What has changed: {DOC}/CHANGELOG.md.gz

 -- {maintainer}  {stamp}
"""


def _copyright() -> str:
    """The copyright file in Debian's format: ours, then each vendored library by its own licence."""
    parts = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n",
        _stanza("*", "Expat", (ROOT / "LICENSE").read_text("utf-8"), ()),
    ]
    for name, folder in VENDORED.items():
        found = distribution(name)
        heads = [data.decode("utf-8") for path, data in vendored_files(name) if path.endswith(".py")]
        parts.append(_stanza(f"usr/lib/referee/vendor/{folder}/*", _short(found), _licence(found), heads))
    return "\n".join(parts)


def _licence(of: Distribution) -> str:
    (text,) = (file.read_text() for file in of.files or () if "LICENSE" in file.name and ".dist-info" in str(file))
    return text


def _short(of: Distribution) -> str:
    """The licence's name in Debian's spelling. Raises PackageError for an unknown one."""
    for mark, name in (("BSD-3-Clause", "BSD-3-Clause"), ("MIT License", "Expat"), ("ISC License", "ISC")):
        if mark in _licence(of):
            return name
    raise PackageError(f"The licence of {of.name} has no name here: read it, then add it to _short in contents.py.")


_HOLDER = re.compile(r"^[#\s]*Copyright \(c\) (.+?)\s*$", re.MULTILINE)


def _stanza(files: str, short: str, licence: str, heads: Iterator[str] | list[str] | tuple[str, ...]) -> str:
    holders = dict.fromkeys(holder for text in (licence, *heads) for holder in _HOLDER.findall(text))
    body = "".join(f" {line.strip() or '.'}\n" for line in licence.strip().splitlines())
    return f"Files: {files}\nCopyright: {f'{chr(10)}           '.join(holders)}\nLicense: {short}\n{body}"
