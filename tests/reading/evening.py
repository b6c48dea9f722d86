"""Evenings as successive pictures: a tape in which somebody stops to ask what Ben does now.

    ? Your pile is empty.        a picture is taken here; what has happened at the table, without a word on the device
    ! press his own button       what is right now; the next lines do it

Every other line is a tape's (`tests/tapes/tape.py`): it is played, and what it says of the table must be so. A line
`part` begins another table of the same evening.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.core.model.view import View
from referee.core.units import S
from referee.core.values import replace
from tests.tapes.play import Play
from tests.tapes.tape import Tape, parse

HERE = Path(__file__).parent
PART = "part"
WINK_OVER_NS = 1 * S


@dataclass(frozen=True)
class Shot:
    """A moment of the evening: what has happened, what is to be seen, what is right to do."""

    happened: str
    right: str
    view: View


def names() -> list[str]:
    """The evenings there are."""
    return sorted(path.stem for path in HERE.glob("*.evening"))


def shots(name: str) -> Iterator[Shot]:
    """The evening's moments in order. Raises TapeFailedError where the table is not as the evening says."""
    text = (HERE / f"{name}.evening").read_text(encoding="utf-8")
    for part in f"\n{text}".split(f"\n{PART}\n"):
        yield from _part(name, part)


def _part(name: str, text: str) -> Iterator[Shot]:
    asked: dict[int, tuple[str, str]] = {}
    rows = text.splitlines()
    for number, row in enumerate(rows, 1):
        if row.startswith("? "):
            right = rows[number] if number < len(rows) else ""
            if not right.startswith("! "):
                raise ValueError(f"{name}: no line with ! follows {row!r}")
            asked[number] = (row[2:].strip(), right[2:].strip())
    tape = parse(name, "\n".join("" if row[:2] in ("? ", "! ") else row for row in rows))
    play = Play(Tape(tape.name, tape.setup, ()))
    done = 0
    for number, (happened, right) in asked.items():
        play.run([line for line in tape.lines if done < line.number < number])
        yield Shot(happened, right, _settled(play))
        done = number
    play.run([line for line in tape.lines if line.number > done])


def _settled(play: Play) -> View:
    """What is shown, with the lamps as they are once they have winked."""
    later = play.table.engine.view(play.table.now_ns + WINK_OVER_NS).lamps
    view = play.table.view
    return replace(view, lamps=tuple(b if a.pattern == "wink" else a for a, b in zip(view.lamps, later, strict=True)))
