"""A few flipped bits of each kind; `make journal-damage` does all of the first two pages and thousands elsewhere."""

from __future__ import annotations

import logging

from tests.drivers import flips


def test_flipped_bits_are_said_and_cost_one_row_at_most() -> None:
    """In the first pages, behind them and in the log: the journal opens, says it, and gives back every other row."""
    disabled = logging.root.manager.disable
    try:
        assert flips.main(["--every", "8009", "--elsewhere", "3", "--log", "2"]) == 0
    finally:
        logging.disable(disabled)
