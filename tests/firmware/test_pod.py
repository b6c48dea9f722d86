"""The pod's end with a faulty host: its modules in desktop Python, in simulated time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.pods import wire as podwire
from referee.core.pods.link import Seen
from referee.core.pods.wire import Decoder, make_frame
from referee.core.units import MS, S
from tests.firmware.ends import Ends, firmware

HOST_KINDS = (podwire.ASK, podwire.ACK, podwire.SYNC, podwire.LAMPS, podwire.IDENTIFY, podwire.SELFTEST, podwire.PROMPT)


def changes(ends: Ends) -> list[tuple[int, bool]]:
    """Return each contact's changes, without rows that repeat a level."""
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
    ends = Ends()
    ends.run(300 * MS)
    ends.torn = True
    ends.change(1)
    ends.run(5 * MS)
    for item in said:
        data = item if isinstance(item, bytes) else make_frame(*item)
        if data[1:2] == bytes((podwire.ACK,)) and len(data) == 14:
            continue  # a random acknowledgement that is right counts
        ends.board.inbox += data
        ends.run(1 * MS)
    ends.torn = False
    ends.link.open_line(ends.now_ns)
    ends.run(1 * S)
    ends.change(0)
    ends.run(1 * S)
    assert changes(ends) == [(0, True), (0, False)]


def test_an_acknowledgement_of_another_boot_is_none() -> None:
    ends = Ends()
    ends.run(300 * MS)
    ends.torn = True
    ends.change(1)
    ends.run(5 * MS)
    for boot, number in ((2, 1), (1, 2), (1, 40_000)):
        ends.board.inbox += podwire.ack(boot, number, 0)
        ends.run(2 * MS)
    assert len(ends.pod.reports) == 1
    ends.board.inbox += podwire.ack(1, 1, 0)
    ends.run(2 * MS)
    assert len(ends.pod.reports) == 0


def test_a_pod_that_nobody_has_asked_says_who_it_is_and_nothing_else() -> None:
    """Twice a second; a host that means the earlier pod gets no stamps of this one's clock."""
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
    """The first word of the state machine, a self-test's own, and unwired pins."""
    ends = Ends()
    ends.run(300 * MS)
    ends.board.contacts = 4
    ends.anew(boot=1)
    ends.run(300 * MS)
    for mask in (0, 0b1111_0000, 0):
        ends.change(mask)
        ends.run(2 * MS)
    assert len(ends.pod.reports) == 0
    assert changes(ends) == []


def test_a_ring_that_ran_over_is_told_with_the_next_report() -> None:
    ends = Ends()
    ends.run(300 * MS)
    ends.board.lost = 3
    ends.change(1)
    ends.run(600 * MS)
    row = next(item for item in ends.news if isinstance(item, Seen) and item.contact == 0)
    assert row.closed
    assert row.err_ns > 200 * MS
    assert ends.link.beat is not None
    assert ends.link.beat.lost == 3


