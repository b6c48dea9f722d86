"""`referee forget`: a person's name is nowhere any more, and everything else is as it was."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import sys
from pathlib import Path

import pytest

from referee.cli import UsageError, main
from referee.commands import export, forget, replay
from referee.commands.memory import list_matches
from referee.core.documents.chronicle import records
from referee.core.documents.record import to_document
from referee.core.model.table import Setup
from referee.drivers.journal import elsewhere, seasons
from referee.drivers.journal import forget as driver
from referee.drivers.journal.archive import add
from referee.drivers.journal.file import JournalFile
from referee.drivers.journal.keeper_child import keep
from referee.drivers.journal.writer import Journal
from referee.web.housebook import HouseBook, HousePreset
from referee.web.pairing import PhoneBook
from tests.commands.house import journaled, parsed, texts
from tests.core.evenings import played
from tests.core.sitting import Sitting


def house(state: Path) -> Path:
    """Two evenings with Anna in the journal, and an imported match with her."""
    journaled(state, played(), played(2, 7, 1))
    found = records(played(4, 11, 1), {})[0]
    assert found is not None
    add(state / "archive.db", "elsewhere", to_document(found))
    return state


def said(capsys: pytest.CaptureFixture[str], state: Path, *argv: str) -> str:
    """What the command prints when it is done."""
    assert forget.run(parsed(forget, "forget", *argv, "--state", str(state))) == 0
    return capsys.readouterr().out


def refusal(state: Path, *argv: str) -> str:
    """The sentence with which the command ends, nothing being changed."""
    before = rows(state)
    with pytest.raises(UsageError) as caught:
        forget.run(parsed(forget, "forget", *argv, "--state", str(state)))
    assert rows(state) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def rows(state: Path) -> list[object]:
    """Everything that stands in both files."""
    found: list[object] = []
    for name, table in (("journal.db", "event"), ("archive.db", "record")):
        if (state / name).exists():
            db = sqlite3.connect(state / name)
            found += db.execute(f"SELECT * FROM {table}").fetchall()
            db.close()
    return found


def test_the_name_is_nowhere_and_the_matches_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No byte of it in any file, log included; the same hands, totals and winners under the seat's name."""
    state = house(tmp_path)
    assert b"Anna" in texts(state)
    before = [entry.record for entry in list_matches(state)]
    text = said(capsys, state, "Anna", "--yes")
    assert text.startswith("Anna is forgotten in 4 places of the journal and 1 imported match.\n")
    assert b"Anna" not in texts(state)
    for then, entry in zip(before, list_matches(state), strict=True):
        assert then is not None
        assert entry.record is not None
        assert [t.replace("Anna", "Player 1") for t in then.totals] == list(entry.record.totals)
        assert list(then.totals.values()) == list(entry.record.totals.values())
        assert [hand.played_ms for hand in then.hands] == [hand.played_ms for hand in entry.record.hands]


def test_every_spelling_of_the_name_is_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the seats, the settings, and what a journal that begins anew remembers; asked for in any case."""
    setup = Setup(stations=("1", "2"), names=(("1", "Zoëlina"), ("2", "zoe\u0308lina")))
    named = Sitting(setup).playing("1", "2").reopened()
    state = journaled(tmp_path, named.chapter)
    assert said(capsys, state, " ZOËLINA", "--yes").startswith(" ZOËLINA is forgotten in ")
    assert b"lina" not in texts(state)
    assert b"LINA" not in texts(state)


def test_the_journal_keeps_its_log_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A journal that was changed is in WAL mode as before: readers do not disturb the referee."""
    state = house(tmp_path)
    said(capsys, state, "Anna", "--yes")
    db = sqlite3.connect(state / "journal.db")
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


def test_replay_agrees_afterwards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every match of the journal, whoever is forgotten, one after the other."""
    state = house(tmp_path)
    for person in ("Anna", "Ben", "Max"):
        said(capsys, state, person, "--yes")
        for number in ("1", "2", "3"):
            assert replay.run(parsed(replay, "replay", number, "--state", str(state), "--json")) == 0
            assert json.loads(capsys.readouterr().out)["agrees"] is True


def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In how many places, and in which other files it was overwritten."""
    state = house(tmp_path)
    (state / "journal-damaged-2026-01-01-000000.db").write_text('"Max" "Ben"')
    assert json.loads(said(capsys, state, "Max", "--yes", "--json")) == {
        "player": "Max",
        "places": 3,
        "imported": 1,
        "houses": 0,
        "overwritten": ["journal-damaged-2026-01-01-000000.db"],
    }
    assert "journal-damaged-2026-01-01-000000.db" in said(capsys, state, "Ben", "--yes")


