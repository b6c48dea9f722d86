"""A state directory for command tests: a journal of two matches played by bots."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.cli import Parser
from referee.core.documents.chronicle import records
from referee.core.match.engine import JournalRow
from referee.core.model.events import Event, Opened
from referee.core.units import S
from referee.core.values import replace
from referee.storage.evenings.writer import Journal
from referee.storage.records.store import Records
from tests.core.evenings import played

BEGUN_S = 1_700_000_000


def kept(state: Path, *evenings: Iterable[JournalRow]) -> Path:
    """As `journaled`, with a fixed wall clock."""
    return journaled(state, *evenings, tick_s=0)


def journaled(state: Path, *evenings: Iterable[JournalRow], tick_s: int = 1) -> Path:
    """Write a file for each evening and the records of its match.

    tick_s: advance of the wall clock with each row, in seconds.
    """
    evenings = evenings or (played(),)
    key = (tick_s, *map(id, evenings))
    if key not in _MADE:
        _MADE[key] = _write(Path(_ROOM.name, str(len(_MADE))), evenings, tick_s), evenings
    shutil.copytree(_MADE[key][0], state, dirs_exist_ok=True)
    return state


_ROOM = TemporaryDirectory()
_MADE: dict[tuple[int, ...], tuple[Path, tuple[Iterable[JournalRow], ...]]] = {}
"""State directories as first written; kept so that match ids stay the same."""


def _write(state: Path, evenings: tuple[Iterable[JournalRow], ...], tick_s: int) -> Path:
    (state / "records").mkdir(parents=True)
    base, now = 0, [0]
    for n, evening in enumerate(evenings):
        rows = [(seq, _boot(event, n)) for seq, event in evening]
        journal = Journal(state, f"boot-{n}", wall=lambda: BEGUN_S + now[0], awake=lambda: now[0] * S)
        for row in rows:
            now[0] = (base + row[0]) * tick_s
            journal.append([row])
        assert journal.close(60.0)
        for record in records(rows, journal.walls) if rows else ():
            Records(state).keep(record, journal.name)
        base += len(rows)
    return state


def _boot(event: Event, n: int) -> Event:
    """Give the event its own boot id: match ids contain it, and an evening may be played twice."""
    return replace(event, boot=f"{event.boot}{n}") if isinstance(event, Opened) and n else event


def parsed(command: Any, name: str, *argv: str) -> argparse.Namespace:
    """Parse the command line as the command declares it."""
    parser = Parser(prog=f"referee {name}")
    command.add(parser)
    return parser.parse_args(argv)


def texts(state: Path) -> bytes:
    """Return the bytes of every file there."""
    return b"".join(path.read_bytes() for path in sorted(state.rglob("*")) if path.is_file())


def contents(state: Path) -> bytes:
    """As `texts`, without the index of the records, which each list may write."""
    found = sorted(path for path in state.rglob("*") if path.is_file() and path.name != "index.jsonl")
    return b"".join(path.read_bytes() for path in found)
