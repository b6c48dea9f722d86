"""`make release` writes everything that people download into dist/referee-VERSION/, with checksums.

Two runs on one commit write the same bytes while Debian's mirror has the same packages. A part that cannot be made on
this machine is left out: the folder's README.txt and the command's output say which, and why.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from hardware.guide import paper
from hardware.make import release as hardware
from referee import __version__
from systemd.debian import offline
from systemd.debian.__main__ import build, source
from systemd.debian.contents import NAME, ROOT, SIGNERS, PackageError
from systemd.release import sbom

HERE = Path(__file__).parent
SUMS = "SHA256SUMS"
SIGNER, PURPOSE = "release", "file"


def write(target: Path, version: str, epoch_s: int, architectures: Sequence[str]) -> list[str]:
    """Write the folder; return a sentence for each part that is left out."""
    left_out: list[str] = []
    listings: list[str] = []
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch_s)  # read by hatchling
    package = build(version, epoch_s)
    made = _python() | {f"{NAME}_{version}_all.deb": package}
    made["blank-card.txt"] = (offline.HERE / "card.txt").read_bytes()
    for architecture in architectures:
        with _or_left_out(f"the bundle for {architecture}", left_out), tempfile.TemporaryDirectory() as work:
            files = offline.files(architecture, version, epoch_s, Path(work))
            made |= offline.archives(files, architecture, version, epoch_s)
            listings.append(files["packages/Packages"].decode())
    with _or_left_out("the update", left_out), tempfile.TemporaryDirectory() as work:
        made |= offline.update(package, version, epoch_s, Path(work))
    for name, part in {"paper": _paper, "hardware.zip": _hardware}.items():
        with _or_left_out(name, left_out):
            made |= part()
    made["sbom.cdx.json"] = sbom.document(version, epoch_s, listings)
    made["README.txt"] = _readme(version, left_out)
    _put(target, made)
    return left_out


@contextmanager
def _or_left_out(part: str, left_out: list[str]) -> Iterator[None]:
    try:
        yield
    except PackageError as exc:
        left_out.append(f"Left out: {part}. {exc}")


def _python() -> dict[str, bytes]:
    """Wheels and source archives of the program and its pin factory, of what is committed: a work tree has caches."""
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    committed = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], stdout=subprocess.PIPE, check=True).stdout
    with tempfile.TemporaryDirectory() as sources, tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-x", "-C", sources], input=committed, check=True)
        for project, builder in product((sources, f"{sources}/gpiozero_gpiod"), (WheelBuilder, SdistBuilder)):
            list(builder(project).build(directory=folder, versions=["standard"]))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def _paper() -> dict[str, bytes]:
    """The guide and the sheets to print."""
    if found := list(paper.complaints()):
        raise PackageError(found[0])
    printed = [page.with_suffix(".pdf") for page in paper.pages()]
    if missing := [path for path in printed if not path.exists()]:
        raise PackageError(f"{missing[0].relative_to(ROOT)} is not printed: `make .venv-hardware/.ready`, then again.")
    return {f"paper/{path.name}": path.read_bytes() for path in printed}


def _hardware() -> dict[str, bytes]:
    """The archive of `make hardware-release`, if it is of these sources; without one what is in the repository."""
    if not hardware.TARGET.exists():
        with tempfile.TemporaryDirectory() as folder:
            return {"hardware.zip": hardware.write(Path(folder) / "hardware.zip").read_bytes()}
    with zipfile.ZipFile(hardware.TARGET) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    try:
        old = [name for path, name in hardware.files() if packed.get(name) != path.read_bytes()]
    except ValueError as exc:
        raise PackageError(str(exc)) from exc
    if old:
        raise PackageError(f"dist/hardware.zip has another {old[0]} than hardware/: `make hardware-release`.")
    return {"hardware.zip": hardware.TARGET.read_bytes()}


def _readme(version: str, left_out: Sequence[str]) -> bytes:
    text = (HERE / "README.txt").read_text("utf-8").replace("@VERSION@", version).replace("@NAME@", NAME)
    return (text + "".join(f"\n{sentence}\n" for sentence in left_out)).encode()


def _put(target: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(target, ignore_errors=True)
    for name, data in files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)
    _sum(target)


def _sum(target: Path) -> None:
    """Write the checksums of all files in the folder."""
    (target / SUMS).unlink(missing_ok=True)
    files = {path.relative_to(target).as_posix(): path for path in target.rglob("*") if path.is_file()}
    sums = (f"{hashlib.sha256(files[name].read_bytes()).hexdigest()}  {name}\n" for name in sorted(files))
    (target / SUMS).write_text("".join(sums), "utf-8")


def seal(bundle: Path, key: Path) -> None:
    """Append the signature to a bundle. Devices require it for updates; tar ignores it."""
    _ssh("sign", "-f", str(key), str(bundle))
    signature = bundle.with_name(f"{bundle.name}.sig")
    bundle.write_bytes(bundle.read_bytes() + signature.read_bytes())
    signature.unlink()


def sign(target: Path, key: Path, signers: Path = SIGNERS) -> None:
    """Sign the bundles and the checksums with this private key.

    Raises PackageError if it is not the maintainer's.
    """
    for bundle in sorted(target.glob(f"{NAME}-*.tar")):
        seal(bundle, key)
    _sum(target)
    sums = target / SUMS
    _ssh("sign", "-f", str(key), str(sums))
    sums.chmod(0o644)
    signature = sums.with_name(f"{SUMS}.sig")
    try:
        _ssh("verify", "-f", str(signers), "-I", SIGNER, "-s", str(signature), given=sums.read_bytes())
    except PackageError:
        signature.unlink()
        raise


def _ssh(action: str, *words: str, given: bytes | None = None) -> None:
    command = ["ssh-keygen", "-Y", action, "-n", PURPOSE, *words]
    done = subprocess.run(command, input=given, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise PackageError(f"ssh-keygen cannot {action}: {done.stderr.decode().strip()}")


def _refuse_changes() -> None:
    done = subprocess.run(["git", "-C", ROOT, "status", "--porcelain"], capture_output=True, text=True, check=True)
    if done.stdout:
        raise PackageError(f"{done.stdout.split()[1]} is not committed; a release has only what is committed.")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the release; return 2 if it cannot be made or signed."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument(
        "architectures", nargs="*", default=offline.ARCHITECTURES, metavar="ARCH", help="of the bundles, all by default"
    )
    parser.add_argument("--key", type=Path, metavar="FILE", help="private key to sign with")
    asked = parser.parse_args(argv)
    target = ROOT / "dist" / f"referee-{__version__}"
    try:
        _refuse_changes()
        version, epoch_s = source()
        print(*write(target, version, epoch_s, asked.architectures), sep="\n")
        if asked.key:
            sign(target, asked.key)
    except PackageError as exc:
        print(exc, file=sys.stderr)
        return 2
    print(f"{target.relative_to(ROOT)}: {version}, {'signed' if asked.key else 'not signed (--key FILE)'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
