"""A hand in progress as its players know it: who presses when, and what a team would count.

Theory of operation. The clock of play starts at GO and stops in every pause. In Nertz games the cards are
played (`card_hand.py`) ahead of that clock, so every next press is known before it comes; a stop discards what was
played beyond it. In Slap and Last one, where cards are not counted, only the presses are drawn at random: the first
team's after a few seconds, the others' mostly in the same second or two, sometimes within 20 ms (a tie).

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random

from referee.core.cards.deal import deal
from referee.core.cards.flights import Motion
from referee.core.cards.position import counts
from referee.core.cards.rules import BURN_RESERVE, BURN_STOCK, REDEAL, ROTATE, CardRules, IllegalMoveError
from referee.core.reading import DocumentError
from referee.core.units import MS, US, S
from referee.core.values import Document, Json, Value, field
from referee.simulator.table.card_hand import CardHand
from referee.simulator.table.card_player import RESERVE_HOLDER, STOCK_HOLDER, CardPlayer, Skill
from referee.simulator.table.claims import TURN_NS, middle, said_rank
from referee.simulator.table.deal import PLAIN, HandRules

QUICK_NS = (2 * S, 12 * S)
"""Range of play times of the first press in a game of claims."""
TIE_PERCENT, NEAR_PERCENT, CLOSE_PERCENT = 10, 5, 30
"""Percentages of second presses: within the tie window, near its edge, within a second.

Near its edge means within 0.7 ms of it.
"""
TIE_NS, NEAR_NS, CLOSE_NS, FAR_NS = (0, 18 * MS), (19_300 * US, 20_700 * US), (60 * MS, 900 * MS), (4 * S, 90 * S)
LONG_NS = 1800 * S
"""Upper bound of a hand's play time."""
AHEAD_NS = 40 * S
"""How far ahead of the table's clock card moves are computed."""
WAYS: Mapping[str, str] = {
    "stream": BURN_STOCK,
    "reserve": BURN_RESERVE,
    "waste": ROTATE,
    "hand": ROTATE,
    "stock": REDEAL,
}
"""The pile that all teams turn at the same time -> the move of the table."""
RESTS, UNKNOWN = "rests", "place"
"""Reasons besides the rules to refuse a move of a user of the web page.

Cards cannot be moved now; there is no such card or place.
"""
SEEN_NS = 1_200 * MS
"""Longest time by which the reason for a claim is visible before the first bot presses.

In that time a visitor can be faster.
"""
TIRED = 12
"""Number of burns without a play after which the table gives up."""


class Cards(Value):
    """What a table's rules say about its cards.

    kings: the number of kings that are counted separately on the foundations; 0 if kings have no bonus. handicaps: team
    (first number) -> size of its reserve, if it is not the usual one. turns: people take turns with three cards each,
    instead of playing all at once. rules: (number of teams, number of people) -> the rules of the cards; empty if the
    game has no piles. three: in a game of turns, the values of three cards of one rank or in a row. out: a team with a
    false call is out of that hand. reason: for which cards players press in a game like Snap, e.g. "jack" (claims.py);
    "" in any other game.
    """

    pack: int = 52
    reserve: int = 13
    kings: int = 0
    handicaps: Mapping[int, int] = field(default_factory=dict)
    turns: bool = False
    rules: Mapping[tuple[int, int], CardRules] = field(default_factory=dict)
    three: HandRules = PLAIN
    out: bool = False
    reason: str = ""

    def reserve_of(self, team: int) -> int:
        """Return the number of reserve cards with which this team begins a hand."""
        return self.handicaps.get(team, self.reserve)


class CountedCards(Value):
    """A team's count after a hand: cards left in its reserve, and cards on the foundations."""

    left: int
    lake: int
    kings: int = 0


