"""Who sits at the rig's table, and the screens that more than one script expects."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from referee.core.messages import msg
from referee.core.model.view import Label, LobbyScreen, PlayingScreen, SeatCell, TeamLine
from referee.core.units import MS, S

TARGET = 60
TIE_WINDOW_NS = 20 * MS
NERTZ: Any = {  # Any: fields of several types
    "word": msg("claim.nertz"),
    "hint": msg("do.show_pile"),
    "airborne": msg("do.air_lands"),
}
"""What the verdict's picture says beside who called."""
ANNA, BEN, MAX, LEA = PLAYERS = (Label((1,), "Anna"), Label((2,), "Ben"), Label((3,), "Max"), Label((4,), "Lea"))
QUESTION_S = 0.8  # an answer counts 0.7 s after its question appeared


def lobby(seated: int) -> LobbyScreen:
    """With the first so many players at the table."""
    cells = tuple(SeatCell(p.numbers[0], p.name if p.numbers[0] <= seated else None) for p in PLAYERS)
    return LobbyScreen("NNA Nertz", TARGET, cells, seated, naming=seated or None)


def lines(totals: Sequence[int], deltas: Sequence[int] | None = None, *, ranked: bool = False) -> tuple[TeamLine, ...]:
    """The table of scores of the first so many players; places as people count them, shared ones shared."""
    found = []
    for at, (label, total) in enumerate(zip(PLAYERS, totals, strict=False)):
        place = 1 + sum(other > total for other in totals)
        delta = None if deltas is None else Fraction(deltas[at])
        found.append(TeamLine(label, Fraction(total), place, list(totals).count(total) > 1, delta))
    return tuple(sorted(found, key=lambda line: line.place) if ranked else found)


def playing(hand: int, totals: Sequence[int], from_s: int, to_s: int | None = None) -> list[PlayingScreen]:
    """The clock at `from_s` or in the seconds after it."""
    seconds = range(from_s, from_s + 6 if to_s is None else to_s)
    return [PlayingScreen(hand, TARGET, played_s * S, lines(totals)) for played_s in seconds]
