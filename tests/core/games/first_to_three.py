"""A minimal game: the first claim wins the hand, and three hands win the match.

It needs one file and one line in the registry. The shared phases provide the fair call with ties, grey verdicts,
contests and late evidence, lobby, ready check, votes, undo, power cuts, history and export.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from referee.core.phases.points import ROWS, PointsGame, Values

WINS = 3


class FirstToThree(PointsGame):
    """The game's rules; see phases.points.PointsGame."""

    NAME = FAMILY = "first to three"
    PRESETS = {"first-to-three": ("First to three", {"target": (WINS, "this file")})}
    end = "won"
    ENDS = (end,)
    rows = ROWS

    def points(self, rules: Values, end: str, callers: Sequence[str], playing: Iterable[str]) -> Mapping[str, int]:
        return dict.fromkeys(callers, 1)


DOCUMENTS = GAME = FirstToThree()
