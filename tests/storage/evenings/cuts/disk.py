"""Rebuild a disk after a power cut from the record of its operations, and check the next start.

The model. The content of a file at its last sync is kept. Of later writes and truncations any may be missing, and of
each write any sectors of 512 bytes. Names in a folder (made, renamed, removed) are on the disk up to that folder's last
sync; of later changes the first ones, since every journalling file system keeps their order.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from referee.core.model.events import Opened, Tick
from referee.storage.evenings.folder import evenings_in, find_latest, names, path_of, read_bytes
from referee.storage.evenings.rows import read_tape
from referee.storage.evenings.writer import Journal, JournalRow
from referee.storage.records.store import Records
from tests.storage.evenings.cuts.evening import ACKS, BOOT, rows_of
from tests.storage.evenings.memory import status_of
from tests.storage.records.test_store import match

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
SECTOR = 512
_HEAD = struct.Struct("=cQqII")


class Op(NamedTuple):
    """One record of `recorder.c`; see there."""

    kind: str
    inode: int
    offset: int
    one: bytes = b""
    two: bytes = b""


def compiler() -> str | None:
    """Return the C compiler that the recorder needs, or None."""
    return shutil.which("cc") or shutil.which("gcc")


def recorded(rows: int) -> list[Op]:
    """Return the operations, in order, of a child that ran the evenings under the recorder."""
    with tempfile.TemporaryDirectory() as name:
        there = Path(name).resolve()
        state, library, log = there / "state", there / "recorder.so", there / "log"
        state.mkdir()
        options = ["-O1", "-shared", "-fPIC", "-o", library, HERE / "recorder.c", "-ldl", "-pthread"]
        subprocess.run([str(compiler()), *map(str, options)], check=True)
        environ = {"LD_PRELOAD": str(library), "RECORD_FOLDER": str(state), "RECORD_TO": str(log)}
        command = [sys.executable, "-m", "tests.storage.evenings.cuts.evening", str(state), str(rows)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, check=True, stderr=subprocess.DEVNULL)
        return list(_ops(log.read_bytes()))


def _ops(log: bytes) -> Iterator[Op]:
    at = 0
    while at < len(log):
        kind, inode, offset, one, two = _HEAD.unpack_from(log, at)
        at += _HEAD.size
        yield Op(kind.decode(), inode, offset, log[at : at + one], log[at + one : at + one + two])
        at += one + two


# -- the disk ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _File:
    """The synced content, and the operations since."""

    synced: bytearray = field(default_factory=bytearray)
    since: list[Op] = field(default_factory=list)

    def sync(self) -> None:
        for op in self.since:
            _apply(self.synced, op)
        self.since.clear()

    def cut(self, chance: random.Random, kept: float) -> bytes:
        content = bytearray(self.synced)
        for op in self.since:
            if chance.random() < kept:
                _apply(content, op)
            elif op.kind == "W" and chance.random() < 0.5:
                for start in range(0, len(op.one), SECTOR):
                    if chance.random() < 0.5:
                        _apply(content, op._replace(offset=op.offset + start, one=op.one[start : start + SECTOR]))
        return bytes(content)


@dataclass(slots=True)
class Disk:
    """Files by inode, synced names (None: a folder), later changes of names, and acknowledged rows.

    evenings: id -> number of the last durable row. records: match -> hands.
    """

    files: dict[int, _File] = field(default_factory=dict)
    names: dict[str, _File | None] = field(default_factory=dict)
    since: dict[str, list[tuple[Op, _File | None]]] = field(default_factory=dict)
    acks: int = 0
    evenings: dict[int, int] = field(default_factory=dict)
    records: dict[int, int] = field(default_factory=dict)

    def do(self, op: Op) -> None:
        """Apply one step of the recording."""
        if op.inode == self.acks != 0 or (op.kind == "C" and op.one == ACKS.encode()):
            self.acks = op.inode
            if op.kind == "W":
                kind, number, reached = op.one.split()
                (self.evenings if kind == b"E" else self.records)[int(number)] = int(reached)
        elif op.kind in "WT":
            self.files[op.inode].since.append(op)
        elif op.kind == "S":
            self.files[op.inode].sync()
        elif op.kind == "D":
            for done, file in self.since.pop(str(Path(op.one.decode())), ()):
                _name(self.names, done, file)
        else:
            if op.kind == "C":
                self.files[op.inode] = _File()  # the number of a removed file may be used again
            self.since.setdefault(str(Path(op.one.decode()).parent), []).append((op, self.files.get(op.inode)))

    def cut(self, folder: Path, chance: random.Random) -> None:
        """Write a possible state after a power cut at this place."""
        there = dict(self.names)
        for done in self.since.values():
            for op, file in done[: chance.randint(0, len(done))]:
                _name(there, op, file)
        kept = chance.choice((0.0, 0.3, 0.7, 1.0, 1.0))
        for name, file in sorted(there.items(), key=lambda one: one[0]):
            if file is None:
                (folder / name).mkdir()
            elif (folder / name).parent.is_dir():
                (folder / name).write_bytes(file.cut(chance, kept))


def _apply(content: bytearray, op: Op) -> None:
    if op.kind == "W":
        content.extend(bytes(max(op.offset - len(content), 0)))
        content[op.offset : op.offset + len(op.one)] = op.one
    else:
        del content[op.offset :]
        content.extend(bytes(op.offset - len(content)))


def _name(names: dict[str, _File | None], op: Op, file: _File | None) -> None:
    name = op.one.decode()
    if op.kind in "CM":
        names[name] = file
    elif op.kind == "R" and name in names:
        names[op.two.decode()] = names.pop(name)
    elif op.kind == "U":
        names.pop(name, None)


# -- checks after a cut ------------------------------------------------------------------------------------------------


def wrong(state: Path, disk: Disk, rows: list[JournalRow]) -> str:
    """Return what is wrong after a cut, at the next start and after it; "" if nothing."""
    return _lost_rows(state, disk, rows) or _lost_records(state, disk) or _next_start(state, disk)


def _lost_rows(state: Path, disk: Disk, rows: list[JournalRow]) -> str:
    found: dict[int, list[JournalRow]] = {}
    for name in names(evenings_in(state)):
        tape = read_tape(read_bytes(path_of(evenings_in(state), name)))
        found.setdefault(tape.id, []).extend(tape.rows)
    for evening, reached in disk.evenings.items():
        there = dict(found.get(evening, ()))
        lost = [seq for seq, event in rows[:reached] if there.get(seq) != event]
        if lost:
            return f"{len(lost)} of {reached} rows of evening {evening} are lost, the first {lost[:3]}"
    return ""


def _lost_records(state: Path, disk: Disk) -> str:
    records = Records(state)
    for number, hands in disk.records.items():
        if records.read(str(number)) not in [match(number, n) for n in (hands, hands + 1, hands + 3)]:
            return f"record {number} is neither the old one nor the new one"
    troubles = [one.trouble for one in records.list() if one.trouble]
    return "; ".join([*troubles, *records.find_damage()])


def _next_start(state: Path, disk: Disk) -> str:
    """Check that the journal opens, has the durable rows, and continues that evening or, after damage, another one."""
    latest = find_latest(evenings_in(state))
    journal = Journal(state, BOOT, opening_s=60.0)
    found = journal.take_recovered()
    last = found.rows[-1][0] if found.rows else 0
    more: list[JournalRow] = [(last + 1, Tick(1))]
    journal.append(more if last and not found.damaged else [(1, Opened(1, BOOT, {})), (2, Tick(1))])
    if not journal.close(60.0):
        return f"nothing can be saved any more: {status_of(journal)}"
    newest = max((evening for evening, reached in disk.evenings.items() if reached), default=0)
    if latest.tape.id < newest or (found.rows != latest.tape.rows):
        return f"evening {newest} is not gone on with, but {latest.tape.id}"
    after = find_latest(evenings_in(state)).tape
    if after.damaged or after.rows[-1] not in (*more, (2, Tick(1))):
        return f"the next start does not go on: {after.damaged}"
    return ""


def campaign(cuts: int, rows: int, seed: int) -> int:
    """Make cuts at places spread over the recording; print and count the faults."""
    chance = random.Random(seed)
    ops = recorded(rows)
    evening, disk, done, bad, damaged = rows_of(rows), Disk(), 0, 0, 0
    for place in sorted(chance.choices(range(len(ops) + 1), k=cuts)):
        for op in ops[done:place]:
            disk.do(op)
        done = place
        with tempfile.TemporaryDirectory() as name:
            disk.cut(Path(name), chance)
            damaged += bool(find_latest(evenings_in(Path(name))).tape.damaged)
            try:
                found = wrong(Path(name), disk, evening)
            except Exception as error:
                found = repr(error)
        if found:
            bad += 1
            print(f"cut behind step {place} of {len(ops)}: {found}", flush=True)  # noqa: T201
    kinds = dict(Counter(op.kind for op in ops))
    print(f"{cuts} cuts in {len(ops)} steps {kinds}: {bad} were wrong; {damaged} left torn lines")  # noqa: T201
    return bad
