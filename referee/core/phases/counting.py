"""COUNTING: every team at once, a field at a time. Tap adds one and wraps, hold goes to the next field."""

from __future__ import annotations

from referee.core.events import Cue, Rematched, Sealed, Turned
from referee.core.games.registry import game_of
from referee.core.labels import menu_line
from referee.core.phases.common import asks_at_ns, at_the_knob, opened, stay, to, wink, within
from referee.core.phases.ready import next_hand
from referee.core.signals import KNOB, Pressed
from referee.core.state import (
    Count,
    Counting,
    Due,
    Held,
    KnobPushed,
    Over,
    Phase,
    State,
    Step,
    Table,
    Tapped,
    fresh,
    seats_of,
    sitting,
)
from referee.core.transitions import FieldSpec, Item, Row
from referee.core.units import S
from referee.core.values import replace

SHEET_NS = 3 * S


def counting(state: State, playing: tuple[str, ...], callers: tuple[str, ...], inner: Phase | None = None) -> Counting:
    """The empty count of those teams; `inner`: the game's phase that led here."""
    counts = []
    for team in playing:
        size = len(game_of(state.table).fields(state.table, team, callers))
        counts.append(Count(team, (0,) * size, (False,) * size))
    return Counting(asks_at_ns(state), callers, tuple(counts), state.now_ns, inner=inner)


def _count_of(state: State, station: str) -> Count | None:
    assert isinstance(state.phase, Counting)
    return next((c for c in state.phase.counts if station in counters(state.table, c.team)), None)


def counters(table: Table, team: str) -> tuple[str, ...]:
    """The buttons that enter that team's count: whoever sits there, or anybody for those who have left in mid-hand."""
    stations = next(t.stations for t in table.teams if t.id == team)
    return tuple(s for s in tuple(sitting(table, (team,))) or stations if s not in table.muted)


def _with(state: State, count: Count) -> Counting:
    phase = state.phase
    assert isinstance(phase, Counting)
    counts = tuple(count if c.team == count.team else c for c in phase.counts)
    return replace(phase, counts=counts, last_tap_at_ns=state.now_ns)


def on_tapped(state: State, tapped: Tapped) -> Step:
    """One more in the open field, by whoever holds the team's pen."""
    phase = state.phase
    assert isinstance(phase, Counting)
    count = _count_of(state, tapped.station)
    if count is None or count.cursor is None or not fresh(phase, tapped.t_ns):
        return stay(state)
    if count.pen not in (None, tapped.station):
        return stay(state)
    count = replace(count, pen=tapped.station, refusal=None)
    spec = game_of(state.table).fields(state.table, count.team, phase.callers)[count.cursor or 0]
    return within(wink(state, tapped.station, 1), _with(state, raised(count, spec)))


def raised(count: Count, spec: FieldSpec, steps: int = 1) -> Count:
    """So many more in the open field, wrapping; a locked field stays."""
    if spec.locked:
        return count
    at = count.cursor or 0
    values = tuple((v + steps) % spec.size if i == at else v for i, v in enumerate(count.values))
    return replace(count, values=values, touched=tuple(t or i == at for i, t in enumerate(count.touched)))


def on_held(state: State, held: Held) -> Step:
    """The next field; after the last one the count is checked; done, a hold opens it again."""
    phase = state.phase
    assert isinstance(phase, Counting)
    count = _count_of(state, held.station)
    if count is None or held.long or not fresh(phase, held.t_ns):
        return stay(state)
    state = wink(state, held.station, 2)
    if count.pen not in (None, held.station):
        knob = None if count.pen == KNOB else phase.knob
        return within(state, replace(_with(state, replace(count, pen=held.station)), knob=knob))
    return _next_field(state, replace(count, pen=held.station, refusal=None))


def _next_field(state: State, count: Count) -> Step:
    if count.cursor is None:
        return within(state, replace(_with(state, replace(count, cursor=0)), sheet_until_at_ns=None))
    if count.cursor + 1 < len(count.values):
        return within(state, _with(state, passed(count)))
    return _finished(state, passed(count))


def passed(count: Count) -> Count:
    """The next field is open; after the last one the cursor stands behind it."""
    at = count.cursor or 0
    touched = tuple(t or i == at for i, t in enumerate(count.touched))
    return replace(count, touched=touched, cursor=at + 1)


def _finished(state: State, count: Count) -> Step:
    phase = state.phase
    assert isinstance(phase, Counting)
    refusal = game_of(state.table).refusal(state.table, count, phase.callers)
    if refusal is not None:
        back = replace(count, cursor=0, refusal=refusal)
        return within(state, _with(state, back), Cue("refused", state.now_ns))
    phase = _with(state, replace(count, cursor=None))
    phase = replace(phase, knob=None if phase.knob == count.team else phase.knob)
    if any(c.cursor is not None for c in phase.counts):
        return within(state, phase)
    return within(state, replace(phase, sheet_until_at_ns=state.now_ns + SHEET_NS), Cue("all_counted", state.now_ns))


