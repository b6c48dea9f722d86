"""A match document of 31 (docs/commands.md) to its result document, and a match at the table to a match document.

The document is read hand by hand beside the tally, because who may be named in a hand depends on who is still in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from referee.core.games.thirtyone.record import columns, counts_of, ending, hand_story, match_document, rename_in_match
from referee.core.games.thirtyone.rules import (
    ACES,
    HALF,
    LEAST,
    MOST,
    OPTIONS,
    PLACES,
    PRESETS,
    TITLES,
    ThirtyOneRules,
    preset_values,
    with_options,
)
from referee.core.games.thirtyone.scoring import (
    CARDS,
    Card,
    ThirtyOneHand,
    ThirtyOneTally,
    add_points,
    after,
    allowed_value,
    card_of,
    cards_twice,
    county,
    inside,
    opening,
    place,
    ranks,
    shortage,
    totals,
    value_of,
    winners,
)
from referee.core.model.account import Account
from referee.core.model.noted import adjustments_told, read_adjustments, refuse_adjustments, timeouts_told
from referee.core.model.options import RuleError, RuleOption
from referee.core.model.registry import no_position as position
from referee.core.reading import DocumentError, Part, is_number, list_text, number, quoted_value
from referee.core.reading import count_text as counted_text
from referee.core.rulebook.book import Facts
from referee.core.values import Document

__all__ = [
    "FAMILY",
    "NAME",
    "RULEBOOK",
    "TITLES",
    "WORDS",
    "account",
    "card_game",
    "cards",
    "check_options",
    "columns",
    "counts_of",
    "ending",
    "facts",
    "hand_story",
    "match_document",
    "options",
    "position",
    "preset_values",
    "rename_in_match",
    "score_match",
]

NAME = FAMILY = "31"
"""The game's name in lists of games, and what other programs call it."""
WORDS: tuple[str, ...] = (
    "undo.knock",
    "undo.31",
    "undo.not_31",
    "undo.place",
    "ask.31",
    "ask.not_a_31",
    "seat.knock",
    "seat.31",
)
"""What is said in this game alone."""
RULEBOOK = "referee.core.games.thirtyone.rulebook"
_MOST_POINTS = 1_000
_COUNTED = {"lives": "lives", "places": "places of the bus"}


def options() -> tuple[RuleOption, ...]:
    """Every option of the game, in the order in which documents name them."""
    return tuple(OPTIONS.values())


def check_options(preset: str, options: Mapping[str, object]) -> None:
    """Raises RuleError for an option that cannot be so."""
    with_options(PRESETS[preset], options)


def facts(preset: str, options: Mapping[str, object]) -> Facts:
    """What a table of this preset and these options can be asked for. Raises RuleError."""
    from referee.core.games.thirtyone.rulebook import facts as known

    return known(preset, options)


def cards(preset: str, options: Mapping[str, object]) -> tuple[int, int]:
    """Cards in the pack, cards in a hand."""
    return 52, CARDS


def card_game(preset: str, options: Mapping[str, object], teams: int, people: int = 0) -> None:
    """None: whose turn it is decides here, and no move of the cards by itself is right or wrong."""


def score_match(document: Part) -> Document:
    """The result document of a match document. Raises DocumentError."""
    rules, tally, won, _ = _match(document)
    counted = "points" if rules.counts == "points" else "lives"
    return {
        counted: dict(totals(rules, tally)),
        **({"places": {player: place(tally, player) for player in tally.left}} if rules.counts == "places" else {}),
        "county": list(county(tally)) if rules.counts != "points" else [],
        "out": list(tally.out),
        "over": bool(won),
        "winners": list(won),
    }


def account(document: Part) -> Account:
    """The match told in the words that all games share. Raises DocumentError."""
    rules, tally, won, notes = _match(document)
    return Account(
        hands=tally.scores,
        totals=totals(rules, tally),
        ranks=ranks(rules, tally),
        winners=won,
        shown=_places_and_lives(rules, tally),
        remarks=notes,
    )


