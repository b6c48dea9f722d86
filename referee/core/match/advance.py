"""The match is a function: `advance(state, event)` gives the next state, the cues and the decisions reached.

Theory of operation. An edge row goes to its station's contact, which answers with signals (a press confirmed, a
release); holds turn those into gestures (a tap, a hold); the open menu or the phase hears each of them through the
transition table, one row a (phase, trigger). What has no row is refused, and nothing happens. Deadlines fall only in a
`Tick`. A handler returns decisions instead of applying them: the Engine appends each as the next event, so replay
derives every decision again and can compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, get_args

from referee.core.match import past
from referee.core.match.transition_table import Key, leads, lines, rows
from referee.core.model.events import (
    Cue,
    Decision,
    Event,
    Linked,
    Opened,
    PhoneFact,
    Redone,
    Resumed,
    Tick,
    Turned,
    Undone,
)
from referee.core.model.menu import Menu, MenuAction, MenuLine, Spelling
from referee.core.model.phase import GUARD_NS, Due, Freed, Held, KnobHeld, KnobPushed, Listed, Tapped
from referee.core.model.registry import game_of
from referee.core.model.state import Hold, State, Step
from referee.core.model.table import Table
from referee.core.model.transitions import Game, shown_lines
from referee.core.phases import power_back, spelling
from referee.core.phases.common import BACK, MENU_NS, READING_NS, blink, open_list, stay
from referee.core.presses.signals import (
    KNOB,
    Contact,
    Doubted,
    Edge,
    Press,
    Pressed,
    Released,
    Signal,
    Spiked,
    accept_edge,
    behind_ns,
    next_ns,
    settle,
    standing,
)
from referee.core.stored import state_from_document
from referee.core.units import MS, S
from referee.core.values import replace

KNOB_HOLD_NS = 300 * MS
LONG_HOLD_NS = 2 * S


def advance(state: State, event: Event) -> Step:
    """One event. Never raises for what a table can do: what makes no sense here changes nothing but the clock."""
    step = _EVENTS[type(event)](state, event)
    return step if state.menu is None else spelling.told_if_lost(state, step)


def dispatch(state: State, trigger: object) -> Step:
    """The phase's answer to a gesture, a deadline or a decision."""
    game, key = game_of(state.table), (type(state.phase), type(trigger))
    row = rows(game).get(key)
    if row is None:
        return stay(state)
    step = row.handler(state, state.phase, trigger)
    return step if type(step.state.phase) is key[0] else check_target(game, key, step)


def check_target(game: Game, key: Key, step: Step) -> Step:
    """The step, told as astray when its row does not say that it may lead there."""
    name = step.state.phase.name
    if name == key[0].name or name in leads(game).get(key, ()):
        return step
    sentence = f"{key[0].name}, {key[1].__name__}: {name} is none of its targets"
    return Step(step.state, step.cues, step.decisions, (*step.astray, sentence))


def hears(state: State, trigger: type) -> bool:
    """Whether the phase has a row for that trigger."""
    return (type(state.phase), trigger) in rows(game_of(state.table))


# -- facts ---------------------------------------------------------------------------------------------------------


def _edge(state: State, edge: Edge) -> Step:
    now = max(state.now_ns, edge.arrived_ns)
    before = state.contacts
    for index, contact in enumerate(before):
        if contact.station == edge.station:
            met, signals = accept_edge(contact, edge, state.rows)
            state = state.after_edge(now, (*before[:index], met, *before[index + 1 :]), edge)
            return _hear(state, signals) if signals else Step(state)
    return Step(state.after_event(now))


def _turn_knob(state: State, event: Turned) -> Step:
    now = max(state.now_ns, event.at_ns)
    state = _menu_closed(replace(state, now_ns=now, seq=state.seq + 1, touched_at_ns=now))
    menu = shown_menu(state)
    if menu is None:
        return dispatch(state, event)
    if menu.spelling is not None:
        return Step(spelling.turn_wheel(state, menu.spelling, event.steps))
    wait_ns = READING_NS if menu.sources else MENU_NS
    closes = None if menu.closes_at_ns is None else max(menu.closes_at_ns, state.now_ns + wait_ns)
    return Step(replace(state, menu=replace(_move_cursor(menu, event.steps), closes_at_ns=closes)))


