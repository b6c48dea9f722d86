"""A disk as it is after a power cut, from the record of what was done to it; and what the journal makes of that.

The model. What a file held at its last sync is there. Of what was written, or cut, since then anything may be missing,
and of each write any sectors of 512 bytes. Names (made, renamed, removed) are on the disk up to the folder's last sync;
of those since then the first so many, as every journalling file system keeps them in order.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from referee.core.model.events import Event
from referee.core.stored import decode, to_document
from referee.drivers.journal.chain import without_names
from referee.drivers.journal.file import connect_to_read
from referee.drivers.journal.lines import lines
from referee.drivers.journal.season_rows import unpack
from referee.drivers.journal.seasons import beside, blocks, verify
from referee.drivers.journal.writer import Journal
from tests.drivers.journal.cuts.evening import BOOT

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
SECTOR = 512
_HEAD = struct.Struct("=cQqII")
_ACKS = "acks"


class Op(NamedTuple):
    """One record of `recorder.c`; see there."""

    kind: str
    inode: int
    offset: int
    one: bytes
    two: bytes


class Recording(NamedTuple):
    """What was done, in order, and every row that was handed to the journal, as text, by its number on the disk."""

    ops: list[Op]
    rows: dict[int, Any]


def compiler() -> str | None:
    """The C compiler that the recorder needs; None where there is none."""
    return shutil.which("cc") or shutil.which("gcc")


def recorded(rows: int) -> Recording:
    """The evening, lived through by a child under the recorder."""
    with tempfile.TemporaryDirectory() as name:
        there = Path(name).resolve()
        folder, library, log = there / "state", there / "recorder.so", there / "log"
        folder.mkdir()
        build = [
            str(compiler()),
            "-O1",
            "-shared",
            "-fPIC",
            "-o",
            str(library),
            str(HERE / "recorder.c"),
            "-ldl",
            "-pthread",
        ]
        subprocess.run(build, check=True)
        environ = {"LD_PRELOAD": str(library), "RECORD_FOLDER": str(folder), "RECORD_TO": str(log)}
        given = [str(folder), str(there / "rows"), str(folder / _ACKS), str(rows)]
        line = [sys.executable, "-m", "tests.drivers.journal.cuts.evening", *given]
        subprocess.run(line, cwd=ROOT, env={**os.environ, **environ}, check=True, stderr=subprocess.DEVNULL)
        texts = json.loads((there / "rows").read_text())
        return Recording(
            list(_ops(log.read_bytes())), {int(seq): nameless(decode(text)) for seq, text in texts.items()}
        )


def _ops(log: bytes) -> Iterator[Op]:
    at = 0
    while at < len(log):
        kind, inode, offset, one, two = _HEAD.unpack_from(log, at)
        at += _HEAD.size
        yield Op(kind.decode(), inode, offset, log[at : at + one], log[at + one : at + one + two])
        at += one + two


def nameless(event: Event) -> Any:
    """The event as a document in which all names are one."""
    return without_names(to_document(event), lambda name: 0)


# -- the disk ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _File:
    """What is sure, and what was done since."""

    synced: bytearray = field(default_factory=bytearray)
    since: list[Op] = field(default_factory=list)


@dataclass(slots=True)
class Disk:
    """Files by inode, names as they are sure, and what was done to names since; rows that are said to be durable."""

    files: dict[int, _File] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    since: list[Op] = field(default_factory=list)
    acks: int = 0
    durable: int = 0

    def do(self, op: Op) -> None:
        """One step of the recording."""
        if op.inode == self.acks != 0 or (op.kind == "C" and op.one == _ACKS.encode()):
            self.acks = op.inode
            self.durable = max(self.durable, int(op.one)) if op.kind == "W" else self.durable
        elif op.kind in "WT":
            self.files.setdefault(op.inode, _File()).since.append(op)
        elif op.kind == "S" and op.inode in self.files:
            file = self.files[op.inode]
            for done in file.since:
                _apply(file.synced, done)
            file.since.clear()
        elif op.kind == "D":
            for done in self.since:
                _name(self.names, done)
            self.since.clear()
        elif op.kind in "CRU":
            if op.kind == "C":
                self.files[op.inode] = _File()
            self.since.append(op)

    def cut(self, folder: Path, chance: random.Random) -> None:
        """Write down what a power cut at this place may leave."""
        names = dict(self.names)
        for op in self.since[: chance.randint(0, len(self.since))]:
            _name(names, op)
        kept = chance.choice((0.0, 0.3, 0.7, 1.0, 1.0))
        contents = {inode: self._content(inode, chance, kept) for inode in sorted(set(names.values()))}
        for name, inode in names.items():
            (folder / name).write_bytes(contents[inode])

    def _content(self, inode: int, chance: random.Random, kept: float) -> bytes:
        file = self.files[inode]
        content = bytearray(file.synced)
        for op in file.since:
            if chance.random() < kept:
                _apply(content, op)
            elif op.kind == "W" and chance.random() < 0.5:
                for start in range(0, len(op.one), SECTOR):
                    if chance.random() < 0.5:
                        _apply(content, op._replace(offset=op.offset + start, one=op.one[start : start + SECTOR]))
        return bytes(content)


def _apply(content: bytearray, op: Op) -> None:
    if op.kind == "W":
        content.extend(bytes(max(op.offset - len(content), 0)))
        content[op.offset : op.offset + len(op.one)] = op.one
    else:
        del content[op.offset :]
        content.extend(bytes(op.offset - len(content)))


def _name(names: dict[str, int], op: Op) -> None:
    name = op.one.decode()
    if op.kind == "C":
        names[name] = op.inode
    elif op.kind == "R" and name in names:
        names[op.two.decode()] = names.pop(name)
    elif op.kind == "U":
        names.pop(name, None)


# -- what comes of it --------------------------------------------------------------------------------------------------


def missing(folder: Path, recording: Recording, durable: int) -> list[int]:
    """The numbers of rows that were durable and are not there, as they were, once the journal has been opened."""
    path = folder / "journal.db"
    journal = Journal(path, BOOT, opening_s=60.0)
    assert journal.close(60.0)
    found: dict[int, Any] = {}
    with closing(connect_to_read(path)) as db:
        for line in lines(db):
            if line.event is not None and not line.trouble:
                found[line.seq] = nameless(line.event)
        for block in blocks(beside(path)):
            if verify(beside(path), [block]):  # torn before it was synced: the rows must be in the journal still
                continue
            with closing(unpack(beside(path), block, db)) as memory:
                for line in lines(memory):
                    if line.event is not None and not line.trouble:
                        found.setdefault(line.seq, nameless(line.event))
    return [seq for seq, event in recording.rows.items() if seq <= durable and found.get(seq) != event]


def campaign(cuts: int, rows: int, seed: int) -> int:
    """So many cuts, spread over the recording; how many of them lost a row. What is lost is printed."""
    chance = random.Random(seed)
    recording = recorded(rows)
    places = sorted(chance.choices(range(len(recording.ops) + 1), k=cuts))
    disk, done, bad = Disk(), 0, 0
    for place in places:
        while done < place:
            disk.do(recording.ops[done])
            done += 1
        with tempfile.TemporaryDirectory() as name:
            disk.cut(Path(name), chance)
            try:
                lost = missing(Path(name), recording, disk.durable)
            except Exception as error:  # a journal that does not open, or cannot be read any more
                lost, told = [0], repr(error)
            else:
                told = f"{len(lost)} of {disk.durable} rows, the first {lost[:3]}"
        if lost:
            bad += 1
            print(f"cut behind step {place} of {len(recording.ops)}: {told}", flush=True)  # noqa: T201
    assert any(op.kind == "C" and op.one == b"seasons.pack" for op in recording.ops), "nothing was packed"
    kinds = {kind: sum(op.kind == kind for op in recording.ops) for kind in "CWTSDRU"}
    print(f"{cuts} cuts in {len(recording.ops)} steps {kinds}: {bad} lost a row that was durable")  # noqa: T201
    return bad
