"""The match as a function: `advance(state, event)` returns state, sounds and decisions.

Theory of operation. An edge row (a change of a button's contact) goes to that contact, which returns signals (a
confirmed press, a release). Presses in progress (`Hold`) turn signals into gestures (a tap, a hold). The open menu or
the phase handles each gesture through the transition table, which has one row per (phase, trigger). A trigger without
a row is ignored. Deadlines are handled only in a `Tick`. A handler returns decisions instead of applying them. The
Engine appends each decision as the next event, so that replay can derive every decision again and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from referee.core.match import past
from referee.core.match.transition_table import Key, leads, lines, rows
from referee.core.messages import Msg, msg
from referee.core.model.events import (
    DECISIONS,
    PHONE_FACTS,
    Cue,
    Decision,
    Event,
    Linked,
    Offered,
    Opened,
    PhoneFact,
    Redone,
    Resumed,
    RowsKnown,
    Tick,
    Turned,
    Undone,
)
from referee.core.model.menu import MOST_LINES, Back, Menu, MenuAction, MenuLine, More, Spelling
from referee.core.model.phase import GUARD_NS, Due, Freed, Held, KnobHeld, KnobPushed, Listed, Tapped, Update
from referee.core.model.registry import game_of
from referee.core.model.state import Hold, State, Step
from referee.core.model.table import Table
from referee.core.model.transitions import Game, MenuPlace, shown_lines
from referee.core.phases import phones, power_back, ready, spelling
from referee.core.phases.common import BACK, READING_NS, blink, list_ns, more_line, open_list, stay, toast
from referee.core.phases.update import behind_offer
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
    certain_at_ns,
    known_until_ns,
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
    """Apply one event.

    Never raises for a possible event: an event that is invalid now changes only the clock.
    """
    step = _EVENTS[type(event)](state, event)
    return step if state.menu is None else spelling.told_if_lost(state, step)


def dispatch(state: State, trigger: object) -> Step:
    """Run the phase's handler for a gesture, a deadline or a decision."""
    game, key = game_of(state.table), (type(state.phase), type(trigger))
    row = rows(game).get(key)
    if row is None:
        return stay(state)
    step = row.handler(state, state.phase, trigger)
    return step if type(step.state.phase) is key[0] else check_target(game, key, step)


def check_target(game: Game, key: Key, step: Step) -> Step:
    """Return the step. If it leads to a phase outside the row's targets, add a sentence.

    The row is the transition row with this key. The sentence is added to the step's `astray`.
    """
    name = step.state.phase.name
    if name == key[0].name or name in leads(game).get(key, ()):
        return step
    sentence = f"{key[0].name}, {key[1].__name__}: {name} is none of its targets"
    return Step(step.state, step.cues, step.decisions, (*step.astray, sentence))


def hears(state: State, trigger: type) -> bool:
    """Return whether the phase has a row for this trigger."""
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
    wait_ns = READING_NS if menu.sources else list_ns(state.phase)
    closes = None if menu.closes_at_ns is None else max(menu.closes_at_ns, state.now_ns + wait_ns)
    return Step(replace(state, menu=replace(_move_cursor(menu, event.steps), closes_at_ns=closes)))


def _move_cursor(menu: Menu, steps: int) -> Menu:
    """Move the cursor by lines or, while a value is chosen, by values. Stop at either end."""
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
    """Return all contacts at `at_ns` and their signals, after changes that need no new row.

    For example, a burst ends some time after its last row. Rows from pods and phones arrive late. Such a contact is
    only updated up to the instant up to which all its rows have arrived.
    """
    after, signals = list(state.contacts), list[Signal]()
    for index, contact in enumerate(state.contacts):
        due, sure_ns = next_ns(contact), known_until_ns(contact, at_ns, state.table.lag_ns(contact.station))
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
        state = toast(state, msg("toast.list_closed")) if state.phase.argued else state
        return replace(state, menu=None)
    return state


