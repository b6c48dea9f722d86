"""A bot: one seat's person with the habits of its kind.

Theory of operation. A look tells what the device asks of this seat at present (`_question`: a key, or None). When that
changes, the bot plans when it will do something about it and drops what it had planned before, except a hand that is
already coming down on the button. At the planned instant the phase's deed turns what the bot sees *then* into moves of
its contact, and may plan the next glance at the screen: so counting goes in bursts of taps with a look after each, and
a wrong digit is noticed or, sometimes, not.
"""

from __future__ import annotations

from collections.abc import Hashable

from referee.core.model.view import CountdownScreen, PlayingScreen, View
from referee.core.units import S
from referee.table import turns
from referee.table.company import Company
from referee.table.contact import Action
from referee.table.habits import HABITS, START_PHASES, STOP_PHASES, TAP_PHASES, TEAM_PHASES, Deed, Delay, call
from referee.table.human import Human
from referee.table.person import Person

UNHEARD_NS = 3 * S
"""Who has called, and nothing has come of it, calls again."""


class Bot:
    """Plays one seat: `look` at every change, `act` at `plan_ns`."""

    def __init__(self, station: str, human: Human, company: Company) -> None:
        self.person = Person(station, human, company)
        self._key: Hashable = None

    @property
    def plan_ns(self) -> int | None:
        """When to call `act`; None: not before another look."""
        return self.person.plan_ns

    @property
    def settled(self) -> bool:
        """Whether this person has found a seat and its partner, or knows that there is none."""
        return (self.person.joined and self.person.pairs_with is None) or self.person.standing

    def rest(self) -> None:
        """Drop what was planned; the next look thinks anew."""
        self._key = None
        self.person.plan(None)

    def sit_at(self, station: str | None) -> None:
        """Another seat, seen for the first time; None: none."""
        self.person = Person(station or self.person.station, self.person.human, self.person.company)
        self.person.standing = station is None
        self.rest()

    def look(self, view: View, now_ns: int) -> None:
        """See the screen and the own lamp, and think about what they ask."""
        self.person.see(view)
        key = self._question(view)
        if key == self._key:
            return
        in_the_air = self._in_the_air(view.phase, now_ns)
        self._key = key
        if not in_the_air:
            self.person.plan(None if key is None else self._habit(view.phase)[0](self.person, now_ns))

    def act(self) -> list[Action]:
        """Do what was planned for `plan_ns`."""
        at_ns = self.person.plan_ns
        self.person.plan(None)
        if at_ns is None:
            return []
        if self._key is None:  # coming down
            return call(self.person, at_ns)
        made = self._habit(self.person.phase)[1](self.person, at_ns)
        if self._key == "PLAYING":
            self.person.plan(at_ns + UNHEARD_NS)
        return made

    def _habit(self, phase: str) -> tuple[Delay, Deed]:
        """When and what: turns have their own, a race's belong to its phases."""
        return (
            (turns.delay, turns.next_actions)
            if isinstance(self._key, tuple) and phase in turns.PHASES
            else HABITS[phase]
        )

    def _question(self, view: View) -> Hashable:
        """What the device asks of this seat, None for nothing; another key is another question."""
        person, phase = self.person, view.phase
        if person.standing or not (person.joined or phase == "LOBBY"):
            return None
        if phase == "LOBBY":
            pairing = person.joined and person.pairs_with is not None
            return (phase, pairing) if pairing or person.blinking or not person.joined else None
        if phase in START_PHASES:
            return (phase, view.go_ns) if self._counted_down(view) else None
        if phase in turns.PHASES and (asked := turns.question(person, view, self._key)) is not None:
            return asked
        if phase == "PLAYING":
            return phase if self._key == phase or self._racing(view) else None
        if phase == "COUNTING":
            return (phase, person.blinking) if person.company.acts_for_team(person.number) else None
        if phase == "CALLED":  # where all press, everybody does: both of a pair, too
            return phase if person.blinking else None
        if phase in TEAM_PHASES:
            return phase if person.blinking and person.company.acts_for_team(person.number) else None
        return phase if phase in TAP_PHASES and person.blinking else None

    def _counted_down(self, view: View) -> bool:
        """Whether the beats have begun and this seat's lamp takes part."""
        beaten = isinstance(view.screen, CountdownScreen) and view.screen.word is not None
        return beaten and view.lamps[self.person.number - 1].pattern == "beat"

    def _racing(self, view: View) -> bool:
        racing = self.person.company.press_at_ns(self.person.number, view.now_ns) is not None
        return racing and isinstance(view.screen, PlayingScreen)

    def _in_the_air(self, phase: str, now_ns: int) -> bool:
        """Whether a call that was on its way when the stop sounded still comes down."""
        plan_ns = self.person.plan_ns
        if self._key != "PLAYING" or phase not in STOP_PHASES or plan_ns is None:
            return False
        return plan_ns <= now_ns + self.person.human.reaction_ns()
