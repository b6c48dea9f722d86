"""How often something is played in the rig, and what becomes of it.

What was wrong is wrong, though it were right the next time: it fails, and what was recorded of it is kept. Only what
the guest's own measurements excuse (stalls.py) is played again, a few times; then this machine is too busy to tell.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from tests.rig import evidence
from tests.rig.stalls import Wrong
from tests.rig.vm import BULKY, BusyError, keep_directory, shared_directory

TRIES = 3
NOT_KEPT = shutil.ignore_patterns(*BULKY)


class Played(Protocol):
    """Something was played."""

    @property
    def wrong(self) -> Sequence[Wrong]:
        """What was not as it must be, excused or not."""


P = TypeVar("P", bound=Played)


def play_until_sound(what: str, play: Callable[[Path], P], keep: Path | None) -> P:
    """Play it, again where only stalls were in the way; each time with an empty directory to share with the guest.

    keep: what was recorded is copied there, in any case. Raises BusyError when every try was spoilt.
    """
    spoilt = ""
    for number in range(1, TRIES + 1):
        with shared_directory() as share:
            try:
                played = play(share)
            finally:
                if keep:
                    shutil.copytree(share, keep, dirs_exist_ok=True, ignore=NOT_KEPT)
            guilty = [wrong for wrong in played.wrong if not wrong.excuse]
            if guilty:
                _accuse(what, share, guilty)
            if guilty or not played.wrong:
                return played
        spoilt = str(played.wrong[0])
        print(f"{what}: try {number} of {TRIES}: {spoilt}", flush=True)
    raise BusyError(f"{what}: {TRIES} tries, each spoilt by what the guest itself measured; the last: {spoilt}")


def _accuse(what: str, share: Path, guilty: Sequence[Wrong]) -> None:
    near = evidence.leave(share, guilty)
    for row in near:
        print(f"    {row}", flush=True)
    keep_directory(share)
    print(f"{what}: rows, lamps, tones and times are kept: {share}", flush=True)