def _take_link(state: State, event: Linked) -> Step:
    """Handle a connection (link) that came up or went down; see `events.Linked` for the kinds.

    If a contact's level changed while the link was down, that is not a press.
    """
    now = max(state.now_ns, event.at_ns)
    state = replace(state, now_ns=now, seq=state.seq + 1)
    kind, _, where = event.link.partition(":")
    if kind == "page":
        return Step(replace(state, address=where if event.up else None))
    if kind == "wifi":
        return Step(replace(state, wifi=event.up))
    if kind == "clock":
        return Step(replace(state, clock_s=int(where)))
    if kind == "update":
        return dispatch(state, Update(where))
    if kind == "phone":  # a forgotten phone: another one may act for its seat
        return Step(replace(state, phones=tuple(one for one in state.phones if one[1] != where)))
    if kind == "seat":
        state = _with_phone_buttons(state, event)
    others = tuple(station for station in state.away if station not in event.stations)
    if not event.up and kind != "seat":
        calm = state.phase.play_at_pause(now) is None and state.phase.go_ns() is None
        lost = (Cue("fault", now),) if calm and set(event.stations) - set(state.away) else ()
        return Step(replace(state, away=tuple(sorted((*others, *event.stations)))), lost)
    contacts = tuple(_contact_after_link(contact, event, now) for contact in state.contacts)
    up = [now.station for was, now in zip(state.contacts, contacts, strict=True) if was.closed and not now.closed]
    holds = tuple(hold for hold in state.holds if hold.press.station not in up)
    if kind == "seat":
        up += [station for station in event.stations if station in state.away]
    step = Step(replace(state, away=others, contacts=contacts, holds=holds))
    return _then(step, dispatch, Freed(up[0])) if up else step


def _take_offer(state: State, event: Offered) -> Step:
    now_ns = max(state.now_ns, event.at_ns)
    offer = replace(state, offered=event.people, offered_game=event.game, offered_options=event.options)
    return Step(replace(offer, now_ns=now_ns, seq=state.seq + 1))


def _with_phone_buttons(state: State, event: Linked) -> State:
    """Record whether a phone shows the button of these stations (`event.up`)."""
    others = tuple(one for one in state.table.phone_buttons if one not in event.stations)
    shown = (*others, *event.stations) if event.up else others
    return replace(state, table=replace(state.table, phone_buttons=shown))


def _contact_after_link(contact: Contact, event: Linked, at_ns: int) -> Contact:
    closed = contact.station in event.closed
    return (
        contact
        if contact.station not in event.stations or contact.closed is closed
        else standing(contact.station, closed, at_ns)
    )


def _take_proof(state: State, event: RowsKnown) -> Step:
    """Store up to which instant a phone's rows are known.

    Ignore an instant in the future, and one that is before the stored instant.
    """
    now = max(state.now_ns, event.at_ns)
    contacts = tuple(
        replace(contact, known_ns=event.until_ns)
        if contact.station == event.station and contact.known_ns < event.until_ns <= now
        else contact
        for contact in state.contacts
    )
    return Step(state.after_event(now, contacts))


def _take_phone(state: State, event: PhoneFact) -> Step:
    """Handle a phone's request unless the table refuses it. Any request wakes a dimmed display."""
    now = max(state.now_ns, event.at_ns)
    state = replace(state, now_ns=now, seq=state.seq + 1, touched_at_ns=now)
    return stay(state) if phones.is_refused(state, event) else dispatch(behind_offer(state), event)


def _resume(state: State, event: Resumed) -> Step:
    step = dispatch(power_back.begin_boot(replace(state, seq=state.seq + 1), event), event)
    sat = any(seat.name is not None for seat in step.state.table.seats)
    if not (event.asks and sat):
        return step
    menu = Menu(menu_items(step.state), asked_at_ns=event.at_ns)  # without a time limit
    return replace(step, state=replace(step.state, menu=menu))


def _begin_at(state: State, event: Opened) -> Step:
    """Begin an evening, with the journal's initial state if it has one."""
    here = state if event.state is None else state_from_document(event.state)
    opened = state.table.setup
    setup = replace(here.table.setup, age_ns=opened.age_ns, draws_shares=opened.draws_shares)
    here = replace(here, table=replace(here.table, setup=setup))
    return Step(replace(here, now_ns=max(state.now_ns, event.at_ns), seq=state.seq + 1))


# -- gestures ------------------------------------------------------------------------------------------------------


def _then(step: Step, more: Callable[..., Step], *given: object) -> Step:
    """Call `more` with the state after `step`. Return one step with the results of both."""
    after = more(step.state, *given)
    if not step.cues and not step.decisions and not step.astray:
        return after
    return Step(after.state, step.cues + after.cues, step.decisions + after.decisions, step.astray + after.astray)


def _hear(state: State, signals: Iterable[Signal]) -> Step:
    step = Step(state)
    for signal in signals:
        step = _then(step, _HEAR[type(signal)], signal)
    return step


