"""Many pictures of the display in one, each with its caption."""

from __future__ import annotations

from collections.abc import Mapping

from PIL import Image

from referee.screens.canvas import MIDDLE
from referee.screens.fonts import font

SCALE = 4
COLUMNS = 3
GAP_PX = 12
CAPTION_PX = 20
PAPER, INK = 235, 20


def contact_sheet(images: Mapping[str, Image.Image], columns: int = COLUMNS, scale: int = SCALE) -> Image.Image:
    """Return one picture that shows all pictures in rows, each below its caption.

    images: caption -> picture, at least one, all of one size. columns: pictures in a row. `scale`: magnification. A
    caption is cut to the picture's width.
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
