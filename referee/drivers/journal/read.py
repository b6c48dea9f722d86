"""Reading a journal: what the fold needs after a power cut, which matches there are, and one of them for `replay`.

Readers change nothing and take no lock: in WAL mode they see the last commit while the referee goes on writing. The
rows' numbers are the Engine's own again (see `base` in file.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path

from referee.core.model.events import Opened
from referee.core.values import Value
from referee.drivers.journal import seasons
from referee.drivers.journal.file import (
    Blemish,
    DamagedError,
    connect_to_read,
    damage,
    examine_kept,
    last_seq,
    link_at,
    origin,
    packed_through,
    packed_trouble,
)
from referee.drivers.journal.lines import (
    END,
    StoredRow,
    faults_said,
    hurt_opening,
    is_chained,
    lines,
    marks,
    marks_trouble,
    names_trouble,
    wall_corrections,
)
from referee.drivers.journal.memory import JournalRow, Recovered
from referee.drivers.journal.season_rows import unpack
from referee.drivers.journal.seasons import Block, PackedMatch, SeasonError, beside

_LAST = """
    SELECT uuid FROM (SELECT seq, boot FROM edge UNION ALL SELECT seq, boot FROM event ORDER BY seq DESC LIMIT 1) AS row
    JOIN boot ON boot.id = row.boot"""


class JournalError(ValueError):
    """This journal, or this match of it, cannot be read, in one sentence."""


class DamagedJournalError(JournalError):
    """This journal is damaged: `referee salvage` saves what is sound of it."""


class Match(Value):
    """A match that has begun. It is replayed from `opened_seq`; its own rows are `first_seq` to `last_seq`.

    All are numbers on the disk; last_seq None: the journal's end. wall_s: when, in Unix seconds, a note of that time.
    id: its record's.
    """

    number: int
    opened_seq: int
    first_seq: int
    last_seq: int | None
    wall_s: int | None
    id: str = ""


class Tape(Value):
    """A match as recorded: its rows from `Opened` on, and where the record is not perfect.

    aside: rows that were skipped when the table came back. hurt: what does not agree with the chain, a sentence each.
    """

    match: Match
    rows: tuple[JournalRow, ...]
    marks: tuple[Blemish, ...]
    aside: dict[int, str]
    hurt: tuple[str, ...]


class EveningRows(Value):
    """An evening's rows; the numbers of those that a start skips, and of those that are not as they were written."""

    rows: tuple[JournalRow, ...]
    aside: frozenset[int]
    altered: frozenset[int]


class StoredEvening(Value):
    """An `Opened` and what came of it: its matches, its rows up to the next one, wall-clock seconds by row number.

    read: gives the rows, or raises what keeps them from being read. links: of the last row of each match.
    """

    matches: tuple[Match, ...]
    read: Callable[[], EveningRows]
    wall_clock: dict[int, int]
    links: tuple[bytes, ...]


def recover(path: Path) -> Recovered:
    """The rows since the last `Opened`, for the fold; none when there is no journal. JournalError if it is damaged."""
    if not path.exists():
        return Recovered()
    with _reading(path) as db:
        return recover_from(db)


def matches(path: Path) -> list[Match]:
    """Every match that has begun, oldest first; numbers never change. JournalError if there is no sound journal."""
    with _reading(path) as db:
        moved = wall_corrections(db)
        found = [_match(match, moved) for block in packed_blocks(path, db) for match in block.matches]
        return sorted((*found, *own_matches(db)), key=lambda match: match.number)


def packed_blocks(path: Path, db: sqlite3.Connection) -> list[Block]:
    """The packed evenings beside this journal, but for those whose rows are still its own. JournalError."""
    known, packed = origin(db) if is_chained(db) else None, packed_through(db)
    own, through = known[0].hex() if known else "", packed.seq if packed else 0
    try:
        return [block for block in seasons.blocks(beside(path)) if block.file != own or block.last <= through]
    except OSError as error:
        raise JournalError(f"{beside(path)} cannot be read: {error.strerror or error}") from None


