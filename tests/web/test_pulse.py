"""The check that the page's process still answers: rare, sent with other messages, and tolerant of delays."""

from __future__ import annotations

import socket

from hypothesis import given
from hypothesis import strategies as st

from referee.web.listen import bind_sockets
from referee.web.pulse import EVERY_S, HANGS_S, Heartbeat, knocking
from referee.web.wire import Ping


class Clock:
    """A clock set by the test, in seconds."""

    def __init__(self) -> None:
        self.now_s = 1.0

    def __call__(self) -> float:
        return self.now_s


def test_a_process_is_asked_once_and_again_some_time_after_its_answer() -> None:
    clock = Clock()
    pulse = Heartbeat(clock)
    asked = pulse.question()
    assert asked is not None
    clock.now_s += HANGS_S
    assert pulse.question() is None
    pulse.note_answer(asked.number)
    clock.now_s += EVERY_S - 1
    assert pulse.question() is None
    clock.now_s += 2
    assert pulse.question() == Ping(asked.number + 1)


def test_an_old_answer_is_no_answer() -> None:
    clock = Clock()
    pulse = Heartbeat(clock)
    assert pulse.question() is not None
    pulse.note_answer(99)
    clock.now_s += HANGS_S + 1
    assert [pulse.hangs(), pulse.hangs()] == [False, True]


@given(st.lists(st.one_of(st.sampled_from(["say", "answer", "look"]), st.floats(0, 2 * HANGS_S)), max_size=40))
def test_it_hangs_when_an_answer_is_late_at_two_looks_in_a_row_and_not_else(steps: list[str | float]) -> None:
    """A machine that was suspended wakes with a late answer under way, so one late check is not enough."""
    clock = Clock()
    pulse = Heartbeat(clock)
    asked: tuple[Ping, float] | None = None
    late = 0
    for step in steps:
        if isinstance(step, float):
            clock.now_s += step
        elif step == "say":
            question = pulse.question()
            asked, late = (asked, late) if question is None else ((question, clock.now_s), 0)
        elif step == "answer" and asked is not None:
            pulse.note_answer(asked[0].number)
            asked = None
        elif step == "look":
            late = late + 1 if asked is not None and clock.now_s - asked[1] > HANGS_S else 0
            assert pulse.hangs() is (late >= 2)


def test_a_visitor_who_waits_to_be_let_in_is_seen() -> None:
    """The kernel has accepted the connection, but the process has not."""
    [listener] = bind_sockets("127.0.0.1", 0)
    pair = socket.socketpair()
    assert not knocking([listener, *pair])
    with socket.create_connection(listener.getsockname()):
        assert knocking([listener])
        listener.accept()[0].close()
        assert not knocking([listener])
    for each in (listener, *pair):
        each.close()
