"""The past for the page, told by a process of its own: `python -m referee.drivers.journal.past_child STATE`.

Reading a season's records takes longer than a page may stand still, so the page's process has it done here. It is as
nice as the page that begins it, and no nicer: somebody waits for the answer. On standard output comes one pickled
`DeviceHistory`, for the same program alone; a device on which nothing was played yet tells an empty one. 1 and a
sentence when the files cannot be read.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from referee.core.documents.figures import DeviceHistory, device_history
from referee.drivers.journal.past import past


def read_history(state: Path) -> DeviceHistory:
    """The matches in that state directory with their figures. ValueError, OSError."""
    there = any((state / name).exists() for name in ("journal.db", "archive.db"))
    return device_history(past(state) if there else ())


def main(argv: list[str]) -> int:
    """Tell of the directory that is named."""
    try:
        found = read_history(Path(argv[0]))
    except (OSError, ValueError) as error:
        print(error or type(error).__name__, file=sys.stderr)  # noqa: T201
        return 1
    sys.stdout.buffer.write(pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