def _move_cursor(menu: Menu, steps: int) -> Menu:
    """Another line, or in an opened one another value; neither goes round."""
    if menu.values:
        return replace(menu, value=min(max(menu.value + steps, 0), len(menu.values) - 1))
    return replace(menu, cursor=min(max(menu.cursor + steps, 0), len(menu.items) - 1))


def _tick(state: State, event: Tick) -> Step:
    contacts, signals = _settle_contacts(state, event.at_ns)
    step = _hear(state.after_event(max(state.now_ns, event.at_ns), contacts), signals)
    step = _then(step, _held_long_enough)
    step = _then(step, _phase_due)
    closed = _menu_closed(step.state)
    return step if closed is step.state else replace(step, state=closed)


def _settle_contacts(state: State, at_ns: int) -> tuple[tuple[Contact, ...], list[Signal]]:
    """Every contact that wants calling by now, settled, and what they say, in seat order.

    A remote contact's rows may still be under way: it is settled up to where none can be any more.
    """
    setup = state.table.setup
    after, signals = list(state.contacts), list[Signal]()
    for index, contact in enumerate(state.contacts):
        due, sure_ns = next_ns(contact), at_ns - behind_ns(contact, setup.lag_ns(contact.station))
        if due is not None and due <= sure_ns:
            after[index], heard = settle(contact, sure_ns)
            signals += heard
    return tuple(after), signals


def _phase_due(state: State) -> Step:
    due = state.phase.due_ns(state.contacts)
    return dispatch(state, Due(state.now_ns)) if due is not None and due <= state.now_ns else stay(state)


def _menu_closed(state: State) -> State:
    menu = state.menu
    if menu is not None and menu.closes_at_ns is not None and menu.closes_at_ns <= state.now_ns:
        return replace(state, menu=None)
    return state


def _take_link(state: State, event: Linked) -> Step:
    """Stations without a link are shown as such. With it back, a contact that is otherwise than known is a level."""
    now = max(state.now_ns, event.at_ns)
    state = replace(state, now_ns=now, seq=state.seq + 1)
    kind, _, where = event.link.partition(":")
    if kind == "page":
        return Step(replace(state, address=where if event.up else None))
    if kind == "phone":  # forgotten: another one may speak for its seat
        return Step(replace(state, phones=tuple(one for one in state.phones if one[1] != where)))
    others = tuple(station for station in state.away if station not in event.stations)
    if not event.up:
        calm = state.phase.play_at_pause(now) is None and state.phase.go_ns() is None
        lost = (Cue("fault", now),) if calm and set(event.stations) - set(state.away) else ()
        return Step(replace(state, away=tuple(sorted((*others, *event.stations)))), lost)
    contacts = tuple(_contact_after_link(contact, event, now) for contact in state.contacts)
    up = [now.station for was, now in zip(state.contacts, contacts, strict=True) if was.closed and not now.closed]
    holds = tuple(hold for hold in state.holds if hold.press.station not in up)
    step = Step(replace(state, away=others, contacts=contacts, holds=holds))
    return _then(step, lambda s: dispatch(s, Freed(up[0]))) if up else step


def _contact_after_link(contact: Contact, event: Linked, at_ns: int) -> Contact:
    closed = contact.station in event.closed
    return (
        contact
        if contact.station not in event.stations or contact.closed is closed
        else standing(contact.station, closed, at_ns)
    )


def _take_phone(state: State, event: PhoneFact) -> Step:
    """What a phone asks for is heard where it makes sense; who has asked has touched something."""
    now = max(state.now_ns, event.at_ns)
    return dispatch(replace(state, now_ns=now, seq=state.seq + 1, touched_at_ns=now), event)


def _resume(state: State, event: Resumed) -> Step:
    step = dispatch(power_back.begin_boot(replace(state, seq=state.seq + 1), event), event)
    sat = any(seat.name is not None for seat in step.state.table.seats)
    if not (event.asks and sat):
        return step
    menu = Menu(menu_items(step.state), asked_at_ns=event.at_ns)  # it stays until somebody answers
    return replace(step, state=replace(step.state, menu=menu))


def _begin_at(state: State, event: Opened) -> Step:
    """Whoever goes on and whoever reads it later stand on the same: the state as it was written."""
    here = state if event.state is None else state_from_document(event.state)
    return Step(replace(here, now_ns=max(state.now_ns, event.at_ns), seq=state.seq + 1))


