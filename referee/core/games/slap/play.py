"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): all judge a claim, then play on.

The first press (slap) claims the cards on the table. Each team answers once whether the claim was right: tap right,
hold wrong (`phases/answers.py`). A right claim earns a point, a wrong one costs points. Play goes on at the last
answer; no countdown and no READY phase separate two slaps. The device does not know the cards: points stand for cards
won.

Sources: pagat's pages on Snap, Slapjack and Egyptian Ratscrew; the boxed rules of Halli Galli.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from referee.core.messages import Msg, msg
from referee.core.model.options import RuleOption
from referee.core.model.table import Table
from referee.core.model.transitions import Setting, numbers
from referee.core.phases.answers import RIGHT, AnsweredGame
from referee.core.phases.armed import TIE_SETTING, USUAL_TIE, tie_option
from referee.core.phases.points import Values

REASONS = {"slapjack": msg("teach.slap_jack"), "halli-galli": msg("teach.slap_fruit")}
"""Preset -> the message on which cards to slap; in any other preset, two equal cards."""
_PAGAT = {
    "target": (20, "assumed: so many right slaps are about a pack won"),
    "penalty": (1, "pagat: a wrong slap costs a card"),
    "gift": (0, "pagat"),
    "tie_ms": USUAL_TIE,
}


class Slap(AnsweredGame):
    """The slapping games; phases.answers.AnsweredGame describes the methods."""

    NAME = FAMILY = "Slap"
    RULEBOOK = "referee.core.games.slap.rulebook"
    OPTIONS = (
        RuleOption("target", "number", "points that end the match; 0: the players end it", "assumed", 0, 999),
        RuleOption("penalty", "number", "what a wrong slap costs", "1 in pagat's rules of all four", 0, 20),
        RuleOption("gift", "number", "what a wrong slap gives each other team", "1 in Halli Galli, else 0", 0, 5),
        tie_option("slaps"),
    )
    PRESETS = {
        "snap": ("Snap: two cards alike", _PAGAT),
        "slapjack": ("Slapjack: slap the jacks", _PAGAT),
        "ratscrew": ("Egyptian Ratscrew: doubles and sandwiches", _PAGAT),
        "halli-galli": (
            "Halli Galli: five of one fruit",
            _PAGAT | {"gift": (1, "boxed rules: a card to each other player"), "penalty": (0, "see gift")},
        ),
    }
    settings = (
        Setting("target", "item.target", numbers(10, 20, 50, 75, 100)),
        Setting("penalty", "item.penalty", numbers(0, 1, 2, 3)),
        Setting("gift", "agree.gift", numbers(0, 1, 2, 3)),
        TIE_SETTING,
    )
    counted_by = frozenset({"penalty", "gift"})
    word = msg("claim.slap")
    dark = "claim"
    reasons = {"snap": "alike", "ratscrew": "alike", "slapjack": "jack", "halli-galli": "fruit"}

    def points(self, rules: Values, end: str, callers: Sequence[str], playing: Iterable[str]) -> Mapping[str, int]:
        if end == RIGHT:
            return dict.fromkeys(callers, 1)
        gift, others = rules["gift"], [team for team in playing if team not in callers]
        costs = rules["penalty"] + gift * len(others)
        return dict.fromkeys(others, gift * len(callers)) | dict.fromkeys(callers, -costs)

    def lesson(self, table: Table, part: str, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        rules = self.rules_of(table)
        if part == "deal":
            return (msg("teach.deal_all"), msg("teach.tap_ready"))
        told = (
            (True, msg("teach.turn_cards")),
            (True, REASONS.get(table.setup.preset, msg("teach.slap_alike"))),
            (table.setup.preset == "ratscrew", msg("teach.slap_sandwich")),
            (True, msg("teach.slap_button")),
            (rules["penalty"], msg("teach.slap_wrong", points=rules["penalty"])),
            (rules["gift"], msg("teach.slap_gift", points=rules["gift"])),
            (True, msg("teach.device_counts")),
            (rules["target"], msg("teach.first_to", target=rules["target"])),
        )
        return tuple(line for said, line in told if said)


DOCUMENTS = GAME = Slap()
