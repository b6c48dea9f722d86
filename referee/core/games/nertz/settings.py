"""The family's house rules on the knob, with the values that tables play; any other comes from the configuration."""

from __future__ import annotations

from referee.core.model.transitions import Setting

SETTINGS: tuple[Setting, ...] = (
    Setting("target", "Target", tuple((n, str(n)) for n in (50, 75, 99, 100, 150, 200, 250, 300, 400, 500))),
    Setting("bonus", "Bonus", tuple((n, str(n)) for n in (0, 5, 10, 20, 25))),
    Setting("penalty", "Penalty", tuple((n, str(n)) for n in (0, 1, 2, 3))),
    Setting(
        "stuck",
        "Stuck",
        (
            ("burn", "burn"),
            ("rotate", "rotate"),
            ("redeal-stock", "redeal"),
            ("abandon", "abandon"),
            ("score", "score"),
        ),
    ),
    Setting(
        "false_call",
        "False",
        (
            ("play-on", "play on"),
            ("points:5", "-5"),
            ("points:10", "-10"),
            ("points:20", "-20"),
            ("zero", "zero"),
        ),
    ),
    Setting("tie_ms", "Tie", tuple((n, f"{n} ms") for n in (0, 5, 10, 20, 30, 50, 100))),
    Setting(
        "handicap",
        "Handicap",
        (
            ("none", "none"),
            ("winner", "winner"),
            ("negative", "minus"),
            ("negative-three", "3x minus"),
            ("distance", "distance"),
        ),
    ),
)
