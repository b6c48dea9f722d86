"""Convert a pod's stamps to the host's clock so that the presses of a call keep their order.

Theory of operation. The fit of a pod's clock changes a little with every exchange. If each press were converted by the
newest fit, two presses a microsecond apart, with an exchange between them, could be swapped. So the first edge of a
press fixes a `StraightLine`. It converts the presses that follow closely, and all further edges of those contacts.
Between two such stamps the offset is not uncertain, only the pod's own error and the rate (`rel_err_ns`).

The error from the rate grows with the distance from the line's start. In a pod's first minute, when only the model
limits the rate, it is half a microsecond per millisecond. So a press after a pause starts its own line, even while
other contacts bounce or open: the two presses that open a call are as accurate relative to each other at a pod's first
exchange as after an hour. A press shortly after another contact's remains uncertain: a row states one distance from its
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

Its error grows with age, and a dirty contact can bounce all evening.
"""
LINES = 16
"""Maximum number of lines kept.

A pod sends stored reports contact by contact, so they alternate between calls.
"""
NONE_NS = 2**63
"""Stands for "no time yet": later than all instants; negated, earlier than all."""


class Placed(Value):
    """A stamp converted to the host's clock: t_ns, within ± err_ns.

    line: the number of the `StraightLine` that converted it. The time between two stamps that one line converted is
    uncertain only by the sum of their rel_err_ns.
    """

    t_ns: int
    err_ns: int
    rel_err_ns: int
    line: int


class _Span:
    """A `StraightLine` with its number and the stamps of the presses that it has converted.

    err_ns: the error of a stamp at the line's start. first_ns, last_ns: the earliest and the latest such stamp.
    """

    __slots__ = ("err_ns", "first_ns", "last_ns", "line", "number")

    def __init__(self, line: StraightLine, number: int, err_ns: int) -> None:
        self.line, self.number, self.err_ns = line, number, err_ns
        self.first_ns, self.last_ns = NONE_NS, -NONE_NS

    def away_ns(self, pod_ns: int, begins: bool) -> int:
        """Return how far a stamp is from the line, in ns.

        begins: whether the stamp may start a press. If not, return the distance from the line's start. If so, return
        the distance from the nearest of the presses that the line has converted. Between the first and the last of
        them, the result is negative.
        """
        if begins:
            return max(self.first_ns - pod_ns, pod_ns - self.last_ns)
        return abs(pod_ns - self.line.at_ns)

    def reaches(self, pod_ns: int, begins: bool) -> bool:
        """Return whether the line may convert this stamp."""
        return not self.is_old(pod_ns) and (not begins or self.away_ns(pod_ns, begins) <= APART_NS)

    def is_old(self, pod_ns: int) -> bool:
        """Return whether the line's error has grown too large at this stamp."""
        return abs(pod_ns - self.line.at_ns) > OLD_NS


class Spans:
    """The straight lines that convert the stamps of a pod's clock, since the pod last started.

    own_err_ns: a stamp's own error; common_err_ns: an error that all stamps share.
    first: the number of the first line; the others follow.
    """

    def __init__(self, common_err_ns: int = 0, own_err_ns: int = 0, first: int = 0) -> None:
        self._own_err_ns, self._err_ns = own_err_ns, common_err_ns + own_err_ns
        self._spans: list[_Span] = []  # the last used line is the last
        self._of: dict[int, _Span] = {}  # contact -> the line of its newest stamp
        self._numbers = count(first)

    def forget_lines(self) -> None:
        """Drop all lines, because the rate of the host's clock changed."""
        self._spans.clear()
        self._of.clear()

    def place(self, contact: int, pod_ns: int, fit: Clockfit, begins: bool = False) -> Placed | None:
        """Convert a stamp of the pod's clock; None while nothing is known of that clock.

        begins: the stamp may be the first edge of a press. Otherwise the `StraightLine` that converted the contact's
        last stamp converts this one, too.
        """
        span = self._of.get(contact)
        if span is None or begins or span.is_old(pod_ns):
            span = self._span_for(contact, pod_ns, fit, begins)
            if span is None:
                return None
        t_ns, apart_ns = span.line.place(pod_ns)
        return Placed(t_ns, span.err_ns + apart_ns, self._own_err_ns + apart_ns, span.number)

    def _span_for(self, contact: int, pod_ns: int, fit: Clockfit, begins: bool) -> _Span | None:
        """Return the line that converts this stamp, and keep it for the contact's next stamps."""
        span = self._spans[-1] if self._spans else None
        if not begins or span is None or not span.reaches(pod_ns, begins):
            span = self._nearest(pod_ns, begins) or self._begin_span(pod_ns, fit)  # rare: mostly the last line fits
            if span is None:
                return None
            self._spans = [*(other for other in self._spans if other is not span), span][-LINES:]
        self._of[contact] = span
        if begins:
            span.first_ns, span.last_ns = min(span.first_ns, pod_ns), max(span.last_ns, pod_ns)
        return span

    def _nearest(self, pod_ns: int, begins: bool) -> _Span | None:
        """Return the nearest line that may convert this stamp; None if there is none."""
        spans = [span for span in self._spans if span.reaches(pod_ns, begins)]
        return min(spans, key=lambda span: span.away_ns(pod_ns, begins), default=None)

    def _begin_span(self, pod_ns: int, fit: Clockfit) -> _Span | None:
        line = fit.line(pod_ns)
        return None if line is None else _Span(line, next(self._numbers), line.here.err_ns + self._err_ns)
