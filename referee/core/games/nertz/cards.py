"""What the family's options say to the cards: a ruleset at a table of so many teams as `CardRules`."""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.cards.rules import CardRules
from referee.core.games.nertz.rules import NertzRules

RIVER_FIRST = ("nna", "nna150")
"""NNA deals the River first, then the Nertz pile; the others lay the reserve first (RULES.md 3)."""
OPEN_RESERVE = ("racing-demon",)
"""Keeling's Demon lies wholly face up (RULES.md 2)."""
FOLLOWS: Mapping[int, str] = {1: "any", 2: "any", 3: "colour"}
"""Teams -> what follows on a foundation by Keeling; with more its suit."""


def card_rules(ruleset: NertzRules, players: int) -> CardRules:
    """The rules of the cards at a table of that many teams.

    >>> from referee.core.games.nertz.rules import PRESETS
    >>> card_rules(PRESETS["ligretto"], 3).piles, card_rules(PRESETS["racing-demon"], 3).follow
    (4, 'colour')
    """
    by_players = ruleset.foundations == "by-players"
    return CardRules(
        highest=10 if ruleset.boxed else 13,
        jokers=ruleset.jokers,
        letters="rybg" if ruleset.boxed else "SHCD",
        reserve=ruleset.reserve,
        open_reserve=ruleset.preset in OPEN_RESERVE,
        river_first=ruleset.preset in RIVER_FIRST,
        piles=ruleset.work_piles(players),
        klondike=ruleset.layout == "klondike",
        building=ruleset.building,
        turn=ruleset.turn,
        turn_reversed=ruleset.turn_order == "reversed",
        follow=FOLLOWS.get(players, "suit") if by_players else "suit",
        in_flight_lands=ruleset.in_flight == "lands",
        same_place=ruleset.same_place,
        withholding=ruleset.withholding,
        stacking=ruleset.stacking,
        river_transfer=ruleset.river_transfer and ruleset.building,
        stuck=ruleset.stuck,
    )
