"""A line to a pod in simulated time: a flood is read in few reads, without delaying other data."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from referee.core.pods import wire as podwire
from referee.core.units import MS, S
from referee.drivers.pods.port import (
    BACKLOG,
    FLOOD_NS,
    LINE_BURST,
    LINE_HZ,
    MOST_BYTES,
    PAUSE_NS,
    Moderation,
)

HELLO = podwire._HELLO.pack(podwire.VERSION, 0, 7, bytes(8), b"\2\0\0", 8, 0, 125, 2_000, 200, 0, bytes(7)) + b"\0"


@given(st.lists(st.integers(1, 60 * MS), min_size=1, max_size=80), st.integers(0, 30 * MS))
def test_moderation_delays_by_its_pause_at_most_and_only_in_a_flood(gaps: list[int], pause_ns: int) -> None:
    """Never longer than the pause, not in the first quarter of a second, never after a silence."""
    moderation, now_ns = Moderation(pause_ns), 0
    reads: list[int] = []
    for gap in gaps:
        now_ns += gap
        if 0 < moderation.until_ns < now_ns:
            moderation.took(0, moderation.until_ns)  # nothing has come by then
        moderation.took(20, now_ns)
        reads.append(now_ns)
        close = [one for one, two in pairwise(reads) if two - one > 2 * pause_ns]
        since = next((two for one, two in reversed([*pairwise(reads)]) if one in close), reads[0])
        flooded = pause_ns > 0 and now_ns - since >= FLOOD_NS
        assert (moderation.until_ns > 0) is flooded
        assert not flooded or now_ns < moderation.until_ns <= now_ns + pause_ns
        assert not flooded or moderation.until_ns % pause_ns == 0  # at the same instants as other lines


def test_a_host_that_reads_late_takes_a_flood_for_no_silence() -> None:
    """Otherwise it would read every report alone for a quarter of a second, when it has no time."""
    moderation, now_ns = Moderation(PAUSE_NS), 0
    while not moderation.until_ns:
        now_ns += PAUSE_NS
        moderation.took(20, now_ns)
    late_ns = moderation.until_ns + 2 * PAUSE_NS
    moderation.took(80, late_ns)
    assert late_ns < moderation.until_ns <= late_ns + PAUSE_NS
    moderation.took(0, moderation.until_ns)
    moderation.took(20, late_ns + 2 * PAUSE_NS + 1)
    assert moderation.until_ns == 0  # nothing had come: that was a silence


def test_whoever_is_behind_does_not_wait() -> None:
    """Half a kilobyte was waiting: the next read follows at once."""
    moderation = Moderation(PAUSE_NS)
    for at in range(1, 600 * MS, 5 * MS):
        moderation.took(20, at)
    assert moderation.until_ns > at
    moderation.took(BACKLOG, at + 5 * MS)
    assert moderation.until_ns == 0
    moderation.took(BACKLOG - 1, at + 10 * MS)
    assert moderation.until_ns > at + 10 * MS
    moderation.took(0, at + 15 * MS)  # nothing was read: the next bytes are read at once
    assert moderation.until_ns == 0


def test_no_line_is_read_beyond_its_budget() -> None:
    """A limit per read and per second, also while an answer is awaited."""
    moderation, now_ns, read = Moderation(PAUSE_NS), 0, 0
    while now_ns < 10 * S:
        moderation.took(MOST_BYTES, now_ns)
        read += MOST_BYTES
        assert moderation.over is (moderation.until_ns > now_ns)
        now_ns = max(moderation.until_ns, now_ns + 1 * MS)
    assert read <= LINE_BURST + 10 * LINE_HZ + 2 * MOST_BYTES
    moderation.took(20, now_ns + 1 * S)
    assert not moderation.over
