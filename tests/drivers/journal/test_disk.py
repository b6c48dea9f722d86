"""The journal when the process is killed, and when the disk is full, read-only, late or fails."""

from __future__ import annotations

import errno
import logging
import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.core.model.events import Tick
from referee.core.presses.signals import Edge
from referee.drivers.journal.file import JournalFile, entry_of
from referee.drivers.journal.read import read_match, recover
from referee.drivers.journal.writer import (
    JournalRow,
)
from tests.drivers.journal.desk import CHILD, EVENING, OPENED, PATIENCE_S, Desk, child, filled, kill, marks

# -- kill -9 -----------------------------------------------------------------------------------------------------------


def test_what_was_reported_durable_survives_kill_9(path: Path) -> None:
    """Killed at random moments, five times on the same file, a writer's reported rows are all there, appends whole."""
    chance, reported = random.Random(9), 0
    for _ in range(5):
        process = child(CHILD, path)
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 120)):
            reported = int(process.stdout.readline())
        reported = max([reported, *map(int, kill(process))])
        found = recover(path)
        assert [seq for seq, _ in found.rows] == list(range(1, found.next_seq))
        assert found.next_seq > reported
        assert (found.next_seq - 2) % 3 == 0
        assert all(event.t_ns == seq for seq, event in found.rows if isinstance(event, Edge))


# -- trouble with the disk ---------------------------------------------------------------------------------------------


