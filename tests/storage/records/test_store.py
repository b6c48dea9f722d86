"""Records as files: one per match, listed by the index, after faults of files, disk or power."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.record import Record, from_document
from referee.core.documents.summary import result
from referee.core.values import replace
from referee.storage.records import store
from referee.storage.records.index import read_line
from referee.storage.records.recordfile import Stored, text_of
from referee.storage.records.store import Records
from tests.core.documents.test_figures import a_match

EVENING = "2026-11-26_1930"


def match(n: int = 1, hands: int = 2) -> Record:
    """Return match `n` of two players, unfinished; each hand gives Anna 10 and Ben 3."""
    played = [{"end": "call", "callers": ["Anna"], "counts": {"Anna": [10, 0], "Ben": [5, 1]}}] * hands
    return a_match(["Anna", "Ben"], played, n, 1_700_000_000 + n)


def flip(path: Path, old: bytes, new: bytes, later_ns: int = 0) -> None:
    """Change some bytes of a file; keep its size, and its time unless that is to be later."""
    before = path.stat()
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + later_ns))


def listed(records: Records) -> list[tuple[str, str]]:
    """Return each match's number with its result or fault."""
    return [(one.number, result(one.summary) if one.summary else one.trouble) for one in records.list()]


def test_a_match_is_one_file_that_import_reads(tmp_path: Path) -> None:
    """Own matches by number, then imported ones; a rewritten one keeps its number."""
    records = Records(tmp_path)
    assert records.list() == []
    assert [records.keep(match(n), EVENING) for n in (1, 2)] == ["1", "2"]
    assert records.add(match(3)) == ("A1", True)
    assert records.add(match(3)) == ("A1", False)
    assert records.add(match(2)) == ("2", False)
    assert records.keep(match(1, 3), EVENING) == "1"
    assert listed(records) == [("1", "Anna 30 : Ben 9"), ("2", "Anna 20 : Ben 6"), ("A1", "Anna 20 : Ben 6")]
    assert [records.read(number) for number in ("1", "2", "A1")] == [match(1, 3), match(2), match(3)]
    document = json.loads((tmp_path / "records" / "00001.json").read_text(encoding="utf-8"))
    assert from_document(document) == match(1, 3)
    assert (document["unfinished"], document["evening"]) == (True, EVENING)


def test_a_record_that_is_as_it_was_is_not_written(tmp_path: Path) -> None:
    """Keeping a match again at each start causes no wear of the card."""
    Records(tmp_path).keep(match(), EVENING)
    before = (tmp_path / "records" / "00001.json").stat()
    assert Records(tmp_path).keep(match(), EVENING) == "1"
    assert (tmp_path / "records" / "00001.json").stat().st_mtime_ns == before.st_mtime_ns


@settings(max_examples=30)
@given(st.integers(0, len(text_of(match(), EVENING)) * 8 - 1))
def test_a_flipped_bit_of_a_record_is_noticed(bit: int) -> None:
    with TemporaryDirectory() as name:
        records = Records(Path(name))
        records.keep(match(), EVENING)
        path = records.path / "00001.json"
        damaged = bytearray(path.read_bytes())
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        assert records.find_damage() == ["record 1 is damaged: its checksum is wrong"]
        with pytest.raises(ValueError, match="is damaged"):
            records.read("1")


