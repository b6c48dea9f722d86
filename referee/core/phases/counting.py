"""COUNTING: all teams enter their counts at once, field by field.

A tap adds one and starts again at 0 after the highest value; a hold goes to the next field. A count is final as soon as
all teams are done, so a power cut cannot lose it. READY shows the new standings at once; a hold in its first seconds
opens that team's count again. This keeps the check of the scores without a wait of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Sealed, Turned, Undone
from referee.core.model.labels import answer_lamps, label_of, menu_line, said, seat_label
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.registry import counted_game, fields_of
from referee.core.model.state import GUARD_NS, BetweenHands, Count, Phase, State, Step, UnderWay, fresh
from referee.core.model.table import Table, sitting
from referee.core.model.transitions import FieldSpec, Row, Transition
from referee.core.model.triggers import Due, Held, KnobPushed, Tapped
from referee.core.model.view import CountCell, CountScreen, Screen
from referee.core.phases.common import BACK, asks_at_ns, at_the_knob, decide, open_list, stay, toast, wink, within
from referee.core.phases.over import Over, go_on
from referee.core.phases.ready import standings_ns
from referee.core.phases.verdict import Judged, is_doubted, is_heard, list_late, offer_late, on_judged_turned
from referee.core.presses.signals import KNOB, Contact, Doubted, Pressed
from referee.core.units import S
from referee.core.values import field, replace

CALLED_NS = 2 * S
"""How long the heading of a count still names the callers, in ns."""
LEGEND_NS = 5 * S
"""Time in ns without an entry after which the display explains taps and holds again."""


class Counting(UnderWay, tag="counting"):
    """All teams enter their counts at once. `callers`: the callers that the verdict names now.

    seals_at_ns: when the count becomes final, set once all are done; an open list delays it. knob: the team whose count
    the knob enters. inner: the game's phase before this one, with the verdict, for contests. covered: unused; documents
    of earlier versions have it. tapped: the team that has tapped last.
    """

    name: ClassVar[str] = "COUNTING"
    argued: ClassVar[bool] = True
    waits: ClassVar[bool] = True
    guarded: ClassVar[bool] = True
    asks_all: ClassVar[bool] = True
    callers: tuple[str, ...] = ()
    counts: tuple[Count, ...] = ()
    last_tap_at_ns: int = 0
    seals_at_ns: int | None = field(default=None, name="sheet_until_at_ns")
    inner: Phase | None = None
    knob: str | None = None
    covered: bool = False
    tapped: str | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.seals_at_ns

    def takes_push(self) -> bool:
        return self.knob is not None

    def after_undo(self) -> Phase:
        counts = tuple(replace(c, cursor=0, pen=None, refusal=None) for c in self.counts)
        return replace(self, counts=counts, seals_at_ns=None, knob=None)

    def without_entries(self) -> Phase:
        return replace(self, counts=(), last_tap_at_ns=0, tapped=None)

    def after_move(self, old: str, new: str) -> Phase:
        counts = tuple(replace(c, pen=None) if c.pen == old else c for c in self.counts)
        return replace(self, counts=counts)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table, hand = state.table, len(state.table.hands) + 1
        specs = {count.team: fields_of(table, count.team, self.callers) for count in self.counts}
        legend = max(self.last_tap_at_ns, self.asked_at_ns) + LEGEND_NS
        called_until_ns = self.asked_at_ns + CALLED_NS if self.callers and isinstance(self.inner, Judged) else 0
        times += (legend, called_until_ns)
        called = tuple(label_of(table, team) for team in self.callers) if now_ns < called_until_ns else ()
        cells = tuple(cell(table, count, specs[count.team], self.callers, self.counts) for count in self.counts)
        names = tuple(spec.name for spec in specs[self.counts[0].team])
        return CountScreen(hand, names, cells, now_ns >= legend, self.knob is not None, called)

    def lamps(self, state: State) -> Shown:
        """Return the lamps. A button blinks while its taps change the count of its team.

        Before a team's first entry, the buttons of both partners blink. Then only the button that made the last entry
        blinks, until a hold of the partner's button takes over.
        """
        shown: Shown = {}
        for count in self.counts:
            seats = counters(state.table, count.team)
            idle = seats if count.cursor is None else tuple(s for s in seats if count.pen not in (None, s))
            shown |= answer_lamps(seats, idle, self.asked_at_ns)
        return shown


def count_refusal(table: Table, count: Count, callers: tuple[str, ...], counts: Iterable[Count]) -> Msg | None:
    """Return why the count is impossible, given `counts` of all teams; None if it is possible."""
    others = tuple(other for other in counts if other.team != count.team)
    return counted_game(table).refusal(table, count, callers, others)


def cell(
    table: Table, count: Count, specs: tuple[FieldSpec, ...], callers: tuple[str, ...], counts: tuple[Count, ...]
) -> CountCell:
    """Return a team's count for display. `counts`: all counts of the hand."""
    shown = tuple(
        (spec.signs[value] if spec.signs else str(value)) if touched or spec.locked else None
        for value, touched, spec in zip(count.values, count.touched, specs, strict=True)
    )
    locked = tuple(spec.locked for spec in specs)
    label = label_of(table, count.team)
    refusal = count_refusal(table, count, callers, counts) if count.refusal else None
    return CountCell(label, shown, count.cursor, count.cursor is None, refusal, locked, count.pen)


