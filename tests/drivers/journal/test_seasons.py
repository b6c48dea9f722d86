"""Packed evenings: the same matches as before, out of the journal's way, and every damage to them is said."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from referee.core.presses.signals import Edge
from referee.drivers.journal import matches as records
from referee.drivers.journal import seasons
from referee.drivers.journal.file import connect_to_read, packed_through
from referee.drivers.journal.forget import forget, look
from referee.drivers.journal.keeper_child import check_packed, keep, main
from referee.drivers.journal.read import JournalError, Tape, matches, read_match
from referee.drivers.journal.writer import Journal
from tests.commands.house import journaled, texts
from tests.core.evenings import played

PATIENCE_S = 20.0


def tapes(state: Path) -> dict[int, Tape]:
    """Every match of the house as `replay` reads it, by number."""
    path = state / "journal.db"
    return {match.number: read_match(path, match.number) for match in matches(path)}


def swept(state: Path) -> str:
    """Open the journal as the device does, until what is packed is gone from its rows; what it remarked."""
    journal = Journal(state / "journal.db", "evening")
    while journal._packing and journal.progressing(10**11):
        pass
    assert journal.close(PATIENCE_S)
    return journal.note


def through(state: Path) -> int:
    """Up to which row the journal says that it is packed."""
    with closing(connect_to_read(state / "journal.db")) as db:
        packed = packed_through(db)
        return packed.seq if packed else 0


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Three evenings, the last one still going on, nothing packed yet; the same, the other two packed and swept."""
    house = journaled(tmp_path_factory.mktemp("houses") / "loose", *[played(matches=1)] * 3)
    packed = Path(shutil.copytree(house, house.with_name("packed")))
    assert keep(packed / "journal.db") == (2, [])
    assert swept(packed) == ""
    return house, packed


@pytest.fixture
def house(houses: tuple[Path, Path], tmp_path: Path) -> Path:
    """Nothing is packed yet."""
    return Path(shutil.copytree(houses[0], tmp_path / "house"))


@pytest.fixture
def packed(houses: tuple[Path, Path], tmp_path: Path) -> Path:
    """The evenings that are over are packed and swept."""
    return Path(shutil.copytree(houses[1], tmp_path / "house"))


def test_a_packed_match_is_the_same_match(house: Path) -> None:
    """Rows, marks, numbers and records before it is packed, once it is and the journal does not know, and after."""
    before = tapes(house)
    assert sorted(before) == [1, 2, 3]
    assert keep(house / "journal.db") == (2, [])
    assert tapes(house) == before
    assert through(house) == 0
    kept = records.read(house / "matches.log")
    assert swept(house) == ""
    assert tapes(house) == before
    assert through(house) == before[2].match.last_seq
    assert keep(house / "journal.db") == (0, [])
    assert records.read(house / "matches.log") == kept


def test_packed_rows_and_names_are_gone_from_the_journal(packed: Path) -> None:
    """So a start, which looks at the whole file, has no more to look at than the evening that is going on."""
    with closing(sqlite3.connect(packed / "journal.db")) as db:
        for table in ("edge", "event", "milestone", "opening"):
            assert db.execute(f"SELECT min(seq) FROM {table}").fetchone()[0] > through(packed)
        assert db.execute("SELECT count(*) FROM name").fetchone() == (4,)


def test_what_was_altered_before_it_was_packed_stays_altered(house: Path) -> None:
    """The row, and only that, is still not as it was written."""
    with closing(sqlite3.connect(house / "journal.db")) as db:
        db.execute("UPDATE edge SET t_ns = t_ns + 1 WHERE seq = (SELECT min(seq) FROM edge)")
        db.execute("UPDATE event SET body = 'x' WHERE kind = 'tick' AND seq > 30 AND seq < 90")
        db.commit()
    before = tapes(house)[1]
    assert len(before.hurt) > 1
    keep(house / "journal.db")
    swept(house)
    assert tapes(house)[1].hurt == before.hurt
    assert tapes(house)[1].rows == before.rows


def test_a_block_that_was_torn_is_written_again(house: Path) -> None:
    """A power cut while it is added leaves a part that counts for nothing."""
    before = tapes(house)
    keep(house / "journal.db")
    path = house / "seasons.pack"
    content = path.read_bytes()
    for cut in (1, 700, len(content) - 1):
        path.write_bytes(content[:cut])
        keep(house / "journal.db")
        assert len(seasons.blocks(path)) == 2
    assert swept(house) == ""
    assert tapes(house) == before


