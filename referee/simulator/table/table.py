"""What all people at the simulated table share: cards, seats, when cards are sorted.

It learns of the hand only from what people see and hear: GO deals and starts a race, any other phase stops it. The bots
ask it what they would count from their own cards. Nothing here comes from the match's state.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from random import Random

from referee.core.messages import msg
from referee.core.model.view import (
    BurnScreen,
    CountdownScreen,
    CountScreen,
    DeclaredScreen,
    Label,
    Lamp,
    PlayingScreen,
    ReadyScreen,
    SearchScreen,
    TurnScreen,
    VerdictScreen,
    View,
)
from referee.core.units import S
from referee.core.values import Document, Json
from referee.simulator.table.card_player import SKILLS, Skill
from referee.simulator.table.cards_document import felt_document, turn_document
from referee.simulator.table.contacts import Action
from referee.simulator.table.deal import BEST, DISCARDS, STOCK, Deal, TurnError
from referee.simulator.table.hand import AHEAD_NS, RESTS, TIRED, UNKNOWN, WAYS, Cards, ClaimHand, Hand, PlayedHand
from referee.simulator.table.skill import CALM, Human, Manners, Patience

ASKS = ("slow", "double")
"""Lamp patterns that ask for an answer. The double blink also shows who holds a reserve."""
OUT = (msg("told.out"), msg("told.off"))
"""Texts in the standings for a player who is out of the match."""
WAITS, EXCHANGED, PASSED = "not your turn", "exchanged", "passed"
"""What a user of the web page is told about a move in a game of turns.

It is not this seat's turn; a card was already thrown away; the turn has ended without a card.
"""
THROW = re.compile(r"discard ([1-4])")
"""What the web page sends to throw away a card in a game of turns: the first to the fourth."""
GATHERED = ("LOBBY", "READY", "POWER_BACK", "OFF", "OFFER", "UPDATE")
"""Phases in which the last hand's cards have been put away."""
EARLY_LEFT = (1, 3)
"""Range of reserve cards left when a player takes the reserve for empty."""
PAUSE_NS = (15 * S, 60 * S)
"""Range of play times after which a player asks for a timeout."""
UNSEEN = 27
"""Value entered for cards that the bots have not seen.

It is no 31, which would have been declared; it is enough for every knock, and twelve hands can have it.
"""


def digit(shown: str | None) -> int:
    """Return the number that a field of a count shows; "½" is 1, an empty field is 0.

    >>> [digit(shown) for shown in ("4", "½", "-", None)]
    [4, 1, 0, 0]
    """
    return int({None: "0", "-": "0", "½": "1"}.get(shown, shown or "0"))


