"""Requests of paired phones: pairing, seats, names, counts, points, and a host's settings.

A phone asks for what a button could do, under the same rules. `refusal` returns why the table refuses a request; a
refused request changes nothing. Each seat has at most one phone that acts for it; another phone's refusal names the
seat's player. `device/phones/pairing.py` decides beforehand which phone may send which request.

In the lobby the host (the phone with the right to change settings) may set any option that the rules allow, also
several at once, as a house preset does. In a match the device's own settings apply at once; a change of a rule is a
question to all, unless recorded hands were counted by that rule: then it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal

from referee.core.messages import Msg, msg
from referee.core.model.events import (
    Adjusted,
    Corrected,
    Decision,
    Joined,
    Left,
    Named,
    PhoneCorrected,
    PhoneCounted,
    PhoneFact,
    PhoneGave,
    PhonePaired,
    PhonePaused,
    PhoneSat,
    PhoneSet,
    PhoneStarted,
    PhoneVoted,
    PointsGiven,
)
from referee.core.model.labels import number, seat_label
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.options import RuleError
from referee.core.model.registry import adjusts, counted_game, fields_of, game_of
from referee.core.model.state import BetweenHands, Count, Phase, Resting, State, Step, fresh
from referee.core.model.table import Setup
from referee.core.model.transitions import RESUMES, FieldSpec, MenuPlace, Past, Row, Transition
from referee.core.model.triggers import KnobHeld
from referee.core.model.view import PhoneLine
from referee.core.names import MOST_LETTERS, name_of
from referee.core.phases import lobby, vote
from referee.core.phases.adjusting import MOST_POINTS, REASONS
from referee.core.phases.agreement import Agreement
from referee.core.phases.common import BACK, decide, open_list, stay
from referee.core.phases.counting import Counting, count_refusal, enter_count, finished, values_of, with_count
from referee.core.phases.fixing import CORRECTIONS
from referee.core.phases.lobby import Lobby, StartMatch
from referee.core.phases.over import Over
from referee.core.phases.pause import TimeOut, go_on
from referee.core.phases.race import Race, on_knob_held
from referee.core.phases.settings import Adjust, adjust, apply_settings
from referee.core.phases.start import GoOn
from referee.core.phases.update import behind_offer
from referee.core.phases.vote import ask
from referee.core.units import S
from referee.core.values import replace

PHONES_NS = 120 * S
"""Time in ns for which the pairing code is shown if the knob is not used.

It is enough for eight people to take out their phones.
"""


class ShowPhones(MenuAction):
    """Show how to pair a phone."""


class ShowCard(MenuAction):
    """Show the QR code of the match card's page."""


def show(state: State, phase: Phase, action: ShowPhones) -> Step:
    """Show the web page's address and the pairing code in place of the menu. A push closes them."""
    return show_code(state, "phones")


def show_code(state: State, code: Literal["phones", "card", "own", "home", "off"], after: MenuLine = BACK) -> Step:
    """Show a QR code or the Wi-Fi's state instead of the menu. A push does what `after` says."""
    state = open_list(state, (after,), for_ns=PHONES_NS)
    assert state.menu is not None
    return stay(replace(state, menu=replace(state.menu, code=code)))


def _text(state: State, phase: Phase) -> Msg | None:
    return msg("item.phones") if state.address else None


def show_card(state: State, phase: Phase, action: ShowCard) -> Step:
    """Show the address of the page with the match card. A push closes it."""
    return show_code(state, "card")


def _card_text(state: State, phase: Phase) -> Msg | None:
    return msg("item.card") if state.address else None


# -- phones and seats ----------------------------------------------------------------------------------------------


def phone_at(state: State, station: str) -> str | None:
    """Return the phone that acts for the player at that station; None if there is none."""
    seat = state.table.seat(station)
    if seat is None or seat.name is None:
        return None
    return dict(state.phones).get(station)


def seat_of(state: State, phone: str) -> str | None:
    """Return the station for which this phone acts; None if there is none."""
    return next((station for station, own in state.phones if own == phone and phone_at(state, station)), None)


def phone_lines(state: State) -> tuple[PhoneLine, ...]:
    """Return all phones that act for a seat."""
    own = ((phone, station) for station, phone in state.phones if phone_at(state, station))
    return tuple(PhoneLine(phone, number(state.table, station)) for phone, station in own)


# -- refusals ------------------------------------------------------------------------------------------------------


