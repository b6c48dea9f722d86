"""The grammar of lamps and presses, as an oracle.

`agree` presses a button of a copy of the table and compares the result with what the lamp promised. A dark lamp during
a hand: the press is the call. A blinking lamp: the press answers. A steady lamp: the answer is given, or it is your
turn. A second copy without the press shows what time alone changes.

`faults` checks a whole evening's rows for what must never happen: a press that answers a question less than 0.7 s after
it appeared (2 s after a call), a press during play that is no call, a call from a press that was none, a score or a
count that changes by itself, a clock that loses or gains play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from referee.core.games.nertz.stuck import CallNow, Searching
from referee.core.match.advance import advance
from referee.core.match.engine import Engine, EngineOutput, JournalRow
from referee.core.match.transition_table import rows
from referee.core.match.viewer import view
from referee.core.model.events import Decision, Ended, Event, Opened, Redone, Resumed, Ruled, Sealed, Turned, Undone
from referee.core.model.lamps import WINK_NS, Wink
from referee.core.model.registry import all_games, game_of
from referee.core.model.state import State
from referee.core.model.table import Setup, seats_of
from referee.core.model.transitions import PileGame
from referee.core.model.view import View
from referee.core.phases.call import Called
from referee.core.phases.counting import Counting
from referee.core.phases.lobby import new_state
from referee.core.phases.race import Race
from referee.core.phases.verdict import Judged
from referee.core.presses.signals import KNOB, Edge, Mode
from referee.core.units import MS, S
from referee.core.values import Value, replace

GUARD_NS = 700 * MS
LOCKOUT_NS = 2 * S
HOLD_NS = 900 * MS
TAP_NS = 100 * MS
RELEASE_NS = 50 * MS
ASKING = frozenset(phase.name for game in all_games() for phase, _ in rows(game) if phase.guarded)
"""Phases whose lamps may ask. In them, a press before answers count answers nothing."""
HOLD_MEANS = ("COUNTING", "FIXING", "VOTE", "SEARCH", "VERDICT")
BLINKING = ("slow", "double")


# -- the effect of a press -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tried:
    """A press on a copy of the table: the table before, after and without it, and its decisions."""

    station: str
    press_ns: int
    hold: bool
    before: State
    view: View
    after: State
    without: State
    rows: tuple[JournalRow, ...]

    @property
    def pattern(self) -> str:
        """Return the lamp's pattern when the button went down."""
        return next(lamp.pattern for lamp in self.view.lamps if lamp.station == self.station)

    @property
    def ends_ns(self) -> int:
        return self.press_ns + (HOLD_NS if self.hold else TAP_NS) + RELEASE_NS

    @property
    def winks(self) -> tuple[Wink, ...]:
        """Return the lamp's winks for this press."""
        return tuple(w for w in self.after.winks if w.station == self.station and w.at_ns >= self.press_ns)

    @property
    def changed(self) -> bool:
        """Return whether the press has changed anything but times, toasts and winks."""
        return meaning(self.after) != meaning(self.without)


def meaning(state: State) -> object:
    """Return the phase without its instants, and everything that lasts."""
    numbered = replace(state.table, stories=(), begun=0, match="")  # a press has its own numbers
    return timeless(state.phase), numbered


def timeless(value: object) -> object:
    """Return the value without its instants and the edges of the photo finish."""
    kind: Any = type(value)
    kept = _kept(kind)
    if kept is not None:
        return type(value).__name__, *((name, timeless(getattr(value, name))) for name in kept)
    return tuple(timeless(item) for item in value) if isinstance(value, tuple) else value


@cache
def _kept(kind: Any) -> tuple[str, ...] | None:
    """Return the fields that are neither instants nor evidence; None for a value without fields."""
    if not issubclass(kind, Value):
        return None
    return tuple(name for name in kind.__struct_fields__ if not name.endswith("_at_ns") and name != "evidence")


def copied(engine: Engine) -> Engine:
    """Return a copy of the Engine with separate rows and cues."""
    twin = copy(engine)
    twin._out = EngineOutput()
    return twin


