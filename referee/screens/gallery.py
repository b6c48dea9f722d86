"""Pictures of every sample view, four times enlarged: `python -m referee.screens.gallery DIR [256x64 [de]]`."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from referee.screens import draw
from referee.screens.samples import samples

SCALE = 4
SHEET_COLUMNS = 3
GAP_PX = 12


def pictures(size: tuple[int, int] = (128, 64), language: str = "en") -> dict[str, Image.Image]:
    return {name: draw(view, size, language) for name, view in samples().items()}


def sheets(images: list[Image.Image], per_sheet: int = 12) -> list[Image.Image]:
    """Contact sheets, to look at many at once."""
    return [_sheet(images[i : i + per_sheet]) for i in range(0, len(images), per_sheet)]


def _sheet(images: list[Image.Image]) -> Image.Image:
    w, h = images[0].width * SCALE + GAP_PX, images[0].height * SCALE + GAP_PX
    rows = -(-len(images) // SHEET_COLUMNS)
    sheet = Image.new("L", (w * SHEET_COLUMNS, h * rows), 90)
    for i, image in enumerate(images):
        sheet.paste(image.resize((w - GAP_PX, h - GAP_PX)), (i % SHEET_COLUMNS * w, i // SHEET_COLUMNS * h))
    return sheet


def main(folder: Path, size: str = "128x64", language: str = "en") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    width, height = map(int, size.split("x"))
    all_pictures = pictures((width, height), language)
    for name, image in all_pictures.items():
        image.resize((image.width * SCALE, image.height * SCALE)).save(folder / f"{name}.png")
    for i, sheet in enumerate(sheets(list(all_pictures.values()))):
        sheet.save(folder / f"sheet{i}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
