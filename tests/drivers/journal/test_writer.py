"""The journal: what was reported durable is there, whatever happens to the process, the disk or the file."""

from __future__ import annotations

import errno
import itertools
import logging
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple

from referee.core.model.events import Began, Joined, Linked, Opened, Rematched, Ruled, Sealed, Tick
from referee.core.presses.arbiter import CalledPress, Verdict
from referee.core.presses.signals import Edge
from referee.core.stored.codec import CodecError
from referee.core.units import S
from referee.drivers.journal import file as journal_file
from referee.drivers.journal import schema as journal_schema
from referee.drivers.journal.carve import PAGES
from referee.drivers.journal.file import MIGRATIONS, Blemish, DamagedError, JournalFile, entry_of
from referee.drivers.journal.lines import wall_corrections
from referee.drivers.journal.read import matches, read_match, recover
from referee.drivers.journal.writer import (
    Journal,
    JournalBusy,
    JournalError,
    JournalRow,
    JournalTooNew,
    MemoryJournal,
    SaveStatus,
)

PATIENCE_S = 20.0
"""How long a test waits for something that is certain to come; only a broken journal lets it run out."""
OPENED = Opened(5, "boot-1", {"preset": "nna"})
CALLED = CalledPress("1", "1", 50, 2)
PAGE = PAGES[0]
EVENING: list[JournalRow] = [
    (1, OPENED),
    (2, Edge("1", True, 10, 3, 12)),
    (3, Joined(13, "1", "Ada")),
    (4, Edge("1", False, 20, 9, 21, "ab12:1", 4)),
    (5, Edge("knob", True, 30)),
    (6, Began(31)),
    (7, Tick(40)),
    (8, Ruled(60, Verdict("clear", False, ("1",), "1", 20, 99, (CALLED,), ((CALLED, True),), ()))),
    (9, Sealed(70, (("1", (28, 0)), ("2", (15, 4))))),
]


class Desk:
    """A journal under test, its reports, and a disk that stalls or fails at its commits on demand."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.reports: list[int] = []
        self.commits = 0
        self.fault: Exception | None = None
        self.trick: Callable[[], object] | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.at_gate = threading.Event()
        self._told = threading.Condition()
        self.journal = Journal(path, "boot-1", report=self._report, commit_hook=self._hook, **options)

    def _report(self, seq: int) -> None:
        with self._told:
            self.reports.append(seq)
            self._told.notify_all()

    def _hook(self) -> None:
        self.commits += 1
        self.at_gate.set()
        assert self.gate.wait(PATIENCE_S)
        if self.trick is not None:
            self.trick()
        if self.fault is not None:
            raise self.fault

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a report after which the condition holds."""
        with self._told:
            assert self._told.wait_for(condition, PATIENCE_S), self.journal.status()

    def until_durable(self, seq: int) -> None:
        self.until(lambda: self.journal.durable_seq == seq and self.journal.status().kind == "ok")

    def until_failing(self) -> SaveStatus:
        self.until(lambda: self.journal.status().kind == "failing")
        return self.journal.status()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal of this test is."""
    return tmp_path / "journal.db"


@pytest.fixture
def desk(path: Path) -> Iterator[Desk]:
    """A fresh journal."""
    made = Desk(path)
    yield made
    made.gate.set()
    made.fault = None
    made.journal.close()


def filled(path: Path, rows: list[JournalRow] = EVENING) -> None:
    """A journal with these rows, closed."""
    journal = Journal(path, "boot-1")
    journal.append(rows)
    assert journal.close()


def marks(path: Path) -> list[Blemish]:
    """What the journal says about its blemishes."""
    with sqlite3.connect(path) as db:
        found = db.execute("SELECT kind, after_seq, until_seq, reason, wall_s FROM mark ORDER BY id").fetchall()
    db.close()
    return [Blemish(*row) for row in found]


# -- writing and reading -----------------------------------------------------------------------------------------------


def test_rows_come_back_as_they_were(path: Path) -> None:
    """Edges and events come back equal and in one order, with the boot and the wall clock of the last one."""
    desk = Desk(path, wall=lambda: 1_800_000_000.9)
    desk.journal.append(EVENING[:4])
    desk.journal.append(EVENING[4:])
    desk.until_durable(9)
    assert desk.journal.close()
    found = recover(path)
    assert list(found.rows) == EVENING
    assert (found.boot, found.wall_s, found.note, found.next_seq) == ("boot-1", 1_800_000_000, "", 10)


def test_the_next_process_goes_on(path: Path) -> None:
    """A second journal gives the first one's rows once, is durable up to them, and continues their numbers."""
    filled(path)
    desk = Desk(path)
    assert list(desk.journal.take_recovered().rows) == EVENING
    assert desk.journal.take_recovered().rows == ()
    assert desk.journal.durable_seq == 9
    desk.journal.append([(10, Tick(80))])
    desk.until_durable(10)
    assert recover(path).rows == (*EVENING, (10, Tick(80)))
    assert desk.journal.close()


def test_an_empty_state_directory_is_a_fresh_start(tmp_path: Path) -> None:
    """The directory is made, there is nothing to recover, and nothing is durable."""
    path = tmp_path / "new" / "state" / "journal.db"
    assert recover(path).rows == ()
    desk = Desk(path)
    assert desk.journal.take_recovered().next_seq == 1
    assert (desk.journal.durable_seq, desk.journal.note, desk.journal.status()) == (0, "", SaveStatus())
    assert desk.journal.close()