def tried(engine: Engine, now_ns: int, station: str, *, hold: bool) -> Tried:
    """Return the result of a tap or a hold of that button now, on a copy."""
    press_ns = now_ns + 1
    twin = copied(engine)
    twin.intake([], now_ns)
    before, seen = twin.state, twin.view(press_ns)
    control = copied(twin)
    twin.take()
    ends_ns = press_ns + (HOLD_NS if hold else TAP_NS)
    twin.intake([Edge(station, True, press_ns), Edge(station, False, ends_ns)], ends_ns + RELEASE_NS)
    control.intake([], ends_ns + RELEASE_NS)
    return Tried(station, press_ns, hold, before, seen, twin.state, control.state, (*twin.take().rows,))


def agree(engine: Engine, now_ns: int, station: str, *, hold: bool = False) -> str | None:
    """Return the clause of the grammar that held for this press, or None without a clause.

    Raises AssertionError if the lamp promised something else.
    """
    contact = next(c for c in engine.state.contacts if c.station == station)
    if contact.closed or contact.down or contact.mode is Mode.BURST:
        return None
    case = tried(engine, now_ns, station, hold=hold)
    clause = promised(engine, case)
    if clause is not None and not _HELD[clause](case):
        raise AssertionError(
            f"{case.view.phase}, seat {station} {case.pattern}, {'hold' if hold else 'tap'}: not {clause!r}, but "
            f"{case.after.phase.name} with {len(case.winks)} winks and {'' if case.changed else 'no '}change"
        )
    return clause


def promised(engine: Engine, case: Tried) -> str | None:
    """Return what the lamp promises about the press."""
    phase, pattern = case.view.phase, case.pattern
    playing = case.station in hand_of(case.before)
    if phase in ("PLAYING", "STUCK"):
        assert not playing or pattern in ("dark", "beat", "wink"), f"a lamp is {pattern} while a press is the call"
        return "call" if playing else "nothing"
    if pattern in BLINKING:
        assert not has_answered(case.before, case.station), (
            f"a lamp is {pattern} in {phase} though its seat has answered"
        )
        return "call" if phase == "CALLED" else "answer"  # where all press, the lamps of the others blink
    if pattern == "dark" and phase == "VERDICT":
        return "listed" if playing else "nothing"  # what is asked of all is asked after the lockout
    if pattern == "dark" and asks_soon(engine, case.press_ns, case.station):
        return "call" if phase == "SEARCH" else "too soon"
    if pattern == "beat":
        beaten = phase == "BURNING" or case.press_ns >= case.before.phase.beats_at_ns[0]  # type: ignore[attr-defined]
        return "stop" if beaten else "answered"
    if pattern in ("all_on", "pulse3", "alternate") or (pattern == "steady" and phase == "VERDICT"):
        return "listed"
    return {"steady": "answered", "dark": "nothing"}.get(pattern)


def asks_soon(engine: Engine, now_ns: int, station: str) -> bool:
    """Return whether that dark lamp will begin to blink by time alone, apart from winks."""
    state = replace(engine.state, winks=())
    at = state.table.setup.stations.index(station)
    return view(state, now_ns + LOCKOUT_NS).lamps[at].pattern in BLINKING


def has_answered(state: State, station: str) -> bool:
    """Return whether that seat, or its team, has answered the open question."""
    team, phase = state.table.team_of(station), state.phase
    told = dict((*getattr(phase, "votes", ()), *getattr(phase, "answers", ())))
    return station in getattr(phase, "ready", ()) or (team is not None and team.id in told)


def hand_of(state: State) -> tuple[str, ...]:
    """Return the stations that play the hand."""
    play = getattr(state.phase, "play", None) or state.phase
    return tuple(seats_of(state.table, getattr(play, "playing", ())))


def _is_call(case: Tried) -> bool:
    if isinstance(case.after.phase, Called):
        return any((p.station, p.t_ns) == (case.station, case.press_ns) for p in case.after.phase.armed.presses)
    verdicts = [event.verdict for _, event in case.rows if isinstance(event, Ruled)]
    return any((p.station, p.t_ns) == (case.station, case.press_ns) for v in verdicts for p in v.presses)


