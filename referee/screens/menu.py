"""Draw TIME OUT and the knob's menu (a list with a cursor), and POWER BACK."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core import units
from referee.core.messages import Msg, Part, with_values
from referee.core.model.view import MenuScreen, PowerBackScreen
from referee.language.display import display_text, phase_shown
from referee.language.numbers import less_than
from referee.language.words import word, wrap_rows
from referee.screens.canvas import (
    HINT,
    LARGE,
    LARGE_LETTERS,
    MIDDLE,
    MIDDLE_LETTERS,
    SMALL,
    SMALL_LETTERS,
    Area,
    Canvas,
    width_of,
)
from referee.screens.fonts import font
from referee.screens.labels import waiting
from referee.screens.parts import Band, Pictures, baseline_y, header, line, put, stack
from referee.screens.tables import split

ROWS, SMALLER_ROWS = 3, 4  # number of lines in a column
ROW_PX = {MIDDLE: 16, HINT: 13}
HINT_ROWS, ABOUT_ROWS = 2, 4  # rows of an explanation in the larger type, and at most
CURSOR_PX = 10
PLACE_GAP_PX = 6


def menu(canvas: Canvas, area: Area, screen: MenuScreen) -> None:
    if area.is_wide:
        return _wide(canvas, area, screen)
    return stack(canvas, area, _big(screen) if screen.big else _list(screen, area.w))


def _wide(canvas: Canvas, area: Area, screen: MenuScreen) -> None:
    """Draw the menu on a wide display: a big title left of the list, or the list in two columns.

    A short list has one column.
    """
    if not screen.big:
        columns = 1 if len(screen.items) <= ROWS else 2
        place = f"{screen.cursor + 1}/{len(screen.items)}"
        about = _about(screen.about, area.w)
        both = Band(55 - sum(row.px for row in about), lambda c, a: _columns(c, a, screen, columns))
        return stack(canvas, area, [_title(display_text(screen.title), place), both, *about])
    title, (left, right) = display_text(screen.title), split(canvas, area)
    _columns(canvas, right, screen, 1)
    foot = [waiting(screen.waiting, MIDDLE, lead=word("wait_for"))] if screen.waiting else []
    return stack(canvas, left, [Band(48, lambda c, a: put(c, a, title, _largest(title)), least=24), *foot])


def _columns(canvas: Canvas, area: Area, screen: MenuScreen, columns: int) -> None:
    """Draw as many menu lines as there is room for, among them the chosen one."""
    face = _face(screen, area.w // columns)
    px = ROW_PX[face]
    rows = area.h // px
    first = max(0, min(screen.cursor - rows * columns // 2, len(screen.items) - rows * columns))
    for i, column in enumerate(area.columns(columns)):
        for k in range(rows):
            index = first + i * rows + k
            if index < len(screen.items):
                _item(canvas, Area(column.x, column.y + px * k, column.w, px), screen, index, face)


def _face(screen: MenuScreen, width_px: int) -> str:
    """Return the font for all lines of the list: the larger one if every line fits in it."""
    value = [] if screen.value is None else [turned_text(screen.items[screen.cursor], screen.value)]
    return _fitting([*map(display_text, screen.items), *value], width_px)


def _fitting(texts: Sequence[str], width_px: int) -> str:
    return MIDDLE if all(width_of(text, MIDDLE) <= width_px - CURSOR_PX for text in texts) else HINT


def _big(screen: MenuScreen) -> list[Band]:
    """Return rows: the title in large letters, the chosen line, then the lines after it, small."""
    chosen = [display_text(line) for line in screen.items[screen.cursor :][:1]]
    title = display_text(screen.title)
    rows = [Band(32, lambda c, a: put(c, a, title, _largest(title)), least=24)]
    rows.append(Band(16, lambda c, a: _item(c, a, screen, screen.cursor, _fitting(chosen, a.w)), least=14))
    rows.append(Band(12, lambda c, a: _neighbours(c, a, screen), keep=4))
    foot = waiting(screen.waiting, SMALL, keep=3, lead=word("wait_for")) if screen.waiting else line("", keep=1)
    return [*rows, foot]


def _largest(title: str) -> str:
    return LARGE if len(title) <= LARGE_LETTERS else MIDDLE if len(title) <= MIDDLE_LETTERS else SMALL


def _list(screen: MenuScreen, width_px: int) -> list[Band]:
    """Return rows: the title with the chosen line's number, then the lines around that line."""
    foot = _about(screen.about, width_px)
    room_px = 55 - sum(row.px for row in foot)
    face = _face(screen, width_px) if room_px >= 2 * ROW_PX[MIDDLE] else HINT
    count = min(ROWS if face == MIDDLE else SMALLER_ROWS, max(room_px // ROW_PX[face], 1))
    first = max(0, min(screen.cursor - 1, len(screen.items) - count))
    place = f"{screen.cursor + 1}/{len(screen.items)}"
    rows = [_item_row(screen, i, face) for i in range(first, min(first + count, len(screen.items)))]
    if screen.waiting and not foot:
        foot = [waiting(screen.waiting, SMALL, keep=3, lead=word("wait_for"))]
    return [_title(display_text(screen.title), place), *rows, *foot]


def _about(about: Msg | None, width_px: int) -> list[Band]:
    """Return a row with the chosen line's explanation (`about`), in a small font if it is long.

    If `about` is None, return no row.
    """
    if about is None:
        return []
    rows = wrap_rows(display_text(about), width_px // font(HINT).width)
    face = HINT if len(rows) <= HINT_ROWS else SMALL
    px = font(face).height

    def paint(canvas: Canvas, area: Area) -> None:
        canvas.dots(Area(area.x, area.y, area.w, 1))
        for n, row in enumerate(rows[:ABOUT_ROWS]):
            put(canvas, Area(area.x, area.y + 2 + px * n, area.w, px), row, face)

    return [Band(2 + px * min(len(rows), ABOUT_ROWS), paint, keep=4)]


def _title(title: str, place: str) -> Band:
    def paint(canvas: Canvas, area: Area) -> None:
        text = Area(area.x, area.y, area.w, area.h - 1)
        put(canvas, text.inset(right=width_of(place, SMALL) + PLACE_GAP_PX), title)
        put(canvas, text, place, align=1.0)
        canvas.fill(Area(area.x, area.y + area.h - 1, area.w, 1))

    return Band(9, paint, keep=5)


def _item_row(screen: MenuScreen, index: int, face: str) -> Band:
    return Band(ROW_PX[face], lambda c, a: _item(c, a, screen, index, face), least=ROW_PX[face])


def _item(canvas: Canvas, area: Area, screen: MenuScreen, index: int, face: str) -> None:
    """Draw line number `index` of the menu; the chosen line has a triangle before it."""
    if not screen.items:
        return
    chosen = index == screen.cursor
    item, open_value = screen.items[index], screen.value if chosen else None
    text = display_text(item) if open_value is None else turned_text(item, open_value)
    put(canvas, area.inset(left=CURSOR_PX), text, face)
    if chosen:
        canvas.text(area.x, baseline_y(area, MIDDLE), "►", font(MIDDLE))


def turned_text(line: Part, value: Part) -> str:
    """Return a menu line in which the value that the knob is changing is between arrows.

    A long line has no space before the value.

    >>> from referee.core.messages import msg
    >>> turned_text(msg("item.target", choice=100), 150), turned_text(msg("item.handicap", choice=0), "distance")
    ('Target: ◄150►', 'Handicap:◄distance►')
    """
    choice = f"◄{display_text(value)}►"
    text = display_text(with_values(line, choice=choice)) if isinstance(line, Msg) else choice
    return text if len(text) <= SMALL_LETTERS - 2 else text.replace(f" {choice}", choice)


def _neighbours(canvas: Canvas, area: Area, screen: MenuScreen) -> None:
    """Draw the lines after the chosen one side by side, as many as fit.

    Draw the chosen line's number and the number of lines at the right.
    """
    place = f"{screen.cursor + 1}/{len(screen.items)}"
    put(canvas, area, place, align=1.0)
    area = area.inset(left=CURSOR_PX, right=width_of(place, SMALL) + PLACE_GAP_PX // 2)
    others = [display_text(item) for item in screen.items[screen.cursor + 1 :]]
    text = ""
    for item in others:
        if width_of(text + item, HINT) > area.w:
            break
        text += item + "  "
    put(canvas, area, text.rstrip() or " ".join(others), HINT)


def power_back(canvas: Canvas, area: Area, screen: PowerBackScreen) -> None:
    hand = word("hand_large", hand=screen.hand)
    rows = [
        header(word("power_off"), away(screen.away_s), keep=6),
        Band(28, lambda c, a: put(c, a, hand, _largest(hand)), least=24),
    ]
    if screen.played_ns is not None:
        rows.append(line(word("played", clock=units.clock_text(screen.played_ns)), name=MIDDLE))
    else:
        rows.append(line(phase_shown(screen.phase.upper()), name=MIDDLE))
    foot = waiting(screen.waiting, HINT, keep=8, lead=word("go_on_needs"), must_lead=True) if screen.waiting else None
    stack(canvas, area, [*rows, foot or line(word("tap_go_on"), keep=8, name=HINT)])


def away(away_s: int | None) -> str:
    """Format the longest time for which the power can have been off, e.g. "<13 min".

    It is not known exactly, because only the time of the last write is known.

    >>> [away(s) for s in (None, 5, 720, 7300, 200_000)]
    ['', '<1 min', '<13 min', '<3 h', '<3 d']
    """
    if away_s is None:
        return ""
    number, size_s = less_than(away_s)
    return word({60: "away_min", 3_600: "away_h", 86_400: "away_days"}[size_s], n=number)


SCREENS: Pictures = {MenuScreen: menu, PowerBackScreen: power_back}
