"""The family's house rules on the knob, with the values that tables play; any other comes from the configuration."""

from __future__ import annotations

from referee.core.messages import msg
from referee.core.model.transitions import Setting

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
