"""What an eye has of the display: a picture and the lamps below it, as a person at the table sees them.

On the 2.42-inch panel a pixel is 0.43 mm wide: from 1.5 m that is one minute of arc, about what a healthy eye can tell
apart. So a pixel is blurred by a spread of one minute of arc (full width at half maximum), and only then enlarged on
paper: nothing is sharper in the picture than it is in the chair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFilter

from referee.core.model.view import Lamp, View
from referee.screens import draw

SCALE = 8
PIXEL_MM, DISTANCE_MM = 0.43, 1500
EYE_ARCMIN = 1.0
MARGIN_PX = 24
LAMP_PX, LAMP_ROW_PX = 26, 96
LIT, DARK, RIM = 255, 0, 150
BLINKING = ("slow", "double", "alternate", "fault")
"""Three pulses are over before anybody has read a verdict: after them a lamp is dark."""


def blur_px(scale: int = SCALE) -> float:
    """The eye's spread as a Gaussian's radius, in pixels of the enlarged picture.

    >>> round(blur_px(8), 1)
    3.4
    """
    pixel_arcmin = math.degrees(math.atan(PIXEL_MM / DISTANCE_MM)) * 60
    return EYE_ARCMIN / 2.355 / pixel_arcmin * scale


def seen(view: View, language: str = "en", lamps: bool = False) -> Image.Image:
    """The view's picture as it is seen; with the lamps of all seats below it where they belong to it."""
    panel = draw(view, language=language).convert("L")
    width, height = panel.width * SCALE, panel.height * SCALE
    sheet = Image.new("L", (width + 2 * MARGIN_PX, height + 2 * MARGIN_PX), DARK)
    sheet.paste(panel.resize((width, height), Image.Resampling.NEAREST), (MARGIN_PX, MARGIN_PX))
    sheet = sheet.filter(ImageFilter.GaussianBlur(blur_px()))
    return _with_lamps(sheet, view.lamps) if lamps else sheet


def _with_lamps(picture: Image.Image, lamps: Sequence[Lamp]) -> Image.Image:
    """A row of buttons below: empty dark, full lit, half full blinking."""
    sheet = Image.new("L", (picture.width, picture.height + LAMP_ROW_PX), 40)
    sheet.paste(picture, (0, 0))
    pen = ImageDraw.Draw(sheet)
    step = picture.width / len(lamps)
    for i, lamp in enumerate(lamps):
        x, y = round(step * (i + 0.5)), picture.height + LAMP_PX + 10
        box = (x - LAMP_PX, y - LAMP_PX, x + LAMP_PX, y + LAMP_PX)
        if lamp.pattern in BLINKING:
            pen.pieslice(box, 90, 270, fill=LIT)
            pen.arc(box, 0, 360, fill=RIM, width=3)
        else:
            pen.ellipse(box, fill=LIT if lamp.lit and lamp.pattern != "pulse3" else DARK, outline=RIM, width=3)
        pen.text((x, y + LAMP_PX + 4), lamp.station, fill=LIT, anchor="ma", font_size=18)
    return sheet
