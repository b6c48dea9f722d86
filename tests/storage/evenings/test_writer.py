"""The journal: rows reported durable are kept, after any fault of the process, the disk or the file."""

from __future__ import annotations

import errno
import logging
import os
import random
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.core.model.events import Began, Joined, Tick
from referee.core.presses.signals import Edge
from referee.core.stored import CodecError
from referee.core.units import S
from referee.storage.evenings.file import Lock
from referee.storage.evenings.folder import evenings_in
from referee.storage.evenings.writer import Journal, JournalBusy, JournalRow
from tests.storage.evenings.desk import CHILD, EVENING, OPENED, PATIENCE_S, Desk, child, filled, kept, kill
from tests.storage.evenings.memory import SaveStatus, nudge, status_of

GO_ON: JournalRow = (10, Tick(80))


def files(state: Path) -> list[Path]:
    """Return the evenings' files, by name."""
    return sorted(evenings_in(state).iterdir())


# -- writing and reading -----------------------------------------------------------------------------------------------


def test_rows_come_back_as_they_were(state: Path) -> None:
    desk = Desk(state, wall=lambda: 1_800_000_000.9)
    desk.journal.append(EVENING[:4])
    desk.journal.append(EVENING[4:])
    desk.until_durable(9)
    assert desk.journal.close()
    found = kept(state)
    assert list(found.rows) == EVENING
    assert (found.boot, found.wall_s, found.damaged) == ("boot-1", 1_800_000_000, ())
    assert [path.name for path in files(state)] == ["2027-01-15_0800.jsonl"]


def test_the_next_process_goes_on(state: Path) -> None:
    filled(state)
    desk = Desk(state)
    assert list(desk.journal.take_recovered().rows) == EVENING
    assert desk.journal.take_recovered().rows == ()
    assert desk.journal.durable_seq == 9
    desk.journal.append([GO_ON])
    desk.until_durable(10)
    assert desk.journal.close()
    assert kept(state).rows == (*EVENING, GO_ON)
    assert kept(state).boots == 2
    assert len(files(state)) == 1


def test_opened_begins_another_file(state: Path) -> None:
    """The next start continues the last one, even if a clock that was set back gives it an earlier name."""
    wall = [1_800_000_000.0]
    desk = Desk(state, wall=lambda: wall[0], awake=lambda: 0)
    desk.journal.append(EVENING)
    desk.journal.append([(10, OPENED), (11, Tick(6))])
    desk.until_durable(11)
    wall[0] = 5.0
    desk.journal.append([(1, OPENED)])
    desk.until_durable(1)
    assert desk.journal.close()
    assert [path.name for path in files(state)] == [
        "1970-01-01_0000.jsonl",
        "2027-01-15_0800.jsonl",
        "2027-01-15_0800_2.jsonl",
    ]
    assert kept(state).rows == ((1, OPENED),)
    assert kept(state).id == 3


def test_readers_see_what_is_durable_while_we_write(desk: Desk, state: Path) -> None:
    desk.journal.append(EVENING[:5])
    desk.until_durable(5)
    desk.gate.clear()
    desk.journal.append(EVENING[5:])
    assert list(kept(state).rows) == EVENING[:5]


def test_a_row_does_not_change_the_length_of_the_file(desk: Desk, state: Path) -> None:
    """Spaces are reserved before it, and removed at the end."""
    desk.journal.append(EVENING[:2])
    desk.until_durable(2)
    (path,) = files(state)
    before = path.stat().st_size
    desk.journal.append(EVENING[2:])
    desk.until_durable(9)
    assert path.stat().st_size == before
    assert path.read_bytes().endswith(b" " * 100)
    desk.journal.close()
    assert path.read_bytes().endswith(b"}\n")


def test_set_aside_rows_are_named_at_the_next_start(desk: Desk, state: Path) -> None:
    desk.journal.append(EVENING)
    desk.journal.set_aside(7, "Tick: it raised")
    assert desk.journal.close()
    assert Desk(state).journal.take_recovered().aside == {7: "Tick: it raised"}


# -- the thread --------------------------------------------------------------------------------------------------------


def test_append_does_not_wait_for_the_disk_and_syncs_are_shared(desk: Desk) -> None:
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


