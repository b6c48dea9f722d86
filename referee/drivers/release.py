"""The release of the program. It is stored in the journal, so that a start can compare it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from referee import __version__, core


def release() -> str:
    """Return the program's version and a hash, which changes with any file of the core."""
    files = sorted(_files(str(Path(core.__file__).parent), ""))
    told = "".join(f"{name} {size} {written_s}\n" for name, size, written_s in files)
    return f"{__version__}-{blake2b(told.encode(), digest_size=6).hexdigest()}"


def _files(folder: str, within: str) -> Iterator[tuple[str, int, int]]:
    """Yield each module's name, size and modification time.

    Working with strings saves 2 ms compared with Path.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, f"{within}{entry.name}/")
            elif entry.name.endswith(".py"):
                found = entry.stat()
                yield f"{within}{entry.name}", found.st_size, int(found.st_mtime)
