"""Draw the test of the buttons, and the picture that says when to pull the plug."""

from __future__ import annotations

from referee.core.phases.device import CheckScreen, OffScreen
from referee.language.words import word
from referee.screens.canvas import MIDDLE, Area, Canvas
from referee.screens.fonts import font
from referee.screens.labels import NAME_GAP_PX, badge, grid
from referee.screens.parts import ALWAYS, Band, Pictures, baseline_y, big, header, line, stack


def check(canvas: Canvas, area: Area, screen: CheckScreen) -> None:
    """Draw every seat's number, with a tick if its button has been pressed."""
    rows = [
        header(word("press_each"), "" if not screen.turned else f"{screen.turned:+}", keep=5),
        Band(47, lambda c, a: _buttons(c, a, screen), ALWAYS, least=32),
        line(word("push_done"), keep=3),
    ]
    stack(canvas, area, rows)


def off(canvas: Canvas, area: Area, screen: OffScreen) -> None:
    """Draw the picture that stays on the display when the program has ended."""
    rows = [
        Band(40, lambda c, a: big(c, a, word("off")), ALWAYS, least=24),
        line(word("pull_plug"), name=MIDDLE, align=0.5),
        line(word("plug_when", n=screen.unplug_s), keep=5, align=0.5),
    ]
    stack(canvas, area, rows)


def _buttons(canvas: Canvas, area: Area, screen: CheckScreen) -> None:
    columns = 2 if len(screen.seats) <= 4 else 4
    rows = max(-(-len(screen.seats) // columns), 2)
    grid(canvas, area, len(screen.seats), columns, rows, lambda a, i: _button(canvas, a, *screen.seats[i]))


def _button(canvas: Canvas, area: Area, number: int, pressed: bool) -> None:
    x = badge(canvas, area.x, area, number) + NAME_GAP_PX
    canvas.text(x, baseline_y(area, MIDDLE), "✓" if pressed else "–", font(MIDDLE))


SCREENS: Pictures = {CheckScreen: check, OffScreen: off}
