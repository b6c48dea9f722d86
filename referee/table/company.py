"""What the people at the table share beside the device: the cards as they lie, who sits where, when the Lake is sorted.

It follows the hand by what everybody sees and hears: Go deals and starts a race, any other phase stops it. The bots ask
it for what they would count by looking at their own cards; nothing here comes from the match's state.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from referee.core.view import CountdownScreen, CountScreen, Label, PlayingScreen, View
from referee.table.hand import Cards, Hand, Tally, race
from referee.table.human import Human


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

    def look(self, view: View, now_ns: int) -> None:
        """Follow what happens at the table."""
        entered = view.phase != self._phase
        self._phase = view.phase
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

    def tally(self, number: int) -> Tally | None:
        """What that seat's team would count now."""
        return self.hand.tally(self.team(number), self._stopped_ns) if self.hand else None

    def truth(self) -> dict[int, Tally]:
        """The present hand as it lies since the last stop, by the teams' first numbers."""
        return (
            {team: self.hand.tally(team, self._stopped_ns) or Tally(0, 0) for team in self.hand.runs}
            if self.hand
            else {}
        )

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
            self.sorted_at_ns = now_ns + self._human.sort_ns()
        if self.hand is None and isinstance(view.screen, CountScreen):
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
