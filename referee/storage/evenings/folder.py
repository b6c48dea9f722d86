"""The folder of evening files: names, order, and safe reading.

The evening with the highest ID is the current one. A child process compresses all others.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import sys
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from referee.core.values import Value
from referee.storage.evenings.rows import FORMAT, Tape, has_rows, read_tape, start_of
from referee.storage.files import Folder, read_regular

MOST_BYTES = 64 << 20
"""Maximum bytes of an evening's file.

At 150 bytes a row, these are 400,000 rows or twenty long evenings.
"""
PLAIN, PACKED = ".jsonl", ".jsonl.gz"
_NAME = re.compile(r"[\w-]+\.jsonl(\.gz)?")
PADDING = b" "
"""The character that follows the last line of an open file (see `file.py`)."""
_CHUNK = 1 << 12


class EveningError(ValueError):
    """An evening's file cannot be read."""


class Latest(Value):
    """The current evening: its path, bytes and parsed tape. All are empty if there is none.

    next_id: ID for the next evening; troubles: messages about files in the folder that cannot be used.
    """

    path: Path | None = None
    data: bytes = b""
    tape: Tape = Tape()
    next_id: int = 1
    troubles: tuple[str, ...] = ()


def evenings_in(state: Path) -> Path:
    """Return the folder of evenings in a state directory."""
    return state / "evenings"


def names(folder: Path) -> list[str]:
    """Return the evenings' names without suffix, sorted; empty if there is no folder."""
    return sorted({name.partition(".")[0] for name in _files(folder) if _NAME.fullmatch(name)})


def _files(folder: Path) -> list[str]:
    """Return the names of files with an evening's suffix."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return [path.name for path in folder.iterdir() if path.name.endswith((PLAIN, PACKED))]
    return []


def free_name(folder: Path, wall_s: float) -> str:
    """Return an unused name for a new evening, made from the wall-clock time."""
    stem = datetime.fromtimestamp(max(wall_s, 0), UTC).strftime("%Y-%m-%d_%H%M")
    taken = set(names(folder))
    number = 1
    while (name := stem if number == 1 else f"{stem}_{number}") in taken:
        number += 1
    return name


def path_of(folder: Path, name: str) -> Path:
    """Return the path of the named evening's file, the uncompressed one if both exist."""
    plain = folder / f"{name}{PLAIN}"
    return plain if os.path.lexists(plain) else folder / f"{name}{PACKED}"


def read_bytes(path: Path) -> bytes:
    """Return an evening's content, uncompressed. Raises EveningError."""
    try:
        data = read_regular(path, MOST_BYTES)
        return unpack(data) if path.suffix == ".gz" else data
    except OSError as error:
        raise EveningError(f"{path} cannot be read: {error.strerror or error}") from None


def unpack(data: bytes) -> bytes:
    """Decompress the content of an evening's file.

    If the data is damaged, add a line end after its readable part, so that the incomplete last line counts as damaged.
    Raises OSError if the content is too long.
    """
    packed, content = zlib.decompressobj(31), bytearray()
    with contextlib.suppress(zlib.error):
        for place in range(0, len(data), _CHUNK):
            content += packed.decompress(data[place : place + _CHUNK], MOST_BYTES)
            if packed.unconsumed_tail or len(content) > MOST_BYTES:
                raise OSError(f"it is longer than {MOST_BYTES >> 20} MiB")
    return bytes(content) if packed.eof else bytes(content) + b"\n"


def read_evening(path: Path) -> Tape:
    """Read an evening's file. Raises EveningError if it holds no evening or has a newer format."""
    data = read_bytes(path)
    if (start := start_of(data)) is not None and start.format > FORMAT:
        raise EveningError(_newer(path, start.format))
    tape = read_tape(data)
    if not tape.rows or not tape.id:
        raise EveningError(f"{path} holds no readable evening")
    return tape


def _newer(path: Path, format_: int) -> str:
    return f"{path} has format {format_} of a newer version and is left as it is; this one reads up to {FORMAT}"


def next_id(folder: Path) -> int:
    """Return the ID that the next evening in this folder gets."""
    return find_latest(folder, read=False).next_id


def find_latest(folder: Path, *, read: bool = True) -> Latest:
    """Return the current evening: the last one begun. `read` False: do not parse its tape."""
    found: list[tuple[int, int, Path, bytes]] = []
    troubles = [f"{folder}: {name!r} is no evening's name" for name in _files(folder) if not _NAME.fullmatch(name)]
    beheaded, newest = list[Path](), 0
    for path, data in _contents(folder, PLAIN, troubles):
        if (start := start_of(data)) is None:
            troubles += [f"{path} holds no readable evening"] if data else []
            beheaded += [path] if has_rows(data) else []
            continue
        newest = max(newest, start.id)
        if start.format > FORMAT:
            troubles.append(_newer(path, start.format))
        else:
            found.append((start.id, len(data.rstrip(PADDING)), path, data))
    if not newest:
        starts = (start_of(data) for _, data in _contents(folder, PACKED, troubles))
        newest = max((start.id for start in starts if start), default=0)
    id_, _, path, data = max(found, default=(0, 0, folder, b""))
    if id_ < max(newest, 1) or any(_is_newer(other, path) for other in beheaded):
        return Latest(next_id=newest + 1, troubles=tuple(troubles))
    return Latest(path, data, read_tape(data) if read else Tape(), newest + 1, tuple(troubles))


def _is_newer(path: Path, other: Path) -> bool:
    return path.stat().st_mtime_ns > other.stat().st_mtime_ns


def _contents(folder: Path, ending: str, troubles: list[str]) -> Iterator[tuple[Path, bytes]]:
    """Yield path and content of each readable file with this suffix.

    For each file that cannot be read, add a message to `troubles`.
    """
    for name in names(folder):
        path = folder / f"{name}{ending}"
        if os.path.lexists(path):
            try:
                yield path, read_bytes(path)
            except EveningError as error:
                troubles.append(str(error))


def has_old(folder: Path) -> bool:
    """Return whether there are uncompressed evenings besides the current one."""
    return sum(path_of(folder, name).suffix != ".gz" for name in names(folder)) > 1


def compress(folder: Path) -> None:
    """Compress all evenings of a known format except the current one. Raises OSError."""
    found = ((start_of(data), len(data.rstrip(PADDING)), path) for path, data in _contents(folder, PLAIN, []))
    known = ((start.id, size, path) for start, size, path in found if start and start.format <= FORMAT)
    for _, _, path in sorted(known)[:-1]:
        pack(path, read_bytes(path))
        path.unlink()


def pack(path: Path, data: bytes) -> None:
    """Write an evening's compressed file atomically. `path`: the uncompressed file."""
    write_whole(path.with_name(f"{path.name}.gz"), gzip.compress(data, mtime=0))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, sync it, and rename it. Raises OSError."""
    with Folder(path.parent, follow=True) as folder:
        folder.write(path.name, data, 0o644)


if __name__ == "__main__":  # runs in a child process of the device, with the lowest priority
    os.nice(19)
    compress(Path(sys.argv[1]))
