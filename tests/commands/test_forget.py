"""`referee forget`: a person's name is removed from every file, and everything else is unchanged."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
from pathlib import Path

import pytest

from referee.cli import main
from referee.commands import forget
from referee.commands.terminal import UsageError
from referee.core.documents.chronicle import records
from referee.core.match.engine import Engine
from referee.core.model.table import Setup
from referee.core.values import replace
from referee.device.phones.pairing import HouseBook, HousePreset, PhoneBook
from referee.storage.evenings.folder import compress, evenings_in, find_latest, read_evening
from referee.storage.evenings.writer import Journal
from referee.storage.files import Folder
from referee.storage.records import forget as driver
from referee.storage.records.store import Records
from tests.commands.house import kept, parsed
from tests.core.evenings import played
from tests.core.sitting import Sitting


def house(state: Path) -> Path:
    """Write two evenings with Anna, the first one compressed, and an imported match with her."""
    kept(state, played(3, 4), played(2, 7, 1))
    compress(evenings_in(state))
    (found,) = records(played(4, 11, 1), {})
    given = [{"after": 1, "team": "Anna", "points": 0, "reason": "anna's birthday"}]
    Records(state).add(replace(found, id="elsewhere", match={**found.match, "adjustments": given}))
    return state


def said(capsys: pytest.CaptureFixture[str], state: Path, *argv: str) -> str:
    """Return the command's output after success."""
    assert forget.run(parsed(forget, "forget", *argv, "--state", str(state))) == 0
    return capsys.readouterr().out


def refusal(state: Path, *argv: str) -> str:
    """Return the error message; check that nothing was changed."""
    before = everything(state, but="index.jsonl")
    with pytest.raises(UsageError) as caught:
        forget.run(parsed(forget, "forget", *argv, "--state", str(state)))
    assert everything(state, but="index.jsonl") == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def everything(state: Path, but: str = "") -> bytes:
    """Return the unpacked bytes of every file, except the lock's note and files named `but`."""
    names = {but, "evenings.lock"}
    found = (path for path in sorted(state.rglob("*")) if path.name not in names)
    paths = [path for path in found if path.is_file() and not path.is_symlink()]
    contents = [path.read_bytes() for path in paths]
    return b"\n".join(gzip.decompress(one) if one[:2] == b"\x1f\x8b" else one for one in contents)


def evenings(state: Path) -> list[Path]:
    """Return the evenings' files."""
    return sorted(evenings_in(state).iterdir())


def test_the_name_is_nowhere_and_the_matches_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The files keep the same hands, totals and winners under the seat's name, and are listed."""
    state = house(tmp_path)
    before = {match.number: Records(state).read(match.number) for match in Records(state).list()}
    text = said(capsys, state, "Anna", "--yes")
    assert text.startswith("Anna is forgotten in 2 evenings and 4 records:\n  evenings/2023-11-14_2213.jsonl.gz\n")
    assert text.count("\n  ") == 7
    assert not re.search(rb"(?i)anna", everything(state))
    assert list(before) == [match.number for match in Records(state).list()]
    for number, then in before.items():
        now = Records(state).read(number)
        assert [team.replace("Anna", "Player 1") for team in then.totals] == list(now.totals)
        assert list(then.totals.values()) == list(now.totals.values())
        assert [hand.played_ms for hand in then.hands] == [hand.played_ms for hand in now.hands]


def test_every_spelling_of_the_name_is_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the seats, the settings and a restarted evening's settings, in any case."""
    setup = Setup(stations=("1", "2"), names=(("1", "Zoëlina"), ("2", "ZOËlina")))
    state = kept(tmp_path, Sitting(setup).playing("1", "2").reopened().chapter)
    (state / "page.html").write_text("<b>ZO&Euml;LINA</b> <i>zoe\u0308Lina</i>, Zoëlinas")
    assert said(capsys, state, " ZOËLINA", "--yes").startswith(" ZOËLINA is forgotten in 1 evening")
    assert (state / "page.html").read_text() == "<b>ZO&Euml;LINA</b> <i>xxxxxxxxx</i>, Zoëlinas"
    (state / "page.html").unlink()
    assert not re.search(rb"(?i)lina", everything(state))


