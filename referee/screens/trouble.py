"""Draw why a device cannot start, a page at a time.

This is neither a phase of a match nor a view.
"""

from __future__ import annotations

import textwrap

from PIL import Image

from referee.language.words import speaking, word
from referee.screens.canvas import MIDDLE, SMALL, Canvas
from referee.screens.fonts import font


def pages(sentence: str, size: tuple[int, int]) -> list[list[str]]:
    """Return the sentence as pages of lines that fit on the display below the title."""
    face, title = font(SMALL), font(MIDDLE)
    lines = textwrap.wrap(sentence, size[0] // face.width) or [""]
    most = (size[1] - title.height) // face.height
    return [lines[at : at + most] for at in range(0, len(lines), most)]


def draw_trouble(sentence: str, page: int, size: tuple[int, int], language: str) -> Image.Image:
    """Draw the title and a page of the sentence below it. After the last page comes the first."""
    face, title = font(SMALL), font(MIDDLE)
    shown = pages(sentence, size)
    canvas = Canvas(size)
    with speaking(language):
        canvas.text(0, 0, word("cannot_start"), title)
    for row, line in enumerate(shown[page % len(shown)]):
        canvas.text(0, title.height + row * face.height, line, face)
    return canvas.image
