"""A device that comes and goes is logged twice and retried at growing intervals."""

from __future__ import annotations

import logging

import pytest

from referee.drivers.health import FIRST_PAUSE_NS, LONGEST_PAUSE_NS, Health


def test_logged_once_when_lost_and_once_when_back(caplog: pytest.LogCaptureFixture) -> None:
    health = Health("display", logging.getLogger("t"))
    health.ok()
    for now_ns in range(5):
        health.note_failure(OSError("no answer"), now_ns)
    health.ok()
    health.ok()
    assert [record.getMessage() for record in caplog.records] == ["display lost: no answer", "display is back"]


def test_an_error_without_words_is_named_by_its_kind(caplog: pytest.LogCaptureFixture) -> None:
    Health("lamps", logging.getLogger("t")).note_failure(TimeoutError(), 0)
    assert caplog.messages == ["lamps lost: TimeoutError"]


def test_pauses_double_up_to_a_limit() -> None:
    health = Health("lamps", logging.getLogger("t"))
    assert health.due(0)
    pauses = []
    for _ in range(8):
        health.note_failure(OSError(), 1_000)
        assert health.next_ns is not None
        assert not health.due(health.next_ns - 1)
        assert health.due(health.next_ns)
        pauses.append(health.next_ns - 1_000)
    assert pauses == [min(FIRST_PAUSE_NS << n, LONGEST_PAUSE_NS) for n in range(8)]
    health.ok()
    assert not health.lost
    health.note_failure(OSError(), 0)
    assert health.next_ns == FIRST_PAUSE_NS
