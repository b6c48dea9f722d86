"""A pod that is unplugged, restarts or changes its line keeps the true time of its reports."""

from __future__ import annotations

import pytest

from referee.core.clocks.fit import Instant
from referee.core.pods.link import Link, Old, Up
from referee.core.presses.signals import PRESS_NS, WINDOW_NS, Edge, presses_of
from referee.core.units import MS, US, S
from tests.core.pods.talk import changes, kinds, ready, seen
from tests.firmware.ends import Ends, firmware


def test_edges_kept_through_an_unplug_come_later_with_their_true_time() -> None:
    """The line is unplugged for 2 s during a press."""
    ends = ready(ppm=40)
    ends.run(3 * S)
    ends.torn = True
    at = ends.change(0b10)
    ends.run(50 * MS)
    ends.change(0)
    ends.run(2 * S)
    ends.torn = False
    ends.link.open_line(ends.now_ns)
    ends.run(500 * MS)
    down = seen(ends)[0]
    assert abs(down.t_ns - at) <= down.err_ns < 2 * MS
    arrived_ns = ends.arrived_ns[ends.news.index(down)]
    assert arrived_ns - down.t_ns > 2 * S
    assert changes(ends) == [(1, True), (1, False)]
    [_, again] = [item for item in ends.news if isinstance(item, Up)]
    assert not again.restarted


def test_a_pod_that_goes_silent_is_told_once_and_found_again() -> None:
    """The pod counts as lost after 3 s of silence. The host keeps asking."""
    ends = ready()
    ends.torn = True
    ends.run(5 * S)
    assert kinds(ends.news) == ["Up", "Silent"]
    ends.torn = False
    ends.run(2 * S)
    assert kinds(ends.news)[:3] == ["Up", "Silent", "Up"]


def test_a_pod_that_starts_anew_is_another_clock_and_other_numbers() -> None:
    ends = ready()
    ends.change(1)
    ends.run(20 * MS)
    ends.change(0)
    ends.run(20 * MS)
    ends.board.zero_ns += 700 * S
    ends.anew(boot=2)
    ends.run(300 * MS)
    at = ends.change(0b1000)
    ends.run(50 * MS)
    assert changes(ends) == [(0, True), (0, False), (3, True)]
    down = next(row for row in seen(ends) if row.contact == 3)
    assert abs(down.t_ns - at) <= down.err_ns < 2 * MS
    ups = [item for item in ends.news if isinstance(item, Up)]
    assert [up.restarted for up in ups] == [False, True]


def test_a_contact_that_closed_while_the_pod_started_anew_closed_at_some_time_in_between() -> None:
    """The row's bound covers the time of the restart. After a long absence it would be a level."""
    ends = ready()
    since = ends.now_ns
    ends.torn = True
    ends.run(1 * S)
    ends.torn = False
    ends.board.boot = bytes((2, 0, 0, 0))
    ends.board.start = lambda: (ends.board.ticks_us(), 0b1, 0)  # type: ignore[method-assign]
    ends.board.begun_ns = ends.board.own_ns(ends.now_ns) // 1_000 * 1_000
    ends.pod = firmware("pod").Pod(ends.board, *ends.board.start())
    ends.run(50 * MS)
    [_, up] = [item for item in ends.news if isinstance(item, Up)]
    assert (up.restarted, up.closed) == (True, 0)
    row = seen(ends)[0]
    assert row.closed
    assert row.t_ns - row.err_ns <= since + 20 * MS
    assert row.t_ns + row.err_ns >= since + 1 * S - 20 * MS


