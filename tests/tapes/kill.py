"""Kill the device by kill -9 in the middle of an evening, and let people go on.

`go_on` brings the table back to where it was, following lamps and screen: all players tap, players who were ready are
ready again, and an interrupted race (a pause, a search, a stopped start) is entered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Decision, Event, Opened, Resumed, Tick
from referee.core.model.state import State
from referee.core.phases.device import Checking
from referee.core.phases.fixing import Fixing, changed_teams
from referee.core.phases.power_back import PowerBack
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from tests.core.grammar import copied
from tests.core.sitting import BREATH_NS, Sitting

BOOT = "after the kill"
RACES = ("PLAYING", "TIMEOUT", "STUCK", "SEARCH", "BURNING", "RESUMING")
"""Phases that return by three beats."""


def groups(rows: Sequence[JournalRow]) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each fact with its decisions, without the first row."""
    begin = 1
    for end in range(2, len(rows) + 1):
        if end == len(rows) or not isinstance(rows[end][1], Decision):
            yield begin, end
            begin = end


def restored_everywhere(rows: Sequence[JournalRow]) -> Iterator[tuple[int, Engine, State]]:
    """Yield for each number of written rows: that number, the restored table, the required state.

    A fact with only part of its decisions gives the same table, because the rest is derived again.
    """
    engine = Engine.restored(rows[:1])
    for begin, end in groups(rows):
        whole = copied(engine)
        whole.fold(rows[begin:end])
        for length in range(begin + 1, end + 1):
            twin = copied(engine)
            twin.fold(rows[begin:length])
            yield length, twin, whole.state
        engine = whole


def continued(engine: Engine, rows: Sequence[JournalRow]) -> list[JournalRow]:
    """Return the rows from the rest of the evening's facts: deadlines and decisions come by themselves.

    Of a tick only its time is passed, as the time up to which the sources have been read.
    """
    engine.take()
    for _, event in rows:
        if isinstance(event, Tick):
            engine.intake([], event.at_ns)
        elif not isinstance(event, Opened | Decision):
            engine.intake([event], at_ns(event) - 1)
    return list(engine.take().rows)


def at_ns(event: Event) -> int:
    """Return the Engine's time of it, in ns."""
    return event.arrived_ns if isinstance(event, Edge) else event.at_ns


def killed(table: Sitting, at_ns: int) -> Sitting:
    """Return the same table restarted from the journal, its clock at `at_ns`.

    Buttons keep their state.
    """
    twin = copy(table)
    twin.rows, twin.cues, twin.engine = list(table.rows), [], copied(table.engine)
    down = tuple(c.station for c in table.engine.state.contacts if c.closed)
    twin.now_ns = at_ns
    twin.engine.intake([Resumed(at_ns, f"{BOOT} {at_ns}", 3, down)], at_ns)
    twin.rows += twin.engine.take().rows
    return twin


def kept(before: State, after: State) -> None:
    """Check that the restored table is the one that died: hands, seats, counts, verdict, phase or question.

    Attempts and unsaved corrections are dropped. Raises AssertionError.
    """
    is_now: Any = after.phase.inner if isinstance(after.phase, PowerBack) else after.phase
    was: Any = before.phase.inner if isinstance(before.phase, PowerBack | Fixing | Checking) else before.phase
    assert after.table == before.table
    assert is_now.name == _comes_back_as(was.name)
    assert (after.phase.name == "POWER_BACK") == (was.name not in ("LOBBY", "AGREEMENT", "READY", "OVER"))
    assert [c.values for c in getattr(is_now, "counts", ())] == [c.values for c in getattr(was, "counts", ())]
    if was.name == "VERDICT":
        assert is_now.verdict == was.verdict


def _comes_back_as(was: str) -> str:
    """Return the phase after a restart: a race returns in a pause, and a call as its verdict."""
    return {"CALLED": "VERDICT"}.get(was, "TIMEOUT" if was in RACES and was != "RESUMING" else was)


def in_the_middle(state: State) -> bool:
    """Return whether a finger is down, a list is open, or the stop has just sounded: these would start again."""
    touched = state.holds or state.menu or any(c.closed for c in state.contacts)
    fixing = isinstance(state.phase, Fixing) and (changed_teams(state.table, state.phase) or _open(state.phase))
    return bool(touched or fixing or state.phase.name == "CALLED")


def _open(phase: Fixing) -> bool:
    return any(count.cursor is not None for count in phase.counts)


