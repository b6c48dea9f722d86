"""A few flipped bits of an evening; `make evening-damage` does all of them."""

from __future__ import annotations

import logging

from tests.storage.evenings import flips


def test_flipped_bits_are_said_and_cost_no_sound_row() -> None:
    disabled = logging.root.manager.disable
    try:
        assert flips.main(["--bits", "30", "--program", "1"]) == 0
    finally:
        logging.disable(disabled)
