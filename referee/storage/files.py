"""Read and write files safely, in folders that other people and programs can change.

Links are not followed, pipes do not block, and only regular files up to a size are read. A file is written under
a temporary name first, and then replaces the file of its own name.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import msgspec

LOG = logging.getLogger("referee")
MOST_NAMES = 10_000
"""Maximum number of folder entries that are read."""
SMALL_BYTES = 1 << 20
"""Maximum bytes of a small state file. The longest that we write is a quarter of this."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_Kind = TypeVar("_Kind")


def read_regular(path: Path | str, most: int, folder: int | None = None) -> bytes:
    """Return the content of a regular file of at most `most` bytes. Raises OSError.

    `folder`: descriptor of the directory for relative paths.
    """
    _check(os.stat(path, dir_fd=folder, follow_symlinks=False), most)  # opening a device could have effects
    with os.fdopen(os.open(path, _READ, dir_fd=folder), "rb") as file:
        _check(os.fstat(file.fileno()), most)
        data = file.read()  # with a size it would take that much memory, however short the file is
    if len(data) > most:
        raise OSError(errno.EFBIG, _too_long(most))
    return data


def _check(found: os.stat_result, most: int) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "it is a link, allowed is a regular file")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is a folder or device, allowed is a regular file")
    if found.st_size > most:
        raise OSError(errno.EFBIG, _too_long(most))


def _too_long(most: int) -> str:
    return f"it is longer than {most >> 20} MiB" if most >> 20 else f"it is longer than {most} bytes"


def checksummed(text: bytes) -> bytes:
    """Return the text as a line that begins with its CRC-32."""
    return b"%08x %b\n" % (crc32(text), text)


def content_of(line: bytes) -> bytes | None:
    """Return the text in a line that `checksummed` made; None if the line is damaged.

    `line`: the line without its line end.
    """
    return line[9:] if line[:9] == b"%08x " % crc32(line[9:]) else None


class Folder:
    """An open directory. Its methods take names of files in it, not paths."""

    def __init__(self, path: Path, *, follow: bool = False) -> None:
        """Open the directory; `follow`: it may be a link. Raises OSError."""
        self.path = path
        if not follow and path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link, allowed is a folder")
        self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def names(self, most: int = MOST_NAMES) -> Iterator[str]:
        """Yield the names of the first `most` entries, in no particular order."""
        with os.scandir(self._fd) as entries:
            for entry, _ in zip(entries, range(most), strict=False):
                yield entry.name

    def read(self, name: str, most: int) -> bytes:
        """Return a file's content. Raises the errors of `read_regular`."""
        return read_regular(name, most, self._fd)

    def files(self, most: int) -> Iterator[tuple[str, os.stat_result]]:
        """Yield name and stat result of the first `most` entries. Links are not followed."""
        with os.scandir(self._fd) as entries:
            for entry, _ in zip(entries, range(most), strict=False):
                with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
                    yield entry.name, entry.stat(follow_symlinks=False)

    def lock(self) -> None:
        """Lock the folder until it is closed. Waits for other processes' locks."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)

    def sync(self) -> None:
        """Sync the folder, so that its list of files survives a power cut. Raises OSError.

        Call it after creating, renaming or removing a file.
        """
        os.fsync(self._fd)

    def remove(self, name: str) -> None:
        """Remove a file. Raises OSError."""
        os.unlink(name, dir_fd=self._fd)

    def is_directory(self, name: str) -> bool:
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_mode)
        except OSError:
            return False

    def write(self, name: str, data: bytes | None, mode: int = 0o666) -> None:
        """Replace a file atomically. data None: only check that it can be written.

        If the file cannot be written, raises OSError and changes nothing.
        """
        part = f"{name}.part"
        try:
            with os.fdopen(self._begin(part, mode), "wb") as file:
                file.write(data or b"")
                file.flush()
                os.fsync(file.fileno())
            if data is not None:
                os.replace(part, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
                os.fsync(self._fd)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(part, dir_fd=self._fd)

    def append(self, name: str, data: bytes) -> None:
        """Append to a file in one write, without waiting for the disk. Raises OSError."""
        fd = os.open(name, _APPEND, 0o666, dir_fd=self._fd)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)

    def _begin(self, name: str, mode: int) -> int:
        """Create and open a file, removing a leftover file or link of that name."""
        try:
            return os.open(name, _WRITE, mode, dir_fd=self._fd)
        except FileExistsError:
            os.unlink(name, dir_fd=self._fd)
            return os.open(name, _WRITE, mode, dir_fd=self._fd)


def rewrite(path: Path, data: bytes) -> None:
    """Replace a file atomically, keeping its mode. Raises OSError."""
    with Folder(path.parent, follow=True) as folder:
        folder.write(path.name, data, stat.S_IMODE(path.stat().st_mode))


def make_folder(path: Path) -> None:
    """Create a folder if it is missing, and sync its parent. Raises OSError."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        with Folder(path.parent, follow=True) as above:
            above.sync()


def read_small(path: Path, usual: _Kind) -> _Kind:
    """Decode a JSON file into the type of `usual`. If there is no usable file, return `usual`.

    A file that cannot be read is renamed, so that it is not lost and does not prevent the start.
    """
    try:
        return msgspec.json.decode(read_regular(path, SMALL_BYTES), type=type(usual))
    except FileNotFoundError:
        return usual
    except Exception as error:  # a damaged file can raise any error
        set_aside(path, error)
        return usual


def set_aside(path: Path, why: Exception) -> None:
    """Rename an unusable file, for example to phones-damaged-1.json, and log why. Never raises."""
    reason = getattr(why, "strerror", None) or str(why) or type(why).__name__
    names = (path.with_name(f"{path.stem}-damaged-{number}{path.suffix}") for number in range(1, MOST_NAMES))
    kept = next((name for name in names if not os.path.lexists(name)), path)
    try:
        path.rename(kept)
    except OSError as error:
        LOG.warning("%s cannot be used (%s), nor renamed (%s); the defaults apply", path, reason, error.strerror)
    else:
        LOG.warning("%s cannot be used (%s); it is kept as %s, and the defaults apply", path, reason, kept.name)


def free_for_file(path: Path) -> None:
    """Rename anything at this path that is not a regular file. Never raises."""
    with contextlib.suppress(OSError):
        if not stat.S_ISREG(path.lstat().st_mode):
            set_aside(path, OSError(errno.EINVAL, "it is no regular file"))


def write_small(path: Path, document: object) -> None:
    """Write a JSON file atomically, readable by its owner only. Raises OSError."""
    with Folder(path.parent, follow=True) as folder:
        folder.write(path.name, msgspec.json.encode(document), 0o600)