def refusal(state: State, event: PhoneFact) -> Msg | None:
    """Return why the table refuses a phone's request now; None if it accepts the request.

    Raises RuleError for a request that is never allowed.
    """
    return _REFUSALS[type(event)](behind_offer(state), event)


def is_refused(state: State, event: PhoneFact) -> bool:
    """Return whether the table refuses the request, now or always."""
    try:
        return refusal(state, event) is not None
    except RuleError:
        return True


def _seat_refusal(state: State, event: PhoneSat) -> Msg | None:
    seat, phase = state.table.seat(event.station), state.phase
    if seat is None or not isinstance(phase, Lobby | BetweenHands):
        return msg("refusal.not_now")
    if name_of(event.name) is None:
        return msg("refusal.name", most=MOST_LETTERS)
    where = number(state.table, event.station)
    if phone_at(state, event.station) not in (None, event.phone):
        return msg("refusal.seat_taken", seat=where, name=seat_label(state.table, event.station).name)
    if isinstance(phase, Lobby):
        return None
    own = seat_of(state, event.phone)
    if own is not None and own != event.station:
        return msg("refusal.your_seat", seat=number(state.table, own))
    return msg("refusal.press_first", seat=where) if seat.name is None else None


def _count_refusal(state: State, event: PhoneCounted) -> Msg | None:
    table, phase = state.table, state.phase
    if not isinstance(phase, Counting) or all(count.team != event.team for count in phase.counts):
        return msg("refusal.no_count")
    wrong = _number_refusal(fields_of(table, event.team, phase.callers), event.numbers)
    if wrong is not None:
        return wrong
    return count_refusal(table, _enter(state, phase, event), phase.callers, phase.counts)


def _correction_refusal(state: State, event: PhoneCorrected) -> Msg | None:
    past = _past_of(state, event)
    if past is None or event.reason not in CORRECTIONS:
        return msg("refusal.later")
    fields = fields_of(past.table, event.team, past.callers)
    wrong = _number_refusal(fields, event.numbers)
    if wrong is not None:
        return wrong
    counts = _counts_of(past, fields, event)
    count = next(count for count in counts if count.team == event.team)
    return count_refusal(past.table, count, past.callers, counts)


def _past_of(state: State, event: PhoneCorrected) -> Past | None:
    """Return the hand that the request corrects.

    None if the hand's count cannot be corrected now, or if the team has no count in it.
    """
    table = state.table
    if not isinstance(state.phase, Resting) or not 1 <= event.hand <= len(table.hands):
        return None
    past = game_of(table).past(table, event.hand - 1)
    return past if past is not None and any(team == event.team for team, _ in past.counts) else None


def _number_refusal(fields: tuple[FieldSpec, ...], numbers: tuple[int, ...]) -> Msg | None:
    groups = tuple(numbers_of(fields))
    if len(groups) != len(numbers):
        return msg("refusal.numbers", size=len(groups))
    for group, entered in zip(groups, numbers, strict=True):
        if entered < 0:
            return msg("refusal.below", value=entered, least=0)
        if entered > most_of(group):
            return msg("refusal.above", value=entered, most=most_of(group))
    return None


def numbers_of(specs: tuple[FieldSpec, ...]) -> Iterator[tuple[FieldSpec, ...]]:
    """Yield the fields that form one number: tens and ones together, any other field alone."""
    tens: tuple[FieldSpec, ...] = ()
    for spec in specs:
        if dict(spec.name.values).get("unit") == 10:
            tens = (spec,)
        else:
            yield (*tens, spec)
            tens = ()


def most_of(group: tuple[FieldSpec, ...]) -> int:
    """Return the largest number that fits the fields, 0 if they are locked."""
    places = enumerate(reversed(group))
    return 0 if group[-1].locked else sum((spec.size - 1) * 10**place for place, spec in places)


# -- accepted requests ---------------------------------------------------------------------------------------------


def take_seat(state: State, phase: Phase, event: PhoneSat) -> Step:
    """Seat a player of that name, or rename the seat's player. The phone then acts for the seat."""
    seat, name, own = state.table.seat(event.station), name_of(event.name), seat_of(state, event.phone)
    assert seat is not None
    assert name is not None
    left: list[Decision] = [] if own in (None, event.station) else [Left(state.now_ns, str(own))]
    if seat.name is None:
        left.append(Joined(state.now_ns, event.station, name))
    elif seat.name != name:
        left.append(Named(state.now_ns, event.station, name))
    state = _closed_to_knob(state, event.station, new=seat.name != name)
    others = ((s, phone) for s, phone in state.phones if s != event.station and phone != event.phone)
    return Step(replace(state, phones=(*others, (event.station, event.phone))), (), tuple(left))


