"""Colours and small charts for terminals; plain text for files and pipes.

Both are also off with `NO_COLOR` (https://no-color.org), `TERM=dumb`, and encodings without block characters.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

BLOCKS = " ▏▎▍▌▋▊▉█"
"""Cells filled by 0 to 8 eighths, from the left."""
STEPS = "▁▂▃▄▅▆▇█"
"""Cells filled by 1 to 8 eighths, from the bottom."""
STYLES = {"strong": 1, "weak": 2, "bad": 31, "good": 32, "bar": 36}


class Terminal:
    """How to write output. `rich`: a terminal with colours and block characters."""

    def __init__(self, rich: bool) -> None:
        self.rich = rich

    def paint(self, text: str, style: str) -> str:
        """Return the text in a style of STYLES.

        >>> Terminal(True).paint("won", "good"), Terminal(False).paint("won", "good")
        ('\\x1b[32mwon\\x1b[0m', 'won')
        """
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.rich and text else text

    def bar(self, share: float, cells: int) -> str:
        """Return a bar of `cells` characters, filled by `share` (limited to 0..1); "" in plain text.

        >>> Terminal(True).bar(0.5, 3)
        '█▌ '
        """
        if not self.rich:
            return ""
        whole, eighths = divmod(round(min(max(share, 0), 1) * cells * 8), 8)
        return (BLOCKS[8] * whole + BLOCKS[eighths])[:cells].ljust(cells)

    def curve(self, values: Sequence[float], least: float, most: float) -> str:
        """Return a character per value, on a scale from `least` to `most`; "" in plain text.

        >>> Terminal(True).curve([0, 10, 5, 20], 0, 20)
        '▁▅▃█'
        """
        if not self.rich:
            return ""
        span = (most - least) or 1
        return "".join(STEPS[min(max(round((value - least) / span * 7), 0), 7)] for value in values)


def terminal() -> Terminal:
    """Return the Terminal for standard output.

    It is rich if standard output is a terminal with block characters.
    """
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(wanted and sys.stdout.isatty() and _has_blocks(sys.stdout.encoding or "ascii"))


def _has_blocks(encoding: str) -> bool:
    try:
        (BLOCKS + STEPS).encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