def test_an_edge_row_has_a_column_for_each_field() -> None:
    """A field added to Edge without a migration of its table would be lost in silence; the chain has the last one."""
    db = sqlite3.connect(":memory:")
    journal_schema.migrate(db)
    columns = [name for _, name, *_ in db.execute("PRAGMA table_info(edge)")]
    assert columns == ["seq", "boot", *Edge.__struct_fields__, "link"]
    db.close()


def test_the_disk_is_synced_at_each_commit(path: Path) -> None:
    """WAL, synchronous=FULL and foreign keys are in force on the connection that writes."""
    file = JournalFile(path, "boot-1")
    pragmas = ("journal_mode", "synchronous", "foreign_keys")
    assert [file.db.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas] == ["wal", 2, 1]
    with pytest.raises(sqlite3.IntegrityError):
        file.db.execute(
            "INSERT INTO edge (seq, boot, station, closed, t_ns, err_ns, arrived_ns) VALUES (1, 99, '1', 1, 0, 0, 0)"
        )
    file.close()


def test_readers_see_what_is_durable_while_we_write(desk: Desk, path: Path) -> None:
    """`replay` may read the journal of a running referee, and sees every durable row and no other."""
    desk.journal.append(EVENING[:5])
    desk.until_durable(5)
    desk.gate.clear()
    desk.journal.append(EVENING[5:])
    assert list(recover(path).rows) == EVENING[:5]


# -- the thread --------------------------------------------------------------------------------------------------------


def test_append_does_not_wait_for_the_disk_and_commits_are_shared(desk: Desk) -> None:
    """While one commit hangs, a hundred appends return, and all of them share the next commit."""
    desk.gate.clear()
    desk.journal.append([(1, OPENED)])
    assert desk.at_gate.wait(PATIENCE_S)
    for seq in range(2, 102):
        desk.journal.append([(seq, Tick(seq))])
    assert desk.journal.durable_seq == 0
    desk.gate.set()
    desk.until_durable(101)
    assert desk.commits == 2
    assert desk.reports == [1, 101]


def test_a_stalled_disk_is_seen(path: Path) -> None:
    """During a stall the status counts the rows and says since when, and the watchdog is told after its time only."""
    clock = [1_000]
    desk = Desk(path, now=lambda: clock[0])
    desk.gate.clear()
    desk.journal.append(EVENING[:2])
    assert desk.at_gate.wait(PATIENCE_S)
    clock[0] = 1_300
    desk.journal.append(EVENING[2:3])
    assert desk.journal.status() == SaveStatus("waiting", 1_000, "", 3)
    assert str(desk.journal.status()) == "3 rows are being saved"
    assert desk.journal.progressing(300)
    assert not desk.journal.progressing(299)
    assert not desk.journal.close(timeout_s=0)
    desk.gate.set()
    assert desk.journal.close(PATIENCE_S)
    assert str(desk.journal.status()) == "everything is saved"
    assert not desk.journal.progressing(10**9)


