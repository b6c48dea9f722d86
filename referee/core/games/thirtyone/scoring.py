"""The value of three cards, the result of a hand, and the standing of a match of 31.

Theory of operation (docs/rules.md 10). A `ThirtyOneTally` has the standing of all players; `after` adds one hand. Lives
and places of the bus are the same number: `left` is how many losses a player survives. With 0 a player is "on the
county" (on the last place of the bus), and the next loss puts them out. Points are counted separately, in games that
have them; there, players never go out. If the table plays without the county, losing the last life puts a player out at
once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce

from referee.core.games.thirtyone.rules import BEST, HALF, OFF, ThirtyOneRules, places
from referee.core.model.table import Adjustment, points_given
from referee.core.values import Value, field, replace

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = "CDHS"
CARDS = 3
NEXT_TO_END = BEST - 1
"""The value of three of a kind and of a straight flush, in variants that count them."""
POINTS_TO_END = 31


# -- cards ----------------------------------------------------------------------------------------------------------


class Card(Value):
    """A card of the pack: rank "A", "2" .. "10", "J", "Q", "K", suit one of CDHS."""

    rank: str
    suit: str

    @property
    def value(self) -> int:
        """Return the card's value. The values of cards of one suit are added."""
        return 11 if self.rank == "A" else min(RANKS.index(self.rank) + 1, 10)


def card_of(text: str) -> Card | None:
    """Return the card with this text ("AH", "10s", "TC"); None if there is none.

    >>> card_of("th")
    Card(rank='10', suit='H')
    """
    rank, suit = text[:-1].upper().replace("T", "10"), text[-1:].upper()
    return Card(rank, suit) if rank in RANKS and suit in SUITS else None


def value_of(rules: ThirtyOneRules, cards: Sequence[Card]) -> Fraction:
    """Return the value of three different cards.

    >>> from referee.core.games.thirtyone.rules import PRESETS
    >>> value_of(PRESETS["31"], (Card("A", "H"), Card("K", "H"), Card("4", "C")))
    Fraction(21, 1)
    """
    best = max(sum(card.value for card in cards if card.suit == suit) for suit in SUITS)
    values = [Fraction(best)]
    if len({card.rank for card in cards}) == 1 and rules.three_of_a_kind != "none":
        values.append(Fraction(rules.three_of_a_kind))
    if rules.straight_flush and _straight_flush(cards):
        values.append(Fraction(NEXT_TO_END))
    return max(values)


def _straight_flush(cards: Sequence[Card]) -> bool:
    """Return whether the cards are of one suit and in a row, with the ace low.

    Ace, king and queen do not count here: they are a 31.
    """
    places = sorted(RANKS.index(card.rank) for card in cards)
    return len({card.suit for card in cards}) == 1 and places == list(range(places[0], places[0] + CARDS))


# -- a hand ---------------------------------------------------------------------------------------------------------


class ThirtyOneHand(Value, tag="thirtyone_hand"):
    """A finished hand.

    players: those who were dealt cards, in seat order. knocker: None if a 31 came before any knock. values: of all
    players' cards, or of those shown if a 31 ended the hand. thirtyone: the players who declared a 31. dealer: the team
    that dealt; None in a document. levels: places of the bus added for all before this hand. corrected: players whose
    value was corrected later.
    """

    players: tuple[str, ...]
    knocker: str | None = None
    values: Mapping[str, Fraction] = field(default_factory=dict)
    thirtyone: tuple[str, ...] = ()
    dealer: str | None = None
    levels: int = 0
    corrected: tuple[str, ...] = ()


def losses(rules: ThirtyOneRules, hand: ThirtyOneHand) -> dict[str, int]:
    """Return player -> number of lives that the hand costs the player."""
    if hand.thirtyone:
        lost = {player: 1 for player in hand.players if player not in hand.thirtyone}
        return {player: _AFTER_31[rules.knocker_after_31] if player == hand.knocker else 1 for player in lost}
    lowest = _holders(hand, min(hand.values.values()))
    if lowest == [hand.knocker]:
        return dict.fromkeys(lowest, 2)
    own = _knocker_pays(rules, hand, lowest)
    costs = {player: own if player == hand.knocker else int(player in lowest) for player in hand.players}
    return {player: cost for player, cost in costs.items() if cost}


def _knocker_pays(rules: ThirtyOneRules, hand: ThirtyOneHand, lowest: Sequence[str]) -> int:
    """Return how many lives the knocker loses by the house rules on knockers.

    The options `knocker_tied` and `knocker_not_highest` set these rules. If both apply, the higher loss counts. For a
    knocker who alone has the lowest value, `losses` uses another rule.
    """
    tied = _KNOCKER[rules.knocker_tied] if hand.knocker in lowest else 0
    is_highest = hand.knocker in _holders(hand, max(hand.values.values()))
    return max(tied, 0 if is_highest else _KNOCKER[rules.knocker_not_highest])


