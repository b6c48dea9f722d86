"""A match in lists and sums: what `referee history`, the page's lists and the figures need, without its record.

The index of records keeps one summary a match, so this module and what it imports know no game: a list of thousands
of matches imports and computes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

from referee.core.model.account import Number, score_text
from referee.core.names import writable
from referee.core.values import Json, Value, field

LAST_SEAT = 99
_is_name = lru_cache(4096)(writable)
"""Thousands of matches have the same few names."""


class PlayerRecord(Value):
    """One player of a past match: the seat and the name."""

    seat: int
    name: str

    def __post_init__(self) -> None:
        if not 1 <= self.seat <= LAST_SEAT or not _is_name(self.name):
            raise ValueError(f"must be a seat from 1 to {LAST_SEAT} and a name, got {self.seat} and {self.name!r}")


class TeamRecord(Value):
    """One or two people under one name."""

    name: str
    players: tuple[PlayerRecord, ...]


class Share(Value, array_like=True):
    """One player's part of a match. None where there is nothing to say.

    score: the sum of the hands' scores, as text where it is no whole number. quickest_ms: play time up to an own call;
    closest_ns: the smallest lead of one.
    """

    hands: int
    calls: int
    ties: int
    score: int | str
    best: Number | None
    quickest_ms: int | None
    closest_ns: int | None


class Bests(Value, array_like=True):
    """The best of one match: hand by whom, the quickest call by whom, the longest hand in ms; None where there is none.

    The highest total, the closest call and the number of hands are in the summary itself.
    """

    hand: tuple[str, Number] | None
    quickest: tuple[tuple[str, ...], int] | None
    longest_ms: int | None


class Summary(Value):
    """A match as lists show it, and its part of every sum. By team where nothing else is said.

    game: the family of the preset. ranks share a place; shown: what people read in place of a total; corrected: teams
    with a count that was corrected. calls, ties: hands that a call ended, and those that several did. leads: each call
    of one team alone with the ns until the next press of another. shares: by player; empty before the first hand.
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
        """Each player's name -> the name of their team."""
        return {player.name: team.name for team in self.teams for player in team.players}


def result(
    of: Summary,
    shown_text: Callable[[str], str] = str,
    team_text: Callable[[str], str] = str,
    points_text: Callable[[Number], str] = score_text,
) -> str:
    """The totals, the best first: "Anna 104 : Ben 98*", "Anna 2 : Ben county"; the star: a count was corrected.

    shown_text: how to say what is shown in place of a total ("county"); team_text: how to call a team; points_text:
    how to write a total.
    """
    best = sorted(of.totals, key=of.ranks.__getitem__)
    points = {team: shown_text(of.shown.get(team, "")) or points_text(of.totals[team]) for team in best}
    return " : ".join(f"{team_text(team)} {points[team]}{'*' * (team in of.corrected)}" for team in best)


class ListedMatch(Value):
    """A match in a list: its number here ("3"; "A1" when it was imported), its summary, or why there is none."""

    IMPORTED: ClassVar[str] = "A"

    number: str
    summary: Summary | None
    trouble: str = ""

    @property
    def imported(self) -> bool:
        """Whether it came from a file."""
        return self.number.startswith(self.IMPORTED)

    @property
    def begun_s(self) -> int | None:
        """When it began, in Unix seconds; None where that is unknown."""
        return self.summary.begun_s if self.summary else None
