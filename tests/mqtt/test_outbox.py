"""Results are the records, each with the row that last changed it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.core.documents.chronicle import Matches, records
from referee.core.documents.delivery import NO_ROW, Result, Row
from referee.core.documents.record import Record, forget_person, from_document, to_document
from referee.core.match.engine import Engine, JournalRow
from referee.core.units import S
from referee.core.values import replace
from referee.mqtt.outbox import MOST_HALLS, RECENT_S, Halls, Outbox
from referee.storage.evenings.folder import compress, evenings_in, names, path_of, read_evening
from referee.storage.evenings.rows import Tape
from referee.storage.evenings.writer import Journal
from referee.storage.files import Folder
from referee.storage.records.forget import forget
from referee.storage.records.keeper import Keeper
from referee.storage.records.recordfile import read_record, text_of
from referee.storage.records.removed_names import INDEX
from referee.storage.records.store import Records
from tests.core.evenings import at_table, counted, only, played
from tests.core.sitting import BREATH_NS, Sitting
from tests.journals.record import GAMES, HERE
from tests.mqtt.chain import chain, untimed

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


def hand(table: Sitting, lake: int) -> Sitting:
    """Play a hand, or count the undone one again. Anna plays `lake` cards."""
    if table.phase != "COUNTING":
        return counted(table.playing("1", "2"), "1", lake, "2")
    return table.wait(BREATH_NS).count("1", 0, lake, caller=True).count("2", 0, 10).wait(8 * S)


def state_with(folder: Path, *games: str) -> Path:
    """Return a state directory with one recorded evening, or several copies, and their records."""
    evenings_in(folder).mkdir(parents=True, exist_ok=True)
    for number, game in enumerate(games, 1):
        shutil.copy(HERE / f"{game}.jsonl.gz", evenings_in(folder) / f"2026-11-{number:02}_1930.jsonl.gz")
    Records(folder).list()
    return folder


def written(state: Path, rows: Sequence[JournalRow], *, boot: str = "b", wall_s: int = NOW_S) -> str:
    """Add rows to the journal in this state directory, and keep the records. Return the evening's name."""
    name = saved(state, rows, boot=boot, wall_s=wall_s)
    keep(state)
    return name


def saved(state: Path, rows: Sequence[JournalRow], *, boot: str = "b", wall_s: int = NOW_S) -> str:
    """Add rows to the journal, as a device does that loses power before it keeps the records."""
    journal = Journal(state, boot, wall=lambda: wall_s)
    journal.append(rows)
    assert journal.close(60.0)
    return journal.name


def keep(state: Path) -> None:
    """Keep the records of the current evening, as at the start of a device."""
    journal = Journal(state, "b", wall=lambda: NOW_S)
    tape, evening = journal.take_recovered(), (journal.name, journal.id)
    assert journal.close()
    matches, said = Matches(), list[str]()
    Engine.restored(tape.rows, tape.aside, watch=matches.note)
    keeper = Keeper(Records(state), said.append)
    keeper.reconcile(matches.states.values(), tape.walls, evening)
    assert keeper.close(60.0)
    assert said == []


def read(state: Path) -> Outbox:
    """Return an outbox that has read the records."""
    box = Outbox(state)
    box.read()
    return box


def tape_of(state: Path, name: str) -> Tape:
    """Return an evening."""
    return read_evening(path_of(evenings_in(state), name))


@cache
def recorded() -> list[Result]:
    """Return all results of the recorded evening "duel"."""
    return chain(read_evening(HERE / "duel.jsonl.gz").rows)


# -- one evening ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_result_is_the_record_and_its_last_change(game: str, tmp_path: Path) -> None:
    state = state_with(tmp_path / "state", game)
    (name,) = names(evenings_in(state))
    tape = tape_of(state, name)
    (record,) = records(tape.rows, tape.walls)
    (result,) = read(state).due({}, 16)
    assert content(result) == msgspec.json.decode(msgspec.json.encode(to_document(record)))
    assert (result.match, result.row, result.after) == (record.id, chain(tape.rows)[-1].row, NO_ROW)
    Records(state).keep(record, name, (1, 999_999))  # the same again
    assert keys(read(state).due({}, 16)) == keys([result])