class Hand(ABC):
    """Base class of simulated hands, with a clock of play that stands still during pauses.

    `teams`: the first seat number of each team.

    pause_ns: play time at which a player asks for a timeout; None: not in this hand.
    """

    def __init__(self, teams: Collection[int]) -> None:
        self.teams = tuple(teams)
        self.pause_ns: int | None = None
        self._played_ns = 0
        self._since_ns: int | None = None

    @property
    def running(self) -> bool:
        """Return whether the clock of play runs, so that cards move."""
        return self._since_ns is not None

    def run(self, go_ns: int, active: Collection[int]) -> None:
        """Start the clock of play at `go_ns`. The teams in `active` play."""
        self._since_ns = go_ns

    def pause(self, at_ns: int, *, called: bool) -> None:
        """Stop the clock of play. What was played before `at_ns` remains.

        called: whether a call has stopped play.
        """
        self._played_ns = self.played_ns(at_ns)
        self._since_ns = None

    def played_ns(self, at_ns: int) -> int:
        """Return the play time up to that instant."""
        return self._played_ns + (max(at_ns - self._since_ns, 0) if self._since_ns is not None else 0)

    def at_ns(self, played_ns: int) -> int:
        """Return the instant at which the clock of play will show `played_ns`."""
        assert self._since_ns is not None
        return self._since_ns + played_ns - self._played_ns

    @abstractmethod
    def press_at_ns(self, team: int, now_ns: int) -> int | None:
        """Return when that team presses next if play goes on; None: not known.

        The result is not before `now_ns`.
        """

    def tally(self, team: int) -> CountedCards | None:
        """Return the team's correct count; None if it has no cards. Play must have stopped."""
        return None

    @abstractmethod
    def wrong(self, callers: Collection[int], now_ns: int) -> set[int]:
        """Return those of these callers whose call was false, as all players can see."""

    @abstractmethod
    def calm(self, teams: Collection[int]) -> None:
        """Keep these teams from calling too early a second time in this hand."""

    def moves_ns(self, now_ns: int) -> int | None:
        """Return when the next card moves; None while play is paused, or if not computed yet."""
        moves_ns = self._changes_ns(self.played_ns(now_ns)) if self.running else None
        return None if moves_ns is None else self.at_ns(moves_ns)

    @abstractmethod
    def _changes_ns(self, played_ns: int) -> int | None:
        """Return the play time at which the next card moves; None if not computed yet."""

    @property
    def looks_on_ns(self) -> int | None:
        """Return when to call `play_on`; None: never, because no more moves need computing."""
        return None

    @abstractmethod
    def play_on(self, now_ns: int) -> None:
        """Compute more moves of cards, ahead of the table's clock."""

    @property
    def stuck_ns(self) -> int | None:
        """Return the play time at which all players agree that no move is left; None if unknown."""
        return None


