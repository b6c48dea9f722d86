"""Repeat tries in the rig, and decide the result.

A failure stays a failure even if the next try passes: it fails, and its recording is kept. Only failures that the
guest's measurements excuse (stalls.py) are repeated, a few times; then this machine is too busy to decide.
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
    """The result of a try."""

    @property
    def wrong(self) -> Sequence[Wrong]:
        """Return the failures, excused or not."""


P = TypeVar("P", bound=Played)


def play_until_sound(what: str, play: Callable[[Path], P], keep: Path | None) -> P:
    """Play until a try has no excused failure, each time with an empty shared directory.

    keep: copy the recording there in any case. Raises BusyError if every try was spoilt.
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