def _press(state: State, pressed: Pressed) -> Step:
    press = pressed.press
    if pressed.fresh:
        holds = tuple(h for h in state.holds if h.press.station != press.station)
        state = replace(state, holds=(*holds, Hold(press)))
    if press.station != KNOB:
        step = dispatch(state, pressed)
        if pressed.fresh and _came_too_early(state, step, press):
            return replace(step, state=blink(step.state))
        return replace(step, state=toast(step.state, answer)) if (answer := _answer(state, step, press)) else step
    return _knob_pushed(state, KnobPushed(press.t_ns)) if pressed.fresh else stay(state)


def _answer(state: State, step: Step, press: Press) -> Msg | None:
    """Return the message that answers a press without effect; None if there is nothing to say."""
    if state.menu is not None and state.menu.closes_at_ns is None:  # the list after a restart
        return msg("toast.knob_asked")
    unheard = step.state.phase is state.phase and not step.decisions
    return ready.joins_later(state, press.station) if unheard else None


def _came_too_early(state: State, step: Step, press: Press) -> bool:
    """Return whether a press was too early to count as an answer; the screen then blinks."""
    team = _answering_team(state.table, press.station)
    if team is None or step.state.phase is not state.phase or step.decisions:
        return False
    return state.phase.too_early(team, press.station, press.t_ns)


def _answering_team(table: Table, station: str) -> str | None:
    """Return the id of the button's team.

    Before a match, return the station itself if its seat is taken.
    """
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
    return _then(step, dispatch, released)


def spells(state: State, hold: Hold | None) -> Spelling | None:
    """Return the name entry that takes this push of the knob; None if there is none.

    In a name entry, a push takes a letter or completes the name. A push that began before the entry opened does
    neither.
    """
    own = state.menu.spelling if state.menu else None
    return own if own and hold and not hold.passed and hold.press.t_ns >= own.since_ns else None


def _spike(state: State, spiked: Spiked) -> Step:
    """Report that the button is up, for phases that wait until no button is down.

    A burst that was too short for a press gives no other signal.
    """
    return dispatch(state, Freed(spiked.station))


def _thresholds(state: State, hold: Hold) -> tuple[int, ...]:
    """Return when this press becomes a hold and a long hold; empty if the phase ignores holds."""
    if hold.press.station == KNOB:
        if spells(state, replace(hold, passed=0)):
            return (hold.press.t_ns + state.table.setup.hold_ns,)
        hold_ns = state.table.setup.hold_ns if state.phase.slow_knob else KNOB_HOLD_NS
        return (hold.press.t_ns + hold_ns,) if hears(state, KnobHeld) else ()
    if not hears(state, Held):
        return ()
    return (hold.press.t_ns + state.table.setup.hold_ns, hold.press.t_ns + LONG_HOLD_NS)


def _held_long_enough(state: State) -> Step:
    """Handle all gestures that become a hold or a long hold now.

    All are marked as holds before the first is handled: a handler must know when two buttons are held at once.
    """
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
            step = _then(step, spelling.end_spelling, own)
        elif press.station == KNOB:
            step = _then(step, dispatch, KnobHeld(press.t_ns))
        else:
            step = _then(step, dispatch, Held(press.station, press.t_ns, n > 0))
    return step


# -- the knob ------------------------------------------------------------------------------------------------------


def _knob_pushed(state: State, pushed: KnobPushed) -> Step:
    state = _menu_closed(state)
    menu = shown_menu(state)
    if menu is not None and menu.spelling is not None:
        return stay(state)  # tap or hold: that is known only at the release
    if menu is not None:
        if menu.asked_at_ns is not None and pushed.t_ns < menu.asked_at_ns + GUARD_NS:
            return stay(blink(state))  # it was meant for the screen before
        chosen = menu.values[menu.value] if menu.values else menu.items[menu.cursor]
        if isinstance(chosen.action, Back) and menu.path and not menu.code:
            return stay(one_up(state, menu))
        step = act(state, chosen.action)
        return replace(step, state=_placed(step.state, menu, chosen))
    if hears(state, KnobPushed) and state.phase.takes_push():
        return dispatch(state, pushed)
    items = menu_items(state)
    return stay(open_list(state, items) if len(items) > 1 and not hears(state, KnobHeld) else state)


def _placed(state: State, before: Menu, chosen: MenuLine) -> State:
    """Title a submenu with the text of the line that opened it, and add that line to its path.

    While the knob chooses a line's value, the menu, its title and its path stay the same.
    """
    menu = state.menu
    if menu is None:
        return state
    if menu.values or (before.values and menu.title in (None, before.title)):
        return replace(state, menu=replace(menu, title=menu.title or before.title, path=before.path))
    title = chosen.text if menu.title is None else menu.title
    return replace(state, menu=replace(menu, title=title, path=(*before.path, chosen)))


