"""House rules that the knob offers in the Nertz games, and their phase PLAYING.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.games.nertz.dialect import beat_word
from referee.core.games.nertz.rules import NertzRules
from referee.core.messages import msg
from referee.core.model import lamps
from referee.core.model.lamps import Times
from referee.core.model.state import Play, State
from referee.core.model.table import Table
from referee.core.model.transitions import SWITCH, Setting, numbers, words
from referee.core.model.view import BurnScreen, Screen
from referee.core.phases.armed import TIE_SETTING
from referee.core.phases.race import Race
from referee.core.values import replace

CALL_WORDS = ("NERTZ", "NERTS", "POUNCE", "PEANUTS", "SQUEAL", "SCROOGE", "RACING")
"""Words that tables call out, offered with any preset. The configuration allows others."""

SETTINGS: tuple[Setting, ...] = (
    Setting("target", "item.target", numbers(50, 75, 99, 100, 150, 200, 250, 300, 400, 500)),
    Setting("bonus", "item.bonus", numbers(0, 5, 10, 20, 25)),
    Setting("penalty", "item.penalty", numbers(0, 1, 2, 3)),
    Setting("stuck", "item.set_stuck", words("burn", "rotate", "redeal-stock", "abandon", "score")),
    Setting(
        "false_call",
        "item.set_false",
        (*words("play-on"), ("points:5", -5), ("points:10", -10), ("points:20", -20), *words("zero")),
    ),
    TIE_SETTING,
    Setting("stacking", "item.stacking", SWITCH[::-1]),
    Setting("call_word", "item.call_word", (("", msg("choice.usual")), *((word, word) for word in CALL_WORDS))),
    Setting("start_words", "item.start_words", (("ready", msg("choice.ready")), ("numbers", "1-2-3"))),
    Setting("start_by", "item.start_by", words("all", "one")),
    Setting(
        "handicap",
        "item.handicap",
        words("none", "winner", "negative", "negative-three", "distance"),
        words("winner", "negative", "negative-three", "distance", key="about."),
    ),
    Setting("reserve", "agree.reserve", numbers(8, 9, 10, 11, 12, 13, 15, 20)),
    Setting("river", "agree.river", numbers(3, 4, 5, 6)),
    Setting("layout", "agree.layout", words("row", "klondike")),
    Setting("turn", "agree.turn", numbers(1, 3)),
    Setting("turn_order", "agree.turn_order", words("kept", "reversed")),
    Setting("jokers", "agree.jokers", numbers(0, 2)),
    Setting("foundations", "agree.foundations", words("suit", "by-players")),
    Setting("same_place", "agree.same_place", words("first", "both", "table")),
    Setting("in_flight", "agree.in_flight", words("lands", "returns")),
    Setting("withholding", "agree.withholding", SWITCH),
    Setting("river_transfer", "agree.river_transfer", SWITCH),
    Setting("king_bonus", "agree.king_bonus", numbers(0, 3, 5, 10)),
    Setting("tiebreak", "agree.tiebreak", words("calls", "hand", "share")),
    Setting("tiebreak_teams", "agree.tiebreak_teams", words("tied", "all")),
    Setting("settlement", "agree.settlement", words("none", "difference", "each-hand")),
    Setting("pile_control", "agree.pile_control", words("free", "alternate")),
    Setting("shuffle_for", "agree.shuffle_for", words("self", "left")),
    Setting("rotate_seats", "agree.rotate_seats", SWITCH),
    Setting("pack_check", "agree.pack_check", SWITCH),
    Setting("start", "agree.start", words("stop", "note")),
)
GROUPS = {
    "item.rules_usual": "target bonus stuck stacking handicap call_word",
    "item.rules_call": "false_call tie_ms start_words start_by start",
    "item.rules_deal": "reserve river layout turn turn_order jokers shuffle_for",
    "item.rules_middle": "foundations same_place in_flight withholding river_transfer",
    "item.rules_score": "penalty king_bonus tiebreak tiebreak_teams settlement pack_check",
    "item.rules_seats": "pile_control rotate_seats",
}
"""The options by group, those that people change first."""


def idle_options(rules: NertzRules) -> frozenset[str]:
    """Return the options without an effect under these rules."""
    endless = rules.settlement == "each-hand"
    told = {
        "target": endless,
        "river": rules.layout == "klondike",
        "turn_order": rules.turn == 1,
        "river_transfer": not rules.building,
        "tiebreak": endless,
        "tiebreak_teams": endless or rules.tiebreak == "share",
    }
    return frozenset(name for name, idle in told.items() if idle)


class Playing(Race, tag="nertz_playing"):
    """Play of a hand. If no team can play, all burn a card (move it to the bottom of a pile).

    burns: number of burns since a card was last played. stream_burns: number of burns of stock cards since the last
    play or the last burn of a reserve card. burnt: the pile burnt just before play resumed; "" for none. searched:
    whether all teams have searched for a move since the last play or burn, and found none.
    """

    name: ClassVar[str] = Play.name
    burns: int = 0
    stream_burns: int = 0
    burnt: str = ""
    searched: bool = False

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> Race:
        fresh = replace(self, burnt="", searched=False)
        return super(Playing, fresh).running(table, go_at_ns, armed_at_ns)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        if self.burnt and now_ns < self.go_at_ns + lamps.GO_NS:
            times.append(self.go_at_ns + lamps.GO_NS)
            return BurnScreen(beat_word(self.burnt), self.burnt, self.burns)
        return super().screen(state, now_ns, times)
