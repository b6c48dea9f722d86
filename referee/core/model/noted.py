"""What a match document says beside its hands, in every game alike: time outs, and points by the table's will.

"timeouts": [{"hand": 2, "team": "Ben", "why": "collision"}, {"hand": 3, "why": "tidy"}]
"adjustments": [{"after": 2, "team": "Ben", "points": -5, "reason": "penalty"}]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from referee.core.model.account import score_text
from referee.core.model.table import Adjustment, Table
from referee.core.reading import Part, number
from referee.core.values import Document, Json

NOTES = ("adjustments", "timeouts")
"""Lists of objects that may name a team."""
_MOST_HANDS = 100_000
_MOST_POINTS = 1_000_000


# -- points by the table's will ------------------------------------------------------------------------------------


def adjustments_document(table: Table, names: Mapping[str, str]) -> Document:
    """The document's part; {} where there were none. names: team id -> name."""
    told = [
        {
            "after": one.after,
            "team": names[one.team],
            "points": number(one.points),
            **({"reason": one.reason} if one.reason else {}),
        }
        for one in table.adjustments
    ]
    return {"adjustments": told} if told else {}


def read_adjustments(
    teams: Collection[str], part: Part | None, hands: int, *, halves: bool = False
) -> tuple[Adjustment, ...]:
    """Points that the table gave a team or took: after how many of the `hands`, and what for. Raises DocumentError.

    halves: whether the game's score has any.
    """
    return tuple(_read_adjustment(teams, one, hands, halves) for one in part.items()) if part else ()


def _read_adjustment(teams: Collection[str], part: Part, hands: int, halves: bool) -> Adjustment:
    parts = part.keyed_parts(("after", "team", "points"), ("reason",))
    after, points = parts["after"].whole(0, hands), parts["points"]
    return Adjustment(
        after=after,
        team=parts["team"].known_name(teams, "one of the teams of the match"),
        points=(points.half if halves else points.whole)(-_MOST_POINTS, _MOST_POINTS) * Fraction(1),
        reason=parts["reason"].text() if "reason" in parts else "",
    )


def refuse_adjustments(part: Part | None, preset: str, counts: str) -> None:
    """In a game that counts no points there are none to give. Raises DocumentError."""
    if part is not None and part.items():
        part.refuse(f"none in {preset}, which counts {counts}: a table gives and takes points alone")


def adjustments_told(adjustments: Collection[Adjustment]) -> tuple[str, ...]:
    """As people read them: who lost or got how many, after which hand, and what for."""
    return tuple(map(_adjustment_sentence, adjustments))


def _adjustment_sentence(one: Adjustment) -> str:
    what = f"{one.team} {'loses' if one.points < 0 else 'gets'} {score_text(abs(number(one.points)))}"
    return f"{what} after hand {one.after}{one.reason and ': '}{one.reason.replace('_', ' ')}"


def given_by(table: Table, team: str) -> Fraction:
    """What the table has given that team by its own will up to its last hand."""
    hands = len(table.hands)
    return sum((one.points for one in table.adjustments if one.team == team and one.after <= hands), Fraction(0))


# -- time outs -----------------------------------------------------------------------------------------------------


def timeouts_document(table: Table, names: Mapping[str, str]) -> Document:
    """The document's part; {} where there was none. names: team id -> name."""
    told = [
        {"hand": one.hand, **({"team": names[one.team]} if one.team else {}), "why": one.why} for one in table.timeouts
    ]
    return {"timeouts": told} if told else {}


def timeouts_told(teams: Collection[str], part: Part | None) -> tuple[str, ...]:
    """As people read them: in which hand, whose, and why. Raises DocumentError."""
    return tuple(_sentence(teams, one) for one in part.items()) if part else ()


def _sentence(teams: Collection[str], part: Part) -> str:
    parts = part.keyed_parts(("hand", "why"), ("team",))
    whose = parts["team"].known_name(teams, "one of the teams of the match") if "team" in parts else "nobody's"
    return f"Time out in hand {parts['hand'].whole(1, _MOST_HANDS)}: {whose}, {parts['why'].text()}"


# -- both ----------------------------------------------------------------------------------------------------------


def renamed_notes(match: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    """Those lists of a match document with every team called otherwise."""
    return {key: [_rename_note(note, names) for note in match[key]] for key in NOTES if key in match}


def _rename_note(note: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    return {**note, "team": names[note["team"]]} if "team" in note else dict(note)