@pytest.mark.parametrize("found", [0, 1])
@pytest.mark.parametrize("quiet_ns", [5 * MS, 700 * MS])
def test_a_contact_that_bounced_when_its_pod_was_lost_is_pressed_and_no_spike(quiet_ns: int, found: int) -> None:
    """Closed for 0.3 ms, then the pod was lost: it may have closed again, so it is a press.

    If the pod later says that it stayed open, it was a spike. If it is found closed, it closed at some time in between.
    """
    ends = ready()
    at = ends.change(1)
    ends.change(0, at + 300 * US)
    ends.run(quiet_ns)
    ends.torn = True
    ends.run(400 * MS)
    ends.torn = False
    ends.board.start = lambda: (ends.board.ticks_us(), found, 0)  # type: ignore[method-assign]
    ends.anew(boot=2)
    ends.run(50 * MS)
    rows = [row for row in seen(ends) if row.contact == 0]
    bounced = quiet_ns < WINDOW_NS
    assert [row.closed for row in rows[:2]] == [True, False]
    assert [row.closed for row in rows[2:]] == [True] * (bounced or found) + [False] * (bounced and not found)
    for row in rows[2:]:
        assert row.clock is None
        assert row.t_ns + row.err_ns >= at + quiet_ns + 400 * MS
        assert not bounced or row.t_ns - rows[1].t_ns == (0 if row.closed else PRESS_NS)
    edges = [Edge("1", row.closed, row.t_ns, row.err_ns, row.t_ns, row.clock, row.rel_err_ns) for row in rows]
    assert [press.t_ns == rows[0].t_ns for press in presses_of(edges)] == [True] * bounced + [False] * (
        found and not bounced
    )


def test_a_contact_found_closed_is_a_level_and_no_press() -> None:
    """At the first meeting, and after an absence of more than 5 s."""
    ends = Ends()
    ends.board.start = lambda: (ends.board.ticks_us(), 0b11, 0)  # type: ignore[method-assign]
    ends.anew(boot=1)
    ends.run(300 * MS)
    [up] = [item for item in ends.news if isinstance(item, Up)]
    assert up.closed == 0b11
    assert seen(ends) == []
    ends.change(0b01)
    ends.run(50 * MS)
    assert [(row.contact, row.closed) for row in seen(ends)] == [(1, False)]


def test_what_happened_before_the_host_listened_is_nobody_s_press() -> None:
    ends = Ends()
    ends.torn = True
    for mask in (0b1, 0b0, 0b100):
        ends.change(mask)
        ends.run(500 * MS)
    ends.torn = False
    ends.link = Link(ends.now_ns)
    ends.link.open_line(ends.now_ns)
    ends.run(400 * MS)
    assert [item for item in ends.news if isinstance(item, Old)] == [Old(3, 0b100)]
    assert seen(ends) == []
    ends.change(0)
    ends.run(50 * MS)
    assert changes(ends) == []
    assert [(row.contact, row.closed) for row in seen(ends)] == [(2, False)]


def test_pulses_of_the_sync_wire_narrow_the_bound() -> None:
    """The host knows its pulse to 5 µs and the pod stamps it.

    The pair is better than round trips.
    """
    ends = ready(ppm=30)
    ends.run(2 * S)
    before = ends.link.quality(ends.now_ns).bound_ns
    for _ in range(5):
        at = ends.now_ns - 300 * US
        ends.board.wire += [ends.board.word(at - MS, 0), ends.board.word(at, 1), ends.board.word(at + 2 * US, 0)]
        ends.run(3 * MS)
        ends.link.take_pulses([Instant(at - 1 * S, 5 * US), Instant(at + 2 * US, 5 * US)])
        ends.run(1 * S)
    after = ends.link.quality(ends.now_ns).bound_ns
    assert before is not None
    assert after is not None
    assert after < 30 * US < 200 * US < before
    at = ends.change(1)
    ends.run(20 * MS)
    assert abs(seen(ends)[0].t_ns - at) <= seen(ends)[0].err_ns < 30 * US
    ends.link.take_pulses([])


