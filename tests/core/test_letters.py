"""Letters by Unicode's rule (as in the package `regex`), on any text."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from referee.core import letters as module
from referee.core.letters import is_picture, letters

HARD = (
    *"aéᄀ각ᆨᅡक🇮🇹❤\ufe0f🏴\U000e0067\U000e007f\u0301\u0600\r\n\u0e33",
    "ि",
    "क्",
    "ક્",
    "క్\u200d",
    "👩🏽",
    "\u200d",
    "\u200c",
)
"""Code points of every row of the rule."""
PROPERTIES = {
    "r": ("GCB=CR",),
    "n": ("GCB=LF",),
    "C": ("GCB=Control",),
    "I": ("InCB=Linker",),
    "N": ("GCB=Extend", "InCB=None"),
    "E": ("GCB=Extend",),
    "Z": ("GCB=ZWJ",),
    "S": ("GCB=SpacingMark",),
    "P": ("GCB=Prepend",),
    "F": ("GCB=Regional_Indicator",),
    "L": ("GCB=L",),
    "V": ("GCB=V",),
    "T": ("GCB=T",),
    "X": ("Extended_Pictographic",),
    "K": ("InCB=Consonant",),
}
"""A sign of the module -> its properties in the syntax of `regex`. The first match counts."""


def unlinked(text: str) -> bool:
    """Return whether the text has no linkers.

    Against GB9c, `regex` joins after a linker without a consonant before it.
    """
    return not any(regex.match(r"\p{InCB=Linker}", char) for char in text)


@given(st.text().filter(unlinked) | st.lists(st.sampled_from(HARD)).map("".join))
@example("क्\u200cष")
@example("👩\u200d👩\u200d👧\u200d")
@example("각ᅡ가ᅡᆨ")
@example("a\r\nb")
def test_a_text_has_the_letters_that_unicode_says(text: str) -> None:
    assert list(letters(text)) == regex.findall(r"\X", text)
    assert "".join(letters(text)) == text


def table(name: str) -> str:
    """Return the property's ranges in hexadecimal, from the database of `regex`."""
    both = [regex.compile(rf"\p{{{what}}}") for what in PROPERTIES[name]]
    points = [p for p in range(sys.maxunicode + 1) if not 0xD800 <= p < 0xE000 and all(h.match(chr(p)) for h in both)]
    there = set(points)
    firsts = [p for p in points if p - 1 not in there]
    lasts = [p for p in points if p + 1 not in there]
    return " ".join(f"{a:X}" if a == b else f"{a:X}-{b:X}" for a, b in zip(firsts, lasts, strict=True))


def update() -> None:
    path = Path(module.__file__)
    head, _, rest = path.read_text(encoding="utf-8").partition("TABLES = {\n")
    tail = rest.partition("\n}\n")[2]
    rows = []
    for name in PROPERTIES:
        lines = textwrap.wrap(table(name), 108)
        rows.append(f'    "{name}": (\n' + "\n".join(f'        "{line} "' for line in lines) + "\n    ),")
    path.write_text(f"{head}TABLES = {{\n" + "\n".join(rows) + f"\n}}\n{tail}", encoding="utf-8")


if __name__ == "__main__" and "--update" in sys.argv:
    update()


def test_emoji_and_signs_are_pictures_and_letters_are_not() -> None:
    assert all(map(is_picture, ("🎉", "👩\u200d👧", "🇮🇹", "♆")))
    assert not any(map(is_picture, ("é", "1", "ב", "漢")))
