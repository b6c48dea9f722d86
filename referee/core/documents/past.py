"""Past matches for display: a page of evenings, one evening, one match.

The results are sent to the process that serves the web page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.core.documents.figures import Numbered, PastEvening, evenings
from referee.core.documents.record import Record
from referee.core.documents.summary import ListedMatch, result
from referee.core.values import Document, Value

PAGE_MATCHES = 100
"""Number of matches from which a page of evenings is full. Evenings are not split."""


class PastPage(Value):
    """Page `number` of the history, whose pages are 1 to `last`: its evenings, newest first.

    troubles: matches that could not be read, so they have no summary; only on page 1.
    """

    number: int
    last: int
    evenings: tuple[PastEvening, ...]
    troubles: tuple[ListedMatch, ...] = ()


class PastMatch(Value):
    """A match with its record, and the number of its evening."""

    number: str
    record: Record
    evening: str


class EveningRecords(Value):
    """An evening with the records of its matches by number. Unreadable records are missing."""

    evening: PastEvening
    records: dict[str, Record]


def with_summaries(matches: Iterable[ListedMatch]) -> list[Numbered]:
    """Return the matches with a summary, with their numbers."""
    return [(match.number, match.summary) for match in matches if match.summary is not None]


def page_of(matches: Sequence[ListedMatch], number: int) -> PastPage:
    """Return page `number` of the history of these matches, or the nearest page that exists."""
    pages: list[list[PastEvening]] = [[]]
    size = 0
    for evening in reversed(evenings(with_summaries(matches))):
        if size >= PAGE_MATCHES:
            pages.append([])
            size = 0
        pages[-1].append(evening)
        size += len(evening.matches)
    number = min(max(number, 1), len(pages))
    troubles = tuple(match for match in matches if match.summary is None) if number == 1 else ()
    return PastPage(number, len(pages), tuple(pages[number - 1]), troubles)


def evening_of(matches: Iterable[ListedMatch], number: str) -> PastEvening | None:
    """Return the evening of the match with this number; None if no match has it."""
    found = evenings(with_summaries(matches))
    return next((evening for evening in found if number in [other for other, _ in evening.matches]), None)


def entry(match: ListedMatch) -> Document:
    """Return a listed match as a document for `/api/history`."""
    of = match.summary
    head = {"match": match.number, "begun_s": match.begun_s}
    if of is None:
        return head | {"trouble": match.trouble}
    return head | {
        "ended_s": of.ended_s,
        "preset": of.preset,
        "options": of.options,
        "teams": of.teams,
        "hands": of.hands,
        "totals": of.totals,
        "winners": of.winners,
        "result": result(of),
        "people": list(of.people),
        **({"adjustments": of.adjustments} if of.adjustments else {}),
        **({"timeouts": of.timeouts} if of.timeouts else {}),
        **({"agreed": of.agreed} if of.agreed else {}),
    }
