"""A journal's rows as they lie on the disk, each compared with the chain; names put back; marks.

Rows come in order of their number, edges and events merged by SQLite. What is wrong with a row is said beside it
(`StoredRow.trouble`) and never raised, so that one damaged row costs no other.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from referee.core.model.events import Event
from referee.core.presses.signals import Edge
from referee.core.stored import CodecError, decode, from_document
from referee.drivers.journal.chain import WHO, edge_link, event_link, link_after, name_sum, opening_fits, with_names
from referee.drivers.journal.file import Blemish, origin, packed_through

CHAINED = 3
"""The first schema whose rows have links."""
TWICE = 6
"""The first schema that has each `Opened` twice."""
END = 2**62
_ROWS = """
    SELECT seq, uuid, link, NULL, station, closed, t_ns, err_ns, arrived_ns, clock, rel_err_ns
    FROM edge LEFT JOIN boot ON boot.id = edge.boot WHERE seq BETWEEN :first AND :last
    UNION ALL SELECT seq, uuid, link, event.kind, at_ns, event.kind, body, wall_s, base, milestone.kind, NULL
    FROM event LEFT JOIN boot ON boot.id = event.boot LEFT JOIN milestone USING (seq)
    WHERE seq BETWEEN :first AND :last ORDER BY seq"""
_OLDER_ROWS = _ROWS.replace("link", "NULL").replace("clock, rel_err_ns", "NULL, NULL")
_OPENINGS = """
    SELECT opening.*, EXISTS (
        SELECT 1 FROM event JOIN milestone USING (seq) WHERE event.seq = opening.seq AND milestone.kind IS opening.kind
        AND (event.at_ns, event.kind, event.body, event.wall_s, event.link, milestone.base)
        IS (opening.at_ns, opening.kind, opening.body, opening.wall_s, opening.link, opening.base))
    FROM opening ORDER BY seq"""
"""Each copy, and whether its row is the same; a boot's number may be altered in either, its id is known from events."""
_BEFORE = """
    SELECT seq, link FROM (
        SELECT seq, link FROM edge WHERE seq < :first UNION ALL SELECT seq, link FROM event WHERE seq < :first)
    ORDER BY seq DESC LIMIT 1"""


class StoredRow(NamedTuple):
    """A row: its number on the disk, the event (None: it cannot be read), its wall clock, its milestone's base.

    trouble: what is wrong with it; "" when it is as it was written, or too old to have a link. boot: its clock's.
    beside: what is wrong beside it, though the row itself is as it was written.
    """

    seq: int
    event: Event | None
    wall_s: int | None
    base: int | None
    trouble: str
    boot: str = ""
    beside: str = ""


def lines(db: sqlite3.Connection, first: int = 0, last: int = END) -> Iterator[StoredRow]:
    """The rows from `first` to `last`. DamagedError or sqlite3.Error when it is the file that cannot be read."""
    before: StoredRow | None = None
    for line, proves in _lines(db, first, last):
        if before is not None:
            yield before._replace(trouble="", beside=_LINK_HURT) if proves and before.event is not None else before
        before = line
    if before is not None:
        yield before


_LINK_HURT = "its link is not as it was written"


def _lines(db: sqlite3.Connection, first: int, last: int) -> Iterator[tuple[StoredRow, bool]]:
    """Each row, and whether it shows that of the row before it the link alone was altered."""
    chained = is_chained(db)
    names = read_names(db) if chained else {}
    boots = _Boots(db)
    link, linked = link_before(db, first) if chained else (b"", False)
    due: bytes | None = None  # the link that the row before ought to have, where it has another
    for seq, boot, own, kind, *values in stored_rows(db, first, last):
        trouble, beside, base, proves = "", "", values[4] if kind else None, False
        if own is None:
            trouble = "it has lost its link" if linked else ""  # the rows of an older referee stand before all others
            due = due_link(link, seq, boot, kind, values) if trouble else None
        elif link != b"":
            found, base, trouble = boots.compare(link, own, seq, boot, kind, values)
            boot, beside = found, "" if found == boot else "the id of its boot is not as it was written"
            if trouble and due is not None and not _compare(due, own, seq, boot, kind, values)[1]:
                trouble, proves = "", True  # it was the link of the row before that was altered
            due = due_link(link, seq, boot, kind, values) if trouble else None
        link, linked = own or link, linked or own is not None
        try:
            event = _event(values[2], names) if kind else _edge(values)
        except (CodecError, ValueError, TypeError, RecursionError) as error:
            event, trouble = None, trouble or str(error)
        yield StoredRow(seq, event, values[3] if kind else None, base, trouble, boot or "", beside), proves


def stored_rows(db: sqlite3.Connection, first: int, last: int) -> Iterator[Any]:
    """Rows as they lie there, in order: number, boot, link, an event's type (None: an edge), its columns.

    Of an edge from `station` on; of an event at_ns, type, body, wall_s, then its milestone's base and type, and None.
    """
    return db.execute(_ROWS if is_chained(db) else _OLDER_ROWS, {"first": first, "last": last})


class _Boots:
    """The boots' ids. One that was altered is known from the events that name it, and the rows' links prove it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._right: dict[str | None, str] = {}

    def compare(
        self, before: bytes, own: bytes, seq: int, boot: str, kind: str | None, values: Sequence[Any]
    ) -> tuple[str, int | None, str]:
        """The id of the row's boot; then as `_compare`."""
        known = self._right.get(boot, boot)
        base, trouble = _compare(before, own, seq, known, kind, values)
        for other in self._boots_named() if trouble else ():
            other_base, still = _compare(before, own, seq, other, kind, values)
            if not still:
                self._right[boot] = other
                return other, other_base, ""
        return known, base, trouble

    @cache  # noqa: B019 - it lives as long as one reading
    def _boots_named(self) -> tuple[str, ...]:
        """What events call the boots, the last first."""
        named = []
        for (body,) in self._db.execute("SELECT body FROM event WHERE instr(body, '\"boot\"') ORDER BY seq DESC"):
            with contextlib.suppress(CodecError, ValueError, TypeError, RecursionError):
                named.append(getattr(_event(body, {}), "boot", ""))
        return tuple(dict.fromkeys(named))


