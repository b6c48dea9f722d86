"""Scores in the form that tables of people use."""

from __future__ import annotations

import pytest

from referee.core.model.paper import score_text


@pytest.mark.parametrize(
    ("score", "text"), [(7, "7"), (7.0, "7"), (-2.5, "-2½"), (0.5, "½"), (-0.5, "-½"), (1 / 3, "0.33"), (-5, "-5")]
)
def test_a_score_is_written_with_its_half(score: float, text: str) -> None:
    assert score_text(score) == text
