"""Colour and small charts for people at a terminal; where the output goes to a file or a pipe, plain text.

`NO_COLOR` (https://no-color.org) and `TERM=dumb` leave both out; so does an encoding that has no block characters.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

BLOCKS = " ▏▎▍▌▋▊▉█"
"""A cell that is filled by 0 to 8 eighths, from the left."""
STEPS = "▁▂▃▄▅▆▇█"
"""A cell that is filled by 1 to 8 eighths, from below."""
STYLES = {"strong": 1, "weak": 2, "bad": 31, "good": 32, "bar": 36}


class Terminal:
    """How to write for whoever reads: `rich` when it is a person at a terminal that can show it."""

    def __init__(self, rich: bool) -> None:
        self.rich = rich

    def paint(self, text: str, style: str) -> str:
        """The text in a style of STYLES.

        >>> Terminal(True).paint("won", "good"), Terminal(False).paint("won", "good")
        ('\\x1b[32mwon\\x1b[0m', 'won')
        """
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.rich and text else text

    def bar(self, share: float, cells: int) -> str:
        """A bar of so many cells, filled by that share (below 0 as 0, above 1 as 1); plain text has none.

        >>> Terminal(True).bar(0.5, 3)
        '█▌ '
        """
        if not self.rich:
            return ""
        whole, eighths = divmod(round(min(max(share, 0), 1) * cells * 8), 8)
        return (BLOCKS[8] * whole + BLOCKS[eighths])[:cells].ljust(cells)

    def curve(self, values: Sequence[float], least: float, most: float) -> str:
        """A cell a value, `least` lowest and `most` highest, so that several curves can share one scale; plain: none.

        >>> Terminal(True).curve([0, 10, 5, 20], 0, 20)
        '▁▅▃█'
        """
        if not self.rich:
            return ""
        span = (most - least) or 1
        return "".join(STEPS[min(max(round((value - least) / span * 7), 0), 7)] for value in values)


def terminal() -> Terminal:
    """What reads standard output: a terminal that draws lines anew and has block signs, or a plain file."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(wanted and sys.stdout.isatty() and _has_blocks(sys.stdout.encoding or "ascii"))


def _has_blocks(encoding: str) -> bool:
    try:
        (BLOCKS + STEPS).encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
