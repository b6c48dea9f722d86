"""PLAYING: the hand's clock and the totals; nothing else moves while cards do."""

from __future__ import annotations

from referee.core import units
from referee.core.view import PlayingScreen
from referee.screens import words
from referee.screens.canvas import LARGE, MIDDLE, Area, Canvas
from referee.screens.parts import Row, by_place, flow, line, put, stack, total_entry, totals
from referee.screens.ready import hand_header


def playing(canvas: Canvas, area: Area, screen: PlayingScreen) -> None:
    clock = Row(32, lambda c, a: put(c, a, units.clock_text(screen.played_ns), LARGE), least=24)
    head = hand_header(screen.hand, screen.target)
    hint = line(words.TIME_OUT_HINT(), keep=3)
    if len(screen.lines) <= 4:
        return stack(canvas, area, [head, clock, totals(screen.lines, MIDDLE), hint])
    return stack(canvas, area, [head, clock, *_two_lines(screen), hint])


def _two_lines(screen: PlayingScreen) -> list[Row]:
    """More than four teams: the leaders above, the rest below."""
    lines = by_place(screen.lines)
    halves = [[total_entry(t) for t in part] for part in (lines[:4], lines[4:])]
    return [Row(16, lambda c, a, half=half: flow(c, a, half, MIDDLE), least=14) for half in halves]
