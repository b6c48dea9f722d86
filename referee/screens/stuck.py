"""Draw a stuck table: call now or never, then search; and the beats of a burn."""

from __future__ import annotations

from referee.core.model.view import BurnScreen, CallNowScreen, SearchScreen
from referee.core.values import replace
from referee.language.display import display_text
from referee.language.words import DISPLAY, has_text, word
from referee.screens.canvas import HINT, LARGE, MIDDLE, Area, Canvas
from referee.screens.labels import waiting
from referee.screens.parts import Band, Pictures, big, both_sides, line, put, stack
from referee.screens.wide import labels_panel, split

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


SCREENS: Pictures = {CallNowScreen: call_now, SearchScreen: search, BurnScreen: burn}
