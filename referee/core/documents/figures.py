"""Statistics of the device's matches, for each game: players, duels, records, evenings.

Points of different games cannot be compared, so each game has its own statistics. A record ("the best hand") names its
match by the device's number for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import TypeVar

from referee.core.documents.statistics import Part, Statistics, distinct, parts_of, spellings_of, total
from referee.core.documents.summary import Share, Summary
from referee.core.names import fold, is_back
from referee.core.values import Value

PAUSE_S = 6 * 3600
"""Time in s between two matches after which the second belongs to another evening."""
_Item = TypeVar("_Item")
Numbered = tuple[str, Summary]
"""The device's number for a match, and the match's summary."""


class Duel(Value):
    """Two people who were opponents in finished matches: how often each had the better place."""

    one: str
    other: str
    matches: int
    better: int
    worse: int

    @property
    def level(self) -> int:
        """Return the number of matches in which both had the same place."""
        return self.matches - self.better - self.worse


class Best(Value):
    """The best result of a kind on this device, and the match that it comes from.

    what: "hand", "total", "quickest", "closest", "longest_hand" or "longest_match". value: points, ms of play, ns of a
    lead, or a number of hands, depending on the kind. who: the teams with this result; empty if it belongs to no team.
    """

    what: str
    who: tuple[str, ...]
    value: int | float
    match: str


class Figures(Value):
    """Statistics of one game.

    leads_ns: for each measured call, the time until another team's next press; sorted.
    people: those with the most matches first. duels: one for each pair of opponents.
    """

    game: str
    matches: int
    hands: int
    calls: int
    ties: int
    leads_ns: tuple[int, ...]
    people: tuple[Statistics, ...]
    duels: tuple[Duel, ...]
    records: tuple[Best, ...]

    @property
    def typical_lead_ns(self) -> int | None:
        """Return the median of `leads_ns`; None without any."""
        return self.leads_ns[(len(self.leads_ns) - 1) // 2] if self.leads_ns else None


def figures(told: Iterable[Numbered]) -> tuple[Figures, ...]:
    """Return the statistics of these matches, one `Figures` for each game.

    The games are in the order of their first match.
    """
    by_game: dict[str, list[Numbered]] = {}
    for number, match in told:
        if match.hands:
            by_game.setdefault(match.game, []).append((number, match))
    return tuple(_figures(game, own) for game, own in by_game.items())


def _figures(game: str, told: Sequence[Numbered]) -> Figures:
    matches = [match for _, match in told]
    return Figures(
        game=game,
        matches=len(matches),
        hands=sum(match.hands for match in matches),
        calls=sum(match.calls for match in matches),
        ties=sum(match.ties for match in matches),
        leads_ns=tuple(sorted(lead for match in matches for _, lead in match.leads)),
        people=tuple(_people(matches)),
        duels=tuple(duels(matches)),
        records=tuple(_records([(number, match) for number, match in told if match.winners])),
    )


def _people(matches: Sequence[Summary]) -> list[Statistics]:
    """Return every player's statistics, players with the most matches first."""
    parts: dict[str, list[Part]] = defaultdict(list)
    folded = _fold_names(matches)
    for match in matches:
        for name, part in parts_of(match).items():
            parts[folded[name]].append(part)
    found = (total(name, parts[folded[name]]) for name in distinct(folded))
    return sorted(found, key=lambda one: (-one.matches, -one.wins))


def _fold_names(matches: Sequence[Summary]) -> dict[str, str]:
    """Map every spelling of a name in these matches to the form in which names are compared."""
    return {name: fold(name) for name in {name for match in matches for name in match.people}}


# -- duels ---------------------------------------------------------------------------------------------------------


