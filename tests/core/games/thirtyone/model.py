"""A simple model of 31, independent of the core: names, lives and one hand after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

PACK = [rank + suit for suit in "CDHS" for rank in ("A", *map(str, range(2, 11)), "J", "Q", "K")]
Hand = Mapping[str, Any]
"""A hand as in a match document, with values as numbers."""


@dataclass
class Lives:
    """A game of lives: lives or bus places, then the county, then out; the last one in wins.

    `house` has the house rules.
    """

    names: list[str]
    lives: int = 3
    house: Mapping[str, Any] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    last_to_go: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = dict.fromkeys(self.names, self.lives)

    def lose(self, name: str, lives: int) -> None:
        """Take so many lives. Without a life a player goes on the county, or out."""
        before = self.left[name]
        self.left[name] = max(before - lives, 0)
        county = self.house.get("county", True)
        if before == 0 or (self.left[name] == 0 and not county):
            self.gone.append(name)

    def play(self, hand: Hand) -> None:
        self.ride_on(hand.get("levels", 0))
        players = hand.get("players", [name for name in self.names if name not in self.gone])
        already = len(self.gone)
        for name in players:
            lives = self.costs(name, players, hand)
            if lives:
                self.lose(name, lives)
        if len(self.gone) > already:
            self.last_to_go = self.gone[already:]

    def costs(self, name: str, players: list[str], hand: Hand) -> int:
        """Return how many lives the hand costs this player."""
        knocked = hand.get("knocker") == name
        if hand.get("thirtyone"):
            if name in hand["thirtyone"]:
                return 0
            return 2 if knocked and self.house.get("knocker_after_31") == "two" else 1
        mine, others = hand["values"][name], [hand["values"][other] for other in players if other != name]
        if not knocked:
            return 1 if mine <= min(others) else 0
        if mine < min(others):
            return 2
        costs = [0]
        if mine == min(others):
            costs.append({"loses-one": 1, "loses-two": 2}.get(self.house.get("knocker_tied", "safe"), 0))
        if mine < max(others) and self.house.get("knocker_not_highest") == "loses-one":
            costs.append(1)
        return max(costs)

    def ride_on(self, more: int) -> None:
        """Add places to the bus for everybody in it."""
        for name in self.names:
            if name not in self.gone:
                self.left[name] += more

    @property
    def winner(self) -> list[str]:
        """Return the last player in. Players who go out together as the last ones share the win."""
        inside = [name for name in self.names if name not in self.gone]
        return (inside or self.last_to_go) if len(inside) < 2 else []


@dataclass
class Points:
    """Quebec: a point for the highest hand. The match ends with a 31 or at 31 points."""

    names: list[str]
    at_points: bool = False
    points: dict[str, int] = field(default_factory=dict)
    done: bool = False

    def __post_init__(self) -> None:
        self.points = dict.fromkeys(self.names, 0)

    def play(self, hand: Hand) -> None:
        players = hand.get("players", self.names)
        winners = list(hand.get("thirtyone", []))
        if not winners:
            best = max(hand["values"][name] for name in players)
            winners = [name for name in players if hand["values"][name] == best]
            if len(winners) > 1 and hand["knocker"] in winners:
                winners.remove(hand["knocker"])
        for name in winners:
            self.points[name] += 1
        self.done = max(self.points.values()) >= 31 if self.at_points else bool(hand.get("thirtyone"))

    @property
    def winner(self) -> list[str]:
        """Return the players with most points, once the match is over."""
        best = max(self.points.values())
        return [name for name in self.names if self.points[name] == best] if self.done else []


def worth(cards: list[str], *, trips: str = "none", flush: bool = False) -> Fraction:
    """Return the value of three cards such as "10H", by trying everything."""
    ranks = [card[:-1] for card in cards]
    suits = [card[-1] for card in cards]
    worths = {"A": 11, "K": 10, "Q": 10, "J": 10}
    best = Fraction(0)
    for suit in set(suits):
        total = 0
        for rank, own in zip(ranks, suits, strict=True):
            if own == suit:
                total += worths.get(rank) or int(rank)
        best = max(best, Fraction(total))
    if trips != "none" and ranks[0] == ranks[1] == ranks[2]:
        best = max(best, Fraction(trips))
    rows = ["A23", "234", "345", "456", "567", "678", "789", "89T", "9TJ", "TJQ", "JQK"]
    short = {rank.replace("10", "T") for rank in ranks}
    if flush and len(set(suits)) == 1 and any(short == set(row) for row in rows):
        best = max(best, Fraction(30))
    return best
