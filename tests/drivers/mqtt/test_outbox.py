"""Results are derived from the evenings' files, with the same rows live and later."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.chronicle import records
from referee.core.documents.delivery import NO_ROW, Result, Row
from referee.core.documents.record import to_document
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Sealed
from referee.core.units import S
from referee.drivers.evenings.folder import compress, evenings_in, names, pack, path_of, read_evening
from referee.drivers.evenings.rows import Tape
from referee.drivers.evenings.writer import Journal
from referee.drivers.mqtt.outbox import INDEX, EveningResults, Outbox
from tests.core.evenings import at_table, counted, played
from tests.core.sitting import Sitting
from tests.journals.record import GAMES, HERE

Key = tuple[str, Row, Row]


def keys(results: Sequence[Result]) -> list[Key]:
    """Return match, row and the row before of each result."""
    return [(one.match, one.row, one.after) for one in results]


def content(result: Result) -> Any:
    """Return a result's record as JSON data."""
    return None if result.record is None else msgspec.json.decode(msgspec.json.encode(result.record))


def a_match(seconds: int) -> Sitting:
    """Play one hand, after a wait in the lobby."""
    return counted(at_table("1", "2").wait(seconds * S).playing("1", "2"), "1", 10, "2")


def state_with(folder: Path, *games: str) -> Path:
    """Return a state directory with one recorded evening, or several copies."""
    evenings_in(folder).mkdir(parents=True, exist_ok=True)
    for number, game in enumerate(games, 1):
        shutil.copy(HERE / f"{game}.jsonl.gz", evenings_in(folder) / f"2026-11-{number:02}_1930.jsonl.gz")
    return folder


def written(state: Path, rows: Sequence[JournalRow], *, boot: str = "b") -> str:
    """Add rows to the journal in this state directory. Return the evening's name."""
    journal = Journal(state, boot, wall=lambda: 1_800_000_000)
    journal.append(rows)
    assert journal.close(60.0)
    return journal.name


def all_results(state: Path, name: str) -> list[Result]:
    """Return all results of an evening."""
    evening = EveningResults(state, name, {})
    evening.read()
    return evening.results


# -- one evening ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_last_result_is_the_record(game: str, tmp_path: Path) -> None:
    state = state_with(tmp_path / "state", game)
    (name,) = names(evenings_in(state))
    tape = read_evening(evenings_in(state) / f"{name}.jsonl.gz")
    (record,) = records(tape.rows, tape.walls)
    results = all_results(state, name)
    assert content(results[-1]) == msgspec.json.decode(msgspec.json.encode(to_document(record)))
    assert [one.after for one in results] == [NO_ROW, *(one.row for one in results[:-1])]
    sealed = [(1, seq) for seq, event in tape.rows if isinstance(event, Sealed)]
    assert {one.row for one in results} >= set(sealed)


@given(st.lists(st.integers(1, 465), max_size=4))
def test_rows_are_the_same_live_and_later(tmp_path_factory: pytest.TempPathFactory, through: list[int]) -> None:
    """The evening is read up to a saved row again and again, as when the device reports it."""
    state = state_with(tmp_path_factory.mktemp("state"), "duel")
    (name,) = names(evenings_in(state))
    live = EveningResults(state, name, {})
    for last in sorted(through):
        live.read(last)
        assert all(one.row[1] <= last for one in live.results)
    live.read(465)
    assert keys(live.results) == keys(recorded())


@cache
def recorded() -> list[Result]:
    """Return the results of a recorded evening."""
    with tempfile.TemporaryDirectory() as folder:
        state = state_with(Path(folder) / "state", "duel")
        return all_results(state, "2026-11-01_1930")


