"""A table's results for the hall, derived from the files of its evenings.

Theory of operation. `EveningResults` replays an evening. Each event that changes a match's record makes a result. This
depends only on the file, so an evening has the same results whether it is read live or later. Records are compared
without wall-clock times, because these can be corrected later.

`Outbox` knows the last result of each match. An index file holds them for past evenings, so if the hall has everything,
only the current evening is replayed. Without the index, all evenings are replayed once.

A hall gets no evenings from before it met the table, apart from those of the last day. At the first contact, the row
from which on it gets results is saved in the index file. Clocks of boards without a battery can be wrong, so the order
of evenings counts, too: nothing before an evening that seems old is sent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast
from zlib import crc32

import msgspec

from referee.core.documents.delivery import NO_ROW, Result, Row
from referee.core.values import Document, Value, field, replace
from referee.storage.evenings.folder import EveningError, evenings_in, names, path_of, read_bytes
from referee.storage.evenings.rows import Tape, parse, read_tape, start_of
from referee.storage.files import read_small, write_small
from referee.storage.records.removed_names import INDEX

if TYPE_CHECKING:
    from referee.core.documents.record import Record
    from referee.core.match.comeback import Comeback
    from referee.core.model.events import Event
    from referee.core.model.state import State
    from referee.core.model.table import Table

SAVE_EVERY = 20
"""While the index is built, it is saved after this number of evenings."""
RECENT_S = 24 * 3600
"""Maximum difference in s between the first contact with a hall and the last row of an evening that the hall gets."""
MOST_HALLS = 20
"""Maximum number of halls in the index. The one that was met first is dropped first."""
MOST_ID = 100
"""Maximum number of characters of a hall's ID that are kept."""
_CHANGES_EARLIER = (b'"kind":"aside"', b'"kind":"moved"')
"""Parts of rows that change what earlier rows mean, so the evening is read again."""


class LastResult(Value):
    """The last result of a match in an evening.

    seq: its event's number. crc: the record's checksum.
    """

    seq: int
    crc: int


class Indexed(Value):
    """A past evening: its ID, match -> last result, and the Unix time of its last row; 0 if it has none."""

    id: int
    last: dict[str, LastResult]
    ended_s: int = 0


class Index(Value):
    """The content of the index file.

    evenings: name -> last results. halls: a hall's ID -> the first row that it gets.
    """

    evenings: dict[str, Indexed] = field(default_factory=dict)
    halls: dict[str, Row] = field(default_factory=dict)


