"""The family's house rules on the knob, with the values that tables play; any other comes from the configuration."""

from __future__ import annotations

from referee.core.messages import Msg, msg
from referee.core.model.transitions import Setting

CALL_WORDS = ("NERTZ", "NERTS", "POUNCE", "PEANUTS", "SQUEAL", "SCROOGE", "RACING")
"""What tables call out that play by any preset; another word comes from the configuration."""
SWITCH = ((True, msg("choice.yes")), (False, msg("choice.no")))


def _words(*values: str) -> tuple[tuple[str, Msg], ...]:
    """Each value with the word of its name."""
    return tuple((value, msg(f"choice.{value.replace('-', '_')}")) for value in values)


SETTINGS: tuple[Setting, ...] = (
    Setting("target", "item.target", tuple((n, n) for n in (50, 75, 99, 100, 150, 200, 250, 300, 400, 500))),
    Setting("bonus", "item.bonus", tuple((n, n) for n in (0, 5, 10, 20, 25))),
    Setting("penalty", "item.penalty", tuple((n, n) for n in (0, 1, 2, 3))),
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
    Setting("tie_ms", "item.set_tie", tuple((n, msg("choice.ms", ms=n)) for n in (0, 5, 10, 20, 30, 50, 100))),
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
    ),
)

SPELLED: tuple[Setting, ...] = (
    Setting("reserve", "agree.reserve", ()),
    Setting("river", "agree.river", ()),
    Setting("turn", "agree.turn", ()),
    Setting("turn_order", "agree.turn_order", _words("kept", "reversed")),
    Setting("jokers", "agree.jokers", ()),
    Setting("layout", "agree.layout", _words("row", "klondike")),
    Setting("foundations", "agree.foundations", _words("suit", "by-players")),
    Setting("in_flight", "agree.in_flight", _words("lands", "returns")),
    Setting("same_place", "agree.same_place", _words("first", "both", "table")),
    Setting("withholding", "agree.withholding", SWITCH),
    Setting("river_transfer", "agree.river_transfer", SWITCH),
    Setting("tiebreak", "agree.tiebreak", _words("calls", "hand", "share")),
    Setting("tiebreak_teams", "agree.tiebreak_teams", _words("tied", "all")),
    Setting("settlement", "agree.settlement", (("none", msg("choice.none")), *_words("difference", "each-hand"))),
    Setting("king_bonus", "agree.king_bonus", ()),
    Setting("pile_control", "agree.pile_control", _words("free", "alternate")),
    Setting("rotate_seats", "agree.rotate_seats", SWITCH),
    Setting("pack_check", "agree.pack_check", SWITCH),
    Setting("shuffle_for", "agree.shuffle_for", _words("self", "left")),
    Setting("start", "agree.start", _words("stop", "note")),
)
"""Every other option, as a table is told of it where it differs from the preset."""
