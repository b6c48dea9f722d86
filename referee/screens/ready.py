"""Draw READY: deal and tap.

The missing players are in the middle; the last one or two are big.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import Label, ReadyScreen
from referee.language.display import shown_within
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL_LETTERS, Area, Canvas
from referee.screens.fonts import font
from referee.screens.labels import large_row, on_page, waiting
from referee.screens.parts import SQUEEZE_PX, Band, Pictures, big, header, line, put, shorten, stack
from referee.screens.wide import split, totals_panel

SITS_OUT = ("note.sits_out", "note.sit_out")
IN_A_ROW, NUMBERED_IN_A_ROW = 4, 3
"""Labels with two letters that fit side by side; fewer if a number has two digits."""
DEAL_PX, HINT_PX = 14, 12
"""Minimum height of the word DEAL, and of the line that asks the named players to tap."""
ROOMY_PX = 55
"""Height from which the word DEAL can be large. A banner leaves less, a lesson more."""


def ready(canvas: Canvas, area: Area, screen: ReadyScreen) -> None:
    if screen.let_go is not None:
        return stack(canvas, area, _let_go(screen.let_go, area.is_wide))
    missing = screen.emphasis and 1 <= len(screen.waiting) <= 2
    rows = _missing(screen) if missing else _dealing(screen, area.h, *on_page(canvas, screen.waiting))
    if not area.is_wide:
        return stack(canvas, area, rows)
    left, right = split(canvas, area)
    totals_panel(canvas, right, screen.lines)
    return stack(canvas, left, rows)


def hand_header(hand: int, target: int | None) -> Band:
    return header(word("hand_small", hand=hand), "" if target is None else word("target", target=target))


def _dealing(screen: ReadyScreen, height: int, missing: Sequence[Label], page: str) -> list[Band]:
    """Return rows with the word DEAL, the missing players, and the request to tap.

    If names need more room, that line gets smaller; if that is not enough, DEAL is left out. A note replaces the
    header; the first note stays longest.
    """
    told = (*screen.notes[screen.note :], *screen.notes[: screen.note])
    notes = [
        line(shorten(shown_within(n, SMALL_LETTERS), SMALL_LETTERS), keep=5 - at, name=HINT)
        for at, n in enumerate(told[:2])
    ]
    across = NUMBERED_IN_A_ROW if any(who.numbers[0] > 9 for who in missing) else IN_A_ROW
    many = len(missing) > across
    large = height >= ROOMY_PX and not notes and not many
    deal = Band(28 if large else 16, _deal, 7, least=DEAL_PX)
    if not screen.waiting:
        return [hand_header(screen.hand, screen.target), deal, *notes, line(word("all_ready"), name=MIDDLE)]
    parts = [missing[i : i + across] for i in range(0, len(missing), across)]
    rows = [waiting(part, MIDDLE) for part in parts]
    if font(MIDDLE).height + HINT_PX + sum(row.px for row in rows) > height + SQUEEZE_PX:
        rows = [waiting(part, HINT) for part in parts]
    wait_for = line(word("waiting_for"), keep=8, name=HINT)
    if page:
        wait_for = header(word("waiting_for"), page, keep=8)._replace(px=12)
    return [hand_header(screen.hand, screen.target), deal, *notes, wait_for, *rows]


def _deal(canvas: Canvas, area: Area) -> None:
    put(canvas, area, word("deal"), LARGE if area.h >= 24 else MIDDLE)


def _missing(screen: ReadyScreen) -> list[Band]:
    """Return rows with one missing name as large as possible, or with two in a row each.

    The line above two names says that they are missing: people took them for players who are ready.
    """
    out = [note for note in screen.notes if note.key in SITS_OUT]
    head = line(shown_within(out[0], SMALL_LETTERS), keep=5) if out else hand_header(screen.hand, screen.target)
    if len(screen.waiting) == 1:
        return [head, large_row(screen.waiting[0]), line(word("tap_when_ready"), keep=8, name=MIDDLE)]
    names = [waiting((who,), MIDDLE) for who in screen.waiting]
    return [head, line(word("still_to_tap"), keep=8, name=MIDDLE), *names, line(word("tap_when_ready"))]


def _let_go(who: Label, wide: bool) -> list[Band]:
    """Return rows that ask a player to let go of a button: it could not call."""
    down = word("button_down", number=who.numbers[0])
    if wide:
        let_go = Band(48, lambda c, a: big(c, a, word("let_go")), least=40)
        return [header(down, word("other_button"), keep=6), let_go, line(word("without_it"), keep=5)]
    return [
        line(down, name=MIDDLE),
        Band(28, lambda c, a: put(c, a, word("let_go"), LARGE), least=24),
        line(word("other_button"), keep=6, name=HINT),
        line(word("without_it"), keep=5),
    ]


SCREENS: Pictures = {ReadyScreen: ready}