def test_a_block_whose_middle_a_power_cut_has_taken_costs_no_row(house: Path) -> None:
    """Its head and its end are there, its rows are not: the journal keeps its own for it, and they are packed anew."""
    before = tapes(house)
    assert keep(house / "journal.db") == (2, [])
    path = seasons.beside(house / "journal.db")
    first = seasons.blocks(path)[0]
    with path.open("r+b") as file:
        file.seek(first.at + first.size // 2)
        file.write(bytes(100))
    swept(house)
    assert through(house) == 0
    assert keep(house / "journal.db") == (2, [])
    swept(house)
    assert through(house) == before[2].match.last_seq
    assert tapes(house) == before


def test_every_flipped_bit_of_what_is_packed_is_said(packed: Path) -> None:
    """By the check behind each start and match, and by `replay`; or what it holds is as it was."""
    path, chosen = packed / "seasons.pack", random.Random(7)
    content, before, said = path.read_bytes(), tapes(packed), 0
    for bit in (*range(8, 2000, 97), *(chosen.randrange(len(content) * 8) for _ in range(30))):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with closing(connect_to_read(packed / "journal.db")) as db:
            wrong = check_packed(packed / "journal.db", db)
        if wrong:
            said += 1
        else:
            assert tapes(packed) == before
    assert said > 40


def test_seasons_that_are_missing_are_said_at_the_start(packed: Path) -> None:
    """The journal knows how far they went; a match that is gone is one sentence, and its record is still there."""
    path = packed / "seasons.pack"
    content = path.read_bytes()
    second = content.index(b"\nseason\t", 10)
    path.write_bytes(content[:second])
    assert "past seasons behind row" in swept(packed)
    assert swept(packed) == "", "it is said once"
    path.write_bytes(content[second:])
    assert "past seasons before match 2 are missing" in swept(packed)
    path.unlink()
    assert "the past seasons up to row" in swept(packed)
    with pytest.raises(JournalError, match="has no match 1"):
        read_match(packed / "journal.db", 1)
    assert len(records.read(packed / "matches.log")) == 3


def test_a_record_that_was_damaged_is_derived_from_what_is_packed(packed: Path) -> None:
    """As it is from the journal's rows while they are there."""
    path = packed / "matches.log"
    before = records.read(path)
    path.unlink()
    keep(packed / "journal.db")
    assert records.read(path) == before


def test_a_damaged_journal_leaves_what_is_packed_alone(packed: Path) -> None:
    """Its own rows go on in a fresh file; none of the packed ones comes twice, and numbers go on."""
    before = tapes(packed)
    content = bytearray((packed / "journal.db").read_bytes())
    content[:100] = bytes(100)
    (packed / "journal.db").write_bytes(content)
    assert "the journal was damaged" in swept(packed)
    after = tapes(packed)
    assert {number: tape.rows for number, tape in after.items()} == {n: tape.rows for n, tape in before.items()}
    assert not any(mark.kind == "gap" for tape in after.values() for mark in tape.marks)


def test_a_name_is_forgotten_in_what_is_packed(packed: Path) -> None:
    """In the heads, where it stands; the rows and their links stay as they were."""
    assert look(packed / "journal.db", packed / "archive.db", "Anna").places > 0
    forget(packed / "journal.db", packed / "archive.db", "Anna")
    assert b"Anna" not in texts(packed)
    assert all(tape.hurt == () for tape in tapes(packed).values())
    assert keep(packed / "journal.db") == (0, [])
    names = {name for block in seasons.blocks(packed / "seasons.pack") for name in block.names.values()}
    assert names == {"Player 1", "Ben", "Max", "Lea"}


def test_rows_without_links_are_packed_as_they_are(house: Path) -> None:
    """Of an older referee: names in their text become numbers; all else of them comes back, links or no links."""
    with closing(sqlite3.connect(house / "journal.db")) as db:
        names = dict(db.execute("SELECT id, body FROM name"))
        for seq, body in db.execute("SELECT seq, body FROM event WHERE instr(body, '{\"who\":')").fetchall():
            for number, name in names.items():
                body = body.replace(f'{{"who":{number}}}', name)
            db.execute("UPDATE event SET body = ? WHERE seq = ?", (body, seq))
        db.execute("UPDATE event SET link = NULL")
        db.execute("UPDATE edge SET link = NULL")
        db.commit()
    before = tapes(house)
    assert all(tape.hurt == () for tape in before.values())
    assert keep(house / "journal.db") == (2, [])
    swept(house)
    assert {n: tape.rows for n, tape in tapes(house).items()} == {n: tape.rows for n, tape in before.items()}
    assert all(tape.hurt == () for tape in tapes(house).values())


def test_rows_come_while_old_ones_go(house: Path) -> None:
    """What is played while packed rows are deleted is saved, and in order."""
    keep(house / "journal.db")
    journal = Journal(house / "journal.db", "evening")
    last = journal.take_recovered().rows[-1][0]
    for n in range(1, 60):
        journal.append([(last + n, Edge("1", n % 2 == 1, 10**15 + n))])
    assert journal.close(PATIENCE_S)
    assert swept(house) == ""
    found = Journal(house / "journal.db", "evening").take_recovered()
    assert [seq for seq, _ in found.rows][-60:] == list(range(last, last + 60))


def test_the_child_says_what_it_did_and_what_it_cannot(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object when it could, one sentence and 1 when it could not."""
    assert main([str(house / "journal.db")]) == 0
    assert capsys.readouterr().out == '{"packed": 2, "wrong": []}\n'
    (house / "journal.db").write_bytes(b"nonsense" * 1000)
    (house / "matches.log").unlink()
    assert main([str(house / "journal.db")]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert main([str(house / "another.db")]) == 1
    assert capsys.readouterr().err == "there is no such file\n"