def test_hall_gets_what_comes_after_its_row(tmp_path: Path) -> None:
    state = state_with(tmp_path / "state", "nertz")
    box = read(state)
    (last,) = box.due({}, 16)
    earlier = (1, last.row[1] - 7)
    (rest,) = box.due({last.match: earlier}, 16)
    assert (rest.row, rest.after, rest.replaced) == (last.row, earlier, ())
    assert box.due({last.match: last.row}, 16) == []
    assert box.due({}, 16, {last.match}) == []
    assert box.due({}, 0) == []


def test_undone_hand_leaves_no_record(tmp_path: Path) -> None:
    """A hall that holds the match gets a result without a record; the next hand comes after it."""
    state, table = tmp_path / "state", a_match(1)
    match = table.engine.state.table.match
    written(state, table.rows)
    (first,) = read(state).due({}, 16)
    done = len(table.rows)
    written(state, table.choose("Undo: count").rows[done:])
    (gone,) = read(state).due({match: first.row}, 16)
    assert (gone.match, gone.after, gone.record) == (match, first.row, None)
    assert read(state).due({}, 16) == []
    done = len(table.rows)
    written(state, hand(table, 12).rows[done:])
    (again,) = read(state).due({match: gone.row}, 16)
    assert again.row > gone.row > first.row
    assert content(again)["totals"] == dict(only(table).totals)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.booleans()), min_size=1, max_size=6))
def test_each_change_of_a_record_has_a_later_row(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int, bool]]
) -> None:
    """Also if the event's number does not grow. New times are no change; a removed record counts as a change."""
    state = tmp_path_factory.mktemp("state")
    store, record, match = Records(state), only(a_match(1)), only(a_match(1)).id
    last: tuple[int | None, Row] = None, NO_ROW
    for number, (points, seq, gone) in enumerate(changes):
        before, row = last
        if gone:
            store.remove(match, (1, seq))
        else:
            totals = {**record.totals, "Anna": points}
            store.keep(replace(record, totals=totals, ended_s=number), "2026-11-28_1930", (1, seq))
        results = read(state).due({match: NO_ROW}, 9)
        value = None if not results or results[0].record is None else content(results[0])["totals"]["Anna"]
        last = value, results[0].row if results else NO_ROW
        assert value == (None if gone else points)
        assert last[1] == row if value == before else last[1] > row


def test_evenings_that_are_over_are_not_read(tmp_path: Path) -> None:
    """Records and their index are enough: a removed or damaged evening ends nothing."""
    state = tmp_path / "state"
    for seconds in (1, 2, 3):  # a match's ID has the time of its beginning
        written(state, a_match(seconds).rows)
    compress(evenings_in(state))
    whole = read(state).due({}, 99)
    assert [one.row[0] for one in whole] == [1, 2, 3]
    first, *others = names(evenings_in(state))
    path_of(evenings_in(state), first).write_bytes(b"nothing")
    for name in others:
        path_of(evenings_in(state), name).unlink()
    for _ in range(2):
        assert keys(read(state).due({}, 99)) == keys(whole)
        Records(state).list()  # makes the index
    assert [one.match for one in read(state).due({whole[0].match: whole[0].row}, 1)] == [whole[1].match]


def test_match_that_goes_on_in_a_new_evening_keeps_its_row(tmp_path: Path) -> None:
    table = a_match(1)
    state = tmp_path / "state"
    first = written(state, table.rows)
    done = len(table.rows)
    table.engine.reopen()
    table.wait(S)
    second = written(state, table.rows[done:], boot="c")
    assert first != second
    (result,) = read(state).due({}, 16)
    assert result.row == (1, tape_of(state, first).rows[-1][0])
    done = len(table.rows)
    written(state, hand(table, 12).rows[done:])
    (more,) = read(state).due({result.match: result.row}, 16)
    assert more.row[0] == 2


@pytest.mark.parametrize("index", ["kept", "lost"])
@pytest.mark.parametrize("harm", ["removed", "damaged"])
def test_rebuilt_record_keeps_its_row(tmp_path: Path, harm: str, index: str) -> None:
    state = tmp_path / "state"
    written(state, a_match(1).rows)
    table = a_match(2)
    written(state, table.rows)
    Records(state).list()
    whole = read(state).due({}, 99)
    for path in (state / "records").glob("0*.json"):
        path.write_bytes(path.read_bytes().replace(b"Anna", b"Lena")) if harm == "damaged" else path.unlink()
    if index == "lost":
        (state / "records" / "index.jsonl").unlink()
        Records(state).list()
    held = {one.match: one.row for one in whole}
    assert read(state).due(held, 99) == []
    again = read(state).due({}, 99)
    assert [(one.match, content(one)) for one in again] == [(one.match, content(one)) for one in whole]
    assert (keys(again) == keys(whole)) is (index == "kept")


