"""What the play phases show: the screens' data and the lamps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from referee.core import lamps
from referee.core.arbiter import Called as Pressed
from referee.core.arbiter import Verdict
from referee.core.games.nertz.phases import VERDICT_NS, Burning, Called, CallNow, Judged, Playing, Searching
from referee.core.games.registry import game_of
from referee.core.labels import Shown, Times, asked, label_of, seat_label, team_lines
from referee.core.signals import Edge
from referee.core.state import State, heard, seats_of
from referee.core.transitions import Lamps, Screens
from referee.core.units import MS, S
from referee.core.values import replace
from referee.core.view import (
    BurnScreen,
    CallNowScreen,
    CountdownScreen,
    PhotoLine,
    PhotoScreen,
    PlayingScreen,
    Screen,
    SearchScreen,
    StopScreen,
    VerdictScreen,
)

BAR_STEPS = 16


def _playing(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Playing)
    if now_ns < phase.go_at_ns + lamps.GO_NS:
        times.append(phase.go_at_ns + lamps.GO_NS)
        return BurnScreen("BURN", phase.burnt, phase.burns) if phase.burnt else CountdownScreen("GO!")
    clock = phase.clock_ns(now_ns)
    times.append(now_ns + S - clock % S)
    return PlayingScreen(len(table.hands) + 1, game_of(table).title(table)[1], clock - clock % S, team_lines(table))


def _called(state: State, now_ns: int, times: Times) -> Screen:
    return StopScreen()


def _judged(state: State, now_ns: int, times: Times) -> Screen:
    phase = state.phase
    assert isinstance(phase, Judged)
    assert phase.verdict is not None
    if phase.photo:
        return _photo(state, phase, phase.verdict)
    step = VERDICT_NS // BAR_STEPS
    left = min(max(phase.until_at_ns - now_ns, 0), VERDICT_NS)
    steps = -(-left // step)
    times.append(phase.until_at_ns - (steps - 1) * step)
    return _verdict(state, phase.verdict, Fraction(steps, BAR_STEPS))


def _verdict(state: State, verdict: Verdict, left_share: Fraction) -> VerdictScreen:
    table = state.table
    start = verdict.presses[0].t_ns
    callers = tuple(label_of(table, team) for team in verdict.callers)
    others = [p for p in (*verdict.presses, *verdict.ignored) if p.team not in verdict.callers]
    later = tuple(
        (seat_label(table, p.station), p.t_ns - start) for p in sorted(others, key=lambda p: (p.t_ns, p.station))
    )
    late = tuple((seat_label(table, p.station), p.t_ns - start) for p, _ in verdict.late)
    shown = VerdictScreen(verdict.kind, verdict.grey, callers, None, None, verdict.window_ns, later, left_share, late)
    if verdict.kind == "tie":
        return replace(shown, gap_ns=_apart(verdict))
    rival = later[0] if later else None
    gap_ns = rival[1] if rival else None
    next_caller = rival[0] if rival else None
    return replace(shown, next_caller=next_caller, gap_ns=gap_ns)


def _apart(verdict: Verdict) -> int | None:
    """How far the callers' presses lie apart, ns; None when the table named one who has not pressed."""
    pressed = (*verdict.presses, *verdict.ignored, *(late for late, _ in verdict.late))
    first = [min((p.t_ns for p in pressed if p.team == team), default=None) for team in verdict.callers]
    times = [t for t in first if t is not None]
    return max(times) - min(times) if len(times) == len(first) else None


