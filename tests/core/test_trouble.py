"""Contact and power faults: no call is lost or invented."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.core.match.advance import advance
from referee.core.match.engine import Engine
from referee.core.match.viewer import view
from referee.core.model.events import Fact, Opened, Ruled, Turned
from referee.core.model.state import TRAIL, State
from referee.core.model.table import Setup
from referee.core.model.view import ReadyScreen, VerdictScreen
from referee.core.phases.call import Called
from referee.core.phases.lobby import new_state
from referee.core.phases.power_back import PowerBack
from referee.core.phases.verdict import Judged
from referee.core.presses.signals import KNOB, Edge, Mode
from referee.core.units import MS, S
from referee.core.values import Value
from tests.core.sitting import BREATH_NS, ERR_NS, Sitting

SPIKE_NS = 50_000
CHATTER_NS = 100_000
"""Half a period at 5 kHz."""
EVERYBODY = ("1", "2", "3", "4")


def lobby() -> Sitting:
    return Sitting().tap("1", "2").wait(BREATH_NS)


def ready() -> Sitting:
    """Return READY after the deal, without taps."""
    return Sitting().seated("1", "2").wait(BREATH_NS)


def starting() -> Sitting:
    """Return a table between the first beat and Go."""
    return ready().tap("1", "2").wait(1500 * MS)


def playing() -> Sitting:
    return Sitting().playing("1", "2")


def timeout() -> Sitting:
    return playing().press(KNOB, ns=400 * MS).wait(BREATH_NS)


def resuming() -> Sitting:
    return timeout().push()


def stopped() -> Sitting:
    return starting().press("1").wait(BREATH_NS)


def verdict() -> Sitting:
    return playing().press("1").wait(200 * MS)


def counting() -> Sitting:
    return Sitting().counting("1", "1", "2")


def power_back() -> Sitting:
    return playing().power_cut().wait(BREATH_NS)


def over() -> Sitting:
    table = Sitting()
    table.playing("1", "2")
    while table.phase != "OVER":
        if table.phase != "PLAYING":
            table.wait(BREATH_NS).playing("1", "2")
        table.press("1").wait(5 * S).wait(BREATH_NS)
        table.count("1", 0, 52, caller=True).count("2", 0, 0).wait(4 * S)
    return table.wait(BREATH_NS)


MOMENTS: tuple[Callable[[], Sitting], ...] = (
    lobby,
    ready,
    starting,
    stopped,
    playing,
    timeout,
    resuming,
    verdict,
    counting,
    power_back,
    over,
)


@cache
def _reached(moment: Callable[[], Sitting]) -> Sitting:
    return moment()


def at(moment: Callable[[], Sitting]) -> Sitting:
    """Return a table in that phase. Each is played once; its frozen values are shared."""
    kept = _reached(moment)
    table = copy(kept)
    table.rows, table.cues, table.engine = list(kept.rows), [], Engine.restored(kept.rows)
    return table


def atoms(value: object) -> int:
    """Return the size of a value: its leaves, without those that remembered states share."""
    if isinstance(value, State):
        return sum(atoms(getattr(value, name)) for name in value.__struct_fields__ if name not in ("undo", "redo"))
    if isinstance(value, Value):
        return sum(atoms(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, Mapping):
        return sum(atoms(item) for item in value.values())
    if isinstance(value, tuple | list | frozenset):
        return 1 + sum(atoms(item) for item in value)
    return 1


# -- a button that stays down --------------------------------------------------------------------------------------


def test_a_player_whose_button_is_down_at_boot_is_waited_for() -> None:
    """Its owner could not call."""
    table = Sitting().seated("1", "2", "3").power_cut(closed=("3",)).wait(BREATH_NS).tap("1", "2").wait(60 * S)
    assert [label.numbers for label in table.screen(ReadyScreen).waiting] == [(3,)]
    assert table.lit == "steady steady fault dark"
    table.open("3").tap("3")
    assert table.phase == "STARTING"


# -- a dirty contact -----------------------------------------------------------------------------------------------


def chatter(station: str, from_ns: int, ns: int, closed_ns: int = CHATTER_NS) -> Iterator[Edge]:
    """Yield the rows of a contact that closes and opens 5,000 times a second."""
    for at in range(from_ns, from_ns + ns, 2 * CHATTER_NS):
        yield Edge(station, True, at, ERR_NS)
        yield Edge(station, False, at + closed_ns, ERR_NS)


def dirty(table: Sitting, station: str, ns: int, closed_ns: int = CHATTER_NS) -> tuple[int, int]:
    """Feed chatter a millisecond at a time, like the live loop.

    Return the state's size early and late.
    """
    sizes = []
    for begin in range(table.now_ns, table.now_ns + ns, 20 * MS):
        table.engine.intake(list(chatter(station, begin, 20 * MS, closed_ns)), begin + 20 * MS)
        sizes.append(atoms(table.engine.state))
    table.now_ns += ns
    table._collect()
    return max(sizes[10:40]), max(sizes[40:])


@pytest.mark.parametrize("closed_ns", [5_000, CHATTER_NS])
def test_chatter_in_play_is_one_press_at_most_and_takes_no_room(closed_ns: int) -> None:
    """Closed for 1 ms in all it is one press. Less is none."""
    table = playing()
    early, late = dirty(table, "2", 1200 * MS, closed_ns)
    assert late <= early
    assert len(table.decisions(Ruled)) == (closed_ns == CHATTER_NS)
    assert len(table.engine.state.trail) <= TRAIL


def test_somebody_elses_call_is_judged_rightly_beside_a_chattering_contact() -> None:
    table = playing()
    dirty(table, "2", 1 * S, 5_000)
    at = table.now_ns
    rows = sorted(
        [*chatter("2", at, 200 * MS, 5_000), Edge("1", True, at + 5 * MS + 1, ERR_NS)], key=lambda row: row.t_ns
    )
    table.engine.intake(rows, at + 200 * MS)
    table._collect()
    [ruled] = table.decisions(Ruled)
    assert (ruled.verdict.kind, ruled.verdict.grey, ruled.verdict.callers) == ("clear", False, ("1",))
    assert [(press.station, press.t_ns) for press in ruled.verdict.presses] == [("1", at + 5 * MS + 1)]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_spike_of_50_us_is_nothing(moment: Callable[[], Sitting]) -> None:
    """Induction on the cable."""
    table, still = at(moment), at(moment)
    for spike in range(3):
        table.edges(("2", True, spike * 20 * MS), ("2", False, spike * 20 * MS + SPIKE_NS))
        table.edges(("3", False, 0), ("3", True, SPIKE_NS), ("3", False, 2 * SPIKE_NS))
    table.wait(100 * MS)
    still.until(table.now_ns)
    assert table.phase == still.phase
    assert [type(event) for _, event in table.rows if not isinstance(event, Edge)][: len(still.rows)]
    assert (table.view.screen, table.lit) == (still.view.screen, still.lit)
    assert sum(contact.spikes for contact in table.engine.state.contacts) >= 6


def test_lost_events_make_a_verdict_grey_rather_than_wrong() -> None:
    """The press may have begun anywhere in the gap."""
    table = playing()
    at = table.now_ns
    rows = [Edge("2", True, at + 5 * MS, ERR_NS), Edge("1", True, at + 30 * MS, ERR_NS + 60 * MS)]
    table.engine.intake(rows, at + 300 * MS)
    table._collect()
    [ruled] = table.decisions(Ruled)
    assert ruled.verdict.grey
    assert [press.err_ns for press in ruled.verdict.presses] == [ERR_NS, ERR_NS + 60 * MS]


# -- random input --------------------------------------------------------------------------------------------------

TOUCHES = st.tuples(
    st.sampled_from((*EVERYBODY, *EVERYBODY, KNOB)),
    st.booleans(),
    st.sampled_from((0, 0, 1, 40_000, 300_000, 999_999, MS, 3 * MS, 10 * MS, 41 * MS, 120 * MS, 900 * MS, 3 * S)),
)
BATCH = st.integers(1, 6)


@st.composite
def panics(draw: st.DrawFn) -> list[tuple[str, bool, int] | int]:
    """Draw mashing, leaning, presses of all, spikes and bounces. A number is a turn of the knob."""
    return draw(st.lists(TOUCHES | st.sampled_from((-2, -1, 1, 3)), min_size=4, max_size=40))


@settings(max_examples=80)
@example(playing, [("1", True, 0), ("2", True, 3 * MS), ("1", False, 120 * MS), ("2", False, 0)], 1, ERR_NS)
@example(timeout, [(KNOB, True, 0), (KNOB, False, 120 * MS), ("1", True, 3 * S), ("1", True, 3 * S)], 1, 15 * MS)
@given(st.sampled_from(MOMENTS), panics(), BATCH, st.sampled_from((0, ERR_NS, 15 * MS)))
def test_no_call_is_ever_lost(
    moment: Callable[[], Sitting], panic: list[tuple[str, bool, int] | int], batch: int, err_ns: int
) -> None:
    table = at(moment)
    before = atoms(table.engine.state)
    facts = list(_facts(table.now_ns, panic, err_ns))
    for begin in range(0, len(facts), batch):
        some = facts[begin : begin + batch]
        _take_in(table, some, max(_at(fact) for fact in some))
    _take_in(table, [], table.now_ns + 30 * S)
    assert atoms(table.engine.state) <= before + 4_000
    assert Engine.restored(table.rows).state == table.engine.state
    _every_call_is_judged(table)


def _at(fact: Fact) -> int:
    return fact.t_ns if isinstance(fact, Edge) else fact.at_ns


def _facts(now_ns: int, panic: list[tuple[str, bool, int] | int], err_ns: int) -> Iterator[Fact]:
    for touch in panic:
        if isinstance(touch, int):
            yield Turned(now_ns, touch)
        else:
            station, closed, pause_ns = touch
            now_ns += pause_ns
            yield Edge(station, closed, now_ns, err_ns)


def _take_in(table: Sitting, facts: list[Fact], through_ns: int) -> None:
    """Take the rows, then check that no deadline is in the past and every view can be drawn."""
    table.engine.intake(facts, through_ns)
    table.now_ns = through_ns
    table._collect()
    due = table.engine.deadline_ns
    assert due is None or due > through_ns
    shown = view(table.engine.state, through_ns)
    assert shown.changes_at_ns is None or shown.changes_at_ns > through_ns


def _every_call_is_judged(table: Sitting) -> None:
    """Check that the next verdict names every press that was confirmed in play."""
    opened = table.rows[0][1]
    assert isinstance(opened, Opened)
    state = new_state(Setup.from_document(opened.setup), opened.at_ns, opened.boot)
    calling: set[tuple[str, int]] = set()
    for _, event in table.rows:
        before, state = state, advance(state, event).state
        if isinstance(state.phase, Called):
            calling |= {(press.station, press.t_ns) for press in state.phase.armed.presses}
            assert _confirmed(before, state) & set(state.phase.armed.team_of) <= {station for station, _ in calling}
        elif isinstance(event, Ruled):
            told = event.verdict
            listed = (*told.presses, *(late for late, _ in told.late), *told.ignored)
            assert calling == {(press.station, press.t_ns) for press in listed}
            assert set(told.callers) <= {press.team for press in told.presses}
            assert isinstance(state.phase, Judged | PowerBack)
            calling = set()
    assert not calling


def _confirmed(before: State, after: State) -> set[str]:
    """Return the stations whose press became certain between the two states."""
    pairs = zip(before.contacts, after.contacts, strict=True)
    return {new.station for old, new in pairs if old.mode is Mode.BURST and new.mode is Mode.SPENT}


# -- cases found by random input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["beats", "resume", "vote"])
def test_only_a_pause_out_of_play_knows_calls_from_before_it(moment: str) -> None:
    table = playing().press(KNOB, ns=400 * MS)
    if moment == "resume":
        table.push().wait(1500 * MS).edges((KNOB, True, 0), ("2", True, 299_500_000)).wait(50 * MS)
    else:
        table.choose("Stuck").wait(5 * S + BREATH_NS).tap("1", "2").wait(500 * MS)
    if moment == "vote":
        table = playing().press(KNOB, ns=400 * MS).choose("Void hand")
        table.until(table.engine.state.phase.until_at_ns - 500_000).close("2")  # type: ignore[attr-defined]
    elif moment == "beats":
        table.edges(("1", True, 0), ("2", True, 500_000)).wait(50 * MS)
    assert table.phase == "TIMEOUT"


def test_a_slow_push_on_go_on_does_not_pause_again() -> None:
    table = timeout().press(KNOB, ns=1 * S)
    assert table.phase == "RESUMING"


def test_a_press_after_a_power_cut_is_not_compared_with_a_call_before_it() -> None:
    table = verdict()
    [ruled] = table.decisions(Ruled)
    table.power_cut(at_ns=ruled.verdict.deadline_ns - 800 * MS).wait(BREATH_NS).tap("1", "2")
    before = table.screen(VerdictScreen)
    table.press("2")
    assert table.screen(VerdictScreen).later == before.later == ()


def test_who_is_done_at_the_knob_is_not_kept_waiting() -> None:
    table = verdict().wait(3500 * MS).push().wait(2 * S).choose("Void hand").wait(BREATH_NS).hold("1", "2")
    assert table.wait(1 * S).phase == "COUNTING"


def test_who_has_looked_at_the_photo_is_not_kept_waiting() -> None:
    table = playing().close("1", "2").wait(200 * MS).open("1", "2").turn(1).wait(2 * S).turn(1).wait(1 * S).turn(-1)
    assert table.wait(3900 * MS).phase == "VERDICT"
    assert table.wait(200 * MS).phase == "COUNTING"
    table = playing().edges(("1", True, 0), ("2", True, 20_300_000)).wait(100 * MS).open("1", "2").turn(1).turn(-1)
    assert table.wait(10 * S).phase == "VERDICT"
    assert table.wait(5 * S).phase == "COUNTING"
