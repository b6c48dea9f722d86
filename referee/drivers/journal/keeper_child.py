"""A match's end, seen to by a process of its own: records are kept, past evenings packed, what is packed is checked.

    python -m referee.drivers.journal.keeper_child JOURNAL

It only reads the journal, which the referee goes on writing, and adds to `matches.log` and `seasons.pack` beside it; it
is the referee that takes a packed evening for its own rows (`Journal.pack`). It steps behind everything else on the
machine. One JSON object on standard output: how many evenings were packed, and what is wrong, a sentence each.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from referee.drivers.journal import seasons
from referee.drivers.journal.file import connect_to_read, last_seq, link_at, origin, packed_through
from referee.drivers.journal.lines import is_chained
from referee.drivers.journal.matches import Kept
from referee.drivers.journal.read import JournalError, Match, own_matches
from referee.drivers.journal.remember import remember
from referee.drivers.journal.schema import DamagedError
from referee.drivers.journal.season_rows import block_of, packable, unpack
from referee.drivers.journal.seasons import Block, PackedMatch, beside

STEP_BACK = 19
"""How much nicer than the referee."""


def keep(journal: Path) -> tuple[int, list[str]]:
    """Keep, pack, check: how many evenings were packed, and what is wrong with what was. JournalError, OSError."""
    kept = remember(journal)
    with closing(connect_to_read(journal)) as db:
        if not is_chained(db):
            return 0, []
        count = _pack(journal, db, kept)
        return count, check_packed(journal, db)


def _pack(journal: Path, db: sqlite3.Connection, kept: list[Kept]) -> int:
    """Each evening that is over and whose matches are records; one without a match goes with the next."""
    path, count = beside(journal), 0
    known = origin(db)
    file = known[0].hex() if known else ""
    packed = packed_through(db)
    through = packed.seq if packed else 0
    own = seasons.whole(path, (block for block in seasons.blocks(path) if block.file == file), through)
    records = {match.key for match in kept}
    played = own_matches(db)
    first: int | None = None
    place = max((block.place for block in own), default=-1) + 1
    waiting = [block for block in own if block.last > through]
    for begin, last in packable(db):
        first = begin if first is None else first
        if any(block.first <= begin and last <= block.last for block in waiting):  # the referee takes it next time
            first = None
            continue
        matches = [match for match in played if first <= match.first_seq <= last]
        if any((match.number, match.id) not in records for match in matches):
            break
        if matches:
            told = [_packed_match(db, match, last) for match in matches]
            block, content = block_of(db, place, first, last, told)
            seasons.add(path, block, content)
            _read_again(path, block, db)
            first, place, count = None, place + 1, count + 1
    return count


def _packed_match(db: sqlite3.Connection, match: Match, last: int) -> PackedMatch:
    wall_s, boot = db.execute(
        "SELECT wall_s, uuid FROM event LEFT JOIN boot ON boot.id = event.boot WHERE seq = ?", (match.first_seq,)
    ).fetchone()
    end = match.last_seq or last
    link = (link_at(db, end) or b"").hex()
    return PackedMatch(match.number, match.opened_seq, match.first_seq, end, wall_s, boot or "", match.id, link)


def _read_again(path: Path, block: Block, db: sqlite3.Connection) -> None:
    """What was written leads from link to link as the journal does. SeasonError, and the rows stay where they are."""
    (found,) = [other for other in seasons.blocks(path) if (other.file, other.first) == (block.file, block.first)]
    with closing(unpack(path, found, db)) as memory:
        if last_seq(memory) > block.last:
            raise seasons.SeasonError(f"the rows {block.first} to {block.last} were not packed as they are")


def check_packed(journal: Path, db: sqlite3.Connection) -> list[str]:
    """What is wrong with all that is packed."""
    path, known, packed = beside(journal), origin(db), packed_through(db)
    found = seasons.blocks(path)
    missing = seasons.troubles(found, known[0].hex() if known else "", packed.seq if packed else 0)
    return [*missing, *(seasons.verify(path, found) if found else ())]


def main(argv: list[str]) -> int:
    """Keep for the journal that is named; 1 and a sentence when it cannot be done."""
    with contextlib.suppress(OSError):
        os.nice(STEP_BACK)
    try:
        packed, wrong = keep(Path(argv[0]))
    except (DamagedError, JournalError, OSError, sqlite3.Error, seasons.SeasonError) as error:
        print(error or type(error).__name__, file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps({"packed": packed, "wrong": wrong}))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
