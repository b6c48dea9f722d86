"""Golden pictures as text, two pixel rows a line: `python -m tests.screens.goldens --update` writes them anew."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PIL import Image

from referee.language.catalogue import LANGUAGES
from referee.screens import draw
from tests.screens.samples import samples

FOLDER = Path(__file__).parent / "goldens"
BLOCKS = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
PIXELS = {block: pixels for pixels, block in BLOCKS.items()}


def to_text(image: Image.Image) -> str:
    """The picture in half blocks, framed so that no editor eats a blank end."""
    pixel = {(x, y): 1 if image.getpixel((x, y)) else 0 for x in range(image.width) for y in range(image.height)}
    lines = [
        "".join(BLOCKS[pixel[x, y], pixel[x, y + 1]] for x in range(image.width)) for y in range(0, image.height, 2)
    ]
    edge = "+" + "-" * image.width + "+"
    return "\n".join([edge, *(f"|{line}|" for line in lines), edge, ""])


def from_text(text: str) -> Image.Image:
    """The way back, for pictures that stand in a test or a document."""
    lines = [line[1:-1] for line in text.splitlines()[1:-1]]
    image = Image.new("1", (len(lines[0]), 2 * len(lines)))
    for row, line in enumerate(lines):
        for x, block in enumerate(line):
            for half in (0, 1):
                image.putpixel((x, 2 * row + half), 255 * PIXELS[block][half])
    return image


WIDE = (256, 64)
SPOKEN = (
    "lobby-four", "lobby-new-name", "name", "name-space", "name-back",
    "agreement", "agreement-rules", "agreement-stacking",
    "ready", "ready-let-go", "countdown-ready", "countdown-go", "wait-many", "wait-knob", "playing-four",
    "playing-answered", "stop", "stop-press", "verdict-tie", "verdict-clear", "verdict-air", "verdict-asked",
    "verdict-last", "photo",
    "count-four-legend", "count-four-refused", "sheet-four", "over",
    "count-two-asleep", "count-four-asleep", "vote-asleep",
    "time-out", "menu-middle", "power-back", "vote", "call-now", "search", "burn", "standings-eight-toast",
    "turn", "turn-knocked", "turn-look", "turn-knock", "turn-minimum", "declared", "count-values", "ready-lives",
    "rule", "rule-short", "ready-lesson", "playing-lesson", "turn-lesson", "search-lesson", "count-lesson-three",
)  # fmt: skip
"""The samples that are also kept in German and Italian: one or more of every screen that says words."""


def pictures() -> Iterator[tuple[str, Callable[[], Image.Image]]]:
    """Every golden picture's name and how it is drawn now: "vote", "wide/vote", "de/vote"."""
    for name, view in samples().items():
        yield name, partial(draw, view)
        yield f"wide/{name}", partial(draw, view, WIDE)
        for tongue in LANGUAGES[1:] if name in SPOKEN else ():
            yield f"{tongue}/{name}", partial(draw, view, language=tongue)


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def names() -> set[str]:
    """What is kept."""
    return {str(file.relative_to(FOLDER).with_suffix("")) for file in FOLDER.rglob("*.txt")}


def update() -> None:
    """Writes every picture and removes those of samples that are gone."""
    drawn = dict(pictures())
    for old in names() - drawn.keys():
        path(old).unlink()
    for name, picture in drawn.items():
        path(name).parent.mkdir(parents=True, exist_ok=True)
        path(name).write_text(to_text(picture()), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        raise SystemExit("usage: python -m tests.screens.goldens --update")
    update()
