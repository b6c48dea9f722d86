"""Presses to a verdict: each promise of ARBITER.md, its boundaries, and the whole against the model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from referee.core.documents.trace import document
from referee.core.presses.arbiter import (
    Call,
    CalledPress,
    Court,
    Law,
    Verdict,
    arbitrate,
    calls_of,
    judge,
    press,
    rule,
    verdict_due_ns,
)
from referee.core.presses.signals import (
    DRAIN_NS,
    FOREVER_NS,
    Contact,
    Edge,
    Press,
    Pressed,
    Signal,
    behind_ns,
    meet,
    next_ns,
    presses_of,
    settle,
)
from referee.core.units import MS, US, S
from referee.core.values import replace
from tests.core.presses import arbiter_model as model
from tests.core.presses import wired
from tests.core.presses.arbiter_rows import ERRS_NS, LAWS, STATIONS, arrived, row, tap, traces

TABLE = Law()
"""W 20, C 10, L 30, K 2,000 ms: D is 60 ms after the first press of no error."""
WIRED = Law(latency_ns=0)
ALONE = {station: station for station in STATIONS}


def pressed(station: str, t_ns: int, err_ns: int = 0, arrived_ns: int | None = None, order: int = 0) -> Press:
    """A press as the debouncer gives it."""
    return Press(station, t_ns, err_ns, t_ns if arrived_ns is None else arrived_ns, order)


def call_of(presses: Sequence[Press]) -> Call:
    """A call of which these are in; its deadline does not matter."""
    return Call(0, {p.station: p for p in presses})


def judged(*presses: Press, law: Law = TABLE, team_of: Mapping[str, str] = ALONE) -> Verdict:
    """The verdict on presses that are all in."""
    return judge(call_of(presses), law, team_of)


def names(verdict: Verdict) -> tuple[list[str], list[str], list[str]]:
    """Stations in `presses`, `late` and `ignored`."""
    return (
        [p.station for p in verdict.presses],
        [p.station for p, _ in verdict.late],
        [p.station for p in verdict.ignored],
    )


# -- the law -------------------------------------------------------------------------------------------------------


def test_the_law_s_figures() -> None:
    """The table's defaults (ARBITER.md): 20, 10, 30, 2,000 ms."""
    assert Law(20 * MS, 10 * MS, 30 * MS, 2 * S) == TABLE


@pytest.mark.parametrize("name", ["tie_ns", "max_err_ns", "latency_ns"])
def test_negative_settings_are_refused(name: str) -> None:
    """Zero is a setting (a photo finish), less is none."""
    assert getattr(replace(TABLE, **{name: 0}), name) == 0
    with pytest.raises(ValueError, match=rf"^{name} must not be negative, not -1$"):
        replace(TABLE, **{name: -1})


def test_a_lockout_below_100_ms_is_refused() -> None:
    """Exactly 100 ms is allowed."""
    assert Law(lockout_ns=100 * MS).lockout_ns == 100 * MS
    with pytest.raises(ValueError, match=r"^lockout_ns must be at least 100000000, not 99999999$"):
        Law(lockout_ns=100 * MS - 1)


# -- callers -------------------------------------------------------------------------------------------------------


def test_no_press_no_call() -> None:
    """Nothing comes of nothing, nor of a spike."""
    assert arbitrate([], TABLE) == ()
    assert arbitrate([row("red", "closed", 0), row("red", "open", 0.05)], TABLE) == ()


def test_one_press_is_a_clear_call_with_everything_in_it() -> None:
    """All fields of the verdict, by hand."""
    assert arbitrate(tap("red", 7, 2), TABLE) == (
        Verdict(
            kind="clear",
            grey=False,
            callers=("red",),
            first="red",
            window_ns=20 * MS,
            deadline_ns=69 * MS,
            presses=(CalledPress("red", "red", 7 * MS, 2 * MS),),
            late=(),
            ignored=(),
        ),
    )


@pytest.mark.parametrize(("gap", "kind"), [(20 * MS, "tie"), (20 * MS + 1, "clear")], ids=["W", "W + 1 ns"])
def test_presses_up_to_w_apart_are_a_tie(gap: int, kind: str) -> None:
    """The window is closed: exactly W is a tie, and neither side of it is grey without errors."""
    verdict = judged(pressed("red", 0), pressed("blue", gap))
    assert (verdict.kind, verdict.grey, verdict.first) == (kind, False, "red")
    assert verdict.callers == (("red", "blue") if kind == "tie" else ("red",))


def test_the_same_nanosecond_is_a_tie_named_in_order_of_names() -> None:
    """Even with W = 0; the order of arrival decides nothing."""
    verdict = judged(pressed("red", 5, order=0), pressed("blue", 5, order=1), law=replace(TABLE, tie_ns=0))
    assert (verdict.kind, verdict.grey) == ("tie", False)
    assert (verdict.callers, verdict.first) == (("blue", "red"), "blue")


def test_the_first_caller_has_the_smallest_time_whatever_its_error() -> None:
    """t orders callers; errors only say who is one."""
    verdict = judged(pressed("red", 10 * MS, 0), pressed("blue", 9 * MS, 300 * MS))
    assert verdict.first == "blue"


@pytest.mark.parametrize(("err", "caller"), [(10 * MS, True), (10 * MS - 1, False), (400 * MS, True)])
def test_an_error_helps_its_owner_up_to_the_cap(err: int, caller: bool) -> None:
    """30 ms behind with W = 20: an error of C is needed, and C is what counts of a larger one."""
    verdict = judged(pressed("red", 0), pressed("blue", 30 * MS, err))
    assert ("blue" in verdict.callers) is caller


def test_an_error_beyond_the_cap_does_not_help_its_owner() -> None:
    """A nanosecond more than W + C behind is not a caller, whatever error it states."""
    verdict = judged(pressed("red", 0), pressed("blue", 30 * MS + 1, 400 * MS))
    assert (verdict.callers, verdict.grey) == (("red",), True)


def test_one_s_error_helps_the_others_in_full() -> None:
    """The leader's t + e counts uncapped: somebody W + e behind it is a caller."""
    assert judged(pressed("red", 0, 40 * MS), pressed("blue", 60 * MS)).callers == ("red", "blue")
    assert judged(pressed("red", 0, 40 * MS), pressed("blue", 60 * MS + 1)).callers == ("red",)


@pytest.mark.parametrize(
    ("gap", "grey"),
    [(17 * MS, False), (17 * MS + 1, True), (23 * MS, True), (23 * MS + 1, False)],
    ids=["surely a tie", "perhaps not", "perhaps a tie", "surely clear"],
)
def test_grey_is_where_the_errors_leave_it_open(gap: int, grey: bool) -> None:
    """Errors of 1 and 2 ms: the band is W - 3 ms to W + 3 ms, its lower end certain, its upper end open."""
    assert judged(pressed("red", 0, MS), pressed("blue", gap, 2 * MS)).grey is grey
    assert judged(pressed("red", 0, 2 * MS), pressed("blue", gap, MS)).grey is grey


