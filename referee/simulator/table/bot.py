"""A bot: plays one seat in the way a person would.

Theory of operation. `look` finds out from the view what the device asks of this seat (`_question`: a key, or None).
When the key changes, the bot drops its plan and plans a new action, unless its hand is already coming down on the
button. At the planned instant, it turns what the view shows *then* into moves of the contact, and may plan the next
look. A count is therefore entered in groups of taps with a look after each; a wrong digit is usually noticed, but not
always.
"""

from __future__ import annotations

from collections.abc import Hashable

from referee.core.model.view import CountdownScreen, PlayingScreen, View
from referee.core.units import S
from referee.simulator.table import turns
from referee.simulator.table.contacts import Action
from referee.simulator.table.habits import HABITS, START_PHASES, STOP_PHASES, TAP_PHASES, TEAM_PHASES, Deed, Delay, call
from referee.simulator.table.human import Human
from referee.simulator.table.person import COUNTED, Person
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
        return (turns.delay, turns.next_actions) if phase in turns.PHASES else HABITS[self._key[0]]

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
        if phase in turns.PHASES and (asked := turns.question(self, view, self._key)) is not None:
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