def everything(state: Path) -> bytes:
    """Every byte of every file there and below, and what is packed in seasons unpacked."""
    found = [path.read_bytes() for path in sorted(state.rglob("*")) if path.is_file()]
    pack = seasons.beside(state / "journal.db")
    return b"\n".join([*found, *(json.dumps(seasons.content(pack, block)).encode() for block in seasons.blocks(pack))])


def test_every_file_that_can_hold_a_name_holds_it_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Played evenings, one of them packed, phones, houses, an imported match, exports of every format, leftovers."""
    state = house(tmp_path)
    assert keep(state / "journal.db")[0] == 1
    Journal(state / "journal.db", "boot-2").close()
    PhoneBook(state / "phones.json").pair()
    houses = HouseBook(state / "houses.json")
    for name in ("Anna", "At anna's", "Annabel", "House 1"):
        houses.save(HousePreset(name, "nna", ()))
    (state / "shared").mkdir()
    for name in export.FORMATS:
        assert (
            main(["export", "1", "--format", name, "--state", str(state), "--output", str(state / "shared" / name)])
            == 0
        )
    assert main(["history", "--state", str(state), "--html", str(state / "evening.html")]) == 0
    for name in ("houses.new", "matches.log.part", "houses-damaged-1.json", "journal-rescued.part", "phones.new"):
        (state / name).write_text('{"name": "Anna"}')
    (state / "elsewhere").symlink_to(tmp_path.parent)
    assert {path.name for path in state.iterdir()} >= elsewhere.NAMELESS | {"archive.db", "seasons.pack", "matches.log"}
    before = everything(state)
    assert before.count(b"Anna") > 20
    said(capsys, state, "Anna", "--yes")
    after = everything(state)
    assert not re.search(rb"(?i)(?<!\w)anna(?!\w)", after)
    assert (before.count(b"Annabel"), after.count(b"Annabel")) == (1, 1)
    names = [one.name for one in HouseBook(state / "houses.json").presets]
    assert names == ["House 2", "House 3", "Annabel", "House 1"]


def test_a_name_that_only_a_house_preset_has_is_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the file of house presets is damaged."""
    state = house(tmp_path)
    HouseBook(state / "houses.json").save(HousePreset("Paula's", "nna", ()))
    assert " and 1 house preset.\n" in said(capsys, state, "Paula", "--yes")
    (state / "houses.json").write_text('{"presets": [{"name": "Paula"')
    assert "other files there: houses.json" in said(capsys, state, "Paula", "--yes")
    assert b"Paula" not in everything(state)


def test_an_archive_alone_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A house that has only imported; and one that has only played."""
    state = house(tmp_path)
    (state / "journal.db").unlink()
    assert "in 0 places of the journal and 1 imported match." in said(capsys, state, "Lea", "--yes")
    (state / "archive.db").unlink()
    journaled(state)
    assert "in 2 places of the journal and 0 imported matches." in said(capsys, state, "Max", "--yes")


def test_nobody_of_that_name_is_one_sentence(tmp_path: Path) -> None:
    """With those that there are; a pack's back is no person."""
    state = house(tmp_path)
    assert refusal(state, "ann", "--yes") == (
        "referee forget: 'ann' is in no match here, allowed are Anna, Ben, Lea, Max"
    )
    assert refusal(state, "Red", "--yes").startswith("referee forget: 'Red' is the back of a pack and nobody's name")


def test_a_running_referee_keeps_its_journal(tmp_path: Path) -> None:
    """One sentence that says who has it; afterwards it works on."""
    state = house(tmp_path)
    journal = Journal(state / "journal.db", "boot-2")
    try:
        assert "is in use by process" in refusal(state, "Anna", "--yes")
    finally:
        assert journal.close()


def test_a_reader_at_the_journal_is_one_sentence(tmp_path: Path) -> None:
    """While somebody reads, the log cannot go; nothing is changed, and the journal can still be written."""
    state = house(tmp_path)
    reader = sqlite3.connect(state / "journal.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM event").fetchone()
    sentence = refusal(state, "Anna", "--yes")
    reader.close()
    assert "cannot be changed: database is locked" in sentence
    JournalFile(state / "journal.db", "boot-2").close()


def test_all_or_nothing(tmp_path: Path) -> None:
    """A fault after the journal's rows and before the imported ones leaves both files as they were."""
    state = house(tmp_path)
    db = sqlite3.connect(state / "archive.db")
    db.execute("CREATE TRIGGER never BEFORE UPDATE ON record BEGIN SELECT raise(ABORT, 'never'); END")
    db.close()
    assert refusal(state, "Anna", "--yes").endswith("cannot be changed: never")
    assert driver.look(state / "journal.db", state / "archive.db", "Anna").places == 4


