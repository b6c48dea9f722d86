"""Save a match's screens as files: each new picture, and all of them in a contact sheet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.core.units import clock_text
from referee.core.values import replace

if TYPE_CHECKING:
    from PIL import Image

    from referee.core.model.view import Screen, View

CLOCKS = ("played_ns", "left_s", "left_share")
"""Fields of screens that change by time alone."""
COLUMNS, SCALE = 8, 2
SHEET = "contact-sheet.png"


class Pictures:
    """Draws every view of a match, and saves each picture that is new as a numbered file."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._seen: set[bytes] = set()
        self._sheet: dict[Screen, tuple[str, Image.Image]] = {}
        self._begun_ns: int | None = None

    @property
    def count(self) -> int:
        return len(self._seen)

    def __call__(self, view: View) -> None:
        from referee.screens import draw

        if self._begun_ns is None:
            self._begun_ns = view.now_ns
        image = draw(view)
        pixels = image.tobytes()
        if pixels not in self._seen:
            number = f"{self.count + 1:04}"
            self._seen.add(pixels)
            caption = f"{number} {view.phase} {clock_text(view.now_ns - self._begun_ns)}"
            self._sheet.setdefault(_without_clocks(view.screen), (caption, image))
            self._save(image, f"{number}-{view.phase.lower()}.png")

    def contact_sheet(self) -> Path:
        """Save all pictures in one file, each with its number, phase and time since the start.

        Pictures that differ only in a clock appear once.
        """
        from referee.screens.contact_sheet import contact_sheet

        return self._save(contact_sheet(dict(self._sheet.values()), COLUMNS, SCALE), SHEET)

    def _save(self, image: Image.Image, name: str) -> Path:
        path = self._folder / name
        try:
            image.save(path)
        except OSError as exc:  # the errors of a failed write do not name the file
            raise OSError(exc.errno, exc.strerror, str(path)) from exc
        return path


def _without_clocks(screen: Screen) -> Screen:
    """Return the screen with 0 in each field that shows a running time."""
    still: dict[str, Any] = {name: 0 for name in CLOCKS if hasattr(screen, name)}
    return replace(screen, **still)
