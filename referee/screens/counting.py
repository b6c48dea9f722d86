"""Draw a count: the teams' fields below captions, the one being entered inverted.

A row per team, a column per quantity: "LEFT" above the cards left, "MIDDLE" above the cards played. More than four
teams are in two such tables side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.core.model.view import ON_A_PAGE, CountCell, CountScreen, Label
from referee.core.phases.fixing import FixScreen
from referee.core.presses.signals import KNOB
from referee.language.display import display_text
from referee.language.words import word
from referee.screens.canvas import HINT, MIDDLE, TALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import (
    ASLEEP,
    all_pages,
    badge,
    badges_px,
    fit_label,
    put_label,
)
from referee.screens.parts import CAP_PX, CAP_TOP, Pictures, baseline_y, put

CAPTION_PX = 12
ROW_PX = 13
"""Height of a row in the font 8x16 without descenders; its names are in capitals."""
TALL_ROW_PX = 22
LOW_PX = 3
"""Pixels by which an underline is raised in a row that has no room below its capitals."""
TICK_PX, LABEL_GAP_PX = 9, 2
ASLEEP_GAP_PX = 3
ASLEEP_PX = ASLEEP_GAP_PX + 2 * 6
"""Width of the sign of a phone that is asleep, in the font 6x12, with the gap to the name."""
GAP_PX, TIGHT_GAP_PX, TABLES_GAP_PX = 9, 4, 6
IN_A_TABLE = 4
CAPTION_LETTERS = 4
"""Maximum letters of a caption if two tables share a small display."""


def count(canvas: Canvas, area: Area, screen: CountScreen, lesson: str = "") -> None:
    """Draw the table of the teams' counts.

    lesson: a line for newcomers for which the screen had no room; else "". The line is drawn after some seconds without
    taps, unless the knob enters a count.
    """
    corner, foot = ("", lesson) if screen.legend and lesson and not screen.knob else _hints(area, screen)
    _tables(canvas, area, screen, corner, foot, needs_hint=screen.legend or screen.knob)


def _hints(area: Area, screen: CountScreen) -> tuple[str, str]:
    """Return what to do, in few words for the row of the captions, and in a row of its own."""
    if screen.called:
        whole, short = _called(screen.called)
        left_px = _groups(screen, area.w, screen.cells)[0].left
        return (whole if _fits_beside(whole, left_px) else short), whole
    if screen.knob:
        return "", word("turn_push")
    if any(cell.refusal for cell in screen.cells):
        return word("count_again"), word("count_again")
    sleeps = any(cell.asleep for cell in screen.cells)
    whole, short = ("phone_sleeps", "phone_sleeps_short") if sleeps else ("tap_hold_alone", "tap_hold")
    return word(whole if area.is_wide else short), word(whole)


def _called(callers: Sequence[Label]) -> tuple[str, str]:
    """Return the callers' names as one text, and the same with two letters of each name."""
    whole = " = ".join(f"{who.numbers[0]} {who.name}" for who in callers) + "!"
    return whole, "=".join(f"{who.numbers[0]}{who.name[:2]}" for who in callers) + "!"


def _fits_beside(text: str, left_px: int) -> bool:
    """Return whether the text fits to the left of captions that begin at `left_px`."""
    return width_of(text, HINT) + TIGHT_GAP_PX <= left_px


def spares_a_line(screen: CountScreen, area: Area) -> bool:
    """Return whether a line below the table leaves room for its captions and rows of digits."""
    return area.h - CAPTION_PX >= CAPTION_PX + ROW_PX * _rows(all_pages(screen.cells)[-1][0], area)


def _foot_is_free(rows: int, area: Area) -> bool:
    """Return whether there is room for a line below the table.

    With this line, the rows must still be high enough, and their digits must not become smaller.
    """
    free = area.h - CAPTION_PX
    return free - CAPTION_PX >= ROW_PX * rows and (free < TALL_ROW_PX * rows or free - CAPTION_PX >= TALL_ROW_PX * rows)


def fix(canvas: Canvas, area: Area, screen: FixScreen) -> None:
    """Draw the table of a past hand's counts, with the hand's number and what the knob does."""
    foot = word("fix_save" if screen.changed else "fix_turn", hand=screen.hand)
    _tables(canvas, area, screen, corner="", foot=foot, needs_hint=True)


class Group(NamedTuple):
    """One column of the table: its caption, the indexes of its fields, its left and right x."""

    caption: str
    fields: tuple[int, ...]
    left: int
    right: int