def test_evening_of_two_matches_has_two_chains(tmp_path: Path) -> None:
    state, rows = tmp_path / "state", played()
    name = written(state, rows)
    live = EveningResults(state, name, {})
    for through in (rows[0][0], rows[len(rows) // 2][0], rows[-1][0]):
        live.read(through)
    assert len({one.match for one in live.results}) == 2
    assert keys(live.results) == keys(all_results(state, name))


def test_undone_hand_leaves_no_record(tmp_path: Path) -> None:
    """A match whose only hand is undone has a result without a record; the next hand follows that row."""
    table = at_table("1", "2").playing("1", "2")
    counted(table, "1", 10, "2")
    one = table.engine.state.table.match
    table.choose("Undo: count")
    state = tmp_path / "state"
    results = all_results(state, written(state, table.rows))
    assert [(r.match, r.record is None) for r in results] == [(one, False), (one, True)]


def test_row_set_aside_later_is_left_out(tmp_path: Path) -> None:
    rows = played()
    sealed = [seq for seq, event in rows if isinstance(event, Sealed)]
    state = tmp_path / "state"
    journal = Journal(state, "b", wall=lambda: 1_800_000_000)
    journal.append(rows)
    journal.set_aside(sealed[-1], "a test")
    assert journal.close(60.0)
    live = EveningResults(state, journal.name, {})
    live.read(sealed[-1])
    live.read()
    assert keys(live.results) == keys(all_results(state, journal.name))


# -- all evenings --------------------------------------------------------------------------------------------------


def test_hall_gets_what_comes_after_its_row(tmp_path: Path) -> None:
    state = state_with(tmp_path / "state", "nertz")
    box = Outbox(state)
    box.follow("", 0)
    first, last = box.due({}, 16)
    assert (first.after, last.after) == (NO_ROW, first.row)
    assert keys(box.due({first.match: first.row}, 16)) == keys([last])
    assert box.due({last.match: last.row}, 16) == []
    assert keys(box.due({}, 1)) == keys([first])
    assert box.due({}, 16, {first.match}) == []
    (odd,) = box.due({first.match: (1, first.row[1] + 1)}, 16)  # a row that this table does not know
    assert (odd.row, odd.after) == (last.row, (1, first.row[1] + 1))


def test_evenings_that_are_over_are_replayed_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "state"
    for seconds in (1, 2, 3):  # a match's ID has the time of its beginning
        written(state, a_match(seconds).rows)
    compress(evenings_in(state))
    read: list[str] = []
    usual = EveningResults.read

    def spy(evening: EveningResults, through: int | None = None) -> None:
        read.append(evening.name)
        usual(evening, through)

    monkeypatch.setattr(EveningResults, "read", spy)
    *over, current = names(evenings_in(state))
    last = read_last(state, current)
    for expected in ([*over, current], [current]):
        read.clear()
        box = Outbox(state)
        box.follow(current, last)
        assert read == expected
    read.clear()
    every = {one.match: one.row for one in box.due({}, 999)}
    assert len(every) == 3
    assert read == over  # once each
    assert box.due(every, 999) == []
    (state / INDEX).write_text("damaged")
    rebuilt = Outbox(state)
    rebuilt.follow(current, last)
    assert {one.match: one.row for one in rebuilt.due({}, 999)} == every


def read_last(state: Path, name: str) -> int:
    """Return the number of an evening's last row."""
    return int(tape_of(state, name).rows[-1][0])


def tape_of(state: Path, name: str) -> Tape:
    """Return an evening."""
    return read_evening(path_of(evenings_in(state), name))


def test_match_that_goes_on_in_a_new_evening_keeps_its_chain(tmp_path: Path) -> None:
    table = at_table("1", "2").playing("1", "2")
    counted(table, "1", 10, "2")
    state = tmp_path / "state"
    first = written(state, table.rows)
    engine = Engine.restored(table.rows)
    engine.take()
    engine.reopen()
    second = written(state, engine.take().rows, boot="c")
    assert first != second
    box = Outbox(state)
    box.follow(second, engine.state.seq)
    (only,) = box.due({}, 16)  # the new evening begins with the same record
    assert only.row[0] == 1


def test_removed_or_damaged_evening_ends_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    for seconds in (1, 2):
        written(state, a_match(seconds).rows)
    compress(evenings_in(state))
    pack(evenings_in(state) / "2030-01-01_0000.jsonl", b"")
    first, second, _ = (path_of(evenings_in(state), name) for name in names(evenings_in(state)))
    box = Outbox(state)
    box.follow("", 0)
    whole = box.due({}, 99)
    assert len(whole) == 2
    first.write_bytes(b"nothing")
    assert keys(box.due({}, 99)) == keys(whole[1:])
    first.unlink()
    box.follow("", 0)
    assert keys(box.due({}, 99)) == keys(whole[1:])
    second.unlink()
    box.follow("gone", 5)
    assert box.due({}, 99) == []
