"""The keeper: a match has its record from its first counted hand on, even with disk errors."""

from __future__ import annotations

import queue
from pathlib import Path

from referee.core.documents.chronicle import record_of
from referee.core.values import replace
from referee.storage.records.keeper import Keeper
from referee.storage.records.store import Records
from tests.core.evenings import at_table, counted
from tests.core.sitting import BREATH_NS, Sitting

EVENING = ("2026-11-26_1930", 7)


def table(hands: int = 1) -> Sitting:
    """Return a table of Anna and Ben after so many hands."""
    found = at_table("1", "2").choose("Start").wait(BREATH_NS)
    for _ in range(hands):
        counted(found.playing("1", "2"), "1", 20, "2")
    return found


def hands(state: Path) -> list[int]:
    """Return how many hands each record has."""
    return [one.summary.hands if one.summary else -1 for one in Records(state).list()]


def kept(state: Path, *tables: Sitting, damaged: bool = False) -> list[str]:
    """Let a keeper take these tables in order and end; return its reports."""
    said: list[str] = []
    keeper = Keeper(Records(state), said.append)
    for one in tables:
        if damaged:
            keeper.reconcile([one.engine.state], {}, EVENING, damaged=True)
        else:
            keeper.take(one.engine.state, {}, EVENING)
    assert keeper.close() == (not said)
    return said


def test_a_match_is_listed_from_its_first_counted_hand_on(tmp_path: Path) -> None:
    """It keeps its number, and is removed if that hand is undone."""
    assert kept(tmp_path, table(0)) == []
    assert hands(tmp_path) == []
    sitting = table(1)
    kept(tmp_path, sitting)
    assert hands(tmp_path) == [1]
    counted(sitting.playing("1", "2"), "1", 20, "2")
    kept(tmp_path, sitting)
    assert hands(tmp_path) == [2]
    assert Records(tmp_path).read("1") == record_of(sitting.engine.state, {})
    undone = table(1).choose("Undo: count")
    assert undone.engine.state.table.match == sitting.engine.state.table.match
    kept(tmp_path, undone)
    assert hands(tmp_path) == []


def test_a_damaged_evening_replaces_and_removes_no_record(tmp_path: Path) -> None:
    kept(tmp_path, table(2))
    for fewer in (1, 0):
        kept(tmp_path, table(fewer), damaged=True)
        assert hands(tmp_path) == [2]
    kept(tmp_path / "other", table(1), damaged=True)
    assert hands(tmp_path / "other") == [1]


def test_a_record_that_cannot_be_kept_is_said_once_and_tried_again(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("no folder")
    said = queue.Queue[str]()
    keeper = Keeper(Records(tmp_path), said.put, retry_s=0.001)
    keeper.take(table(1).engine.state, {}, EVENING)
    assert "could not be kept" in said.get(timeout=10)
    (tmp_path / "records").unlink()
    assert keeper.close()
    assert said.empty()
    assert hands(tmp_path) == [1]


def test_what_no_record_can_hold_costs_no_other_match(tmp_path: Path) -> None:
    broken = replace(table(1).engine.state.table, match="broken", stories=())
    said: list[str] = []
    keeper = Keeper(Records(tmp_path), said.append)
    for state in (replace(table(1).engine.state, table=broken), table(1).engine.state):
        keeper.take(state, {}, EVENING)
    assert keeper.close()
    assert len(said) == 1
    assert hands(tmp_path) == [1]


def test_records_are_reported_after_they_are_written(tmp_path: Path) -> None:
    """A record that cannot be written is not; a removed one is."""
    seen = list[list[int]]()
    (tmp_path / "records").write_text("no folder")
    keeper = Keeper(Records(tmp_path), lambda _: None, lambda: seen.append(hands(tmp_path)))
    keeper.take(table(1).engine.state, {}, EVENING)
    assert not keeper.close()
    assert seen == []
    (tmp_path / "records").unlink()
    for one in (table(2), table(1).choose("Undo: count")):
        keeper = Keeper(Records(tmp_path), lambda _: None, lambda: seen.append(hands(tmp_path)))
        keeper.take(one.engine.state, {}, EVENING)
        assert keeper.close()
    assert seen == [[2], []]