def test_record_without_a_removed_name_keeps_its_row(tmp_path: Path) -> None:
    state = tmp_path / "state"
    written(state, a_match(1).rows)
    (before,) = read(state).due({}, 9)
    forget(state, "Ben")
    with Folder(state / "records") as folder:
        stored = read_record(folder, "00001.json")
    assert stored.row == before.row
    assert "Ben" not in stored.record.people


def test_outbox_loads_no_game_and_no_evening(tmp_path: Path) -> None:
    """So the child that sends results stays small."""
    state = state_with(tmp_path / "state", "nertz")
    program = (
        "import sys, pathlib, referee.mqtt.child; from referee.mqtt.outbox import Outbox; "
        "box = Outbox(pathlib.Path(sys.argv[1])); box.read(); print(len(box.due({}, 9)), *sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(state)], check=True, capture_output=True, text=True)
    count, *loaded = ended.stdout.split()
    assert count == "1"
    heavy = ("referee.core.match", "referee.core.games", "referee.core.phases", "referee.storage.evenings")
    assert not [name for name in loaded if name.startswith(heavy)]


# -- the life of a table -------------------------------------------------------------------------------------------


class House:
    """A table that loses power, records and names, and a hall that holds what it was sent."""

    def __init__(self, state: Path) -> None:
        self.state, self.box, self.evenings = state, Outbox(state), 0
        self.rows: dict[str, Row] = {}
        self.records: dict[str, Record | None] = {}
        self.repeated = 0
        self.begin()

    def begin(self) -> None:
        """Begin an evening with other people."""
        self.evenings += 1
        self.table, self.saved = at_table("1", "2").wait(self.evenings * S), 0
        self.hands, self.may_undo = 0, False

    def hand(self) -> None:
        """Play a hand."""
        self.hands += 1
        self.may_undo = True
        hand(self.table, 10 + self.hands % 7)

    def undo(self) -> None:
        """Undo the last count, perhaps to count again."""
        if self.may_undo:
            self.table.choose("Undo: count")
        self.may_undo = False

    def keep(self) -> None:
        """Save the rows, and keep the records."""
        self.lose_power()
        keep(self.state)

    def lose_power(self) -> None:
        """Save the rows, and lose power before the records are kept."""
        saved(self.state, self.table.rows[self.saved :], boot=f"b{self.evenings}")
        self.saved = len(self.table.rows)

    def go_on(self) -> None:
        """Continue the match in a new evening."""
        self.table.engine.reopen()
        self.table.wait(S)
        self.may_undo = False

    def announce(self, lost: bool = False) -> None:
        """Send what is due to the hall. lost: the messages are lost."""
        self.box.read()
        for result in self.box.due(self.rows, 99):
            assert result.row > result.after == self.rows.get(result.match, NO_ROW)
            record = None if result.record is None else untimed(from_document(content(result)))
            if not lost:
                self.repeated += self.records.get(result.match) == record
                self.rows[result.match], self.records[result.match] = result.row, record

    def restart(self) -> None:
        """Start the child again."""
        self.box = Outbox(self.state)

    def lose(self, index: bool = False) -> None:
        """Lose all records, perhaps with their index, and list the matches."""
        for path in (self.state / "records").glob("0*.json"):
            path.unlink()
        if index:
            (self.state / "records" / "index.jsonl").unlink(missing_ok=True)
        for _ in range(2):  # the second time, the index learns which evenings have all records
            Records(self.state).list()

    def forget(self) -> None:
        """Remove a name from the table and the hall."""
        self.keep()
        forget(self.state, "Ben")
        self.records = {match: record and forget_person(record, "Ben") for match, record in self.records.items()}
        self.begin()

    def do(self, step: str) -> None:
        """Do one of these steps."""
        if step in ("lose all", "announce in vain"):
            self.lose(index=True) if step == "lose all" else self.announce(lost=True)
        else:
            getattr(self, step)()


STEPS = (
    "hand", "undo", "keep", "lose_power", "go_on", "announce", "announce in vain", "restart", "lose", "lose all",
    "forget", "begin",
)  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(STEPS), max_size=14))
@example(["hand", "keep", "announce", "undo", "lose_power", "announce", "restart"])
@example(["hand", "lose_power", "announce", "lose", "announce", "keep"])
@example(["hand", "keep", "announce", "forget", "announce", "hand"])
@example(["hand", "keep", "go_on", "keep", "lose", "announce", "lose", "announce", "hand"])
@example(["hand", "keep", "announce", "undo", "keep", "restart", "announce", "hand", "keep", "announce", "lose all"])
def test_hall_ends_with_the_records_of_the_table(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    """Each result comes once: two in a row of a match differ."""
    house = House(tmp_path_factory.mktemp("state"))
    for step in steps:
        house.do(step)
    house.keep()
    house.restart()
    house.announce()
    store = Records(house.state)
    on_disk = {one.summary.id: untimed(store.read(one.number)) for one in store.list() if one.summary}
    assert {match: record for match, record in house.records.items() if record} == on_disk
    played_here = (tape_of(house.state, name) for name in names(evenings_in(house.state)))
    derived = {one.id: untimed(one) for tape in played_here for one in records(tape.rows, {}, tape.aside)}
    assert on_disk == derived
    assert house.repeated == 0
    house.announce()
    assert house.box.due(house.rows, 99) == []


# -- earlier versions ----------------------------------------------------------------------------------------------


def age(state: Path, noted: Sequence[str], *, index: bool) -> dict[str, list[Result]]:
    """Turn the state directory into one of an earlier version. Return all results of each match.

    noted: evenings in `mqtt.json`. index: whether the records have an index without rows.
    """
    found: dict[str, list[Result]] = {}
    evenings = {}
    for name in names(evenings_in(state)):
        tape = tape_of(state, name)
        results = chain(tape.rows, tape.aside, tape.id)
        for result in results:
            found.setdefault(result.match, []).append(result)
        last = {one.match: {"seq": one.row[1], "crc": 7} for one in results}
        if name in noted:
            evenings[name] = {"id": tape.id, "last": last, "ended_s": NOW_S}
    with Folder(state / "records") as folder:
        for path in (state / "records").glob("0*.json"):
            folder.write(path.name, text_of(*read_record(folder, path.name)[:2]))
    (state / "records" / "index.jsonl").unlink(missing_ok=True)
    if index:
        Records(state).list()
    if noted:
        content = {"evenings": evenings, "halls": {"h1": [1, 0]}}
        (state / INDEX).write_bytes(msgspec.json.encode(content))
    return found


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(0, 2)), st.booleans(), st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_results_of_earlier_versions_are_sent_once(
    tmp_path_factory: pytest.TempPathFactory, noted: set[int], index: bool, confirmed: list[int]
) -> None:
    """The hall holds some results, with the rows of that version."""
    state = tmp_path_factory.mktemp("state")
    for seconds in (1, 2):
        written(state, hand(a_match(seconds), 13).rows)
    written(state, hand(a_match(3).choose("Undo: count"), 12).rows)
    chains = age(state, [names(evenings_in(state))[at] for at in noted], index=index)
    held = {
        match: results[min(count, len(results)) - 1].row
        for (match, results), count in zip(chains.items(), confirmed, strict=True)
        if count
    }
    for _ in range(2):  # the table restarts
        box = read(state)
        due = {one.match: one for one in box.due(held, 99)}
        assert {match: one.row for match, one in due.items()} == {
            match: results[-1].row for match, results in chains.items() if held.get(match) != results[-1].row
        }
        assert all(
            untimed(from_document(content(one))) == untimed(from_document(content(chains[match][-1])))
            for match, one in due.items()
        )
        if noted:
            assert box.first_row("h1", held, NOW_S) == (1, 0)
    assert box.due({match: results[-1].row for match, results in chains.items()}, 99) == []


