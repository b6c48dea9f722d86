"""Draw the photo finish: the contacts around a call on one scale of time.

The tall tick is the press. It is broken if the press arrived after the verdict; it is an arrow if the press was before
the scale begins. The line after it shows how long the contact was closed. A thin bar with ends below the tick is the
press's error, if that is wide enough to be seen. The dotted line is the end of the tie window. A row ends with the
time in ms after the first press or, if the last press loses, before the last press, which is 0. Buttons of one pod
share a clock error: it is drawn once, as a second bar with ends below the first of them.
"""

from __future__ import annotations

from referee.core import units
from referee.core.model.view import PHOTO_LINES, PhotoLine, PhotoScreen
from referee.language.numbers import decimal_text, span_ms_text
from referee.language.words import word
from referee.screens.canvas import HINT, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import Fit, badge, badges_px, on_page, put_label
from referee.screens.parts import Pictures, baseline_y, header, put

LABEL_PX, WHOLE_LABEL_PX = 36, 60
ROW_PX, LARGE_FOOT_LINES = 18, 3
FIGURE_GAP_PX = 4
LEAST_ERROR_PX = 5
"""Minimum width of an error bar in px; a narrower one would look like the tick."""
ARROW_PX = 4
WHOLE_MS_FROM = 100 * units.MS
"""From this time on, milliseconds are shown without tenths, which would take a third of the width."""


def photo(canvas: Canvas, area: Area, screen: PhotoScreen) -> None:
    label_px = WHOLE_LABEL_PX if area.is_wide else LABEL_PX
    lines, page = on_page(canvas, screen.lines, PHOTO_LINES)
    small = font(SMALL if len(lines) > LARGE_FOOT_LINES else HINT)
    body = area.inset(top=8, bottom=small.height)
    height = min(ROW_PX, body.h // max(1, len(lines)))
    face = HINT if height >= font(HINT).height else SMALL
    zero_ns = _zero_ns(screen)
    figures = [_figure(one.press_ns - zero_ns) for one in lines] if len(lines) > 1 else []
    figures_px = max((width_of(text, face) + FIGURE_GAP_PX for text in figures), default=0)
    header(f"{word('photo')} {page}".rstrip(), "ms" if figures else "").draw(canvas, Area(*area[:3], 8))
    for i, one in enumerate(lines):
        row = Area(body.x, body.y + i * height, body.w, height)
        _line(canvas, row.inset(right=figures_px), screen, one, label_px)
        if figures:
            put(canvas, row, figures[i], face, 1.0)
    if screen.alone:
        put(canvas, body.inset(top=height, bottom=body.h - 2 * height), word("alone"), MIDDLE)
    if screen.tie_window_ns:
        track = body.inset(left=label_px, right=figures_px)
        canvas.dots(Area(_x(track, screen, screen.tie_window_ns), body.y, 1, height * len(lines)))
        tie = word("tie_band", ms=span_ms_text(screen.tie_window_ns))
        put(canvas, body.inset(top=body.h, bottom=-small.height), tie, small.name)


def _zero_ns(screen: PhotoScreen) -> int:
    """Return when the press was made from which the photo's times count.

    This is the first press or, in a game in which the last press loses, the last one.
    """
    if screen.last:
        return max(one.press_ns for one in screen.lines)
    return min((one.press_ns for one in screen.lines if not one.late), default=0)


def _figure(gap_ns: int) -> str:
    """Format a time from the press that counts as 0, in ms: "0", "+8.3", "+312", "-12.0"."""
    if gap_ns == 0:
        return "0"
    figure = decimal_text(units.ms_text(abs(gap_ns), int(abs(gap_ns) < WHOLE_MS_FROM)))
    return f"{'-' if gap_ns < 0 else '+'}{figure}"


def _x(track: Area, screen: PhotoScreen, at_ns: int) -> int:
    """Return the x of an instant on the time axis, or of the nearer end if it is outside the axis."""
    span = max(1, screen.span_ns)
    return track.x + max(0, min(track.w - 1, at_ns * (track.w - 1) // span))


def _line(canvas: Canvas, area: Area, screen: PhotoScreen, one: PhotoLine, label_px: int) -> None:
    _name(canvas, area.inset(right=area.w - label_px), one)
    track = area.inset(left=label_px)
    middle = area.y + area.h // 2
    for begin, end in one.closed:
        x = _x(track, screen, begin)
        canvas.fill(Area(x, middle, max(1, _x(track, screen, end) - x), 1))
    press = _x(track, screen, one.press_ns)
    tick = Area(press, area.y, 2 if one.caller and not one.late else 1, area.h - 1)
    if one.press_ns < 0:
        _arrow(canvas, track.x, middle)
    elif one.late:
        canvas.dots(tick)
    else:
        canvas.fill(tick)
    _error(canvas, track.inset(top=area.h // 2 + 2), screen, one.press_ns, one.err_ns)
    _error(canvas, track.inset(top=area.h - 3), screen, one.press_ns, one.common_ns)


def _arrow(canvas: Canvas, x: int, middle: int) -> None:
    """Draw an arrow to the left, because the press was before the time axis begins."""
    for column in range(ARROW_PX):
        canvas.fill(Area(x + column, middle - column, 1, 2 * column + 1))


def _error(canvas: Canvas, track: Area, screen: PhotoScreen, press_ns: int, err_ns: int) -> None:
    """Draw the possible error of a press's time as a thin bar, if it is wide enough to be seen."""
    left, right = (_x(track, screen, press_ns + off) for off in (-err_ns, err_ns))
    if right - left < LEAST_ERROR_PX:
        return
    canvas.fill(Area(left, track.y + 1, right - left + 1, 1))
    for end in (left, right):
        canvas.fill(Area(end, track.y, 1, 3))


def _name(canvas: Canvas, area: Area, one: PhotoLine) -> None:
    letters = (area.w - badges_px(one.label.numbers[:1]) - 2) // 8
    if area.h >= 13:
        put_label(canvas, area.x, area, one.label, Fit(1, letters))
        return
    x = badge(canvas, area.x, area, one.label.numbers[0])
    canvas.text(
        x + 1,
        baseline_y(area, SMALL),
        one.label.name[:letters],
        font(SMALL),
    )


SCREENS: Pictures = {PhotoScreen: photo}
