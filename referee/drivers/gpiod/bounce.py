"""A filter for gpiozero's `bounce_time` that reports the first edge of a burst.

The debouncing of the kernel and of lgpio reports a burst's *last* edge plus the period, so if two buttons are pressed
together, the one that bounces longer comes later. This filter reports the first edge at once, with its own timestamp,
and ignores the rest of the window. If the contact is at the other level at the end of the window, that is reported
then, with the timestamp of the edge that led to it. So the last reported level is right once the window has ended.

The referee itself does not use it, because its core does the debouncing; it is for other programs' Buttons.
"""

from __future__ import annotations


class FirstEdge:
    """The filter of one pin. Times are those of the kernel, in ns."""

    def __init__(self, window_ns: int) -> None:
        """`window_ns`: how long edges after a reported one are ignored; 0 ignores none."""
        self._window_ns = window_ns
        self._reported: tuple[int, int] | None = None
        self._latest: tuple[int, int] | None = None

    @property
    def deadline_ns(self) -> int | None:
        """When to call `settle`, in ns; None while the contact is at the reported level."""
        return self._end_ns() if self._is_unsettled() else None

    def edge(self, t_ns: int, level: int) -> list[tuple[int, int]]:
        """Take an edge; return what to report now, as (timestamp, level) in order."""
        reports = self.settle(t_ns)
        if self._reported is None or t_ns >= self._end_ns():
            return [*reports, self._report(t_ns, level)]
        if self._latest is None or level != self._latest[1]:
            self._latest = (t_ns, level)  # a level's time is that of its first edge
        return reports

    def settle(self, now_ns: int) -> list[tuple[int, int]]:
        """Return what to report at `now_ns` because a window has ended."""
        if not self._is_unsettled() or now_ns < self._end_ns() or self._latest is None:
            return []
        return [self._report(*self._latest)]

    def _report(self, t_ns: int, level: int) -> tuple[int, int]:
        self._reported = self._latest = (t_ns, level)
        return self._reported

    def _is_unsettled(self) -> bool:
        return self._reported is not None and self._latest is not None and self._latest[1] != self._reported[1]

    def _end_ns(self) -> int:
        return self._reported[0] + self._window_ns if self._reported is not None else 0