def leads_to(was: Any, *, beats: bool) -> str:
    """Return the phase after all have tapped, by the phase of the death, and whether its game has beats."""
    if was.name in ("STARTING", "STOPPED"):
        return "STARTING" if was.play is None else "RESUMING"
    return ("RESUMING" if beats else "PLAYING") if was.name in RACES else _comes_back_as(was.name)


# -- people's actions afterwards ---------------------------------------------------------------------------------------


def go_on(table: Sitting, before: State, before_ns: int) -> Sitting:
    """Go back to the phase of `before`, as it was at `before_ns`."""
    name = before.phase.name
    table.wait(BREATH_NS)
    if name in ("AGREEMENT", "READY", "OVER", "POWER_BACK"):
        return table.tap(*sorted(before.phase.ready))  # type: ignore[attr-defined]
    if table.phase == "POWER_BACK":
        table.tap(*table.asked).wait(BREATH_NS)
    if name == table.phase == "VERDICT":  # the time left at its last row is longer
        left_ns = before.phase.until_at_ns - before_ns  # type: ignore[attr-defined]
        table.until(table.engine.state.phase.until_at_ns - left_ns)  # type: ignore[attr-defined]
    if name in _AGAIN:
        _AGAIN[name](table.wait(4 * S) if table.phase == "RESUMING" else table, before)
    return table


def _pause(table: Sitting, before: State) -> Sitting:
    table.press(KNOB, ns=400 * MS).wait(BREATH_NS)
    play = before.phase.play  # type: ignore[attr-defined]
    return _refused(table, play.burns) if getattr(play, "searched", False) else table


def _refused(table: Sitting, burns: int) -> Sitting:
    """Let all search once more, find nothing, and refuse to end the hand."""
    table.choose("Stuck, no play" if burns else "Stuck").wait(5 * S).wait(BREATH_NS)
    table.tap(*table.asked).wait(BREATH_NS)
    return table.hold(*table.asked).wait(BREATH_NS)


def _stuck(table: Sitting, before: State) -> Sitting:
    play = before.phase.play  # type: ignore[attr-defined]
    reserve = before.phase.pile == "reserve"  # type: ignore[attr-defined]
    again = "Burn" if reserve else "Stuck, no play" if play.burns else "Stuck"
    return _pause(table, before).choose(again)


def _search(table: Sitting, before: State) -> Sitting:
    _stuck(table, before).wait(5 * S).wait(BREATH_NS)
    return table.tap(*getattr(before.phase, "nothing", ()))


def _burn(table: Sitting, before: State) -> Sitting:
    if before.phase.play.searched:  # type: ignore[attr-defined]
        return _pause(table, before).choose("Once more")
    return _search(table, before).tap(*table.asked)


def _stop(table: Sitting, before: State) -> Sitting:
    stoppers = before.phase.stoppers  # type: ignore[attr-defined]
    if table.phase == "PLAYING":
        _pause(table, before).choose("Go on")
    table.wait(1200 * MS)
    return table.close(*stoppers).open(*stoppers).wait(BREATH_NS) if stoppers else table.press(KNOB, ns=400 * MS)


def _verdict(table: Sitting, before: State) -> Sitting:
    """Answer again, for those who had answered, whether the claim was right."""
    answers = dict(before.phase.answers)  # type: ignore[attr-defined]
    if answers:
        table.until(max(table.now_ns, table.engine.state.phase.answers_from_ns))  # type: ignore[attr-defined]
        table.tap(*(team for team, yes in answers.items() if yes)).hold(*(t for t, yes in answers.items() if not yes))
    return table


def _check(table: Sitting, before: State) -> Sitting:
    phase = before.phase
    assert isinstance(phase, Checking)
    return table.choose("Device").choose("Check").wait(BREATH_NS).tap(*phase.pressed).turn(phase.turned)


def _fix(table: Sitting, before: State) -> Sitting:
    ready = sorted(getattr(before.phase.inner, "ready", ()))  # type: ignore[attr-defined]
    return table.tap(*ready).choose("Fix")


_AGAIN: dict[str, Callable[[Sitting, State], Sitting]] = {
    "PLAYING": lambda table, before: table,
    "TIMEOUT": _pause,
    "STUCK": _stuck,
    "SEARCH": _search,
    "BURNING": _burn,
    "STOPPED": _stop,
    "VERDICT": _verdict,
    "CHECK": _check,
    "FIXING": _fix,
}
