"""Phones' screens as buttons: their touches come late and with wide bounds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.core.clocks.fit import Clockfit, Exchange
from referee.core.clocks.touch import (
    SENT_NS,
    TOUCH_NS,
    Delays,
    new_phone,
    placed_touch,
    proved_ns,
    sent_ns,
    within,
)
from referee.core.model.events import Linked
from referee.core.model.table import PHONE_LAG_NS
from referee.core.model.view import ReadyScreen, VerdictScreen
from referee.core.presses.signals import Edge
from referee.core.units import MS, US, S
from tests.core.sitting import BREATH_NS, Sitting

ERR_NS = 18 * MS


def linked(sitting: Sitting, station: str, *, up: bool = True) -> Sitting:
    """Let the phone of this seat show its button, or no longer."""
    sitting.engine.intake([Linked(sitting.now_ns, f"seat:phone-{station}", up, (station,))], sitting.now_ns)
    return sitting


def touched(sitting: Sitting, station: str, ago_ns: int, *later: bool) -> Sitting:
    """Let a touch's rows arrive now: it began some time ago, and every 20 ms the phone said whether it went on."""
    now, t_ns = sitting.now_ns, sitting.now_ns - ago_ns
    levels = (True, True, *later)
    rows = [Edge(station, s, t_ns + n * 20 * MS, ERR_NS, now, f"phone:{station}", ERR_NS) for n, s in enumerate(levels)]
    sitting.engine.intake(rows, now)
    return sitting


def playing(*phones: str, stations: tuple[str, ...] = ("1", "2", "3")) -> Sitting:
    """Players in a race, of whom some have their button on a phone."""
    sitting = Sitting().seated(*stations)
    for phone in phones:
        linked(sitting, phone)
    for station in stations:
        if station in phones:
            touched(sitting, station, 120 * MS, False, False, False, False)
        else:
            sitting.tap(station)
    assert sitting.phase == "STARTING"
    return sitting.until(sitting.engine.state.phase.armed_at_ns).wait(S)  # type: ignore[attr-defined]


def test_an_earlier_touch_that_arrives_within_the_delay_wins() -> None:
    sitting = playing("2").close("1").wait(30 * MS)
    touched(sitting, "2", 80 * MS).wait(PHONE_LAG_NS)
    screen = sitting.screen(VerdictScreen)
    assert [label.numbers for label in screen.callers] == [(2,)]
    assert not screen.grey


def test_a_touch_within_its_bound_of_a_press_is_too_close_to_tell() -> None:
    sitting = playing("2")
    called_ns = sitting.now_ns
    sitting.press("1")
    touched(sitting, "2", sitting.now_ns - called_ns - 25 * MS).wait(PHONE_LAG_NS)
    assert sitting.screen(VerdictScreen).grey


def test_only_tables_with_phones_as_buttons_wait_for_them() -> None:
    assert playing().press("1").wait(20 * MS).phase == "VERDICT"
    sitting = playing("2").press("1").wait(20 * MS)
    assert sitting.phase == "CALLED"
    assert sitting.wait(PHONE_LAG_NS).phase == "VERDICT"


def test_a_phone_that_goes_away_lets_go_of_its_button() -> None:
    sitting = linked(Sitting().seated("1", "2", "3"), "2")
    touched(sitting, "2", 60 * MS).tap("1", "3").wait(2 * S)
    assert sitting.phase == "READY"  # a button that is down cannot call
    assert linked(sitting, "2", up=False).wait(S).phase == "STARTING"


def test_a_phone_that_goes_away_when_ready_blocks_the_start_until_it_is_back() -> None:
    sitting = linked(Sitting().seated("1", "2", "3"), "2").wait(BREATH_NS)
    touched(sitting, "2", 120 * MS, False, False, False, False)
    sitting.engine.intake([Linked(sitting.now_ns, "phone-button:phone-2", False, ("2",))], sitting.now_ns)
    assert sitting.tap("1", "3").wait(S).phase == "READY"
    assert [label.numbers for label in sitting.screen(ReadyScreen).waiting] == [(2,)]
    assert sitting.asked == ("2",)
    assert linked(sitting, "2").wait(50 * MS).phase == "STARTING"


def test_a_hand_can_start_without_a_phone_that_went_away() -> None:
    sitting = linked(Sitting().seated("1", "2", "3"), "2").wait(BREATH_NS)
    touched(sitting, "2", 120 * MS, False, False, False, False)
    sitting.engine.intake([Linked(sitting.now_ns, "phone-button:phone-2", False, ("2",))], sitting.now_ns)
    sitting.tap("1", "3").choose("Start without 2").wait(S)
    assert sitting.phase == "STARTING"
    assert sitting.engine.state.table.absent == {"2"}


@given(
    st.integers(-(10**12), 10**12),
    st.integers(-200, 200),
    st.sampled_from([100 * US, MS, 16_700 * US, 100 * MS]),
    st.lists(st.tuples(st.integers(0, 150 * MS), st.integers(0, 150 * MS)), min_size=1, max_size=20),
    st.sampled_from([TOUCH_NS, (62 * MS, 70 * MS)]),
    st.integers(0, 100),
    st.integers(-S, S),
    st.integers(0, 2**21),
)
def test_a_touch_lies_within_its_bound(
    offset_ns: int,
    drift_ppm: int,
    step_ns: int,
    delays: list[tuple[int, int]],
    own_ns: Delays,
    late_percent: int,
    touch_at_ns: int,
    ups: int,
) -> None:
    """By a clock with that drift and step, over a link with those delays in each direction, on a phone with own delays.

    The clock rounds up where a bit of `ups` is set.
    """
    readings = 0

    def stamp(host_ns: int) -> int:
        nonlocal readings
        readings += 1
        up = ups >> readings & 1
        exact = offset_ns + host_ns + host_ns * drift_ppm // 10**6
        return (exact // step_ns + up) * step_ns

    fit: Clockfit = new_phone(step_ns)
    at_ns = 10 * S
    for out_ns, back_ns in delays:
        answered_ns, answer = at_ns + out_ns, stamp(at_ns + out_ns)
        fit = fit.with_exchange(Exchange(at_ns, answer, at_ns + out_ns + back_ns))
        at_ns += out_ns + back_ns + 100 * MS
    finger_ns, touch_ns = at_ns + touch_at_ns, own_ns[0] + (own_ns[1] - own_ns[0]) * late_percent // 100
    seen = placed_touch(fit, stamp(finger_ns + touch_ns), own_ns)
    assert seen is not None
    assert abs(seen.t_ns - finger_ns) <= seen.err_ns
    assert placed_touch(new_phone(0), 0) is None
    proved, came_ns = proved_ns(fit, answer - SENT_NS[0], own_ns), finger_ns + touch_ns
    assert proved is not None
    if came_ns >= answered_ns - SENT_NS[0]:  # it may come after that answer
        assert finger_ns >= proved
        narrow = within(seen, proved, came_ns)
        assert abs(narrow.t_ns - finger_ns) <= narrow.err_ns <= seen.err_ns
        assert narrow.t_ns - narrow.err_ns >= proved
    assert proved_ns(new_phone(0), 0) is None


def test_a_page_that_got_a_touch_late_is_given_more_time() -> None:
    usual_ns, most_ns = SENT_NS
    assert sent_ns((0,)) == sent_ns((5 * MS, 12 * MS)) == usual_ns
    assert sent_ns((40 * MS, 5 * MS)) == 60 * MS
    assert sent_ns((40 * MS, 500 * MS)) == most_ns
