"""Colour and charts appear only on a terminal that can show them."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.commands.terminal import BLOCKS, STEPS, STYLES, Terminal, terminal


class Screen(io.TextIOWrapper):
    """Standard output as a terminal with that encoding."""

    def isatty(self) -> bool:
        """Return True: a person reads it."""
        return True


def seen_by(monkeypatch: pytest.MonkeyPatch, encoding: str = "utf-8", **environment: str) -> bool:
    """Return whether a terminal with that encoding and environment gets colour."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Screen(io.BytesIO(), encoding=encoding))
    return terminal().rich


def test_who_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colour is off if disabled, on a dumb terminal, in an encoding without blocks, and in a file or pipe."""
    assert seen_by(monkeypatch)
    assert not seen_by(monkeypatch, NO_COLOR="1")
    assert not seen_by(monkeypatch, TERM="dumb")
    assert not seen_by(monkeypatch, encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not terminal().rich


@given(st.floats(-1, 2), st.integers(1, 40))
def test_a_bar_is_as_long_as_its_share(share: float, cells: int) -> None:
    """Within half an eighth of a cell, always with the same width."""
    bar = Terminal(True).bar(share, cells)
    filled = sum(BLOCKS.index(cell) for cell in bar)
    assert len(bar) == cells
    assert abs(filled - min(max(share, 0), 1) * cells * 8) <= 0.5
    assert bar.rstrip() == bar[: -(-filled // 8)]


@given(st.lists(st.integers(-500, 500), min_size=1), st.integers(-500, 0), st.integers(0, 500))
def test_a_curve_has_a_cell_a_value_in_their_order(values: list[int], least: int, most: int) -> None:
    curve = Terminal(True).curve(values, least, most)
    heights = [STEPS.index(cell) for cell in curve]
    assert len(heights) == len(values)
    for one, height in zip(values, heights, strict=True):
        assert all(other_height >= height for other, other_height in zip(values, heights, strict=True) if other >= one)


def test_plain_text_has_neither() -> None:
    plain = Terminal(False)
    assert {plain.paint("x", style) for style in STYLES} == {"x"}
    assert plain.bar(0.5, 8) == plain.curve([1, 2], 0, 2) == ""