def test_one_press_is_never_grey() -> None:
    """An empty minimum is infinite: alone it is certain, whatever its error."""
    assert not judged(pressed("red", 0, 10 * S)).grey


def test_a_third_press_in_doubt_makes_it_grey() -> None:
    """Some press, not only the first two."""
    sure = [pressed("red", 0), pressed("blue", 5 * MS)]
    assert not judged(*sure, pressed("gold", 50 * MS, MS)).grey
    assert judged(*sure, pressed("gold", 20 * MS + 1, MS)).grey


# -- clocks --------------------------------------------------------------------------------------------------------


def on(clock: str, station: str, t_ns: int, err_ns: int, rel_err_ns: int | None = None) -> Press:
    """A press on a pod's clock."""
    return replace(pressed(station, t_ns, err_ns), clock=clock, rel_err_ns=rel_err_ns)


PHOTO = replace(TABLE, tie_ns=0)


def test_two_buttons_of_one_pod_a_microsecond_apart_are_never_grey_in_photo_mode() -> None:
    """0.4 microseconds each on a clock that may be 5 ms off the host's; of two pods, or of no clock, they are grey."""
    one, other = on("a", "red", 0, 5 * MS, 400), on("a", "blue", 1_000, 5 * MS, 400)
    verdict = judged(one, other, law=PHOTO)
    assert (verdict.callers, verdict.grey) == (("red",), False)
    assert judged(one, replace(other, clock="b"), law=PHOTO).grey
    assert judged(replace(one, clock=None), replace(other, clock=None), law=PHOTO).grey


def test_an_error_within_the_clock_that_is_not_given_is_the_whole_error() -> None:
    """Naming a clock alone says nothing."""
    one, other = on("a", "red", 0, 5 * MS), on("a", "blue", 10 * MS, 5 * MS)
    assert judged(one, other, law=PHOTO).grey
    assert not judged(one, replace(other, rel_err_ns=5 * MS - 1), law=PHOTO).grey


def test_of_one_clock_only_the_own_error_makes_a_caller() -> None:
    """Up to the cap, and the other's in full: 20 ms and 2 ms and 3 ms behind is the last that is one."""
    ahead = on("a", "red", 0, 400 * MS, 2 * MS)
    assert judged(ahead, on("a", "blue", 25 * MS, 400 * MS, 3 * MS)).callers == ("red", "blue")
    assert judged(ahead, on("a", "blue", 25 * MS + 1, 400 * MS, 3 * MS)).callers == ("red",)
    assert judged(ahead, on("a", "blue", 32 * MS, 400 * MS, 11 * MS)).callers == ("red", "blue")
    assert judged(ahead, on("a", "blue", 32 * MS + 1, 400 * MS, 11 * MS)).callers == ("red",)


def test_each_pair_is_compared_by_its_own_errors() -> None:
    """Blue is surely behind red, their pod's; about gold, on no clock, both stay in doubt."""
    red, blue = on("a", "red", 0, 30 * MS, MS), on("a", "blue", 23 * MS, 30 * MS, MS)
    assert judged(red, blue).grey is False
    assert judged(red, blue, pressed("gold", 10 * MS)).grey is True
    assert judged(red, blue, pressed("gold", 80 * MS)).callers == ("red",)


def test_a_pair_is_certain_press_by_press() -> None:
    """A is surely within W of gold by red, of gold's pod, and of mint by blue, of mint's; by neither of both."""
    presses = [
        on("a", "red", 0, 90 * MS, 0),
        on("b", "blue", 0, 90 * MS, 0),
        on("a", "gold", 1 * MS, 90 * MS, 0),
        on("b", "mint", 1 * MS, 90 * MS, 0),
    ]
    assert not judged(*presses, team_of=PAIRS).grey
    assert judged(*presses[:1], *presses[2:], team_of=PAIRS).grey


def test_a_pod_that_restarted_has_another_clock() -> None:
    """Two presses of one pod, before and after, are compared as those of two."""
    before, after = on("a/1", "red", 0, 5 * MS, 400), on("a/2", "blue", 9 * MS, 5 * MS, 400)
    assert judged(before, after, law=PHOTO).grey
    assert not judged(before, replace(after, clock="a/1"), law=PHOTO).grey


def test_late_evidence_would_be_first_by_the_errors_of_each_pair() -> None:
    """A microsecond before its pod's press; a wired press of the call must be behind the whole error."""
    rows = [
        Edge("red", True, 10 * MS, 5 * MS, 10 * MS, "a", 400),
        Edge("blue", True, 10 * MS - 1_000, 5 * MS, 500 * MS, "a", 400),
    ]
    (verdict,) = arbitrate(rows, TABLE)
    assert [would for _, would in verdict.late] == [True]
    for wired_ns, would in ((15 * MS - 1_000, False), (15 * MS, True)):
        (verdict,) = arbitrate([Edge("gold", True, wired_ns, 0, 10 * MS), *rows], TABLE)
        assert [first for _, first in verdict.late] == [would]


# -- teams ---------------------------------------------------------------------------------------------------------

PAIRS = {"red": "A", "blue": "A", "gold": "B", "mint": "B"}


def test_partners_never_tie_each_other() -> None:
    """They are not compared; both presses are listed."""
    verdict = judged(pressed("blue", 5), pressed("red", 0), team_of=PAIRS)
    assert (verdict.kind, verdict.grey, verdict.callers, verdict.first) == ("clear", False, ("A",), "A")
    assert verdict.presses == (CalledPress("A", "red", 0, 0), CalledPress("A", "blue", 5, 0))


def test_a_team_is_named_once_and_stands_by_its_earliest_caller() -> None:
    """Equal ones by name."""
    presses = [pressed("mint", 4), pressed("red", 6), pressed("gold", 6), pressed("blue", 9)]
    verdict = judged(*presses, team_of=PAIRS)
    assert (verdict.kind, verdict.callers, verdict.first) == ("tie", ("B", "A"), "B")
    assert judged(*presses[1:3], team_of={"red": "Y", "gold": "Z"}).callers == ("Y", "Z")


def test_a_partner_s_uncertain_press_can_put_the_team_earlier() -> None:
    """The team's true time is its stations' earliest, so the doubt of either is the team's."""
    sure, other = pressed("red", 20 * MS), pressed("gold", 41 * MS)
    assert not judged(sure, other, pressed("blue", 21 * MS), team_of=PAIRS).grey
    assert judged(sure, other, pressed("blue", 90 * MS, 90 * MS), team_of=PAIRS).grey is False
    assert judged(sure, pressed("gold", 0), pressed("blue", 21 * MS, 22 * MS), team_of=PAIRS).grey is False
    assert judged(sure, pressed("gold", 39 * MS), pressed("blue", 21 * MS, 22 * MS), team_of=PAIRS).grey


