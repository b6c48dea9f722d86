"""Generate the README's picture from a match that bots play: `python -m tests.docs --update`. `--check` compares it."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from referee.core.model.table import Setup
from referee.core.model.view import CountScreen, PlayingScreen, StandingsScreen, VerdictScreen, View
from referee.screens import draw
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening

ROOT = Path(__file__).parent.parent


def evening() -> list[View]:
    """Return four views of a bots' match: play, a verdict, a count, the standings."""
    names = tuple(zip("1234", ("Anna", "Ben", "Max", "Lea"), strict=True))
    shown: dict[type, View] = {}

    def watch(view: View) -> None:
        late = view.seq > 900
        if late and isinstance(view.screen, PlayingScreen | VerdictScreen | CountScreen | StandingsScreen):
            shown[type(view.screen)] = view

    Evening(Setup(names=names), Bots("1234", 1), watch=watch).play()
    return [shown[kind] for kind in (PlayingScreen, VerdictScreen, CountScreen, StandingsScreen)]


def picture(scale: int = 3, gap: int = 12) -> Image.Image:
    """Return the four pictures side by side, as on the display."""
    width, height = 128 * scale, 64 * scale
    sheet = Image.new("L", (2 * width + 3 * gap, 2 * height + 3 * gap), 40)
    for index, view in enumerate(evening()):
        place = (gap + index % 2 * (width + gap), gap + index // 2 * (height + gap))
        sheet.paste(draw(view).convert("L").resize((width, height), Image.Resampling.NEAREST), place)
    return sheet


def main(arguments: list[str]) -> int:
    """Write the picture, or check it."""
    shot, sheet = ROOT / "docs" / "display.png", picture()
    if "--update" in arguments:
        sheet.save(shot, optimize=True)
        return 0
    if shot.exists() and Image.open(shot).tobytes() == sheet.tobytes():
        return 0
    sys.stderr.write("docs/display.png is out of date: run `make docs`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