# -- gestures ------------------------------------------------------------------------------------------------------


def _then(step: Step, more: Callable[[State], Step]) -> Step:
    after = more(step.state)
    if not step.cues and not step.decisions and not step.astray:
        return after
    return Step(after.state, step.cues + after.cues, step.decisions + after.decisions, step.astray + after.astray)


def _hear(state: State, signals: Iterable[Signal]) -> Step:
    step = Step(state)
    for signal in signals:
        hear = _HEAR[type(signal)]
        step = _then(step, lambda s, hear=hear, signal=signal: hear(s, signal))  # type: ignore[misc]
    return step


def _press(state: State, pressed: Pressed) -> Step:
    press = pressed.press
    if pressed.fresh:
        holds = tuple(h for h in state.holds if h.press.station != press.station)
        state = replace(state, holds=(*holds, Hold(press)))
    if press.station != KNOB:
        step = dispatch(state, pressed)
        early = pressed.fresh and _came_too_early(state, step, press)
        return replace(step, state=blink(step.state)) if early else step
    return _knob_pushed(state, KnobPushed(press.t_ns)) if pressed.fresh else stay(state)


def _came_too_early(state: State, step: Step, press: Press) -> bool:
    """Whether a press changed nothing because no answer counts yet: its owner must see that it was not swallowed."""
    team = _answering_team(state.table, press.station)
    if team is None or step.state.phase is not state.phase or step.decisions:
        return False
    return state.phase.too_early(team, press.station, press.t_ns)


def _answering_team(table: Table, station: str) -> str | None:
    """The id of the team for which that button answers; before a match, when there is none yet, its own number where
    somebody sits."""
    if table.teams:
        team = table.team_of(station)
        return team.id if team else None
    seat = table.seat(station)
    return station if seat and seat.name is not None else None


def _release(state: State, released: Released) -> Step:
    hold = next((h for h in state.holds if h.press.station == released.station), None)
    state = replace(state, holds=tuple(h for h in state.holds if h is not hold))
    if released.station == KNOB:
        own = spells(state, hold)
        return stay(state) if own is None else spelling.push_letter(state, own)
    step = Step(state)
    if hold is not None and not hold.passed:
        step = dispatch(state, Tapped(released.station, hold.press.t_ns))
    return _then(step, lambda s: dispatch(s, released))


def spells(state: State, hold: Hold | None) -> Spelling | None:
    """The name that this push of the knob enters a letter of, or ends; None where it has another meaning."""
    own = state.menu.spelling if state.menu else None
    return own if own and hold and not hold.passed and hold.press.t_ns >= own.since_ns else None


def _spike(state: State, spiked: Spiked) -> Step:
    """No press; but whoever waits until no button is down has waited for this one, too."""
    return dispatch(state, Freed(spiked.station))


def _thresholds(state: State, hold: Hold) -> tuple[int, ...]:
    """When this gesture passes its thresholds, those that the phase listens for."""
    if hold.press.station == KNOB:
        if spells(state, replace(hold, passed=0)):
            return (hold.press.t_ns + state.table.setup.hold_ns,)
        return (hold.press.t_ns + KNOB_HOLD_NS,) if hears(state, KnobHeld) else ()
    if not hears(state, Held):
        return ()
    return (hold.press.t_ns + state.table.setup.hold_ns, hold.press.t_ns + LONG_HOLD_NS)


def _held_long_enough(state: State) -> Step:
    """Every hold that passes a threshold now is marked first, so that two of the same instant see each other."""
    passed: list[tuple[Press, int]] = []
    for hold in state.holds:
        due = sum(t <= state.now_ns for t in _thresholds(state, hold))
        passed += [(hold.press, n) for n in range(hold.passed, due)]
    if not passed:
        return stay(state)
    counts = {press.station: n + 1 for press, n in passed}
    holds = tuple(replace(h, passed=max(h.passed, counts.get(h.press.station, 0))) for h in state.holds)
    step = Step(replace(state, holds=holds))
    for press, n in passed:
        own = spells(step.state, Hold(press)) if press.station == KNOB else None
        if own is not None:
            step = _then(step, lambda s, own=own: spelling.end_spelling(s, own))  # type: ignore[misc]
            continue
        trigger: Held | KnobHeld = (
            Held(press.station, press.t_ns, n > 0) if press.station != KNOB else KnobHeld(press.t_ns)
        )
        step = _then(step, lambda s, trigger=trigger: dispatch(s, trigger))  # type: ignore[misc]
    return step