def test_a_team_is_a_caller_by_any_of_its_presses() -> None:
    """Also by the later one, where that is the one in doubt and the error that is capped is its own."""
    presses = [pressed("gold", 0), pressed("red", 21 * MS), pressed("blue", 22 * MS, 2 * MS)]
    verdict = judged(*presses, team_of=PAIRS)
    assert (verdict.callers, verdict.grey) == (("B", "A"), True)
    assert judged(*presses[:2], team_of=PAIRS).callers == ("B",)


def test_a_station_without_a_team_is_its_own() -> None:
    """As in `referee arbitrate`."""
    assert judged(pressed("knob", 0), team_of={}).callers == ("knob",)


# -- the deadline, in and late -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arrival", "inside"), [(60 * MS, True), (60 * MS + 1, False)], ids=["at D", "after D"])
def test_in_is_what_arrived_by_the_deadline(arrival: int, inside: bool) -> None:
    """D = min (t + e) + W + C + L; a row that arrives exactly then is in."""
    call, *others = calls_of([pressed("red", 0), pressed("blue", 1, 0, arrival, 1)], TABLE)
    assert (call.deadline_ns, others) == (60 * MS, [])
    assert ("blue" in call.taken, "blue" in call.late) == (inside, not inside)


def test_the_deadline_falls_with_each_press_that_is_in() -> None:
    """It is the smallest t + e, capped by nothing, and never rises."""
    presses = [
        pressed("red", 50 * MS, 40 * MS, 50 * MS, 0),
        pressed("blue", 30 * MS, 5 * MS, 90 * MS, 1),
        pressed("gold", 20 * MS, 30 * MS, 95 * MS, 2),
    ]
    assert [calls_of(presses[:n], TABLE)[0].deadline_ns for n in (1, 2, 3)] == [150 * MS, 95 * MS, 95 * MS]
    call = calls_of([*presses, pressed("mint", 0, 0, 95 * MS + 1, 3)], TABLE)[0]
    assert (list(call.taken), list(call.late)) == (["red", "blue", "gold"], ["mint"])


def test_what_was_in_stays_in_though_the_deadline_fell_below_it() -> None:
    """Red arrived by the deadline as it stood then, before blue's earlier press was known."""
    presses = [
        pressed("gold", 100 * MS, 0, 100 * MS, 0),
        pressed("red", 90 * MS, 0, 150 * MS, 1),
        pressed("blue", 10 * MS, 0, 150 * MS, 2),
        pressed("mint", 90 * MS, 0, 150 * MS, 3),
    ]
    call, *others = calls_of(presses, TABLE)
    assert (call.deadline_ns, others) == (70 * MS, [])
    assert (list(call.taken), call.late, call.ignored) == (["gold", "red", "blue"], {}, [presses[3]])


@pytest.mark.parametrize(("t", "late"), [(60 * MS, True), (60 * MS + 1, False)], ids=["t at D", "t after D"])
def test_late_is_what_happened_by_the_deadline_and_came_after_it(t: int, late: bool) -> None:
    """A later t is ignored, which is listed."""
    call = calls_of([pressed("red", 0), pressed("blue", t, 0, 90 * MS, 1)], TABLE)[0]
    assert (list(call.late), len(call.ignored)) == ((["blue"], 0) if late else ([], 1))


@pytest.mark.parametrize(("t", "err", "would"), [(4, 0, True), (5, 0, False), (3, 1, True), (3, 2, False)])
def test_would_be_first_is_certain(t: int, err: int, would: bool) -> None:
    """Smaller than every t - e of the call's presses: 7 - 2 = 5 here; never reverses the verdict."""
    rows = arrived(tap("red", 10), [Edge("blue", True, 7, 2, 7)], [Edge("gold", True, t, err, 500 * MS)])
    (verdict,) = arbitrate(rows, TABLE)
    assert verdict.callers == ("blue", "red")
    assert verdict.late == ((CalledPress("gold", "gold", t, err), would),)


def test_a_station_has_one_press_in_presses_and_late_together() -> None:
    """What it presses further in the same call is ignored, on either side of the deadline."""
    presses = [
        pressed("red", 0),
        pressed("red", 50 * MS, order=1),
        pressed("blue", 10 * MS, 0, 70 * MS, 2),
        pressed("blue", 40 * MS, 0, 75 * MS, 3),
        pressed("red", 500 * MS, order=4),
    ]
    call = calls_of(presses, TABLE)[0]
    assert (list(call.taken), list(call.late)) == (["red"], ["blue"])
    assert call.ignored == [presses[1], presses[3], presses[4]]


def test_a_call_s_first_press_is_in_however_late_it_came() -> None:
    """It opened the call, after its own deadline."""
    (call,) = calls_of([pressed("red", 0, 0, S), pressed("blue", 0, 0, S, 1)], TABLE)
    assert (call.deadline_ns, list(call.taken), list(call.late)) == (60 * MS, ["red"], ["blue"])


def test_equal_arrivals_count_in_the_order_in_which_they_stand() -> None:
    """Names never decide it."""
    both = [pressed("zoe", 0, 0, S, 7), pressed("amy", 0, 0, S, 8)]
    assert list(calls_of(both, TABLE)[0].taken) == ["zoe"]
    assert list(calls_of(both[::-1], TABLE)[0].taken) == ["zoe"]


# -- lockout and further calls -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("t", "count"), [(2_060 * MS - 1, 1), (2_060 * MS, 2)], ids=["before D + K", "at D + K"])
def test_the_next_call_opens_a_lockout_after_the_deadline(t: int, count: int) -> None:
    """Before it a press is ignored."""
    calls = calls_of([pressed("red", 0), pressed("blue", t, order=1)], TABLE)
    assert len(calls) == count
    assert len(calls[0].ignored) == 2 - count


def test_a_press_belongs_to_the_call_of_its_time_whenever_it_arrives() -> None:
    """Late evidence on the first of three calls arrives after the third began."""
    presses = [
        pressed("red", 0),
        pressed("red", 3 * S, order=1),
        pressed("red", 6 * S, order=2),
        pressed("blue", 10 * MS, 0, 6 * S + 1, 3),
        pressed("gold", 4 * S, 0, 6 * S + 2, 4),
        pressed("mint", 6 * S, 0, 6 * S + 3, 5),
    ]
    calls = calls_of(presses, TABLE)
    assert [list(c.taken) for c in calls] == [["red"], ["red"], ["red", "mint"]]
    assert [list(c.late) for c in calls] == [["blue"], [], []]
    assert [c.ignored for c in calls] == [[], [presses[4]], []]


