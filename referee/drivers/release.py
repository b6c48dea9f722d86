"""Which program this is: it says itself to the journal, so that the next life knows whether it is the same one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from referee import __version__, core


def release() -> str:
    """The version, and a sum over what the core's files are: another one wherever any of them may be another."""
    files = sorted(_files(str(Path(core.__file__).parent), ""))
    told = "".join(f"{name} {size} {written_s}\n" for name, size, written_s in files)
    return f"{__version__}-{blake2b(told.encode(), digest_size=6).hexdigest()}"


def _files(folder: str, within: str) -> Iterator[tuple[str, int, int]]:
    """Each module's name in there, its bytes, and when it was written. By names: paths cost every start 2 ms."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, f"{within}{entry.name}/")
            elif entry.name.endswith(".py"):
                found = entry.stat()
                yield f"{within}{entry.name}", found.st_size, int(found.st_mtime)