def test_whoever_fails_at_a_report_does_not_stop_the_journal(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A report that raises, such as to a loop that has ended, is logged, and later rows are saved all the same."""

    def report(seq: int) -> None:
        raise RuntimeError("the loop is closed")

    journal = Journal(path, "boot-1", report=report)
    journal.append(EVENING[:3])
    journal.append(EVENING[3:])
    assert journal.close()
    assert "the loop is closed" in caplog.text
    assert list(recover(path).rows) == EVENING


def test_a_row_that_could_not_be_read_again_is_refused(desk: Desk) -> None:
    """Numbers that do not rise and values no journal can hold are refused at once, with all rows of that append."""
    desk.journal.append(EVENING[:3])
    refused: list[tuple[list[JournalRow], type[Exception]]] = [
        ([(3, Tick(1))], ValueError),
        ([(4, Tick(1)), (4, Tick(2))], ValueError),
        ([(4, Tick(1)), (5, Tick("1"))], CodecError),  # type: ignore[arg-type]
        ([(4, Tick(2**63))], CodecError),
        ([(4, Edge("1", True, 2**63))], CodecError),
        ([(4, Edge("\ud800", True, 1))], CodecError),
        ([(4, Edge("1", 1, 1))], CodecError),  # type: ignore[arg-type]
    ]
    for rows, error in refused:
        with pytest.raises(error):
            desk.journal.append(rows)
    desk.journal.append(EVENING[3:])
    desk.until_durable(9)


def test_the_log_file_does_not_grow_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After many commits the write-ahead log is no longer than a few checkpoints' worth, and no row is missing.

    Whenever a commit ends, the next row waits already: no pause between rows is needed for it.
    """
    monkeypatch.setattr(journal_file, "COMMITS_PER_CHECKPOINT", 5)
    desk = Desk(path)
    seqs, lengths = iter(range(2, 202)), list[int]()

    def next_row() -> None:
        lengths.append(Path(f"{path}-wal").stat().st_size)
        for seq in itertools.islice(seqs, 1):
            desk.journal.append([(seq, Linked(seq, "display" * 100, True))])

    desk.trick = next_row
    desk.journal.append([(1, OPENED)])
    desk.until_durable(201)
    most = max(later - sooner for sooner, later in itertools.pairwise(lengths))
    assert max(lengths) <= lengths[0] + 2 * 5 * journal_file.PUT_OFF * most
    assert lengths[-1] == lengths[len(lengths) // 2]
    assert recover(path).next_seq == 202
    assert desk.journal.close()


def test_wall_time_is_a_note_only(path: Path) -> None:
    """With a wall clock that jumps by decades in both directions, order and recovery are the same."""
    times = iter([2e9, 0, 4e9, -5, 1.7e9] * 20)
    desk = Desk(path, wall=lambda: next(times))
    for row in EVENING:
        desk.journal.append([row])
    desk.until_durable(9)
    assert list(recover(path).rows) == EVENING
    assert desk.journal.close()


# -- matches -----------------------------------------------------------------------------------------------------------


def test_matches_are_found_by_their_numbers(path: Path) -> None:
    """Evenings and rematches are told apart, a mere lobby is no match, and an Engine counts from 1 again."""
    second: list[JournalRow] = [(1, Opened(100, "boot-1", {"preset": "31"})), (2, Edge("2", True, 101)), (3, Tick(102))]
    third: list[JournalRow] = [(1, Opened(200, "boot-1", {})), (2, Began(201)), (3, Rematched(202)), (4, Tick(203))]
    journal = Journal(path, "boot-1", wall=lambda: 7.0)
    for rows in (EVENING, second, third):
        journal.append(rows)
    assert journal.close()
    assert [astuple(match)[:5] for match in matches(path)] == [
        (1, 1, 1, 9, 7),
        (2, 13, 13, 14, 7),
        (3, 13, 15, None, 7),
    ]
    assert list(read_match(path, 1).rows) == EVENING
    assert list(read_match(path, 2).rows) == third[:2]
    assert list(read_match(path, 3).rows) == third
    assert list(recover(path).rows) == third
    with pytest.raises(JournalError, match="has no match 4; it has the matches 1 to 3"):
        read_match(path, 4)


def test_a_new_evening_is_not_taken_for_durable(desk: Desk) -> None:
    """When an Engine begins again at 1, the numbers of the evening before do not count as durable for it."""
    desk.journal.append(EVENING)
    desk.until_durable(9)
    desk.gate.clear()
    desk.journal.append([(1, OPENED), (2, Tick(6))])
    assert desk.journal.durable_seq == 0
    desk.gate.set()
    desk.until_durable(2)


@pytest.mark.parametrize(("count", "span"), [(0, "none yet"), (1, "match 1 only")])
def test_a_match_that_is_not_there_is_one_sentence(path: Path, count: int, span: str) -> None:
    """The sentence says which matches there are."""
    filled(path, EVENING if count else EVENING[:4])
    with pytest.raises(JournalError, match=span):
        read_match(path, 8)


def test_reading_what_is_no_journal_is_one_sentence(tmp_path: Path) -> None:
    """A missing file, a directory and a text are refused in one sentence that names them."""
    (tmp_path / "text").write_text("no database at all, but long enough to be read as one" * 20)
    for name in ("missing", ".", "text"):
        with pytest.raises(JournalError, match=r"cannot be read: "):
            matches(tmp_path / name)


# -- kill -9 -----------------------------------------------------------------------------------------------------------

CHILD = """
import sys, threading
from pathlib import Path
from referee.core.model.events import Opened, Tick
from referee.core.presses.signals import Edge
from referee.drivers.journal.writer import Journal

room = threading.Semaphore(0)

def report(seq):
    sys.stdout.write(f"{seq}\\n")
    sys.stdout.flush()
    room.release()

journal = Journal(Path(sys.argv[1]), "boot-1", report=report)
seq = journal.take_recovered().next_seq
if seq == 1:
    journal.append([(1, Opened(0, "boot-1", {}))])
    seq = 2
while True:
    for _ in range(5):
        journal.append([(seq, Edge("1", True, seq)), (seq + 1, Tick(seq + 1)), (seq + 2, Edge("1", False, seq + 2))])
        seq += 3
    assert room.acquire(timeout=20)
"""


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process with this code, talking through pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def kill(process: subprocess.Popen[str]) -> list[str]:
    """SIGKILL; what it had still said before is returned."""
    process.send_signal(signal.SIGKILL)
    rest = process.communicate()[0]
    assert process.returncode == -signal.SIGKILL
    return [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]


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


# -- the wall clock ----------------------------------------------------------------------------------------------------


def wall_seconds(path: Path) -> list[int]:
    """What is noted beside the events, corrected by what was found out later."""
    with closing(sqlite3.connect(path)) as db:
        moved = wall_corrections(db)
        found = db.execute("SELECT seq, uuid, wall_s FROM event JOIN boot ON boot.id = boot ORDER BY seq").fetchall()
    return [wall_s + sum(by for of, until, by in moved if of == boot and seq < until) for seq, boot, wall_s in found]


@pytest.mark.parametrize("by_s", [-50 * 365 * 86_400, -60, -59, 0, 59, 60, 7 * 86_400])
def test_a_wall_clock_that_is_set_in_mid_evening_corrects_what_was_noted(by_s: int, path: Path) -> None:
    """A board without a clock starts in the past; rows that wait are corrected, too, those of another boot are not."""
    clock = {"wall": 1_800_000_000.0, "awake": 0}
    options: dict[str, Any] = {"wall": lambda: clock["wall"], "awake": lambda: int(clock["awake"])}
    before = Journal(path, "boot-0", **options)
    before.append([(1, OPENED), (2, Tick(7))])
    assert before.close()
    desk = Desk(path, **options)
    desk.journal.append([(1, OPENED)])
    desk.until_durable(1)
    clock["wall"] += 100
    clock["awake"] += 100 * S
    desk.journal.append([(2, Tick(7))])
    clock["wall"] += 10 + by_s
    clock["awake"] += 10 * S
    desk.journal.append([(3, Tick(9))])
    desk.until_durable(3)
    assert desk.journal.close()
    off = by_s if abs(by_s) >= 60 else 0
    first = 1_800_000_000
    assert wall_seconds(path) == [first, first, first + off, first + 100 + off, first + 110 + by_s]


def test_a_clock_that_was_set_while_nothing_could_be_saved(path: Path) -> None:
    """Tried again, the correction is made once."""
    clock = [1_800_000_000.0]
    desk = Desk(path, wall=lambda: clock[0], awake=lambda: 0)
    desk.journal.append([(1, OPENED)])
    desk.until_durable(1)
    desk.fault = OSError(errno.ENOSPC, "No space left on device")
    clock[0] += 86_400
    desk.journal.append([(2, Tick(7))])
    desk.until_failing()
    desk.fault = None
    desk.journal.nudge()
    desk.until_durable(2)
    desk.journal.append([(3, Tick(9))])
    desk.until_durable(3)
    assert desk.journal.close()
    assert wall_seconds(path) == [1_800_086_400] * 3


# -- a damaged file ----------------------------------------------------------------------------------------------------


def sql(script: str) -> Callable[[Path], None]:
    """Damage by SQL."""

    def damage(path: Path) -> None:
        with sqlite3.connect(path) as db:
            db.executescript(script)
        db.close()

    return damage


def overwrite(start: int, length: int) -> Callable[[Path], None]:
    """Damage by writing nonsense over a part of the file."""

    def damage(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(start)
            file.write(random.Random(1).randbytes(length))

    return damage


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "text": (lambda path: (path.write_text("hello, I am no database " * 99), None)[1], "file is not a database"),
    "header": (overwrite(0, 100), "file is not a database"),
    "schema page": (overwrite(100, 3000), "malformed"),
    "truncated": (lambda path: os.truncate(path, path.stat().st_size - PAGE), ""),
    "a page of rows": (overwrite(PAGE, 48 * PAGE), ""),
    "its right to be written": (overwrite(18, 1), "its header says that nothing may be written to it"),
    "its number": (sql("PRAGMA user_version = 9"), "its tables are not those of schema 9"),
    "its mark": (sql("PRAGMA application_id = 5"), "its mark as a journal is damaged"),
    "another program's": (sql("PRAGMA application_id = 5; CREATE TABLE more (x)"), "it is another program's database"),
    "a table gone": (sql("DROP TABLE mark"), f"its tables are not those of schema {len(MIGRATIONS)}"),
}


@pytest.mark.parametrize("damage", ["header", "schema page"])
def test_a_damaged_file_of_an_older_referee_with_larger_pages_comes_back(
    path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """Its pages have SQLite's own size, as those of the file that is made of it have ours."""
    monkeypatch.setattr(journal_file, "PAGE_BYTES", 4096)
    filled(path)
    sql("PRAGMA wal_checkpoint(TRUNCATE)")(path)
    assert path.read_bytes()[16:18] == (4096).to_bytes(2, "big")
    monkeypatch.undo()
    DAMAGES[damage][0](path)
    journal = Journal(path, "boot-1")
    assert journal.take_recovered().rows == tuple(EVENING)
    assert journal.close()
    assert path.read_bytes()[16:18] == PAGE.to_bytes(2, "big")


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_file_is_set_aside_and_a_fresh_one_begun(path: Path, kind: str) -> None:
    """Whatever is wrong with the file, it is renamed byte for byte, a fresh one works, and one sentence says so."""
    damage, reason = DAMAGES[kind]
    filled(path)
    damage(path)
    before = path.read_bytes()
    desk = Desk(path, wall=lambda: 1_800_000_000)
    found = desk.journal.take_recovered()
    (aside,) = path.parent.glob("journal-damaged-*.db")
    assert aside.name.startswith("journal-damaged-2027-01-1")
    assert found.rows == (() if kind in GONE else tuple(EVENING))
    assert found.note.startswith("the journal was damaged (")
    begun = "a fresh one is begun" if kind in GONE else "9 of its rows were saved into a fresh one"
    assert found.note.endswith(f"); it is kept as {aside.name} and {begun}")
    assert reason in found.note
    desk.journal.append(EVENING)
    assert desk.journal.close()
    assert aside.read_bytes() == before
    assert list(recover(path).rows) == EVENING
    assert Desk(path).journal.note == ""


def test_names_that_a_damaged_file_has_lost_are_said(path: Path) -> None:
    """Every row is saved; who has lost a name is called by a number from then on, and the sentence says how many."""
    filled(path)
    name = next(event.name for _, event in EVENING if isinstance(event, Joined))
    hurt = path.read_bytes().replace(f'"{name}"'.encode(), f'"{name[:-1]}?"'.encode())
    path.write_bytes(bytes(16) + hurt[16:])
    found = Desk(path).journal.take_recovered()
    assert found.note.endswith("9 of its rows were saved into a fresh one, 1 of its names could not be")
    assert [seq for (seq, event), was in zip(found.rows, EVENING, strict=True) if (seq, event) != was] != []


GONE = ("text", "a page of rows")
"""Damage after which no row is left."""
HURT: dict[str, tuple[str, int, bool]] = {
    "a newer event": ("""UPDATE event SET body = '{"v":3}' WHERE seq = 7""", 7, False),
    "an unknown event": ("UPDATE event SET body = '{' WHERE seq = 7", 7, False),
    "no UTF-8": ("UPDATE event SET body = CAST(x'ff' AS TEXT) WHERE seq = 7", 7, False),
    "a time": ("UPDATE edge SET t_ns = t_ns + 1 WHERE seq = 4", 4, True),
    "a contact": ("UPDATE edge SET closed = 0 WHERE seq = 5", 5, True),
    "its own link": ("UPDATE edge SET link = NULL WHERE seq = 5", 5, True),
}


@pytest.mark.parametrize("kind", HURT)
def test_a_row_that_is_not_as_it_was_written_is_set_aside_alone(path: Path, kind: str) -> None:
    """The others come back, it is said once, and from then on the mark in the file says it to whoever asks."""
    script, seq, readable = HURT[kind]
    filled(path)
    sql(script)(path)
    journal = Journal(path, "boot-1")
    found = journal.take_recovered()
    assert [row for row in found.rows if row[0] not in found.aside] == [r for r in EVENING if r[0] not in found.aside]
    assert seq in found.aside
    assert (seq in {n for n, _ in found.rows}) == readable
    assert f"row {seq}: " in found.note
    assert journal.close()
    again = Journal(path, "boot-1").take_recovered()
    assert (again.note, again.aside) == ("", found.aside)
    assert ("aside", seq, seq) in [mark[:3] for mark in marks(path)]


def test_rows_that_change_places_or_go_missing_are_said(path: Path) -> None:
    """The chain breaks behind a row that is gone, and at one that stands elsewhere."""
    filled(path)
    sql("DELETE FROM edge WHERE seq = 4")(path)
    assert "row 5: it is not as it was written" in Journal(path, "boot-1").note


def test_a_page_whose_list_of_rows_was_altered_costs_no_row(path: Path) -> None:
    """Two rows have changed places in the page's own list: they are where they were, and the links prove it."""
    filled(path)
    sql("PRAGMA wal_checkpoint(TRUNCATE)")(path)
    content = bytearray(path.read_bytes())
    page = next(at for at in range(0, len(content), PAGE) if b"knob" in content[at : at + PAGE] and content[at] == 13)
    content[page + 8 : page + 12] = content[page + 10 : page + 12] + content[page + 8 : page + 10]
    path.write_bytes(content)
    found = Journal(path, "boot-1").take_recovered()
    assert (list(found.rows), found.aside) == (EVENING, {})
    assert "the journal was damaged" in found.note


def test_a_link_that_was_altered_costs_no_row_behind_it(path: Path) -> None:
    """The row behind it follows from what the altered row's link ought to be, and is sound."""
    filled(path)
    sql("UPDATE edge SET link = zeroblob(16) WHERE seq = 4")(path)
    assert set(Journal(path, "boot-1").take_recovered().aside) == {4}


def test_a_lost_milestone_of_the_evening_is_found_again(path: Path) -> None:
    """An evening whose `Opened` lost its place in the list is resumed all the same, and it is said."""
    filled(path)
    journal = Journal(path, "boot-1")
    journal.append([(1, OPENED), (2, Tick(70))])
    assert journal.close()
    sql("DELETE FROM milestone WHERE seq = 10")(path)
    found = Journal(path, "boot-1").take_recovered()
    assert found.rows == ((1, OPENED), (2, Tick(70)))
    assert found.base == 9
    assert "damaged (row 10, with which an evening begins, is not as it was written)" in found.note
    assert [match.first_seq for match in matches(path)] == [1]


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE event SET body = replace(body, 'nna', 'nnb') WHERE seq = 1",
        "UPDATE event SET body = 'x' WHERE seq = 1",
        "UPDATE event SET kind = 'openec' WHERE seq = 1",
        "UPDATE event SET link = zeroblob(16) WHERE seq = 1",
        "UPDATE event SET seq = 0 WHERE seq = 1",
        "UPDATE event SET seq = 65 WHERE seq = 1",
        "DELETE FROM event WHERE seq = 1",
        "DELETE FROM milestone WHERE seq = 1",
        "UPDATE milestone SET kind = 'opener' WHERE seq = 1",
        "UPDATE milestone SET base = 1 WHERE seq = 1",
    ],
)
def test_the_row_that_opens_an_evening_is_there_twice(path: Path, script: str) -> None:
    """Whatever becomes of it, it is read from its copy: no row is lost, the match is numbered, and it is said."""
    filled(path)
    sql(f"PRAGMA foreign_keys = OFF; {script}")(path)
    journal = Journal(path, "boot-1")
    found = journal.take_recovered()
    assert (list(found.rows), found.aside) == (EVENING, {})
    assert found.note.startswith(
        "the journal was damaged (row 1, with which an evening begins, is not as it was written)"
    )
    assert found.note.endswith("9 of its rows were saved into a fresh one")
    assert journal.close()
    assert [(match.number, match.opened_seq) for match in matches(path)] == [(1, 1)]
    assert Journal(path, "boot-1").take_recovered().note == ""


def test_a_copy_of_that_row_that_was_altered_is_said_once(path: Path) -> None:
    """The row itself is as it was written: nothing is set aside."""
    filled(path)
    sql("UPDATE opening SET body = replace(body, 'nna', 'nnb')")(path)
    journal = Journal(path, "boot-1")
    found = journal.take_recovered()
    assert list(found.rows) == EVENING
    assert found.note == (
        "the journal was damaged: what it says a second time of an evening's beginning is not as it was written"
    )
    assert journal.close()
    assert Journal(path, "boot-1").take_recovered().note == ""


def test_a_journal_without_copies_is_read_and_gets_them_from_then_on(path: Path) -> None:
    """One of schema 5: its rows as ever, and the next evening's beginning stands there twice."""
    filled(path)
    sql("DROP TABLE opening; PRAGMA user_version = 5")(path)
    journal = Journal(path, "boot-1")
    found = journal.take_recovered()
    assert (list(found.rows), found.note) == (EVENING, "")
    journal.append([(10, OPENED)])
    assert journal.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT seq FROM opening").fetchall() == [(10,)]


@pytest.mark.parametrize("script", ["UPDATE boot SET uuid = 'boot-3'", "UPDATE event SET boot = 9; DELETE FROM boot"])
def test_a_boot_whose_id_was_altered_costs_no_row(path: Path, script: str) -> None:
    """Its events name it, and the links prove it; that the file's own word is another is said."""
    filled(path)
    sql(f"PRAGMA foreign_keys = OFF; {script}")(path)
    found = Journal(path, "boot-1").take_recovered()
    assert (list(found.rows), found.aside, found.boot) == (EVENING, {}, "boot-1")
    assert found.note == "the journal was damaged: row 1: the id of its boot is not as it was written"
    assert "row 1: the id of its boot" in read_match(path, 1).hurt[0]


def test_the_rows_of_a_damaged_file_whose_boot_is_damaged_too_come_back(path: Path) -> None:
    """What is read page by page is proved by the boot that the events name."""
    filled(path)
    sql("UPDATE boot SET uuid = 'boot-3'; PRAGMA wal_checkpoint(TRUNCATE)")(path)
    overwrite(0, 100)(path)
    found = Journal(path, "boot-1").take_recovered()
    assert (list(found.rows), found.aside) == (EVENING, {})


def test_an_index_that_was_altered_refuses_no_row(path: Path) -> None:
    """The boot is found by its row: its place in the index may be wrong."""
    filled(path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"\x03\x19\x09boot-1", b"\x03\x19\x08boot-1"))  # row 1 has become row 0
    assert path.read_bytes() != content
    desk = Desk(path)
    desk.journal.append([(10, Tick(90))])
    desk.until_durable(10)
    desk.journal.close()