def test_a_pulse_is_worth_no_more_than_the_pod_s_own_stamp_of_it() -> None:
    """The pod's stamps may be 80 µs off. Here pulses are 60 µs late and a press 60 µs early."""
    ends = Ends()
    ends.board.common_err_ns = ends.board.own_err_ns = 40 * US
    ends.run(2 * S)
    for _ in range(5):
        at = ends.now_ns - 300 * US
        ends.board.wire += [ends.board.word(at + 60 * US + after_ns, level) for after_ns, level in ((-MS, 0), (0, 1))]
        ends.run(3 * MS)
        ends.link.take_pulses([Instant(at, 5 * US)])
        ends.run(1 * S)
    at = ends.change(1, ends.now_ns - 60 * US)
    ends.run(20 * MS)
    assert abs(seen(ends)[0].t_ns - (at + 60 * US)) <= seen(ends)[0].err_ns < 300 * US


def test_a_steered_host_clock_is_said_in_the_bound_at_once() -> None:
    ends = ready(ppm=30)
    ends.run(20 * S)

    def bound_ns(later_ns: int) -> int:
        found = ends.link.quality(ends.now_ns + later_ns).bound_ns
        assert found is not None
        return found

    before = bound_ns(1 * S)
    ends.link.take_steering(0)
    assert bound_ns(1 * S) == before
    ends.link.take_steering(1)
    loosened = bound_ns(1 * S)
    assert loosened > before + 400 * US
    ends.link.take_steering(1)
    assert bound_ns(1 * S) == loosened
    ends.run(20 * S)
    assert bound_ns(1 * S) < before + 50 * US


@pytest.mark.parametrize(("waits_ns", "is_paired"), [(50 * MS, True), (2_900 * MS, True), (3_100 * MS, False)])
def test_a_pulse_waits_3_s_for_the_host_s_own_stamp_of_it(waits_ns: int, is_paired: bool) -> None:
    ends = ready()
    ends.run(2 * S)
    at = ends.now_ns - MS
    ends.board.wire += [ends.board.word(at - MS, 0), ends.board.word(at, 1)]
    ends.run(5 * MS)
    for _ in range(2):
        ends.link.take_pulses([Instant(at - 1 * S, 5 * US)])
    ends.run(waits_ns)
    if waits_ns > 3 * S:
        ends.link.take_pulses([Instant(at - 1 * S, 5 * US)])
    before = ends.link.quality(ends.now_ns).exchanges
    for _ in range(2):
        ends.link.take_pulses([Instant(at, 5 * US)])
    assert ends.link.quality(ends.now_ns).exchanges - before == is_paired


def test_another_pod_on_the_same_line_is_another_pod() -> None:
    ends = ready()
    ends.board.ident = bytes(8)
    ends.anew(boot=9)
    ends.run(300 * MS)
    ups = [item for item in ends.news if isinstance(item, Up)]
    assert [(up.hello.ident[:4], up.restarted) for up in ups] == [("e661", False), ("0000", False)]


def test_a_pod_handed_over_from_another_line_goes_on_where_it_was() -> None:
    ends = ready()
    ends.torn = True
    ends.change(1)
    ends.run(100 * MS)
    hello = ends.link.hello
    assert hello is not None
    ends.torn = False
    news = ends.link.resume_line(hello, ends.now_ns)
    assert kinds(news) == ["Up"]
    ends.run(300 * MS)
    assert changes(ends) == [(0, True)]


def test_an_exchange_is_under_way_from_its_question_to_its_answer() -> None:
    ends = ready()
    under_way = [ends.link.asking]
    ends.torn = True
    ends.run(ends.link.due_ns - ends.now_ns + 1 * MS)
    under_way.append(ends.link.asking)
    ends.torn = False
    ends.run(3 * S)
    under_way.append(ends.link.asking)
    assert under_way == [False, True, False]


def test_a_press_that_began_before_the_host_listened_ends_as_a_level() -> None:
    ends = Ends()
    ends.torn = True
    ends.change(1)
    ends.run(500 * MS)
    ends.link = Link(ends.now_ns)
    ends.run(100 * MS)
    ends.change(0)
    ends.run(50 * MS)
    ends.torn = False
    ends.link.open_line(ends.now_ns)
    ends.run(400 * MS)
    assert next(item for item in ends.news if not isinstance(item, Up)) == Old(1, 1)
    assert [(row.contact, row.closed) for row in seen(ends)] == [(0, False)]