def _match(match: PackedMatch, moved: list[tuple[str, int, int]]) -> Match:
    wall_s = None if match.wall_s is None else _correct_wall(match.wall_s, match.boot, match.first_seq, moved)
    return Match(match.number, match.opened_seq, match.first_seq, match.last_seq, wall_s, match.id)


def read_match(path: Path, number: int) -> Tape:
    """One match for replay. JournalError if the journal has no such match."""
    with _reading(path) as db:
        for block in packed_blocks(path, db):
            if any(match.number == number for match in block.matches):
                return _unpacked_tape(path, db, block, number)
        found = own_matches(db)
        match = next((match for match in found if match.number == number), None)
        if match is None:
            raise JournalError(f"{path} has no match {number}; it has {_span(matches(path))}")
        first, last = match.opened_seq, match.last_seq or END
        read = _read(db, first, last)
        return Tape(match, read.rows, marks(db, first, last), read.aside, (*read.hurt, *_troubles(db)))


def _unpacked_tape(path: Path, db: sqlite3.Connection, block: Block, number: int) -> Tape:
    """A match of a packed evening; its rows' links are reckoned anew."""
    packed = next(match for match in block.matches if match.number == number)
    try:
        with closing(unpack(beside(path), block, db)) as memory:
            read = _read(memory, packed.opened_seq, packed.last_seq)
    except SeasonError as error:
        raise JournalError(f"{beside(path)}: {error}") from None
    own = _marks_of(db, block, packed.opened_seq, packed.last_seq)
    hurt = (*read.hurt, *_troubles(db))
    return Tape(
        _match(packed, wall_corrections(db)), read.rows, own, read.aside | _rows_set_aside(own, read.base), hurt
    )


def _rows_set_aside(told: Sequence[Blemish], base: int) -> dict[int, str]:
    """The rows that marks set aside, by the Engine's numbers."""
    spans = ((mark, range(mark.after_seq, (mark.until_seq or mark.after_seq) + 1)) for mark in told)
    return {seq - base: mark.reason for mark, span in spans if mark.kind == "aside" for seq in span}


def evenings(path: Path, known: Collection[tuple[int, str]] = ()) -> Iterator[StoredEvening]:
    """Every `Opened` that led to a match, oldest first, with its matches. JournalError if there is no sound journal.

    known: numbers and ids of matches that need not be read; an evening that has only such is left out, unless it is the
    last. All is read from one moment's journal, and each evening's rows while they are asked for.
    """
    with _reading(path) as db:
        db.execute("BEGIN")
        moved = wall_corrections(db)
        for block in packed_blocks(path, db):
            if any((match.number, match.id) not in known for match in block.matches):
                yield from _packed_evenings(path, db, block, moved)
        found = own_matches(db)
        for opened, group in groupby(found, lambda match: match.opened_seq):
            of_evening = tuple(group)
            if of_evening[-1].last_seq is not None and all((match.number, match.id) in known for match in of_evening):
                continue
            last = of_evening[-1].last_seq or END
            ends = tuple(link_at(db, match.last_seq or last_seq(db)) or b"" for match in of_evening)
            read = partial(_evening_rows, db, opened, last)
            yield StoredEvening(of_evening, read, _wall_clock(db, opened, last, moved), ends)


def _packed_evenings(
    path: Path, db: sqlite3.Connection, block: Block, moved: list[tuple[str, int, int]]
) -> Iterator[StoredEvening]:
    """The evenings of a block; of one that is damaged the rows raise SeasonError."""
    try:
        memory = unpack(beside(path), block, db)
    except SeasonError as error:
        ends = tuple(bytes.fromhex(match.link) for match in block.matches)
        read = partial(_raise, error)
        yield StoredEvening(tuple(_match(match, moved) for match in block.matches), read, {}, ends)
        return
    with closing(memory):
        for opened, group in groupby(block.matches, lambda match: match.opened_seq):
            own = tuple(group)
            wall_clock = _wall_clock(memory, opened, own[-1].last_seq, moved)
            ends = tuple(bytes.fromhex(match.link) for match in own)
            marked = _marks_of(db, block, opened, own[-1].last_seq)
            read = partial(_evening_rows, memory, opened, own[-1].last_seq, marked)
            yield StoredEvening(tuple(_match(match, moved) for match in own), read, wall_clock, ends)


