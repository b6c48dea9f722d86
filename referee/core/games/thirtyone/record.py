"""A match at the table as a document, and what a document's hands say to those who know no rules of 31."""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.games.thirtyone.phases import Declared, Turn
from referee.core.games.thirtyone.scoring import (
    ThirtyOneHand,
    ThirtyOneTally,
    add_points,
    after,
    inside,
    opening,
    winners,
)
from referee.core.games.thirtyone.table import rules_of
from referee.core.model.noted import adjustments_document, renamed_notes, timeouts_document
from referee.core.model.phase import Phase
from referee.core.model.table import Table
from referee.core.phases.counting import Counting
from referee.core.reading import number
from referee.core.values import Document, Json


def match_document(table: Table, names: Mapping[str, str]) -> Document:
    """The match as a match document; `names`: team id -> name, in seat order."""
    setup, rules = table.setup, rules_of(table.setup)
    tally = opening(rules, names, {team: int(start) for team, start in table.joined})
    tally = add_points(rules, tally, table.adjustments)
    hands, played_on = [], False
    for hand in table.hands:
        played_on = played_on or bool(winners(rules, tally)) or not set(hand.players) <= set(inside(tally))
        hands.append(_hand(tally, hand, names))
        tally = add_points(rules, after(rules, tally, hand), table.adjustments)
    return {
        "preset": setup.preset,
        "options": dict(setup.options),
        "players": list(names.values()),
        **({"joined": {names[team]: number(start) for team, start in table.joined}} if table.joined else {}),
        **({"played_on": True} if played_on else {}),
        **({"ended": True} if table.ended else {}),
        **adjustments_document(table, names),
        **timeouts_document(table, names),
        "hands": hands,
    }


def _hand(tally: ThirtyOneTally, hand: ThirtyOneHand, names: Mapping[str, str]) -> Document:
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


def rename_in_match(match: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    """The match document with everybody called otherwise."""
    return {
        **match,
        **renamed_notes(match, names),
        "players": [names[name] for name in match["players"]],
        **({"joined": {names[n]: start for n, start in match["joined"].items()}} if "joined" in match else {}),
        "hands": [{key: _rename_value(key, value, names) for key, value in hand.items()} for hand in match["hands"]],
    }


def _rename_value(key: str, value: Json, names: Mapping[str, str]) -> Json:
    if key == "knocker":
        return names[value]
    if key == "values":
        return {names[name]: worth for name, worth in value.items()}
    return [names[name] for name in value] if isinstance(value, list) else value


def ending(hand: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
    """A 31 and whose, or a knock and whose."""
    declared = tuple(hand.get("thirtyone", ()))
    return ("31", declared) if declared else ("knock", (hand["knocker"],))


def columns() -> tuple[str, ...]:
    """The names of what `counts_of` gives of a player's hand, in its order."""
    return ("value",)


def counts_of(hand: Mapping[str, Json], team: str) -> tuple[object, ...]:
    """The value of the hand; None where it was not shown. Three cards are as good as their value."""
    value = hand.get("values", {}).get(team)
    return (" ".join(value) if isinstance(value, list) else value,)


def hand_story(phase: Phase) -> tuple[int | None, None]:
    """How long the hand was played; nobody is called, so there is no verdict."""
    last = phase.inner if isinstance(phase, Counting) else phase
    play = last.play if isinstance(last, Declared) else last
    return (play.played_ns if isinstance(play, Turn) else None), None
