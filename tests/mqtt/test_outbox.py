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
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.chronicle import records
from referee.core.documents.delivery import NO_ROW, Result, Row
from referee.core.documents.record import to_document
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Sealed
from referee.core.units import S
from referee.mqtt.outbox import MOST_HALLS, RECENT_S, EveningResults, Index, Indexed, LastResult, Outbox
from referee.storage.evenings.folder import compress, evenings_in, names, pack, path_of, read_evening
from referee.storage.evenings.rows import Tape
from referee.storage.evenings.writer import Journal
from referee.storage.records.removed_names import INDEX
from tests.core.evenings import at_table, counted, played
from tests.core.sitting import Sitting
from tests.journals.record import GAMES, HERE

Key = tuple[str, Row, Row]
NOW_S = 1_800_000_000
"""When the recorded evenings were played."""


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


def written(state: Path, rows: Sequence[JournalRow], *, boot: str = "b", wall_s: int = NOW_S) -> str:
    """Add rows to the journal in this state directory. Return the evening's name."""
    journal = Journal(state, boot, wall=lambda: wall_s)
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
    journal = Journal(state, "b", wall=lambda: NOW_S)
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
    box.follow("none", 0)
    (last,) = box.due({}, 16)
    (first,) = last.replaced
    assert last.after == NO_ROW
    (rest,) = box.due({last.match: first}, 16)
    assert (rest.row, rest.after, rest.replaced) == (last.row, first, ())
    assert box.due({last.match: last.row}, 16) == []
    assert box.due({}, 16, {last.match}) == []
    (odd,) = box.due({last.match: (1, first[1] + 1)}, 16)  # a row that this table does not know
    assert (odd.row, odd.after, odd.replaced) == (last.row, (1, first[1] + 1), ())


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
    assert len(box.due({}, 1)) == 1
    assert read == over[:1]
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
    box.follow("none", 0)
    whole = box.due({}, 99)
    assert len(whole) == 2
    first.write_bytes(b"nothing")
    box = Outbox(state)
    box.follow("none", 0)
    assert keys(box.due({}, 99)) == keys(whole[1:])
    first.unlink()
    box.follow("none", 0)
    assert keys(box.due({}, 99)) == keys(whole[1:])
    second.unlink()
    box.follow("gone", 5)
    assert box.due({}, 99) == []


@pytest.mark.parametrize("reported", ["", "the first"])
@pytest.mark.parametrize("begun", [1, 2])
def test_evening_that_is_saved_late_is_sent_whole(tmp_path: Path, reported: str, begun: int) -> None:
    """A full disk: rows of two more evenings wait, and are saved while the first evening is still the current one."""
    state, made = tmp_path / "state", tmp_path / "made"
    for seconds in (1, 2, 3):
        written(made, a_match(seconds).rows)
    evenings_in(state).mkdir(parents=True)
    first, second, third = names(evenings_in(made))
    content = {name: path_of(evenings_in(made), name).read_bytes() for name in (first, second, third)}
    if reported:
        (evenings_in(state) / f"{first}.jsonl").write_bytes(content[first])
    now = first if reported else ""
    box = Outbox(state)
    box.follow(now, 999)
    growing = evenings_in(state) / f"{second}.jsonl"
    growing.write_bytes(b"".join(content[second].splitlines(keepends=True)[: begun - 1]))
    box.follow(now, 1000)
    growing.write_bytes(content[second])
    (evenings_in(state) / f"{third}.jsonl").write_bytes(content[third])
    box.follow(third, 999)
    assert len(box.due({}, 99)) == len({one.match for one in box.due({}, 99)}) == 2 + (reported != "")


# -- a new hall ----------------------------------------------------------------------------------------------------

AGES_S = st.sampled_from([0, RECENT_S - 1, RECENT_S, -60, -RECENT_S, NOW_S])
"""How long before the first contact an evening ended, by clocks that can be wrong."""


