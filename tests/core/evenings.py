"""Evenings for tests of match records: bots' matches, and hands counted at a table by hand."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

from referee.core.documents.chronicle import records
from referee.core.documents.record import Record
from referee.core.match.engine import JournalRow
from referee.core.model.table import Setup
from referee.core.stored import decode
from referee.core.units import S
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from tests.core.sitting import BREATH_NS, Sitting

NAMES = (("1", "Anna"), ("2", "Ben"), ("3", "Max"), ("4", "Lea"))


RECORDED = Path(__file__).parent / "evening.jsonl.gz"
"""Two matches of three players, stored so that their figures do not depend on the bots."""


@cache
def played(
    seats: int = 3, seed: int = 3, matches: int = 2, options: tuple[tuple[str, object], ...] = ()
) -> tuple[JournalRow, ...]:
    """Return an evening's rows: the stored evening, or another that bots play in simulated time."""
    if (seats, seed, matches, options) == (3, 3, 2, ()):
        lines = gzip.decompress(RECORDED.read_bytes()).decode().splitlines()
        return tuple((int(seq), decode(event)) for seq, event in (line.split("\t", 1) for line in lines))
    rows: list[JournalRow] = []
    setup = Setup(names=NAMES, options=options)
    bots = Bots([str(n) for n in range(1, seats + 1)], seed, pace_percent=20, rematches=matches - 1)
    Evening(setup, bots, journal=rows.extend).play(matches)
    return tuple(rows)


def at_table(*stations: str) -> Sitting:
    """Return a table of named people who have joined."""
    return Sitting(Setup(stations=("1", "2", "3", "4"), names=NAMES)).tap(*stations)


def counted(table: Sitting, caller: str, lake: int, *others: str) -> Sitting:
    """Play a hand to its end: the caller plays `lake` cards, the others 10, and none are left."""
    table.press(caller).wait(5 * S).wait(BREATH_NS).count(caller, 0, lake, caller=True)
    for other in others:
        table.count(other, 0, 10)
    return table.wait(8 * S)


def remembered(table: Sitting) -> list[Record]:
    """Return the records of the table's evening. The wall clock shows each row's number."""
    return records(table.rows, {seq: seq for seq, _ in table.rows})


def only(table: Sitting) -> Record:
    """Return the only record of the table's evening."""
    (record,) = remembered(table)
    return record
