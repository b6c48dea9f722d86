"""The list of what other programs drew and printed, with a checksum each: `made.sha256`.

`sha256sum -c made.sha256` reads it, too. The generators write it; a picture, a Gerber archive or a print that is
changed by hand is then a complaint on every machine, without the program that made it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

FILE = "made.sha256"
PATTERNS = (
    "board/*.svg",
    "board/*.zip",
    "enclosure/drawings/*.svg",
    "guide/card-*.pdf",
    "guide/lid.pdf",
    "guide/pictures/*",
    "prints/**/*.3mf",
    "schematic/*.svg",
    "wiring/*.svg",
)


def text(root: Path) -> str:
    """Return the list for the files as they are now."""
    paths = sorted(path for pattern in PATTERNS for path in root.glob(pattern))
    digests = ((hashlib.sha256(path.read_bytes()).hexdigest(), path.relative_to(root).as_posix()) for path in paths)
    return "".join(f"{digest}  {name}\n" for digest, name in digests)


def write(root: Path) -> None:
    """Write the list."""
    (root / FILE).write_text(text(root), encoding="utf-8")


def complaints(root: Path) -> Iterator[str]:
    """Complain of files that are not as their program made them, that are missing, or that nobody made."""
    listed = set((root / FILE).read_text(encoding="utf-8").splitlines())
    for line in sorted(listed ^ set(text(root).splitlines())):
        yield f"hardware/{line[66:]} is {'altered' if line in listed else 'not listed'} ({FILE}); run `make hardware`."
