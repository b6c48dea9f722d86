"""The person at one seat: what it has seen, what it does next, and its turns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from referee.core.model.view import CountCell, CountScreen, DeclaredScreen, LobbyScreen, Screen, TurnScreen, View
from referee.core.units import MS, S
from referee.simulator.table.contacts import Action, Move
from referee.simulator.table.skill import LIFT_NS, LOOK_NS, UNHEARD_NS, Human
from referee.simulator.table.table import ASKS, Company

COUNTED = ("COUNTING", "READY", "OVER")
"""Phases in which a person remembers its own count."""
VAIN = 2
"""Number of taps without effect after which there must be a cause other than a light tap."""


class Person:
    """A simulated person at one seat.

    `plan_ns`: when to act next; None: not before the view changes.
    """

    def __init__(self, station: str, human: Human, company: Company) -> None:
        self.station = station
        self.number = int(station)
        self.human = human
        self.company = company
        self.joined = False
        self.standing = False
        self._named = False
        """Whether the seat had this person's name at the last look."""
        self.view: View | None = None
        self.blinking = False
        self.cell: CountCell | None = None
        """The person's count on the screen, as last seen."""
        self.tapped_field: int | None = None
        """The field for which the last taps were meant."""
        self._vain: tuple[Hashable, int] = (None, 0)
        """The count when the last taps began, and how many of them had no effect."""
        self.plan_ns: int | None = None
        self._free_ns = 0

    # -- what the person sees --------------------------------------------------------------------------------------

    def see(self, view: View) -> None:
        """Record what the screen and this seat's lamp show."""
        if self.view is None:
            self.joined = not isinstance(view.screen, LobbyScreen) or self.seat_taken(view.screen)
        if isinstance(view.screen, LobbyScreen):
            self._see_seat(view.screen)
        self._see_lamp(view)
        self._see_cell(view)
        self.view = view

    @property
    def phase(self) -> str:
        """Return the phase of the last view; "" before the first."""
        return self.view.phase if self.view else ""

    @property
    def screen(self) -> Screen | None:
        """Return the screen of the last view; None before the first."""
        return self.view.screen if self.view else None

    def seat_taken(self, screen: LobbyScreen) -> bool:
        """Return whether the lobby shows a name at this seat."""
        return any(seat.number == self.number and seat.name is not None for seat in screen.seats)

    @property
    def pairs_with(self) -> int | None:
        """Return the neighbour with whom this person must still become a team; None if none.

        That is done in the lobby, by holding both buttons.
        """
        screen, partner = self.screen, self.company.partner(self.number)
        if partner is None or not isinstance(screen, LobbyScreen):
            return None
        seats = {seat.number: seat for seat in screen.seats}
        there = seats[self.number].name is not None and seats[partner].name is not None
        return partner if there and seats[self.number].pair is None else None

    def _see_seat(self, screen: LobbyScreen) -> None:
        """Stop taking part if someone has removed this person's name from the seat."""
        taken = self.seat_taken(screen)
        self.standing = self.standing or (self._named and not taken)
        self._named = self.joined and taken

    def _see_lamp(self, view: View) -> None:
        """Update `blinking`: whether the lamp asks for an answer.

        A lamp that begins to blink asks from the first moment when it is lit. The short blink that confirms a tap
        changes nothing.
        """
        lamp = view.lamps[self.number - 1]
        if lamp.pattern != "wink":
            going = self.blinking and view.phase == self.phase
            self.blinking = lamp.pattern in ASKS and (lamp.lit or going)

    def _see_cell(self, view: View) -> None:
        if view.phase not in COUNTED or not self.company.acts_for_team(self.number):
            self.cell = self.tapped_field = None
        elif isinstance(view.screen, CountScreen):
            self.cell = next((c for c in view.screen.cells if self.number in c.label.numbers), None)

    def is_minded(self, share: int) -> bool:
        """Return True in `share` percent of cases. If `share` is 0, draw no random number."""
        return bool(share) and self.human.percent(share)

    def in_vain(self, cell: CountCell, field: int) -> bool:
        """Return whether this person's last two groups of taps in the field had no effect.

        Then the partner is entering the count. This person must hold the button to take over.
        """
        before, times = self._vain
        here = (field, cell.fields)
        times = times + 1 if self.tapped_field == field and before == here else 0
        self._vain = (here, times) if times < VAIN else (None, 0)
        return times == VAIN

    # -- what the person does --------------------------------------------------------------------------------------

    def plan(self, at_ns: int | None) -> None:
        """Plan an action for that instant, but not before the finger is free."""
        self.plan_ns = None if at_ns is None else max(at_ns, self._free_ns)

    def does(self, moves: Sequence[Move]) -> list[Action]:
        """Record that the finger is busy until after the last of these moves. Return the moves."""
        self._free_ns = max((move.t_ns for move in moves), default=self._free_ns) + LIFT_NS
        return list(moves)

    def glance(self) -> None:
        """Plan the next look at the screen, a reaction time after the last move."""
        self.plan(self._free_ns + self.human.reaction_ns())

    def change_seat(self, number: int) -> None:
        """Move to the seat of that number, and use its button from now on."""
        self.company.seats.discard(self.number)
        self.number, self.station = number, str(number)
        self.company.seats.add(number)


