"""The keeper: a match has its record from its first counted hand on, whatever the disk says meanwhile."""

from __future__ import annotations

from pathlib import Path

from referee.core.documents.chronicle import record_of
from referee.drivers.evenings.keeper import Keeper
from referee.drivers.evenings.records import Records
from tests.core.evenings import at_table, counted
from tests.core.sitting import BREATH_NS, Sitting

EVENING = "2026-11-26_1930"


def table(hands: int = 1) -> Sitting:
    """Anna and Ben after so many hands."""
    found = at_table("1", "2").choose("Start").wait(BREATH_NS)
    for _ in range(hands):
        counted(found.playing("1", "2"), "1", 20, "2")
    return found


def hands(state: Path) -> list[int]:
    """How many hands each record has."""
    return [one.summary.hands if one.summary else -1 for one in Records(state).list()]


def kept(state: Path, *tables: Sitting, damaged: bool = False) -> list[str]:
    """What a keeper says that has taken these tables, one after the other, and has ended."""
    said: list[str] = []
    keeper = Keeper(Records(state), said.append, retry_s=0.01)
    for one in tables:
        keeper.take(one.state, {}, EVENING) if not damaged else keeper.reconcile([one.state], {}, EVENING, damaged=True)
    assert keeper.close() == (not said)
    return said


def test_a_match_is_listed_from_its_first_counted_hand_on(tmp_path: Path) -> None:
    """And goes on under its number."""
    assert kept(tmp_path, table(0)) == []
    assert hands(tmp_path) == []
    sitting = table(1)
    kept(tmp_path, sitting)
    assert hands(tmp_path) == [1]
    counted(sitting.playing("1", "2"), "1", 20, "2")
    kept(tmp_path, sitting)
    assert hands(tmp_path) == [2]
    assert Records(tmp_path).read("1") == record_of(sitting.state, {})
