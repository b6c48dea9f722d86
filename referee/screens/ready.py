"""READY: deal and tap. Whom we wait for stands in the middle, and big when only they are missing."""

from __future__ import annotations

from referee.core.model.view import Label, ReadyScreen
from referee.screens import words
from referee.screens.canvas import LARGE, MIDDLE, SMALL, Area, Canvas
from referee.screens.labels import large_row, totals, waiting
from referee.screens.parts import Band, big, header, line, put, shorten, stack
from referee.screens.wide import is_wide, split, totals_panel


def ready(canvas: Canvas, area: Area, screen: ReadyScreen) -> None:
    if screen.let_go is not None:
        return stack(canvas, area, _let_go(screen.let_go, is_wide(area)))
    missing = screen.emphasis and 1 <= len(screen.waiting) <= 2
    rows = _missing(screen) if missing else _dealing(screen)
    if not is_wide(area):
        below = [] if missing and len(screen.waiting) == 2 else [totals(screen.lines, SMALL, keep=4 if missing else 6)]
        return stack(canvas, area, [*rows, *below])
    left, right = split(canvas, area)
    totals_panel(canvas, right, screen.lines)
    return stack(canvas, left, rows)


def hand_header(hand: int, target: int | None) -> Band:
    return header(words.HAND_SMALL(hand=hand), "" if target is None else words.TARGET(target=target))


def _dealing(screen: ReadyScreen) -> list[Band]:
    notes = [line(shorten(n, words.SMALL), keep=4) for n in screen.notes[:2]]
    deal = Band(32 - 8 * len(notes), lambda c, a: put(c, a, words.DEAL(), LARGE if a.h >= 24 else MIDDLE), least=16)
    who = (
        waiting(screen.waiting, MIDDLE, lead=words.WAIT_FOR())
        if screen.waiting
        else line(words.ALL_READY(), name=MIDDLE)
    )
    return [hand_header(screen.hand, screen.target), deal, *notes, who]


def _missing(screen: ReadyScreen) -> list[Band]:
    names = [large_row(who) for who in screen.waiting]
    if len(names) == 2:
        return names
    call = line(words.TAP_WHEN_READY(), keep=7, name=MIDDLE)
    return [hand_header(screen.hand, screen.target), names[0], call]


def _let_go(who: Label, wide: bool) -> list[Band]:
    """A button is held down, or lies under something: it would miss the call."""
    down = words.BUTTON_DOWN(number=who.numbers[0])
    if wide:
        let_go = Band(48, lambda c, a: big(c, a, words.LET_GO()), least=40)
        return [header(down, words.OTHER_BUTTON(), keep=6), let_go, line(words.WITHOUT_IT(), keep=5)]
    return [
        line(down, name=MIDDLE),
        Band(32, lambda c, a: put(c, a, words.LET_GO(), LARGE), least=24),
        line(words.OTHER_BUTTON(), keep=6),
        line(words.WITHOUT_IT(), keep=5),
    ]
