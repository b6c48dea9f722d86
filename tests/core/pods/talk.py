"""Both ends of a conversation with a pod, and what its tests share."""

from __future__ import annotations

from typing import Any

from referee.core.pods.link import News, Seen
from referee.core.units import MS
from tests.firmware.ends import Ends

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
    """The order of rows: per contact t never falls, and t - e is never after the arrival."""
    latest: dict[int, int] = {}
    for item, arrived_ns in zip(ends.news, ends.arrived_ns, strict=True):
        if isinstance(item, Seen):
            if item.t_ns < latest.get(item.contact, 0) or item.t_ns - item.err_ns > arrived_ns:
                return False
            latest[item.contact] = item.t_ns
    return True
