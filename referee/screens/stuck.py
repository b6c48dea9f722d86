"""STUCK: call now or never, then search; BURN: turn cards together on the beat."""

from __future__ import annotations

from referee.core.model.view import BurnScreen, CallNowScreen, SearchScreen
from referee.core.values import replace
from referee.language.told import display_text
from referee.language.words import Word
from referee.screens import words
from referee.screens.canvas import HINT, LARGE, MIDDLE, Area, Canvas
from referee.screens.labels import waiting
from referee.screens.parts import Band, Pictures, big, both_sides, line, put, stack
from referee.screens.wide import is_wide, labels_panel, split

PILE_EMPTY = Word("pile_empty", words.MIDDLE)
CALL_NOW = Word("call_now", words.LARGE)
PRESS_CALLS = Word("press_calls", 15)
SEARCH_TWICE = Word("search_twice", words.MIDDLE)
SEARCH_ONCE = Word("search_once", words.MIDDLE)
TAP_NOTHING = Word("tap_nothing", words.SMALL)
HOLD_CAN_PLAY = Word("hold_can_play", words.SMALL)
ALL_TEAMS = Word("all_teams", 10)
BURN_IN = Word("burn_in", 10)
MOVE_IN = Word("move_in", 10)
BURN_COUNT = Word("burn_count", 9, count=9)
MOVE_COUNT = Word("move_count", 9, count=9)
NO_PLAY_YET = Word("no_play_yet", 12)
BURN_HOW = {
    "stream": Word("burn_stream", words.SMALL),
    "reserve": Word("burn_reserve", words.SMALL),
    "waste": Word("burn_waste", words.SMALL),
    "hand": Word("burn_hand", words.SMALL),
    "stock": Word("burn_stock", words.SMALL),
}

TOGETHER_PX = 84
"""What a burn's beat leaves to the words beside its number."""
BANNER_SQUEEZE_PX = 9
"""What CALL NOW gives where a banner stands below: that a press is the call stays."""
LESSON_SQUEEZE_PX = 8
"""What the rows of SEARCH give where a line for newcomers stands below them: both answers stay."""


def call_now(canvas: Canvas, area: Area, screen: CallNowScreen) -> None:
    if is_wide(area):
        press = f"{words.SECONDS(s=screen.left_s)}  {PRESS_CALLS()}"
        head = Band(16, lambda c, a: _sides(c, a, PILE_EMPTY(), press))
        return stack(canvas, area, [head, Band(48, lambda c, a: big(c, a, CALL_NOW()), least=32)])
    rows = [
        line(PILE_EMPTY(), keep=8, name=MIDDLE),
        Band(36, lambda c, a: put(c, a, CALL_NOW(), LARGE), least=24),
        both_sides(words.SECONDS(s=screen.left_s), PRESS_CALLS(), keep=7),
    ]
    return stack(canvas, area, rows, squeeze_px=BANNER_SQUEEZE_PX)


def _sides(canvas: Canvas, area: Area, left: str, right: str) -> None:
    put(canvas, area, left, MIDDLE)
    put(canvas, area, right, MIDDLE, 1.0)


def search(canvas: Canvas, area: Area, screen: SearchScreen) -> None:
    if is_wide(area):
        area, right = split(canvas, area)
        labels_panel(canvas, right, screen.waiting)
        screen = replace(screen, waiting=())
    still = (
        [waiting(screen.waiting, MIDDLE, lead=words.WAIT_FOR(), must_lead=True)]
        if screen.waiting
        else [_answers_text(screen)]
    )
    rows = [
        line((SEARCH_TWICE if screen.times == 2 else SEARCH_ONCE)(), keep=8, name=MIDDLE),
        *still,
        line(TAP_NOTHING(), keep=6, name=HINT),
        line(HOLD_CAN_PLAY(), keep=7, name=HINT),
    ]
    stack(canvas, area, rows, squeeze_px=LESSON_SQUEEZE_PX)


def _answers_text(screen: SearchScreen) -> Band:
    """How many have answered, where nobody is named."""
    text = words.SO_MANY_OF(done=screen.answered, all=screen.teams)
    return Band(20, lambda c, a: put(c, a, text, MIDDLE), least=14)


def burn(canvas: Canvas, area: Area, screen: BurnScreen) -> None:
    """The beat as large as it goes, and before it who does what together; below, which card goes where."""
    how = BURN_HOW.get(screen.pile)
    beat = _together if isinstance(screen.word, int) else lambda c, a, s: big(c, a, display_text(s.word))
    rows = [
        Band(52, lambda c, a: beat(c, a, screen), least=40),
        line(how() if how else "", keep=6, name=HINT),
    ]
    stack(canvas, area, rows)


def _together(canvas: Canvas, area: Area, screen: BurnScreen) -> None:
    """ "ALL BURN IN 3": that it is everybody, and what, left of the number; which time it is without a play."""
    burns = screen.pile in ("stream", "reserve")
    said = Area(area.x, area.y, TOGETHER_PX, area.h)
    big(canvas, area.inset(left=TOGETHER_PX), display_text(screen.word))
    counted = (BURN_COUNT if burns else MOVE_COUNT)(count=screen.burns)
    rows = [
        line(ALL_TEAMS(), name=MIDDLE),
        line((BURN_IN if burns else MOVE_IN)(), name=MIDDLE),
        *([line(counted, keep=5), line(NO_PLAY_YET(), keep=5)] if screen.burns > 1 else []),
    ]
    stack(canvas, said, rows)


SCREENS: Pictures = {CallNowScreen: call_now, SearchScreen: search, BurnScreen: burn}
