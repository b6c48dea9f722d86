"""A finished match as a picture to send: winner, curve, best calls, and a fitting title.

/history/MATCH/square.png and wide.png: 1080 and 1200 pixels wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from referee.core.documents.course import course, lead_changes, summarize
from referee.core.documents.record import Record
from referee.core.model.paper import Account
from referee.core.model.registry import preset_name
from referee.core.units import MS, clock_text, ns_from_ms
from referee.language.numbers import score_text, span_ms_text
from referee.language.words import book, reader_name
from referee.page.evening_page import curve_series, date_text, in_words_of, looks_of, people_text
from referee.web.charts import Chart, curve, move_shape, shorten_name, width_of
from referee.web.drawing import FAINT, INK, PAPER, SERIES, Lettering, Marker, Rectangle, Shape

SIZES = {"square": (540, 540), "wide": (600, 315)}
"""Shape -> width and height; the PNG has twice as many pixels."""
EDGE = 24
CLOSE_NS = 50 * MS
"""A last call that was ahead of the next press by less than this decided the match narrowly."""
HARDLY_NS = 10 * MS
"""A call that was ahead of the next press by less than this is remarkable in any hand."""
RESTLESS = 3
"""Number of lead changes from which a match is called restless."""
NARROW, WIDE = Fraction(1, 20), Fraction(1, 2)
"""The winner's lead, as a share of the winning total, in a narrow and in a one-sided match.

