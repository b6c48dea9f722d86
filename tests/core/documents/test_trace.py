"""The trace document: its keys, its defaults, and one sentence for every mistake."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from msgspec.structs import asdict

from referee.core.documents.trace import MOST_NS, TraceError, document, rows_of, story
from referee.core.presses.arbiter import CalledPress, CallRules, Verdict, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS
from tests.core.presses.arbiter_rows import RULES, arrived, row, tap, traces


def line(**given: object) -> str:
    """Return a valid row with these keys changed. None deletes a key."""
    whole = {"station": "red", "closed": True, "t_ns": 10, **given}
    return json.dumps({key: value for key, value in whole.items() if value is not None})


# -- rows ----------------------------------------------------------------------------------------------------------


def test_a_row_says_all_or_what_it_must() -> None:
    """The default error is 0.

    The default arrival is the later of the stamp and the previous row's arrival.
    """
    lines = [
        line(),
        line(station="blue", closed=False, t_ns=30, err_ns=4, arrived_ns=35, colour="blue"),
        line(t_ns=31),
        line(t_ns=90),
    ]
    assert list(rows_of(lines)) == [
        Edge("red", True, 10, 0, 10),
        Edge("blue", False, 30, 4, 35),
        Edge("red", True, 31, 0, 35),
        Edge("red", True, 90, 0, 90),
    ]


def test_a_row_may_name_its_clock_and_the_error_within_it() -> None:
    lines = [line(clock="pod-a", err_ns=9, rel_err_ns=0), line(rel_err_ns=9, err_ns=9), line(clock="pod-a", err_ns=4)]
    assert [(r.clock, r.rel_err_ns) for r in rows_of(lines)] == [("pod-a", 0), (None, 9), ("pod-a", None)]


def test_what_may_be_equal_may_be_equal() -> None:
    lines = [line(t_ns=-10, err_ns=0, arrived_ns=-10), line(t_ns=-10, arrived_ns=-10), line(t_ns=-3, err_ns=7)]
    assert [(r.t_ns, r.arrived_ns) for r in rows_of(lines)] == [(-10, -10), (-10, -10), (-3, -3)]
    assert next(rows_of([line(t_ns=15, err_ns=5, arrived_ns=10)])).arrived_ns == 10
    assert [r.t_ns for r in rows_of([line(t_ns=-MOST_NS), line(t_ns=MOST_NS)])] == [-MOST_NS, MOST_NS]


WHOLE = "allowed is a whole number of nanoseconds"
MISTAKES = {
    "{": "no JSON at column 2 (Expecting property name enclosed in double quotes), allowed is one JSON object a line",
    "[1]": "[1] is given, allowed is a JSON object",
    "[" * 100_000: "the row cannot be read: a number is too long or a value is nested too deep",
    '{"t_ns": 1' + "0" * 5_000 + "}": "the row cannot be read: a number is too long or a value is nested too deep",
    line(closed=None): "the key closed is missing, needed are station, closed, t_ns",
    line(station=3): "station is 3, allowed is a name (a text that is not empty)",
    line(station=""): 'station is "", allowed is a name (a text that is not empty)',
    line(station="a\udfff"): 'station is "a\\udfff", allowed is a name (a text that is not empty)',
    line(closed=1): "closed is 1, allowed is true or false",
    line(t_ns=True): f"t_ns is true, {WHOLE}",
    line(t_ns="10"): f't_ns is "10", {WHOLE}',
    line(t_ns=float("nan")): f"t_ns is NaN, {WHOLE}",
    '{"station": "red", "closed": true, "t_ns": 10, "err_ns": null}': f"err_ns is null, {WHOLE}",
    line(arrived_ns=1e9): f"arrived_ns is 1000000000.0, {WHOLE}",
    line(t_ns=2**63): "t_ns is 9223372036854775808, allowed is -9223372036854775807 to 9223372036854775807",
    line(t_ns=-(2**63)): "t_ns is -9223372036854775808, allowed is -9223372036854775807 to 9223372036854775807",
    line(err_ns=-1): "err_ns is -1, allowed is 0 or more",
    line(clock=7): "clock is 7, allowed is a name (a text that is not empty)",
    line(clock="\ud800"): 'clock is "\\ud800", allowed is a name (a text that is not empty)',
    '{"station": "a", "closed": true, "t_ns": 1, "clock": null}': (
        "clock is null, allowed is a name (a text that is not empty)"
    ),
    line(rel_err_ns=0.5): f"rel_err_ns is 0.5, {WHOLE}",
    '{"station": "a", "closed": true, "t_ns": 1, "rel_err_ns": null}': f"rel_err_ns is null, {WHOLE}",
    line(err_ns=3, rel_err_ns=4): "rel_err_ns is 4, allowed is 0 to err_ns, 3",
    line(err_ns=3, rel_err_ns=-1): "rel_err_ns is -1, allowed is 0 to err_ns, 3",
    line(err_ns=3, arrived_ns=6): "t_ns - err_ns is 7, allowed is at most arrived_ns, 6",
}


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_every_mistake_is_one_sentence(text: str) -> None:
    with pytest.raises(TraceError) as caught:
        list(rows_of(["\n", text]))
    assert str(caught.value) == f"line 2: {MISTAKES[text]}"


def test_rows_stand_in_order_of_arrival() -> None:
    with pytest.raises(TraceError) as caught:
        list(rows_of([line(arrived_ns=50), line(station="blue", arrived_ns=49)]))
    assert str(caught.value) == "line 2: arrived_ns is 49, allowed is the row before's 50 or more"


def test_a_contact_s_stamps_never_fall() -> None:
    lines = [line(t_ns=50), line(station="blue", t_ns=40), line(t_ns=49)]
    with pytest.raises(TraceError) as caught:
        list(rows_of(lines))
    assert str(caught.value) == 'line 3: t_ns is 49, allowed is 50 or more, as in the row before of station "red"'


@given(traces())
@settings(max_examples=50, deadline=None)
def test_what_the_arbiter_s_tests_draw_is_a_trace(rows: list[Edge]) -> None:
    given = [asdict(r) for r in rows]
    lines = [json.dumps({key: value for key, value in r.items() if value is not None}) for r in given]
    assert list(rows_of(lines)) == rows


# -- verdicts ------------------------------------------------------------------------------------------------------

EVERYTHING = Verdict(
    kind="tie",
    grey=True,
    callers=("A", "blue"),
    first="A",
    window_ns=20 * MS,
    deadline_ns=61 * MS,
    presses=(
        CalledPress("A", "red", 1 * MS, 0),
        CalledPress("blue", "blue", 13 * MS, 200_000),
        CalledPress("C", "gold", 60 * MS, 0),
    ),
    late=((CalledPress("mint", "mint", 500_000, 0), True), (CalledPress("zoe", "zoe", 2 * MS, 0), False)),
    ignored=(CalledPress("A", "red", 190 * MS, 0),),
)


def test_a_verdict_as_json() -> None:
    assert document([EVERYTHING]) == {
        "calls": [
            {
                "verdict": "tie",
                "grey": True,
                "callers": ["A", "blue"],
                "first": "A",
                "window_ns": 20_000_000,
                "deadline_ns": 61_000_000,
                "presses": [
                    {"station": "red", "t_ns": 1_000_000, "err_ns": 0, "gap_ns": 0},
                    {"station": "blue", "t_ns": 13_000_000, "err_ns": 200_000, "gap_ns": 12_000_000},
                    {"station": "gold", "t_ns": 60_000_000, "err_ns": 0, "gap_ns": 59_000_000},
                ],
                "late": [
                    {"station": "mint", "t_ns": 500_000, "err_ns": 0, "would_be_first": True},
                    {"station": "zoe", "t_ns": 2_000_000, "err_ns": 0, "would_be_first": False},
                ],
                "ignored": [{"station": "red", "t_ns": 190_000_000}],
            }
        ]
    }
    assert document([]) == {"calls": []}


def test_a_verdict_for_people() -> None:
    clear = arbitrate(
        arrived(tap("blue", 5, 0.02), [row("red", "closed", 3_000), row("red", "closed", 3_001)]), CallRules()
    )
    assert story([EVERYTHING, *clear]).splitlines() == [
        "Call 1: tie of A and blue within 20.000 ms, grey: within the stated errors it could be otherwise",
        "  red         0.000 ms ± 0.000 ms  caller",
        "  blue       12.000 ms ± 0.200 ms  caller",
        "  gold       59.000 ms ± 0.000 ms",
        "  mint       -0.500 ms ± 0.000 ms  late, would be first",
        "  zoe         1.000 ms ± 0.000 ms  late",
        "  red       189.000 ms ± 0.000 ms  ignored",
        "Call 2: blue, clear",
        "  blue        0.000 ms ± 0.020 ms  caller",
        "Call 3: red, clear",
        "  red        0.000 ms ± 0.000 ms  caller",
    ]
    assert story([]) == "No call."


def test_a_press_on_a_clock_says_how_sure_it_is_within_it() -> None:
    rows = [Edge("red", True, 0, 5 * MS, 0, "pod-a", 400), Edge("blue", True, 1_000, 5 * MS, 1_000, "pod-a")]
    assert story(arbitrate(rows, CallRules(tie_ns=0))).splitlines()[1:] == [
        "  red         0.000 ms ± 5.000 ms (± 0.0004 ms on pod-a)  caller",
        "  blue        0.001 ms ± 5.000 ms (± 5.0000 ms on pod-a)  caller",
    ]


@given(traces(), RULES)
@settings(max_examples=50, deadline=None)
def test_every_press_is_told(rows: list[Edge], rules: CallRules) -> None:
    verdicts = arbitrate(rows, rules)
    lines = sum(1 + len(v.presses) + len(v.late) + len(v.ignored) for v in verdicts)
    assert len(story(verdicts).splitlines()) == max(lines, 1)
