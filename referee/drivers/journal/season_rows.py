"""An evening's rows out of the journal into a block, and out of a block into a journal in memory.

A block's rows are as the journal had them, altered ones included. Links are not kept but reckoned; only one that is not
what follows is: an altered row's, or an older referee's, which has none. A name that stands in the text of an older
referee's row becomes a number, as in rows of today.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from referee.drivers.journal import seasons
from referee.drivers.journal.chain import name_sum, origin_sum, plain_body, without_names
from referee.drivers.journal.file import origin, packed_through, transaction
from referee.drivers.journal.lines import due_link, link_before, read_names, stored_rows
from referee.drivers.journal.schema import migrate
from referee.drivers.journal.seasons import Block, PackedMatch, SeasonError

_FOLLOWS = 0
"""Stands for a link that is what follows from the link before."""
_FILE = bytes(16)
_NONSENSE: tuple[tuple[Any, ...], ...] = ((0, "", "", None, None, None), ("", 0, 0, 0, 0, None, None))


def packable(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """First and last row of each evening that is over, all but the last; the first goes on from what is packed."""
    through = packed_through(db)
    opened = [seq for (seq,) in db.execute("SELECT seq FROM milestone WHERE lower(kind) = 'opened' ORDER BY seq")]
    firsts = [through.seq + 1 if through else 1, *opened[1:]]
    return [(first, behind - 1) for first, behind in zip(firsts, opened[1:], strict=False)]


def block_of(
    db: sqlite3.Connection, place: int, first: int, last: int, matches: Sequence[PackedMatch]
) -> tuple[Block, bytes]:
    """These rows as a block, the `place`th of this file, and its content. sqlite3.Error."""
    known = origin(db)
    names, texts = read_names(db), dict[int, str]()
    numbers: dict[str, int] = {}

    def number_of(name: str) -> int:
        number = numbers.setdefault(name, max(names, default=0) + len(numbers) + 1)
        texts[number] = name
        return number

    before, _ = link_before(db, first)
    link = before
    boots: dict[str | None, int] = {}
    rows: list[list[Any]] = []
    for seq, boot, own, kind, *values in stored_rows(db, first, last):
        if kind and isinstance(values[2], str):
            used = _numbers(values[2])
            texts |= {number: names[number] for number in used if number in names}
            if own is None and '"name' in values[2]:
                values[2] = plain_body(without_names(json.loads(values[2]), number_of))
        follows = own is not None and due_link(link, seq, boot, kind, values) == own
        kept = _FOLLOWS if follows else None if own is None else own.hex()
        rows.append([seq, boots.setdefault(boot, len(boots)), kept, kind, *map(_plain, values)])
        link = own or link
    content, sum_ = seasons.compress_rows({"boots": list(boots), "rows": rows})
    file = known[0].hex() if known else ""
    head = Block(file, place, first, last, before.hex(), link.hex(), tuple(matches), texts, len(content), sum_)
    return head, content


def unpack(path: Path, block: Block, db: sqlite3.Connection | None = None) -> sqlite3.Connection:
    """A journal in memory that holds the rows of a block. db: the journal, for what it says of boots.

    SeasonError when the rows are not as they were written.
    """
    document = seasons.content(path, block)
    memory = sqlite3.connect(":memory:", isolation_level=None)
    memory.execute("PRAGMA foreign_keys = OFF")
    migrate(memory)
    transaction(memory, lambda: _fill(memory, block, document, db))
    return memory


def _fill(memory: sqlite3.Connection, block: Block, document: Any, db: sqlite3.Connection | None) -> None:
    boots = dict(db.execute("SELECT uuid, id FROM boot")) if db is not None else {}
    for boot in document["boots"]:
        boots.setdefault(boot, max(boots.values(), default=0) + 1)
    memory.execute("PRAGMA ignore_check_constraints = ON")
    memory.executemany("INSERT INTO boot VALUES (?, ?)", [(n, boot) for boot, n in boots.items() if boot is not None])
    link = bytes.fromhex(block.before)
    for seq, place, kept, kind, *raw in document["rows"]:
        boot, values = document["boots"][place], [_raw(value) for value in raw]
        own = due_link(link, seq, boot, kind, values) if kept == _FOLLOWS else kept and bytes.fromhex(kept)
        link = own or link
        try:
            _insert(memory, seq, boots[boot], kind, values, own)
        except sqlite3.Error:  # altered to what no such column holds: it stays a row that is not as it was written
            _insert(memory, seq, boots[boot], kind, _NONSENSE[kind is None], own)
    if link.hex() != block.after:
        raise SeasonError(f"the rows {block.first} to {block.last} do not lead to the link that their season names")
    names = [(number, json.dumps(name)) for number, name in block.names.items()]
    rows = [(number, body, name_sum(number, body)) for number, body in names]
    memory.executemany("INSERT INTO name VALUES (?, ?, ?)", rows)
    anchor = bytes.fromhex(block.before) or bytes(16)
    memory.execute("INSERT INTO origin VALUES (1, ?, ?, 0, ?)", (_FILE, anchor, origin_sum(_FILE, anchor, 0)))


def _insert(db: sqlite3.Connection, seq: int, boot: int, kind: str | None, values: Sequence[Any], own: Any) -> None:
    if kind is None:
        db.execute("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (seq, boot, *values, own))
        return
    *event, base, milestone = values[:6]
    db.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", (seq, boot, *event, own))
    if milestone is not None:
        db.execute("INSERT INTO milestone VALUES (?, ?, ?)", (seq, milestone, base))


def _numbers(body: str) -> Iterator[int]:
    """The numbers of names in an event's text."""
    for part in body.split('{"who":')[1:]:
        number = part.partition("}")[0]
        if number.isdigit():
            yield int(number)


def _plain(value: Any) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _raw(value: Any) -> Any:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