Narrow: at most the first share. One-sided: at least the second.
"""
MANY = 20
"""Smallest winning total for which such shares are used: lives and cards are too few."""
NAME_LETTERS = 18


class Story(NamedTuple):
    """The data from which the title on a match's card is chosen.

    steps: the totals after each hand. leads: (caller, lead in ns) for each call whose lead is known.
    """

    record: Record
    steps: Sequence[Account]
    leads: Sequence[tuple[str, int]]

    @property
    def last_lead_ns(self) -> int | None:
        """Return by how many ns the last hand's caller was ahead of the second press.

        None unless this caller alone has won the match and the verdict is not grey.
        """
        verdict = self.record.hands[-1].verdict
        callers = self.record.ended_by[-1]
        mine = verdict is not None and callers == (verdict.first,) and callers == self.record.winners
        return verdict.gap_ns if mine and verdict is not None and not verdict.grey else None

    @property
    def margin(self) -> Fraction | None:
        """Return the difference of the two highest totals, as a share of the highest.

        None if the highest total is below `MANY`.
        """
        first, second = sorted(map(Fraction, map(str, self.steps[-1].totals.values())), reverse=True)[:2]
        return (first - second) / first if first >= MANY else None

    def led(self, at: int) -> bool:
        """Return whether the winners led after hand `at`."""
        ranks = self.steps[at].ranks
        return all(ranks[team] == 1 for team in self.record.winners)

    def was_last(self) -> bool:
        """Return whether the winners were last after half of the hands."""
        ranks = self.steps[len(self.steps) // 2].ranks
        return all(ranks[team] == max(ranks.values()) > 1 for team in self.record.winners)


def _by_a_moment(of: Story) -> str:
    lead_ns = of.last_lead_ns
    return book("card.by_a_moment", ms=span_ms_text(lead_ns)) if lead_ns is not None and lead_ns < CLOSE_NS else ""


def _shared(of: Story) -> str:
    return book("card.shared") if len(of.record.winners) > 1 else ""


def _from_behind(of: Story) -> str:
    return book("card.from_behind") if len(of.steps) > 3 and of.was_last() else ""


def _restless(of: Story) -> str:
    changes = lead_changes(of.steps)
    return book("card.restless", count=changes) if changes >= RESTLESS else ""


def _hardly(of: Story) -> str:
    closest = min((ns for _, ns in of.leads), default=CLOSE_NS)
    return book("card.hardly", ms=span_ms_text(closest)) if closest < HARDLY_NS else ""


def _narrow(of: Story) -> str:
    return book("card.narrow") if of.margin is not None and of.margin <= NARROW else ""


def _in_front(of: Story) -> str:
    return book("card.in_front") if len(of.steps) > 3 and all(map(of.led, range(1, len(of.steps)))) else ""


def _one_sided(of: Story) -> str:
    return book("card.one_sided") if of.margin is not None and of.margin >= WIDE else ""


TITLES: tuple[Callable[[Story], str], ...] = (
    _by_a_moment,
    _shared,
    _from_behind,
    _restless,
    _hardly,
    _narrow,
    _in_front,
    _one_sided,
)
"""Functions that return a title if the match deserves it, else ""; the rarest title first."""


def earned_title(record: Record) -> str:
    """Return the title on the card of a finished match, in the current language."""
    story = Story(record, course(record), summarize(record).leads)
    return next(filter(None, (title(story) for title in TITLES)), book("card.winner"))


def card(record: Record, shape: str) -> Chart:
    """Return a picture of a finished match: title, winners, result, curve. shape: see SIZES."""
    width, height = SIZES[shape]
    with in_words_of(record.preset):
        looks, facts, played = looks_of(record), [*_facts(record)], _played(record)
    wide = width > height
    band = height * 0.36
    title, who = earned_title(record), people_text(record.winners, _short)
    shapes: list[Shape] = [
        Rectangle(0, 0, width, band, SERIES[looks[record.winners[0]] % len(SERIES)]),
        Lettering(EDGE, band * 0.27, title, 17, colour=PAPER),
        _fitted(who, EDGE, band * 0.65, width - 2 * EDGE, 38 if wide else 52),
        Lettering(EDGE, band * 0.88, _result(record), 17, colour=PAPER, bold=True),
    ]
    if wide:
        facts.append(played)
        shapes += (Lettering(width - EDGE, 28 + 20 * at, text, 13, "end", PAPER) for at, text in enumerate(facts))
        return Chart(title, width, height, (*shapes, *_curve(record, looks, band, width, height)), (), ())
    foot = height - EDGE
    for at, fact in enumerate(facts):
        y = foot - 22 * (len(facts) - at)
        shapes += Marker(EDGE + 5, y - 9, "diamond", INK, 4), Lettering(EDGE + 18, y - 4, fact, 14)
    shapes.append(Lettering(EDGE, foot, played, 12, colour=FAINT))
    drawn = _curve(record, looks, band, width, foot - 26 - 22 * len(facts))
    return Chart(title, width, height, (*shapes, *drawn), (), ())


def _fitted(text: str, x: float, y: float, room: float, size: int) -> Lettering:
    """Return a bold line of text at most `room` px wide, in the largest font size up to `size`."""
    size = min(size, int(size * room / max(width_of(text, size), 1)))
    return Lettering(x, y, text, size, colour=PAPER, bold=True)


def _result(record: Record) -> str:
    told = course(record)[-1]
    return " : ".join(score_text(told.totals[team]) for team in sorted(told.totals, key=told.ranks.__getitem__))


def _curve(record: Record, looks: Mapping[str, int], top: float, width: int, bottom: float) -> Iterator[Shape]:
    names = [book("before"), *(str(n) for n in range(1, len(record.hands) + 1))]
    room = int(bottom - top) - 10
    drawn = curve("", curve_series(record, looks), names, below="", width=width - EDGE, height=room)
    yield from (move_shape(shape, 4, top + 6) for shape in drawn.shapes)


def _facts(record: Record) -> Iterator[str]:
    """Yield a line on the call with the smallest lead, and one on the earliest call in a hand."""
    told = summarize(record)
    if told.leads:
        who, ns = min(told.leads, key=lambda lead: lead[1])
        yield book("card.closest", who=_short(who), ms=span_ms_text(ns))
    if told.bests.quickest is not None:
        callers, ms = told.bests.quickest
        yield book("card.quickest", who=people_text(callers, _short), time=clock_text(ns_from_ms(ms)))


def _short(team: str) -> str:
    return shorten_name(reader_name(team), NAME_LETTERS)


def _played(record: Record) -> str:
    said = [preset_name(record.preset), book("hands", count=len(record.hands))]
    return " · ".join(said if record.begun_s is None else [*said, date_text(record.begun_s)])
