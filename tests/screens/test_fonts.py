"""The fonts: complete, drawn inside their cells; made fonts match their strokes."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from referee.screens.fonts import Font, font, make

ASCII = [chr(c) for c in range(33, 127)]
IN_SCORES = "+-*½♥⌂✗■□_"
LETTERS = list("äöüÄÖÜßàèéìòùÀÈÉÌÒÙ½♥⌂✗■□")
BIG = ["18x54", "25x54", "32x54", "42x54", "18x46", "32x46"]


@pytest.mark.parametrize("name", ["6x8", "6x12", "8x16", "16x32"])
def test_text_fonts_have_every_character_and_none_looks_like_another(name: str) -> None:
    face = font(name)
    assert all(c in face for c in ASCII + LETTERS)
    for a, b in combinations(ASCII + LETTERS, 2):
        assert face.rows(a) != face.rows(b), (a, b)


@pytest.mark.parametrize("name", ["6x8", "6x12", "8x16", "badge", "16x32", "12x20", *BIG])
def test_every_glyph_fills_its_cell_exactly(name: str) -> None:
    face = Font(name)
    for char in face._where:
        rows = face.rows(char)
        assert len(rows) == face.height
        assert {len(r) for r in rows} == {face.width}
        assert set("".join(rows)) <= {"#", "."}
        assert face.glyph(char).size == (face.width, face.height)


@pytest.mark.parametrize("name", ["6x8", "6x12", "8x16", "16x32"])
def test_characters_leave_a_blank_column_between_neighbours(name: str) -> None:
    """A score may therefore end one column beyond its area."""
    face = font(name)
    for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789äöüÄÖÜßàèéìòùÀÈÉÌÒÙ" + IN_SCORES:
        rows = face.rows(char)
        assert all(r[-1] == "." for r in rows), char


def test_unknown_letters_fall_back_to_their_plain_form() -> None:
    face = font("8x16")
    assert face.drawn_for("ğ") == "g"
    assert face.drawn_for("日") == "?"


def test_the_tall_font_is_the_small_one_with_more_height() -> None:
    assert (make.HERE / "6x12.txt").read_text(encoding="utf-8") == make.tall(font("6x8"))


@pytest.mark.parametrize("size", make.SIZES, ids=lambda size: size.name)
def test_made_fonts_are_what_their_strokes_make(size: make.Size) -> None:
    """Two of their letters: drawing all takes seconds."""
    strokes = make.read_strokes((make.HERE / "strokes.txt").read_text(encoding="utf-8"))
    face = Font(size.name)
    assert set(size.characters) == set(face.every)
    for char in "G3":
        if char in size.characters:
            assert face.rows(char) == make.glyph_rows(char, strokes, size)


def letter_height_px(rows: list[str]) -> int:
    """Return the number of inked rows above the lowest one, up to the first blank row."""
    inked = "".join("#" if "#" in row else "." for row in rows).rstrip(".")
    return len(inked) - 1 - inked.rfind(".")


@pytest.mark.parametrize(
    ("name", "capital"),
    [*product(["6x8", "6x12", "8x16", "16x32"], "ÄÖÜ"), *product(["8x16", "16x32"], "ÀÈÉÌÒÙ")],
)
def test_accented_capitals_are_taller_than_small_letters(name: str, capital: str) -> None:
    face = font(name)
    assert letter_height_px(face.rows(capital)) > letter_height_px(face.rows(capital.lower()))