def test_a_removed_match_is_gone_from_the_list(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.keep(match(1), EVENING)
    records.keep(match(2), EVENING)
    records.add(match(3))
    assert len(records.list()) == 3
    records.remove(match(1).id)
    records.remove(match(3).id)
    records.remove("unknown")
    assert [number for number, _ in listed(records)] == ["2", "A1"]
    assert records.find(match(1).id) is None
    assert b'"00001.json"' not in (tmp_path / "records" / "index.jsonl").read_bytes()


def test_unknown_times_are_taken_over(tmp_path: Path) -> None:
    """A record rebuilt without a clock keeps the known times of its match and its hands."""
    timed = replace(match(), ended_s=1_700_000_900, hands=tuple(replace(h, counted_s=5) for h in match().hands))
    records = Records(tmp_path)
    records.keep(timed, EVENING)
    records.keep(replace(match(1, 3), begun_s=None, ended_s=None), EVENING)
    found = records.read("1")
    assert (found.begun_s, found.ended_s) == (timed.begun_s, timed.ended_s)
    assert [hand.counted_s for hand in found.hands] == [5, 5, None]


# -- damage ------------------------------------------------------------------------------------------------------------


def damaged(state: Path, later_ns: int = 1) -> Path:
    """Write two matches and flip a digit of the first one."""
    Records(state).keep(match(1), EVENING)
    Records(state).keep(match(2), EVENING)
    Records(state).list()
    flip(state / "records" / "00001.json", b'"Anna":10', b'"Anna":90', later_ns)
    return state


@pytest.mark.parametrize("later_ns", [0, 1])
def test_a_flipped_digit_is_noticed(tmp_path: Path, later_ns: int) -> None:
    """When the record is read, and in a full check.

    In a list, if the file's time shows a change.
    """
    records = Records(damaged(tmp_path, later_ns))
    with pytest.raises(ValueError, match="checksum"):
        records.read("1")
    (sentence,) = records.find_damage()
    assert sentence.startswith("record 1 ")
    assert records.read("2") == match(2)
    assert [not one.trouble for one in records.list()] == [later_ns == 0, True]


@pytest.mark.parametrize("known", [True, False])
def test_a_damaged_record_is_made_again_from_its_evening(
    tmp_path: Path, known: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = damaged(tmp_path)
    if known:
        (state / "records" / "00001.json").write_bytes(b"")
    else:
        (state / "records" / "index.jsonl").unlink()
    evenings = {(EVENING, match(1).id): Stored(match(1), EVENING)}
    monkeypatch.setattr(store, "rebuild_from", lambda state, *of: evenings.get(of))
    assert listed(Records(state))[0] == ("1", "Anna 20 : Ben 6")
    assert "made again" in caplog.text
    assert Records(state).find_damage() == []
    assert Records(state).read("1") == match(1)


def fail(*_: object) -> None:
    raise OSError("the evening is gone")


@pytest.mark.parametrize("rebuild", [None, lambda *_: None, lambda *_: Stored(match(7), EVENING), fail])
def test_a_damaged_record_without_a_sound_evening_is_listed_with_its_trouble(
    tmp_path: Path, rebuild: Callable[..., Stored | None] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "rebuild_from", rebuild or store.rebuild_from)
    records = Records(damaged(tmp_path))
    assert listed(records) == [("1", "is damaged: its checksum is wrong"), ("2", "Anna 20 : Ben 6")]
    with pytest.raises(ValueError, match="damaged"):
        records.read("1")
    assert records.keep(match(1), EVENING) == "1"
    assert records.find_damage() == []


def test_what_is_no_record_costs_a_sentence(tmp_path: Path) -> None:
    Records(tmp_path).keep(match(1), EVENING)
    folder = tmp_path / "records"
    (folder / "00002.json").symlink_to(folder / "00001.json")
    os.mkfifo(folder / "00003.json")
    (folder / "00004.json").mkdir()
    with (folder / "00005.json").open("wb") as file:
        file.truncate(1 << 30)
    (folder / "00006.json").touch()
    (folder / "A00001.json").write_text("[1]")
    for name in ("holiday.jpg", "7.json", "00008.json.bak"):
        (folder / name).touch()
    records = Records(tmp_path)
    found = records.list()
    assert [one.number for one in found if one.summary] == ["1"]
    assert [one.number for one in found if one.trouble] == ["2", "3", "4", "5", "6", "A1"]
    assert len(records.find_damage()) == 7
    assert records.add(match(2)) == ("A2", True)
    assert records.keep(match(3), EVENING) == "7"


def test_a_later_release_s_record_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its checksum is right: it is not rebuilt, only not shown."""
    monkeypatch.setattr(store, "rebuild_from", lambda *_: Stored(match(1), EVENING))
    records = Records(tmp_path)
    records.keep(match(1), EVENING)
    path = tmp_path / "records" / "00001.json"
    text = path.read_bytes()[:-21].replace(b'"version":1', b'"version":2')
    path.write_bytes(data := b'%s,"crc32":"%08x"}\n' % (text, crc32(text)))
    assert "version" in records.list()[0].trouble
    assert path.read_bytes() == data


@pytest.mark.parametrize("number", ["7", "../1", "A01"])
def test_an_unknown_number_is_not_found(tmp_path: Path, number: str) -> None:
    Records(tmp_path).keep(match(), EVENING)
    with pytest.raises(FileNotFoundError):
        Records(tmp_path).read(number)


# -- the index ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harm", ["flip", "cut", "remove", "folder", "link", "nonsense"])
def test_a_damaged_index_is_rebuilt(tmp_path: Path, harm: str) -> None:
    records = Records(tmp_path)
    for n in (1, 2, 3):
        records.keep(match(n, n), EVENING)
    index, wanted = tmp_path / "records" / "index.jsonl", listed(records)
    if harm == "flip":
        flip(index, b'"Anna":20', b'"Anna":90')
    elif harm == "cut":
        index.write_bytes(index.read_bytes()[:-9])
    elif harm == "nonsense":
        index.write_bytes(bytes(range(256)) * 99)
    else:
        index.unlink()
        index.mkdir() if harm == "folder" else None
        index.symlink_to("/dev/zero") if harm == "link" else None
    assert listed(records) == wanted
    assert listed(records) == wanted


def test_a_summary_of_another_release_is_made_again(tmp_path: Path) -> None:
    Records(tmp_path).keep(match(), EVENING)
    path = tmp_path / "records" / "00001.json"
    text = path.read_bytes()[:-21].replace(b'"form":1,"summary":{', b'"form":2,"summary":{"more":1,')
    path.write_bytes(data := b'%s,"crc32":"%08x"}\n' % (text, crc32(text)))
    assert b'"more"' in data
    assert listed(Records(tmp_path)) == [("1", "Anna 20 : Ben 6")]
    assert (path.read_bytes(), Records(tmp_path).read("1")) == (data, match())


def test_a_match_that_goes_on_adds_a_line_and_the_index_stays_short(tmp_path: Path) -> None:
    """Unused lines are removed when they are the larger part."""
    records = Records(tmp_path)
    for hands in range(1, 10):
        records.keep(match(1, hands), EVENING)
        assert listed(records) == [("1", f"Anna {10 * hands} : Ben {3 * hands}")]
    assert len((tmp_path / "records" / "index.jsonl").read_bytes().splitlines()) <= 3


def test_a_list_that_is_cut_short_has_made_a_part_of_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next list continues there, so that thousands of records are listed eventually."""
    for n in range(1, 8):
        Records(tmp_path).keep(match(n), EVENING)
    left = [5]

    def cut(*given: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return read_line(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "MOST_UNSAVED", 2)
    monkeypatch.setattr(store, "read_line", cut)
    with pytest.raises(KeyboardInterrupt):
        Records(tmp_path).list()
    assert len((tmp_path / "records" / "index.jsonl").read_bytes().splitlines()) == 4
    left[0] = 3
    assert len(Records(tmp_path).list()) == 7


def test_an_index_that_cannot_be_written_is_used_from_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, or a card that has become read-only."""
    records = Records(tmp_path)
    records.keep(match(1), EVENING)
    opened = os.open

    def read_only(path: str, flags: int, *rest: int, **others: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(30, "Read-only file system")
        return opened(path, flags, *rest, **others)

    monkeypatch.setattr(os, "open", read_only)
    (tmp_path / "records" / "index.jsonl").unlink(missing_ok=True)
    assert listed(records) == [("1", "Anna 20 : Ben 6")]


# -- power cuts and other processes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [0, 1])
def test_a_power_cut_leaves_the_old_or_the_new_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: int
) -> None:
    """The folder is copied before and after every step that changes the disk."""
    state, cuts = tmp_path / "state", tmp_path / "cuts"
    for _ in range(there):
        Records(state).keep(match(1), EVENING)

    def watched(name: str) -> None:
        real = getattr(os, name)

        def step(*args: object, **others: object) -> object:
            shutil.copytree(state, cuts / str(len(list(cuts.iterdir()))))
            found = real(*args, **others)
            shutil.copytree(state, cuts / str(len(list(cuts.iterdir()))))
            return found

        monkeypatch.setattr(os, name, step)

    cuts.mkdir()
    with monkeypatch.context() as monkeypatch:
        for name in ("replace", "fsync"):
            watched(name)
        Records(state).keep(match(1, 3), EVENING)
    found = [Records(cut) for cut in cuts.iterdir()]
    assert len(found) >= 6
    for records in found:
        assert [one.trouble for one in records.list()] in ([""], [""] * there)
        assert records.find_damage() == []
        for one in records.list():
            assert records.read(one.number) in (match(1), match(1, 3))
        assert records.keep(match(1, 3), EVENING) == "1"


def test_processes_that_add_at_once_never_take_one_number(tmp_path: Path) -> None:
    found = [match(n) for n in range(1, 13)]

    def add_all(mine: list[Record]) -> list[str]:
        records = Records(tmp_path)
        return [records.add(one)[0] for one in mine]

    with ThreadPoolExecutor(3) as pool:
        one, other, third = pool.map(add_all, (found[:8], found[4:], found[::-1]))
    assert sorted(one + other[4:]) == sorted(third) == sorted(f"A{n}" for n in range(1, 13))
    assert {records_id(tmp_path, number) for number in third} == {one.id for one in found}


def records_id(state: Path, number: str) -> str:
    """Return the id of a record."""
    return Records(state).read(number).id
