"""Find matches of evenings that have no record.

Reading an evening takes long. So the index notes each searched evening (`EveningLine`), which is searched again only if
its file changes or another number of records names it. An evening with a record for each beginning of a match is not
replayed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from referee.storage.records.index import EveningLine
from referee.storage.records.recordfile import Claim, Stored, words

if TYPE_CHECKING:
    from referee.core.documents.record import Record

_BEGINNING = re.compile(rb'"type":"(?:began|rematched)"|"state":\{')
"""A row with which a match begins, or an evening that begins with a match."""


class Lost(NamedTuple):
    """Matches without a record, lines of the searched evenings, and evening -> why it cannot be read."""

    matches: Collection[Stored]
    searched: list[EveningLine]
    unread: dict[str, str]


def find_lost(state: Path, records: Collection[Claim], gone: Iterable[str], known: Mapping[str, EveningLine]) -> Lost:
    """Search the evenings of a state directory, and the evenings in `gone`, for matches without a record.

    known: evening -> its line from an earlier search.
    """
    from referee.storage.evenings.folder import evenings_in, names, path_of

    ids, counts = {claim.id for claim in records}, Counter(claim.evening for claim in records)
    matches: dict[str, Stored] = {}
    lost = Lost(matches.values(), [], {})
    for name in sorted({*names(evenings_in(state)), *gone}):
        path = path_of(evenings_in(state), name)
        try:
            found = path.stat()
            line = EveningLine(name, found.st_size, found.st_mtime_ns, counts[name])
            if known.get(name) == line:
                continue
            matches |= {
                record.id: Stored(record, name) for record in _records(path, counts[name]) if record.id not in ids
            }
        except Exception as error:  # rows of another release can raise any error
            lost.unread[name] = words(error)
        else:
            lost.searched.append(line)
    return lost


def _records(path: Path, count: int) -> list[Record]:
    """Return the records of an evening's matches; none if it cannot have more than `count`."""
    from referee.core.documents.chronicle import records
    from referee.storage.evenings.folder import read_bytes, read_evening

    if len(_BEGINNING.findall(read_bytes(path))) <= count:
        return []
    tape = read_evening(path)
    return records(tape.rows, tape.walls, tape.aside)
