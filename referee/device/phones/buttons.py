"""Phones as buttons: their touch delay, and phones that are asleep or imprecise.

Theory of operation. The button's row states when the fist hit, within its error. The phone's stamp, without the delay
taken off, states when the browser handed the touch over, within the clock fit's bound. The difference is the delay of
this touch, within both. The phone's range covers the intervals of all ten. As later touches can take less or more, a
third of the spread is added at each end (docs/timing.md).

Phones that are asleep or imprecise: the table waits for a count or an answer that they cannot give.

A phone's page is connected while the phone's screen is lit. The match does not know that: the page's process reports
the connected phones, and the device marks in its view the teams for which the table waits in vain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.core.clocks.touch import LONGEST_TOUCH_NS, TOUCH_NS, Delays
from referee.core.messages import Label, Msg, msg
from referee.core.model.view import CountScreen, ReadyScreen, View, VoteScreen
from referee.core.presses.signals import KNOB, TURNS, Edge, presses_of
from referee.core.units import MS
from referee.core.values import replace
from referee.protocol.page import PhoneTouch

HITS = 10
"""Number of hits that a range is computed from."""
TOGETHER_NS = 250 * MS
"""Maximum time in ns between a touch's stamp and a button's press that may be the same hit."""
SPREAD_NS = 25 * MS
"""Maximum difference in ns between the delays of the hits. It is greater if two hands hit, not one fist."""
VAGUE_NS = TOUCH_NS[1] - TOUCH_NS[0]
"""Maximum length in ns of a touch's interval: a longer one says no more than the range of all phones."""
LEAST_MARGIN_NS, LEAST_HALF_NS = 1 * MS, 3 * MS
"""Minimum margin at each end of a range, and half of the minimum range, in ns."""


