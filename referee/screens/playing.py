"""PLAYING: the hand's clock and the totals; nothing else moves while cards do."""

from __future__ import annotations

from referee.core import units
from referee.core.model.view import PlayingScreen
from referee.screens import words
from referee.screens.canvas import LARGE, MIDDLE, Area, Canvas
from referee.screens.labels import by_place, flow_lines, total_entry, totals
from referee.screens.parts import Band, line, put, stack
from referee.screens.ready import hand_header
from referee.screens.wide import is_wide, split, totals_panel


def playing(canvas: Canvas, area: Area, screen: PlayingScreen) -> None:
    clock = Band(32, lambda c, a: put(c, a, units.clock_text(screen.played_ns), LARGE), least=24)
    head = hand_header(screen.hand, screen.target)
    hint = line(words.TIME_OUT_HINT(), keep=3)
    if is_wide(area):
        left, right = split(canvas, area)
        totals_panel(canvas, right, screen.lines)
        return stack(canvas, left, [head, clock._replace(px=48), hint])
    if len(screen.lines) <= 4:
        return stack(canvas, area, [head, clock, totals(screen.lines, MIDDLE), hint])
    entries = [total_entry(t) for t in by_place(screen.lines)]
    both = Band(32, lambda c, a: flow_lines(c, a, entries, 2), least=28)
    return stack(canvas, area, [head, clock, both, hint])
