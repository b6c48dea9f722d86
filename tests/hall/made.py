"""Made-up results of tables for the hall's tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.core.documents.delivery import NO_ROW, Result, Row
from referee.core.documents.match import account
from referee.core.documents.record import HandRecord, PlayerRecord, Record, TeamRecord, to_document
from referee.core.values import Document

NOW_S = 1_700_000_000


def record(
    match: str, hands: Sequence[Mapping[str, tuple[int, int]]], begun_s: int | None = NOW_S, target: int = 100
) -> Record:
    """Return a record of the preset nna: for each hand the counts of each player; the first player called."""
    names = list(hands[0])
    played = [{"end": "call", "callers": [names[0]], "counts": {n: list(c) for n, c in hand.items()}} for hand in hands]
    options = {"options": {"target": target}} if target != 100 else {}
    document: Document = {"preset": "nna", "teams": names, "hands": played, **options}
    told = account(document)
    return Record(
        id=match,
        begun_s=begun_s,
        ended_s=begun_s,
        teams=tuple(TeamRecord(name, (PlayerRecord(seat, name),)) for seat, name in enumerate(names, 1)),
        hands=tuple(HandRecord(dict(scores)) for scores in told.hands),
        totals=dict(told.totals),
        winners=tuple(told.winners),
        match=document,
    )


def result(match: str, row: Row, after: Row, made: Record | None) -> Result:
    """Return a result with this record."""
    return Result(match, row, after, None if made is None else to_document(made))


class Course:
    """The results of a match, one after the other: each hand gives the first player `points`, the others fewer."""

    def __init__(self, match: str, names: Sequence[str], evening: int = 1) -> None:
        self._match, self._names, self._evening = match, names, evening
        self._hands: list[Mapping[str, tuple[int, int]]] = []
        self._number, self.last = 0, NO_ROW

    def hand(self, points: int = 30) -> Result:
        """Return the result after another hand."""
        self._hands.append({name: (max(points - 5 * at, 0), 0) for at, name in enumerate(self._names)})
        return self._next()

    def undo(self) -> Result:
        """Return the result after the last hand is undone."""
        self._hands.pop()
        return self._next()

    def _next(self) -> Result:
        self._number += 3
        after, self.last = self.last, (self._evening, self._number)
        return result(self._match, self.last, after, record(self._match, self._hands) if self._hands else None)
