"""Teams and scores in pictures: score texts, seat numbers as badges, labels, cells, lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from textwrap import wrap
from typing import NamedTuple, TypeVar

from referee.core.model.view import ON_A_PAGE, Label, TeamLine, pages
from referee.language.numbers import decimal_text
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL, TALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.parts import ALWAYS, CAP_PX, Band, baseline_y, capitals, put

BADGE_PX = 8
NAME_GAP_PX, NUMBER_GAP_PX = 1, 3  # gap between a badge and a name, or a number
SCORE_GAP_PX = 4  # gap between a name and a score; a name with a smaller gap gets shorter, down to two letters
ASLEEP = "zz"  # after a player that the table waits for and whose phone is asleep; the same in every language
HEART, COUNTY = "♥", "⌂"  # signs of the core: a life; no life left, but still in
NO_DESCENDERS_PX = 16  # in lower rows names in 8x16 are in capitals, since a "g" would reach into the next row


def score_text(score: Fraction) -> str:
    """Format a score for the display; a half is "½".

    >>> [score_text(Fraction(n, 2)) for n in (128, -2468, 53, -1)]
    ['64', '-1234', '26½', '-½']
    """
    whole, rest = divmod(abs(score), 1)
    sign = "-" if score < 0 else ""
    if rest == 0:
        return f"{sign}{whole}"
    if rest == Fraction(1, 2):
        return f"{sign}{whole or ''}½"
    return decimal_text(f"{sign}{float(abs(score)):.1f}")


def total_text(line: TeamLine) -> str:
    """Return a team's total, or what is shown in its place: lives, or the word "county"."""
    return word("county") if line.shown == COUNTY else line.shown or score_text(line.total)


def delta_text(delta: Fraction) -> str:
    """Format the score of a hand, with its sign unless it is 0."""
    return score_text(delta) if delta <= 0 else "+" + score_text(delta)


def badge(canvas: Canvas, x: int, area: Area, number: int) -> int:
    """Draw a badge, which is a seat's number, inverted. Return the x after it."""
    face = font("badge" if area.h >= CAP_PX[MIDDLE] + 2 else SMALL)
    small = face.width == 6
    text = str(number)
    width = len(text) * face.width + (1 if small else 0)
    top = baseline_y(area, SMALL if small else MIDDLE)
    cap_top, cap_px = (0, 7) if small else (1, 12)
    y = max(area.y - (1 if small else 0), top + cap_top - 1, 0)
    canvas.fill(Area(x, y, width, min(top + cap_top + cap_px + 1, area.y + area.h) - y))
    canvas.text(x + (1 if small else 0), top, text, face, 0)
    return x + width


@lru_cache(maxsize=64)
def badges_px(numbers: tuple[int, ...]) -> int:
    """Return the width of a row of badges (seat numbers), one pixel apart."""
    return sum(BADGE_PX * len(str(number)) + 1 for number in numbers) - 1 if numbers else 0


def badges(canvas: Canvas, x: int, area: Area, numbers: Iterable[int]) -> int:
    for number in numbers:
        x = badge(canvas, x, area, number) + 1
    return x - 1


class Fit(NamedTuple):
    """How much of a label is shown: how many seat numbers, and how many letters of the name."""

    numbers: int
    letters: int


def fit_label(label: Label, width_px: int, gap_px: int = SCORE_GAP_PX) -> Fit:
    """Return how much of a label fits in `width_px`.

    First the name gets shorter, down to two letters. Then the second number of two partners is left out, and the name
    gets shorter again, down to none. gap_px: free space needed after a name of more than two letters.
    """
    n, letters = len(label.numbers), len(label.name)
    short = min(2, letters)
    forms = [Fit(n, k) for k in range(letters, short - 1, -1)]
    forms += [Fit(1, k) for k in range(letters, short - 1, -1)] if n > 1 else []
    forms += [Fit(1, k) for k in range(short - 1, -1, -1)]
    return next((f for f in forms if label_px(label, f) + (gap_px if f.letters > 2 else 0) <= width_px), Fit(1, 0))


