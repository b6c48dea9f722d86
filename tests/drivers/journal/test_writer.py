"""The journal: what was reported durable is there, whatever happens to the process, the disk or the file."""

from __future__ import annotations

import itertools
import os
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import astuple

from referee.core.model.events import Began, Linked, Opened, Rematched, Tick
from referee.core.presses.signals import Edge
from referee.core.stored import CodecError
from referee.drivers.journal import file as journal_file
from referee.drivers.journal import schema as journal_schema
from referee.drivers.journal.file import MIGRATIONS, JournalFile
from referee.drivers.journal.read import matches, read_match, recover
from referee.drivers.journal.writer import (
    Journal,
    JournalBusy,
    JournalError,
    JournalRow,
    MemoryJournal,
    SaveStatus,
)
from tests.drivers.journal.desk import CHILD, EVENING, OPENED, PATIENCE_S, Desk, child, filled, kill

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