def _places_and_lives(rules: ThirtyOneRules, tally: ThirtyOneTally) -> dict[str, str]:
    if rules.counts == "places":
        return {player: place(tally, player) for player in tally.left}
    out = dict.fromkeys(tally.out, "out")
    return out if rules.counts == "points" else dict.fromkeys(county(tally), "county") | out


# -- what holds for the whole match ---------------------------------------------------------------------------------


def _match(document: Part) -> tuple[ThirtyOneRules, ThirtyOneTally, tuple[str, ...], tuple[str, ...]]:
    """The rules, where everybody stands, who has won, and what else is on record, as people read it."""
    more = ("options", "joined", "played_on", "ended", "adjustments", "timeouts")
    parts = document.keyed_parts(("preset", "players", "hands"), more)
    on, ended = (key in parts and parts[key].truth() for key in ("played_on", "ended"))
    rules = _ruleset(parts["preset"], parts.get("options"))
    players = parts["players"].names("player")
    if not LEAST <= len(players) <= MOST:
        parts["players"].refuse(f"a list of {LEAST} to {MOST} names, for one pack deals to no more")
    hands = parts["hands"].items()
    if rules.counts != "points":
        refuse_adjustments(parts.get("adjustments"), rules.preset, _COUNTED[rules.counts])
    given = read_adjustments(players, parts.get("adjustments"), len(hands))
    notes = (*adjustments_told(given), *timeouts_told(players, parts.get("timeouts")))
    tally = opening(rules, players, _read_newcomers(rules, players, parts.get("joined"), hands))
    tally = add_points(rules, tally, given)
    for part in hands:
        tally = add_points(rules, after(rules, tally, _hand(rules, tally, part, on)), given)
    return rules, tally, winners(rules, tally, ended=ended), notes


def _ruleset(preset: Part, options: Part | None) -> ThirtyOneRules:
    base = PRESETS[preset.one_of(PRESETS)]
    if options is None:
        return base
    try:
        return with_options(base, {name: part.value for name, part in options.table().items()})
    except RuleError as exc:
        raise DocumentError(f"{options.step(exc.option, None).where}: {exc.problem}") from exc


def _read_newcomers(
    rules: ThirtyOneRules, players: Collection[str], part: Part | None, hands: Sequence[Part]
) -> dict[str, int]:
    """Where newcomers start, who for that reason are not dealt in from the first hand on."""
    most = _MOST_POINTS if rules.counts == "points" else rules.start + len(PLACES)
    starts = part.by_name(players, "players of the match") if part else {}
    first = hands[0].table().get("players") if hands else None
    for name, start in starts.items():
        if hands and (first is None or name in first.some_of(players, _LISTED, "one of the players of the match")):
            start.refuse("a start only for a player whom the first hand's players do not name")
    return {name: start.whole(0, most) for name, start in starts.items()}


# -- a hand ---------------------------------------------------------------------------------------------------------


def _hand(rules: ThirtyOneRules, tally: ThirtyOneTally, part: Part, played_on: bool) -> ThirtyOneHand:
    parts = part.keyed_parts((), ("knocker", "values", "thirtyone", "players", "levels", "corrected"))
    won = winners(rules, tally)
    if won and not played_on:
        names = list_text(map(quoted_value, won))
        raise DocumentError(f"{part.where}: a hand is given after the match was over (won by {names}), allowed is none")
    players = _players(tally, parts.get("players"), played_on)
    thirtyone = _thirtyone(parts.get("thirtyone"), players)
    knocker = parts["knocker"].known_name(players, _DEALT_IN) if "knocker" in parts else None
    for key in ("knocker", "values"):
        if not thirtyone and key not in parts:
            raise DocumentError(f"{part.where}: the key {key} is missing, only a hand with a 31 is allowed without")
    values = _values(rules, parts["values"], players, thirtyone) if "values" in parts else {}
    if knocker in values and values[knocker] < rules.minimum_knock:
        given = parts["values"].by_name(players, _DEALT_IN)[knocker]
        given.refuse(f"a value from {rules.minimum_knock} on for the knocker, by the option minimum_knock")
    corrected = parts["corrected"].some_of(players, _LISTED, _DEALT_IN) if "corrected" in parts else ()
    levels = _levels(rules, tally, parts["levels"]) if "levels" in parts else 0
    return ThirtyOneHand(players, knocker, values, thirtyone, levels=levels, corrected=corrected)


