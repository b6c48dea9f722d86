"""The game of `referee simulate` as an ordinary program: objects for cards, piles, players, and lists of them.

It is what somebody writes who knows the rules and has nothing else to do with this product: every card an object, moves
looked for place by place and made at once, no lists of all legal moves, no frozen positions. It plays as the simulated
players do (the same moves are worth most, the same spans of time), with Python's own dice, by the first preset's rules:
four suits up from the ace, River down in alternating colours, three stock cards at a time, aces must go, burns.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

THINK, CARRY, TURN, CALL = (300, 800), (350, 600), (450, 800), (250, 900)
GLANCE, REGRET, AGREE = (80, 200), (150, 400), (3000, 8000)


class Card:
    """A card of somebody's pack."""

    __slots__ = ("owner", "rank", "red", "suit")

    def __init__(self, rank: int, suit: str, owner: int) -> None:
        self.rank = rank
        self.suit = suit
        self.red = suit in "HD"
        self.owner = owner

    def goes_onto(self, other: Card) -> bool:
        """In the River."""
        return self.rank == other.rank - 1 and self.red != other.red


class Player:
    """Somebody with a pack laid out, and what they are about to do."""

    def __init__(self, number: int, rng: Random) -> None:
        cards = [Card(rank, suit, number) for suit in "SHCD" for rank in range(1, 14)]
        rng.shuffle(cards)
        self.river = [[card] for card in cards[:4]]
        self.reserve = cards[4:17]
        self.stock = cards[:16:-1]
        self.waste: list[Card] = []
        self.number = number
        self.ready = 0.0
        self.leaves = 0.0
        self.plan: tuple[str, list[Card], list[Card]] | None = None
        self.cycles = 0

    def tops(self) -> Iterator[list[Card]]:
        """The piles whose last card may go to the Lake."""
        for pile in (self.reserve, self.waste, *self.river):
            if pile:
                yield pile


