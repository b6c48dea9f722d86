"""Where a pod's stamps lie on the host's clock: all presses of one call by one line, so that their order is its own.

Theory of operation. The fit of a pod's clock moves a little with every exchange. Two presses a microsecond apart, with
an answer between them, would come out in any order if each were placed by the newest fit. So the first edge of a press
fixes a `StraightLine`, by which the presses are placed that follow it closely, and whatever those contacts do then.
Between two such stamps nothing of the offset is uncertain, only the pod's own error and the rate (`rel_err_ns`).

How far the rate leads a stamp astray grows with its distance from where its line begins, and in a pod's first minute,
when of the rate nothing is known but the model, by half a microsecond in each millisecond. That is why a press after a
while begins a line of its own, whatever chatters or is let go meanwhile: the two presses that open a call are as sure
beside each other at a pod's first exchange as after an hour. What is still uncertain then is a press close behind
another contact's: a row says one distance from its line's beginning, and two rows far from it cannot say that they are
near to each other.

Between stamps of two lines all of the offset is uncertain, so every line has a number of its own, and a clock's name in
a row holds it. A line is also let go when it has become old, or when the host's clock has been steered.

What that costs: a rules file may set a tie window above 100 ms. Two presses that are farther apart than `APART_NS` and
by the window to within both bounds (some 0.7 ms) are then grey, where one line would tell by microseconds whether they
are a tie. Never a wrong name. It stays so, for the end of a line knows no tie window, and no one length suits all: if
lines went on for the longest window, a second, two presses 1 us apart would be grey in photo mode whenever somebody had
pressed within the second before their call, and that is seen; a distance within 0.7 ms of half a second is not.
"""

from __future__ import annotations

from itertools import count

from referee.core.clocks.fit import Clockfit, StraightLine
from referee.core.units import MS, S
from referee.core.values import Value

APART_NS = 150 * MS
"""A press so long after the last one begins a line: farther apart than the tie window (100 ms at most, at the knob) and
both bounds, the order of two presses is certain on two lines, too."""
OLD_NS = 2 * S
"""A line's bound grows with its age, and a contact may be dirty for an evening."""
LINES = 16
"""So many are remembered: what a pod kept comes by contacts, now of one call and now of another."""
NONE_NS = 2**63
"""An instant after and, negative, before all that come."""


class Placed(Value):
    """A stamp's instant on the host's clock, within ± err_ns, and within ± rel_err_ns beside others of its line."""

    t_ns: int
    err_ns: int
    rel_err_ns: int
    line: int


class _Span:
    """A line, its number, the bound where it begins; first_ns and last_ns: the outermost presses that it has placed."""

    __slots__ = ("err_ns", "first_ns", "last_ns", "line", "number")

    def __init__(self, line: StraightLine, number: int, err_ns: int) -> None:
        self.line, self.number, self.err_ns = line, number, err_ns
        self.first_ns, self.last_ns = NONE_NS, -NONE_NS

    def away_ns(self, pod_ns: int, begins: bool) -> int:
        """How far a stamp is from what the line has placed: a press from its presses (between them negative), another
        stamp from the line's beginning."""
        if begins:
            return max(self.first_ns - pod_ns, pod_ns - self.last_ns)
        return abs(pod_ns - self.line.at_ns)

    def reaches(self, pod_ns: int, begins: bool) -> bool:
        """Whether the line may place that stamp."""
        return not self.is_old(pod_ns) and (not begins or self.away_ns(pod_ns, begins) <= APART_NS)

    def is_old(self, pod_ns: int) -> bool:
        """Whether its bound has grown too far there."""
        return abs(pod_ns - self.line.at_ns) > OLD_NS


class Spans:
    """The lines of one boot of one pod. `own_err_ns`: how far one stamp alone may be off, `common_err_ns`: all.

    first: the first line's number; the others follow.
    """

    def __init__(self, common_err_ns: int = 0, own_err_ns: int = 0, first: int = 0) -> None:
        self._own_err_ns, self._err_ns = own_err_ns, common_err_ns + own_err_ns
        self._spans: list[_Span] = []  # the one that was looked for last stands last
        self._of: dict[int, _Span] = {}  # contact -> that of its newest stamp
        self._numbers = count(first)

    def forget_lines(self) -> None:
        """The host's clock has another rate from now on: no line holds any more."""
        self._spans.clear()
        self._of.clear()

    def place(self, contact: int, pod_ns: int, fit: Clockfit, begins: bool = False) -> Placed | None:
        """A stamp of the pod's clock; None while nothing is known of it.

        begins: it may be a press's first edge; else it lies by the line that placed its contact's press.
        """
        span = self._of.get(contact)
        if span is None or begins or span.is_old(pod_ns):
            span = self._span_for(contact, pod_ns, fit, begins)
            if span is None:
                return None
        t_ns, apart_ns = span.line.place(pod_ns)
        return Placed(t_ns, span.err_ns + apart_ns, self._own_err_ns + apart_ns, span.number)

    def _span_for(self, contact: int, pod_ns: int, fit: Clockfit, begins: bool) -> _Span | None:
        """The line that is to place that stamp, from now on its contact's."""
        span = self._spans[-1] if self._spans else None
        if not begins or span is None or not span.reaches(pod_ns, begins):
            span = self._nearest(pod_ns, begins) or self._begin_span(pod_ns, fit)  # else as nearly always
            if span is None:
                return None
            self._spans = [*(other for other in self._spans if other is not span), span][-LINES:]
        self._of[contact] = span
        if begins:
            span.first_ns, span.last_ns = min(span.first_ns, pod_ns), max(span.last_ns, pod_ns)
        return span

    def _nearest(self, pod_ns: int, begins: bool) -> _Span | None:
        """The line that may place that stamp; of several, the nearest."""
        spans = [span for span in self._spans if span.reaches(pod_ns, begins)]
        return min(spans, key=lambda span: span.away_ns(pod_ns, begins), default=None)

    def _begin_span(self, pod_ns: int, fit: Clockfit) -> _Span | None:
        line = fit.line(pod_ns)
        return None if line is None else _Span(line, next(self._numbers), line.here.err_ns + self._err_ns)