def _is_listed(case: Tried) -> bool:
    """Return whether the press is listed, if it is within the lockout and of the same boot."""
    if case.without.phase.name != case.view.phase and case.view.phase != "CALLED":
        return True  # the screen changed at this very moment
    if case.station not in hand_of(case.before):
        return not case.changed
    if isinstance(case.after.phase, Called):
        return _is_call(case)  # where all press, the verdict waits for the last one
    judged = getattr(case.after.phase, "inner", None) or case.after.phase
    if not isinstance(judged, Judged) or judged.verdict is None:
        return False
    verdict = judged.verdict
    told = (*verdict.presses, *verdict.ignored, *(late for late, _ in verdict.late))
    kept = getattr(case.without.phase, "verdict", verdict)
    if case.view.phase != "CALLED" and verdict.callers != kept.callers:
        return False
    over = case.press_ns >= verdict.deadline_ns + LOCKOUT_NS or judged.boot != case.after.boot
    return over or any((p.station, p.t_ns) == (case.station, case.press_ns) for p in told)


def _is_answer(case: Tried) -> bool:
    """Return whether there is one wink, or two for a hold with another meaning than a tap."""
    if case.view.phase == "CHECK":
        return case.changed
    held = case.hold and (
        case.view.phase in HOLD_MEANS or _refused(case) or _takes_reserve(case) or _counts_again(case)
    )
    return [w.times for w in case.winks] == [2 if held else 1]


def _counts_again(case: Tried) -> bool:
    """Return whether the press reopened the count just sealed."""
    return case.view.phase in ("READY", "OVER") and case.after.phase.name == "COUNTING"


def _refused(case: Tried) -> bool:
    """Return whether one team's no, by a hold, is enough."""
    return case.view.phase == "AGREEMENT" and game_of(case.before.table).refusable(case.before.table) is not None


def _takes_reserve(case: Tried) -> bool:
    """Return whether one of a pair takes the reserve by a hold at READY."""
    team = case.before.table.team_of(case.station)
    game = game_of(case.before.table)
    if team is None or not isinstance(game, PileGame):
        return False
    return case.view.phase == "READY" and game.free_to_hold(case.before.table, team)


def _is_too_soon(case: Tried) -> bool:
    """Return whether the press answered nothing and blinked the question."""
    blinked_ns = case.after.blinked_at_ns
    seen = blinked_ns is not None and blinked_ns > case.press_ns - WINK_NS
    return _stops_too(case) or (not case.winks and not case.changed and (seen))


def _stops_too(case: Tried) -> bool:
    """Return whether the press, soon after another one stopped a start, stopped it, too."""
    early = case.press_ns < case.before.phase.asked_at_ns + GUARD_NS
    return early and case.station in getattr(case.after.phase, "stoppers", ())


def _is_answered(case: Tried) -> bool:
    """Return whether the press took nothing back.

    A team may vote again, reopen its count, or find a play.
    """
    phase = case.view.phase
    if phase == "CHECK":
        return case.station in getattr(case.after.phase, "pressed", (case.station,))
    if case.hold and (_takes_reserve(case) or _counts_again(case)) and case.changed:
        return [w.times for w in case.winks] == [2]
    if phase == "VOTE" or (case.hold and (phase in ("COUNTING", "SEARCH") or _refused(case))):
        early = case.press_ns < case.before.phase.asked_at_ns + GUARD_NS
        return early or case.without.phase.name != phase or [w.times for w in case.winks] == [2 if case.hold else 1]
    keeps_go_back = phase == "STARTING" and case.before.phase.due_ns(()) <= case.ends_ns  # type: ignore[operator]
    return not case.changed or keeps_go_back or (case.hold and phase == "LOBBY")


def _is_nothing(case: Tried) -> bool:
    """Return whether the press did nothing. A bystander's press at READY may ask to join."""
    return (
        not case.changed
        or _stops_too(case)
        or (case.view.phase == "READY" and case.station not in hand_of(case.before))
    )


def _is_stop(case: Tried) -> bool:
    return case.after.phase.name in ("STOPPED", "TIMEOUT")


_HELD = {
    "call": _is_call,
    "listed": _is_listed,
    "answer": _is_answer,
    "too soon": _is_too_soon,
    "answered": _is_answered,
    "nothing": _is_nothing,
    "stop": _is_stop,
}
CLAUSES = frozenset(_HELD)


# -- what must never happen ----------------------------------------------------------------------------------------