def put_label(canvas: Canvas, x: int, area: Area, label: Label, fit: Fit) -> int:
    """Draw a label's seat numbers as badges, and its name in the font 8x16.

    Return the x after the name.
    """
    x = badges(canvas, x, area, label.numbers[: fit.numbers])
    if fit.letters:
        y = baseline_y(area, MIDDLE)
        name = capitals(label.name) if area.h < NO_DESCENDERS_PX else label.name
        x = canvas.text(x + NAME_GAP_PX, y, name[: fit.letters], font(MIDDLE))
    return x


def label_px(label: Label, fit: Fit) -> int:
    return badges_px(label.numbers[: fit.numbers]) + (NAME_GAP_PX + 8 * fit.letters if fit.letters else 0)


def large_label(canvas: Canvas, area: Area, label: Label) -> None:
    """Draw a label in a row of 32 pixels: number inverted, the whole name in capitals.

    The two numbers of partners are drawn one above the other. A long name is smaller, or in several rows.
    """
    face = font(LARGE)
    y = baseline_y(area, LARGE)
    if len(label.numbers) == 1:
        number = str(label.numbers[0])
        canvas.fill(Area(area.x, max(y, area.y) + 1, width_of(number, LARGE), min(28, area.h) - 1))
        x = canvas.text(area.x, y, number, face, 0)
    else:
        x = _tower(canvas, area, label.numbers[:2])
    room = area.inset(left=x - area.x)
    name, rows = _name_rows(capitals(label.name), room)
    widest = max((width_of(text, name) for text in rows), default=0)
    room = room.inset(left=min(font(name).width - 1, room.w - widest))
    for text, place in zip(rows, room.rows(len(rows)), strict=True):
        put(canvas, place, text, name)


