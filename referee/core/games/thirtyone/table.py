"""The standing of the match at a table of 31, under its rules."""

from __future__ import annotations

from functools import cache

from referee.core.games.thirtyone.rules import PRESETS, SEATS, ThirtyOneRules, with_options
from referee.core.games.thirtyone.scoring import (
    ThirtyOneTally,
    place,
    tally_of,
    with_levels,
)
from referee.core.messages import Msg, msg
from referee.core.model.table import Setup, Table
from referee.core.values import by_identity

HEART, COUNTY, OUT = "♥", "⌂", "✗"
"""Signs in the display's fonts: a life, on the county, a player who is out."""
RIDER, SEAT, STEP = "■", "□", "_"
"""Signs in the display's fonts for the bus: the player's place, a free seat, a free step."""
MOST_HEARTS = 4
MOST_SIGNS = 6
"""Maximum number of places that are drawn as signs."""
LEVELS = "levels"
"""The key in `Table.own` for the number of places added in this match."""


@cache
def _rules(preset: str, options: tuple[tuple[str, object], ...]) -> ThirtyOneRules:
    return with_options(PRESETS[preset], dict(options))


def rules_of(setup: Setup) -> ThirtyOneRules:
    """Return the table's rules: its preset with its options."""
    return _rules(setup.preset, setup.options)


@by_identity(64)
def tally_at(table: Table) -> ThirtyOneTally:
    """Return the tally so far; cached because each view needs it."""
    teams = [team.id for team in table.teams]
    joined = {team: int(start) for team, start in table.joined}
    tally = tally_of(rules_of(table.setup), teams, table.hands, joined, table.adjustments)
    return with_levels(tally, new_levels(table))


def new_levels(table: Table) -> int:
    """Return how many places the players have added to the bus since the last hand."""
    used: int = sum(hand.levels for hand in table.hands)
    return dict(table.own).get(LEVELS, 0) - used


def shown(rules: ThirtyOneRules, tally: ThirtyOneTally, team: str) -> tuple[str | None, Msg | None]:
    """Return the team's lives, or place of the bus, as signs and as a message for speech.

    Both are None if the preset counts points.
    """
    left, out = tally.left[team], team in tally.out
    if rules.counts == "points":
        return None, None
    if rules.counts == "places":
        return OUT if out else _bus(tally.levels, left), _place_text(place(tally, team))
    if out:
        return OUT, msg("told.out")
    if not left:
        return COUNTY, msg("told.county")
    return HEART * left if left <= MOST_HEARTS else f"{left}{HEART}", msg("told.lives", count=left)


def _place_text(name: str) -> Msg:
    number = name.removeprefix("step ")
    return msg("told.step", number=int(number)) if number.isdigit() else msg(f"told.{name.replace(' ', '_')}")


def _bus(levels: int, left: int) -> str:
    """Return a picture of the bus; if it is too long for one, the number of the place."""
    signs = [SEAT] * SEATS + [STEP] * (1 + levels)
    if len(signs) > MOST_SIGNS:
        return f"{len(signs) - left}/{len(signs)}"
    signs[-1 - left] = RIDER
    return "".join(signs)