def test_match_of_two_evenings_keeps_the_row_of_an_earlier_version(tmp_path: Path) -> None:
    state, table = tmp_path / "state", a_match(1)
    first = written(state, table.rows)
    done = len(table.rows)
    table.engine.reopen()
    table.wait(S)
    written(state, table.rows[done:], boot="c")
    chains = age(state, [first], index=True)
    ((match, results),) = chains.items()
    assert read(state).due({match: results[0].row}, 99) == []


# -- a new hall ----------------------------------------------------------------------------------------------------

AGES_S = st.sampled_from([0, RECENT_S - 1, RECENT_S, -60, -RECENT_S, NOW_S])
"""How long before the first contact a match ended, by clocks that can be wrong."""


def outbox_of(state: Path, ages_s: Sequence[int]) -> Outbox:
    """Return an outbox of records with these ages; the oldest has ID "m1", and is of evening 1."""
    record, store = only(a_match(1)), Records(state)
    for id_, age_s in enumerate(ages_s, 1):
        store.keep(replace(record, id=f"m{id_}", ended_s=NOW_S - age_s), "2026-11-28_1930", (id_, 7))
    return read(state)


@settings(max_examples=100)
@given(st.lists(AGES_S, max_size=5), st.sets(st.integers(1, 5)), st.sets(st.integers(1, 5)), st.integers(-3, 3))
def test_new_hall_gets_the_last_day_and_later_matches(
    tmp_path_factory: pytest.TempPathFactory, ages_s: list[int], held: set[int], held_later: set[int], days: int
) -> None:
    state = tmp_path_factory.mktemp("state")
    box = outbox_of(state, ages_s)
    rows = {f"m{id_}": (id_, 7) for id_ in held}
    first = box.first_row("h1", rows, NOW_S)
    young = [abs(age_s) < RECENT_S for age_s in ages_s]
    for id_ in range(1, len(ages_s) + 1):
        wanted = all(young[id_ - 1 :]) or any(one <= id_ for one in held if one <= len(ages_s))
        assert ((id_, 7) >= first) is wanted, id_
    assert (len(ages_s) + 1, 1) >= first
    later = {f"m{id_}": (id_, 7) for id_ in held_later}
    for again in (box, read(state)):  # a hall restored from a copy, or a table that has restarted
        assert again.first_row("h1", later, NOW_S + days * RECENT_S) == first