class EveningResults:
    """The results of one evening, in order. Call `read` again when the evening's file has grown.

    id: the evening's ID; 0 before `read`. last: match -> its last result. ended_s: as in `Indexed`.
    """

    def __init__(self, state: Path, name: str, before: Mapping[str, int]) -> None:
        """`before`: match -> checksum of its record at the end of the evenings before."""
        self.name, self._state, self._before = name, state, before
        self._clear()

    def _clear(self) -> None:
        self.id = self.ended_s = 0
        self.results: list[Result] = []
        self.last: dict[str, LastResult] = {}
        self._back: Comeback | None = None
        self._read = b""
        self._walls: dict[int, int] = {}
        self._table: Table | None = None

    def read(self, through: int | None = None) -> None:
        """Read new events of the file up to number `through`, or all for None. Raises EveningError."""
        data = read_bytes(path_of(evenings_in(self._state), self.name))
        if through is not None:
            data = _rows_through(data, len(self._read), through)
        new = data[len(self._read) :]
        if not data.startswith(self._read) or any(part in new for part in _CHANGES_EARLIER):
            self._clear()
            new = data
        tape = read_tape(new)
        if self._back is None and (not tape.rows or not tape.id):
            raise EveningError(f"{self.name} holds no readable evening")
        self._take(tape)
        self._read = data

    def _take(self, tape: Tape) -> None:
        from referee.core.match.comeback import Comeback
        from referee.core.match.engine import Engine
        from referee.core.model.events import Opened

        self._walls.update(tape.walls)
        self.ended_s = tape.wall_s or self.ended_s
        if self._back is None:
            self.id = tape.id
            seq, opened = tape.rows[0]
            release = opened.release if isinstance(opened, Opened) else ""
            state = Engine.restored(tape.rows[:1], release=release).state
            self._back = Comeback(state, frozenset(tape.aside), self._watch, release, release)
            self._watch(seq, opened, state, state)
        for seq, event in tape.rows:
            if seq > self._back.state.seq:
                self._back.take(seq, event)

    def _watch(self, seq: int, event: Event, before: State, after: State) -> None:
        from referee.core.documents.chronicle import record_of
        from referee.core.model.events import Undone

        was, now = before.table, after.table
        if isinstance(event, Undone) and event.seq == was.begun and now.match != was.match:
            self._note(was.match, seq, None, 0)
        if not now.match or now is self._table:
            return
        self._table = now
        bare = record_of(after, {})
        crc = 0 if bare is None else crc32(_document(bare))
        self._note(now.match, seq, bare and record_of(after, self._walls), crc)

    def _note(self, match: str, seq: int, record: Record | None, crc: int) -> None:
        before = self.last[match].crc if match in self.last else self._before.get(match, 0)
        if crc == before:
            return
        after = (self.id, self.last[match].seq) if match in self.last else NO_ROW
        # bytes take a tenth of the memory of objects
        content = None if record is None else cast(Document, msgspec.Raw(_document(self._timed(record))))
        self.results.append(Result(match, (self.id, seq), after, content))
        self.last[match] = LastResult(seq, crc)

    def _timed(self, record: Record) -> Record:
        """Return the record.

        If its match began in an earlier evening, add the times from the record's file.
        """
        from referee.storage.records.recordfile import with_times
        from referee.storage.records.store import Records

        if record.begun_s is not None:
            return record
        records = Records(self._state)
        try:
            number = records.find(record.id)
            return with_times(record, records.read(number)) if number else record
        except (OSError, ValueError):  # times are for information only
            return record


def _document(record: Record) -> bytes:
    from referee.core.documents.record import to_document

    return msgspec.json.encode(to_document(record))


def _rows_through(data: bytes, begin: int, through: int) -> bytes:
    """Return the data without events after number `through`.

    Rows before byte `begin` are not checked.
    """
    end = begin
    while (stop := data.find(b"\n", end)) >= 0:
        row = parse(data[end:stop])
        if row is not None and row.n > through:
            break
        end = stop + 1
    return data[:end]