def _name_rows(name: str, area: Area) -> tuple[str, list[str]]:
    """Return the largest font in which the name fits the area, and the name split into rows."""
    for size in (LARGE, TALL, MIDDLE, HINT, SMALL):
        most = max(1, area.h // (CAP_PX[size] + 1))
        rows = wrap(name, area.w // font(size).width, max_lines=most, placeholder="…")
        if "".join(rows).replace(" ", "") == name.replace(" ", ""):
            break
    return size, rows


def _tower(canvas: Canvas, area: Area, numbers: Sequence[int]) -> int:
    """Draw badges (seat numbers) one above the other. Return the x after them."""
    high = min(area.h, 30) // len(numbers)
    top = area.y + (area.h - high * len(numbers)) // 2
    return max(badge(canvas, area.x, Area(area.x, top + i * high, 8, high), n) for i, n in enumerate(numbers))


def large_row(label: Label, least: int = 27) -> Band:
    """Return a row of 32 pixels that shows one label. `least`: its minimum height."""
    return Band(32, lambda c, a: large_label(c, a, label), least=least)


# -- tables ------------------------------------------------------------------------------------------------------


def score_cell(canvas: Canvas, area: Area, line: TeamLine, text: str, shared: bool) -> None:
    """Draw a team's label at the left of a cell, and its whole score at the right.

    The score of a shared place is underlined.
    """
    if badges_px(line.label.numbers[:1]) + width_of(text, MIDDLE) > area.w:
        text = text.rstrip("*")  # only next to a score of six characters
    text_px = width_of(text, MIDDLE)
    put_label(canvas, area.x, area, line.label, fit_label(line.label, area.w - text_px + 1))
    put_score(canvas, area, text, shared and line.shown is None)


def put_score(canvas: Canvas, area: Area, text: str, shared: bool = False) -> int:
    """Draw a score at the area's right edge. Return the x of its left edge.

    The blank column of pixels after the last digit is outside the area. shared: underline the score.
    """
    x = area.x + area.w - width_of(text, MIDDLE) + 1
    y = baseline_y(area, MIDDLE)
    canvas.text(x, y, text, font(MIDDLE))
    if shared and area.h > CAP_PX[MIDDLE] + 1:
        canvas.fill(Area(x, min(y + 14, area.y + area.h - 1), width_of(text, MIDDLE) - 1, 1))
    return x


def grid(canvas: Canvas, area: Area, count: int, columns: int, rows: int, cell: Callable[[Area, int], None]) -> None:
    """Call `cell(area, index)` for the first `count` cells of a grid, row by row."""
    places = [a for row in area.rows(rows) for a in row.columns(columns)]
    for i in range(min(count, len(places))):
        cell(places[i], i)


T = TypeVar("T")


def on_page(canvas: Canvas, items: Sequence[T], most: int = ON_A_PAGE) -> tuple[Sequence[T], str]:
    """Return the items on the display's current page, and the page's number, such as "2/3"."""
    sides = all_pages(items, most)
    return sides[canvas.page % len(sides)]


def all_pages(items: Sequence[T], most: int = ON_A_PAGE) -> list[tuple[Sequence[T], str]]:
    """Split items into pages of similar size. Return (items, page number) for each page.

    The number of the second of three pages is "2/3". If one page is enough, it is "".

    >>> all_pages("abcdefghi", 4), all_pages("ab", 4)
    ([('abc', '1/3'), ('def', '2/3'), ('ghi', '3/3')], [('ab', '')])
    """
    count = pages(len(items), most)
    if count == 1:
        return [(items, "")]
    ends = [len(items) * n // count for n in range(count + 1)]
    return [(items[ends[n] : ends[n + 1]], f"{n + 1}/{count}") for n in range(count)]


class FlowItem(NamedTuple):
    """One item of a line on the display: seat numbers, and a text in several lengths.

    texts: the longest first.
    """

    numbers: tuple[int, ...]
    texts: tuple[str, ...]


def total_entry(line: TeamLine) -> FlowItem:
    """Return an item with a team's total. Its name can get shorter, its score cannot.

    Several hearts (lives) can become a number and one heart.
    """
    score = total_text(line)
    texts = [f"{line.label.name[:k]} {score}".lstrip() for k in (2, 1, 0)]
    texts += [f"{len(score)}{HEART}"] if set(score) == {HEART} else []
    return FlowItem(line.label.numbers[:1], tuple(texts))


def label_entry(label: Label) -> FlowItem:
    """Return an item with a team's seat numbers and name."""
    return FlowItem(label.numbers, tuple(label.name[:k] for k in (6, 3, 2, 0)))


class Piece(NamedTuple):
    """An item of a line, with the one of its texts that was chosen."""

    numbers: tuple[int, ...]
    text: str

    def px(self, char_px: int) -> int:
        return badges_px(self.numbers) + (self.gap_px + len(self.text) * char_px if self.text else 0)

    @property
    def gap_px(self) -> int:
        """Return the gap between badge and text. It is wider before a digit than before a letter."""
        return NAME_GAP_PX if self.text[:1].isalpha() else NUMBER_GAP_PX

    def least_gap_px(self, char_px: int) -> int:
        return char_px - 1 if self.text else 2


def _pieces(entries: Sequence[FlowItem], form: int) -> list[Piece]:
    return [Piece(e.numbers, e.texts[min(form, len(e.texts) - 1)]) for e in entries]


def _fitting(pieces: Sequence[Piece], width_px: int, char_px: int) -> int:
    """Return how many of the items fit on a line with the smallest gaps between them."""
    x = 0
    for i, piece in enumerate(pieces):
        x += piece.px(char_px) + (piece.least_gap_px(char_px) if i else 0)
        if x - (1 if piece.text else 0) > width_px:
            return i
    return len(pieces)


def flow(
    canvas: Canvas, area: Area, entries: Sequence[FlowItem], name: str = MIDDLE, lead: str = "", must_lead: bool = False
) -> None:
    """Draw items on one line, with the longest texts with which all items fit.

    If not all fit with the shortest texts, draw those that fit, and "…". lead: a text before the items; it is left out
    before names get shorter than three letters, unless `must_lead`.
    """
    char_px = font(name).width
    lead_px = width_of(lead, name) + char_px // 2 if lead else 0
    forms = max((len(e.texts) for e in entries), default=1)
    tries = [(form, lead_px) for form in range(forms - 1)]
    tries += [(forms - 2, 0)] if lead and forms > 1 and not must_lead else []
    tries += [(forms - 1, lead_px), *([] if must_lead else [(forms - 1, 0)])]
    for form, used in tries:
        pieces = _pieces(entries, form)
        if _fitting(pieces, area.w - used, char_px) == len(pieces):
            return _flow_line(canvas, area, pieces, name, lead if used else "")
    pieces, room = _pieces(entries, forms - 1), area.w - lead_px - char_px
    shown = _fitting(pieces, room, char_px)
    if len(entries) > ON_A_PAGE:  # numbers of two digits are wider than those before them

        def fits(most: int) -> bool:
            return all(_fitting(side, room, char_px) == len(side) for side, _ in all_pages(pieces, most))

        part, _ = on_page(canvas, pieces, next(filter(fits, range(shown - 1, 1, -1)), 1))
    else:
        part = pieces[:shown]
    return _flow_line(canvas, area, part, name, lead, more=True)


def flow_lines(canvas: Canvas, area: Area, parts: Sequence[Sequence[FlowItem]], rows: int, name: str = MIDDLE) -> None:
    """Draw all items in several rows, with the longest texts with which all items fit.

    parts: groups of items. If each group fits in one row and there are enough rows, each group has its own row. An item
    without a number stays on the row of the next item.
    """
    char_px = font(name).width

    def wrapped(entries: Sequence[FlowItem]) -> Iterator[list[list[Piece]]]:
        forms = range(max((len(e.texts) for e in entries), default=1))
        return (_wrap_pieces(_pieces(entries, form), area.w, char_px) for form in forms)

    alone = [next((lines[0] for lines in wrapped(part) if len(lines) == 1), []) for part in parts]
    lines = alone
    if not 1 < len(parts) <= rows or not all(alone):
        for lines in wrapped([entry for part in parts for entry in part]):
            if len(lines) <= rows:
                break
    for row, pieces in zip(area.rows(rows), lines, strict=False):
        _flow_line(canvas, row, pieces, name, "")


def rows_needed(entries: Sequence[FlowItem], width_px: int, name: str, form: int) -> int:
    """Return how many rows the items fill if each shows its text number `form` (from 0)."""
    return len(_wrap_pieces(_pieces(entries, form), width_px, font(name).width))


def _wrap_pieces(pieces: list[Piece], width_px: int, char_px: int) -> list[list[Piece]]:
    lines = []
    while pieces:
        count = _fitting(pieces, width_px, char_px)
        while 1 < count < len(pieces) and not pieces[count - 1].numbers:
            count -= 1
        lines.append(pieces[: max(1, count)])
        pieces = pieces[max(1, count) :]
    return lines


def _flow_line(canvas: Canvas, area: Area, pieces: Sequence[Piece], name: str, lead: str, more: bool = False) -> None:
    face = font(name)
    y = baseline_y(area, name)
    right = area.x + area.w
    if more:
        canvas.text(right - face.width, y, "…", face)
        right -= face.width
    x = area.x
    if lead:
        x = canvas.text(x, y, lead, face) + face.width // 2
    spare = right - x - sum(p.px(face.width) for p in pieces)
    gap = max(2, min(face.width, spare // max(1, len(pieces) - 1)))
    for piece in pieces:
        x = badges(canvas, x, area, piece.numbers)
        x = (canvas.text(x + piece.gap_px, y, piece.text, face) if piece.text else x) + gap


def by_place(lines: Sequence[TeamLine]) -> list[TeamLine]:
    """Sort the teams: leaders first, teams on the same place by seat."""
    return sorted(lines, key=lambda t: (t.place, t.label.numbers))


def row_px(name: str) -> int:
    """Return the height of a row of badges and texts in this font.

    A row in the small font is a pixel higher than the font, to keep badges off the letters above.
    """
    return 9 if name == SMALL else font(name).height


def totals(lines: Sequence[TeamLine], name: str, keep: int = ALWAYS) -> Band:
    """Return a row of totals: up to four teams in seat order, more teams with leaders first."""
    entries = [total_entry(t) for t in (lines if len(lines) <= 4 else by_place(lines))]
    return Band(row_px(name), lambda c, a: flow(c, a, entries, name), keep, least=min(row_px(name), 14))


def waiting(labels: Sequence[Label], name: str, keep: int = ALWAYS, lead: str = "", must_lead: bool = False) -> Band:
    """Return a row with these labels: the players that the table waits for.

    lead: a text before them.
    """
    entries = [label_entry(t) for t in labels]

    def paint(canvas: Canvas, area: Area) -> None:
        flow(canvas, area, entries, name, lead, must_lead)

    return Band(row_px(name), paint, keep, least=min(row_px(name), 14))
