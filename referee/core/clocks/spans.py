"""Where a pod's stamps lie on the host's clock: all of one busy span by one line, so that their order is its own.

Theory of operation. The fit of a pod's clock moves a little with every exchange. Two presses a microsecond apart, with
an answer between them, would come out in any order if each were placed by the newest fit. So the first stamp after a
quiet while fixes a `StraightLine`, and what follows is placed by the same line until the pod has been quiet again.
Between two such stamps nothing of the offset is uncertain, only the pod's own error and the rate (`rel_err_ns`).

Between stamps of two lines all of the offset is uncertain, so every line has a number of its own, and a clock's name in
a row holds it. A line is let go in mid-span when it has become old, or when the host's clock has been steered.
"""

from __future__ import annotations

from itertools import count

from referee.core.clocks.fit import Clockfit, StraightLine
from referee.core.units import MS, S
from referee.core.values import Value

QUIET_NS = 500 * MS
"""Without a stamp for so long, a span is over; the presses of a call are nearer to each other."""
OLD_NS = 2 * S
"""A line's bound grows with its age, and a contact may be dirty for an evening."""
SPANS = 16
"""So many are remembered: what a pod kept comes by contacts, now from one span and now from another."""


class Placed(Value):
    """A stamp's instant on the host's clock, within ± err_ns, and within ± rel_err_ns beside others of its line."""

    t_ns: int
    err_ns: int
    rel_err_ns: int
    line: int


class _Span:
    """number: the line's; last_ns: the newest stamp; holds: the host has not been steered since."""

    __slots__ = ("holds", "last_ns", "line", "number")

    def __init__(self, line: StraightLine, number: int, last_ns: int) -> None:
        self.line, self.number, self.last_ns, self.holds = line, number, last_ns, True


class Spans:
    """The lines of one boot of one pod. `own_err_ns`: how far one stamp alone may be off, `common_err_ns`: all.

    first: the first line's number; the others follow.
    """

    def __init__(self, common_err_ns: int = 0, own_err_ns: int = 0, first: int = 0) -> None:
        self._own_err_ns, self._err_ns = own_err_ns, common_err_ns + own_err_ns
        self._spans: list[_Span] = []  # the one that was asked for last stands last
        self._others_ns = 0
        """The newest stamp in any but the last."""
        self._numbers = count(first)

    def steered(self) -> None:
        """The host's clock has another rate from now on: no line holds any more."""
        for span in self._spans:
            span.holds = False

    def place(self, pod_ns: int, fit: Clockfit) -> Placed | None:
        """A stamp of the pod's clock; None while nothing is known of it."""
        span = self._span(pod_ns, fit)
        if span is None:
            return None
        line, apart_ns = span.line, span.line.apart_ns(pod_ns)
        err_ns = line.here.err_ns + apart_ns + self._err_ns
        return Placed(line.t_ns(pod_ns), err_ns, self._own_err_ns + apart_ns, span.number)

    def _span(self, pod_ns: int, fit: Clockfit) -> _Span | None:
        span = self._near(pod_ns)
        if span is not None:
            if span.holds and abs(pod_ns - span.line.at_ns) <= OLD_NS:
                span.last_ns = max(span.last_ns, pod_ns)
                return self._remember(span)
            self._spans.remove(span)
        line = fit.line(pod_ns)
        return None if line is None else self._remember(_Span(line, next(self._numbers), pod_ns))

    def _near(self, pod_ns: int) -> _Span | None:
        """The span in which that stamp is; of two, the one that was not asked for last."""
        spans = self._spans
        if spans and 0 <= pod_ns - spans[-1].last_ns <= QUIET_NS < pod_ns - self._others_ns:
            return spans[-1]  # as nearly always
        return next((span for span in spans if abs(pod_ns - span.last_ns) <= QUIET_NS), None)

    def _remember(self, span: _Span) -> _Span:
        spans = self._spans
        if not spans or spans[-1] is not span:
            others = [other for other in spans if other is not span][1 - SPANS :]
            self._spans = [*others, span]
            self._others_ns = max((other.last_ns for other in others), default=0)
        return span