class CountByKnob(MenuAction):
    """Enter that team's count by the knob; without `team`, list the teams."""

    team: str = ""


class OneLess(MenuAction):
    """Take back the last tap of a count."""


def counting(state: State, playing: tuple[str, ...], callers: tuple[str, ...], inner: Phase | None = None) -> Counting:
    """Return the phase COUNTING with empty counts of these teams. `inner`: the phase before it."""
    counts = []
    for team in playing:
        size = len(fields_of(state.table, team, callers))
        counts.append(Count(team, (0,) * size, (False,) * size))
    return Counting(asks_at_ns(state), callers, tuple(counts), state.now_ns, inner=inner)


def with_callers(table: Table, phase: Counting, callers: tuple[str, ...]) -> Counting:
    """Return the phase COUNTING with other callers, after the players have changed the verdict.

    Fields that become locked are set to 0. A team that is no longer a caller enters the fields that were locked.
    A team whose count has become impossible counts again.
    """
    no_more = set(phase.callers) - set(callers)
    counts = []
    for count in phase.counts:
        locked = [spec.locked for spec in fields_of(table, count.team, callers)]
        count = replace(count, values=tuple(0 if lock else v for v, lock in zip(count.values, locked, strict=True)))
        if count.team in no_more:
            was = [spec.locked for spec in fields_of(table, count.team, phase.callers)]
            touched = tuple(t and not lock for t, lock in zip(count.touched, was, strict=True))
            count = replace(count, cursor=0, touched=touched)
        counts.append(count)
    checked = tuple(count if count.cursor is not None else finished(table, count, callers, counts) for count in counts)
    is_done = all(count.cursor is None for count in checked)
    return replace(phase, callers=callers, counts=checked, seals_at_ns=phase.seals_at_ns if is_done else None)


def _count_of(state: State, phase: Counting, station: str) -> Count | None:
    return next((c for c in phase.counts if station in counters(state.table, c.team)), None)


def counters(table: Table, team: str) -> tuple[str, ...]:
    """Return the buttons that may enter that team's count.

    They are the buttons of its players at the table, or all its buttons if the players have left during the hand.
    """
    stations = next(t.stations for t in table.teams if t.id == team)
    return tuple(s for s in tuple(sitting(table, (team,))) or stations if s not in table.muted)


def _with(state: State, phase: Counting, count: Count) -> Counting:
    return replace(phase, counts=with_count(phase.counts, count), last_tap_at_ns=state.now_ns)


