"""Our bitmap fonts: text files of '#' and '.', read on first use.

A letter becomes an image when it is first drawn.

A file's first line is `cell WIDTH HEIGHT`; then come blocks of letters side by side, each below a line that names them.
6x8, 8x16 and the badge numbers are drawn by hand; make.py makes the others: 6x12 from 6x8, the rest from strokes.txt.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from pathlib import Path

from PIL import Image

from referee.core.letters import is_picture, letters

FOLDER = Path(__file__).parent
MOST_LINES = 256
"""Maximum number of texts of a font that are cached as images, oldest dropped first.

That is some 40 KiB in the smallest font.
"""
UNKNOWN = "?"
"""The text for a name without a letter that fonts can draw."""


class Font:
    """The pictures of all characters in one size.

    A character without a picture is drawn without its accent, or as "?".
    """

    def __init__(self, name: str) -> None:
        self.name = name
        blocks = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n")
        self.width, self.height = (int(word) for word in blocks[0].split()[1:3])
        self._blocks = [block.split("\n") for block in blocks[1:]]
        self._where = dict(self._index())
        self._images: dict[str, Image.Image] = {}
        self._lines: dict[str, Image.Image] = {}

    def _index(self) -> list[tuple[str, tuple[int, int]]]:
        pitch = self.width + 1
        return [(head[x], (i, x)) for i, (head, *_) in enumerate(self._blocks) for x in range(0, len(head), pitch)]

    @property
    def every(self) -> tuple[str, ...]:
        """Return the characters of which the font has pictures, in the file's order."""
        return tuple(self._where)

    def __contains__(self, char: str) -> bool:
        return char == " " or char in self._where

    def rows(self, char: str) -> list[str]:
        """Return a character's picture as text, one string of '#' and '.' per row."""
        if char not in self._where:
            return ["." * self.width] * self.height
        block, x = self._where[char]
        return [row[x : x + self.width] for row in self._blocks[block][1:]]

    def glyph(self, char: str) -> Image.Image:
        """Return a character's picture as a 1-bit image. Do not draw into it, because it is shared."""
        if char not in self._images:
            self._images[char] = self._image(self.drawn_for(char))
        return self._images[char]

    def line(self, text: str) -> Image.Image:
        """Return the image of a text. Images are cached, because most texts are drawn again.

        Pasting this image takes as long as pasting a single letter.
        """
        if len(text) == 1:
            return self.glyph(text)
        found = self._lines.get(text)
        if found is None:
            found = Image.new("1", (len(text) * self.width, self.height))
            for index, char in enumerate(text):
                found.paste(self.glyph(char), (index * self.width, 0))
            if len(self._lines) == MOST_LINES:
                del self._lines[next(iter(self._lines))]
            self._lines[text] = found
        return found

    def drawn_for(self, char: str) -> str:
        """Return `char` or, if the font lacks it, the character that is drawn in its place."""
        for candidate in (char, unicodedata.normalize("NFD", char)[0], "?"):
            if candidate in self:
                return candidate
        return " "

    def _image(self, char: str) -> Image.Image:
        row_bytes = (self.width + 7) // 8
        fill = row_bytes * 8 - self.width
        bits = (int(row.replace("#", "1").replace(".", "0"), 2) << fill for row in self.rows(char))
        return Image.frombytes("1", (self.width, self.height), b"".join(b.to_bytes(row_bytes, "big") for b in bits))


@cache
def font(name: str) -> Font:
    """Return the font of that name: "6x8", "6x12", "8x16", "badge", "12x20", "16x32".

    There are also larger fonts for big words, "18x46" to "42x54".
    """
    return Font(name)


@lru_cache(maxsize=1024)
def in_known_letters(text: str) -> str:
    """Return the text in letters that every font has: unchanged, unaccented or transliterated.

    >>> in_known_letters("Zoë"), in_known_letters("Łukasz")
    ('Zoe', 'Lukasz')
    >>> in_known_letters("Дмитрий"), in_known_letters("王小明"), in_known_letters("\\ue000")
    ('Dmitriy', 'WangXiaoMing', '?')
    >>> in_known_letters("Zoë 👩\u200d👧"), in_known_letters("🎉 3 🇮🇹 Ben"), in_known_letters("🎉")
    ('Zoe', '3 Ben', '?')
    """
    if all(char in font("6x8") for char in text):
        return text
    found = [_letter(letter) for letter in letters(text)]
    plain = "".join(found)
    if "" in found:  # leave no gap for a picture that is left out
        plain = " ".join(plain.split())
    if plain[:1].islower() and text[:1].lower() == text[:1].upper():  # a script without capitals
        plain = plain[0].upper() + plain[1:]
    return plain or UNKNOWN


def _letter(letter: str) -> str:
    if letter in font("6x8") and letter in font("8x16"):
        return letter
    base, *marks = tuple(unicodedata.normalize("NFD", letter))
    if base in font("6x8") and all(unicodedata.combining(mark) for mark in marks):
        return base
    if is_picture(letter):
        return ""
    from anyascii import anyascii  # imported here because most tables never need it

    return "".join(char for char in anyascii(letter) if char.isalnum() or char in " -'.")
