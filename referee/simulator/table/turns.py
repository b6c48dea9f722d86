"""What people do in a game of turns: exchange a card and tap, or knock, or declare a 31."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from referee.core.model.view import DeclaredScreen, TurnScreen, View
from referee.core.units import MS, S
from referee.simulator.table.contacts import Action
from referee.simulator.table.human import LOOK_NS, UNHEARD_NS
from referee.simulator.table.person import Person

TURN_NS = (2 * S, 7 * S)
"""Range of times to take a card, think, and throw one away."""
ANSWER_NS = 800 * MS
"""Minimum time before a question accepts an answer; people learn that quickly."""
KNOCK, DECLARE = "knock", "declare"
"""The questions that a seat can open: do I knock, do I have a 31?"""
PHASES = ("PLAYING", "DECLARED")
KEYS = ("TURN", "DECLARED")


def question(person: Person, view: View, before: Hashable) -> Hashable:
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


def delay(person: Person, now_ns: int) -> int:
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
