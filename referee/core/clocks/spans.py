"""Placement of a pod's stamps on the host's clock.

One line for all presses of a call keeps their order.

Theory of operation. The fit of a pod's clock moves a little with every exchange. If each press were placed by the
newest fit, two presses a microsecond apart, with an answer between them, could be swapped. So the first edge of a press
fixes a `StraightLine`. It places the presses that follow closely, and all further edges of those contacts. Between two
such stamps the offset is not uncertain, only the pod's own error and the rate (`rel_err_ns`).

The error from the rate grows with the distance from the line's start. In a pod's first minute, when only the model
limits the rate, it is half a microsecond per millisecond. So a press after a pause starts its own line, even while
other contacts chatter or open: the two presses that open a call are as accurate relative to each other at a pod's first
exchange as after an hour. A press close behind another contact's remains uncertain: a row states one distance from its
line's start, and two rows far from it cannot state that they are near each other.

Between stamps of two lines the whole offset is uncertain. Therefore every line has its own number, which is part of the
clock's name in a row. A line is also dropped when it is too old, or when the host's clock was steered.

The cost: a rules file may set a tie window above 100 ms. Two presses farther apart than `APART_NS`, at a distance equal
to the window within both bounds (some 0.7 ms), are then grey, where one line would decide within microseconds. The
named caller is never wrong. This is accepted, because the end of a line does not depend on the tie window, and no
length suits all windows. If lines lasted for the longest window, a second, two presses 1 us apart would be grey in
photo mode after any press within the second before their call. Players notice that, but not a distance within 0.7 ms of
half a second.
"""

from __future__ import annotations

from itertools import count

from referee.core.clocks.fit import Clockfit, StraightLine
from referee.core.units import MS, S
from referee.core.values import Value

APART_NS = 150 * MS
"""Gap after which a press starts a new line.

It exceeds the tie window (100 ms at most, at the knob) plus both bounds, so the order of two presses is certain on two
lines, too.
"""
OLD_NS = 2 * S
"""Maximum age of a line.

Its bound grows with age, and a dirty contact can chatter for an evening.
"""
LINES = 16
"""Maximum number of lines kept.

A pod sends stored reports by contact, alternating between calls.
"""
NONE_NS = 2**63
"""Later than all instants; negated, earlier than all."""


class Placed(Value):
    """A stamp's instant on the host's clock, within ± err_ns.

    Against others of its line it is within ± rel_err_ns.
    """

    t_ns: int
    err_ns: int
    rel_err_ns: int
    line: int


class _Span:
    """A line, its number, its bound at the start, and the first and last presses that it placed."""

    __slots__ = ("err_ns", "first_ns", "last_ns", "line", "number")

    def __init__(self, line: StraightLine, number: int, err_ns: int) -> None:
        self.line, self.number, self.err_ns = line, number, err_ns
        self.first_ns, self.last_ns = NONE_NS, -NONE_NS

    def away_ns(self, pod_ns: int, begins: bool) -> int:
        """Return a stamp's distance from the line.

        A press is measured from the line's presses (negative between them), another stamp from the line's start.
        """
        if begins:
            return max(self.first_ns - pod_ns, pod_ns - self.last_ns)
        return abs(pod_ns - self.line.at_ns)

    def reaches(self, pod_ns: int, begins: bool) -> bool:
        """Return whether the line may place this stamp."""
        return not self.is_old(pod_ns) and (not begins or self.away_ns(pod_ns, begins) <= APART_NS)

    def is_old(self, pod_ns: int) -> bool:
        """Return whether the line's bound has grown too far at this stamp."""
        return abs(pod_ns - self.line.at_ns) > OLD_NS


class Spans:
    """The lines of one boot of a pod.

    `own_err_ns`: a stamp's own error, `common_err_ns`: that of all stamps.
    first: the number of the first line; the others follow.
    """

    def __init__(self, common_err_ns: int = 0, own_err_ns: int = 0, first: int = 0) -> None:
        self._own_err_ns, self._err_ns = own_err_ns, common_err_ns + own_err_ns
        self._spans: list[_Span] = []  # the one used last comes last
        self._of: dict[int, _Span] = {}  # contact -> the line of its newest stamp
        self._numbers = count(first)

    def forget_lines(self) -> None:
        """Drop all lines, because the rate of the host's clock changed."""
        self._spans.clear()
        self._of.clear()

    def place(self, contact: int, pod_ns: int, fit: Clockfit, begins: bool = False) -> Placed | None:
        """Place a stamp of the pod's clock; None while nothing is known of it.

        begins: it may be a press's first edge; otherwise the line of its contact's press places it.
        """
        span = self._of.get(contact)
        if span is None or begins or span.is_old(pod_ns):
            span = self._span_for(contact, pod_ns, fit, begins)
            if span is None:
                return None
        t_ns, apart_ns = span.line.place(pod_ns)
        return Placed(t_ns, span.err_ns + apart_ns, self._own_err_ns + apart_ns, span.number)

    def _span_for(self, contact: int, pod_ns: int, fit: Clockfit, begins: bool) -> _Span | None:
        """Return the line that places this stamp, and assign it to the contact."""
        span = self._spans[-1] if self._spans else None
        if not begins or span is None or not span.reaches(pod_ns, begins):
            span = self._nearest(pod_ns, begins) or self._begin_span(pod_ns, fit)  # the other branch is the usual case
            if span is None:
                return None
            self._spans = [*(other for other in self._spans if other is not span), span][-LINES:]
        self._of[contact] = span
        if begins:
            span.first_ns, span.last_ns = min(span.first_ns, pod_ns), max(span.last_ns, pod_ns)
        return span

    def _nearest(self, pod_ns: int, begins: bool) -> _Span | None:
        """Return the nearest line that may place this stamp."""
        spans = [span for span in self._spans if span.reaches(pod_ns, begins)]
        return min(spans, key=lambda span: span.away_ns(pod_ns, begins), default=None)

    def _begin_span(self, pod_ns: int, fit: Clockfit) -> _Span | None:
        line = fit.line(pod_ns)
        return None if line is None else _Span(line, next(self._numbers), line.here.err_ns + self._err_ns)
