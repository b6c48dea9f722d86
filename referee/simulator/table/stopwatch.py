"""Measures the time from a call to the next GO, and how much of it the device takes.

Theory of operation. A stopwatch sees every view, each verdict and each final count, and divides the time from the
edge of the call to the next GO into the spans of `SPANS`. Sorting and dealing are the people's time, and so is
arguing: looking at a photo finish, choosing from a list, a vote. The rest is the device's own: showing the verdict,
waiting for cards to land, the entry of the last team's count, the countdown; and a contest that the device offered and
that was not used, because the table waited for the device alone.

The budgets are design goals, for four teams of 52 cards and eight of 40. Arguing has no budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from referee.core.model.events import Ruled
from referee.core.model.view import MenuScreen, VerdictScreen, View
from referee.core.units import S
from referee.core.values import Value

MANY = 6
"""Number of teams from which the budget for eight applies."""
SpanBudget = tuple[float, float]
UNTOUCHED_NS = 10 * S
"""A list that closes after this time with its cursor on the first line was not used."""


class Span(Value):
    """A part of the time between two hands.

    key: its name in the code; name: its name for people. four, eight: its budget in s (median, p90) with four and eight
    teams, if any. own: the device causes this time.
    """

    key: str
    name: str
    four: SpanBudget | None
    eight: SpanBudget | None
    own: bool = False

    def budget(self, teams: int) -> SpanBudget | None:
        """Return the budget (median and p90 in s) for this number of teams; None if there is none."""
        return self.eight if teams >= MANY else self.four


SPANS = (
    Span("shown", "edge to verdict shown", (0.1, 0.15), (0.1, 0.15), own=True),
    Span("verdict", "verdict, cards land", (2, 2), (2, 2), own=True),
    Span("arguing", "photo, contest, vote", None, None),
    Span("sorting", "sorting, counting by hand", (35, 60), (50, 80)),
    Span("entering", "Lake entered, last team", (7, 9), (8, 10), own=True),
    Span("dealing", "gather, shuffle, deal", (60, 90), (45, 75)),
    Span("start", "last ready to Go", (3, 3), (3, 3), own=True),
    Span("between", "call to next Go", (107, 164), (108, 170)),
    Span("device", "of it the device's own", (13, 14), (13, 15)),
)


class Stopwatch:
    """Measures how long the parts of the time between hands take at one table.

    `laps`: for each call followed by a GO, key of a `Span` -> time in ns.
    """

    def __init__(self) -> None:
        self.laps: list[dict[str, int]] = []
        self._phase = ""
        self._at: dict[str, int] = {}
        self._argument = _Argument()

    def note_verdict(self, event: Ruled) -> None:
        """Record a verdict, and that play ended at its earliest press."""
        self._at = {"edge": event.verdict.presses[0].counts_ns}
        self._argument = _Argument()

    def note_count(self, sorted_at_ns: int) -> None:
        """Record a final count. `sorted_at_ns`: when all cards had been sorted."""
        self._at["sorted"] = sorted_at_ns

    def look(self, view: View) -> None:
        """Record what the view shows. Every view must be passed, in order of time."""
        if "COUNTING" not in self._at:
            self._argument.look(view)
        if view.phase == "STARTING" and view.go_ns is not None:
            self._at["go"] = view.go_ns
        if view.phase != self._phase:
            self._enter(view)
            self._phase = view.phase

    def _enter(self, view: View) -> None:
        if view.phase in ("VERDICT", "COUNTING"):
            self._at.setdefault(view.phase, view.now_ns)
        if view.phase == "STARTING":  # of several countdowns only the last one counts
            self._at["STARTING"] = view.now_ns
        if self._phase == "COUNTING" and view.phase in ("READY", "OVER"):
            self._at["sealed"] = view.now_ns
        if view.phase == "PLAYING":
            self._lap(self._at)
            self._at = {}

    def _lap(self, at: dict[str, int]) -> None:
        """Record all spans from the call to this GO, unless the end of a span was not seen."""
        if not {"edge", "VERDICT", "COUNTING", "sorted", "sealed", "STARTING", "go"} <= set(at):
            return
        counting = max(at["COUNTING"], min(at["sorted"], at["sealed"]))
        lap = {
            "shown": at["VERDICT"] - at["edge"],
            "verdict": at["COUNTING"] - at["VERDICT"] - self._argument.spent_ns,
            "arguing": self._argument.spent_ns,
            "sorting": counting - at["COUNTING"],
            "entering": at["sealed"] - counting,
            "dealing": at["STARTING"] - at["sealed"],
            "start": at["go"] - at["STARTING"],
        }
        own = sum(lap[span.key] for span in SPANS if span.own)
        self.laps.append(lap | {"between": sum(lap.values()), "device": own})


class _Argument:
    """Measures how long people look at a photo finish, choose from a list and vote.

    Only the time before the count is measured.
    """

    def __init__(self) -> None:
        self.spent_ns = 0
        self._since_ns: int | None = None
        self._untouched = False

    def look(self, view: View) -> None:
        """Record what the view shows. Views must be passed in order of time.

        The time of a list that closes by itself, unused, is not counted.
        """
        argued = view.phase == "VOTE" or (view.phase == "VERDICT" and not isinstance(view.screen, VerdictScreen))
        listed = isinstance(view.screen, MenuScreen)
        if argued and self._since_ns is None:
            self._since_ns, self._untouched = view.now_ns, listed
        if argued and not (isinstance(view.screen, MenuScreen) and view.screen.cursor == 0):
            self._untouched = False
        if not argued and self._since_ns is not None:
            spent = view.now_ns - self._since_ns
            waited = self._untouched and spent >= UNTOUCHED_NS
            self.spent_ns += 0 if waited else spent
            self._since_ns = None


def seconds(laps: Iterable[dict[str, int]]) -> dict[str, tuple[float, float]]:
    """Return span key -> (median, p90) in s; empty if nothing was measured."""
    measured = list(laps)
    return {span.key: middle_and_p90([lap[span.key] for lap in measured]) for span in SPANS} if measured else {}


def middle_and_p90(values_ns: list[int]) -> tuple[float, float]:
    """Return in s the median, and the smallest value that 90 % of values do not exceed."""
    ordered = sorted(values_ns)
    return round(median(ordered) / S, 2), round(ordered[-(-9 * len(ordered) // 10) - 1] / S, 2)
