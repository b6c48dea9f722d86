"""Files that a command is asked to write: whole or not at all, and one sentence where they cannot be."""

from __future__ import annotations

from pathlib import Path

from referee.commands.owner import as_caller
from referee.commands.usage import UsageError
from referee.files import Folder


def check_place(asked: str, path: Path) -> None:
    """UsageError where no such file can be written, before long work is begun. asked: command and option, for it."""
    write_whole(asked, path, None)


@as_caller()
def write_whole(asked: str, path: Path, data: bytes | None) -> None:
    """The file with that content; None: as it was. UsageError where it cannot be written, and all is as it was.

    What is no file (a terminal, a pipe, /dev/null) gets the content as it comes, and stays what it is.
    """
    try:
        if not path.parent.is_dir():
            raise UsageError(f"{asked} {path}: {path.parent} is given, allowed is a directory that is there")
        if path.is_dir():
            raise UsageError(f"{asked} {path}: is a directory, allowed is a file that can be written")
        if path.exists() and not path.is_file():
            path.write_bytes(data or b"")
        else:
            with Folder(path.parent, follow=True) as folder:
                folder.write(path.name, data)
    except OSError as error:
        raise UsageError(f"{asked} {path}: cannot be written ({error.strerror or error})") from None


@as_caller()
def write_in(asked: str, folder: Folder, name: str, data: bytes) -> None:
    """Write a file of an open folder whole, whatever has its name there. UsageError, and all is as it was."""
    path = folder.path / name
    if folder.is_directory(name):
        raise UsageError(f"{asked} {path}: is a directory, allowed is a file that can be written")
    try:
        folder.write(name, data)
    except OSError as error:
        raise UsageError(f"{asked} {path}: cannot be written ({error.strerror or error})") from None