def outbox_of(state: Path, ages_s: Sequence[int], order: Sequence[str]) -> Outbox:
    """Return an outbox whose index has evenings with these ages and names; the oldest has ID 1, and match "m1"."""
    evenings_in(state).mkdir(parents=True, exist_ok=True)
    evenings = {}
    for id_, (age_s, name) in enumerate(zip(ages_s, order, strict=False), 1):
        (evenings_in(state) / f"{name}.jsonl").touch()
        evenings[name] = Indexed(id_, {f"m{id_}": LastResult(7, id_)}, NOW_S - age_s)
    (state / INDEX).write_bytes(msgspec.json.encode(Index(evenings)))
    box = Outbox(state)
    box.follow("", 0)
    return box


@settings(max_examples=400)
@given(
    st.lists(AGES_S, max_size=5),
    st.permutations(["a", "b", "c", "d", "e"]),
    st.sets(st.integers(1, 5)),
    st.sets(st.integers(1, 5)),
    st.integers(-3, 3),
)
def test_new_hall_gets_the_last_day_and_later_evenings(
    tmp_path_factory: pytest.TempPathFactory,
    ages_s: list[int],
    order: list[str],
    held: set[int],
    held_later: set[int],
    days: int,
) -> None:
    state = tmp_path_factory.mktemp("state")
    box = outbox_of(state, ages_s, order)
    rows = {f"m{id_}": (id_, 7) for id_ in held}
    first = box.first_row("h1", rows, NOW_S)
    young = [abs(age_s) < RECENT_S for age_s in ages_s]
    for id_ in range(1, len(ages_s) + 1):
        wanted = all(young[id_ - 1 :]) or any(one <= id_ for one in held if one <= len(ages_s))
        assert ((id_, 7) >= first) is wanted, id_
    assert (len(ages_s) + 1, 1) >= first
    later = {f"m{id_}": (id_, 7) for id_ in held_later}
    for again in (box, Outbox(state)):  # a hall restored from a copy, or a table that has restarted
        again.follow("", 0)
        assert again.first_row("h1", later, NOW_S + days * RECENT_S) == first


def test_results_before_the_first_row_are_not_sent(tmp_path: Path) -> None:
    state = tmp_path / "state"
    for day in (1, 2, 3):
        written(state, a_match(day).rows, wall_s=NOW_S + day * RECENT_S)
    *_, current = names(evenings_in(state))
    last = read_last(state, current)
    box = Outbox(state)
    box.follow(current, last)
    whole = box.due({}, 99)
    assert [one.row[0] for one in whole] == [1, 2, 3]
    for after_s, evenings in ((0, 1), (RECENT_S - 1, 1), (RECENT_S, 0)):
        now_s = NOW_S + 3 * RECENT_S + after_s
        first = box.first_row(f"h{after_s}", {}, now_s)
        assert keys(box.due({}, 99, first=first)) == keys(whole[3 - evenings :])
    held = {whole[1].match: whole[1].row}
    assert keys(box.due(held, 99, first=box.first_row("old friend", held, now_s))) == keys(whole[2:])


def test_current_evening_goes_on_after_the_first_contact(tmp_path: Path) -> None:
    """A table that has rested for a day sends what is played from now on, though its evening began before."""
    state, rows = tmp_path / "state", played()
    sealed = [seq for seq, event in rows if isinstance(event, Sealed)]
    name = written(state, rows)
    box = Outbox(state)
    box.follow(name, sealed[0])
    first = box.first_row("h1", {}, NOW_S + RECENT_S)
    assert box.due({}, 99, first=first) == []
    box.follow(name, rows[-1][0])
    assert {row[1] for one in box.due({}, 99, first=first) for row in (*one.replaced, one.row)} == {
        one.row[1] for one in all_results(state, name) if one.row[1] > sealed[0]
    }


def test_table_keeps_a_number_of_halls(tmp_path: Path) -> None:
    box = outbox_of(tmp_path, [0], ["a"])
    for number in range(MOST_HALLS + 1):
        box.first_row(f"h{number}", {}, NOW_S)
    box.first_row("x" * 1000, {}, NOW_S)
    halls = msgspec.json.decode((tmp_path / INDEX).read_bytes(), type=Index).halls
    assert [name[:3] for name in halls] == [*(f"h{number}" for number in range(2, MOST_HALLS + 1)), "xxx"]
    assert max(map(len, halls)) == 100
