"""The newcomers' first minutes: the scripts ask what they claim to ask, and people who read them knew what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.newcomers.minutes import MINUTES, WAIT, Minute

ANSWERS = Path(__file__).parent / "answers.json"
"""Script -> what readers did at each question: one of the scripts' actions. They saw only the pictures."""


@pytest.mark.parametrize("name", list(MINUTES))
def test_the_lamp_asks_where_the_newcomer_is_to_tap(name: str) -> None:
    for question in Minute(MINUTES[name]).questions():
        blinks = question.view.lamps[question.you - 1].pattern in ("slow", "double")
        assert blinks == (question.action == "tap"), question.view.phase


def test_newcomers_do_the_right_thing_next() -> None:
    answers = json.loads(ANSWERS.read_text())
    right = [
        answer == question.action
        for name, script in MINUTES.items()
        for question, answer in zip(Minute(script).questions(), answers[name], strict=True)
    ]
    assert sum(right) >= len(right) * 95 // 100
    assert WAIT in {answer for given in answers.values() for answer in given}
