"""Write the evidence of a failure: rows, lamps, tones, presses, deaths and stalls, ordered by time.

`evidence.txt` has all of it, next to the recordings. The part near the fault is printed too, since the machine may not
exist tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from referee.core.model.events import Opened, Resumed
from referee.core.units import MS, S
from referee.storage.evenings.folder import evenings_in, find_latest
from tests.rig.stalls import Wrong
from tests.rig.vm import read_json
from tests.tapes.kill import at_ns

NAME = "evidence.txt"
NEAR_NS = 1500 * MS
PRINTED = 60
"""Maximum lines printed; the file has them all."""
WORTH_TELLING_NS = 20 * MS

Line = tuple[int, str]


def leave(share: Path, wrong: Sequence[Wrong]) -> list[str]:
    """Write the evidence and return the lines near the first fault."""
    timeline = sorted(_timeline(share))
    text = [f"{wrong_one.at_ns / S:12.4f}  WRONG  {wrong_one}" for wrong_one in wrong]
    (share / NAME).write_text("\n".join([*text, "", *map(_told, timeline)]) + "\n")
    at = wrong[0].at_ns
    return [_told(line) for line in timeline if abs(line[0] - at) <= NEAR_NS][:PRINTED] if at else []


def _told(line: Line) -> str:
    return f"{line[0] / S:12.4f}  {line[1]}"


def _timeline(share: Path) -> Iterator[Line]:
    yield from _rows(share)
    seen = _left(share / "seen.json")
    yield from ((ns, f"lamps lit: {' '.join(map(str, lit)) or 'none'}") for ns, lit in seen.get("lamps", ()))
    yield from ((ns, f"tone: {hz} Hz") for ns, hz in seen.get("tones", ()))
    yield from ((ns, "another picture") for ns, _ in seen.get("frames", ()))
    for cpu, begun, ended, lost in seen.get("stalls", ()):
        if lost >= WORTH_TELLING_NS:
            yield begun, f"CPU {cpu} loses {lost / MS:.0f} ms of {(ended - begun) / MS:.0f}"
    evening = _left(share / "evening.json")
    yield from ((ns, f"seat {seat} presses") for seat, ns in evening.get("presses", ()))
    for phase, died_ns, back_ns in evening.get("deaths", ()):
        yield died_ns, f"the daemon is killed, in {phase}"
        yield back_ns, "the daemon is back"


def _rows(share: Path) -> Iterator[Line]:
    """Yield the rows of the machine's last boot; other boots have another clock."""
    rows = find_latest(evenings_in(share)).tape.rows
    boots = [event.boot for _, event in rows if isinstance(event, Opened | Resumed)]
    mine = False
    for seq, event in rows:
        mine = event.boot == boots[-1] if isinstance(event, Opened | Resumed) else mine
        if mine:
            yield at_ns(event), f"row {seq}: {event}"


def _left(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}