@dataclass
class Story:
    """The state that a reader of the rows keeps."""

    state: State
    appeared_ns: int = 0
    """When the present question appeared."""
    called_ns: int = -(10**18)
    """When the press that began the last call was made."""
    raced: list[tuple[int, int]] = field(default_factory=list)
    """The spans in which a press was the call, since the hand began."""
    played_ns: int | None = 0
    """The hand's play time. None after an undo of it."""
    went_ns: int | None = None


def faults(rows: Sequence[JournalRow]) -> list[str]:
    """Return the faults of an evening, a sentence each."""
    opened = rows[0][1]
    assert isinstance(opened, Opened)
    first = new_state(Setup.from_document(opened.setup), opened.at_ns, opened.boot, opened.closed, rows[0][0] - 1)
    story, found = Story(first), list[str]()
    for seq, event in rows:
        before, after = story.state, advance(story.state, event).state
        found += [f"row {seq}: {sentence}" for sentence in _seen(story, before, event, after)]
        _kept_in_mind(story, before, event, after)
    return found


def _seen(story: Story, before: State, event: Event, after: State) -> Iterator[str]:
    if isinstance(event, Opened | Resumed):
        return
    yield from _early_answers(story, before, after)
    yield from _silent_changes(before, event, after)
    yield from _lost_calls(before, after)
    yield from _made_up_calls(story, before, after)
    yield from _scores(before, event, after)
    if isinstance(after.phase, Race) and not isinstance(before.phase, Race):
        yield from _clock(story, after.phase)


def _new_winks(before: State, after: State) -> list[Wink]:
    return [w for w in after.winks if w not in before.winks]


def _press_ns(before: State, after: State, station: str) -> int:
    """Return when the current gesture began.

    A second touch before the first release is another press.
    """
    for confirmed, at_ns in _confirmed(before, after):
        if confirmed == station:
            return at_ns
    return next(h.press.t_ns for h in (*after.holds, *before.holds) if h.press.station == station)


def _early_answers(story: Story, before: State, after: State) -> Iterator[str]:
    if before.phase.name not in (*ASKING, "VERDICT"):
        return
    for winked in _new_winks(before, after):
        began = _press_ns(before, after, winked.station)
        if began < story.appeared_ns + GUARD_NS:
            early_ns = began - story.appeared_ns
            yield f"{before.phase.name}: seat {winked.station} answered {early_ns} ns after the question appeared"
        if began < story.called_ns + LOCKOUT_NS:
            yield f"{before.phase.name}: seat {winked.station} answered {began - story.called_ns} ns after the call"


def _silent_changes(before: State, event: Event, after: State) -> Iterator[str]:
    """Yield changes by a button that its lamp does not show."""
    asked = before.phase.name in ASKING and type(before.phase) is type(after.phase)
    if not asked or not isinstance(event, Edge) or event.station == KNOB:
        return
    same = before.phase is after.phase and before.table is after.table
    if same or meaning(before) == meaning(after):
        return
    also_stops = before.phase.name == "STOPPED" and event.station in getattr(after.phase, "stoppers", ())
    offered = getattr(after.phase, "newcomer", None) != getattr(before.phase, "newcomer", None)
    if not _new_winks(before, after) and not also_stops and not offered:
        yield f"{before.phase.name}: a button changed something, and no lamp told"


def _confirmed(before: State, after: State) -> Iterator[tuple[str, int]]:
    """Yield the presses that became certain between the two states: station, start."""
    for old, new in zip(before.contacts, after.contacts, strict=True):
        if old.mode is Mode.BURST and new.mode is Mode.SPENT and old.start is not None and new.station != KNOB:
            yield new.station, old.start.t_ns


def _race(state: State) -> tuple[int, int] | None:
    """Return the span in which a press is the call, from the phase alone."""
    phase = state.phase
    if isinstance(phase, Race):
        return phase.armed_at_ns + 1, 2**63
    if isinstance(phase, CallNow):
        return phase.asked_at_ns, 2**63
    return (phase.asked_at_ns, phase.asked_at_ns + GUARD_NS) if isinstance(phase, Searching) else None