# -- the knob: repair only, and for those whose button is muted or broken ------------------------------------------


def _by_knob_text(state: State) -> str | None:
    return "Count by knob"


def by_knob(state: State, team: str) -> Step:
    """Whose count? Then turn = value, push = next field."""
    phase = state.phase
    assert isinstance(phase, Counting)
    count = next((c for c in phase.counts if c.team == team), None)
    if count is None:
        teams = tuple((f"by_knob:{c.team}", menu_line(state.table, c.team)) for c in phase.counts)
        return stay(opened(state, (*teams, ("back", "Back"))))
    opens = replace(count, cursor=0, pen=KNOB, refusal=None)
    return within(state, replace(_with(state, opens), knob=team, sheet_until_at_ns=None))


def _knobs(phase: Counting) -> Count:
    return next(c for c in phase.counts if c.team == phase.knob)


def on_turned(state: State, turned: Turned) -> Step:
    """The value of the field that the knob has opened."""
    phase = state.phase
    assert isinstance(phase, Counting)
    if phase.knob is None:
        return stay(state)
    count = replace(_knobs(phase), refusal=None)
    spec = game_of(state.table).fields(state.table, count.team, phase.callers)[count.cursor or 0]
    return within(state, _with(state, raised(count, spec, turned.steps)))


def on_pushed(state: State, pushed: KnobPushed) -> Step:
    """The knob's next field."""
    assert isinstance(state.phase, Counting)
    return _next_field(state, replace(_knobs(state.phase), refusal=None))


# -- the sheet -----------------------------------------------------------------------------------------------------


def on_due(state: State, due: Due) -> Step:
    """Nobody reopened the sheet: it is sealed. A list that lies over it is waited for, and then it is shown anew."""
    phase = state.phase
    assert isinstance(phase, Counting)
    if at_the_knob(state):
        return within(state, replace(phase, sheet_until_at_ns=state.now_ns + S, covered=True))
    if phase.covered:
        return within(state, replace(phase, sheet_until_at_ns=state.now_ns + SHEET_NS, covered=False))
    counts = tuple((count.team, count.values) for count in phase.counts)
    sealing = replace(state, phase=replace(phase, sheet_until_at_ns=None))
    return Step(sealing, (), (Sealed(state.now_ns, counts),))


def reopened(phase: Counting) -> Counting:
    """The count as an undo finds it: every value kept, every team asked again."""
    counts = tuple(replace(c, cursor=0, pen=None, refusal=None) for c in phase.counts)
    return replace(phase, counts=counts, sheet_until_at_ns=None, knob=None)


def on_sealed(state: State, event: Sealed) -> Step:
    """The hand is in the book: the next one, or the end."""
    phase = state.phase
    assert isinstance(phase, Counting)
    result = game_of(state.table).result(state.table, phase, event.counts)
    return booked(state, replace(state.table, hands=(*state.table.hands, result)), event.at_ns)


def booked(state: State, table: Table, at_ns: int) -> Step:
    """With the book as it stands now: the next hand, or the end."""
    state = replace(state, table=table)
    winners = game_of(table).winners(table)
    return to(state, Over(at_ns, winners), Cue("winner", at_ns)) if winners else next_hand(state, at_ns)


def on_rematch_tap(state: State, pressed: Pressed) -> Step:
    """All tap: the same table plays again."""
    phase, station = state.phase, pressed.press.station
    assert isinstance(phase, Over)
    everyone = frozenset(seats_of(state.table, tuple(team.id for team in state.table.teams)))
    if not fresh(phase, pressed.press.t_ns) or station not in everyone - phase.ready:
        return stay(state)
    done = phase.ready | {station}
    step = within(wink(state, station, 1), replace(phase, ready=done))
    return step if everyone - done else Step(step.state, (), (Rematched(state.now_ns),))


def on_rematched(state: State, event: Rematched) -> Step:
    """A new match at the same table."""
    state = replace(state, table=replace(state.table, hands=(), joined=(), ended=False, own=()))
    return next_hand(state, event.at_ns)


ROWS = (
    Row(Counting, Tapped, on_tapped, (), "tap: +1"),
    Row(Counting, Held, on_held, (), "hold: next field, done, open again"),
    Row(Counting, Turned, on_turned, (), "turn: the value that the knob has opened"),
    Row(Counting, KnobPushed, on_pushed, (), "push: the knob's next field"),
    Row(Counting, Due, on_due, (), "the sheet has stood for 3 s"),
    Row(Counting, Sealed, on_sealed, ("READY", "OVER"), "the hand is sealed"),
    Row(Over, Pressed, on_rematch_tap, (), "tap: rematch"),
    Row(Over, Rematched, on_rematched, ("READY",), "all have tapped"),
)
ITEMS = (Item(Counting, "by_knob", _by_knob_text, by_knob),)