def _evening_rows(
    db: sqlite3.Connection, first: int, last: int | None, told: Sequence[Blemish] | None = None
) -> EveningRows:
    """told: the marks that concern these rows, where they are elsewhere."""
    read = _read(db, first, last or END)
    told_aside = _rows_set_aside(told, read.base) if told is not None else {}
    return EveningRows(read.rows, frozenset({*read.aside, *told_aside}), read.altered)


def _marks_of(db: sqlite3.Connection, block: Block, first: int, last: int | None) -> tuple[Blemish, ...]:
    """What the journal's marks say of rows that are packed."""
    known = origin(db)
    return marks(db, first, last or END) if known and known[0].hex() == block.file else ()


def _raise(error: Exception) -> EveningRows:
    raise error


def own_matches(db: sqlite3.Connection) -> list[Match]:
    moved, known = wall_corrections(db), origin(db) if is_chained(db) else None
    packed = packed_through(db)
    before = packed.matches if packed else known[2] if known else 0
    query = """
        SELECT number, opened_seq, first_seq, last_seq, match.wall_s, own.uuid, boot.uuid, opened.at_ns, base
        FROM match JOIN event ON event.seq = first_seq LEFT JOIN boot AS own ON own.id = event.boot
        JOIN event AS opened ON opened.seq = opened_seq LEFT JOIN boot ON boot.id = opened.boot
        JOIN milestone ON milestone.seq = first_seq ORDER BY number"""
    return [
        Match(
            before + number, opened, first, last, None if wall_s is None else _correct_wall(wall_s, own, first, moved),
            f"{boot}-{at_ns}-{first - base}",
        )
        for number, opened, first, last, wall_s, own, boot, at_ns, base in db.execute(query)
    ]  # fmt: skip


def _wall_clock(db: sqlite3.Connection, opened: int, last: int, moved: list[tuple[str, int, int]]) -> dict[int, int]:
    """The wall clock's seconds at the rows where a match begins or a hand ends, numbered as the Engine did."""
    query = """
        SELECT seq, wall_s, uuid FROM event JOIN boot ON boot.id = event.boot
        WHERE seq BETWEEN ? AND ? AND lower(kind) IN (?, ?, ?, ?) AND wall_s IS NOT NULL"""
    (base,) = db.execute("SELECT base FROM milestone WHERE seq = ?", (opened,)).fetchone()
    found = db.execute(query, (opened, last, "began", "rematched", "sealed", "ended")).fetchall()
    return {seq - base: _correct_wall(wall_s, boot, seq, moved) for seq, wall_s, boot in found}


def _correct_wall(wall_s: int, boot: str, seq: int, moved: list[tuple[str, int, int]]) -> int:
    """What the wall clock would have said, had it been right."""
    return wall_s + sum(by_s for of, before, by_s in moved if of == boot and seq < before)


def rows(db: sqlite3.Connection, first: int, last: int = END) -> Iterator[JournalRow]:
    """Rows from `first` to `last` on the disk, numbered as the Engine did. DamagedError for one that is no event."""
    query = "SELECT base FROM milestone WHERE lower(kind) = 'opened' AND seq <= ? ORDER BY seq DESC LIMIT 1"
    (base,) = db.execute(query, (first,)).fetchone() or (0,)
    for line in lines(db, first, last):
        if line.event is None:
            raise DamagedError(f"row {line.seq}: {line.trouble}")
        yield line.seq - base, line.event


class _Read(Value):
    """An evening's rows; which ones the fold skips, and why; what is wrong with them, a sentence each.

    altered: the numbers of those that are not as they were written. new: numbers on the disk of those that no mark
    names yet; news: what is wrong with them. lasting: what is wrong where no row is skipped. boot: of the last row.
    """

    rows: tuple[JournalRow, ...]
    aside: dict[int, str]
    hurt: tuple[str, ...]
    base: int
    altered: frozenset[int]
    new: tuple[int, ...]
    news: tuple[str, ...]
    lasting: tuple[str, ...]
    boot: str | None