def test_every_decision_still_follows_from_its_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One neutral name per person and evening, through restarts.

    A table continues the same evening as before.
    """
    state = house(tmp_path)
    path = find_latest(evenings_in(state)).path
    for person in ("Anna", "Ben", "Max"):
        said(capsys, state, person, "--yes")
        for evening in map(read_evening, evenings(state)):
            assert not evening.damaged
            Engine.derived(evening.rows, evening.aside)
    neutral = {
        name for path in evenings(state) for record in records(read_evening(path).rows, {}) for name in record.people
    }
    assert neutral == {"Player 1", "Player 2", "Player 3"}
    assert find_latest(evenings_in(state)).path == path


def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = house(tmp_path)
    (state / "old").mkdir()
    (state / "old" / "journal.db").write_bytes(b'SQLite format 3\0\xff"Max" "Ben" Maximilian')
    assert json.loads(said(capsys, state, "Max", "--yes", "--json")) == {
        "player": "Max",
        "evenings": ["evenings/2023-11-14_2213.jsonl.gz", "evenings/2023-11-14_2213_2.jsonl"],
        "records": ["records/00001.json", "records/00002.json", "records/A00001.json"],
        "houses": [],
        "index": ["records/index.jsonl"],
        "overwritten": ["old/journal.db"],
        "unread": [],
    }
    assert (state / "old" / "journal.db").read_bytes() == b'SQLite format 3\0\xff"xxx" "Ben" Maximilian'
    assert "  old/journal.db (letters x in its place)\n" in said(capsys, state, "Ben", "--yes")


def test_every_file_that_can_hold_a_name_holds_it_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Evenings, records, phones, houses, exports, leftovers, copies; links are not followed.

    Modes stay.
    """
    state = house(tmp_path / "state")
    PhoneBook(state / "phones.json").pair()
    houses = HouseBook(state / "houses.json")
    for name in ("Anna", "At anna's", "Annabel", "House 1"):
        houses.save(HousePreset(name, "nna", {}))
    (state / "shared").mkdir()
    (state / "shared" / "copy.jsonl").write_bytes(evenings(state)[0].read_bytes())
    twice = gzip.compress(b"<p>Anna</p>") + gzip.compress(b"<p>ANNA</p>")
    for name in ("shared/sent.html.gz", "shared/sent.part"):
        (state / name).write_bytes(twice)
    (tmp_path / "theirs").write_text("Anna")
    (state / "link").symlink_to(tmp_path / "theirs")
    for name in ("houses.new", "records/00009.json.part", "records/00008.json", "shared/x.gz", "matches.log"):
        (state / name).write_text('{"name": "Anna"}')
    (state / "houses.new").chmod(0o600)
    assert "cannot be searched" not in said(capsys, state, "Anna", "--yes")
    after = everything(state)
    assert after.count(b"xxxx") == 11  # a remark is in its record and in the summary there
    assert not re.search(rb"(?i)(?<!\w)anna(?!\w)", after)
    assert after.count(b"Annabel") == 1
    assert (tmp_path / "theirs").read_text() == "Anna"
    assert (state / "houses.new").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in HouseBook(state / "houses.json").presets] == [
        "House 2",
        "House 3",
        "Annabel",
        "House 1",
    ]


