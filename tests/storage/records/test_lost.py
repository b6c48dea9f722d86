"""Lost records are made again from their evenings, by every command and page that lists matches."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cli import main
from referee.core.documents.record import Record
from referee.core.values import replace
from referee.storage.evenings.folder import compress, evenings_in
from referee.storage.records import keeper
from referee.storage.records import reader as child
from referee.storage.records.recordfile import Stored
from referee.storage.records.store import Records
from tests.commands.house import kept
from tests.core.evenings import at_table, counted, played
from tests.core.sitting import BREATH_NS

ALL = ("1", "2", "3")


def house(state: Path) -> Path:
    """Return a state directory of two evenings, one with two matches, whose records are listed."""
    kept(state, played(), played(2, 7, 1))
    Records(state).list()
    return state


def read(state: Path) -> dict[str, Record]:
    """Return the listed matches by their numbers."""
    records = Records(state)
    assert [match.trouble for match in records.list()] == [""] * len(records.list())
    return {match.number: records.read(match.number) for match in records.list()}


def lose(state: Path, numbers: tuple[str, ...], index: str) -> None:
    """Remove records. index: "kept", "lost", or "lines" to remove only their lines."""
    path = state / "records" / "index.jsonl"
    names = [f"{number:0>5}.json" for number in numbers]
    for name in names:
        (state / "records" / name).unlink()
    if index == "lost":
        path.unlink()
    elif index == "lines":
        kept_lines = [line for line in path.read_text().splitlines(True) if not any(name in line for name in names)]
        path.write_text("".join(kept_lines))


@pytest.mark.parametrize("index", ["kept", "lost", "lines"])
@pytest.mark.parametrize("numbers", [lost for n in (1, 2, 3) for lost in combinations(ALL, n)], ids="".join)
def test_lost_records_come_back_under_their_numbers(tmp_path: Path, numbers: tuple[str, ...], index: str) -> None:
    state = house(tmp_path)
    before = read(state)
    assert tuple(before) == ALL
    lose(state, numbers, index)
    assert read(state) == before
    assert Records(state).find_damage() == []


def test_all_records_come_back_from_compressed_evenings(tmp_path: Path) -> None:
    state = house(tmp_path)
    before = read(state)
    compress(evenings_in(state))
    shutil.rmtree(state / "records")
    assert read(state) == before


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sets(st.sampled_from(ALL)), st.sampled_from(["kept", "lost", "lines"])), max_size=4))
def test_matches_survive_losses_in_any_order(losses: list[tuple[set[str], str]]) -> None:
    """Between two losses, the matches are listed, so that the index knows the evenings."""
    with TemporaryDirectory() as name:
        state = house(Path(name))
        before = {record.id: record for record in read(state).values()}
        for numbers, index in losses:
            lose(state, tuple(numbers), index)
            assert {record.id: record for record in read(state).values()} == before


COMMANDS: dict[str, tuple[str, ...]] = {
    "history": ("history", "--json"),
    "statistics": ("history", "--stats", "--json"),
    "player": ("history", "--player", "Anna", "--json"),
    "replay": ("replay", "--json"),
    "one": ("replay", "1", "--json"),
    "export": ("export", "2"),
    "backup": ("backup", "{stick}", "--json"),
}


@pytest.mark.parametrize("argv", COMMANDS.values(), ids=COMMANDS)
def test_each_command_knows_the_lost_matches(
    tmp_path: Path, argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    state = house(tmp_path / "state")
    said = []
    for stick in (tmp_path / "one", tmp_path / "two"):
        stick.mkdir()
        status = main([*(arg.format(stick=stick) for arg in argv), "--state", str(state)])
        said.append((status, capsys.readouterr().out))
        shutil.rmtree(state / "records")
    assert said[0] == said[1]
    assert len(said[0][1]) > 100


@pytest.mark.parametrize(("verb", "argument"), [("list", ""), ("page", "1"), ("evening", "1"), ("match", "2")])
def test_the_page_knows_the_lost_matches(tmp_path: Path, verb: str, argument: str) -> None:
    state = house(tmp_path)
    before = child.VERBS[verb](Records(state), argument)
    assert before
    shutil.rmtree(state / "records")
    assert child.VERBS[verb](Records(state), argument) == before


def test_an_import_of_a_lost_match_is_no_second_match(tmp_path: Path) -> None:
    state = house(tmp_path)
    records = [*read(state).values()]
    shutil.rmtree(state / "records")
    assert [Records(state).add(record) for record in records] == [("1", False), ("2", False), ("3", False)]


def test_an_imported_match_is_not_made_again(tmp_path: Path) -> None:
    state = house(tmp_path)
    number, _ = Records(state).add(replace(read(state)["1"], id="elsewhere"))
    Records(state).list()
    (state / "records" / "A00001.json").unlink()
    assert number == "A1"
    assert tuple(read(state)) == ALL


def spoil_all(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"kind":"start"', b'"kind":"trats"'))


def make_newer(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [spoil_all, make_newer, Path.unlink])
@pytest.mark.parametrize("index", ["kept", "lost"])
def test_a_match_that_is_lost_with_its_evening_is_a_sentence(
    tmp_path: Path, spoil: Callable[[Path], None], index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command exits with 1, now and later. If the index and the evening's file are gone, nothing is known."""
    state = house(tmp_path / "state")
    stick = tmp_path / "stick"
    stick.mkdir()
    evening = evenings_in(state) / "2023-11-14_2213_2.jsonl"
    spoil(evening)
    lose(state, ("3",), index)
    known = index == "kept" or evening.exists()
    for _ in range(2):
        found = Records(state).list()
        assert [match.number for match in found if match.summary] == ["1", "2"]
        assert [evening.stem in match.trouble + match.number for match in found if match.trouble] == [True] * known
        for argv in (["history"], ["replay"], ["backup", str(stick)]):
            assert main([*argv, "--state", str(state)]) == known
            assert (evening.stem in capsys.readouterr().out) is known


def test_an_evening_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index without lines of evenings, as of earlier versions, costs one search; undone matches cost no more."""
    state = house(tmp_path)
    searched: list[str] = []
    search = keeper._records

    def noted(path: Path, name: str, count: int) -> list[Stored]:
        searched.append(path.name)
        return search(path, name, count)

    monkeypatch.setattr(keeper, "_records", noted)
    Records(state).list()
    assert searched == []
    (state / "records" / "index.jsonl").unlink()
    for _ in range(3):
        Records(state).list()
    assert len(searched) == len(set(searched)) == 2
    path = evenings_in(state) / searched[0]
    path.write_bytes(path.read_bytes() + b" ")
    Records(state).list()
    assert searched[2:] == [path.name]


def test_an_undone_hand_is_no_lost_match(tmp_path: Path) -> None:
    table = counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 20, "2")
    assert [len(read(kept(tmp_path / "counted", tuple(table.rows))))] == [1]
    state = kept(tmp_path / "undone", tuple(table.choose("Undo: count").rows))
    assert Records(state).list() == []
