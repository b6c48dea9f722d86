"""`make deb` writes the package into dist/. It runs anywhere, without Debian's tools."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime

from referee import __version__
from systemd.debian import archive
from systemd.debian.contents import NAME, ROOT, PackageError, contents, control


def build(version: str, epoch_s: int) -> bytes:
    """Build the package."""
    files = contents(version, epoch_s)
    return archive.deb(control(version, files), files, epoch_s)


def source() -> tuple[str, int]:
    """Return the package's version, and the time of its sources, s since 1970: the last commit's.

    A commit with the version's tag is the version; between two versions the commit's time and name are appended, so
    that a later one is an upgrade. REFEREE_DEB_VERSION and SOURCE_DATE_EPOCH override both.
    """
    epoch_s = int(os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct"))
    if version := os.environ.get("REFEREE_DEB_VERSION"):
        return version, epoch_s
    if f"v{__version__}" in _git("tag", "--points-at", "HEAD").split():
        return __version__, epoch_s
    time = datetime.fromtimestamp(epoch_s, UTC).strftime("%Y%m%d.%H%M%S")
    return f"{__version__}+git{time}.{_git('rev-parse', '--short=8', 'HEAD')}", epoch_s


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise PackageError(
            "There is no git history here to take version and time from: set REFEREE_DEB_VERSION and SOURCE_DATE_EPOCH."
        )
    return done.stdout.strip()


def main() -> int:
    """Build the package and print its path."""
    try:
        version, epoch_s = source()
        package = build(version, epoch_s)
    except PackageError as exc:
        print(exc, file=sys.stderr)
        return 2
    place = ROOT / "dist" / f"{NAME}_{version}_all.deb"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(package)
    print(f"{place.relative_to(ROOT)}: {len(package) / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
