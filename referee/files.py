"""Files that other people and programs may have put in place: on a stick, in a folder, in the state directory.

Nothing there is trusted. A link is not followed, a pipe does not block, and only a regular file of an allowed size is
read. A file is written under a new name first, and then takes the place of whatever had its name.
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
"""Entries of a folder that are looked at."""
SMALL_BYTES = 1 << 20
"""A small file of the state directory is at most so long; the longest that we write has a quarter of it."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_Kind = TypeVar("_Kind")


def read_regular(path: Path | str, most: int, folder: int | None = None) -> bytes:
    """Return the content of a regular file of at most `most` bytes. OSError in plain words for anything else.

    `folder`: the descriptor of an open directory that a relative path begins at.
    """
    _check(os.stat(path, dir_fd=folder, follow_symlinks=False), most)  # a device would act on being opened
    with os.fdopen(os.open(path, _READ, dir_fd=folder), "rb") as file:
        _check(os.fstat(file.fileno()), most)
        data = file.read(most + 1)
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
    """The text as a line, with its CRC-32 before it."""
    return b"%08x %b\n" % (crc32(text), text)


def content_of(line: bytes) -> bytes | None:
    """The text of a line without its end; None where the checksum is wrong."""
    return line[9:] if line[:9] == b"%08x " % crc32(line[9:]) else None


class Folder:
    """An open directory. Names are looked up in it and never lead out of it."""

    def __init__(self, path: Path, *, follow: bool = False) -> None:
        """Open it; `follow`: the path may be a link. OSError."""
        self.path = path
        if not follow and path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link, allowed is a folder")
        self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def names(self, most: int = MOST_NAMES) -> Iterator[str]:
        """The names of its first `most` entries, in no order."""
        with os.scandir(self._fd) as entries:
            for entry, _ in zip(entries, range(most), strict=False):
                yield entry.name

    def read(self, name: str, most: int) -> bytes:
        """Return the content of that file. OSError as for `read_regular`."""
        return read_regular(name, most, self._fd)

    def files(self, most: int) -> Iterator[tuple[str, os.stat_result]]:
        """The names of its first `most` entries, each with what it is; a link is not followed."""
        with os.scandir(self._fd) as entries:
            for entry, _ in zip(entries, range(most), strict=False):
                with contextlib.suppress(FileNotFoundError):  # it has just been removed
                    yield entry.name, entry.stat(follow_symlinks=False)

    def lock(self) -> None:
        """Wait until no other process has the folder locked, and lock it until it is closed."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)

    def sync(self) -> None:
        """Make durable which names are in the folder. OSError."""
        os.fsync(self._fd)

    def remove(self, name: str) -> None:
        """Remove a file of that name. OSError."""
        os.unlink(name, dir_fd=self._fd)

    def is_directory(self, name: str) -> bool:
        """Whether a directory has that name."""
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_mode)
        except OSError:
            return False

    def write(self, name: str, data: bytes | None, mode: int = 0o666) -> None:
        """Write that file whole; None: only try it, and change nothing. OSError, and all is as it was."""
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
        """Add to the end of a file, in one write that is not synced. OSError."""
        fd = os.open(name, _APPEND, 0o666, dir_fd=self._fd)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)

    def _begin(self, name: str, mode: int) -> int:
        """A new file of that name, open; one that a cut left there, or a link, is removed first."""
        try:
            return os.open(name, _WRITE, mode, dir_fd=self._fd)
        except FileExistsError:
            os.unlink(name, dir_fd=self._fd)
            return os.open(name, _WRITE, mode, dir_fd=self._fd)


def make_folder(path: Path) -> None:
    """Make a folder where there is none, and wait for the disk. OSError."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        with Folder(path.parent, follow=True) as above:
            above.sync()


def read_small(path: Path, usual: _Kind) -> _Kind:
    """Return the document in that JSON file, which has the type of `usual`; without a file, `usual`.

    A file that holds no such document is set aside, so that it is not lost and does not keep the device from starting.
    """
    try:
        return msgspec.json.decode(read_regular(path, SMALL_BYTES), type=type(usual))
    except FileNotFoundError:
        return usual
    except Exception as error:  # a damaged file can hold anything
        set_aside(path, error)
        return usual


def set_aside(path: Path, why: Exception) -> None:
    """Rename a file that cannot be used, and log why. Never raises."""
    reason = getattr(why, "strerror", None) or str(why) or type(why).__name__
    names = (path.with_name(f"{path.stem}-damaged-{number}{path.suffix}") for number in range(1, MOST_NAMES))
    kept = next((name for name in names if not os.path.lexists(name)), path)
    try:
        path.rename(kept)
    except OSError as error:
        LOG.warning("%s cannot be used (%s), nor set aside (%s); the defaults hold", path, reason, error.strerror)
    else:
        LOG.warning("%s cannot be used (%s); it is kept as %s, and the defaults hold", path, reason, kept.name)


def free_for_file(path: Path) -> None:
    """Set aside what has that name and is no regular file, so that one can be opened or made there. Never raises."""
    with contextlib.suppress(OSError):
        if not stat.S_ISREG(path.lstat().st_mode):
            set_aside(path, OSError(errno.EINVAL, "it is no regular file"))


def write_small(path: Path, document: object) -> None:
    """Write a JSON file that its owner alone may read, whole or not at all. OSError."""
    with Folder(path.parent, follow=True) as folder:
        folder.write(path.name, msgspec.json.encode(document), 0o600)
