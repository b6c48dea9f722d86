"""Presses to a verdict: each promise of docs/timing.md, and the whole against the model."""

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
    assert getattr(replace(TABLE, **{name: 0}), name) == 0
    with pytest.raises(ValueError, match=rf"^{name} must not be negative, not -1$"):
        replace(TABLE, **{name: -1})


def test_a_lockout_below_100_ms_is_refused() -> None:
    assert CallRules(lockout_ns=100 * MS).lockout_ns == 100 * MS
    with pytest.raises(ValueError, match=r"^lockout_ns must be at least 100000000, not 99999999$"):
        CallRules(lockout_ns=100 * MS - 1)


# -- callers -------------------------------------------------------------------------------------------------------


def test_one_press_is_a_clear_call_with_everything_in_it() -> None:
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


@pytest.mark.parametrize(
    ("gap", "grey"),
    [(17 * MS, False), (17 * MS + 1, True), (23 * MS, True), (23 * MS + 1, False)],
    ids=["surely a tie", "perhaps not", "perhaps a tie", "surely clear"],
)
def test_grey_is_where_the_errors_leave_it_open(gap: int, grey: bool) -> None:
    """Errors of 1 and 2 ms: the band begins above W - 3 ms and includes W + 3 ms."""
    assert judged(pressed("red", 0, MS), pressed("blue", gap, 2 * MS)).grey is grey
    assert judged(pressed("red", 0, 2 * MS), pressed("blue", gap, MS)).grey is grey


# -- clocks --------------------------------------------------------------------------------------------------------

PHOTO = replace(TABLE, tie_ns=0)


def test_two_buttons_of_one_pod_a_microsecond_apart_are_never_grey_in_photo_mode() -> None:
    """Each press has 0.4 µs on a clock that may be 5 ms off the host's.

    On two pods they are grey.
    """
    one, other = on("a", "red", 0, 5 * MS, 400), on("a", "blue", 1_000, 5 * MS, 400)
    verdict = judged(one, other, rules=PHOTO)
    assert (verdict.callers, verdict.grey) == (("red",), False)
    assert judged(one, replace(other, clock="b"), rules=PHOTO).grey
    assert judged(replace(one, clock=None), replace(other, clock=None), rules=PHOTO).grey


# -- teams ---------------------------------------------------------------------------------------------------------


def test_partners_never_tie_each_other() -> None:
    verdict = judged(pressed("blue", 5), pressed("red", 0), team_of=PAIRS)
    assert (verdict.kind, verdict.grey, verdict.callers, verdict.first) == ("clear", False, ("A",), "A")
    assert verdict.presses == (CalledPress("A", "red", 0, 0), CalledPress("A", "blue", 5, 0))


def test_a_team_is_named_once_and_stands_by_its_earliest_caller() -> None:
    presses = [pressed("mint", 4), pressed("red", 6), pressed("gold", 6), pressed("blue", 9)]
    verdict = judged(*presses, team_of=PAIRS)
    assert (verdict.kind, verdict.callers, verdict.first) == ("tie", ("B", "A"), "B")
    assert judged(*presses[1:3], team_of={"red": "Y", "gold": "Z"}).callers == ("Y", "Z")


def test_a_partner_s_uncertain_press_can_put_the_team_earlier() -> None:
    """A team's true time is its stations' earliest."""
    sure, other = pressed("red", 20 * MS), pressed("gold", 41 * MS)
    assert not judged(sure, other, pressed("blue", 21 * MS), team_of=PAIRS).grey
    assert judged(sure, other, pressed("blue", 90 * MS, 90 * MS), team_of=PAIRS).grey is False
    assert judged(sure, pressed("gold", 0), pressed("blue", 21 * MS, 22 * MS), team_of=PAIRS).grey is False
    assert judged(sure, pressed("gold", 39 * MS), pressed("blue", 21 * MS, 22 * MS), team_of=PAIRS).grey


# -- the deadline, in and late -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arrival", "inside"), [(60 * MS, True), (60 * MS + 1, False)], ids=["at D", "after D"])
def test_in_is_what_arrived_by_the_deadline(arrival: int, inside: bool) -> None:
    """D = min (t + e) + W + C + L. A row that arrives exactly then is in."""
    call, *others = calls_of([pressed("red", 0), pressed("blue", 1, 0, arrival, 1)], TABLE)
    assert (call.deadline_ns, others) == (60 * MS, [])
    assert ("blue" in call.taken, "blue" in call.late) == (inside, not inside)


@pytest.mark.parametrize(("t", "late"), [(60 * MS, True), (60 * MS + 1, False)], ids=["t at D", "t after D"])
def test_late_is_what_happened_by_the_deadline_and_came_after_it(t: int, late: bool) -> None:
    call = calls_of([pressed("red", 0), pressed("blue", t, 0, 90 * MS, 1)], TABLE)[0]
    assert (list(call.late), len(call.ignored)) == ((["blue"], 0) if late else ([], 1))


@pytest.mark.parametrize(("t", "err", "would"), [(4, 0, True), (5, 0, False), (3, 1, True), (3, 2, False)])
def test_would_be_first_is_certain(t: int, err: int, would: bool) -> None:
    """Certain means smaller than every t - e of the call's presses: 7 - 2 = 5 here."""
    rows = arrived(tap("red", 10), [Edge("blue", True, 7, 2, 7)], [Edge("gold", True, t, err, 500 * MS)])
    (verdict,) = arbitrate(rows, TABLE)
    assert verdict.callers == ("blue", "red")
    assert verdict.late == ((CalledPress("gold", "gold", t, err), would),)


# -- lockout and further calls -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("t", "count"), [(2_060 * MS - 1, 1), (2_060 * MS, 2)], ids=["before D + K", "at D + K"])
def test_the_next_call_opens_a_lockout_after_the_deadline(t: int, count: int) -> None:
    calls = calls_of([pressed("red", 0), pressed("blue", t, order=1)], TABLE)
    assert len(calls) == count
    assert len(calls[0].ignored) == 2 - count


def test_a_press_belongs_to_the_call_of_its_time_whenever_it_arrives() -> None:
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