class ClaimHand(Hand):
    """A hand whose card moves are not simulated.

    In games like Snap and Spoons, a press claims that the cards give a reason to press. `early`: team -> play time at
    which it claims without a reason.
    """

    def __init__(self, rng: Random, teams: Sequence[int], pace_percent: int) -> None:
        super().__init__(teams)
        order = list(teams)
        rng.shuffle(order)
        first = rng.randint(*QUICK_NS) * pace_percent // 100
        self.presses_ns = dict.fromkeys(order[:1], first)
        for number, team in enumerate(order[1:]):
            far_ns = rng.randint(*FAR_NS) * pace_percent // 100
            self.presses_ns[team] = first + (far_ns if number else _second_ns(rng))
        self.early: dict[int, int] = {}

    def press_at_ns(self, team: int, now_ns: int) -> int | None:
        press_ns = self.presses_ns.get(team)
        if press_ns is None or not self.running:
            return None
        return max(self.at_ns(min(self.early.get(team, press_ns), press_ns)), now_ns)

    def wrong(self, callers: Collection[int], now_ns: int) -> set[int]:
        return {team for team in callers if team in self.early and self.early[team] <= self.played_ns(now_ns)}

    def calm(self, teams: Collection[int]) -> None:
        for team in teams:
            self.early.pop(team, None)

    def play_on(self, now_ns: int) -> None:
        """Do nothing: all presses were drawn when the hand was dealt."""

    @property
    def first_press_ns(self) -> int:
        """Return the play time of the first claim that has a reason."""
        return min(self.presses_ns.values(), default=0)

    @property
    def shows_ns(self) -> int:
        """Return the play time from which the cards give a reason to press.

        The bot that presses first reacts to them.
        """
        return self.first_press_ns - min(self.first_press_ns // 5, SEEN_NS)

    def is_too_soon(self, now_ns: int) -> bool:
        """Return whether the cards at that instant give no reason to press yet."""
        return self.played_ns(now_ns) < self.shows_ns

    def middle(self, reason: str, now_ns: int) -> Document:
        """Return a document (cards_document.py) of the cards in the middle.

        It also says whether these cards are a reason to press.
        """
        turned, right = self._turn_number(self.played_ns(now_ns)), not self.is_too_soon(now_ns)
        cards: list[Json] = [*middle(reason, self.first_press_ns, turned, right=right)]
        return {"reason": reason, "cards": cards, "right": right, "said": said_rank(turned)}

    def _turn_number(self, played_ns: int) -> int:
        """Return how many cards were turned by then.

        The last card that is turned is the reason to press.
        """
        return -(-self.shows_ns // TURN_NS) - max(-(-(self.shows_ns - played_ns) // TURN_NS), 0)

    def _changes_ns(self, played_ns: int) -> int | None:
        left = -(-(self.shows_ns - played_ns) // TURN_NS)
        return self.shows_ns - (left - 1) * TURN_NS if left > 0 else None


def _second_ns(rng: Random) -> int:
    """Draw how many ns after the first claim the second team presses."""
    dice = rng.randrange(100)
    if dice < TIE_PERCENT:
        return rng.randint(*TIE_NS)
    if dice < TIE_PERCENT + NEAR_PERCENT:
        return rng.randint(*NEAR_NS)
    return rng.randint(*(CLOSE_NS if dice < TIE_PERCENT + NEAR_PERCENT + CLOSE_PERCENT else FAR_NS))


class PlayedHand(Hand):
    """A hand with piles. `people`: team's first number -> the skills of its one or two players."""

    def __init__(
        self,
        rng: Random,
        people: Mapping[int, Sequence[Skill]],
        cards: Cards,
        pace_percent: int = 100,
        ahead_ns: int = AHEAD_NS,
        seats: Sequence[int] = (),
    ) -> None:
        """Deal the hand. `cards` must have rules for this number of teams and people.

        `seats`: the seat number of each player, in the order of `people`. If it is empty, each team has one player, at
        the team's first number. Raises PositionError if the packs are too small for the reserves.
        """
        super().__init__(people)
        rules = cards.rules[len(people), sum(map(len, people.values()))]
        packs = [tuple(rng.sample(rules.pack, len(rules.pack))) for _ in people]
        names = [str(team) for team in people]
        start = deal(rules, names, packs, [cards.reserve_of(team) for team in people])
        self._index = {team: index for index, team in enumerate(people)}
        self.cards = CardHand(rng, start, tuple(_players(rng, people, pace_percent)))
        self._kings = cards.kings
        self._seats = tuple(seats) or tuple(people)
        self._active: Collection[int] = ()
        self._ahead_ns = ahead_ns

    def run(self, go_ns: int, active: Collection[int]) -> None:
        super().run(go_ns, active)
        self._active = active
        self.cards.resume({self._index[team] for team in active if team in self._index})
        self.play_on(go_ns)

    def play_on(self, now_ns: int) -> None:
        self.cards.run(self.played_ns(now_ns), self._ahead_ns)

    def pause(self, at_ns: int, *, called: bool) -> None:
        super().pause(at_ns, called=called)
        self.cards.stop(self._played_ns, called=called)

    def motion(self, now_ns: int) -> Motion:
        """Return all cards as they lie or move at that instant."""
        return self.cards.at(self.played_ns(now_ns))

    def _changes_ns(self, played_ns: int) -> int | None:
        return self.cards.changes_ns(played_ns)

    def take(self, now_ns: int, seats: Collection[int]) -> None:
        """Let users of the web page move the cards of these seats. Bots move all others."""
        wanted = {who for who, seat in enumerate(self._seats) if seat in seats}
        if wanted == self.cards.by_hand:
            return
        running = self.running
        if running:  # discard what was played beyond this moment
            self.pause(now_ns, called=False)
        self.cards.by_hand = wanted
        if running:
            self.run(now_ns, self._active)

    def do(self, seat: int, text: str, now_ns: int) -> str | None:
        """Make a move of that seat's cards, as a user of the web page has sent it.

        Return None, or why the move is refused: a rule's name, RESTS (play is paused), or UNKNOWN (no such
        move, or no page user moves that seat's cards).
        """
        if not self.running:
            return RESTS
        if seat not in self._seats or (who := self._seats.index(seat)) not in self.cards.by_hand:
            return UNKNOWN
        try:
            self.cards.do(who, text, self.played_ns(now_ns))
        except IllegalMoveError as illegal:
            return illegal.rule
        except DocumentError:
            return UNKNOWN
        self.play_on(now_ns)
        return None

    @property
    def sides(self) -> tuple[int, ...]:
        """Return the first seat number of each team, in the order of the teams in `cards`."""
        return tuple(sorted(self._index, key=self._index.__getitem__))

    def press_at_ns(self, team: int, now_ns: int) -> int | None:
        press_ns = self.cards.calls.get(self._index.get(team, -1))
        return None if press_ns is None or not self.running else max(self.at_ns(press_ns), now_ns)

    @property
    def looks_on_ns(self) -> int | None:
        looks_ns = self.cards.looks_on_ns if self.running else None
        return None if looks_ns is None else self.at_ns(looks_ns)

    def tally(self, team: int) -> CountedCards | None:
        if team not in self._index:
            return None
        counted = counts(self.cards.motion.position)[self._index[team]]
        return CountedCards(counted.left, counted.lake, min(counted.kings, self._kings))

    def wrong(self, callers: Collection[int], now_ns: int) -> set[int]:
        return {team for team in callers if (tally := self.tally(team)) is not None and tally.left}

    def err(self, team: int, left: int) -> None:
        """Make that team call by mistake when it has `left` reserve cards or fewer."""
        self.cards.early[self._index[team]] = left

    def calm(self, teams: Collection[int]) -> None:
        for team in teams:
            self.cards.early.pop(self._index.get(team, -1), None)

    def lie(self, callers: Collection[int]) -> None:
        """Play the hand to its end. Then exchange cards so that these callers have no reserve.

        Each caller exchanges all cards with a team whose reserve is empty, as long as there are such teams.
        """
        self.cards.resume(range(len(self.teams)))
        self.cards.run(0, LONG_NS)
        self.cards.stop(min([*self.cards.calls.values(), self.cards.motion.now_ns]), called=True)
        empty = [team for team in self.teams if not self.tally(team).left]  # type: ignore[union-attr]
        for caller, other in zip(callers, empty, strict=False):
            if caller in self._index:
                self._index[caller], self._index[other] = self._index[other], self._index[caller]

    # -- no team can play ---------------------------------------------------------------------------------------------

    @property
    def stuck_ns(self) -> int | None:
        return self.cards.idle_ns

    def finds(self, team: int, rounds: int) -> bool:
        """Return whether that team finds a play while it turns its whole stock `rounds` times."""
        return self.cards.finds(self._index[team], rounds)


def _players(rng: Random, people: Mapping[int, Sequence[Skill]], pace_percent: int) -> Iterator[CardPlayer]:
    duties = {1: ("",), 2: (RESERVE_HOLDER, STOCK_HOLDER)}
    for index, skills in enumerate(people.values()):
        for skill, duty in zip(skills, duties[len(skills)], strict=True):
            yield CardPlayer(rng, index, skill, duty, pace_percent)