def test_files_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    """A damaged journal, an archive that is none or holds no record."""
    state = house(tmp_path)
    db = sqlite3.connect(state / "archive.db")
    db.execute("UPDATE record SET body = '[]'")
    db.commit()
    db.close()
    assert "archive.db cannot be read: it is no record" in refusal(state, "Anna", "--yes")
    (state / "archive.db").unlink()
    db = sqlite3.connect(state / "archive.db")
    db.execute("CREATE TABLE song (title)")
    db.execute("CREATE TABLE record (number, body)")
    db.close()
    with pytest.raises(ValueError, match="is another program's database"):
        forget.run(parsed(forget, "forget", "Anna", "--yes", "--state", str(state)))
    (state / "archive.db").write_bytes(b"no archive either, and long enough to be told from one" * 100)
    with pytest.raises(UsageError, match=r"archive\.db cannot be changed: file is not a database"):
        forget.run(parsed(forget, "forget", "Anna", "--yes", "--state", str(state)))
    (state / "archive.db").unlink()
    (state / "journal.db").write_bytes(b"no database at all, and long enough to be told from one" * 100)
    with pytest.raises(UsageError, match=r"journal\.db cannot be changed: file is not a database"):
        forget.run(parsed(forget, "forget", "Anna", "--yes", "--state", str(state)))


class Terminal(io.StringIO):
    """Somebody at the keyboard."""

    def isatty(self) -> bool:
        return True


def test_somebody_at_the_keyboard_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Yes forgets; anything else is a no with status 1 and changes nothing."""
    state = house(tmp_path)
    for answer in ("no\n", "", "yesterday\n"):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        assert main(["forget", "Anna", "--state", str(state)]) == 1
        told = capsys.readouterr()
        assert told.err == (
            "Forget Anna for ever, in 4 places of the journal and 1 imported match? [yes/no] Nothing was changed.\n"
        )
        assert told.out == ""
        assert b"Anna" in texts(state)
    monkeypatch.setattr(sys, "stdin", Terminal("yes\n"))
    assert main(["forget", "Anna", "--state", str(state)]) == 0
    assert b"Anna" not in texts(state)


def test_where_nobody_can_be_asked_yes_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script says what it wants."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert refusal(house(tmp_path), "Anna").endswith(
        "nobody can be asked here, so --yes is needed; nothing was changed"
    )


def test_a_journal_set_aside_holds_the_name_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is overwritten where it stands, and every other byte stays; one who is only there can be forgotten, too."""
    state = house(tmp_path)
    damaged = state / "journal-damaged-2026-01-01-000000.db"
    damaged.write_bytes(b'rubbish {"name":"Anna"} "Anna" Annabel')
    said(capsys, state, "Anna", "--yes")
    assert damaged.read_bytes() == b'rubbish {"name":"xxxx"} "xxxx" Annabel'


def test_the_records_of_past_matches_hold_it_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was kept as a record is written anew, and says the same of everybody else."""
    state = house(tmp_path)
    before = [entry.shown for entry in list_matches(state)]
    assert b"Anna" in (state / "matches.log").read_bytes()
    said(capsys, state, "Anna", "--yes")
    assert b"Anna" not in (state / "matches.log").read_bytes()
    after = [entry.shown for entry in list_matches(state)]
    assert [e and e["hands"] for e in after] == [e and e["hands"] for e in before]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('[names]\n1 = "Anna"  # by the window\n2 = "Ben"\n', '[names]\n2 = "Ben"\n'),
        ('[names]\n1 = "ANNA "\n2 = "Ben"\n', '[names]\n2 = "Ben"\n'),
        ('[names]\n1 = "Annabel"\n[other]\nx = "Anna"\n', None),
    ],
)
def test_the_names_of_the_configuration(
    text: str, left: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --config, the seats that remember the person remember nobody; every other line stays as it is."""
    state, file = house(tmp_path / "state"), tmp_path / "referee.toml"
    file.write_text(text)
    said(capsys, state, "Anna", "--yes", "--config", str(file))
    assert file.read_text() == (text if left is None else left)


def test_a_configuration_that_hides_the_name_is_one_sentence(tmp_path: Path) -> None:
    """What cannot be taken out without knowing better is refused, and nothing is changed."""
    state, file = house(tmp_path / "state"), tmp_path / "referee.toml"
    file.write_text('names = { 1 = "Anna" }\n')
    assert "only you can change" in refusal(state, "Anna", "--yes", "--config", str(file))
