"""COUNT: every team's three fields at once, the one that the next tap changes inverted; SHEET: the hand's scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from referee.core.model.view import CountCell, CountScreen, FixScreen, SheetScreen, TeamLine
from referee.screens import words
from referee.screens.canvas import MIDDLE, SMALL, Area, Canvas
from referee.screens.fonts import Font, font
from referee.screens.labels import BADGE_PX, Fit, badge, fit_label, grid, put_label, put_score, total_text
from referee.screens.parts import Band, baseline_y, line, put, stack
from referee.screens.tables import duel, halves, hand_total
from referee.screens.wide import is_wide, score_table

DIGITS = "12x20"
DOT_PX = 4

Paint = Callable[[Canvas, Area, CountCell, list[bool]], None]


def count(canvas: Canvas, area: Area, screen: CountScreen) -> None:
    rows = [Band(64, lambda c, a: _cells(c, a, screen), least=52)]
    foot = words.TURN_PUSH() if screen.knob else _legend(screen) if screen.legend else ""
    if foot and not any(c.refusal for c in screen.cells):
        rows = [Band(64, lambda c, a: _cells(c, a, screen), least=47), line(foot, _legend_keep(area))]
    stack(canvas, area, rows)


def fix(canvas: Canvas, area: Area, screen: FixScreen) -> None:
    """The same cells; below them which hand it is and what the knob does."""
    foot = (words.FIX_SAVE if screen.changed else words.FIX_TURN)(hand=screen.hand)
    stack(canvas, area, [Band(64, lambda c, a: _cells(c, a, screen), least=47), line(foot, _legend_keep(area))])


def _legend_keep(area: Area) -> int:
    """The legend gives way to a banner; alone it stays."""
    return 9 if area.h >= 64 else 3


def _legend(screen: CountScreen) -> str:
    """What the fields are and what to do: "LEFT.LAKE tap+1 hold>"."""
    heads = [name.split(" ")[0] for name in screen.field_names]
    names = ".".join(dict.fromkeys(heads))
    text = f"{names} {words.TAP_HOLD()}"
    return text if len(text) <= words.SMALL else words.TAP_HOLD_ALONE()


def _dots(screen: CountScreen | FixScreen) -> list[bool]:
    """Before which fields a dot stands: where another quantity begins."""
    heads = [name.split(" ")[0] for name in screen.field_names]
    return [i > 0 and heads[i] != heads[i - 1] for i in range(len(heads))]


def _cells(canvas: Canvas, area: Area, screen: CountScreen | FixScreen) -> None:
    cells, dots = screen.cells, _dots(screen)
    many = len(cells) > 4
    columns, rows = (2, 4) if many else (1, 2) if len(cells) <= 2 else (2, 2)
    paint = _narrow if many else _wide if columns == 1 or is_wide(area) else _square
    if many and is_wide(area):
        columns, rows, paint = 4, 2, _square
    grid(canvas, area, len(cells), columns, rows, lambda a, i: _cell(canvas, a, cells[i], dots, paint))
    for x in range(1, columns):
        canvas.dots(Area(area.x + area.w * x // columns - 1, area.y, 1, area.h))
    if rows == 2:
        canvas.dots(Area(area.x, area.y + area.h // 2 - 1, area.w, 1))


def _cell(canvas: Canvas, area: Area, cell: CountCell, dots: list[bool], paint: Paint) -> None:
    if cell.refusal:
        return _refusal(canvas, area, cell.label.numbers[0], cell.refusal)
    return paint(canvas, area, cell, dots)


def _refusal(canvas: Canvas, area: Area, number: int, sentence: str) -> None:
    """An impossible count: the whole cell inverts and says why."""
    badge(canvas, area.x, area, number)
    lines = wrap(sentence, (area.w - BADGE_PX - 4) // 6)
    if len(lines) > (area.h + 1) // 8:
        lines = [squeeze(sentence, (area.w - BADGE_PX - 4) // 6)]
    y = area.y + (area.h - 8 * len(lines)) // 2
    for i, text in enumerate(lines):
        canvas.text(area.x + BADGE_PX + 3, y + 8 * i, text, font(SMALL))
    canvas.flip(area.inset(right=2, bottom=1 if area.h > 16 else 0))


def wrap(text: str, width: int) -> list[str]:
    """Lines of whole words; a longer word stands alone and is cut by nobody but the cell's edge.

    >>> wrap("45+13 > 52 CARDS", 8)
    ['45+13 >', '52 CARDS']
    """
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def squeeze(text: str, width: int) -> str:
    """The first words without their spaces, as many as fit.

    >>> squeeze("45+13 > 52 CARDS", 8)
    '45+13>52'
    """
    out = ""
    for word in text.split():
        if len(out + word) > width:
            break
        out += word
    return out


def _square(canvas: Canvas, area: Area, cell: CountCell, dots: list[bool]) -> None:
    """64 x 32: number and name above, 20-pixel digits below. Under a legend or a banner there is no room for both: one
    line of 8x16 then."""
    if area.h < 31:
        return _narrow(canvas, area, cell, dots)
    badge(canvas, area.x, Area(area.x, area.y, BADGE_PX, 14), cell.label.numbers[0])
    canvas.text(area.x + BADGE_PX + 2, area.y, cell.label.name[:6], font(SMALL))
    if cell.done:
        put(canvas, Area(area.x + area.w - 16, area.y, 12, 8), words.DONE())
    return _fields(canvas, area.inset(top=9, right=4), cell, dots, font(DIGITS))


def _wide(canvas: Canvas, area: Area, cell: CountCell, dots: list[bool]) -> None:
    """128 x 32: label at the left in 8x16, 20-pixel digits at the right."""
    left = Area(area.x, area.y + (area.h - 16) // 2, area.w, 16)
    put_label(canvas, left.x, left, cell.label, fit_label(cell.label, 58))
    if cell.done:
        canvas.text(area.x + 62, left.y, "✓", font(MIDDLE))
    _fields(canvas, area.inset(top=(area.h - 20) // 2, right=2), cell, dots, font(DIGITS))


def _narrow(canvas: Canvas, area: Area, cell: CountCell, dots: list[bool]) -> None:
    """64 x 16: number, a letter or two, digits in 8x16, a tick when done."""
    tick = area.inset(left=area.w - 10)
    if cell.done:
        canvas.text(tick.x, baseline_y(area, MIDDLE), "✓", font(MIDDLE))
    face = font(MIDDLE)
    fields = Area(area.x, baseline_y(area, MIDDLE), area.w - 11, area.h)
    free = fields.w - _fields_px(cell, dots, face)
    put_label(canvas, area.x, area, cell.label, _narrow_fit(cell, free))
    _fields(canvas, fields, cell, dots, face)


def _narrow_fit(cell: CountCell, free_px: int) -> Fit:
    """One seat number and at most two letters; the second only where it does not touch the digits."""
    spaced = fit_label(cell.label, free_px - 3)
    letters = spaced.letters or fit_label(cell.label, free_px).letters
    return Fit(1, min(letters, 2))


def _pieces(cell: CountCell, dots: list[bool]) -> Iterator[tuple[str, bool, bool]]:
    """Each field's text, whether a dot stands before it and whether the next tap changes it."""
    for i, value in enumerate(cell.fields):
        yield value if value is not None else "_", i < len(dots) and dots[i], i == cell.cursor


