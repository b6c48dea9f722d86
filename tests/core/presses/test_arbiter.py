"""Presses to a verdict: each promise of docs/timing.md, its boundaries, and the whole against the model."""

from __future__ import annotations

import pytest

from referee.core.presses.arbiter import (
    CalledPress,
    CallRules,
    Verdict,
    arbitrate,
    calls_of,
)
from referee.core.presses.signals import (
    Edge,
)
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.presses.arbiter_cases import (
    PAIRS,
    TABLE,
    judged,
    on,
    pressed,
)
from tests.core.presses.arbiter_rows import arrived, tap

# -- the rules -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tie_ns", "max_err_ns", "latency_ns"])
def test_negative_settings_are_refused(name: str) -> None:
    """Zero is a setting (a photo finish), less is none."""
    assert getattr(replace(TABLE, **{name: 0}), name) == 0
    with pytest.raises(ValueError, match=rf"^{name} must not be negative, not -1$"):
        replace(TABLE, **{name: -1})


def test_a_lockout_below_100_ms_is_refused() -> None:
    """Exactly 100 ms is allowed."""
    assert CallRules(lockout_ns=100 * MS).lockout_ns == 100 * MS
    with pytest.raises(ValueError, match=r"^lockout_ns must be at least 100000000, not 99999999$"):
        CallRules(lockout_ns=100 * MS - 1)


# -- callers -------------------------------------------------------------------------------------------------------


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
    verdict = judged(pressed("red", 5, order=0), pressed("blue", 5, order=1), rules=replace(TABLE, tie_ns=0))
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


# -- clocks --------------------------------------------------------------------------------------------------------

PHOTO = replace(TABLE, tie_ns=0)


def test_two_buttons_of_one_pod_a_microsecond_apart_are_never_grey_in_photo_mode() -> None:
    """0.4 microseconds each on a clock that may be 5 ms off the host's; of two pods, or of no clock, they are grey."""
    one, other = on("a", "red", 0, 5 * MS, 400), on("a", "blue", 1_000, 5 * MS, 400)
    verdict = judged(one, other, rules=PHOTO)
    assert (verdict.callers, verdict.grey) == (("red",), False)
    assert judged(one, replace(other, clock="b"), rules=PHOTO).grey
    assert judged(replace(one, clock=None), replace(other, clock=None), rules=PHOTO).grey


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
    rules = replace(TABLE, lockout_ns=100 * MS)
    opening = pressed("red", 160 * MS, order=1)
    before = pressed("blue", 160 * MS - 1, 0, 165 * MS, 2)
    calls = calls_of([pressed("red", 0), opening, before], rules)
    assert [list(c.taken) for c in calls] == [["red"], ["red"]]
    assert calls[0].ignored == [before]
    calls = calls_of([pressed("red", 0), opening, replace(before, t_ns=160 * MS)], rules)
    assert list(calls[1].taken) == ["red", "blue"]


def test_a_press_a_lockout_later_is_not_in_though_it_arrived_before_the_deadline() -> None:
    """An error of seconds allows that; it waits for the call that it opens."""
    far = pressed("blue", 3 * S, 4 * S, 1 * MS, 1)
    calls = calls_of([pressed("red", 0), far, pressed("gold", 5 * MS, order=2)], TABLE)
    assert [list(c.taken) for c in calls] == [["red", "gold"], ["blue"]]
    near = replace(far, t_ns=2_060 * MS)
    assert [list(c.taken) for c in calls_of([pressed("red", 0), near], TABLE)] == [["red"], ["blue"]]
    nearer = replace(far, t_ns=2_060 * MS - 1)
    assert [list(c.taken) for c in calls_of([pressed("red", 0), nearer], TABLE)] == [["red", "blue"]]
