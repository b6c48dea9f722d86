"""Small steps that several phases take."""

from __future__ import annotations

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import Cue, Decision
from referee.core.model.labels import Times
from referee.core.model.lamps import WINK_NS, wink_ends_ns
from referee.core.model.menu import Back, Menu, MenuLine
from referee.core.model.phase import GUARD_NS, Phase
from referee.core.model.state import State, Step, Toast, Wink, down
from referee.core.presses.signals import Mode
from referee.core.units import S
from referee.core.values import replace

BACK = MenuLine(Back(), msg("item.back"))
TOAST_NS = 2 * S
MENU_NS = 20 * S
"""A list that nobody touches closes by itself."""
READING_NS = 60 * S
"""So does a page that is being read."""
NOTE_NS = 4 * S
"""How long a display shows one of several lines before the next."""
LYING_NS = 10 * S
"""Who is down for so long is not pressing: something lies on the button, or it is broken."""


def stay(state: State) -> Step:
    """The state as it is: nothing happens, which is how whatever has no meaning is refused."""
    return Step(state)


def to(state: State, phase: Phase, *cues: Cue) -> Step:
    """Into another phase; the menu closes."""
    return Step(replace(state, phase=phase, menu=None), cues)


def within(state: State, phase: Phase, *cues: Cue) -> Step:
    """The same phase with another content; the menu stays."""
    return Step(replace(state, phase=phase), cues)


def decide(state: State, *decisions: Decision) -> Step:
    """The step whose decisions the Engine appends next."""
    return Step(state, (), decisions)


def refuse(state: State, why: Msg) -> Step:
    """The state with that said and the sound of a refusal."""
    return Step(toast(state, why), (Cue("refused", state.now_ns),))


def too_few(state: State) -> Step:
    """Refuse: less than two teams cannot play."""
    return refuse(state, msg("toast.two_teams"))


def at_the_knob(state: State) -> bool:
    """Whether a list is open, so that somebody may be choosing from it; the code for phones is no list."""
    closes_at_ns = state.menu.closes_at_ns if state.menu and not state.menu.phones else None
    return closes_at_ns is not None and closes_at_ns > state.now_ns


def asks_at_ns(state: State) -> int:
    """When a question put now counts as asked: answers are heard after the guard, and not before a lockout's end."""
    return max(state.now_ns, state.phase.locked_until_ns() - GUARD_NS)


def toast(state: State, text: Msg) -> State:
    """The state with a short answer on the screen."""
    return replace(state, toast=Toast(text, state.now_ns + TOAST_NS))


def blink(state: State) -> State:
    """The state with its question blinking once; like a lamp's winks, never more than three times a second."""
    now, last_ns = state.now_ns, state.blinked_at_ns
    return state if last_ns is not None and now < last_ns + WINK_NS else replace(state, blinked_at_ns=now)


def wink(state: State, station: str, times: int) -> State:
    """The state with that lamp winking; what has winked out is forgotten. A tap that comes too soon merges."""
    now = state.now_ns
    going = tuple(w for w in state.winks if wink_ends_ns(w) > now)
    last = next((w for w in going if w.station == station), None)
    fresh = Wink(station, now, times, follows=last is not None)
    if last is not None and now < last.at_ns + last.times * WINK_NS:
        after = replace(fresh, at_ns=last.at_ns + last.times * WINK_NS)
        fresh = replace(last, merged=last.merged + 1) if times == 1 else after
    return replace(state, winks=(*(w for w in going if w is not last), fresh))


def open_list(
    state: State,
    items: tuple[MenuLine, ...],
    title: Part | None = None,
    *,
    cursor: int = 0,
    values: tuple[MenuLine, ...] = (),
    value: int = 0,
    for_ns: int = MENU_NS,
    sources: tuple[tuple[Msg, ...], ...] = (),
    asked: bool = False,
) -> State:
    """The state with the knob's list open, or with the value at its cursor; `for_ns`: until it closes untouched.

    sources: the lines are pages of an answer, and these say so. asked: nobody has pushed for it, the device asks.
    """
    asked_at_ns = state.now_ns if asked else None
    closes_at_ns = state.now_ns + for_ns
    menu = Menu(items, cursor, closes_at_ns, title, values, value, sources=sources, asked_at_ns=asked_at_ns)
    return replace(state, menu=menu)


def in_turn(count: int, begun_ns: int, now_ns: int, times: Times) -> int:
    """Which of so many lines is on display, each for `NOTE_NS`; `times` is given when the next one comes."""
    if count < 2:
        return 0
    turns = max(now_ns - begun_ns, 0) // NOTE_NS
    times.append(begun_ns + (turns + 1) * NOTE_NS)
    return turns % count


def held_down(state: State, now_ns: int, times: Times) -> tuple[str, ...]:
    """Stations whose button is down though no gesture is going on: down since the start, or for very long.

    A contact that has only just closed is no press yet, and nothing is wrong with it.
    """
    going = {hold.press.station: hold.press.t_ns for hold in state.holds}
    begun = {contact.station for contact in state.contacts if contact.mode is Mode.BURST}
    found = []
    for station in (s for s in down(state) if s not in begun):
        since = going.get(station)
        if since is None or now_ns >= since + LYING_NS:
            found.append(station)
        else:
            times.append(since + LYING_NS)
    return tuple(found)


def return_to(state: State, phase: Phase, inner: Phase) -> Phase:
    """The phase that waited in `phase`, as it goes on now."""
    return inner.after_waiting(phase.asked_at_ns, state.now_ns)