def _tables(
    canvas: Canvas, area: Area, screen: CountScreen | FixScreen, corner: str, foot: str, *, needs_hint: bool
) -> None:
    """Draw the counts as one table, or as two side by side, always with their captions.

    foot: a text below the table. corner: the same in fewer words, drawn next to the captions if the foot has no room.
    needs_hint: if neither has room, show fewer teams at once.
    """
    cells, page = _count_page(canvas, screen)
    if area.h - ROW_PX * _rows(cells, area) < CAPTION_PX:  # a banner takes room
        cells, page = _count_page(canvas, screen, _most_below(area, lines=1))
    left_px = _groups(screen, area.w, cells)[0].left
    if _foot_is_free(_rows(cells, area), area):
        corner = ""
    elif corner and not _beside_each_other(cells, area) and _fits_beside(corner, left_px):
        foot = ""
    else:
        corner, foot = "", foot if needs_hint else ""
        cells, page = _count_page(canvas, screen, _most_below(area, lines=2)) if foot else (cells, page)
    beside = _beside_each_other(cells, area)
    rows = _rows(cells, area)
    below = CAPTION_PX if (foot or page) and area.h - ROW_PX * rows >= 2 * CAPTION_PX else 0
    if corner:
        put(canvas, Area(area.x, area.y, area.w, CAPTION_PX), corner, HINT)
    if below:
        last = Area(area.x, area.y + area.h - below, area.w, below)
        put(canvas, last, foot, HINT)
        if page and width_of(f"{foot} {page}", HINT) <= last.w:
            put(canvas, last, page, HINT, 1.0)
    table = area.inset(bottom=below)
    halves_of = _beside(table) if beside else [table]
    for i, place in enumerate(halves_of):
        part = cells[i * rows :][:rows] if beside else cells
        groups = _groups(screen, place.w, part)
        _captions(canvas, place.inset(bottom=place.h - CAPTION_PX), groups, "" if corner else word("cards"))
        _table(canvas, place.inset(top=CAPTION_PX), part, rows, groups)
    if beside:
        canvas.dots(Area(area.x + area.w // 2 - 1, area.y + CAPTION_PX, 1, area.h - CAPTION_PX - below))


def _beside_each_other(cells: Sequence[CountCell], area: Area) -> bool:
    return len(cells) > (2 if area.is_wide else IN_A_TABLE)


def _rows(cells: Sequence[CountCell], area: Area) -> int:
    return max(2, -(-len(cells) // 2) if _beside_each_other(cells, area) else len(cells))


def _most_below(area: Area, lines: int) -> int:
    """Return how many teams fit on the display next to so many lines of captions and hints."""
    rows = max(1, (area.h - lines * CAPTION_PX) // ROW_PX)
    return 2 * rows if area.is_wide else rows


def _count_page(
    canvas: Canvas, screen: CountScreen | FixScreen, most: int = ON_A_PAGE
) -> tuple[Sequence[CountCell], str]:
    """Return the counts on the current page of at most `most`, and the page number.

    Only some pages are shown: those where the knob enters a count (for a past hand: where anyone does). If there are
    none, the pages with unfinished counts are shown; if there are none either, all pages.
    """
    sides = all_pages(screen.cells, most)
    past = isinstance(screen, FixScreen)
    entered = [side for side in sides if any(c.cursor is not None and (past or c.pen == KNOB) for c in side[0])]
    busy = [side for side in sides if not all(cell.done for cell in side[0])]
    shown = entered or busy or sides
    return shown[canvas.page % len(shown)]


def _beside(area: Area) -> list[Area]:
    left, right = area.columns(2)
    return [left.inset(right=TABLES_GAP_PX // 2), right.inset(left=TABLES_GAP_PX // 2)]


def _captions(canvas: Canvas, area: Area, groups: Sequence[Group], lead: str) -> None:
    """Draw the captions of the columns. Draw the text `lead` left of them if it fits."""
    if width_of(lead, HINT) < groups[0].left:
        put(canvas, area, lead, HINT)
    for group in groups:
        put(canvas, area.inset(right=area.w - group.right), group.caption, HINT, 1.0)


def _table(canvas: Canvas, area: Area, cells: Sequence[CountCell], rows: int, groups: Sequence[Group]) -> None:
    """Draw one row for each count in `cells`. `rows`: into how many rows the area is divided."""
    for cell, place in zip(cells, area.rows(rows), strict=False):
        _row(canvas, place, cell, groups)


def _groups(screen: CountScreen | FixScreen, width_px: int, cells: Sequence[CountCell]) -> list[Group]:
    """Return the table's columns, so that the last one ends at the right edge.

    A column is as wide as its caption or its digits.
    """
    heads = [display_text(name) for name in screen.field_names]
    tight = width_px < 100
    named = list(dict.fromkeys(heads))
    groups, right = list[Group](), width_px - 1
    for head in reversed(named):
        fields = tuple(i for i, name in enumerate(heads) if name == head)
        caption = f"{head[: CAPTION_LETTERS - 1]}." if tight and len(head) > CAPTION_LETTERS else head
        digits = max((sum(len(_digit(cell, i)) for i in fields) for cell in cells), default=len(fields))
        wide = max(width_of(caption, HINT), width_of("0" * max(digits, 2), MIDDLE))
        groups.insert(0, Group(caption, fields, right - wide, right))
        right -= wide + (TIGHT_GAP_PX if tight else GAP_PX)
    return groups


def _digit(cell: CountCell, field: int) -> str:
    """Return the text of a field of a count; "_" if nothing is entered yet."""
    value = cell.fields[field] if field < len(cell.fields) else ""
    return "_" if value is None else value


def _row(canvas: Canvas, area: Area, cell: CountCell, groups: Sequence[Group]) -> None:
    """Draw a team's label and digits, with a tick if done or a sign if its phone is asleep."""
    if cell.refusal:
        _refusal(canvas, area, cell.label.numbers[0], display_text(cell.refusal))
        return
    face = TALL if area.h >= TALL_ROW_PX and area.w >= 100 else MIDDLE
    left = min(area.x + group.right - width_of(_text(cell, group), face) for group in groups)
    room = left - area.x - LABEL_GAP_PX - (TICK_PX if cell.done else ASLEEP_PX if cell.asleep else 0)
    x = put_label(canvas, area.x, area, cell.label, fit_label(cell.label, room, 0))
    if cell.done and x + TICK_PX <= left:
        canvas.text(x + 1, baseline_y(area, MIDDLE), "✓", font(MIDDLE))
    if cell.asleep:
        sign = ASLEEP if x + ASLEEP_PX <= left else ASLEEP[:1]
        canvas.text(x + min(ASLEEP_GAP_PX, left - x - width_of(sign, HINT)), baseline_y(area, HINT), sign, font(HINT))
    for group in groups:
        _digits(canvas, area, cell, group, face)


def _text(cell: CountCell, group: Group) -> str:
    return "".join(_digit(cell, i) for i in group.fields)


def _digits(canvas: Canvas, area: Area, cell: CountCell, group: Group, face: str) -> None:
    """Draw a team's digits in one column, right-aligned. Invert the field being entered."""
    x = area.x + group.right - width_of(_text(cell, group), face) + 1
    y = baseline_y(area, face)
    for field in group.fields:
        begin, text = x, _digit(cell, field)
        low = text == "_" and face == MIDDLE and area.h < font(MIDDLE).height  # its underline would be in the next row
        x = canvas.text(x, y - LOW_PX * low, text, font(face))
        if field == cell.cursor:
            top = max(area.y, y + CAP_TOP[face] - 1)
            bottom = min(area.y + area.h, y + CAP_TOP[face] + CAP_PX[face] + 1)
            canvas.flip(Area(begin - 1, top, x - begin + 1, bottom - top))


def _refusal(canvas: Canvas, area: Area, number: int, sentence: str) -> None:
    """Draw why a team's count cannot be right. This inverted text replaces the team's row.

    `number`: the team's seat number. `sentence`: the reason.
    """
    badge(canvas, area.x, area, number)
    badge_px = badges_px((number,))
    width = (area.w - badge_px - 4) // 6
    text = sentence if len(sentence) <= width else squeeze(sentence, width)
    put(canvas, area.inset(left=badge_px + 3), text, HINT)
    canvas.flip(area.inset(right=1, bottom=1 if area.h > ROW_PX else 0))


def squeeze(text: str, width: int) -> str:
    """Join as many of the first words as fit in `width` characters, without spaces.

    >>> squeeze("13+45 > 52 CARDS", 8)
    '13+45>52'
    """
    out = ""
    for part in text.split():
        if len(out + part) > width:
            break
        out += part
    return out


SCREENS: Pictures = {CountScreen: count, FixScreen: fix}
