"""Two ends talking: the firmware's own modules and the host's link, over a line that is as bad as a test wants it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.clocks.fit import Instant
from referee.core.pods import wire as podwire
from referee.core.pods.link import CLOCKLESS_NS, WAITING, Link, News, Odd, Old, Refused, Seen, Silent, Up, stranger
from referee.core.pods.wire import Pulse, framed
from referee.core.presses.signals import Edge, presses_of
from referee.core.units import MS, US, S
from referee.core.values import replace
from tests.firmware.ends import FAULTS, Ends, firmware

TAP = 30 * MS


def seen(ends: Ends) -> list[Seen]:
    """Every row so far."""
    return [item for item in ends.news if isinstance(item, Seen)]


def changes(ends: Ends) -> list[tuple[int, bool]]:
    """What each contact did, without the rows that only say that it is as it was."""
    level: dict[int, bool] = {}
    told = []
    for row in seen(ends):
        if level.get(row.contact, False) != row.closed:
            told.append((row.contact, row.closed))
        level[row.contact] = row.closed
    return told


def kinds(news: list[News]) -> list[str]:
    return [type(item).__name__ for item in news]


def ready(**kwargs: Any) -> Ends:
    """Two ends that know each other and whose clocks are fitted."""
    ends = Ends(**kwargs)
    ends.run(400 * MS)
    assert kinds(ends.news) == ["Up"]
    return ends


def in_order(ends: Ends) -> bool:
    """What ARBITER.md asks of rows: per contact t never falls, and t - e is never after the arrival."""
    latest: dict[int, int] = {}
    for item, arrived_ns in zip(ends.news, ends.arrived_ns, strict=True):
        if isinstance(item, Seen):
            if item.t_ns < latest.get(item.contact, 0) or item.t_ns - item.err_ns > arrived_ns:
                return False
            latest[item.contact] = item.t_ns
    return True


# -- what happened -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ppm", [-90, 0, 90])
def test_a_press_has_its_own_time_within_its_bound(ppm: int) -> None:
    """Not the time of its arrival, and with a bound that is no excuse."""
    ends = ready(ppm=ppm)
    ends.run(5 * S)
    at = ends.change(0b100, ends.now_ns - 200 * US)
    ends.run(TAP)
    down, *_ = seen(ends)
    assert (down.contact, down.closed) == (2, True)
    assert abs(down.t_ns - at) <= down.err_ns < 1 * MS
    assert in_order(ends)


def test_a_closed_contact_is_certain_without_waiting_for_the_link() -> None:
    """A beat says that nothing else happened; as a row it repeats the level, 1 ms or more after the closing."""
    ends = ready()
    ends.change(1)
    ends.run(10 * MS)
    down, still = seen(ends)
    assert (still.closed, still.contact) == (True, 0)
    assert 1 * MS <= still.t_ns - down.t_ns <= 3 * MS


def test_a_beat_right_after_a_closing_says_nothing_of_it_yet() -> None:
    """The contact has not been closed for 1 ms by then."""
    ends = ready()
    ends.change(1)
    ends.run(1 * MS)
    [down] = seen(ends)
    closed_ticks = ends.link._closings[0] * 125 // 7_000
    assert ends.link.beat is None or ends.link.beat.ticks < closed_ticks
    beat = podwire.Beat(closed_ticks + 900 * 125 // 7, ends.link._expected, 1, 0, 0, 0, 0)
    assert list(ends.link._beaten(beat, ends.now_ns)) == []
    assert down.closed


def test_eight_contacts_bouncing_at_once_lose_nothing() -> None:
    """160 changes within 4 ms, in order and each of them with its own time."""
    ends = ready()
    begun = ends.now_ns - 10 * MS
    masks = [mask for n in range(20) for mask in _walk(n)]
    assert len(masks) == 160
    true = [ends.change(mask, begun + n * 25 * US) for n, mask in enumerate(masks)]
    ends.run(200 * MS)
    rows = _without_repeats(seen(ends))
    for contact in range(8):
        mine = [n for n, step in enumerate(_steps(masks)) if step[0] == contact]
        told = [row for row in rows if row.contact == contact]
        assert [row.closed for row in told] == [_steps(masks)[n][1] for n in mine]
        assert all(abs(row.t_ns - true[n]) <= row.err_ns for row, n in zip(told, mine, strict=True))


@given(st.permutations(range(8)))
@settings(max_examples=20, deadline=None)
def test_presses_that_come_together_are_told_the_earliest_first(order: list[int]) -> None:
    """A pod that stood still tells them contact by contact: whoever pressed first must open the call."""
    ends, mask = ready(), 0
    begun = ends.now_ns - 10 * MS
    for n, contact in enumerate(order):
        mask |= 1 << contact
        ends.change(mask, begun + n * 100 * US)
    ends.run(20 * MS)
    assert [row.contact for row in seen(ends) if row.closed][:8] == order


def _walk(n: int) -> list[int]:
    """All eight close one after the other, or open."""
    return [(2 << k) - 1 if n % 2 == 0 else 0xFF & ~((2 << k) - 1) for k in range(8)]


def _steps(masks: list[int]) -> list[tuple[int, bool]]:
    before, steps = 0, []
    for mask in masks:
        for contact in range(8):
            if (mask ^ before) >> contact & 1:
                steps.append((contact, bool(mask >> contact & 1)))
        before = mask
    return steps


@given(
    st.lists(st.sampled_from(FAULTS), max_size=60), st.lists(st.integers(0, 255), min_size=1, max_size=30), st.data()
)
@settings(max_examples=25, deadline=None)
def test_whatever_the_line_does_each_change_comes_once_and_in_order(
    faults: list[str], masks: list[int], data: st.DataObject
) -> None:
    """Lost, doubled, spoilt and cut frames and noise between them: repeated until it is acknowledged, counted once."""
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


@given(st.lists(st.binary(max_size=40), max_size=30))
@settings(max_examples=60, deadline=None)
def test_noise_on_the_line_presses_nothing(noise: list[bytes]) -> None:
    """Random bytes between the pod's frames, at any place: no row, no crash, and the next press comes."""
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
    """After 65,536 reports nothing is taken for an old one."""
    ends = ready()
    ends.pod.reports.state[firmware("hot").NUMBER] = ends.link._expected = 65_533
    for n in range(12):
        ends.change((n + 1) % 2)
        ends.run(5 * MS)
    assert changes(ends) == [(0, n % 2 == 0) for n in range(12)]
    assert ends.pod.reports.first == 9


