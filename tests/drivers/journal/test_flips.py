"""A few flipped bits of each kind; `make journal-damage` does all of the first two pages and thousands elsewhere."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

from referee.drivers.journal.file import connect_to_read
from referee.drivers.journal.lines import hurt_opening, lines
from referee.drivers.journal.schema import damage_at_opening, examine
from tests.core.evenings import played
from tests.drivers.journal import flips


def test_flipped_bits_are_said_and_cost_one_row_at_most() -> None:
    """In the first pages, behind them, in the log, by the program: the journal opens, says it, keeps the other rows."""
    disabled = logging.root.manager.disable
    try:
        assert flips.main(["--first", "40", "--opening", "12", "--elsewhere", "8", "--log", "4", "--program", "3"]) == 0
    finally:
        logging.disable(disabled)


def test_every_flipped_bit_of_the_row_that_opens_an_evening_is_found(tmp_path: Path) -> None:
    """Every bit of it and of its copy, so that the other is read for it (`flips.whole` has the match go on, above).

    But for some bits in a row's head that SQLite does not read: then the row is as it was.
    """
    content = flips.recorded(tmp_path, list(played(matches=1))[:8])["journal.db"]
    file = tmp_path / "journal.db"
    with closing(connect_to_read(file)) as db:
        written = next(lines(db))
    for bit in flips.opening_bits(content):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        with closing(connect_to_read(file)) as db:
            try:
                examine(db)
                row, (hurt, trouble) = next(lines(db, 1, 1), None), hurt_opening(db)
                found = hurt == 1 or bool(trouble) or row == written or (row is not None and bool(row.beside))
            except Exception as error:  # whatever SQLite has found first: the file is given up, and carved
                found = damage_at_opening(error) is not None
            assert found, bit


def test_no_bit_of_where_the_chain_begins_costs_the_evening(tmp_path: Path) -> None:
    """Each bit of one byte in the middle of the anchor: the first row does not follow from it, and comes back."""
    rows = list(played(matches=1))[: flips.SHORT]
    files = flips.recorded(tmp_path, rows)
    with closing(connect_to_read(tmp_path / "journal.db")) as db:
        (anchor,) = db.execute("SELECT anchor FROM origin").fetchone()
    place = files["journal.db"].index(anchor) + len(anchor) // 2
    told = {flips.flipped(files, "journal.db", 8 * place + bit, rows, flips.whole) for bit in range(8)}
    assert told == {"said"}
