"""Golden pictures as text, two pixel rows a line: `python -m tests.screens.goldens --update` writes them anew."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from referee.screens import draw
from referee.screens.samples import samples

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


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def update() -> None:
    """Writes every sample's picture and removes those of samples that are gone."""
    FOLDER.mkdir(exist_ok=True)
    views = samples()
    for old in FOLDER.glob("*.txt"):
        if old.stem not in views:
            old.unlink()
    for name, view in views.items():
        path(name).write_text(to_text(draw(view)), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        raise SystemExit("usage: python -m tests.screens.goldens --update")
    update()
