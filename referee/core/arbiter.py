"""Presses to a verdict, by ARBITER.md."""

from __future__ import annotations

from dataclasses import dataclass

from referee.core.units import MS


@dataclass(frozen=True, slots=True)
class Law:
    """The arbiter's settings, in ns: tie window W, error cap C, source latency L, lockout K."""

    tie_ns: int = 20 * MS
    max_err_ns: int = 10 * MS
    latency_ns: int = 30 * MS
    lockout_ns: int = 2_000 * MS


@dataclass(frozen=True, slots=True)
class Called:
    """One press as a verdict names it: which team, through which station, when, how surely."""

    team: str
    station: str
    t_ns: int
    err_ns: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who called. All lists are sorted by t, then name; `first` is the caller that comes first so.

    `presses` are the call's presses, the earliest of each team's stations first; `late` came after the deadline and
    never reverse a verdict; `ignored` are listed, not dropped.
    """

    kind: str  # "clear" or "tie"
    grey: bool
    callers: tuple[str, ...]
    first: str
    window_ns: int
    deadline_ns: int
    presses: tuple[Called, ...]
    late: tuple[tuple[Called, bool], ...]  # with: would be first
    ignored: tuple[Called, ...]
