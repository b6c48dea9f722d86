"""Pictures of every sample view, four times enlarged: `python -m tests.screens.gallery DIR [256x64 [de]]`."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from referee.screens import draw
from referee.screens.contact_sheet import SCALE, contact_sheet
from tests.screens.samples import samples


def pictures(size: tuple[int, int] = (128, 64), language: str = "en") -> dict[str, Image.Image]:
    return {name: draw(view, size, language) for name, view in samples().items()}


def main(folder: Path, size: str = "128x64", language: str = "en") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    width, height = map(int, size.split("x"))
    all_pictures = pictures((width, height), language)
    for name, image in all_pictures.items():
        image.resize((image.width * SCALE, image.height * SCALE)).save(folder / f"{name}.png")
    contact_sheet(all_pictures).save(folder / "contact-sheet.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