def test_a_press_of_the_call_before_is_not_in_though_it_arrived_in_time_for_this_one() -> None:
    """The lockout ended at or before its t, or it belongs to the earlier call."""
    law = replace(TABLE, lockout_ns=100 * MS)
    opening = pressed("red", 160 * MS, order=1)
    before = pressed("blue", 160 * MS - 1, 0, 165 * MS, 2)
    calls = calls_of([pressed("red", 0), opening, before], law)
    assert [list(c.taken) for c in calls] == [["red"], ["red"]]
    assert calls[0].ignored == [before]
    calls = calls_of([pressed("red", 0), opening, replace(before, t_ns=160 * MS)], law)
    assert list(calls[1].taken) == ["red", "blue"]


def test_presses_of_the_call_before_keep_their_order() -> None:
    """The first of a station's two is the late one, also when both arrived while the next call was open."""
    law = replace(TABLE, lockout_ns=100 * MS)
    both = [pressed("blue", 10 * MS, 0, 165 * MS, 2), pressed("blue", 40 * MS, 0, 165 * MS, 3)]
    calls = calls_of([pressed("red", 0), pressed("red", 160 * MS, order=1), *both], law)
    assert (calls[0].late, calls[0].ignored) == ({"blue": both[0]}, both[1:])


def test_a_press_a_lockout_later_is_not_in_though_it_arrived_before_the_deadline() -> None:
    """An error of seconds allows that; it waits for the call that it opens."""
    far = pressed("blue", 3 * S, 4 * S, 1 * MS, 1)
    calls = calls_of([pressed("red", 0), far, pressed("gold", 5 * MS, order=2)], TABLE)
    assert [list(c.taken) for c in calls] == [["red", "gold"], ["blue"]]
    near = replace(far, t_ns=2_060 * MS)
    assert [list(c.taken) for c in calls_of([pressed("red", 0), near], TABLE)] == [["red"], ["blue"]]
    nearer = replace(far, t_ns=2_060 * MS - 1)
    assert [list(c.taken) for c in calls_of([pressed("red", 0), nearer], TABLE)] == [["red", "blue"]]


def test_bursts_that_proved_spikes_never_move_the_deadline() -> None:
    """Only presses do."""
    rows = arrived([row("blue", "closed", 0), row("blue", "open", 0.05)], tap("red", 5))
    (verdict,) = arbitrate(rows, TABLE)
    assert verdict.deadline_ns == 65 * MS


# -- promises ------------------------------------------------------------------------------------------------------


@st.composite
def in_presses(draw: st.DrawFn, least: int = 1) -> list[Press]:
    """Presses of one call, one a station, close enough for the windows to matter; each on a clock of its own or not.

    On one clock e is what the clock may be off, for all the same, and the press's own r.
    """
    count = draw(st.integers(least, len(STATIONS)))
    errs = st.sampled_from(ERRS_NS) | st.integers(0, 12 * MS)
    shared_ns = {clock: draw(errs) for clock in (None, "pod-a", "pod-b")}
    presses = []
    for order, station in enumerate(STATIONS[:count]):
        clock = draw(st.sampled_from((None, "pod-a", "pod-a", "pod-b")))
        t_ns, own_ns = draw(st.integers(0, 60 * MS)), draw(errs)
        if clock is None:
            presses.append(pressed(station, t_ns, own_ns, 50 * MS, order))
        else:
            one = pressed(station, t_ns, shared_ns[clock] + own_ns, 50 * MS, order)
            presses.append(replace(one, clock=clock, rel_err_ns=own_ns))
    return presses


def own_err(p: Press) -> int:
    """The error of a press that its clock's other presses do not share."""
    return p.err_ns if p.rel_err_ns is None else p.rel_err_ns


def truth(presses: Sequence[Press], off: Mapping[str | None, int], own: Sequence[int]) -> dict[str, int]:
    """True times: each clock off by as much (-1: all early, 1: all late), each press beside it within its bounds."""
    true = {}
    for p, sign in zip(presses, own, strict=True):
        shared_ns = off[p.clock] * (p.err_ns - own_err(p))
        true[p.station] = p.t_ns + shared_ns + sign * own_err(p)
    return true


def corners(presses: Sequence[Press]) -> Iterator[dict[str, int]]:
    """Every choice of true times at the ends of what is possible: one offset a clock."""
    clocks = sorted({p.clock for p in presses if p.clock})
    for offsets in product((-1, 0, 1), repeat=len(clocks)):
        off = dict(zip(clocks, offsets, strict=True)) | {None: 0}
        for own in product((-1, 0, 1), repeat=len(presses)):
            yield truth(presses, off, own)


def right_callers(true: Mapping[str, int], team_of: Mapping[str, str], tie_ns: int) -> set[str]:
    """Who called, if the true times were known: all teams within W of the earliest."""
    teams: dict[str, int] = {}
    for station, t_ns in true.items():
        team = team_of[station]
        teams[team] = min(teams.get(team, t_ns), t_ns)
    return {team for team, t_ns in teams.items() if t_ns <= min(teams.values()) + tie_ns}


@given(in_presses(), LAWS, st.sampled_from((ALONE, PAIRS)), st.randoms(use_true_random=False))
@settings(max_examples=250, deadline=None)
def test_a_verdict_that_is_not_grey_names_the_right_callers(
    presses: list[Press], law: Law, team_of: Mapping[str, str], random: object
) -> None:
    """For every choice of the true times of the call's presses within their bounds: sampled, and all corners."""
    verdict = judged(*presses, law=law, team_of=team_of)
    assume(not verdict.grey)
    for true in corners(presses):
        assert right_callers(true, team_of, law.tie_ns) == set(verdict.callers)
    for _ in range(20):
        off = {p.clock: random.randint(-1000, 1000) for p in presses} | {None: 0}  # type: ignore[attr-defined]
        true = {}
        for p in presses:
            shared_ns, own_ns = p.err_ns - own_err(p), own_err(p)
            own = random.randint(-own_ns, own_ns)  # type: ignore[attr-defined]
            true[p.station] = p.t_ns + off[p.clock] * shared_ns // 1000 + own
        assert right_callers(true, team_of, law.tie_ns) == set(verdict.callers)


@given(in_presses(least=2), LAWS)
@settings(max_examples=300, deadline=None)
def test_a_grey_verdict_is_grey_for_a_reason(presses: list[Press], law: Law) -> None:
    """Two choices of true times name different callers."""
    assume(judged(*presses, law=law).grey)
    assert len({frozenset(right_callers(true, ALONE, law.tie_ns)) for true in corners(presses)}) > 1


