"""The bots at a table: they see views and move contacts, and know nothing else.

Theory of operation. `look` finds out from the view what the device asks of this seat (`_question`: a key, or None).
When the key changes, the bot drops its plan and plans a new action, unless its hand is already coming down on the
button. At the planned instant, it turns what the view shows *then* into moves of the contact, and may plan the next
look. A count is therefore entered in groups of taps with a look after each; a wrong digit is usually noticed, but not
always.

    bots.look(view, now)        on every change of the view
    bots.next_ns()              when a bot moves or thinks next
    bots.moves(until)           the moves up to that time, in order

The caller calls `moves` at `next_ns()`; a few milliseconds of delay are harmless, since no bot reacts that fast. It
turns the moves into edge rows in simulated time, or into edges of mock pins in the daemon, then calls `look` with the
result. In the daemon, call `moves` from the source's `drain`, so that a read that begins at an instant includes
every move up to it. No function here reads a clock; everything follows from the seed and the looks.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import count, zip_longest
from random import Random

from referee.core.model.view import CountdownScreen, PlayingScreen, View
from referee.core.units import MS, S
from referee.simulator.table.contacts import Action
from referee.simulator.table.habits import HABITS, START_PHASES, STOP_PHASES, TAP_PHASES, TEAM_PHASES, Deed, Delay, call
from referee.simulator.table.hand import AHEAD_NS, Cards
from referee.simulator.table.host import KnobHand
from referee.simulator.table.person import COUNTED, TURNS, Person, next_actions, turn_delay, turn_question
from referee.simulator.table.skill import CALM, Human, Manners
from referee.simulator.table.table import Company

CHECK = ("COUNTING", "all")
"""The key of a look at the scores once all have counted."""
UNHEARD_NS = 3 * S
"""Time for which a caller waits for an effect before pressing again."""


class Bot(Person):
    """Plays one seat. Call `look` at every change of the view, and `act` at time `plan_ns`."""

    def __init__(self, station: str, human: Human, company: Company) -> None:
        super().__init__(station, human, company)
        self._key: Hashable = None

    @property
    def settled(self) -> bool:
        """Return whether this person is seated and waits for no partner, or found no free seat."""
        return (self.joined and self.pairs_with is None) or self.standing

    def rest(self) -> None:
        """Discard the planned action. The next call of `look` plans a new one."""
        self._key = None
        self.plan(None)

    def at_seat(self, station: str | None) -> Bot:
        """Return a bot for the same person at the seat of this station.

        station: None if the person must wait without a seat.
        """
        moved = Bot(station or self.station, self.human, self.company)
        moved.standing = station is None
        return moved

    def look(self, view: View, now_ns: int) -> None:
        """Look at the screen and at this seat's lamp, and plan a reaction."""
        self.see(view)
        key = self._question(view)
        if key == self._key:
            return
        in_the_air = self._in_the_air(view.phase, now_ns)
        self._key = key
        if not in_the_air:
            self.plan(None if key is None else self._habit(view.phase)[0](self, now_ns))

    def act(self) -> list[Action]:
        """Carry out the action that is due at `plan_ns`. Return the moves of the contact."""
        at_ns = self.plan_ns
        self.plan(None)
        if at_ns is None:
            return []
        if self._key is None:  # the hand of a call is still coming down
            return call(self, at_ns)
        made = self._habit(self.phase)[1](self, at_ns)
        if self._key == "PLAYING":
            self.plan(at_ns + UNHEARD_NS)
        return made

    def _habit(self, phase: str) -> tuple[Delay, Deed]:
        """Return two functions for this phase: the first returns when to act, the second acts."""
        if not isinstance(self._key, tuple):
            return HABITS[phase]
        return (turn_delay, next_actions) if phase in TURNS else HABITS[self._key[0]]

    def _question(self, view: View) -> Hashable:
        """Return a value that stands for what the device asks of this seat now; None for nothing.

        When the value changes, the bot drops its plan.
        """
        phase = view.phase
        if self.standing or not (self.joined or phase == "LOBBY"):
            return None
        if phase == "LOBBY":
            pairing = self.joined and self.pairs_with is not None
            return (phase, pairing) if pairing or self.blinking or not self.joined else None
        if phase in START_PHASES:
            return (phase, view.go_ns) if self._counted_down(view) else None
        if phase in TURNS and (asked := turn_question(self, view, self._key)) is not None:
            return asked
        if phase == "PLAYING":
            return phase if self._key == phase or self._racing(view) else None
        if phase in COUNTED[1:] and self.cell is not None:
            return CHECK
        if phase == "COUNTING":
            return (phase, self.blinking) if self.company.acts_for_team(self.number) else None
        if phase == "CALLED":  # in games in which all must press, both partners of a pair press
            return phase if self.blinking else None
        if phase in TEAM_PHASES:
            return phase if self.blinking and self.company.acts_for_team(self.number) else None
        return phase if phase in TAP_PHASES and self.blinking else None

    def _counted_down(self, view: View) -> bool:
        """Return whether a countdown shows a word and this seat's lamp blinks with its beats."""
        beaten = isinstance(view.screen, CountdownScreen) and view.screen.word is not None
        return beaten and view.lamps[self.number - 1].pattern == "beat"

    def _racing(self, view: View) -> bool:
        racing = self.company.press_at_ns(self.number, view.now_ns) is not None
        return racing and isinstance(view.screen, PlayingScreen)

    def _in_the_air(self, phase: str, now_ns: int) -> bool:
        """Return whether this person began to call before play stopped, and still presses."""
        plan_ns = self.plan_ns
        if self._key != "PLAYING" or phase not in STOP_PHASES or plan_ns is None:
            return False
        return plan_ns <= now_ns + self.human.reaction_ns()


