"""gpiozero's `bounce_time`, by the first edge.

Debouncing in the kernel, and in lgpio, reports a burst's *last* edge plus the period, so of two buttons pressed
together the one that bounces longer comes later. Here the first edge is reported at once, with its own stamp, and the
rest of the window is swallowed. Should the contact have come to rest at the other level by the end of the window, that
is reported then, with the stamp of the edge that brought it there: no press is ever left hanging.

The referee itself does not use it (its core decides what a press was); it is for everybody else's Buttons.
"""

from __future__ import annotations


class FirstEdge:
    """The filter of one pin. Times in ns of the kernel's stamps."""

    def __init__(self, window_ns: int) -> None:
        """`window_ns`: how long after a reported edge others are swallowed; 0 swallows none."""
        self._window_ns = window_ns
        self._reported: tuple[int, int] | None = None
        self._latest: tuple[int, int] | None = None

    @property
    def deadline_ns(self) -> int | None:
        """When `settle` has something to say; None while the contact rests as reported."""
        return self._end_ns() if self._is_unsettled() else None

    def edge(self, t_ns: int, level: int) -> list[tuple[int, int]]:
        """Take an edge; what is to be reported now, as (stamp, level) in order."""
        reports = self.settle(t_ns)
        if self._reported is None or t_ns >= self._end_ns():
            return [*reports, self._report(t_ns, level)]
        if self._latest is None or level != self._latest[1]:
            self._latest = (t_ns, level)  # a repeated level changes nothing, so the first of its kind has the stamp
        return reports

    def settle(self, now_ns: int) -> list[tuple[int, int]]:
        """The time has come to `now_ns`; what is to be reported because a window has ended."""
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