@st.composite
def happened(draw: st.DrawFn) -> tuple[Law, dict[str, int], list[Edge], list[Edge]]:
    """What truly happened, and its rows: those that arrive within L of the truth, and some that do not.

    Every clock is off by as much as its fit may be, for all its stations the same; a pod may have restarted between two
    of its buttons. A wired row is its kernel stamp, late by at most its error.
    """
    law, base = draw(LAWS), draw(st.integers(0, 10 * MS))
    off = {clock: draw(st.integers(-1_000, 1_000)) for clock in ("pod-a", "pod-b", "pod-a, restarted")}
    true, rows, late = {}, [], []
    for station in STATIONS:
        true_ns, own_ns = draw(st.integers(0, 50 * MS)), draw(st.sampled_from((0, 300, 50 * US, MS)))
        clock = draw(st.sampled_from((None, *off)))
        if clock is None or not law.latency_ns:
            own_ns = min(own_ns, law.max_err_ns)  # nothing else is left for a stamp that is late
            t_ns = true_ns + draw(st.integers(0, own_ns))
            rows += [Edge(station, True, t_ns, own_ns), Edge(station, False, t_ns + 50 * MS, own_ns)]
            true[station] = true_ns
            continue
        t_ns = true_ns + off[clock] * base // 1_000 + draw(st.integers(-own_ns, own_ns))
        way_ns = draw(st.integers(0, law.latency_ns)) if draw(st.integers(0, 4)) else law.latency_ns + S
        a, err_ns = true_ns + way_ns, base + own_ns
        pair = [Edge(station, True, t_ns, err_ns, a, clock, own_ns)]
        pair.append(replace(pair[0], closed=False, t_ns=t_ns + 50 * MS, arrived_ns=a + 50 * MS))
        if way_ns > law.latency_ns:
            late += pair
        else:
            rows += pair
        true[station] = true_ns
    return law, true, arrived(rows), arrived(late)


@given(happened(), st.sampled_from((ALONE, PAIRS)))
@settings(max_examples=300, deadline=None)
def test_whoever_truly_called_is_in_and_named_unless_it_is_grey(
    case: tuple[Law, dict[str, int], list[Edge], list[Edge]], team_of: Mapping[str, str]
) -> None:
    """L being how long after the *true* press a row may arrive: no caller is late, and none is named wrongly.

    Rows beyond L are told as what they are: late evidence that would be first was first.
    """
    law, true, rows, late = case
    assume(rows)
    heard = {station: t_ns for station, t_ns in true.items() if station in {row.station for row in rows}}
    verdict = arbitrate(arrived(rows, late), law, team_of)[0]
    right = right_callers(heard, team_of, law.tie_ns)
    earliest = min(heard.values())
    inside = {p.station for p in verdict.presses}
    assert {station for station, t_ns in heard.items() if t_ns <= earliest + law.tie_ns} <= inside
    assert verdict.grey or set(verdict.callers) == right
    for one, would_be_first in verdict.late:
        assert not would_be_first or true[one.station] < min(true[station] for station in inside)


def renamed(verdict: Verdict, other: Mapping[str, str]) -> Verdict:
    """The verdict with other names, sorted by them where t is equal."""

    def name(called: CalledPress) -> CalledPress:
        return replace(called, team=other[called.team], station=other[called.station])

    def by_time(calleds: Sequence[CalledPress]) -> tuple[CalledPress, ...]:
        return tuple(sorted(map(name, calleds), key=lambda p: (p.t_ns, p.station)))

    callers = by_time([p for p in verdict.presses if p.team in verdict.callers])
    return replace(
        verdict,
        callers=tuple(p.team for p in callers),
        first=callers[0].team,
        presses=by_time(verdict.presses),
        late=tuple(sorted(((name(p), would) for p, would in verdict.late), key=lambda p: (p[0].t_ns, p[0].station))),
        ignored=by_time(verdict.ignored),
    )


@given(traces(), LAWS, st.permutations(STATIONS))
@settings(max_examples=200, deadline=None)
def test_swapping_stations_swaps_their_names_and_nothing_else(rows: list[Edge], law: Law, to: list[str]) -> None:
    """Rows, arrivals and their order being the same."""
    other = dict(zip(STATIONS, to, strict=True))
    swapped = arbitrate([replace(edge, station=other[edge.station]) for edge in rows], law)
    assert swapped == tuple(renamed(verdict, other) for verdict in arbitrate(rows, law))


@given(in_presses(), LAWS, st.data())
@settings(max_examples=300, deadline=None)
def test_the_order_of_what_arrives_by_the_deadline_changes_nothing(
    presses: list[Press], law: Law, data: st.DataObject
) -> None:
    """Whatever arrives when: by D is by D."""
    assume(all(p.err_ns < law.lockout_ns for p in presses))
    span = law.tie_ns + law.max_err_ns + law.latency_ns
    deadline = min(p.t_ns + p.err_ns for p in presses) + span
    assume(all(p.t_ns - p.err_ns <= deadline for p in presses))
    times = [data.draw(st.integers(p.t_ns - p.err_ns, deadline)) for p in presses]
    orders = data.draw(st.permutations(range(len(presses))))
    moved = [replace(p, arrived_ns=a, order=o) for p, a, o in zip(presses, times, orders, strict=True)]
    (call,) = calls_of(moved, law)
    assert call.deadline_ns == deadline
    assert replace(judge(call, law, ALONE), deadline_ns=0) == judged(*presses, law=law)


@given(in_presses(), LAWS, st.integers(0, 3), st.integers(1, S), st.sampled_from((ALONE, PAIRS)))
@settings(max_examples=300, deadline=None)
def test_an_error_above_the_cap_never_pays(
    presses: list[Press], law: Law, at: int, more: int, team_of: Mapping[str, str]
) -> None:
    """Raising one press's e above C makes it no caller and removes no other."""
    at %= len(presses)
    one = replace(presses[at], err_ns=max(presses[at].err_ns, law.max_err_ns))
    before = judged(*presses[:at], one, *presses[at + 1 :], law=law, team_of=team_of)
    after = judged(*presses[:at], replace(one, err_ns=one.err_ns + more), *presses[at + 1 :], law=law, team_of=team_of)
    assert set(before.callers) <= set(after.callers)
    assert (team_of[one.station] in after.callers) is (team_of[one.station] in before.callers)


@given(LAWS, st.integers(0, 20 * MS), st.integers(0, MS), st.integers(0, MS), st.integers(1, 10 * MS))
@settings(deadline=None)
def test_pairs_of_one_clock_farther_apart_than_w_and_their_own_errors_are_clear(
    law: Law, shared: int, r: int, s: int, more: int
) -> None:
    """However far the clock may be off."""
    verdict = judged(
        on("a", "red", 0, shared + r, r), on("a", "blue", law.tie_ns + r + s + more, shared + s, s), law=law
    )
    assert (verdict.kind, verdict.grey, verdict.first) == ("clear", False, "red")
    if r + s <= law.tie_ns:
        verdict = judged(on("a", "red", 0, shared + r, r), on("a", "blue", law.tie_ns - r - s, shared + s, s), law=law)
        assert (verdict.kind, verdict.grey) == ("tie", False)


