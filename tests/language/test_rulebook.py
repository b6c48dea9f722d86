"""The rulebook's pages fit the display, and a device starts without them."""

from __future__ import annotations

import subprocess
import sys

from referee.core.model.registry import presets, rulebook
from referee.language.display import sources_of
from referee.language.words import PAGE_COLUMNS


def test_the_sources_of_every_page_fit_its_last_row() -> None:
    for preset in (preset for preset, game in presets().items() if game.RULEBOOK):
        for answer in rulebook(preset, {}):
            assert all(len(sources_of(page.sources).replace(", ", ",")) <= PAGE_COLUMNS for page in answer.pages)


def test_a_device_starts_without_the_rulebook() -> None:
    """Its topics are imported when one is opened, not before."""
    code = "import sys, referee.device.daemon; print('referee.core.games.nertz.rulebook' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"
