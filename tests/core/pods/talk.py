"""Both ends of a conversation with a pod, and shared checks of its tests."""

from __future__ import annotations

from typing import Any

from referee.core.pods.link import News, Seen
from referee.core.units import MS
from tests.firmware.ends import Ends

TAP = 30 * MS


def seen(ends: Ends) -> list[Seen]:
    return [item for item in ends.news if isinstance(item, Seen)]


def changes(ends: Ends) -> list[tuple[int, bool]]:
    """Return the changes of each contact, without rows that repeat its level."""
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
    """Return two ends that have greeted and whose clocks are fitted."""
    ends = Ends(**kwargs)
    ends.run(400 * MS)
    assert kinds(ends.news) == ["Up"]
    return ends


def in_order(ends: Ends) -> bool:
    """Return whether t never falls for a contact and t - e is never after the arrival."""
    latest: dict[int, int] = {}
    for item, arrived_ns in zip(ends.news, ends.arrived_ns, strict=True):
        if isinstance(item, Seen):
            if item.t_ns < latest.get(item.contact, 0) or item.t_ns - item.err_ns > arrived_ns:
                return False
            latest[item.contact] = item.t_ns
    return True
