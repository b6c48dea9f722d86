"""Convert the rules of a Nertz game and a number of teams to `CardRules`.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from referee.core.cards.position import CardCount, CardGame
from referee.core.cards.rules import CardRules
from referee.core.games.nertz.rules import NertzRules
from referee.core.games.nertz.scoring import NertzCount, NertzHand, score_hand
from referee.core.reading import number

RIVER_FIRST = ("nna", "nna150")
"""Presets in which the work piles (the River) are dealt before the reserve, as the NNA says."""
OPEN_RESERVE = ("racing-demon",)
"""Presets in which the whole reserve is dealt face up (Keeling's Racing Demon)."""
FOLLOWS: Mapping[int, str] = {2: "any", 3: "colour"}
"""Number of people -> which card may follow on a foundation by Keeling's rules.

With more people, it must be of the same suit.
"""


def card_rules(ruleset: NertzRules, teams: int, people: int = 0) -> CardRules:
    """Return the card rules for this number of teams.

    people: number of players; 0: one player per team.

    >>> from referee.core.games.nertz.rules import PRESETS
    >>> card_rules(PRESETS["ligretto"], 3).piles, card_rules(PRESETS["racing-demon"], 3).follow
    (4, 'colour')
    >>> card_rules(PRESETS["racing-demon"], 2, people=4).follow
    'suit'
    """
    by_players = ruleset.foundations == "by-players"
    return CardRules(
        highest=10 if ruleset.boxed else 13,
        jokers=ruleset.jokers,
        letters="rybg" if ruleset.boxed else "SHCD",
        reserve=ruleset.reserve,
        open_reserve=ruleset.preset in OPEN_RESERVE,
        river_first=ruleset.preset in RIVER_FIRST,
        piles=ruleset.work_piles(teams),
        klondike=ruleset.layout == "klondike",
        building=ruleset.building,
        turn=ruleset.turn,
        turn_reversed=ruleset.turn_order == "reversed",
        follow=FOLLOWS.get(people or teams, "suit") if by_players else "suit",
        in_flight_lands=ruleset.in_flight == "lands",
        same_place=ruleset.same_place,
        withholding=ruleset.withholding,
        stacking=ruleset.stacking,
        river_transfer=ruleset.river_transfer and ruleset.building,
        stuck=ruleset.stuck,
    )


def card_game(ruleset: NertzRules, teams: int, people: int = 0) -> CardGame:
    """Return the rules, target and score function for simulating the game card by card.

    people: number of players; 0: one player per team.
    """
    return CardGame(card_rules(ruleset, teams, people), ruleset.target, partial(_score, ruleset))


def _score(ruleset: NertzRules, end: str, called: bool, count: CardCount) -> int | float:
    """Return the score for a team's count, with the whole bonus if `called`; 0 if abandoned."""
    counted = {"": NertzCount(count.lake, count.left, count.kings)}
    scores = score_hand(ruleset, NertzHand(end, ("",) if called else (), counted))
    return number(scores[""]) if scores else 0
