"""The pod's own end under a bad host: its modules on a desktop's Python, in a test's time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import podwire
from referee.core.podlink import Seen
from referee.core.podwire import Decoder, framed
from referee.core.units import MS, S
from tests.firmware.ends import Ends, firmware

HOST_KINDS = (podwire.ASK, podwire.ACK, podwire.SYNC, podwire.LAMPS, podwire.IDENTIFY, podwire.SELFTEST, podwire.PROMPT)


def changes(ends: Ends) -> list[tuple[int, bool]]:
    """What each contact did, without the rows that repeat a level."""
    level: dict[int, bool] = {}
    told = []
    for item in ends.news:
        if isinstance(item, Seen):
            if level.get(item.contact, False) != item.closed:
                told.append((item.contact, item.closed))
            level[item.contact] = item.closed
    return told


@given(st.lists(st.tuples(st.sampled_from(HOST_KINDS), st.binary(max_size=12)) | st.binary(max_size=60), max_size=40))
@settings(max_examples=80, deadline=None)
def test_whatever_the_host_says_the_pod_keeps_its_reports(said: list[tuple[int, bytes] | bytes]) -> None:
    """Nonsense in frames and without, between a press and its report: no crash, and the press comes once."""
    ends = Ends()
    ends.run(300 * MS)
    ends.torn = True
    ends.change(1)
    ends.run(5 * MS)
    for item in said:
        data = item if isinstance(item, bytes) else framed(*item)
        if data[1:2] == bytes((podwire.ACK,)) and len(data) == 13:
            continue  # an acknowledgement that happens to be right is one
        ends.board.inbox += data
        ends.run(1 * MS)
    ends.torn = False
    ends.link.opened(ends.now_ns)
    ends.run(1 * S)
    ends.change(0)
    ends.run(1 * S)
    assert changes(ends) == [(0, True), (0, False)]


def test_an_acknowledgement_of_another_boot_is_none() -> None:
    """Nor is one of what has never been sent."""
    ends = Ends()
    ends.run(300 * MS)
    ends.torn = True
    ends.change(1)
    ends.run(5 * MS)
    for boot, number in ((2, 1), (1, 2), (1, 40_000)):
        ends.board.inbox += podwire.ack(boot, number)
        ends.run(2 * MS)
    assert len(ends.pod.reports) == 1
    ends.board.inbox += podwire.ack(1, 1)
    ends.run(2 * MS)
    assert len(ends.pod.reports) == 0


def test_a_pod_that_nobody_has_asked_says_who_it_is_and_nothing_else() -> None:
    """Twice a second; a host that means the pod of before gets no stamps of this one's clock."""
    ends = Ends()
    ends.torn = True
    ends.anew(boot=5)
    sent = []
    for _ in range(2_000):
        ends.now_ns += 1 * MS
        ends.board.host_ns = ends.now_ns
        ends.board.inbox += podwire.sync(7)
        ends.pod.turn()
        sent += ends.board.sent
        ends.board.sent.clear()
    kinds = [kind for kind, _ in Decoder().feed(b"".join(sent))]
    assert set(kinds) == {podwire.HELLO}
    assert len(kinds) in (4, 5)


def test_words_that_change_nothing_are_no_reports() -> None:
    """The first word of the state machine, a self-test's own, and pins that are not wired."""
    ends = Ends()
    ends.run(300 * MS)
    ends.board.contacts = 4
    for mask in (0, 0b1111_0000, 0):
        ends.change(mask)
        ends.run(2 * MS)
    assert len(ends.pod.reports) == 0
    assert changes(ends) == []


def test_a_ring_that_ran_over_is_told_with_the_next_report() -> None:
    """The host then knows that its last level may be old."""
    ends = Ends()
    ends.run(300 * MS)
    ends.board.lost = 3
    ends.change(1)
    ends.run(600 * MS)
    [row] = [item for item in ends.news if isinstance(item, Seen)][:1]
    assert row.err_ns > 200 * MS
    assert ends.link.beat is not None
    assert ends.link.beat.lost == 3


@given(st.integers(0, 2**40), st.integers(0, 900_000), st.integers(0, 255))
def test_a_stamp_is_right_to_the_tick_however_long_the_pod_runs(begun_us: int, waited_us: int, level: int) -> None:
    """Fetched up to 0.9 s after it was made; the 24 bits come round 65,536 times in 17 hours."""
    hz = 125_000_000
    stamps = firmware("ticks").Stamps(hz, begun_us)
    for seconds in (0, 1, 3_600, 90_000):
        us = begun_us + seconds * 1_000_000 + 12_345
        ticks = (us - begun_us) * hz // 7_000_000
        t_ns, read = stamps.read(level << 24 | (0xFFFFFF - ticks) & 0xFFFFFF, us + waited_us)
        assert read == level
        assert us * 1_000 - 56 <= t_ns <= us * 1_000