def _read(db: sqlite3.Connection, first: int, last: int) -> _Read:
    read: list[StoredRow] = []
    base, hurt, beside = 0, [], list[StoredRow]()
    for line in lines(db, first, last):
        if isinstance(line.event, Opened):
            read.clear()  # the last one counts; one whose milestone was lost comes after the one that was asked for
            base = line.base or 0
        read.append(line)
        if line.trouble:
            hurt.append(line)
        elif line.beside and all(line.beside != other.beside for other in beside):
            beside.append(line)
    told = [mark for mark in marks(db, first, last) if mark.kind == "aside"]
    aside = {line.seq: line.trouble for line in hurt if not isinstance(line.event, Opened)}
    new = tuple(seq for seq in aside if not any(m.after_seq <= seq <= (m.until_seq or m.after_seq) for m in told))
    for mark in told:
        span = range(max(mark.after_seq, first), min(mark.until_seq or mark.after_seq, last) + 1)
        aside |= dict.fromkeys(span, mark.reason)
    return _Read(
        rows=tuple((line.seq - base, line.event) for line in read if line.event is not None),
        aside={seq - base: reason for seq, reason in aside.items()},
        hurt=(*map(_sentence, hurt), *map(_sentence, beside)),
        base=base,
        altered=frozenset(line.seq - base for line in hurt if not isinstance(line.event, Opened)),
        new=new,
        news=tuple(_sentence(line) for line in hurt if line.seq in new),
        lasting=tuple(_sentence(line) for line in (*hurt, *beside) if line.seq not in aside),
        boot=read[-1].boot if read else None,
    )


def _sentence(line: StoredRow) -> str:
    return f"row {line.seq}: {line.trouble or line.beside}"


def recover_from(db: sqlite3.Connection) -> Recovered:
    """As `recover`, on an open connection. DamagedError or sqlite3.Error."""
    last = last_seq(db)
    (boot,) = db.execute(_LAST).fetchone() or (None,)
    noted = db.execute(
        "SELECT event.wall_s, uuid, seq FROM event JOIN boot ON boot.id = boot WHERE wall_s IS NOT NULL "
        "ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    wall_s = _correct_wall(noted[0], noted[1], noted[2], wall_corrections(db)) if noted else None
    opened = db.execute("SELECT seq FROM milestone WHERE lower(kind) = 'opened' ORDER BY seq DESC LIMIT 1").fetchone()
    if opened is None:
        note = "the journal lacks its beginning; the table starts anew" if last else ""
        return Recovered((), boot, wall_s, note, last)
    read = _read(db, opened[0], END)
    known = faults_said(db)
    beside_rows = [trouble for trouble in (*read.lasting, *_troubles(db)) if trouble not in known]
    hurt = [*read.news, *beside_rows]
    note = f"the journal was damaged: {'; '.join(hurt[:3])}{'; ...' if len(hurt) > 3 else ''}" if hurt else ""
    return Recovered(
        rows=read.rows,
        boot=read.boot or boot,
        wall_s=wall_s,
        note=note,
        disk_seq=last,
        base=read.base,
        aside=read.aside,
        altered=read.altered,
        hurt=read.new,
        said=tuple(beside_rows),
    )


def _troubles(db: sqlite3.Connection) -> list[str]:
    """What is wrong beside the rows, a sentence each."""
    if not is_chained(db):
        return []
    found = (marks_trouble(db), names_trouble(db), packed_trouble(db), hurt_opening(db)[1])
    return [trouble for trouble in found if trouble]


def _span(found: Sequence[Match]) -> str:
    if len(found) < 2:
        return f"match {found[0].number} only" if found else "none yet"
    return f"the matches {found[0].number} to {found[-1].number}"


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write, to a file found sound; JournalError for whatever is wrong with it."""
    try:
        with closing(connect_to_read(path)) as db:
            examine_kept(db)
            yield db
    except JournalError:
        raise
    except Exception as error:  # a damaged file may say anything
        hurt = damage(error)
        kind = DamagedJournalError if hurt else JournalError
        raise kind(f"{path} cannot be read: {hurt or error or type(error).__name__}") from None
