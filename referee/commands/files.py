"""Write output files of commands: the whole file or nothing."""

from __future__ import annotations

from pathlib import Path

from referee.commands.owner import as_caller
from referee.commands.terminal import UsageError
from referee.storage.files import Folder


def check_place(asked: str, path: Path) -> None:
    """Raise UsageError if the file cannot be written. For use before long work starts.

    asked: command and option, such as "referee simulate: --plot", for the error's message.
    """
    write_whole(asked, path, None)


@as_caller()
def write_whole(asked: str, path: Path, data: bytes | None) -> None:
    """Write the whole file. If `data` is None, only check that it can be written.

    If it cannot be written, raise UsageError and change nothing. Terminals, pipes and devices are written to directly.
    """
    try:
        if not path.parent.is_dir():
            raise UsageError(f"{asked} {path}: the directory {path.parent} does not exist")
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
    """Write a file into an open folder, in place of a file of that name.

    If it cannot be written, raise UsageError and change nothing.
    """
    path = folder.path / name
    if folder.is_directory(name):
        raise UsageError(f"{asked} {path}: is a directory, allowed is a file that can be written")
    try:
        folder.write(name, data)
    except OSError as error:
        raise UsageError(f"{asked} {path}: cannot be written ({error.strerror or error})") from None
