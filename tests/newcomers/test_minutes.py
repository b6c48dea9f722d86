"""The newcomers' first minutes: the scripts ask what they claim to ask, and people who read them knew what to do."""

from __future__ import annotations

import pytest

from tests.newcomers.minutes import MINUTES, Minute


@pytest.mark.parametrize("name", list(MINUTES))
def test_the_lamp_asks_where_the_newcomer_is_to_tap(name: str) -> None:
    for question in Minute(MINUTES[name]).questions():
        blinks = question.view.lamps[question.you - 1].pattern in ("slow", "double")
        assert blinks == (question.action == "tap"), question.view.phase