class Bots:
    """The bots at these stations ("1" to "8"). One more simulated person uses the knob.

    pace_percent: 100 is the pace of a real table; less shortens dealing, playing and sorting, never the presses.
    quiet_ns: how long the lobby must be quiet before the bots start the match (so that a visitor can sit down).
    ready_ns: range of times until they are ready for a hand; None: as long as people need to deal. rematches: number of
    matches they play after the first; None: no limit. manners: how often they press wildly, lean on buttons, forget,
    argue, pause and call too early, and how well they play. ahead_ns: how far ahead of the table's clock the bots' card
    moves are computed. company: what all bots share, e.g. the cards that the web page and transcripts show. knob: a
    function that returns whether the bots may use the knob. A table of bots alone needs it to go on.
    """

    def __init__(
        self,
        stations: Sequence[str],
        seed: int,
        *,
        pace_percent: int = 100,
        hold_ns: int = 800 * MS,
        quiet_ns: int = 3 * S,
        ready_ns: tuple[int, int] | None = None,
        rematches: int | None = 0,
        manners: Manners = CALM,
        ahead_ns: int = AHEAD_NS,
        knob: Callable[[], bool] = lambda: True,
    ) -> None:
        def human(who: str) -> Human:
            self._humans.append(Human(Random(f"{seed}/{who}"), hold_ns, pace_percent, ready_ns))
            return self._humans[-1]

        self._humans: list[Human] = []

        self.company = Company(human("cards"), pace_percent, rematches, manners, ahead_ns)
        self.company.seats = {int(station) for station in stations}
        self._bots = [Bot(station, human(station), self.company) for station in stations]
        self._knob = KnobHand(human("knob"), self.company, lambda: all(bot.settled for bot in self._bots), quiet_ns)
        self._may_use_knob = knob
        self._queue: list[tuple[int, int, Action]] = []
        self._order = count()

    def deal_by(self, cards: Callable[[], Cards]) -> None:
        """Set the function that returns the table's cards (packs and rules).

        It is called at each deal and count. By default, the cards are those of the preset nna.
        """
        self.company.cards = cards

    def look(self, view: View, now_ns: int) -> None:
        """Show the view to every bot: each sees the display and its own lamp."""
        self.company.look(view, now_ns)
        for bot in self._bots:
            bot.look(view, now_ns)
        if self._may_use_knob():
            self._knob.look(view, now_ns)
        else:
            self._knob.rest()

    @property
    def at_the_knob(self) -> bool:
        """Return whether the bots have opened the list on the display."""
        return self._knob.opened

    def rest(self) -> None:
        """Discard every planned action, but complete presses that have begun."""
        for person in self._people:
            person.rest()

    def sit_at(self, stations: Sequence[str]) -> None:
        """Move the bots to these stations, in order; bots without a station wait."""
        self.company.seats = {int(station) for station in stations}
        self._bots[:] = [bot.at_seat(seat) for bot, seat in zip_longest(self._bots, stations[: len(self._bots)])]

    def follow(self, moves: Mapping[str, str], now_ns: int) -> None:
        """Move the bots of people who have changed to other buttons during the match.

        moves: old -> new station. Skills stay with the person, and so do the cards that a person moves on the web page.
        """
        self.sit_at([moves.get(station, station) for station in self.stations])
        self.company.follow({int(old): int(new) for old, new in moves.items()}, now_ns)

    @property
    def stations(self) -> tuple[str, ...]:
        """Return the stations of all bots that have a seat or are about to take one."""
        return tuple(bot.station for bot in self._bots if not bot.standing)

    def next_ns(self) -> int | None:
        """Return when to call `moves` next; None: not before the next `look`."""
        times = [mover.plan_ns for mover in self._movers if mover.plan_ns is not None]
        return min([*times, *(row[0] for row in self._queue[:1])], default=None)

    def moves(self, until_ns: int) -> list[Action]:
        """Return the bots' moves up to and including `until_ns`, in order. Each is returned once."""
        while (due := self._next_planned()) is not None and due[0] <= until_ns:
            for action in due[1].act():
                heapq.heappush(self._queue, (action.t_ns, next(self._order), action))
        ripe = []
        while self._queue and self._queue[0][0] <= until_ns:
            ripe.append(heapq.heappop(self._queue)[2])
        return ripe

    def set_pace(self, percent: int) -> None:
        """Set the pace of dealing, playing and sorting; 100 is a real table's pace.

        It applies from the next action on.
        """
        self.company.set_pace(percent)
        for human in self._humans:
            human.pace_percent = percent

    @property
    def _people(self) -> tuple[Bot | KnobHand, ...]:
        return (*self._bots, self._knob)

    @property
    def _movers(self) -> tuple[Bot | KnobHand | Company, ...]:
        return (*self._people, self.company)

    def _next_planned(self) -> tuple[int, Bot | KnobHand | Company] | None:
        planned = [(p.plan_ns, n, p) for n, p in enumerate(self._movers) if p.plan_ns is not None]
        first = min(planned, default=None)
        return (first[0], first[2]) if first else None
