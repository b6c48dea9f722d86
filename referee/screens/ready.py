"""READY: deal and tap. Whom we wait for stands in the middle, and big when only they are missing."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import Label, ReadyScreen
from referee.language.told import shown_within
from referee.language.words import Word
from referee.screens import words
from referee.screens.canvas import HINT, LARGE, MIDDLE, Area, Canvas
from referee.screens.fonts import font
from referee.screens.labels import large_row, on_page, waiting
from referee.screens.parts import SQUEEZE_PX, Band, Pictures, big, header, line, put, shorten, stack
from referee.screens.wide import is_wide, split, totals_panel

DEAL = Word("deal", words.LARGE)
WAITING_FOR = Word("waiting_for", words.SMALL)
TAP_WHEN_READY = Word("tap_when_ready", words.MIDDLE)
STILL_TO_TAP = Word("still_to_tap", words.MIDDLE)
BUTTON_DOWN = Word("button_down", words.MIDDLE, number=12)
OTHER_BUTTON = Word("other_button", words.SMALL)
WITHOUT_IT = Word("without_it", words.SMALL)

SITS_OUT = ("note.sits_out", "note.sit_out")
IN_A_ROW, NUMBERED_IN_A_ROW = 4, 3
"""Labels with two letters that fit beside each other; with numbers of two digits among them fewer do."""
DEAL_PX, HINT_PX = 14, 12
"""The least that the word needs, and the line that says that those who are named are to tap."""
ROOMY_PX = 55
"""From this height on the word may be large and still leave "waiting for" its line: a banner is less, a lesson more."""


def ready(canvas: Canvas, area: Area, screen: ReadyScreen) -> None:
    if screen.let_go is not None:
        return stack(canvas, area, _let_go(screen.let_go, is_wide(area)))
    missing = screen.emphasis and 1 <= len(screen.waiting) <= 2
    rows = _missing(screen) if missing else _dealing(screen, area.h, *on_page(canvas, screen.waiting))
    if not is_wide(area):
        return stack(canvas, area, rows)
    left, right = split(canvas, area)
    totals_panel(canvas, right, screen.lines)
    return stack(canvas, left, rows)


def hand_header(hand: int, target: int | None) -> Band:
    return header(words.HAND_SMALL(hand=hand), "" if target is None else words.TARGET(target=target))


def _dealing(screen: ReadyScreen, height: int, missing: Sequence[Label], page: str) -> list[Band]:
    """What to do, then whom the table waits for, and that these are to tap: where names need the room of that line they
    are smaller, and where that is not enough DEAL goes. A note costs the header its place, and the first one stays
    longest."""
    told = (*screen.notes[screen.note :], *screen.notes[: screen.note])
    notes = [
        line(shorten(shown_within(n, words.SMALL), words.SMALL), keep=5 - at, name=HINT)
        for at, n in enumerate(told[:2])
    ]
    across = NUMBERED_IN_A_ROW if any(who.numbers[0] > 9 for who in missing) else IN_A_ROW
    many = len(missing) > across
    large = height >= ROOMY_PX and not notes and not many
    deal = Band(28 if large else 16, lambda c, a: put(c, a, DEAL(), LARGE if a.h >= 24 else MIDDLE), 7, least=DEAL_PX)
    if not screen.waiting:
        return [hand_header(screen.hand, screen.target), deal, *notes, line(words.ALL_READY(), name=MIDDLE)]
    parts = [missing[i : i + across] for i in range(0, len(missing), across)]
    rows = [waiting(part, MIDDLE) for part in parts]
    if font(MIDDLE).height + HINT_PX + sum(row.px for row in rows) > height + SQUEEZE_PX:
        rows = [waiting(part, HINT) for part in parts]
    wait_for = header(WAITING_FOR(), page, keep=8)._replace(px=12) if page else line(WAITING_FOR(), keep=8, name=HINT)
    return [hand_header(screen.hand, screen.target), deal, *notes, wait_for, *rows]


def _deal(canvas: Canvas, area: Area) -> None:
    put(canvas, area, DEAL(), LARGE if area.h >= 24 else MIDDLE)


def _missing(screen: ReadyScreen) -> list[Band]:
    """One name as large as it can be; two in a row each, for three rows of that size do not fit. The row above two says
    that it is they who are missing: they were taken for those who are ready."""
    out = [note for note in screen.notes if note.key in SITS_OUT]
    head = line(shown_within(out[0], words.SMALL), keep=5) if out else hand_header(screen.hand, screen.target)
    if len(screen.waiting) == 1:
        return [head, large_row(screen.waiting[0]), line(TAP_WHEN_READY(), keep=8, name=MIDDLE)]
    names = [waiting((who,), MIDDLE) for who in screen.waiting]
    return [head, line(STILL_TO_TAP(), keep=8, name=MIDDLE), *names, line(TAP_WHEN_READY())]


def _let_go(who: Label, wide: bool) -> list[Band]:
    """A button is held down, or lies under something: it would miss the call."""
    down = BUTTON_DOWN(number=who.numbers[0])
    if wide:
        let_go = Band(48, lambda c, a: big(c, a, words.LET_GO()), least=40)
        return [header(down, OTHER_BUTTON(), keep=6), let_go, line(WITHOUT_IT(), keep=5)]
    return [
        line(down, name=MIDDLE),
        Band(28, lambda c, a: put(c, a, words.LET_GO(), LARGE), least=24),
        line(OTHER_BUTTON(), keep=6, name=HINT),
        line(WITHOUT_IT(), keep=5),
    ]


SCREENS: Pictures = {ReadyScreen: ready}
