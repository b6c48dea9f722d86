"""Wall time in the journal: a note on rows, corrected when the clock is set."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.core.model.events import Tick
from referee.core.units import S
from referee.drivers.journal.lines import wall_corrections
from referee.drivers.journal.writer import (
    Journal,
)
from tests.drivers.journal.desk import OPENED, Desk


def wall_seconds(path: Path) -> list[int]:
    """What is noted beside the events, corrected by what was found out later."""
    with closing(sqlite3.connect(path)) as db:
        moved = wall_corrections(db)
        found = db.execute("SELECT seq, uuid, wall_s FROM event JOIN boot ON boot.id = boot ORDER BY seq").fetchall()
    return [wall_s + sum(by for of, until, by in moved if of == boot and seq < until) for seq, boot, wall_s in found]


@pytest.mark.parametrize("by_s", [-50 * 365 * 86_400, -60, -59, 0, 59, 60, 7 * 86_400])
def test_a_wall_clock_that_is_set_in_mid_evening_corrects_what_was_noted(by_s: int, path: Path) -> None:
    """A board without a clock starts in the past; rows that wait are corrected, too, those of another boot are not."""
    clock = {"wall": 1_800_000_000.0, "awake": 0}
    options: dict[str, Any] = {"wall": lambda: clock["wall"], "awake": lambda: int(clock["awake"])}
    before = Journal(path, "boot-0", **options)
    before.append([(1, OPENED), (2, Tick(7))])
    assert before.close()
    desk = Desk(path, **options)
    desk.journal.append([(1, OPENED)])
    desk.until_durable(1)
    clock["wall"] += 100
    clock["awake"] += 100 * S
    desk.journal.append([(2, Tick(7))])
    clock["wall"] += 10 + by_s
    clock["awake"] += 10 * S
    desk.journal.append([(3, Tick(9))])
    desk.until_durable(3)
    assert desk.journal.close()
    off = by_s if abs(by_s) >= 60 else 0
    first = 1_800_000_000
    assert wall_seconds(path) == [first, first, first + off, first + 100 + off, first + 110 + by_s]


def test_a_clock_that_was_set_while_nothing_could_be_saved(path: Path) -> None:
    """Tried again, the correction is made once."""
    clock = [1_800_000_000.0]
    desk = Desk(path, wall=lambda: clock[0], awake=lambda: 0)
    desk.journal.append([(1, OPENED)])
    desk.until_durable(1)
    desk.fault = OSError(errno.ENOSPC, "No space left on device")
    clock[0] += 86_400
    desk.journal.append([(2, Tick(7))])
    desk.until_failing()
    desk.fault = None
    desk.journal.nudge()
    desk.until_durable(2)
    desk.journal.append([(3, Tick(9))])
    desk.until_durable(3)
    assert desk.journal.close()
    assert wall_seconds(path) == [1_800_086_400] * 3
