"""The folder of a release: its parts, checksums, signature and bill of materials, and reproducible builds."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import __version__
from systemd.debian import archive, offline
from systemd.debian.contents import DEBIAN, NAME, ROOT, VENDORED, PackageError
from systemd.release import sbom
from systemd.release.__main__ import SUMS, sign, write

EPOCH_S = 1_750_000_000
NO_KEYS = Path("/no/keys")
WHEEL = f"card_table_referee-{__version__}-py3-none-any.whl"
pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a release is made of a commit")
LISTING = f"""Package: {NAME}
Version: {__version__}
Architecture: all
SHA256: 00

Package: python3-gpiod
Version: 1:2.2+b1
Architecture: arm64
Description: bindings
 of a library
SHA256: {"ab" * 32}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A release, compressed a little, on a machine that cannot make bundles."""
    target = tmp_path_factory.mktemp("release") / "referee"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "PRESET", 0)
        patch.setattr(offline, "KEYRING", NO_KEYS)
        patch.setenv("SOURCE_DATE_EPOCH", "0")
        write(target, __version__, EPOCH_S, ("arm64",))
        yield target


def test_the_checksums_are_those_of_all_files(made: Path) -> None:
    lines = {line[66:]: line[:64] for line in (made / SUMS).read_text().splitlines()}
    files = {path.relative_to(made).as_posix(): path for path in made.rglob("*") if path.is_file()}
    del files[SUMS]
    assert lines == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    assert {WHEEL, f"card_table_referee-{__version__}.tar.gz", f"{NAME}_{__version__}_all.deb"} < set(lines)


def test_sources_are_those_of_the_commit(made: Path) -> None:
    tracked = subprocess.run(["git", "ls-tree", "-r", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(made / f"card_table_referee-{__version__}.tar.gz") as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
    assert names - {"PKG-INFO"} == set(tracked.stdout.decode().splitlines())


def test_two_releases_are_the_same_bytes(made: Path, tmp_path: Path) -> None:
    """In another process, with another hash seed, time zone and umask."""
    program = (
        "import os; from pathlib import Path; os.umask(0o077)\n"
        "from systemd.debian import archive, offline; from systemd.release.__main__ import write\n"
        f"archive.PRESET = 0; offline.KEYRING = Path({str(NO_KEYS)!r})\n"
        f"write(Path({str(tmp_path)!r}), {__version__!r}, {EPOCH_S}, ('arm64',))"
    )
    other = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONPATH": str(ROOT), "LC_ALL": "C"}
    subprocess.run([sys.executable, "-c", program], check=True, env=other, cwd="/")
    assert (tmp_path / SUMS).read_text() == (made / SUMS).read_text()


def test_a_part_that_cannot_be_made_is_named(made: Path) -> None:
    """The others are made."""
    readme = (made / "README.txt").read_text()
    assert f"Left out: the bundle for arm64. {NO_KEYS} is missing" in readme
    bundle = f"{NAME}-{__version__}-all.tar"
    assert [path.name for path in made.glob("*.tar")] == ([bundle] if shutil.which("dpkg-deb") else [])


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A private key; `signers` beside it has its public one."""
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True)
    (tmp_path / "signers").write_text(f"release {path.with_suffix('.pub').read_text()}")
    return path


def verified(folder: Path, signers: Path) -> bool:
    """Whether the checksums are signed, by the command of docs/releasing.md."""
    command = f"ssh-keygen -Y verify -f {signers} -I release -n file -s SHA256SUMS.sig < SHA256SUMS"
    assert command.replace(str(signers), "allowed_signers") in (ROOT / "docs/releasing.md").read_text("utf-8")
    return subprocess.run(command, shell=True, cwd=folder, capture_output=True, check=False).returncode == 0


def test_the_checksums_of_a_signed_release_hold(tmp_path: Path, key: Path) -> None:
    """By the command of its README.txt."""
    bundle = tmp_path / "release" / f"{NAME}-{__version__}-all.tar"
    bundle.parent.mkdir()
    bundle.write_bytes(b"a bundle")
    (bundle.parent / SUMS).write_text(f"{hashlib.sha256(b'a bundle').hexdigest()}  {bundle.name}\n")
    sign(bundle.parent, key, key.with_name("signers"))
    assert bundle.read_bytes() != b"a bundle"
    subprocess.run(["sha256sum", "--ignore-missing", "-c", SUMS], cwd=bundle.parent, check=True)
    assert verified(bundle.parent, key.with_name("signers"))


def test_a_signature_holds_until_a_checksum_changes(tmp_path: Path, key: Path) -> None:
    (tmp_path / SUMS).write_text("00  a file\n")
    sign(tmp_path, key, key.with_name("signers"))
    assert verified(tmp_path, key.with_name("signers"))
    (tmp_path / SUMS).write_text("01  a file\n")
    assert not verified(tmp_path, key.with_name("signers"))


def test_another_key_than_the_maintainer_s_is_refused(tmp_path: Path, key: Path) -> None:
    (tmp_path / SUMS).write_text("00  a file\n")
    key.with_name("signers").write_text("release ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "A" * 43)
    with pytest.raises(PackageError, match="ssh-keygen cannot verify"):
        sign(tmp_path, key, key.with_name("signers"))
    assert not (tmp_path / f"{SUMS}.sig").exists()


def test_the_bill_has_what_pip_and_the_bundles_install() -> None:
    """Each library of the program with those that it needs, each Debian package once; no tool of developers."""
    document = json.loads(sbom.document(__version__, EPOCH_S, [LISTING, LISTING]))
    parts = {part["purl"]: part for part in document["components"]}
    assert len(parts) == len(document["components"])
    names = {part["name"].replace("-", ".") for purl, part in parts.items() if purl.startswith("pkg:pypi/")}
    assert {*DEBIAN, *VENDORED, "yarl", "multidict"} < names
    assert not names & {"pytest", "hypothesis", "hatchling", NAME}
    (debian,) = [purl for purl in parts if purl.startswith("pkg:deb/")]
    assert debian == "pkg:deb/debian/python3-gpiod@1%3A2.2%2Bb1?arch=arm64&distro=trixie"
    assert parts[debian]["hashes"] == [{"alg": "SHA-256", "content": "ab" * 32}]


def test_the_bill_follows_its_schema() -> None:
    """By the validator of CycloneDX, if it is installed."""
    pytest.importorskip("cyclonedx", reason="pip install 'cyclonedx-python-lib[json-validation]'")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = sbom.document(__version__, EPOCH_S, [LISTING]).decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
