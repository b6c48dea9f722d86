"""The last report of the update program."""

from __future__ import annotations

from pathlib import Path

import msgspec

from referee.core.phases.update import Said
from referee.storage.files import read_regular

SAYS = "says.json"
"""The report, in the update program's folder."""
SAYS_BYTES = 4096


def read_said(folder: Path) -> Said | None:
    """Return the update program's last report; None if there is none."""
    try:
        return msgspec.json.decode(read_regular(folder / SAYS, SAYS_BYTES), type=Said)
    except (OSError, ValueError):
        return None
