"""A .deb file by deb(5), byte for byte the same each time, without Debian's tools.

Theory of operation. A .deb is an ar(1) archive of three members: its format's number, the package's description
with its scripts, and the files to install, both as tar archives. Everything in it belongs to root and has the same
time, and names are sorted, so the bytes depend only on contents and time.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import tarfile
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

EXECUTABLE = 0o755
PRESET = 6
"""Effort of the compression, 0 to 9."""


class Member(NamedTuple):
    """A file to be installed."""

    data: bytes
    mode: int = 0o644


def deb(control: Mapping[str, Member], contents: Mapping[str, Member], epoch_s: int) -> bytes:
    """Return the package.

    control: its description and scripts by name; contents: files by their absolute path; epoch_s: the time of
    everything in it, s since 1970.
    """
    sums = "".join(f"{hashlib.md5(contents[path].data).hexdigest()}  {path[1:]}\n" for path in sorted(contents))
    control = {**control, "md5sums": Member(sums.encode())}
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": _pack({f"/{name}": member for name, member in control.items()}, epoch_s),
        "data.tar.xz": _pack(contents, epoch_s),
    }
    return b"!<arch>\n" + b"".join(_member(name, data, epoch_s) for name, data in members.items())


def _member(name: str, data: bytes, epoch_s: int) -> bytes:
    """A member of an ar archive, padded to an even length."""
    head = f"{name:<16}{epoch_s:<12}{0:<6}{0:<6}{0o100644:<8o}{len(data):<10}`\n"
    return head.encode() + data + b"\n" * (len(data) % 2)


def _pack(files: Mapping[str, Member], epoch_s: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        folders = {str(folder) for path in files for folder in PurePosixPath(path).parents}
        for path in sorted({*folders, *files}):
            member = files.get(path)
            entry = tarfile.TarInfo("." + path if path != "/" else ".")
            entry.mtime, entry.uname, entry.gname = epoch_s, "root", "root"
            if member is None:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
            else:
                entry.size, entry.mode = len(member.data), member.mode
                tar.addfile(entry, io.BytesIO(member.data))
    return lzma.compress(out.getvalue(), check=lzma.CHECK_CRC32, preset=PRESET)
