"""Take a .deb apart without Debian's tools, for tests of its content."""

from __future__ import annotations

import io
import lzma
import tarfile
from typing import NamedTuple


class Package(NamedTuple):
    """description: its fields; control: its scripts and lists.

    contents: the installed files by absolute path.
    """

    description: dict[str, str]
    control: dict[str, bytes]
    contents: dict[str, bytes]
    entries: list[tarfile.TarInfo]


def members(package: bytes) -> dict[str, bytes]:
    """Return the members of an ar archive."""
    assert package[:8] == b"!<arch>\n"
    found, at = {}, 8
    while at < len(package):
        head = package[at : at + 60].decode("ascii")
        assert head[58:] == "`\n"
        size = int(head[48:58])
        found[head[:16].rstrip()] = package[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    return found


def taken_apart(package: bytes) -> Package:
    """Return everything in the package."""
    parts = members(package)
    assert list(parts) == ["debian-binary", "control.tar.xz", "data.tar.xz"]
    assert parts["debian-binary"] == b"2.0\n"
    control, control_entries = _unpacked(parts["control.tar.xz"])
    contents, entries = _unpacked(parts["data.tar.xz"])
    lines = control["/control"].decode().splitlines()
    fields = dict(line.split(": ", 1) for line in lines if not line.startswith(" "))
    named = {name[1:]: data for name, data in control.items()}
    return Package(fields, named, contents, [*control_entries, *entries])


def _unpacked(packed: bytes) -> tuple[dict[str, bytes], list[tarfile.TarInfo]]:
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(packed))) as tar:
        entries = tar.getmembers()
        files = {}
        for entry in entries:
            content = tar.extractfile(entry)
            if content is not None:
                files[entry.name.removeprefix(".")] = content.read()
    return files, entries