def _closed_to_knob(state: State, station: str, *, new: bool) -> State:
    """Stop the knob from changing or entering that seat's name."""
    spelling = state.menu.spelling if state.menu else None
    menu = None if spelling and spelling.station == station else state.menu
    phase = lobby.take_name(state.phase, station, new=new) if isinstance(state.phase, Lobby) else state.phase
    return replace(state, menu=menu, phase=phase)


def take_count(state: State, phase: Counting, event: PhoneCounted) -> Step:
    """Store a team's count as done. A hold of the team's button opens it again."""
    return enter_count(state, phase, finished(state.table, _enter(state, phase, event), phase.callers, phase.counts))


def worth_of(state: State, event: PhoneCounted) -> Fraction | None:
    """Return the points that this count would give its team.

    For the other teams, the values entered so far are used. None if the count is impossible, or if the game's totals
    are not points.
    """
    table, phase = state.table, state.phase
    if not isinstance(phase, Counting) or _count_refusal(state, event) is not None:
        return None
    counts = values_of(with_count(phase.counts, _enter(state, phase, event)))
    game = counted_game(table)
    counted = replace(table, hands=(*table.hands, game.result(table, phase, counts)))
    place = next(place for place in game.standings(counted) if place.team == event.team)
    return place.delta if place.told is None else None


def _enter(state: State, phase: Counting, event: PhoneCounted) -> Count:
    count = next(c for c in phase.counts if c.team == event.team)
    specs = fields_of(state.table, event.team, phase.callers)
    values = _values(specs, event.numbers)
    return replace(count, values=values, touched=(True,) * len(values), pen=event.phone, refusal=None)


