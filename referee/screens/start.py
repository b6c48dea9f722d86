"""Draw a countdown: one word as large as the display; or why it was stopped, and by whom."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import CountdownScreen, Label, WaitScreen
from referee.language.display import display_text
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, Area, Canvas
from referee.screens.labels import large_label, waiting
from referee.screens.parts import Band, Pictures, big, line, put, stack
from referee.screens.wide import labels_panel, split


def countdown(canvas: Canvas, area: Area, screen: CountdownScreen) -> None:
    if screen.word is not None:
        return big(canvas, area, display_text(screen.word))
    lead = word("go_on") if screen.resuming else word("all_ready")
    press = line(word("any_press_waits"), align=0.5, name=HINT)
    return stack(canvas, area, [Band(48, lambda c, a: big(c, a, lead), least=32), press])


def wait(canvas: Canvas, area: Area, screen: WaitScreen) -> None:
    """Draw who stopped the countdown, or whose button is down.

    A single player is big; several are in a row.
    """
    if screen.held:
        return waits_for(canvas, area, word("let_go"), screen.held, word("a_button_down"))
    foot = word("push_go_on" if screen.by_knob else "tap_again")
    return waits_for(canvas, area, word("wait"), screen.labels, foot)


def waits_for(canvas: Canvas, area: Area, word: str, labels: Sequence[Label], foot: str, lead: str = "") -> None:
    """Draw a word, the players whom it concerns, and the text `foot` on what they must do.

    A single player is big; several are in a row after `lead`.
    """
    below = line(foot, keep=3, align=0.5, name=HINT)
    if area.is_wide:
        left, right = split(canvas, area)
        alone = len(labels) == 1
        large_label(canvas, right, labels[0]) if alone else labels_panel(canvas, right, labels)
        return stack(canvas, left, [Band(56, lambda c, a: put(c, a, word, LARGE, 0.5), least=28), below])
    if len(labels) == 1:
        rows = [
            Band(16, lambda c, a: _bar(c, a, word)),
            Band(38, lambda c, a: large_label(c, a, labels[0]), least=30),
        ]
    else:
        rows = [
            Band(33, lambda c, a: put(c, a, word, LARGE, 0.5), least=28),
            waiting(labels, HINT if lead else MIDDLE, lead=lead, must_lead=True),
        ]
    return stack(canvas, area, [*rows, below])


def _bar(canvas: Canvas, area: Area, text: str) -> None:
    put(canvas, area, text, MIDDLE, 0.5)
    canvas.flip(area)


SCREENS: Pictures = {CountdownScreen: countdown, WaitScreen: wait}