def test_a_replayed_report_counts_once() -> None:
    """The very bytes of a press and its release, again and again."""
    ends = ready()
    ends.change(1, ends.now_ns - 30 * MS)
    ends.change(0)
    ends.board.host_ns = ends.now_ns
    ends.pod.turn()
    frames = b"".join(ends.board.sent)
    ends.board.sent.clear()
    for _ in range(5):
        ends.news += ends.link.receive(frames, ends.now_ns)
    assert changes(ends) == [(0, True), (0, False)]


def test_a_pod_with_a_full_house_says_that_something_was_lost() -> None:
    """What was first is kept; then one row says how the contact is, and its error reaches back to what was lost."""
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
    """With a bound that reaches back to the beat before; a contact that is behind in the reports says nothing."""
    ends = ready()
    ends.run(2 * S)
    assert ends.link.beat is not None
    told = ends.link.beat
    beat = replace(told, ticks=told.ticks + 200 * MS // 56, closed=0b11, behind=0b01)
    [row] = ends.link._beaten(beat, ends.now_ns)
    assert isinstance(row, Seen)
    assert (row.contact, row.closed) == (1, True)
    assert row.err_ns >= 100 * MS


# -- coming and going ----------------------------------------------------------------------------------------------


def test_edges_kept_through_an_unplug_come_later_with_their_true_time() -> None:
    """The line is torn out for 2 s while somebody presses; the pod keeps it and the host gets it, once."""
    ends = ready(ppm=40)
    ends.run(3 * S)
    ends.torn = True
    at = ends.change(0b10)
    ends.run(50 * MS)
    ends.change(0)
    ends.run(2 * S)
    ends.torn = False
    ends.link.opened(ends.now_ns)
    ends.run(500 * MS)
    down = seen(ends)[0]
    assert abs(down.t_ns - at) <= down.err_ns < 2 * MS
    arrived_ns = ends.arrived_ns[ends.news.index(down)]
    assert arrived_ns - down.t_ns > 2 * S
    assert changes(ends) == [(1, True), (1, False)]
    [_, again] = [item for item in ends.news if isinstance(item, Up)]
    assert not again.anew


def test_a_pod_that_goes_silent_is_told_once_and_found_again() -> None:
    """3 s without a word; it is asked again and again, and when it answers it is the one it was."""
    ends = ready()
    ends.torn = True
    ends.run(5 * S)
    assert kinds(ends.news) == ["Up", "Silent"]
    ends.torn = False
    ends.run(2 * S)
    assert kinds(ends.news)[:3] == ["Up", "Silent", "Up"]


def test_a_pod_that_starts_anew_is_another_clock_and_other_numbers() -> None:
    """Mid-hand, by a loose plug: its presses go on, none of them twice, none by the old clock."""
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
    assert [up.anew for up in ups] == [False, True]


def test_a_contact_that_closed_while_the_pod_started_anew_closed_at_some_time_in_between() -> None:
    """It is a row, and its bound says that nobody knows better; after a long absence it would be a level."""
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
    assert (up.anew, up.closed) == (True, 0)
    row = seen(ends)[0]
    assert row.closed
    assert row.t_ns - row.err_ns <= since + 20 * MS
    assert row.t_ns + row.err_ns >= since + 1 * S - 20 * MS


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


def test_an_exchange_is_under_way_from_its_question_to_its_answer() -> None:
    """In between the line is read at once, for when the answer comes is measured."""
    ends = ready()
    under_way = [ends.link.asking]
    ends.torn = True
    ends.run(ends.link.due_ns - ends.now_ns + 1 * MS)
    under_way.append(ends.link.asking)
    ends.torn = False
    ends.run(3 * S)
    under_way.append(ends.link.asking)
    assert under_way == [False, True, False]


def test_what_happened_before_the_host_listened_is_nobody_s_press() -> None:
    """A pod kept it for a referee that was switched off: it is counted, and only the level is taken."""
    ends = Ends()
    ends.torn = True
    for mask in (0b1, 0b0, 0b100):
        ends.change(mask)
        ends.run(500 * MS)
    ends.torn = False
    ends.link = Link(ends.now_ns)
    ends.link.opened(ends.now_ns)
    ends.run(400 * MS)
    assert [item for item in ends.news if isinstance(item, Old)] == [Old(3, 0b100)]
    assert seen(ends) == []
    ends.change(0)
    ends.run(50 * MS)
    assert changes(ends) == []
    assert [(row.contact, row.closed) for row in seen(ends)] == [(2, False)]


def test_a_press_that_began_before_the_host_listened_ends_as_a_level() -> None:
    """Closed before, opened after: the level is told first, then the opening as it was."""
    ends = Ends()
    ends.torn = True
    ends.change(1)
    ends.run(500 * MS)
    ends.link = Link(ends.now_ns)
    ends.run(100 * MS)
    ends.change(0)
    ends.run(50 * MS)
    ends.torn = False
    ends.link.opened(ends.now_ns)
    ends.run(400 * MS)
    assert next(item for item in ends.news if not isinstance(item, Up)) == Old(1, 1)
    assert [(row.contact, row.closed) for row in seen(ends)] == [(0, False)]


def test_pulses_of_the_sync_wire_narrow_the_bound() -> None:
    """The host knows when it pulsed to 5 us; the pod says when it saw it; the pair is worth more than round trips."""
    ends = ready(ppm=30)
    ends.run(2 * S)
    before = ends.link.quality(ends.now_ns).bound_ns
    for _ in range(5):
        at = ends.now_ns - 300 * US
        ends.board.wire += [ends.board.word(at - MS, 0), ends.board.word(at, 1), ends.board.word(at + 2 * US, 0)]
        ends.run(3 * MS)
        ends.link.pulsed([Instant(at - 1 * S, 5 * US), Instant(at + 2 * US, 5 * US)])
        ends.run(1 * S)
    after = ends.link.quality(ends.now_ns).bound_ns
    assert before is not None
    assert after is not None
    assert after < 30 * US < 200 * US < before
    at = ends.change(1)
    ends.run(20 * MS)
    assert abs(seen(ends)[0].t_ns - at) <= seen(ends)[0].err_ns < 30 * US
    ends.link.pulsed([])


def test_a_steered_host_clock_is_said_in_the_bound_at_once() -> None:
    """Told for the first time, all rates are open again; told the same again, nothing changes."""
    ends = ready(ppm=30)
    ends.run(20 * S)

    def bound_ns(later_ns: int) -> int:
        found = ends.link.quality(ends.now_ns + later_ns).bound_ns
        assert found is not None
        return found

    before = bound_ns(1 * S)
    ends.link.steered(0)
    assert bound_ns(1 * S) == before
    ends.link.steered(1)
    loosened = bound_ns(1 * S)
    assert loosened > before + 400 * US
    ends.link.steered(1)
    assert bound_ns(1 * S) == loosened
    ends.run(20 * S)
    assert bound_ns(1 * S) < before + 50 * US


def test_a_pulse_that_fits_none_of_the_host_s_is_not_believed() -> None:
    """Nor is it kept for ever: it may be paired for 3 s."""
    ends = ready()
    at = ends.now_ns - MS
    ends.board.wire += [ends.board.word(at - MS, 0), ends.board.word(at, 1)]
    ends.run(5 * MS)
    before = ends.link.quality(ends.now_ns)
    ends.link.pulsed([Instant(at - 100 * MS, 5 * US)])
    assert ends.link.quality(ends.now_ns) == before
    ends.run(4 * S)
    ends.link.pulsed([Instant(at, 5 * US)])
    ends.run(2 * S)
    bound = ends.link.quality(ends.now_ns).bound_ns
    assert bound is not None
    assert bound > 100 * US


def test_another_pod_on_the_same_line_is_another_pod() -> None:
    """Two cables exchanged: nothing of the first one's is kept."""
    ends = ready()
    ends.board.ident = bytes(8)
    ends.anew(boot=9)
    ends.run(300 * MS)
    ups = [item for item in ends.news if isinstance(item, Up)]
    assert [(up.hello.ident[:4], up.anew) for up in ups] == [("e661", False), ("0000", False)]


def test_a_pod_handed_over_from_another_line_goes_on_where_it_was() -> None:
    """Who it is was learnt by a link of that line; its old one takes over."""
    ends = ready()
    ends.torn = True
    ends.change(1)
    ends.run(100 * MS)
    hello = ends.link.hello
    assert hello is not None
    ends.torn = False
    news = ends.link.resumed(hello, ends.now_ns)
    assert kinds(news) == ["Up"]
    ends.run(300 * MS)
    assert changes(ends) == [(0, True)]


# -- the rest of the talk ------------------------------------------------------------------------------------------


def test_lamps_are_lit_and_stay_so() -> None:
    """Also when the frame is lost: a beat says what burns, and it is said again."""
    ends = ready()
    ends.link.light(0b11)
    ends.link.outgoing()  # lost
    ends.run(1 * S)
    assert ends.board.lit == 0b11
    ends.link.light(0b11)
    assert ends.link.outgoing() == b""
    ends.torn = True
    ends.run(4 * S)
    assert ends.board.lit == 0  # nobody is there any more
    ends.link.light(0b100)
    ends.torn = False
    ends.run(2 * S)
    assert ends.board.lit == 0b100


def test_identify_blinks_and_ends() -> None:
    """All lamps, twice a second, for as long as asked; then what they were."""
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


def test_the_self_test_answers() -> None:
    """With the bits of what failed, and the pod says so from then on."""
    ends = ready()
    ends.board.failed = 6
    ends.link.say(podwire.selftest())
    ends.run(20 * MS)
    assert ends.news[-1] == podwire.Tested(6)
    ends.link.say(podwire.ask())
    ends.run(20 * MS)


def test_the_prompt_is_a_command_that_nothing_says_by_chance() -> None:
    """It takes the whole word."""
    ends = ready()
    ends.link.say(framed(podwire.PROMPT, b"promp"))
    ends.run(20 * MS)
    assert not ends.board.prompted
    ends.link.say(podwire.prompt())
    ends.run(20 * MS)
    assert ends.board.prompted


def test_a_pulse_of_the_sync_wire_is_told_by_the_pod_s_clock() -> None:
    """Its rise, and nothing for what other pins beside it do."""
    ends = ready()
    board, at = ends.board, ends.now_ns - 1 * MS
    levels = ((at - MS, 0x00), (at, 0x01), (at + 200, 0x00), (at + 300, 0xFE))
    board.wire += [board.word(when, level) for when, level in levels]
    ends.run(20 * MS)
    assert ends.link._pulse is not None
    assert abs(ends.link._pulse[0] - (board.own_ns(at) - board.begun_ns)) <= 1 * US


def test_a_pulse_before_the_pod_is_known_says_nothing() -> None:
    """Whose clock it is told by is not known yet."""
    ends = Ends()
    assert list(ends.link._hear(Pulse(5), ends.now_ns)) == []
    assert ends.link._pulse is None


@pytest.mark.parametrize(("found", "told"), [(0, True), (1, False)])
def test_the_first_word_of_the_sync_wire_is_a_pulse_if_the_wire_was_low(found: int, told: bool) -> None:
    """The first pulse after a pod's start counts; a wire that was high then has not risen."""
    ends = Ends()
    board = ends.board
    ends.pod = firmware("pod").Pod(board, *board.start()[:2], found)
    ends.run(400 * MS)
    at = ends.now_ns - 1 * MS
    board.wire.append(board.word(at, 1))
    ends.run(20 * MS)
    assert (ends.link._pulse is not None) is told


def test_quality_gets_better_with_exchanges() -> None:
    """Nothing is known at first, then a bound of about half the round trip."""
    ends = Ends()
    assert ends.link.quality(ends.now_ns).exchanges == 0
    ends.run(5 * S)
    quality = ends.link.quality(ends.now_ns)
    assert quality.exchanges >= 8
    assert quality.bound_ns is not None
    assert quality.bound_ns < 3 * MS


def test_a_stamp_of_the_future_is_told_as_of_now() -> None:
    """A clock that is off by more than its bound costs precision and breaks no rule of rows."""
    ends = ready()
    ends.board.zero_ns -= 5 * MS
    ends.change(1)
    ends.run(2 * MS)
    row = seen(ends)[0]
    assert row.t_ns <= ends.arrived_ns[ends.news.index(row)]
    assert row.err_ns > 3 * MS
    assert in_order(ends)


def test_rows_make_the_presses_that_were_made() -> None:
    """Through the core's own debouncing: bounces and all, three presses of two people."""
    ends = ready()
    begun = ends.now_ns
    for us, mask in ((0, 1), (150, 0), (300, 1), (25_000, 3), (40_000, 2), (40_200, 3), (40_400, 2), (90_000, 0)):
        ends.run(begun + us * US - ends.now_ns)
        ends.change(mask)
    ends.run(100 * MS)
    edges = [
        Edge(str(item.contact + 1), item.closed, item.t_ns, item.err_ns, arrived_ns)
        for item, arrived_ns in zip(ends.news, ends.arrived_ns, strict=True)
        if isinstance(item, Seen)
    ]
    presses = presses_of(edges)
    assert [press.station for press in presses] == ["1", "2"]
    assert all(abs(p.t_ns - begun - t) < 1 * MS for p, t in zip(presses, (0, 25 * MS), strict=True))


# -- who is no pod -------------------------------------------------------------------------------------------------

STRANGERS = {
    b"": "says nothing",
    b"$GPGGA,172814.0,3723.46587704,N\r\n": "GPS",
    b"\r\n$GNRMC,,V,,,,,,,,,,N*4D\r\n": "GPS",
    b"ATZ\r\nERROR\r\n": "modem",
    b"MicroPython v1.27.0 on 2025-12-09; Raspberry Pi Pico with RP2040\r\n>>> ": "referee pod install",
    b"Traceback (most recent call last):\r\nImportError: no module named 'pod'\r\n": "referee pod install",
    b"is\r\nThis pod's program is for MicroPython 1.22 to 1.28, not for 1.29\r\nThis": 'is "for MicroPython',
    b"\x7eA\x01-\\\xbc\xdf\x7e": "sends back",
    b"\xff\x00hello": "no pod",
}


@pytest.mark.parametrize("said", STRANGERS)
def test_who_is_no_pod_is_named_by_what_it_says(said: bytes) -> None:
    """After 3 s in which it said nothing that a pod says: one sentence, no row."""
    link = Link(0)
    link.opened(0)
    news = link.receive(said, 1 * S) if said else []
    for tenth in range(1, 35):
        news += link.tick(tenth * 100 * MS)
    [refused] = news
    assert isinstance(refused, Refused)
    assert STRANGERS[said] in refused.reason
    assert refused.reason == stranger(said)


def test_a_pod_of_another_protocol_is_refused_with_both_numbers() -> None:
    """Before anything that it says is believed."""
    link = Link(0)
    link.opened(0)
    news = link.receive(framed(podwire.HELLO, b"\x09later") + framed(podwire.REPORT, b"\0\0\0\1" + bytes(8)), 1 * MS)
    [refused] = news
    assert isinstance(refused, Refused)
    assert refused.reason.startswith("speaks protocol 9, this referee 2; `referee pod install`")


def test_a_pod_of_the_first_protocol_is_refused_with_what_helps() -> None:
    """Its stamps are in another unit; the sentence names the command that puts the new program on it."""
    hello = "01014200fecae66141040b2c3f2a0100000805400800000700081a99be1c000000"
    link = Link(0)
    link.opened(0)
    [refused] = link.receive(framed(podwire.HELLO, bytes.fromhex(hello)), 1 * MS)
    assert isinstance(refused, Refused)
    assert refused.reason.startswith("speaks protocol 1, this referee 2; `referee pod install`")


@given(st.lists(st.tuples(st.sampled_from([1, 2, 3, 4, 5, 6, 0x41, 99]), st.binary(max_size=45)), max_size=40))
@settings(max_examples=150, deadline=None)
def test_well_framed_nonsense_breaks_nothing(frames: list[tuple[int, bytes]]) -> None:
    """Whatever a device says in frames of ours: no exception, and rows stay in their order."""
    ends = ready()
    for kind, payload in frames:
        ends.now_ns += MS
        news = ends.link.receive(framed(kind, payload), ends.now_ns)
        ends.news += news
        ends.arrived_ns += [ends.now_ns] * len(news)
    assert in_order(ends)


def test_an_answer_that_nobody_asked_for_moves_no_clock() -> None:
    """An echo of an old question, or one made up, would be a false constraint on the fit."""
    ends = ready()
    before = ends.link.quality(ends.now_ns)
    ends.now_ns += MS
    assert ends.link.receive(framed(podwire.ANSWER, bytes(19)), ends.now_ns) == []
    assert ends.link.quality(ends.now_ns).exchanges == before.exchanges


# -- what a broken or hostile device can cost -----------------------------------------------------------------------


def packed(first: int, *items: tuple[int, int]) -> bytes:
    """A report's payload of these (flags, ticks); each says for itself how far its round is from the first one's."""
    turn = max((items[0][1] >> 24) - 1, 0) if items else 0
    body = podwire._HEAD.pack(first, turn & 0xFFFFFFFF)
    for flags, ticks in items:
        later = ((ticks >> 24) - turn) & 3
        body += podwire._ITEM.pack((ticks & 0xFFFFFF).to_bytes(3, "little"), flags & 31 | later << 5)
    return body + b"\0"


def reported(ends: Ends, *items: tuple[int, int]) -> list[News]:
    """A report of these (flags, ticks of the pod's clock), the next one, well framed."""
    news = ends.link.receive(framed(podwire.REPORT, packed(ends.link._expected, *items)), ends.now_ns)
    ends.news += news
    ends.arrived_ns += [ends.now_ns] * len(news)
    return news


@pytest.mark.parametrize("stamp", [2**56 - 5_000, 2**55, 2**54 + 1])
def test_a_stamp_that_no_clock_can_have_reached_is_said_and_the_press_counts_as_of_now(stamp: int) -> None:
    """Its bound says that nobody knows better, and fits into what a journal can keep; what comes next is as sharp
    as ever."""
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
    """Neither an instant nor a bound is ever negative, of the future, or longer than the host has run."""
    ends = ready()
    for items in reports:
        ends.now_ns += MS
        reported(ends, *items)
        for ticks, closed, behind in beats:
            beat = podwire._BEAT.pack(ticks.to_bytes(7, "little"), ends.link._expected, closed, behind, 0, 0, 0)
            ends.news += ends.link.receive(framed(podwire.BEAT, beat + b"\0"), ends.now_ns)
            ends.arrived_ns += [ends.now_ns] * (len(ends.news) - len(ends.arrived_ns))
    assert all(0 <= row.t_ns <= ends.now_ns and 0 <= row.err_ns <= ends.now_ns for row in seen(ends))
    assert in_order(ends)


def greeted_without_clock() -> tuple[Link, int]:
    """A link whose pod has said who it is and never answers what its clock says."""
    link = Link(0)
    link.opened(0)
    hello = podwire._HELLO.pack(podwire.VERSION, 0, 7, bytes(8), bytes(3), 8, 0, 125, 0, 0, 0, bytes(7)) + b"\0"
    link.receive(framed(podwire.HELLO, hello), 1 * MS)
    assert link.up
    return link, 1 * MS


def test_reports_that_wait_for_a_clock_wait_at_the_pod_once_there_are_many() -> None:
    """Not one of them is acknowledged before it is placed, so none is lost, and memory has an end."""
    link, now = greeted_without_clock()
    for n in range(3 * WAITING):
        payload = packed(n % podwire.ROUND, (8 * (n & 1), n))
        link.receive(framed(podwire.REPORT, payload), now)
        assert podwire.ack(7, 0, 0) in link.outgoing()
    assert len(link._unplaced) == WAITING


def test_a_pod_that_never_tells_its_clock_is_refused() -> None:
    """It beats and reports, and its presses could be put nowhere: said once, instead of a seat that is deaf."""
    link, now = greeted_without_clock()
    beat = podwire._BEAT.pack(bytes(7), 0, 0, 0, 0, 0, 0) + b"\0"
    news: list[News] = []
    while now < 2 * CLOCKLESS_NS and not news:
        now += 100 * MS
        news += link.receive(framed(podwire.BEAT, beat), now) + link.tick(now)
    [refused] = news
    assert isinstance(refused, Refused)
    assert "clock" in refused.reason
    assert CLOCKLESS_NS <= now < CLOCKLESS_NS + 1 * S
    assert not link.up


def test_what_a_pod_says_before_it_has_greeted_tells_nothing() -> None:
    """Nobody knows yet whose contacts they are."""
    link = Link(0)
    link.opened(0)
    assert link.receive(framed(podwire.BEAT, bytes.fromhex("404b4c000000000900010602030004000c")), 1 * MS) == []


def test_an_answer_that_left_before_its_question_came_fits_no_clock() -> None:
    """The clock stays as well known as it was, and the next question is asked all the same."""
    ends = ready()
    link, now_ns = ends.link, ends.link.due_ns or 0
    before = link.quality(now_ns)
    link.tick(now_ns)
    token = (now_ns & 0xFFFFFFFF).to_bytes(4, "little")
    backwards = token + (10**9).to_bytes(7, "little") + (10**9 - 1).to_bytes(7, "little")
    link.receive(framed(podwire.ANSWER, backwards + b"\0"), now_ns + 1 * MS)
    assert link.quality(now_ns) == before
    assert link.due_ns is not None


def test_beats_alone_begin_no_span() -> None:
    """A pod that nobody touches beats twice a second: the next press is placed by what is then known of its clock."""
    ends = ready()
    ends.run(3 * S)
    assert ends.link._spans._spans == []


def test_a_clock_s_name_holds_where_one_busy_span_ends_and_another_begins() -> None:
    """Two presses within half a second share it; after a quiet while, or under a host started anew, it is another."""
    ends = ready()
    for pause_ns in (0, 100 * MS, 900 * MS):
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
    ends.link.opened(ends.now_ns)
    ends.run(400 * MS)
    ends.change(0b1)
    ends.run(TAP)
    anew = {row.clock for row in ends.news[before:] if isinstance(row, Seen)}
    assert len(anew) == 1
    assert not anew & set(clocks)