class Patience:
    """A hand at a table of so many."""

    def __init__(self, players: int, rng: Random) -> None:
        self.rng = rng
        self.players = [Player(number, rng) for number in range(players)]
        self.lake: list[list[Card]] = []
        self.now = 0.0
        self.burns = self.stock_burns = 0
        self.caller: Player | None = None
        self.over = False

    def play(self) -> list[int]:
        """Everybody's score."""
        for player in self.players:
            player.ready = self.rng.randint(*THINK)
        while not self.over:
            player = min(self.players, key=lambda each: each.ready)
            self.now = player.ready
            if player.plan is None:
                self.look(player)
            else:
                self.act(player)
        lake = [0] * len(self.players)
        for pile in self.lake:
            for card in pile:
                lake[card.owner] += 1
        return [lake[player.number] - 2 * len(player.reserve) for player in self.players]

    def pile_for(self, card: Card) -> list[Card] | None:
        """The Lake's pile that takes the card."""
        for pile in self.lake:
            if pile[-1].rank == card.rank - 1 and pile[-1].suit == card.suit:
                return pile
        return None

    def look(self, player: Player) -> None:
        """Decide on the next move."""
        player.plan = self.choose(player)
        if player.plan is None:
            player.ready = self.now + self.rng.randint(*THINK)
            self.look_around()
            return
        kind = player.plan[0]
        if kind == "call":
            player.ready = self.now + self.rng.randint(*CALL)
        elif kind == "turn":
            player.ready = self.now + self.rng.randint(*TURN)
        else:
            player.leaves = self.now + self.rng.randint(*THINK)
            player.ready = player.leaves + self.rng.randint(*CARRY)

    def choose(self, player: Player) -> tuple[str, list[Card], list[Card]] | None:
        """To the Lake, then the reserve to the River, room for it, the waste to the River, else the stock."""
        if not player.reserve:
            return "call", [], []
        bound = any(pile[-1].rank == 1 for pile in player.tops())
        bound = bound or self.pile_for(player.reserve[-1]) is not None
        best: tuple[str, list[Card], list[Card]] | None = None
        most = -1
        for pile in player.tops():
            card = pile[-1]
            target = [] if card.rank == 1 else self.pile_for(card)
            if target is not None and not (bound and card.rank > 1 and pile is not player.reserve):
                gain = 2 if pile is player.reserve else int(len(pile) == 1 and pile is not player.waste)
                if gain > most:
                    best, most = ("lake", pile, target), gain
        if best is not None:
            return best
        top = player.reserve[-1]
        for pile in player.river:
            if pile and pile[-1].rank > 2 and top.goes_onto(pile[-1]):
                return "river", player.reserve, pile
        slid = self.slide(player, player.reserve)
        if slid is not None:
            return slid
        for source in player.river:
            for pile in player.river:
                if source and pile and source is not pile and source[0].goes_onto(pile[-1]):
                    return "room", source, pile
        for pile in player.river:
            if not pile:
                return "river", player.reserve, pile
        if player.waste:
            for pile in player.river:
                if pile and player.waste[-1].goes_onto(pile[-1]):
                    return "river", player.waste, pile
        if player.stock or player.waste:
            return "turn", [], []
        return None

    def slide(self, player: Player, source: list[Card]) -> tuple[str, list[Card], list[Card]] | None:
        """Under a whole pile, while there is an empty place."""
        if all(player.river):
            return None
        for pile in player.river:
            if pile and pile[0].goes_onto(source[-1]):
                return "slide", source, pile
        return None

    def act(self, player: Player) -> None:
        """Do what was decided, if it can still be done."""
        assert player.plan is not None
        kind, source, target = player.plan
        player.plan = None
        if kind == "call":
            self.call(player)
            return
        if kind == "lake" and not self.land(source, target):
            player.ready = self.now + self.rng.randint(*REGRET)
            return
        if kind == "river":
            target.append(source.pop())
            self.has_played()
        elif kind == "slide":
            target.insert(0, source.pop())
            self.has_played()
        elif kind == "room":
            target.extend(source)
            source.clear()
            self.has_played()
        player.ready = self.now + self.rng.randint(*GLANCE)
        if kind == "turn":
            if player.stock:
                for _ in range(min(3, len(player.stock))):
                    player.waste.append(player.stock.pop())
            else:
                player.stock = player.waste[::-1]
                player.waste = []
                player.cycles += 1
                self.look_around()

    def land(self, source: list[Card], target: list[Card]) -> bool:
        """The card arrives at the Lake."""
        card = source[-1]
        if card.rank == 1:
            self.lake.append([source.pop()])
        elif target[-1].rank == card.rank - 1:
            target.append(source.pop())
        else:
            return False
        self.has_played()
        return True

    def has_played(self) -> None:
        """A play ends the lull."""
        self.burns = self.stock_burns = 0
        for player in self.players:
            player.cycles = 0

    def look_around(self) -> None:
        """An idle table burns, twelve times at most."""
        needed = 1 if self.burns else 2
        for player in self.players:
            busy = player.plan is not None and player.plan[0] != "turn"
            if busy or not player.reserve or (player.cycles < needed and (player.stock or player.waste)):
                return
        self.now += self.rng.randint(*AGREE)
        if self.burns >= 12:
            self.over = True
            return
        reserve = self.stock_burns >= 3
        for player in self.players:
            if reserve:
                player.reserve.insert(0, player.reserve.pop())
            else:
                player.stock += player.waste[::-1]
                player.waste = []
                if player.stock:
                    player.stock.insert(0, player.stock.pop())
            player.cycles = 0
            player.plan = None
            player.ready = self.now + self.rng.randint(*THINK)
        self.burns += 1
        self.stock_burns = 0 if reserve else self.stock_burns + 1

    def call(self, caller: Player) -> None:
        """Cards in the air land, and the hand is over."""
        for player in sorted(self.players, key=lambda each: each.ready):
            if player.plan is not None and player.plan[0] == "lake" and player.leaves <= self.now:
                self.land(player.plan[1], player.plan[2])
        self.caller, self.over = caller, True
