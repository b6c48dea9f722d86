"""Forty hostile layouts of a stick's folder "referee": links, pipes, devices, absurd sizes and contents."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

HUGE = 900 << 20
"""Bytes of a sparse file."""
Layout = Callable[[Path, str, Path], object]
"""Called with the stick's root, a match's file name there, and a file outside that must not change."""


def layouts() -> dict[str, Layout]:
    """Return every layout by its name."""
    return {
        **{f"the folder is {what}": partial(_as_folder, make) for what, make in _FOLDERS.items()},
        **{f"a match is {what}": partial(_as_file, make, "{}") for what, make in _FILES.items()},
        **{f"a part is {what}": partial(_as_file, make, "{}.part") for what, make in _FILES.items()},
        **{f"a match holds {what}": partial(_as_file, partial(_text, data), "{}") for what, data in _TEXTS.items()},
        "match and part are one file": _twins,
        "a thousand files are in the way": _crowd,
        "names are hard to print": _names,
    }


def everything(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return every path below it, with its kind and content, except files left by a reader of a journal."""

    def content(path: Path) -> bytes:
        if path.is_symlink():
            return os.fsencode(path.readlink())
        return path.read_bytes() if path.is_file() else b""

    found: Iterator[Path] = (path for path in sorted(root.rglob("*")) if not path.name.endswith((".db-shm", ".db-wal")))
    return {str(path.relative_to(root)): (stat.S_IFMT(path.lstat().st_mode), content(path)) for path in found}


def build(layout: Layout, root: Path, match: str, outside: Path) -> bool:
    """Build that layout; return whether this file system and user can have it."""
    with suppress(OSError, NotImplementedError):
        layout(root, match, outside)
        return True
    return False


def _as_folder(make: Callable[[Path, Path], object], root: Path, match: str, outside: Path) -> None:
    make(root / "referee", outside)


def _as_file(make: Callable[[Path, Path], object], name: str, root: Path, match: str, outside: Path) -> None:
    (root / "referee").mkdir()
    make(root / "referee" / name.format(match), outside)


def _sparse(path: Path, outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


def _socket(path: Path, outside: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as there:
            there.bind(f"/proc/self/fd/{folder}/{path.name}")  # its whole path may be too long for an address
    finally:
        os.close(folder)


def _device(kind: int, major: int, minor: int, path: Path, outside: Path) -> None:
    os.mknod(path, kind | 0o666, os.makedev(major, minor))


def _full(path: Path, outside: Path) -> None:
    path.mkdir()
    (path / "inside").write_text("x")


def _locked(path: Path, outside: Path) -> None:
    path.write_text("{}")
    path.chmod(0)


def _shut(path: Path, outside: Path) -> None:
    path.mkdir()
    path.chmod(0)


def _text(data: bytes, path: Path, outside: Path) -> None:
    path.write_bytes(data)


def _twins(root: Path, match: str, outside: Path) -> None:
    (root / "referee").mkdir()
    (root / "referee" / match).write_text("{}")
    os.link(root / "referee" / match, root / "referee" / f"{match}.part")


def _crowd(root: Path, match: str, outside: Path) -> None:
    (root / "referee").mkdir()
    for number in range(1000):
        (root / "referee" / f"match-{number}.json.part").symlink_to(outside)


def _names(root: Path, match: str, outside: Path) -> None:
    (root / "referee").mkdir()
    for name in (b"match-\n.json", b"match-\xff.json", b"match-\x1b[2J.json", b"match-" + b"x" * 240 + b".json"):
        with os.fdopen(os.open(os.fsencode(root / "referee") + b"/" + name, os.O_WRONLY | os.O_CREAT), "wb") as file:
            file.write(b"{}")


_LINKS: dict[str, Callable[[Path, Path], object]] = {
    "a link to a file outside": lambda path, outside: path.symlink_to(outside),
    "a relative link out": lambda path, outside: path.symlink_to(os.path.relpath(outside, path.parent)),
    "a link to a folder outside": lambda path, outside: path.symlink_to(outside.parent),
    "a link to nowhere": lambda path, outside: path.symlink_to(outside.parent / "made"),
    "a link to itself": lambda path, outside: path.symlink_to(path.name),
}
_OTHERS: dict[str, Callable[[Path, Path], object]] = {
    "a pipe": lambda path, outside: os.mkfifo(path),
    "a socket": _socket,
    "an endless device": partial(_device, stat.S_IFCHR, 1, 5),
    "a disk": partial(_device, stat.S_IFBLK, 7, 0),
}
_FOLDERS = _LINKS | _OTHERS | {"a file": lambda path, outside: path.write_text("x"), "shut": _shut}
_FILES = _LINKS | _OTHERS | {"sparse and huge": _sparse, "a full folder": _full, "not to be read": _locked}
_TEXTS = {
    "a hundred thousand brackets": b"[" * 100_000,
    "an infinite number": b'{"format": 1e999}',
    "no text": b"\xff\xfe\x00" * 1000,
}
