"""The records of all matches: a JSON file each in `<state>/records`, own and imported ones.

    00003.json    match 3: the document of `referee export`, with "unfinished": true until there is a winner, the
                  name of its "evening", its "summary" for the index, the "row" that last changed it, and last the
                  "crc32" of the text before it
    A00001.json   match A1: imported, without an evening

Theory of operation. A file is written under a temporary name, synced and renamed, and the folder is synced, so a power
cut leaves the old record or the new one. Processes that write lock the folder, so no number is used twice; readers need
no lock. Content with a correct checksum is trusted: it is not checked against the rules of its game. An own record with
a wrong checksum or that is lost (`keeper.py`) is made again from its evening. Lists come from the index (`index.py`).

A row is an evening's ID and the number of an event in it. A change of a record, times apart, gives it a later row; the
row of a removed record is in `removed.json`. So whoever has a match's row knows whether its record has changed since.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee.core.documents.delivery import NO_ROW, Row
from referee.core.documents.summary import ListedMatch
from referee.storage.files import Folder, make_folder, read_small, write_small
from referee.storage.records.index import Index, IndexLine, line_of, read_line
from referee.storage.records.keeper import find_lost
from referee.storage.records.recordfile import (
    MOST_BYTES,
    MOST_FILES,
    NAME,
    REMOVED,
    BrokenRecordError,
    Claim,
    Removed,
    Stored,
    claim_of,
    file_name,
    foreign_sentence,
    free_name,
    is_same,
    number_of,
    order,
    read_record,
    row_after,
    text_of,
    trouble,
    with_row,
    with_times,
    words,
)

if TYPE_CHECKING:
    from referee.core.documents.record import Record

LOG = logging.getLogger("referee")
MOST_UNSAVED = 500
"""Number of new index lines after which the index is saved. At most these are lost."""
MOST_REMOVED = 500
"""Maximum number of removed records whose rows are kept. The oldest is dropped first."""
MOST_REBUILT = 8
"""Maximum number of damaged records made again for one list; each means reading an evening."""


def rebuild_from(state: Path, evening: str, id_: str) -> Stored | None:
    """Make a match's record from its evening.

    Raises OSError or ValueError if the evening cannot be read.
    Returns None if the evening is damaged or has no such match.
    """
    from referee.core.documents.chronicle import records_with_rows
    from referee.storage.evenings.folder import evenings_in, path_of, read_evening

    tape = read_evening(path_of(evenings_in(state), evening))
    found = {} if tape.damaged else records_with_rows(tape.rows, tape.walls, tape.aside)
    return Stored(found[id_][0], evening, (tape.id, found[id_][1])) if id_ in found else None


class Records:
    """The records in a state directory. Methods raise OSError if the folder cannot be used."""

    def __init__(self, state: Path) -> None:
        self.path = state / "records"
        self._state = state
        self._ids: dict[str, str] | None = None
        self._names: set[str] = set()

    # -- reading -------------------------------------------------------------------------------------------------------

    def list(self) -> list[ListedMatch]:
        """Return all matches: those played here by number, then imported ones.

        Lost records are made again from their evenings. An evening with matches that cannot be read is listed, too.
        """
        from referee.storage.evenings.folder import evenings_in, names

        if names(evenings_in(self._state)):
            make_folder(self.path)
        try:
            with Folder(self.path) as folder:
                lines, troubles = self._refresh(folder)
        except FileNotFoundError:
            return []
        found = {
            name: ListedMatch(number_of(name), line.summary) for name, line in lines.items() if name not in troubles
        }
        found |= {name: ListedMatch(number_of(name), None, why) for name, why in troubles.items()}
        return [found[name] for name in sorted(found, key=order)]

    def read(self, number: str) -> Record:
        """Return the record of a match. Raises FileNotFoundError if there is none.

        Raises ValueError if it cannot be read. The message ends a sentence that begins with the match's number.
        """
        try:
            return self._read(number)
        except FileNotFoundError:
            self.list()  # makes lost records again
            return self._read(number)

    def _read(self, number: str) -> Record:
        name = file_name(number)
        with Folder(self.path) as folder:
            try:
                return read_record(folder, name).record
            except BrokenRecordError:
                again = self._again(folder, name, Index(folder).lines.get(name))
                if again is None:
                    raise
                return again.record

    def read_all(self, numbers: Iterable[str]) -> dict[str, Record]:
        """Return the records of these matches by number, without missing and unreadable ones."""
        found = {}
        for number in numbers:
            with contextlib.suppress(OSError, ValueError):
                found[number] = self.read(number)
        return found

    def find(self, id_: str) -> str | None:
        """Return the number of the match with this ID, or None."""
        with contextlib.suppress(FileNotFoundError), Folder(self.path) as folder:
            name = self._find(folder, id_)
            return number_of(name) if name else None
        return None

    def find_damage(self) -> Sequence[str]:
        """Read all records completely. Return a sentence for each damaged one.

        One more sentence names files that are no records.
        """
        with contextlib.suppress(FileNotFoundError), Folder(self.path) as folder:
            names = sorted(folder.names(MOST_FILES))
            found = (trouble(folder, name) for name in sorted(filter(NAME.fullmatch, names), key=order))
            return [*filter(None, found), *foreign_sentence(self.path, names)]
        return []

    # -- writing -------------------------------------------------------------------------------------------------------

    def keep(self, record: Record, evening: str, row: Row = NO_ROW) -> str:
        """Write the record of a match played here, in place of an earlier one. Return its number.

        Times that the new record lacks are copied from the earlier one. row: the last event of the match.
        """
        with self._writing() as folder:
            name = self._find(folder, record.id)
            row = row_after(row, self._removed().get(record.id, NO_ROW))
            if name is None:
                name = free_name(folder, "")
            else:
                with contextlib.suppress(ValueError):
                    before = read_record(folder, name)
                    row = before.row if is_same(record, before.record) else row_after(row, before.row)
                    record = with_times(record, before.record)
            self._write(folder, name, Stored(record, evening, row))
            return number_of(name)

    def add_row(self, name: str, row: Row) -> None:
        """Give a record its row if it has none."""
        with contextlib.suppress(ValueError), self._writing() as folder:
            stored = read_record(folder, name)
            if stored.row == NO_ROW:
                self._write(folder, name, stored._replace(row=row))

    def add(self, record: Record) -> tuple[str, bool]:
        """Add an imported record unless its match has one. Return its number, and whether it is new."""
        if self._ids is None:
            self.list()  # makes lost records again
        with self._writing() as folder:
            name = self._find(folder, record.id)
            new = name is None
            if name is None:
                name = free_name(folder, ListedMatch.IMPORTED)
                self._write(folder, name, Stored(record, ""))
            return number_of(name), new

    def remove(self, id_: str, row: Row = NO_ROW) -> None:
        """Remove the record with this ID if there is one and it was not imported. row: as in `keep`."""
        if self.find(id_) is None:
            return
        with self._writing() as folder:
            name = self._find(folder, id_)
            if name is not None and not name.startswith(ListedMatch.IMPORTED):
                with contextlib.suppress(ValueError):
                    row = row_after(row, read_record(folder, name).row)
                rows = [*self._removed().items(), (id_, row)][-MOST_REMOVED:]
                write_small(self._state / REMOVED, Removed(dict(rows)))  # first, so that a power cut does not lose it
                folder.remove(name)
                folder.sync()
                Index(folder).update(folder, (), {*folder.names(MOST_FILES)})  # with its line it would count as lost

    def _removed(self) -> dict[str, Row]:
        return read_small(self._state / REMOVED, Removed()).rows

    @contextmanager
    def _writing(self) -> Iterator[Folder]:
        make_folder(self.path)
        with Folder(self.path) as folder:
            folder.lock()
            yield folder

    def _write(self, folder: Folder, name: str, stored: Stored) -> None:
        text = text_of(*stored)
        with contextlib.suppress(OSError):
            if folder.read(name, MOST_BYTES) == text:
                return
        folder.write(name, text)
        if self._ids is not None:
            self._ids[stored.record.id] = name
            self._names.add(name)

    # -- files of matches ----------------------------------------------------------------------------------------------

    def _find(self, folder: Folder, id_: str) -> str | None:
        """Return the name of a match's record file; None if there is none.

        If the file is damaged, the index or its readable part says to which match it belongs.
        """
        if self._ids is None:
            known = Index(folder).lines
            self._ids = {line.summary.id: name for name, line in known.items()}
            self._names = set(known)
        names = set(filter(NAME.fullmatch, folder.names(MOST_FILES)))
        self._ids |= {claim.id: name for name in names - self._names if (claim := claim_of(folder, name))}
        self._names = names
        name = self._ids.get(id_)
        if name is None or name not in names:
            return None
        claim = claim_of(folder, name)
        return name if claim and (claim.id == id_ or trouble(folder, name)) else None

    def _refresh(self, folder: Folder) -> tuple[dict[str, IndexLine], dict[str, str]]:
        """Update the index for changed files. Return its lines, and file name -> damage of the file."""
        files = {name: found for name, found in folder.files(MOST_FILES) if NAME.fullmatch(name)}
        index = Index(folder)
        gone = {name: line for name, line in index.lines.items() if name not in files and line.evening}
        fresh: list[IndexLine] = []
        troubles: dict[str, str] = {}
        for name, found in files.items():
            known = index.lines.get(name)
            if known and (known.size, known.mtime_ns) == (found.st_size, found.st_mtime_ns):
                continue
            try:
                fresh.append(read_line(folder, name, found.st_size, found.st_mtime_ns))
            except BrokenRecordError as error:
                again = self._again(folder, name, known) if len(troubles) < MOST_REBUILT else None
                if again is None:
                    troubles[name] = str(error)
                    continue
                fresh.append(line_of(name, -1, 0, again))  # with a size that makes the next list read it again
            except (OSError, ValueError) as error:
                troubles[name] = words(error)
                continue
            if len(fresh) == MOST_UNSAVED:
                index.update(folder, fresh, {*files, *gone})
                fresh.clear()
        index.update(folder, fresh, {*files, *gone})
        troubles |= self._make_lost(folder, index, gone, {name: claim_of(folder, name) or Claim() for name in troubles})
        return index.lines, troubles

    def _make_lost(
        self, folder: Folder, index: Index, gone: Mapping[str, IndexLine], damaged: dict[str, Claim]
    ) -> dict[str, str]:
        """Make lost records again from their evenings. Return troubles, as `_refresh` does.

        gone: the index lines of files that are missing. damaged: the claims of damaged files.
        """
        lines = {name: line for name, line in index.lines.items() if name not in gone}
        claims = {name: Claim(line.summary.id, line.evening) for name, line in lines.items()} | damaged
        lost = find_lost(self._state, claims.values(), {line.evening for line in gone.values()}, index.evenings)
        before = {line.summary.id: line for line in gone.values()}
        made = []
        for match in lost.matches:
            try:
                made.append(self._make(match, before.get(match.record.id)))
            except OSError as error:
                lost.unread[match.evening] = words(error)
        left = {name: line.evening for name, line in gone.items() if line.evening in lost.unread}
        troubles = {name: f"is lost; its evening {evening} {lost.unread[evening]}" for name, evening in left.items()}
        index.update(folder, [*made, *lost.searched], {*lines, *troubles, *(line.name for line in made)})
        others = lost.unread.keys() - {claim.evening for claim in claims.values()} - {*left.values()}
        return troubles | {f"{name}.json": f"is an evening that {lost.unread[name]}" for name in others}

    def _make(self, lost: Stored, known: IndexLine | None) -> IndexLine:
        """Write a lost record, under its earlier name and row if these are known. Return its index line."""
        with self._writing() as folder:
            name = self._find(folder, lost.record.id) or (known.name if known else free_name(folder, "", gap=True))
            lost = with_row(lost, known.row if known else NO_ROW)
            self._write(folder, name, lost)
        LOG.warning("record %s was lost; it was made again from evening %s", number_of(name), lost.evening)
        return line_of(name, -1, 0, lost)  # with a size that makes the next list read it again

    def _again(self, folder: Folder, name: str, known: IndexLine | None) -> Stored | None:
        """Make a damaged record again from its evening, and try to save it.

        Return None if it cannot be made, for example for an imported record.
        """
        claim = Claim(known.summary.id, known.evening) if known else claim_of(folder, name)
        if claim is None or not claim.evening or name.startswith(ListedMatch.IMPORTED):
            return None
        try:
            stored = rebuild_from(self._state, claim.evening, claim.id)
        except (OSError, ValueError):
            return None
        if stored is None or stored.record.id != claim.id:
            return None
        stored = with_row(stored, known.row if known else NO_ROW)
        with contextlib.suppress(OSError), self._writing() as locked:
            self._write(locked, name, stored)
        LOG.warning("record %s was damaged; it was made again from evening %s", number_of(name), claim.evening)
        return stored
