"""What the shared phases ask of the Nertz family, and what its tables say by their presets and house rules."""

from __future__ import annotations

import pytest

from referee.core.games.nertz.play import GAME
from referee.core.model.table import Setup, Table
from tests.english import en


def table(preset: str, **options: object) -> Table:
    """A table of two at which nothing has been played yet."""
    return Table(Setup(preset, tuple(options.items()), ("1", "2")), ())


@pytest.mark.parametrize(
    ("preset", "options", "said"),
    [
        ("nna", {}, "in the air: lands"),
        ("pagat", {}, "in the air: lands"),
        ("reeves", {}, "in the air: lands"),
        ("racing-demon", {}, "in the air: back"),
        ("nna", {"in_flight": "returns"}, "in the air: back"),
        ("racing-demon", {"in_flight": "lands"}, "in the air: lands"),
    ],
)
def test_the_verdict_says_what_becomes_of_a_card_in_the_air(preset: str, options: dict[str, object], said: str) -> None:
    """It lands in NNA, pagat and Reeves, and goes back in Keeling's Racing Demon."""
    assert en(GAME.airborne(table(preset, **options))) == said