def test_the_end_of_a_file_that_has_vanished_is_said(path: Path) -> None:
    """The mark beside the file knows up to which row it went; what can be found of them comes back, once said."""
    filled(path)
    sql("PRAGMA secure_delete = ON; DELETE FROM event WHERE seq > 6; PRAGMA wal_checkpoint(TRUNCATE)")(path)
    journal = Journal(path, "boot-1")
    assert "its last 3 rows have vanished" in journal.note
    assert "6 of its rows were saved into a fresh one, 3 could not be" in journal.note
    assert list(journal.take_recovered().rows) == EVENING[:6]
    assert journal.close()
    assert Journal(path, "boot-1").note == ""


def test_a_flipped_bit_in_the_log_costs_no_row(path: Path, tmp_path: Path) -> None:
    """SQLite drops the end of its log from the flipped bit on; every row is found again behind it, and it is said."""
    journal = Journal(path, "boot-1")
    for n in range(0, 9, 3):
        journal.append(EVENING[n : n + 3])
    with closing(sqlite3.connect(path)) as reader:  # the log stays
        assert reader.execute("SELECT count(*) FROM mark").fetchone() == (0,)
        assert journal.close()
        kept = {p.name: p.read_bytes() for p in tmp_path.iterdir() if not p.name.endswith("-shm")}
    for place in (100, 5000, len(kept["journal.db-wal"]) // 2):
        there = tmp_path / str(place)
        there.mkdir()
        for name, content in kept.items():
            damaged = bytearray(content)
            if name.endswith("-wal"):
                damaged[place] ^= 4
            (there / name).write_bytes(damaged)
        found = Journal(there / "journal.db", "boot-1").take_recovered()
        assert list(found.rows) == EVENING
        assert "have vanished" in found.note


def test_another_journal_in_its_place_is_said(path: Path) -> None:
    """A file that is gone, or was put there from elsewhere, is not taken for the one that was there."""
    filled(path)
    path.unlink()
    assert "not the journal that was here before" in Journal(path, "boot-1").note


@pytest.mark.parametrize("flaw", ["torn", "flipped", "empty"])
def test_a_mark_that_is_damaged_leaves_the_one_before(path: Path, flaw: str) -> None:
    """It has two places; with both gone, nothing is claimed."""
    filled(path)
    mark = path.with_suffix(".mark")
    content = bytearray(mark.read_bytes())
    if flaw == "flipped":
        content[20] ^= 1
    mark.write_bytes(content[:4100] if flaw == "torn" else b"" if flaw == "empty" else bytes(content))
    assert Journal(path, "boot-1").note == ""


def test_a_name_is_no_part_of_what_is_hashed(path: Path) -> None:
    """Names stand in a table of their own; a row holds a number. A damaged name is said and costs no row."""
    filled(path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM event WHERE instr(body, 'Ada')").fetchone() == (0,)
        assert db.execute("SELECT body FROM name").fetchall() == [('"Ada"',)]
    sql("UPDATE name SET body = 'Ade'")(path)
    found = Journal(path, "boot-1").take_recovered()
    assert "1 of its names cannot be read" in found.note
    assert not found.aside
    assert dict(found.rows)[3] == Joined(13, "1", "Player 1")


def test_a_mark_in_the_file_that_was_altered_is_said(path: Path) -> None:
    """Marks have a chain of their own."""
    filled(path)
    journal = Journal(path, "boot-1")
    journal.set_aside(7, "it raised")
    assert journal.close()
    sql("UPDATE mark SET reason = 'nothing'")(path)
    assert "a mark in it is not as it was written" in Journal(path, "boot-1").note


def test_a_row_is_set_aside_for_the_next_start(desk: Desk, path: Path) -> None:
    """It is marked in the file, with a number of the evening it belongs to; readers say it, and the rows stay."""
    desk.journal.append(EVENING)
    desk.journal.append([(1, OPENED), (2, Tick(70)), (3, Tick(80))])
    desk.journal.set_aside(3, "it raised KeyError")
    assert desk.journal.close()
    found = recover(path)
    assert found.aside == {3: "it raised KeyError"}
    assert found.rows == ((1, OPENED), (2, Tick(70)), (3, Tick(80)))
    assert read_match(path, 1).aside == {}


def test_a_journal_of_a_newer_referee_is_left_alone(path: Path) -> None:
    """Nothing is renamed, nothing written; the constructor says so with an error of its own."""
    filled(path)
    sql("CREATE TABLE more (x INTEGER); PRAGMA user_version = 9; PRAGMA wal_checkpoint(TRUNCATE)")(path)
    before = path.read_bytes()
    with pytest.raises(JournalTooNew, match=r"schema 9, this one knows \d"):
        Journal(path, "boot-1")
    assert path.read_bytes() == before
    assert not list(path.parent.glob("journal-damaged-*"))


@pytest.mark.parametrize("word", [b"edge", b"TABLE boot", b"station TEXT", b"WITH start", b"STRICT"])
@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_in_the_schema_ends_in_a_table_that_opens(path: Path, word: bytes, bit: int) -> None:
    """Whatever SQLite or Python makes of it: the file is set aside and said, the next rows are saved, nothing waits."""
    filled(path)
    content = bytearray(path.read_bytes())
    content[content.index(word)] ^= 1 << bit
    path.write_bytes(content)
    journal = Journal(path, "boot-1", opening_s=PATIENCE_S)
    found = journal.take_recovered()
    assert list(found.rows) == EVENING or found.note
    journal.append([(1, OPENED), (2, Tick(40))])
    assert journal.close()
    assert recover(path).rows[-1] == (2, Tick(40))


def test_whatever_opening_raises_the_table_opens(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that nobody has thought of is said like every other, and saving is tried again."""
    filled(path)

    def broken(*_: object) -> None:
        raise RecursionError("odd")

    with monkeypatch.context() as patch:
        patch.setattr("referee.drivers.journal.writer.JournalFile", broken)
        patch.setattr("referee.drivers.journal.writer.recover", broken)
        journal = Journal(path, "boot-1")
    assert "odd" in journal.take_recovered().note
    journal.append([(1, OPENED)])
    journal.nudge()
    assert journal.close()
    assert recover(path).rows == ((1, OPENED),)


def test_a_disk_that_hangs_at_the_start_keeps_nobody_waiting(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table opens without the file; when the disk answers, the new evening stands behind what it held."""
    filled(path)
    gate = threading.Event()

    def slow(*given: Any, **options: Any) -> JournalFile:
        gate.wait(PATIENCE_S)
        return JournalFile(*given, **options)

    monkeypatch.setattr("referee.drivers.journal.writer.JournalFile", slow)
    journal = Journal(path, "boot-1", opening_s=0.0)
    assert "does not answer" in journal.take_recovered().note
    journal.append([(1, OPENED), (2, Tick(40))])
    gate.set()
    assert journal.close()
    assert recover(path).rows == ((1, OPENED), (2, Tick(40)))
    assert [match.first_seq for match in matches(path)] == [1]


def test_the_log_of_a_damaged_file_goes_with_it(path: Path) -> None:
    """The write-ahead log is kept beside its database under the same name, and two of one second do not collide."""
    for wal in (b"first", b"second"):
        path.write_text("hello, I am no database " * 99)
        Path(f"{path}-wal").write_bytes(wal)
        assert Desk(path, wall=lambda: 1_800_000_000).journal.close()
        path.unlink()
    logs = sorted(path.parent.glob("journal-damaged-*.db-wal"), key=lambda log: len(log.name))
    assert [log.read_bytes() for log in logs] == [b"first", b"second"]
    assert logs[1].name.endswith("-2.db-wal")


def test_a_file_that_is_damaged_in_mid_match(desk: Desk, path: Path) -> None:
    """When the file goes bad while people play, they go on in a fresh one; a mark says which rows are elsewhere."""
    desk.journal.append(EVENING[:6])
    desk.until_durable(6)
    desk.fault = OSError(errno.EIO, "Input/output error")
    desk.journal.append(EVENING[6:])
    desk.until_failing()
    desk.gate.clear()
    for tail in ("-wal", "-shm"):
        Path(f"{path}{tail}").unlink(missing_ok=True)
    path.write_text("hello, I am no database " * 99)
    desk.fault = None
    desk.gate.set()
    desk.journal.nudge()
    desk.until_durable(9)
    assert "the journal was damaged (file is not a database)" in desk.journal.note
    assert [mark[:3] for mark in marks(path)] == [("gap", 0, 6), ("late", 0, 9)]
    found = recover(path)
    assert (found.rows, found.disk_seq) == ((), 9)
    assert found.note == "the journal lacks its beginning; the table starts anew"
    headless = [desk.journal.headless]
    desk.journal.append([(10, OPENED), (11, Tick(7))])
    assert [*headless, desk.journal.headless] == [True, False]
    assert desk.journal.close()
    assert Desk(path).journal.take_recovered().rows == ((10, OPENED), (11, Tick(7)))


def test_a_file_found_bad_twice_in_a_row_is_set_aside(desk: Desk, path: Path) -> None:
    """Damage that only shows at a commit, and shows again, ends in a fresh file instead of failing for ever."""
    desk.fault = DamagedError("database disk image is malformed")
    desk.journal.append(EVENING)
    desk.until_failing()
    desk.at_gate.clear()
    desk.journal.nudge()
    assert desk.at_gate.wait(PATIENCE_S)
    desk.fault = None
    desk.journal.nudge()
    desk.until_durable(9)
    assert len(list(path.parent.glob("journal-damaged-*.db"))) == 1
    assert list(recover(path).rows) == EVENING


def test_rows_of_a_stranger_in_our_file(desk: Desk, path: Path) -> None:
    """A file that somebody else has written to behind our back cannot be continued, and is set aside."""
    desk.journal.append(EVENING[:3])
    desk.until_durable(3)
    desk.fault = OSError(errno.EIO, "Input/output error")
    desk.journal.append(EVENING[3:])
    desk.until_failing()
    file = JournalFile(path, "boot-2")
    file.write([entry_of(99, Tick(1), 0, 0, 0)])
    file.close()
    desk.fault = None
    desk.journal.nudge()
    desk.until_durable(9)
    assert "somebody else has written to it" in desk.journal.note


# -- migrations --------------------------------------------------------------------------------------------------------


def test_an_older_schema_is_brought_up_to_date(path: Path) -> None:
    """A further migration is done once, keeps every row, and a failing one leaves the file as it was."""
    filled(path)
    further = (*MIGRATIONS, "ALTER TABLE boot ADD COLUMN wall_zero_s INTEGER; UPDATE boot SET wall_zero_s = 5;")
    with pytest.raises(sqlite3.OperationalError):
        JournalFile(path, "boot-1", (*MIGRATIONS, "UPDATE boot SET uuid = 'x'; DROP TABLE nothing;"))
    assert list(recover(path).rows) == EVENING
    for _ in range(2):
        file = JournalFile(path, "boot-1", further)
        assert file.db.execute("PRAGMA user_version").fetchone() == (len(further),)
        assert file.db.execute("SELECT uuid, wall_zero_s FROM boot").fetchall() == [("boot-1", 5)]
        assert file.last_seq == 9
        file.close()


# -- two of us ---------------------------------------------------------------------------------------------------------


def test_two_referees_on_one_journal(path: Path) -> None:
    """The second is refused in one sentence with the file and the process; when the first is killed, it may."""
    process = child(CHILD, path)
    assert process.stdout is not None
    process.stdout.readline()
    with pytest.raises(JournalBusy) as caught:
        Journal(path, "boot-1")
    sentence = f"{path} is in use by process {process.pid}: only one referee can write it"
    assert str(caught.value) == sentence
    kill(process)
    journal = Journal(path, "boot-1")
    with pytest.raises(JournalBusy, match=f"process {os.getpid()}"):
        Journal(path, "boot-1")
    assert journal.close()


def test_a_lock_that_says_nothing_of_its_holder(path: Path) -> None:
    """With an unreadable lock file the refusal names another process, and an old note of any form does no harm."""
    path.with_suffix(".lock").write_bytes(b"\xff\x00 unsaved many")
    lock = journal_file.Lock(path.with_suffix(".lock"))
    assert (lock.unsaved_until, lock.reason) == (0, "")
    path.with_suffix(".lock").write_bytes(b"")
    with pytest.raises(JournalBusy, match="in use by another process"):
        Journal(path, "boot-1")
    lock.release()


# -- the fake ----------------------------------------------------------------------------------------------------------


def test_the_memory_journal_behaves_like_the_real_one(path: Path) -> None:
    """Through good and bad times the fake gives the same durable numbers and statuses as the journal on disk."""
    reports: list[int] = []
    fake = MemoryJournal(report=reports.append)
    fake.append(EVENING[:3])
    assert (fake.durable_seq, fake.status(), reports) == (3, SaveStatus(), [3])
    fake.fail("disk full")
    fake.append(EVENING[3:])
    assert fake.status() == SaveStatus("failing", 0, "disk full", 6)
    assert fake.durable_seq == 3
    fake.heal()
    assert (fake.durable_seq, fake.rows) == (9, EVENING)
    with pytest.raises(ValueError, match="row 9 comes after row 9"):
        fake.append([(9, Tick(1))])
    assert MemoryJournal(EVENING).take_recovered().next_seq == 10


def test_the_memory_journal_settles_by_hand() -> None:
    """By hand, nothing is durable until `settle`, and a new evening begins below the old numbers."""
    fake = MemoryJournal(by_hand=True)
    fake.append(EVENING)
    assert (fake.durable_seq, fake.status().kind, fake.progressing(0)) == (0, "waiting", True)
    fake.settle()
    assert fake.durable_seq == 9
    fake.append([(1, OPENED)])
    assert fake.durable_seq == 0
    assert fake.take_recovered().rows == fake.take_recovered().rows == ()
    assert fake.close()
