"""A sealed hand of the family as a document, and what the phases before it say of how it was played."""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.games.nertz.rules import PRESETS, with_options
from referee.core.games.nertz.scoring import NertzCount, NertzHand
from referee.core.model.noted import adjustments_document, renamed_notes, timeouts_document
from referee.core.model.phase import Phase
from referee.core.model.registry import game_of
from referee.core.model.table import Setup, Table
from referee.core.phases.counting import Counting
from referee.core.phases.verdict import story
from referee.core.presses.arbiter import Verdict
from referee.core.reading import number
from referee.core.values import Document, Json, replace


def hand_document(setup: Setup, hand: NertzHand, names: Mapping[str, str]) -> Document:
    """The hand as a match document has it; `names`: team id -> name."""
    rules = with_options(PRESETS[setup.preset], dict(setup.options))
    kings = bool(rules.king_bonus)
    document: Document = {"end": hand.end}
    if hand.end == "call":
        document["callers"] = [names[team] for team in hand.callers]
    if hand.counts:
        document["counts"] = {names[team]: _count(count, kings) for team, count in hand.counts.items()}
    # A document has no place for a team that called falsely and then well; where that costs nothing it is left out.
    false_calls = [t for t in hand.false_calls if t not in hand.callers or rules.false_call != "play-on"]
    if false_calls:
        document["false_calls"] = [names[team] for team in false_calls]
    if hand.shares is not None:
        document["shares"] = {names[team]: number(share) for team, share in hand.shares.items()}
    if hand.corrected:
        document["corrected"] = [names[team] for team in hand.corrected]
    if hand.reserves:
        document["reserves"] = {names[team]: size for team, size in hand.reserves.items()}
    return document


def match_document(table: Table, names: Mapping[str, str]) -> Document:
    """The match at the table as a match document; `names`: team id -> name, in seat order."""
    setup = table.setup
    return {
        "preset": setup.preset,
        "options": dict(setup.options),
        "teams": list(names.values()),
        **({"joined": {names[team]: number(start) for team, start in table.joined}} if table.joined else {}),
        **({"played_on": True} if _played_on(table) else {}),
        **({"ended": True} if table.ended else {}),
        **adjustments_document(table, names),
        **timeouts_document(table, names),
        "hands": [hand_document(setup, hand, names) for hand in table.hands],
    }


def _played_on(table: Table) -> bool:
    """Whether hands follow that a correction has made superfluous: the match was over, or its tie had to be broken."""
    game = game_of(table)
    parts = [replace(table, hands=table.hands[:n], ended=False) for n in range(1, len(table.hands))]
    corrected = any(place.corrected for place in game.standings(table)) or bool(table.adjustments)
    return any(game.winners(p) or (corrected and len(game.next_players(p)) < len(table.teams)) for p in parts)


def rename_in_match(match: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    """The match document with every team called otherwise."""
    hands = [{key: _rename_teams(value, names) for key, value in hand.items()} for hand in match["hands"]]
    return {
        **match,
        **renamed_notes(match, names),
        **{key: _rename_teams(match[key], names) for key in ("teams", "joined") if key in match},
        "hands": hands,
    }


def _rename_teams(value: Json, names: Mapping[str, str]) -> Json:
    """A list of teams, or an object by team, with their new names; other values stay as they are."""
    if isinstance(value, list):
        return [names[team] for team in value]
    return {names[team]: part for team, part in value.items()} if isinstance(value, dict) else value


def ending(hand: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
    """How the hand ended, and whose call stands."""
    return hand["end"], tuple(hand.get("callers", ()))


def columns() -> tuple[str, ...]:
    """The names of what `counts_of` gives of a team's hand, in its order."""
    return ("foundation", "reserve", "kings")


def counts_of(hand: Mapping[str, Json], team: str) -> tuple[object, ...]:
    """Cards on the foundations, reserve cards left, kings where they count."""
    foundation, reserve, *kings = hand["counts"][team]
    return foundation, reserve, *(kings or (None,))


def _count(count: NertzCount, kings: bool) -> list[int]:
    return [count.foundation, count.reserve, *([count.kings] if kings else [])]


def hand_story(phase: Phase) -> tuple[int | None, Verdict | None]:
    """How long cards moved, and the verdict on the call, by the phase that the hand was sealed in."""
    return story(phase.inner if isinstance(phase, Counting) else phase)