@given(st.integers(0, 2**30 - 1), st.integers(1, 20_000), st.integers(0, 850_000), st.integers(0, 255))
def test_a_stamp_is_right_to_the_tick_however_long_the_pod_runs(
    begun_us: int, seconds: int, waited_us: int, level: int
) -> None:
    """Fetched up to 0.85 s after it was made; the 24 bits wrap 65,536 times in 17 hours."""
    ticks, hot = firmware("ticks"), firmware("hot")
    clock = ticks.Clock(begun_us, 125)
    us = seconds * 1_000_000 + 12_345
    for part in range(1, seconds // 8 + 1):
        clock.pass_to((begun_us + part * 8_000_000) % ticks.PERIOD)
    clock.pass_to((begun_us + us + waited_us) % ticks.PERIOD)
    reports = firmware("reports").Reports(255, level ^ 1)
    made = us * 125 // 7
    assert reports.scan([(~level & 0xFF) << 24 | (0xFFFFFFFF - made) & 0xFFFFFF], 1, clock, False)
    body = bytearray(160)
    size = reports.put(body, 0)
    body[0] = podwire.REPORT
    report = podwire.read_message(podwire.REPORT, bytes(body[1:size]) + b"\0")
    assert isinstance(report, podwire.Report)
    assert [item.ticks for item in report.items] == [made]
    assert report.items[0].closed is bool(level & 1)
    assert hot.ROUND == ticks.ROUND


@given(st.lists(st.tuples(st.integers(0, 255), st.integers(1, 2**20)), min_size=1, max_size=60), st.data())
@settings(max_examples=60, deadline=None)
def test_a_first_edge_waits_for_seven_items_at_most(steps: list[tuple[int, int]], data: st.DataObject) -> None:
    """Also with many bounces of other contacts before it; each contact's items come in order."""
    ticks = firmware("ticks")
    clock, reports = ticks.Clock(0, 125), firmware("reports").Reports(255, 0)
    at, before = 1_000, 0
    wanted: dict[int, list[tuple[bool, int]]] = {n: [] for n in range(8)}
    words = []
    for mask, gap in steps:
        at += gap
        words.append((~mask & 0xFF) << 24 | (0xFFFFFFFF - at) & 0xFFFFFF)
        for n in range(8):
            if (mask ^ before) >> n & 1:
                wanted[n].append((bool(mask >> n & 1), at))
        before = mask
    for us in range(0, at * 7 // 125 + 1_000_000, 500_000):
        clock.pass_to(us % ticks.PERIOD)
    if at > 2**24 - 2**18:
        return  # such words would be fetched in several parts
    reports.scan(words, len(words), clock, False)
    told: dict[int, list[tuple[bool, int]]] = {n: [] for n in range(8)}
    order = []
    body = bytearray(160)
    while True:
        size = reports.put(body, 0)
        if not size:
            break
        report = podwire.read_message(podwire.REPORT, bytes(body[1:size]) + b"\0")
        assert isinstance(report, podwire.Report)
        for item in report.items:
            told[item.contact].append((item.closed, item.ticks & 0xFFFFFF))
            order.append(item.contact)
        reports.confirm((report.first + len(report.items)) & 0xFFFF, 0)
    assert told == wanted
    assert all(order.index(n) < 8 for n in set(order))


def answers(pieces: list[tuple[int, bytes]]) -> list[podwire.Answer]:
    """Return the pod's answers to these pieces of the line's bytes, each read at its time (us)."""
    ends = Ends()
    ends.run(300 * MS)
    board, pieces = ends.board, list(pieces)

    def read() -> int:
        if not pieces:
            return 0
        board.first_us, board.raw = pieces.pop(0)
        return len(board.raw)

    board.read = read  # type: ignore[method-assign]
    board.sent.clear()
    ends.pod.turn()
    frames = (podwire.read_message(kind, payload) for kind, payload in Decoder().feed(b"".join(board.sent)))
    return [message for message in frames if isinstance(message, podwire.Answer)]


def test_a_question_came_with_the_flag_that_begins_it() -> None:
    """A flag alone and the rest after it are one frame.

    An earlier flag, or one that ended another frame, is not.
    """
    ends = Ends()
    ends.run(300 * MS)
    now_us = ends.board.ticks_us()
    flag, rest = podwire.sync(7)[:1], podwire.sync(7)[1:]
    kept = podwire.ack(1, 0, 0)[1:]
    [one] = answers([(now_us - 900, flag), (now_us - 100, rest)])
    for before in ([(now_us - 900, flag)], [(now_us - 950, flag), (now_us - 940, kept)]):
        [other] = answers([*before, (now_us - 400, flag), (now_us - 100, rest)])
        assert (other.came - one.came) * 7 // 125 in (499, 500)
    [shared] = answers([(now_us - 950, flag), (now_us - 940, kept), (now_us - 100, rest)])
    assert (shared.came - one.came) * 7 // 125 in (799, 800)
    assert one.left >= one.came
