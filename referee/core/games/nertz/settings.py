"""The family's house rules at the knob with common values. The configuration accepts others."""

from __future__ import annotations

from referee.core.games.nertz.rules import NertzRules
from referee.core.messages import Msg, msg
from referee.core.model.transitions import Setting
from referee.core.phases.armed import TIE_SETTING

CALL_WORDS = ("NERTZ", "NERTS", "POUNCE", "PEANUTS", "SQUEAL", "SCROOGE", "RACING")
"""Calls that tables use with any preset. The configuration accepts other words."""
SWITCH = ((True, msg("choice.yes")), (False, msg("choice.no")))


def _numbers(*values: int) -> tuple[tuple[int, int], ...]:
    """Return choices of plain numbers: (value, its text), both the number."""
    return tuple((value, value) for value in values)


def _words(*values: str) -> tuple[tuple[str, Msg], ...]:
    """Return each value with the word of its name."""
    return tuple((value, msg(f"choice.{value.replace('-', '_')}")) for value in values)


SETTINGS: tuple[Setting, ...] = (
    Setting("target", "item.target", _numbers(50, 75, 99, 100, 150, 200, 250, 300, 400, 500)),
    Setting("bonus", "item.bonus", _numbers(0, 5, 10, 20, 25)),
    Setting("penalty", "item.penalty", _numbers(0, 1, 2, 3)),
    Setting(
        "stuck",
        "item.set_stuck",
        (
            ("burn", msg("choice.burn")),
            ("rotate", msg("choice.rotate")),
            ("redeal-stock", msg("choice.redeal")),
            ("abandon", msg("choice.abandon")),
            ("score", msg("choice.score")),
        ),
    ),
    Setting(
        "false_call",
        "item.set_false",
        (
            ("play-on", msg("choice.play_on")),
            ("points:5", -5),
            ("points:10", -10),
            ("points:20", -20),
            ("zero", msg("choice.zero")),
        ),
    ),
    TIE_SETTING,
    Setting("stacking", "item.stacking", ((False, msg("choice.no")), (True, msg("choice.yes")))),
    Setting(
        "call_word",
        "item.call_word",
        (("", msg("choice.usual")), *((word, word) for word in CALL_WORDS)),
    ),
    Setting("start_words", "item.start_words", (("ready", msg("choice.ready")), ("numbers", "1-2-3"))),
    Setting("start_by", "item.start_by", (("all", msg("choice.all")), ("one", msg("choice.one")))),
    Setting(
        "handicap",
        "item.handicap",
        (
            ("none", msg("choice.none")),
            ("winner", msg("choice.winner")),
            ("negative", msg("choice.minus")),
            ("negative-three", msg("choice.triple_minus")),
            ("distance", msg("choice.distance")),
        ),
        (
            ("winner", msg("about.handicap_winner")),
            ("negative", msg("about.handicap_minus")),
            ("negative-three", msg("about.handicap_triple")),
            ("distance", msg("about.handicap_distance")),
        ),
    ),
    Setting("reserve", "agree.reserve", _numbers(8, 9, 10, 11, 12, 13, 15, 20)),
    Setting("river", "agree.river", _numbers(3, 4, 5, 6)),
    Setting("layout", "agree.layout", _words("row", "klondike")),
    Setting("turn", "agree.turn", _numbers(1, 3)),
    Setting("turn_order", "agree.turn_order", _words("kept", "reversed")),
    Setting("jokers", "agree.jokers", _numbers(0, 2)),
    Setting("foundations", "agree.foundations", _words("suit", "by-players")),
    Setting("same_place", "agree.same_place", _words("first", "both", "table")),
    Setting("in_flight", "agree.in_flight", _words("lands", "returns")),
    Setting("withholding", "agree.withholding", SWITCH),
    Setting("river_transfer", "agree.river_transfer", SWITCH),
    Setting("king_bonus", "agree.king_bonus", _numbers(0, 3, 5, 10)),
    Setting("tiebreak", "agree.tiebreak", _words("calls", "hand", "share")),
    Setting("tiebreak_teams", "agree.tiebreak_teams", _words("tied", "all")),
    Setting("settlement", "agree.settlement", (("none", msg("choice.none")), *_words("difference", "each-hand"))),
    Setting("pile_control", "agree.pile_control", _words("free", "alternate")),
    Setting("shuffle_for", "agree.shuffle_for", _words("self", "left")),
    Setting("rotate_seats", "agree.rotate_seats", SWITCH),
    Setting("pack_check", "agree.pack_check", SWITCH),
    Setting("start", "agree.start", _words("stop", "note")),
)
"""All options: the most used first, then the cards, the end, the roles, the start."""


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