@given(traces(), LAWS)
@settings(max_examples=200, deadline=None)
def test_every_press_is_in_exactly_one_list(rows: list[Edge], law: Law) -> None:
    """Of `presses`, `late` and `ignored`, of one call; and a station counts once in a call."""
    verdicts = arbitrate(rows, law)
    listed = [(*v.presses, *(p for p, _ in v.late), *v.ignored) for v in verdicts]
    assert Counter((p.station, p.t_ns) for some in listed for p in some) == Counter(
        (p.station, p.t_ns) for p in presses_of(rows)
    )
    for v in verdicts:
        assert max(Counter([p.station for p in v.presses] + [p.station for p, _ in v.late]).values()) == 1


@given(LAWS, st.integers(0, 20 * MS), st.integers(0, 20 * MS), st.integers(1, 10 * MS), st.integers(0, S))
@settings(deadline=None)
def test_pairs_farther_apart_than_w_and_both_errors_are_clear(law: Law, e: int, f: int, more: int, t: int) -> None:
    """Sharp, not merely safe; and up to W less both errors they are surely a tie."""
    verdict = judged(pressed("red", t, e), pressed("blue", t + law.tie_ns + e + f + more, f), law=law)
    assert (verdict.kind, verdict.grey, verdict.first) == ("clear", False, "red")
    if e + f <= law.tie_ns:
        verdict = judged(pressed("red", t, e), pressed("blue", t + law.tie_ns - e - f, f), law=law)
        assert (verdict.kind, verdict.grey) == ("tie", False)


@given(traces(30), LAWS)
@settings(max_examples=300, deadline=None)
def test_verdicts_are_the_model_s(rows: list[Edge], law: Law) -> None:
    """The product's document and that of the second telling, on whatever contacts and links may do."""
    assert document(arbitrate(rows, law)) == model.document(rows, law, ALONE)
    assert document(arbitrate(rows, law, PAIRS)) == model.document(rows, law, PAIRS)


@given(in_presses(least=2), LAWS, st.sampled_from((ALONE, PAIRS)))
@settings(max_examples=400, deadline=None)
def test_verdicts_on_what_is_close_are_the_model_s(presses: list[Press], law: Law, team_of: Mapping[str, str]) -> None:
    """The same on presses of one call, where callers and grey are decided."""
    rows = [Edge(p.station, True, p.t_ns, p.err_ns, 50 * MS, p.clock, p.rel_err_ns) for p in presses]
    taken = model.Sorted(0, [model.Burst(row, order, True, 0) for order, row in enumerate(rows)], [], [])
    told = document([judged(*presses, law=law, team_of=team_of)])["calls"]
    assert told == [model.call_document(taken, law, team_of)]


@pytest.mark.parametrize(("kind", "team_of"), [("alone", {}), ("pairs", wired.PAIRS)])
def test_what_was_ruled_without_clocks_is_ruled_so_still(kind: str, team_of: Mapping[str, str]) -> None:
    """Bit for bit what the arbiter said of these traces before it knew of clocks, as it was written down then."""
    written = json.loads(wired.VECTORS.read_text(encoding="utf-8"))[kind]
    assert [wired.digest(seed, team_of) for seed in wired.SEEDS] == written


# -- live ----------------------------------------------------------------------------------------------------------


class Live:
    """A table as the daemon folds it: rows as they arrive, time as it passes, the verdict as soon as it can fall."""

    def __init__(self, law: Law, lag_ns: Mapping[str, int], team_of: Mapping[str, str] = ALONE) -> None:
        self.court = Court.opened(law, team_of, lag_ns)
        self.lag_ns = lag_ns
        self.contacts = {station: Contact(station) for station in lag_ns}
        self.fallen: Verdict | None = None
        self.fallen_at_ns = 0

    def next_ns(self) -> int | None:
        """When time has to pass again."""
        dues = [due + self.behind_ns(c) for c in self.contacts.values() if (due := next_ns(c)) is not None]
        if self.fallen is None and (due := self.due_ns()) is not None:
            dues.append(due)
        return min(dues, default=None)

    def behind_ns(self, contact: Contact) -> int:
        return behind_ns(contact, self.lag_ns[contact.station])

    def due_ns(self) -> int | None:
        return verdict_due_ns(self.court, self.contacts.values())

    def row(self, edge: Edge, order: int) -> None:
        """A row arrives, everything before its arrival having been told."""
        self.until(edge.arrived_ns - 1)
        self.contacts[edge.station], signals = meet(self.contacts[edge.station], edge, order)
        self._hear(signals)

    def until(self, now_ns: int) -> None:
        """Time passes, and every row that arrived by then is in."""
        while (due := self.next_ns()) is not None and due <= now_ns:
            for station, contact in self.contacts.items():
                self.contacts[station], signals = settle(contact, due - self.behind_ns(contact))
                self._hear(signals)
            verdict_due = self.due_ns()
            if self.fallen is None and verdict_due is not None and verdict_due <= due:
                self.fallen, self.fallen_at_ns = rule(self.court), due

    def callers(self) -> tuple[str, ...] | None:
        """Those of the verdict, once it has fallen."""
        return self.fallen.callers if self.fallen else None

    def _hear(self, signals: Sequence[Signal]) -> None:
        for signal in signals:
            if isinstance(signal, Pressed):
                self.court = press(self.court, signal.press)


LIVE_LAGS_NS = (0, 0, MS, 35 * MS, 90 * MS, 500 * MS)


@st.composite
def live_traces(draw: st.DrawFn) -> tuple[list[Edge], dict[str, int]]:
    """Rows that arrive at most their station's lag after their true instant; a third of the stations are wired."""
    lag_ns = {station: draw(st.sampled_from(LIVE_LAGS_NS)) for station in STATIONS}
    err_ns = {station: draw(st.sampled_from(ERRS_NS)) for station in STATIONS}
    rows = []
    latest = dict.fromkeys(STATIONS, 0)
    for edge in sorted(draw(traces()), key=lambda edge: edge.t_ns):
        lag, err = lag_ns[edge.station], err_ns[edge.station]
        slowest = lag + err if lag and edge.clock else lag
        late = edge.arrived_ns % 4 * slowest // 3  # as good as drawn
        latest[edge.station] = max(latest[edge.station], edge.t_ns + late)
        own = None if edge.rel_err_ns is None else min(edge.rel_err_ns, err)
        rows.append(replace(edge, arrived_ns=latest[edge.station], err_ns=err, rel_err_ns=own))
    return arrived(rows), lag_ns


LATE_FIRST = (
    # mint and blue press at 140 ms, and before blue is certain, red's press of long ago arrives and moves D back: blue,
    # which was in when it came, stays in
    [
        Edge("mint", True, 139_999_999),
        Edge("blue", True, 140 * MS),
        Edge("red", False, 1, 0, 166_666_667),
        Edge("red", True, 1, 0, 166_666_667),
    ],
    {"red": 500 * MS, "blue": 500 * MS, "gold": 0, "mint": 0},
)


