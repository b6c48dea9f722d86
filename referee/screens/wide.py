"""What a display of 256 columns shows in addition: a right half for tables and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.core.model.view import Label, TeamLine
from referee.screens.canvas import LARGE, MIDDLE, Area, Canvas, width_of
from referee.screens.labels import (
    SCORE_GAP_PX,
    Fit,
    by_place,
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
from referee.screens.parts import put
from referee.screens.tables import duel_row, halves

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
