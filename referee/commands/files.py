"""Files that a command is asked to write: whole or not at all, and one sentence where they cannot be."""

from __future__ import annotations

import contextlib
from pathlib import Path


def check_place(asked: str, path: Path) -> None:
    """UsageError where no such file can be written, before long work is begun. asked: command and option, for it."""
    write_whole(asked, path, None)


def write_whole(asked: str, path: Path, data: bytes | None) -> None:
    """The file with that content; None: as it was. UsageError where it cannot be written, and all is as it was.

    What is no file (a terminal, a pipe, /dev/null) gets the content as it comes, and stays what it is.
    """
    from referee.cli import UsageError

    try:
        if not path.parent.is_dir():
            raise UsageError(f"{asked} {path}: {path.parent} is given, allowed is a directory that is there")
        if path.is_dir():
            raise UsageError(f"{asked} {path}: is a directory, allowed is a file that can be written")
        if path.exists() and not path.is_file():
            path.write_bytes(data or b"")
        else:
            _write_beside(path, data)
    except OSError as error:
        raise UsageError(f"{asked} {path}: cannot be written ({error.strerror or error})") from None


def _write_beside(path: Path, data: bytes | None) -> None:
    """Into a file beside it, which then takes its place; None: which is removed. OSError."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data or b"")
        if data is not None:
            part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
