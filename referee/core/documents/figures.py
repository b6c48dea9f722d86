"""What a device's matches come to, a game each: everybody's figures, who was better than whom, records, evenings.

Points of different games say nothing together, so everything is counted by game. A match goes by the number that the
device calls it by, which of its records ("the best hand") are told with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from referee.core.documents.match import account
from referee.core.documents.record import HandRecord, PastMatch, Record
from referee.core.documents.statistics import Statistics, distinct, spellings_of, statistics
from referee.core.model.account import Account
from referee.core.model.registry import presets
from referee.core.names import fold
from referee.core.values import Document, Json, Value

PAUSE_S = 6 * 3600
"""A match that begins later than this after the one before belongs to another evening."""
Numbered = tuple[str, Record]
"""A match and what the device calls it."""


class Duel(Value):
    """Two people in all matches that are over and in which they were no partners: who of them was placed better."""

    one: str
    other: str
    matches: int
    better: int
    worse: int

    @property
    def level(self) -> int:
        """Matches in which they shared a place."""
        return self.matches - self.better - self.worse


class Best(Value):
    """A record of the device: what ("hand", "total", "quickest", "closest", "longest_hand", "longest_match"), by whom
    (nobody in particular: empty), and in which match. value: points, ms of play, ns of a lead, hands."""

    what: str
    who: tuple[str, ...]
    value: int | float
    match: str


class Figures(Value):
    """One game on this device. leads: every measured lead of a call over the next press of another team, ns, in order.

    people: the most matches first. A duel stands for each two who have met.
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
        """Half of all leads are as short as this; None where none was measured."""
        return self.leads_ns[(len(self.leads_ns) - 1) // 2] if self.leads_ns else None


def game_of_record(record: Record) -> str:
    """The game that people call the record's rules one of."""
    return presets()[record.preset].FAMILY


class DeviceHistory(Value):
    """All matches that the device remembers, and what it comes to."""

    matches: tuple[PastMatch, ...]
    figures: tuple[Figures, ...]


def device_history(matches: Iterable[PastMatch]) -> DeviceHistory:
    """These matches in their order, with everybody's figures over all of them."""
    known = tuple(matches)
    return DeviceHistory(known, figures(with_records(known)))


def with_records(matches: Iterable[PastMatch]) -> tuple[Numbered, ...]:
    """Those of which there is a record."""
    return tuple((match.number, match.record) for match in matches if match.record is not None)


def figures(told: Iterable[Numbered]) -> tuple[Figures, ...]:
    """What these matches come to, a game each, in the order in which the games were first played."""
    by_game: dict[str, list[Numbered]] = {}
    for number, record in told:
        if record.hands:
            by_game.setdefault(game_of_record(record), []).append((number, record))
    return tuple(_figures(game, own) for game, own in by_game.items())


def _figures(game: str, told: Sequence[Numbered]) -> Figures:
    records = [record for _, record in told]
    ended = [callers for record in records for callers in record.ended_by]
    names = distinct(name for record in records for name in record.people)
    people = sorted((statistics(name, records) for name in names), key=lambda one: (-one.matches, -one.wins))
    return Figures(
        game=game,
        matches=len(records),
        hands=len(ended),
        calls=sum(bool(callers) for callers in ended),
        ties=sum(len(callers) > 1 for callers in ended),
        leads_ns=tuple(sorted(lead for record in records for _, lead in leads(record))),
        people=tuple(people),
        duels=tuple(duels(records)),
        records=tuple(_records(told)),
    )


def leads(record: Record) -> Iterator[tuple[str, int]]:
    """Each call that one team alone had: that team, and how much later (ns) another one pressed, where one did."""
    for hand, callers in zip(record.hands, record.ended_by, strict=True):
        verdict = hand.verdict
        if verdict is not None and verdict.gap_ns is not None and callers == (verdict.first,):
            yield verdict.first, verdict.gap_ns


# -- who against whom ----------------------------------------------------------------------------------------------


def duels(records: Sequence[Record]) -> Iterator[Duel]:
    """Everybody who has met at a table against everybody else, by the alphabet."""
    names = distinct(name for record in records for name in record.people)
    places = [_places(record) for record in records if record.winners]
    for one, other in combinations(names, 2):
        met = [(place[fold(one)], place[fold(other)]) for place in places if {fold(one), fold(other)} <= {*place}]
        against = [(mine[1], yours[1]) for mine, yours in met if mine[0] != yours[0]]
        if against:
            better = sum(mine < yours for mine, yours in against)
            yield Duel(one, other, len(against), better, sum(mine > yours for mine, yours in against))


def _places(record: Record) -> dict[str, tuple[str, int]]:
    """Each person, folded: the team and its place."""
    ranks = account(record.match).ranks
    return {fold(name): (team, ranks[team]) for name, team in record.people.items()}


# -- records -------------------------------------------------------------------------------------------------------


def _records(told: Sequence[Numbered]) -> Iterator[Best]:
    """The best of everything; of equals the earlier one."""
    kinds: tuple[tuple[Callable[[str, Record], Iterable[Best]], bool], ...] = (
        (_hands, True),
        (_totals, True),
        (_quickest, False),
        (_closest, False),
        (_longest_hands, True),
        (_longest_matches, True),
    )
    for found, most in kinds:
        candidates = [best for number, record in told for best in found(number, record)]
        if candidates:
            yield (max if most else min)(candidates, key=lambda best: best.value)


def _hands_with_callers(record: Record) -> Iterator[tuple[HandRecord, tuple[str, ...]]]:
    return zip(record.hands, record.ended_by, strict=True)


def _hands(number: str, record: Record) -> Iterator[Best]:
    scores = ((team, score) for hand in record.hands for team, score in hand.scores.items())
    yield from (Best("hand", (team,), _number(score), number) for team, score in scores)


def _totals(number: str, record: Record) -> Iterator[Best]:
    yield from (Best("total", (team,), _number(total), number) for team, total in record.totals.items())


def _quickest(number: str, record: Record) -> Iterator[Best]:
    for hand, callers in _hands_with_callers(record):
        if callers and hand.played_ms is not None:
            yield Best("quickest", callers, hand.played_ms, number)


def _closest(number: str, record: Record) -> Iterator[Best]:
    yield from (Best("closest", (team,), lead, number) for team, lead in leads(record))


def _longest_hands(number: str, record: Record) -> Iterator[Best]:
    yield from (Best("longest_hand", (), h.played_ms, number) for h in record.hands if h.played_ms is not None)


def _longest_matches(number: str, record: Record) -> Iterator[Best]:
    yield Best("longest_match", (), len(record.hands), number)


def _number(value: Json) -> int | float:
    return value if isinstance(value, int) else float(value)


# -- one match -----------------------------------------------------------------------------------------------------


def course(record: Record) -> tuple[Account, ...]:
    """The match as it stood before its first hand and after each: totals and places, as they were counted at last."""
    before = (account(until(record.match, n)) for n in range(len(record.hands)))
    return (*before, account(record.match))


def until(match: Mapping[str, Json], hands: int) -> Document:
    """The match document as it was after so many hands; that the table ended it there came later."""
    adjusted = [one for one in match.get("adjustments", ()) if one["after"] <= hands]
    told = {key: value for key, value in match.items() if key not in ("ended", "adjustments", "timeouts")}
    return {**told, "hands": match["hands"][:hands], **({"adjustments": adjusted} if adjusted else {})}


def lead_changes(course_: Sequence[Account]) -> int:
    """How often somebody else led alone than whoever had led alone before."""
    leaders = [[team for team, rank in told.ranks.items() if rank == 1] for told in course_[1:]]
    alone = [team for team, *others in leaders if not others]
    return sum(before != after for before, after in pairwise(alone))


# -- evenings ------------------------------------------------------------------------------------------------------


class PastEvening(Value):
    """Matches that were played one after the other; it goes by the number of the first."""

    number: str
    matches: tuple[Numbered, ...]

    @property
    def begun_s(self) -> int | None:
        """When it began, in Unix seconds; None where nobody knows."""
        return self.matches[0][1].begun_s

    @property
    def people(self) -> list[str]:
        """The names of all who have played in these matches, each once, in the order in which they came."""
        return distinct(name for _, record in self.matches for name in record.people)

    def wins_of(self, person: str) -> int:
        """Matches of the evening that this person won, alone or with others."""
        sat = ((record, name) for _, record in self.matches for name in spellings_of(person, record.people))
        return sum(record.people[name] in record.winners for record, name in sat)


def evenings(told: Iterable[Numbered]) -> tuple[PastEvening, ...]:
    """The matches by evenings, oldest first; one without a date stands for itself, before all others."""
    dated = sorted(told, key=lambda numbered: -1 if numbered[1].begun_s is None else numbered[1].begun_s)  # stable
    groups: list[list[Numbered]] = []
    for number, record in dated:
        last = groups[-1][-1][1] if groups else None
        together = last is not None and _follows(last, record)
        groups[-1].append((number, record)) if together else groups.append([(number, record)])
    return tuple(PastEvening(group[0][0], tuple(group)) for group in groups)


def _follows(before: Record, after: Record) -> bool:
    """Whether a match belongs to the evening of the one before."""
    if before.begun_s is None or after.begun_s is None:
        return False
    return after.begun_s - max(before.ended_s or 0, before.begun_s) <= PAUSE_S
