"""The summary of a match: what `referee history`, the page's lists and the statistics need.

The index of records keeps one summary per match. This module and its imports do not depend on games, so that listing
thousands of matches imports and computes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

from referee.core.model.paper import Number, score_text
from referee.core.names import writable
from referee.core.values import Json, Value, field

LAST_SEAT = 99
_is_name = lru_cache(4096)(writable)
"""Cached, because thousands of matches share the same few names."""


class PlayerRecord(Value):
    """One player of a past match: the seat and the name."""

    seat: int
    name: str

    def __post_init__(self) -> None:
        if not 1 <= self.seat <= LAST_SEAT or not _is_name(self.name):
            raise ValueError(f"must be a seat from 1 to {LAST_SEAT} and a name, got {self.seat} and {self.name!r}")


class TeamRecord(Value):
    """A team of a past match: its name, and one or two players."""

    name: str
    players: tuple[PlayerRecord, ...]


class Share(Value, array_like=True):
    """What one player did in a match. A missing value is None.

    score: the sum of the hands' scores, as text unless it is a whole number. quickest_ms: shortest play time until a
    call of the team; closest_ns: the smallest lead of a call of the team.
    """

    hands: int
    calls: int
    ties: int
    score: int | str
    best: Number | None
    quickest_ms: int | None
    closest_ns: int | None


class Bests(Value, array_like=True):
    """The best results within one match. A missing value is None.

    hand: the best hand, with its team. quickest: the quickest call, with its teams. longest_ms: the longest hand. The
    highest total, the closest call and the number of hands are in the summary itself.
    """

    hand: tuple[str, Number] | None
    quickest: tuple[tuple[str, ...], int] | None
    longest_ms: int | None


class Summary(Value):
    """A match for lists and statistics. Fields are by team unless stated otherwise.

    game: the family of the preset. ranks: tied teams share a rank. shown: text in place of a total. corrected: teams
    with a corrected count. calls: hands ended by a call; ties: those ended by several callers. leads: for each hand
    ended by one call, the team and the ns until another team's next press. shares: by player; empty before the first
    hand.
    """

    id: str
    begun_s: int | None
    ended_s: int | None
    preset: str
    game: str
    options: dict[str, Json]
    teams: tuple[TeamRecord, ...]
    hands: int
    totals: dict[str, Number]
    winners: tuple[str, ...]
    ranks: dict[str, int]
    shown: dict[str, str]
    corrected: tuple[str, ...]
    calls: int
    ties: int
    leads: tuple[tuple[str, int], ...]
    shares: dict[str, Share]
    bests: Bests
    adjustments: list[dict[str, Json]] = field(default_factory=list)
    timeouts: list[dict[str, Json]] = field(default_factory=list)
    agreed: dict[str, bool | int | float | str] | None = None

    @property
    def people(self) -> dict[str, str]:
        """Return player name -> team name."""
        return {player.name: team.name for team in self.teams for player in team.players}


def result(
    of: Summary,
    shown_text: Callable[[str], str] = str,
    team_text: Callable[[str], str] = str,
    points_text: Callable[[Number], str] = score_text,
    space: str = " ",
) -> str:
    """Format the totals, best first: "Anna 104 : Ben 98*", "Anna 2 : Ben county".

    * marks a corrected count.
    shown_text: formats the text in place of a total ("county"). team_text: formats a team. points_text: formats a
    total. space: between a team and its total.
    """
    best = sorted(of.totals, key=of.ranks.__getitem__)
    points = {team: shown_text(of.shown.get(team, "")) or points_text(of.totals[team]) for team in best}
    return " : ".join(f"{team_text(team)}{space}{points[team]}{'*' * (team in of.corrected)}" for team in best)


class ListedMatch(Value):
    """A match in the history: its number, and its summary.

    number: "3", or "A1" if imported. trouble: why the match has no summary.
    """

    IMPORTED: ClassVar[str] = "A"

    number: str
    summary: Summary | None
    trouble: str = ""

    @property
    def imported(self) -> bool:
        """Return whether the match was imported from a file."""
        return self.number.startswith(self.IMPORTED)

    @property
    def begun_s(self) -> int | None:
        """Return when the match began, in Unix seconds; None if unknown."""
        return self.summary.begun_s if self.summary else None