def test_a_stalled_disk_is_seen(state: Path) -> None:
    clock = [1_000]
    desk = Desk(state, now=lambda: clock[0])
    desk.gate.clear()
    desk.journal.append(EVENING[:2])
    assert desk.at_gate.wait(PATIENCE_S)
    clock[0] = 1_300
    desk.journal.append(EVENING[2:3])
    assert status_of(desk.journal) == SaveStatus("waiting", 1_000, "", 3)
    assert desk.journal.progressing(300)
    assert not desk.journal.progressing(299)
    assert not desk.journal.close(timeout_s=0)
    desk.gate.set()
    assert desk.journal.close(PATIENCE_S)
    assert status_of(desk.journal) == SaveStatus()
    assert not desk.journal.progressing(10**9)


def test_a_report_that_fails_does_not_stop_the_journal(state: Path, caplog: pytest.LogCaptureFixture) -> None:
    def report(seq: int) -> None:
        raise RuntimeError("the loop is closed")

    journal = Journal(state, "boot-1", report=report)
    journal.append(EVENING[:3])
    journal.append(EVENING[3:])
    assert journal.close()
    assert "the loop is closed" in caplog.text
    assert list(kept(state).rows) == EVENING


def test_a_row_that_could_not_be_read_again_is_refused(desk: Desk) -> None:
    desk.journal.append(EVENING[:3])
    refused: list[tuple[list[JournalRow], type[Exception]]] = [
        ([(3, Tick(1))], ValueError),
        ([(4, Tick(1)), (4, Tick(2))], ValueError),
        ([(4, Tick(1)), (5, Tick("1"))], CodecError),  # type: ignore[arg-type]
        ([(4, Edge("\ud800", True, 1))], CodecError),
        ([(4, Edge("1", 1, 1))], CodecError),  # type: ignore[arg-type]
    ]
    for rows, error in refused:
        with pytest.raises(error):
            desk.journal.append(rows)
    desk.journal.append(EVENING[3:])
    desk.until_durable(9)


def test_a_new_evening_is_not_taken_for_durable(desk: Desk) -> None:
    """When an Engine begins again at 1, earlier row numbers do not count as durable for it."""
    desk.journal.append(EVENING)
    desk.until_durable(9)
    desk.gate.clear()
    desk.journal.append([(1, OPENED), (2, Tick(6))])
    assert desk.journal.durable_seq == 0
    desk.gate.set()
    desk.until_durable(2)


# -- two processes -----------------------------------------------------------------------------------------------------


def test_two_referees_on_one_directory(state: Path) -> None:
    process = child(CHILD, state)
    assert process.stdout is not None
    process.stdout.readline()
    with pytest.raises(JournalBusy) as caught:
        Journal(state, "boot-1")
    assert str(caught.value) == f"{state} is in use by process {process.pid}: only one referee can write it"
    kill(process)
    journal = Journal(state, "boot-1")
    with pytest.raises(JournalBusy, match=f"process {os.getpid()}"):
        Journal(state, "boot-1")
    assert journal.close()


def test_directory_in_use_names_the_address_of_its_table(tmp_path: Path) -> None:
    """The address of a process that has ended is not named."""
    first = Journal(tmp_path, "boot-1")
    first.note_address("http://localhost:8081/")
    with pytest.raises(JournalBusy, match=r"\(its table: http://localhost:8081/\): only one"):
        Journal(tmp_path, "boot-1")
    assert first.close()
    second = Journal(tmp_path, "boot-1")
    with pytest.raises(JournalBusy, match=f"process {os.getpid()}: only one"):
        Journal(tmp_path, "boot-1")
    assert second.close()


def test_a_lock_that_says_nothing_of_its_holder(tmp_path: Path) -> None:
    note = tmp_path / "evenings.lock"
    note.write_bytes(b"\xff\x00 unsaved many")
    lock = Lock(tmp_path)
    assert (lock.lost, lock.reason) == (0, "")
    note.write_bytes(b"")
    with pytest.raises(JournalBusy, match="in use by another process"):
        Journal(tmp_path, "boot-1")
    lock.release()


# -- kill -9 -----------------------------------------------------------------------------------------------------------