def duels(matches: Sequence[Summary]) -> Iterator[Duel]:
    """Yield a `Duel` for every pair of opponents, alphabetically."""
    folded = _fold_names(matches)
    names = {folded[name]: name for name in distinct(folded)}
    met: dict[tuple[str, str], list[int]] = {}
    for match in matches:
        if match.winners:
            placed = {folded[name]: (team, match.ranks[team]) for name, team in match.people.items()}
            for one, other in combinations(sorted(placed, key=names.__getitem__), 2):
                (team, mine), (rival, yours) = placed[one], placed[other]
                if team != rival:
                    met.setdefault((names[one], names[other]), []).append((mine > yours) - (mine < yours))
    for (one, other), worse in sorted(met.items()):
        yield Duel(one, other, len(worse), worse.count(-1), worse.count(1))


# -- records -------------------------------------------------------------------------------------------------------


def _records(told: Sequence[Numbered]) -> Iterator[Best]:
    """Yield the best result of each kind; among equal ones, the earliest.

    told: matches that are over. Only people hold records: results of bots do not count, not even within a match.
    """
    kinds: tuple[tuple[str, Callable[[Summary], Iterable[tuple[tuple[str, ...], int | float]]], bool], ...] = (
        ("hand", lambda match: _of_people(match, lambda share: share.best), True),
        ("total", lambda match: [((team,), match.totals[team]) for team in _teams_of_people(match).values()], True),
        ("quickest", lambda match: _of_people(match, lambda share: share.quickest_ms), False),
        ("closest", lambda match: _of_people(match, lambda share: share.closest_ns), False),
        ("longest_hand", lambda match: [((), played_ms) for played_ms in _some(match.bests.longest_ms)], True),
        ("longest_match", lambda match: [((), match.hands)], True),
    )
    for what, found, most in kinds:
        candidates = [Best(what, who, value, number) for number, match in told for who, value in found(match)]
        if candidates:
            yield (max if most else min)(candidates, key=lambda best: best.value)


def _teams_of_people(match: Summary) -> dict[str, str]:
    """Return player name -> team name, without bots."""
    return {name: team for name, team in match.people.items() if not is_back(name)}


def _of_people(
    match: Summary, value_of: Callable[[Share], int | float | None]
) -> Iterator[tuple[tuple[str, ...], int | float]]:
    """Yield each value that people have reached in the match, with their teams."""
    teams: dict[int | float, dict[str, None]] = {}
    for name, team in _teams_of_people(match).items():
        for value in _some(value_of(match.shares[name])):
            teams.setdefault(value, {})[team] = None
    for value, reached in teams.items():
        yield tuple(reached), value


def _some(value: _Item | None) -> tuple[_Item, ...]:
    return () if value is None else (value,)


# -- evenings ------------------------------------------------------------------------------------------------------


class PastEvening(Value):
    """Matches played one after the other. `number`: the number of the first match."""

    number: str
    matches: tuple[Numbered, ...]

    @property
    def begun_s(self) -> int | None:
        """Return when the evening began, in Unix seconds; None if unknown."""
        return self.matches[0][1].begun_s

    @property
    def people(self) -> list[str]:
        """Return the names of all players in these matches, alphabetically, each once."""
        return distinct(name for _, match in self.matches for name in match.people)

    def wins_of(self, person: str) -> int:
        """Return how many matches of the evening this person won, alone or with others."""
        sat = ((match, name) for _, match in self.matches for name in spellings_of(person, match.people))
        return sum(match.people[name] in match.winners for match, name in sat)


def evenings(told: Iterable[Numbered]) -> tuple[PastEvening, ...]:
    """Return the matches grouped by evening, oldest first.

    A match without a date is an evening by itself, before all others.
    """
    dated = sorted(told, key=lambda numbered: -1 if numbered[1].begun_s is None else numbered[1].begun_s)  # stable sort
    groups: list[list[Numbered]] = []
    for number, match in dated:
        last = groups[-1][-1][1] if groups else None
        together = last is not None and _follows(last, match)
        groups[-1].append((number, match)) if together else groups.append([(number, match)])
    return tuple(PastEvening(group[0][0], tuple(group)) for group in groups)


def _follows(before: Summary, after: Summary) -> bool:
    """Return whether a match belongs to the same evening as the previous one."""
    if before.begun_s is None or after.begun_s is None:
        return False
    return after.begun_s - max(before.ended_s or 0, before.begun_s) <= PAUSE_S
