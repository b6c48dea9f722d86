"""Numbers and days in the format of the current language.

Display, pages, charts and speech write every number with a decimal part through `decimal_text`. Documents, addresses
and file names have a point and ISO 8601 days, for other programs.
"""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from referee.core.model import paper
from referee.core.units import MS, ms_text
from referee.language.words import sentence, text_at


def decimal_text(text: str) -> str:
    """Replace a number's decimal point by the decimal sign of the current language.

    >>> from referee.language.words import speaking
    >>> with speaking("de"):
    ...     decimal_text("-2.5"), decimal_text("64")
    ('-2,5', '64')
    """
    whole, point, part = text.partition(".")
    return sentence("decimal", whole=whole, part=part) if point else text


def less_than(seconds: int) -> tuple[int, int]:
    """Round a duration up to minutes, hours or days. Return (number, unit in seconds).

    >>> less_than(5), less_than(720), less_than(3599), less_than(200_000)
    ((1, 60), (13, 60), (1, 3600), (3, 86400))
    """
    for size_s, most in ((60, 60), (3_600, 24)):
        if (number := max(seconds, 0) // size_s + 1) < most:
            return number, size_s
    return max(seconds, 0) // 86_400 + 1, 86_400


def span_ms_text(ns: int) -> str:
    """Format a time as a number of milliseconds, without the unit.

    A number that is not whole has one decimal.

    >>> span_ms_text(20_000_000), span_ms_text(8_400_000)
    ('20', '8.4')
    """
    return decimal_text(ms_text(ns, 0 if ns % MS == 0 else 1))


def score_text(score: int | float | Fraction) -> str:
    """Format a score for web pages: a half as "½", other fractions with two decimals.

    >>> score_text(-2.5), score_text(Fraction(64)), score_text(Fraction(1, 3))
    ('−2½', '64', '0.33')
    """
    return decimal_text(paper.score_text(float(score)).replace("-", "\N{MINUS SIGN}"))


def day_text(day: datetime) -> str:
    """Format a date with its month's name, because countries read "3/4" differently.

    >>> day_text(datetime(2026, 11, 24))
    '24 November 2026'
    """
    return text_at("book", "day", day=day.day, month=text_at("book", f"month.{day.month}"), year=day.year)


def day_time_text(at: datetime) -> str:
    """Format a date and a time of day."""
    return text_at("book", "day_time", day=day_text(at), time=at.strftime("%H:%M"))


def points_text(number: Fraction) -> str:
    """Return a number of points, e.g. "20 points"."""
    return text_at("page", "own.points", number=score_text(number), count=1 if abs(number) == 1 else 2)
