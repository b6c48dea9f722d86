"""The players at the rig's table, and the screens that several scripts expect."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from referee.core.messages import msg
from referee.core.model.view import Label, LobbyScreen, PlayingScreen, SeatCell, TeamLine
from referee.core.units import MS, S

TARGET = 60
TIE_WINDOW_NS = 20 * MS
NERTZ: Any = {  # fields of several types
    "word": msg("claim.nertz"),
    "hint": msg("do.show_pile"),
    "airborne": msg("do.air_lands"),
}
"""The verdict picture's content besides the callers."""
ANNA, BEN, MAX, LEA = PLAYERS = (Label((1,), "Anna"), Label((2,), "Ben"), Label((3,), "Max"), Label((4,), "Lea"))
QUESTION_S = 0.8  # an answer counts 0.7 s after its question appeared


def lobby(seated: int) -> LobbyScreen:
    """Return the lobby with the first `seated` players."""
    cells = tuple(SeatCell(p.numbers[0], p.name if p.numbers[0] <= seated else None) for p in PLAYERS)
    return LobbyScreen("NNA Nertz", TARGET, cells, seated, naming=seated or None)


def lines(totals: Sequence[int], deltas: Sequence[int] | None = None, *, ranked: bool = False) -> tuple[TeamLine, ...]:
    """Return the table of scores of the first players; equal totals share a place."""
    found = []
    for at, (label, total) in enumerate(zip(PLAYERS, totals, strict=False)):
        place = 1 + sum(other > total for other in totals)
        delta = None if deltas is None else Fraction(deltas[at])
        found.append(TeamLine(label, Fraction(total), place, list(totals).count(total) > 1, delta))
    return tuple(sorted(found, key=lambda line: line.place) if ranked else found)


def playing(hand: int, totals: Sequence[int], from_s: int, to_s: int | None = None) -> list[PlayingScreen]:
    """Return pictures with the clock at `from_s` and the following seconds."""
    seconds = range(from_s, from_s + 6 if to_s is None else to_s)
    return [PlayingScreen(hand, TARGET, played_s * S, lines(totals)) for played_s in seconds]
