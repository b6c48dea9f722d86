"""Draw a hand: READY, PLAYING, and a table where no team can play.

The missing players are in the middle; the last one or two are big.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core import units
from referee.core.model.view import (
    PAGE_NS,
    BurnScreen,
    CallNowScreen,
    Label,
    PlayingScreen,
    ReadyScreen,
    SearchScreen,
    TeamLine,
)
from referee.core.values import replace
from referee.language.display import display_text, shown_within
from referee.language.words import DISPLAY, has_text, word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL_LETTERS, Area, Canvas, width_of
from referee.screens.labels import (
    by_place,
    flow_lines,
    grid,
    label_entry,
    large_row,
    on_page,
    rows_needed,
    score_cell,
    total_text,
    waiting,
)
from referee.screens.parts import CAP_PX, Band, Pictures, big, both_sides, header, line, put, shorten, stack
from referee.screens.tables import labels_panel, split, totals_panel

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


ON_A_PAGE = 4
"""Maximum number of teams on a page; their totals are 16 pixels high, two in a row."""
COLUMN_GAP_PX = 8
CLOCK_GAP_PX = 4


def playing(canvas: Canvas, area: Area, screen: PlayingScreen) -> None:
    hint = line(_later(screen) if screen.later else word("time_out_hint"), keep=3, name=HINT)
    if area.is_wide:
        left, right = split(canvas, area)
        totals_panel(canvas, right, screen.lines)
        clock = Band(44, lambda c, a: put(c, a, units.clock_text(screen.played_ns), LARGE), least=24)
        return stack(canvas, left, [hand_header(screen.hand, screen.target), clock, hint])
    if len(screen.lines) <= 2:
        clock = Band(28, lambda c, a: put(c, a, units.clock_text(screen.played_ns), LARGE), least=24)
        rows = [hand_header(screen.hand, screen.target), clock, _totals(screen.lines)]
        return stack(canvas, area, [*rows, hint])
    shown, page = _page(screen)
    return stack(canvas, area, [_clock_row(screen, page), _totals(shown), hint])


def _later(screen: PlayingScreen) -> str:
    """Return a text that says who starts later: in how many seconds, or that they start now."""
    who = " ".join(label.short for label in screen.later)
    return shorten(word("later" if screen.later_s else "own_go", who=who, s=screen.later_s), SMALL_LETTERS)


def _page(screen: PlayingScreen) -> tuple[Sequence[TeamLine], str]:
    """Return the teams on the current page and its number. On several pages, leaders come first."""
    if len(screen.lines) <= ON_A_PAGE:
        return screen.lines, ""
    pages = -(-len(screen.lines) // ON_A_PAGE)
    page = screen.played_ns // PAGE_NS % pages
    return by_place(screen.lines)[page * ON_A_PAGE :][:ON_A_PAGE], f"{page + 1}/{pages}"


def _clock_row(screen: PlayingScreen, page: str) -> Band:
    """Return a row with the clock and, at the right, the target or the page number."""
    clock = units.clock_text(screen.played_ns)
    end = page or ("" if screen.target is None else word("target", target=screen.target))

    def paint(canvas: Canvas, area: Area) -> None:
        put(canvas, area, clock, MIDDLE)
        played = area.inset(left=width_of(clock, MIDDLE) + CLOCK_GAP_PX)
        if played.w >= width_of(word("clock_played") + " " + end, HINT):
            put(canvas, played, word("clock_played"), HINT)
        put(canvas, area, end, HINT, 1.0)

    return Band(18, paint, least=14)


def _totals(lines: Sequence[TeamLine]) -> Band:
    """Return rows with two teams each. A team's name is left of its total."""
    rows = -(-len(lines) // 2)

    def paint(canvas: Canvas, area: Area) -> None:
        def cell(place: Area, i: int) -> None:
            place = place.inset(right=COLUMN_GAP_PX // 2) if i % 2 == 0 else place.inset(left=COLUMN_GAP_PX // 2)
            score_cell(canvas, place, lines[i], total_text(lines[i]), lines[i].shared)

        grid(canvas, area, len(lines), 2, rows, cell)

    return Band(16 * rows, paint, least=14 * rows)


TOGETHER_PX = 84
"""Width at the left of a burn's beat, for the words."""
BANNER_SQUEEZE_PX = 9
"""Height that CALL NOW loses to a banner; that a press is the call stays visible."""
LESSON_SQUEEZE_PX = 8
"""Height that the rows of SEARCH lose to a line for newcomers; both answers stay visible."""


def call_now(canvas: Canvas, area: Area, screen: CallNowScreen) -> None:
    if area.is_wide:
        press = "  ".join((word("seconds", s=screen.left_s), word("press_calls")))
        head = Band(16, lambda c, a: _sides(c, a, word("pile_empty"), press))
        return stack(canvas, area, [head, Band(48, lambda c, a: big(c, a, word("call_now")), least=32)])
    rows = [
        line(word("pile_empty"), keep=8, name=MIDDLE),
        Band(36, lambda c, a: put(c, a, word("call_now"), LARGE), least=24),
        both_sides(word("seconds", s=screen.left_s), word("press_calls"), keep=7),
    ]
    return stack(canvas, area, rows, squeeze_px=BANNER_SQUEEZE_PX)


def _sides(canvas: Canvas, area: Area, left: str, right: str) -> None:
    put(canvas, area, left, MIDDLE)
    put(canvas, area, right, MIDDLE, 1.0)


def search(canvas: Canvas, area: Area, screen: SearchScreen) -> None:
    if area.is_wide:
        area, right = split(canvas, area)
        labels_panel(canvas, right, screen.waiting)
        screen = replace(screen, waiting=())
    still = (
        [waiting(screen.waiting, MIDDLE, lead=word("wait_for"), must_lead=True)]
        if screen.waiting
        else [_answers_text(screen)]
    )
    rows = [
        line(word("search_twice" if screen.times == 2 else "search_once"), keep=8, name=MIDDLE),
        *still,
        line(word("tap_nothing"), keep=6, name=HINT),
        line(word("hold_can_play"), keep=7, name=HINT),
    ]
    stack(canvas, area, rows, squeeze_px=LESSON_SQUEEZE_PX)


def _answers_text(screen: SearchScreen) -> Band:
    """Return a row that says how many teams have answered, and how many there are."""
    text = word("so_many_of", done=screen.answered, all=screen.teams)
    return Band(20, lambda c, a: put(c, a, text, MIDDLE), least=14)


def burn(canvas: Canvas, area: Area, screen: BurnScreen) -> None:
    """Draw a beat of the countdown as large as possible, and which card goes where."""
    how = f"burn_{screen.pile}"
    beat = _together if isinstance(screen.word, int) else lambda c, a, s: big(c, a, display_text(s.word))
    rows = [
        Band(52, lambda c, a: beat(c, a, screen), least=40),
        line(word(how) if has_text(DISPLAY, how) else "", keep=6, name=HINT),
    ]
    stack(canvas, area, rows)


def _together(canvas: Canvas, area: Area, screen: BurnScreen) -> None:
    """Draw the beat's number at the right, and at the left that all teams act at the same time.

    If this is not the first joint move since the last play, also draw how many there were.
    """
    burns = screen.pile in ("stream", "reserve")
    said = Area(area.x, area.y, TOGETHER_PX, area.h)
    big(canvas, area.inset(left=TOGETHER_PX), display_text(screen.word))
    counted = word("burn_count" if burns else "move_count", count=screen.burns)
    rows = [
        line(word("all_teams"), name=MIDDLE),
        line(word("burn_in" if burns else "move_in"), name=MIDDLE),
        *([line(counted, keep=5), line(word("no_play_yet"), keep=5)] if screen.burns > 1 else []),
    ]
    stack(canvas, said, rows)


SCREENS: Pictures = {
    ReadyScreen: ready,
    PlayingScreen: playing,
    CallNowScreen: call_now,
    SearchScreen: search,
    BurnScreen: burn,
}