def _holders(hand: ThirtyOneHand, value: Fraction) -> list[str]:
    """Return the players whose cards have this value."""
    return [player for player in hand.players if hand.values[player] == value]


_KNOCKER = {"safe": 0, "loses-one": 1, "loses-two": 2}
_AFTER_31 = {"one": 1, "two": 2}


def gains(hand: ThirtyOneHand) -> dict[str, int]:
    """Return player -> points: one for a declared 31; without any 31, one for the highest value.

    In a tie for the highest value, each player gets one, except the knocker.
    """
    if hand.thirtyone:
        return dict.fromkeys(hand.thirtyone, 1)
    highest = _holders(hand, max(hand.values.values()))
    return {player: 1 for player in highest if len(highest) == 1 or player != hand.knocker}


# -- the match ------------------------------------------------------------------------------------------------------


class ThirtyOneTally(Value):
    """The standing of all players; mappings are in the order of the players.

    left: losses that a player survives (0 for those who are out). points: the points, if the preset counts points. out:
    player -> the number of hands before the one that put the player out. levels: places of the bus added so far. done:
    whether a match for points is over; depending on the rules, a declared 31 or a total of 31 points ends it. scores:
    for each hand, what each of its players won or lost.
    """

    left: Mapping[str, int]
    points: Mapping[str, int]
    out: Mapping[str, int] = field(default_factory=dict)
    levels: int = 0
    done: bool = False
    scores: tuple[Mapping[str, int], ...] = ()


def opening(rules: ThirtyOneRules, players: Iterable[str], joined: Mapping[str, int]) -> ThirtyOneTally:
    """Return the tally before the first hand.

    joined: player who joins later -> starting lives or points, raised to one if the option `county` is off.
    """
    least = 0 if rules.county else 1
    start = {player: max(joined.get(player, rules.start), least) for player in players}
    none = dict.fromkeys(start, 0)
    return (
        ThirtyOneTally(none, start, levels=rules.levels)
        if rules.counts == "points"
        else ThirtyOneTally(start, none, {}, rules.levels)
    )


def inside(tally: ThirtyOneTally) -> tuple[str, ...]:
    """Return the players who are not out, in the order of the tally."""
    return tuple(player for player in tally.left if player not in tally.out)


def after(rules: ThirtyOneRules, tally: ThirtyOneTally, hand: ThirtyOneHand) -> ThirtyOneTally:
    """Return the tally after one more hand."""
    if rules.counts == "points":
        return _with_points(rules, tally, hand)
    tally = with_levels(tally, hand.levels)
    lost = losses(rules, hand)
    left = {player: max(lives - lost.get(player, 0), 0) for player, lives in tally.left.items()}
    out = {
        player: len(tally.scores) for player in lost if tally.left[player] == 0 or not (rules.county or left[player])
    }
    cost = {player: left[player] - tally.left[player] for player in hand.players}
    return replace(tally, left=left, out={**out, **tally.out}, scores=(*tally.scores, cost))


def with_levels(tally: ThirtyOneTally, levels: int) -> ThirtyOneTally:
    """Return the tally after adding `levels` places of the bus for all who are not out."""
    if not levels:
        return tally
    left = {player: lives if player in tally.out else lives + levels for player, lives in tally.left.items()}
    return replace(tally, left=left, levels=tally.levels + levels)


def _with_points(rules: ThirtyOneRules, tally: ThirtyOneTally, hand: ThirtyOneHand) -> ThirtyOneTally:
    won = gains(hand)
    points = {player: had + won.get(player, 0) for player, had in tally.points.items()}
    done = bool(hand.thirtyone) if rules.end == "first-31" else _enough(points)
    brought = {player: won.get(player, 0) for player in hand.players}
    return replace(tally, points=points, done=done, scores=(*tally.scores, brought))


def _enough(points: Mapping[str, int]) -> bool:
    return max(points.values()) >= POINTS_TO_END


def add_points(rules: ThirtyOneRules, tally: ThirtyOneTally, adjustments: Collection[Adjustment]) -> ThirtyOneTally:
    """Return the tally plus the adjustments that players made after its last hand.

    If the match ends at the first 31, adjustments cannot end it.
    """
    given = points_given(adjustments, len(tally.scores))
    if not given:
        return tally
    points = {player: had + int(given.get(player, 0)) for player, had in tally.points.items()}
    return replace(tally, points=points, done=tally.done if rules.end == "first-31" else _enough(points))


def tally_of(
    rules: ThirtyOneRules,
    players: Iterable[str],
    hands: Iterable[ThirtyOneHand],
    joined: Mapping[str, int],
    adjustments: Collection[Adjustment] = (),
) -> ThirtyOneTally:
    """Return the tally after these hands.

    joined: player who joins later -> starting lives or points.
    """
    first = add_points(rules, opening(rules, players, joined), adjustments)
    return reduce(lambda tally, hand: add_points(rules, after(rules, tally, hand), adjustments), hands, first)


