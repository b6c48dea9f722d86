"""The course of a match: totals after every hand, leads, and its summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from referee.core.documents.match import account
from referee.core.documents.record import HandRecord, Record
from referee.core.documents.summary import Bests, Share, Summary
from referee.core.model.paper import Account
from referee.core.model.registry import presets
from referee.core.values import Document, Json

Played = Sequence[tuple[HandRecord, tuple[str, ...]]]
"""A match's hands, each with the teams that ended it by a call."""


def summarize(record: Record) -> Summary:
    """Return the summary of a record, which must be valid: nothing is checked."""
    told = account(record.match)
    hands = list(zip(record.hands, record.ended_by, strict=True))
    led = tuple(_leads(hands))
    options: Json = record.match.get("options", {})
    noted: Document = {name: record.match[name] for name in ("adjustments", "timeouts") if name in record.match}
    return Summary(
        id=record.id,
        begun_s=record.begun_s,
        ended_s=record.ended_s,
        preset=record.preset,
        game=presets()[record.preset].FAMILY,
        options=options,
        teams=record.teams,
        hands=len(hands),
        totals=dict(told.totals),
        winners=record.winners,
        ranks=dict(told.ranks),
        shown=dict(told.shown),
        corrected=tuple(sorted({team for hand in record.played for team in hand.get("corrected", ())})),
        calls=sum(bool(callers) for _, callers in hands),
        ties=sum(len(callers) > 1 for _, callers in hands),
        leads=led,
        shares={name: _share(hands, led, team) for name, team in record.people.items()} if hands else {},
        bests=_bests(hands),
        agreed=record.agreed,
        **noted,
    )


def _leads(hands: Iterable[tuple[HandRecord, tuple[str, ...]]]) -> Iterator[tuple[str, int]]:
    for hand, callers in hands:
        verdict = hand.verdict
        if verdict is not None and verdict.gap_ns is not None and callers == (verdict.first,):
            yield verdict.first, verdict.gap_ns


def _share(hands: Played, led: Iterable[tuple[str, int]], team: str) -> Share:
    scores: list[Json] = [hand.scores[team] for hand, _ in hands if team in hand.scores]
    called = [(hand, callers) for hand, callers in hands if team in callers]
    score = sum(map(Fraction, scores), Fraction(0))
    return Share(
        hands=len(scores),
        calls=len(called),
        ties=sum(len(callers) > 1 for _, callers in called),
        score=int(score) if score.denominator == 1 else str(score),
        best=max(scores, default=None),
        quickest_ms=min((hand.played_ms for hand, _ in called if hand.played_ms is not None), default=None),
        closest_ns=min((lead for first, lead in led if first == team), default=None),
    )


def _bests(hands: Played) -> Bests:
    scores: list[tuple[str, Json]] = [scored for hand, _ in hands for scored in hand.scores.items()]
    timed = [(callers, hand.played_ms) for hand, callers in hands if hand.played_ms is not None]
    return Bests(
        hand=max(scores, key=lambda scored: scored[1], default=None),
        quickest=min((one for one in timed if one[0]), key=lambda one: one[1], default=None),
        longest_ms=max((played_ms for _, played_ms in timed), default=None),
    )


def course(record: Record) -> tuple[Account, ...]:
    """Return an `Account` before the first hand and after each hand. They use corrected counts."""
    before = (account(until(record.match, n)) for n in range(len(record.hands)))
    return (*before, account(record.match))


def until(match: Mapping[str, Json], hands: int) -> Document:
    """Return the match document with only the first `hands` hands and the points given by then."""
    adjusted = [one for one in match.get("adjustments", ()) if one["after"] <= hands]
    told = {key: value for key, value in match.items() if key not in ("ended", "adjustments", "timeouts")}
    return {**told, "hands": match["hands"][:hands], **({"adjustments": adjusted} if adjusted else {})}


def lead_changes(course_: Sequence[Account]) -> int:
    """Return how often the sole lead went from one team to another."""
    leaders = [[team for team, rank in told.ranks.items() if rank == 1] for told in course_[1:]]
    alone = [team for team, *others in leaders if not others]
    return sum(before != after for before, after in pairwise(alone))
