"""Devices that are no pod, broken or hostile: one sentence, and limited cost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.pods import wire as podwire
from referee.core.pods.link import CLOCKLESS_NS, OUTAGE_NS, WAITING, Link, News, Odd, Refused, Seen, Up, stranger
from referee.core.pods.wire import make_frame
from referee.core.units import MS, S
from tests.core.pods.talk import TAP, in_order, ready, seen
from tests.firmware.ends import Ends

# -- other devices -------------------------------------------------------------------------------------------------

GPS, MODEM = "speaks NMEA like a GPS receiver and is no pod", "answers like a modem and is no pod"
PYTHON = "runs MicroPython but not the pod's program, or not all of it; `referee pod install` puts it there"
STRANGERS = {
    b"": "says nothing: it is no pod, or one whose program does not run; `referee pod install` puts it on a Pico",
    b"$GPGGA,172814.0,3723.46587704,N\r\n": GPS,
    **{b"\r\n$" + who + b"RMC,,V,,,,,,,,,,N*4D\r\n": GPS for who in (b"GN", b"GL", b"GA", b"BD")},
    **{b"ATZ\r\n" + said + b"\r\n": MODEM for said in (b"OK", b"ERROR", b"RING", b"NO CARRIER")},
    b"MicroPython v1.27.0 on 2025-12-09; Raspberry Pi Pico with RP2040\r\n": PYTHON,
    b"\r\n>>> ": PYTHON,
    b"raw REPL; CTRL-B to exit\r\n>": PYTHON,
    b"Traceback (most recent call last):\r\nImportError: no module named 'pod'\r\n": PYTHON,
    b"is\r\nThis pod's program is for MicroPython 1.22 to 1.28, not for 1.29\r\nThis": (
        'runs a pod\'s program that is "for MicroPython 1.22 to 1.28, not for 1.29"'
    ),
    b"\x7eA\x01-\\\xbc\xdf\x7e": "sends back what it is sent: it is no pod",
    b"the weather of today is fine": 'says "the weather of t" and nothing that a pod says: it is no pod',
    b"BROKEN OKAY\r\n": 'says "BROKEN OKAY\\r\\n" and nothing that a pod says: it is no pod',
}


@pytest.mark.parametrize("said", STRANGERS)
def test_who_is_no_pod_is_named_by_what_it_says(said: bytes) -> None:
    """The host waits for 3 s."""
    link = Link(0)
    link.open_line(0)
    news = link.receive(said, 1 * S) if said else []
    for tenth in range(1, 35):
        news += link.tick(tenth * 100 * MS)
    [refused] = news
    assert isinstance(refused, Refused)
    assert refused.reason == stranger(said) == STRANGERS[said]


def test_a_pod_of_another_protocol_is_refused_with_both_numbers() -> None:
    link = Link(0)
    link.open_line(0)
    news = link.receive(
        make_frame(podwire.HELLO, b"\x09later") + make_frame(podwire.REPORT, b"\0\0\0\1" + bytes(8)), 1 * MS
    )
    [refused] = news
    assert isinstance(refused, Refused)
    assert refused.reason.startswith("speaks protocol 9, this referee 2; `referee pod install`")


@given(st.lists(st.tuples(st.sampled_from([1, 2, 3, 4, 5, 6, 0x41, 99]), st.binary(max_size=45)), max_size=40))
@settings(max_examples=150, deadline=None)
def test_well_framed_nonsense_breaks_nothing(frames: list[tuple[int, bytes]]) -> None:
    ends = ready()
    for kind, payload in frames:
        ends.now_ns += MS
        news = ends.link.receive(make_frame(kind, payload), ends.now_ns)
        ends.news += news
        ends.arrived_ns += [ends.now_ns] * len(news)
    assert in_order(ends)


def test_an_answer_that_nobody_asked_for_moves_no_clock() -> None:
    """An old or invented answer would be a false constraint on the fit."""
    ends = ready()
    before = ends.link.quality(ends.now_ns)
    ends.now_ns += MS
    assert ends.link.receive(make_frame(podwire.ANSWER, bytes(19)), ends.now_ns) == []
    assert ends.link.quality(ends.now_ns).exchanges == before.exchanges


# -- limited cost of a broken or hostile device ---------------------------------------------------------------------


def packed(first: int, *items: tuple[int, int]) -> bytes:
    """Return a report's payload of these (flags, ticks), each with its distance from the first."""
    turn = max((items[0][1] >> 24) - 1, 0) if items else 0
    body = podwire._HEAD.pack(first, turn & 0xFFFFFFFF)
    for flags, ticks in items:
        later = ((ticks >> 24) - turn) & 3
        body += podwire._ITEM.pack((ticks & 0xFFFFFF).to_bytes(3, "little"), flags & 31 | later << 5)
    return body + b"\0"


def reported(ends: Ends, *items: tuple[int, int]) -> list[News]:
    """Return the next report of these (flags, ticks of the pod's clock), well framed."""
    news = ends.link.receive(make_frame(podwire.REPORT, packed(ends.link._expected, *items)), ends.now_ns)
    ends.news += news
    ends.arrived_ns += [ends.now_ns] * len(news)
    return news