def values_of(counts: Iterable[Count]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return each team's values, in the form that a decision stores."""
    return tuple((count.team, count.values) for count in counts)


def with_count(counts: tuple[Count, ...], count: Count) -> tuple[Count, ...]:
    """Return the counts with this team's count replaced by `count`."""
    return tuple(count if c.team == count.team else c for c in counts)


def on_tapped(state: State, phase: Counting, tapped: Tapped) -> Step:
    """Add one to the open field, if no other button is entering the team's count."""
    count = _count_of(state, phase, tapped.station)
    if count is None or count.cursor is None or not fresh(phase, tapped.t_ns):
        return stay(state)
    if count.pen not in (None, tapped.station):
        return stay(state)
    count = raise_field(state.table, replace(count, pen=tapped.station), phase.callers)
    return within(wink(state, tapped.station, 1), replace(_with(state, phase, count), tapped=count.team))


def _tapped(phase: Counting) -> Count | None:
    """Return the count that the last tap changed; None if the changed field is no longer open."""
    found = next((c for c in phase.counts if c.team == phase.tapped and c.cursor is not None), None)
    return found if found and found.touched[found.cursor or 0] else None


def _tap_text(state: State, phase: Counting) -> Msg | None:
    count = _tapped(phase)
    return said("item.one_less", label_of(state.table, count.team)) if count else None


def one_less(state: State, phase: Counting, action: OneLess) -> Step:
    """Take back the last tap: subtract one from the field that it changed."""
    count = _tapped(phase)
    if count is None:
        return stay(state)
    return within(state, _with(state, phase, raise_field(state.table, count, phase.callers, -1)))


def raise_field(table: Table, count: Count, callers: tuple[str, ...], steps: int = 1) -> Count:
    """Add `steps` to the open field, starting again after its highest value.

    A locked field keeps its value. table: the table as it was when the hand was played.
    """
    at, count = count.cursor or 0, replace(count, refusal=None)
    spec = fields_of(table, count.team, callers)[at]
    if spec.locked:
        return count
    values = tuple((v + steps) % spec.size if i == at else v for i, v in enumerate(count.values))
    return replace(count, values=values, touched=tuple(t or i == at for i, t in enumerate(count.touched)))


def on_held(state: State, phase: Counting, held: Held) -> Step:
    """Go to the next field; after the last one, finish the count. Reopen a finished count.

    If the partner's button, the knob or a phone made the last entry, the hold only takes over: its button enters now.
    """
    count = _count_of(state, phase, held.station)
    if count is None or held.long or not fresh(phase, held.t_ns):
        return stay(state)
    state = wink(state, held.station, 2)
    if count.pen not in (None, held.station):
        knob = None if count.pen == KNOB else phase.knob
        return within(state, replace(_with(state, phase, replace(count, pen=held.station)), knob=knob))
    return _next_field(state, phase, replace(count, pen=held.station))


def _next_field(state: State, phase: Counting, count: Count) -> Step:
    return enter_count(state, phase, next_field(state.table, count, phase.callers, phase.counts))


def next_field(table: Table, count: Count, callers: tuple[str, ...], counts: tuple[Count, ...]) -> Count:
    """Return the count with its open field entered and the next field open for taps.

    After the last field, the count is done. An impossible count is refused instead, and its first field is open again.
    A count that was already done is opened again at its first field.
    """
    if count.cursor is None:
        return replace(count, cursor=0, refusal=None)
    at = count.cursor
    touched = tuple(t or i == at for i, t in enumerate(count.touched))
    count = replace(count, touched=touched, cursor=at + 1, refusal=None)
    return count if at + 1 < len(count.values) else finished(table, count, callers, counts)


def finished(table: Table, count: Count, callers: tuple[str, ...], counts: Iterable[Count]) -> Count:
    """Return the count as done. If it is impossible, open its first field and store the reason."""
    refusal = count_refusal(table, count, callers, counts)
    return replace(count, cursor=None) if refusal is None else replace(count, cursor=0, refusal=refusal.key)


def enter_count(state: State, phase: Counting, count: Count) -> Step:
    """Store a team's count. When all teams are done, the count of the hand becomes final."""
    phase = _with(state, phase, count)
    if count.cursor is not None:
        refused = [Cue("refused", state.now_ns)] if count.refusal else []
        return within(state, replace(phase, seals_at_ns=None), *refused)
    phase = replace(phase, knob=None if phase.knob == count.team else phase.knob)
    if any(c.cursor is not None for c in phase.counts):
        return within(state, phase)
    return within(state, replace(phase, seals_at_ns=state.now_ns), Cue("all_counted", state.now_ns))


# -- the knob: for repairs and for muted or broken buttons ---------------------------------------------------------


def by_knob(state: State, phase: Counting, action: CountByKnob) -> Step:
    """Let the knob enter a team's count: turn to change the value, push for the next field."""
    count = next((c for c in phase.counts if c.team == action.team), None)
    if count is None:
        return stay(open_list(state, (*count_lines(state.table, phase.counts), BACK)))
    opens = replace(count, cursor=0, pen=KNOB, refusal=None)
    return within(state, replace(_with(state, phase, opens), knob=action.team, seals_at_ns=None))


def count_lines(table: Table, counts: tuple[Count, ...]) -> tuple[MenuLine, ...]:
    """Return a menu line for each team's count."""
    return tuple(MenuLine(CountByKnob(c.team), menu_line(table, c.team)) for c in counts)


def _knobs(phase: Counting) -> Count:
    return next(c for c in phase.counts if c.team == phase.knob)


def on_turned(state: State, phase: Counting, turned: Turned) -> Step:
    """Change the field that the knob enters; before any entry, show the verdict's photo finish."""
    if phase.knob is None:
        judged, begun = phase.inner, any(any(count.touched) for count in phase.counts)
        return stay(state) if begun or not isinstance(judged, Judged) else on_judged_turned(state, judged, turned)
    count = raise_field(state.table, _knobs(phase), phase.callers, turned.steps)
    return within(state, _with(state, phase, count))


def on_pushed(state: State, phase: Counting, pushed: KnobPushed) -> Step:
    """Go to the next field of the knob's count; after the last field, finish the count."""
    return _next_field(state, phase, _knobs(phase))


# -- late presses --------------------------------------------------------------------------------------------------


def on_pressed(state: State, phase: Counting, pressed: Pressed) -> Step:
    """Add late evidence that arrives during the count to the verdict, and offer to contest it."""
    inner, press = phase.inner, pressed.press
    if not isinstance(inner, Judged) or not is_heard(state, inner, press.station):
        return stay(state)
    judged, late = list_late(inner, press)
    return _announce_late(replace(state, phase=replace(phase, inner=judged)), press.station) if late else stay(state)


def on_doubted(state: State, phase: Counting, doubted: Doubted) -> Step:
    """Offer to contest the verdict if a row of its call arrived too late to be considered."""
    heard = isinstance(phase.inner, Judged) and is_doubted(state, phase.inner, doubted)
    return _announce_late(state, doubted.station) if heard else stay(state)


def _announce_late(state: State, station: str) -> Step:
    late = toast(state, said("toast.late_press", seat_label(state.table, station)))
    return stay(offer_late(late, station))


# -- the end -------------------------------------------------------------------------------------------------------


def on_due(state: State, phase: Counting, due: Due) -> Step:
    """Make the count final. While a list is open, wait."""
    if at_the_knob(state):
        return within(state, replace(phase, seals_at_ns=state.now_ns + S))
    sealing = replace(state, phase=replace(phase, seals_at_ns=None))
    return decide(sealing, Sealed(state.now_ns, values_of(phase.counts)))


def reopen(state: State, phase: BetweenHands, held: Held) -> Step:
    """Undo the final count, and open the count of the team whose button is held.

    The hold must have begun in the first seconds of this phase, but after the guard time.
    """
    last = state.undo
    counted = last.state.phase if last and last.label == f"undo.{Sealed.undo}" else None
    seen = fresh(phase, held.t_ns) and held.t_ns <= phase.asked_at_ns + standings_ns(state.table)
    count = (
        None if held.long or not seen or not isinstance(counted, Counting) else _count_of(state, counted, held.station)
    )
    return decide(state, Undone(state.now_ns, last.seq, held.station)) if last and count else stay(state)


def reopened(state: State, phase: Phase, station: str) -> State:
    """Return the state with the count of `phase`, in which the team at `station` counts again.

    The counts of the other teams stay done.
    """
    if not isinstance(phase, Counting) or (count := _count_of(state, phase, station)) is None:
        return state
    counts = with_count(phase.counts, replace(count, cursor=0, pen=station))
    asked_at_ns = state.now_ns - GUARD_NS  # the button that asked for it goes on at once
    phase = replace(phase, asked_at_ns=asked_at_ns, counts=counts, last_tap_at_ns=state.now_ns, seals_at_ns=None)
    return wink(replace(state, phase=phase), station, 2)


def on_sealed(state: State, phase: Counting, event: Sealed) -> Step:
    """Record the hand, then go to the next one or end the match."""
    result = counted_game(state.table).result(state.table, phase, event.counts)
    return go_on(state, replace(state.table, hands=(*state.table.hands, result)), event.at_ns)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Counting, Tapped, on_tapped, (), "tap: +1"),
    Row(Counting, Held, on_held, (), "hold: next field, done, open again"),
    Row(Counting, Turned, on_turned, ("VERDICT",), "turn: the knob's value, else the verdict's photo finish"),
    Row(Counting, KnobPushed, on_pushed, (), "push: the knob's next field"),
    Row(Counting, Due, on_due, (), "all are done"),
    Row(Counting, Sealed, on_sealed, ("READY", "OVER"), "the hand is sealed"),
    Row(Over, Held, reopen, (), "hold in the first 4 s: count again"),
    Row(Counting, CountByKnob, by_knob, (), "the knob: it enters a team's count", msg("item.count_by_knob")),
    Row(Counting, OneLess, one_less, (), "the knob: a wrong tap", _tap_text),
)
LATE_ROWS: tuple[Transition, ...] = (
    Row(Counting, Pressed, on_pressed, (), "late evidence opens the contest"),
    Row(Counting, Doubted, on_doubted, (), "late evidence opens the contest"),
)
"""The rows for late presses during a count that follows a call."""