class Company:
    """What the bots at a table share: cards, skills, counts, patience.

    `rematches`: how many matches they play after the first; None: no limit.
    """

    def __init__(
        self,
        human: Human,
        pace_percent: int,
        rematches: int | None,
        manners: Manners = CALM,
        ahead_ns: int = AHEAD_NS,
    ) -> None:
        self.cards: Callable[[], Cards] = Cards
        """A function that returns the table's current packs and rules."""
        self.manners = manners
        self.hand: Hand | None = None
        self.sorted_at_ns = 0
        self.seats: set[int] = set()
        """Numbers of the seats that bots play."""
        self.people: set[int] = set()
        """Numbers of the seats whose cards a user of the web page moves."""
        self._refused: dict[str, Json] = {}
        """Seat -> a number that changes, and the rule by which its last move was refused."""
        self._asked = 0
        self._lying: Hand | None = None
        """The hand that others had played when these bots came, if it was still to be counted."""
        self._believed: dict[int, tuple[int, ...]] = {}
        """Team -> its count of that hand, if it was entered before these bots came."""
        self._told_again: Counter[int] = Counter()
        """Team -> how often the device has refused its count of that hand.

        After two refusals it finds one more card.
        """
        self._refused_counts: set[int] = set()
        self._human = human
        self._rng: Random = human.rng
        self._pace = pace_percent
        self._ahead_ns = ahead_ns
        self._skills: dict[int, Skill] = {}
        """Seat -> how well its person plays."""
        self._pile = ""
        """The pile that the device asks all teams to turn."""
        self._found: dict[int, bool] = {}
        """Team -> whether it has found a play in the current search."""
        self._rematches = rematches
        self._overs = 0
        self._phase = ""
        self._go_ns: int | None = None
        self._next_hand = True
        self._beating: set[int] = set()
        self._left_out: set[int] = set()
        """Seats that are not in this hand, as far as the lamps have shown."""
        self._dealt_in: set[int] = set()
        """Seats for which the coming hand was dealt before GO; empty afterwards."""
        self._labels: dict[int, Label] = {}
        self._expected: tuple[Label, ...] = ()
        """The teams that READY shows."""
        self._out: set[int] = set()
        """Teams that are out of this hand after a false call."""
        self._entered: dict[int, tuple[str | None, ...]] = {}
        """Team -> the values of its fields in the count."""
        self._done_counts: set[int] = set()
        self.deal: Deal | None = None
        """The cards of a game of turns."""
        self._unseen = False
        """Whether those cards were played before these bots came."""
        self._turn: tuple[int, ...] = ()
        self._knocker: int | None = None
        """The team that has knocked; it takes no card in that turn."""
        self._declared: frozenset[int] = frozenset()
        """Teams whose cards are open, because they have a 31."""
        self._done: set[int] = set()
        self._barred: set[int] = set()
        self._pairing_ns: dict[int, int] = {}
        self.patience = Patience()
        self.answers = False
        """Whether the screen asks all teams if the verdict's claim was right."""
        self._rests = True
        """Whether all must tap between two hands. If claims follow each other, play goes on without taps."""
        self.false_callers: set[int] = set()
        """Teams on the screen that have called with cards left."""

    def look(self, view: View, now_ns: int) -> None:
        """Take note of what the screen and the lamps show."""
        before, entered = self._phase, view.phase != self._phase
        self._phase = view.phase
        if isinstance(view.screen, TurnScreen):
            self._take_turns(view.screen, dealt=before in ("READY", "LOBBY", ""))
            self._see_who_is_asked(view.screen, view.lamps)
        elif view.phase in ("COUNTING", "DECLARED"):
            self._end_turn()
        declared = view.screen.declared if isinstance(view.screen, DeclaredScreen) else ()
        self._declared = frozenset(label.numbers[0] for label in declared)
        if isinstance(view.screen, CountdownScreen) and view.go_ns is not None:
            self._go_ns = view.go_ns
            self._beating = {n for n, lamp in enumerate(view.lamps, 1) if lamp.pattern == "beat"}
            self._left_out = self.seats - self._beating if self._beating else set()
            if view.phase == "STARTING" and view.screen.word is not None:  # before this, a lamp may confirm a tap
                self._lay_out()
        if isinstance(view.screen, ReadyScreen):
            self._expected = tuple(line.label for line in view.screen.lines)
        if view.phase == "PLAYING":
            self._play(view, now_ns, burnt=before == "BURNING")
        elif self.hand is not None and self.hand.running:
            self.hand.pause(now_ns, called=view.phase in ("CALLED", "VERDICT"))
        self._follow_stuck(view)
        if isinstance(view.screen, VerdictScreen) and self.hand is not None:
            self._judge(view.screen, self.hand, now_ns)
        self.answers = isinstance(view.screen, VerdictScreen) and view.screen.answers is not None
        self._rests = view.phase == "LOBBY" or (self._rests and not self.answers)
        self.patience.look(view, rests=self._rests)
        if view.phase in ("LOBBY", "READY", "OVER") or self.answers:
            self._next_hand, self._dealt_in = True, set()
        if view.phase == "COUNTING":
            self._count(view, now_ns, entered and before not in ("READY", "OVER"))
            self._read_counts(view, entered)
        self._overs += entered and view.phase == "OVER"

    def felt(self, now_ns: int) -> Document | None:
        """Return a document (cards_document.py) of the cards that all people can see now.

        None if there are no cards on the table.
        """
        if self.deal is not None and not self._unseen and self._phase not in GATHERED:
            return self._felt_in_turns(self.deal)
        if self._phase in GATHERED:
            return None
        begins = self._phase == "PLAYING" and self._next_hand  # at GO the last claim disappears
        if isinstance(self.hand, ClaimHand) and self.hand.teams and self.cards().reason and not begins:
            claim = self.hand.middle(self.cards().reason, now_ns)
            return {"sides": [], "claim": claim} | self._hands_document(())
        if not isinstance(self.hand, PlayedHand):
            return None
        numbers = [self._labels[team].numbers if team in self._labels else (team,) for team in self.hand.sides]
        felt = felt_document(self.hand.motion(now_ns), numbers, [self._miscount(team) for team in self.hand.sides])
        return felt | self._hands_document(numbers)

    def _felt_in_turns(self, deal: Deal) -> Document:
        """Return the document for a game of turns: all players' cards, stock, discard pile.

        While players enter their values, all cards are open.
        """
        seats = {team: self._labels[team].numbers if team in self._labels else (team,) for team in deal.cards}
        shown = deal.cards if self._phase == "COUNTING" else self._declared
        turn = () if self._phase in ("COUNTING", "DECLARED") else self._turn
        return turn_document(deal, seats, turn, self.people, shown) | self._hands_document(seats.values())

    def _hands_document(self, numbers: Iterable[Sequence[int]]) -> Document:
        """Return what the page gets in all games: seats of its users and of bots, refused moves, pace.

        `numbers`: the seats of each team on the page. Only these can be seats of the page's users.
        """
        there = {seat for seats in numbers for seat in seats}
        mine = sorted(self.people & there)
        return {"mine": [*mine], "bots": sorted(self.seats), "refused": dict(self._refused), "pace": self._pace}

    def _miscount(self, team: int) -> tuple[int, ...] | None:
        """Return the numbers of the team's count that are entered, if one of them is wrong; else None.

        They are the cards left in the reserve, then the foundation cards. A person's number counts from its last digit
        on, so that a wrong one is shown before the count is sealed. A bot's numbers count once it is done.
        """
        tally = self.hand.tally(team) if self.hand is not None and self._phase == "COUNTING" else None
        if tally is None or team not in self._entered or (self._ours((team,)) and team not in self._done_counts):
            return None
        left, tens, ones = self._entered[team][:3]
        numbers = () if left is None else (int(left),) if ones is None else (int(left), 10 * digit(tens) + int(ones))
        return numbers if numbers != (tally.left, tally.lake)[: len(numbers)] else None

    def _read_counts(self, view: View, entered: bool) -> None:
        """Record the counts that the display shows.

        `entered`: whether this view is the first of its phase. If so, first forget the counts recorded before.
        """
        if entered:
            self._entered.clear()
        if isinstance(view.screen, CountScreen) and isinstance(self.hand, PlayedHand):
            cells = {cell.label.numbers[0]: cell for cell in view.screen.cells}
            self._entered |= {team: cell.fields for team, cell in cells.items()}
            self._done_counts = {team for team, cell in cells.items() if cell.done}

    def take(self, seat: int, mine: bool, now_ns: int) -> None:
        """Let a user of the web page move that seat's cards; `mine` False ends that.

        A bot's seat cannot be taken.
        """
        if seat in self.seats:
            return
        (self.people.add if mine else self.people.discard)(seat)
        if isinstance(self.hand, PlayedHand):
            self.hand.take(now_ns, self.people)

    def follow(self, moves: Mapping[int, int], now_ns: int) -> None:
        """Record that people have changed seats. `moves`: old -> new seat number.

        Skills stay with the person, and so do the cards that a person moves on the web page.
        """
        self._skills = {moves.get(seat, seat): skill for seat, skill in self._skills.items()}
        self.people = {moves.get(seat, seat) for seat in self.people} - self.seats
        if isinstance(self.hand, PlayedHand):
            self.hand.take(now_ns, self.people)

    def do(self, seat: int, text: str, now_ns: int) -> None:
        """Make a move of that seat's cards, as a user of the web page has sent it.

        If a rule forbids the move, the page shows the rule's name next to the cards.
        """
        if self.deal is not None:
            rule = self._do_in_turn(self.deal, seat, text)
        else:
            rule = self.hand.do(seat, text, now_ns) if isinstance(self.hand, PlayedHand) else RESTS
        self._refused.pop(str(seat), None)
        if rule is not None:
            self._refuse(seat, rule)

    def _refuse(self, seat: int, rule: str) -> None:
        self._asked += 1
        self._refused[str(seat)] = [self._asked, rule]

    def set_pace(self, percent: int) -> None:
        """Set the pace of dealing, playing and sorting; 100 is a real table's pace."""
        self._pace = self._human.pace_percent = percent
        if isinstance(self.hand, PlayedHand):
            self.hand.cards.set_pace(percent)

    def moves_ns(self, now_ns: int) -> int | None:
        """Return when the next card moves; None if that is not known."""
        return self.hand.moves_ns(now_ns) if self.hand is not None else None

    def wants_rematch(self) -> bool:
        """Return whether the bots play another match after this one."""
        return self._rematches is None or self._overs <= self._rematches

    def team(self, number: int) -> int:
        """Return the first seat number of that seat's team."""
        return self._labels[number].numbers[0] if number in self._labels else number

    def acts_for_team(self, number: int) -> bool:
        """Return whether that seat calls, counts and takes turns for its team.

        If both partners of a team are bots, only the one with the lower seat number does.
        """
        label = self._labels.get(number)
        there = set() if label is None else self.seats.intersection(label.numbers) - self._left_out
        return label is None or number == min(there, default=number)

    def partner(self, number: int) -> int | None:
        """Return the seat of the bot that plays as this seat's partner; None if there is none."""
        other = number + 1 if number % 2 else number - 1
        return other if self.manners.pairs and {number, other} <= self.seats else None

    def pairing_at_ns(self, number: int, now_ns: int) -> int:
        """Return when this seat and its partner hold their buttons to become one team.

        Two teams never do that at the same time.
        """
        low = min(number, self.partner(number) or number)
        if self._pairing_ns.get(low, now_ns - 1) < now_ns:
            latest = max(self._pairing_ns.values(), default=now_ns)
            self._pairing_ns[low] = max(latest, now_ns) + 4 * S
        return self._pairing_ns[low]

    def wanted_entry(self, number: int) -> tuple[int, ...] | None:
        """Return the values that this seat's team should enter in the count; None if unknown."""
        if self.team(number) in self._believed:
            return self._believed[self.team(number)]
        if self.deal is not None:
            value = self._halves(self.deal, self.team(number)) if self.team(number) in self.deal.cards else None
            return None if value is None else (value // 20, value // 2 % 10, value % 2)
        tally = self.hand.tally(self.team(number)) if self.hand else None
        if tally is None:
            return None
        kings = (tally.kings,) if self.cards().kings else ()
        amended = max(self._told_again[self.team(number)] - 1, 0)
        lake = (tally.lake + amended) % (self.cards().pack + 1)
        return (tally.left, lake // 10, lake % 10, *kings)

    def sizes(self, number: int) -> tuple[int, ...]:
        """Return how many values each field of that seat's count can have."""
        if self.deal is not None:
            return (4, 10, 2)
        cards = self.cards()
        return (cards.reserve_of(self.team(number)) + 1, cards.pack // 10 + 1, 10, cards.kings + 1)

    def truth(self) -> dict[int, tuple[int, ...]]:
        """Return the correct counts of the bots' teams. A key is a team's first seat number."""
        in_hand: Collection[int] = self.hand.teams if self.hand is not None else ()
        teams = self._ours(self.deal.cards if self.deal is not None else in_hand)
        return {team: values for team in teams if (values := self.wanted_entry(team)) is not None}

    # -- a game of turns -----------------------------------------------------------------------------------------------

    def has_31(self, number: int) -> bool:
        """Return whether that seat's team holds a 31, and this seat acts for it."""
        team = self.team(number)
        there = self.deal is not None and team in self.deal.cards and self.acts_for_team(number)
        return there and self.deal is not None and self.deal.halves(team) == 2 * BEST

    def knocks(self, number: int, screen: TurnScreen) -> bool:
        """Return whether that seat knocks instead of taking a card."""
        if self.deal is None or screen.knocker is not None or number in self._done | self._barred:
            return False
        return self.deal.knocks(self.team(number), screen.minimum)

    def may_not_knock(self, number: int) -> None:
        """Record that the device does not let this seat knock in this turn."""
        self._barred.add(number)

    def exchange_card(self, number: int) -> bool:
        """Take a card for that seat and throw one away, unless it has done so in this turn.

        Return whether the seat then has a 31.
        """
        if self.deal is not None and number not in self._done:
            self._done.add(number)
            self.deal.exchange(self.team(number))
        return self.has_31(number)

    def _halves(self, deal: Deal, team: int) -> int:
        """Return the value of the team's cards in half points.

        If the bots have not seen the cards, return a value that the device always accepts.
        """
        return 2 * UNSEEN if self._unseen else deal.halves(team)

    def _take_turns(self, screen: TurnScreen, *, dealt: bool) -> None:
        """Deal when a hand begins. End a player's turn when the screen shows the next player.

        Only players who are still in the match get cards.
        """
        if dealt or self.deal is None:
            inside = {number for line in screen.lines if line.told not in OUT for number in line.label.numbers}
            self._name(line.label for line in screen.lines)
            bots = {self.team(number) for number in self.seats & inside}
            self.deal = Deal(self._rng, {self.team(number) for number in inside} if bots else (), self.cards().three)
            self._unseen = not bots or (not dealt and screen.knocker is not None)
            self.hand = None  # another game may have been played before this one
            self._turn, self._knocker = (), None
            self._refused.clear()
        self._knocker = screen.knocker.numbers[0] if screen.knocker is not None else None
        if screen.turn.numbers != self._turn:
            self._note_passed(self.deal)
            self._end_turn()
            self._turn = screen.turn.numbers
            self._done.clear()
            self._barred.clear()

    def _note_passed(self, deal: Deal) -> None:
        """Tell a user of the web page whose turn has ended without a card and without a knock."""
        team = self._turn[0] if self._turn else None
        if team in deal.cards and team != self._knocker and team not in self._done and not deal.has_drawn(team):
            for seat in self.people.intersection(self._turn):
                self._refuse(seat, PASSED)

    def _end_turn(self) -> None:
        """End the turn. Exchange a card for a player who neither is a bot nor uses the web page.

        A user of the web page who has taken a fourth card throws one away.
        """
        team = self._turn[0] if self._turn else None
        if (
            self.deal is None
            or team not in self.deal.cards
            or self.seats.intersection(self._turn)
            or team in self._done
        ):
            return
        self._done.add(team)
        if self.people.intersection(self._turn):
            self.deal.settle(team)
        elif team != self._knocker:
            self.deal.exchange(team)

    def _do_in_turn(self, deal: Deal, seat: int, text: str) -> str | None:
        """Take or throw away a card for a user of the web page.

        Return why that is refused; None if it is done.
        """
        team, thrown = self.team(seat), THROW.fullmatch(text)
        if seat not in self.people or team not in deal.cards or (text not in (STOCK, DISCARDS) and thrown is None):
            return UNKNOWN
        if self._phase != "PLAYING":
            return RESTS
        if seat not in self._turn:
            return WAITS
        if team in self._done:
            return EXCHANGED
        try:
            if thrown is None:
                deal.draw(team, text)
            else:
                deal.throw(team, int(thrown[1]) - 1)
                self._done.add(team)
        except TurnError as refused:
            return str(refused)
        except IndexError:
            return UNKNOWN
        return None

    def _see_who_is_asked(self, screen: TurnScreen, lamps: Sequence[Lamp]) -> None:
        """Learn from the lamps which of two partners plays this hand: the other's lamp is dark."""
        turn = {number: lamps[number - 1].pattern for number in screen.turn.numbers}
        if {*ASKS}.intersection(turn.values()):
            self._left_out -= turn.keys()
            self._left_out |= {number for number, pattern in turn.items() if pattern == "dark"}

    # -- a race --------------------------------------------------------------------------------------------------------

    def press_at_ns(self, number: int, now_ns: int) -> int | None:
        """Return when that seat presses to call; None if it does not, or is not known yet."""
        if self.hand is None or not self.hand.running or not self.acts_for_team(number):
            return None
        return self.hand.press_at_ns(self.team(number), now_ns)

    @property
    def plan_ns(self) -> int | None:
        """Return when to compute more card moves ahead of play; None: no more are needed."""
        return self.hand.looks_on_ns if self.hand is not None else None

    def think(self, until_ns: int) -> None:
        """Compute moves of cards up to that instant. No button is pressed."""
        while self.plan_ns is not None and self.plan_ns <= until_ns:
            self.act()

    def act(self) -> list[Action]:
        """Compute more moves of cards. Return no actions, because no button is pressed."""
        if self.hand is not None and (at_ns := self.hand.looks_on_ns) is not None:
            self.hand.play_on(at_ns)
        return []

    def _ours(self, teams: Collection[int]) -> list[int]:
        """Return those of these teams that bots play."""
        mine = {self.team(seat) for seat in self.seats}
        return [team for team in teams if team in mine]

    def _judge(self, screen: VerdictScreen, hand: Hand, now_ns: int) -> None:
        """Record which teams called falsely: with reserve cards left, or without a reason to claim.

        The teams of bots and of the web page's users are judged. If none of them claimed falsely, other teams are
        judged if the cards gave no reason to press yet.
        """
        callers = {label.numbers[0] for label in (*screen.callers, *screen.refuted)}
        # a claim without a reason to press, although the verdict may name the last team
        if isinstance(hand, ClaimHand):
            callers = set(hand.teams)
        # page users and their teams press by themselves, but their cards are played here
        judged = {*self._ours(callers), *map(self.team, self.people)}
        self.false_callers = hand.wrong(callers.intersection(judged), now_ns)
        if isinstance(hand, ClaimHand) and not self.false_callers and self.cards().reason and hand.is_too_soon(now_ns):
            self.false_callers = self._visitors(screen)

    def _visitors(self, screen: VerdictScreen) -> set[int]:
        """Return the teams without a bot that may have made the claim on this screen.

        In a game in which the last press loses, the verdict does not name the claimant. Then any team without a bot
        may have claimed.
        """
        claimed = self._labels.values() if screen.last else screen.callers
        teams = {self.team(label.numbers[0]) for label in claimed}
        return teams - set(self._ours(teams))

    def _lay_out(self) -> None:
        """Deal the coming hand before GO, so that the web page can already show the open cards."""
        if not self._beating or self._beating == self._dealt_in:
            return
        self._name(self._expected)
        self.hand, self.deal = self._deal_hand(self._beating), None
        self._plan(self.hand)
        self._dealt_in, self._next_hand = set(self._beating), True

    def _play(self, view: View, now_ns: int, *, burnt: bool) -> None:
        if self.hand is not None and self.hand.running:
            return
        new = self.hand is None or self._next_hand
        if not isinstance(view.screen, PlayingScreen) and (new or not isinstance(view.screen, BurnScreen)):
            return
        if isinstance(view.screen, PlayingScreen) and new:
            self._name(line.label for line in view.screen.lines)
            if not self._dealt_in or self._dealt_in != self._beating:
                self.hand, self.deal = self._deal_hand(self._beating or self.seats), None
                self._plan(self.hand)
            self._dealt_in = set()
        elif isinstance(self.hand, PlayedHand):
            self.hand.cards.together(WAYS[self._pile]) if burnt and self._pile else self.hand.cards.look_again()
        assert self.hand is not None
        self.hand.calm(self.false_callers)
        if new:
            self._out = set()
        elif self.cards().out:
            self._out |= self.false_callers
        self.false_callers, self._next_hand, self._pile = set(), False, ""
        active = {self.team(seat) for seat in self._beating} or set(self.hand.teams)
        self.hand.run(now_ns if self._go_ns is None else self._go_ns, active - self._out)
        self._go_ns = None

    def _count(self, view: View, now_ns: int, entered: bool) -> None:
        if entered:
            self.sorted_at_ns = now_ns + (self._human.sort_ns() if self.deal is None else 0)
        unseen = self.hand is None or isinstance(self.hand, ClaimHand)  # played by others, or by unnamed teams
        if self.deal is None and unseen and isinstance(view.screen, CountScreen):
            self._name(cell.label for cell in view.screen.cells)
            if self.cards().turns:  # played before the bots came: any cards are possible
                self.deal = Deal(self._rng, {self.team(number) for number in self.seats})
                self._unseen = True
            else:
                self.hand = self._lying = self._found_lying(view.screen)
        if entered:
            self._believed = self._believe(view) if self._unseen or self.hand is self._lying else {}
        if isinstance(view.screen, CountScreen):
            refused = {self.team(cell.label.numbers[0]) for cell in view.screen.cells if cell.refusal is not None}
            if self.hand is self._lying:
                self._told_again.update(refused - self._refused_counts)
            self._refused_counts = refused

    def _believe(self, view: View) -> dict[int, tuple[int, ...]]:
        """Return the counts that players had completed before these bots came.

        They counted cards that the bots do not know.
        """
        cells = view.screen.cells if isinstance(view.screen, CountScreen) else ()
        return {cell.label.numbers[0]: tuple(map(digit, cell.fields)) for cell in cells if cell.done}

    def _found_lying(self, screen: CountScreen) -> Hand:
        """Return a simulated hand for a count that players had begun before these bots came.

        The bots do not know the real cards. The simulated ones are random, but the callers' reserves are empty.
        """
        callers = [cell.label.numbers[0] for cell in screen.cells if cell.locked and cell.locked[0]]
        hand = self._deal_hand({number for cell in screen.cells for number in cell.label.numbers})
        if isinstance(hand, PlayedHand):
            hand.lie(callers)
        return hand

    # -- no team can play ---------------------------------------------------------------------------------------------

    def _follow_stuck(self, view: View) -> None:
        """Record which pile a joint move concerns, as the display says.

        When the teams no longer search their stocks, forget which teams found a play.
        """
        if isinstance(view.screen, BurnScreen):
            self._pile = view.screen.pile
        if view.phase != "SEARCH":
            self._found.clear()

    @property
    def tired(self) -> bool:
        """Return whether players have burnt cards so often without a play that they give up."""
        return isinstance(self.hand, PlayedHand) and self.hand.cards.lull.burns >= TIRED

    def can_play(self, number: int, screen: SearchScreen) -> bool:
        """Return whether that seat's team finds a play in its stock.

        The answer stays the same during one search. A team that is out of the hand finds none.
        """
        team = self.team(number)
        if team not in self._found:
            there = isinstance(self.hand, PlayedHand) and team in self.hand.teams and team not in self._out
            self._found[team] = there and self.hand.finds(team, screen.times)  # type: ignore[union-attr]
        return self._found[team]

    # -- dealing -------------------------------------------------------------------------------------------------------

    def _plan(self, hand: Hand) -> None:
        """Plan whether a team calls too early in this hand, and whether a player takes a timeout."""
        manners, human, ours = self.manners, self._human, self._ours(hand.teams)
        if not ours:
            return  # without a bot, nothing is planned
        if manners.false_call and human.percent(manners.false_call):
            self._errs(hand, self._rng.choice(sorted(ours)))
        if manners.timeout and human.percent(manners.timeout):
            hand.pause_ns = self._moment(hand)

    def _errs(self, hand: Hand, team: int) -> None:
        if isinstance(hand, PlayedHand):
            hand.err(team, self._rng.randint(*EARLY_LEFT))
        elif isinstance(hand, ClaimHand):
            hand.early[team] = self._moment(hand)

    def _moment(self, hand: Hand) -> int:
        if isinstance(hand, ClaimHand):
            return hand.first_press_ns * self._rng.randint(30, 80) // 100
        return self._rng.randint(*PAUSE_NS) * self._pace // 100

    def _name(self, labels: Iterable[Label]) -> None:
        self._labels = {number: label for label in labels for number in label.numbers}

    def _deal_hand(self, playing: Collection[int]) -> Hand:
        """Deal cards to all these seats if a bot is among them.

        The program also moves the cards of the other seats, but their players must press. If the game's cards cannot be
        simulated, the hand has only presses.
        """
        teams = sorted({self.team(number) for number in playing})
        cards, ours = self.cards(), self._ours(teams)
        if (len(teams), len(playing)) not in cards.rules or not ours:
            return ClaimHand(self._rng, ours, self._pace)
        people: dict[int, list[Skill]] = {team: [] for team in teams}
        for seat in sorted(playing):
            people[self.team(seat)].append(self._skill(seat))
        seats = [seat for team in teams for seat in sorted(playing) if self.team(seat) == team]
        hand = PlayedHand(self._rng, people, cards, self._pace, self._ahead_ns, seats)
        hand.take(0, self.people)
        self._refused.clear()
        self._told_again.clear()
        return hand

    def _skill(self, seat: int) -> Skill:
        if seat not in self._skills:
            self._skills[seat] = SKILLS[self._rng.choice(self.manners.skills)]
        return self._skills[seat]
