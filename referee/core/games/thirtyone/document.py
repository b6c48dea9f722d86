"""Read and score a match document of 31 (docs/commands.md), and write a match as a document.

Each hand is read together with the standing so far, because only players who are still in may be named in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from referee.core.games.thirtyone.rules import (
    ACES,
    HALF,
    LEAST,
    MOST,
    MOST_LEVELS,
    OPTIONS,
    PAPERS,
    PRESETS,
    ThirtyOneRules,
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
from referee.core.model.paper import Documents, refuse_after_end
from referee.core.model.table import Table
from referee.core.reading import DocumentError, Part, is_number, list_text, number, quoted_value
from referee.core.reading import count_text as counted_text
from referee.core.values import Document, Json

_MOST_POINTS = 1_000


class ThirtyOneDocuments(Documents):
    """Reads and writes match documents of 31; paper.Documents describes the methods."""

    NAME = FAMILY = "31"
    PRESETS = PAPERS
    ALSO = {"31": ("Scat", "Thirty-one")}
    OPTIONS = tuple(OPTIONS.values())
    RULEBOOK = "referee.core.games.thirtyone.rulebook"

    def rules(self, preset: str, options: Mapping[str, object]) -> ThirtyOneRules:
        return with_options(PRESETS[preset], options)

    def counted(self, rules: ThirtyOneRules) -> str:
        return "places of the bus" if rules.counts == "places" else rules.counts

    def cards(self, preset: str, options: Mapping[str, object]) -> tuple[int, int]:
        return 52, CARDS

    def match_document(self, table: Table, names: Mapping[str, str]) -> Document:
        rules = self.rules(table.setup.preset, dict(table.setup.options))
        tally = opening(rules, names, {team: int(start) for team, start in table.joined})
        tally = add_points(rules, tally, table.adjustments)
        hands, played_on = list[Document](), False
        for hand in table.hands:
            played_on = played_on or bool(winners(rules, tally)) or not set(hand.players) <= set(inside(tally))
            hands.append(_hand_document(tally, hand, names))
            tally = add_points(rules, after(rules, tally, hand), table.adjustments)
        return self.written(table, names, hands, on=played_on)

    def ending(self, hand: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
        declared = tuple(hand.get("thirtyone", ()))
        return ("31", declared) if declared else ("knock", (hand["knocker"],))

    def columns(self) -> tuple[str, ...]:
        return ("value",)

    def counts_of(self, hand: Mapping[str, Json], team: str) -> tuple[object, ...]:
        """Return a tuple with one item: the value of the player's cards, or the cards as text.

        The item is None if the document has neither.
        """
        value = hand.get("values", {}).get(team)
        return (" ".join(value) if isinstance(value, list) else value,)

    def score_match(self, document: Part) -> Document:
        rules, tally, won, _ = self._match(document)
        counted = "points" if rules.counts == "points" else "lives"
        return {
            counted: dict(totals(rules, tally)),
            **({"places": {player: place(tally, player) for player in tally.left}} if rules.counts == "places" else {}),
            "county": list(county(tally)) if rules.counts != "points" else [],
            "out": list(tally.out),
            "over": bool(won),
            "winners": list(won),
        }

    def account(self, document: Part) -> Account:
        rules, tally, won, notes = self._match(document)
        return Account(
            hands=tally.scores,
            totals=totals(rules, tally),
            ranks=ranks(rules, tally),
            winners=won,
            shown=_places_and_lives(rules, tally),
            remarks=notes,
        )

    def _match(self, document: Part) -> tuple[ThirtyOneRules, ThirtyOneTally, tuple[str, ...], tuple[str, ...]]:
        """Return the rules, the tally after all hands, the winners, and notes for people."""
        head = self.read_head(document)
        rules, players = head.rules, head.names
        if not LEAST <= len(players) <= MOST:
            allowed = f"a list of {LEAST} to {MOST} names, for one pack deals to no more"
            document.table()["players"].refuse(allowed)
        tally = opening(rules, players, _read_newcomers(rules, players, head.joined, head.hands))
        tally = add_points(rules, tally, head.given)
        for part in head.hands:
            tally = add_points(rules, after(rules, tally, _hand(rules, tally, part, head.played_on)), head.given)
        return rules, tally, winners(rules, tally, ended=head.ended), head.notes


def _places_and_lives(rules: ThirtyOneRules, tally: ThirtyOneTally) -> dict[str, str]:
    if rules.counts == "places":
        return {player: place(tally, player) for player in tally.left}
    out = dict.fromkeys(tally.out, "out")
    return out if rules.counts == "points" else dict.fromkeys(county(tally), "county") | out


def _read_newcomers(
    rules: ThirtyOneRules, players: Collection[str], part: Part | None, hands: Sequence[Part]
) -> dict[str, int]:
    """Return player -> starting lives or points, for players who join during the match.

    Raises DocumentError if the first hand was dealt to such a player.
    """
    most = _MOST_POINTS if rules.counts == "points" else rules.start + MOST_LEVELS
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
        refuse_after_end(part, won)
    players = _players(tally, parts.get("players"), played_on)
    thirtyone = _thirtyone(parts.get("thirtyone"), players)
    knocker = parts["knocker"].known_name(players, _DEALT_IN) if "knocker" in parts else None
    for key in ("knocker", "values"):
        if not thirtyone and key not in parts:
            raise DocumentError(f"{part.where}: the key {key} is missing; only a hand with a 31 may lack it")
    values = _values(rules, parts["values"], players, thirtyone) if "values" in parts else {}
    if knocker in values and values[knocker] < rules.minimum_knock:
        given = parts["values"].by_name(players, _DEALT_IN)[knocker]
        given.refuse(f"{rules.minimum_knock} or more for the knocker, by the option minimum_knock")
    corrected = parts["corrected"].some_of(players, _LISTED, _DEALT_IN) if "corrected" in parts else ()
    levels = _levels(rules, tally, parts["levels"]) if "levels" in parts else 0
    return ThirtyOneHand(players, knocker, values, thirtyone, levels=levels, corrected=corrected)


_LISTED, _DEALT_IN = "player of the list", "one of the players who are dealt in"


def _players(tally: ThirtyOneTally, part: Part | None, played_on: bool) -> tuple[str, ...]:
    """Return the players who were dealt cards: those in `part`.

    Without `part`, return all who are not out. played_on: whether a correction has ended the match earlier. Then `part`
    may also list players who are out.
    """
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
    """Return player -> value of the cards.

    All players have a value, unless a 31 ended the hand; then only players who showed their cards.
    """
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
        part.refuse(f"hands of one pack, which cannot give {counted_text(short.hands, 'hand')} of {which} at once")
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
    return part.whole(0, MOST_LEVELS - tally.levels)


# -- writing ---------------------------------------------------------------------------------------------------------


def _hand_document(tally: ThirtyOneTally, hand: ThirtyOneHand, names: Mapping[str, str]) -> Document:
    """Return the hand in the form of a match document.

    tally: the standing before the hand. names: team id -> name.
    """
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


DOCUMENTS = ThirtyOneDocuments()
