"""Golden screens: `python -m tests.screens.goldens --update` writes the present pictures and speech.

One file per screen type. It has every sample of that screen: the picture in both sizes, in other languages for the
samples in `TRANSLATED`, and the speech in every language. A picture is two pixel rows per line. `--png DIR` draws the
samples enlarged.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from PIL import Image

from referee.core.model.view import View
from referee.core.values import replace
from referee.language.speech import speech_of
from referee.language.words import ENGLISH, LANGUAGES
from referee.screens import draw
from referee.screens.contact_sheet import contact_sheet
from tests.screens.samples import samples

FOLDER = Path(__file__).parent / "goldens"
BLOCKS = " ▄▀█"
HEADING = re.compile(r"^([a-z].*)\n", re.MULTILINE)
"""Nothing else begins with a letter, so git names the sample above each hunk of a diff."""
WIDE = (256, 64)
TRANSLATED = (
    "lobby-four", "lobby-rules", "lobby-target", "lobby-new-name", "name", "name-space", "name-back",
    "agreement", "agreement-rules", "agreement-stacking",
    "ready", "ready-let-go", "countdown-ready", "countdown-go", "wait-many", "wait-knob", "playing-four",
    "playing-answered", "stop", "stop-press", "verdict-tie", "verdict-clear", "verdict-air", "verdict-asked",
    "verdict-last", "photo",
    "count-four-legend", "count-four-refused", "count-four-called", "over",
    "count-two-asleep", "count-four-asleep", "vote-asleep",
    "time-out", "menu-middle", "power-back", "vote", "call-now", "search", "burn", "standings-eight-toast",
    "turn", "turn-knocked", "turn-look", "turn-knock", "turn-minimum", "declared", "count-values", "ready-lives",
    "rule", "rule-short", "ready-lesson", "playing-lesson", "turn-lesson", "search-lesson", "count-lesson-three",
)  # fmt: skip
"""Samples whose pictures are also kept in German and Italian: at least one of every screen with words."""


def to_text(image: Image.Image) -> str:
    """Return a picture in half blocks, in a frame."""
    pixels = [byte // 255 for byte in image.convert("L").tobytes()]
    rows = [pixels[start : start + image.width] for start in range(0, len(pixels), image.width)]
    lines = [
        "".join(BLOCKS[2 * top + low] for top, low in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
    edge = "+" + "-" * image.width + "+"
    return "\n".join([edge, *(f"|{line}|" for line in lines), edge, ""])


def spoken(view: View, language: str) -> str:
    """Return a view's speech in one language."""
    return speech_of(replace(view, language=language))


def parts(name: str, view: View) -> Iterator[tuple[str, str]]:
    """Yield the pictures and the speech of a sample, each with its heading."""
    yield name, to_text(draw(view))
    yield f"{name}, wide", to_text(draw(view, WIDE))
    for language in LANGUAGES:
        if language != ENGLISH and name in TRANSLATED:
            yield f"{name}, {language}", to_text(draw(view, language=language))
    for language in LANGUAGES:
        yield f"{name}, {language} speech", _indented(spoken(view, language))


def _indented(text: str) -> str:
    return fill(text, 120, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False) + "\n"


def screen_name(view: View) -> str:
    """Return the file name for a view's screen, e.g. "call-now"."""
    words = re.findall("[A-Z][a-z]+", type(view.screen).__name__.removesuffix("Screen"))
    return "-".join(words).lower()


def path(screen: str) -> Path:
    return FOLDER / f"{screen}.txt"


def kept(screen: str) -> dict[str, str]:
    """Return the golden texts of a screen type, by their headings."""
    _, *found = HEADING.split(path(screen).read_text(encoding="utf-8"))
    return dict(zip(found[::2], found[1::2], strict=True))


def grouped() -> dict[str, dict[str, View]]:
    """Return the samples of each screen type."""
    found: dict[str, dict[str, View]] = {}
    for name, view in samples().items():
        found.setdefault(screen_name(view), {})[name] = view
    return found


def now(views: dict[str, View]) -> dict[str, str]:
    """Return the present texts of these samples, by their headings."""
    return {heading: text for name, view in views.items() for heading, text in parts(name, view)}


def update() -> None:
    """Write every file; remove files of removed screens."""
    screens = grouped()
    for old in FOLDER.glob("*.txt"):
        if old.stem not in screens:
            old.unlink()
    for screen, views in screens.items():
        path(screen).write_text("".join(f"{part}\n{text}" for part, text in now(views).items()), encoding="utf-8")


def enlarge(folder: Path, width: str = "128", language: str = ENGLISH) -> None:
    """Write every sample's picture as a PNG, four times as large, and all of them as one."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {name: draw(view, (int(width), 64), language) for name, view in samples().items()}
    for name, image in pictures.items():
        image.resize((4 * image.width, 4 * image.height)).save(folder / f"{name}.png")
    contact_sheet(pictures).save(folder / "all.png")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--update"]:
            update()
        case ["--png", folder, *how]:
            enlarge(Path(folder), *how)
        case _:
            raise SystemExit("usage: python -m tests.screens.goldens --update | --png DIR [WIDTH [LANGUAGE]]")
