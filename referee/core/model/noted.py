"""What a match document says of time outs beside its hands: whose each was and why, in every game alike.

"timeouts": [{"hand": 2, "team": "Ben", "why": "collision"}, {"hand": 3, "why": "tidy"}]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from referee.core.model.state import Table
from referee.core.reading import Part
from referee.core.values import Document, Json

NOTES = ("adjustments", "timeouts")
"""Lists of objects that may name a team."""
_MOST_HANDS = 100_000


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
    parts = part.keyed(("hand", "why"), ("team",))
    whose = parts["team"].named(teams, "one of the teams of the match") if "team" in parts else "nobody's"
    return f"Time out in hand {parts['hand'].whole(1, _MOST_HANDS)}: {whose}, {parts['why'].text()}"


def renamed_notes(match: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    """Those lists of a match document with every team called otherwise."""
    return {key: [_renamed(note, names) for note in match[key]] for key in NOTES if key in match}


def _renamed(note: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    return {**note, "team": names[note["team"]]} if "team" in note else dict(note)
