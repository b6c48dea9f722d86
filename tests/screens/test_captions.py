"""A count's captions stay in the picture, in every language and for every number of teams."""

from __future__ import annotations

from itertools import product

import pytest

from referee.core.messages import msg
from referee.core.model import view as v
from referee.core.phases.fixing import FixScreen
from referee.core.values import replace
from referee.language.display import display_text
from referee.language.words import LANGUAGES, speaking, word
from referee.screens import render
from referee.screens.canvas import HINT, Canvas, Mark
from referee.screens.counting import CAPTION_LETTERS
from tests.screens.samples import FIELDS, REFUSED, label
from tests.screens.test_properties import stands_readable

TEAMS = range(2, 13)
SIZES = ((128, 64), (256, 64))
FRESH = tuple(v.CountCell(label(n), (None, None, None), 0, False) for n in range(1, 13))


def counts(teams: int) -> list[v.CountScreen]:
    """Return counts of so many teams with every kind of hint."""
    plain = v.CountScreen(3, FIELDS, FRESH[:teams])
    refused = replace(plain, cells=(FRESH[0], REFUSED, *FRESH[2:teams]))
    asleep = replace(plain, cells=tuple(replace(cell, asleep=True) for cell in plain.cells))
    called = replace(plain, called=(label(1), label(2)))
    bases = (plain, refused, asleep, called)
    return [
        replace(base, legend=legend, knob=knob) for base, legend, knob in product(bases, (False, True), (False, True))
    ]


def captions(canvas: Canvas) -> list[Mark]:
    """Return the captions in the top row, whole or shortened."""
    heads = {display_text(name) for name in FIELDS}
    heads |= {f"{head[: CAPTION_LETTERS - 1]}." for head in heads}
    return [mark for mark in canvas.marks if mark.text in heads and mark.font == HINT and mark.y <= 0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("teams", TEAMS)
def test_captions_of_a_count_never_give_way(teams: int, size: tuple[int, int], language: str) -> None:
    screens: list[v.Screen] = [*counts(teams), FixScreen(3, FIELDS, FRESH[:teams])]
    for screen, banner in product(screens, (None, msg("toast.not_saved"))):
        canvas = render(v.View(0, 0, "", screen, (), banner=banner), size, language)
        with speaking(language):
            found = captions(canvas)
        assert len({mark.text for mark in found}) == 2, screen
        assert all(stands_readable(canvas, mark) for mark in found), screen


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("teams", TEAMS)
def test_a_banner_hides_no_team_of_a_count(teams: int, size: tuple[int, int], language: str) -> None:
    screen = v.CountScreen(3, FIELDS, FRESH[:teams])
    texts: set[str] = set()
    for page in range(teams):
        shown = v.View(0, 0, "", screen, (), page=page, banner=msg("toast.not_saved"))
        texts |= {mark.text for mark in render(shown, size, language).marks}
    assert {str(n) for n in range(1, teams + 1)} <= texts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("teams", TEAMS)
def test_a_count_without_taps_says_what_to_do_and_shows_every_team(
    teams: int, size: tuple[int, int], language: str
) -> None:
    screen = v.CountScreen(3, FIELDS, FRESH[:teams], legend=True)
    texts: set[str] = set()
    for page in range(teams):
        marks = render(v.View(0, 0, "", screen, (), page=page), size, language).marks
        with speaking(language):
            assert word("tap_hold_alone") in {mark.text for mark in marks}
        texts |= {mark.text for mark in marks}
    assert {str(n) for n in range(1, teams + 1)} <= texts
    assert teams <= v.WITH_A_HINT or screen.is_paged()
