"""`python -m tests.reading --out DIR [--language en]`: the fifty pictures and the evenings, their questions and keys.

DIR gets a folder for each: pictures by number, `questions.md` for the reader, who gets no other word, and `key.md` for
whoever judges the answers.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from referee.language.catalogue import LANGUAGES
from tests.reading import evening
from tests.reading.fifty import FIFTY
from tests.reading.pictures import seen
from tests.screens.samples import samples

SETTING = """\
A small device lies in the middle of a table at which people play cards. It has one display that all look at, a knob
that can be turned and pushed, and before each player a big button with a lamp in it. You sit at button 2 and are
called Ben. The pictures show the display as you see it from your chair.
"""
ACTS = """\
You can press your button shortly, hold it for a second, turn or push or hold the knob, do something with the cards, or
do nothing. You have no manual. You know the card game, but not the device; Anna, who has brought it, says only: "It
replaces shouting: whoever would call in a game, presses. The display asks, and your lamp says whether it asks you."
"""
LAMPS = """\
The circles below the display are the lamps of the buttons: empty is dark, full is lit, half full is blinking.
"""
FIFTY_QUESTIONS = (
    "What does it ask, or say?",
    "Of whom?",
    "What would you, Ben, do now?",
    "What does each number in it mean?",
)


def fifty(folder: Path, language: str) -> None:
    """The fifty pictures: 01.png to 50.png."""
    views = samples()
    for number, asked in enumerate(FIFTY, 1):
        seen(views[asked.sample], language).save(folder / f"{number:02}.png")
    questions = [f"{n}. {text}" for n, text in enumerate(FIFTY_QUESTIONS, 1)]
    rows = [f"| {n} | {a.sample} | {a.what} | {a.of_whom} | {a.does} | {a.numbers} |" for n, a in enumerate(FIFTY, 1)]
    _write(
        folder / "questions.md",
        f"# {len(FIFTY)} pictures",
        SETTING,
        "The pictures do not belong together: each is a moment of another evening, and of one of several card games.",
        "Answer for each picture, by its number, four questions, shortly:",
        "\n".join(questions),
        "Then, where there is something: what could be misread?",
    )
    head = "| n | sample | 1 what | 2 of whom | 3 Ben | 4 numbers |\n|---|---|---|---|---|---|\n"
    _write(folder / "key.md", "# Key, written before anybody was asked", head + "\n".join(rows))


def pictured(name: str, folder: Path, language: str) -> None:
    """An evening's pictures in their order, each with what has happened at the table before it."""
    happened, right = [], []
    for number, shot in enumerate(evening.shots(name), 1):
        seen(shot.view, language, lamps=True).save(folder / f"{number:02}.png")
        happened.append(f"{number}. {shot.happened}")
        right.append(f"{number}. {shot.right}")
    _write(
        folder / "questions.md",
        "# An evening in pictures",
        SETTING,
        LAMPS,
        ACTS,
        "Look at the pictures one after the other, and never at a later one before you have answered. Each number is a "
        'picture; the line beside it says what has happened at the table. "You have done that" means: what was right '
        "in the picture before, whatever you have answered. Answer for each: what do you do now? (And what the line "
        "asks besides.) Say one thing, as you would do it.",
        "\n".join(happened),
    )
    _write(folder / "key.md", "# Key: what is right, written before anybody was asked", "\n".join(right))


def _write(path: Path, *paragraphs: str) -> None:
    path.write_text("\n\n".join(text.rstrip("\n") for text in paragraphs) + "\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.reading")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0])
    given = parser.parse_args(argv)
    for name in ("fifty", *evening.names()):
        folder = given.out / name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.png"):
            old.unlink()
        if name == "fifty":
            fifty(folder, given.language)
        else:
            pictured(name, folder, given.language)


if __name__ == "__main__":
    main()
