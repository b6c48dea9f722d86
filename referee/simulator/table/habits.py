"""What people do in each phase, and after how long.

Each habit is a pair. The delay gives the instant of the action after the question was understood (None: never). The
deed returns the presses, from what the person sees at that later instant: a screen, a lamp and their own cards.
"""

from __future__ import annotations

from collections.abc import Callable

from referee.core.model.view import (
    CountCell,
    CountScreen,
    LobbyScreen,
    SearchScreen,
    VerdictScreen,
    VoteScreen,
)
from referee.simulator.table.contacts import Action
from referee.simulator.table.person import Person
from referee.simulator.table.skill import (
    AGAIN_NS,
    BLIND_PERCENT,
    FLINCH_PER_MILLE,
    FORGET_NS,
    LOOK_NS,
    SEARCH_NS,
    SIT_NS,
    UNHEARD_NS,
)
from referee.simulator.table.table import digit

Delay = Callable[[Person, int], int | None]
Deed = Callable[[Person, int], list[Action]]

TAP_PHASES = ("AGREEMENT", "READY", "STOPPED", "OVER", "POWER_BACK")
"""Phases in which a blinking lamp asks for one tap."""
TEAM_PHASES = ("VOTE", "SEARCH", "VERDICT")
"""Phases in which one member of each team answers by a tap or a hold."""
START_PHASES = ("STARTING", "RESUMING")
STOP_PHASES = ("CALLED", "VERDICT")


# -- a tap if the lamp asks for one --------------------------------------------------------------------------------


def tap_delay(person: Person, now_ns: int) -> int | None:
    """Return when to tap, now that the lamp asks for it; None: this person does not tap."""
    if person.phase == "OVER" and not person.company.wants_rematch():
        return None
    if person.phase == "READY":
        forgets = person.is_minded(person.company.manners.forget)
        return now_ns + person.human.deal_ns() + (person.human.take_ns(FORGET_NS) if forgets else 0)
    return now_ns + person.human.take_ns(AGAIN_NS if person.phase == "STOPPED" else LOOK_NS)


def tap(person: Person, at_ns: int) -> list[Action]:
    """Tap, press wildly, or lean on the button. Plan another try, in case this has no effect."""
    manners, human = person.company.manners, person.human
    gesture = (
        human.mash if person.is_minded(manners.mash) else human.lean if person.is_minded(manners.lean) else human.tap
    )
    made = person.does(gesture(person.station, at_ns))
    person.plan(at_ns + person.human.take_ns(UNHEARD_NS))
    return made


def press_once(person: Person, at_ns: int) -> list[Action]:
    """Tap once. Plan no second try."""
    return person.does(person.human.tap(person.station, at_ns))


def sit_delay(person: Person, now_ns: int) -> int | None:
    """Return when this person sits down, or (if seated) holds the button to get a partner."""
    if person.joined and person.pairs_with is not None:
        return person.company.pairing_at_ns(person.number, now_ns)
    return now_ns + person.human.take_ns(SIT_NS)


def sit(person: Person, at_ns: int) -> list[Action]:
    """Sit down. If the seat is taken, sit down at another free one; if none is free, wait."""
    screen = person.screen
    if not isinstance(screen, LobbyScreen):
        return wait(person, at_ns)
    if person.joined and person.pairs_with is not None:
        return _pair(person, at_ns)
    if not person.joined and person.seat_taken(screen) and not _moves_over(person, screen):
        person.standing = True
        return []
    person.joined = True
    made = press_once(person, at_ns)
    person.plan(at_ns + person.human.take_ns(UNHEARD_NS))
    return made


def _pair(person: Person, at_ns: int) -> list[Action]:
    """Hold the button when the partner does, with the small time difference of two people.

    This makes the two one team. Plan another try, in case it has no effect.
    """
    begin_ns = at_ns + person.human.reaction_ns() // 4
    made = person.does(person.human.hold(person.station, begin_ns))
    person.plan(person.company.pairing_at_ns(person.number, begin_ns + 1))
    return made


def _moves_over(person: Person, screen: LobbyScreen) -> bool:
    free = [s.number for s in screen.seats if s.name is None and s.number not in person.company.seats]
    if free:
        person.change_seat(min(free, key=lambda number: (abs(number - person.number), number)))
    return bool(free)


def wait(person: Person, at_ns: int) -> list[Action]:
    """Do nothing now, but plan another attempt.

    Usually someone is using the knob, and a menu hides the screen that this person needs.
    """
    person.plan(at_ns + person.human.reaction_ns())
    return []


# -- a countdown, and the race -------------------------------------------------------------------------------------


def flinch_delay(person: Person, now_ns: int) -> int | None:
    """Return when this person stops a countdown by a press; None (nearly always): not at all."""
    go_ns = person.view.go_ns if person.view else None
    if go_ns is None or go_ns <= now_ns or not person.human.per_mille(FLINCH_PER_MILLE):
        return None
    return person.human.rng.randint(now_ns, go_ns)


def call_delay(person: Person, now_ns: int) -> int | None:
    """Return when this person presses to call, if play goes on; None: not at all."""
    return person.company.press_at_ns(person.number, now_ns)


def call(person: Person, at_ns: int) -> list[Action]:
    """Call with one press, with several quick ones, or by leaning on the button."""
    human, dice = person.human, person.human.rng.randrange(100)
    gesture = human.pound if dice < 15 else human.lean if dice < 25 else human.tap
    return person.does(gesture(person.station, at_ns))


# -- a vote, a search ----------------------------------------------------------------------------------------------


def after(span_ns: tuple[int, int]) -> Delay:
    """Return a function that draws when to act from that range, at this table's pace."""
    return lambda person, now_ns: now_ns + person.human.take_ns(span_ns)