TURN_NS = (2 * S, 7 * S)
"""Range of times to take a card, think, and throw one away."""
ANSWER_NS = 800 * MS
"""Minimum time before a question accepts an answer; people learn that quickly."""
KNOCK, DECLARE = "knock", "declare"
"""The questions that a seat can open: do I knock, do I have a 31?"""
TURNS = ("PLAYING", "DECLARED")
KEYS = ("TURN", "DECLARED")


def turn_question(person: Person, view: View, before: Hashable) -> Hashable:
    """Return a value that stands for what a game of turns asks this person; None for nothing.

    `before`: the value returned last. While a visitor uses the knob, `before` is returned again.
    """
    screen = view.screen
    if isinstance(screen, TurnScreen):
        mine = _my_turn(person, screen)
        return (
            ("TURN", mine, _open_question(person))
            if mine or _open_question(person) or person.company.has_31(person.number)
            else None
        )
    if isinstance(screen, DeclaredScreen):
        return ("DECLARED", _open_question(person)) if person.blinking or _open_question(person) else None
    return before if isinstance(before, tuple) and before[0] in KEYS else None  # a visitor is using the knob


def turn_delay(person: Person, now_ns: int) -> int:
    """Return the instant in ns at which this person takes the next step in a game of turns."""
    if _open_question(person) is not None:
        return now_ns + ANSWER_NS + person.human.reaction_ns()
    screen = person.screen
    mine = isinstance(screen, TurnScreen) and _my_turn(person, screen)
    return now_ns + ANSWER_NS + person.human.take_ns(TURN_NS if mine else LOOK_NS)


def next_actions(person: Person, at_ns: int) -> list[Action]:
    """Return this person's next gesture, and plan the one after.

    A tap says yes to the open question or ends the turn. A hold opens another question.
    """
    screen = person.screen
    if not isinstance(screen, TurnScreen | DeclaredScreen):
        person.plan(at_ns + person.human.reaction_ns())
        return []
    wanted, asked = _wanted_question(person, screen), _open_question(person)
    if wanted == KNOCK and asked == DECLARE:
        person.company.may_not_knock(person.number)
    gesture: Callable[[str, int], list[Action]] = person.human.tap if wanted == asked else person.human.hold  # type: ignore[assignment]
    made = gesture(person.station, at_ns)
    person.does(made)  # type: ignore[arg-type]
    person.plan(at_ns + person.human.take_ns(UNHEARD_NS))
    return made


def _wanted_question(person: Person, screen: TurnScreen | DeclaredScreen) -> str | None:
    """Return the question to which this person wants to say yes; None if there is none."""
    company = person.company
    if company.has_31(person.number):
        return DECLARE
    if isinstance(screen, DeclaredScreen) or not _my_turn(person, screen):
        return None
    if company.knocks(person.number, screen):
        return KNOCK
    return DECLARE if company.exchange_card(person.number) else None


def _my_turn(person: Person, screen: TurnScreen) -> bool:
    """Return whether it is this person's turn.

    Of two partners, the same one always plays.
    """
    return person.number in screen.turn.numbers and person.company.acts_for_team(person.number)


def _open_question(person: Person) -> str | None:
    """Return the question that the display shows for this seat; None if there is none."""
    screen = person.screen
    questions = screen.questions if isinstance(screen, TurnScreen | DeclaredScreen) else ()
    keys = [asked.question.key for asked in questions if person.number in asked.label.numbers]
    return None if not keys else KNOCK if keys[0] == "seat.knock" else DECLARE