def _values(specs: tuple[FieldSpec, ...], numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the value of each field for these whole numbers."""
    values: list[int] = []
    for group, entered in zip(numbers_of(specs), numbers, strict=True):
        tens = min(entered // 10, group[0].size - 1)
        values += [tens, entered - 10 * tens] if group[1:] else [entered]
    return tuple(values)


def correct_hand(state: State, phase: Phase, event: PhoneCorrected) -> Step:
    """Correct that team's count of a past hand. If it is the same count, do nothing."""
    past = _past_of(state, event)
    assert past is not None
    fields = fields_of(past.table, event.team, past.callers)
    counts = values_of(_counts_of(past, fields, event))
    if counts == past.counts:
        return stay(state)
    return decide(state, Corrected(state.now_ns, event.hand, counts, event.reason))


def _counts_of(past: Past, fields: tuple[FieldSpec, ...], event: PhoneCorrected) -> tuple[Count, ...]:
    """Return the counts of all teams in the past hand, with the new values of `event.team`."""
    entered = _values(fields, event.numbers)
    return tuple(
        Count(team, entered if team == event.team else values, (True,) * len(values), None)
        for team, values in past.counts
    )


def points_barred(state: State) -> Msg | None:
    """Return why no points can be given now; None if they can.

    The game must count points, and a match must have begun. During play, or while a verdict is open,
    no points can be given.
    """
    if not adjusts(state.table):
        return msg("refusal.no_points")
    return None if isinstance(state.phase, Resting) and state.table.teams else msg("refusal.later")


def _points_refusal(state: State, event: PhoneGave) -> Msg | None:
    """Return why these points are refused; None if they are accepted.

    The team must be in the match, the points not 0 and at most `MOST_POINTS`, and the reason one of `REASONS`.
    """
    barred = points_barred(state)
    if barred is not None:
        return barred
    if event.team not in {team.id for team in state.table.teams} or not event.points or event.reason not in REASONS:
        return msg("refusal.later")
    most = MOST_POINTS
    return msg("refusal.above", value=abs(event.points), most=most) if abs(event.points) > most else None


def gave(state: State, phase: Phase, event: PhoneGave) -> Step:
    """Give points after the last hand, as the knob does."""
    after, points = len(state.table.hands), Fraction(event.points)
    return decide(state, PointsGiven(state.now_ns, after, event.team, points, event.reason))


def _settings_refusal(state: State, event: PhoneSet) -> Msg | None:
    """Return why a setting cannot be changed now; None if it can.

    Raises RuleError for a value that is never allowed.
    """
    apply_settings(state.table.setup, event.settings)
    if isinstance(state.phase, Lobby):
        return None
    if len(event.settings) != 1:
        return msg("refusal.next_match")
    ((name, value),) = event.settings
    game = game_of(state.table)
    known = name in Setup.device or any(setting.name == name for setting in game.settings)
    if not known or game.is_fixed(state.table, name, value):
        return msg("refusal.next_match")
    return None if isinstance(state.phase, Resting) else msg("refusal.not_in_play")


def set_in_lobby(state: State, phase: Lobby, event: PhoneSet) -> Step:
    """Apply all settings in their order. Values that change nothing are not recorded."""
    setup, decisions = state.table.setup, []
    for name, value in event.settings:
        after = apply_settings(setup, [(name, value)])
        if after != setup:
            decisions.append(Adjusted(state.now_ns, name, value))
        setup = after
    return Step(state, (), tuple(decisions))


def set_in_match(state: State, phase: Phase, event: PhoneSet) -> Step:
    """Apply a setting of the device at once. Put a rule to the vote, except during AGREEMENT."""
    ((name, value),) = event.settings
    if name in Setup.device or isinstance(phase, Agreement):
        return adjust(state, phase, Adjust(name, value))
    return ask(state, "ask.setting", Adjusted(state.now_ns, name, value))


def _pause_refusal(state: State, event: PhonePaused) -> Msg | None:
    """Return why the phone cannot pause the race or end the pause now; None if it can."""
    phase = state.phase
    paused = isinstance(phase, TimeOut) and fresh(phase, event.at_ns)
    possible = isinstance(phase, Race) if event.pause else paused
    return None if possible and seat_of(state, event.phone) is not None else msg("refusal.later")


def pause_race(state: State, phase: Race, event: PhonePaused) -> Step:
    """Pause the race, as a hold of the knob does."""
    return on_knob_held(state, phase, KnobHeld(event.at_ns))


def end_pause(state: State, phase: TimeOut, event: PhonePaused) -> Step:
    """Go on with the race, as the knob does."""
    return go_on(state, phase, GoOn())


def _start_refusal(state: State, event: PhoneStarted) -> Msg | None:
    if not isinstance(state.phase, Lobby):
        return msg("refusal.later")
    return msg("toast.two_teams") if len(lobby.teams_of(state.table)) < 2 else None


def start(state: State, phase: Lobby, event: PhoneStarted) -> Step:
    """Begin the match, as the knob does."""
    return lobby.begin(replace(state, menu=None), phase, StartMatch())


_REFUSALS: Mapping[type, Callable[[State, Any], Msg | None]] = {  # Any: each function takes events of its key's type
    PhoneSat: _seat_refusal,
    PhoneCounted: _count_refusal,
    PhoneSet: _settings_refusal,
    PhoneVoted: vote.phone_refusal,
    PhonePaired: lobby.phone_refusal,
    PhonePaused: _pause_refusal,
    PhoneStarted: _start_refusal,
    PhoneCorrected: _correction_refusal,
    PhoneGave: _points_refusal,
}


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, PhoneSat, take_seat, (), "a phone: a seat and a name"),
    Row(BetweenHands, PhoneSat, take_seat, (), "a phone: a name"),
    Row(Counting, PhoneCounted, take_count, (), "a phone: a team's count"),
    Row(Race, PhonePaused, pause_race, ("TIMEOUT",), "a phone: time out"),
    Row(TimeOut, PhonePaused, end_pause, (RESUMES,), "a phone: play goes on"),
    Row(Resting, PhoneCorrected, correct_hand, (), "a phone: a past hand's count"),
    Row(Resting, PhoneGave, gave, (), "a phone: points for a reason"),
    Row(Lobby, PhoneStarted, start, (), "a host's phone: the match"),
    Row(Lobby, PhoneSet, set_in_lobby, (), "a host's phone: settings"),
    Row(Resting, PhoneSet, set_in_match, ("VOTE",), "a host's phone: the sound; a rule asks all"),
    Row(Lobby, ShowPhones, show, (), "the knob: how a phone is paired", _text, MenuPlace.COMMON),
    Row(Over, ShowCard, show_card, (), "the knob: the match's card", _card_text),
    Row(Resting, ShowPhones, show, (), "the knob: how a phone is paired", _text, MenuPlace.COMMON),
)
