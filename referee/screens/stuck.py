"""STUCK: call now or never, then search; BURN: turn cards together on the beat."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import BurnScreen, CallNowScreen, Label, SearchScreen
from referee.core.values import replace
from referee.language.told import shown
from referee.screens import words
from referee.screens.canvas import LARGE, MIDDLE, Area, Canvas, width_of
from referee.screens.labels import BADGE_PX, badges
from referee.screens.parts import Band, big, header, line, put, stack
from referee.screens.wide import is_wide, labels_panel, split

TOWER_ROWS = 2  # missing teams beside the big row stand in two rows


def call_now(canvas: Canvas, area: Area, screen: CallNowScreen) -> None:
    if is_wide(area):
        press = f"{words.SECONDS(s=screen.left_s)}  {words.PRESS_CALLS()}"
        head = Band(16, lambda c, a: _sides(c, a, words.PILE_EMPTY(), press))
        return stack(canvas, area, [head, Band(48, lambda c, a: big(c, a, words.CALL_NOW()), least=32)])
    rows = [
        line(words.PILE_EMPTY(), keep=8, name=MIDDLE),
        Band(40, lambda c, a: put(c, a, words.CALL_NOW(), LARGE), least=24),
        header(words.SECONDS(s=screen.left_s), words.PRESS_CALLS(), keep=7),
    ]
    return stack(canvas, area, rows)


def _sides(canvas: Canvas, area: Area, left: str, right: str) -> None:
    put(canvas, area, left, MIDDLE)
    put(canvas, area, right, MIDDLE, 1.0)


def search(canvas: Canvas, area: Area, screen: SearchScreen) -> None:
    if is_wide(area):
        area, right = split(canvas, area)
        labels_panel(canvas, right, screen.waiting)
        screen = replace(screen, waiting=())
    rows = [
        line((words.SEARCH_TWICE if screen.times == 2 else words.SEARCH_ONCE)(), keep=8, name=MIDDLE),
        Band(32, lambda c, a: _answered(c, a, screen), least=24),
        line(words.TAP_NOTHING(), keep=6),
        line(words.HOLD_CAN_PLAY(), keep=7),
    ]
    stack(canvas, area, rows)


def _answered(canvas: Canvas, area: Area, screen: SearchScreen) -> None:
    """ "2 OF 4" and, at its right, the numbers of those who still search."""
    text = words.SO_MANY_OF(done=screen.answered, all=screen.teams)
    put(canvas, area, text, LARGE)
    _missing(canvas, area.inset(left=width_of(text, LARGE) + 4), screen.waiting)


def _missing(canvas: Canvas, area: Area, labels: Sequence[Label]) -> None:
    """Badges in two rows, where all of them fit."""
    numbers = [who.numbers[0] for who in labels]
    across = -(-len(numbers) // TOWER_ROWS)
    if area.h < 14 * TOWER_ROWS or across * (BADGE_PX + 1) > area.w:
        return
    for i, row in enumerate(area.rows(TOWER_ROWS)):
        badges(canvas, row.x, row, numbers[i * across : (i + 1) * across])


def burn(canvas: Canvas, area: Area, screen: BurnScreen) -> None:
    """The beat as large as it goes. `pile` says what is turned over."""
    again = words.NO_PLAY_YET() if screen.burns > 1 else ""
    how = words.BURN_HOW.get(screen.pile)
    rows = [
        header(words.BURN_COUNT(count=screen.burns), again, keep=7),
        Band(48, lambda c, a: big(c, a, shown(screen.word)), least=32),
        line(how() if how else "", keep=6),
    ]
    stack(canvas, area, rows)
