"""The firmware's modules talk to the host's link over a line with simulated faults."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.pods import wire as podwire
from referee.core.pods.link import Old, Refused, Seen, Silent
from referee.core.pods.wire import Pulse, make_frame
from referee.core.units import MS, US, S
from referee.core.values import replace
from tests.core.pods.talk import TAP, changes, in_order, kinds, ready, seen
from tests.firmware.ends import FAULTS, Ends, firmware

# -- presses and their times ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ppm", [-90, 0, 90])
def test_a_press_has_its_own_time_within_its_bound(ppm: int) -> None:
    """The time is not that of the arrival."""
    ends = ready(ppm=ppm)
    ends.run(5 * S)
    at = ends.change(0b100, ends.now_ns - 200 * US)
    ends.run(TAP)
    down, *_ = seen(ends)
    assert (down.contact, down.closed) == (2, True)
    assert abs(down.t_ns - at) <= down.err_ns < 1 * MS
    assert in_order(ends)


@given(st.permutations(range(8)))
@settings(max_examples=20, deadline=None)
def test_presses_that_come_together_are_told_the_earliest_first(order: list[int]) -> None:
    """A pod that was blocked reports contact by contact; the earliest press must open the call."""
    ends, mask = ready(), 0
    begun = ends.now_ns - 10 * MS
    for n, contact in enumerate(order):
        mask |= 1 << contact
        ends.change(mask, begun + n * 100 * US)
    ends.run(20 * MS)
    assert [row.contact for row in seen(ends) if row.closed][:8] == order


def _steps(masks: list[int]) -> list[tuple[int, bool]]:
    before, steps = 0, []
    for mask in masks:
        for contact in range(8):
            if (mask ^ before) >> contact & 1:
                steps.append((contact, bool(mask >> contact & 1)))
        before = mask
    return steps


@pytest.mark.no_cover
@given(
    st.lists(st.sampled_from(FAULTS), max_size=60), st.lists(st.integers(0, 255), min_size=1, max_size=30), st.data()
)
@settings(max_examples=25, deadline=None)
def test_whatever_the_line_does_each_change_comes_once_and_in_order(
    faults: list[str], masks: list[int], data: st.DataObject
) -> None:
    ends = ready(ppm=50)
    ends.faults.extend(faults)
    true = []
    before = 0
    for mask in masks:
        ends.run(data.draw(st.sampled_from([1, 3, 30])) * MS)
        at = ends.change(mask)
        true += [at] * (mask ^ before).bit_count()
        before = mask
    ends.run(6 * S)
    for contact in range(8):
        wanted = [(step[1], at) for step, at in zip(_steps(masks), true, strict=True) if step[0] == contact]
        told = [row for row in _without_repeats(seen(ends)) if row.contact == contact]
        assert [row.closed for row in told] == [closed for closed, _ in wanted]
        assert all(abs(row.t_ns - at) <= row.err_ns for row, (_, at) in zip(told, wanted, strict=True))
    assert in_order(ends)
    assert not any(isinstance(item, Silent | Refused | Old) for item in ends.news)


def _without_repeats(rows: list[Seen]) -> list[Seen]:
    level: dict[int, bool] = {}
    kept = []
    for row in rows:
        if level.get(row.contact, False) != row.closed:
            kept.append(row)
        level[row.contact] = row.closed
    return kept


def report(first: int, *changes: tuple[int, bool]) -> bytes:
    """Return a report of contact 1 at the pod's time in ns."""
    ticks = [ns * 125 // 7_000 for ns, _ in changes]
    assert len({tick >> 24 for tick in ticks}) == 1
    items = [
        podwire._ITEM.pack((tick & 0xFFFFFF).to_bytes(3, "little"), 8 * c)
        for tick, (_, c) in zip(ticks, changes, strict=True)
    ]
    return make_frame(podwire.REPORT, podwire._HEAD.pack(first, ticks[0] >> 24) + b"".join(items) + b"\0")


def beat(ns: int, following: int, closed: int) -> bytes:
    """Return a beat at the pod's time, after which nothing has happened."""
    ticks = (ns * 125 // 7_000).to_bytes(7, "little")
    return make_frame(podwire.BEAT, podwire._BEAT.pack(ticks, following, closed, 0, 0, 0, 0) + b"\0")


def test_a_beat_repeats_a_level_unless_the_contact_s_next_change_comes_with_it() -> None:
    for parts, told in (
        ((0, 1), [True, True]),
        ((0, 1, 2), [True, False]),
        ((0, 1, 2, 3), [True, False]),
        ((0, 1, 2, 3, 4, 5), [True, False, True, True]),
        ((0, 2, 4, 5), [True, False, True, True]),
        ((0, 5), [True]),  # that beat includes a change that has not arrived yet
    ):
        ends = ready()
        ns = ends.now_ns - ends.board.zero_ns - 20 * MS
        frames = (
            report(0, (ns, True)),
            beat(ns + 2 * MS, 1, 1),
            report(1, (ns + 3 * MS, False)),
            beat(ns + 4 * MS, 2, 0),
            report(2, (ns + 14 * MS, True)),
            beat(ns + 16 * MS, 3, 1),
        )
        rows = ends.link.receive(b"".join(frames[part] for part in parts), ends.now_ns)
        assert [row.closed for row in rows if isinstance(row, Seen)] == told
        assert [row.t_ns for row in rows if isinstance(row, Seen)] == sorted(
            row.t_ns for row in rows if isinstance(row, Seen)
        )


def test_a_press_begins_a_line_and_a_bounce_of_the_release_does_not() -> None:
    """A contact that closes again within 10 ms bounces. After 11 ms open it may be a press."""
    ends = ready()
    clocks = []
    for mask, pause_ns in ((1, 300 * MS), (0, 9 * MS), (1, 1 * MS), (0, 11 * MS), (1, TAP)):
        before = len(ends.news)
        ends.change(mask)
        ends.run(pause_ns)
        clocks.append({row.clock for row in ends.news[before:] if isinstance(row, Seen)})
    assert all(len(names) == 1 for names in clocks)
    pressed, released, bounced, open_again, again = (names.pop() for names in clocks)
    assert pressed == released == bounced == open_again
    assert again != pressed


@given(st.lists(st.binary(max_size=40), max_size=30))
@settings(max_examples=60, deadline=None)
def test_noise_on_the_line_presses_nothing(noise: list[bytes]) -> None:
    ends = ready()
    for piece in noise:
        ends.news += ends.link.receive(piece, ends.now_ns)
        ends.arrived_ns += [ends.now_ns] * (len(ends.news) - len(ends.arrived_ns))
        ends.run(2 * MS)
    assert kinds(ends.news) == ["Up"]
    ends.change(1)
    ends.run(100 * MS)
    assert changes(ends) == [(0, True)]


def test_numbers_go_round() -> None:
    """Numbers wrap after 65,536 reports."""
    ends = ready()
    ends.pod.reports.state[firmware("hot").NUMBER] = ends.link._expected = 65_533
    for n in range(12):
        ends.change((n + 1) % 2)
        ends.run(5 * MS)
    assert changes(ends) == [(0, n % 2 == 0) for n in range(12)]
    assert ends.pod.reports.first == 9


def test_a_pod_with_a_full_house_says_that_something_was_lost() -> None:
    """The oldest reports are kept.

    One row then states the level, with an error that covers the lost ones.
    """
    ends = ready()
    ends.torn = True
    hot = firmware("hot")
    kept = hot.ROOM + hot.WINDOW
    for n in range(kept + 11):
        ends.change((n + 1) % 2)
        ends.run(1 * MS)
    lost_since = ends.now_ns - 11 * MS
    ends.torn = False
    ends.run(3 * S)
    rows = _without_repeats(seen(ends))
    assert len(rows) == kept + 1
    assert rows[-1].closed
    assert rows[-1].t_ns - rows[-1].err_ns <= lost_since
    assert ends.link.beat is not None
    assert ends.link.beat.lost == 11
    at = ends.change(0)
    ends.run(50 * MS)
    row = _without_repeats(seen(ends))[-1]
    assert abs(row.t_ns - at) <= row.err_ns < 2 * MS


def test_a_beat_that_contradicts_what_is_known_is_a_change_that_was_lost() -> None:
    """The bound reaches back to the previous beat."""
    ends = ready()
    ends.run(2 * S)
    assert ends.link.beat is not None
    told = ends.link.beat
    beat = replace(told, ticks=told.ticks + 200 * MS // 56, closed=0b11, behind=0b01)
    [row] = ends.link._take_beat(beat, ends.now_ns)
    assert isinstance(row, Seen)
    assert (row.contact, row.closed) == (1, True)
    assert row.err_ns >= 100 * MS
    again = replace(beat, ticks=beat.ticks + 200 * MS // 56)
    assert list(ends.link._take_beat(again, ends.now_ns + 200 * MS)) == []  # that is known by now
    [row] = ends.link._take_beat(replace(again, ticks=again.ticks + 10 * MS // 56, closed=0b01), ends.now_ns + 210 * MS)
    assert isinstance(row, Seen)
    assert (row.contact, row.closed) == (1, False)
    assert 5 * MS <= row.err_ns < 100 * MS


# -- lamps, pulses and identification ------------------------------------------------------------------------------


def test_lamps_are_lit_and_stay_so() -> None:
    """A beat states the lit lamps, so the host repeats a lost frame."""
    ends = ready()
    ends.link.light(0b11)
    ends.link.outgoing()  # lost
    ends.run(1 * S)
    assert ends.board.lit == 0b11
    ends.link.light(0b11)
    assert ends.link.outgoing() == b""
    ends.torn = True
    ends.run(4 * S)
    assert ends.board.lit == 0  # the host is gone
    ends.link.light(0b100)
    ends.torn = False
    ends.run(2 * S)
    assert ends.board.lit == 0b100


def test_self_test_s_result_is_news() -> None:
    ends = ready()
    frame = make_frame(podwire.TESTED, bytes((5, 0, 0)))
    assert ends.link.receive(frame, ends.now_ns) == [podwire.Tested(5)]


def test_a_pulse_of_the_sync_wire_is_told_by_the_pod_s_clock() -> None:
    """Only its rise counts, and changes of other pins do not."""
    ends = ready()
    board, at = ends.board, ends.now_ns - 1 * MS
    levels = ((at - MS, 0x00), (at, 0x01), (at + 200, 0x00), (at + 300, 0xFE))
    board.wire += [board.word(when, level) for when, level in levels]
    ends.run(20 * MS)
    assert ends.link._pulse is not None
    assert abs(ends.link._pulse[0] - (board.own_ns(at) - board.begun_ns)) <= 1 * US


@pytest.mark.parametrize(("found", "told"), [(0, True), (1, False)])
def test_the_first_word_of_the_sync_wire_is_a_pulse_if_the_wire_was_low(found: int, told: bool) -> None:
    ends = Ends()
    board = ends.board
    ends.pod = firmware("pod").Pod(board, *board.start()[:2], found)
    ends.run(400 * MS)
    at = ends.now_ns - 1 * MS
    board.wire.append(board.word(at, 1))
    ends.run(20 * MS)
    assert (ends.link._pulse is not None) is told


def test_a_stamp_of_the_future_is_told_as_of_now() -> None:
    """A clock that is off by more than its bound costs precision, but keeps the rules of rows."""
    ends = ready()
    ends.board.zero_ns -= 5 * MS
    ends.change(1)
    ends.run(2 * MS)
    row = seen(ends)[0]
    assert row.t_ns <= ends.arrived_ns[ends.news.index(row)]
    assert row.err_ns > 3 * MS
    assert in_order(ends)


def test_identify_blinks_and_ends() -> None:
    ends = ready()
    ends.link.light(0b1)
    ends.run(20 * MS)
    ends.link.say(podwire.identify(2))
    lit = []
    for _ in range(30):
        ends.run(100 * MS)
        lit.append(ends.board.lit)
    assert set(lit[:18]) == {0, 0xFF}
    assert set(lit[25:]) == {0b1}


def test_a_pulse_before_the_pod_is_known_says_nothing() -> None:
    ends = Ends()
    assert list(ends.link._hear(Pulse(5), ends.now_ns)) == []
    assert ends.link._pulse is None