def is_chained(db: sqlite3.Connection) -> bool:
    """Whether this journal's rows have links: it is no older referee's."""
    return bool(db.execute("PRAGMA user_version").fetchone()[0] >= CHAINED)


def marks(db: sqlite3.Connection, first: int = 0, last: int = END) -> tuple[Blemish, ...]:
    """The blemishes that concern these rows."""
    found = db.execute(
        "SELECT kind, after_seq, until_seq, reason, wall_s FROM mark WHERE kind NOT IN ('moved', 'said') "
        "AND after_seq <= ? AND coalesce(until_seq, after_seq) >= ? ORDER BY id",
        (last, first),
    )
    return tuple(Blemish(*mark) for mark in found)


def marks_trouble(db: sqlite3.Connection) -> str:
    """What is wrong with the marks themselves, "" when nothing is."""
    before = None
    found = origin(db)
    for *mark, link in db.execute("SELECT kind, after_seq, until_seq, reason, wall_s, link FROM mark ORDER BY id"):
        if link is None and before is None:
            continue
        anchor = before or (found[1] if found else b"")
        if anchor and link_after(anchor, *mark) != link:
            return "a mark in it is not as it was written"
        before = link
    return ""


def wall_corrections(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """By how much the wall clock was wrong: (boot, before which row, seconds)."""
    query = "SELECT uuid, after_seq, mark.wall_s FROM mark JOIN boot ON boot.id = until_seq WHERE mark.kind = 'moved'"
    return db.execute(query).fetchall() if is_chained(db) else []


def read_names(db: sqlite3.Connection) -> dict[int, str]:
    """What people are called, by number; a name that is damaged is replaced by its number."""
    return {number: _name(number, body, own) for number, body, own in db.execute("SELECT id, body, sum FROM name")}


def faults_said(db: sqlite3.Connection) -> set[str]:
    """What is wrong with the file and has been said at a start before."""
    return {reason for (reason,) in db.execute("SELECT reason FROM mark WHERE kind = 'said'")}


def names_trouble(db: sqlite3.Connection) -> str:
    """What is wrong with the names, "" when nothing is."""
    damaged = [n for n, body, own in db.execute("SELECT id, body, sum FROM name") if name_sum(n, body) != own]
    return f"{len(damaged)} of its names cannot be read" if damaged else ""


def hurt_opening(db: sqlite3.Connection) -> tuple[int | None, str]:
    """Of the `Opened` rows, which stand there twice: the first that is not as its sound copy says it was written, None
    when there is none; and what is wrong with the copies, "" when nothing is."""
    hurt, trouble = list[int](), ""
    twice = db.execute("PRAGMA user_version").fetchone()[0] >= TWICE
    for *columns, own, same in db.execute(_OPENINGS) if twice else ():
        if not opening_fits(columns, own):
            trouble = "what it says a second time of an evening's beginning is not as it was written"
        elif not same:
            hurt.append(columns[0])
    return min(hurt, default=None), trouble


def _name(number: int, body: str, own: bytes) -> str:
    try:
        name = json.loads(body) if name_sum(number, body) == own else None
    except ValueError:
        name = None
    return name if isinstance(name, str) else f"Player {number}"


def link_before(db: sqlite3.Connection, first: int) -> tuple[bytes, bool]:
    """What that row's link goes on from, b"" when it cannot be known; whether the row before it has one."""
    found, packed = db.execute(_BEFORE, {"first": first}).fetchone(), packed_through(db)
    if packed and (found is None or found[0] <= packed.seq):
        return packed.link, packed.linked
    if found and found[1]:
        return found[1], True
    known = origin(db)
    return (known[1] if known else b""), False


def _compare(
    before: bytes, own: bytes, seq: int, boot: str, kind: str | None, values: Sequence[Any]
) -> tuple[int | None, str]:
    """An event's base, and what is wrong with the row. A lost milestone of an `Opened` is found again by trying."""
    try:
        if kind is None:
            fits = edge_link(before, seq, boot, tuple(values)) == own
            return None, "" if fits else "it is not as it was written"
        *event, base, milestone = values[:6]
        if event_link(before, seq, boot, tuple(event), base) == own and milestone in (None, kind):
            return base, ""
        tries = (seq - 1, *range(seq)) if kind.lower() == "opened" else ()
        found = next((b for b in tries if event_link(before, seq, boot, tuple(event), b) == own), base)
        return found, "its milestone is not as it was written" if found != base else "it is not as it was written"
    except (TypeError, ValueError):  # a value of a type that no row has
        return None, "it is not as it was written"


def due_link(before: bytes, seq: int, boot: str, kind: str | None, values: Sequence[Any]) -> bytes | None:
    """The link that this row has if it is as it was written; None for values that no row has."""
    try:
        if kind is None:
            return edge_link(before, seq, boot, tuple(values))
        return event_link(before, seq, boot, tuple(values[:4]), values[4])
    except (TypeError, ValueError):
        return None


def _edge(values: Sequence[Any]) -> Edge:
    station, closed, *rest = values
    return Edge(station, closed == 1, *rest)


def _event(body: str, names: Mapping[int, str]) -> Event:
    if f'{{"{WHO}":' not in body:
        return decode(body)
    return from_document(with_names(json.loads(body), lambda number: names.get(number, f"Player {number}")))
