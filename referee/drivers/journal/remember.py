"""What this device remembers: the records that are kept, and those of matches that are not kept yet, derived and kept.

An evening that is over (another one was opened behind it) is derived once. The last evening is still going on: what is
over in it is kept as well, and derived again when it is asked for, because a match can be gone on with.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

from referee.core.documents.chronicle import matches_of, record_of
from referee.core.documents.record import LATEST_S, Record
from referee.core.values import replace
from referee.drivers.journal import matches
from referee.drivers.journal.matches import Kept
from referee.drivers.journal.read import EveningRows, JournalError, StoredEvening, evenings

_log = logging.getLogger(__name__)


def remember(journal: Path) -> list[Kept]:
    """Every match, by number; what was not kept yet is kept now, where the disk lets it. JournalError.

    A journal that cannot be read costs the matches that only it knows, and is an error only where no record is kept.
    """
    path = matches.beside(journal)
    known = {match.key: match for match in matches.read(path)}
    new = [better for match in known.values() if (better := _with_parts(match))]
    known_now = {**known, **{match.key: match for match in new}}
    try:
        for evening in evenings(journal, known) if journal.exists() else ():
            new += _matches_of_evening(evening, known_now)
    except JournalError:
        if not known:
            raise
        _log.warning("the journal cannot be read; what is told are the records that were kept")
    fresh = [match for match in new if known.get(match.key) != match and (match.over or match.key in known)]
    with contextlib.suppress(OSError):  # who may only read is shown all the same
        matches.add(path, fresh)
    known |= {match.key: match for match in new}
    return sorted(known.values(), key=lambda match: match.number)


def _with_parts(match: Kept) -> Kept | None:
    """A line of an earlier version with what statistics want of it; None for one that has it."""
    if match.shown is None or "parts" in match.shown:
        return None
    with contextlib.suppress(ValueError):  # a record that cannot be read stays as it is
        link = bytes.fromhex(match.link)
        return matches.match_to_keep(match.number, match.id, match.begun_s, link, match.record(), "")._replace(
            over=match.over
        )
    return None


def _matches_of_evening(evening: StoredEvening, known: dict[tuple[int, str], Kept]) -> Iterator[Kept]:
    trouble = "undone before its first hand"
    found: dict[int, Record | Exception | None] = {}
    try:
        read = evening.read()
        clock = {
            seq: wall_s
            for seq, wall_s in evening.wall_clock.items()
            if seq not in read.altered and 0 <= wall_s <= LATEST_S
        }
        found = _by_first_row(evening, read, clock)
    except Exception as error:  # whatever an older or a newer referee has written: the other evenings are shown
        trouble = _unreadable(error)
    closed = evening.matches[-1].last_seq is not None
    for match, link in zip(evening.matches, evening.links, strict=True):
        record = found.get(int(match.id.rpartition("-")[2]))
        why = _unreadable(record) if isinstance(record, Exception) else trouble
        record = None if isinstance(record, Exception) else record
        begun_s = match.wall_s if record is None else record.begun_s
        before = known.get((match.number, match.id))
        if record is None and before is not None and why.startswith("cannot"):
            yield before
        else:
            over = closed or bool(record and record.winners)
            yield matches.match_to_keep(match.number, match.id, begun_s, link, record, why)._replace(over=over)


def _by_first_row(
    evening: StoredEvening, read: EveningRows, clock: Mapping[int, int]
) -> dict[int, Record | Exception | None]:
    """The record of each match, by the number of the row that the journal counts as its first."""
    ids = {int(match.id.rpartition("-")[2]): match.id for match in evening.matches}
    found: dict[int, Record | Exception | None] = {}
    sound = (row for row in read.rows if row[0] not in read.altered)
    for state in matches_of(sound, read.aside).values():
        begun = state.table.begun
        first = begun if begun in ids else min(ids)
        try:
            record = record_of(state, clock)
            found[first] = record and replace(record, id=ids[first])
        except Exception as error:  # rows that are lost may leave what no record can hold
            found[first] = error
    return found


def _unreadable(error: Exception) -> str:
    return f"cannot be read: {error or type(error).__name__}"
