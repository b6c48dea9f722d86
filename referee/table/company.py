"""What the people at the table share beside the device: the cards as they lie, who sits where, when the Lake is sorted.

It follows the hand by what everybody sees and hears: Go deals and starts a race, any other phase stops it. The bots ask
it for what they would count by looking at their own cards; nothing here comes from the match's state.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from referee.core.view import CountdownScreen, CountScreen, Label, PlayingScreen, TurnScreen, View
from referee.table.deal import BEST, Deal
from referee.table.hand import Cards, Hand, race
from referee.table.human import Human

OUT = ("out", "off")
"""How the standings call somebody who plays no more."""


class Company:
    """The table's common ground. `rematches` None: they never tire."""

    def __init__(self, human: Human, cards: Cards, pace_percent: int, rematches: int | None) -> None:
        self.cards = cards
        self.hand: Hand | None = None
        self.sorted_at_ns = 0
        self.seats: set[int] = set()
        """The numbers of the seats that bots play."""
        self._human = human
        self._rng: Random = human.rng
        self._pace = pace_percent
        self._rematches = rematches
        self._overs = 0
        self._phase = ""
        self._go_ns: int | None = None
        self._resuming = False
        self._beating: set[int] = set()
        self._labels: dict[int, Label] = {}
        self._stopped_ns = 0
        self.deal: Deal | None = None
        """The cards of a game of turns."""
        self._turn: tuple[int, ...] = ()
        self._done: set[int] = set()
        self._barred: set[int] = set()

    def look(self, view: View, now_ns: int) -> None:
        """Follow what happens at the table."""
        before, entered = self._phase, view.phase != self._phase
        self._phase = view.phase
        if isinstance(view.screen, TurnScreen):
            self._take_turns(view.screen, dealt=before in ("READY", "LOBBY", ""))
        if isinstance(view.screen, CountdownScreen) and view.go_ns is not None:
            self._go_ns, self._resuming = view.go_ns, view.screen.resuming
            self._beating = {n for n, lamp in enumerate(view.lamps, 1) if lamp.pattern == "beat"}
        if view.phase == "PLAYING":
            self._play(view, now_ns)
        elif self.hand is not None and self.hand.running:
            self.hand.pause(now_ns)
            self._stopped_ns = now_ns
        if view.phase == "COUNTING":
            self._count(view, now_ns, entered)
        self._overs += entered and view.phase == "OVER"

    def wants_rematch(self) -> bool:
        """Whether the bots play another match after this one."""
        return self._rematches is None or self._overs <= self._rematches

    def team(self, number: int) -> int:
        """The team of that seat, by its first number."""
        return self._labels[number].numbers[0] if number in self._labels else number

    def acts_for_team(self, number: int) -> bool:
        """Of a pair's bots only the first calls and counts."""
        label = self._labels.get(number)
        return label is None or number == min(self.seats.intersection(label.numbers), default=number)

    def wanted(self, number: int) -> tuple[int, ...] | None:
        """What that seat's team would enter now, field by field."""
        if self.deal is not None:
            value = self.deal.value(self.team(number)) if self.team(number) in self.deal.cards else None
            return None if value is None else (value // 10, value % 10, 0)
        tally = self.hand.tally(self.team(number), self._stopped_ns) if self.hand else None
        return None if tally is None else (tally.left, tally.lake // 10, tally.lake % 10)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How far each field goes before it wraps."""
        return (4, 10, 2) if self.deal is not None else (self.cards.reserve + 1, self.cards.pack // 10 + 1, 10)

    def truth(self) -> dict[int, tuple[int, ...]]:
        """What there is to be entered since the last stop, by the teams' first numbers."""
        teams = self.deal.cards if self.deal is not None else self.hand.runs if self.hand is not None else ()
        return {team: values for team in teams if (values := self.wanted(team)) is not None}

    # -- a game of turns -----------------------------------------------------------------------------------------------

    def has_31(self, number: int) -> bool:
        """Whether that seat holds one."""
        return self.deal is not None and number in self.deal.cards and self.deal.value(number) == BEST

    def knocks(self, number: int, screen: TurnScreen) -> bool:
        """Whether that seat knocks instead of taking a card."""
        if self.deal is None or screen.knocker is not None or number in self._done | self._barred:
            return False
        return self.deal.knocks(number, screen.minimum)

    def may_not_knock(self, number: int) -> None:
        """The device does not offer it in this turn."""
        self._barred.add(number)

    def exchanged(self, number: int) -> bool:
        """The turn's card is taken and another one thrown away, once; whether that made a 31."""
        if self.deal is not None and number not in self._done:
            self._done.add(number)
            self.deal.exchange(number)
        return self.has_31(number)

    def _take_turns(self, screen: TurnScreen, *, dealt: bool) -> None:
        """New cards when a hand begins, for those who are still in; each turn is one exchange."""
        if dealt or self.deal is None:
            inside = {number for line in screen.lines if line.told not in OUT for number in line.label.numbers}
            self._name(line.label for line in screen.lines)
            self.deal = Deal(self._rng, {self.team(number) for number in self.seats & inside})
            self._turn = ()
        if screen.turn.numbers != self._turn:
            self._turn = screen.turn.numbers
            self._done.clear()
            self._barred.clear()

    # -- a race --------------------------------------------------------------------------------------------------------

    def press_at_ns(self, number: int, now_ns: int) -> int | None:
        """When that seat would press for the call; None when it will not."""
        if self.hand is None or not self.hand.running or not self.acts_for_team(number):
            return None
        return self.hand.press_at_ns(self.team(number), now_ns)

    def _play(self, view: View, now_ns: int) -> None:
        if not isinstance(view.screen, PlayingScreen) or (self.hand is not None and self.hand.running):
            return
        if self.hand is None or not self._resuming:
            self._name(line.label for line in view.screen.lines)
            self.hand = self._dealt(self._beating or self.seats)
        self.hand.run(now_ns if self._go_ns is None else self._go_ns)
        self._go_ns = None

    def _count(self, view: View, now_ns: int, entered: bool) -> None:
        if entered:
            self.sorted_at_ns = now_ns + (self._human.sort_ns() if self.deal is None else 0)
        if self.deal is None and self.hand is None and isinstance(view.screen, CountScreen):
            self._name(cell.label for cell in view.screen.cells)
            self.hand = self._dealt(self.seats)  # the bots were not here when it was played: any cards will do
            self._stopped_ns = now_ns
            self.hand.run(now_ns - min((run.press_ns for run in self.hand.runs.values()), default=0))
            self.hand.pause(now_ns)

    def _name(self, labels: Iterable[Label]) -> None:
        self._labels = {number: label for label in labels for number in label.numbers}

    def _dealt(self, playing: set[int]) -> Hand:
        teams = sorted({self.team(number) for number in self.seats & playing})
        return Hand(race(self._rng, teams, self.cards, self._pace))