def test_results_before_the_first_row_are_not_sent(tmp_path: Path) -> None:
    state = tmp_path / "state"
    for day in (1, 2, 3):
        written(state, a_match(day).rows, wall_s=NOW_S + day * RECENT_S)
    box = read(state)
    whole = box.due({}, 99)
    assert [one.row[0] for one in whole] == [1, 2, 3]
    for after_s, evenings in ((0, 1), (RECENT_S - 1, 1), (RECENT_S, 0)):
        now_s = NOW_S + 3 * RECENT_S + after_s
        first = box.first_row(f"h{after_s}", {}, now_s)
        assert keys(box.due({}, 99, first=first)) == keys(whole[3 - evenings :])
    held = {whole[1].match: whole[1].row}
    assert keys(box.due(held, 99, first=box.first_row("old friend", held, now_s))) == keys(whole[2:])


def test_current_match_goes_on_after_the_first_contact(tmp_path: Path) -> None:
    """A table that has rested for a day sends what is played from now on, though its evening began before."""
    state, table = tmp_path / "state", a_match(1)
    written(state, table.rows)
    box = read(state)
    first = box.first_row("h1", {}, NOW_S + RECENT_S)
    assert box.due({}, 99, first=first) == []
    done = len(table.rows)
    written(state, hand(table, 12).rows[done:])
    box.read()
    assert len(box.due({}, 99, first=first)) == 1


def test_table_keeps_a_number_of_halls(tmp_path: Path) -> None:
    box = outbox_of(tmp_path, [0])
    for number in range(MOST_HALLS + 1):
        box.first_row(f"h{number}", {}, NOW_S)
    box.first_row("x" * 1000, {}, NOW_S)
    halls = msgspec.json.decode((tmp_path / INDEX).read_bytes(), type=Halls).halls
    assert [name[:3] for name in halls] == [*(f"h{number}" for number in range(2, MOST_HALLS + 1)), "xxx"]
    assert max(map(len, halls)) == 100


def test_evening_of_two_matches_has_two_results(tmp_path: Path) -> None:
    state, rows = tmp_path / "state", played()
    written(state, rows)
    assert len({one.match for one in read(state).due({}, 99)}) == 2