class Outbox:
    """The results of all evenings in a state directory.

    Methods raise OSError if a file cannot be used.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._index: dict[str, Indexed] | None = None
        self._halls: dict[str, Row] = {}
        self._current: EveningResults | None = None
        self._again: EveningResults | None = None
        """The last past evening that was replayed."""

    def first_row(self, hall: str, held: Mapping[str, Row], *now_s: float) -> Row:
        """Return the first row that a hall gets. At the first contact, choose and save it.

        held: match -> last row that the hall holds. now_s: Unix seconds, by each clock to which an evening's rows may
        refer. Call `follow` before.
        """
        hall = hall[:MOST_ID]
        if hall not in self._halls:
            known = [*self._halls.items(), (hall, self._choose(held, now_s))]
            halls = dict(known[-MOST_HALLS:])
            write_small(self._state / INDEX, Index(self._index or {}, halls))
            self._halls = halls
        return self._halls[hall]

    def _choose(self, held: Mapping[str, Row], now_s: Sequence[float]) -> Row:
        """Return the first row of the recent evenings, or of the oldest one of which the hall holds a row."""
        evenings = [evening for _, evening in self._evenings() if evening.last]
        newest = evenings[-1] if evenings else Indexed(0, {})
        first = (newest.id, 1 + max((last.seq for last in newest.last.values()), default=-1))
        for evening in reversed(evenings):
            if all(abs(now - evening.ended_s) >= RECENT_S for now in now_s):
                break
            first = (evening.id, 0)
        shared = ((one.id, 0) for one in evenings if any(held.get(match, NO_ROW)[0] == one.id for match in one.last))
        return min([first, *shared])

    def due(self, held: Mapping[str, Row], most: int, skip: Collection[str] = (), first: Row = NO_ROW) -> list[Result]:
        """Return the last results of at most `most` matches that have results after `held`, from row `first` on.

        held: match -> last row. skip: matches that are left out.
        """
        found = dict[str, Result]()
        for name, evening in self._evenings():
            if len(found) >= most:  # replaying an evening takes time
                break
            last = evening.last
            ends = {match: (evening.id, last[match].seq) for match in last.keys() - {*skip}}
            wanted = {match for match, end in ends.items() if end > held.get(match, NO_ROW) and end >= first}
            for result in self._results(name) if wanted else ():
                after, earlier = held.get(result.match, NO_ROW), found.get(result.match)
                if result.match in wanted and result.row > after and result.row >= first:
                    replaced = (*earlier.replaced, earlier.row) if earlier else ()
                    found[result.match] = replace(result, after=after, replaced=replaced)
        return list(found.values())[:most]

    def follow(self, name: str, through: int) -> None:
        """Read the current evening up to its event number `through`. name: "" if it has no saved row."""
        index = self._complete(name)
        if self._current is None or self._current.name != name:
            self._current = EveningResults(self._state, name, _before(index)) if name else None
        if self._current is not None:
            try:
                self._current.read(through)
            except EveningError:  # the evening's first row is not saved yet
                self._current = None

    def _complete(self, current: str) -> dict[str, Indexed]:
        """Bring the index up to date and return it. It has all evenings that are over.

        These are the evenings with lower IDs than the current one. Later ones can be growing: after a full disk, rows
        of several evenings are saved in turn.
        """
        path, folder = self._state / INDEX, evenings_in(self._state)
        if self._index is None:
            kept = read_small(path, Index())
            self._index, self._halls = dict(kept.evenings), dict(kept.halls)
        there = [name for name in names(folder) if name != current]
        if not current or self._index.keys() == set(there):
            return self._index
        index = {name: self._index[name] for name in there if name in self._index and self._index[name].id}
        limit = _id_of(folder, current)
        starts = sorted((_id_of(folder, name), name) for name in there if name not in index)
        starts = [(id_, name) for id_, name in starts if not limit or id_ < limit]
        for count, (_, name) in enumerate(starts, 1):
            results = EveningResults(self._state, name, _before(index))
            try:
                results.read()
            except EveningError:
                results.id = 0  # an evening without results
            index[name] = Indexed(results.id, dict(results.last), results.ended_s)
            if count % SAVE_EVERY == 0:
                write_small(path, Index(index, self._halls))
        if index != self._index:
            write_small(path, Index(index, self._halls))
        self._index = index
        return index

    def _evenings(self) -> list[tuple[str, Indexed | EveningResults]]:
        found: dict[str, Indexed | EveningResults] = dict(self._index or {})
        if self._current is not None:
            found[self._current.name] = self._current
        return sorted(found.items(), key=lambda item: item[1].id)

    def _results(self, name: str) -> list[Result]:
        if self._current is not None and self._current.name == name:
            return self._current.results
        if self._again is None or self._again.name != name:
            index = self._index or {}
            earlier = {other: one for other, one in index.items() if one.id < index[name].id}
            self._again = EveningResults(self._state, name, _before(earlier))
            try:
                self._again.read()
            except EveningError:  # it was removed or damaged since; its results are lost
                self._again.results.clear()
        return self._again.results


def _id_of(folder: Path, name: str) -> int:
    """Return the ID of an evening; 0 if its file cannot be read."""
    try:
        start = start_of(read_bytes(path_of(folder, name)))
    except EveningError:
        return 0
    return start.id if start else 0


def _before(index: Mapping[str, Indexed]) -> dict[str, int]:
    """Return match -> checksum of its last record in these evenings."""
    ordered = sorted(index.values(), key=lambda one: one.id)
    return {match: last.crc for one in ordered for match, last in one.last.items()}
