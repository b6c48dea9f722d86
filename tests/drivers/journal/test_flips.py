"""A few flipped bits of each kind; `make journal-damage` does all of the first two pages and thousands elsewhere."""

from __future__ import annotations

import logging

from tests.drivers.journal import flips


def test_flipped_bits_are_said_and_cost_one_row_at_most() -> None:
    """In the first pages, behind them, in the log, by the program: the journal opens, says it, keeps the other rows."""
    disabled = logging.root.manager.disable
    try:
        assert flips.main(["--first", "40", "--elsewhere", "8", "--log", "4", "--program", "3"]) == 0
    finally:
        logging.disable(disabled)
