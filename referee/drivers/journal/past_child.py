"""The past for the page, told by a process of its own: `python -m referee.drivers.journal.past_child STATE`.

Reading a season's records takes longer than a page may stand still, so the page's process has it done here, behind
everything else on the machine. On standard output comes one pickled `House`, for the same program and for nobody else;
a house in which nothing was played yet is an empty one. 1 and a sentence when the files cannot be read.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from pathlib import Path

from referee.core.documents.figures import House, house
from referee.drivers.journal.past import past

STEP_BACK = 19
"""How much nicer than the referee."""


def told(state: Path) -> House:
    """What the house in that directory remembers. ValueError, OSError."""
    there = any((state / name).exists() for name in ("journal.db", "archive.db"))
    return house(past(state) if there else ())


def main(argv: list[str]) -> int:
    """Tell of the directory that is named."""
    with contextlib.suppress(OSError):  # a sandbox may forbid even that
        os.nice(STEP_BACK)
    try:
        found = told(Path(argv[0]))
    except (OSError, ValueError) as error:
        print(error or type(error).__name__, file=sys.stderr)  # noqa: T201
        return 1
    sys.stdout.buffer.write(pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
