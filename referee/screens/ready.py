"""Draw READY: deal and tap.

The missing players are in the middle; the last one or two are big.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import Label, ReadyScreen
from referee.language.display import shown_within
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL_LETTERS, Area, Canvas, width_of
from referee.screens.labels import flow_lines, label_entry, large_row, on_page, rows_needed
from referee.screens.parts import CAP_PX, Band, Pictures, big, header, line, put, shorten, stack
from referee.screens.wide import split, totals_panel

SITS_OUT = ("note.sits_out", "note.sit_out")
DEAL_PX, DEAL_SQUEEZE_PX = 14, 18
"""Minimum height of the word DEAL, and the height that it gives up before a row is left out."""
THEN_GAP_PX = 6
TWO_LARGE_PX = 64
"""Height of two large names with the line above them."""
THREE_LETTERS = 1
"""Index of the text with three letters in a label's item (`label_entry`)."""


def ready(canvas: Canvas, area: Area, screen: ReadyScreen) -> None:
    if screen.let_go is not None:
        return stack(canvas, area, _let_go(screen.let_go, area.is_wide))
    if area.is_wide:
        area, right = split(canvas, area)
        totals_panel(canvas, right, screen.lines)
    missing = screen.emphasis and 1 <= len(screen.waiting) <= (2 if area.h >= TWO_LARGE_PX else 1)
    rows = _missing(screen) if missing else _dealing(screen, *on_page(canvas, screen.waiting), area.w)
    return stack(canvas, area, rows, DEAL_SQUEEZE_PX)


def hand_header(hand: int, target: int | None) -> Band:
    return header(word("hand_small", hand=hand), "" if target is None else word("target", target=target))


def _dealing(screen: ReadyScreen, missing: Sequence[Label], page: str, width_px: int) -> list[Band]:
    """Return rows with what to do (DEAL), two notes, and the players who must still tap.

    If room is short, the second note is left out before the first.
    """
    told = (*screen.notes[screen.note :], *screen.notes[: screen.note])
    notes = [
        line(shorten(shown_within(n, SMALL_LETTERS), SMALL_LETTERS), keep=5 - at, name=HINT)
        for at, n in enumerate(told[:2])
    ]
    head = header(word("hand_small", hand=screen.hand), page) if page else hand_header(screen.hand, screen.target)
    if not missing:
        return [head, line(word("all_ready"), name=MIDDLE), *notes]
    entries = [label_entry(who) for who in missing]
    rows = min(2, rows_needed(entries, width_px, MIDDLE, THREE_LETTERS))
    deal = Band(28, _deal, least=DEAL_PX)
    return [head, deal, *notes, Band(16 * rows, lambda c, a: flow_lines(c, a, [entries], rows), least=14 * rows)]


def _deal(canvas: Canvas, area: Area) -> None:
    """Draw "DEAL then tap", or "TAP when ready" if a hand is a round.

    The first word is large if the row is high enough.
    """
    name = LARGE if area.h >= CAP_PX[LARGE] else MIDDLE
    put(canvas, area, word("deal"), name)
    free = area.inset(left=width_of(word("deal"), name) + THEN_GAP_PX)
    then = word("waiting_for")
    parts = then.split(" ", 1) if name == LARGE else [then]
    for text, row in zip(parts, free.rows(len(parts)), strict=True):
        put(canvas, row, text, HINT)


def _missing(screen: ReadyScreen) -> list[Band]:
    """Return rows with the names of players who must still tap, as large as possible.

    A line above two names says that they must still tap: without it, people took them for ready.
    """
    out = [note for note in screen.notes if note.key in SITS_OUT]
    head = line(shown_within(out[0], SMALL_LETTERS), keep=5) if out else hand_header(screen.hand, screen.target)
    if len(screen.waiting) == 1:
        return [head, large_row(screen.waiting[0]), line(word("tap_when_ready"), keep=8, name=MIDDLE)]
    return [head, line(word("still_to_tap"), name=HINT), *(large_row(who, least=26) for who in screen.waiting)]


def _let_go(who: Label, wide: bool) -> list[Band]:
    """Return rows that ask a player to let go of a button. While it is down, it cannot call."""
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