def totals(rules: ThirtyOneRules, tally: ThirtyOneTally) -> Mapping[str, int]:
    """Return each player's points if the preset counts points, else the lives left."""
    return tally.points if rules.counts == "points" else tally.left


def winners(rules: ThirtyOneRules, tally: ThirtyOneTally, *, ended: bool = False) -> tuple[str, ...]:
    """Return the winners; empty while the match goes on.

    ended: the players have ended the match. Then the leaders win.
    """
    won = _winners(rules, tally)
    if won or not ended:
        return won
    return tuple(player for player, place_ in ranks(rules, tally).items() if place_ == 1)


def _winners(rules: ThirtyOneRules, tally: ThirtyOneTally) -> tuple[str, ...]:
    if rules.counts == "points":
        best = max(tally.points.values())
        return tuple(player for player, points in tally.points.items() if points == best) if tally.done else ()
    remaining = inside(tally)
    if remaining or not tally.out:
        return remaining if len(remaining) == 1 else ()
    last = max(tally.out.values())  # under house rules the last players can go out in one hand: they share the win
    return tuple(player for player in tally.left if tally.out.get(player) == last)


def ranks(rules: ThirtyOneRules, tally: ThirtyOneTally) -> dict[str, int]:
    """Return player -> rank; equal players share one (1, 1, 3).

    More points or lives give a better rank. Of the players who are out, the one who went out later is better.
    """
    order = {player: _standing(tally, player, had) for player, had in totals(rules, tally).items()}
    return {player: 1 + sum(other > mine for other in order.values()) for player, mine in order.items()}


def _standing(tally: ThirtyOneTally, player: str, had: int) -> tuple[bool, int]:
    return (False, tally.out[player]) if player in tally.out else (True, had)


def place(tally: ThirtyOneTally, player: str) -> str:
    return OFF if player in tally.out else places(tally.levels)[-1 - tally.left[player]]


def county(tally: ThirtyOneTally) -> tuple[str, ...]:
    """Return the players who are on the county: without a life, but not out."""
    return tuple(player for player in inside(tally) if tally.left[player] == 0)


def allowed_value(rules: ThirtyOneRules, value: Fraction) -> bool:
    """Return whether `ThirtyOneHand.values` may have this value. A 31 is not stored there."""
    whole = value.denominator == 1 and 2 <= value < BEST
    return whole or (value == HALF and rules.three_of_a_kind == "30.5")


class Shortage(Value):
    """Why one pack cannot give all players their values: too many are high, or too many are low.

    hands: how many players have a value of at least `value` (if `high`) or of at most `value` (if not).
    """

    hands: int
    value: Fraction
    high: bool


_IN_SUIT = 22
"""From this value on, all three cards are of one suit: two cards are worth 21 at most."""
_SUM_IN_SUIT = (0, 31, 60, 81, 93)
"""The total value of a suit's best 0, 3, 6, 9 and 12 cards."""


def shortage(rules: ThirtyOneRules, values: Collection[Fraction]) -> Shortage | None:
    """Return why cards of one pack cannot give players these values; None if no reason is found.

    Some impossible cases are not found. Two limits are checked. Three cards worth at most v contain no card above v,
    and a pack has four cards of each rank from 2 to v. Three cards worth 22 or more are of one suit (except in
    variants), and the best cards of the four suits limit the sum of such values.
    """
    for most in range(2, 10):
        hands = sum(value <= most for value in values)
        trips = most == 2 and rules.three_of_a_kind != "none"  # three twos are worth more in these variants
        if CARDS * hands > (0 if trips else len(SUITS) * (most - 1)):
            return Shortage(hands, Fraction(most), high=False)
    varied = rules.straight_flush or rules.three_of_a_kind == "30"
    highest = sorted((v for v in values if _IN_SUIT <= v < (NEXT_TO_END if varied else HALF)), reverse=True)
    for hands in range(1, len(highest) + 1):
        each, more = divmod(hands, len(SUITS))
        most = (len(SUITS) - more) * _SUM_IN_SUIT[each] + more * _SUM_IN_SUIT[min(each + 1, 4)]
        if sum(highest[:hands]) > most:
            return Shortage(hands, highest[hands - 1], high=True)
    return None


def cards_twice(hands: Collection[Sequence[Card]]) -> Card | None:
    """Return a card that occurs more than once in these hands; None if there is none.

    All hands come from one pack, which has one of each card.
    """
    seen: set[Card] = set()
    for card in (card for cards in hands for card in cards):
        if card in seen:
            return card
        seen.add(card)
    return None
