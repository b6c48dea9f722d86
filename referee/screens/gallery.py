"""Pictures of every sample view, four times enlarged: `python -m referee.screens.gallery DIR [256x64 [de]]`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

from referee.screens import draw
from referee.screens.canvas import MIDDLE
from referee.screens.fonts import font
from referee.screens.samples import samples

SCALE = 4
COLUMNS = 3
GAP_PX = 12
CAPTION_PX = 20
PAPER, INK = 235, 20


def pictures(size: tuple[int, int] = (128, 64), language: str = "en") -> dict[str, Image.Image]:
    return {name: draw(view, size, language) for name, view in samples().items()}


def contact_sheet(images: Mapping[str, Image.Image], columns: int = COLUMNS, scale: int = SCALE) -> Image.Image:
    """All pictures in one, row by row, each with its caption (the mapping's key) above it, cut at its width.

    images: caption -> picture, at least one, all of one size. `scale`: how many pixels a pixel becomes on each side.
    """
    width, height = (side * scale for side in next(iter(images.values())).size)
    across, down = width + GAP_PX, height + GAP_PX + CAPTION_PX
    sheet = Image.new("L", (min(columns, len(images)) * across, -(-len(images) // columns) * down), PAPER)
    face = font(MIDDLE)
    for i, (caption, image) in enumerate(images.items()):
        x, y = i % columns * across + GAP_PX // 2, i // columns * down + GAP_PX // 2
        for place, char in enumerate(caption[: width // face.width]):
            if char != " ":
                sheet.paste(INK, (x + place * face.width, y), face.glyph(char))
        sheet.paste(image.resize((width, height)), (x, y + CAPTION_PX))
    return sheet


def main(folder: Path, size: str = "128x64", language: str = "en") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    width, height = map(int, size.split("x"))
    all_pictures = pictures((width, height), language)
    for name, image in all_pictures.items():
        image.resize((image.width * SCALE, image.height * SCALE)).save(folder / f"{name}.png")
    contact_sheet(all_pictures).save(folder / "contact-sheet.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
