"""What lost rows of a damaged file have said, as far as the other rows of their evening tell it.

Only decisions can be told: those to which the facts before them lead, and the beginning of a match whose hands are
there (`core/match/comeback.py`). They are written into the file that is made of the damaged one, so that every reader
finds them; its marks say which rows were lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from referee.core.match.comeback import Comeback
from referee.core.match.engine import Engine
from referee.core.model.events import Decision, Event, Opened
from referee.core.model.state import State
from referee.core.presses.signals import Edge
from referee.core.stored import encode, from_document
from referee.core.values import stored_name
from referee.drivers.journal.carve import Carved, ProvedRow, names_of
from referee.drivers.journal.chain import with_names

_OPENED, _MATCHES = "opened", ("began", "rematched")


def retold(rows: Sequence[ProvedRow], found: Carved) -> list[ProvedRow]:
    """The lost rows that are known all the same; `rows` are the sound ones, in order."""
    names = {number: str(json.loads(body)) for number, body in names_of(found).items()}
    openings = [n for n, row in enumerate(rows) if row.table == "event" and row.values[1].lower() == _OPENED]
    told: list[ProvedRow] = []
    for first, behind in pairwise([*openings, len(rows)]):
        evening = rows[first:behind]
        if evening[-1].seq - evening[0].seq >= len(evening) or behind == len(rows):
            told += _of_evening(evening, names, found)
    return told


def _of_evening(evening: Sequence[ProvedRow], names: Mapping[int, str], found: Carved) -> Iterator[ProvedRow]:
    base = evening[0].base or 0
    opened = _event(evening[0], names)
    assert isinstance(opened, Opened)
    there, told = {row.seq - base for row in evening}, dict[int, Decision]()

    def watch(seq: int, event: Event, before: State, after: State) -> None:
        if seq not in there and isinstance(event, Decision):
            told[seq] = event

    marked = (mark for marks in found.marks.values() for mark in marks if mark[0] == "aside")
    aside = {seq - base for _, first, last, *_ in marked for seq in range(first, (last or first) + 1)}
    back = Comeback(Engine(opened, evening[0].seq - base - 1).state, aside, watch=watch)
    for row in evening[1:]:
        back.take(row.seq - base, _event(row, names))
    back.finish()
    for seq, event in told.items():
        before = [row for row in evening if row.seq < seq + base]
        wall_s = next((row.values[3] for row in reversed(before) if row.table == "event" and row.values[3]), None)
        boot, kind = before[-1].boot, str(stored_name(type(event)))
        values = (event.at_ns, kind, encode(event), wall_s)
        yield ProvedRow(seq + base, boot, "event", values, base if kind in _MATCHES else None)


def _event(row: ProvedRow, names: Mapping[int, str]) -> Event:
    if row.table == "edge":
        return Edge(row.values[0], row.values[1] == 1, *row.values[2:])
    document = json.loads(row.values[2])
    return from_document(with_names(document, lambda number: names.get(number, f"Player {number}")))