_LISTED, _DEALT_IN = "player of the list", "one of the players who are dealt in"


def _players(tally: ThirtyOneTally, part: Part | None, played_on: bool) -> tuple[str, ...]:
    """Who is dealt in: everybody who is still in, unless somebody sits out (or a correction came later)."""
    still = tuple(tally.left) if played_on and part is not None else inside(tally)
    if part is None:
        return still
    named = part.some_of(still, _LISTED, "a player who is still in")
    if len(named) < LEAST:
        part.refuse("a list of two or more players")
    return tuple(player for player in still if player in named)


def _thirtyone(part: Part | None, players: Collection[str]) -> tuple[str, ...]:
    if part is None:
        return ()
    declared = part.some_of(players, "declarer", _DEALT_IN)
    if len(declared) > ACES:
        part.refuse(f"at most {ACES} players, because each 31 has an ace")
    return declared


def _values(
    rules: ThirtyOneRules, part: Part, players: Collection[str], thirtyone: Collection[str]
) -> dict[str, Fraction]:
    """Everybody's value after a last round; what was shown, if a 31 ended the hand."""
    given = part.by_name(players, "players who are dealt in")
    hands = {player: _cards(value) for player, value in given.items() if isinstance(value.value, list)}
    twice = cards_twice(list(hands.values()))
    if twice is not None:
        raise DocumentError(
            f"{part.where}: {quoted_value(twice.rank + twice.suit)} is given twice, a pack has one of each card"
        )
    for player in players:
        if player in thirtyone and player in given:
            given[player].refuse("none for a player who has declared a 31")
        if not thirtyone and player not in given:
            part.refuse(f"a value for each player who is dealt in: {list_text(map(quoted_value, players))}")
    values = {
        player: _card_value(rules, value, hands[player]) if player in hands else _number(rules, value)
        for player, value in given.items()
    }
    short = shortage(rules, values.values())
    if short is not None:
        which = f"{number(short.value)} or {'more' if short.high else 'less'}"
        part.refuse(f"hands of one pack, which has no {counted_text(short.hands, 'hand')} of {which} together")
    return values


def _cards(part: Part) -> tuple[Card, ...]:
    cards = tuple(_card(item) for item in part.items())
    if len(cards) != CARDS:
        part.refuse("three cards, or their value")
    return cards


def _card(part: Part) -> Card:
    card = card_of(part.value) if isinstance(part.value, str) else None
    if card is None:
        part.refuse("a card such as AH, 10S or 4C: its rank and C, D, H or S")
    return card


def _card_value(rules: ThirtyOneRules, part: Part, cards: Sequence[Card]) -> Fraction:
    value = value_of(rules, cards)
    if not allowed_value(rules, value):
        part.refuse("any three cards but a 31, which is declared in thirtyone")
    return value


def _number(rules: ThirtyOneRules, part: Part) -> Fraction:
    half = f", or {float(HALF)}" if rules.three_of_a_kind == "30.5" else ""
    value = Fraction(part.value) if is_number(part.value) else None
    if value is None or not allowed_value(rules, value):
        part.refuse(f"three cards, or a whole number from 2 to 30{half}; a 31 is declared in thirtyone")
    return value


def _levels(rules: ThirtyOneRules, tally: ThirtyOneTally, part: Part) -> int:
    if rules.counts != "places":
        part.refuse(f"none in {rules.preset}, which has no bus")
    return part.whole(0, len(PLACES) - 4 - tally.levels)
