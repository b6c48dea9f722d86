"""A damaged journal: what can be saved is saved, what is lost is said, and the table opens."""

from __future__ import annotations

import errno
import os
import random
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.core.model.events import Joined, Tick
from referee.drivers.journal import file as journal_file
from referee.drivers.journal.carve import PAGES
from referee.drivers.journal.file import MIGRATIONS, DamagedError, JournalFile, entry_of
from referee.drivers.journal.read import matches, read_match, recover
from referee.drivers.journal.writer import (
    Journal,
    JournalTooNew,
)
from tests.drivers.journal.desk import EVENING, OPENED, PATIENCE_S, Desk, filled, marks

PAGE = PAGES[0]


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


@pytest.mark.parametrize("link", ["NULL", "zeroblob(16)"])
def test_a_row_of_which_the_link_alone_was_altered_is_sound(path: Path, link: str) -> None:
    """The row behind it follows from what it says: all come back, and it is said once."""
    filled(path)
    sql(f"UPDATE edge SET link = {link} WHERE seq = 5")(path)
    journal = Journal(path, "boot-1")
    found = journal.take_recovered()
    assert (list(found.rows), found.aside) == (EVENING, {})
    assert "row 5: its link is not as it was written" in found.note
    assert journal.close()
    again = Journal(path, "boot-1").take_recovered()
    assert (list(again.rows), again.note) == (EVENING, "")


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