def test_a_damaged_line_is_overwritten_like_any_other_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It keeps its length and its damage; sound lines are renamed, with any line ending."""
    state = kept(tmp_path)
    (path,) = evenings(state)
    lines = path.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b'"start"', b'"stark"')
    joined = next(n for n, text in enumerate(lines) if b'"joined"' in text and b"Anna" in text)
    lines[joined] += b"\r"
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines))
    said(capsys, state, "Anna", "--yes")
    found = path.read_bytes().split(b"\n")
    assert found[1] == lines[1].replace(b"Anna", b"xxxx")
    assert b'"Player 1"' in found[joined]
    assert read_evening(path).damaged == ("line 2 is damaged",)
    assert b"Anna" not in everything(state)


def test_a_damaged_compressed_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = house(tmp_path)
    path = evenings(state)[0]
    path.write_bytes(path.read_bytes()[:2000])
    name = path.relative_to(state)
    text = said(capsys, state, "Anna", "--yes")
    assert f"{name} is damaged, and can be searched up to there only; the name may be in it.\n" in text
    assert b"Player 1" in gzip.decompress(path.read_bytes())


def test_an_interrupted_command_can_be_given_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is old or new after a failed write, and a second run finishes the work."""
    write, writes = Folder.write, 0

    def failing(folder: Folder, name: str, data: bytes | None, mode: int = 0o666) -> None:
        nonlocal writes
        writes += name != "index.jsonl"
        if writes == fails_at and name != "index.jsonl":
            raise OSError(28, "No space left on device", name)
        write(folder, name, data, mode)

    for fails_at in (1, 3, 6):
        state = house(tmp_path / str(fails_at))
        writes = 0
        with monkeypatch.context() as within:
            within.setattr(Folder, "write", failing)
            with pytest.raises(UsageError, match="No space left on device; the name may be left in some files"):
                said(capsys, state, "Anna", "--yes")
        for evening in map(read_evening, evenings(state)):
            assert not evening.damaged
            Engine.derived(evening.rows, evening.aside)
        assert Records(state).find_damage() == []
        driver.forget(state, "Anna")
        assert b"Anna" not in everything(state)


def test_nobody_of_that_name_is_one_sentence(tmp_path: Path) -> None:
    state = house(tmp_path)
    assert refusal(state, "ann", "--yes") == (
        "referee forget: 'ann' is in no match here, allowed are Anna, Ben, Lea, Max"
    )
    assert refusal(state, "Red", "--yes").startswith("referee forget: 'Red' is the name of a pack's back")
    assert refusal(state / "none", "Anna", "--yes").endswith("there is no such directory; name it with --state DIR")


def test_a_running_referee_keeps_its_evenings(tmp_path: Path) -> None:
    state = house(tmp_path)
    journal = Journal(state, "boot-2")
    try:
        assert "is in use by process" in refusal(state, "Anna", "--yes")
    finally:
        assert journal.close()


class Terminal(io.StringIO):
    """A person at the keyboard."""

    def isatty(self) -> bool:
        return True


def test_somebody_at_the_keyboard_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "Yes" forgets; any other answer changes nothing and gives status 1."""
    state = house(tmp_path)
    before = everything(state, but="index.jsonl")
    for answer in ("no\n", "", "yesterday\n"):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        assert main(["forget", "Anna", "--state", str(state)]) == 1
        told = capsys.readouterr()
        assert told.err == "Forget Anna for ever, in 2 evenings and 4 records? [yes/no] Nothing was changed.\n"
        assert told.out == ""
    assert everything(state, but="index.jsonl") == before
    monkeypatch.setattr(sys, "stdin", Terminal("yes\n"))
    assert main(["forget", "Anna", "--state", str(state)]) == 0
    assert b"Anna" not in everything(state)


def test_all_files_are_searched_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal is told how many there are, and the line ends."""
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    forget.run(parsed(forget, "forget", "Anna", "--yes", "--state", str(kept(tmp_path))))
    assert re.fullmatch(r"\r(\d+) of \1 files searched\n", screen.getvalue())


def test_where_nobody_can_be_asked_yes_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert refusal(kept(tmp_path), "Anna").endswith(
        "there is no terminal to ask at, so --yes is needed; nothing was changed"
    )


def test_times_of_files_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """File times select the evening to continue."""
    state = house(tmp_path)
    for path in evenings(state):
        os.utime(path, ns=(5, 1_000_000_000_000_000_007))
    said(capsys, state, "Anna", "--yes")
    assert {path.stat().st_mtime_ns for path in evenings(state)} == {1_000_000_000_000_000_007}
    assert not any(driver.look(state, "Anna").files.values())


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
    state, file = kept(tmp_path / "state"), tmp_path / "referee.toml"
    file.write_text(text)
    said(capsys, state, "Anna", "--yes", "--config", str(file))
    assert file.read_text() == (text if left is None else left)


def test_a_configuration_that_hides_the_name_is_one_sentence(tmp_path: Path) -> None:
    state, file = kept(tmp_path / "state"), tmp_path / "referee.toml"
    file.write_text('names = { 1 = "Anna" }\n')
    assert "must be edited by hand" in refusal(state, "Anna", "--yes", "--config", str(file))