# -- the knob ------------------------------------------------------------------------------------------------------


def _knob_pushed(state: State, pushed: KnobPushed) -> Step:
    state = _menu_closed(state)
    menu = shown_menu(state)
    if menu is not None and menu.spelling is not None:
        return stay(state)  # what it means is known when the knob is let go
    if menu is not None:
        if menu.asked_at_ns is not None and pushed.t_ns < menu.asked_at_ns + GUARD_NS:
            return stay(blink(state))  # it was meant for what was shown before
        chosen = menu.values[menu.value] if menu.values else menu.items[menu.cursor]
        step = act(state, chosen.action)
        return replace(step, state=_with_title(step.state, menu))
    if hears(state, KnobPushed) and state.phase.takes_push():
        return dispatch(state, pushed)
    items = menu_items(state)
    return stay(open_list(state, items)) if len(items) > 1 and not hears(state, KnobHeld) else stay(state)


def _with_title(state: State, before: Menu) -> State:
    """A list that a line has opened is called by that line; an opened value stays in its list."""
    menu = state.menu
    if menu is None or menu.title is not None:
        return state
    title = before.title if menu.values else before.items[before.cursor].text
    return replace(state, menu=replace(menu, title=title))


def shown_menu(state: State) -> Menu | None:
    """The open list; a pause's own one is always open."""
    if state.menu is None and isinstance(state.phase, Listed):
        return Menu(menu_items(state))
    return state.menu


def menu_items(state: State) -> tuple[MenuLine, ...]:
    """The list that a push opens: the phase's own lines, what can be undone and redone, Back."""
    game, phase = game_of(state.table), state.phase
    shown = shown_lines(state, lines(game, type(phase)))
    return shown if isinstance(phase, Listed) else harmless_first((*shown, BACK))


def harmless_first(shown: tuple[MenuLine, ...]) -> tuple[MenuLine, ...]:
    """The lines with the first one that upsets nothing before all others: push, push never does what nobody meant."""
    first = next((line for line in shown if not line.action.upsets), None)
    return shown if first is None else (first, *(line for line in shown if line is not first))


def act(state: State, action: MenuAction) -> Step:
    """One line of the list, chosen."""
    return dispatch(replace(state, menu=None), action)


# -- decisions -----------------------------------------------------------------------------------------------------


def _decision(state: State, event: Decision) -> Step:
    """Apply a decision and remember what was before it; one that has no row here changes nothing."""
    before = state
    state = replace(state, now_ns=max(state.now_ns, event.at_ns), seq=state.seq + 1)
    if not hears(state, type(event)):
        return stay(state)
    step = dispatch(state, event)
    if isinstance(event, Undone | Redone):
        return step
    return replace(step, state=past.remember(step.state, before, event))


_ByKind = dict[type, Callable[[State, Any], Step]]  # Any: of the kind that it stands under
_HEAR: _ByKind = {
    Pressed: _press,
    Released: _release,
    Spiked: _spike,
    Doubted: dispatch,
}
_EVENTS: _ByKind = {
    Edge: _edge,
    Turned: _turn_knob,
    Tick: _tick,
    Linked: _take_link,
    **dict.fromkeys(get_args(PhoneFact), _take_phone),
    Resumed: _resume,
    Opened: _begin_at,
    **dict.fromkeys(get_args(Decision), _decision),
}


# -- time ----------------------------------------------------------------------------------------------------------


def deadline(state: State) -> int | None:
    """When the core wants calling again, if nothing happens before; None: not by itself."""
    setup = state.table.setup
    dues = [
        due + behind_ns(contact, setup.lag_ns(contact.station))
        for contact in state.contacts
        if (due := next_ns(contact)) is not None
    ]
    others = (state.phase.due_ns(state.contacts), state.menu.closes_at_ns if state.menu else None)
    dues += [due for due in others if due is not None]
    for hold in state.holds:
        dues += _thresholds(state, hold)[hold.passed :][:1]
    return min(dues, default=None)


def idle(before: State, step: Step) -> bool:
    """Whether a deadline that fell has led to nothing."""
    after = step.state
    moved = after.phase is not before.phase or after.holds is not before.holds or after.menu is not before.menu
    return not (moved or step.decisions or after.contacts != before.contacts)