def test_a_full_disk_loses_nothing_while_we_live(desk: Desk, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Rows are kept while nothing can be saved, the reason is told and logged once, and then all go out in order."""
    caplog.set_level(logging.WARNING)
    desk.journal.append(EVENING[:3])
    desk.until_durable(3)
    desk.fault = sqlite3.OperationalError("database or disk is full")
    for row in EVENING[3:]:
        desk.journal.append([row])
    status = desk.until_failing()
    assert status.reason == "database or disk is full"
    assert str(desk.journal.status()).startswith("not saved: database or disk is full; ")
    for _ in range(3):
        desk.at_gate.clear()
        desk.journal.nudge()
        assert desk.at_gate.wait(PATIENCE_S)
    assert desk.journal.durable_seq == 3
    assert desk.journal.progressing(10**12)
    desk.fault = None
    desk.journal.nudge()
    desk.until_durable(9)
    assert list(recover(path).rows) == EVENING
    assert [mark[:4] for mark in marks(path)] == [("late", 3, 9, "database or disk is full")]
    assert read_match(path, 1).marks[0].kind == "late"
    assert [record.message for record in caplog.records] == [
        "journal lost: database or disk is full",
        "journal is back",
    ]


def test_closing_tries_once_more(desk: Desk, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """At the end one last try is made; what it saves is saved, and what it cannot is counted in the log."""
    desk.fault = OSError(errno.EIO, "Input/output error")
    desk.journal.append(EVENING)
    desk.until_failing()
    desk.fault = None
    assert desk.journal.close()
    assert list(recover(path).rows) == EVENING

    again = Desk(path)
    again.fault = OSError(errno.EIO, "Input/output error")
    again.journal.append([(10, Tick(80))])
    assert not again.journal.close()
    assert "1 rows were never saved" in caplog.text


FULL = """
import resource, sys, threading
from pathlib import Path
from referee.core.model.events import Linked, Opened
from referee.drivers.journal.writer import Journal

told = threading.Event()
journal = Journal(Path(sys.argv[1]), "boot-1", report=lambda seq: told.set())
journal.append([(1, Opened(0, "boot-1", {}))])
assert told.wait(20)
unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, unlimited[1]))
told.clear()
journal.append([(seq, Linked(seq, "x" * 1000, True)) for seq in range(2, 1002)])
assert told.wait(20)
print(journal.status().kind, journal.durable_seq, flush=True)
assert sys.stdin.readline() == "room\\n"
resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
journal.nudge()
print(journal.close(20), journal.durable_seq, flush=True)
"""


def test_a_real_limit_on_the_file_is_survived(path: Path) -> None:
    """With a file that the kernel lets grow no further, nothing of the batch is durable; with room again it all is."""
    process = child(FULL, path)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "failing 1\n"
    assert recover(path).next_seq == 2
    process.stdin.write("room\n")
    process.stdin.flush()
    assert process.communicate()[0] == "True 1001\n"
    assert recover(path).next_seq == 1002


DYING = FULL.split("assert sys.stdin")[0] + "sys.stdin.readline()"


def test_rows_that_died_with_the_process_leave_a_gap_mark(path: Path) -> None:
    """Killed while it could not save, a journal's successor finds out, says so once, and marks the place."""
    process = child(DYING, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "failing 1\n"
    kill(process)
    desk = Desk(path)
    assert "the last 1000 rows before the restart could not be saved and are lost" in desk.journal.take_recovered().note
    assert desk.journal.close()
    assert [mark[:3] for mark in marks(path)] == [("gap", 1, None)]
    assert Desk(path).journal.note == ""
    assert len(marks(path)) == 1


def test_a_commit_that_failed_but_reached_the_disk_is_not_written_twice(desk: Desk, path: Path) -> None:
    """Rows found on the disk after an error are taken for saved; writing them again would fail for ever."""

    def write_and_fail() -> None:
        desk.trick = None
        file = JournalFile(path, "boot-1")
        file.write([entry_of(seq, event, 0, 0, 0) for seq, event in EVENING[:6]])
        file.close()
        raise OSError(errno.EIO, "Input/output error")

    desk.trick = write_and_fail
    desk.journal.append(EVENING)
    desk.until_durable(9)
    assert list(recover(path).rows) == EVENING


def leave_a_log(path: Path, rows: list[JournalRow]) -> None:
    """Add rows as a process does that is killed before it can tidy up: they are in the log only."""
    file = JournalFile(path, "boot-1")
    file.write([entry_of(seq, event, 0, 0, 0) for seq, event in rows])
    parts = {f"{path}{tail}": Path(f"{path}{tail}").read_bytes() for tail in ("", "-wal", "-shm")}
    file.close()
    for name, content in parts.items():
        Path(name).write_bytes(content)


@pytest.fixture
def locked_room() -> Iterator[Path]:
    """A directory that can be read and not written, even if the tests run as root."""
    room = Path(tempfile.mkdtemp())
    was_root = os.geteuid() == 0
    if was_root:
        os.chown(room, 65534, 65534)
        os.seteuid(65534)
    yield room
    room.chmod(0o700)
    if was_root:
        os.seteuid(0)
    shutil.rmtree(room)


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_a_read_only_directory_stops_nobody(locked_room: Path, end: str) -> None:
    """The match found there goes on, rows wait in memory, and are saved behind the old ones once it can be written."""
    path = locked_room / "journal.db"
    filled(path, EVENING[:4] if end == "killed" else EVENING)
    if end == "killed":
        leave_a_log(path, EVENING[4:])
    locked_room.chmod(0o500)
    path.chmod(0o400)
    path.with_suffix(".lock").chmod(0o400)
    desk = Desk(path)
    assert desk.journal.status().kind == "failing"
    assert list(desk.journal.take_recovered().rows) == EVENING
    desk.journal.append([(10, Tick(80))])
    assert desk.journal.durable_seq == 9
    assert list(recover(path).rows) == EVENING
    locked_room.chmod(0o700)
    path.chmod(0o600)
    path.with_suffix(".lock").chmod(0o600)
    desk.journal.nudge()
    desk.until_durable(10)
    assert desk.journal.close()
    assert recover(path).rows == (*EVENING, (10, Tick(80)))


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_a_full_disk_at_the_start_stops_nobody(path: Path, end: str) -> None:
    """The match goes on where SQLite cannot make the log's index, as on a full disk; rows are saved when it can."""
    filled(path, EVENING[:4] if end == "killed" else EVENING)
    if end == "killed":
        leave_a_log(path, EVENING[4:])
    index = Path(f"{path}-shm")
    index.unlink(missing_ok=True)
    index.symlink_to("/nowhere/at/all")
    desk = Desk(path)
    assert desk.journal.status().kind == "failing"
    assert list(desk.journal.take_recovered().rows) == EVENING
    desk.journal.append([(10, Tick(80))])
    assert list(recover(path).rows) == EVENING
    index.unlink()
    desk.journal.nudge()
    desk.until_durable(10)
    assert desk.journal.close()
    assert recover(path).rows == (*EVENING, (10, Tick(80)))


def test_a_damaged_file_on_a_read_only_disk(locked_room: Path) -> None:
    """What can be neither read nor renamed is told, and the table plays on; with the disk back it is set aside."""
    path = locked_room / "journal.db"
    path.write_text("hello, I am no database " * 99)
    locked_room.chmod(0o500)
    desk = Desk(path)
    found = desk.journal.take_recovered()
    assert (found.rows, desk.journal.status().kind) == ((), "failing")
    assert found.note == f"{path} cannot be read: file is not a database"
    desk.journal.append(EVENING)
    locked_room.chmod(0o700)
    desk.journal.nudge()
    desk.until_durable(9)
    assert desk.journal.close()
    assert len(list(locked_room.glob("journal-damaged-*.db"))) == 1


def test_a_file_that_was_killed_in_a_rollback_transaction(path: Path) -> None:
    """Before WAL mode is on, a killed process leaves a rollback journal; it is rolled back, not taken for damage."""
    filled(path)
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; UPDATE edge SET t_ns = 0;")
    db.execute("INSERT INTO boot (uuid) VALUES (?)", ("x" * 100_000,))
    parts = {f"{path}{tail}": Path(f"{path}{tail}").read_bytes() for tail in ("", "-journal")}
    db.close()
    for name, content in parts.items():
        Path(name).write_bytes(content)
    assert list(Desk(path).journal.take_recovered().rows) == EVENING


def test_a_state_directory_that_comes_late(tmp_path: Path) -> None:
    """Started without its directory, the journal keeps the rows, and puts them behind what turns up there."""
    state = tmp_path / "state"
    state.write_text("not a directory")
    desk = Desk(state / "journal.db")
    assert desk.journal.status().kind == "failing"
    desk.journal.append([(1, OPENED), (2, Tick(6))])
    filled(tmp_path / "old" / "journal.db")
    state.unlink()
    (tmp_path / "old").rename(state)
    desk.journal.nudge()
    desk.until_durable(2)
    desk.journal.append([(3, Tick(7))])
    assert desk.journal.close()
    assert recover(state / "journal.db").rows == ((1, OPENED), (2, Tick(6)), (3, Tick(7)))
    assert list(read_match(state / "journal.db", 1).rows) == EVENING
