"""Tables of scores for the score sheet and the standings: big rows, or two columns of cells.

What a display of 256 columns shows in addition: a right half for tables and names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.core.model.view import ON_A_PAGE, Label, TeamLine
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import (
    SCORE_GAP_PX,
    Fit,
    badges_px,
    by_place,
    delta_text,
    fit_label,
    grid,
    label_px,
    large_label,
    on_page,
    put_label,
    put_score,
    score_cell,
    total_text,
)
from referee.screens.parts import baseline_y, header, put

WIDE_GAP_PX, COLUMN_GAP_PX = 7, 3
"""Gap between two columns; the smaller one if a score needs the room."""
WHOLE_ROWS = 4
FOUR_ROWS_PX = 4 * 14
"""Minimum height of four rows in 8x16 with lines under shared scores."""
ROW_PX, DUEL_PX = 14, 27
"""Minimum height of a row in 8x16, and of one of two large rows."""
SIX_PX = 6
"""Gap between a title and the text at its right."""
UNDERLINED_PX = 28
"""Height of a row with a large number and a line under it."""


def draw_title(
    canvas: Canvas, area: Area, title: str, hand: int, page: str = "", press: str = "", rows_px: int = FOUR_ROWS_PX
) -> Area:
    """Draw the title and the number of the hand or page if there is room. Return the area below.

    press: the text on what a press does. It is below the table if there is room, else at the title's right.
    """
    head_px, foot_px = font(SMALL).height, font(HINT).height
    if area.h - head_px < rows_px:
        return area
    right = page or word("hand_small", hand=hand)
    if press and area.h - head_px - foot_px >= rows_px:
        put(canvas, Area(area.x, area.y + area.h - foot_px, area.w, foot_px), press, HINT)
        area = area.inset(bottom=foot_px)
    elif press:
        title, right = " ".join(filter(None, (title, page))), press
        if width_of(title, SMALL) + SIX_PX + width_of(press, SMALL) > area.w:
            title = page
    header(title, right).draw(canvas, Area(area.x, area.y, area.w, head_px))
    return area.inset(top=head_px)


def hand_total(line: TeamLine) -> str:
    """Return the team's score in the last hand, with its sign; "" if there is none, or if its lives stay the same."""
    if line.delta is None or not line.tells_gain or (line.told and not line.delta):
        return ""
    return delta_text(line.delta)


def duel(canvas: Canvas, area: Area, rows: Sequence[tuple[TeamLine, str, str]]) -> None:
    """Draw one or two teams in rows: label and small number left, large number right.

    rows: for each team, its line, the small number and the large number.
    """
    grid(canvas, area, len(rows), 1, 2, lambda a, i: duel_row(canvas, a, *rows[i]))


def duel_row(canvas: Canvas, area: Area, line: TeamLine, small: str, main: str) -> None:
    x = area.x + area.w - width_of(main, LARGE)
    canvas.text(x, baseline_y(area, LARGE), main, font(LARGE))
    if line.shared and line.shown is None and area.h >= UNDERLINED_PX:
        canvas.fill(Area(x, area.y + area.h - 2, width_of(main, LARGE) - 1, 1))
    top, low = area.rows(2)
    put_label(canvas, area.x, top, line.label, fit_label(line.label, x - area.x))
    if width_of(small, MIDDLE) <= x - area.x - 2:
        canvas.text(area.x, baseline_y(low, MIDDLE), small, font(MIDDLE))


def most_a_page(area: Area, lines: Sequence[TeamLine], text: Callable[[TeamLine], str]) -> int:
    """Return how many teams a page has: eight in two columns, or four in whole rows.

    Whole rows are needed if seat numbers have two digits, and a seat number with its score is too wide for a column.
    """
    too_long = _most_px(lines, text) > area.w // 2 and any(t.label.numbers[0] > 9 for t in lines)
    return WHOLE_ROWS if too_long else ON_A_PAGE


def _most_px(lines: Sequence[TeamLine], text: Callable[[TeamLine], str]) -> int:
    return max((badges_px(t.label.numbers[:1]) + width_of(text(t), MIDDLE) for t in lines), default=0)


