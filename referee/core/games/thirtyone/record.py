"""A hand of 31 as a match document has it."""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.games.thirtyone.scoring import ThirtyOneHand, ThirtyOneTally, inside
from referee.core.reading import number
from referee.core.values import Document


def hand_document(tally: ThirtyOneTally, hand: ThirtyOneHand, names: Mapping[str, str]) -> Document:
    """The hand as a match document has it; `tally`: how the match stood before it, `names`: team id -> name."""
    document: Document = {}
    if hand.players != inside(tally):
        document["players"] = [names[team] for team in hand.players]
    if hand.knocker is not None:
        document["knocker"] = names[hand.knocker]
    if hand.thirtyone:
        document["thirtyone"] = [names[team] for team in hand.thirtyone]
    else:
        document["values"] = {names[team]: number(value) for team, value in hand.values.items()}
    if hand.levels:
        document["levels"] = hand.levels
    if hand.corrected:
        document["corrected"] = [names[team] for team in hand.corrected]
    return document