@example(LATE_FIRST, Law(0, 0, 30 * MS, 100 * MS))
@given(live_traces(), LAWS)
@settings(max_examples=250, deadline=None)
def test_the_live_verdict_is_the_recorded_one(trace: tuple[list[Edge], dict[str, int]], law: Law) -> None:
    """It falls once and names whom the whole trace names; what comes later only adds late and ignored presses."""
    rows, lag_ns = trace
    live = Live(law, lag_ns)
    for order, edge in enumerate(rows):
        live.row(edge, order)
    live.until(FOREVER_NS)
    verdicts = arbitrate(rows, law)
    if not verdicts:
        assert live.fallen is None
        return
    assert live.fallen is not None
    assert replace(live.fallen, late=(), ignored=()) == replace(verdicts[0], late=(), ignored=())
    assert rule(live.court) == verdicts[0]
    arrivals = [edge.arrived_ns for edge in rows]
    slowest = max(lag_ns.values()) + max(edge.err_ns for edge in rows)
    assert live.fallen_at_ns <= max(live.fallen.deadline_ns, *arrivals) + 20 * MS + DRAIN_NS + slowest


def at_table(*rows: Edge, law: Law = WIRED) -> Live:
    """A wired table that met these rows."""
    live = Live(law, dict.fromkeys(STATIONS, 0))
    for order, edge in enumerate(rows):
        live.row(edge, order)
    return live


def test_no_verdict_is_due_without_a_press() -> None:
    """Nor while the first burst may still be a spike."""
    live = at_table(row("red", "closed", 0))
    assert live.due_ns() is None
    live.until(1 * MS)
    assert live.due_ns() == 30 * MS


def test_the_verdict_falls_at_the_deadline_if_no_burst_is_open() -> None:
    """W + C after the first press of a wired table."""
    live = at_table(*tap("red", 0)[:1], *tap("blue", 12)[:1])
    live.until(30 * MS - 1)
    assert live.callers() is None
    live.until(30 * MS)
    assert (live.callers(), live.fallen_at_ns) == (("red", "blue"), 30 * MS)


def test_the_verdict_waits_for_a_burst_that_was_in_by_the_deadline() -> None:
    """Until it is decided: here 10 ms later, a spike."""
    live = at_table(row("red", "closed", 0), row("blue", "closed", 30), row("blue", "open", 30.1))
    assert live.due_ns() == verdict_due_ns(live.court, live.contacts.values()) == 40 * MS
    live.until(S)
    assert live.fallen_at_ns == 40 * MS
    live = at_table(row("red", "closed", 0), row("blue", "closed", 30.000001))
    assert live.fallen_at_ns == 30 * MS


def test_the_verdict_waits_for_no_station_that_is_not_at_the_court() -> None:
    """The knob, and whoever does not play this hand."""
    live = Live(WIRED, dict.fromkeys(STATIONS, 0), {"red": "red"})
    for order, edge in enumerate([row("red", "closed", 0), row("blue", "open", 29)]):
        live.row(edge, order)
    assert live.due_ns() == 30 * MS


def test_the_verdict_waits_for_a_burst_that_began_before_the_call_s_first_press() -> None:
    """Should it be a press, it is the one that opens the call. Both are here long after their deadline."""
    rows = [row("blue", "open", 0, 0, 500), row("red", "closed", 300, 0, 501), row("red", "open", 302, 0, 503)]
    contacts = [Contact("blue"), Contact("red")]
    contacts[0], _ = meet(contacts[0], rows[0], 0)
    contacts[1], _ = meet(contacts[1], rows[1], 1)
    contacts[1], (heard,) = meet(contacts[1], rows[2], 2)
    assert isinstance(heard, Pressed)
    court = press(Court.opened(WIRED, ALONE, {"blue": 600 * MS}), heard.press)
    assert verdict_due_ns(court, contacts) == 610 * MS + DRAIN_NS
    assert verdict_due_ns(court, contacts[1:]) == 330 * MS
    later, _ = meet(Contact("gold"), row("gold", "open", 320, 0, 504), 3)
    assert verdict_due_ns(court, [later]) == 330 * MS


def test_a_court_keeps_presses_in_order_of_arrival() -> None:
    """A press may be certain before one that arrived earlier; a court is a value."""
    empty = Court.opened(TABLE, ALONE)
    first, second = pressed("red", 0, 0, 5, 0), pressed("blue", 0, 0, 5, 1)
    court = press(press(empty, second), first)
    assert (court.presses, empty.presses) == ((first, second), ())
    assert (court.law, court.team_of) == (TABLE, ALONE)
    assert rule(court).deadline_ns == 60 * MS


def test_court_s_teams_are_its_own() -> None:
    """A mapping that changes after the court opened changes nothing in it."""
    teams = dict(PAIRS)
    court = press(Court.opened(TABLE, teams), pressed("red", 0))
    teams["red"] = "C"
    assert rule(court).callers == ("A",)


def test_a_trace_may_have_teams() -> None:
    """As a replay has them."""
    rows = arrived(tap("red", 0), tap("blue", 1))
    assert [v.callers for v in arbitrate(rows, TABLE, PAIRS)] == [("A",)]
    assert [v.callers for v in arbitrate(rows, TABLE)] == [("red", "blue")]


def test_lists_are_sorted_by_time_then_name() -> None:
    """Whatever order they arrived in."""
    rows = arrived(
        *(tap(s, 0, 0, at) for s, at in (("red", 3), ("gold", 2), ("blue", 1))),
        *(tap(s, 30, 0, 700 + at) for s, at in (("zoe", 0), ("amy", 1), ("kim", 2))),
        *(tap(s, 900) for s in ("tom", "eve")),
    )
    (verdict,) = arbitrate(rows, TABLE)
    assert names(verdict) == (["blue", "gold", "red"], ["amy", "kim", "zoe"], ["eve", "tom"])
    assert verdict.callers == ("blue", "gold", "red")


def test_many_calls_are_many_verdicts() -> None:
    """An evening's worth, each its own."""
    presses = [pressed("red", i * 3 * S, order=i) for i in range(1_000)]
    assert [list(call.taken.values()) for call in calls_of(presses, TABLE)] == [[p] for p in presses]


# -- the last press loses ------------------------------------------------------------------------------------------

LIMIT_NS = 50 * MS
"""Short, so that presses of one example fall on both sides of it."""
LAST = Law(limit_ns=S)


def right_last(true: Mapping[str, int], team_of: Mapping[str, str], law: Law) -> set[str]:
    """Who was last, if the true times were known: who has none within the limit, else all within W of the last."""
    assert law.limit_ns is not None
    ends = min(true.values()) + law.limit_ns
    beyond = {team for station, team in team_of.items() if true.get(station, ends + 1) > ends}
    latest = max(true.values())
    return beyond or {team_of[station] for station, t_ns in true.items() if t_ns >= latest - law.tie_ns}


