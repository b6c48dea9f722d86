"""Sample views match the golden files.

After an intended change run `python -m tests.screens.goldens --update`.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from referee.core.model.view import Screen
from referee.core.values import replace
from referee.language.speech import SPEECH
from referee.screens import SCREENS, draw, render
from tests.screens import goldens
from tests.screens.samples import samples

SAMPLES = samples()


@pytest.mark.parametrize("screen", goldens.grouped())
def test_screen_is_drawn_and_spoken_as_reviewed(screen: str) -> None:
    now, kept = goldens.now(goldens.grouped()[screen]), goldens.kept(screen)
    changed = [part for part in now | kept if now.get(part) != kept.get(part)]
    shown = [f"{part}, as kept\n{kept.get(part)}{part}, now\n{now.get(part)}" for part in changed]
    assert not changed, "\n".join((f"changed: {', '.join(changed)}", *shown))


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in goldens.FOLDER.iterdir()} == set(goldens.grouped())


def test_every_screen_type_is_drawn_spoken_and_sampled() -> None:
    types = set(Screen.__subclasses__())
    assert set(SCREENS) == set(SPEECH) == types
    assert {type(v.screen) for v in SAMPLES.values()} == types


@dataclass(frozen=True)
class OddScreen:
    """A screen of a game without a layout."""


def test_a_screen_that_nobody_has_drawn_shows_its_phase() -> None:
    view = replace(SAMPLES["stop"], screen=OddScreen(), phase="POWER_BACK")  # type: ignore[arg-type]
    assert "".join(mark.text for mark in render(view).marks) == "POWER BA"
    assert draw(replace(view, phase="")).getbbox()
