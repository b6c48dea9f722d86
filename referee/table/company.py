"""What the people at the table share beside the device: the cards as they lie, who sits where, when the Lake is sorted.

It follows the hand by what everybody sees and hears: Go deals and starts a race, any other phase stops it. The bots ask
it for what they would count by looking at their own cards; nothing here comes from the match's state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from referee.core.messages import msg
from referee.core.model.view import CountdownScreen, CountScreen, Label, PlayingScreen, TurnScreen, VerdictScreen, View
from referee.core.units import S
from referee.table.deal import BEST, Deal
from referee.table.hand import NNA_CARDS, Cards, Hand, race
from referee.table.human import Human
from referee.table.manners import CALM, Manners

OUT = (msg("told.out"), msg("told.off"))
"""How the standings call somebody who plays no more."""


UNSEEN = 30
"""No 31, which would have been declared, and enough for every knock."""


class Company:
    """The table's common ground. `rematches` None: they never tire."""

    def __init__(self, human: Human, pace_percent: int, rematches: int | None, manners: Manners = CALM) -> None:
        self.cards: Callable[[], Cards] = lambda: NNA_CARDS
        """The packs as the table plays them at present."""
        self.manners = manners
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
        self._next_hand = True
        self._beating: set[int] = set()
        self._labels: dict[int, Label] = {}
        self._stopped_ns = 0
        self.deal: Deal | None = None
        """The cards of a game of turns."""
        self._unseen = False
        """They were played before these bots came."""
        self._turn: tuple[int, ...] = ()
        self._done: set[int] = set()
        self._barred: set[int] = set()
        self._pairing_ns: dict[int, int] = {}
        self.answers = False
        """Whether all say of the verdict on the screen whether the claim was right."""
        self.false_callers: set[int] = set()
        """The teams whose call, as it stands on the screen, came with cards left."""

    def look(self, view: View, now_ns: int) -> None:
        """Follow what happens at the table."""
        before, entered = self._phase, view.phase != self._phase
        self._phase = view.phase
        if isinstance(view.screen, TurnScreen):
            self._take_turns(view.screen, dealt=before in ("READY", "LOBBY", ""))
        if isinstance(view.screen, CountdownScreen) and view.go_ns is not None:
            self._go_ns = view.go_ns
            self._beating = {n for n, lamp in enumerate(view.lamps, 1) if lamp.pattern == "beat"}
        if view.phase == "PLAYING":
            self._play(view, now_ns)
        elif self.hand is not None and self.hand.running:
            self.hand.pause(now_ns)
            self._stopped_ns = now_ns
        if isinstance(view.screen, VerdictScreen) and self.hand is not None:
            self._judge(view.screen, self.hand, now_ns)
        self.answers = isinstance(view.screen, VerdictScreen) and view.screen.answers is not None
        if view.phase in ("LOBBY", "READY", "OVER") or self.answers:
            self._next_hand = True
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

    def partner(self, number: int) -> int | None:
        """The neighbour with whom this seat plays, where people play in pairs."""
        other = number + 1 if number % 2 else number - 1
        return other if self.manners.pairs and {number, other} <= self.seats else None

    def pairing_at_ns(self, number: int, now_ns: int) -> int:
        """When this seat and its partner hold their buttons; two pairs never at once."""
        low = min(number, self.partner(number) or number)
        if self._pairing_ns.get(low, now_ns - 1) < now_ns:
            latest = max(self._pairing_ns.values(), default=now_ns)
            self._pairing_ns[low] = max(latest, now_ns) + 4 * S
        return self._pairing_ns[low]

    def wanted(self, number: int) -> tuple[int, ...] | None:
        """What that seat's team would enter now, field by field."""
        if self.deal is not None:
            value = self._value(self.deal, self.team(number)) if self.team(number) in self.deal.cards else None
            return None if value is None else (value // 10, value % 10, 0)
        tally = self.hand.tally(self.team(number), self._stopped_ns) if self.hand else None
        if tally is None:
            return None
        kings = (tally.kings,) if self.cards().kings else ()
        return (tally.left, tally.lake // 10, tally.lake % 10, *kings)

    def sizes(self, number: int) -> tuple[int, ...]:
        """How far each field of that seat's team goes before it wraps."""
        if self.deal is not None:
            return (4, 10, 2)
        cards = self.cards()
        return (cards.reserve_of(self.team(number)) + 1, cards.pack // 10 + 1, 10, cards.kings + 1)

    def truth(self) -> dict[int, tuple[int, ...]]:
        """What there is to be entered since the last stop, by the teams' first numbers."""
        teams = self.deal.cards if self.deal is not None else self.hand.runs if self.hand is not None else ()
        return {team: values for team in teams if (values := self.wanted(team)) is not None}

    # -- a game of turns -----------------------------------------------------------------------------------------------

    def has_31(self, number: int) -> bool:
        """Whether that seat's team holds one, and this seat speaks for it."""
        team = self.team(number)
        there = self.deal is not None and team in self.deal.cards and self.acts_for_team(number)
        return there and self.deal is not None and self.deal.value(team) == BEST

    def knocks(self, number: int, screen: TurnScreen) -> bool:
        """Whether that seat knocks instead of taking a card."""
        if self.deal is None or screen.knocker is not None or number in self._done | self._barred:
            return False
        return self.deal.knocks(self.team(number), screen.minimum)

    def may_not_knock(self, number: int) -> None:
        """The device does not offer it in this turn."""
        self._barred.add(number)

    def exchanged(self, number: int) -> bool:
        """The turn's card is taken and another one thrown away, once; whether that made a 31."""
        if self.deal is not None and number not in self._done:
            self._done.add(number)
            self.deal.exchange(self.team(number))
        return self.has_31(number)

    def _value(self, deal: Deal, team: int) -> int:
        """What the team's cards are worth; of cards that nobody has seen, what may always be entered."""
        return UNSEEN if self._unseen else deal.value(team)

    def _take_turns(self, screen: TurnScreen, *, dealt: bool) -> None:
        """New cards when a hand begins, for those who are still in; each turn is one exchange."""
        if dealt or self.deal is None:
            inside = {number for line in screen.lines if line.told not in OUT for number in line.label.numbers}
            self._name(line.label for line in screen.lines)
            self.deal = Deal(self._rng, {self.team(number) for number in self.seats & inside})
            self._unseen = not dealt and screen.knocker is not None
            self.hand = None  # another game may have been played before
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

    def _judge(self, screen: VerdictScreen, hand: Hand, now_ns: int) -> None:
        """Everybody looks at the callers' piles; who called too early has done so, and will play on."""
        callers = {label.numbers[0] for label in screen.callers}
        self.false_callers = {n for n in callers if n in hand.early and hand.early[n] <= hand.played_ns(now_ns)}

    def _play(self, view: View, now_ns: int) -> None:
        if not isinstance(view.screen, PlayingScreen) or (self.hand is not None and self.hand.running):
            return
        if self.hand is None or self._next_hand:
            self._name(line.label for line in view.screen.lines)
            self.hand, self.deal = self._dealt(self._beating or self.seats), None
            self._plan(self.hand)
        for team in self.false_callers:
            self.hand.early.pop(team, None)
        self.false_callers, self._next_hand = set(), False
        self.hand.run(now_ns if self._go_ns is None else self._go_ns)
        self._go_ns = None

    def _count(self, view: View, now_ns: int, entered: bool) -> None:
        if entered:
            self.sorted_at_ns = now_ns + (self._human.sort_ns() if self.deal is None else 0)
        if self.deal is None and self.hand is None and isinstance(view.screen, CountScreen):
            self._name(cell.label for cell in view.screen.cells)
            if self.cards().turns:  # the bots were not here when it was played: any cards will do
                self.deal = Deal(self._rng, {self.team(number) for number in self.seats})
                self._unseen = True
                return
            self.hand = self._dealt(self.seats)
            self._stopped_ns = now_ns
            self.hand.run(now_ns - min((run.press_ns for run in self.hand.runs.values()), default=0))
            self.hand.pause(now_ns)

    def _plan(self, hand: Hand) -> None:
        """What this hand will see beside play: a call too early, a timeout, a table where nobody can move."""
        manners, human = self.manners, self._human
        if not hand.runs:
            return  # it is for others to say
        if manners.false_call and human.percent(manners.false_call):
            hand.early[self._rng.choice(sorted(hand.runs))] = self._moment(hand)
        if manners.timeout and human.percent(manners.timeout):
            hand.pause_ns = self._moment(hand)
        if manners.stuck and self.cards().pack and human.percent(manners.stuck):
            hand.stuck_ns = self._moment(hand)

    def _moment(self, hand: Hand) -> int:
        return hand.first_press_ns * self._rng.randint(30, 80) // 100

    def _name(self, labels: Iterable[Label]) -> None:
        self._labels = {number: label for label in labels for number in label.numbers}

    def _dealt(self, playing: set[int]) -> Hand:
        teams = sorted({self.team(number) for number in self.seats & playing})
        return Hand(race(self._rng, teams, self.cards(), self._pace))
