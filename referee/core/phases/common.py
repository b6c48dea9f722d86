"""Small steps that several phases use, such as showing a message or opening a list.

docs/glossary.md explains the terms of calls, such as tie window and lockout.
"""

from __future__ import annotations

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import Cue, Decision
from referee.core.model.lamps import WINK_NS, Times, Wink, wink_ends_ns
from referee.core.model.menu import MOST_LINES, Back, Menu, MenuLine, More
from referee.core.model.state import GUARD_NS, Phase, State, Step, Toast, down
from referee.core.presses.signals import Mode
from referee.core.units import S
from referee.core.values import replace

BACK = MenuLine(Back(), msg("item.back"))
TOAST_NS = 2 * S
MENU_NS = 20 * S
"""Time in ns after which a list closes if the knob is not used."""
ARGUE_NS = 60 * S
"""Time in ns after its last input for which a list about a call or a count, or a correction, stays open."""
READING_NS = 60 * S
"""Time in ns after which a page of text closes if the knob is not used."""
NOTE_NS = 4 * S
"""Time in ns for which each line is shown, where several lines share one place."""
LYING_NS = 10 * S
"""A button down for this long (ns) is treated as blocked or broken, not as pressed."""
LET_GO_NS = 1 * S
"""Time in ns after which a player is asked to let go, if the table waits only for that."""


def stay(state: State) -> Step:
    """Return a step that leads to `state`, without sounds and decisions."""
    return Step(state)


def to(state: State, phase: Phase, *cues: Cue) -> Step:
    """Return the step that enters `phase` and closes the menu."""
    return Step(replace(state, phase=phase, menu=None), cues)


def within(state: State, phase: Phase, *cues: Cue) -> Step:
    """Return the step that updates the present phase's content and keeps the menu open."""
    return Step(replace(state, phase=phase), cues)


def decide(state: State, *decisions: Decision) -> Step:
    """Return a step with these decisions. The Engine applies them as the next events."""
    return Step(state, (), decisions)


def refuse(state: State, why: Msg) -> Step:
    """Refuse an action: show `why` and play the refusal sound."""
    return Step(toast(state, why), (Cue("refused", state.now_ns),))


def too_few(state: State) -> Step:
    """Refuse because fewer than two teams would play."""
    return refuse(state, msg("toast.two_teams"))


def at_the_knob(state: State) -> bool:
    """Return whether the knob has a list open. A QR code does not count."""
    closes_at_ns = state.menu.closes_at_ns if state.menu and not state.menu.code else None
    return closes_at_ns is not None and closes_at_ns > state.now_ns


def list_ns(phase: Phase) -> int:
    """Return how long a list of this phase stays open without input, in ns."""
    return ARGUE_NS if phase.argued else MENU_NS


def asks_at_ns(state: State) -> int:
    """Return the time to use as `asked_at_ns` of a question that is asked now.

    With this time, answers count only after the question's guard time and after a call's lockout.
    """
    return max(state.now_ns, state.phase.locked_until_ns() - GUARD_NS)


def toast(state: State, text: Msg) -> State:
    """Show a short message on the screen."""
    return replace(state, toast=Toast(text, state.now_ns + TOAST_NS))


def blink(state: State) -> State:
    """Blink the question on the screen once, to show that an answer came too early.

    It blinks at most three times a second.
    """
    now, last_ns = state.now_ns, state.blinked_at_ns
    return state if last_ns is not None and now < last_ns + WINK_NS else replace(state, blinked_at_ns=now)


def wink(state: State, station: str, times: int) -> State:
    """Make a lamp blink briefly (`times` flashes) and drop the winks that have ended.

    If the lamp's last wink is still flashing, a new wink of one flash is left out: `merged` of the last wink counts
    the new one. A new wink of two flashes waits for the end of the last one.
    """
    now = state.now_ns
    going = tuple(w for w in state.winks if wink_ends_ns(w) > now)
    last = next((w for w in going if w.station == station), None)
    fresh = Wink(station, now, times, follows=last is not None)
    if last is not None and now < last.at_ns + last.times * WINK_NS:
        after = replace(fresh, at_ns=last.at_ns + last.times * WINK_NS)
        fresh = replace(last, merged=last.merged + 1) if times == 1 else after
    return replace(state, winks=(*(w for w in going if w is not last), fresh))


def more_line(lines: tuple[MenuLine, ...]) -> MenuLine:
    """Return the menu line "More", which lists these lines."""
    return MenuLine(More(lines), msg("item.more"))


def open_list(
    state: State,
    items: tuple[MenuLine, ...],
    title: Part | None = None,
    *,
    cursor: int = 0,
    values: tuple[MenuLine, ...] = (),
    value: int = 0,
    for_ns: int | None = None,
    sources: tuple[tuple[Msg, ...], ...] = (),
    asked: bool = False,
) -> State:
    """Open a list at the knob. With `values`, let the knob change a value of the cursor's line.

    Lines for which the list has no room are under More. The cursor begins at a line whose action has `upsets` False.

    for_ns: time in ns after which the list closes if it is not used; None: the phase's own. sources: see `Menu`.
    asked: whether the device opens the list without a push of the knob.
    """
    asked_at_ns = state.now_ns if asked else None
    closes_at_ns, room = state.now_ns + (for_ns or list_ns(state.phase)), MOST_LINES - 2
    while len(items) > MOST_LINES and not sources:
        if cursor < room:
            items = (*items[:room], more_line(items[room:]), BACK)
        else:
            items, cursor = items[room:], cursor - room
    if items and not values and items[cursor].action.upsets:
        cursor = next(n for n, line in enumerate(items) if not line.action.upsets)
    menu = Menu(items, cursor, closes_at_ns, title, values, value, sources=sources, asked_at_ns=asked_at_ns)
    return replace(state, menu=menu)


def in_turn(count: int, begun_ns: int, now_ns: int, times: Times) -> int:
    """Return which of `count` lines is on display. They take turns, each for `NOTE_NS`.

    times: a list to which this function appends the instant of the next change.
    """
    if count < 2:
        return 0
    turns = max(now_ns - begun_ns, 0) // NOTE_NS
    times.append(begun_ns + (turns + 1) * NOTE_NS)
    return turns % count


def held_down(state: State, now_ns: int, times: Times, after_ns: int = LYING_NS) -> tuple[str, ...]:
    """Return the stations whose button has been down since start-up, or for `after_ns`.

    A contact that has only just closed is still bouncing and is left out.
    """
    going = {hold.press.station: hold.press.t_ns for hold in state.holds}
    begun = {contact.station for contact in state.contacts if contact.mode is Mode.BURST}
    found = []
    for station in (s for s in down(state) if s not in begun):
        since = going.get(station)
        if since is None or now_ns >= since + after_ns:
            found.append(station)
        else:
            times.append(since + after_ns)
    return tuple(found)


def return_to(state: State, phase: Phase, inner: Phase) -> Phase:
    """Return the phase `inner`, its deadlines shifted by the time for which `phase` covered it."""
    return inner.after_waiting(phase.asked_at_ns, state.now_ns)