def one_up(state: State, menu: Menu) -> State:
    """Build and open the list one level up, with the cursor at the line that opened this level."""
    *above, pushed = menu.path
    up = act(state, above[-1].action).state if above else replace(state, menu=shown_menu(replace(state, menu=None)))
    if up.menu is None:
        up = open_list(up, menu_items(up))
    assert up.menu is not None
    alike = [n for n, line in enumerate(up.menu.items) if type(line.action) is type(pushed.action)]
    at = up.menu.items.index(pushed) if pushed in up.menu.items else next(iter(alike), 0)
    title = up.menu.title or (above[-1].text if above else None)
    return replace(up, menu=replace(up.menu, cursor=at, title=title, path=tuple(above)))


def shown_menu(state: State) -> Menu | None:
    """Return the open menu, None if it is closed. A `Listed` phase's menu is always open."""
    if state.menu is None and isinstance(state.phase, Listed):
        return Menu(menu_items(state))
    return state.menu


def menu_items(state: State) -> tuple[MenuLine, ...]:
    """Return the lines of the phase's menu: as many as fit, the others under More, then Back.

    Undo and Redo are next to the first line; while a hand runs they are under More.
    """
    rows, in_hand = lines(game_of(state.table), type(state.phase)), past.in_hand(state.phase)
    undo = shown_lines(state, (row for row in rows if row.place is MenuPlace.PAST and not in_hand))
    top = harmless_first(shown_lines(state, (row for row in rows if row.place.value < MenuPlace.MORE.value)), undo)
    under = [row for row in rows if row.place.value >= MenuPlace.MORE.value]
    rest = shown_lines(state, (row for row in under if row.place is not MenuPlace.PAST or in_hand))
    back = () if isinstance(state.phase, Listed) else (BACK,)
    room = MOST_LINES - len(back)
    here = top[: room - 1] if rest or len(top) > room else top
    rest = (*top[len(here) :], *rest)
    return (*here, *([more_line((*harmless_first(rest), BACK))] if rest else ()), *back)


def harmless_first(shown: tuple[MenuLine, ...], undo: tuple[MenuLine, ...] = ()) -> tuple[MenuLine, ...]:
    """Return the menu lines in order: a harmless line, Undo, another harmless line, the others.

    The knob's cursor begins at the first line, so an accidental push or a double push does no damage.
    """
    calm = [line for line in shown if not line.action.upsets][:2]
    upsetting = shown if calm else shown[::-1]  # without a harmless line the cursor starts at Back, next to Undo
    return (*calm[:1], *undo, *calm[1:], *(line for line in upsetting if line not in calm))


def act(state: State, action: MenuAction) -> Step:
    """Run the action of a menu line."""
    state = replace(state, menu=None)
    return stay(open_list(state, action.lines)) if isinstance(action, More) else dispatch(state, action)


# -- decisions -----------------------------------------------------------------------------------------------------


def _decision(state: State, event: Decision) -> Step:
    """Apply a decision, and keep the state before it so that the decision can be undone.

    If the phase has no transition row for this decision, ignore the decision.
    """
    before = state
    state = replace(state, now_ns=max(state.now_ns, event.at_ns), seq=state.seq + 1)
    if not hears(state, type(event)):
        return stay(state)
    step = dispatch(state, event)
    if isinstance(event, Undone | Redone):
        return step
    return replace(step, state=past.remember(step.state, before, event))


_ByKind = dict[type, Callable[[State, Any], Step]]  # Any: an event of the key's type
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
    Offered: _take_offer,
    RowsKnown: _take_proof,
    **dict.fromkeys(PHONE_FACTS, _take_phone),
    Resumed: _resume,
    Opened: _begin_at,
    **dict.fromkeys(DECISIONS, _decision),
}


# -- time ----------------------------------------------------------------------------------------------------------


def deadline(state: State) -> int | None:
    """Return when the core must be called next, None if there is no deadline."""
    dues = [
        certain_at_ns(contact, due, state.table.lag_ns(contact.station))
        for contact in state.contacts
        if (due := next_ns(contact)) is not None
    ]
    others = (state.phase.due_ns(state.contacts), state.menu.closes_at_ns if state.menu else None)
    dues += [due for due in others if due is not None]
    for hold in state.holds:
        dues += _thresholds(state, hold)[hold.passed :][:1]
    return min(dues, default=None)


def idle(before: State, step: Step) -> bool:
    """Return whether a `Tick` changed nothing and so is due again, which is a program error."""
    after = step.state
    moved = after.phase is not before.phase or after.holds is not before.holds or after.menu is not before.menu
    return not (moved or step.decisions or after.contacts != before.contacts)