def here(presses: Sequence[Press], team_of: Mapping[str, str], absent: int) -> dict[str, str]:
    """The court of those who pressed, and of the first so many who did not."""
    others = [station for station in team_of if station not in {p.station for p in presses}]
    return {s: team_of[s] for s in (*(p.station for p in presses), *others[:absent])}


LASTS = st.builds(lambda law, limit_ns: replace(law, limit_ns=limit_ns), LAWS, st.sampled_from((LIMIT_NS, 20 * MS, S)))


@given(in_presses(), LASTS, st.sampled_from((ALONE, PAIRS)), st.integers(0, 2), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_a_verdict_that_is_not_grey_names_the_right_last_ones(
    presses: list[Press], law: Law, team_of: Mapping[str, str], absent: int, random: object
) -> None:
    """For every choice of the true times of the call's presses within their bounds: sampled, and all corners."""
    court = here(presses, team_of, absent)
    verdict = judged(*presses, law=law, team_of=court)
    assume(not verdict.grey)
    for true in corners(presses):
        assert right_last(true, court, law) == set(verdict.callers)
    for _ in range(20):
        off = {p.clock: random.randint(-1000, 1000) for p in presses} | {None: 0}  # type: ignore[attr-defined]
        true = {}
        for p in presses:
            shared_ns, own_ns = p.err_ns - own_err(p), own_err(p)
            own = random.randint(-own_ns, own_ns)  # type: ignore[attr-defined]
            true[p.station] = p.t_ns + off[p.clock] * shared_ns // 1000 + own
        assert right_last(true, court, law) == set(verdict.callers)


@given(in_presses(), LASTS, st.integers(0, 2))
@settings(max_examples=200, deadline=None)
def test_somebody_is_always_last_and_whoever_is_absent_always_is(presses: list[Press], law: Law, absent: int) -> None:
    """One name is clear, several are a tie."""
    court = here(presses, ALONE, absent)
    verdict = judged(*presses, law=law, team_of=court)
    assert verdict.callers
    assert verdict.first == verdict.callers[0]
    assert (verdict.kind == "clear") == (len(verdict.callers) == 1)
    assert set(court) - {p.station for p in presses} <= set(verdict.callers)


@given(in_presses(least=2), LASTS, st.permutations(STATIONS))
@settings(max_examples=200, deadline=None)
def test_swapping_stations_swaps_the_last_ones_names(presses: list[Press], law: Law, to: list[str]) -> None:
    """And nothing else."""
    other = dict(zip(STATIONS, to, strict=True))
    swapped = [replace(p, station=other[p.station]) for p in presses]
    one, two = judged(*presses, law=law), judged(*swapped, law=law)
    assert {other[station] for station in one.callers} == set(two.callers)
    assert (one.kind, one.grey) == (two.kind, two.grey)


@given(in_presses(least=2), LASTS, st.integers(0, 7), st.integers(0, 30 * MS))
@settings(max_examples=300, deadline=None)
def test_an_error_above_the_cap_never_saves_its_owner_and_names_nobody_else(
    presses: list[Press], law: Law, index: int, more_ns: int
) -> None:
    """From C upward: whoever was last stays so, and no other joins."""
    index %= len(presses)
    assume(presses[index].clock is None)
    base = replace(presses[index], err_ns=law.max_err_ns)
    worse = replace(base, err_ns=law.max_err_ns + more_ns)
    one = judged(*presses[:index], base, *presses[index + 1 :], law=law)
    two = judged(*presses[:index], worse, *presses[index + 1 :], law=law)
    assert set(one.callers) <= set(two.callers) <= {*one.callers, base.station}


@given(traces(), LASTS, st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_press_of_a_last_one_is_in_exactly_one_list(rows: list[Edge], law: Law, whole: bool) -> None:
    """Presses, late, ignored."""
    verdicts = arbitrate(rows, law, ALONE if whole else {})
    listed = [p for v in verdicts for p in (*v.presses, *(late for late, _ in v.late), *v.ignored)]
    assert Counter((p.station, p.t_ns) for p in listed) == Counter((p.station, p.t_ns) for p in presses_of(rows))


@given(st.integers(0, 5 * MS), st.integers(0, 5 * MS), st.integers(1, 100 * MS), LAWS)
def test_last_pairs_farther_apart_than_w_and_both_errors_are_clear(e: int, f: int, more: int, law: Law) -> None:
    """Sharp, not merely safe."""
    gap = law.tie_ns + e + f + more
    law = replace(law, limit_ns=gap + e + f + 20 * MS)
    verdict = judged(pressed("a", 0, e), pressed("b", gap, f), law=law, team_of={"a": "a", "b": "b"})
    assert (verdict.kind, verdict.grey, verdict.callers) == ("clear", False, ("b",))


def test_the_last_one_at_the_band_s_edge() -> None:
    """20 ms is a tie, more is clear, and within both errors of it nobody can tell."""
    for gap_ns, kind, grey in ((20 * MS, "tie", False), (20 * MS + 1, "clear", False)):
        verdict = judged(pressed("a", 0), pressed("b", gap_ns), law=LAST, team_of={"a": "a", "b": "b"})
        assert (verdict.kind, verdict.grey) == (kind, grey)
    doubtful = judged(pressed("a", 0, MS), pressed("b", 21 * MS, MS), law=LAST, team_of={"a": "a", "b": "b"})
    assert doubtful.grey
    assert doubtful.callers == ("b", "a")


def test_the_limit_s_edge_is_grey_within_the_errors() -> None:
    """On time, too late, and nobody can tell; whoever has not pressed is last however that is."""
    court = {"a": "a", "b": "b", "c": "c"}
    for t_ns, callers, grey in ((S - 3 * MS, ("c",), False), (S + 3 * MS, ("b", "c"), False), (S, ("c",), True)):
        verdict = judged(pressed("a", 0, MS), pressed("b", t_ns, MS), law=LAST, team_of=court)
        assert (verdict.callers, verdict.grey) == (callers, grey)


def test_a_verdict_on_the_last_falls_when_all_have_pressed_or_the_limit_is_over() -> None:
    """And late evidence tells whether it was within the limit after all."""
    court = {"a": "a", "b": "b"}
    live = replace(LAST, latency_ns=0)
    both = arbitrate([*tap("a", 0), *tap("b", 300)], live, court)
    assert [v.deadline_ns for v in both] == [300 * MS]
    alone = arbitrate(arrived(tap("a", 0), tap("b", 900, 0, 3_000)), live, court)[0]
    assert (alone.deadline_ns, alone.callers) == (1010 * MS, ("b",))
    assert [would for _, would in alone.late] == [True]