def _lost_calls(before: State, after: State) -> Iterator[str]:
    race = _race(before)
    for station, at_ns in _confirmed(before, after):
        if race is None or station not in hand_of(before) or not race[0] <= at_ns < race[1]:
            continue
        armed = after.phase.armed if isinstance(after.phase, Called) else None
        if armed is None or (station, at_ns) not in {(p.station, p.t_ns) for p in armed.presses}:
            yield f"{before.phase.name}: the press of seat {station} at {at_ns} was no call"


def _made_up_calls(story: Story, before: State, after: State) -> Iterator[str]:
    if not isinstance(after.phase, Called) or isinstance(before.phase, Called):
        return
    spans = story.raced + [race for race in (_race(before),) if race]
    for press in after.phase.armed.presses:
        if not any(begin <= press.t_ns < end for begin, end in spans):
            yield f"{before.phase.name}: a call out of a press of seat {press.station} that was none"


def _scores(before: State, event: Event, after: State) -> Iterator[str]:
    """Yield changes of hands and counts without a decision, the team's button or the knob."""
    if isinstance(event, Sealed | Ended) and after.table.hands[: len(before.table.hands)] != before.table.hands:
        yield "an earlier hand was lost"
    if isinstance(event, Decision):
        return
    if after.table.hands != before.table.hands:
        yield f"{type(event).__name__} changed the hands that were played"
    if isinstance(before.phase, Counting) and isinstance(after.phase, Counting):
        winked = {w.station for w in _new_winks(before, after)}
        for old, new in zip(before.phase.counts, after.phase.counts, strict=True):
            mine = {s for team in after.table.teams if team.id == new.team for s in team.stations}
            turned = isinstance(event, Turned) and before.phase.knob == new.team
            turned |= before.menu is not None and after.menu is not before.menu  # a line takes the last tap back
            if old.values != new.values and not (winked & mine or turned) and not isinstance(event, Edge | Sealed):
                yield f"the count of team {new.team} went from {old.values} to {new.values} by itself"
            if old.values != new.values and isinstance(event, Edge) and event.station not in (*mine, KNOB):
                yield f"the count of team {new.team} was changed by seat {event.station}"
            if winked & mine and not _one_more(old.values, new.values):
                yield f"one gesture took the count of team {new.team} from {old.values} to {new.values}"


def _one_more(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Return whether at most one field was raised by one, or wrapped."""
    changed = [(before, now) for before, now in zip(old, new, strict=True) if before != now]
    return not changed or (len(changed) == 1 and changed[0][1] in (changed[0][0] + 1, 0))


def _clock(story: Story, phase: Race) -> Iterator[str]:
    if phase.resumed and story.played_ns is not None and abs(phase.played_ns - story.played_ns) > 50 * MS:
        yield f"the hand's clock says {phase.played_ns} ns, played were {story.played_ns} ns"


def _kept_in_mind(story: Story, before: State, event: Event, after: State) -> None:
    story.state = after
    if isinstance(event, Ruled):
        story.called_ns = min(press.t_ns for press in event.verdict.presses)
    if isinstance(event, Resumed) or after.phase.name == "POWER_BACK":  # its presses were of another boot
        story.called_ns = -(10**18)
    fresh = type(before.phase) is not type(after.phase) or isinstance(event, Undone | Redone | Resumed)
    if not fresh:
        return
    own = isinstance(event, Undone) and event.recounts  # the button that reopens its count goes on at once
    story.appeared_ns = after.now_ns - GUARD_NS if own else after.now_ns
    race, way = _race(before), (before.phase.name, after.phase.name)
    goes_on = race is not None and way in (("PLAYING", "TIMEOUT"), ("STUCK", "SEARCH"))
    story.raced = [(race[0], min(race[1], after.now_ns))] if race is not None and goes_on else []
    if isinstance(event, Undone | Redone):
        story.played_ns, story.raced = None, []
    if isinstance(before.phase, Race) and story.played_ns is not None and story.went_ns is not None:
        ended_ns = before.now_ns if isinstance(event, Resumed) else after.now_ns
        story.played_ns += max(ended_ns - story.went_ns, 0)
    story.went_ns = None
    if isinstance(after.phase, Race):
        story.went_ns = after.phase.go_at_ns
        if not after.phase.resumed:
            story.played_ns = 0