@pytest.mark.parametrize("stamp", [2**56 - 5_000, 2**55, 2**54 + 1])
def test_a_stamp_that_no_clock_can_have_reached_is_said_and_the_press_counts_as_of_now(stamp: int) -> None:
    """Its bound is as wide as a journal allows. The next press is precise again."""
    ends = ready()
    odd, row = reported(ends, (8, stamp))
    assert isinstance(odd, Odd)
    assert isinstance(row, Seen)
    assert row.t_ns == ends.now_ns
    assert 0 <= row.err_ns <= ends.now_ns
    ends.now_ns += 300 * MS
    reported(ends, (0, (ends.link._fit.newest_ns + 400 * MS) * 125 // 7_000))
    row = seen(ends)[-1]
    assert not row.closed
    assert row.err_ns < 5 * MS


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 31), st.integers(0, 2**56 - 1)), max_size=5), max_size=12),
    st.lists(st.tuples(st.integers(0, 2**56 - 1), st.integers(0, 255), st.integers(0, 255)), max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_whatever_stamps_a_device_makes_up_a_row_can_be_kept(
    reports: list[list[tuple[int, int]]], beats: list[tuple[int, int, int]]
) -> None:
    ends = ready()
    for items in reports:
        ends.now_ns += MS
        reported(ends, *items)
        for ticks, closed, behind in beats:
            beat = podwire._BEAT.pack(ticks.to_bytes(7, "little"), ends.link._expected, closed, behind, 0, 0, 0)
            ends.news += ends.link.receive(make_frame(podwire.BEAT, beat + b"\0"), ends.now_ns)
            ends.arrived_ns += [ends.now_ns] * (len(ends.news) - len(ends.arrived_ns))
    assert all(0 <= row.t_ns <= ends.now_ns and 0 <= row.err_ns <= ends.now_ns for row in seen(ends))
    assert in_order(ends)


def greeted_without_clock() -> tuple[Link, int]:
    """Return a link to a pod that has greeted and never answers questions about its clock."""
    link = Link(0)
    link.open_line(0)
    hello = podwire._HELLO.pack(podwire.VERSION, 0, 7, bytes(8), bytes(3), 8, 0, 125, 0, 0, 0, bytes(7)) + b"\0"
    link.receive(make_frame(podwire.HELLO, hello), 1 * MS)
    assert link.up
    return link, 1 * MS


def test_reports_that_wait_for_a_clock_wait_at_the_pod_once_there_are_many() -> None:
    """Unplaced reports are not acknowledged, so none is lost and memory is limited."""
    link, now = greeted_without_clock()
    for n in range(3 * WAITING):
        payload = packed(n % podwire.ROUND, (8 * (n & 1), n))
        link.receive(make_frame(podwire.REPORT, payload), now)
        assert podwire.ack(7, 0, 0) in link.outgoing()
    assert len(link._unplaced) == WAITING


def test_a_pod_that_never_tells_its_clock_is_refused() -> None:
    """Its presses cannot be placed. One message is better than a seat without function."""
    link, now = greeted_without_clock()
    beat = podwire._BEAT.pack(bytes(7), 0, 0, 0, 0, 0, 0) + b"\0"
    news: list[News] = []
    while now < 2 * CLOCKLESS_NS and not news:
        now += 100 * MS
        news += link.receive(make_frame(podwire.BEAT, beat), now) + link.tick(now)
    [refused] = news
    assert isinstance(refused, Refused)
    assert "clock" in refused.reason
    assert CLOCKLESS_NS <= now < CLOCKLESS_NS + 1 * S
    assert not link.up


def test_a_clock_s_name_holds_where_one_line_ends_and_another_begins() -> None:
    ends = ready()
    for pause_ns in (0, 50 * MS, 900 * MS):
        ends.run(pause_ns)
        ends.change(0b1)
        ends.run(TAP)
        ends.change(0)
        ends.run(TAP)
    clocks = [row.clock for row in seen(ends) if row.closed]
    assert len(set(clocks)) == 2
    assert all(clock is not None and clock.startswith("e66141040b2c3f2a:00000001:") for clock in clocks)
    assert clocks[0] != clocks[-1]
    before = len(ends.news)
    ends.link = Link(ends.now_ns)
    ends.link.open_line(ends.now_ns)
    ends.run(400 * MS)
    ends.change(0b1)
    ends.run(TAP)
    anew = {row.clock for row in ends.news[before:] if isinstance(row, Seen)}
    assert len(anew) == 1
    assert not anew & set(clocks)


@pytest.mark.parametrize(("away_ns", "rows"), [(OUTAGE_NS, 1), (OUTAGE_NS + 1, 0)])
def test_a_pod_that_starts_anew_within_five_seconds_was_never_away(away_ns: int, rows: int) -> None:
    link, now_ns = greeted_without_clock()
    hello = podwire._HELLO.pack(podwire.VERSION, 0, 8, bytes(8), bytes(3), 8, 0b1, 125, 0, 0, 0, bytes(7)) + b"\0"
    up, *seen_ = link.receive(make_frame(podwire.HELLO, hello), now_ns + away_ns)
    assert isinstance(up, Up)
    assert (up.restarted, up.closed) == (True, 0 if rows else 1)
    assert [(row.contact, row.closed) for row in seen_ if isinstance(row, Seen)] == [(0, True)] * rows
    assert [row.t_ns for row in seen_ if isinstance(row, Seen)] == [now_ns + away_ns // 2] * rows


def test_what_a_pod_says_before_it_has_greeted_tells_nothing() -> None:
    link = Link(0)
    link.open_line(0)
    assert link.receive(make_frame(podwire.BEAT, bytes.fromhex("404b4c000000000900010602030004000c")), 1 * MS) == []


def test_an_answer_that_left_before_its_question_came_fits_no_clock() -> None:
    ends = ready()
    link, now_ns = ends.link, ends.link.due_ns or 0
    before = link.quality(now_ns)
    link.tick(now_ns)
    token = (now_ns & 0xFFFFFFFF).to_bytes(4, "little")
    backwards = token + (10**9).to_bytes(7, "little") + (10**9 - 1).to_bytes(7, "little")
    link.receive(make_frame(podwire.ANSWER, backwards + b"\0"), now_ns + 1 * MS)
    assert link.quality(now_ns) == before
    assert link.due_ns is not None