def test_what_was_reported_durable_survives_kill_9(state: Path) -> None:
    chance, reported = random.Random(9), 0
    for _ in range(3):
        process = child(CHILD, state)
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 120)):
            reported = int(process.stdout.readline())
        reported = max([reported, *map(int, kill(process))])
        found = kept(state)
        last = found.rows[-1][0]
        assert [seq for seq, _ in found.rows] == list(range(1, last + 1))
        assert last >= reported
        assert not found.damaged
        assert all(event.t_ns == seq for seq, event in found.rows if isinstance(event, Edge))


# -- trouble with the disk ---------------------------------------------------------------------------------------------


def test_a_full_disk_loses_nothing_while_we_live(desk: Desk, state: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    desk.journal.append(EVENING[:3])
    desk.until_durable(3)
    desk.fault = OSError(errno.ENOSPC, "No space left on device")
    for row in EVENING[3:]:
        desk.journal.append([row])
    assert "No space left" in desk.until_failing().reason
    for _ in range(3):
        desk.at_gate.clear()
        nudge(desk.journal)
        assert desk.at_gate.wait(PATIENCE_S)
    assert desk.journal.durable_seq == 3
    assert desk.journal.progressing(10**12)
    desk.fault = None
    nudge(desk.journal)
    desk.until_durable(9)
    assert list(kept(state).rows) == EVENING
    assert kept(state).gaps == ("rows 4 to 9 were saved late ([Errno 28] No space left on device)",)
    assert [record.message.split(":")[0] for record in caplog.records] == ["journal lost", "journal is back"]


def test_closing_tries_once_more(desk: Desk, state: Path, caplog: pytest.LogCaptureFixture) -> None:
    desk.fault = OSError(errno.EIO, "Input/output error")
    desk.journal.append(EVENING)
    desk.until_failing()
    desk.fault = None
    assert desk.journal.close()
    assert list(kept(state).rows) == EVENING

    again = Desk(state)
    again.fault = OSError(errno.EIO, "Input/output error")
    again.journal.append([GO_ON])
    assert not again.journal.close()
    assert "were never saved" in caplog.text


FULL = """
import resource, sys, threading
from pathlib import Path
from referee.core.model.events import Linked, Opened
from referee.storage.evenings.writer import Journal

told = threading.Event()
journal = Journal(Path(sys.argv[1]), "boot-1", report=lambda seq: told.set())
journal.append([(1, Opened(0, "boot-1", {}))])
assert told.wait(20)
unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, unlimited[1]))
told.clear()
journal.append([(seq, Linked(seq, "x" * 1000, True)) for seq in range(2, 1002)])
assert told.wait(20)
print("failing" if journal._reason else "ok", journal.durable_seq, flush=True)
assert sys.stdin.readline() == "room\\n"
resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
print(journal.close(20), journal.durable_seq, flush=True)
"""


def test_a_real_limit_on_the_file_is_survived(state: Path) -> None:
    process = child(FULL, state)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "failing 1\n"
    process.stdin.write("room\n")
    process.stdin.flush()
    assert process.communicate()[0] == "True 1001\n"
    assert kept(state).rows[-1][0] == 1001
    assert not kept(state).damaged


DYING = FULL.split("assert sys.stdin")[0] + "sys.stdin.readline()"


def test_rows_that_died_with_the_process_leave_a_gap(state: Path) -> None:
    """The next process detects it, reports it once, and records it behind the last row."""
    process = child(DYING, state)
    assert process.stdout is not None
    assert process.stdout.readline() == "failing 1\n"
    kill(process)
    desk = Desk(state)
    rows = desk.journal.take_recovered().rows
    assert "1000 rows before the restart could not be saved and are lost" in desk.journal.note
    last = rows[-1][0]
    desk.journal.append([(last + 1, Tick(6))])
    assert desk.journal.close()
    assert kept(state).gaps[0].startswith(f"1000 rows after row {last} could not be saved")
    assert Desk(state).journal.note == ""


@pytest.mark.parametrize("begins", [True, False])
def test_an_evening_that_is_begun_on_a_disk_without_more_room_is_begun_once(
    begins: bool, desk: Desk, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each attempt to save its rows uses the existing file; one that could not even begin is removed."""
    real, tries = os.pwrite, threading.Semaphore(0)

    def no_room(fd: int, data: bytes, place: int) -> int:
        if begins and not place:
            return real(fd, data, place)
        tries.release()
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "pwrite", no_room)
        desk.journal.append(EVENING[:4])
        for _ in range(3):
            assert tries.acquire(timeout=PATIENCE_S)
            nudge(desk.journal)
    nudge(desk.journal)
    desk.until_durable(4)
    assert len(files(state)) == 1
    assert list(kept(state).rows) == EVENING[:4]


@pytest.mark.parametrize("harm", ["removed", "shortened", "replaced", "a link", "a directory", "a pipe"])
def test_a_file_that_is_harmed_while_we_write_is_written_anew(desk: Desk, state: Path, harm: str) -> None:
    """All rows of the evening are in memory: none is lost."""
    desk.journal.append(EVENING[:6])
    desk.until_durable(6)
    (path,) = files(state)
    content = path.read_bytes()
    path.unlink()
    if harm == "shortened":
        path.write_bytes(content[:300])
    elif harm == "replaced":
        path.write_bytes(b"x" * len(content))
    elif harm == "a link":
        path.symlink_to("/dev/null")
    elif harm == "a directory":
        path.mkdir()
    elif harm == "a pipe":
        os.mkfifo(path)
    desk.journal.append(EVENING[6:])
    desk.until_durable(9)
    assert list(kept(state).rows) == EVENING
    assert not kept(state).damaged


@pytest.fixture
def locked_room() -> Iterator[Path]:
    """A directory that can be read but not written, even if the tests run as root."""
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


def test_a_read_only_directory_stops_nobody(locked_room: Path) -> None:
    filled(locked_room)
    paths = [*files(locked_room), locked_room / "evenings.lock", evenings_in(locked_room), locked_room]
    modes = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    desk = Desk(locked_room)
    assert status_of(desk.journal).kind == "failing"
    assert list(desk.journal.take_recovered().rows) == EVENING
    desk.journal.append([GO_ON])
    assert desk.journal.durable_seq == 9
    for path, mode in zip(reversed(paths), reversed(modes), strict=True):
        path.chmod(mode)
    nudge(desk.journal)
    desk.until_durable(10)
    assert desk.journal.close()
    assert kept(locked_room).rows == (*EVENING, GO_ON)


def test_a_state_directory_that_comes_late(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.write_text("not a directory")
    desk = Desk(state)
    assert status_of(desk.journal).kind == "failing"
    desk.journal.append([(1, OPENED), (2, Tick(6))])
    filled(tmp_path / "old")
    state.unlink()
    (tmp_path / "old").rename(state)
    nudge(desk.journal)
    desk.until_durable(2)
    desk.journal.append([(3, Tick(7))])
    assert desk.journal.close()
    assert kept(state).rows == ((1, OPENED), (2, Tick(6)), (3, Tick(7)))
    assert len(files(state)) == 2


# -- wall time ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_s", [-50 * 365 * 86_400, -60, -59, 0, 59, 60, 7 * 86_400])
def test_a_wall_clock_that_is_set_corrects_what_was_noted(by_s: int, state: Path) -> None:
    """A board without a clock starts in the past. Rows of another boot do not change."""
    clock = {"wall": 1_800_000_000.0, "awake": 0}
    options: dict[str, Any] = {"wall": lambda: clock["wall"], "awake": lambda: int(clock["awake"])}
    before = Journal(state, "boot-0", **options)
    before.append([(1, OPENED), (2, Joined(7, "1", "Ada"))])
    assert before.close()
    desk = Desk(state, **options)
    desk.journal.append([(3, Joined(8, "2", "Ben"))])
    desk.until_durable(3)
    clock["wall"] += 110 + by_s
    clock["awake"] += 110 * S
    desk.fault = OSError(errno.ENOSPC, "No space left on device")
    desk.journal.append([(4, Began(9))])
    desk.until_failing()
    desk.fault = None
    nudge(desk.journal)
    desk.until_durable(4)
    walls = desk.journal.walls
    assert desk.journal.close()
    off, first = by_s if abs(by_s) >= 60 else 0, 1_800_000_000
    assert walls == kept(state).walls == {2: first, 3: first + off, 4: first + 110 + by_s}
