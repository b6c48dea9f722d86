"""The standing of the match at a table, under its rules."""

from __future__ import annotations

from functools import cache

from referee.core.games.thirtyone.rules import PRESETS, ThirtyOneRules, with_options
from referee.core.games.thirtyone.scoring import (
    ThirtyOneTally,
    county,
    place,
    ranks,
    tally_of,
    totals,
    winners,
    with_levels,
)
from referee.core.messages import Msg, msg
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import Place, places
from referee.core.values import by_identity

HEART, COUNTY, OUT = "♥", "⌂", "✗"
"""Signs in the screens' fonts: a life, the county, a player who is out."""
RIDER, SEAT, STEP = "■", "□", "_"
"""Signs of the bus: the player's place, a free seat, a free step."""
MOST_HEARTS = 4
LEVELS = "levels"
"""The key in `Table.own` of the number of places added in this match."""


@cache
def _rules(preset: str, options: tuple[tuple[str, object], ...]) -> ThirtyOneRules:
    return with_options(PRESETS[preset], dict(options))


def rules_of(setup: Setup) -> ThirtyOneRules:
    """Return the table's rules: its preset with its options."""
    return _rules(setup.preset, setup.options)


@by_identity(64)
def tally_at(table: Table) -> ThirtyOneTally:
    """Return the tally so far, cached because each view asks for it."""
    teams = [team.id for team in table.teams]
    joined = {team: int(start) for team, start in table.joined}
    tally = tally_of(rules_of(table.setup), teams, table.hands, joined, table.adjustments)
    return with_levels(tally, new_levels(table))


def new_levels(table: Table) -> int:
    """Return the places of the bus that the table has added since the last hand."""
    used: int = sum(hand.levels for hand in table.hands)
    return dict(table.own).get(LEVELS, 0) - used


def standings(table: Table) -> tuple[Place, ...]:
    """Return all players' standings in seat order, with lives, places of the bus or points."""
    rules, now = rules_of(table.setup), tally_at(table)
    corrected = {team for hand in table.hands for team in hand.corrected}
    gained = now.scores[-1] if now.scores else None
    shown = {team: (picture(rules, now, team), words(rules, now, team)) for team in now.left}
    return places(totals(rules, now), ranks(rules, now), gained, corrected, shown.__getitem__)


def picture(rules: ThirtyOneRules, tally: ThirtyOneTally, team: str) -> str | None:
    """Return lives or a place of the bus as signs; None in a game of points."""
    if rules.counts == "points":
        return None
    if team in tally.out:
        return OUT
    left = tally.left[team]
    if rules.counts == "places":
        return _bus(tally.levels, left)
    if team in county(tally):
        return COUNTY
    return HEART * left if left <= MOST_HEARTS else f"{left}{HEART}"


def words(rules: ThirtyOneRules, tally: ThirtyOneTally, team: str) -> Msg | None:
    """Return lives or a place of the bus in words, for speech; None in a game of points."""
    if rules.counts == "points":
        return None
    if rules.counts == "places":
        return msg(f"told.{place(tally, team).replace(' ', '_')}")
    if team in tally.out:
        return msg("told.out")
    left = tally.left[team]
    return msg("told.lives", count=left) if left else msg("told.county")


def _bus(levels: int, left: int) -> str:
    places = [SEAT] * 3 + [STEP] * (1 + levels)
    places[len(places) - 1 - left] = RIDER
    return "".join(places)


def over(table: Table) -> tuple[str, ...]:
    """Return the winners if the match is over, else none."""
    return winners(rules_of(table.setup), tally_at(table), ended=table.ended)