def _photo(state: State, phase: Judged, verdict: Verdict) -> PhotoScreen:
    start = verdict.presses[0].t_ns
    late = [called for called, _ in verdict.late]
    shown = sorted((*verdict.presses, *late), key=lambda p: (p.t_ns, p.station))
    last = max(p.t_ns - start for p in shown)
    span = max(100 * MS, last * 5 // 4)
    lines = tuple(
        PhotoLine(
            label_of(state.table, p.team),
            p.t_ns - start,
            own_ns,
            _closed(phase.evidence, p.station, start, span),
            p.team in verdict.callers,
            p in late,
            common_ns,
        )
        for p, (own_ns, common_ns) in zip(shown, _errors(shown), strict=True)
    )
    return PhotoScreen(verdict.window_ns, span, lines)


def _errors(shown: Sequence[Pressed]) -> Iterator[tuple[int, int]]:
    """Of each press its own error, and what its clock adds: once for a clock that several of them share."""
    told: set[str] = set()
    for p in shown:
        mates = [q for q in shown if q.clock is not None and q.clock == p.clock]
        if p.clock is None or len(mates) < 2:
            yield p.err_ns, 0
            continue
        own_ns = p.err_against(p)
        common_ns = 0 if p.clock in told else max(q.err_ns - q.err_against(q) for q in mates)
        told.add(p.clock)
        yield own_ns, common_ns


def _closed(evidence: tuple[Edge, ...], station: str, start_ns: int, span_ns: int) -> tuple[tuple[int, int], ...]:
    """The intervals in which that contact read closed, in ns from the call's first press, cut at the span."""
    spans: list[tuple[int, int]] = []
    since: int | None = None
    for edge in (e for e in evidence if e.station == station):
        at = edge.t_ns - start_ns
        if edge.closed and since is None:
            since = at
        elif not edge.closed and since is not None:
            spans.append((since, at))
            since = None
    if since is not None:
        spans.append((since, span_ns))
    return tuple((a, min(b, span_ns)) for a, b in spans if a < span_ns)


def _playing_lamps(state: State) -> Shown:
    """Dark: a press is the call. Only GO's half second still glows."""
    phase = state.phase
    assert isinstance(phase, Playing)
    pattern = lamps.beats((), phase.go_at_ns)
    return dict.fromkeys(seats_of(state.table, phase.playing), (pattern, 0))


def _stop_lamps(state: State) -> Shown:
    assert isinstance(state.phase, Called)
    return dict.fromkeys(seats_of(state.table, state.phase.play.playing), (lamps.ALL_ON, 0))


def _verdict_lamps(state: State) -> Shown:
    """The caller steady, the others three pulses; callers who are tied or grey take turns."""
    phase = state.phase
    assert isinstance(phase, Judged)
    assert phase.verdict is not None
    shown: Shown = dict.fromkeys(seats_of(state.table, phase.play.playing), (lamps.PULSE3, phase.asked_at_ns))
    named = list(phase.verdict.callers)
    if phase.verdict.grey:
        named += [p.team for p in phase.verdict.presses if p.team not in named]
    for index, team in enumerate(named):
        pattern = lamps.STEADY if len(named) == 1 else lamps.ALTERNATE[index % 2]
        shown |= dict.fromkeys(seats_of(state.table, (team,)), (pattern, phase.asked_at_ns))
    return shown


def _call_now(state: State, now_ns: int, times: Times) -> Screen:
    phase = state.phase
    assert isinstance(phase, CallNow)
    left = max(-(-(phase.until_at_ns - now_ns) // S), 1)
    times.append(phase.until_at_ns - (left - 1) * S)
    return CallNowScreen(left)


def _searching(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Searching)
    asked = heard(table, phase.play.playing)
    missing = tuple(label_of(table, team) for team in asked if team not in phase.nothing)
    return SearchScreen(phase.times, len(phase.nothing), len(asked), missing)


def _burning(state: State, now_ns: int, times: Times) -> Screen:
    phase = state.phase
    assert isinstance(phase, Burning)
    times += [*phase.beats_at_ns, phase.burn_at_ns]
    word = next((w for w, t in zip("123", phase.beats_at_ns[::-1], strict=True) if now_ns >= t), "3")
    return BurnScreen(word, phase.pile, phase.play.burns + 1)


def _search_lamps(state: State) -> Shown:
    """Asked team by team; for the first 0.7 s dark, since a press begun then is still a call."""
    phase = state.phase
    assert isinstance(phase, Searching)
    done = seats_of(state.table, phase.nothing)
    return asked(seats_of(state.table, phase.play.playing), done, phase.asked_at_ns)


def _burn_lamps(state: State) -> Shown:
    phase = state.phase
    assert isinstance(phase, Burning)
    pattern = lamps.beats(phase.beats_at_ns, phase.burn_at_ns)
    return dict.fromkeys(seats_of(state.table, phase.play.playing), (pattern, 0))


def _no_lamps(state: State) -> Shown:
    return {}


SCREENS: Screens = {
    Playing: _playing,
    Called: _called,
    Judged: _judged,
    CallNow: _call_now,
    Searching: _searching,
    Burning: _burning,
}
LAMPS: Lamps = {
    Playing: _playing_lamps,
    Called: _stop_lamps,
    Judged: _verdict_lamps,
    CallNow: _no_lamps,
    Searching: _search_lamps,
    Burning: _burn_lamps,
}