def delays_of(hits: Iterable[Delays]) -> Delays | None:
    """Return a phone's range of touch delays, computed from hits; None if these differ too much.

    hits: the range of each hit's delay. If the middles of all these are within `TOUCH_NS`, so is the returned range.

    >>> delays_of([(32 * MS, 34 * MS), (38 * MS, 40 * MS)])
    (30000000, 42000000)
    """
    lows, highs = zip(*hits, strict=True)
    middles = [(low + high) // 2 for low, high in zip(lows, highs, strict=True)]
    spread_ns = max(middles) - min(middles)
    if spread_ns > SPREAD_NS:
        return None
    margin_ns = max(spread_ns // 3, LEAST_MARGIN_NS, LEAST_HALF_NS - (max(highs) - min(lows)) // 2)
    usual = TOUCH_NS[0] <= min(middles) and max(middles) <= TOUCH_NS[1]
    first_ns, last_ns = TOUCH_NS if usual else (0, max(highs) + margin_ns)
    most_ns = min(max(highs) + margin_ns, last_ns)
    least_ns = max(min(min(lows) - margin_ns, most_ns - 2 * LEAST_HALF_NS), first_ns)
    return least_ns, max(most_ns, least_ns + 2 * LEAST_HALF_NS)


def hit_of(touch: PhoneTouch, used: Delays, rows: Iterable[Edge]) -> Delays | str:
    """Return the range in which this touch's delay is, or a word for why there is none.

    "alone": no button was pressed with the touch; "two": more than one press; "slow": the phone's link is too slow.
    used: the range of delays with which the touch's stamp was computed. rows: the last edge rows of the table.
    """
    low_ns, high_ns = touch.t_ns - touch.err_ns + used[1], touch.t_ns + touch.err_ns + used[0]  # when it was stamped
    wired = [row for row in rows if row.station not in (KNOB, *TURNS) and not (row.clock or "").startswith("phone:")]
    near = [p for p in presses_of(wired) if low_ns - TOGETHER_NS <= p.t_ns <= high_ns + TOGETHER_NS]
    if len(near) > 1:
        return "two"
    if high_ns - low_ns > VAGUE_NS:
        return "slow"
    found = [(low_ns - p.t_ns - p.err_ns, high_ns - p.t_ns + p.err_ns) for p in near]
    return next((hit for hit in found if hit[1] >= 0 and hit[0] <= LONGEST_TOUCH_NS), "alone")


class Fists:
    """Collects each phone's hits, in which a fist strikes the phone and a button together.

    `notes`: phone -> the text that the phone shows about its hits.
    """

    def __init__(self) -> None:
        self.notes: dict[str, Msg] = {}
        self._hits: dict[str, list[Delays]] = {}
        self._down: dict[str, PhoneTouch] = {}

    def take(self, touch: PhoneTouch, used: Delays | None, rows: Iterable[Edge]) -> Delays | None:
        """Handle a touch or its end. Return the phone's new range of delays after the last hit.

        None: more hits are needed, or the hits differ too much. A hit is judged at the touch's end, because the
        button's row has arrived by then. used: the phone's present range.
        """
        phone = touch.phone
        if touch.touch:
            self._down.setdefault(phone, touch)
        elif phone in self._down:
            return self._judge(phone, hit_of(self._down.pop(phone), used or TOUCH_NS, rows))
        return None

    def _judge(self, phone: str, hit: Delays | str) -> Delays | None:
        hits = self._hits.setdefault(phone, [])
        if not isinstance(hit, str):
            hits.append(hit)
        note = hit if isinstance(hit, str) else "count"
        self.notes[phone] = msg(f"own.fist.{note}", done=len(hits), all=HITS)
        if len(hits) < HITS:
            return None
        del self._hits[phone]
        found = delays_of(hits)
        if found is None:
            self.notes[phone] = msg("own.fist.apart", ms=SPREAD_NS // MS)
        else:
            self.notes[phone] = msg("own.fist.kept", least=found[0] // MS, most=-(-found[1] // MS))
        return found


def with_notes(view: View, notes: dict[str, Msg]) -> View:
    """Add to the view the text that each phone shows about its hits (see `Fists`)."""
    lines = tuple(replace(line, note=notes.get(line.phone)) for line in view.phones)
    return replace(view, phones=lines) if notes else view


def with_sleepers(view: View, awake: frozenset[str]) -> View:
    """Mark in a view each team for which the table waits and whose phones are all asleep.

    While counting and voting, mark the team's row; at READY, add a note. awake: the names of the phones that have a
    page open.
    """
    screen = view.screen
    if isinstance(screen, CountScreen):
        cells = tuple(replace(c, asleep=not c.done and _sleeps(view, c.label, awake)) for c in screen.cells)
        return view if cells == screen.cells else replace(view, screen=replace(screen, cells=cells))
    if isinstance(screen, ReadyScreen):
        notes = tuple(msg("note.phone_asleep", who=who) for who in screen.waiting if _sleeps(view, who, awake))
        return replace(view, screen=replace(screen, notes=(*screen.notes, *notes))) if notes else view
    if isinstance(screen, VoteScreen):
        asleep = tuple(who for who, said in screen.votes if said is None and _sleeps(view, who, awake))
        return replace(view, screen=replace(screen, asleep=asleep)) if asleep else view
    return view


def with_wide_bounds(view: View, wide: Mapping[str, int]) -> View:
    """Add a note at READY on each phone whose touches have a wide error bound.

    A player with such a phone must be clearly ahead to win a call.

    wide: the error bounds in ms of these phones, by name.
    """
    if not isinstance(view.screen, ReadyScreen) or view.match is None:
        return view
    team_of = {number: team for team in view.match.teams for number in team.numbers}
    lines = [line for line in view.phones if line.phone in wide and line.number in team_of]
    notes = tuple(msg("note.phone_wide", who=team_of[line.number], ms=wide[line.phone]) for line in lines)
    return replace(view, screen=replace(view.screen, notes=(*view.screen.notes, *notes))) if notes else view


def _sleeps(view: View, who: Label, awake: frozenset[str]) -> bool:
    """Return whether a team has phones, and none of them has a page open."""
    phones = {line.phone for line in view.phones if line.number in who.numbers}
    return bool(phones) and not phones & awake