def halves(canvas: Canvas, area: Area, lines: Sequence[TeamLine], text: Callable[[TeamLine], str]) -> None:
    """Draw up to eight teams in 2 x 4 cells; if there are more, the teams of the current page.

    The left column keeps a gap to the right one. If a score is too long for a cell (see `most_a_page`), draw four whole
    rows.
    """
    if most_a_page(area, lines, text) == WHOLE_ROWS:
        shown, _ = on_page(canvas, lines, WHOLE_ROWS)
        whole = lambda a, i: score_cell(canvas, a, shown[i], text(shown[i]), shown[i].shared)  # noqa: E731
        return grid(canvas, area, len(shown), 1, WHOLE_ROWS, whole)
    gap_px = WIDE_GAP_PX if _most_px(lines, text) + WIDE_GAP_PX <= area.w // 2 else COLUMN_GAP_PX
    lines, page = on_page(canvas, lines)

    def cell(place: Area, i: int) -> None:
        place = place.inset(right=gap_px) if i % 2 == 0 else place
        score_cell(canvas, place, lines[i], text(lines[i]), lines[i].shared)

    rows = -(-len(lines) // 2)
    return grid(canvas, area, len(lines), 2, rows if page or area.h < FOUR_ROWS_PX else max(rows, 4), cell)


GAP_PX = 10  # gap between the halves
STACKED_PX = 64  # two cells of two lines each, with a dotted line between that touches neither
LARGE_NAME_PX = 128  # a badge, a gap and six letters in 16x32


def split(canvas: Canvas, area: Area) -> tuple[Area, Area]:
    """Draw a dotted line down the middle. Return the areas at its left and right."""
    middle = area.w // 2
    canvas.dots(Area(area.x + middle + GAP_PX // 2 - 1, area.y, 1, area.h))
    return area.inset(right=middle), area.inset(left=middle + GAP_PX)


def totals_panel(canvas: Canvas, area: Area, lines: Sequence[TeamLine]) -> None:
    """Draw all totals: up to four teams in seat order; more in two columns, leaders first."""
    if len(lines) > 4:
        return halves(canvas, area, by_place(lines), total_text)
    rows = max(3, len(lines))
    return grid(canvas, area, len(lines), 1, rows, lambda a, i: _total(canvas, a, lines[i]))


def _total(canvas: Canvas, area: Area, line: TeamLine) -> None:
    score_cell(canvas, area, line, total_text(line), line.shared)


def labels_panel(canvas: Canvas, area: Area, labels: Sequence[Label], ends: Sequence[str] = ()) -> None:
    """Draw names in one column; more than four names in two columns.

    `ends`: a short text for each name, drawn at the name's right.
    """
    ended = [(who, ends[i] if ends else "") for i, who in enumerate(labels)]
    shown, _ = on_page(canvas, ended)
    columns = 1 if len(shown) <= 4 else 2

    def cell(place: Area, i: int) -> None:
        who, end = shown[i]
        place = place.inset(right=6 if columns == 2 and i % 2 == 0 else 0)
        put(canvas, place, end, MIDDLE, 1.0)
        put_label(canvas, place.x, place, who, fit_label(who, place.w - 8 * len(end), 0))

    grid(canvas, area, len(shown), columns, 4 if columns == 2 else max(3, len(shown)), cell)


def score_table(
    canvas: Canvas,
    area: Area,
    rows: Sequence[tuple[TeamLine, str, str]],
    cell: Callable[[Area, int], None],
) -> None:
    """Draw a table of up to eight teams.

    Two teams have a whole row each. Up to four are in 2 x 2 cells with scores 32 pixels high; up to eight are in 2 x 4
    cells, which `cell` draws.
    """
    if len(rows) <= 2:
        return grid(canvas, area, len(rows), 1, 2, lambda a, i: _large_row(canvas, a, *rows[i]))
    canvas.dots(Area(area.x + area.w // 2 - 1, area.y, 1, area.h))
    many = len(rows) > 4
    whole = many or all(_fits_whole(t.label, main, area.w // 2 - GAP_PX // 2) for t, _, main in rows)
    if not whole and area.h >= STACKED_PX:
        canvas.dots(Area(area.x, area.y + area.h // 2 - 1, area.w, 1))
    large = duel_row if whole else _draw_stacked

    def paint(place: Area, i: int) -> None:
        place = place.inset(right=GAP_PX // 2) if i % 2 == 0 else place.inset(left=GAP_PX // 2)
        return cell(place, i) if many else large(canvas, place, *rows[i])

    return grid(canvas, area, len(rows), 2, 4 if many else 2, paint)


def _fits_whole(label: Label, main: str, room_px: int) -> bool:
    """Return whether the whole name and a score 32 pixels high fit next to each other."""
    return label_px(label, whole_of(label)) + width_of(main, LARGE) + SCORE_GAP_PX <= room_px


def whole_of(label: Label) -> Fit:
    return Fit(len(label.numbers), len(label.name))


def _draw_stacked(canvas: Canvas, area: Area, line: TeamLine, small: str, main: str) -> None:
    """Draw a team's name above its two numbers, because they do not fit next to each other."""
    top, low = area.rows(2)
    put(canvas, low, small, MIDDLE)
    if line.shown is not None:  # the sign for a place on the bus is lower than a line of letters
        low = low.inset(top=min(0, low.h - STACKED_PX // 4))
    put_label(canvas, top.x, top, line.label, fit_label(line.label, top.w, 0))
    put_score(canvas, low, main, line.shared and line.shown is None)


def _large_row(canvas: Canvas, area: Area, line: TeamLine, small: str, main: str) -> None:
    """Draw a team's name, its score in the last hand and its total."""
    large_label(canvas, area.inset(right=area.w - LARGE_NAME_PX), line.label)
    put(canvas, area, main, LARGE, 1.0)
    left = area.inset(left=LARGE_NAME_PX)
    if len(small) * 8 <= left.w - len(main) * 16:
        put(canvas, left, small, MIDDLE)
