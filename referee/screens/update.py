"""Draw the offer of a newer version and its installation."""

from __future__ import annotations

from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.language.words import word
from referee.screens.canvas import MIDDLE, Area, Canvas
from referee.screens.parts import ALWAYS, Band, Pictures, big, header, line, stack


def offer(canvas: Canvas, area: Area, screen: OfferScreen) -> None:
    """Draw the version, and how to install it."""
    rows = [
        header(word("new_version")),
        Band(32, lambda c, a: big(c, a, f"{screen.version}?"), ALWAYS, least=24),
        line(word("hold_to_install"), align=0.5),
        line(word("turn_for_later"), keep=4, align=0.5),
    ]
    stack(canvas, area, rows)


def update(canvas: Canvas, area: Area, screen: UpdateScreen) -> None:
    """Draw the version that is being installed. This stays until the program starts again."""
    rows = [
        Band(32, lambda c, a: big(c, a, screen.version), ALWAYS, least=24),
        line(word("is_installed"), name=MIDDLE, align=0.5),
        line(word("leave_plug"), keep=5, align=0.5),
    ]
    stack(canvas, area, rows)


SCREENS: Pictures = {OfferScreen: offer, UpdateScreen: update}
