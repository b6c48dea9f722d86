"""Record one evening per game with this version: `python -m tests.journals.record`, before a release.

After the first release a recorded evening is never rewritten; a later format adds its own files.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

from referee.core.documents.chronicle import records
from referee.core.documents.record import to_document
from referee.core.match.engine import JournalRow
from referee.core.model.table import Setup
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from referee.storage.evenings.folder import evenings_in, find_latest, read_bytes
from referee.storage.evenings.writer import Journal
from tests.core.evenings import NAMES

HERE = Path(__file__).parent
GAMES: dict[str, tuple[str, tuple[tuple[str, int], ...]]] = {
    "nertz": ("nna", (("target", 30),)),
    "thirtyone": ("31", (("lives", 1),)),
    "slap": ("snap", ()),
    "lastone": ("spoons", ()),
    "duel": ("reflex-duel", ()),
}
"""Game -> the preset played, and options that shorten the match."""


def played(game: str) -> list[JournalRow]:
    """Play a match of that game with three bots."""
    preset, options = GAMES[game]
    rows: list[JournalRow] = []
    Evening(Setup(preset, options, names=NAMES), Bots("123", 5, pace_percent=20), journal=rows.extend).play(1)
    return rows


def written(rows: list[JournalRow]) -> bytes:
    """Return the file of that evening."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        journal = Journal(state, "boot-1", wall=lambda: 1_800_000_000)
        journal.append(rows)
        assert journal.close(60.0)
        path = find_latest(evenings_in(state)).path
        assert path is not None
        return read_bytes(path)


if __name__ == "__main__":
    for name in GAMES:
        evening = played(name)
        (record,) = records(evening, {})
        (HERE / f"{name}.jsonl.gz").write_bytes(gzip.compress(written(evening), mtime=0))
        (HERE / f"{name}.json").write_text(json.dumps(to_document(record), separators=(",", ":")) + "\n")
