"""`make offline`: the package with all its requirements, for machines without a network.

It writes a tar file into dist/.

Theory of operation. apt itself resolves the requirements, for the given architecture, on a machine with nothing
installed: its lists and its state are in a separate folder, so neither root nor such a machine is needed. It checks
each list and package against the signed release, as usual. The fetched packages become a folder that apt can
install from, so a machine takes from it only what it lacks, and nothing that it has newer; `install` there does it,
and leaves no trace in the machine's own sources. The bundle itself is not signed: its user must trust its source.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from systemd.debian.__main__ import build, source
from systemd.debian.contents import NAME, RECOMMENDED, ROOT, PackageError, depends

SUITE = "trixie"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
ARCHITECTURES = ("amd64", "arm64", "armhf")
HERE = Path(__file__).parent
BESIDE = {"install": "install", "firstboot": "firstboot", "card.txt": "README.txt"}
"""Further files of the bundle: the file here, and its name there."""
PROGRAMS = ("install", "firstboot")
CARDS = "arm64"
"""The architecture whose bundle is also an archive for a card's first partition."""


def bundle(architecture: str, version: str, epoch_s: int, work: Path) -> bytes:
    """Return the tar file. work: an empty folder for apt. Raises PackageError if apt fails."""
    return _tar(files(architecture, version, epoch_s, work), f"{NAME}-{version}-{architecture}", epoch_s)


def archives(files: dict[str, bytes], architecture: str, version: str, epoch_s: int) -> dict[str, bytes]:
    """Return the bundle's archives by their file names."""
    name = f"{NAME}-{version}-{architecture}"
    made = {f"{name}.tar": _tar(files, name, epoch_s)}
    return made | {f"{NAME}-{version}-card.zip": card(files)} if architecture == CARDS else made


def card(files: dict[str, bytes]) -> bytes:
    """Return the zip file with everything that a freshly written card needs on its first partition."""
    found = {f"referee/{path}": data for path, data in files.items()}
    found["vendor-data"] = (HERE / "vendor-data").read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in sorted(found.items()):
            archive.writestr(zipfile.ZipInfo(path), data)
    return out.getvalue()


def files(architecture: str, version: str, epoch_s: int, work: Path) -> dict[str, bytes]:
    """Return the bundle's files by their paths. work: an empty folder for apt. Raises PackageError if apt fails."""
    if missing := list(_missing()):
        raise PackageError(f"{missing[0]} is missing: bundles are made on Debian or Ubuntu, with its archive keys.")
    packages = {f"{NAME}_{version}_all.deb": build(version, epoch_s)}
    packages |= {
        path.name.replace("%3a", ":").replace(":", "%3a"): path.read_bytes() for path in _fetch(architecture, work)
    }
    return repository(packages, work) | {name: (HERE / place).read_bytes() for place, name in BESIDE.items()}


def repository(packages: dict[str, bytes], work: Path) -> dict[str, bytes]:
    """Return a repository for apt: these packages and their list, by file name."""
    listed = "\n".join(_stanza(name, data, work) for name, data in sorted(packages.items()))
    lists = {"Packages": listed.encode(), "Packages.gz": gzip.compress(listed.encode(), mtime=0)}
    return {f"packages/{name}": data for name, data in (packages | lists).items()}


def update(package: bytes, version: str, epoch_s: int, work: Path) -> dict[str, bytes]:
    """Return the bundle for updates, by its file name.

    It has no requirements: devices have them already.
    """
    if shutil.which("dpkg-deb") is None:
        raise PackageError("dpkg-deb is missing: bundles are made on Debian or Ubuntu.")
    name = f"{NAME}-{version}-all"
    found = repository({f"{NAME}_{version}_all.deb": package}, work)
    return {f"{name}.tar": _tar(found | {"install": (HERE / "install").read_bytes()}, name, epoch_s)}


def _fetch(architecture: str, work: Path) -> list[Path]:
    """Fetch what our package needs and recommends, with requirements, by apt for an empty machine."""
    apt = _apt(architecture, work)
    _run([*apt, "update"])
    # of alternatives the first, which a machine with systemd has anyway
    wanted = dict.fromkeys(part.split(" | ")[0].split(" (")[0] for part in depends())
    _run([*apt, "install", "--download-only", "--yes", *wanted, *RECOMMENDED])
    return sorted((work / "cache" / "archives").glob("*.deb"))


def _apt(architecture: str, work: Path) -> list[str]:
    """apt-get with everything that it reads and writes in that folder."""
    for folder in (
        "etc/apt.conf.d",
        "etc/preferences.d",
        "etc/sources.list.d",
        "lists/partial",
        "cache/archives/partial",
    ):
        (work / folder).mkdir(parents=True)
    (work / "status").touch()
    (work / "etc/sources.list").write_text(f"deb [signed-by={KEYRING}] {_mirror()} {SUITE} main\n", "utf-8")
    options = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
        "Dir::Etc": work / "etc",
        "Dir::State": work,
        "Dir::State::lists": work / "lists",
        "Dir::State::status": work / "status",
        "Dir::Cache": work / "cache",
        "Debug::NoLocking": "true",
    }
    return ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]


def _mirror() -> str:
    """The source of Debian that this machine's own apt uses."""
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: Debian"]
    found = _run(words).split()
    if not found:
        raise PackageError("This machine's apt has no source of Debian to fetch packages from.")
    return found[0]


def _stanza(name: str, data: bytes, work: Path) -> str:
    """A package's entry in the list that apt reads."""
    place = work / "one.deb"
    place.write_bytes(data)
    told = _run(["dpkg-deb", "--field", str(place)])
    return f"{told.rstrip()}\nFilename: ./{name}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n"


def _tar(files: dict[str, bytes], folder: str, epoch_s: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mtime, entry.mode = len(data), epoch_s, 0o755 if path in PROGRAMS else 0o644
            entry.uname = entry.gname = "root"
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise PackageError(f"{command[0]} failed: {said[-1] if said else f'status {done.returncode}'}")
    return done.stdout


def _missing() -> Iterator[str]:
    yield from (tool for tool in ("apt-get", "dpkg-deb") if shutil.which(tool) is None)
    if not KEYRING.exists():
        yield str(KEYRING)


def main(argv: Sequence[str] | None = None) -> int:
    """Make a bundle for each architecture that is asked for."""
    parser = argparse.ArgumentParser(prog="make offline", description=__doc__)
    parser.add_argument(
        "architectures", nargs="*", default=["amd64", "arm64"], metavar="ARCH", help=", ".join(ARCHITECTURES)
    )
    asked = parser.parse_args(argv).architectures
    try:
        if unknown := set(asked) - set(ARCHITECTURES):
            raise PackageError(f"{min(unknown)} is no architecture of ours; allowed are {', '.join(ARCHITECTURES)}.")
        version, epoch_s = source()
        for architecture in asked:
            with tempfile.TemporaryDirectory() as work:
                made = archives(files(architecture, version, epoch_s, Path(work)), architecture, version, epoch_s)
            for name, data in made.items():
                place = ROOT / "dist" / name
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(data)
                print(f"{place.relative_to(ROOT)}: {len(data) / 2**20:.0f} MiB")
    except PackageError as exc:
        print(exc, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