def _fields_px(cell: CountCell, dots: list[bool], face: Font) -> int:
    return sum(len(text) * face.width + DOT_PX * dot for text, dot, _ in _pieces(cell, dots))


def _fields(canvas: Canvas, area: Area, cell: CountCell, dots: list[bool], face: Font) -> None:
    """The fields, right-aligned; the one under the cursor inverted."""
    x = area.x + area.w - _fields_px(cell, dots, face)
    top, high = (0, 20) if face.height == 20 else (1, 12)
    for text, dot, current in _pieces(cell, dots):
        if dot:
            canvas.fill(Area(x, area.y + top + high - 2, 2, 2))
            x += DOT_PX
        begin = x
        x = canvas.text(x, area.y - (1 if text == "_" else 0) * top, text, face)
        if current:
            canvas.flip(Area(begin - 1, max(0, area.y + top - 1), x - begin + 1, high + 2))


# -- sheet -------------------------------------------------------------------------------------------------------


def sheet(canvas: Canvas, area: Area, screen: SheetScreen) -> None:
    """The hand's scores before they are sealed; up to four teams with the totals that they make."""
    lines = screen.lines
    if is_wide(area):
        rows = [(t, _sum_text(t), hand_total(t)) for t in lines]
        return score_table(canvas, area, rows, lambda a, i: _sum(canvas, a, lines[i]), mark_shared=False)
    if len(lines) <= 2:
        return duel(canvas, area, [(t, _sum_text(t), hand_total(t)) for t in lines], mark_shared=False)
    if len(lines) > 4:
        return halves(canvas, area, lines, hand_total, mark_shared=False)
    return grid(canvas, area, len(lines), 1, len(lines), lambda a, i: _sum(canvas, a, lines[i]))


def _sum_text(line: TeamLine) -> str:
    return "=" + total_text(line) + ("*" if line.corrected else "")


def _sum(canvas: Canvas, area: Area, line: TeamLine) -> None:
    """ "1Anna  +28 =102"."""
    x = put_score(canvas, area, _sum_text(line))
    left = area.inset(right=area.x + area.w - x + 4)
    x = put_score(canvas, left, hand_total(line))
    put_label(canvas, area.x, area, line.label, fit_label(line.label, x - area.x))