def vote(person: Person, at_ns: int) -> list[Action]:
    """Vote yes or no, according to what this person has seen and wants."""
    screen = person.screen
    if not isinstance(screen, VoteScreen):
        return wait(person, at_ns)
    return _answers(person, at_ns, yes=_says_yes(person, screen))


def _says_yes(person: Person, screen: VoteScreen) -> bool:
    company, mine = person.company, person.company.team(person.number)
    about = [label.numbers[0] for label in screen.subject]
    if screen.question.key in ("ask.false_call", "ask.false_start"):
        denies = mine in about and len(screen.votes) > 2 and person.is_minded(company.manners.deny)
        return bool(company.false_callers.intersection(about)) and not denies
    if screen.question.key in ("ask.tie", "ask.first"):
        return mine in about[-1:]  # the claimant says yes, the others what was measured
    wished = dict.fromkeys(("ask.end_hand", "ask.move_seats", "ask.setting"), True)  # people ask for these, bots do not
    agreed = {**wished, "ask.void_hand": company.tired, "ask.end_match": company.patience.weary}
    return agreed.get(screen.question.key, False)


def claim_delay(person: Person, now_ns: int) -> int:
    """Return when this person answers a claim, or presses because of the claim.

    All can see the cards, so this is a reaction time from now.
    """
    return now_ns + person.human.reaction_ns()


def claim(person: Person, at_ns: int) -> list[Action]:
    """Answer whether the claim was right, as the open cards show."""
    screen = person.screen
    if not isinstance(screen, VerdictScreen):
        return wait(person, at_ns)
    callers = {label.numbers[0] for label in screen.callers}
    return _answers(person, at_ns, yes=not callers & person.company.false_callers)


def search(person: Person, at_ns: int) -> list[Action]:
    """Answer after searching the stock: a tap for "nothing found", a hold for "I can play"."""
    screen = person.screen
    if not isinstance(screen, SearchScreen):
        return wait(person, at_ns)
    return _answers(person, at_ns, yes=not person.company.can_play(person.number, screen))


def _answers(person: Person, at_ns: int, *, yes: bool) -> list[Action]:
    """Answer yes by a tap, no by a hold. In a search, yes means "nothing found".

    Plan another try, in case this has no effect.
    """
    gesture = person.human.tap if yes else person.human.hold
    made = person.does(gesture(person.station, at_ns))
    person.plan(made[-1].t_ns + person.human.take_ns(UNHEARD_NS))
    return made


# -- counting ------------------------------------------------------------------------------------------------------


def count_delay(person: Person, now_ns: int) -> int | None:
    """Return when to take the next step of entering the count.

    The first step comes after a look at the cards, later ones after a reaction time.
    """
    cell = person.cell
    begun = cell is None or cell.cursor != 0 or cell.refusal is not None
    return now_ns + (person.human.reaction_ns() if begun else person.human.take_ns(LOOK_NS))


def count(person: Person, at_ns: int) -> list[Action]:
    """Take the next step of entering the count.

    If no step is left but the lamp still asks, plan another look.
    """
    made = _enter_count(person, at_ns)
    if person.phase != "COUNTING":
        person.cell = None  # looked at once
    elif not made and person.plan_ns is None and person.blinking:
        person.plan(at_ns + person.human.take_ns(UNHEARD_NS))
    return made


def _enter_count(person: Person, at_ns: int) -> list[Action]:
    cell, wanted, screen = person.cell, person.company.wanted_entry(person.number), person.screen
    if cell is None or wanted is None:
        return []
    if person.phase != "COUNTING" or cell.cursor is None:
        return _check(person, at_ns, cell, wanted)
    if not isinstance(screen, CountScreen):
        return wait(person, at_ns)
    if cell.cursor > 0 and at_ns < person.company.sorted_at_ns:
        return wait(person, person.company.sorted_at_ns)
    return _enter(person, at_ns, cell, cell.cursor, wanted[cell.cursor])


def _enter(person: Person, at_ns: int, cell: CountCell, field: int, wanted: int) -> list[Action]:
    """Tap until the open field shows the wanted digit. If it does, hold to open the next field.

    Sometimes the person overlooks a wrong digit.
    """
    human = person.human
    short = (wanted - digit(cell.fields[field])) % person.company.sizes(person.number)[field]
    overlooked = person.tapped_field == field and human.percent(BLIND_PERCENT)
    passes = cell.locked[field] or not short or overlooked or person.in_vain(cell, field)
    person.tapped_field = None if passes else field
    made = person.does(human.hold(person.station, at_ns) if passes else human.taps(person.station, at_ns, short))
    person.glance()
    return made


def _check(person: Person, at_ns: int, cell: CountCell, wanted: tuple[int, ...]) -> list[Action]:
    """Compare the shown final count with the cards. If it is wrong, hold to open it again.

    Sometimes the person overlooks the mistake.
    """
    seen = zip(cell.fields, wanted, cell.locked, strict=False)
    wrong = any(not locked and digit(shown) != one for shown, one, locked in seen)
    if not wrong or person.human.percent(BLIND_PERCENT):
        return []
    made = person.does(person.human.hold(person.station, at_ns))
    person.glance()
    return made


HABITS: dict[str, tuple[Delay, Deed]] = {
    "LOBBY": (sit_delay, sit),
    **dict.fromkeys(START_PHASES, (flinch_delay, press_once)),
    "PLAYING": (call_delay, call),
    "COUNTING": (count_delay, count),
    "VOTE": (after(LOOK_NS), vote),
    "SEARCH": (after(SEARCH_NS), search),
    "VERDICT": (claim_delay, claim),
    "CALLED": (claim_delay, press_once),
    **dict.fromkeys(TAP_PHASES, (tap_delay, tap)),
}
"""Phase -> (when a bot acts in it, what it does)."""
