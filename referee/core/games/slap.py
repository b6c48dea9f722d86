"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): all judge a claim, then play on.

The first press (slap) claims the cards on the table. Each team answers once whether the claim was right: tap right,
hold wrong (`phases/answers.py`). A right claim earns a point, a wrong one costs points. Play goes on at the last
answer; no countdown and no READY phase separate two slaps. The device does not know the cards: points stand for cards
won.

Sources: pagat's pages on Snap, Slapjack and Egyptian Ratscrew; the boxed rules of Halli Galli.

Points of dispute in Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli).

The most frequent first. Sources: pagat's pages on Snap, Slapjack and Egyptian Ratscrew; for Halli Galli the boxed rules
("makers"). Two rules are decisions of this project: points stand for cards, and how a slap is judged with buttons.
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
from referee.core.rulebook import say, topic

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
    RULEBOOK = "referee.core.games.slap"
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


TOPICS = (
    topic(
        "slap_first",
        say("slap_measured", "ours", "tie_ms"),
        say("slap_lowest", "rules"),
        say("slap_tied slap_table", "ours"),
    ),
    topic(
        "slap_when",
        say("slap_alike", "pagat", preset="snap"),
        say("slap_jack", "pagat", preset="slapjack"),
        say("slap_doubles", "pagat", preset="ratscrew"),
        say("slap_fruit", "makers", preset="halli-galli"),
        say("slap_agreed", "house", preset="ratscrew"),
    ),
    topic(
        "slap_wrong",
        say("slap_costs", "pagat", "penalty", has_penalty=True),
        say("slap_gives", "makers", "gift", has_gift=True),
        say("slap_no_gift", "rules", has_penalty=True, has_gift=False),
        say("slap_no_more", "makers", has_penalty=False, has_gift=True),
        say("slap_free", "house", has_penalty=False, has_gift=False),
        say("slap_answers slap_admits slap_silence", "ours"),
        say("slap_cards", "table"),
    ),
    topic("slap_again", say("slap_closed slap_held", "ours")),
    topic("slap_feint", say("slap_twitch", "ours")),
    topic("slap_turning", say("slap_turn slap_turn_early", "rules")),
    topic("slap_court", say("slap_royals slap_over", "pagat", preset="ratscrew")),
    topic(
        "slap_empty",
        say("slap_points", "ours"),
        say("slap_out", "pagat", preset="snap"),
        say("slap_back_in", "pagat", preset=("slapjack", "ratscrew")),
        say("slap_still_rings", "makers", preset="halli-galli"),
    ),
    topic(
        "slap_target",
        say("slap_wins", "ours", "target", has_target=True),
        say("slap_shares", "ours"),
        say("slap_endless", "ours", has_target=False),
    ),
    topic("slap_pause", say("slap_rest", "ours")),
    topic("aim", say("aim_slap", "rules"), say("aim_slap_points", "ours")),
)
"""Points of dispute in Slap, the most frequent first."""
